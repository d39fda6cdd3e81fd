//! What a grid can't be is said all at once, and where.

use gridloom::language::{Source, load};
use gridloom::study::{Grid, load_study};

/// All that a report has to say: the place, what is wrong, and what would be right.
fn says(report: &str, expected: &[[&str; 3]]) {
    for [place, wrong, right] in expected {
        let line = report.lines().find(|line| line.contains(&format!(" {place}: ")) && line.contains(wrong));
        let line = line.unwrap_or_else(|| panic!("{place}: {wrong:?} is not said:\n{report}"));
        assert!(line.contains(&format!("; {right}")), "{line} does not say {right:?}");
    }
}

#[test]
fn what_is_wrong_with_a_grid_is_said_all_at_once_and_where() {
    let text = "(horizon: 10, step: 20, domains: [
            (name: \"a\", nodes: 2, owners: [(load: 0.5, gap: 3, length: 1)], failures: (up: 0, down: 1)),
            (name: \"b\", nodes: 2, owners: [(load: 0.6, length: 1), (load: 0.6, length: 1)]), (name: \"a\", nodes: 1)],
        flows: [(name: \"f\", work: Rigid(nodes: 0, length: 1), max_price: 1),
            (name: \"g\", arrivals: Poisson(gap: 1), work: Log(path: \"x.swf\"), max_price: 1)],
        metascheduler: (period: 0, interval: 5, search: MinCost), policies: [Easy, Easy], actual: 0)";
    let report = load::<Grid>(Source::new("bad.ron", text), &[]).unwrap_err().to_string();
    for path in [
        "domains[0].owners[0]",
        "domains[0].failures.up",
        "domains[1].owners",
        "domains[2].name",
        "flows[0].work.nodes",
        "flows[1].arrivals",
        "metascheduler.period",
        "actual",
    ] {
        assert!(report.contains(path), "{path} is not reported:\n{report}");
    }
    // What concerns the whole is said once its parts are sound.
    let text = "(horizon: 10, step: 20, domains: [(name: \"a\", nodes: 2)], flows: [(name: \"f\", arrivals: Load(load: 0.5),
        work: Rigid(nodes: 1, length: 1), max_price: 1)], metascheduler: (period: 50, interval: 5), policies: [Easy, Easy])";
    let report = load::<Grid>(Source::new("bad.ron", text), &[]).unwrap_err().to_string();
    for path in ["step", "policies[1]", "metascheduler.period"] {
        assert!(report.contains(path), "{path} is not reported:\n{report}");
    }
}

#[test]
fn rules_of_time_and_displacement_that_can_not_be_are_refused_all_at_once() {
    let grid = |rules: &str, flow: &str| {
        let text = format!(
            "(horizon: 100, step: 10, {rules}, domains: [(name: \"a\", nodes: 2, performance: Uniform(low: 2, high: 4))],
            flows: [(name: \"f\", arrivals: Batches(every: 50, size: 1), work: Rigid(nodes: 1, length: 10), max_price: 1{flow})],
            metascheduler: (period: 5, interval: 60), policies: [Easy])"
        );
        load::<Grid>(Source::new("bad.ron", text), &[])
    };
    let refused = |rules: &str, flow: &str| grid(rules, flow).unwrap_err().to_string();
    // Each part by itself.
    let report = refused(
        "warm_up: -5, drain: UpTo(-1), slowdown_bound: -2, overrun: Often, displacement: Checkpoint(every: 1, cost: 2)",
        "",
    );
    let time = "give a length of time of at least 0, at most 1e9";
    says(
        &report,
        &[
            ["warm_up", "-5 is out of range", time],
            ["drain", "-1 is out of range", time],
            ["slowdown_bound", "-2 is out of range", time],
            ["overrun", "no choice `Often`", "the choices are `Ended`, `GoesOn`, `Extended`"],
            ["displacement.cost", "a checkpoint that takes 2 is longer than the 1 of work", "give less than `every`"],
        ],
    );
    let report = refused("warm_up: 2e9, displacement: Checkpoint(every: 0, cost: 0)", "");
    says(
        &report,
        &[
            ["warm_up", "2e9 is beyond", time],
            ["displacement.every", "0 is out of range", "give a length of time above 0, at most 1e9"],
        ],
    );
    // The whole, once its parts are sound. The longest task takes 10 / 2 on the slowest node.
    let report = refused("warm_up: 999999990, drain: UntilDecided, displacement: Checkpoint(every: 5, cost: 1)", "");
    let decided = "jobs of flow \"f\" have no deadline, and `drain: UntilDecided` might never end";
    says(
        &report,
        &[
            [
                "displacement.every",
                "no task works for 5 from one checkpoint to the next",
                "write checkpoints more often",
            ],
            ["flows[0]", decided, "give it `patience`, or `drain: UpTo(...)`"],
        ],
    );
    assert!(
        report.contains("the run could last until 1.0e9; keep warm-up, horizon and drain to 1e9 in all"),
        "{report}"
    );
    // What would be right is taken.
    for (rules, flow) in [
        ("warm_up: 0", ""),
        ("warm_up: 999999000, drain: UpTo(900)", ""),
        ("drain: UntilDecided", ", patience: 3"),
        ("displacement: Checkpoint(every: 4.9, cost: 4.9)", ""),
    ] {
        grid(rules, flow).unwrap_or_else(|report| panic!("{rules}: {report}"));
    }
}

#[test]
fn jobs_take_whole_nodes() {
    let report = |work: &str| {
        let text = format!(
            "(name: \"whole\", experiment: Grid(horizon: 10, domains: [(name: \"a\", nodes: 4)], policies: [Easy],
            flows: [(name: \"f\", arrivals: Load(load: 0.4), work: {work}, max_price: 2)]))"
        );
        load_study(&Source::new("whole.ron", text), &[]).err().map_or(String::new(), |report| report.to_string())
    };
    let wrong = "flows[0].work.nodes: a job takes whole nodes; give a whole number";
    assert!(report("Rigid(nodes: 1.5, length: 2)").contains(wrong));
    let tasks = "tasks: Layered(tiers: 2, width: 1, density: 1, time: 3, transfer: 1), window_factor: 2";
    assert!(report(&format!("Workflow(nodes: 2.2, {tasks})")).contains(wrong));
    assert_eq!(
        report("Rigid(nodes: 2, length: 2)") + &report("Rigid(nodes: Uniform(low: 1, high: 3.5), length: 2)"),
        ""
    );
}

const QUEUES: [&str; 3] = ["Fcfs", "Easy", "Conservative"];

/// When a policy is to act, if it can: queues do not at submissions.
pub(crate) fn acts_of<'a>(policy: &str, acts: &'a str) -> &'a str {
    if QUEUES.contains(&policy) && acts == "Submission" { "Events" } else { acts }
}

#[test]
fn queues_that_would_see_the_newcomer_alone_are_refused() {
    for policy in QUEUES {
        let text = format!(
            "(horizon: 10, domains: [(name: \"a\", nodes: 2)], flows: [(name: \"f\", arrivals: Poisson(gap: 1), work: Rigid(nodes: 1,
                length: 1), max_price: 1)], metascheduler: (period: 5, interval: 5), policies: [(policy: {policy}, acts: Submission)])"
        );
        let report = load::<Grid>(Source::new("bad.ron", text), &[]).unwrap_err().to_string();
        says(&report, &[["policies[0].acts", "a queue must see those who wait", "give `Events` or `Cycles`"]]);
    }
}
