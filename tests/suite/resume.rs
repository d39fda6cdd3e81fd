//! Runs that are interrupted in the middle of a sweep.

use gridloom::engine::Stop;
use gridloom::language::Source;
use gridloom::metrics::Estimate;
use gridloom::report::{Earlier, KeptReplications};
use gridloom::study::{
    Checkpoint, KeptObservations, NoProgress, Observations, Point, Progress, Row, RunError, Study, load_study, run,
    run_or_resume,
};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

fn study() -> Study {
    study_with(&[])
}

fn study_with(overrides: &[String]) -> Study {
    let text = "(name: \"swept\", replications: 3, experiment: Grid(
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

impl Progress for Impatient {
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

/// Runs until `enough` replications are done, and keeps them; how many are kept then.
fn run_for(study: &Study, target: &Path, enough: u64) -> u64 {
    let kept = KeptReplications::open(target, Earlier::Use, study).unwrap();
    let stopped = run_or_resume(study, &Impatient::after(enough), &kept);
    assert!(matches!(stopped, Err(RunError::Interrupted)), "after {enough}");
    kept.flush().unwrap();
    kept.len()
}

#[test]
fn a_resumed_run_ends_with_the_bytes_of_one_that_was_not_interrupted() {
    let (study, folder) = (study(), tempfile::tempdir().unwrap());
    let target = folder.path().join("swept");
    let whole = run(&study, &NoProgress).unwrap();
    for enough in [1, 2, 4, 7, 11] {
        run_for(&study, &target, enough);
    }
    let kept = KeptReplications::open(&target, Earlier::Use, &study).unwrap();
    let resumed = run_or_resume(&study, &NoProgress, &kept).unwrap();
    // Files are made from the outcome alone, so equal outcomes are equal bytes.
    assert_eq!(resumed, whole);
    let folder = kept.folder().to_path_buf();
    assert_eq!(kept.remove().unwrap(), None);
    assert!(!folder.exists());
}

/// A user who counts the replications that are run.
struct Counting<'a>(&'a KeptReplications, AtomicU64);

impl Checkpoint for Counting<'_> {
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations> {
        self.0.recall(point)
    }
    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.keep(point, replication, observations)
    }
}

#[test]
fn finished_replications_are_not_run_again_and_those_of_another_experiment_are() {
    let (study, folder) = (study(), tempfile::tempdir().unwrap());
    let target = folder.path().join("swept");
    // Three worlds for the scenario itself and for each of the four points; the first of each is shown or recalled.
    let kept = run_for(&study, &target, 8);
    assert!((8..=10).contains(&kept), "{kept}");
    let ran = |study: &Study| {
        let kept = KeptReplications::open(&target, Earlier::Use, study).unwrap();
        let counting = Counting(&kept, AtomicU64::new(0));
        let outcome = run_or_resume(study, &NoProgress, &counting).unwrap();
        (counting.1.load(Ordering::Relaxed), outcome)
    };
    // The first replication of each point is always run, since what is shown of it is not kept.
    let (again, resumed) = ran(&study);
    let shown = 5;
    assert!(again <= 15 - kept + shown && again < 15, "{again} of 15 were run although {kept} were kept");
    assert_eq!(resumed, run(&study, &NoProgress).unwrap());
    assert_eq!(ran(&study_with(&["seed=9".into()])).0, 15, "another seed is another world");
    let refused = KeptReplications::open(&target, Earlier::Refuse, &study).unwrap_err().to_string();
    assert!(refused.contains("swept.blocks") && refused.contains("--resume"), "{refused}");
    assert!(KeptReplications::open(&target, Earlier::Discard, &study).unwrap().is_empty());
    assert!(!folder.path().join("swept.blocks").exists(), "without resuming nothing old is kept");
}

/// The study at another load, with these sweeps.
fn swept_by(load: f64, sweeps: &str) -> Study {
    study_with(&[format!("experiment.flows[0].arrivals.load={load}"), format!("sweeps=[{sweeps}]")])
}

