//! Scenarios that queueing theory has an answer to.

use gridloom::language::{Source, read_source};
use gridloom::study::{NoProgress, Outcome, Row, Scenario, load_study, run};
use std::path::Path;

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

/// The replications of the runs below, and Student's t for the half-widths of so many.
const REPLICATIONS: usize = 30;
const STUDENT: f64 = 2.045;

/// The scenarios of queues: the file, the number of servers, and the squared coefficient of variation of lengths.
const QUEUES: [(&str, u32, f64); 3] = [("queue-mm1", 1, 1.0), ("queue-md1", 1, 0.0), ("queue-mm8", 8, 1.0)];

fn outcome(text: &str) -> Outcome {
    let study = load_study(&Source::new("law.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    run(&study, &NoProgress).unwrap()
}

fn queue(name: &str, overrides: &[&str]) -> (Scenario, Vec<Row>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(format!("{name}.ron"));
    let source = read_source(&path).unwrap_or_else(|report| panic!("{report}"));
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    let study = load_study(&source, &overrides).unwrap_or_else(|report| panic!("{report}"));
    let rows = if overrides.is_empty() { Vec::new() } else { run(&study, &NoProgress).unwrap().results.rows };
    (study.scenario().clone(), rows)
}

/// The mean wait in mean lengths: Erlang C by the recursion of Erlang B, with the factor of Pollaczek and Khinchine for
/// lengths of another variation, which is exact for one server.
fn mean_wait(servers: u32, variation: f64, load: f64) -> f64 {
    let offered = load * f64::from(servers);
    let blocked = (1..=servers).fold(1.0, |b, k| offered * b / (f64::from(k) + offered * b));
    let waits = blocked / (1.0 - load * (1.0 - blocked));
    waits / (f64::from(servers) * (1.0 - load)) * (1.0 + variation) / 2.0
}

#[test]
fn the_values_that_scenarios_of_queues_are_judged_by_are_those_of_theory() {
    assert!((mean_wait(1, 1.0, 0.5) - 1.0).abs() < 1e-12 && (mean_wait(2, 1.0, 0.5) - 1.0 / 3.0).abs() < 1e-12);
    for (name, servers, variation) in QUEUES {
        let (scenario, _) = queue(name, &[]);
        assert!(scenario.source.is_none(), "{name}: theory is no paper's");
        assert_eq!(scenario.published.len(), 6, "{name}");
        for one in &scenario.published {
            let load = one.x.unwrap().get();
            let expected = match one.metric.as_str() {
                "wait" => mean_wait(servers, variation, load),
                "utilisation" => load,
                other => panic!("{name}: nothing is known of {other}"),
            };
            assert!((one.value.get() - expected).abs() < 1e-9, "{name}, {} at {load}: {expected}", one.metric);
            assert!(one.item.as_ref().unwrap().starts_with("theory: "), "{name}");
        }
    }
}

/// The scenarios themselves, shorter: waits and utilisation at loads of 0.5, 0.7 and 0.9 within four standard errors,
/// which are small enough to tell one theory from another.
#[test]
fn queues_wait_as_theory_says_at_every_load() {
    for (name, servers, variation) in QUEUES {
        // As many jobs for eight servers as for one.
        let (horizon, warm_up) = (2000 / u64::from(servers), 400 / u64::from(servers));
        let length = [format!("experiment.horizon={horizon}"), format!("experiment.warm_up={warm_up}")];
        let rest = [
            format!("replications={REPLICATIONS}"),
            format!("experiment.step={horizon}"),
            format!("experiment.metascheduler.period={horizon}"),
        ];
        let overrides: Vec<&str> = length.iter().chain(&rest).map(String::as_str).collect();
        let (_, rows) = queue(name, &overrides);
        for load in [0.5, 0.7, 0.9] {
            let of = |metric: &str| {
                let is = |row: &&Row| row.experiment == "load" && row.metric == metric && row.x == Some(load);
                rows.iter().find(is).map(|row| (row.mean, row.ci95.unwrap() / STUDENT)).unwrap()
            };
            let (wait, error) = of("wait");
            let expected = mean_wait(servers, variation, load);
            assert!(
                (wait - expected).abs() <= 4.0 * error,
                "{name} at {load}: {wait} ± {error}, and theory says {expected}"
            );
            // Waits at a load of 0.9 vary so much that a sharp test of them would take minutes.
            let sharp = if load < 0.9 { 0.12 } else { 0.3 };
            assert!(
                error < sharp * expected,
                "{name} at {load}: a standard error of {error} says little of {expected}"
            );
            let (used, error) = of("utilisation");
            assert!((used - load).abs() <= 4.0 * error && error < 0.01, "{name}: {used} ± {error} at a load of {load}");
            assert_eq!(of("jobs undecided").0, 0.0, "{name} at {load}");
        }
    }
}

/// Little's law: the mean number of those who wait is the rate at which jobs come times their mean wait. Over a finite
/// time it is exact if each wait counts as far as it lies within that time.
#[test]
fn the_number_of_jobs_that_wait_is_their_rate_times_their_wait() {
    let policies = ["Fcfs", "Easy", "Conservative"];
    let entries = policies.map(|policy| format!("(policy: {policy}, acts: Events)")).join(", ");
    let outcome = outcome(&format!(
        "(name: \"little\", seed: 3, experiment: Grid(
            horizon: 4000, step: 100, domains: [(name: \"d\", nodes: 4)],
            flows: [(name: \"f\", arrivals: Load(load: 0.6), max_price: 1, work: Rigid(
                nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 1, high: 9)))],
            metascheduler: (period: 1000, interval: 1000), policies: [{entries}], actual: Uniform(low: 0.3, high: 1)))"
    ));
    let (_, jobs) = outcome.files.iter().find(|(name, _)| name == "jobs.csv").unwrap();
    let mut table = csv::Reader::from_reader(jobs.bytes().unwrap());
    let lines: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
    for policy in ["FCFS", "EASY", "conservative"] {
        let number = |line: &csv::StringRecord, at: usize| line[at].parse::<f64>().unwrap();
        let times: Vec<(f64, f64)> =
            lines.iter().filter(|line| &line[0] == policy).map(|line| (number(line, 3), number(line, 4))).collect();
        let rows = || outcome.results.rows.iter().filter(|row| row.series == policy);
        let steps: Vec<f64> = rows().filter(|row| row.metric == "waiting jobs").map(|row| row.mean).collect();
        assert_eq!(steps.len(), 40);
        let waiting = steps.iter().sum::<f64>() / 40.0;
        let within = times.iter().map(|(submit, start)| start.min(4000.0) - submit).sum::<f64>() / 4000.0;
        assert!((waiting - within).abs() < 1e-6 * waiting, "{policy}: {waiting} wait, and their waits say {within}");
        // The law itself, of which a long run breaks off a little at its end.
        let wait = rows().find(|row| row.metric == "wait").unwrap().mean;
        let by_law = times.len() as f64 / 4000.0 * wait;
        assert!(waiting > 0.1 && (waiting - by_law).abs() < 0.02 * waiting, "{policy}: {waiting}, not {by_law}");
    }
}

