//! The output directory: all of a run's files appear together, or none.
//!
//! Files are collected in memory as [`Artefacts`]. [`Artefacts::commit`] writes them to a hidden directory beside the
//! target and renames that into place, so that a failure or an interruption leaves an earlier result as it was. An
//! earlier result is swapped for the new one in a single step of the system; where there is none, as on NFS, it takes
//! two renames: a kill between them leaves the old result whole under a hidden name, and the next command that would
//! write there puts it back.
//!
//! Any number of processes may write into one parent at once, even to the same place. Names of hidden directories begin
//! with `.gridloom-partial` and the number of the process that makes them. Nothing is removed that this process did not
//! make, apart from the result that it was told to replace. A process that is killed outright leaves its hidden
//! directory behind, and no other one removes it: it might be in use on another machine. It is never read again.
//!
//! Links are followed and stay links: what they point to is replaced. A link that leads nowhere is refused.
//!
//! ```
//! use gridloom::report::Artefacts;
//!
//! let parent = tempfile::tempdir()?;
//! let target = parent.path().join("output/demo");
//! let mut artefacts = Artefacts::default();
//! artefacts.add("results.json", "{}\n")?;
//! artefacts.commit(&target, false)?;
//! assert_eq!(std::fs::read_to_string(target.join("results.json"))?, "{}\n");
//! assert!(artefacts.commit(&target, false).unwrap_err().to_string().contains("--force"));
//! artefacts.commit(&target, true)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod hidden;
mod marked;
mod place;
mod swap;
mod system;
#[cfg(test)]
mod tests;
mod waiting;

pub use marked::{is_mark, is_marked, make_marked, remove_marked};

use crate::FileContent;
use gridloom_sim::units::counted;
use hidden::Hidden;
use place::OutputPlace;
use rayon::prelude::*;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};

/// The file that marks a directory as a result of ours: it lists the others, a line each.
const MANIFEST: &str = ".gridloom";

/// So often something is written again when the directory in which it is written vanishes.
const TRIES: usize = 10;

/// Why the output directory can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It exists, and replacing it was not asked for.
    #[error("{0} exists already; --force replaces it")]
    Exists(PathBuf),
    /// It exists and holds something that no run has written.
    #[error(
        "{0} is not part of an earlier result, so its directory is not replaced; \
         choose another directory or move it away"
    )]
    Foreign(PathBuf),
    /// A file is in the way of a directory.
    #[error("{0} is in the way: it is not a directory; choose another place")]
    NotADirectory(PathBuf),
    /// A directory or a device is in the way of a file.
    #[error("{0} is in the way: it is not a plain file; give the name of a file")]
    NotAFile(PathBuf),
    /// A link to something that does not exist.
    #[error("{link} is a link to {to}, which can't be reached; create that, or remove the link")]
    DanglingLink {
        /// The link.
        link: PathBuf,
        /// Where it points.
        to: PathBuf,
    },
    /// Another file system begins there, so that it can't be swapped for another directory.
    #[error("{0} is a mount point, which can't be replaced as a whole; choose a directory in it")]
    MountPoint(PathBuf),
    /// The path has no last name that could be renamed into place, like `.` or `/`.
    #[error("{0:?} can't be replaced as a whole; give the output a name of its own")]
    Nameless(PathBuf),
    /// The place where an unfinished run keeps what it has finished holds something else.
    #[error(
        "{0} is where finished parts of this run would be kept, but no run has made it; \
         move it away or choose another directory"
    )]
    StoreTaken(PathBuf),
    /// Finished parts of an earlier run would be lost.
    #[error("{0} keeps what an interrupted run has finished; --resume goes on from there, --force discards it")]
    StoreInUse(PathBuf),
    /// Shards are writing to the place where finished parts are kept.
    #[error("shards of this run are at work in {0}: wait until they have ended, or choose another --out")]
    ShardsAtWork(PathBuf),
    /// Finished parts of another run are there, from which this one can't go on.
    #[error(
        "{store} keeps {} of another scenario, seed, log or version, and this run can't go on from there; give that \
         run, or choose another --out; --force discards what is kept, and replaces the result if there is one",
        counted(*.replications, "replication")
    )]
    StoreOfAnother {
        /// What was kept.
        store: PathBuf,
        /// The number of replications.
        replications: u64,
    },
    /// The command reads something that would be removed.
    #[error("{input} is read by this very command, and a result in {place} would replace it; choose another --out")]
    HoldsInput {
        /// The result.
        place: PathBuf,
        /// What is read.
        input: PathBuf,
    },
    /// A result is there, and finished parts of an interrupted run besides.
    #[error(
        "{place} exists already, and {store} keeps what an interrupted run has finished; --resume --force goes on from \
         there and replaces the result, --force alone discards what was kept"
    )]
    ExistsAndKept {
        /// The result.
        place: PathBuf,
        /// What was kept.
        store: PathBuf,
    },
    /// Something went wrong, but nothing is lost.
    #[error("{why}; {what} is in {at}")]
    Kept {
        /// The error.
        why: Box<OutputError>,
        /// The thing that was kept.
        what: &'static str,
        /// Where.
        at: PathBuf,
    },
    /// The result was written, but somebody had put something into the old one at the last moment.
    #[error("{place} was written; the old one, into which something was put meanwhile, is in {kept}")]
    Displaced {
        /// The new result.
        place: PathBuf,
        /// The old one.
        kept: PathBuf,
    },
    /// A file's name is empty, has a path in it, or was added before.
    #[error("{0:?} can't be the name of an output file: it must be plain and used once")]
    FileName(String),
    /// The system refused.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// The action that was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// The error that the system reported.
        source: io::Error,
    },
}

