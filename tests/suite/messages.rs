//! Messages of commands and files: what is said of a mistake, what is printed, and how wide.

use super::program::{call, text};
use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::Output;

fn gridloom(folder: &Path, args: &[&str]) -> Output {
    call(folder, args).env("COLUMNS", "80").output().expect("the program starts")
}

fn said(folder: &Path, args: &[&str]) -> String {
    let done = gridloom(folder, args);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {}", text(&done.stderr));
    text(&done.stderr)
}

/// A grid of four nodes with these fields and those flows.
fn grid(fields: &str, flow: &str) -> String {
    format!(
        "(name: \"small\", replications: 2, experiment: Grid(horizon: 200, {fields} domains: [(name: \"lab\", nodes: 4)], \
         flows: [(name: \"f\", arrivals: Poisson(gap: 15), {flow})], policies: [Easy, Fcfs]))"
    )
}

const FLOW: &str = "work: Rigid(nodes: 1, length: 10), max_price: 5";

#[test]
fn a_unit_of_time_that_is_misspelt_is_refused_and_others_are_free() {
    let folder = tempfile::tempdir().unwrap();
    for (unit, meant) in [("minuts", "minutes"), ("Secnods", "seconds"), ("hour s", "hours"), ("dayz", "days")] {
        fs::write(folder.path().join("s.ron"), grid(&format!("time_unit: \"{unit}\","), FLOW)).unwrap();
        let said = said(folder.path(), &["check", "s.ron"]);
        let wrong = format!("experiment.time_unit: \"{unit}\" is no known unit of time; did you mean \"{meant}\"?");
        assert!(said.contains(&wrong), "{said}");
    }
    for unit in ["ticks", "ms", "months", "years", "rounds", "time units", "slots", "MIN", "milliseconds"] {
        fs::write(folder.path().join("s.ron"), grid(&format!("time_unit: \"{unit}\","), FLOW)).unwrap();
        let done = gridloom(folder.path(), &["check", "s.ron"]);
        assert_eq!(done.status.code(), Some(0), "{unit}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

#[test]
fn a_grid_needs_neither_steps_nor_a_metascheduler() {
    let folder = tempfile::tempdir().unwrap();
    let same = "step: 4, metascheduler: (period: 2, interval: 200),";
    for (file, fields) in [("short", ""), ("long", same)] {
        fs::write(folder.path().join("s.ron"), grid(fields, FLOW)).unwrap();
        let done = gridloom(folder.path(), &["run", "s.ron", "-q", "-o", file]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    }
    let read = |folder_name: &str| fs::read(folder.path().join(folder_name).join("results.csv")).unwrap();
    assert!(read("short") == read("long"), "the defaults are those that are documented");
}

#[test]
fn jobs_that_nothing_can_serve_are_told_in_a_note() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.ron"), grid("", "work: Rigid(nodes: 5, length: 10), max_price: 5")).unwrap();
    let done = gridloom(folder.path(), &["run", "s.ron"]);
    let text = String::from_utf8_lossy(&done.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(text.contains("jobs can be served by any policy, in the first world:"), "{text}");
    assert!(text.contains("need more nodes than there are"), "{text}");
}

#[test]
fn a_policy_that_needs_a_value_says_how_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("s.ron"), grid("", FLOW).replace("[Easy, Fcfs]", "[Opt]")).unwrap();
    let said = said(folder.path(), &["check", "s.ron"]);
    let right = "experiment.policies[0]: `Opt` needs a value in brackets; write `Opt(...)` with one of `MaxCost`,";
    assert!(said.contains(right), "{said}");
}

#[test]
fn graphs_are_known_by_their_beginning_whatever_the_name_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: File(path: \"job.txt\"))], methods: [Heft], domain: (nodes: 2, \
        types: [1]), deadline: 9, steps: true))";
    fs::write(folder.path().join("s.ron"), scenario).unwrap();
    fs::write(folder.path().join("job.txt"), "// a job\ndigraph { a [size=1]; b [size=2]; a -> b }").unwrap();
    let done = gridloom(folder.path(), &["check", "s.ron"]);
    assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
    fs::write(folder.path().join("job.txt"), "digraph {\n a [size=1];\n b [size=2, colr=red] }").unwrap();
    let text = said(folder.path(), &["check", "s.ron"]);
    assert!(text.contains("job.txt:3:13: `colr` is no attribute that is read; did you mean `color`?"), "{text}");
}

#[test]
fn an_unknown_command_has_the_nearest_named() {
    let folder = tempfile::tempdir().unwrap();
    for (given, meant) in [("rn", "run"), ("lst", "list"), ("chekc", "check")] {
        let text = said(folder.path(), &[given]);
        assert!(text.contains(&format!("there is no command `{given}`; did you mean `gridloom {meant}`?")), "{text}");
    }
    assert!(said(folder.path(), &["frobnicate"]).contains("frobnicate"));
}

#[test]
fn a_log_that_is_not_there_is_told_with_the_place_and_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let replay = |file: &str| said(folder.path(), &["replay", file, "--policy", "EASY"]);
    let place = folder.path().canonicalize().unwrap().display().to_string();
    let none = replay("nofile.swf");
    assert!(
        none.starts_with(&format!("error: nofile.swf: there is no such file in {place}; no log is there")),
        "{none}"
    );
    fs::write(folder.path().join("curie.swf"), "").unwrap();
    assert!(replay("nofile.swf").contains("; the logs there are `curie.swf`"), "{}", replay("nofile.swf"));
    assert!(replay("curei.swf").contains("; did you mean `curie.swf`?"), "{}", replay("curei.swf"));
    assert!(
        replay("away/x.swf").contains("away/x.swf: there is no such file, and no folder"),
        "{}",
        replay("away/x.swf")
    );
}

#[test]
fn a_generated_log_says_what_was_written_unless_quiet() {
    let folder = tempfile::tempdir().unwrap();
    let made = |more: &[&str]| {
        let args = ["generate", "--jobs", "50", "--nodes", "16", "--load", "0.7", "-o", "x.swf", "-f"];
        let done = gridloom(folder.path(), &[&args[..], more].concat());
        assert_eq!(done.status.code(), Some(0));
        (String::from_utf8_lossy(&done.stderr).into_owned(), done.stdout.len())
    };
    let (text, printed) = made(&[]);
    assert!(text.starts_with("wrote x.swf: 50 jobs for 16 processors, submitted in "), "{text}");
    assert_eq!((printed, made(&["-q"])), (0, (String::new(), 0)));
    // Under a name that says so it is compressed, and holds the same.
    let args = ["generate", "--jobs", "50", "--nodes", "16", "--load", "0.7", "-o", "x.swf.gz", "-q"];
    assert_eq!(gridloom(folder.path(), &args).status.code(), Some(0));
    let mut unpacked = String::new();
    let file = fs::File::open(folder.path().join("x.swf.gz")).unwrap();
    flate2::read::GzDecoder::new(file).read_to_string(&mut unpacked).unwrap();
    assert_eq!(unpacked, fs::read_to_string(folder.path().join("x.swf")).unwrap());
}

#[test]
fn lists_fit_the_terminal_and_help_says_whole_sentences() {
    let folder = tempfile::tempdir().unwrap();
    for section in ["experiments", "policies", "metrics", "brokers", "distributions", "searches"] {
        let text = String::from_utf8_lossy(&gridloom(folder.path(), &["list", section]).stdout).into_owned();
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 80, "{section}: {widest}\n{text}");
    }
    let text = String::from_utf8_lossy(&gridloom(folder.path(), &["list", "experiments"]).stdout).into_owned();
    let indent = text.lines().nth(1).unwrap().find("Windows for requests").unwrap();
    let next = text.lines().find(|line| line.starts_with(&" ".repeat(indent))).expect("a line goes on below its text");
    assert!(!next[indent..].starts_with(' '), "{text}");
    let help = String::from_utf8_lossy(&gridloom(folder.path(), &["init", "--help"]).stdout).into_owned();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(help.contains("what they cost and how they collide - multicriteria:"), "{help}");
    // No two kinds are described alike.
    let kinds = ["Windows for requests", "Ways to serve a batch of jobs", "Jobs of many users on priced resources"];
    assert!(kinds.iter().all(|kind| help.contains(kind)), "{help}");
    assert!(!help.contains("Independent scheduling cycles"), "{help}");
}

