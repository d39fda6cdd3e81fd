//! Calls and scenarios as newcomers get them wrong: what is said, and that nothing is written.

use super::program::{call, folder_with, gridloom, text};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};

const GRID: &str = r#"(
    name: "small",
    replications: 2,
    experiment: Grid(
        horizon: 200,
        step: 50,
        time_unit: "minutes",
        domains: [(name: "lab", nodes: 4, owners: [(gap: Exponential(mean: 90), length: 20)])],
        flows: [(name: "f", arrivals: Poisson(gap: 15), work: Rigid(nodes: 1, length: 10), max_price: 5)],
        metascheduler: (period: 10, interval: 100),
        policies: [Easy, Fcfs],
    ),
)"#;

/// The scenario with other fields behind the experiment.
fn with(more: &str) -> String {
    format!("{}    {more}\n)", GRID.strip_suffix(')').unwrap())
}

fn with_input(folder: &Path, args: &[&str], input: &str) -> Output {
    let mut child =
        call(folder, args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Who is refused for another reason does not read, and may be gone by now.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

/// What a call that is refused says; it has status 2 and leaves nothing.
fn refused(scenario: &str, args: &[&str]) -> String {
    let folder = folder_with(scenario);
    let done = gridloom(folder.path(), args);
    let said = text(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{args:?}: {said}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "{args:?} leaves nothing");
    assert!(!said.contains('\x1b'), "no colours in a pipe: {said:?}");
    said
}

#[test]
fn a_sweep_over_a_field_that_is_not_there_is_one_error_at_its_path() {
    for (sweep, place, what) in [
        (
            r#"(name: "s", field: "horizon", values: [100, 200, 300])"#,
            "sweeps[0].field: horizon: there is no such field",
            "did you mean `experiment.horizon`?",
        ),
        (
            r#"(name: "s", field: "experiment.horizom", values: [100, 200, 300])"#,
            "sweeps[0].field: experiment.horizom: there is no such field",
            "did you mean `horizon`?",
        ),
        (
            r#"(name: "s", field: "experiment.horizon", values: [100, 200], set: ["experiment.stepp=5"])"#,
            "sweeps[0].set[0]: experiment.stepp: there is no such field",
            "did you mean `step`?",
        ),
        (
            r#"(name: "s", field: "experiment.horizon", values: [100, 200], set: ["experiment.step=500"])"#,
            "sweeps[0].set[0]: experiment.step: 500 is not a part of the run",
            "give a step above 0 and up to the horizon",
        ),
        (
            r#"(name: "s", grid: [(field: "horizon", values: [1, 2]), (field: "experiment.step", values: [1, 2])])"#,
            "sweeps[0].grid[0].field: horizon: there is no such field",
            "did you mean `experiment.horizon`?",
        ),
        (
            r#"(name: "s", grid: [(field: "experiment.horizon", values: [90, -5]), (field: "experiment.step", values: [1, 2])])"#,
            "sweeps[0].grid[0].values[1]: with experiment.horizon = -5: experiment.horizon: -5 is out of range",
            "give a length of time",
        ),
        (
            r#"(name: "s", field: "experiment.horizon", values: [100, -1, 200])"#,
            "sweeps[0].values[1]: with experiment.horizon = -1: experiment.horizon: -1 is out of range",
            "give a length of time",
        ),
    ] {
        let said = refused(&with(&format!("sweeps: [{sweep}],")), &["check", "s.ron"]);
        assert_eq!(said.matches("s.ron:13:").count(), 1, "one error: {said}");
        assert!(said.contains(place) && said.contains(what), "{said}");
    }
}

#[test]
fn paths_values_and_metrics_of_sweeps_are_judged_at_once() {
    let sweeps = r#"sweeps: [
        (name: "a", field: "experiment.horizn", values: [100, 200], metrics: ["wait"]),
        (name: "b", field: "experiment.horizon", values: [100, -200], metrics: ["waits"]),
        (name: "c", field: "experiment.horizon", values: [100, 200], metrics: ["sucess ratio"]),
    ],"#;
    let said = refused(&with(sweeps), &["check", "s.ron"]);
    for place in ["sweeps[0].field: ", "sweeps[1].values[1]: ", "sweeps[1].metrics[0]: ", "sweeps[2].metrics[0]: "] {
        assert!(said.contains(place), "{place} is not in\n{said}");
    }
}

#[test]
fn overrides_say_the_whole_path_and_that_each_needs_its_own_option() {
    let said = refused(GRID, &["run", "s.ron", "--set", "horizon=48"]);
    assert!(said.contains("--set horizon=48: horizon: there is no such field; did you mean `experiment.horizon`?"));
    let said = refused(GRID, &["run", "s.ron", "--set", "experiment.horizon=48,seed=3"]);
    assert!(said.contains("give each a `--set` of its own: `--set experiment.horizon=48 --set seed=3`"), "{said}");
    assert_eq!(said.matches("--set experiment.horizon=48,seed=3:").count(), 1, "one error: {said}");
}

#[test]
fn files_that_are_no_scenarios_say_which_command_takes_them() {
    let said = refused(GRID, &["run", "x.swf"]);
    assert_eq!(said, "error: x.swf is a log, not a scenario: use `gridloom replay x.swf --policy EASY`\n");
    let said = refused(GRID, &["check", "a/job.dot", "log.swf.gz"]);
    assert!(said.contains("tasks: File(path: \"a/job.dot\"") && said.contains("replay log.swf.gz"), "{said}");
}

#[test]
fn options_say_which_numbers_they_take() {
    for (option, value, wanted) in [
        ("--seed", "abc", "give a whole number of at least 0"),
        ("--seed", "-1", "give a whole number of at least 0"),
        ("--replications", "0", "give a whole number of at least 1"),
        ("--threads", "5000", "give a whole number from 1 to 1024"),
    ] {
        let said = refused(GRID, &["run", "s.ron", option, value]);
        let expected = format!("error: invalid value '{value}' for '{option} <N>': {wanted}");
        assert!(said.starts_with(&expected), "{said}");
    }
    let said = refused(GRID, &["generate", "--jobs", "5", "--nodes", "4", "--load", "heavy"]);
    assert!(said.contains("give a number from 0.001 to 100"), "{said}");
}

#[test]
fn kinds_are_known_by_any_of_their_spellings() {
    let folder = tempfile::tempdir().unwrap();
    let starter = gridloom(folder.path(), &["init", "workflows"]).stdout;
    assert!(text(&starter).contains("Workflows("));
    for name in ["Workflows", "WORKFLOWS"] {
        assert!(gridloom(folder.path(), &["init", name]).stdout == starter, "{name}");
    }
    assert!(text(&gridloom(folder.path(), &["list", "Replay_Policies"]).stdout).starts_with("Policies of a replay"));
    let said = refused(GRID, &["init", "workflws"]);
    assert!(said.contains("a similar value exists: 'workflows'") && said.contains("multicriteria"), "{said}");
}

#[test]
fn times_with_units_give_the_same_bytes_as_plain_numbers() {
    let units = GRID
        .replace("horizon: 200", "horizon: \"3 h 20 min\"")
        .replace("step: 50", "step: \"3000 s\"")
        .replace("mean: 90", "mean: \"1.5 hours\"")
        .replace("length: 20)", "length: \"20 minutes\")")
        .replace("gap: 15", "gap: \"0.25 h\"")
        .replace("length: 10)", "length: \"600 s\")")
        .replace("period: 10", "period: \"10min\"");
    assert_eq!(units.matches('"').count(), GRID.matches('"').count() + 14, "all were replaced");
    let (plain, timed) = (folder_with(GRID), folder_with(&units));
    for folder in [&plain, &timed] {
        let done = gridloom(folder.path(), &["run", "s.ron", "-q", "-o", "out"]);
        assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    }
    for file in ["results.csv", "observations.csv.gz", "scenario.ron", "jobs.csv"] {
        let read = |folder: &tempfile::TempDir| fs::read(folder.path().join("out").join(file)).unwrap();
        assert!(read(&plain) == read(&timed), "{file}");
    }
    // A sweep, and a call whose quotes the shell has taken.
    let swept = with(r#"sweeps: [(name: "p", field: "experiment.metascheduler.period", values: ["5 min", "1 h"])],"#);
    let folder = folder_with(&swept);
    let done = gridloom(folder.path(), &["check", "s.ron", "--set", "experiment.horizon=2 d"]);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
}

#[test]
fn a_scenario_comes_from_standard_input() {
    let folder = tempfile::tempdir().unwrap();
    let done = with_input(folder.path(), &["check", "-"], GRID);
    assert_eq!((text(&done.stdout).as_str(), done.status.code()), ("<stdin>: ok\n", Some(0)));
    let done = with_input(folder.path(), &["run", "-", "-q"], GRID);
    assert_eq!(done.status.code(), Some(0), "{}", text(&done.stderr));
    assert!(folder.path().join("output/small/results.csv").exists());
    let done = with_input(folder.path(), &["check", "-"], "(name: 5)");
    assert_eq!(done.status.code(), Some(2));
    assert!(text(&done.stderr).starts_with("<stdin>:1:1: the field `experiment` is missing"), "{}", text(&done.stderr));
    let done = with_input(folder.path(), &["check", "-", "-"], GRID);
    assert_eq!(text(&done.stderr), "error: standard input can be read only once: give `-` once\n");
    // Files are looked for in the present folder.
    let file = "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: File(path: \"no.dot\", bandwidth: 1))], methods: [Heft],
        domain: (nodes: 2, types: [1]), deadline: 9, steps: true))";
    let done = with_input(folder.path(), &["check", "-"], file);
    assert!(
        text(&done.stderr).contains("experiment.cases[0].tasks.path: the file can't be read"),
        "{}",
        text(&done.stderr)
    );
    fs::write(folder.path().join("no.dot"), "digraph { a [size=1] }").unwrap();
    assert_eq!(with_input(folder.path(), &["check", "-"], file).status.code(), Some(0));
}

