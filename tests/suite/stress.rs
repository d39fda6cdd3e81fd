//! Many processes that write at once, and processes that are killed: no result is lost.
//!
//! `GRIDLOOM_STRESS_ROUNDS` sets the number of rounds of every test here.

use super::program::{is_block, start};
use gridloom::language::Source;
use gridloom::report::{Artefacts, artefacts};
use gridloom::study::{NoProgress, load_study, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// Nobody can pay, so that nothing is found and no picture is drawn: a run takes milliseconds.
pub(crate) const PLAIN: &str = r#"(
    name: "plain",
    replications: 2,
    experiment: Windows(
        world: Environment(nodes: 3, interval: 60, performance: 2, price_spread: 0, price_slope: 0, price_scale: 1,
            load: (low: 1, high: 5, length: 10)),
        requests: [(name: "request", nodes: 2, length: 15, min_performance: 2, max_price: 0.01)],
        searches: [Amp],
        runtime: Volume,
    ),
)"#;

/// The same with a sweep, which draws one picture and takes seconds, so that there is something to keep on the way.
fn swept() -> String {
    let sweep = "sweeps: [(name: \"nodes\", field: \"experiment.world.nodes\", label: \"Nodes\",
        metrics: [\"slots\"], values: [50, 51, 52, 53, 54, 55, 56, 57, 58, 59])]";
    let long = PLAIN.trim_end_matches(",\n)").replace("interval: 60", "interval: 600");
    format!("{},\n{sweep})", long.replace("replications: 2", "replications: 400"))
}

/// A file of a result by its name.
type Files = BTreeMap<String, Vec<u8>>;

/// The files that a run must leave, made without any other process.
fn expected(scenario: &str, seed: u64) -> Files {
    let study = load_study(&Source::new("s.ron", scenario), &[format!("seed={seed}")]);
    let outcome = run(&study.unwrap_or_else(|report| panic!("{report}")), &NoProgress).unwrap();
    let files: Artefacts = artefacts(&outcome).unwrap();
    files.names().map(|name| (name.to_string(), files.get(name).unwrap().to_vec())).collect()
}

/// The files that are in a directory, apart from the list of them. A directory in it is no part of a result.
fn found(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files = Files::new();
    for path in entries.map(|entry| entry.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().unwrap().to_string();
        let bytes = fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        files.insert(name, bytes);
    }
    let manifest = files.remove(".gridloom").unwrap_or_else(|| panic!("{}: no list of files", folder.display()));
    let mut listed: Vec<&str> = std::str::from_utf8(&manifest).unwrap().lines().collect();
    listed.sort();
    assert_eq!(listed, files.keys().collect::<Vec<_>>(), "{}", folder.display());
    files
}

/// The names in a directory, sorted.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn finish(child: Child, what: &str) {
    let done = child.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(0), "{what}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Kills a process unless it has ended by itself.
fn kill(mut child: Child) -> ExitStatus {
    child.kill().unwrap();
    child.wait().unwrap()
}

fn rounds(default: u64) -> u64 {
    match std::env::var("GRIDLOOM_STRESS_ROUNDS") {
        Ok(text) => text.parse().expect("GRIDLOOM_STRESS_ROUNDS is a number"),
        Err(_) => default,
    }
}

/// Numbers that jump about, the same ones every time: moments at which to kill.
fn scattered(round: u64, below: u64) -> u64 {
    (round.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33) % below
}

#[test]
fn runs_that_replace_results_in_one_parent_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.ron"), PLAIN).unwrap();
    let parent = folder.path().join("results");
    let all: Vec<Files> = (0..7).map(|seed| expected(PLAIN, seed)).collect();
    for round in 0..rounds(40) {
        let seed = |number: u64| (round + number) % all.len() as u64;
        let run = |out: &str, number: u64| {
            let (out, seed) = (format!("results/{out}"), seed(number).to_string());
            start(folder.path(), &["run", "s.ron", "--quiet", "--force", "--out", &out, "--seed", &seed])
        };
        // Three places of their own, one place for two, and a single file.
        let mut children = vec![run("a", 1), run("b", 2), run("c", 3), run("shared", 4), run("shared", 5)];
        if round > 0 {
            let jobs = (round + 1).to_string();
            let log = "results/log.swf";
            let args = ["generate", "--jobs", &jobs, "--nodes", "4", "--load", "1", "--force", "--out", log];
            children.push(start(folder.path(), &args));
        }
        for child in children {
            finish(child, &format!("round {round}"));
        }
        for (number, name) in [(1, "a"), (2, "b"), (3, "c")] {
            assert!(found(&parent.join(name)) == all[seed(number) as usize], "round {round}: {name}");
        }
        let shared = found(&parent.join("shared"));
        assert!([4, 5].iter().any(|&number| shared == all[seed(number) as usize]), "round {round}: shared");
        if round > 0 {
            let log = fs::read_to_string(parent.join("log.swf")).unwrap();
            let jobs = log.lines().filter(|line| !line.starts_with(';') && !line.trim().is_empty()).count();
            assert_eq!(jobs as u64, round + 1, "round {round}: log.swf");
            assert_eq!(names(&parent), ["a", "b", "c", "log.swf", "shared"], "round {round}");
        }
    }
}

