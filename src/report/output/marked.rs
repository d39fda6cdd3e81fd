//! Directories that carry a mark: one without it is somebody else's, in which nothing is written or removed.

use super::hidden::{HIDDEN, Hidden, remove_ours, with_fresh_name};
use super::system::{is_taken, rename_new};
use super::{OutputError, OutputPlace};
use gridloom_files::read_plain;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

/// The file that marks a directory of ours.
const MARK: &str = ".gridloom-blocks";
/// The mark begins with this line.
const TITLE: &str = "Finished parts of a gridloom run that is under way or was interrupted.";

/// True for the name of the file that marks a directory.
pub fn is_mark(name: &str) -> bool {
    name == MARK
}

/// Tells whether there is a directory with the mark; an error if there is something else.
pub fn is_marked(folder: &Path) -> Result<bool, OutputError> {
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

/// Makes a directory, mark and all, in one step; one that has the mark already stays as it is.
pub fn make_marked(folder: &Path) -> Result<(), OutputError> {
    while !is_marked(folder)? {
        let place = OutputPlace::of(folder)?;
        fs::create_dir_all(place.parent()).map_err(OutputError::io("create", place.parent()))?;
        let new = Hidden::create(place.parent())?;
        let text = format!("{TITLE}\n`gridloom run --resume` goes on from them; a run that ends removes them.\n");
        fs::write(new.path().join(MARK), text).map_err(OutputError::io("write to", folder))?;
        match rename_new(new.path(), folder) {
            Ok(()) => drop(new.release()),
            // Another run has made it meanwhile.
            Err(error) if is_taken(&error) => {}
            Err(error) => return Err(OutputError::io("create", folder)(error)),
        }
    }
    Ok(())
}

/// Removes a directory that holds nothing but its mark: under a hidden name, for a kill on the way must not leave a
/// directory without a mark.
pub fn remove_marked(folder: &Path) -> io::Result<()> {
    let parent = folder.parent().filter(|parent| *parent != Path::new("")).unwrap_or(Path::new("."));
    let (hidden, ()) = with_fresh_name(parent, HIDDEN, "", |path| match rename_new(folder, path) {
        Err(error) if is_taken(&error) => Err(ErrorKind::AlreadyExists.into()),
        done => done,
    })?;
    let is_other =
        |entry: io::Result<fs::DirEntry>| entry.map(|entry| !entry.file_name().to_str().is_some_and(is_mark));
    let others = fs::read_dir(&hidden).and_then(|entries| entries.map(is_other).collect::<io::Result<Vec<bool>>>());
    let removed = others.and_then(|others| match others.contains(&true) {
        // The mark stays with it.
        true => Err(ErrorKind::DirectoryNotEmpty.into()),
        false => remove_ours(&hidden, is_mark),
    });
    // Something was put into it at the last moment: back with it.
    removed.inspect_err(|_| {
        let _ = rename_new(&hidden, folder);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_without_the_mark_is_refused_and_left_alone() {
        let parent = tempfile::tempdir().unwrap();
        let (empty, other, file) = (parent.path().join("a"), parent.path().join("b"), parent.path().join("c"));
        fs::create_dir(&empty).unwrap();
        fs::create_dir(&other).unwrap();
        // A file of that name that says something else is no mark.
        fs::write(other.join(MARK), "mine").unwrap();
        fs::write(&file, "mine").unwrap();
        for folder in [&empty, &other, &file] {
            assert!(matches!(make_marked(folder), Err(OutputError::StoreTaken(path)) if path == *folder));
        }
        assert!(fs::read_dir(&empty).unwrap().next().is_none());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 3, "nothing hidden is left");
    }

    #[test]
    fn a_marked_directory_is_removed_once_nothing_else_is_in_it() {
        let parent = tempfile::tempdir().unwrap();
        let folder = parent.path().join("deep/run.blocks");
        for _ in 0..2 {
            make_marked(&folder).unwrap();
        }
        fs::write(folder.join("notes.txt"), "mine").unwrap();
        remove_marked(&folder).unwrap_err();
        assert!(is_marked(&folder).unwrap() && folder.join("notes.txt").exists());
        fs::remove_file(folder.join("notes.txt")).unwrap();
        remove_marked(&folder).unwrap();
        assert!(fs::read_dir(parent.path().join("deep")).unwrap().next().is_none());
    }
}
