//! Programs that end too early, hang, or stay: nothing of them is left, and nobody waits for them.

use super::{ProgramFolder, QUIET, error_after};
use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::policy::{PolicySpec, Setup};
use gridloom::rng::Streams;
use gridloom::sim::{GridError, simulate_grid};
use gridloom::study::{Grid, NoProgress, load_study, run};
use gridloom::workload::draw_grid;
use std::fs;
use std::process::Command;
use std::time::{Duration, Instant};

#[test]
fn a_program_that_ends_too_early_is_told_with_its_status_and_its_last_words() {
    let said = error_after("echo 'first words' >&2; echo 'out of ideas' >&2; exit 3");
    let start = "policy mine failed at time 5: the program ended before it had answered decision 2: exit status: 3; ";
    assert!(said.starts_with(start) && said.contains("first words\n  out of ideas"), "{said}");
    let said = error_after("kill -9 $$");
    assert!(said.contains("decision 2: signal: 9 (SIGKILL); it wrote no error"), "{said}");
    let said = error_after("printf '{\"reserve\": ['; exit 0");
    assert!(said.contains("exit status: 0") && said.contains("after half an answer: `{\"reserve\": [`"), "{said}");
    let said = error_after("exec >&-; sleep 60");
    assert!(said.contains("it closed its standard output"), "{said}");
    let (said, _) = ProgramFolder::new("exit 7").error_of("External(command: [\"sh\", \"policy.sh\"])");
    assert!(
        said.contains("policy sh policy.sh failed at time 0") && said.contains("decision 1: exit status: 7"),
        "{said}"
    );
}

/// True if a process is there and has not ended.
fn is_running(pid: &str) -> bool {
    let state = Command::new("ps").args(["-o", "stat=", "-p", pid.trim()]).output().unwrap();
    let state = String::from_utf8_lossy(&state.stdout).trim().to_string();
    !state.is_empty() && !state.starts_with('Z')
}

fn is_gone(pid: &str) -> bool {
    (0..100).any(|_| {
        let gone = !is_running(pid);
        if !gone {
            std::thread::sleep(Duration::from_millis(20));
        }
        gone
    })
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_has_started() {
    let hanging = "read start\necho $$ > shell\nsleep 300 &\necho $! > child\nMORE\nwait";
    for (more, expected) in [
        ("", "within 0.4 s and was ended: it wrote nothing; "),
        ("printf '{\"reserve\"'", "within 0.4 s and was ended: it wrote half an answer, `{\"reserve\"`; "),
    ] {
        let folder = ProgramFolder::new(&hanging.replace("MORE", more));
        let policy = "External(command: [\"sh\", \"policy.sh\"], answer_within: 0.4)";
        let (said, took) = folder.error_of(policy);
        assert!(said.contains("has not answered decision 1") && said.contains(expected), "{said}");
        assert!(took < Duration::from_secs(10), "{took:?}");
        assert!(is_gone(&folder.read("shell")) && is_gone(&folder.read("child")));
    }
    // One that never reads and is told more than a pipe holds.
    let folder = ProgramFolder::new("sleep 300");
    let many = QUIET
        .replace("size: 2", "size: 2000")
        .replace("POLICY", "External(command: [\"sh\", \"policy.sh\"], answer_within: 0.4)");
    let source = Source::new(
        folder.0.path().join("many.ron").display().to_string(),
        format!("(name: \"many\", experiment: Grid{many})"),
    );
    let error = run(&load_study(&source, &[]).unwrap(), &NoProgress).expect_err("the run fails").to_string();
    assert!(error.contains("has not answered decision 1"), "{error}");
}

#[test]
fn a_run_that_is_stopped_does_not_wait_for_the_program() {
    let folder = ProgramFolder::new("echo $$ > SHELL; sleep 300");
    let script = folder.read("policy.sh").replace("SHELL", &folder.0.path().join("shell").display().to_string());
    let script_path = folder.0.path().join("policy.sh");
    fs::write(&script_path, script).unwrap();
    let policy = format!("External(command: [\"sh\", \"{}\"])", script_path.display());
    let spec: Grid = load(Source::new("grid.ron", QUIET.replace("POLICY", &policy)), &[]).unwrap();
    let streams = Streams::new(1, 0);
    let world = draw_grid(&spec.grid(), &streams, Stop::NEVER).unwrap();
    let mut policy = spec.policies[0].make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
    let stop = Stop::new();
    let token = stop.clone();
    let setter = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        token.set();
    });
    let started = Instant::now();
    let ended = simulate_grid(&world, &spec.rules(&spec.policies[0]), &mut *policy, &stop);
    assert!(matches!(ended, Err(GridError::Stopped(_))));
    drop(policy);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(is_gone(&folder.read("shell")));
    setter.join().unwrap();
}

#[test]
fn a_program_is_told_the_end_and_ended_if_it_stays() {
    let script = "while read line; do case $line in *'\"message\":\"end\"'*) echo \"$line\" > said; sleep 300 ;; \
        *'\"message\":\"start\"'*) echo $$ > shell ;; *) echo '{}' ;; esac; done";
    let folder = ProgramFolder::new(script);
    let text = QUIET.replace("POLICY", "External(command: [\"sh\", \"policy.sh\"])");
    let source = Source::new(
        folder.0.path().join("q.ron").display().to_string(),
        format!("(name: \"q\", experiment: Grid{text})"),
    );
    run(&load_study(&source, &[]).unwrap(), &NoProgress).unwrap();
    assert_eq!(folder.read("said"), "{\"message\":\"end\"}\n");
    assert!(is_gone(&folder.read("shell")));
}
