//! Between which instants a task must run, given what is placed.

use super::{Placement, PlanProblem};
use crate::model::{Edge, NodeId, TaskId};
use crate::units::Time;

/// Bounds of every task, carried through unplaced neighbours by their best estimates and transfers.
#[derive(Debug)]
pub(super) struct Bounds {
    /// By task: the earliest start; that of a placed task is its own.
    earliest: Vec<Time>,
    /// By task: the latest finish; that of a placed task is its own.
    latest: Vec<Time>,
}

impl Bounds {
    /// The bounds around the placed tasks for those of `chain`, the next to be placed.
    ///
    /// Transfers within the chain count with the least they can take. Others leave `room` for themselves, or they count with the least,
    /// too: then the bounds never rule out a place that could be part of a plan, but tasks that are placed later may find no place.
    pub(super) fn around(
        problem: &PlanProblem<'_>,
        placed: &[Option<Placement>],
        chain: &[TaskId],
        room: bool,
    ) -> Self {
        let (dag, estimates) = (problem.dag, problem.estimates);
        let mut next: Vec<Option<TaskId>> = vec![None; placed.len()];
        chain.windows(2).for_each(|pair| next[pair[0].index()] = Some(pair[1]));
        let transfer = |edge: &Edge| match room && next[edge.from.index()] != Some(edge.to) {
            true => edge.transfer,
            false => problem.transfers.least(edge.transfer),
        };
        // What leaves a placed task may be needed on its own node.
        let from_placed = |edge: &Edge| problem.transfers.least(edge.transfer);
        let mut earliest = vec![problem.release; placed.len()];
        let mut latest = vec![problem.deadline; placed.len()];
        for &task in dag.order() {
            let known = placed[task.index()].map(|at| at.interval);
            earliest[task.index()] = known.map_or(earliest[task.index()], |interval| interval.start);
            let done = known.map_or(earliest[task.index()] + estimates.best(task), |interval| interval.end);
            for edge in dag.successors(task) {
                let bound = &mut earliest[edge.to.index()];
                *bound = (*bound).max(done + if known.is_some() { from_placed(edge) } else { transfer(edge) });
            }
        }
        for &task in dag.order().iter().rev() {
            let known = placed[task.index()].map(|at| at.interval);
            latest[task.index()] = known.map_or(latest[task.index()], |interval| interval.end);
            let begun = known.map_or(latest[task.index()] - estimates.best(task), |interval| interval.start);
            for edge in dag.predecessors(task) {
                let bound = &mut latest[edge.from.index()];
                *bound = (*bound).min(begun - if known.is_some() { from_placed(edge) } else { transfer(edge) });
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
