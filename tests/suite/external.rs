//! Policies that are programs of the user's own: the same schedules as policies of the library, and a clear end for every
//! way in which a program can go wrong.

#![allow(clippy::disallowed_methods, reason = "the tests see to it that nothing waits for long")]

/// The example itself, of which only the policy is used.
#[path = "../../examples/own_policy.rs"]
#[allow(dead_code, reason = "an example has more to show")]
mod own_policy;

mod processes;

use super::program::{done, ends};
use gridloom::language::Source;
use gridloom::policy::PolicySpec;
use gridloom::study::{NoProgress, Outcome, Point, load_study, run};
use own_policy::ShortestWithAging;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Two nodes, one of them slow and cheap, and two jobs on one node each, at 0 and at 50.
const QUIET: &str = "(horizon: 100, step: 10,
    domains: [(name: \"a\", nodes: 1), (name: \"b\", nodes: 1, performance: 0.5, price_scale: 3)],
    flows: [(name: \"f\", arrivals: Batches(every: 50, size: 2), work: Rigid(nodes: 1, length: 10, min_performance: 0.5), max_price: 2, patience: 4)],
    metascheduler: (period: 5, interval: 60), policies: [POLICY])";

/// More jobs than the nodes can serve, and owners who come first.
const BUSY: &str = "(name: \"busy\", replications: 2, experiment: Grid(horizon: 300, step: 100, time_unit: \"minutes\",
    domains: [
        (name: \"a\", nodes: 4, performance: Uniform(low: 1, high: 2), price_spread: Uniform(low: -0.2, high: 0.3),
         owners: [(load: 0.2, length: Uniform(low: 5, high: 20), notice: 10)]),
        (name: \"b\", nodes: 3, performance: 1, failures: (up: Exponential(mean: 90), down: 10)),
    ],
    flows: [(name: \"f\", arrivals: Load(load: 0.8), work: Rigid(nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 2, high: 19)),
        users: 3, max_price: Uniform(low: 1, high: 2), patience: Uniform(low: 3, high: 20))],
    metascheduler: (period: 5, interval: 60), policies: [POLICIES], actual: Uniform(low: 0.6, high: 1.2), PRICING))";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn examples() -> PathBuf {
    root().join("examples/external")
}

/// True if there is Python; the tests that need it say so otherwise.
fn has_python() -> bool {
    let there = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !there {
        eprintln!("skipped: there is no python3");
    }
    there
}

/// What a scenario in the folder of the examples gives.
fn outcome(text: &str) -> Outcome {
    let source = Source::new(examples().join("test.ron").display().to_string(), text);
    let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{text}\n{report}"));
    run(&study, &NoProgress).unwrap_or_else(|error| panic!("{error}"))
}

/// The lines of `jobs.csv` about a policy, without its name.
fn jobs(outcome: &Outcome, policy: &str) -> Vec<String> {
    let (_, jobs) = outcome.files.iter().find(|(name, _)| name == "jobs.csv").expect("there are jobs");
    let text = String::from_utf8(jobs.bytes().expect("it is written").to_vec()).unwrap();
    text.lines().filter_map(|line| line.strip_prefix(&format!("{policy},"))).map(String::from).collect()
}

/// All numbers of a policy in all worlds.
fn rows(outcome: &Outcome, policy: &str) -> Vec<(String, f64, Option<f64>, u64)> {
    let of = outcome.results.rows.iter().filter(|row| row.series == policy);
    of.map(|row| (row.metric.clone(), row.mean, row.ci95, row.n)).collect()
}

fn assert_same(outcome: &Outcome, one: &str, other: &str) {
    let schedule = jobs(outcome, one);
    assert!(schedule.len() > 20, "{}", schedule.len());
    assert_eq!(schedule, jobs(outcome, other));
    assert!(rows(outcome, one).len() > 20);
    assert_eq!(rows(outcome, one), rows(outcome, other));
}

#[test]
fn first_come_in_awk_makes_the_schedule_of_first_window() {
    let policies = "FirstWindow, External(command: [\"sh\", \"first_come.sh\"], name: \"awk\")";
    for pricing in ["pricing: None", "pricing: (elasticity: 0.5, target: 0.4)"] {
        let outcome = outcome(&BUSY.replace("POLICIES", policies).replace("PRICING", pricing));
        assert_same(&outcome, "first window", "awk");
        let notes: Vec<&String> = outcome.notes.iter().filter(|note| note.contains("outside gridloom")).collect();
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("awk comes from outside"), "{notes:?}");
    }
}

