//! Files that scenarios name: read before a run, and reported where they are wrong.

use super::program::gridloom;
use flate2::Compression;
use flate2::write::GzEncoder;
use gridloom::language::{Source, load};
use gridloom::rng::Streams;
use gridloom::study::Experiment;
use gridloom::study::{NoProgress, Study, load_study, run};
use gridloom::units::Performance;
use gridloom::workload::{DrawError, draw_tasks};
use gridloom::workload::{ListedJob, TasksSpec, WorkSpec};
use std::io::Write;
use tempfile::TempDir;

#[test]
fn a_file_that_is_missing_ends_a_study_before_it_runs() {
    let missing = "File(path: \"nowhere.dot\", bandwidth: 1)";
    let domain = "methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 9";
    let swept = format!(
        "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: Listed(tasks: [(name: \"a\", time: 1)]))], {domain}, steps: true), sweeps: [(name: \"s\", \
         field: \"experiment.cases[0].tasks\", values: [{missing:?}], label: \"Job\")])"
    );
    let plain = format!(
        "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: {missing})], {domain}, steps: true))"
    );
    let said = |text: String| load_study(&Source::new("w.ron", text), &[]).unwrap_err().to_string();
    let plain = said(plain);
    assert!(plain.contains("experiment.cases[0].tasks.path: the file can't be read: there is no file /"), "{plain}");
    let swept = said(swept);
    assert!(swept.contains("sweeps[0].values[0]: with experiment.cases[0].tasks = File("), "{swept}");
    // A specification that never was a study draws nothing.
    let spec: TasksSpec = load(Source::new("tasks", missing), &[]).unwrap();
    let drawn = draw_tasks(&spec, Performance::from_units(1), Streams::new(1, 0).stream("tasks"));
    assert_eq!(drawn, Err(DrawError::Unread("nowhere.dot".into())));
}

#[test]
fn a_job_in_a_file_is_judged_like_one_that_is_listed() {
    let tasks = (0..3000).map(|task| format!("t{task} [size=1];")).collect::<String>();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("job.dot"), format!("digraph {{ {tasks} }}")).unwrap();
    let text = "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: File(path: \"job.dot\", bandwidth: 2))], methods: [Heft], \
                domain: (nodes: 9000, types: [1]), deadline: 99, steps: true))";
    let source = Source::new(folder.path().join("w.ron").to_string_lossy(), text);
    let report = load_study(&source, &[]).unwrap_err().to_string();
    assert!(report.contains("experiment.cases[0].tasks: 3000 tasks on 9000 nodes are too many"), "{report}");
}

#[test]
fn a_missing_file_is_told_with_the_path_that_was_tried() {
    let folder = tempfile::tempdir().unwrap();
    let said = |experiment: &str| {
        let source = Source::new(
            folder.path().join("s.ron").to_string_lossy(),
            format!("(name: \"s\", experiment: {experiment})"),
        );
        load_study(&source, &[]).unwrap_err().to_string()
    };
    let place = |name: &str| format!("there is no file {}", folder.path().join(name).display());
    let tasks = "Workflows(cases: [(name: \"job\", tasks: File(path: \"sub/a.json\"))], methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 9, steps: true)";
    assert!(said(tasks).contains(&place("sub/a.json")), "{}", said(tasks));
    let replayed = "Replay(logs: [File(path: \"b.swf\")], policies: [Easy])";
    assert!(said(replayed).contains(&place("b.swf")), "{}", said(replayed));
    let flow = "Grid(horizon: 9, step: 1, domains: [(name: \"d\", nodes: 2)], metascheduler: (period: 1, interval: 9), \
                flows: [(name: \"f\", max_price: 9, work: Log(path: \"c.swf\", seconds: 1))], policies: [Easy])";
    assert!(said(flow).contains(&place("c.swf")), "{}", said(flow));
}

fn line(job: i64, submit: i64, runtime: i64, processors: i64) -> String {
    format!("{job} {submit} -1 {runtime} {processors} -1 -1 {processors} 600 -1 1 1 1 1 1 -1 -1 -1\n")
}

