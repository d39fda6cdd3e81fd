//! Opening of files that others may have put in the place of ours.

use std::io::{Error, ErrorKind};
use std::path::Path;

/// The bytes of a plain file. A pipe or a device, which may never end, is refused before it is opened.
pub fn read_plain(path: &Path) -> Result<Vec<u8>, Error> {
    if !path.metadata()?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, "it is not a plain file"));
    }
    std::fs::read(path)
}