/// Both rules of runtimes, both limits of cost, workflows, and the shipped scenario.
#[test]
fn shortest_first_in_python_makes_the_schedule_of_the_example_in_rust() {
    if !has_python() {
        return;
    }
    let python = "External(command: [\"python3\", \"shortest_first.py\"], name: \"python\")";
    let busy = BUSY.replace("POLICIES", python).replace("PRICING", "pricing: (elasticity: 0.5, target: 0.4)");
    let day = fs::read_to_string(root().join("scenarios/grid-day.ron")).unwrap();
    let day_set = [format!("experiment.policies=[{python}]"), "replications=2".into(), "experiment.horizon=360".into()];
    let volume = ["experiment.runtime=Volume".to_string(), "experiment.metascheduler.search=Alp".to_string()];
    let workflow = "experiment.flows[0].work=Workflow(nodes: 2, window_factor: 1.2, tasks: Layered(tiers: 2,
        width: UniformInteger(low: 1, high: 3), density: 0.5, time: Uniform(low: 1, high: 6), transfer: 1))";
    let cases: [(&str, &[String]); 4] =
        [(&busy, &[]), (&busy, &volume), (&busy, &[workflow.to_string()]), (&day, &day_set)];
    for (text, set) in cases {
        let source = Source::new(examples().join("test.ron").display().to_string(), text);
        let study = load_study(&source, set).unwrap_or_else(|report| panic!("{report}"));
        let rust = ShortestWithAging { aging: 1.0 };
        let name = rust.name();
        let outcome = run(&study.with_policy(rust).unwrap(), &NoProgress);
        assert_same(&outcome.unwrap_or_else(|error| panic!("{set:?}: {error}")), &name, "python");
    }
}

/// A folder with a program `policy.sh` in it.
struct ProgramFolder(tempfile::TempDir);

impl ProgramFolder {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("policy.sh"), script).unwrap();
        Self(folder)
    }

    /// The error of a run with a policy of the scenario language, and how long it took.
    fn error_of(&self, policy: &str) -> (String, Duration) {
        let text = format!("(name: \"quiet\", experiment: Grid{})", QUIET.replace("POLICY", policy));
        let source = Source::new(self.0.path().join("quiet.ron").display().to_string(), text);
        let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}"));
        let started = Instant::now();
        let error = run(&study, &NoProgress).expect_err("the run fails").to_string();
        (error, started.elapsed())
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.path().join(file)).unwrap()
    }
}

/// The error of a program that says so at the second decision, at time 5.
fn error_after(commands: &str) -> String {
    let script = format!("read start\nread first\necho '{{}}'\nread second\n{commands}\n");
    let (error, took) = ProgramFolder::new(&script)
        .error_of("External(command: [\"sh\", \"policy.sh\"], name: \"mine\", answer_within: 5)");
    assert!(took < Duration::from_secs(5), "{took:?} {error}");
    error
}

/// The same for an answer.
fn error_of_answer(answer: &str) -> String {
    error_after(&format!("echo '{answer}'; read third; sleep 60"))
}

