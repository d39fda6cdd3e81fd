//! Greedy: one job after the other by QoS index, each to the best resource that still has room.

use super::cost_table::NEVER;
use super::{Answer, Broker, BrokerError, BrokerPlan, BrokerSetup, BrokerSpec, CostTable};
use crate::record;
use crate::rng::Stream;

record! {
    /// Jobs by QoS index, each to the resource with room on which it costs least.
    #[derive(Copy)]
    pub struct GreedyByCost;
}

record! {
    /// Jobs by QoS index, each to the resource with room that has the lowest price, however slow it is.
    #[derive(Copy)]
    pub struct GreedyByPrice;
}

impl BrokerSpec for GreedyByCost {
    fn make(&self, _: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(Greedy { preference: Preference::Cost })
    }
}

impl BrokerSpec for GreedyByPrice {
    fn make(&self, _: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(Greedy { preference: Preference::Price })
    }
}

/// Places jobs one after the other, the highest QoS index first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Greedy {
    /// The rule for the best resource.
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

    fn assign(&self, table: &CostTable, _: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(Answer::of(BrokerPlan::whole(table, &self.homes(table))))
    }
}

impl Greedy {
    /// The resource of every job, or none.
    pub(super) fn homes(self, table: &CostTable) -> Vec<Option<usize>> {
        let mut homes = vec![None; table.jobs()];
        let mut free = table.free().to_vec();
        for &job in table.by_qos() {
            homes[job] = match self.preference {
                Preference::Cost => cheapest(table, job, &free),
                Preference::Price => {
                    let fits = |&r: &usize| table.whole_cost(job, r) != NEVER && free[r] >= table.tasks(job);
                    (0..table.resources()).filter(fits).min_by_key(|&r| table.price_ticks(job, r))
                }
            };
            if let Some(home) = homes[job] {
                free[home] -= table.tasks(job);
            }
        }
        homes
    }
}

/// The cheapest resource with room for the whole job.
pub(super) fn cheapest(table: &CostTable, job: usize, free: &[u32]) -> Option<usize> {
    table.wholes(job).iter().map(|&(_, resource)| resource).find(|&resource| free[resource] >= table.tasks(job))
}