#[test]
fn points_that_a_study_has_in_several_places_are_run_once() {
    let sweep = |name: &str, values: &str, factor: u64| {
        format!(
            "(name: \"{name}\", field: \"experiment.flows[0].arrivals.load\", values: {values}, label: \"Load\", \
             replication_factor: {factor})"
        )
    };
    let (few, many) = (sweep("few", "[0.4, 0.5]", 1), sweep("many", "[0.5, 0.6]", 2));
    let folder = tempfile::tempdir().unwrap();
    let study = swept_by(0.5, &format!("{few}, {many}"));
    let kept = KeptReplications::open(&folder.path().join("swept"), Earlier::Use, &study).unwrap();
    let counting = Counting(&kept, AtomicU64::new(0));
    let outcome = run_or_resume(&study, &NoProgress, &counting).unwrap();
    // Three worlds at 0.4, six at 0.5, the first three of which serve in three places, and six at 0.6.
    assert_eq!(counting.1.load(Ordering::Relaxed), 15);
    // Rows are those of studies in which nothing comes up twice.
    let of =
        |rows: &[Row], name: &str| -> Vec<Row> { rows.iter().filter(|row| row.experiment == name).cloned().collect() };
    for (name, sweep) in [("few", few), ("many", many)] {
        let alone = run(&swept_by(0.3, &sweep), &NoProgress).unwrap();
        let rows = of(&outcome.results.rows, name);
        assert!(rows.len() > 10);
        assert_eq!(rows, of(&alone.results.rows, name));
    }
}

#[test]
fn more_replications_go_on_from_those_that_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("swept");
    let kept = KeptReplications::open(&target, Earlier::Use, &study()).unwrap();
    run_or_resume(&study(), &NoProgress, &kept).unwrap();
    kept.flush().unwrap();
    let more = study_with(&["replications=5".into()]);
    let kept = KeptReplications::open(&target, Earlier::Use, &more).unwrap();
    let counting = Counting(&kept, AtomicU64::new(0));
    let extended = run_or_resume(&more, &NoProgress, &counting).unwrap();
    // Two new worlds for each of five points, and the first one of the base, whose details are not kept.
    assert_eq!(counting.1.load(Ordering::Relaxed), 11);
    assert_eq!(extended, run(&more, &NoProgress).unwrap());
}

#[test]
fn every_row_can_be_computed_from_the_observations() {
    let outcome = run(&study(), &NoProgress).unwrap();
    let (_, bytes) = outcome.files.iter().find(|(name, _)| name == "observations.csv.gz").unwrap();
    let mut table = csv::Reader::from_reader(flate2::read::GzDecoder::new(bytes.bytes().unwrap()));
    let mut observed: BTreeMap<[String; 4], Vec<f64>> = BTreeMap::new();
    for line in table.records() {
        let line = line.unwrap();
        let key = [0, 1, 2, 4].map(|column| line[column].to_string());
        let values = observed.entry(key).or_default();
        assert_eq!(line[3].parse::<usize>().unwrap(), values.len(), "replications in their order");
        values.push(line[5].parse().unwrap());
    }
    for row in &outcome.results.rows {
        let x = row.x.map_or(String::new(), |x| format!("{x:?}"));
        let key = [row.experiment.clone(), row.series.clone(), x, row.metric.clone()];
        let estimate = Estimate::of(observed[&key].iter().copied()).unwrap();
        assert_eq!((row.mean, row.ci95, row.n), (estimate.mean, estimate.ci95, estimate.n), "{key:?}");
    }
    assert_eq!(observed.len(), outcome.results.rows.len());
}

#[test]
fn a_sweep_over_texts_makes_series_of_its_values() {
    let text = "(name: \"swept\", experiment: Grid(
        horizon: 60, step: 10, domains: [(name: \"a\", nodes: 4)],
        flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: 2, length: 3), max_price: 2)],
        metascheduler: (period: 2, interval: 30), policies: [Easy]),
        sweeps: [(name: \"search\", field: \"experiment.metascheduler.search\", values: [\"Alp\", \"Amp(budget_factor: 0.4)\"], label: \"Search\", metrics: [\"jobs finished\"])])";
    let study = load_study(&Source::new("swept.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    let outcome = run(&study, &NoProgress).unwrap();
    let finished = |series: &str| {
        let of = |row: &&gridloom::study::Row| row.experiment == "search" && row.metric == "jobs finished";
        outcome.results.rows.iter().filter(of).find(|row| row.series == series).map(|row| (row.mean, row.x)).unwrap()
    };
    assert!(finished("EASY, Alp").0 > 0.0);
    assert_eq!(finished("EASY, Amp(budget_factor: 0.4)"), (0.0, None), "nobody can pay with 0.4 of the price");
    gridloom::report::artefacts(&outcome).unwrap();
    let mixed = text.replace("[\"Alp\", ", "[1, ");
    let report = load_study(&Source::new("swept.ron", mixed), &[]).unwrap_err().to_string();
    assert!(report.contains("sweeps[0].values[1]"), "{report}");
    let again = load_study(&Source::new("", outcome.scenario.clone()), &[]).unwrap_or_else(|report| panic!("{report}"));
    assert_eq!(run(&again, &NoProgress).unwrap(), outcome);
}