/// What is stated is what comes: owners' load, the share of time that nodes are down, and the work of jobs.
#[test]
fn owners_failures_and_jobs_take_the_shares_that_are_stated() {
    let measured = |rest: &str, flow: &str| {
        let outcome = outcome(&format!(
            "(name: \"shares\", seed: 7, replications: {REPLICATIONS}, experiment: Grid(
                warm_up: 500, horizon: 1000, step: 1000, domains: [(name: \"d\", nodes: 10{rest})],
                flows: [(name: \"f\", arrivals: Load(load: {flow}), max_price: 1, patience: 50, work: Rigid(
                    nodes: UniformInteger(low: 1, high: 3), length: Uniform(low: 1, high: 9)))],
                metascheduler: (period: 1000, interval: 1000), policies: [(policy: Easy, acts: Events)]))"
        ));
        move |metric: &str| {
            let (mean, ci95) = estimate(&outcome.results.rows, metric);
            (mean, ci95 / STUDENT)
        }
    };
    let owners = "owners: [(load: 0.3, length: Uniform(low: 2, high: 8), notice: 20)]";
    let failures = "failures: (up: Exponential(mean: 200), down: Uniform(low: 5, high: 25))";
    let agrees = |what: &str, (mean, error): (f64, f64), stated: f64| {
        assert!((mean - stated).abs() <= 4.0 * error, "{what}: {mean} ± {error}, and {stated} is stated");
        assert!(error < 0.03 * stated, "{what}: a standard error of {error} says little of {stated}");
    };
    let down = 15.0 / 215.0;
    let quiet = measured("", "0.3");
    agrees("offered load", quiet("global load"), 0.3);
    let with_owners = measured(&format!(", {owners}"), "0.01");
    agrees("owners' load", with_owners("local load"), 0.3);
    let failing = measured(&format!(", {owners}, {failures}"), "0.01");
    agrees("down time", failing("down time"), down);
    // A node that is down serves no owner, and what is left of an owner's task at the repair is not made up for: as much
    // as is left of a task at a random instant.
    let left = (25.0 + 3.0) / (2.0 * 5.0);
    agrees("owners' load beside failures", failing("local load"), 0.3 * (1.0 - down) - 0.3 * left / 215.0);
}
