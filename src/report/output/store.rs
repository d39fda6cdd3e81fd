//! A directory in which a run keeps what it has finished, so that it can go on after an interruption.
//!
//! The directory carries a mark. One without the mark is somebody else's: it is never written to and nothing in it is
//! removed. Several runs may use one store at once; each holds a shared lock on the mark for as long as it lives. A run
//! that ends removes the store if no other run uses it, and its own entries otherwise.
//!
//! The store knows nothing of what its entries mean: they have a name, and bytes are added to them.
//!
//! ```
//! use gridloom::report::output::{Earlier, Store};
//!
//! let parent = tempfile::tempdir()?;
//! let folder = parent.path().join("demo.points");
//! let mut store = Store::open(&folder, Earlier::Refuse)?;
//! assert!(!folder.exists(), "it is made when there is something to keep");
//! store.append("first.json", b"[1]")?;
//! drop(store); // Interrupted.
//! assert!(Store::open(&folder, Earlier::Refuse).unwrap_err().to_string().contains("--resume"));
//! let mut store = Store::open(&folder, Earlier::Use)?;
//! assert_eq!(store.read("first.json"), Some(b"[1]".to_vec()));
//! assert_eq!(store.remove()?, None);
//! assert!(!folder.exists());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use super::hidden::{HIDDEN, Hidden, remove_ours, with_fresh_name};
use super::system::{self, is_taken, rename_new};
use super::{OutputError, OutputPlace, TRIES};
use gridloom_files::read_plain;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The file that marks a store.
const MARK: &str = ".gridloom-store";
/// The mark begins with this line.
const TITLE: &str = "Finished parts of a gridloom run that is under way or was interrupted.";
/// Names of entries begin with this, and no other file in a store is taken for one.
const ENTRY: &str = "kept-";
/// Names of entries that are being written begin with this.
const PART: &str = ".part";
/// A table for people, beside the entries.
const TABLE: &str = "results.csv";

/// The treatment of entries of an earlier run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Earlier {
    /// Those of this run are read; those of another one stay where they are.
    Use,
    /// Those of this run are read, and all others are removed once it ends.
    UseOrDiscard,
    /// They are removed.
    Discard,
    /// They are an error.
    Refuse,
}

/// The entries of one run, and perhaps of others.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// The mark, locked; none while there is no directory.
    mark: Option<File>,
    /// The treatment of entries that were there before.
    earlier: Earlier,
    /// The files that this run has read or written.
    own: BTreeSet<String>,
}

impl Store {
    /// Everything that [`open`](Self::open) would refuse; nothing is changed.
    pub fn check(folder: &Path, earlier: Earlier) -> Result<(), OutputError> {
        if !is_store(folder)? || earlier != Earlier::Refuse {
            return Ok(());
        }
        match Self::entries(folder)?.is_empty() {
            true => Ok(()),
            false => Err(OutputError::StoreInUse(folder.to_path_buf())),
        }
    }

    /// The store in `folder`, which is made once there is something to keep.
    pub fn open(folder: &Path, earlier: Earlier) -> Result<Self, OutputError> {
        Self::check(folder, earlier)?;
        let mark = lock(folder).map_err(OutputError::io("lock", folder))?;
        let mut store = Self { folder: folder.to_path_buf(), mark, earlier, own: BTreeSet::new() };
        if !store.reads() {
            store.clear().map_err(OutputError::io("remove", folder))?;
            store.mark = lock(folder).map_err(OutputError::io("lock", folder))?;
        }
        Ok(store)
    }

    /// The entries in `folder`, by name and file; none if there is no store.
    pub fn entries(folder: &Path) -> Result<Vec<(String, PathBuf)>, OutputError> {
        if !is_store(folder)? {
            return Ok(Vec::new());
        }
        let names = names(folder).map_err(OutputError::io("read", folder))?;
        let entry = |file: &OsString| Some((file.to_str()?.strip_prefix(ENTRY)?.to_string(), folder.join(file)));
        Ok(names.iter().filter_map(entry).collect())
    }

