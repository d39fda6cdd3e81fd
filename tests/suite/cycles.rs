//! Batches that are drawn for scheduling cycles.

use gridloom::language::read_source;
use gridloom::rng::Streams;
use gridloom::search::budget;
use gridloom::study::Cycles;
use gridloom::study::Experiment;
use gridloom::study::load_study;
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
