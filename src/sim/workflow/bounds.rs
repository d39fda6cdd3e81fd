//! Between which instants a task must run, given what is placed.

use super::{Placement, PlanProblem};
use crate::model::{NodeId, TaskId};
use crate::units::{Span, Time};

/// Bounds of every task, carried through unplaced neighbours by their best estimates and the least that transfers take.
/// With a `room` of 1 they never rule out a place that could be part of a plan; with more they leave tasks that are
/// placed later so many times the time that they need.
#[derive(Debug)]
pub(super) struct TimeBounds {
    /// By task: the earliest start; that of a placed task is its own.
    earliest: Vec<Time>,
    /// By task: the latest finish; that of a placed task is its own.
    latest: Vec<Time>,
}

impl TimeBounds {
    /// The bounds around the placed tasks.
    pub(super) fn around(problem: &PlanProblem<'_>, placed: &[Option<Placement>], room: u32) -> Self {
        let best = |task| Span::from_ticks(problem.estimates.best(task).ticks().saturating_mul(i64::from(room)));
        // Beyond release and deadline there is no place, however far: nothing can leave the range of instants.
        let (first, last) = (problem.release, problem.deadline.max(problem.release));
        let later = |time: Time, span: Span| time.checked_add(span).map_or(last, |time| time.min(last));
        let earlier = |time: Time, span: Span| Time::from_ticks(time.ticks().saturating_sub(span.ticks())).max(first);
        let (dag, transfers) = (problem.dag, problem.transfers);
        let mut earliest = vec![problem.release; placed.len()];
        let mut latest = vec![problem.deadline; placed.len()];
        for &task in dag.order() {
            let known = placed[task.index()].map(|at| at.interval);
            earliest[task.index()] = known.map_or(earliest[task.index()], |interval| interval.start);
            let done = known.map_or(later(earliest[task.index()], best(task)), |interval| interval.end);
            for edge in dag.successors(task) {
                let bound = &mut earliest[edge.to.index()];
                *bound = (*bound).max(later(done, transfers.least(edge.transfer)));
            }
        }
        for &task in dag.order().iter().rev() {
            let known = placed[task.index()].map(|at| at.interval);
            latest[task.index()] = known.map_or(latest[task.index()], |interval| interval.end);
            let begun = known.map_or(earlier(latest[task.index()], best(task)), |interval| interval.start);
            for edge in dag.predecessors(task) {
                let bound = &mut latest[edge.from.index()];
                *bound = (*bound).min(earlier(begun, transfers.least(edge.transfer)));
            }
        }
        Self { earliest, latest }
    }

    /// The earliest start of an unplaced task on `node`: data from placed tasks has to reach that node.
    pub(super) fn start(
        &self,
        problem: &PlanProblem<'_>,
        placed: &[Option<Placement>],
        task: TaskId,
        node: NodeId,
    ) -> Time {
        let given = problem.dag.predecessors(task).filter_map(|edge| {
            let before = placed[edge.from.index()]?;
            Some(before.interval.end + problem.transfers.between(edge.transfer, before.node, node))
        });
        given.fold(self.earliest[task.index()], Time::max)
    }

    /// The latest finish of an unplaced task on `node`: its data has to reach placed tasks from that node.
    pub(super) fn finish(
        &self,
        problem: &PlanProblem<'_>,
        placed: &[Option<Placement>],
        task: TaskId,
        node: NodeId,
    ) -> Time {
        let given = problem.dag.successors(task).filter_map(|edge| {
            let after = placed[edge.to.index()]?;
            Some(after.interval.start - problem.transfers.between(edge.transfer, node, after.node))
        });
        given.fold(self.latest[task.index()], Time::min)
    }
}