#[test]
fn whoever_is_told_of_force_can_use_it() {
    let folder = folder_with(GRID);
    let said = |args: &[&str]| text(&gridloom(folder.path(), args).stderr);
    fs::create_dir(folder.path().join("mine")).unwrap();
    fs::write(folder.path().join("mine/notes.txt"), "mine").unwrap();
    let plain = said(&["run", "s.ron", "-o", "mine"]);
    assert!(!plain.contains("--force") && plain.contains("mine/notes.txt is not part of an earlier result"), "{plain}");
    assert_eq!(plain, said(&["run", "s.ron", "-o", "mine", "-f"]), "the same with --force");
    let log = ["generate", "--jobs", "5", "--nodes", "4", "--load", "0.5", "-o", "mine"];
    let plain = said(&log);
    assert!(!plain.contains("--force") && plain.contains("it is not a plain file"), "{plain}");
    // A result of ours: the advice holds.
    assert_eq!(said(&["run", "s.ron", "-q"]), "");
    assert!(said(&["run", "s.ron", "-q"]).contains("output/small exists already; --force replaces it"));
    assert_eq!(said(&["run", "s.ron", "-q", "-f"]), "");
    // And what an interrupted run has kept is not lost by it unawares.
    let kept = folder.path().join("output/small.blocks");
    let study = gridloom::study::load_study(&gridloom::language::Source::new("s.ron", GRID), &[]).unwrap();
    let (target, earlier) = (folder.path().join("output/small"), gridloom::report::Earlier::Use);
    let store = gridloom::report::KeptReplications::open(&target, earlier, &study).unwrap();
    gridloom::study::run_or_resume(&study, &gridloom::study::NoProgress, &store).unwrap();
    store.flush().unwrap();
    assert!(kept.exists());
    let both = said(&["run", "s.ron", "-q"]);
    assert!(both.contains("--resume --force goes on from there") && both.contains("small.blocks keeps"), "{both}");
    let resumed = said(&["run", "s.ron", "--resume", "-f"]);
    assert!(resumed.contains("small: resuming: 2 of 2 replications kept\n"), "{resumed}");
    assert!(!kept.exists(), "it is used up");
}

