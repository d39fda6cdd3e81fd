//! The limits T* and B*, taken from the alternatives.

use super::{Alternative, BatchLimit, Choice, NoChoice, Problem, choose};
use crate::choice;
use crate::units::{Money, Span, TICKS_PER_UNIT};

choice! {
    /// The two forms of the limit B*.
    #[derive(Copy)]
    pub enum BudgetLimit {
        /// The highest total cost within the time T*: the owners' highest income (formula 3).
        HighestIncome,
        /// The sum over the jobs of the mean cost of their alternatives.
        MeanCost,
    }
}

/// T*: the sum over the jobs of the mean time of their alternatives, to the nearest tick. Some combination always keeps
/// it: that of the shortest ones.
pub fn mean_time(batch: &[Vec<Alternative>]) -> Span {
    Span::from_ticks(sum_of_means(batch, |alternative| alternative.time.ticks()))
}

/// T* as it is printed: rounded down to a whole unit. Where times are not whole units all combinations may be above it,
/// and what is within it depends on the unit.
///
/// Formula (2) prints the rounding inside the sum; taken so, the limit is below every combination in most cycles.
pub fn whole_mean_time(batch: &[Vec<Alternative>]) -> Span {
    let total = mean_time(batch).ticks();
    Span::from_ticks(total.div_euclid(TICKS_PER_UNIT) * TICKS_PER_UNIT)
}

/// B* by formula (3): the highest total cost within the time T*, that is, the owners' highest income, as exact as
/// [`choose`].
pub fn highest_income(batch: &[Vec<Alternative>], time: Span) -> Result<Money, NoChoice> {
    choose(batch, Problem::MaxCost, BatchLimit::Time(time)).map(|Choice { cost, .. }| cost)
}

/// The other form of B*: the sum over the jobs of the mean cost of their alternatives, rounded up to a whole unit.
pub fn mean_cost(batch: &[Vec<Alternative>]) -> Money {
    let total = sum_of_means(batch, |alternative| alternative.cost.ticks());
    let units = total.div_euclid(TICKS_PER_UNIT) + i64::from(total.rem_euclid(TICKS_PER_UNIT) != 0);
    Money::from_ticks(units.saturating_mul(TICKS_PER_UNIT))
}

/// The sum over the jobs of the mean of `ticks`, to the nearest tick; a job without alternatives adds nothing.
///
/// Means are kept to 2^-32 of a tick: thirds that add up to a whole do so here too, where a rounding of each mean would
/// push the total below the whole unit.
fn sum_of_means(batch: &[Vec<Alternative>], ticks: impl Fn(&Alternative) -> i64) -> i64 {
    const FRACTION: u32 = 32;
    let total: i128 = batch
        .iter()
        .filter(|job| !job.is_empty())
        .map(|job| {
            let sum: i128 = job.iter().map(|alternative| i128::from(ticks(alternative))).sum();
            (sum << FRACTION) / job.len() as i128
        })
        .sum();
    let rounded = (total + (1 << (FRACTION - 1))) >> FRACTION;
    i64::try_from(rounded).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(time: i64, cost: i64) -> Alternative {
        Alternative { time: Span::from_units(time), cost: Money::from_units(cost) }
    }

    #[test]
    fn the_total_is_rounded_and_not_each_term() {
        // Means 12.5 and 10.5 make 23; rounded down one by one they would make 22.
        let batch = [vec![of(10, 1), of(15, 2)], vec![of(10, 1), of(11, 2)]];
        assert_eq!(whole_mean_time(&batch), Span::from_units(23));
        assert_eq!(mean_cost(&batch), Money::from_units(3));
    }

    #[test]
    fn thirds_that_make_a_whole_are_not_lost() {
        let batch = [vec![of(1, 1), of(1, 1), of(2, 2)], vec![of(1, 1), of(2, 2), of(2, 2)]];
        assert_eq!(whole_mean_time(&batch), Span::from_units(3), "4/3 + 5/3");
        assert_eq!(mean_cost(&batch), Money::from_units(3));
    }

    #[test]
    fn an_empty_batch_has_limits_of_nothing() {
        assert_eq!((mean_time(&[]), whole_mean_time(&[])), (Span::ZERO, Span::ZERO));
        assert_eq!(mean_cost(&[]), Money::ZERO);
        assert_eq!(highest_income(&[], Span::ZERO), Ok(Money::ZERO));
    }

    #[test]
    fn the_highest_income_stays_within_the_time() {
        let batch = [vec![of(10, 5), of(20, 9)], vec![of(10, 1), of(30, 7)]];
        assert_eq!(highest_income(&batch, Span::from_units(40)), Ok(Money::from_units(12)));
        assert_eq!(highest_income(&batch, Span::from_units(30)), Ok(Money::from_units(10)));
        assert_eq!(highest_income(&batch, Span::from_units(19)), Err(NoChoice::Infeasible));
    }
}
