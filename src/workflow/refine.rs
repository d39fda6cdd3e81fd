//! What follows the published critical jobs method: tasks are moved after the last chain, and jobs whose chains find no place are planned task
//! by task.

use super::critical::by_chains;
use super::draft::Draft;
use super::heft::by_rank;
use super::list::place;
use super::mirror::in_mirror;
use super::relaxed::{Relaxed, earliest_finish, lateness};
use super::{Collision, Failure, Origin, Placement, Plan, PlanProblem, Reason, Strategy};
use crate::model::TaskId;
use crate::rng::below;
use crate::units::Time;
use rand::Rng;

/// How many random orders of tasks are tried before a job is given up, beside the orders that are known to be good.
const RANDOM_ORDERS: usize = 24;
/// So many pairs of a task and a node may all random orders together look at: large jobs get fewer of them.
const PAIRS: usize = 400_000;

/// Plans a job by chains and moves its tasks.
pub(super) fn refined(problem: &PlanProblem<'_>, ties: &mut (impl Rng + Clone)) -> Result<Plan, Failure> {
    match problem.strategy {
        Strategy::Cheapest => cheapest(problem, ties),
        Strategy::EarliestFinish => earliest(problem, ties),
        Strategy::LatestStart => {
            let mirrored = in_mirror(problem, |mirrored| earliest(mirrored, ties));
            // What ends in time may be found forwards where it is not found backwards; and reasons have their instants the right way round.
            mirrored.or_else(|_| {
                let forwards = earliest(&PlanProblem { strategy: Strategy::EarliestFinish, ..*problem }, ties)?;
                Ok(changed(forwards, problem, |draft| draft.shift_right(problem.deadline)))
            })
        }
    }
}

/// The cheapest plan: that of the chains with tasks on cheaper nodes where there is room, and then as early as can be.
fn cheapest(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Plan, Failure> {
    let plan = match by_chains(problem, ties) {
        Ok(plan) => plan,
        Err(Failure::NoPlace { chain, collisions, .. }) => rescued(problem, chain, collisions, ties)?,
        Err(failure) => return Err(failure),
    };
    Ok(changed(plan, problem, |draft| draft.cheapen(problem.deadline)))
}

/// The earliest plan: that of the chains, moved to the left, unless tasks by rank or the cheapest plan end before it; and then as
/// cheap as that finish allows.
fn earliest(problem: &PlanProblem<'_>, ties: &mut (impl Rng + Clone)) -> Result<Plan, Failure> {
    let mut same_ties = ties.clone();
    let mut best = match by_chains(problem, ties) {
        Ok(plan) => Some(changed(plan, problem, |draft| draft.shift_left())),
        Err(Failure::NoPlace { .. }) => None,
        Err(failure) => return Err(failure),
    };
    let relaxed = Relaxed::of(problem)?;
    let relaxed = relaxed.problem(problem);
    let bound = earliest_finish(&relaxed).map_or(problem.release, |(end, _)| end);
    let finish = |plan: &Plan| plan.finish().unwrap_or(problem.release);
    let is_best = |best: &Option<Plan>| best.as_ref().is_some_and(|best| finish(best) <= bound);
    if !is_best(&best) {
        let ranked = place(&relaxed, &by_rank(problem, |_| 1)).map(|placed| Plan::of(placed, problem.estimates));
        keep_earlier(&mut best, ranked.filter(|plan| finish(plan) <= problem.deadline), finish);
    }
    if !is_best(&best) {
        // The same chains as the cheapest strategy makes, so that it can't end before this one.
        let other = cheapest(&PlanProblem { strategy: Strategy::Cheapest, ..*problem }, &mut same_ties);
        match (other, &best) {
            (Ok(plan), _) => keep_earlier(&mut best, Some(plan), finish),
            (Err(failure), None) => return Err(failure),
            (Err(_), Some(_)) => {}
        }
    }
    let Some(best) = best else {
        return Err(Failure::NoPlace { chain: Vec::new(), collisions: Vec::new(), reason: Reason::NoNode });
    };
    Ok(changed(best, problem, |draft| {
        draft.squeeze(bound);
        draft.cheapen(draft.finish());
    }))
}

/// Replaces the best plan by `other` if that ends earlier.
fn keep_earlier(best: &mut Option<Plan>, other: Option<Plan>, finish: impl Fn(&Plan) -> Time) {
    if let Some(other) = other.filter(|other| best.as_ref().is_none_or(|best| finish(other) < finish(best))) {
        *best = Some(other);
    }
}

/// The plan after `change`. Its chains remain, so that it can be seen where they were.
fn changed(plan: Plan, problem: &PlanProblem<'_>, change: impl FnOnce(&mut Draft<'_>)) -> Plan {
    let before = plan.placements;
    let mut draft = Draft::new(problem, before.clone());
    change(&mut draft);
    let Plan { placements, cost, .. } = Plan::of(draft.into_placements(), problem.estimates);
    let origin = match plan.origin {
        Origin::Chains if placements != before => Origin::MovedChains,
        origin => origin,
    };
    Plan { placements, cost, origin, ..plan }
}

/// A plan for a job whose chains have found no place: task by task, in several orders, each behind the rest if need be. Where even that ends
/// too late, the chains are placed by their earliest finish. The failure says by how much the earliest of all these misses the deadline.
fn rescued(
    problem: &PlanProblem<'_>,
    chain: Vec<TaskId>,
    collisions: Vec<Collision>,
    ties: &mut impl Rng,
) -> Result<Plan, Failure> {
    match task_by_task(problem, ties)? {
        Ok(placements) => Ok(Plan { collisions, ..Plan::of(placements, problem.estimates) }),
        Err(reason @ Reason::Late { .. }) => {
            let other = by_chains(&PlanProblem { strategy: Strategy::EarliestFinish, ..*problem }, ties);
            other.map_err(|_| Failure::NoPlace { chain, collisions, reason })
        }
        Err(reason) => Err(Failure::NoPlace { chain, collisions, reason }),
    }
}

/// Places tasks one at a time by rank, by number and in random orders, and moves them until they end by the deadline.
fn task_by_task(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Result<Vec<Placement>, Reason>, Failure> {
    let relaxed = Relaxed::of(problem)?;
    let relaxed = relaxed.problem(problem);
    let deadline = problem.deadline;
    match earliest_finish(&relaxed) {
        Some((earliest, task)) if earliest > deadline => {
            return Ok(Err(Reason::Impossible { task, earliest, deadline }));
        }
        None if problem.free.is_empty() => return Ok(Err(Reason::NoNode)),
        _ => (),
    }
    let mut reason = Reason::NoNode;
    let pairs = problem.dag.tasks().len() * problem.free.len();
    for order in 0..2 + RANDOM_ORDERS.min(PAIRS / pairs.max(1)) {
        let order = match order {
            0 => by_rank(problem, |_| 1),
            1 => problem.dag.order().to_vec(),
            _ => by_rank(problem, |_| 1 + below(ties, 4) as u32),
        };
        let Some(placements) = place(&relaxed, &order) else { return Ok(Err(Reason::NoNode)) };
        let mut draft = Draft::new(&relaxed, placements);
        draft.squeeze(deadline);
        match (lateness(problem, draft.last()), reason) {
            (Ok(()), _) => return Ok(Ok(draft.into_placements())),
            (Err(Reason::Late { finish, .. }), Reason::Late { finish: other, .. }) if finish >= other => {}
            (Err(late), _) => reason = late,
        }
        if problem.stop.is_set() {
            break;
        }
    }
    Ok(Err(reason))
}
