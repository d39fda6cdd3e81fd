//! A complete plan whose tasks are moved one at a time, never to the worse.

use super::calendar::Calendar;
use super::plan::total;
use super::{Placement, PlanProblem};
use crate::model::{Interval, NodeId, TaskId};
use crate::units::{Money, Span, Time};
use std::cmp::Reverse;

/// The most rounds of moves, which are repeated while they help.
const ROUNDS: usize = 4;

/// A plan with the time that it leaves.
#[derive(Debug, Clone)]
pub(super) struct Draft<'a> {
    problem: &'a PlanProblem<'a>,
    left: Calendar<'a>,
    /// By task.
    placed: Vec<Placement>,
    /// By task: its place in the topological order.
    place: Vec<usize>,
}

impl<'a> Draft<'a> {
    /// The plan of these placements, one for each task, in any order.
    pub(super) fn new(problem: &'a PlanProblem<'a>, mut placements: Vec<Placement>) -> Self {
        placements.sort_unstable_by_key(|at| at.task);
        let mut left = Calendar::new(problem.free, problem.reserved);
        placements.iter().for_each(|at| left.take(at.node, at.interval));
        let mut place = vec![0; placements.len()];
        problem.dag.order().iter().enumerate().for_each(|(index, task)| place[task.index()] = index);
        Self { problem, left, placed: placements, place }
    }

    /// The placements by task.
    pub(super) fn into_placements(self) -> Vec<Placement> {
        self.placed
    }

    /// When the last task ends.
    pub(super) fn finish(&self) -> Time {
        self.placed.iter().map(|at| at.interval.end).max().unwrap_or(self.problem.release)
    }

    fn cost(&self) -> Money {
        total(self.placed.iter().map(|at| self.problem.estimates.cost(at.task, at.node)))
    }

    /// Moves every task to the left on its node: the earliest first, each as far as free time and data allow.
    pub(super) fn shift_left(&mut self) {
        for task in self.by_start() {
            let at = self.lift(task);
            let start = self.left.first_fit(at.node, self.ready(task, at.node), at.interval.span());
            self.put(moved(at, start));
        }
    }

    /// Moves every task to the right on its node: the latest first, each as far as free time, data and `limit` allow.
    pub(super) fn shift_right(&mut self, limit: Time) {
        for task in self.by_end() {
            let at = self.lift(task);
            let start = self.left.last_fit(at.node, self.wanted(task, at.node, limit), at.interval.span());
            self.put(moved(at, start));
        }
    }

    /// Makes the finish earlier, but not than `bound`, before which no plan ends. Double justification (Valls,
    /// Ballestin and Quintanilla, 2005): all tasks to the right and back to the left in their new order; here each goes
    /// to the node where it ends first, if that delays none of those that wait for it.
    pub(super) fn squeeze(&mut self, bound: Time) {
        self.shift_left();
        for _ in 0..ROUNDS {
            let before = self.finish();
            if before <= bound {
                return;
            }
            let mut other = self.clone();
            other.shift_right(before);
            other.hasten();
            if other.finish() >= before {
                return;
            }
            *self = other;
        }
    }

    /// Moves every task to where it ends first, the earliest first.
    fn hasten(&mut self) {
        let estimates = self.problem.estimates;
        for task in self.by_start() {
            if self.problem.stop.is_set() {
                return;
            }
            let old = self.lift(task);
            let rank = |at: &Placement| (at.interval.end, estimates.cost(task, at.node), at.node != old.node, at.node);
            let mut best = moved(old, self.left.first_fit(old.node, self.ready(task, old.node), old.interval.span()));
            let soonest = self.soonest(task);
            for node in (0..self.problem.free.len() as u32).map(NodeId) {
                let span = estimates.span(task, node);
                // Most nodes are too slow whatever their free time is.
                if soonest + span > best.interval.end {
                    continue;
                }
                let Some(start) = self.left.first_fit(node, self.ready(task, node), span) else { continue };
                let at = Placement { task, node, interval: Interval::new(start, start + span) };
                if rank(&at) < rank(&best) && at.interval.end <= self.wanted(task, node, Time::MAX) {
                    best = at;
                }
            }
            self.put(best);
        }
    }

