//! The critical jobs method: chain by chain, the longest first.

use super::calendar::Calendar;
use super::chains::longest_chain;
use super::collisions::Board;
use super::mirror::in_mirror;
use super::{Collision, Failure, Placement, Plan, PlanProblem, Step, Strategy, Transfers};
use crate::model::{Interval, TaskId};
use crate::units::Money;
use rand::Rng;

/// Plans a job by the critical jobs method. Ties between equal nodes are drawn from `ties`.
///
/// A chain that can't be placed between those placed before it is put first, and the job is planned again, at most
/// [`attempts`](PlanProblem::attempts) times in all. A chain that fails although nothing is placed yet has no place at all, and ends
/// the attempts.
pub fn plan(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Plan, Failure> {
    problem.check_range()?;
    match problem.strategy {
        Strategy::LatestStart => in_mirror(problem, |mirrored| attempt(mirrored, Board::place, ties)),
        Strategy::Cheapest | Strategy::EarliestFinish => attempt(problem, Board::place, ties),
    }
}

/// The yardstick of a plan: what the same method pays when nobody is in the way of any chain, neither owners nor earlier jobs nor
/// the job's own other chains.
pub fn contention_free(problem: &PlanProblem<'_>, ties: &mut impl Rng) -> Result<Money, Failure> {
    problem.check_range()?;
    let free = vec![vec![Interval::new(problem.release, problem.deadline)]; problem.free.len()];
    let alone = PlanProblem { free: &free, reserved: &[], ..*problem };
    let plan = match problem.strategy {
        Strategy::LatestStart => in_mirror(&alone, |mirrored| attempt(mirrored, Board::place_alone, ties)),
        Strategy::Cheapest | Strategy::EarliestFinish => attempt(&alone, Board::place_alone, ties),
    };
    Ok(plan?.cost)
}

/// How a chain is placed: its step, or the collisions of one that can't be.
type Place<'a, R> = fn(&mut Board<'a>, &[TaskId], &mut R) -> Result<Step, Vec<Collision>>;

fn attempt<'a, R: Rng>(problem: &'a PlanProblem<'a>, place: Place<'a, R>, ties: &mut R) -> Result<Plan, Failure> {
    let left = Calendar::new(problem.free, problem.reserved);
    // Chains that failed, the last one first.
    let mut front: Vec<Vec<TaskId>> = Vec::new();
    let mut collisions = Vec::new();
    let mut attempts = 1;
    loop {
        let mut steps = Vec::new();
        // Where transfers may cost nothing, room for those of tasks that are placed later is left in every other attempt: it helps the
        // later ones, and hinders plans that do without transfers.
        let room = problem.transfers == Transfers::BetweenNodes && attempts % 2 == 1;
        let mut board = Board::new(problem, left.clone(), room);
        let outcome = distribute(&mut board, problem, &front, &mut steps, |board, chain| place(board, chain, ties));
        collisions.extend(steps.iter().flat_map(|step| &step.collisions).copied());
        let Err((chain, open)) = outcome else {
            let placements: Vec<Placement> = steps.iter().flat_map(|step| &step.placed).copied().collect();
            return Ok(Plan { steps, collisions, attempts, ..Plan::of(placements, problem.estimates) });
        };
        collisions.extend(open);
        let has_no_place = steps.is_empty() && !room;
        if has_no_place || attempts >= problem.attempts {
            return Err(Failure::NoPlace { chain, collisions });
        }
        attempts += 1;
        let others = front.iter().flat_map(|other| other.split(|task| chain.contains(task)));
        let others: Vec<Vec<TaskId>> = others.filter(|part| !part.is_empty()).map(<[TaskId]>::to_vec).collect();
        front = [vec![chain], others].concat();
    }
}

/// Places the chains of `front`, then the longest that remains until none does; or the first that can't be, with its collisions.
fn distribute<'a>(
    board: &mut Board<'a>,
    problem: &PlanProblem<'_>,
    front: &[Vec<TaskId>],
    steps: &mut Vec<Step>,
    mut place: impl FnMut(&mut Board<'a>, &[TaskId]) -> Result<Step, Vec<Collision>>,
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
        match place(board, &chain) {
            Ok(step) => steps.push(step),
            Err(collisions) => return Err((chain, collisions)),
        }
    }
}
