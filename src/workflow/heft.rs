//! Heterogeneous earliest finish time (Topcuoglu, Hariri and Wu, 2002).

use super::list::in_order;
use super::{Failure, Plan, PlanProblem};
use crate::units::Span;

/// HEFT: tasks by upward rank, each into the first gap of the node where it ends earliest.
///
/// The rank of a task is its mean runtime plus the longest of what follows, transfers included. It knows no cost and
/// looks at the deadline only in the end.
pub fn heft(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    problem.check_range()?;
    let ranks = upward_ranks(problem);
    let mut order = problem.dag.order().to_vec();
    // The sort is stable and the order topological, so that tasks of no length stay behind those they wait for.
    order.sort_by_key(|task| std::cmp::Reverse(ranks[task.index()]));
    in_order(problem, &order)
}

/// By task: the upward rank times the number of nodes, which makes means whole numbers.
fn upward_ranks(problem: &PlanProblem<'_>) -> Vec<i128> {
    let ticks = |span: Span| i128::from(span.ticks());
    let nodes = problem.estimates.nodes() as i128;
    let mut ranks = vec![0; problem.dag.tasks().len()];
    for &task in problem.dag.order().iter().rev() {
        let after = problem.dag.successors(task).map(|edge| nodes * ticks(edge.transfer) + ranks[edge.to.index()]);
        let own: i128 = problem.estimates.row(task).iter().copied().map(ticks).sum();
        ranks[task.index()] = own + after.max().unwrap_or(0);
    }
    ranks
}
