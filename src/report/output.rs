//! The output directory: all of a run's files appear together, or none.
//!
//! Files are collected in memory as [`Artefacts`]. [`Artefacts::commit`] writes them to a hidden directory beside the
//! target and renames that into place, so that a failure or an interruption leaves an earlier result as it was.
//! Replacing a result takes two renames; a kill between them leaves the old result whole under its hidden name.
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

use std::ffi::OsString;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

/// The file that marks a directory as a result of ours: it lists the others, a line each.
const MANIFEST: &str = ".gridloom";

/// Why the output directory can't be used.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// It exists, and replacing it was not asked for.
    #[error("{0} exists already; --force replaces it")]
    Exists(PathBuf),
    /// It exists and holds something that no run has written.
    #[error(
        "{0} is not part of an earlier result, so its directory is not replaced; choose another directory or move it away"
    )]
    Foreign(PathBuf),
    /// A file or a dangling link is in the way.
    #[error("{0} is in the way: it is not a directory")]
    NotADirectory(PathBuf),
    /// The path has no last name that could be renamed into place, like `.` or `/`.
    #[error("{0:?} can't be replaced as a whole; give the output directory a name of its own")]
    Nameless(PathBuf),
    /// A file's name is empty, has a path in it, or was added before.
    #[error("{0:?} can't be the name of an output file: it must be plain and used once")]
    FileName(String),
    /// The system refused.
    #[error("can't {action} {path}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl OutputError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_path_buf();
        move |source| Self::Io { action, path, source }
    }
}

/// The files of a run, in the order in which they were added.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Artefacts {
    files: Vec<(String, Vec<u8>)>,
}

impl Artefacts {
    /// Adds a file; its name must be plain, without directories, and new.
    pub fn add(&mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Result<(), OutputError> {
        let mut components = Path::new(name).components();
        let plain = matches!(
            (components.next(), components.next()),
            (Some(Component::Normal(only)), None) if only == name
        );
        if !plain || name.contains('\\') || self.names().any(|other| other == name) {
            return Err(OutputError::FileName(name.to_string()));
        }
        self.files.push((name.to_string(), bytes.into()));
        Ok(())
    }

    /// The names of the files.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.iter().map(|(name, _)| name.as_str())
    }

    /// The content of the file called `name`.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        self.files.iter().find(|(other, _)| other == name).map(|(_, bytes)| bytes.as_slice())
    }

    /// Writes all files to `dir`, whose missing parents are created. With `force` an earlier result is replaced as a whole.
    pub fn commit(&self, dir: &Path, force: bool) -> Result<(), OutputError> {
        let target = Target::examine(dir, force)?;
        fs::create_dir_all(&target.parent).map_err(OutputError::io("create", &target.parent))?;
        let staging = Hidden::create(&target.parent)?;
        let manifest: String = self.names().map(|name| format!("{name}\n")).collect();
        let listing = (MANIFEST.to_string(), manifest.into_bytes());
        for (name, bytes) in self.files.iter().chain([&listing]) {
            fs::write(staging.0.join(name), bytes).map_err(OutputError::io("write", &dir.join(name)))?;
        }
        let path = target.path();
        if !target.occupied {
            return fs::rename(&staging.0, &path).map_err(OutputError::io("create", &path));
        }
        // The old result moves into a hidden directory, with which it is removed, or from which it is moved back.
        let aside = Hidden::create(&target.parent)?;
        let old = aside.0.join("previous");
        fs::rename(&path, &old).map_err(OutputError::io("replace", &path))?;
        fs::rename(&staging.0, &path).map_err(|source| {
            // Should even this fail, the old result is worth more than a tidy parent directory.
            if fs::rename(&old, &path).is_err() {
                aside.keep();
            }
            OutputError::Io { action: "replace", path: path.clone(), source }
        })
    }
}

