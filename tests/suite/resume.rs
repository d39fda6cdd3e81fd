//! Runs that are interrupted in the middle of a sweep.

use gridloom::engine::Stop;
use gridloom::experiment::{RunError, Silent, Study, Watch, load_study, run, run_or_resume};
use gridloom::report::KeptPoints;
use gridloom::scenario::Source;
use std::sync::atomic::{AtomicU64, Ordering};

fn study() -> Study {
    study_with(&[])
}

fn study_with(overrides: &[String]) -> Study {
    let text = "(name: \"swept\", replications: 3, experiment: Connected(
        horizon: 60, step: 10, domains: [(name: \"a\", nodes: 4, owners: [(load: 0.2, length: 3)])],
        flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: 2, length: Uniform(low: 1, high: 9)), max_price: 2)],
        metascheduler: (period: 2, interval: 30), policies: [Easy, Fcfs]),
        sweeps: [(name: \"load\", field: \"experiment.flows[0].arrivals.load\", values: [0.2, 0.4, 0.6, 0.8], label: \"Load\")])";
    load_study(&Source::new("swept.ron", text), overrides).unwrap_or_else(|report| panic!("{report}"))
}

/// A user who has enough after so many replications.
struct Impatient {
    left: AtomicU64,
    stop: Stop,
}

impl Impatient {
    fn after(replications: u64) -> Self {
        Self { left: AtomicU64::new(replications), stop: Stop::new() }
    }
}

impl Watch for Impatient {
    fn expect(&self, _: u64) {}
    fn advance(&self) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.stop.set();
        }
    }
    fn stop(&self) -> &Stop {
        &self.stop
    }
}

#[test]
fn a_resumed_run_ends_with_the_bytes_of_one_that_was_not_interrupted() {
    let (study, folder) = (study(), tempfile::tempdir().unwrap());
    let target = folder.path().join("swept");
    let whole = run(&study, &Silent).unwrap();
    for enough in [1, 4, 7, 11] {
        let mut points = KeptPoints::of(&target, true);
        let stopped = run_or_resume(&study, &Impatient::after(enough), &mut points);
        assert!(matches!(stopped, Err(RunError::Interrupted)), "after {enough}");
    }
    let mut points = KeptPoints::of(&target, true);
    let resumed = run_or_resume(&study, &Silent, &mut points).unwrap();
    // Files are made from the outcome alone, so equal outcomes are equal bytes.
    assert_eq!(resumed, whole);
    // What was finished could be used: the rows of the points are there as a table.
    let table = std::fs::read_to_string(points.folder().join("results.csv")).unwrap();
    assert!(table.lines().filter(|line| line.starts_with("load,")).count() > 50, "{table}");
    points.remove();
    assert!(!points.folder().exists());
}

#[test]
fn finished_points_are_not_run_again_and_those_of_another_scenario_are() {
    let (study, folder) = (study(), tempfile::tempdir().unwrap());
    let target = folder.path().join("swept");
    // Three replications for the scenario itself and three for each of the first two points.
    let first = run_or_resume(&study, &Impatient::after(10), &mut KeptPoints::of(&target, true));
    assert!(first.is_err());
    assert_eq!(std::fs::read_dir(folder.path().join("swept.points")).unwrap().count(), 3, "two points and the table");
    let mut points = KeptPoints::of(&target, true);
    let again = run_or_resume(&study, &Impatient::after(3), &mut points);
    assert!(again.is_err());
    assert_eq!(points.len(), 2, "recalled although no replication of a point was run");
    let other = study_with(&["seed=9".into()]);
    let mut points = KeptPoints::of(&target, true);
    assert!(run_or_resume(&other, &Impatient::after(3), &mut points).is_err());
    assert!(points.is_empty(), "another seed is another scenario");
    assert!(KeptPoints::of(&target, false).is_empty());
    assert!(!folder.path().join("swept.points").exists(), "without resuming nothing old is kept");
}

#[test]
fn a_sweep_over_texts_makes_series_of_its_values() {
    let text = "(name: \"swept\", experiment: Connected(
        horizon: 60, step: 10, domains: [(name: \"a\", nodes: 4)],
        flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: 2, length: 3), max_price: 2)],
        metascheduler: (period: 2, interval: 30), policies: [Easy]),
        sweeps: [(name: \"search\", field: \"experiment.metascheduler.search\", values: [\"Alp\", \"Amp(budget_factor: 0.4)\"], label: \"Search\", metrics: [\"jobs finished\"])])";
    let study = load_study(&Source::new("swept.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    let outcome = run(&study, &Silent).unwrap();
    let finished = |series: &str| {
        let of = |row: &&gridloom::experiment::Row| row.experiment == "search" && row.metric == "jobs finished";
        outcome.results.rows.iter().filter(of).find(|row| row.series == series).map(|row| (row.mean, row.x)).unwrap()
    };
    assert!(finished("EASY, Alp").0 > 0.0);
    assert_eq!(finished("EASY, Amp(budget_factor: 0.4)"), (0.0, None), "nobody can pay with 0.4 of the price");
    gridloom::report::artefacts(&outcome).unwrap();
    let mixed = text.replace("[\"Alp\", ", "[1, ");
    let report = load_study(&Source::new("swept.ron", mixed), &[]).unwrap_err().to_string();
    assert!(report.contains("sweeps[0].values[1]"), "{report}");
    let again = load_study(&Source::new("", outcome.scenario.clone()), &[]).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(run(&again, &Silent).unwrap(), outcome);
}
