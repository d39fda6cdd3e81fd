//! Utility: criteria scaled to [0, 1] and aggregated by a Chebyshev and an L1 norm (file 004, formulas 1 and 2).
//!
//! The paper prints one formula and fills its tables by two readings of it, for a user and for all users; each of them
//! is here under a name of its own.

use crate::choice;
use crate::workload::market::Direction;

/// The share of the L1 norm in a user's value, the paper's xi.
const USER_SHARE: f64 = 0.01;
/// The share of the L1 norm in the total of all stakeholders.
const TOTAL_SHARE: f64 = 0.1;

/// The values between which a criterion or a satisfaction is scaled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReferenceBounds {
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

impl ReferenceBounds {
    /// The least bounds that hold all values; nothing for no values.
    pub fn around(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        values.into_iter().fold(None, |bounds: Option<Self>, value| {
            let Self { low, high } = bounds.unwrap_or(Self { low: value, high: value });
            Some(Self { low: low.min(value), high: high.max(value) })
        })
    }

    /// True if nothing can be told apart between them: the scale is undefined.
    pub fn is_flat(self) -> bool {
        self.low >= self.high
    }

    /// The scaled value s(x): 0 at the worst bound, 1 at the best, cut there. Where the scale is undefined it is 1, as
    /// good as any.
    ///
    /// ```
    /// use gridloom::broker::multicriteria::ReferenceBounds;
    /// use gridloom::workload::market::Direction;
    ///
    /// let wait = ReferenceBounds { low: 0.0, high: 70.0 };
    /// assert_eq!(wait.scale(Direction::Cost, 0.0), 1.0);
    /// assert_eq!(wait.scale(Direction::Cost, 35.0), 0.5);
    /// assert_eq!(wait.scale(Direction::Gain, 700.0), 1.0);
    /// ```
    pub fn scale(self, direction: Direction, value: f64) -> f64 {
        if self.is_flat() {
            return 1.0;
        }
        let share = match direction {
            Direction::Gain => (value - self.low) / (self.high - self.low),
            Direction::Cost => (self.high - value) / (self.high - self.low),
        };
        share.clamp(0.0, 1.0)
    }
}

choice! {
    /// The scalarising function of one user: scaled criteria become one value, the higher the better.
    #[derive(Copy, Eq)]
    pub enum UserForm {
        /// Tables 4 to 6: max w s + 0.01 sum w s. What matters is the criterion in which the offer is best.
        Achievement,
        /// Tables 1 to 3: 1 - (max w (1 - s) + 0.01 sum w (1 - s)). What matters is the criterion that is furthest from
        /// its best.
        Distance,
        /// The weighted mean, sum w s: what is lost in one criterion can be made good in another.
        Mean,
        /// The criteria one after another, the one of highest weight first and the earlier of equals: the next one
        /// counts only where offers are alike, to a thousandth of the range, in those before it. At most five count.
        Lexicographic,
    }
}

impl UserForm {
    /// The value of criteria given as (weight, scaled value); weights count by their share of the sum. Without any
    /// weight there is nothing to wish for, and the value is the best.
    ///
    /// ```
    /// use gridloom::broker::multicriteria::UserForm;
    ///
    /// // User A of Table 4 on provider 1: the last of three criteria is at its best, the others at their worst.
    /// let value = UserForm::Achievement.value(&[(1.0, 0.0), (1.0, 0.0), (5.0, 1.0)]);
    /// assert!((value - 0.721).abs() < 0.0005);
    /// ```
    pub fn value(self, criteria: &[(f64, f64)]) -> f64 {
        let weights: f64 = criteria.iter().map(|(weight, _)| weight).sum();
        if weights <= 0.0 {
            return self.best();
        }
        let aggregate = |part: fn(f64) -> f64| {
            let parts = criteria.iter().map(|(weight, scaled)| weight / weights * part(*scaled));
            let (highest, sum) = parts.fold((0.0_f64, 0.0), |(highest, sum), part| (highest.max(part), sum + part));
            highest + USER_SHARE * sum
        };
        match self {
            Self::Achievement => aggregate(|scaled| scaled),
            Self::Distance => 1.0 - aggregate(|scaled| 1.0 - scaled),
            Self::Mean => criteria.iter().map(|(weight, scaled)| weight / weights * scaled).sum(),
            Self::Lexicographic => lexicographic(criteria),
        }
    }

    /// The level of a scaled value that a lexicographic order tells from others.
    pub(super) fn level(scaled: f64) -> f64 {
        libm::round(scaled * LEVELS)
    }

    /// The highest value that there is.
    fn best(self) -> f64 {
        match self {
            Self::Achievement => 1.0 + USER_SHARE,
            Self::Distance | Self::Mean | Self::Lexicographic => 1.0,
        }
    }
}

/// The levels above the lowest that a lexicographic order tells apart.
const LEVELS: f64 = 1000.0;
/// The criteria that fit into one number, a digit each.
const DIGITS: usize = 5;