impl OutputError {
    /// The error of an action that the system refused.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }
}

/// The files of a run, in the order in which they were added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Artefacts {
    files: Vec<(String, FileContent)>,
}

impl Artefacts {
    /// Adds a file; its name must be plain, without directories, and new.
    pub fn add(&mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Result<(), OutputError> {
        self.add_content(name, FileContent::Bytes(bytes.into()))
    }

    /// The same for a content that may be written only when the file is.
    pub fn add_content(&mut self, name: &str, content: FileContent) -> Result<(), OutputError> {
        let mut components = Path::new(name).components();
        let plain = matches!(
            (components.next(), components.next()),
            (Some(Component::Normal(only)), None) if only == name
        );
        if !plain || name.contains('\\') || self.names().any(|other| other == name) {
            return Err(OutputError::FileName(name.to_string()));
        }
        self.files.push((name.to_string(), content));
        Ok(())
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// The content of the file called `name`, unless that is written only when the file is.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.iter().find(|(other, _)| other == name).and_then(|(_, content)| content.bytes())
    }

    /// Writes all files to `dir`, whose missing parents are created. With `force` an earlier result is replaced whole.
    ///
    /// If the place was taken in the meantime, the result is left beside it, and the error tells where.
    pub fn commit(&self, dir: &Path, force: bool) -> Result<(), OutputError> {
        let mut tries = 0;
        loop {
            match self.attempt(dir, force) {
                // Another process has moved or removed the directory in which this one was writing.
                Err(OutputError::Io { source, .. }) if source.kind() == ErrorKind::NotFound && tries < TRIES => {
                    tries += 1
                }
                done => return done,
            }
        }
    }

    fn attempt(&self, dir: &Path, force: bool) -> Result<(), OutputError> {
        let place = OutputPlace::of(dir)?;
        fs::create_dir_all(place.parent()).map_err(OutputError::io("create", place.parent()))?;
        let staging = Hidden::create(place.parent())?;
        let manifest: String = self.names().map(|name| format!("{name}\n")).collect();
        let listing = (MANIFEST.to_string(), FileContent::Bytes(manifest.into_bytes()));
        let files: Vec<&(String, FileContent)> = self.files.iter().chain([&listing]).collect();
        for files in files.chunks(waiting::AT_ONCE) {
            let failed = |name: &str| OutputError::io("write", &dir.join(name));
            let write = |(name, content): &&(String, FileContent)| {
                waiting::write_new(&staging.path().join(name), |file| content.write_to(file)).map_err(failed(name))
            };
            // Of several errors the first one is told. One by one: two that are long often stand side by side.
            let written: Vec<Result<File, OutputError>> = files.par_iter().with_max_len(1).map(write).collect();
            let written: Vec<File> = written.into_iter().collect::<Result<_, _>>()?;
            for ((name, _), synced) in files.iter().zip(waiting::sync(&written)) {
                synced.map_err(failed(name))?;
            }
        }
        swap::put(staging, &place, force, system::exchange)
    }
}

/// Tells before a long run whether its results could be written to `dir`: everything that
/// [`commit`](Artefacts::commit) would refuse, found early. Nothing stays behind.
pub fn preflight(dir: &Path, force: bool) -> Result<(), OutputError> {
    let place = OutputPlace::of(dir)?;
    swap::restore(&place);
    place.holds_result(force)?;
    Hidden::create(place.existing_parent()).map(drop)
}

/// The same for a command that reads files or directories: a result that is or holds one of them is not replaced.
pub fn preflight_apart<'p>(
    dir: &Path,
    force: bool,
    inputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), OutputError> {
    let free = preflight(dir, force);
    // Whoever is told of --force can use it.
    if let Ok(()) | Err(OutputError::Exists(_)) = free {
        let place = OutputPlace::of(dir)?.path();
        // What can't be found is not removed either.
        let is_inside = |input: &&Path| fs::canonicalize(input).is_ok_and(|input| input.starts_with(&place));
        if let Some(input) = inputs.into_iter().find(is_inside) {
            return Err(OutputError::HoldsInput { place: dir.to_path_buf(), input: input.to_path_buf() });
        }
    }
    free
}