#[test]
fn decisions_that_can_not_be_are_told_with_job_time_and_remedy() {
    let is_wrong = |answer: &str, wrong: &str| {
        let said = error_of_answer(answer);
        let start = "policy mine failed at time 5: the program's answer to decision 2 can't be carried out: ";
        assert_eq!(said, format!("{start}{wrong}"));
    };
    is_wrong(
        r#"{"reserve": [{"job": 9, "start": 5, "nodes": [0]}]}"#,
        "reserve[0], job 9: no such job waits; give the `id` of a job in `queue`: 0, 1",
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 5, "nodes": [0]}, {"job": 1, "start": 14.5, "nodes": [0]}]}"#,
        "reserve[1], job 1 (f-2): node 0 (a-1) is not free in [14.5, 24.5); it is free in [15, 65) after the \
         reservations before it in the answer",
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 56, "nodes": [0]}]}"#,
        "reserve[0], job 0 (f-1): on node 0 (a-1) it would end at 66, after its deadline 40; start it earlier or on \
         faster nodes, or let it wait",
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 4.999999, "nodes": [0]}]}"#,
        "reserve[0], job 0 (f-1): its start 4.999999 is in the past: it is 5; give a time from 5 on",
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 1e300, "nodes": [0]}]}"#,
        &format!("reserve[0], job 0 (f-1): its start {} is beyond all times; give a time from 5 on", 1e300),
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 5, "nodes": []}]}"#,
        "reserve[0], job 0 (f-1): it gets 0 nodes and asks for 1; give 1 node",
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 5, "nodes": [7]}]}"#,
        "reserve[0], job 0 (f-1): there is no node 7; give nodes from 0 to 1",
    );
    is_wrong(
        r#"{"reserve": [{"job": 0, "start": 5, "nodes": [0]}], "promise": [{"job": 0, "start": 6}]}"#,
        "promise[0], job 0 (f-1): the answer has decided on this job already; name each job once",
    );
    is_wrong(
        r#"{"promise": [{"job": 1, "start": 1}]}"#,
        "promise[0], job 1 (f-2): its start 1 is in the past: it is 5; give a time from 5 on",
    );
    is_wrong(
        r#"{"send": [{"job": 1, "domain": 0}]}"#,
        "send[0], job 1 (f-2): domain 0 (a) has no batch system; no domain has a batch system: reserve nodes",
    );
    let dear = error_of_answer(r#"{"reserve": [{"job": 0, "start": 5, "nodes": [1]}]}"#);
    assert!(
        dear.contains("job 0 (f-1): its window costs ") && dear.contains("and its budget is 20; give nodes"),
        "{dear}"
    );
}

#[test]
fn a_node_may_be_there_once_and_has_to_be_fast_and_cheap_enough() {
    let error = |nodes: &str, set: &[(&str, &str)]| {
        let script = format!(
            "read start\nread first\necho '{{\"reserve\": [{{\"job\": 0, \"start\": 0, \"nodes\": {nodes}}}]}}'\nread s\n"
        );
        let folder = ProgramFolder::new(&script);
        let text = format!("(name: \"quiet\", experiment: Grid{QUIET})")
            .replace("POLICY", "External(command: [\"sh\", \"policy.sh\"])");
        let text = set.iter().fold(text, |text, (old, new)| text.replace(old, new));
        let source = Source::new(folder.0.path().join("quiet.ron").display().to_string(), text);
        let study = load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}"));
        run(&study, &NoProgress).expect_err("the run fails").to_string()
    };
    let twice = error("[0, 0]", &[("nodes: 1, length", "nodes: 2, length")]);
    assert!(twice.ends_with("node 0 (a-1) is there twice; give each node once"), "{twice}");
    let slow = error("[1]", &[("min_performance: 0.5", "min_performance: 1")]);
    let expected = "node 1 (b-1) has a performance of 0.5, and the job needs 1; give nodes of `performance` 1 or more";
    assert!(slow.ends_with(expected), "{slow}");
    let dear = error("[1]", &[("interval: 60", "interval: 60, search: Alp"), ("max_price: 2", "max_price: 1")]);
    assert!(
        dear.contains("node 1 (b-1) has a price of ") && dear.ends_with("give nodes of `price` 1 or less"),
        "{dear}"
    );
}

