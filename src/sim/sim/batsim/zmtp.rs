//! The asking side of ZeroMQ's request and reply, over TCP: as much of ZMTP 3.0 as that takes.
//!
//! A greeting of 64 bytes each way, a command READY each way, and then messages of frames: flags, size, bytes. A request
//! and its reply each begin with an empty frame.

use crate::engine::{Stop, Stopped};
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

/// The time from one look at the token that ends the run to the next.
const BEAT: Duration = Duration::from_millis(50);
/// No reply is longer.
const LONGEST: u64 = 1 << 28;
const MORE: u8 = 1;
const LONG: u8 = 2;
const COMMAND: u8 = 4;
const GREETING: usize = 64;

/// Why there is no reply.
#[derive(Debug)]
pub(super) enum NoReply {
    Stopped(Stopped),
    /// Nobody could be reached or the other side ended: why.
    Lost(String),
    /// It took too long.
    Late,
    /// It said what can't be understood: what.
    Unclear(String),
}

impl From<std::io::Error> for NoReply {
    fn from(error: std::io::Error) -> Self {
        Self::Lost(error.to_string())
    }
}

impl From<Stopped> for NoReply {
    fn from(stopped: Stopped) -> Self {
        Self::Stopped(stopped)
    }
}

/// A connection on which questions are asked, one at a time.
#[derive(Debug)]
pub(super) struct RequestSocket {
    stream: TcpStream,
    stop: Stop,
    deadline: Option<Instant>,
}

impl RequestSocket {
    /// Connects to `host:port`, which may take a while to be there.
    pub(super) fn connect(address: &str, stop: &Stop, within: Duration) -> Result<Self, NoReply> {
        let deadline = deadline(within);
        let stream = loop {
            stop.check()?;
            let found = address.to_socket_addrs()?.next();
            let place = found.ok_or_else(|| NoReply::Lost(format!("there is no host {address}")))?;
            match TcpStream::connect_timeout(&place, Duration::from_secs(1)) {
                Ok(stream) => break stream,
                Err(error) if is_past(deadline) => return Err(error.into()),
                Err(_) => std::thread::sleep(BEAT),
            }
        };
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(BEAT))?;
        stream.set_write_timeout(Some(Duration::from_secs(10)))?;
        let mut socket = Self { stream, stop: stop.clone(), deadline };
        socket.greet()?;
        Ok(socket)
    }

    fn greet(&mut self) -> Result<(), NoReply> {
        let mut greeting = [0_u8; GREETING];
        (greeting[0], greeting[9], greeting[10]) = (0xff, 0x7f, 3);
        greeting[12..16].copy_from_slice(b"NULL");
        self.stream.write_all(&greeting)?;
        let mut theirs = [0_u8; GREETING];
        self.read(&mut theirs)?;
        if theirs[0] != 0xff || theirs[9] & 1 == 0 || theirs[10] < 3 || &theirs[12..17] != b"NULL\0" {
            return Err(NoReply::Unclear("who answers there does not speak ZeroMQ 4 without authentication".into()));
        }
        let mut ready = b"\x05READY".to_vec();
        for (name, value) in [("Socket-Type", "REQ"), ("Identity", "")] {
            ready.push(name.len() as u8);
            ready.extend(name.bytes());
            ready.extend((value.len() as u32).to_be_bytes());
            ready.extend(value.bytes());
        }
        self.stream.write_all(&framed(COMMAND, &ready))?;
        match self.read_frame()? {
            (flags, body) if flags & COMMAND != 0 && body.starts_with(b"\x05READY") => Ok(()),
            (_, body) => {
                Err(NoReply::Unclear(format!("it refused the connection: {}", String::from_utf8_lossy(&body))))
            }
        }
    }

    /// Asks, and waits for the reply.
    pub(super) fn ask(&mut self, question: &[u8], within: Duration) -> Result<Vec<u8>, NoReply> {
        self.deadline = deadline(within);
        let mut message = framed(MORE, &[]);
        message.extend(framed(0, question));
        self.stream.write_all(&message)?;
        let mut reply: Option<Vec<u8>> = None;
        loop {
            let (flags, body) = self.read_frame()?;
            if flags & COMMAND != 0 {
                continue;
            }
            match &mut reply {
                None if body.is_empty() && flags & MORE != 0 => reply = Some(Vec::new()),
                None => return Err(NoReply::Unclear("its reply has no envelope".into())),
                Some(reply) => reply.extend(body),
            }
            if flags & MORE == 0 {
                return Ok(reply.unwrap_or_default());
            }
        }
    }

    fn read_frame(&mut self) -> Result<(u8, Vec<u8>), NoReply> {
        let mut head = [0_u8; 2];
        self.read(&mut head)?;
        let [flags, short] = head;
        let length = match flags & LONG {
            0 => u64::from(short),
            _ => {
                let mut rest = [0_u8; 8];
                rest[0] = short;
                self.read(&mut rest[1..])?;
                u64::from_be_bytes(rest)
            }
        };
        if length > LONGEST {
            return Err(NoReply::Unclear(format!("it announces {length} bytes")));
        }
        let mut body = vec![0_u8; length as usize];
        self.read(&mut body)?;
        Ok((flags, body))
    }

    /// Reads so many bytes, while it looks at the clock and at the token.
    fn read(&mut self, mut into: &mut [u8]) -> Result<(), NoReply> {
        while !into.is_empty() {
            match self.stream.read(into) {
                Ok(0) => return Err(NoReply::Lost("it closed the connection".into())),
                Ok(count) => into = &mut into[count..],
                Err(error)
                    if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted) =>
                {
                    self.stop.check()?;
                    if is_past(self.deadline) {
                        return Err(NoReply::Late);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// A frame as it is sent.
fn framed(flags: u8, body: &[u8]) -> Vec<u8> {
    let mut frame = Vec::with_capacity(body.len() + 9);
    match u8::try_from(body.len()) {
        Ok(length) => frame.extend([flags, length]),
        Err(_) => {
            frame.push(flags | LONG);
            frame.extend((body.len() as u64).to_be_bytes());
        }
    }
    frame.extend(body);
    frame
}

#[allow(clippy::disallowed_methods, reason = "the clock ends schedulers that hang, and decides nothing else")]
fn deadline(within: Duration) -> Option<Instant> {
    Instant::now().checked_add(within)
}

#[allow(clippy::disallowed_methods, reason = "the clock ends schedulers that hang, and decides nothing else")]
fn is_past(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() > deadline)
}
