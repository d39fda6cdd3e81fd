//! Good inputs with a few edits: whatever comes of them, no reader and no run panics.
//!
//! The cases are numbered, and a number alone decides its case. `GRIDLOOM_MUTATIONS=N` makes N cases of each test instead of a few
//! hundred, and `GRIDLOOM_MUTATIONS_FROM=N` begins at another number, so that long searches can be shared out:
//! `GRIDLOOM_MUTATIONS=10000000 cargo test --release --test suite mutation`. Runs then get larger numbers too, and the scenario at hand is
//! kept as `gridloom-mutation.ron` in the folder for temporary files.

#[path = "mutation/edits.rs"]
mod edits;

use edits::{mutate, replace_number, stream};
use flate2::Compression;
use flate2::write::GzEncoder;
use gridloom::engine::Stop;
use gridloom::language::{Count, Describe, Parts, Source, VariantEntry, load};
use gridloom::rng::{Stream, below};
use gridloom::study::{Experiment, Progress, Scenario, load_study, run};
use gridloom::workload::swf::{Header, Log, LogLimits, Record, write};
use gridloom::workload::{FileTask, TaskFileError, read_dot, read_wfcommons};
use std::io::Write;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::time::Duration;

/// The cases of a test: `usual` of them, unless the environment says otherwise.
fn cases(usual: u64) -> Range<u64> {
    let read = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number of cases"));
    let first: u64 = read("GRIDLOOM_MUTATIONS_FROM").unwrap_or(0);
    first..first + read("GRIDLOOM_MUTATIONS").unwrap_or(usual)
}

/// Runs every case, and shows the inputs of those that panic; how many inputs were good all the same.
fn survive(what: &str, usual: u64, input: impl Fn(&mut Stream) -> Vec<u8>, judge: impl Fn(&[u8]) -> bool) -> u64 {
    let mut good = 0;
    let mut panics = Vec::new();
    for case in cases(usual) {
        let bytes = input(&mut stream(what, case));
        match catch_unwind(AssertUnwindSafe(|| judge(&bytes))) {
            Ok(is_good) => good += u64::from(is_good),
            Err(_) => panics.push(format!("{what}, case {case}:\n{}", String::from_utf8_lossy(&bytes))),
        }
    }
    assert!(panics.is_empty(), "{} cases panic:\n{}", panics.len(), panics.join("\n----\n"));
    good
}

/// What makes starter files small enough to be run many times, by kind of experiment.
const SMALL: &[(&str, &[&str])] = &[
    ("Windows", &[]),
    ("Batches", &["replications=1"]),
    (
        "Grid",
        &[
            "replications=1",
            "experiment.horizon=60",
            "experiment.step=10",
            "experiment.metascheduler.period=10",
            "experiment.metascheduler.genetic=(population: 4, patience: 2)",
            "experiment.metascheduler.exact=(nodes: 1, steps: 5)",
        ],
    ),
    ("Multicriteria", &[]),
    ("Replay", &["experiment.logs[0].jobs=30"]),
    ("Workflows", &["replications=1", "experiment.attempts=2"]),
    (
        "Brokers",
        &[
            "replications=1",
            "experiment.jobs.count=6",
            "experiment.genetic=(population: 4, cap: 4)",
            "experiment.repaired=(population: 4, cap: 4)",
            "experiment.exact=(nodes: 1, steps: 5)",
        ],
    ),
];

/// Scenarios of forms that starters show in comments alone, and what makes them small.
const FORMS: [(&str, &[&str]); 4] = [
    (include_str!("../../scenarios/six-tasks.ron"), &["sweeps=[]", "published=[]"]),
    (
        include_str!("../../scenarios/two-tier-table.ron"),
        &["replications=1", "experiment.flow.jobs=4", "experiment.flow.exact_limit=50", "sweeps=[]", "published=[]"],
    ),
    (
        include_str!("../../scenarios/multicriteria-study.ron"),
        &["replications=1", "experiment.market.jobs=4", "sweeps=[]"],
    ),
    (
        include_str!("../../scenarios/preferences.ron"),
        &["replications=1", "experiment.market.past=4", "experiment.market.fresh=4", "sweeps=[]"],
    ),
];

