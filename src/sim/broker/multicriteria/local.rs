//! Local search for large cases: moves and swaps until nothing improves, from several beginnings.

use super::partial::{PartialAssignment, Standing};
use super::problem::{Assignment, MarketProblem, Score};
use crate::rng::below;
use rand::Rng;

/// Improvements smaller than this are rounding.
const LEAST_GAIN: f64 = 1e-12;

/// A good assignment: the best of `beginnings` descents, the first from everybody's favourite as far as there is room,
/// the others from random choices. Each goes on until no job can be moved to another offer, and no two can change
/// places, for a better score.
pub fn improve(problem: &MarketProblem, beginnings: u32, stream: &mut impl Rng) -> Assignment {
    let mut best: Option<(Score, Assignment)> = None;
    for number in 0..beginnings.max(1) {
        let mut state = begin(problem, number == 0, stream);
        let score = climb(&mut state);
        if best.as_ref().is_none_or(|(known, _)| is_better(score, *known)) {
            best = Some((score, state.into_assignment()));
        }
    }
    best.map_or_else(Vec::new, |(_, assignment)| assignment)
}

fn is_better(new: Score, old: Score) -> bool {
    new.placed > old.placed || (new.placed == old.placed && new.total > old.total + LEAST_GAIN)
}

/// Jobs in random order, each on its favourite or on a random offer that has room.
fn begin<'p>(problem: &'p MarketProblem, favourites: bool, stream: &mut impl Rng) -> PartialAssignment<'p> {
    let mut state = PartialAssignment::empty(problem);
    for job in shuffled(problem.jobs(), stream) {
        let open: Vec<usize> =
            problem.options(job).iter().copied().filter(|&offer| state.has_room(job, offer)).collect();
        let choice = if favourites { 0 } else { below(stream, open.len() as u64) as usize };
        state.put(job, open.get(choice).copied());
    }
    state
}

/// Numbers below `count` in random order.
pub(super) fn shuffled(count: usize, stream: &mut impl Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    for last in (1..count).rev() {
        order.swap(last, below(stream, last as u64 + 1) as usize);
    }
    order
}

/// Takes the first better neighbour until there is none.
fn climb(state: &mut PartialAssignment<'_>) -> Score {
    let jobs = state.problem().jobs();
    let mut standing = state.standing();
    // The number of jobs in a row that found nothing better.
    let (mut job, mut settled) = (0, 0);
    while settled < jobs && !state.problem().is_stopped() {
        let better = [move_job, swap_jobs, displace].iter().any(|step| step(state, job, &standing));
        if better {
            (settled, standing) = (0, state.standing());
        } else {
            settled += 1;
        }
        job = (job + 1) % jobs;
    }
    standing.score
}

/// Makes the moves if they are better, and says so; they must be allowed.
fn try_moves(state: &mut PartialAssignment<'_>, moves: &[(usize, Option<usize>)], standing: &Standing) -> bool {
    if !is_better(state.prospect(standing, moves), standing.score) {
        return false;
    }
    // All leave before any arrives, so that the room of each counts for the others.
    let before: Vec<Option<usize>> = moves.iter().map(|&(job, _)| state.put(job, None)).collect();
    for &(job, to) in moves {
        state.put(job, to);
    }
    if is_better(state.score(), standing.score) {
        return true;
    }
    for &(job, _) in moves {
        state.put(job, None);
    }
    for (&(job, _), place) in moves.iter().zip(before) {
        state.put(job, place);
    }
    false
}

/// Moves the job to the first offer with room that is better.
fn move_job(state: &mut PartialAssignment<'_>, job: usize, standing: &Standing) -> bool {
    let problem = state.problem();
    problem.options(job).iter().any(|&offer| {
        state.assignment()[job] != Some(offer)
            && state.has_room(job, offer)
            && try_moves(state, &[(job, Some(offer))], standing)
    })
}