/// The levels of the criteria as the digits of a number, the most important one first; the highest number is 1.
fn lexicographic(criteria: &[(f64, f64)]) -> f64 {
    let mut counted: Vec<&(f64, f64)> = criteria.iter().filter(|(weight, _)| *weight > 0.0).collect();
    // Stable: of equal weights the earlier comes first.
    counted.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let (mut value, mut highest) = (0.0, 0.0);
    for (_, scaled) in counted.into_iter().take(DIGITS) {
        value = value * (LEVELS + 1.0) + UserForm::level(*scaled);
        highest = highest * (LEVELS + 1.0) + LEVELS;
    }
    value / highest
}

choice! {
    /// The scalarising function of all stakeholders: their satisfactions become one total, the higher the better.
    #[derive(Copy, Eq)]
    pub enum TotalForm {
        /// Table 6: min x + 0.1 mean x. The worst off decides. With weights v of mean 1 it is 1 - max v (1 - x) + 0.1
        /// mean v x.
        WorstFirst,
        /// Table 3: max x + 0.1 sum x. The best off decides; with weights of mean 1 it is max v x + 0.1 sum v x.
        BestFirst,
    }
}

impl TotalForm {
    /// The total of stakeholders given as (weight, satisfaction), with weights of mean 1.
    pub fn total(self, stakeholders: impl Iterator<Item = (f64, f64)>) -> f64 {
        let (mut count, mut sum, mut highest) = (0, 0.0, 0.0_f64);
        for (weight, satisfaction) in stakeholders {
            count += 1;
            sum += weight * satisfaction;
            highest = highest.max(self.pull(weight, satisfaction));
        }
        self.combine(highest, sum, count)
    }

    /// A stakeholder's part in the total; the highest of all decides.
    pub(super) fn pull(self, weight: f64, satisfaction: f64) -> f64 {
        match self {
            Self::WorstFirst => weight * (1.0 - satisfaction),
            Self::BestFirst => weight * satisfaction,
        }
    }

    /// The total from the highest pull, and from the sum of weighted satisfactions and its number of terms.
    pub(super) fn combine(self, highest: f64, sum: f64, count: usize) -> f64 {
        match self {
            Self::WorstFirst => 1.0 - highest + TOTAL_SHARE * sum / count.max(1) as f64,
            Self::BestFirst => highest + TOTAL_SHARE * sum,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn totals_of_table_6_come_out_of_its_scaled_satisfactions() {
        // A2B3C4: A is at 0.377 of its range, B at a third, C at half.
        let total = TotalForm::WorstFirst.total([(1.0, 0.377), (1.0, 0.333), (1.0, 0.506)].into_iter());
        assert!((total - 0.3735).abs() < 1e-3, "{total}");
        let all_best = TotalForm::WorstFirst.total([(1.0, 1.0); 3].into_iter());
        assert!((all_best - 1.1).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn a_lexicographic_value_orders_as_lists_of_levels_do(
            offers in prop::collection::vec((0_u32..=3, 0_u32..=1000, 0_u32..=3, 0_u32..=1000, 0_u32..=1000), 2),
        ) {
            let value = |&(a, b, c, d, e): &(u32, u32, u32, u32, u32)| {
                let weighted = [(3.0, b), (5.0, a), (1.0, d), (2.0, c), (0.5, e), (0.0, a)];
                UserForm::Lexicographic.value(&weighted.map(|(weight, level)| (weight, f64::from(level) / 1000.0)))
            };
            prop_assert_eq!(value(&offers[0]).total_cmp(&value(&offers[1])), offers[0].cmp(&offers[1]));
        }

        #[test]
        fn a_better_criterion_never_lowers_a_value_or_a_total(
            parts in prop::collection::vec((0.01_f64..5.0, 0.0_f64..1.0), 1..6), at in 0_usize..6, gain in 0.0_f64..1.0,
        ) {
            let mut better = parts.clone();
            let at = at % parts.len();
            better[at].1 = (better[at].1 + gain).min(1.0);
            for form in [UserForm::Achievement, UserForm::Distance, UserForm::Mean, UserForm::Lexicographic] {
                prop_assert!(form.value(&better) >= form.value(&parts) - 1e-12);
                prop_assert!(form.value(&better) <= form.best() + 1e-12);
            }
            for form in [TotalForm::WorstFirst, TotalForm::BestFirst] {
                let total = |parts: &[(f64, f64)]| form.total(parts.iter().copied());
                prop_assert!(total(&better) >= total(&parts) - 1e-12);
            }
        }

        #[test]
        fn units_and_sizes_of_weights_do_not_matter(
            parts in prop::collection::vec((0.01_f64..5.0, 0.0_f64..1.0), 1..6), factor in 0.1_f64..100.0, x in -50.0_f64..150.0,
        ) {
            let other: Vec<_> = parts.iter().map(|(weight, scaled)| (weight * factor, *scaled)).collect();
            prop_assert!((UserForm::Distance.value(&parts) - UserForm::Distance.value(&other)).abs() < 1e-9);
            let (metres, miles) = (ReferenceBounds { low: 0.0, high: 100.0 }, ReferenceBounds { low: 0.0, high: 100.0 * factor });
            let difference = metres.scale(Direction::Cost, x) - miles.scale(Direction::Cost, factor * x);
            prop_assert!(difference.abs() < 1e-9);
            prop_assert!((metres.scale(Direction::Cost, x) + metres.scale(Direction::Gain, x) - 1.0).abs() < 1e-9);
        }
    }
}
