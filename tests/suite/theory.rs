//! Scenarios that queueing theory has an answer to.

use gridloom::language::Source;
use gridloom::study::{NoProgress, Row, load_study, run};

fn rows(arrivals: &str, length: &str) -> Vec<Row> {
    let text = format!(
        "(name: \"queue\", seed: 5, replications: 40, experiment: Grid(
            horizon: 2000, step: 2000, domains: [(name: \"d\", nodes: 1)],
            flows: [(name: \"f\", arrivals: {arrivals}, work: Rigid(nodes: 1, length: {length}), max_price: 1000)],
            metascheduler: (period: 2000, interval: 2000), policies: [ApplicationOnly]))"
    );
    let study = load_study(&Source::new("queue.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    run(&study, &NoProgress).unwrap().results.rows
}

/// The mean and the half-width of a metric of the whole run.
fn estimate(rows: &[Row], metric: &str) -> (f64, f64) {
    let row = rows.iter().find(|row| row.metric == metric && row.x.is_none()).unwrap();
    (row.mean, row.ci95.unwrap())
}

/// One node that takes jobs as they come, with gaps and lengths that are exponential, is M/M/1: at a load of rho they wait rho / (1 - rho)
/// times the mean length. With lengths that are all alike it is M/D/1, and they wait half as long.
#[test]
fn jobs_of_exponential_lengths_wait_as_theory_says() {
    let (lambda, length) = (0.5, 1.0);
    let wait = lambda * length / (1.0 - lambda * length);
    let exponential = rows("Poisson(gap: 2)", "Exponential(mean: 1)");
    let (mean, ci95) = estimate(&exponential, "wait");
    assert!((mean - wait).abs() <= ci95 && ci95 < 0.15 * wait, "M/M/1: {mean} ± {ci95}, not {wait}");
    let (mean, ci95) = estimate(&rows("Poisson(gap: 2)", "1"), "wait");
    assert!((mean - wait / 2.0).abs() <= ci95 && ci95 < 0.15 * wait, "M/D/1: {mean} ± {ci95}, not {}", wait / 2.0);
}

/// The load of a flow is that of the lengths as they are drawn: here 1 in 120 counts as the longest,
/// 100,000, which takes a third off the mean.
#[test]
fn the_load_of_a_flow_reckons_with_the_longest_job() {
    let text = "(name: \"queue\", seed: 2, replications: 20, experiment: Grid(
        horizon: 2000000, step: 2000000, domains: [(name: \"d\", nodes: 10)],
        flows: [(name: \"f\", arrivals: Load(load: 0.5), work: Rigid(nodes: 1, length: LogNormal(log_mean: 6, log_sd: 2.3)), max_price: 1000)],
        metascheduler: (period: 2000000, interval: 2000000), policies: [ApplicationOnly]))";
    let study = load_study(&Source::new("queue.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    let rows = run(&study, &NoProgress).unwrap().results.rows;
    let (mean, ci95) = estimate(&rows, "load forecast");
    assert!((mean - 0.5).abs() <= ci95 && ci95 < 0.05, "{mean} ± {ci95}");
}
