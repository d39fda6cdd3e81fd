//! A log that stays where it is: a checksum says whether it is still the same.

use crate::workload::swf::{Log, LogError, LogLimits};
use flate2::Crc;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The word in front of a checksum.
const KIND: &str = "crc32:";

/// A log and the checksum of the file that it was read from.
#[derive(Debug)]
pub struct NamedLog {
    pub log: Log,
    /// `crc32:` and eight hexadecimal digits, of the bytes of the file as it is, compressed or not.
    pub checksum: String,
}

impl NamedLog {
    pub(super) fn read(path: &Path, limits: LogLimits) -> Result<Self, LogError> {
        let mut input = Summing { input: File::open(path)?, crc: Crc::new() };
        let log = Log::read_within(&mut input, limits)?;
        // Bytes after the end of a compressed text are part of the file.
        io::copy(&mut input, &mut io::sink())?;
        Ok(Self { log, checksum: format!("{KIND}{:08x}", input.crc.sum()) })
    }

    /// True if a text can be a checksum.
    pub fn is_checksum(text: &str) -> bool {
        let digits = text.strip_prefix(KIND).unwrap_or_default();
        digits.len() == 8 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    }
}

/// Sums up all bytes on their way.
struct Summing<R> {
    input: R,
    crc: Crc,
}

impl<R: Read> Read for Summing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.crc.update(&buffer[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_checksum_is_that_of_the_bytes_of_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.swf");
        // The check value of CRC-32 is that of the digits 1 to 9.
        fs::write(&path, "123456789").unwrap();
        let read = NamedLog::read(&path, LogLimits::default()).unwrap();
        assert_eq!(read.checksum, "crc32:cbf43926");
        assert!(NamedLog::is_checksum(&read.checksum));
        for bad in ["cbf43926", "crc32:cbf4392", "crc32:cbf43926a", "md5:cbf43926", ""] {
            assert!(!NamedLog::is_checksum(bad), "{bad}");
        }
    }
}
