//! Plans from near-plans, and better plans from plans.

use crate::broker::Board;
use crate::broker::board::NEVER;
use crate::broker::greedy::cheapest;

/// A plan of whole jobs with its cost and the room it leaves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Incumbent {
    pub(super) homes: Vec<Option<usize>>,
    pub(super) cost: i64,
    free: Vec<u32>,
}

/// The best of several plans, each improved.
pub(super) fn best_of(board: &Board, starts: [Vec<Option<usize>>; 2]) -> Incumbent {
    let [first, second] = starts.map(|homes| improved(board, homes));
    if second.cost < first.cost { second } else { first }
}

/// The plan `homes`, whose jobs fit where they are, with the others placed and all shifts and swaps made that save something.
pub(super) fn improved(board: &Board, homes: Vec<Option<usize>>) -> Incumbent {
    let mut free = board.free().to_vec();
    for (job, home) in homes.iter().enumerate() {
        if let Some(home) = *home {
            free[home] -= board.tasks(job);
        }
    }
    let mut plan = Incumbent { homes, cost: 0, free };
    for &job in board.by_qos() {
        if plan.homes[job].is_none()
            && let Some(home) = cheapest(board, job, &plan.free)
        {
            plan.put(board, job, Some(home));
        }
    }
    while plan.shift(board) | plan.swap(board) | plan.push_out(board) {}
    plan.cost = (0..board.jobs()).map(|job| cost_at(board, job, plan.homes[job])).sum();
    plan
}

/// What a job costs on a resource or on the dummy.
fn cost_at(board: &Board, job: usize, home: Option<usize>) -> i64 {
    home.map_or_else(|| board.dummy_whole(job), |home| board.whole_cost(job, home))
}

impl Incumbent {
    fn put(&mut self, board: &Board, job: usize, home: Option<usize>) {
        if let Some(old) = self.homes[job] {
            self.free[old] += board.tasks(job);
        }
        if let Some(new) = home {
            self.free[new] -= board.tasks(job);
        }
        self.homes[job] = home;
    }

    /// Moves jobs to cheaper resources that have room.
    fn shift(&mut self, board: &Board) -> bool {
        let mut changed = false;
        for job in 0..board.jobs() {
            let now = cost_at(board, job, self.homes[job]);
            let cheaper = board.wholes(job).iter().take_while(|&&(cost, _)| cost < now);
            if let Some(&(_, home)) = cheaper.clone().find(|&&(_, home)| self.free[home] >= board.tasks(job)) {
                self.put(board, job, Some(home));
                changed = true;
            }
        }
        changed
    }

    /// Lets two jobs change places, one of which may be the dummy.
    fn swap(&mut self, board: &Board) -> bool {
        let mut changed = false;
        for first in 0..board.jobs() {
            for second in first + 1..board.jobs() {
                let homes = [self.homes[first], self.homes[second]];
                if homes[0] == homes[1] {
                    continue;
                }
                let fits = |home: Option<usize>, comes: usize, goes: usize| {
                    home.is_none_or(|home| self.free[home] + board.tasks(goes) >= board.tasks(comes))
                };
                if !fits(homes[0], second, first) || !fits(homes[1], first, second) {
                    continue;
                }
                let after = [cost_at(board, first, homes[1]), cost_at(board, second, homes[0])];
                let now = cost_at(board, first, homes[0]) + cost_at(board, second, homes[1]);
                if after.iter().all(|&cost| cost != NEVER) && after[0] + after[1] < now {
                    self.put(board, first, None);
                    self.put(board, second, homes[0]);
                    self.put(board, first, homes[1]);
                    changed = true;
                }
            }
        }
        changed
    }

    /// Puts a job where it is cheaper and moves one that is there to the cheapest other resource with room.
    fn push_out(&mut self, board: &Board) -> bool {
        let mut changed = false;
        for comer in 0..board.jobs() {
            let now = cost_at(board, comer, self.homes[comer]);
            'search: for &(cost, home) in board.wholes(comer).iter().take_while(|&&(cost, _)| cost < now) {
                for goer in (0..board.jobs()).filter(|&goer| goer != comer) {
                    if self.homes[goer] != Some(home) || self.free[home] + board.tasks(goer) < board.tasks(comer) {
                        continue;
                    }
                    let budget = now - cost + cost_at(board, goer, Some(home));
                    let others = board.wholes(goer).iter().take_while(|&&(cost, _)| cost < budget);
                    let room = |other: usize| {
                        self.free[other] + if self.homes[comer] == Some(other) { board.tasks(comer) } else { 0 }
                    };
                    let mut others = others.filter(|&&(_, other)| other != home && room(other) >= board.tasks(goer));
                    if let Some(&(_, other)) = others.next() {
                        self.put(board, goer, None);
                        self.put(board, comer, Some(home));
                        self.put(board, goer, Some(other));
                        changed = true;
                        break 'search;
                    }
                }
            }
        }
        changed
    }
}