/// Three good jobs, two bad lines, one job out of order, one that never ran, one too wide for four nodes, one with 21 fields.
fn faulty() -> String {
    let extended = line(8, 900, 300, 1).replace('\n', " 7 8 9\n");
    [
        "; MaxProcs: 4\n".to_string(),
        line(1, 0, 300, 2),
        "garbage 2\n".to_string(),
        line(3, 120, 600, 1),
        line(4, 60, 60, 1),
        "5 nan -1 1 1 -1 -1 1 1 -1 1 1 1 1 1 -1 -1 -1\n".to_string(),
        line(6, 180, -1, 1),
        line(7, 240, 60, 64),
        extended,
    ]
    .concat()
}

/// A folder with a log and a grid of four nodes that takes its jobs from it.
fn with_log(log: &[u8], work: &str, time_unit: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("log.swf"), log).unwrap();
    let text = format!(
        "(name: \"logged\", experiment: Grid(horizon: 14, step: 1, drain: UpTo(0), {time_unit} domains: [(name: \"d\", nodes: 4)],
         flows: [(name: \"f\", work: Log(path: \"log.swf\"{work}), max_price: 2)],
         metascheduler: (period: 1, interval: 48), policies: [Easy]))"
    );
    std::fs::write(folder.path().join("s.ron"), text).unwrap();
    folder
}

fn study(folder: &TempDir) -> Result<Study, String> {
    let source = gridloom::language::read_source(&folder.path().join("s.ron")).map_err(|report| report.to_string())?;
    load_study(&source, &[]).map_err(|report| report.to_string())
}

const MINUTES: &str = "time_unit: \"minutes\",";

/// What is said of the faulty log, by whoever reads it.
const FAULTS: &str = "log.swf: 2 bad lines, 1 line out of order:
  line 3: 2 fields instead of 18
  line 5: the submit time 60 comes after 120
  line 6: field 2 (submit time) is \"nan\", which is not a number
  1 line has 21 fields: those after the 18th are ignored";

#[test]
fn what_a_log_loses_is_said_by_run_and_by_check_as_by_replay() {
    let folder = with_log(faulty().as_bytes(), "", MINUTES);
    let study = study(&folder).unwrap();
    let rules = "log.swf: of 8 jobs: 2 bad lines, left out; 1 out of order, moved; 1 no runtime (cancelled, or over within a second), left out; \
                 1 wider than the machine, left out; 1 more than 18 fields, the rest ignored";
    let late = "log.swf: 1 of 4 jobs is submitted after the end of the run and takes no part";
    assert_eq!(study.notes(), [FAULTS, rules, late]);
    let outcome = run(&study, &NoProgress).unwrap();
    assert_eq!(outcome.notes, [FAULTS, rules, late]);
    // The scenario of the result lists the jobs, and says the same of the log.
    let again = load_study(&Source::new("scenario.ron", outcome.scenario.clone()), &[]).unwrap();
    assert_eq!(run(&again, &NoProgress).unwrap(), outcome);
    let checked = gridloom(folder.path(), &["check", "s.ron"]);
    let said = String::from_utf8(checked.stderr).unwrap();
    assert!(checked.status.success() && said.contains(FAULTS) && said.contains(rules), "{said}");
    let replayed = gridloom(folder.path(), &["replay", "log.swf", "--policy", "EASY", "--verbose"]);
    let said = String::from_utf8(replayed.stderr).unwrap();
    assert!(replayed.status.success() && said.contains(FAULTS), "{said}");
    let table = String::from_utf8(replayed.stdout).unwrap();
    for rule in rules.split_once(": of 8 jobs: ").unwrap().1.split("; ") {
        let (count, rule) = rule.split_once(' ').unwrap();
        let row = table
            .lines()
            .find(|row| row.starts_with('|') && row.contains(rule))
            .unwrap_or_else(|| panic!("{rule}: {table}"));
        assert_eq!(row.split('|').nth(2).unwrap().trim(), count, "{row}");
    }
    let strict = gridloom(folder.path(), &["replay", "log.swf", "--policy", "EASY", "--strict", "--force"]);
    assert_eq!(strict.status.code(), Some(2));
    // A log without faults needs no words.
    let clean = with_log((line(1, 0, 300, 2) + &line(2, 5, 300, 1)).as_bytes(), ", strict: true", MINUTES);
    assert!(self::study(&clean).unwrap().notes().is_empty());
}