/// Lets the job and the first other one with which that is better change places.
fn swap_jobs(state: &mut PartialAssignment<'_>, job: usize, standing: &Standing) -> bool {
    let problem = state.problem();
    let mine = state.assignment()[job];
    (0..problem.jobs()).any(|other| {
        let theirs = state.assignment()[other];
        let may_go = |job: usize, to: Option<usize>, leaves: usize| {
            to.is_none_or(|to| problem.values(job, to).is_some() && state.has_room_without(job, to, leaves))
        };
        mine != theirs
            && may_go(job, theirs, other)
            && may_go(other, mine, job)
            && try_moves(state, &[(job, theirs), (other, mine)], standing)
    })
}

/// Finds a place for a job without one: another job makes room by going elsewhere.
fn displace(state: &mut PartialAssignment<'_>, job: usize, standing: &Standing) -> bool {
    if state.assignment()[job].is_some() {
        return false;
    }
    let problem = state.problem();
    (0..problem.jobs()).any(|other| {
        let Some(place) = state.assignment()[other] else { return false };
        let fits = problem.values(job, place).is_some() && state.has_room_without(job, place, other);
        let has_room = |&&offer: &&usize| offer != place && state.has_room(other, offer);
        let Some(&elsewhere) = problem.options(other).iter().find(has_room).filter(|_| fits) else { return false };
        try_moves(state, &[(job, Some(place)), (other, Some(elsewhere))], standing)
    })
}

#[cfg(test)]
mod tests {
    use super::super::exact;
    use super::super::samples::{rules, small};
    use super::*;
    use crate::rng::Streams;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn it_never_beats_the_exact_search_and_no_move_betters_it(market in small(5, 4), worst_first in any::<bool>()) {
            let problem = MarketProblem::new(&market, rules(worst_first, false)).unwrap();
            let best = problem.evaluate(&exact(&problem, 10_000_000).unwrap()).score;
            let found = improve(&problem, 10, &mut Streams::new(1, 0).stream("local"));
            let score = problem.evaluate(&found).score;
            let slack = Score { total: best.total + 1e-9, ..best };
            prop_assert!(!is_better(score, slack));
            for job in 0..problem.jobs() {
                let mut state = PartialAssignment::of(&problem, &found);
                let standing = state.standing();
                prop_assert!(!move_job(&mut state, job, &standing));
                prop_assert!(!swap_jobs(&mut state, job, &standing));
                prop_assert_eq!(state.assignment(), &found, "a step in vain leaves no trace");
            }
        }
    }

    proptest! {
        #[test]
        fn no_moves_exceed_their_prospect(market in small(5, 4), worst_first in any::<bool>(), code in any::<u64>()) {
            let problem = MarketProblem::new(&market, rules(worst_first, false)).unwrap();
            let mut state = begin(&problem, false, &mut Streams::new(code, 0).stream("begin"));
            let standing = state.standing();
            let (job, other) = (code as usize % problem.jobs(), (code >> 8) as usize % problem.jobs());
            let option = |job: usize| problem.options(job).get((code >> 16) as usize % 4).copied();
            let moves = [(job, option(job)), (other, option(other))];
            let moves = if job == other { &moves[..1] } else { &moves[..] };
            let prospect = state.prospect(&standing, moves);
            for &(job, to) in moves {
                state.put(job, to);
            }
            let score = state.score();
            prop_assert_eq!(score.placed, prospect.placed);
            prop_assert!(score.total <= prospect.total + 1e-9, "{} {}", score.total, prospect.total);
        }
    }

    #[test]
    fn nineteen_of_twenty_small_cases_end_at_the_optimum() {
        use proptest::strategy::ValueTree;
        use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
        let seed = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
        let mut runner = TestRunner::new_with_rng(Config::default(), seed);
        let (mut reached, cases) = (0, 40);
        for case in 0..cases {
            let market = small(6, 6).new_tree(&mut runner).unwrap().current();
            let problem = MarketProblem::new(&market, rules(true, false)).unwrap();
            let best = problem.evaluate(&exact(&problem, 10_000_000).unwrap()).score;
            let found = improve(&problem, 10, &mut Streams::new(1, case).stream("local"));
            let score = problem.evaluate(&found).score;
            reached += u32::from(score.placed == best.placed && (score.total - best.total).abs() < 1e-9);
        }
        assert!(reached >= 38, "{reached} of {cases}");
    }
}
