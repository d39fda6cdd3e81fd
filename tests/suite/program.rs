//! The program as a user calls it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use tempfile::TempDir;

/// A folder with `s.ron` in it.
pub fn folder_with(scenario: impl AsRef<[u8]>) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.ron"), scenario).unwrap();
    folder
}

/// A call in `folder`, whatever the environment says of colours.
pub fn call(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gridloom"));
    command.current_dir(folder).args(args).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE");
    command
}

/// A call that runs on beside the test.
pub fn start(folder: &Path, args: &[&str]) -> Child {
    call(folder, args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the program starts")
}

pub fn gridloom(folder: &Path, args: &[&str]) -> Output {
    call(folder, args).output().expect("the program starts")
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs the program to a good end, and returns what it prints.
pub fn done(folder: &Path, args: &[&str]) -> String {
    let output = gridloom(folder, args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// Runs the program, which must end with this status, and returns its standard error.
pub fn ends(folder: &Path, status: i32, args: &[&str]) -> String {
    let output = gridloom(folder, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{args:?}: {said}");
    said
}

/// True for the name of a block, finished or under way.
pub fn is_block(name: &str) -> bool {
    name.ends_with(".part") || name.ends_with(".jsonl")
}

pub type Contents = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// All files below a folder, by their paths in it, with their contents; `None` stands for a directory.
pub fn contents(folder: &Path) -> Contents {
    let mut found = Contents::new();
    for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        let name = PathBuf::from(path.file_name().unwrap());
        if path.is_dir() {
            found.extend(contents(&path).into_iter().map(|(below, bytes)| (name.join(below), bytes)));
            found.insert(name, None);
        } else {
            found.insert(name, Some(fs::read(&path).unwrap()));
        }
    }
    found
}

/// The names and the bytes of two folders are the same.
pub fn assert_same(one: &Contents, other: &Contents) {
    assert_eq!(one.keys().collect::<Vec<_>>(), other.keys().collect::<Vec<_>>());
    for (name, bytes) in one {
        assert!(bytes == &other[name], "{} differs", name.display());
    }
}
