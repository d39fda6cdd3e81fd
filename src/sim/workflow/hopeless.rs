//! Jobs whose first chain has no place, told without planning it.

use super::bounds::TimeBounds;
use super::calendar::first_fit;
use super::chain::{draw_shuffles, transfer};
use super::chains::longest_chain;
use super::{PlanProblem, Strategy};
use crate::model::NodeId;
use crate::units::{Overflow, Span, Time};
use rand::Rng;

/// The number of tasks of the chain that [`plan`](fn@super::plan) places first, if it is certain that it finds no place
/// for it and fails; nothing if that is not certain.
///
/// The end of each task on each node is as early as the free time and the task before allow. That is a bound for every
/// label of the chain's plan, whatever the criterion. It rises as free time is taken away and as the release comes
/// later: a chain that is hopeless stays so until time becomes free.
pub fn hopeless_chain(problem: &PlanProblem<'_>) -> Result<Option<usize>, Overflow> {
    if problem.refine || problem.strategy == Strategy::LatestStart {
        return Ok(None);
    }
    problem.check_range()?;
    let placed = vec![None; problem.dag.tasks().len()];
    let bounds = TimeBounds::around(problem, &placed, 1);
    let chain = longest_chain(problem.dag, problem.estimates, |_| true);
    if chain.is_empty() {
        return Ok(None);
    }
    let mut ends: Vec<Option<Time>> = vec![Some(problem.release); problem.free.len()];
    let mut data = Span::ZERO;
    for (place, &task) in chain.iter().enumerate() {
        // Without an end there is none for the tasks to come.
        let Some(first) = ends.iter().copied().flatten().min() else { return Ok(Some(chain.len())) };
        for (index, (end, free)) in ends.iter_mut().zip(problem.free).enumerate() {
            let node = NodeId(index as u32);
            let near = end.map(|end| end + problem.transfers.between(data, node, node));
            let ready = near.map_or(first + data, |near| near.min(first + data));
            let ready = ready.max(bounds.start(problem, &placed, task, node));
            let span = problem.estimates.span(task, node);
            let latest = bounds.finish(problem, &placed, task, node);
            *end = first_fit(free, ready, span).map(|start| start + span).filter(|&end| end <= latest);
        }
        data = chain.get(place + 1).map_or(Span::ZERO, |&next| transfer(problem, task, next));
    }
    Ok(ends.iter().all(Option::is_none).then_some(chain.len()))
}

/// Draws from `ties` what [`plan`](fn@super::plan) draws for a [hopeless chain](hopeless_chain) of so many tasks on so
/// many nodes, so that whoever leaves out such a plan changes no other.
pub fn skip_chain(tasks: usize, nodes: usize, ties: &mut impl Rng) {
    draw_shuffles(tasks, nodes, ties);
}
