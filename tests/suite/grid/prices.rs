//! What workflows pay for, held against every choice of nodes.

use crate::simulated::simulated;
use gridloom::metrics::job_outcomes;
use gridloom::units::{Money, Rounding, runtime_at};
use gridloom::workload::GridWorld;

/// The least that the tasks of the first job cost, each on the node of its own that is cheapest for it.
fn least(world: &GridWorld) -> Money {
    let dag = world.jobs[0].workflow.as_deref().expect("a workflow");
    let cost = |volume| {
        let on = |node: &gridloom::model::Node| {
            node.price.checked_mul(runtime_at(volume, node.performance, Rounding::Tick).unwrap()).unwrap()
        };
        world.nodes.iter().map(on).min().unwrap()
    };
    dag.tasks().iter().map(|task| cost(task.volume)).fold(Money::ZERO, |total, cost| total + cost)
}

#[test]
fn workflows_planned_for_the_least_cost_take_the_nodes_that_cost_them_least() {
    let mut dearer = 0;
    for seed in 0..20 {
        // A chain that comes alone and has time for any node; tasks beside it would have to share nodes.
        let text = |strategy: &str| {
            format!(
                "(horizon: 300, drain: UpTo(600), step: 100, domains: [(name: \"d\", nodes: 6, performance: Uniform(low: 1, high: 2),
                    price_spread: Uniform(low: -0.6, high: 0.6))],
                flows: [(name: \"f\", arrivals: Batches(every: 300, size: 1), max_price: 5, patience: 30,
                    work: Workflow(nodes: 3, window_factor: 10, strategy: {strategy}, tasks: Layered(tiers: 4,
                        width: 1, density: 0.6, time: Uniform(low: 1, high: 9), transfer: 1)))],
                metascheduler: (period: 5, interval: 400), policies: [ApplicationOnly])"
            )
        };
        let [cheap, early] = ["Cheapest", "EarliestFinish"].map(|strategy| {
            let (world, _, trace) = simulated(&text(strategy), seed);
            let least = least(&world).as_f64();
            (job_outcomes(&world, &trace)[0].cost, least)
        });
        assert!((cheap.0 - cheap.1).abs() < 1e-5, "seed {seed}: {} instead of {}", cheap.0, cheap.1);
        dearer += usize::from(early.0 > early.1 + 1e-5);
    }
    assert!(dearer > 10, "there was a choice: {dearer}");
}
