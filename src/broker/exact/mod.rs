//! The best plan of whole jobs, which file 003 never computes: branch and bound on Lagrangian bounds.
//!
//! The constraint that a job goes to one resource only is relaxed, with a price for each job. What is left is a small knapsack for
//! each resource, solved exactly; its value bounds every plan from below and is at least as good as the linear program's, from
//! whose prices it starts. Near-plans are repaired and improved by shifts and swaps. All values are whole ticks.

mod bound;
mod branch;
mod improve;
mod knapsack;

use super::lp::whole_transport;
use super::{Answer, Board, Broker, BrokerError, Greedy, Plan, mmc};
use crate::rng::Stream;
use crate::units::Money;

/// The best plan of whole jobs, with a proved bound; cut by a limit of nodes, never by time, so that results repeat.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exact {
    /// How many nodes of the search tree are looked at.
    pub nodes: u64,
    /// How many steps the prices take at the root; a quarter as many at every other node.
    pub steps: u32,
    /// The search ends once the plan is proved to be within this share of the optimum.
    pub gap: f64,
}

impl Default for Exact {
    /// Limits that prove instances of 50 jobs and 200 resources to a few hundredths of a per cent.
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
