//! Exact search for small cases: depth first over the jobs, cut where even everybody's best choice would not win.

use super::partial::PartialAssignment;
use super::problem::{Assignment, MarketProblem, Score};

/// The best assignment; nothing if that takes more than `limit` steps.
pub fn exact(problem: &MarketProblem, limit: u64) -> Option<Assignment> {
    let mut search =
        DepthFirst { state: PartialAssignment::empty(problem), order: order(problem), best: None, left: limit };
    search.descend(0).then(|| search.best.map_or_else(|| vec![None; problem.jobs()], |(_, best)| best))
}

/// All assignments that place as many jobs as can be placed, in order of offers; nothing if there are more than
/// `limit`.
pub fn all(problem: &MarketProblem, limit: usize) -> Option<Vec<Assignment>> {
    let mut found: Vec<(usize, Assignment)> = Vec::new();
    if !collect(&mut PartialAssignment::empty(problem), 0, limit, &mut found) {
        return None;
    }
    let most = found.iter().map(|(placed, _)| *placed).max().unwrap_or(0);
    Some(found.into_iter().filter(|(placed, _)| *placed == most).map(|(_, assignment)| assignment).collect())
}

fn collect(state: &mut PartialAssignment<'_>, job: usize, limit: usize, found: &mut Vec<(usize, Assignment)>) -> bool {
    if job == state.problem().jobs() {
        found.push((state.placed(), state.assignment().clone()));
        return found.len() <= limit && !state.problem().is_stopped();
    }
    let mut options = state.problem().options(job).to_vec();
    options.sort_unstable();
    options.retain(|&offer| state.has_room(job, offer));
    let mut choices: Vec<Option<usize>> = options.into_iter().map(Some).collect();
    // Leaving a job out can only help where units run short, or where it has no choice.
    if choices.is_empty() || is_scarce(state.problem()) {
        choices.push(None);
    }
    for choice in choices {
        state.put(job, choice);
        let goes_on = collect(state, job + 1, limit, found);
        state.put(job, None);
        if !goes_on {
            return false;
        }
    }
    true
}

/// True if units may run short, so that leaving a job out can make room for others.
fn is_scarce(problem: &MarketProblem) -> bool {
    let demand: u64 = (0..problem.jobs()).map(|job| problem.demand(job)).sum();
    problem.units().iter().flatten().any(|&units| units < demand)
}

/// Jobs with few options first: mistakes show early.
fn order(problem: &MarketProblem) -> Vec<usize> {
    let mut order: Vec<usize> = (0..problem.jobs()).collect();
    order.sort_by_key(|&job| problem.options(job).len());
    order
}

struct DepthFirst<'p> {
    state: PartialAssignment<'p>,
    order: Vec<usize>,
    best: Option<(Score, Assignment)>,
    left: u64,
}

impl DepthFirst<'_> {
    /// Tries all choices for the jobs from `depth` on; false if the steps run out.
    fn descend(&mut self, depth: usize) -> bool {
        if self.left == 0 || self.state.problem().is_stopped() {
            return false;
        }
        self.left -= 1;
        let Some(&job) = self.order.get(depth) else {
            let score = self.state.score();
            if self.best.as_ref().is_none_or(|(best, _)| score > *best) {
                self.best = Some((score, self.state.assignment().clone()));
            }
            return true;
        };
        if self.best.as_ref().is_some_and(|(best, _)| self.bound(depth) <= *best) {
            return true;
        }
        for &offer in self.state.problem().options(job) {
            if self.state.has_room(job, offer) {
                self.state.put(job, Some(offer));
                let goes_on = self.descend(depth + 1);
                self.state.put(job, None);
                if !goes_on {
                    return false;
                }
            }
        }
        // Without an offer: room for others.
        self.descend(depth + 1)
    }

    /// An upper bound on all completions: every job that is still open gets its favourite, and other stakeholders are
    /// content.
    fn bound(&self, depth: usize) -> Score {
        let problem = self.state.problem();
        let mut users = self.state.users().to_vec();
        let mut placed = self.state.placed();
        for &job in &self.order[depth..] {
            if let Some(&favourite) = problem.options(job).first() {
                let user = problem.owner(job);
                users[user] += problem.satisfaction(job, favourite) / problem.jobs_of()[user].len() as f64;
                placed += 1;
            }
        }
        // Sums in another order than those of a state: what is lost in rounding must not cut off the best.
        Score { placed, total: problem.total(&users, problem.others_at_best()) + 1e-12 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{rules, small};
    use super::*;
    use proptest::prelude::*;

    /// The best by looking at every combination, however bad.
    fn brute_force(problem: &MarketProblem) -> Score {
        let mut best = Score { placed: 0, total: f64::NEG_INFINITY };
        let offers = problem.units().len();
        for code in 0..(offers + 1).pow(problem.jobs() as u32) {
            let mut rest = code;
            let assignment: Assignment = (0..problem.jobs())
                .map(|_| {
                    let digit = rest % (offers + 1);
                    rest /= offers + 1;
                    (digit < offers).then_some(digit)
                })
                .collect();
            let allowed = assignment
                .iter()
                .enumerate()
                .all(|(job, offer)| offer.is_none_or(|offer| problem.values(job, offer).is_some()));
            let fits = (0..offers).all(|offer| {
                let used: u64 = (0..problem.jobs())
                    .filter(|&job| assignment[job] == Some(offer))
                    .map(|job| problem.demand(job))
                    .sum();
                problem.units()[offer].is_none_or(|units| used <= units)
            });
            if allowed && fits {
                let score = problem.evaluate(&assignment).score;
                if score > best {
                    best = score;
                }
            }
        }
        best
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(120))]

        #[test]
        fn the_exact_search_finds_what_brute_force_finds(market in small(4, 3), worst_first in any::<bool>(), achievement in any::<bool>()) {
            let problem = MarketProblem::new(&market, rules(worst_first, achievement)).unwrap();
            let found = exact(&problem, 1_000_000).unwrap();
            let (score, best) = (problem.evaluate(&found).score, brute_force(&problem));
            prop_assert_eq!(score.placed, best.placed);
            prop_assert!((score.total - best.total).abs() < 1e-9, "{} {}", score.total, best.total);
            let all = all(&problem, 1000).unwrap();
            prop_assert!(all.contains(&found));
            prop_assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