/// The starter of every kind of experiment, with what makes it small.
fn starters() -> Vec<(&'static str, &'static [&'static str])> {
    let Parts::Variants(kinds) = Experiment::describe().parts else { panic!("the kinds are a choice") };
    let small =
        |kind: &VariantEntry| SMALL.iter().find(|(name, _)| *name == kind.name).map_or(&[][..], |(_, small)| small);
    let starters = kinds.iter().map(|kind| (kind.starter.expect("every kind has a starter"), small(kind)));
    starters.chain(FORMS).collect()
}

fn starter_texts() -> Vec<Vec<u8>> {
    starters().iter().map(|(text, _)| text.as_bytes().to_vec()).collect()
}

#[test]
fn scenarios_are_read_or_refused() {
    let seeds = starter_texts();
    let input = |stream: &mut Stream| mutate(&seeds, stream);
    let good = survive("scenario", 600, input, |bytes| {
        match load::<Scenario>(Source::new("mutated.ron", String::from_utf8_lossy(bytes)), &[]) {
            Ok(_) => true,
            Err(report) => {
                assert!(!report.to_string().is_empty());
                false
            }
        }
    });
    assert!(good > 0, "edits in comments leave a scenario good");
}

/// A log with a header and a few jobs, plain, and with a byte-order mark and extra fields.
fn logs() -> Vec<Vec<u8>> {
    let entries = [("MaxProcs", "64"), ("Note", "a log: with colons"), ("UnixStartTime", "843000000")];
    let header = Header { entries: entries.map(|(key, value)| (key.into(), value.into())).to_vec() };
    let records = (0..30).map(|job| Record::new(job, 100 * job, job * job % 977, 1 + job % 9, 600));
    let mut plain = Vec::new();
    write(&mut plain, &header, records).unwrap();
    let marked = [b"\xEF\xBB\xBF".as_slice(), &plain].concat();
    let extended = String::from_utf8(plain.clone()).unwrap().replace(" -1\n", " -1 7 gpu 9\r\n").into_bytes();
    vec![plain, marked, extended]
}

fn zipped(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

fn read_log(bytes: &[u8]) -> bool {
    let limits = LogLimits { header: Count::of(100), records: Count::of(1000), bytes: Count::of(1 << 20) };
    match Log::read_within(bytes, limits) {
        Ok(log) => {
            assert!(log.records.is_sorted_by_key(|record| record.submit));
            assert!(log.faults.are_none() || !log.faults.to_string().is_empty());
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn logs_are_read_or_refused() {
    let seeds = logs();
    let input = |stream: &mut Stream| mutate(&seeds, stream);
    assert!(survive("log", 1500, input, read_log) > 0);
    // Compressed: edits before, and edits of the compressed bytes themselves.
    let compressed: Vec<Vec<u8>> = seeds.iter().map(|seed| zipped(seed)).collect();
    let input = |stream: &mut Stream| match below(stream, 4) {
        0 => zipped(&mutate(&seeds, stream)),
        _ => mutate(&compressed, stream),
    };
    assert!(survive("compressed log", 1500, input, read_log) > 0);
}

/// What every list of tasks promises.
fn is_job(read: Result<Vec<FileTask>, TaskFileError>) -> bool {
    match read {
        Ok(tasks) => {
            assert!(tasks.iter().all(|task| task.size >= 0.0 && task.size.is_finite()));
            assert!(tasks.iter().flat_map(|task| &task.inputs).all(|&(from, data)| from < tasks.len() && data >= 0.0));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            false
        }
    }
}

#[test]
fn workflow_files_are_read_or_refused() {
    let flat = |version: &str, list: &str| {
        format!(
            r#"{{ "schemaVersion": "{version}", "workflow": {{ "{list}": [
                {{ "name": "a_ID1", "id": "ID1", "runtime": 896.867, "parents": [], "children": ["b_ID2"],
                   "files": [ {{ "link": "output", "name": "x", "path": "/1/", "size": 734761744 }} ] }},
                {{ "name": "b_ID2", "id": "ID2", "runtimeInSeconds": 3.5, "parents": ["ID1"], "children": [],
                   "files": [ {{ "link": "input", "name": "x", "path": "/1/", "sizeInBytes": 734761744 }} ] }} ] }} }}"#
        )
    };
    let split = r#"{ "schemaVersion": "1.5", "workflow": { "specification": {
        "tasks": [ { "name": "split", "id": "a", "parents": [], "children": ["b"], "outputFiles": ["part"] },
                   { "name": "work", "id": "b", "parents": ["a"], "children": [], "inputFiles": ["part"] } ],
        "files": [ { "id": "part", "sizeInBytes": 4000 } ] },
        "execution": { "tasks": [ { "id": "a", "runtimeInSeconds": 2 }, { "id": "b", "runtimeInSeconds": 9.5e-3 } ] } } }"#;
    let seeds: Vec<Vec<u8>> =
        [flat("1.4", "tasks"), flat("1.2", "jobs"), split.to_string(), format!("\u{FEFF}{split}")]
            .map(Vec::from)
            .to_vec();
    let input = |stream: &mut Stream| mutate(&seeds, stream);
    let good = survive("WfCommons", 1500, input, |bytes| is_job(read_wfcommons(&String::from_utf8_lossy(bytes))));
    assert!(good > 0);
}