    /// Makes the plan cheaper while it ends by `limit`: the latest first, every task goes to the cheapest node that has
    /// room for it between the data that it needs and those that need its own, as late as can be. In the end all move
    /// to the left again.
    pub(super) fn cheapen(&mut self, limit: Time) {
        for _ in 0..ROUNDS {
            let before = self.cost();
            for task in self.by_end() {
                if self.problem.stop.is_set() {
                    return;
                }
                self.move_to_cheapest(task, limit);
            }
            self.shift_left();
            if self.cost() >= before {
                return;
            }
        }
    }

    fn move_to_cheapest(&mut self, task: TaskId, limit: Time) {
        let estimates = self.problem.estimates;
        let old = self.lift(task);
        let rank = |at: &Placement| (estimates.cost(task, at.node), Reverse(at.interval.start));
        let until = self.wanted(task, old.node, limit);
        let mut best = moved(old, self.left.last_fit(old.node, until, old.interval.span()));
        for node in (0..self.problem.free.len() as u32).map(NodeId) {
            if estimates.cost(task, node) >= estimates.cost(task, best.node) {
                continue;
            }
            let span = estimates.span(task, node);
            let start = self.left.last_fit(node, self.wanted(task, node, limit), span);
            let Some(start) = start.filter(|&start| start >= self.ready(task, node)) else { continue };
            let at = Placement { task, node, interval: Interval::new(start, start + span) };
            if rank(&at) < rank(&best) {
                best = at;
            }
        }
        self.put(best);
    }

    /// Tasks by their start; of those that start at once, whoever others wait for comes first.
    fn by_start(&self) -> Vec<TaskId> {
        let mut order = self.problem.dag.order().to_vec();
        order.sort_by_key(|task| self.placed[task.index()].interval.start);
        order
    }

    /// Tasks by their end, the last first; of those that end at once, whoever waits for others comes first.
    fn by_end(&self) -> Vec<TaskId> {
        let mut order = self.problem.dag.order().to_vec();
        order.sort_by_key(|task| Reverse((self.placed[task.index()].interval.end, self.place[task.index()])));
        order
    }

    /// When the data of `task` is on `node`.
    fn ready(&self, task: TaskId, node: NodeId) -> Time {
        let arrivals = self.problem.dag.predecessors(task).map(|edge| {
            let before = self.placed[edge.from.index()];
            before.interval.end + self.problem.transfers.between(edge.transfer, before.node, node)
        });
        arrivals.fold(self.problem.release, Time::max)
    }

    /// When it is there at the earliest, whatever the node.
    fn soonest(&self, task: TaskId) -> Time {
        let arrivals = self
            .problem
            .dag
            .predecessors(task)
            .map(|edge| self.placed[edge.from.index()].interval.end + self.problem.transfers.least(edge.transfer));
        arrivals.fold(self.problem.release, Time::max)
    }

    /// When `task` has to end on `node`, so that its data is in time for all who wait for it.
    fn wanted(&self, task: TaskId, node: NodeId, limit: Time) -> Time {
        let starts = self.problem.dag.successors(task).map(|edge| {
            let after = self.placed[edge.to.index()];
            after.interval.start - self.problem.transfers.between(edge.transfer, node, after.node)
        });
        starts.fold(limit, Time::min)
    }

    /// Takes a task out; it still stands in `placed` until it is put elsewhere.
    fn lift(&mut self, task: TaskId) -> Placement {
        let at = self.placed[task.index()];
        self.left.give(at.node, at.interval);
        at
    }

    fn put(&mut self, at: Placement) {
        self.left.take(at.node, at.interval);
        self.placed[at.task.index()] = at;
    }
}

/// The same task from `start` on; where it was, if there is no such place.
fn moved(at: Placement, start: Option<Time>) -> Placement {
    let span: Span = at.interval.span();
    start.map_or(at, |start| Placement { interval: Interval::new(start, start + span), ..at })
}
