//! Jobs that lose their nodes while they run, in a queue that has promised starts to others.

use crate::simulated::simulated;
use gridloom::metrics::job_outcomes;

fn starts(text: &str) -> Vec<Option<f64>> {
    let (world, _, trace) = simulated(text, 1);
    job_outcomes(&world, &trace).iter().map(|outcome| outcome.start.map(|start| start.as_f64())).collect()
}

#[test]
fn a_job_that_a_failure_drives_out_takes_nothing_that_was_promised() {
    // The third job can pay for the first two nodes alone, and waits for the second. The last one runs on the third node,
    // which fails at 20; the first node is idle then.
    for (policy, nodes) in [("Easy", 1), ("Easy", 2), ("Conservative", 1), ("Conservative", 2)] {
        let text = format!(
            "(horizon: 400, step: 400, drain: UpTo(400),
            domains: [(name: \"a\", nodes: 1), (name: \"b\", nodes: 1), (name: \"c\", nodes: 2, price_scale: 3, failures: (up: 20, down: 200))],
            flows: [(name: \"x\", work: Listed(jobs: [(submit: 0.1, nodes: 1, length: 40, actual: 0.2)]), max_price: 1),
                (name: \"y\", work: Listed(jobs: [(submit: 0.2, nodes: 1, length: 50)]), max_price: 1),
                (name: \"h\", work: Listed(jobs: [(submit: 1, nodes: 2, length: 30)]), max_price: 1),
                (name: \"k\", work: Listed(jobs: [(submit: 2, nodes: {nodes}, length: 150)]), max_price: 10)],
            metascheduler: (period: 20, interval: 1000, search: Alp), policies: [{policy}])"
        );
        let starts = starts(&text);
        assert_eq!(starts[2], Some(50.2), "{policy} with {nodes}: {starts:?}");
        assert!(starts[3].is_some_and(|start| start >= 80.2), "{policy} with {nodes}: {starts:?}");
    }
}

#[test]
fn the_period_of_cycles_is_nothing_to_a_queue_that_acts_on_events() {
    let text = |period: u32| {
        format!(
            "(horizon: 300, step: 300, drain: UpTo(300), domains: [(name: \"a\", nodes: 1, failures: (up: 20, down: 10))],
            flows: [(name: \"k\", work: Listed(jobs: [(submit: 1, nodes: 1, length: 18), (submit: 25, nodes: 1, length: 18)]), max_price: 10),
                (name: \"h\", work: Listed(jobs: [(submit: 26, nodes: 1, length: 9)]), max_price: 10)],
            metascheduler: (period: {period}, interval: 1000), policies: [(policy: Fcfs, order: Shortest)])"
        )
    };
    let first = starts(&text(4));
    assert!([7, 20, 50].iter().all(|&period| starts(&text(period)) == first), "{first:?}");
}

#[test]
fn those_behind_one_who_gives_up_start_at_once() {
    // The second job needs both nodes, and gives up at the cycle at 60.
    let text = "(horizon: 400, step: 400, drain: UpTo(400), domains: [(name: \"d\", nodes: 2)],
        flows: [(name: \"j\", max_price: 10, work: Listed(jobs: [(submit: 1, nodes: 1, length: 150), (submit: 25, nodes: 2, length: 10),
            (submit: 48, nodes: 1, length: 10)]))],
        metascheduler: (period: 20, interval: 1000, attempts: 2), policies: [Fcfs])";
    assert_eq!(starts(text), [Some(1.0), None, Some(60.0)]);
}

#[test]
fn the_shortest_is_so_by_what_is_left_of_it() {
    // The node fails at 52, when 50 of the 60 of the first job are saved.
    let text = "(horizon: 400, step: 400, drain: UpTo(400), domains: [(name: \"a\", nodes: 1, failures: (up: 52, down: 10))],
        flows: [(name: \"j\", max_price: 10, work: Listed(jobs: [(submit: 1, nodes: 1, length: 60), (submit: 2, nodes: 1, length: 30)]))],
        metascheduler: (period: 50, interval: 1000), displacement: Checkpoint(every: 5), policies: [(policy: Fcfs, order: Shortest)])";
    let (world, _, trace) = simulated(text, 1);
    let outcomes = job_outcomes(&world, &trace);
    let finish = |job: usize| outcomes[job].finish.unwrap().as_f64();
    assert!(finish(0) <= outcomes[1].start.unwrap().as_f64(), "{outcomes:?}");
    assert_eq!(finish(0), 72.0);
}

#[test]
fn a_job_of_which_a_part_is_done_has_no_finish() {
    let text = "(horizon: 150, step: 150, drain: UpTo(0), domains: [(name: \"fast\", nodes: 1), (name: \"slow\", nodes: 1, performance: 0.5)],
        flows: [(name: \"a\", max_price: 10, work: Listed(jobs: [(submit: 1, nodes: 2, length: 100)]))],
        metascheduler: (period: 50, interval: 1000), policies: [Fcfs])";
    let (world, _, trace) = simulated(text, 1);
    let outcome = job_outcomes(&world, &trace)[0];
    assert_eq!((outcome.start.map(|start| start.as_f64()), outcome.finish), (Some(1.0), None));
}