#[test]
fn a_strict_log_has_no_faults() {
    let said = study(&with_log(faulty().as_bytes(), ", strict: true", MINUTES)).unwrap_err();
    let expected = "flows[0].work.path: 2 bad lines, 1 line out of order: line 3: 2 fields instead of 18, and `strict` allows none";
    assert!(said.contains(expected), "{said}");
    let extended = line(1, 0, 300, 2).replace('\n', " 7 8 9\n");
    let said = study(&with_log(extended.as_bytes(), ", strict: true", MINUTES)).unwrap_err();
    assert!(said.contains("1 line has 21 fields"), "{said}");
    assert_eq!(study(&with_log(extended.as_bytes(), "", MINUTES)).unwrap().notes().len(), 2);
}

fn zipped(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn half_a_log_is_no_log() {
    let lines: String = (0..5000).map(|job| line(job, 7 * job, 1 + job * job % 977, 1 + job % 3)).collect();
    let whole = zipped(lines.as_bytes());
    let folder = with_log(&whole[..whole.len() / 2], "", MINUTES);
    let said = study(&folder).unwrap_err();
    assert!(said.contains("flows[0].work.path: the log can't be read: line "), "{said}");
    assert!(said.contains("reading fails from here on") && said.contains("jobs were read until then"), "{said}");
    let replayed = gridloom(folder.path(), &["replay", "log.swf", "--policy", "EASY", "--nodes", "4"]);
    assert_eq!(replayed.status.code(), Some(2));
    assert!(String::from_utf8(replayed.stderr).unwrap().contains("jobs were read until then"));
}

#[test]
fn a_log_that_expands_beyond_its_limits_is_refused_and_limits_can_be_set() {
    let bomb = zipped("; Note: and so on\n".repeat(500_000).as_bytes());
    assert!(bomb.len() < 50_000);
    let said = study(&with_log(&bomb, "", MINUTES)).unwrap_err();
    assert!(said.contains("there are more than 10000 comments"), "{said}");
    let jobs = (0..200).map(|job| line(job, job, 5, 1)).collect::<String>();
    let said = study(&with_log(jobs.as_bytes(), ", limits: (records: 100)", MINUTES)).unwrap_err();
    assert!(said.contains("line 101: there are more than 100 jobs; 100 jobs were read until then"), "{said}");
    let folder = with_log(jobs.as_bytes(), ", limits: (records: 200, bytes: 20000)", MINUTES);
    assert!(study(&folder).is_ok());
    let replay = |limit: &str, value: &str| {
        let args = ["replay", "log.swf", "--policy", "EASY", "--nodes", "4", "--force", limit, value];
        gridloom(folder.path(), &args).status.code()
    };
    assert_eq!([replay("--max-records", "199"), replay("--max-records", "200")], [Some(2), Some(0)]);
    assert_eq!([replay("--max-bytes", "1000"), replay("--max-header", "1")], [Some(2), Some(0)]);
}

/// The jobs that a study has listed.
fn jobs(study: &Study) -> Vec<ListedJob> {
    let Experiment::Grid(spec) = &study.scenario().experiment else { unreachable!() };
    let WorkSpec::Listed(listed) = &spec.flows[0].work else { unreachable!() };
    listed.jobs.clone()
}

#[test]
fn seconds_of_a_log_follow_from_the_unit_of_time() {
    let log = line(1, 100, 300, 2) + &line(2, 7300, 60, 1);
    let submit = |work: &str, unit: &str| {
        let folder = with_log(log.as_bytes(), work, &format!("time_unit: \"{unit}\","));
        study(&folder).map(|study| (jobs(&study)[1].submit.as_f64(), jobs(&study)[1].length.as_f64()))
    };
    assert_eq!(submit("", "seconds"), Ok((7200.0, 600.0)));
    assert_eq!(submit("", "Min"), Ok((120.0, 10.0)));
    assert_eq!(submit(", seconds: 60", "minutes"), Ok((120.0, 10.0)));
    assert_eq!(submit("", "hours"), Ok((2.0, 0.166667)));
    assert_eq!(submit(", seconds: 100", "ticks"), Ok((72.0, 6.0)));
    let wrong = submit(", seconds: 1", "minutes").unwrap_err();
    let expected =
        "work.seconds: 1 seconds are a unit of time, but `time_unit` is \"minutes\", which has 60; leave `seconds` out";
    assert!(wrong.contains("s.ron:2:") && wrong.contains(expected), "{wrong}");
    let unknown = submit("", "ticks").unwrap_err();
    assert!(
        unknown.contains("work.seconds: nothing says how many seconds of the file are a unit of time (\"ticks\")"),
        "{unknown}"
    );
}

/// A job of one task of 120 seconds, in an experiment.
fn one_task(experiment: &str, file: &str, more: &str) -> Result<f64, String> {
    let folder = tempfile::tempdir().unwrap();
    let json = r#"{ "schemaVersion": "1.4", "workflow": { "tasks": [{ "name": "a", "runtimeInSeconds": 120 }] } }"#;
    std::fs::write(folder.path().join("a.json"), json).unwrap();
    std::fs::write(folder.path().join("a.dot"), "digraph { a [size=120] }").unwrap();
    let spec = format!("File(path: \"{file}\", bandwidth: 1{more})");
    std::fs::write(folder.path().join("s.ron"), experiment.replace("FILE", &spec)).unwrap();
    let study = study(&folder)?;
    let tasks = match &study.scenario().experiment {
        Experiment::Workflows(spec) => &spec.cases[0].tasks,
        Experiment::Grid(spec) => match &spec.flows[0].work {
            WorkSpec::Workflow(work) => &work.tasks,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    };
    match tasks {
        TasksSpec::Listed(listed) => Ok(listed.tasks[0].time.as_f64()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn seconds_of_a_workflow_file_follow_from_the_unit_of_time() {
    let plain = "(name: \"w\", experiment: Workflows(cases: [(name: \"job\", tasks: FILE)], methods: [Heft], domain: (nodes: 2, types: [1]), deadline: 999, steps: true))";
    let grid = "(name: \"g\", experiment: Grid(horizon: 100, step: 10, time_unit: \"minutes\", domains: [(name: \"d\", nodes: 4)],
        flows: [(name: \"f\", arrivals: Poisson(gap: 50), max_price: 2, work: Workflow(nodes: 1, tasks: FILE))],
        metascheduler: (period: 1, interval: 48), policies: [Easy]))";
    let ticks = grid.replace("minutes", "ticks");
    assert_eq!(one_task(plain, "a.json", ""), Ok(120.0));
    assert_eq!(one_task(plain, "a.json", ", seconds: 60, speed: 2"), Ok(1.0));
    assert_eq!(one_task(grid, "a.json", ""), Ok(2.0));
    assert_eq!(one_task(&ticks, "a.json", ", seconds: 10"), Ok(12.0));
    // The sizes of a Graphviz file are no times.
    assert_eq!(one_task(grid, "a.dot", ", speed: 40"), Ok(3.0));
    for (experiment, file, more, expected) in [
        (grid, "a.json", ", seconds: 1", "work.tasks.seconds: 1 seconds are a unit of time"),
        (&ticks, "a.json", "", "work.tasks.seconds: nothing says how many seconds"),
        (plain, "a.dot", ", seconds: 60", "tasks.seconds: the sizes of a Graphviz file have no unit"),
        (plain, "a.json", ", max_bytes: 50", "tasks.path: the file has more than 50 bytes"),
    ] {
        let said = one_task(experiment, file, more).unwrap_err();
        assert!(said.contains(expected), "{expected}: {said}");
    }
}
