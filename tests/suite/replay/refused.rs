//! Calls and scenarios of replays that can't be: exit status 2, a reason, and nothing written.

use super::commands::{done, gridloom, line, text, three, with_log};
use std::fs;

#[test]
fn policies_and_logs_that_make_no_sense_are_refused() {
    let folder = with_log(three());
    fs::create_dir(folder.path().join("more")).unwrap();
    fs::write(folder.path().join("more/t.swf.gz"), three()).unwrap();
    fs::write(folder.path().join("empty.swf"), "; MaxProcs: 4\n").unwrap();
    for (args, expected) in [
        (&["t.swf", "--policy", "esy"][..], "a similar value exists: 'EASY'"),
        (&["t.swf", "--policy", "FCFS,eazy"], "possible values: FCFS, EASY, conservative"),
        (&["t.swf", "--policy", "EASY,FCFS,EASY"], "--policy has EASY twice"),
        (&["t.swf", "--policy", "FCFS,conservative", "--depth", "2"], "--depth is for --policy EASY"),
        (&["t.swf", "--policy", "FCFS,EASY", "--order", "rank"], "possible values: arrival, shortest, largest]"),
        (&["t.swf"], "give --policy with FCFS, EASY, conservative, or several of them"),
        (&["t.swf", "more/t.swf.gz", "--policy", "EASY"], "would both be called \"t\""),
        (&["t.swf", "empty.swf", "--policy", "EASY"], "empty.swf holds no job"),
        (&["t.swf", "missing.swf", "--policy", "EASY"], "missing.swf: there is no such file in "),
        (&["-", "--policy", "EASY"], "write standard input to a file first"),
        (&["t.swf", "--policy", "EASY", "--nodes", "many"], "give a whole number from 1 to 1000000000"),
        (&["--policy", "EASY"], "TRACE.swf"),
    ] {
        let refused = gridloom(folder.path(), &[&["replay"], args].concat());
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains(expected), "{args:?}: {said}");
        assert!(refused.stdout.is_empty() && !folder.path().join("output").exists(), "{args:?}");
    }
}

#[test]
fn requests_that_add_up_to_more_than_can_be_planned_are_told_with_the_log() {
    let lines: String = (1..=5_000).map(|job| line(job, 0, 9, 1, 999_999_999)).collect();
    let folder = with_log(format!("; MaxProcs: 4\n{lines}"));
    let failed = gridloom(folder.path(), &["replay", "t.swf", "--policy", "EASY"]);
    let said = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(said.contains("t: the requested times of all jobs add up to more than can be planned (5.0e12 s"), "{said}");
    assert!(gridloom(folder.path(), &["replay", "t.swf", "--policy", "EASY", "--estimate", "actual"]).status.success());
}

#[test]
fn replays_are_compared_without_a_word_of_chance() {
    let folder = with_log(three());
    for nodes in ["4", "8"] {
        done(folder.path(), &["replay", "t.swf", "--policy", "EASY", "--nodes", nodes, "--out", nodes]);
    }
    let compared = gridloom(folder.path(), &["compare", "4", "8"]);
    let said = text(&compared.stdout);
    assert!(compared.status.success() && said.contains(" values that all have, "), "{said}");
    assert!(!said.contains("of them beyond chance") && !said.contains("random streams"), "{said}");
}

#[test]
fn a_depth_of_one_is_plain_easy_and_needs_no_other_name() {
    let folder = with_log(three());
    done(folder.path(), &["replay", "t.swf", "--policy", "FCFS,EASY", "--depth", "1"]);
    assert!(folder.path().join("output/replay-t/schedule-easy.swf").exists());
}