#[test]
fn graphs_are_read_or_refused() {
    let seeds: Vec<Vec<u8>> = [
        "strict digraph \"my job\" {\n  // comment with } and \"\n  rankdir=LR; node [shape=box, size=\"2.5\"];\n# preprocessor\n  root \
         [size=\"10\" label=\"a // b\"];\n  root -> \"task \\\"1\\\"\" -> end_2 [size=3]\n  /* several\n lines */ edge [size=7]\n root -> end_2\n}",
        "\u{FEFF}DiGraph { \"node\" [size=1]; node [size=4]; b; \"edge\" -> \"subgraph\" -> b; graph [x=y] }",
    ]
    .map(|text| text.as_bytes().to_vec())
    .to_vec();
    let input = |stream: &mut Stream| mutate(&seeds, stream);
    assert!(survive("DOT", 1500, input, |bytes| is_job(read_dot(&String::from_utf8_lossy(bytes)))) > 0);
}

/// Numbers for scenarios that are run: with the overrides, none makes a run long.
const NUMBERS: [&str; 14] = ["0", "-1", "0.25", "0.5", "0.999", "1", "1.5", "2", "3", "5", "7", "10", "20", "30"];

/// The same with numbers that checks and limits are there for, which are tried on demand: memory may run out before a limit is hit.
const ALL_NUMBERS: [&str; 20] = [
    "0",
    "-1",
    "0.25",
    "0.5",
    "0.999",
    "1",
    "1.5",
    "2",
    "3",
    "5",
    "7",
    "10",
    "20",
    "30",
    "1e-6",
    "0.001",
    "1000",
    "999999999",
    "1e9",
    "1e15",
];

/// Ends the case at hand after a second or two. A case that is cut short counts as survived: whether it ends by itself is not asked here.
struct Impatient {
    stop: Stop,
}

impl Progress for Impatient {
    fn expect(&self, _: u64) {}
    fn advance(&self) {}
    fn stop(&self) -> &Stop {
        &self.stop
    }
}

#[test]
fn what_passes_the_checks_can_be_run() {
    // Without comments, since edits there change nothing.
    let bare = |text: &str| {
        text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
    };
    let starters = starters();
    let seeds: Vec<Vec<u8>> = starters.iter().map(|(text, _)| bare(text).into_bytes()).collect();
    let on_demand = std::env::var("GRIDLOOM_MUTATIONS").is_ok();
    let numbers: &[&str] = if on_demand { &ALL_NUMBERS } else { &NUMBERS };
    // What brings the whole process down is found there.
    let kept = std::env::temp_dir().join("gridloom-mutation.ron");
    let current: Mutex<(u64, Stop)> = Mutex::new((0, Stop::new()));
    let done = Stop::new();
    let mut ran = 0;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut before = (0, 0);
            while !done.is_set() {
                std::thread::sleep(Duration::from_millis(250));
                let (case, stop) = current.lock().unwrap().clone();
                before = if before.0 == case { (case, before.1 + 1) } else { (case, 0) };
                if before.1 > 4 {
                    stop.set();
                }
            }
        });
        let input = |stream: &mut Stream| {
            let seed = below(stream, seeds.len() as u64) as usize;
            let mut text = seeds[seed].clone();
            for _ in 0..=below(stream, 3) {
                replace_number(&mut text, numbers, stream);
            }
            text.push(seed as u8);
            text
        };
        let result = catch_unwind(AssertUnwindSafe(|| {
            survive("run", 250, input, |bytes| {
                let (seed, text) = bytes.split_last().unwrap();
                let overrides: Vec<String> =
                    starters[usize::from(*seed)].1.iter().map(|text| text.to_string()).collect();
                let source = Source::new("mutated.ron", String::from_utf8_lossy(text));
                let Ok(study) = load_study(&source, &overrides) else { return false };
                if on_demand {
                    std::fs::write(&kept, format!("{}\n// {overrides:?}\n", source.text())).unwrap();
                }
                let watch = Impatient { stop: Stop::new() };
                {
                    let mut now = current.lock().unwrap();
                    *now = (now.0 + 1, watch.stop.clone());
                }
                // A run may fail, with a reason.
                match run(&study, &watch) {
                    Ok(outcome) => assert!(!outcome.results.scenario.is_empty()),
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
                true
            })
        }));
        done.set();
        match result {
            Ok(good) => ran = good,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    });
    println!("{ran} scenarios passed the checks");
    assert!(ran > 20, "only {ran} scenarios passed the checks");
}