#[test]
fn a_path_with_an_index_that_leads_nowhere_is_told_where_it_should_lead() {
    let folder = folder_with(GRID);
    for (path, meant) in [("flows[0].max_price", "experiment.flows"), ("experiment.flow[0].max_price", "flows")] {
        let sweep = format!("sweeps=[(name: \"s\", field: \"{path}\", values: [1, 2], label: \"s\")]");
        for set in [sweep, format!("{path}=1")] {
            let said = text(&gridloom(folder.path(), &["check", "s.ron", "--set", &set]).stderr);
            let meant = format!("there is no such field; did you mean `{meant}`?");
            assert!(said.contains(&meant) && !said.contains("nothing yet to index"), "{set}: {said}");
        }
    }
    let said = text(&gridloom(folder.path(), &["check", "s.ron", "--set", "replications=9e18"]).stderr);
    assert!(said.contains("replications: 9e18 is too large; give a whole number"), "{said}");
}

#[test]
fn owners_with_load_and_gap_are_told_to_leave_one_out() {
    let owners = |fields: &str| {
        let domains = format!("experiment.domains=[(name: \"d\", nodes: 2, owners: [({fields}, length: 3)])]");
        refused(GRID, &["check", "s.ron", "--set", &domains])
    };
    let both = owners("load: 0.2, gap: 5");
    assert!(both.contains("both `load` and `gap` are given; leave one of them out"), "{both}");
    let neither = owners("notice: 1");
    assert!(neither.contains("this needs either `load` or `gap`; give one of them"), "{neither}");
}

#[test]
fn colours_are_for_terminals_and_whoever_asks_for_them() {
    let folder = folder_with("(name: 5)");
    let coloured = |variables: &[(&str, &str)]| {
        let done = call(folder.path(), &["check", "s.ron"]).envs(variables.iter().copied()).output().unwrap();
        assert_eq!(done.status.code(), Some(2));
        text(&done.stderr).contains("\x1b[1ms.ron:1:1\x1b[0m")
    };
    assert!(!coloured(&[]), "standard error is no terminal");
    assert!(coloured(&[("CLICOLOR_FORCE", "1")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "0")]));
    assert!(!coloured(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")]), "the wish for none is stronger");
}

#[test]
fn one_of_a_thing_is_not_many() {
    let folder = tempfile::tempdir().unwrap();
    let log = "1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 -1 -1\nword\n";
    fs::write(folder.path().join("x.swf"), log).unwrap();
    let done = gridloom(folder.path(), &["replay", "x.swf", "--policy", "EASY", "--nodes", "4"]);
    let said = text(&done.stderr);
    assert!(said.starts_with("x.swf: 1 bad line, 0 lines out of order:\n  line 2: 1 field instead of 18\n"), "{said}");
    let folder = folder_with(GRID);
    assert_eq!(gridloom(folder.path(), &["run", "s.ron", "--replications", "1", "-q"]).status.code(), Some(0));
    let page = fs::read_to_string(folder.path().join("output/small/report.html")).unwrap();
    assert!(!page.contains("over 1 replications") && page.contains("From one replication"));
}
