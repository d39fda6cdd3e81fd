//! Brokers: they give resources to the jobs of many users on a utility grid at the least total cost (file 003).
//!
//! A [`Round`] is what a broker sees at one instant: the free processing elements of every resource, prices, speeds,
//! and the jobs that wait. A [`CostTable`] is that round with all costs worked out. Every [`Broker`] is a pure function
//! from a table to an [`Answer`]; those that draw at random take their draws from the stream they are given, and from
//! nowhere else. What stays without a resource is on the dummy resource, which has room for all and costs more than any
//! other, and waits for the next round.
//!
//! All costs are whole ticks, so that decisions are the same on every platform. Floating-point numbers appear where
//! budgets cut across the tasks of one split job (a general linear program, [`Lp`]), and in the search for prices that
//! give good bounds, which no answer's validity hangs on.
//!
//! Where users and providers have wishes of their own besides cost, see [`multicriteria`].
//!
//! ```
//! use gridloom::broker::{CostTable, Broker, ExactBroker, Greedy, Round};
//! use gridloom::model::{Resource, UserJob};
//! use gridloom::rng::Streams;
//! use gridloom::units::{Money, Performance, Price, Time, Volume};
//!
//! let speed = Performance::from_units(1);
//! let resource = |price| Resource { pes: 2, speed, prices: vec![Price::from_units(price)] };
//! let job = |tasks| UserJob {
//!     user: 0,
//!     arrival: Time::ZERO,
//!     tasks,
//!     size: Volume::from_units(10),
//!     budget: Money::from_units(1000),
//!     deadline: Time::from_units(60),
//! };
//! let resources = [resource(4), resource(5)];
//! let round = Round {
//!     now: Time::from_units(50),
//!     resources: &resources,
//!     free: vec![2, 2],
//!     jobs: vec![job(1), job(2)],
//!     dummy_price: Price::from_units(9),
//! };
//! let table = CostTable::new(&round)?;
//! let mut stream = Streams::new(1, 0).stream("broker");
//! // Both have the budget; the first in the list goes to the cheap resource, where the wider job would save more.
//! assert_eq!(Greedy::default().assign(&table, &mut stream)?.plan.cost(&table), Money::from_units(140));
//! let best = ExactBroker::default().assign(&table, &mut stream)?;
//! assert_eq!(best.plan.cost(&table), Money::from_units(130));
//! assert_eq!(best.bound, Some(Money::from_units(130)), "proved");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cost_table;
mod exact;
mod genes;
mod genetic;
mod greedy;
#[cfg(feature = "highs")]
mod highs;
mod lp;
mod mmc;
pub mod multicriteria;
mod plan;
mod repaired;
mod seeded;
mod shared;
mod transport;

pub use cost_table::{CostTable, Round};
pub use exact::{Exact, ExactBroker};
pub use genetic::Genetic;
pub use greedy::{Greedy, GreedyByCost, GreedyByPrice, Preference};
#[cfg(feature = "highs")]
pub use highs::Highs;
pub use lp::Lp;
pub use mmc::Mmc;
pub use plan::{Answer, BrokerPlan};
pub use repaired::RepairedGenetic;
pub use seeded::{Hga, HgaRepaired, HgaRepairedSpec, HgaSpec, Lpga, LpgaRepaired, LpgaRepairedSpec, LpgaSpec};
pub use shared::{SharedCost, shared_cost};

use crate::model::Grain;
use crate::rng::Stream;

/// A broker decides which job gets which resource in a round.
pub trait Broker {
    /// Its name in scenarios and results.
    fn name(&self) -> &'static str;

    /// The grain of its plans: jobs whole or split.
    fn grain(&self) -> Grain {
        Grain::Whole
    }

    /// Where every job of the round goes.
    fn assign(&self, table: &CostTable, stream: &mut Stream) -> Result<Answer, BrokerError>;
}

crate::registry! {
    /// The brokers. All but `Lp` place jobs whole, on one resource each.
    pub enum BrokerChoice: BrokerSpec {
        Greedy(greedy::GreedyByCost),
        GreedyByPrice(greedy::GreedyByPrice),
        Mmc(mmc::Mmc),
        Hga(seeded::HgaSpec),
        Lpga(seeded::LpgaSpec),
        HgaRepaired(seeded::HgaRepairedSpec),
        LpgaRepaired(seeded::LpgaRepairedSpec),
        Exact(exact::Exact),
        Lp(lp::Lp),
    }
}

/// A broker as scenarios write it, and the way to make it.
pub trait BrokerSpec {
    /// The broker.
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync>;
}

/// The parameters that brokers share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrokerSetup {
    /// The rates of the genetic algorithm as printed.
    pub genetic: Genetic,
    /// The rates of the genetic algorithm with repair.
    pub repaired: RepairedGenetic,
    /// The limits of the exact search.
    pub exact: ExactBroker,
}

