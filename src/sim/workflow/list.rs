//! Tasks in order, each where it ends first.

use super::calendar::Calendar;
use super::relaxed::{Relaxed, lateness};
use super::{Failure, Placement, Plan, PlanProblem, Shortcoming};
use crate::model::{Interval, NodeId, TaskId};

/// A plain list scheduler: every task after all that it waits for, the lowest number first, into the first gap of the
/// node where it ends earliest. It knows neither chains nor cost.
pub fn list(problem: &PlanProblem<'_>) -> Result<Plan, Failure> {
    in_order(problem, problem.dag.order())
}

/// Plans a job by placing its tasks in `order`, in which each comes after all that it waits for.
pub(super) fn in_order(problem: &PlanProblem<'_>, order: &[TaskId]) -> Result<Plan, Failure> {
    problem.check_range()?;
    let relaxed = Relaxed::of(problem)?;
    let placements = place(&relaxed.problem(problem), order, |_, _| true).ok_or(Shortcoming::NoNode);
    let placements = placements.and_then(|placed| lateness(problem, &placed).map(|()| placed));
    let placements = placements.map_err(|reason| Failure::NoPlace {
        chain: if let Shortcoming::Late { task, .. } = reason { vec![task] } else { Vec::new() },
        collisions: Vec::new(),
        reason,
    });
    Ok(Plan::of(placements?, problem.estimates))
}

/// Places tasks in `order`, each into the first gap of the node where it ends earliest, of those that `will_do`;
/// nothing if one finds no place at all.
pub(super) fn place(
    problem: &PlanProblem<'_>,
    order: &[TaskId],
    will_do: impl Fn(TaskId, NodeId) -> bool,
) -> Option<Vec<Placement>> {
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
        let nodes = (0..problem.free.len() as u32).map(NodeId).filter(|&node| will_do(task, node));
        let options = nodes.filter_map(option);
        let best = options.min_by_key(|at| (at.interval.end, at.node)).filter(|_| !problem.stop.is_set())?;
        left.take(best.node, best.interval);
        placed[task.index()] = Some(best);
    }
    placed.into_iter().collect()
}
