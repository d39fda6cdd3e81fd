//! The best plan of whole jobs, which file 003 never computes: branch and bound on Lagrangian bounds.
//!
//! The constraint that a job goes to one resource only is relaxed, with a price for each job. What is left is a small knapsack for
//! each resource, solved exactly; its value bounds every plan from below and is at least as good as the linear program's, from
//! whose prices it starts. Steps along the subgradient make prices better at first; the best ones come from a linear program
//! over the patterns that knapsacks have held, and its mixture of patterns says what to decide next: how many tasks and how many jobs of each
//! size stay on the dummy, then where a job goes. Near-plans are repaired and improved by shifts and swaps. All values are whole ticks;
//! floating-point numbers choose prices and decisions, and no answer's validity hangs on them.

mod bound;
mod branch;
mod decision;
mod dummy;
mod generate;
mod improve;
mod knapsack;
mod master;

use super::lp::whole_transport;
use super::{Answer, Board, Broker, BrokerError, Greedy, Plan, mmc};
use crate::rng::Stream;
use crate::units::Money;

/// The best plan of whole jobs, with a proved bound; cut by a limit of nodes, never by time, so that results repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact {
    /// How many nodes of the search tree are looked at.
    pub nodes: u64,
    /// How many steps along the subgradient the prices take at the root before the linear program sets them; a quarter as many at every other
    /// node on boards too large for it.
    pub steps: u32,
    /// The search ends once the plan is proved to be within this share of the optimum.
    pub gap: f64,
}

impl Default for Exact {
    /// Limits within which nearly all rounds of 50 jobs and 25 to 200 resources are proved.
    fn default() -> Self {
        Self { nodes: 200, steps: 120, gap: 0.0 }
    }
}

impl Broker for Exact {
    fn name(&self) -> &'static str {
        "exact"
    }

    fn assign(&self, board: &Board, _: &mut Stream) -> Result<Answer, BrokerError> {
        let relaxed = whole_transport(board);
        let starts = [Greedy::default().homes(board), mmc::homes(board)];
        let mut incumbent = improve::best_of(board, starts);
        let bound = branch::search(self, board, &mut incumbent, &relaxed);
        let plan = Plan::whole(board, &incumbent.homes);
        Ok(Answer { plan, bound: Some(Money::from_ticks(bound)), generations: None })
    }
}
