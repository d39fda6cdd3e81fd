//! Preferences learned from choices of the past (file 004, section 3.1).
//!
//! A user who can't say what counts has still chosen: an offer among others, again and again. [`learn`] looks for
//! weights under which a [`UserForm`] makes the same choices. Each form has a way of its own:
//!
//! - `Mean`: a linear program. The chosen offer is to be ahead of every other by as wide a margin as possible; what
//!   can't be explained is paid for twice over.
//! - `Lexicographic`: criteria one after another, each time one that contradicts no open comparison; if there is an
//!   order that explains everything, this finds one.
//! - `Achievement` and `Distance` are not linear in the weights: all weights of a grid are tried, and of those that
//!   explain most choices the one nearest to their mean is taken. The grid grows fast with the criteria, so there may
//!   be six at most.

use super::UserForm;
use microlp::{ComparisonOp, OptimizationDirection, Problem, SolveOutcome, Variable};

/// A choice that a user made.
#[derive(Debug, Clone, PartialEq)]
pub struct PastChoice {
    /// The offers, each by its scaled criteria: 0 is the worst and 1 the best, see
    /// [`ReferenceBounds::scale`](super::ReferenceBounds::scale).
    pub offers: Vec<Vec<f64>>,
    /// The one that was taken.
    pub chosen: usize,
}

/// Why nothing can be learned from choices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LearnError {
    /// A choice is of an offer that is not there.
    #[error("choice {choice} takes offer {chosen} of {offers}, counted from 0")]
    NoOffer {
        /// The choice, counted from 0.
        choice: usize,
        /// The offer that it names.
        chosen: usize,
        /// The number of its offers.
        offers: usize,
    },
    /// An offer has another number of criteria, or one that is not finite.
    #[error("an offer of choice {choice}, counted from 0, does not have {criteria} finite criteria")]
    Criteria {
        /// The choice, counted from 0.
        choice: usize,
        /// The number of criteria that are weighted.
        criteria: usize,
    },
    /// The grid of weights would be too large.
    #[error("weights of {0} criteria are too many to try: give at most {GRID_CRITERIA}")]
    TooMany(usize),
}

/// The offer that a user of this form and these weights takes: the one of highest value, the first of equals.
pub fn favourite(form: UserForm, weights: &[f64], offers: &[Vec<f64>]) -> usize {
    let mut best = (f64::NEG_INFINITY, 0);
    for (index, offer) in offers.iter().enumerate() {
        let value = value(form, weights, offer);
        // Values that differ by rounding alone are equal.
        if value > best.0 + ROUNDING {
            best = (value, index);
        }
    }
    best.1
}

/// The value of an offer.
pub fn value(form: UserForm, weights: &[f64], offer: &[f64]) -> f64 {
    let criteria: Vec<(f64, f64)> = weights.iter().copied().zip(offer.iter().copied()).collect();
    form.value(&criteria)
}

/// The difference of values up to which they are equal: below the least step of a lexicographic value.
const ROUNDING: f64 = 5e-16;

/// The number of choices that a form explains with these weights.
pub fn explained(form: UserForm, weights: &[f64], choices: &[PastChoice]) -> usize {
    choices.iter().filter(|choice| favourite(form, weights, &choice.offers) == choice.chosen).count()
}

/// Weights of so many criteria, with a sum of 1, under which a form makes these choices, or as many as it can; all the
/// same where nothing is known.
///
/// Every offer must have as many criteria. [`UserForm::Achievement`] and [`UserForm::Distance`] try some 53000 weights
/// for six criteria, and refuse more than that.
///
/// ```
/// use gridloom::broker::multicriteria::{PastChoice, UserForm, favourite, learn};
///
/// // Speed against price: the fast one was taken, then the cheap one, where it was not much slower.
/// let past = [
///     PastChoice { offers: vec![vec![1.0, 0.4], vec![0.2, 1.0]], chosen: 0 },
///     PastChoice { offers: vec![vec![1.0, 0.0], vec![0.9, 0.8]], chosen: 1 },
/// ];
/// let weights = learn(UserForm::Mean, 2, &past)?;
/// assert_eq!(favourite(UserForm::Mean, &weights, &[vec![0.1, 0.9], vec![0.8, 0.5]]), 1);
/// # Ok::<(), gridloom::broker::multicriteria::LearnError>(())
/// ```
pub fn learn(form: UserForm, criteria: usize, choices: &[PastChoice]) -> Result<Vec<f64>, LearnError> {
    for (choice, PastChoice { offers, chosen }) in choices.iter().enumerate() {
        if *chosen >= offers.len() {
            return Err(LearnError::NoOffer { choice, chosen: *chosen, offers: offers.len() });
        }
        let is_complete = |offer: &Vec<f64>| offer.len() == criteria && offer.iter().all(|scaled| scaled.is_finite());
        if !offers.iter().all(is_complete) {
            return Err(LearnError::Criteria { choice, criteria });
        }
    }
    let even = vec![1.0 / criteria.max(1) as f64; criteria];
    if choices.is_empty() || criteria == 0 {
        return Ok(even);
    }
    Ok(match form {
        UserForm::Mean => widest_margin(criteria, choices).map_or(even, |(weights, _)| weights),
        UserForm::Lexicographic => of_order(&learn_order(criteria, choices)),
        UserForm::Achievement | UserForm::Distance if criteria > GRID_CRITERIA => {
            return Err(LearnError::TooMany(criteria));
        }
        UserForm::Achievement | UserForm::Distance => best_of_grid(form, criteria, choices),
    })
}

