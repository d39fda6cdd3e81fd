//! Heterogeneous earliest finish time (Topcuoglu, Hariri and Wu, 2002).

use super::list::in_order;
use super::{Failure, Plan, PlanProblem};
use crate::model::TaskId;
use crate::units::Span;
use std::cmp::Reverse;

/// HEFT: tasks by upward rank, each into the first gap of the node where it ends earliest.
///
/// The rank of a task is its mean runtime plus the longest of what follows, transfers included. It knows no cost and
/// looks at the deadline only in the end.
pub fn heft(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    problem.check_range()?;
    in_order(problem, &by_rank(problem, |_| 1))
}

/// Tasks by upward rank, the highest first; `weight` says how many times each task's runtime counts.
pub(super) fn by_rank(problem: &PlanProblem<'_>, mut weight: impl FnMut(TaskId) -> u32) -> Vec<TaskId> {
    let ticks = |span: Span| i128::from(span.ticks());
    // Ranks are multiplied by the number of nodes, which makes means whole numbers.
    let nodes = problem.estimates.nodes() as i128;
    let mut ranks = vec![0; problem.dag.tasks().len()];
    for &task in problem.dag.order().iter().rev() {
        let after = problem.dag.successors(task).map(|edge| nodes * ticks(edge.transfer) + ranks[edge.to.index()]);
        let own: i128 = problem.estimates.row(task).iter().copied().map(ticks).sum();
        ranks[task.index()] = own * i128::from(weight(task)) + after.max().unwrap_or(0);
    }
    let mut order = problem.dag.order().to_vec();
    // The sort is stable and the order topological, so that tasks of no length stay behind those they wait for.
    order.sort_by_key(|task| Reverse(ranks[task.index()]));
    order
}
