//! The steps beyond the published critical jobs method: tasks are moved after the last chain, and jobs whose chains
//! find no place are planned task by task.

use super::critical::by_chains;
use super::draft::Draft;
use super::heft::by_rank;
use super::list::place;
use super::relaxed::{Relaxed, earliest_finish, lateness};
use super::time_reversal::in_mirror;
use super::{Collision, Failure, Placement, Plan, PlanOrigin, PlanProblem, Shortcoming, Strategy};
use crate::model::TaskId;
use crate::rng::below;
use crate::units::Time;
use rand::Rng;

/// The number of random orders of tasks that are tried before a job is given up, beside the orders that are known to be
/// good.
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
            // A plan that ends in time may be found forwards where it is not found backwards; and reasons have their
            // instants the right way round.
            mirrored.or_else(|_| {
                let forwards = earliest(&PlanProblem { strategy: Strategy::EarliestFinish, ..*problem }, ties)?;
                Ok(changed(forwards, problem, |draft| draft.shift_right(problem.deadline)))
            })
        }
    }
}

/// The cheapest plan: that of the chains with tasks on cheaper nodes where there is room. Then, if that ends earlier,
/// all tasks by rank on nodes that cost no more.
fn cheapest(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Plan, Failure> {
    let plan = match by_chains(problem, ties) {
        Ok(plan) => plan,
        Err(Failure::NoPlace { chain, collisions, .. }) => rescued(problem, chain, collisions, ties)?,
        Err(failure) => return Err(failure),
    };
    let plan = changed(plan, problem, |draft| draft.cheapen(problem.deadline));
    let costs = |task: TaskId, node| problem.estimates.cost(task, node);
    let will_do = |task: TaskId, node| costs(task, node) <= costs(task, plan.placements[task.index()].node);
    let relaxed = Relaxed::of(problem)?;
    let ranked = place(&relaxed.problem(problem), &by_rank(problem, |_| 1), will_do);
    let ranked = ranked.filter(|placed| lateness(problem, placed).is_ok());
    let ranked = ranked.map(|placed| Plan::of(placed, problem.estimates));
    Ok(match ranked.filter(|ranked| ranked.finish() < plan.finish()) {
        Some(ranked) => moved(plan, ranked),
        None => plan,
    })
}

/// The earliest plan: that of the chains, moved to the left, unless tasks by rank or the cheapest plan end before it;
/// and then as cheap as that finish allows.
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
        let ranked =
            place(&relaxed, &by_rank(problem, |_| 1), |_, _| true).filter(|placed| lateness(problem, placed).is_ok());
        keep_earlier(&mut best, ranked.map(|placed| Plan::of(placed, problem.estimates)), finish);
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
        return Err(Failure::NoPlace { chain: Vec::new(), collisions: Vec::new(), reason: Shortcoming::NoNode });
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

/// The plan after `change`.
fn changed(plan: Plan, problem: &PlanProblem<'_>, change: impl FnOnce(&mut Draft<'_>)) -> Plan {
    let mut draft = Draft::new(problem, plan.placements.clone());
    change(&mut draft);
    moved(plan, Plan::of(draft.into_placements(), problem.estimates))
}

/// The plan with its tasks where `to` has them. Its chains remain, so that it can be seen where they were.
fn moved(plan: Plan, to: Plan) -> Plan {
    let origin = match plan.origin {
        PlanOrigin::Chains if to.placements != plan.placements => PlanOrigin::MovedChains,
        origin => origin,
    };
    Plan { placements: to.placements, cost: to.cost, origin, ..plan }
}

/// A plan for a job whose chains have found no place: task by task, in several orders, each behind the rest if need be.
/// Where that ends too late, the same is tried backwards from the deadline, and the chains are placed by their earliest
/// finish. The failure says by how much the earliest of the first misses the deadline.
fn rescued(
    problem: &PlanProblem<'_>,
    chain: Vec<TaskId>,
    collisions: Vec<Collision>,
    ties: &mut impl Rng,
) -> Result<Plan, Failure> {
    let failed = |reason| Failure::NoPlace { chain: chain.clone(), collisions: collisions.clone(), reason };
    let mut alone = |problem: &PlanProblem<'_>| match task_by_task(problem, ties)? {
        Ok(placements) => Ok(Plan { collisions: collisions.clone(), ..Plan::of(placements, problem.estimates) }),
        Err(reason) => Err(failed(reason)),
    };
    match alone(problem) {
        Err(Failure::NoPlace { reason: reason @ Shortcoming::Late { .. }, .. }) => in_mirror(problem, alone)
            .or_else(|_| by_chains(&PlanProblem { strategy: Strategy::EarliestFinish, ..*problem }, ties))
            .map_err(|_| failed(reason)),
        other => other,
    }
}

/// Places tasks one at a time by rank, by number and in random orders, and moves them until they end by the deadline.
fn task_by_task(
    problem: &PlanProblem<'_>,
    ties: &mut impl Rng,
) -> Result<Result<Vec<Placement>, Shortcoming>, Failure> {
    let relaxed = Relaxed::of(problem)?;
    let relaxed = relaxed.problem(problem);
    let deadline = problem.deadline;
    match earliest_finish(&relaxed) {
        Some((earliest, task)) if earliest > deadline => {
            return Ok(Err(Shortcoming::Impossible { task, earliest, deadline }));
        }
        None if problem.free.is_empty() => return Ok(Err(Shortcoming::NoNode)),
        _ => (),
    }
    let mut reason = Shortcoming::NoNode;
    let pairs = problem.dag.tasks().len() * problem.free.len();
    for order in 0..2 + RANDOM_ORDERS.min(PAIRS / pairs.max(1)) {
        let order = match order {
            0 => by_rank(problem, |_| 1),
            1 => problem.dag.order().to_vec(),
            _ => by_rank(problem, |_| 1 + below(ties, 4) as u32),
        };
        let Some(placements) = place(&relaxed, &order, |_, _| true) else { return Ok(Err(Shortcoming::NoNode)) };
        let mut draft = Draft::new(&relaxed, placements);
        draft.squeeze(deadline);
        let placements = draft.into_placements();
        match (lateness(problem, &placements), reason) {
            (Ok(()), _) => return Ok(Ok(placements)),
            (Err(Shortcoming::Late { finish, .. }), Shortcoming::Late { finish: other, .. }) if finish >= other => {}
            (Err(late), _) => reason = late,
        }
        if problem.stop.is_set() {
            break;
        }
    }
    Ok(Err(reason))
}
