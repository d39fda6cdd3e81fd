//! A program that runs beside the simulation. It can neither hold it up nor outlive it.

use crate::engine::{Stop, Stopped};
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::{Duration, Instant};

/// The longest time from a wish to stop to its notice.
const PACE: Duration = Duration::from_millis(20);
/// The time that a program has to end by itself, once it was told to.
const FAREWELL: Duration = Duration::from_secs(1);
/// The time for which its last words are awaited.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The most bytes of an answer.
const MOST: usize = 64 << 20;
/// The most bytes that are kept of its standard error, and the most lines of it that are told.
const KEPT: usize = 8 << 10;
const TOLD: usize = 6;
/// The bytes that are read at once, and the number of such parts that may wait.
const PART: usize = 64 << 10;
const PARTS: usize = 4;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Unanswered {
    /// The run was asked to end.
    Stopped(Stopped),
    /// The program has ended, or closed its output; this is how, and what there was of an answer.
    Ended { how: String, part: Vec<u8> },
    /// The time is over.
    Late { part: Vec<u8> },
    /// The line does not end.
    TooLong { part: Vec<u8> },
    /// It wrote before it was asked.
    Unasked { line: Vec<u8> },
}

/// A program that runs. Its input is written and its output is read on threads of their own: a program that reads
/// nothing or writes without end holds up nobody but itself.
pub(super) struct ForeignProcess {
    child: Child,
    to: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
    /// What was read and is no answer yet.
    unread: Vec<u8>,
    last_words: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
}

impl ForeignProcess {
    /// Starts a program, in a folder if one is given.
    pub(super) fn start(program: &Path, arguments: &[String], folder: Option<&Path>) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            command.current_dir(folder);
        }
        // A group of its own: an interrupt from the terminal reaches gridloom alone, which ends all that the program has
        // started with it.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command.spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (to, lines) = channel();
        let (parts, from) = sync_channel(PARTS);
        let last_words: Arc<Mutex<Vec<u8>>> = Arc::default();
        let kept = Arc::clone(&last_words);
        let threads = || -> io::Result<JoinHandle<()>> {
            let (Some(input), Some(output), Some(errors)) = pipes else { return Err(io::ErrorKind::BrokenPipe.into()) };
            let thread = |name: &str| Builder::new().name(format!("external-{name}"));
            thread("input").spawn(move || write_all(input, &lines))?;
            thread("output").spawn(move || read_all(output, &parts))?;
            thread("error").spawn(move || keep_last(errors, &kept))
        };
        match threads() {
            Ok(listener) => Ok(Self { child, to, from, unread: Vec::new(), last_words, listener }),
            Err(error) => {
                kill(&mut child);
                Err(error)
            }
        }
    }

    /// Writes a message, and gives the line that the program answers with.
    pub(super) fn ask(&mut self, message: Vec<u8>, limit: Duration, stop: &Stop) -> Result<Vec<u8>, Unanswered> {
        self.unread.extend(self.from.try_iter().flatten());
        if !self.unread.is_empty() {
            return Err(Unanswered::Unasked { line: std::mem::take(&mut self.unread) });
        }
        // Whoever can't be written to has ended, which its output tells.
        let _ = self.to.send(message);
        let asked = clock();
        let mut ended: Option<Instant> = None;
        loop {
            stop.check().map_err(Unanswered::Stopped)?;
            let left = limit.saturating_sub(asked.elapsed());
            match self.from.recv_timeout(left.min(PACE)) {
                Ok(part) => {
                    let end = part.iter().position(|byte| *byte == b'\n').map(|end| self.unread.len() + end);
                    self.unread.extend(part);
                    if let Some(end) = end {
                        let rest = self.unread.split_off(end + 1);
                        return Ok(std::mem::replace(&mut self.unread, rest));
                    }
                    if self.unread.len() > MOST {
                        return Err(Unanswered::TooLong { part: std::mem::take(&mut self.unread) });
                    }
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(Unanswered::Late { part: std::mem::take(&mut self.unread) });
                }
                Err(RecvTimeoutError::Timeout) => {
                    // What it has started may hold its output, and will never answer.
                    if let Ok(Some(_)) = self.child.try_wait()
                        && ended.get_or_insert_with(clock).elapsed() > LAST_WORDS
                    {
                        let how = self.how_it_ended();
                        return Err(Unanswered::Ended { how, part: std::mem::take(&mut self.unread) });
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let how = self.how_it_ended();
                    return Err(Unanswered::Ended { how, part: std::mem::take(&mut self.unread) });
                }
            }
        }
    }

    /// How the program ended, which has closed its output, and the last lines of its standard error.
    fn how_it_ended(&mut self) -> String {
        let status = wait_for(&mut self.child, LAST_WORDS);
        let how = status.map_or("it closed its standard output".to_string(), |status| status.to_string());
        let asked = clock();
        while !self.listener.is_finished() && asked.elapsed() < LAST_WORDS {
            sleep(Duration::from_millis(1));
        }
        let said = self.last_words.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(TOLD)..].join("\n  ");
        if last.is_empty() {
            format!("{how}; it wrote no error")
        } else {
            format!("{how}; its last errors are\n  {last}\n")
        }
    }

    /// Writes a last message, and gives the program a moment to end by itself.
    pub(super) fn end(mut self, message: Vec<u8>) {
        let _ = self.to.send(message);
        // The input is closed once the message was written.
        (self.to, _) = channel();
        wait_for(&mut self.child, FAREWELL);
    }
}