/// Tells before a long run whether its results could be written to `dir`: everything that
/// [`commit`](Artefacts::commit) would refuse, found early. Nothing stays behind.
pub fn preflight(dir: &Path, force: bool) -> Result<(), OutputError> {
    let target = Target::examine(dir, force)?;
    let existing = target.parent.ancestors().find(|ancestor| ancestor.exists()).unwrap_or(Path::new("."));
    Hidden::create(existing).map(drop)
}

/// Writes a single file, whole or not at all; with `force` an existing one is replaced.
///
/// It is written beside its place and renamed into it, so that a failure or an interruption leaves an earlier one as it was.
pub fn save_file(path: &Path, bytes: &[u8], force: bool) -> Result<(), OutputError> {
    if !force && fs::symlink_metadata(path).is_ok() {
        return Err(OutputError::Exists(path.to_path_buf()));
    }
    let parent = path.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let staging = Hidden::create(parent)?;
    let written = staging.0.join("file");
    fs::write(&written, bytes).map_err(OutputError::io("write", path))?;
    fs::rename(&written, path).map_err(OutputError::io("write", path))
}

/// A directory to be made or replaced.
struct Target {
    parent: PathBuf,
    name: OsString,
    occupied: bool,
}

impl Target {
    fn path(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// Finds out what `dir` is, and refuses what must not be replaced.
    fn examine(dir: &Path, force: bool) -> Result<Self, OutputError> {
        if dir.file_name().is_none() {
            return Err(OutputError::Nameless(dir.to_path_buf()));
        }
        let occupied = match fs::symlink_metadata(dir) {
            Ok(_) => true,
            Err(error) if error.kind() == ErrorKind::NotFound => false,
            // An ancestor is a plain file.
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                let file = dir.ancestors().find(|ancestor| ancestor.is_file()).unwrap_or(dir);
                return Err(OutputError::NotADirectory(file.to_path_buf()));
            }
            Err(source) => return Err(OutputError::io("look at", dir)(source)),
        };
        let mut real = dir.to_path_buf();
        if occupied {
            if !dir.is_dir() {
                return Err(OutputError::NotADirectory(real));
            }
            if !force {
                return Err(OutputError::Exists(real));
            }
            // A link to a directory stays a link: what it points to is replaced.
            real = fs::canonicalize(dir).map_err(OutputError::io("look at", dir))?;
            if let Some(name) = foreign(&real)? {
                return Err(OutputError::Foreign(dir.join(name)));
            }
        }
        let name = real.file_name().ok_or_else(|| OutputError::Nameless(dir.to_path_buf()))?.to_os_string();
        let parent = match real.parent() {
            Some(parent) if parent != Path::new("") => parent.to_path_buf(),
            _ => PathBuf::from("."),
        };
        Ok(Self { parent, name, occupied })
    }
}

