//! Greedy: one job after the other by QoS index, each to the best resource that still has room.

use super::board::NEVER;
use super::{Answer, Board, Broker, BrokerError, Plan};
use crate::rng::Stream;

/// Places jobs one after the other, the highest QoS index first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy {
    /// What makes a resource the best.
    pub preference: Preference,
}

/// Which resource a greedy broker takes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Preference {
    /// The one on which the job costs least.
    #[default]
    Cost,
    /// The one with the lowest price per unit of time, however slow it is.
    Price,
}

impl Broker for Greedy {
    fn name(&self) -> &'static str {
        match self.preference {
            Preference::Cost => "greedy",
            Preference::Price => "greedy by price",
        }
    }

    fn assign(&self, board: &Board, _: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(Answer::of(Plan::whole(board, &self.homes(board))))
    }
}

impl Greedy {
    /// The resource of every job, or none.
    pub(super) fn homes(self, board: &Board) -> Vec<Option<usize>> {
        let mut homes = vec![None; board.jobs()];
        let mut free = board.free().to_vec();
        for &job in board.by_qos() {
            homes[job] = match self.preference {
                Preference::Cost => cheapest(board, job, &free),
                Preference::Price => {
                    let fits = |&r: &usize| board.whole_cost(job, r) != NEVER && free[r] >= board.tasks(job);
                    (0..board.resources()).filter(fits).min_by_key(|&r| board.price_ticks(job, r))
                }
            };
            if let Some(home) = homes[job] {
                free[home] -= board.tasks(job);
            }
        }
        homes
    }
}

/// The cheapest resource with room for the whole job.
pub(super) fn cheapest(board: &Board, job: usize, free: &[u32]) -> Option<usize> {
    board.wholes(job).iter().map(|&(_, resource)| resource).find(|&resource| free[resource] >= board.tasks(job))
}
