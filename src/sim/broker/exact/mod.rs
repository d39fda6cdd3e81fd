//! The best plan of whole jobs, which file 003 never computes: branch and bound on Lagrangian bounds (branch and
//! price).
//!
//! The constraint that a job goes to one resource only is relaxed, with a price for each job. What is left is a small
//! knapsack for each resource, solved exactly; its value bounds every plan from below and is at least as good as the
//! linear program's, from whose prices it starts. The search goes in these steps:
//!
//! 1. Steps along the subgradient make the prices better. Plans are made of the knapsacks' contents on the way, and
//!    improved by shifts, swaps and ejections. Pairs of job and resource too expensive for any better plan are left
//!    out.
//! 2. Column generation finds the best prices: a linear program over the patterns that knapsacks have held prices the
//!    jobs, the knapsacks at these prices show patterns that are still missing, until there are none.
//! 3. The program's mixture of patterns tells what to decide next: first how many jobs of each size stay on the dummy,
//!    then where a job goes. Of all nodes, the one with the lowest bound comes first.
//!
//! All values are whole ticks; floating-point numbers choose prices and decisions, and no answer's validity hangs on
//! them. Tables of 300 jobs and resources or more are too large for the linear program: they end with step 1.
//!
//! Each part is there because the proof fails or takes far longer without it. The first rounds of `lpga-tight.ron`,
//! `lpga-medium.ron` and `lpga-relaxed.ron` (25 to 200 resources, 20 markets each, 300 in all) at the default limits:
//!
//! | way | rounds without proof | widest gap (%) | plans above the optimum | mean time | longest |
//! | --- | --- | --- | --- | --- | --- |
//! | all three steps | 0 | 0 | 0 | 25 ms | 0.5 s |
//! | step 1 alone, 1000 steps along the subgradient | 190 | 1.5 | 64 | 34 ms | 0.2 s |
//! | steps 1 and 2 | 97 | 1.0 | 60 | 10 ms | 0.03 s |
//! | steps 1 and 3, nodes bounded by subgradient steps | 61 | 0.37 | 17 | 58 ms | 0.5 s |
//! | all, but no counts on the dummy | 9 | 0.17 | 4 | 25 ms | 0.8 s |
//! | all, with microlp for the program over patterns | 0 | 0 | 0 | 169 ms | 5.3 s |
//! | the volume algorithm in place of step 2 | 0 | 0 | 0 | 15 ms | 0.4 s |
//!
//! All rows but the first were measured before this version, when jobs on the dummy were also counted by their tasks.
//! Of 3000 such rounds (200 markets each), this search proves all; the volume algorithm leaves six, two of them of
//! `lpga-tight.ron`, which promises a proof of every round. microlp tells no prices (dual values), so that with it the
//! dual program gives the prices and the program itself the mixture; hence the simplex method in `master`. As a solver
//! of the integer program, after steps 1 and 2, it leaves 18 of 50 rounds unproved within 4 s each.

mod bound;
mod branch;
mod decision;
mod dummy;
mod generate;
mod improve;
mod knapsack;
mod master;

use super::lp::whole_transport;
use super::{Answer, Broker, BrokerError, BrokerPlan, BrokerSetup, BrokerSpec, CostTable, Greedy, mmc};
use crate::language::{Count, NonNegative, constant};
use crate::record;
use crate::rng::Stream;
use crate::units::Money;

record! {
    /// The best plan of whole jobs, by branch and bound on Lagrangian bounds.
    #[derive(Copy)]
    pub struct Exact;
}

impl BrokerSpec for Exact {
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(setup.exact)
    }
}

record! {
    /// The limits of the exact search, none of which is a time, so that results repeat.
    #[derive(Copy)]
    pub struct ExactBroker {
        /// The most nodes of the search tree that are looked at.
        #[unit = "nodes of the search tree"]
        nodes: Count = Count::of(200),
        /// The number of steps along the subgradient that the prices take at the root of the tree, before a linear
        /// program sets them.
        #[unit = "steps"]
        steps: Count = Count::of(120),
        /// It ends once the plan is proved to be within this many per cent of the optimum.
        #[unit = "per cent of the optimum"]
        gap: NonNegative = NonNegative::ZERO,
    }
    check(this, at, errors) {
        if this.steps.get() > 100_000 {
            errors.add(&at.field("steps"), "that would take very long", "give at most 100000");
        }
    }
}

impl Default for ExactBroker {
    /// Limits within which all rounds of 50 jobs and 25 to 200 resources that were tried are proved.
    fn default() -> Self {
        constant("()")
    }
}

impl Broker for ExactBroker {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn assign(&self, table: &CostTable, _: &mut Stream) -> Result<Answer, BrokerError> {
        // The search needs no more than a plan to begin with: where the linear program of MMC is not solved, greedy
        // gives it alone.
        Ok(self.search_from(table, mmc::homes(table).ok()))
    }
}

impl ExactBroker {
    /// The answer of a search that begins with the better one of the greedy plan and `other`.
    fn search_from(&self, table: &CostTable, other: Option<Vec<Option<usize>>>) -> Answer {
        let relaxed = whole_transport(table);
        let mut incumbent = improve::improved(table, Greedy::default().homes(table));
        if let Some(other) = other.map(|homes| improve::improved(table, homes))
            && other.cost < incumbent.cost
        {
            incumbent = other;
        }
        let bound = branch::search(self, table, &mut incumbent, &relaxed);
        let plan = BrokerPlan::whole(table, &incumbent.homes);
        Answer { plan, bound: Some(Money::from_ticks(bound)), generations: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{brute_force, small_rounds, with_cost_table};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_greedy_plan_is_enough_to_begin_with(case in small_rounds(6, 4)) {
            with_cost_table(&case, |table| {
                let answer = ExactBroker::default().search_from(table, None);
                let least = Money::from_ticks(brute_force(table, 0, &mut table.free().to_vec()));
                assert_eq!((answer.plan.cost(table), answer.bound), (least, Some(least)));
            });
        }
    }
}
