//! Limits on the size of a log: a compressed file of a megabyte can hold gigabytes.

use crate::language::{Count, constant};
use crate::record;
use std::io::{self, Read};

record! {
    /// Limits on the size of a log. The defaults are above nearly all logs in circulation, and keep a hostile file from
    /// taking all memory.
    #[derive(Copy, Eq)]
    pub struct LogLimits {
        /// The most comments of the form `; Key: value`.
        #[unit = "lines"]
        header: Count = Count::of(10_000),
        /// The most jobs; each takes 144 bytes of memory while the log is read.
        #[unit = "jobs"]
        records: Count = Count::of(10_000_000),
        /// The most bytes of text, after expansion if the file is compressed.
        #[unit = "bytes"]
        bytes: Count = Count::of(4 << 30),
    }
}

impl Default for LogLimits {
    fn default() -> Self {
        constant("()")
    }
}

/// Text ends in an error once there is more of it than allowed.
pub(super) struct Bounded<R> {
    input: R,
    left: u64,
}

/// The error of a text that is too long.
#[derive(Debug, thiserror::Error)]
#[error("the text is too long")]
pub(super) struct Exceeded;

impl<R: Read> Bounded<R> {
    pub(super) fn new(input: R, limit: u64) -> Self {
        Self { input, left: limit }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            // Only a text that goes on is too long.
            return match self.input.read(&mut [0])? {
                0 => Ok(0),
                _ => Err(io::Error::other(Exceeded)),
            };
        }
        let most = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let read = self.input.read(&mut buffer[..most])?;
        self.left -= read as u64;
        Ok(read)
    }
}