/// What a choice that is not explained costs in units of the margin: above 1, so that where all can be explained,
/// all are.
const PENALTY: f64 = 2.0;

/// Weights by the linear program: the widest margin less the penalties, and its value; nothing if the solver fails.
fn widest_margin(criteria: usize, choices: &[PastChoice]) -> Option<(Vec<f64>, f64)> {
    let mut problem = Problem::new(OptimizationDirection::Maximize);
    let weights: Vec<Variable> = (0..criteria).map(|_| problem.add_var(0.0, (0.0, 1.0))).collect();
    let margin = problem.add_var(1.0, (0.0, 1.0));
    problem.add_constraint(weights.iter().map(|&weight| (weight, 1.0)).collect::<Vec<_>>(), ComparisonOp::Eq, 1.0);
    for PastChoice { offers, chosen } in choices {
        let excuse = problem.add_var(-PENALTY, (0.0, 2.0));
        for (_, other) in offers.iter().enumerate().filter(|(index, _)| index != chosen) {
            let ahead = offers[*chosen].iter().zip(other).map(|(chosen, other)| chosen - other);
            let row = weights.iter().copied().zip(ahead).chain([(margin, -1.0), (excuse, 1.0)]);
            problem.add_constraint(row.collect::<Vec<_>>(), ComparisonOp::Ge, 0.0);
        }
    }
    let Ok(SolveOutcome::Solution(solution)) = problem.solve() else { return None };
    // What the solver leaves below zero is rounding.
    let found: Vec<f64> = weights.iter().map(|&weight| solution.var_value(weight).max(0.0)).collect();
    let sum: f64 = found.iter().sum();
    (sum > 0.0).then(|| (found.iter().map(|weight| weight / sum).collect(), solution.objective()))
}

/// The criteria by falling importance.
///
/// A pair of the chosen offer and another is open until a criterion tells them apart. A criterion that puts no other
/// offer of an open pair ahead can come next whatever the user's order is; of several, the one that settles most pairs
/// does. Where every criterion contradicts a pair, the one with the best balance is taken.
fn learn_order(criteria: usize, choices: &[PastChoice]) -> Vec<usize> {
    let levels = |offer: &[f64]| offer.iter().map(|&scaled| UserForm::level(scaled)).collect::<Vec<f64>>();
    let mut open: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
    for PastChoice { offers, chosen } in choices {
        let others = offers.iter().enumerate().filter(|(index, _)| index != chosen);
        open.extend(others.map(|(_, other)| (levels(&offers[*chosen]), levels(other))));
    }
    let mut order: Vec<usize> = Vec::new();
    let mut left: Vec<usize> = (0..criteria).collect();
    while !left.is_empty() {
        let count = |at: usize, holds: fn(&f64, &f64) -> bool| {
            open.iter().filter(|(chosen, other)| holds(&chosen[at], &other[at])).count() as i64
        };
        let (settled, against) = (|at| count(at, f64::gt), |at| count(at, f64::lt));
        let key = |&&at: &&usize| (against(at) == 0, settled(at) - against(at), std::cmp::Reverse(at));
        let Some(&next) = left.iter().max_by_key(key) else { break };
        open.retain(|(chosen, other)| chosen[next] == other[next]);
        left.retain(|&at| at != next);
        order.push(next);
    }
    order
}

/// An order of criteria as weights: as many as there are for the first, one less for the next.
fn of_order(order: &[usize]) -> Vec<f64> {
    let all = (order.len() * (order.len() + 1) / 2) as f64;
    let mut weights = vec![0.0; order.len()];
    for (place, &criterion) in order.iter().enumerate() {
        weights[criterion] = (order.len() - place) as f64 / all;
    }
    weights
}

/// The parts into which the grid divides a weight of 1.
const PARTS: usize = 20;