#[test]
fn a_run_that_is_killed_leaves_the_old_result_or_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.ron"), PLAIN).unwrap();
    let run = |seed: u64| {
        let seed = seed.to_string();
        start(folder.path(), &["run", "s.ron", "--quiet", "--force", "--out", "result", "--seed", &seed])
    };
    let all = [expected(PLAIN, 0), expected(PLAIN, 1)];
    finish(run(0), "the first run");
    let result = folder.path().join("result");
    for round in 0..rounds(30) {
        let mut child = run((round + 1) % 2);
        // Every other time just when the new result is complete and about to be swapped for the old one.
        let complete = folder.path().join(format!(".gridloom-partial-{}-0/.gridloom", child.id()));
        let within = match round % 2 {
            0 => 100_000,
            _ => {
                while child.try_wait().unwrap().is_none() && !complete.exists() {
                    std::thread::yield_now();
                }
                15_000
            }
        };
        std::thread::sleep(Duration::from_micros(scattered(round, within)));
        kill(child);
        let left = found(&result);
        assert!(all.contains(&left), "round {round}: {:?}", left.keys());
    }
    finish(run(1), "the last run");
    assert!(found(&result) == all[1], "the last run");
}

/// The bytes of all that a run has kept.
fn kept_bytes(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    let entries = entries.flatten().filter(|entry| is_block(&entry.file_name().to_string_lossy()));
    entries.filter_map(|entry| entry.metadata().ok()).map(|found| found.len()).sum()
}

#[test]
fn sweeps_that_are_killed_go_on_to_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = swept();
    fs::write(folder.path().join("s.ron"), &scenario).unwrap();
    fs::write(folder.path().join("plain.ron"), PLAIN).unwrap();
    let run = |scenario: &str| {
        let args = ["run", scenario, "--quiet", "--resume", "--force", "--out", "result", "--seed", "0"];
        start(folder.path(), &args)
    };
    let (result, kept) = (folder.path().join("result"), folder.path().join("result.blocks"));
    let whole = expected(&scenario, 0);
    for round in 0..rounds(1) {
        finish(run("plain.ron"), "the old result");
        let old = found(&result);
        let mut kills = 0;
        // Killed a while after it has kept something more, so that the next one goes on from there.
        for moment in 0..3 {
            let (before, mut child) = (kept_bytes(&kept), run("s.ron"));
            while child.try_wait().unwrap().is_none() && kept_bytes(&kept) == before {
                std::thread::sleep(Duration::from_millis(1));
            }
            std::thread::sleep(Duration::from_micros(scattered(round * 3 + moment, 100_000)));
            kills += u64::from(!kill(child).success());
            let left = found(&result);
            assert!(left == old || left == whole, "round {round}, moment {moment}: {:?}", left.keys());
        }
        assert!(kills > 0, "round {round}: nothing was killed");
        finish(run("s.ron"), &format!("round {round}"));
        assert!(found(&result) == whole, "round {round}");
        assert!(!kept.exists(), "round {round}");
    }
}