    /// True if entries of earlier runs may be read.
    fn reads(&self) -> bool {
        matches!(self.earlier, Earlier::Use | Earlier::UseOrDiscard)
    }

    /// Where the entries are.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// An entry by its name.
    pub fn read(&mut self, name: &str) -> Option<Vec<u8>> {
        let file = format!("{ENTRY}{name}");
        if !self.reads() && !self.own.contains(&file) {
            return None;
        }
        let bytes = read_plain(&self.folder.join(&file)).ok()?;
        self.own.insert(file);
        Some(bytes)
    }

    /// Adds to an entry in one write, so that what two programs add does not mix.
    ///
    /// A program that is killed may leave a part of it.
    pub fn append(&mut self, name: &str, bytes: &[u8]) -> Result<(), OutputError> {
        self.change(format!("{ENTRY}{name}"), |path| append(path, bytes))
    }

    /// Begins `results.csv` beside the entries, for people to look at.
    pub fn write_table(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        let folder = self.folder.clone();
        self.change(TABLE.to_string(), |path| write_whole(&folder, path, bytes))
    }

    /// Adds to `results.csv`.
    pub fn append_table(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.change(TABLE.to_string(), |path| append(path, bytes))
    }

    /// Removes what was kept: the whole result is there. Entries of another run stay, unless they are to be discarded.
    ///
    /// Something in the directory that no run has written is left with the directory, and returned by name.
    pub fn remove(mut self) -> Result<Option<PathBuf>, OutputError> {
        let left = self.clear().map_err(OutputError::io("remove", &self.folder))?;
        Ok(left.map(|name| self.folder.join(name)))
    }

    /// Changes a file of the directory, which is made if need be.
    fn change(&mut self, file: String, change: impl Fn(&Path) -> io::Result<()>) -> Result<(), OutputError> {
        let path = self.folder.join(&file);
        let mut tries = 0;
        loop {
            if self.mark.is_none() {
                self.mark = Some(self.create()?);
            }
            match change(&path) {
                Ok(()) => break,
                // Somebody has removed the directory; it is made again.
                Err(error) if error.kind() == ErrorKind::NotFound && tries < TRIES => self.mark = None,
                Err(error) => return Err(OutputError::io("write to", &self.folder)(error)),
            }
            tries += 1;
        }
        self.own.insert(file);
        Ok(())
    }

    /// Makes the directory, mark and all, in one step; or shares the one that another run has made meanwhile.
    fn create(&self) -> Result<File, OutputError> {
        let place = OutputPlace::of(&self.folder)?;
        loop {
            fs::create_dir_all(place.parent()).map_err(OutputError::io("create", place.parent()))?;
            let new = Hidden::create(place.parent())?;
            let text = format!("{TITLE}\n`gridloom run --resume` goes on from them; a run that ends removes them.\n");
            fs::write(new.path().join(MARK), text).map_err(OutputError::io("write to", &self.folder))?;
            match rename_new(new.path(), &self.folder) {
                Ok(()) => drop(new.release()),
                Err(error) if is_taken(&error) => {}
                Err(error) => return Err(OutputError::io("create", &self.folder)(error)),
            }
            is_store(&self.folder)?;
            // Another run may have removed the directory before it was locked.
            if let Some(mark) = lock(&self.folder).map_err(OutputError::io("lock", &self.folder))? {
                return Ok(mark);
            }
        }
    }

    /// Removes the directory if no other run uses it, and own entries otherwise. A stranger in it is returned.
    fn clear(&mut self) -> io::Result<Option<OsString>> {
        let Some(mark) = self.mark.take() else { return Ok(None) };
        let alone = system::try_lock_alone(&mark);
        let own = std::mem::take(&mut self.own);
        // Those of a run that used the store before this one, and may go on.
        let is_spared = |name: &str| self.earlier == Earlier::Use && name.starts_with(ENTRY);
        let is_mine = |name: &str| own.contains(name) || (alone == Some(true) && is_ours(name) && !is_spared(name));
        let mut others = Vec::new();
        for name in names(&self.folder)? {
            match name.to_str() {
                Some(MARK) => {}
                Some(text) if is_mine(text) => ignore_missing(fs::remove_file(self.folder.join(name)))?,
                _ => others.push(name),
            }
        }
        if others.is_empty() && alone != Some(false) {
            self.remove_empty()?;
        }
        Ok(others.into_iter().find(|name| !name.to_str().is_some_and(is_ours)))
    }

