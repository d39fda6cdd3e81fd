//! Tasks in order, each where it ends first.

use super::calendar::Calendar;
use super::{Failure, Placement, Plan, PlanProblem};
use crate::model::{Interval, NodeId, TaskId};

/// A plain list scheduler: every task after all that it waits for, the lowest number first, into the first gap of the node where
/// it ends earliest. It knows neither chains nor cost.
pub fn list(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    in_order(problem, problem.dag.order())
}

/// Places tasks in `order`, in which each comes after all that it waits for.
pub(super) fn in_order(problem: &PlanProblem<'_>, order: &[TaskId]) -> Result<Plan, Failure> {
    problem.check_range()?;
    let mut left = Calendar::new(problem.free, problem.reserved);
    let mut placed: Vec<Option<Placement>> = vec![None; order.len()];
    for &task in order {
        let option = |node: NodeId| {
            let arrivals = problem.dag.predecessors(task).filter_map(|edge| {
                let before = placed[edge.from.index()]?;
                Some(before.interval.end + problem.transfers.between(edge.transfer, before.node, node))
            });
            let ready = arrivals.fold(problem.release, Ord::max);
            let span = problem.estimates.span(task, node);
            let start = left.first_fit(node, ready, span)?;
            Some(Placement { task, node, interval: Interval::new(start, start + span) })
        };
        let options = (0..problem.free.len() as u32).filter_map(|node| option(NodeId(node)));
        let best = options.min_by_key(|at| (at.interval.end, at.node)).filter(|at| at.interval.end <= problem.deadline);
        let Some(best) = best.filter(|_| !problem.stop.is_set()) else {
            return Err(Failure::NoPlace { chain: vec![task], collisions: Vec::new() });
        };
        left.take(best.node, best.interval);
        placed[task.index()] = Some(best);
    }
    Ok(Plan::of(placed.into_iter().flatten().collect(), problem.estimates))
}