/// The most criteria whose weights are tried: one more would take 230230 weights.
const GRID_CRITERIA: usize = 6;

/// The best weights of the grid.
fn best_of_grid(form: UserForm, criteria: usize, choices: &[PastChoice]) -> Vec<f64> {
    let mut best: (usize, Vec<Vec<f64>>) = (0, Vec::new());
    for parts in compositions(PARTS, criteria) {
        let weights: Vec<f64> = parts.iter().map(|&part| part as f64 / PARTS as f64).collect();
        let explained = explained(form, &weights, choices);
        if explained > best.0 || best.1.is_empty() {
            best = (explained, Vec::new());
        }
        if explained == best.0 {
            best.1.push(weights);
        }
    }
    let mean = |at: usize| best.1.iter().map(|weights| weights[at]).sum::<f64>() / best.1.len() as f64;
    let mean: Vec<f64> = (0..criteria).map(mean).collect();
    let distance = |weights: &Vec<f64>| -> f64 {
        weights.iter().zip(&mean).map(|(weight, mean)| (weight - mean) * (weight - mean)).sum()
    };
    let nearest = best.1.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)));
    nearest.cloned().unwrap_or(mean)
}

/// All ways to give `total` parts to so many takers.
fn compositions(total: usize, takers: usize) -> Vec<Vec<usize>> {
    match takers {
        0 => Vec::new(),
        1 => vec![vec![total]],
        _ => (0..=total)
            .flat_map(|first| {
                compositions(total - first, takers - 1).into_iter().map(move |rest| [vec![first], rest].concat())
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FORMS: [UserForm; 4] = [UserForm::Mean, UserForm::Distance, UserForm::Achievement, UserForm::Lexicographic];

    /// Lists of four offers with three criteria, in tenths.
    fn lists(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Vec<Vec<f64>>>> {
        let tenth = (0_u8..=10).prop_map(|tenth| f64::from(tenth) / 10.0);
        let offer = prop::collection::vec(tenth, 3);
        prop::collection::vec(prop::collection::vec(offer, 4), count)
    }

    fn chosen_by(form: UserForm, weights: &[f64], lists: Vec<Vec<Vec<f64>>>) -> Vec<PastChoice> {
        lists.into_iter().map(|offers| PastChoice { chosen: favourite(form, weights, &offers), offers }).collect()
    }

    /// The margin by which weights explain all choices; negative if they do not.
    fn margin(weights: &[f64], choices: &[PastChoice]) -> f64 {
        let value = |offer: &Vec<f64>| weights.iter().zip(offer).map(|(weight, scaled)| weight * scaled).sum::<f64>();
        let margins = choices.iter().flat_map(|choice| {
            let best = value(&choice.offers[choice.chosen]);
            let others = choice.offers.iter().enumerate().filter(|(index, _)| *index != choice.chosen);
            others.map(move |(_, other)| best - value(other))
        });
        margins.fold(f64::INFINITY, f64::min)
    }

    fn permutations(left: &[usize]) -> Vec<Vec<usize>> {
        if left.is_empty() {
            return vec![Vec::new()];
        }
        left.iter()
            .flat_map(|&first| {
                let rest: Vec<usize> = left.iter().copied().filter(|&other| other != first).collect();
                permutations(&rest).into_iter().map(move |rest| [vec![first], rest].concat())
            })
            .collect()
    }

    proptest! {
        /// A user of the same form whose weights lie on the grid could have made all the choices.
        #[test]
        fn choices_that_can_be_explained_are(lists in lists(1..12), parts in (1_u8..8, 1_u8..8), at in 0_usize..4) {
            let (first, second) = (f64::from(parts.0) / 20.0, f64::from(parts.1) / 20.0);
            let weights = [first, second, 1.0 - first - second];
            let form = FORMS[at];
            let choices = chosen_by(form, &weights, lists);
            let learned = learn(form, 3, &choices).unwrap();
            prop_assert!((learned.iter().sum::<f64>() - 1.0).abs() < 1e-9 && learned.iter().all(|&weight| weight >= 0.0));
            // With a weighted mean, choices between equals can't be told from those of a strict preference.
            if form != UserForm::Mean || margin(&weights, &choices) > 1e-6 {
                prop_assert_eq!(explained(form, &learned, &choices), choices.len(), "{:?} {:?}", form, learned);
            }
        }

        /// No weights of a fine grid have a wider margin.
        #[test]
        fn the_margin_is_the_widest(lists in lists(1..8), parts in (1_u8..9, 1_u8..9)) {
            let (first, second) = (f64::from(parts.0) / 20.0, f64::from(parts.1) / 20.0);
            let choices = chosen_by(UserForm::Mean, &[first, second, 1.0 - first - second], lists);
            let best = compositions(60, 3)
                .into_iter()
                .map(|parts| margin(&parts.iter().map(|&part| part as f64 / 60.0).collect::<Vec<_>>(), &choices))
                .fold(f64::NEG_INFINITY, f64::max);
            let (weights, objective) = widest_margin(3, &choices).unwrap();
            if best > 0.0 {
                prop_assert!((margin(&weights, &choices) - objective).abs() < 1e-7, "nothing is excused");
                prop_assert!(objective > best - 1e-7, "{objective} {best}");
            }
        }

        /// Any choices at all: where some order explains them, so does the learned one.
        #[test]
        fn an_order_is_found_if_there_is_one(lists in lists(1..5), picks in prop::collection::vec(0_usize..4, 5)) {
            let choices: Vec<PastChoice> =
                lists.into_iter().zip(picks).map(|(offers, chosen)| PastChoice { offers, chosen }).collect();
            let strict = |order: &[usize]| {
                choices.iter().all(|choice| {
                    let key = |offer: &Vec<f64>| order.iter().map(|&at| (offer[at] * 1000.0).round() as i64).collect::<Vec<_>>();
                    let best = key(&choice.offers[choice.chosen]);
                    choice.offers.iter().all(|offer| key(offer) <= best)
                })
            };
            let exists = permutations(&[0, 1, 2]).iter().any(|order| strict(order));
            prop_assert_eq!(strict(&learn_order(3, &choices)), exists);
        }
    }

    #[test]
    fn fresh_choices_are_foreseen() {
        // A fixed sequence of offers, the first sixty of the past and the rest fresh.
        let mut state = 1_u64;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % 101) as f64 / 100.0
        };
        let lists: Vec<Vec<Vec<f64>>> =
            (0..560).map(|_| (0..5).map(|_| (0..3).map(|_| draw()).collect()).collect()).collect();
        for form in FORMS {
            let choices = chosen_by(form, &[0.5, 0.15, 0.35], lists.clone());
            let (past, fresh) = choices.split_at(60);
            let foreseen = explained(form, &learn(form, 3, past).unwrap(), fresh);
            assert!(foreseen >= 475, "{form:?}: {foreseen} of 500");
        }
    }

    #[test]
    fn what_contradicts_itself_is_explained_as_far_as_it_goes() {
        let offers = vec![vec![1.0, 0.0], vec![0.0, 1.0]];
        let pick = |chosen| PastChoice { offers: offers.clone(), chosen };
        let past = [pick(0), pick(0), pick(1)];
        for form in FORMS {
            assert_eq!(explained(form, &learn(form, 2, &past).unwrap(), &past), 2, "{form:?}");
        }
        assert_eq!(learn(UserForm::Mean, 2, &[]).unwrap(), [0.5, 0.5]);
    }

    #[test]
    fn what_is_no_choice_is_refused() {
        let of = |criteria: usize, chosen| PastChoice { offers: vec![vec![0.5; criteria]; 2], chosen };
        for form in FORMS {
            let missing = LearnError::NoOffer { choice: 1, chosen: 2, offers: 2 };
            assert_eq!(learn(form, 3, &[of(3, 1), of(3, 2)]), Err(missing));
            let none = PastChoice { offers: Vec::new(), chosen: 0 };
            assert_eq!(learn(form, 3, &[none]), Err(LearnError::NoOffer { choice: 0, chosen: 0, offers: 0 }));
            for criteria in [2, 4] {
                assert_eq!(learn(form, 3, &[of(criteria, 0)]), Err(LearnError::Criteria { choice: 0, criteria: 3 }));
            }
            let unknown = PastChoice { offers: vec![vec![0.5], vec![f64::NAN]], chosen: 0 };
            assert_eq!(learn(form, 1, &[unknown]), Err(LearnError::Criteria { choice: 0, criteria: 1 }));
        }
    }

    #[test]
    fn grids_that_would_take_too_long_are_refused() {
        let of = |criteria: usize| [PastChoice { offers: vec![vec![0.5; criteria], vec![0.0; criteria]], chosen: 0 }];
        for form in FORMS {
            let is_grid = matches!(form, UserForm::Achievement | UserForm::Distance);
            assert_eq!(learn(form, 6, &of(6)).map(|weights| weights.len()), Ok(6), "{form:?}");
            let many = if is_grid { Err(LearnError::TooMany(7)) } else { Ok(7) };
            assert_eq!(learn(form, 7, &of(7)).map(|weights| weights.len()), many, "{form:?}");
        }
        // As many as stand in the documentation: 25 over 5, and 26 over 6.
        assert_eq!([6, 7].map(|takers| compositions(PARTS, takers).len()), [53_130, 230_230]);
    }
}
