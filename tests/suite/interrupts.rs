//! Runs that are interrupted, resumed and replaced, as a user sees them.

use super::program::{gridloom, is_block, start, text};
use super::stress::PLAIN;
use std::fs;
use std::path::Path;
use std::process::Command;
#[cfg(unix)]
use std::{process::Stdio, time::Duration};
use tempfile::TempDir;

/// A folder with `a.ron` and `b.ron` in it, which differ in their names.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a", "b"] {
        let text = PLAIN.replace("\"plain\"", &format!("{name:?}"));
        fs::write(folder.path().join(format!("{name}.ron")), text).unwrap();
    }
    folder
}

/// Runs the program, which must end with this status, and returns all that it says.
fn ends(folder: &Path, status: i32, args: &[&str]) -> String {
    let done = gridloom(folder, args);
    let said = text(&done.stderr) + &text(&done.stdout);
    assert_eq!(done.status.code(), Some(status), "{args:?}: {said}");
    said
}

/// Waits until it is so.
#[cfg(unix)]
fn until(is_so: impl Fn() -> bool) {
    let pause = |_: &u32| std::thread::sleep(Duration::from_millis(20));
    assert!((0..3000).inspect(pause).any(|_| is_so()), "it never came");
}

#[cfg(unix)]
fn interrupt(child: &std::process::Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
}

/// Starts a long run and interrupts it once it has kept something; what it says.
#[cfg(unix)]
fn interrupted(folder: &Path, args: &[&str], store: &str) -> String {
    let long = start(folder, args);
    let is_entry = |entry: fs::DirEntry| is_block(&entry.file_name().to_string_lossy());
    until(|| fs::read_dir(folder.join(store)).is_ok_and(|mut names| names.any(|name| name.is_ok_and(is_entry))));
    interrupt(&long);
    let ended = long.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    text(&ended.stderr)
}

#[cfg(unix)]
#[test]
fn the_way_on_that_an_interrupted_run_names_is_one_that_works() {
    let folder = folder();
    let folder = folder.path();
    let long = ["run", "a.ron", "--replications", "100000000", "-o", "out"];
    ends(folder, 0, &["run", "a.ron", "-o", "out", "-q"]);
    let said = interrupted(folder, &[&long[..], &["--force"]].concat(), "out.blocks");
    assert!(said.contains("out.blocks, and --resume --force goes on from there"), "{said}");
    let said = ends(folder, 2, &[&long[..], &["--resume"]].concat());
    assert!(said.contains("--resume --force goes on"), "{said}");
    let said = ends(folder, 0, &["run", "a.ron", "--replications", "3", "-o", "out", "--resume", "--force"]);
    assert!(said.contains("a: resuming: 3 of 3 replications kept"), "{said}");
    assert!(!folder.join("out.blocks").exists());
    let said = interrupted(folder, &["run", "a.ron", "--replications", "100000000", "-o", "new"], "new.blocks");
    assert!(said.contains("new.blocks, and --resume goes on from there"), "{said}");
    assert!(ends(folder, 2, &["merge", "new"]).contains("`gridloom run SCENARIO --resume` goes on"));
}

#[cfg(unix)]
#[test]
fn what_another_run_has_kept_is_neither_used_nor_removed() {
    let folder = folder();
    let folder = folder.path();
    interrupted(folder, &["run", "a.ron", "--replications", "100000000", "-o", "out"], "out.blocks");
    let kept = || fs::read_dir(folder.join("out.blocks")).unwrap().count();
    let before = kept();
    for other in [["--seed", "9"], ["--set", "experiment.requests.0.length=14"]] {
        let said = ends(folder, 2, &[&["run", "a.ron", "-o", "out", "--resume"], &other[..]].concat());
        assert!(said.contains("replications of another scenario, seed, log or version"), "{said}");
        assert!(said.contains("--force discards"), "{said}");
        assert_eq!(kept(), before);
    }
    ends(folder, 0, &["run", "a.ron", "--seed", "9", "-o", "out", "--resume", "--force"]);
    assert!(!folder.join("out.blocks").exists());
}

/// Standard output is full, so that the program hangs when it tells of the result.
#[cfg(unix)]
#[test]
fn an_interrupt_after_everything_is_in_place_is_no_failure() {
    let folder = folder();
    let program = env!("CARGO_BIN_EXE_gridloom");
    let call = format!("head -c 65536 /dev/zero; exec '{program}' run a.ron -o out");
    let child = Command::new("sh")
        .current_dir(folder.path())
        .args(["-c", &call])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    until(|| folder.path().join("out/results.json").exists());
    interrupt(&child);
    std::thread::sleep(Duration::from_millis(1500));
    let ended = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!said.contains("error"), "{said}");
    assert_eq!(ended.status.code(), Some(0), "{said}");
    assert!(String::from_utf8_lossy(&ended.stdout).contains("Written to out"));
}

#[test]
fn results_that_are_there_are_not_made_again_by_a_run_that_is_resumed() {
    let folder = folder();
    let folder = folder.path();
    let both = ["run", "a.ron", "b.ron", "-o", "out"];
    let resumed = [&both[..], &["--resume"]].concat();
    ends(folder, 0, &both);
    fs::remove_dir_all(folder.join("out/b")).unwrap();
    fs::remove_file(folder.join("out/a/results.csv")).unwrap();
    let said = ends(folder, 2, &resumed);
    assert!(said.contains("out/a exists already"), "a result that lacks a file is not whole: {said}");
    ends(folder, 0, &["run", "a.ron", "-o", "out/a", "--force", "-q"]);
    let said = ends(folder, 0, &resumed);
    assert!(said.contains("a: the result of this very run is in out/a already"), "{said}");
    assert!(said.contains("Written to out/b") && !said.contains("Written to out/a"), "{said}");
    let said = ends(folder, 2, &[&resumed[..], &["--seed", "9"]].concat());
    assert!(said.contains("out/a exists already; --force replaces it"), "{said}");
}

#[test]
fn a_result_that_holds_what_the_command_reads_is_not_replaced() {
    let folder = folder();
    let folder = folder.path();
    ends(folder, 0, &["run", "a.ron", "b.ron", "-o", "out", "-q"]);
    fs::write(folder.join("t.swf"), "; MaxProcs: 2\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 -1 -1 -1\n").unwrap();
    ends(folder, 0, &["replay", "t.swf", "--policy", "FCFS", "-o", "replayed", "-q"]);
    for (place, args) in [
        ("out/a", &["compare", "out/a", "out/b", "-o", "out/a"][..]),
        ("out/b", &["compare", "out/a", "out/b", "-o", "out/../out/b"]),
        ("replayed", &["replay", "replayed/schedule.swf", "--policy", "EASY", "-o", "replayed"]),
        ("out/a", &["run", "out/a/scenario.ron", "-o", "out/a"]),
    ] {
        let before = fs::read_dir(folder.join(place)).unwrap().count();
        for more in [&[][..], &["--force"]] {
            let said = ends(folder, 2, &[args, more].concat());
            assert!(said.contains("is read by this very command"), "{said}");
        }
        assert_eq!(fs::read_dir(folder.join(place)).unwrap().count(), before);
    }
}