#[test]
fn errors_of_a_scenario_have_their_places() {
    let folder = with_log(three());
    fs::write(folder.path().join("none.swf"), "").unwrap();
    fs::write(folder.path().join("wide.swf"), line(1, 0, 5, 64, 5)).unwrap();
    fs::write(folder.path().join("bad.swf"), three() + "14 3 -1 10\n").unwrap();
    let scenario = |log: &str, policies: &str, more: &str| {
        format!("(name: \"s\", experiment: Replay(\n    logs: [{log}],\n    policies: [{policies}],{more}\n))")
    };
    let file = |fields: &str| format!("File({fields})");
    for (text_of, expected) in [
        (
            scenario(&file("path: \"t.swf\", checksum: \"crc32:00000000\""), "Easy", ""),
            "s.ron:2:42: experiment.logs[0].checksum: the log has changed: its checksum is crc32:",
        ),
        (
            scenario(&file("path: \"t.swf\", checksum: \"md5:0\""), "Easy", ""),
            "s.ron:2:42: experiment.logs[0].checksum: this is no checksum; give `crc32:`",
        ),
        (
            scenario(&file("path: \"nowhere.swf\""), "Easy", ""),
            "s.ron:2:23: experiment.logs[0].path: the log can't be read",
        ),
        (
            scenario(&file("path: \"none.swf\""), "Easy", ""),
            "s.ron:2:23: experiment.logs[0].path: there is no job in it",
        ),
        (
            scenario(&file("path: \"wide.swf\""), "Easy", ""),
            "s.ron:2:12: experiment.logs[0]: the log does not say how large the machine is; give `nodes`",
        ),
        (
            scenario(&file("path: \"wide.swf\", nodes: 4"), "Easy", ""),
            "s.ron:2:23: experiment.logs[0].path: no job can be replayed",
        ),
        (
            scenario(&file("path: \"bad.swf\""), "Easy", "\n    strict: true,"),
            "s.ron:2:23: experiment.logs[0].path: the log has bad lines, and `strict` allows none: 1 bad line",
        ),
        (
            scenario(&file("path: \"t.swf\""), "Easy, Easy(depth: 1)", ""),
            "s.ron:3:22: experiment.policies[1]: this policy is in the list already",
        ),
        (
            scenario(&file("path: \"t.swf\""), "Easy(order: Price)", ""),
            "s.ron:3:28: experiment.policies[0].order: the jobs of a log have no price",
        ),
        (
            scenario("File(path: \"t.swf\"), File(path: \"./t.swf\")", "Easy", ""),
            "experiment.logs[1]: a log called `t` is in the list already; give it a `name` of its own",
        ),
        (scenario(&file("path: \"t.swf\""), "Eazy", ""), "did you mean `Easy`?"),
        (scenario("Lublin(jobs: 10, nodes: 4, load: 500)", "Easy", ""), "experiment.logs[0].load"),
    ] {
        fs::write(folder.path().join("s.ron"), text_of).unwrap();
        for command in ["check", "run"] {
            let refused = gridloom(folder.path(), &[command, "s.ron"]);
            let said = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(2), "{expected}: {said}");
            assert!(said.contains(expected), "{expected}: {said}");
            assert!(!folder.path().join("output").exists());
        }
    }
}

#[test]
fn a_scenario_is_no_log() {
    let folder = with_log(three());
    let refused = gridloom(folder.path(), &["replay", "lab.ron", "--policy", "EASY"]);
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(text(&refused.stderr), "error: lab.ron is a scenario, not a log: use `gridloom run lab.ron`\n");
}

#[test]
fn a_log_that_has_changed_since_is_refused_unless_the_checksum_is_left_out() {
    let folder = with_log(three());
    done(folder.path(), &["replay", "t.swf", "--policy", "EASY", "--out", "r"]);
    fs::write(folder.path().join("t.swf"), three() + &line(14, 5, 5, 1, 5)).unwrap();
    let again = |more: &[&str]| {
        let args = ["run", "r/scenario.ron", "--out", "again", "--force"];
        let done = gridloom(folder.path(), &[&args, more].concat());
        (done.status.code(), text(&done.stderr))
    };
    let (status, said) = again(&[]);
    assert!(status == Some(2) && said.contains("experiment.logs[0].checksum: the log has changed"), "{said}");
    assert_eq!(again(&["--set", "experiment.logs[0].checksum=None"]).0, Some(0));
    let jobs = fs::read_to_string(folder.path().join("again/jobs.csv")).unwrap();
    assert_eq!(jobs.lines().count(), 5);
}