    /// Removes a directory that holds nothing but its mark: under a hidden name, for a kill on the way must not leave a
    /// directory without a mark.
    fn remove_empty(&self) -> io::Result<()> {
        let parent = self.folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
        let (hidden, ()) = with_fresh_name(parent, HIDDEN, "", |path| match rename_new(&self.folder, path) {
            Err(error) if is_taken(&error) => Err(ErrorKind::AlreadyExists.into()),
            done => done,
        })?;
        // Something was put into it at the last moment: back with it.
        remove_ours(&hidden, |name| name == MARK).inspect_err(|_| {
            let _ = rename_new(&hidden, &self.folder);
        })
    }
}

fn append(path: &Path, bytes: &[u8]) -> io::Result<()> {
    File::options().create(true).append(true).open(path)?.write_all(bytes)
}

/// Writes a file whole or not at all.
fn write_whole(folder: &Path, path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (part, mut open) = with_fresh_name(folder, PART, "", |path| File::create_new(path))?;
    let written = open.write_all(bytes).and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        let _ = fs::remove_file(&part);
    }
    written
}

fn is_ours(name: &str) -> bool {
    name == MARK || name == TABLE || name.starts_with(ENTRY) || name.starts_with(PART)
}

/// Tells whether there is a store; an error if there is something else.
fn is_store(folder: &Path) -> Result<bool, OutputError> {
    let taken = || OutputError::StoreTaken(folder.to_path_buf());
    match fs::symlink_metadata(folder) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(false),
        Err(source) => return Err(OutputError::io("look at", folder)(source)),
        Ok(found) if !found.is_dir() => return Err(taken()),
        Ok(_) => {}
    }
    match read_plain(&folder.join(MARK)) {
        Ok(text) if text.split(|&byte| byte == b'\n').next() == Some(TITLE.as_bytes()) => Ok(true),
        // It may have been removed by the run that used it since it was looked at.
        Err(_) if !folder.exists() => Ok(false),
        _ => Err(taken()),
    }
}

/// The mark with a shared lock on it; none if there is no store.
fn lock(folder: &Path) -> io::Result<Option<File>> {
    let path = folder.join(MARK);
    loop {
        // For writing as well, without which NFS gives no exclusive lock.
        let mark = match File::options().read(true).write(true).open(&path) {
            Ok(mark) => mark,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        system::lock_shared(&mark);
        // A run that has ended may have removed this mark while the lock was waited for.
        let there = fs::metadata(&path).ok().map(|found| system::identity(&found));
        if there == Some(system::identity(&mark.metadata()?)) {
            return Ok(Some(mark));
        }
    }
}

fn names(folder: &Path) -> io::Result<Vec<OsString>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.file_name())).collect()
}

