//! Plans from near-plans, and better plans from plans.

use crate::broker::CostTable;
use crate::broker::cost_table::NEVER;
use crate::broker::greedy::cheapest;

/// A plan of whole jobs with its cost and the room it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Incumbent {
    pub(super) homes: Vec<Option<usize>>,
    pub(super) cost: i64,
    free: Vec<u32>,
}

/// The plan `homes`, whose jobs fit where they are, with the others placed and all shifts and swaps made that save
/// something.
pub(super) fn improved(table: &CostTable, homes: Vec<Option<usize>>) -> Incumbent {
    let mut free = table.free().to_vec();
    for (job, home) in homes.iter().enumerate() {
        if let Some(home) = *home {
            free[home] -= table.tasks(job);
        }
    }
    let mut plan = Incumbent { homes, cost: 0, free };
    for &job in table.by_qos() {
        if plan.homes[job].is_none()
            && let Some(home) = cheapest(table, job, &plan.free)
        {
            plan.put(table, job, Some(home));
        }
    }
    while !table.is_stopped() && plan.shift(table) | plan.swap(table) | plan.push_out(table) {}
    plan.cost = (0..table.jobs()).map(|job| table.cost_at(job, plan.homes[job])).sum();
    plan
}

impl Incumbent {
    fn put(&mut self, table: &CostTable, job: usize, home: Option<usize>) {
        if let Some(old) = self.homes[job] {
            self.free[old] += table.tasks(job);
        }
        if let Some(new) = home {
            self.free[new] -= table.tasks(job);
        }
        self.homes[job] = home;
    }

    /// Moves jobs to cheaper resources that have room.
    fn shift(&mut self, table: &CostTable) -> bool {
        let mut changed = false;
        for job in 0..table.jobs() {
            let now = table.cost_at(job, self.homes[job]);
            let cheaper = table.wholes(job).iter().take_while(|&&(cost, _)| cost < now);
            if let Some(&(_, home)) = cheaper.clone().find(|&&(_, home)| self.free[home] >= table.tasks(job)) {
                self.put(table, job, Some(home));
                changed = true;
            }
        }
        changed
    }

    /// Lets two jobs change places, one of which may be the dummy.
    fn swap(&mut self, table: &CostTable) -> bool {
        let mut changed = false;
        for first in 0..table.jobs() {
            for second in first + 1..table.jobs() {
                let homes = [self.homes[first], self.homes[second]];
                if homes[0] == homes[1] {
                    continue;
                }
                let fits = |home: Option<usize>, comes: usize, goes: usize| {
                    home.is_none_or(|home| self.free[home] + table.tasks(goes) >= table.tasks(comes))
                };
                if !fits(homes[0], second, first) || !fits(homes[1], first, second) {
                    continue;
                }
                let after = [table.cost_at(first, homes[1]), table.cost_at(second, homes[0])];
                let now = table.cost_at(first, homes[0]) + table.cost_at(second, homes[1]);
                if after.iter().all(|&cost| cost != NEVER) && after[0] + after[1] < now {
                    self.put(table, first, None);
                    self.put(table, second, homes[0]);
                    self.put(table, first, homes[1]);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Puts a job where it is cheaper and ejects one that is there to the cheapest other resource with room.
    fn push_out(&mut self, table: &CostTable) -> bool {
        let mut changed = false;
        for comer in 0..table.jobs() {
            let now = table.cost_at(comer, self.homes[comer]);
            'search: for &(cost, home) in table.wholes(comer).iter().take_while(|&&(cost, _)| cost < now) {
                for goer in (0..table.jobs()).filter(|&goer| goer != comer) {
                    if self.homes[goer] != Some(home) || self.free[home] + table.tasks(goer) < table.tasks(comer) {
                        continue;
                    }
                    let budget = now - cost + table.cost_at(goer, Some(home));
                    let others = table.wholes(goer).iter().take_while(|&&(cost, _)| cost < budget);
                    let room = |other: usize| {
                        self.free[other] + if self.homes[comer] == Some(other) { table.tasks(comer) } else { 0 }
                    };
                    let mut others = others.filter(|&&(_, other)| other != home && room(other) >= table.tasks(goer));
                    if let Some(&(_, other)) = others.next() {
                        self.put(table, goer, None);
                        self.put(table, comer, Some(home));
                        self.put(table, goer, Some(other));
                        changed = true;
                        break 'search;
                    }
                }
            }
        }
        changed
    }
}
