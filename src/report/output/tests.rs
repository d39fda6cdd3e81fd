//! Results that are replaced, those that are refused, and what stays behind.

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

/// Why a result did not get its place, and where it is instead.
fn kept(refused: Result<(), OutputError>) -> (OutputError, PathBuf) {
    match refused {
        Err(OutputError::Kept { why, what: "the finished result", at }) => (*why, at),
        other => panic!("{other:?}"),
    }
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

    let message = preflight(&dir, false).unwrap_err().to_string();
    assert!(message.contains("result") && message.contains("--force"), "{message}");
    assert_eq!(listing(parent.path()), ["result"]);

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
        assert!(matches!(preflight(dir, true), Err(OutputError::Foreign(path)) if path == dir.join(name)));
        let (why, saved) = kept(files("new").commit(dir, true));
        assert!(matches!(why, OutputError::Foreign(path) if path == dir.join(name)));
        assert_eq!(listing(&saved), [MANIFEST, "a.svg", MARK]);
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
        assert!(matches!(preflight(&dir, true), Err(OutputError::NotADirectory(path)) if path == file), "{dir:?}");
    }
    let (why, saved) = kept(files("new").commit(&file, true));
    assert!(matches!(why, OutputError::NotADirectory(path) if path == file));
    assert_eq!(listing(&saved), [MANIFEST, "a.svg", MARK]);
    let below = files("new").commit(&file.join("below"), true);
    assert!(matches!(below, Err(OutputError::NotADirectory(path)) if path == file));
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
    fs::write(stale.path().join("half"), "").unwrap();
    preflight(&dir, false).unwrap();
    files("new").commit(&dir, false).unwrap();
    files("newer").commit(&dir, true).unwrap();
    assert_eq!(listing(&dir), [MANIFEST, "a.svg", MARK]);
    assert!(stale.path().join("half").exists());
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
    let taken = parent.path().join("taken");
    fs::create_dir(&taken).unwrap();
    for refused in [preflight_file(&taken, true), save_file(&taken, b"third", true)] {
        assert!(matches!(refused, Err(OutputError::NotAFile(path)) if path == taken));
    }
    assert_eq!(listing(parent.path()), ["log.swf", "taken"]);
    save_file(&parent.path().join("new/folder/log.swf"), b"fourth", false).unwrap();
    assert_eq!(listing(&parent.path().join("new/folder")), ["log.swf"]);
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
    let slash = PathBuf::from(format!("{}/", link.display()));
    for refused in [
        preflight(&link, true),
        preflight(&slash, true),
        preflight(&link.join("below"), false),
        preflight_file(&link, true),
        files("new").commit(&link.join("below"), true),
        save_file(&link, b"log", true),
    ] {
        assert!(matches!(refused, Err(OutputError::DanglingLink { link: found, to }) if found == link && to == real));
    }
    fs::write(&real, "old").unwrap();
    assert!(matches!(save_file(&link, b"new", false), Err(OutputError::Exists(_))));
    save_file(&link, b"new", true).unwrap();
    assert!(link.is_symlink());
    assert_eq!(fs::read(&real).unwrap(), b"new");
    assert_eq!(listing(parent.path()), ["link", "real"]);
}

/// The place of `dir` with a new result that is about to be moved there.
fn about_to_be_put(dir: &Path) -> (Hidden, OutputPlace) {
    let place = OutputPlace::of(dir).unwrap();
    let staging = Hidden::create(place.parent()).unwrap();
    fs::write(staging.path().join(MANIFEST), format!("{MARK}\n")).unwrap();
    fs::write(staging.path().join(MARK), "new").unwrap();
    (staging, place)
}

fn unsupported(_: &Path, _: &Path) -> io::Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[test]
fn without_a_swap_in_one_step_two_renames_do_the_same() {
    let parent = parent();
    let dir = parent.path().join("result");
    files("old").commit(&dir, false).unwrap();
    let (staging, place) = about_to_be_put(&dir);
    swap::put(staging, &place, true, unsupported).unwrap();
    assert_eq!(listing(&dir), [MANIFEST, MARK]);
    assert_eq!(listing(parent.path()), ["result"]);
}

#[test]
fn an_old_result_that_was_moved_aside_and_left_there_comes_back() {
    let parent = parent();
    let dir = parent.path().join("demo");
    files("old").commit(&dir, false).unwrap();
    let aside = parent.path().join(".gridloom-partial-1-0");
    fs::create_dir(&aside).unwrap();
    fs::rename(&dir, aside.join("demo")).unwrap();
    preflight(&parent.path().join("other"), true).unwrap();
    assert!(!dir.exists(), "it is not the place of the other one");
    assert!(matches!(preflight(&dir, false), Err(OutputError::Exists(_))));
    assert_eq!(fs::read_to_string(dir.join(MARK)).unwrap(), "old");
    assert!(!aside.exists());
    // Half of a result is none.
    fs::create_dir_all(aside.join("third")).unwrap();
    preflight(&parent.path().join("third"), false).unwrap();
    assert!(!parent.path().join("third").exists());
}