/// Why a broker has no answer.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BrokerError {
    /// The solver of linear programs gave up.
    #[error("the linear program of a round was not solved: {0}")]
    Solver(String),
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Count;
    use crate::model::{Resource, UserJob};
    use crate::rng::Streams;
    use crate::units::{Money, Performance, Price, Time, Volume};
    use proptest::prelude::*;

    /// A small world: resources (PEs, tenths of speed, tenths of price) and jobs (tasks, size, hundredths of budget,
    /// deadline).
    #[derive(Debug, Clone)]
    pub(super) struct Case {
        pub(super) resources: Vec<(u32, i64, i64)>,
        pub(super) jobs: Vec<(u32, i64, i64, i64)>,
    }

    pub(super) fn small_rounds(jobs: usize, resources: usize) -> impl Strategy<Value = Case> {
        let resource = (0u32..6, 5i64..12, 30i64..60);
        let job = (1u32..5, 50i64..90, 1i64..300_000, 30i64..200);
        (prop::collection::vec(resource, 0..=resources), prop::collection::vec(job, 0..=jobs))
            .prop_map(|(resources, jobs)| Case { resources, jobs })
    }

    pub(super) fn with_cost_table(case: &Case, test: impl FnOnce(&CostTable)) {
        with_round(case, |round| test(&CostTable::new(round).expect("numbers are small")));
    }

    pub(super) fn with_round(case: &Case, test: impl FnOnce(&Round<'_>)) {
        let tenths = |value: i64| value * 100_000;
        let resources: Vec<Resource> = case
            .resources
            .iter()
            .map(|&(pes, speed, price)| Resource {
                pes,
                speed: Performance::from_ticks(tenths(speed)),
                prices: vec![Price::from_ticks(tenths(price))],
            })
            .collect();
        let job = |&(tasks, size, budget, deadline): &(u32, i64, i64, i64)| UserJob {
            user: 0,
            arrival: Time::ZERO,
            tasks,
            size: Volume::from_units(size),
            budget: Money::from_ticks(budget * 10_000),
            deadline: Time::from_units(deadline),
        };
        let round = Round {
            now: Time::ZERO,
            free: resources.iter().map(|resource| resource.pes).collect(),
            resources: &resources,
            jobs: case.jobs.iter().map(job).collect(),
            dummy_price: Price::from_units(13),
        };
        test(&round);
    }

    /// The least cost over all plans of whole jobs.
    pub(super) fn brute_force(table: &CostTable, job: usize, free: &mut Vec<u32>) -> i64 {
        if job == table.jobs() {
            return 0;
        }
        let mut best = table.dummy_whole(job) + brute_force(table, job + 1, free);
        for resource in 0..table.resources() {
            let tasks = table.tasks(job);
            let Some(cost) = table.task_cost(job, resource) else { continue };
            let cost = cost.ticks() * i64::from(tasks);
            if tasks <= free[resource] && cost <= table.budget(job) {
                free[resource] -= tasks;
                best = best.min(cost + brute_force(table, job + 1, free));
                free[resource] += tasks;
            }
        }
        best
    }

    proptest! {
        #[test]
        fn exact_is_what_brute_force_finds_and_bounds_all_others(case in small_rounds(6, 4)) {
            with_cost_table(&case, |table| {
                let mut stream = Streams::new(1, 0).stream("broker");
                let least = brute_force(table, 0, &mut table.free().to_vec());
                // With few steps bounds are weak, and the tree has to do the work.
                for steps in [1, 4, 40] {
                    let exact = ExactBroker { nodes: Count::of(100_000), steps: Count::of(steps), ..ExactBroker::default() };
                    let answer = exact.assign(table, &mut stream).expect("solved");
                    assert_eq!(answer.plan.cost(table).ticks(), least);
                    assert_eq!(answer.bound.map(Money::ticks), Some(least));
                }
                // Cut short, it still proves what it says.
                let short = ExactBroker { nodes: Count::ONE, steps: Count::of(3), ..ExactBroker::default() }.assign(table, &mut stream).expect("solved");
                assert!(short.bound.is_some_and(|bound| bound.ticks() <= least));
                assert!(lp::whole_transport(table).cost <= least);
                // Where budgets bind, the general solver is good to a millionth.
                let split = Lp.assign(table, &mut stream).expect("solved").bound.expect("an optimum").as_f64();
                assert!(split * (1.0 - 1e-6) <= least as f64 / 1e6, "{split} {least}");
                let genetic = Genetic { population: Count::of(8), cap: Count::of(20), ..Genetic::default() };
                let repaired = RepairedGenetic { population: Count::of(8), cap: Count::of(20), ..RepairedGenetic::default() };
                let greedy = [Preference::Cost, Preference::Price].map(|preference| Greedy { preference });
                let genetic: [&dyn Broker; 4] =
                    [&Hga { genetic }, &Lpga { genetic }, &HgaRepaired { genetic: repaired }, &LpgaRepaired { genetic: repaired }];
                let others = [&greedy[0] as &dyn Broker, &greedy[1], &Mmc].into_iter().chain(genetic);
                for broker in others {
                    let answer = broker.assign(table, &mut stream).expect("solved");
                    assert!(answer.plan.cost(table).ticks() >= least, "{}", broker.name());
                }
            });
        }
    }
}
