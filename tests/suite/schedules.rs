//! What charts of schedules show is what the numbers say.

use gridloom::language::Source;
use gridloom::study::{MOST_BARS, NoProgress, Outcome, Usage, load_study, run};
use std::fmt::Write;

/// The time of all bars.
fn shown(outcome: &Outcome) -> f64 {
    outcome.schedules[0].bars.iter().map(|bar| bar.end - bar.start).sum()
}

fn mean(outcome: &Outcome, metric: &str) -> f64 {
    outcome.results.rows.iter().rfind(|row| row.metric == metric && row.x.is_none()).unwrap().mean
}

/// Every job runs for a minute on one processor, or on two by turns.
fn replayed(jobs: usize) -> Outcome {
    let mut log = String::new();
    for job in 1..=jobs {
        let wide = 1 + job % 2;
        writeln!(log, "{job} {job} -1 60 {wide} -1 -1 {wide} 60 -1 1 1 1 1 1 -1 -1 -1").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("minutes.swf");
    std::fs::write(&path, log).unwrap();
    let logs = format!("[File(path: {path:?}, nodes: 100)]");
    let text = format!("(name: \"minutes\", experiment: Replay(logs: {logs}, policies: [Easy]))");
    run(&load_study(&Source::new("minutes.ron", text), &[]).unwrap(), &NoProgress).unwrap()
}

#[test]
fn the_bars_of_a_grid_add_up_to_its_utilisation_and_none_overlap() {
    let text = r#"(
        name: "small",
        replications: 1,
        experiment: Grid(
            horizon: 50,
            step: 5,
            domains: [
                (name: "a", nodes: 7, owners: [(gap: Exponential(mean: 2), length: Uniform(low: 0.5, high: 3))]),
                (name: "b", nodes: 3, owners: [(gap: 3, length: LogNormal(log_mean: 0, log_sd: 0.5))]),
            ],
        ),
    )"#;
    let outcome = run(&load_study(&Source::new("small.ron", text), &[]).unwrap(), &NoProgress).unwrap();
    let schedule = &outcome.schedules[0];
    assert_eq!(schedule.nodes.len(), 10);
    assert_eq!((schedule.nodes[6].as_str(), schedule.nodes[7].as_str()), ("a-7", "b-1"));
    assert!((shown(&outcome) / 500.0 - mean(&outcome, "local load")).abs() < 1e-9);
    assert!(schedule.bars.iter().all(|bar| bar.kind == Usage::Local && bar.start < 50.0 && bar.end <= 50.0));
    for (k, a) in schedule.bars.iter().enumerate() {
        assert!(schedule.bars[..k].iter().all(|b| a.node != b.node || a.end <= b.start || b.end <= a.start));
    }
}

#[test]
fn the_bars_of_a_replay_add_up_to_its_utilisation() {
    let outcome = replayed(500);
    let hours = mean(&outcome, "utilisation") * 100.0 * mean(&outcome, "makespan") / 3600.0;
    assert!((shown(&outcome) - hours).abs() < 1e-6 * hours, "{} against {hours}", shown(&outcome));
    assert!(outcome.schedules[0].nodes.len() <= 100);
    assert!(!outcome.schedules[0].caption.contains("Only what begins"));
}

#[test]
fn a_replay_too_large_to_show_is_shown_up_to_an_instant() {
    let schedule = &replayed(40_000).schedules[0];
    assert!(schedule.bars.len() <= MOST_BARS && schedule.bars.len() > MOST_BARS - 100);
    assert!(schedule.caption.contains("Only what begins before 9.2"), "{}", schedule.caption);
}