#[test]
fn many_who_replace_one_result_leave_one_of_theirs_whole() {
    for exchange in [system::exchange, unsupported] {
        let parent = parent();
        let dir = parent.path().join("result");
        std::thread::scope(|scope| {
            for number in 0..4 {
                let dir = &dir;
                scope.spawn(move || {
                    for round in 0..50 {
                        let (staging, place) = about_to_be_put(dir);
                        // Results of different files: a list of one and the files of another must not be mixed up.
                        let name = format!("{number}.svg");
                        fs::write(staging.path().join(MANIFEST), format!("{MARK}\n{name}\n")).unwrap();
                        fs::write(staging.path().join(name), "").unwrap();
                        let done = swap::put(staging, &place, true, exchange);
                        done.unwrap_or_else(|error| panic!("{number}, round {round}: {error}"));
                    }
                });
            }
        });
        assert!(matches!(place::stranger(&dir), Ok(None)));
        assert_eq!(listing(&dir).len(), 3);
        assert_eq!(listing(parent.path()), ["result"]);
    }
}

#[test]
fn what_is_put_into_an_old_result_at_the_last_moment_is_not_removed() {
    for exchange in [system::exchange, unsupported] {
        let parent = parent();
        let dir = parent.path().join("result");
        files("old").commit(&dir, false).unwrap();
        let (staging, place) = about_to_be_put(&dir);
        let late = |one: &Path, other: &Path| {
            fs::write(dir.join("thesis.txt"), "mine").unwrap();
            exchange(one, other)
        };
        let Err(OutputError::Displaced { kept, .. }) = swap::put(staging, &place, true, late) else { panic!() };
        assert_eq!(fs::read(dir.join(MARK)).unwrap(), b"new");
        assert_eq!(listing(&kept), [MANIFEST, "a.svg", MARK, "thesis.txt"]);
        assert_eq!(listing(parent.path()).len(), 2, "nothing else stays behind");
    }
}

#[test]
fn a_finished_result_that_finds_its_place_taken_is_kept_beside_it() {
    let parent = parent();
    let dir = parent.path().join("result");
    files("theirs").commit(&dir, false).unwrap();
    let (why, saved) = kept(files("ours").commit(&dir, false));
    assert!(matches!(why, OutputError::Exists(path) if path == dir));
    assert_eq!(fs::read(saved.join(MARK)).unwrap(), b"ours");
    assert_eq!(fs::read(dir.join(MARK)).unwrap(), b"theirs");
    assert!(!saved.file_name().unwrap().to_str().unwrap().starts_with('.'), "it can be seen");
    // The same if the system refuses the swap.
    let (staging, place) = about_to_be_put(&dir);
    let (why, saved) = kept(swap::put(staging, &place, true, |_, _| Err(ErrorKind::PermissionDenied.into())));
    assert!(matches!(why, OutputError::Io { action: "replace", .. }), "{why}");
    assert_eq!(listing(&saved), [MANIFEST, MARK]);
    assert_eq!(fs::read(dir.join(MARK)).unwrap(), b"theirs");
}

#[test]
fn a_result_is_written_again_if_its_parent_is_replaced_meanwhile() {
    let parent = parent();
    let outer = parent.path().join("outer");
    files("old").commit(&outer, false).unwrap();
    let (staging, place) = about_to_be_put(&outer.join("inner"));
    let gone = parent.path().join("gone");
    fs::rename(&outer, &gone).unwrap();
    let error = swap::put(staging, &place, false, system::exchange).unwrap_err();
    assert!(matches!(&error, OutputError::Io { source, .. } if source.kind() == ErrorKind::NotFound), "{error}");
    assert_eq!(listing(&gone).len(), 4, "what was moved away is not touched");
}

#[test]
fn names_of_hidden_directories_are_those_of_the_process_and_given_back() {
    let parent = parent();
    let hidden = Hidden::create(parent.path()).unwrap();
    let name = hidden.path().file_name().unwrap().to_str().unwrap().to_string();
    assert!(name.contains(&format!("-{}-", std::process::id())), "{name}");
    assert_ne!(Hidden::create(parent.path()).unwrap().path(), hidden.path());
    fs::rename(hidden.path(), parent.path().join("result")).unwrap();
    let path = hidden.release();
    fs::create_dir(&path).unwrap();
    assert_eq!(listing(parent.path()), [name.as_str(), "result"], "whoever has the name now keeps it");
}
