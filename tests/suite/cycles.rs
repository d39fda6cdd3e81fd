//! Batches that are drawn for scheduling cycles.

use gridloom::language::read_source;
use gridloom::rng::Streams;
use gridloom::search::budget;
use gridloom::study::Cycles;
use gridloom::study::Experiment;
use gridloom::study::{NoProgress, load_study, run};
use gridloom::units::{Performance, Span};
use gridloom::workload::RuntimeRule;
use gridloom::workload::draw_jobs;
use std::path::Path;

fn cycles(overrides: &[&str]) -> Result<Cycles, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/alp-vs-amp.ron");
    let source = read_source(&path).map_err(|report| report.to_string())?;
    let overrides: Vec<String> = overrides.iter().map(|&one| one.into()).collect();
    let study = load_study(&source, &overrides).map_err(|report| report.to_string())?;
    match study.scenario().experiment.clone() {
        Experiment::Cycles(cycles) => Ok(cycles),
        other => panic!("{other:?}"),
    }
}

#[test]
fn work_takes_its_time_on_every_node_and_is_paid_for_on_the_slowest_that_will_do() {
    let drawn = |overrides: &[&str]| {
        let spec = cycles(overrides).unwrap();
        (0..200).flat_map(move |cycle| draw_jobs(&spec.jobs, Streams::new(1, cycle).stream("jobs")).unwrap())
    };
    let as_work = drawn(&[]);
    let as_time = drawn(&["experiment.jobs.length_is=Time", "experiment.runtime=Reference"]);
    for (work, time) in as_work.zip(as_time) {
        let needed = time.length.as_f64();
        for performance in [1.0, 1.3, 2.0, 3.0].map(|performance| Performance::from_f64(performance).unwrap()) {
            let runtime = RuntimeRule::Volume.runtime(&work, performance).unwrap();
            assert_eq!(runtime, Span::from_units((needed / performance.as_f64()).ceil() as i64));
        }
        let paid = time.max_price.as_f64() * time.nodes as f64 * needed / time.min_performance.as_f64();
        assert!((budget(&work, 1.0).as_f64() - paid).abs() < 1e-3, "{work:?}");
        assert!(budget(&work, 1.0) <= budget(&time, 1.0));
    }
}

#[test]
fn work_needs_the_rule_that_is_made_for_it() {
    let report = cycles(&["experiment.runtime=Reference"]).unwrap_err();
    assert!(report.contains("experiment.runtime") && report.contains("give `runtime: Volume`"), "{report}");
}

/// The means of a metric in a quick run of a scenario file with overrides.
fn means(name: &str, overrides: &[&str], metrics: &[&str]) -> Vec<f64> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(name);
    let source = read_source(&path).unwrap();
    let overrides: Vec<String> = overrides.iter().map(|&one| one.into()).collect();
    let study = load_study(&source, &overrides).unwrap();
    let results = run(&study, &NoProgress).unwrap().results;
    let mean = |metric: &&str| {
        let row = results.rows.iter().find(|row| row.metric == *metric && row.series == "AMP" && row.x.is_none());
        row.unwrap_or_else(|| panic!("no row of {metric}")).mean
    };
    metrics.iter().map(mean).collect()
}

#[test]
fn the_weighted_vector_leads_from_the_cheapest_batch_to_the_fastest() {
    let metrics =
        ["TM job time", "TM job cost", "CM job time", "CM job cost", "weighted job time", "weighted job cost"];
    let with = |weights: &str| {
        let weights = format!("experiment.weights={weights}");
        means("weighted-vector.ron", &["replications=40", "sweeps=[]", &weights], &metrics)
    };
    let cheapest = with("(cost: 1)");
    assert_eq!(cheapest[5], cheapest[3]);
    let fastest = with("(idle: 2)");
    assert_eq!(fastest[4], fastest[0]);
    let between = with("(cost: 1, time: 3)");
    assert!(fastest[4] < between[4] && between[4] < cheapest[4], "{between:?}");
    assert!(cheapest[5] < between[5] && between[5] < fastest[1], "{between:?}");
    assert_eq!(between, with("(saved: 1, idle: 2, time: 1)"), "what is left of a limit says the same as what is used");
}

/// Print has 15 % for 369.69 against 313.56: of the larger.
#[test]
fn a_change_over_the_larger_is_a_share_of_the_larger() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/alp-vs-amp.ron");
    let overrides = ["replications=60".to_string(), "published=[]".to_string()];
    let results = run(&load_study(&read_source(&path).unwrap(), &overrides).unwrap(), &NoProgress).unwrap().results;
    let mean = |series: &str, metric: &str| {
        let row = results.rows.iter().find(|row| row.series == series && row.metric == metric && row.x.is_none());
        row.unwrap_or_else(|| panic!("no row of {metric}")).mean
    };
    for metric in ["TM job cost", "TM job time"] {
        let (alp, amp) = (mean("ALP", metric), mean("AMP", metric));
        let share = mean("AMP against ALP", &format!("{metric}, change over the larger (%)"));
        assert!((share - 100.0 * (amp - alp) / amp.max(alp)).abs() < 1e-9, "{metric}: {share}");
    }
    let pooled = mean("AMP", "alternatives per job, pooled");
    let jobs = mean("all cycles", "jobs per counted batch");
    assert!((pooled - mean("AMP", "alternatives per batch") / jobs).abs() < 1e-9);
}