/// Something in a directory that no run of ours has written; nothing if it is empty or a whole result.
fn foreign(dir: &Path) -> Result<Option<OsString>, OutputError> {
    let manifest = fs::read_to_string(dir.join(MANIFEST)).unwrap_or_default();
    for entry in fs::read_dir(dir).map_err(OutputError::io("read", dir))? {
        let entry = entry.map_err(OutputError::io("read", dir))?;
        let is_file = entry.file_type().map_err(OutputError::io("read", dir))?.is_file();
        let name = entry.file_name();
        let is_ours = name == MANIFEST || manifest.lines().any(|line| name == line);
        if !is_file || !is_ours {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// A hidden directory that is removed when dropped.
struct Hidden(PathBuf);

impl Hidden {
    /// A new directory in `parent`. Names that a killed run has left behind are passed over.
    fn create(parent: &Path) -> Result<Self, OutputError> {
        let mut number = 0_u64;
        loop {
            let path = parent.join(format!(".gridloom-partial-{number}"));
            match fs::create_dir(&path) {
                Ok(()) => return Ok(Self(path)),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => number += 1,
                Err(source) => return Err(OutputError::io("write to", parent)(source)),
            }
        }
    }

    /// Leaves the directory where it is.
    fn keep(self) {
        std::mem::forget(self);
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        // After a successful rename there is nothing left to remove; an error here can't be helped.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MARK: &str = "results.json";

    fn files(content: &str) -> Artefacts {
        let mut artefacts = Artefacts::default();
        artefacts.add(MARK, content).unwrap();
        artefacts.add("a.svg", "<svg/>").unwrap();
        artefacts
    }

    /// The names in a directory, sorted.
    fn listing(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn parent() -> tempfile::TempDir {
        tempfile::tempdir().unwrap()
    }

    #[test]
    fn a_new_directory_appears_with_its_parents_and_nothing_else() {
        let parent = parent();
        let dir = parent.path().join("deep/down/result");
        preflight(&dir, false).unwrap();
        assert!(listing(parent.path()).is_empty());
        files("new").commit(&dir, false).unwrap();
        assert_eq!(listing(&dir), [MANIFEST, "a.svg", MARK]);
        assert_eq!(listing(dir.parent().unwrap()), ["result"]);
    }

    #[test]
    fn an_existing_result_is_replaced_as_a_whole_but_only_by_force() {
        let parent = parent();
        let dir = parent.path().join("result");
        let mut old = files("old");
        old.add("stale.png", "").unwrap();
        old.commit(&dir, false).unwrap();

        for refused in [preflight(&dir, false), files("new").commit(&dir, false)] {
            let message = refused.unwrap_err().to_string();
            assert!(message.contains("result") && message.contains("--force"), "{message}");
        }
        assert_eq!(fs::read(dir.join(MARK)).unwrap(), b"old");

        preflight(&dir, true).unwrap();
        assert!(dir.join("stale.png").exists());
        files("new").commit(&dir, true).unwrap();
        assert_eq!(listing(&dir), [MANIFEST, "a.svg", MARK]);
        assert_eq!(fs::read(dir.join(MARK)).unwrap(), b"new");
        assert_eq!(listing(parent.path()), ["result"]);
    }

    #[test]
    fn force_wipes_nothing_but_results_and_empty_directories() {
        let parent = parent();
        let empty = parent.path().join("empty");
        let letters = parent.path().join("letters");
        let project = parent.path().join("project");
        fs::create_dir(&empty).unwrap();
        fs::create_dir(&letters).unwrap();
        fs::write(letters.join("to-mother.txt"), "Dear").unwrap();
        files("old").commit(&project, false).unwrap();
        fs::write(project.join("thesis.txt"), "mine").unwrap();

        for (dir, name) in [(&letters, "to-mother.txt"), (&project, "thesis.txt")] {
            for refused in [preflight(dir, true), files("new").commit(dir, true)] {
                assert!(matches!(refused, Err(OutputError::Foreign(path)) if path == dir.join(name)));
            }
        }
        assert_eq!(listing(&letters), ["to-mother.txt"]);
        assert_eq!(listing(&project), [MANIFEST, "a.svg", MARK, "thesis.txt"]);
        // A folder of ours in which a run's file was made a directory is not ours either.
        fs::remove_file(project.join("thesis.txt")).unwrap();
        fs::remove_file(project.join("a.svg")).unwrap();
        fs::create_dir(project.join("a.svg")).unwrap();
        assert!(preflight(&project, true).is_err());
        assert!(matches!(preflight(&empty, false), Err(OutputError::Exists(_))));
        files("new").commit(&empty, true).unwrap();
        assert_eq!(listing(&empty), [MANIFEST, "a.svg", MARK]);
    }

    #[test]
    fn files_and_nameless_paths_are_refused_by_name() {
        let parent = parent();
        let file = parent.path().join("file");
        fs::write(&file, "precious").unwrap();
        for dir in [file.clone(), file.join("below"), file.join("far/below")] {
            for refused in [preflight(&dir, true), files("new").commit(&dir, true)] {
                assert!(matches!(refused, Err(OutputError::NotADirectory(path)) if path == file), "{dir:?}");
            }
        }
        assert_eq!(fs::read(&file).unwrap(), b"precious");
        for path in [".", "..", "/", ""] {
            assert!(matches!(preflight(Path::new(path), true), Err(OutputError::Nameless(_))), "{path:?}");
        }
    }

    #[test]
    fn a_failure_on_the_way_leaves_the_old_result_and_no_trace() {
        let parent = parent();
        let dir = parent.path().join("result");
        files("old").commit(&dir, false).unwrap();
        let mut broken = files("new");
        // No file system takes a name of this length, so writing fails after the first files.
        broken.add(&"x".repeat(5_000), "").unwrap();
        let error = broken.commit(&dir, true).unwrap_err();
        assert!(matches!(error, OutputError::Io { action: "write", .. }), "{error}");
        assert!(broken.commit(&parent.path().join("other"), false).is_err());
        assert_eq!(fs::read(dir.join(MARK)).unwrap(), b"old");
        assert_eq!(listing(parent.path()), ["result"]);
    }

    #[test]
    fn what_a_killed_run_left_does_not_disturb() {
        let parent = parent();
        let dir = parent.path().join("result");
        let stale = Hidden::create(parent.path()).unwrap();
        fs::write(stale.0.join("half"), "").unwrap();
        preflight(&dir, false).unwrap();
        files("new").commit(&dir, false).unwrap();
        files("newer").commit(&dir, true).unwrap();
        assert_eq!(listing(&dir), [MANIFEST, "a.svg", MARK]);
        assert!(stale.0.join("half").exists());
    }

    #[test]
    fn a_single_file_is_replaced_only_by_force_and_leaves_no_trace() {
        let parent = parent();
        let path = parent.path().join("log.swf");
        save_file(&path, b"first", false).unwrap();
        assert!(matches!(save_file(&path, b"second", false), Err(OutputError::Exists(_))));
        assert_eq!(fs::read(&path).unwrap(), b"first");
        save_file(&path, b"second", true).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(listing(parent.path()), ["log.swf"]);
        // A directory can't be replaced by a file, and nothing is left of the attempt.
        fs::create_dir(parent.path().join("taken")).unwrap();
        assert!(save_file(&parent.path().join("taken"), b"third", true).is_err());
        assert_eq!(listing(parent.path()), ["log.swf", "taken"]);
    }

    #[test]
    fn file_names_must_be_plain_and_new() {
        let mut artefacts = files("");
        for name in ["", ".", "..", "/etc/passwd", "a/b", "a/", "./a", "a\\b", MARK] {
            assert!(matches!(artefacts.add(name, ""), Err(OutputError::FileName(_))), "{name:?}");
        }
        artefacts.add("jobs.csv", "").unwrap();
        assert_eq!(artefacts.names().collect::<Vec<_>>(), [MARK, "a.svg", "jobs.csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_place_without_permission_is_named() {
        use std::os::unix::fs::PermissionsExt;
        let parent = parent();
        let locked = parent.path().join("locked");
        fs::create_dir(&locked).unwrap();
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
        // The superuser is let in everywhere, and then there is nothing to test.
        if Hidden::create(&locked).is_err() {
            for refused in [preflight(&locked.join("a/b"), false), files("new").commit(&locked.join("b"), false)] {
                let message = refused.unwrap_err().to_string();
                assert!(message.contains("locked") && message.contains("ermission"), "{message}");
            }
        }
        fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_a_dangling_one_is_refused() {
        let parent = parent();
        let (real, link) = (parent.path().join("real"), parent.path().join("link"));
        files("old").commit(&real, false).unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        files("new").commit(&link, true).unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read(real.join(MARK)).unwrap(), b"new");
        fs::remove_dir_all(&real).unwrap();
        assert!(matches!(preflight(&link, true), Err(OutputError::NotADirectory(_))));
    }
}
