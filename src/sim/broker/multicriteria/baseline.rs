//! The usual brokers, for comparison: jobs one by one, each to the offer that is best by a single measure, or to any.

use super::local::shuffled;
use super::partial::PartialAssignment;
use super::problem::{Assignment, MarketProblem};
use crate::rng::below;
use rand::Rng;

/// Each job in turn takes the offer with room that has the least value of a criterion. By queue wait this is the
/// shortest queue, by start the minimum start time (MST), by completion the minimum completion time (MCT). Among equals
/// the one with fewer jobs so far is taken, and then the first.
pub fn least(problem: &MarketProblem, criterion: usize) -> Assignment {
    let mut state = PartialAssignment::empty(problem);
    let mut taken = vec![0_usize; problem.units().len()];
    for job in 0..problem.jobs() {
        let value = |offer: usize| problem.values(job, offer).and_then(|values| values.get(criterion)).copied();
        let open = problem.options(job).iter().copied().filter(|&offer| state.has_room(job, offer));
        let rank = |&offer: &usize| (value(offer).unwrap_or(f64::INFINITY), taken[offer], offer);
        let chosen = open.min_by(|one, other| {
            let (one, other) = (rank(one), rank(other));
            one.0.total_cmp(&other.0).then((one.1, one.2).cmp(&(other.1, other.2)))
        });
        chosen.into_iter().for_each(|offer| taken[offer] += 1);
        state.put(job, chosen);
    }
    state.into_assignment()
}

/// Each job in random order takes any offer with room.
pub fn at_random(problem: &MarketProblem, stream: &mut impl Rng) -> Assignment {
    let mut state = PartialAssignment::empty(problem);
    for job in shuffled(problem.jobs(), stream) {
        let mut open = problem.options(job).to_vec();
        open.retain(|&offer| state.has_room(job, offer));
        let choice = below(stream, open.len() as u64) as usize;
        state.put(job, open.get(choice).copied());
    }
    state.into_assignment()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{rules, small};
    use super::*;
    use crate::rng::Streams;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn nobody_passes_by_a_smaller_value_that_still_has_room(market in small(5, 4)) {
            let problem = MarketProblem::new(&market, rules(true, true)).unwrap();
            let assignment = least(&problem, 0);
            let mut left = problem.units().to_vec();
            for (job, chosen) in assignment.iter().enumerate() {
                let wait = |offer: usize| problem.values(job, offer).map(|values| values[0]);
                for offer in 0..left.len() {
                    let has_room = left[offer].is_none_or(|left| left >= problem.demand(job));
                    if let (Some(value), true) = (wait(offer), has_room) {
                        prop_assert!(chosen.and_then(wait).is_some_and(|mine| mine <= value));
                    }
                }
                if let Some(left) = chosen.and_then(|offer| left[offer].as_mut()) {
                    *left -= problem.demand(job);
                }
            }
            let random = at_random(&problem, &mut Streams::new(1, 0).stream("random"));
            prop_assert!(random.iter().enumerate().all(|(job, offer)| offer.is_none_or(|offer| problem.values(job, offer).is_some())));
        }
    }
}
