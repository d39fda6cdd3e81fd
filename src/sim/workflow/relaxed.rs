//! The same problem with all nodes free for good after the deadline.
//!
//! There every task has a place behind the rest, so that tasks can be put down one at a time without looking back. A
//! plan that ends by the deadline is one of the problem itself, and one that does not says by how much it misses.

use super::calendar::Calendar;
use super::{Failure, Placement, PlanProblem, Shortcoming};
use crate::model::{Interval, NodeId, TaskId};
use crate::units::{Overflow, Span, Time, sum};

/// The parts of a relaxed problem.
#[derive(Debug)]
pub(super) struct Relaxed {
    free: Vec<Vec<Interval>>,
    reserved: Vec<Vec<Interval>>,
    deadline: Time,
}

impl Relaxed {
    pub(super) fn of(problem: &PlanProblem<'_>) -> Result<Self, Overflow> {
        let deadline = problem.deadline.max(problem.release);
        let slowest = |task: &TaskId| problem.estimates.row(*task).iter().copied().max().unwrap_or(Span::ZERO);
        let work = sum(problem.dag.order().iter().map(slowest))?;
        let data: Span = sum(problem.dag.edges().iter().map(|edge| edge.transfer))?;
        let far = deadline.checked_add(sum([work, data])?)?;
        let extended = |free: &Vec<Interval>| {
            let mut free: Vec<Interval> = free.iter().copied().filter(|free| free.start <= deadline).collect();
            match free.last_mut().filter(|last| last.end >= deadline) {
                Some(last) => last.end = far,
                None => free.push(Interval::new(deadline, far)),
            }
            free
        };
        let until = Interval::new(Time::from_ticks(i64::MIN), deadline);
        let held = |reserved: &Vec<Interval>| {
            reserved.iter().map(|held| held.clip(until)).filter(|held| !held.is_empty()).collect()
        };
        Ok(Self {
            free: problem.free.iter().map(extended).collect(),
            reserved: problem.reserved.iter().map(held).collect(),
            deadline: far,
        })
    }

    /// The problem itself, with more time.
    pub(super) fn problem<'a>(&'a self, problem: &PlanProblem<'a>) -> PlanProblem<'a> {
        PlanProblem { free: &self.free, reserved: &self.reserved, deadline: self.deadline, ..*problem }
    }
}

/// When the job ends at the earliest, and with which task: every task where it would end first if no other task took
/// any time of the nodes, with data as fast as it can be. Nothing without nodes or tasks.
pub(super) fn earliest_finish(relaxed: &PlanProblem<'_>) -> Option<(Time, TaskId)> {
    let left = Calendar::new(relaxed.free, relaxed.reserved);
    let mut ready = vec![relaxed.release; relaxed.dag.tasks().len()];
    let mut last = None;
    for &task in relaxed.dag.order() {
        let from = ready[task.index()];
        let mut end = None;
        for node in (0..relaxed.free.len() as u32).map(NodeId) {
            let span = relaxed.estimates.span(task, node);
            if end.is_some_and(|end| from + span >= end) {
                continue;
            }
            let here = left.first_fit(node, from, span).map(|start| start + span);
            end = [end, here].into_iter().flatten().min();
        }
        let end = end?;
        for edge in relaxed.dag.successors(task) {
            let there = &mut ready[edge.to.index()];
            *there = (*there).max(end + relaxed.transfers.least(edge.transfer));
        }
        last = last.max(Some((end, task)));
    }
    last
}

/// True if there can't be a plan: even if no other task took any time of the nodes, a task would end after the deadline.
pub fn is_impossible(problem: &PlanProblem<'_>) -> Result<bool, Failure> {
    problem.check_range()?;
    let relaxed = Relaxed::of(problem)?;
    Ok(earliest_finish(&relaxed.problem(problem)).is_none_or(|(end, _)| end > problem.deadline))
}

/// Why a plan of the relaxed problem is none of `problem`, if it is none.
pub(super) fn lateness(problem: &PlanProblem<'_>, placements: &[Placement]) -> Result<(), Shortcoming> {
    let deadline = problem.deadline;
    // At the deadline itself, a task of no length may lie on a node that is not free then.
    let is_outside = |at: &Placement| {
        let free = &problem.free[at.node.index()];
        at.interval.is_empty() && at.interval.end == deadline && !free.iter().any(|free| free.covers(at.interval))
    };
    let late = placements.iter().filter(|at| at.interval.end > deadline || is_outside(at));
    match late.max_by_key(|at| at.interval.end) {
        Some(at) => Err(Shortcoming::Late { task: at.task, finish: at.interval.end, deadline }),
        None => Ok(()),
    }
}