/// True if all files of a result are in `dir`.
pub fn is_whole_result(dir: &Path) -> bool {
    let manifest = fs::read_to_string(dir.join(MANIFEST));
    manifest.is_ok_and(|manifest| manifest.lines().all(|name| dir.join(name).is_file()))
}

/// The same for [`save_file`].
pub fn preflight_file(path: &Path, force: bool) -> Result<(), OutputError> {
    let place = OutputPlace::of(path)?;
    place.takes_file(force)?;
    Hidden::create(place.existing_parent()).map(drop)
}

/// The place to which `path` leads, links followed: two paths to one place have the same.
pub fn resolve(path: &Path) -> Result<PathBuf, OutputError> {
    OutputPlace::of(path).map(|place| place.path())
}

/// Writes a single file, whole or not at all, and creates missing parents; with `force` an existing one is replaced.
///
/// It is written beside its place and renamed into it: a failure or an interruption leaves an earlier one as it was.
pub fn save_file(path: &Path, bytes: &[u8], force: bool) -> Result<(), OutputError> {
    let place = OutputPlace::of(path)?;
    place.takes_file(force)?;
    fs::create_dir_all(place.parent()).map_err(OutputError::io("create", place.parent()))?;
    let staging = Hidden::create(place.parent())?;
    let written = staging.path().join("file");
    let file = waiting::write_new(&written, |file| file.write_all(bytes));
    file.and_then(|file| file.sync_all()).map_err(OutputError::io("write", path))?;
    let renamed = if force { fs::rename(&written, place.path()) } else { system::rename_new(&written, &place.path()) };
    renamed.map_err(|error| match system::is_taken(&error) {
        true => OutputError::Exists(path.to_path_buf()),
        false => OutputError::io("write", path)(error),
    })
}