#[test]
fn help_offers_what_works_and_says_what_is_required() {
    let folder = tempfile::tempdir().unwrap();
    let help = |command: &str| {
        let text = String::from_utf8_lossy(&gridloom(folder.path(), &["help", command]).stdout).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let replay = help("replay");
    assert!(replay.contains("[possible values: arrival, shortest, largest]"), "{replay}");
    assert!(replay.contains("Required: policies of the queue"), "{replay}");
    assert!(replay.contains("[possible values: FCFS, EASY, conservative, batsim:ADDRESS]"), "{replay}");
    assert!(help("submit").contains("[default: output/NAME, by the scenario's name]"));
}

#[test]
fn a_short_log_is_drawn_by_day() {
    let folder = tempfile::tempdir().unwrap();
    let log = |days: i64| {
        let job = |at: i64| format!("{} {} 0 3600 4 -1 -1 4 3600 -1 1 1 1 1 1 1 -1 -1\n", at + 1, at * 43_200);
        (0..2 * days).map(job).collect::<String>()
    };
    for (days, by) in [(2, None), (5, Some("day")), (20, Some("week"))] {
        fs::write(folder.path().join("x.swf"), log(days)).unwrap();
        let done =
            gridloom(folder.path(), &["replay", "x.swf", "--policy", "EASY", "--nodes", "4", "-q", "-f", "-o", "out"]);
        assert_eq!(done.status.code(), Some(0), "{}", String::from_utf8_lossy(&done.stderr));
        for part in ["day", "week"] {
            let file = folder.path().join(format!("out/mean-wait-by-{part}.svg"));
            assert_eq!(file.exists(), by == Some(part), "{days} days by {part}");
        }
    }
}
