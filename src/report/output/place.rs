//! The place of a result: links to it are followed, and what must not be replaced is refused.

use super::{MANIFEST, OutputError, system};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// So often a directory is looked at that other processes keep replacing.
const LOOKS: usize = 100;

/// A directory or file to be made or replaced.
#[derive(Debug)]
pub(super) struct OutputPlace {
    /// The path as the user gave it, for messages.
    given: PathBuf,
    /// Absolute and without links, as far as it exists.
    parent: PathBuf,
    name: OsString,
}

impl OutputPlace {
    /// The place that a path leads to: a link is followed, and stays a link.
    ///
    /// A link that leads nowhere is refused: what it was meant for, a disk perhaps, is not there.
    pub(super) fn of(given: &Path) -> Result<Self, OutputError> {
        let nameless = || OutputError::Nameless(given.to_path_buf());
        // Without a slash at the end, which would hide a link that leads nowhere.
        let real = resolve(given.components().as_path())?;
        let name = real.file_name().filter(|_| given.file_name().is_some()).ok_or_else(nameless)?.to_os_string();
        let parent = real.parent().ok_or_else(nameless)?.to_path_buf();
        Ok(Self { given: given.to_path_buf(), parent, name })
    }

    pub(super) fn given(&self) -> &Path {
        &self.given
    }

    pub(super) fn parent(&self) -> &Path {
        &self.parent
    }

    pub(super) fn name(&self) -> &OsStr {
        &self.name
    }

    pub(super) fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// The nearest directory above that exists.
    pub(super) fn existing_parent(&self) -> &Path {
        self.parent.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(Path::new("."))
    }

    /// Tells whether a directory is there that may be replaced. An error for everything else that is there.
    pub(super) fn holds_result(&self, force: bool) -> Result<bool, OutputError> {
        let Some(found) = self.look()? else { return Ok(false) };
        if !found.is_dir() {
            return Err(OutputError::NotADirectory(self.given.clone()));
        }
        if system::is_mount_point(&self.path()) {
            return Err(OutputError::MountPoint(self.given.clone()));
        }
        match stranger(&self.path()) {
            // Whoever is told of --force can use it.
            Ok(None) if !force => Err(OutputError::Exists(self.given.clone())),
            Ok(None) => Ok(true),
            Ok(Some(name)) => Err(OutputError::Foreign(self.given.join(name))),
            // It has gone since it was looked at.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(source) => Err(OutputError::io("read", &self.given)(source)),
        }
    }

    /// An error unless a file can be put here.
    pub(super) fn takes_file(&self, force: bool) -> Result<(), OutputError> {
        match self.look()? {
            None => Ok(()),
            Some(found) if !found.is_file() => Err(OutputError::NotAFile(self.given.clone())),
            Some(_) if !force => Err(OutputError::Exists(self.given.clone())),
            Some(_) => Ok(()),
        }
    }

    fn look(&self) -> Result<Option<fs::Metadata>, OutputError> {
        match fs::symlink_metadata(self.path()) {
            Ok(found) => Ok(Some(found)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(OutputError::io("look at", &self.given)(source)),
        }
    }
}

/// Where a path leads: what exists of it without links, and the rest as it is.
fn resolve(path: &Path) -> Result<PathBuf, OutputError> {
    for ancestor in path.ancestors() {
        let here = if ancestor == Path::new("") { Path::new(".") } else { ancestor };
        let found = match fs::symlink_metadata(here) {
            Ok(found) => found,
            // Something above is missing or a file.
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(source) => return Err(OutputError::io("look at", here)(source)),
        };
        let real = match fs::canonicalize(here) {
            Ok(real) => real,
            Err(_) if found.is_symlink() => {
                let to = fs::read_link(here).unwrap_or_default();
                return Err(OutputError::DanglingLink { link: here.to_path_buf(), to });
            }
            // It has gone since it was looked at.
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(source) => return Err(OutputError::io("look at", here)(source)),
        };
        return match path.strip_prefix(ancestor) {
            Ok(rest) if rest == Path::new("") => Ok(real),
            Ok(_) if !real.is_dir() => Err(OutputError::NotADirectory(here.to_path_buf())),
            Ok(rest) => Ok(real.join(rest)),
            Err(_) => Ok(real),
        };
    }
    Err(OutputError::io("look at", path)(ErrorKind::NotFound.into()))
}

/// Something in a directory that no run has written; nothing if it is empty or a whole result.
pub(super) fn stranger(dir: &Path) -> io::Result<Option<OsString>> {
    for _ in 1..LOOKS {
        // Held open, so that no other directory can get its number meanwhile.
        let held = match File::open(dir) {
            // Between two renames of another run there is nothing. To look again at once would use up all looks while that run
            // is held up, and a list read now would not belong to the files seen next: whoever asked tries to take the place.
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(error),
            held => held.ok(),
        };
        let before = held.as_ref().and_then(|held| system::identity(&held.metadata().ok()?));
        let found = look_for_stranger(dir);
        // Another run may have replaced the directory after the list was read and before the files were seen.
        let is_same = before.is_none() || system::identity(&fs::symlink_metadata(dir)?) == before;
        if is_same && !matches!(&found, Err(error) if error.kind() == ErrorKind::NotFound) {
            return found;
        }
    }
    look_for_stranger(dir)
}

fn look_for_stranger(dir: &Path) -> io::Result<Option<OsString>> {
    let is_ours = listed(dir);
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name();
        if !entry.file_type()?.is_file() || !name.to_str().is_some_and(&is_ours) {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Tells which files of a result a run has written, by their names.
pub(super) fn listed(dir: &Path) -> impl Fn(&str) -> bool {
    let manifest = fs::read_to_string(dir.join(MANIFEST)).unwrap_or_default();
    move |name| name == MANIFEST || manifest.lines().any(|line| line == name)
}
