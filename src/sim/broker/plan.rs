//! The answer of a broker.

use super::CostTable;
use crate::units::Money;

/// A broker's answer for one round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Where the jobs go.
    pub plan: BrokerPlan,
    /// A proved lower bound on the cost of any plan of the same grain, where the broker has one.
    pub bound: Option<Money>,
    /// The number of generations it took, where there are any.
    pub generations: Option<u64>,
}

impl Answer {
    pub(super) fn of(plan: BrokerPlan) -> Self {
        Self { plan, bound: None, generations: None }
    }
}

/// Where the tasks of every job go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerPlan {
    /// By job: resources with the number of tasks on each. What is missing stays on the dummy resource.
    pub shares: Vec<Vec<(usize, u32)>>,
}

impl BrokerPlan {
    /// The plan in which every job is whole: on its resource, or on the dummy.
    pub(super) fn whole(table: &CostTable, homes: &[Option<usize>]) -> Self {
        let share = |(job, home): (usize, &Option<usize>)| home.iter().map(|&home| (home, table.tasks(job))).collect();
        Self { shares: homes.iter().enumerate().map(share).collect() }
    }

    /// The resource of a job that is placed whole.
    pub(crate) fn home(&self, table: &CostTable, job: usize) -> Option<usize> {
        match self.shares[job][..] {
            [(resource, tasks)] if tasks == table.tasks(job) => Some(resource),
            _ => None,
        }
    }

    /// The number of tasks of a job on real resources.
    pub fn placed(&self, job: usize) -> u32 {
        self.shares[job].iter().map(|&(_, tasks)| tasks).sum()
    }

    /// The cost of the plan, with the dummy's price for tasks that it does not place.
    ///
    /// # Panics
    /// If it places a task where it can't go.
    pub fn cost(&self, table: &CostTable) -> Money {
        let job_cost = |(job, shares): (usize, &Vec<(usize, u32)>)| {
            let left = table.tasks(job) - self.placed(job);
            let placed = shares.iter().map(|&(resource, tasks)| {
                let cost = table.task_cost(job, resource).expect("the task can go there");
                cost.ticks() * i64::from(tasks)
            });
            placed.sum::<i64>() + table.dummy_ticks(job) * i64::from(left)
        };
        Money::from_ticks(self.shares.iter().enumerate().map(job_cost).sum())
    }
}
