//! Where results go, and what is left alone on the way, as a user sees it.

use super::program::{contents, ends, is_block, start};
use super::stress::PLAIN;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder with `plain.ron` in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plain.ron"), PLAIN).unwrap();
    folder
}

#[test]
fn a_directory_of_somebody_else_in_the_place_of_kept_replications_is_named_and_left_alone() {
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    fs::create_dir(at("foo.blocks")).unwrap();
    for name in ["results.csv", "point-nodes-1.json", "kept-nodes-1.json"] {
        fs::write(at("foo.blocks").join(name), "mine").unwrap();
    }
    fs::create_dir(at("empty.blocks")).unwrap();
    // A result of ours is no place for them either.
    ends(folder.path(), 0, &["run", "plain.ron", "--quiet", "--out", "bar.blocks"]);
    let before = contents(folder.path());
    for out in ["foo", "empty", "bar"] {
        for more in [&[][..], &["--force"], &["--resume"], &["--force", "--resume"]] {
            let said = ends(folder.path(), 2, &[&["run", "plain.ron", "--out", out], more].concat());
            assert!(said.contains(&format!("{out}.blocks")), "{said}");
        }
    }
    assert_eq!(contents(folder.path()), before);
}

#[test]
fn what_an_interrupted_run_has_finished_is_dropped_only_by_force() {
    let folder = folder();
    let kept = folder.path().join("out/plain.blocks");
    let args = ["run", "plain.ron", "--quiet", "--replications", "100000000", "--out", "out/plain"];
    let mut child = start(folder.path(), &args);
    let is_entry = |path: PathBuf| path.file_name().is_some_and(|name| is_block(&name.to_string_lossy()));
    while !fs::read_dir(&kept).is_ok_and(|mut entries| entries.any(|entry| is_entry(entry.unwrap().path()))) {
        assert!(child.try_wait().unwrap().is_none(), "it keeps something before it ends");
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = contents(&kept);
    let run = |status: i32, more: &[&str]| {
        ends(folder.path(), status, &[&["run", "plain.ron", "--quiet", "--out", "out/plain"], more].concat())
    };
    let said = run(2, &[]);
    assert!(said.contains("plain.blocks") && said.contains("--resume") && said.contains("--force"), "{said}");
    assert!(contents(&kept) == before, "nothing has changed");
    run(0, &["--force"]);
    assert!(!kept.exists());
}

#[cfg(unix)]
#[test]
fn all_commands_follow_links_and_refuse_those_that_lead_nowhere() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let at = |path: &str| folder.path().join(path);
    let generate = ["generate", "--jobs", "5", "--nodes", "4", "--load", "1", "--force"];
    let log = generate.iter().chain(&["--out", "log.swf"]).copied().collect::<Vec<_>>();
    ends(folder.path(), 0, &log);
    let commands: [(&str, Vec<&str>); 3] = [
        ("run", vec!["run", "plain.ron", "--quiet", "--force"]),
        ("replay", vec!["replay", "log.swf", "--policy", "FCFS", "--quiet", "--force"]),
        ("generate", generate.to_vec()),
    ];
    for (name, command) in commands {
        let (real, link) = (at(&format!("real-{name}")), at(&format!("link-{name}")));
        let write = |status: i32, out: &Path| {
            ends(folder.path(), status, &[&command[..], &["--out", out.to_str().unwrap()]].concat())
        };
        symlink(&real, &link).unwrap();
        let said = write(2, &link);
        assert!(said.contains(link.to_str().unwrap()) && said.contains(real.to_str().unwrap()), "{said}");
        assert!(!real.exists() && link.is_symlink());
        write(0, &real);
        let is_new = || real.join("results.json").exists() || real.is_file();
        assert!(is_new());
        // Emptied, so that it shows whether it was replaced.
        match real.is_file() {
            true => fs::write(&real, "").unwrap(),
            false => fs::read_dir(&real).unwrap().for_each(|entry| fs::remove_file(entry.unwrap().path()).unwrap()),
        }
        write(0, &link);
        assert!(link.is_symlink(), "{name}: a link stays a link");
        assert!(is_new() && fs::metadata(&real).unwrap().len() > 0, "{name}: what it points to is replaced");
    }
    symlink("missing", at("nowhere")).unwrap();
    for out in ["nowhere", "nowhere/below"] {
        let said = ends(folder.path(), 2, &["reproduce", "--quick", "--force", "--out", out]);
        assert!(said.contains("nowhere is a link to missing"), "{said}");
    }
}

#[cfg(unix)]
#[test]
fn two_names_of_one_place_are_refused_before_the_first_run() {
    let folder = folder();
    fs::create_dir_all(folder.path().join("out/plain")).unwrap();
    std::os::unix::fs::symlink("plain", folder.path().join("out/other")).unwrap();
    fs::write(folder.path().join("other.ron"), PLAIN.replace("\"plain\"", "\"other\"")).unwrap();
    let said = ends(folder.path(), 2, &["run", "plain.ron", "other.ron", "--out", "out", "--force"]);
    assert!(said.contains("two of the scenarios would write to"), "{said}");
    assert_eq!(fs::read_dir(folder.path().join("out/plain")).unwrap().count(), 0);
}