fn ignore_missing(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(folder: &Path, earlier: Earlier) -> Store {
        Store::open(folder, earlier).unwrap()
    }

    /// The names in a directory, sorted.
    fn listing(folder: &Path) -> Vec<OsString> {
        let mut names = names(folder).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_directory_without_the_mark_is_refused_and_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let (empty, full, file) = (parent.path().join("a"), parent.path().join("b"), parent.path().join("c"));
        fs::create_dir(&empty).unwrap();
        fs::create_dir(&full).unwrap();
        for name in [TABLE, "kept-load-1.json", "point-load-1.json"] {
            fs::write(full.join(name), "mine").unwrap();
        }
        fs::write(&file, "mine").unwrap();
        for folder in [&empty, &full, &file] {
            for earlier in [Earlier::Use, Earlier::Discard, Earlier::Refuse] {
                for refused in [Store::check(folder, earlier), Store::open(folder, earlier).map(drop)] {
                    assert!(matches!(refused, Err(OutputError::StoreTaken(path)) if path == *folder));
                }
            }
        }
        assert_eq!(listing(&full).len(), 3);
        assert!(empty.exists() && file.exists());
        // A file of that name that says something else is no mark.
        fs::write(full.join(MARK), "mine").unwrap();
        assert!(Store::check(&full, Earlier::Use).is_err());
    }

    #[test]
    fn a_place_that_is_taken_meanwhile_is_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("store");
        let mut store = open(&folder, Earlier::Refuse);
        fs::create_dir(&folder).unwrap();
        assert!(matches!(store.append("a", b""), Err(OutputError::StoreTaken(_))));
        assert!(listing(&folder).is_empty());
        assert_eq!(listing(parent.path()), ["store"]);
    }

    #[test]
    fn what_no_run_has_written_stays_and_is_named() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("store");
        let mut store = open(&folder, Earlier::Use);
        store.append("a", b"1").unwrap();
        store.write_table(b"x,y").unwrap();
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        fs::write(folder.join(format!("{PART}-1-0")), "half").unwrap();
        assert_eq!(store.remove().unwrap(), Some(folder.join("notes.txt")));
        assert_eq!(listing(&folder), [MARK, "notes.txt"]);
        // It is still a store, and can be removed once nothing else is in it.
        fs::remove_file(folder.join("notes.txt")).unwrap();
        assert_eq!(open(&folder, Earlier::Use).remove().unwrap(), None);
        assert!(listing(parent.path()).is_empty());
    }

    #[test]
    fn entries_of_an_earlier_run_are_read_or_discarded_or_refused() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("store");
        open(&folder, Earlier::Use).append("a", b"1").unwrap();
        assert!(matches!(Store::open(&folder, Earlier::Refuse), Err(OutputError::StoreInUse(_))));
        assert_eq!(open(&folder, Earlier::Use).read("a").as_deref(), Some(&b"1"[..]));
        Store::check(&folder, Earlier::Discard).unwrap();
        assert!(folder.exists(), "a check changes nothing");
        assert_eq!(open(&folder, Earlier::Discard).read("a"), None);
        assert!(!folder.exists());
    }

    #[test]
    fn entries_of_another_run_are_removed_only_if_they_are_to_be_discarded() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("store");
        for name in ["a", "b"] {
            open(&folder, Earlier::Use).append(name, b"1").unwrap();
        }
        let mut store = open(&folder, Earlier::Use);
        store.read("a");
        store.write_table(b"x,y").unwrap();
        assert_eq!(store.remove().unwrap(), None);
        assert_eq!(listing(&folder), [MARK, "kept-b"]);
        assert_eq!(Store::entries(&folder).unwrap(), [("b".to_string(), folder.join("kept-b"))]);
        assert_eq!(open(&folder, Earlier::UseOrDiscard).remove().unwrap(), None);
        assert!(!folder.exists());
    }

    #[cfg(unix)]
    #[test]
    fn runs_that_share_a_store_remove_nothing_of_each_other() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("store");
        let mut first = open(&folder, Earlier::Refuse);
        first.append("a", b"1").unwrap();
        let mut second = open(&folder, Earlier::Discard);
        second.append("b", b"2").unwrap();
        assert_eq!(second.read("a"), None, "it was told to use nothing");
        assert_eq!(second.remove().unwrap(), None);
        assert_eq!(listing(&folder), [MARK, "kept-a"]);
        first.append("c", b"3").unwrap();
        // Entries of a third run that was killed go with the last one who uses the store.
        fs::write(folder.join("kept-dead"), "").unwrap();
        assert_eq!(first.remove().unwrap(), None);
        assert!(listing(parent.path()).is_empty());
    }

    #[test]
    fn a_store_that_somebody_removes_is_made_again() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("deep/store");
        let mut store = open(&folder, Earlier::Use);
        store.append("a", b"1").unwrap();
        fs::remove_dir_all(parent.path().join("deep")).unwrap();
        store.append("b", b"2").unwrap();
        assert_eq!(listing(&folder), [MARK, "kept-b"]);
    }
}