impl Drop for ForeignProcess {
    fn drop(&mut self) {
        kill(&mut self.child);
    }
}

#[allow(clippy::disallowed_methods, reason = "the clock decides when a program is given up, never a result")]
fn clock() -> Instant {
    Instant::now()
}

/// Ends a program at once, with all that it has started, even if it has ended by itself.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// The status of a program, if it ends within a time.
fn wait_for(child: &mut Child, limit: Duration) -> Option<ExitStatus> {
    let asked = clock();
    loop {
        match child.try_wait() {
            Ok(None) if asked.elapsed() < limit => sleep(Duration::from_millis(1)),
            Ok(status) => return status,
            Err(_) => return None,
        }
    }
}

fn write_all(mut input: impl Write, lines: &Receiver<Vec<u8>>) {
    for line in lines {
        if input.write_all(&line).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

fn read_all(mut output: impl Read, parts: &SyncSender<Vec<u8>>) {
    let mut part = vec![0; PART];
    while let Some(read) = read_some(&mut output, &mut part) {
        if parts.send(part[..read].to_vec()).is_err() {
            return;
        }
    }
}

fn keep_last(mut errors: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut part = vec![0; KEPT];
    while let Some(read) = read_some(&mut errors, &mut part) {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&part[..read]);
        let old = kept.len().saturating_sub(KEPT);
        kept.drain(..old);
    }
}

/// The number of bytes that were read; nothing at the end.
fn read_some(from: &mut impl Read, part: &mut [u8]) -> Option<usize> {
    loop {
        match from.read(part) {
            Ok(0) => return None,
            Ok(read) => return Some(read),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_nobody_asked_for_is_no_answer() {
        let script = ["-c".to_string(), "echo early; sleep 60".to_string()];
        let mut process = ForeignProcess::start(Path::new("sh"), &script, None).unwrap();
        // It is there after some time, and not asked for.
        let line = process.from.recv_timeout(Duration::from_secs(30)).unwrap();
        let (parts, from) = sync_channel(PARTS);
        parts.send(line).unwrap();
        process.from = from;
        let answer = process.ask(b"question\n".to_vec(), Duration::from_secs(1), Stop::NEVER);
        assert!(matches!(answer, Err(Unanswered::Unasked { line }) if line == b"early\n"));
    }
}
