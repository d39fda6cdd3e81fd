//! Queues and optimised batches on the same worlds.

use gridloom::language::{read_source, to_line};
use gridloom::study::{NoProgress, Outcome, Row, load_study, run};
use std::path::Path;

fn rows(overrides: &[&str]) -> Result<Vec<Row>, String> {
    outcome(overrides).map(|outcome| outcome.results.rows)
}

fn outcome(overrides: &[&str]) -> Result<Outcome, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/backfilling-vs-opt.ron");
    let source = read_source(&path).map_err(|report| report.to_string())?;
    // The batches of print are a section of the scenario: a sweep with an experiment of its own.
    let whole = load_study(&source, &[]).map_err(|report| report.to_string())?;
    let section = whole.scenario().sweeps.iter().find_map(|sweep| sweep.experiment.as_ref()).unwrap();
    let experiment = format!("experiment={}", to_line(section));
    let plain = ["replications=30", "sweeps=[]", "statistics=()", "answer=None", &experiment];
    let overrides: Vec<String> = plain.iter().chain(overrides).map(|&one| one.into()).collect();
    let study = load_study(&source, &overrides).map_err(|report| report.to_string())?;
    run(&study, &NoProgress).map_err(|error| error.to_string())
}

fn mean(rows: &[Row], series: &str, metric: &str) -> f64 {
    let row = rows.iter().find(|row| row.series == series && row.metric == metric);
    row.unwrap_or_else(|| panic!("no row of {series} for {metric}")).mean
}

#[test]
fn each_optimum_is_the_best_of_those_that_place_the_same_jobs() {
    let rows = rows(&["experiment.jobs.count=12"]).unwrap();
    let others = ["OPT 2 min usage", "OPT 4 max usage", "NO OPT within T*"];
    for series in others {
        assert_eq!(mean(&rows, series, "jobs placed minus baseline"), 0.0);
    }
    // Within the same limit T* chance can't do better than either optimum.
    let income = |series| mean(&rows, series, "owner income");
    assert!(income("OPT 3 min cost") <= income("NO OPT within T*"));
    assert!(income("NO OPT within T*") <= income("OPT 1 max cost"));
    assert!(mean(&rows, "OPT 2 min usage", "usage") < mean(&rows, "OPT 4 max usage", "usage"));
}

#[test]
fn a_note_tells_where_hardly_any_cycle_counts() {
    assert!(outcome(&["experiment.jobs.count=12"]).unwrap().notes.is_empty());
    // Each job has one alternative at most, and T* is below its time but for whole lengths.
    let equal = "experiment.environment=(nodes: 4, interval: 400, performance: 1, price_spread: 0, load: (low: 1, high: 2, length: 10))";
    let notes = outcome(&[equal, "experiment.jobs.nodes=4", "experiment.jobs.length=Uniform(low: 110, high: 190)"])
        .unwrap()
        .notes;
    assert!(notes.iter().any(|note| note.starts_with("only ") && note.contains("T* is a whole number")), "{notes:?}");
}

#[test]
fn the_difference_of_totals_is_that_of_the_means() {
    let rows = rows(&["experiment.baseline=Fcfs"]).unwrap();
    for metric in ["jobs placed", "owner income", "utilisation"] {
        let expected = mean(&rows, "EASY", metric) - mean(&rows, "FCFS", metric);
        let found = mean(&rows, "EASY", &format!("{metric} minus baseline"));
        assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{metric}: {found} for {expected}");
    }
}

#[test]
fn queues_in_every_order_and_at_every_depth_run() {
    let policies = "experiment.policies=[Conservative, Conservative(order: Shortest), Fcfs(order: Largest), \
                    Easy(order: Price), Easy(depth: 3, order: Rank), Conservative(order: Rank)]";
    let rows = rows(&[policies, "experiment.ranks=UniformInteger(low: 0, high: 5)"]).unwrap();
    for series in ["conservative, shortest first", "FCFS, largest first", "EASY, by price", "EASY, depth 3, by rank"] {
        assert!(mean(&rows, series, "jobs placed") > 1.0);
    }
    let starts = |series| mean(&rows, series, "start");
    assert_ne!(starts("conservative, by rank"), starts("conservative"));
}

#[test]
fn what_makes_no_sense_is_refused_at_its_place() {
    for (set, path, expected) in [
        ("experiment.baseline=Easy(depth: 7)", "experiment.baseline", "this policy is not in the list"),
        ("experiment.policies=[Conservative, Conservative]", "experiment.policies[1]", "in the list already"),
        ("experiment.search=MinCost", "experiment.search", "only `Alp` and `Amp` take the earliest window"),
        ("experiment.policies[1]=Easy(depth: 0)", "experiment.policies[1].depth", "0"),
    ] {
        let said = rows(&[set]).unwrap_err();
        assert!(said.contains(path) && said.contains(expected), "{said}");
    }
}
