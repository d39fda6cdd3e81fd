//! Promises that slip: a job that can't start when it was to goes before those who came after it.

use crate::simulated::simulated;
use gridloom::metrics::job_outcomes;

/// Two nodes; the second job needs both, which the first leaves at 90 or a little later.
fn starts(policy: &str, first: &str, rules: &str) -> Vec<f64> {
    let text = format!(
        "(horizon: 1000, step: 1000, overrun: Extended, domains: [(name: \"d\", nodes: 2)],
        flows: [(name: \"j\", max_price: 100, work: Listed(jobs: [{first}, (submit: 1, nodes: 2, length: 50),
            (submit: 2, nodes: 1, length: 99)]))],
        metascheduler: (period: 7, interval: 1000), policies: [(policy: {policy}{rules})])"
    );
    let (world, _, trace) = simulated(&text, 1);
    job_outcomes(&world, &trace).iter().map(|outcome| outcome.start.expect("all have time").as_f64()).collect()
}

#[test]
fn an_overrun_puts_off_those_behind_it_and_turns_nobody_round() {
    let late = "(submit: 0, nodes: 1, length: 90, actual: 1.01)";
    for policy in ["Conservative", "Easy", "Fcfs"] {
        assert_eq!(starts(policy, late, ""), [0.0, 90.9, 140.9], "{policy}");
    }
}

#[test]
fn a_promise_between_two_cycles_is_kept_at_the_later_one() {
    // 90 lies between the cycles at 84 and 91, and 141 between those at 140 and 147.
    let exact = "(submit: 0, nodes: 1, length: 90)";
    for policy in ["Conservative", "Easy", "Fcfs"] {
        assert_eq!(starts(policy, exact, ", acts: Cycles"), [0.0, 91.0, 147.0], "{policy}");
    }
}

#[test]
fn small_overruns_do_not_make_backfilling_worse_than_no_backfilling() {
    for seed in 0..8 {
        let wait = |policy: &str| {
            let text = format!(
                "(horizon: 3000, step: 3000, drain: UpTo(20000), overrun: Extended, actual: 1.02, domains: [(name: \"d\", nodes: 8)],
                flows: [(name: \"j\", arrivals: Load(load: 0.8), max_price: 100, work: Rigid(
                    nodes: UniformInteger(low: 1, high: 4), length: Uniform(low: 10, high: 100)))],
                metascheduler: (period: 10, interval: 100000), policies: [{policy}])"
            );
            let (world, _, trace) = simulated(&text, seed);
            job_outcomes(&world, &trace).iter().filter_map(|outcome| outcome.wait()).sum::<f64>()
        };
        let (fcfs, conservative) = (wait("Fcfs"), wait("Conservative"));
        assert!(conservative < fcfs, "seed {seed}: {conservative} against {fcfs}");
    }
}
