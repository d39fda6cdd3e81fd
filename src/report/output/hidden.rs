//! Directories in which results are made before they are moved to their place.

use super::{OutputError, waiting};
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Names of hidden directories begin with this.
pub(super) const HIDDEN: &str = ".gridloom-partial";

/// A hidden directory that is removed when dropped, unless it was moved away or given away.
///
/// Its name is unique to the process, and the directory is made by a call that fails if there is one of that name. So
/// nothing is ever removed here but what was made here. A process that is killed leaves its hidden directory behind;
/// no other process touches it.
#[derive(Debug)]
pub(super) struct Hidden(Option<PathBuf>);

impl Hidden {
    pub(super) fn create(parent: &Path) -> Result<Self, OutputError> {
        let (path, ()) = with_fresh_name(parent, HIDDEN, "", |path| fs::create_dir(path))
            .map_err(OutputError::io("write to", parent))?;
        Ok(Self(Some(path)))
    }

    pub(super) fn path(&self) -> &Path {
        self.0.as_deref().unwrap_or(Path::new(""))
    }

    /// From here on the directory, or whatever has its name by now, belongs to somebody else.
    pub(super) fn release(mut self) -> PathBuf {
        self.0.take().unwrap_or_default()
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        if let Some(path) = self.0.take() {
            // An error here can't be helped; what stays behind is hidden and harms no one.
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Makes something in `parent` under a name that is not taken: the stem, the number of this process, and another
/// number.
///
/// `make` must fail with [`ErrorKind::AlreadyExists`] if the name is taken; then the next number is tried.
pub(super) fn with_fresh_name<T>(
    parent: &Path,
    stem: &str,
    end: &str,
    make: impl Fn(&Path) -> io::Result<T>,
) -> io::Result<(PathBuf, T)> {
    let process = std::process::id();
    let mut number = 0_u64;
    loop {
        let path = parent.join(format!("{stem}-{process}-{number}{end}"));
        match make(&path) {
            Ok(made) => return Ok((path, made)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Removes a directory with the files in it that `is_ours` knows by name. Anything else in it stays, and is an error.
pub(super) fn remove_ours(dir: &Path, is_ours: impl Fn(&str) -> bool) -> io::Result<()> {
    let mut ours = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_file() && entry.file_name().to_str().is_some_and(&is_ours) {
            ours.push(entry.path());
        }
    }
    waiting::remove(&ours)?;
    fs::remove_dir(dir)
}
