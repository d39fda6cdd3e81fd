//! The critical jobs method: chain by chain, the longest first.

use super::calendar::Calendar;
use super::chains::longest_chain;
use super::collisions::{Others, PartialPlan};
use super::refine::refined;
use super::time_reversal::in_mirror;
use super::{Collision, Failure, Placement, Plan, PlanOrigin, PlanProblem, PlanStep, Shortcoming, Strategy, Transfers};
use crate::model::{Interval, TaskId};
use crate::units::Money;
use rand::Rng;

/// Plans a job by the critical jobs method. Ties between equal nodes are drawn from `ties`.
///
/// A chain that can't be placed between those placed before it is put first, and the job is planned again, at most
/// [`attempts`](PlanProblem::attempts) times in all. Every other attempt leaves room between tasks for those that are
/// placed later, the more the later the attempt. A chain that fails as the first of an attempt without that has no
/// place at all.
///
/// That is the published method. Where the problem asks to [`refine`](PlanProblem::refine), tasks are moved after the
/// last chain, and a job without a place is planned task by task: each behind the rest if need be. Then
/// - the earliest finish is never later than that of the cheapest plan, or of [HEFT](fn@super::heft), for the same `ties`;
/// - the method fails only if what it finds ends after the deadline, and the failure says by how much.
pub fn plan(problem: &PlanProblem<'_>, ties: &mut (impl Rng + Clone)) -> Result<Plan, Failure> {
    problem.check_range()?;
    match (problem.refine, problem.strategy) {
        (true, _) => refined(problem, ties),
        (false, Strategy::LatestStart) => in_mirror(problem, |mirrored| by_chains(mirrored, ties)),
        (false, Strategy::Cheapest | Strategy::EarliestFinish) => by_chains(problem, ties),
    }
}

/// The published method, for all strategies but the latest start.
pub(super) fn by_chains(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Plan, Failure> {
    attempt(problem, Others::Respected, ties)
}

/// The yardstick of a plan: what the same method pays when nothing is in the way of any chain, neither owners nor
/// earlier jobs nor the job's own other chains.
pub fn contention_free(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Money, Failure> {
    let free = vec![vec![Interval::new(problem.release, problem.deadline)]; problem.free.len()];
    chains_apart(problem, &free, ties)
}

/// Another yardstick: what the same method pays around owners and earlier jobs when the job's own chains are not in
/// each other's way.
pub fn free_of_own_contention(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Money, Failure> {
    chains_apart(problem, Calendar::new(problem.free, problem.reserved).as_slice(), ties)
}

/// The cost of a job on this free time, if each of its chains is planned as if the others took none of it.
fn chains_apart(problem: &PlanProblem<'_>, free: &[Vec<Interval>], ties: &mut impl Rng) -> Result<Money, Failure> {
    problem.check_range()?;
    let alone = PlanProblem { free, reserved: &[], ..*problem };
    let plan = match problem.strategy {
        Strategy::LatestStart => in_mirror(&alone, |mirrored| attempt(mirrored, Others::Ignored, ties)),
        Strategy::Cheapest | Strategy::EarliestFinish => attempt(&alone, Others::Ignored, ties),
    };
    Ok(plan?.cost)
}

/// Plans a job chain by chain, around others or as if there were none, until it succeeds or the attempts are over.
fn attempt(given: &PlanProblem<'_>, others: Others, ties: &mut impl Rng) -> Result<Plan, Failure> {
    let with_room = PlanProblem { transfers: Transfers::Always, ..*given };
    // Chains that failed, the last one first.
    let mut front: Vec<Vec<TaskId>> = Vec::new();
    let mut collisions = Vec::new();
    let mut attempts = 1;
    loop {
        let mut steps = Vec::new();
        let is_as_given = attempts % 2 == 1;
        let problem = if is_as_given { given } else { &with_room };
        let room = if is_as_given { 1 } else { attempts };
        let board = PartialPlan::new(problem, Calendar::new(given.free, given.reserved), others, room);
        let outcome = distribute(board, problem, &front, &mut steps, ties);
        collisions.extend(steps.iter().flat_map(|step| &step.collisions).copied());
        let Err((chain, open)) = outcome else {
            let placements: Vec<Placement> = steps.iter().flat_map(|step| &step.placed).copied().collect();
            let origin = PlanOrigin::Chains;
            return Ok(Plan { steps, collisions, attempts, origin, ..Plan::of(placements, given.estimates) });
        };
        collisions.extend(open);
        let has_no_place = steps.is_empty() && is_as_given;
        if has_no_place || attempts >= given.attempts || given.stop.is_set() {
            let reason = chain.first().map_or(Shortcoming::NoNode, |&task| Shortcoming::Chain { task, attempts });
            return Err(Failure::NoPlace { chain, collisions, reason });
        }
        attempts += 1;
        let others = front.iter().flat_map(|other| other.split(|task| chain.contains(task)));
        let others: Vec<Vec<TaskId>> = others.filter(|part| !part.is_empty()).map(<[TaskId]>::to_vec).collect();
        front = [vec![chain], others].concat();
    }
}

/// Places the chains of `front`, then the longest that remains until none does; or the first that can't be, with its
/// collisions.
fn distribute(
    mut board: PartialPlan<'_>,
    problem: &PlanProblem<'_>,
    front: &[Vec<TaskId>],
    steps: &mut Vec<PlanStep>,
    ties: &mut impl Rng,
) -> Result<(), (Vec<TaskId>, Vec<Collision>)> {
    let mut front = front.iter();
    loop {
        let chain = match front.next() {
            Some(chain) => chain.clone(),
            None => longest_chain(problem.dag, problem.estimates, |task| !board.is_placed(task)),
        };
        if chain.is_empty() {
            return Ok(());
        }
        if problem.stop.is_set() {
            return Err((chain, Vec::new()));
        }
        match board.place(&chain, ties) {
            Ok(step) => steps.push(step),
            Err(collisions) => return Err((chain, collisions)),
        }
    }
}
