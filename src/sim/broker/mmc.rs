//! Modified MinCost (file 003, Algorithm 1): the linear program's split, made whole job by job.

use super::greedy::cheapest;
use super::lp::split;
use super::{Answer, Broker, BrokerError, BrokerPlan, BrokerSetup, BrokerSpec, CostTable};
use crate::record;
use crate::rng::Stream;
use std::cmp::Reverse;

record! {
    /// The linear program made whole job by job (Modified MinCost).
    ///
    /// Makes the split of `Lp` whole, which is the cheapest one where no budget binds: jobs that it leaves on one
    /// resource stay there, others take one of theirs and give their places elsewhere to those they push out.
    #[derive(Copy, Eq, Default)]
    pub struct Mmc;
}

impl BrokerSpec for Mmc {
    fn make(&self, _: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(*self)
    }
}

impl Broker for Mmc {
    fn name(&self) -> &'static str {
        "mmc"
    }

    fn assign(&self, table: &CostTable, _: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(Answer::of(BrokerPlan::whole(table, &homes(table)?)))
    }
}

/// The resource of every job, or none.
///
/// It begins with the plan of the linear program for jobs that may be split, as printed, in which tasks may well stand
/// where the whole job would find no room.
pub(super) fn homes(table: &CostTable) -> Result<Vec<Option<usize>>, BrokerError> {
    let shares = split(table)?.0.shares;
    let mut work = Making { table, homes: vec![None; table.jobs()], free: table.free().to_vec(), shares };
    // The order among equals is not in print. Those who are most expensive to leave out are the hardest to find room
    // for later.
    let mut dearest = table.by_qos().to_vec();
    dearest.sort_by_key(|&job| Reverse(table.dummy_whole(job)));
    // Lines 1 and 2: those on the fewest resources first, of which the dummy is one.
    let mut queue = dearest.clone();
    queue.sort_by_key(|&job| {
        let placed: u32 = work.shares[job].iter().map(|&(_, tasks)| tasks).sum();
        work.shares[job].len() + usize::from(placed < table.tasks(job))
    });
    for job in queue {
        work.settle(job);
    }
    // Line 21: what is on the dummy by now is placed greedily.
    for job in dearest {
        if work.homes[job].is_none()
            && let Some(home) = cheapest(table, job, &work.free)
        {
            work.homes[job] = Some(home);
            work.free[home] -= table.tasks(job);
        }
    }
    Ok(work.homes)
}

struct Making<'a> {
    table: &'a CostTable,
    homes: Vec<Option<usize>>,
    /// By resource: PEs without a job that is settled.
    free: Vec<u32>,
    /// By job: where the split still has its tasks; nothing once the job is settled.
    shares: Vec<Vec<(usize, u32)>>,
}

impl Making<'_> {
    /// Lines 4 to 19: a resource among those of its own that can take the whole job, or none.
    fn settle(&mut self, job: usize) {
        let mut shares = std::mem::take(&mut self.shares[job]);
        // Line 10: by tasks on it; of two with as many, the cheaper.
        shares.sort_by_key(|&(resource, tasks)| (Reverse(tasks), self.table.task_ticks(job, resource)));
        let tasks = self.table.tasks(job);
        let fits = |&(resource, _): &(usize, u32)| {
            let is_whole = self.table.wholes(job).iter().any(|&(_, whole)| whole == resource);
            // Line 12, read as "at least": only settled jobs take room.
            is_whole && self.free[resource] >= tasks
        };
        let Some(&(home, _)) = shares.iter().find(|share| fits(share)) else { return };
        self.homes[job] = Some(home);
        self.free[home] -= tasks;
        shares.retain(|&(resource, _)| resource != home);
        self.interchange(home, shares);
    }

    /// Line 14: tasks of unsettled jobs that have lost their room on `home` move to the places that were `vacated`,
    /// where deadline and budget allow it, or else to the dummy.
    fn interchange(&mut self, home: usize, mut vacated: Vec<(usize, u32)>) {
        let wanted: u32 = self.shares.iter().flatten().filter(|share| share.0 == home).map(|share| share.1).sum();
        let mut excess = wanted.saturating_sub(self.free[home]);
        for job in 0..self.shares.len() {
            while excess > 0
                && let Some(place) = self.shares[job].iter().position(|&(resource, _)| resource == home)
            {
                let offer = vacated.iter_mut().find(|(to, room)| *room > 0 && self.can_move(job, home, *to));
                if let Some((to, room)) = offer {
                    *room -= 1;
                    let to = *to;
                    self.add(job, to, 1);
                }
                excess -= 1;
                self.shares[job][place].1 -= 1;
                if self.shares[job][place].1 == 0 {
                    self.shares[job].remove(place);
                }
            }
        }
    }

    /// True if a task of `job` can move without missing its deadline or making its split more expensive than its
    /// budget.
    fn can_move(&self, job: usize, from: usize, to: usize) -> bool {
        let Some(cost) = self.table.task_cost(job, to) else { return false };
        let own = self.shares[job].iter();
        let spent: i64 = own.map(|&(resource, tasks)| self.table.task_ticks(job, resource) * i64::from(tasks)).sum();
        spent - self.table.task_ticks(job, from) + cost.ticks() <= self.table.budget(job)
    }

    fn add(&mut self, job: usize, resource: usize, tasks: u32) {
        match self.shares[job].iter_mut().find(|(other, _)| *other == resource) {
            Some((_, own)) => *own += tasks,
            None => self.shares[job].push((resource, tasks)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{Case, small_rounds, with_cost_table};
    use proptest::prelude::*;

    /// Two resources of 4 PEs, the second of the given speed in tenths; two jobs of 4 and 2 tasks. The first job
    /// settles on the first resource and vacates two places on the second; the other job had both its tasks on the
    /// first.
    fn after_exchange(speed: i64, budget: i64) -> Vec<(usize, u32)> {
        let case = Case {
            resources: vec![(4, 10, 40), (4, speed, 40)],
            jobs: vec![(4, 50, 300_000, 60), (2, 50, budget, 60)],
        };
        let mut left = Vec::new();
        with_cost_table(&case, |table| {
            let shares = vec![vec![(0, 2), (1, 2)], vec![(0, 2)]];
            let mut work = Making { table, homes: vec![None; 2], free: vec![4, 4], shares };
            work.settle(0);
            assert_eq!((work.homes[0], work.free), (Some(0), vec![0, 4]));
            left = std::mem::take(&mut work.shares[1]);
        });
        left
    }

    proptest! {
        /// Lines 5 to 7: mappings to one resource are frozen. The split that they are of is that of jobs that may be
        /// split.
        #[test]
        fn jobs_on_one_resource_stay_there(case in small_rounds(7, 5)) {
            with_cost_table(&case, |table| {
                let plan = split(table).expect("solved").0;
                let homes = homes(table).expect("solved");
                for job in 0..table.jobs() {
                    assert!(plan.home(table, job).is_none_or(|home| homes[job] == Some(home)), "{plan:?} {homes:?}");
                }
            });
        }
    }

    #[test]
    fn whoever_is_pushed_out_gets_the_vacated_places() {
        assert_eq!(after_exchange(10, 300_000), [(1, 2)]);
    }

    #[test]
    fn nobody_is_moved_past_a_deadline_or_a_budget() {
        assert_eq!(after_exchange(5, 300_000), [], "100 time units are too long");
        // Two tasks cost 400 on the first; on the slower second 444, so that only one can move within 425.
        assert_eq!(after_exchange(9, 42_500), [(1, 1)]);
    }
}
