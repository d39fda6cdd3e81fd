//! Local search for large cases: moves and swaps until nothing improves, from several beginnings.

use super::problem::{Assignment, Problem, Score};
use super::state::State;
use crate::rng::below;
use rand::Rng;

/// Improvements smaller than this are rounding.
const LEAST_GAIN: f64 = 1e-12;

/// A good assignment: the best of `beginnings` descents, the first from everybody's favourite as far as there is room, the others from
/// random choices. Each goes on until no job can be moved to another offer, and no two can change places, for a better score.
pub fn improve(problem: &Problem, beginnings: u32, stream: &mut impl Rng) -> Assignment {
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
fn begin<'p>(problem: &'p Problem, favourites: bool, stream: &mut impl Rng) -> State<'p> {
    let mut state = State::empty(problem);
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
fn climb(state: &mut State<'_>) -> Score {
    let jobs = state.problem().jobs();
    let mut score = state.score();
    // The number of jobs in a row that found nothing better.
    let (mut job, mut settled) = (0, 0);
    while settled < jobs {
        let better = [move_job, swap_jobs, displace].iter().find_map(|step| step(state, job, score));
        settled = if better.is_some() { 0 } else { settled + 1 };
        score = better.unwrap_or(score);
        job = (job + 1) % jobs;
    }
    score
}

/// Moves the job to the first offer with room that is better.
fn move_job(state: &mut State<'_>, job: usize, score: Score) -> Option<Score> {
    let before = state.assignment()[job];
    for &offer in state.problem().options(job) {
        if Some(offer) != before && state.has_room(job, offer) {
            state.put(job, Some(offer));
            let new = state.score();
            if is_better(new, score) {
                return Some(new);
            }
            state.put(job, before);
        }
    }
    None
}

/// Lets the job and the first other one with which that is better change places.
fn swap_jobs(state: &mut State<'_>, job: usize, score: Score) -> Option<Score> {
    let problem = state.problem();
    let mine = state.assignment()[job];
    for other in 0..problem.jobs() {
        let theirs = state.assignment()[other];
        let may_go = |job: usize, offer: Option<usize>| offer.is_none_or(|offer| problem.values(job, offer).is_some());
        if mine == theirs || !may_go(job, theirs) || !may_go(other, mine) {
            continue;
        }
        // Both leave before either arrives, so that the room of each counts for the other.
        state.put(job, None);
        state.put(other, None);
        let fits = |state: &State<'_>, job, offer: Option<usize>| offer.is_none_or(|offer| state.has_room(job, offer));
        if fits(state, job, theirs) && fits(state, other, mine) {
            state.put(job, theirs);
            state.put(other, mine);
            let new = state.score();
            if is_better(new, score) {
                return Some(new);
            }
            state.put(job, None);
            state.put(other, None);
        }
        state.put(job, mine);
        state.put(other, theirs);
    }
    None
}

/// Finds a place for a job without one: another job makes room by going elsewhere.
fn displace(state: &mut State<'_>, job: usize, score: Score) -> Option<Score> {
    if state.assignment()[job].is_some() {
        return None;
    }
    let problem = state.problem();
    for other in 0..problem.jobs() {
        let Some(place) = state.assignment()[other].filter(|&place| problem.values(job, place).is_some()) else {
            continue;
        };
        state.put(other, None);
        if state.has_room(job, place) {
            state.put(job, Some(place));
            let elsewhere = problem.options(other).iter().copied().find(|&offer| state.has_room(other, offer));
            if elsewhere.is_some() {
                state.put(other, elsewhere);
                let new = state.score();
                if is_better(new, score) {
                    return Some(new);
                }
                state.put(other, None);
            }
            state.put(job, None);
        }
        state.put(other, Some(place));
    }
    None
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
            let problem = Problem::new(&market, rules(worst_first, false)).unwrap();
            let best = problem.evaluate(&exact(&problem, 10_000_000).unwrap()).score;
            let found = improve(&problem, 10, &mut Streams::new(1, 0).stream("local"));
            let score = problem.evaluate(&found).score;
            let slack = Score { total: best.total + 1e-9, ..best };
            prop_assert!(!is_better(score, slack));
            for job in 0..problem.jobs() {
                let mut state = State::of(&problem, &found);
                prop_assert!(move_job(&mut state, job, score).is_none());
                prop_assert!(swap_jobs(&mut state, job, score).is_none());
                prop_assert_eq!(state.assignment(), &found, "a step in vain leaves no trace");
            }
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
            let problem = Problem::new(&market, rules(true, false)).unwrap();
            let best = problem.evaluate(&exact(&problem, 10_000_000).unwrap()).score;
            let found = improve(&problem, 10, &mut Streams::new(1, case).stream("local"));
            let score = problem.evaluate(&found).score;
            reached += u32::from(score.placed == best.placed && (score.total - best.total).abs() < 1e-9);
        }
        assert!(reached >= 38, "{reached} of {cases}");
    }
}