#[test]
fn what_is_no_answer_is_shown_with_what_would_be_one() {
    let unreadable = |answer: &str, why: &str| {
        let said = error_of_answer(answer);
        let start = "policy mine failed at time 5: the answer of the program to decision 2 can't be read: ";
        assert!(said.starts_with(&format!("{start}{why}")), "{said}");
        assert!(said.contains(r#"write one line such as {"reserve": [{"job": 3, "#), "{said}");
    };
    unreadable("hello", "an answer is a JSON object, in `hello`");
    unreadable("", "the line is empty");
    unreadable("[]", "an answer is a JSON object");
    unreadable(r#"{"reserve": ["#, "EOF while parsing a list at line");
    let fields = "unknown field `rezerve`, expected one of `decision`, `reserve`, `promise`, `send`";
    unreadable(r#"{"rezerve": []}"#, fields);
    unreadable(r#"{"decision": 1}"#, "it is about decision 1, in");
    unreadable(r#"{"reserve": [{"job": 0, "start": 5}]}"#, "missing field `nodes`");
    unreadable(r#"{"reserve": [{"job": 0, "start": 5, "nodes": [0], "end": 9}]}"#, "unknown field `end`");
    unreadable(
        r#"{"reserve": [{"job": "f-1", "start": 5, "nodes": [0]}]}"#,
        "invalid type: string \"f-1\", expected u32",
    );
    unreadable(r#"{"reserve": [{"job": -1, "start": 5, "nodes": [0]}]}"#, "invalid value: integer `-1`, expected u32");
    unreadable(r#"{"reserve": [7]}"#, "invalid type: integer `7`, expected an object with `job`, `start` and `nodes`");
    // Two answers to one question.
    let said = error_after("printf '{}\\n{}\\n'; read third; sleep 60");
    let expected = "policy mine failed at time 10: the answer of the program to decision 3 can't be read: it wrote a line before it was asked";
    assert!(said.starts_with(expected), "{said}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_program_left_behind_neither_answers_for_it_nor_outlives_the_run() {
    let folder = ProgramFolder::new("sleep 777 & echo $! > child; exit 4");
    let (said, took) = folder.error_of("External(command: [\"sh\", \"policy.sh\"], name: \"mine\", answer_within: 60)");
    assert!(took < Duration::from_secs(20), "{took:?}");
    assert!(said.contains("the program ended before it had answered decision 1: exit status: 4"), "{said}");
    let child = std::fs::read_to_string(folder.0.path().join("child")).unwrap();
    // One that is ended may take a moment to go.
    let is_gone = || {
        let state = std::fs::read_to_string(format!("/proc/{}/stat", child.trim())).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    };
    let there = (0..200).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        is_gone()
    });
    assert!(there, "the child {child} is still there");
}

#[test]
fn programs_that_are_not_there_are_told_before_the_run_or_when_they_are_started() {
    let folder = ProgramFolder::new("");
    let report = |policy: &str| {
        let text = format!("(name: \"quiet\", experiment: Grid{})", QUIET.replace("POLICY", policy));
        load_study(&Source::new(folder.0.path().join("q.ron").display().to_string(), text), &[])
            .unwrap_err()
            .to_string()
    };
    let said = report("External(command: [\"./nothing\"])");
    assert!(
        said.contains("experiment.policies[0].command: there is no program ") && said.contains("nothing"),
        "{said}"
    );
    let said = report("(policy: External(command: [\"a/b\"]), name: \"x\")");
    assert!(said.contains("experiment.policies[0].policy.command: there is no program"), "{said}");
    let said = report("External(command: [\"sh\"], folder: \"elsewhere\")");
    assert!(said.contains("experiment.policies[0].folder: there is no folder"), "{said}");
    assert!(report("External(command: [])").contains("the list is empty"));
    assert!(report("External(command: [\"\"])").contains("the program has no name"));
    let (said, _) = folder.error_of("External(command: [\"no-such-program-anywhere\"])");
    let expected =
        "policy no-such-program-anywhere failed at time 0: the program `no-such-program-anywhere` can't be started: ";
    assert!(said.starts_with(expected), "{said}");
    // A file that is no program.
    let (said, _) = folder.error_of("External(command: [\"./policy.sh\"])");
    assert!(
        said.contains("policy policy.sh failed at time 0: the program `") && said.contains("can't be started"),
        "{said}"
    );
}

/// From the command line: the status of a failed run, and a result that repeats itself from its own folder.
#[test]
fn a_failed_run_has_status_1_and_a_result_can_be_run_again() {
    let folder = ProgramFolder::new("exit 4");
    let here = folder.0.path();
    fs::create_dir(here.join("mine")).unwrap();
    fs::copy(examples().join("first_come.sh"), here.join("mine/first_come.sh")).unwrap();
    let text = |policy: &str| {
        format!("(name: \"quiet\", replications: 2, experiment: Grid{})", QUIET.replace("POLICY", policy))
    };
    fs::write(here.join("mine/bad.ron"), text("External(command: [\"sh\", \"../policy.sh\"])")).unwrap();
    let errors = ends(here, 1, &["run", "mine/bad.ron", "--out", "bad"]);
    assert!(errors.contains("exit status: 4"), "{errors}");
    fs::write(here.join("mine/good.ron"), text("External(command: [\"./first_come.sh\"])")).unwrap();
    let said = done(here, &["run", "mine/good.ron", "--out", "out/good"]);
    assert!(said.contains("first_come.sh comes from outside gridloom"), "{said}");
    done(here, &["run", "out/good/scenario.ron", "--out", "again"]);
    let rows = |folder: &str| fs::read(here.join(folder).join("results.csv")).unwrap();
    assert_eq!(rows("out/good"), rows("again"));
}

/// Jobs for a batch system, and promises.
#[test]
fn programs_send_jobs_and_make_promises() {
    let folder = ProgramFolder::new(
        "while read line; do case $line in *'\"decision\":1,'*) echo '{\"send\": [{\"job\": 0, \"domain\": 0}], \"promise\": [{\"job\": 1, \"start\": 30}]}' ;;
        *'\"decide\"'*) echo \"$line\" > second; echo '{}' ;; esac; done",
    );
    let text = QUIET
        .replace("(name: \"a\", nodes: 1)", "(name: \"a\", nodes: 1, batch_system: (queue: Easy))")
        .replace("POLICY", "External(command: [\"sh\", \"policy.sh\"], name: \"mine\")");
    let source = Source::new(
        folder.0.path().join("q.ron").display().to_string(),
        format!("(name: \"q\", experiment: Grid{text})"),
    );
    let outcome = run(&load_study(&source, &[]).unwrap(), &NoProgress).unwrap();
    let ran = jobs(&outcome, "mine");
    assert!(ran[0].starts_with("f-1,") && ran[0].contains(",a,"), "{ran:?}");
    let told: Value = serde_json::from_str(&folder.read("second")).unwrap();
    assert!(told["systems"][0]["domain"] == 0, "{told}");
}

/// The names of all fields of a message.
fn fields(message: &Value, found: &mut BTreeSet<String>) {
    match message {
        Value::Object(inside) => {
            for (name, value) in inside {
                found.insert(name.clone());
                fields(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, found)),
        _ => {}
    }
}

/// The messages that the guide shows are those of the scenario that it shows, and all their fields are explained there.
#[test]
fn the_guide_shows_a_real_exchange_and_explains_every_field() {
    let page = fs::read_to_string(root().join("guide/own-policy.md")).unwrap();
    let block = |info: &str| -> Vec<String> {
        let opening = format!("```{info}\n");
        let parts = page.split(&opening).skip(1);
        parts.map(|part| part.split("```").next().unwrap().to_string()).collect()
    };
    let folder = ProgramFolder::new("tee -a told | sh first_come.sh | tee -a answered");
    fs::copy(examples().join("first_come.sh"), folder.0.path().join("first_come.sh")).unwrap();
    let scenario = block("ron two-nodes.ron").remove(0).replace("first_come.sh", "policy.sh");
    let source = Source::new(folder.0.path().join("two-nodes.ron").display().to_string(), scenario);
    run(&load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}")), &NoProgress).unwrap();
    let lines = |file: &str| -> Vec<Value> {
        folder.read(file).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (told, answered) = (lines("told"), lines("answered"));
    let shown: Vec<Value> = block("json").iter().map(|text| serde_json::from_str(text).unwrap()).collect();
    let real = [&told[0], &told[1], &answered[0], told.last().unwrap()];
    for (shown, real) in shown.iter().zip(real) {
        assert_eq!(shown, real, "the guide should show\n{real}");
    }
    assert_eq!(shown.len(), real.len());
    let mut all = BTreeSet::new();
    real.into_iter().for_each(|message| fields(message, &mut all));
    all.extend(["promise", "send", "domain", "waiting"].map(String::from));
    for field in all {
        assert!(page.contains(&format!("`{field}`")), "the guide does not explain `{field}`");
    }
}

#[test]
fn what_was_kept_of_a_program_is_of_no_use_once_it_has_changed() {
    let folder = tempfile::tempdir().unwrap();
    let text = BUSY.replace("POLICIES", "External(command: [\"sh\", \"mine.sh\"])").replace(", PRICING", "");
    let point = |program: &str| {
        fs::write(folder.path().join("mine.sh"), program).unwrap();
        let source = Source::new(folder.path().join("s.ron").display().to_string(), text.clone());
        Point::of_study(&load_study(&source, &[]).unwrap_or_else(|report| panic!("{report}")))
    };
    let first = point("echo 1");
    assert_ne!(point("echo 2"), first);
    assert_eq!(point("echo 1"), first);
}
