//! What is known of idle nodes without a list of the free time changes no decision of the application level.

use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::policy::{Decision, Direct, Policy, PolicyError, Setup, View};
use gridloom::rng::Streams;
use gridloom::sim::{GridRules, simulate_grid};
use gridloom::study::Grid;
use gridloom::workload::draw_grid;

/// More work than the nodes can do, owners who come and go, nodes that fail, prices that follow the use, and tasks that
/// end early or overrun: time becomes free in every way there is.
fn scenario(search: &str, work: &str) -> Grid {
    let text = format!(
        "(horizon: 500, step: 50,
        domains: [
            (name: \"a\", nodes: 4, performance: Uniform(low: 1, high: 2), owners: [(load: 0.2, length: 10, notice: 20), (load: 0.05, length: 5)],
                failures: (up: Exponential(mean: 200), down: Uniform(low: 5, high: 30))),
            (name: \"b\", nodes: 3, performance: Uniform(low: 1, high: 3), owners: [(load: 0.2, length: 10, notice: 20)]),
        ],
        flows: [(name: \"f\", arrivals: Load(load: 1.2), work: {work}, max_price: Uniform(low: 1, high: 2), patience: Uniform(low: 2, high: 6))],
        metascheduler: (period: 5, interval: 120, search: {search}, batch: 12, rich_from: 1.5),
        policies: [(policy: Easy, acts: Events)], pricing: (elasticity: 0.1, target: 0.5), actual: Uniform(low: 0.6, high: 1.3))"
    );
    load(Source::new("grid.ron", text.clone()), &[]).unwrap_or_else(|report| panic!("{text}\n{report}"))
}

const RIGID: &str = "Rigid(nodes: UniformInteger(low: 1, high: 4), length: Uniform(low: 5, high: 30))";
const WORKFLOWS: &str = "Workflow(tasks: Layered(tiers: 3, width: UniformInteger(low: 1, high: 3), density: 0.4, time: Uniform(low: 3, high: 12),
    transfer: Uniform(low: 0, high: 4)), nodes: 2, window_factor: 1.4)";

/// Asks two policies, and is the first of them.
struct SideBySide<P, Q> {
    policy: P,
    plain: Q,
    decided: usize,
}

impl<P: Policy, Q: Policy> Policy for SideBySide<P, Q> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let decided = self.policy.decide(view)?;
        // A plain list says nothing of idle nodes.
        let slots = view.slots.list().clone().into();
        assert_eq!(decided, self.plain.decide(&View { slots: &slots, ..*view })?, "at {}", view.now);
        self.decided += decided.len();
        Ok(decided)
    }
}

/// Runs two policies side by side; the number of decisions.
fn compare(spec: &Grid, policy: impl Policy, plain: impl Policy, replication: u64) -> usize {
    let world = draw_grid(&spec.grid(), &Streams::new(5, replication), Stop::NEVER).unwrap();
    // The policies see all jobs, also those that the grid could tell apart.
    let rules = GridRules { seeks_windows: false, ..spec.rules(&spec.policies[0]) };
    let mut both = SideBySide { policy, plain, decided: 0 };
    simulate_grid(&world, &rules, &mut both, Stop::NEVER).unwrap();
    both.decided
}

#[test]
fn idle_nodes_make_the_plans_of_a_list() {
    for (search, work) in [("Alp", WORKFLOWS), ("Amp(budget_factor: 1)", WORKFLOWS), ("Alp", RIGID)] {
        let spec = scenario(search, work);
        for replication in 0..2 {
            let streams = Streams::new(5, replication);
            let setup = Setup { metascheduler: spec.metascheduler.as_ref().unwrap(), streams: &streams };
            let direct = || Direct::new(setup.search().clone(), setup.planner());
            assert!(compare(&spec, direct(), direct(), replication) > 50);
        }
    }
}
