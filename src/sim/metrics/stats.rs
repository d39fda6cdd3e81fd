//! Means with confidence intervals.
//!
//! Replications are independent, so the mean of one observation per replication has a Student-t interval. Policies that
//! faced the same worlds are compared by the interval of their paired difference, which is far narrower than the two
//! intervals side by side.
//!
//! ```
//! use gridloom::metrics::Estimate;
//!
//! let estimate = Estimate::of([4.0, 5.0, 6.0])?;
//! assert_eq!(estimate.mean, 5.0);
//! assert!((estimate.ci95.unwrap() - 2.484).abs() < 0.001);
//!
//! let gain = Estimate::of_difference(&[4.0, 5.0, 6.0], &[3.0, 4.0, 5.0])?;
//! assert_eq!((gain.mean, gain.ci95), (1.0, Some(0.0)));
//! # Ok::<(), gridloom::metrics::StatsError>(())
//! ```

use statrs::distribution::{ContinuousCDF, StudentsT};

/// A spread that is a smaller part of the mean than this is one of rounding.
const ROUNDING: f64 = 1e-9;

/// A mean with the half-width of its 95 % confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The sample mean.
    pub mean: f64,
    /// Half the width of the interval; `None` when there are fewer than two observations.
    pub ci95: Option<f64>,
    /// The number of observations.
    pub n: u64,
}

/// Why observations have no estimate.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum StatsError {
    /// There is nothing to average.
    #[error("no observations to average")]
    Empty,
    /// An observation is NaN or infinite.
    #[error("observation {index} is {value}, which is not a finite number")]
    NotFinite {
        /// Its place in the sample, from 0.
        index: u64,
        /// The observation.
        value: f64,
    },
    /// The observations are finite, but their spread is not.
    #[error("the observations are too far apart for floating-point numbers")]
    Overflow,
    /// Samples that should be paired are not of one length.
    #[error("paired samples must have one length, not {first} and {second} observations")]
    Unpaired {
        /// Length of the first sample.
        first: usize,
        /// Length of the second sample.
        second: usize,
    },
}

/// Observations that come one by one; only their number, mean and spread are kept.
///
/// ```
/// use gridloom::metrics::{Estimate, Tally};
///
/// let mut tally = Tally::default();
/// for observation in [4.0, 5.0, 6.0] {
///     tally.add(observation)?;
/// }
/// assert_eq!(tally.estimate(), Estimate::of([4.0, 5.0, 6.0]));
/// # Ok::<(), gridloom::metrics::StatsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Tally {
    n: u64,
    mean: f64,
    squares: f64,
}

impl Tally {
    /// Takes in an observation, which must be finite.
    pub fn add(&mut self, value: f64) -> Result<(), StatsError> {
        if !value.is_finite() {
            return Err(StatsError::NotFinite { index: self.n, value });
        }
        // Welford's recurrence: no cancellation when the mean is large against the spread.
        self.n += 1;
        let delta = value - self.mean;
        self.mean += delta / self.n as f64;
        self.squares += delta * (value - self.mean);
        Ok(())
    }

    /// The mean of the observations and its Student-t interval.
    pub fn estimate(&self) -> Result<Estimate, StatsError> {
        let &Self { n, mean, squares } = self;
        let ci95 = match n {
            0 => return Err(StatsError::Empty),
            1 => None,
            _ => {
                let freedom = (n - 1) as f64;
                Some(t_quantile(freedom) * (squares / freedom / n as f64).sqrt())
            }
        };
        if mean.is_finite() && ci95.is_none_or(f64::is_finite) {
            Ok(Estimate { mean, ci95, n })
        } else {
            Err(StatsError::Overflow)
        }
    }
}

impl Tally {
    /// The same spread around another mean.
    pub fn around(self, mean: f64) -> Self {
        Self { mean, ..self }
    }

    /// The same mean, as uncertain as if the observations' variance were so many times as large.
    pub fn widened(self, by: f64) -> Self {
        Self { squares: by * self.squares, ..self }
    }

    /// The probability of a mean at least this far from 0 in either direction, if the true mean were 0: Student's t.
    /// Nothing with fewer than two observations. Five that are all the same leave no doubt; fewer say nothing.
    pub fn p_value(&self) -> Option<f64> {
        let &Self { n, mean, squares } = self;
        if n < 2 {
            return None;
        }
        let freedom = (n - 1) as f64;
        let error = (squares / freedom / n as f64).sqrt();
        if mean == 0.0 || error <= ROUNDING * mean.abs() {
            return Some(if mean != 0.0 && n >= 5 { 0.0 } else { 1.0 });
        }
        let distribution = StudentsT::new(0.0, 1.0, freedom).ok()?;
        let p = 2.0 * distribution.sf((mean / error).abs());
        Some(six_digits(p.clamp(0.0, 1.0)))
    }
}

impl Tally {
    /// The mean of this sample less that of another one that is independent of it, with Welch's interval and the
    /// probability of a difference at least as large in either direction, if there were none. Both are missing with
    /// fewer than two observations in either; samples without any spread are judged as by [`p_value`](Self::p_value).
    ///
    /// ```
    /// use gridloom::metrics::Tally;
    ///
    /// let tally = |sample: [f64; 3]| -> Result<Tally, gridloom::metrics::StatsError> {
    ///     let mut tally = Tally::default();
    ///     sample.into_iter().try_for_each(|value| tally.add(value))?;
    ///     Ok(tally)
    /// };
    /// let (difference, p) = tally([5.0, 6.0, 7.0])?.less(&tally([1.0, 2.0, 3.0])?)?;
    /// assert_eq!((difference.mean, difference.n), (4.0, 6));
    /// assert!((difference.ci95.unwrap() - 2.267).abs() < 0.001 && p.unwrap() < 0.01);
    /// # Ok::<(), gridloom::metrics::StatsError>(())
    /// ```
    pub fn less(&self, other: &Self) -> Result<(Estimate, Option<f64>), StatsError> {
        if self.n == 0 || other.n == 0 {
            return Err(StatsError::Empty);
        }
        let (mean, n) = (self.mean - other.mean, self.n + other.n);
        if !mean.is_finite() {
            return Err(StatsError::Overflow);
        }
        if self.n < 2 || other.n < 2 {
            return Ok((Estimate { mean, ci95: None, n }, None));
        }
        // The square of the error of each mean, and the degrees of freedom after Welch and Satterthwaite.
        let square = |tally: &Self| tally.squares / (tally.n - 1) as f64 / tally.n as f64;
        let (own, others) = (square(self), square(other));
        let error = (own + others).sqrt();
        if error <= ROUNDING * mean.abs() {
            let p = if mean != 0.0 && self.n.min(other.n) >= 5 { 0.0 } else { 1.0 };
            return Ok((Estimate { mean, ci95: Some(0.0), n }, Some(p)));
        }
        let share = own / (own + others);
        let freedom =
            1.0 / (share * share / (self.n - 1) as f64 + (1.0 - share) * (1.0 - share) / (other.n - 1) as f64);
        let ci95 = t_quantile(freedom) * error;
        if !ci95.is_finite() {
            return Err(StatsError::Overflow);
        }
        let distribution = StudentsT::new(0.0, 1.0, freedom).ok();
        let p = distribution.map(|t| six_digits((2.0 * t.sf((mean / error).abs())).clamp(0.0, 1.0)));
        Ok((Estimate { mean, ci95: Some(ci95), n }, p))
    }
}

/// Six digits; the rest is noise that could differ between platforms.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

/// P-values of comparisons that are shown together, corrected by Holm's step-down method: with any number of them, the
/// chance that one or more is below 0.05 although nothing differs stays below 0.05.
///
/// ```
/// use gridloom::metrics::holm;
///
/// assert_eq!(holm(&[0.01, 0.5, 0.02]), [0.03, 0.5, 0.04]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut corrected = vec![0.0; p_values.len()];
    let mut highest = 0.0_f64;
    for (rank, &at) in order.iter().enumerate() {
        highest = highest.max(((p_values.len() - rank) as f64 * p_values[at]).min(1.0));
        corrected[at] = six_digits(highest);
    }
    corrected
}

/// Pairs of observations of the same world, for the ratio of two means.
///
/// ```
/// use gridloom::metrics::PairTally;
///
/// let mut tally = PairTally::default();
/// for (first, second) in [(3.0, 4.0), (5.0, 6.0), (7.0, 10.0)] {
///     tally.add(first, second)?;
/// }
/// let ratio = tally.ratio()?;
/// assert_eq!(ratio.mean, 15.0 / 20.0);
/// assert!(ratio.ci95.unwrap() < 0.25, "three pairs leave much open");
/// # Ok::<(), gridloom::metrics::StatsError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairTally {
    first: Tally,
    second: Tally,
    products: f64,
}

impl PairTally {
    /// Takes in a pair of observations, which must be finite.
    pub fn add(&mut self, first: f64, second: f64) -> Result<(), StatsError> {
        let before = first - self.first.mean;
        self.first.add(first)?;
        self.second.add(second)?;
        self.products += before * (second - self.second.mean);
        Ok(())
    }

    /// The mean of the first over the mean of the second. The interval is that of the mean of first - ratio * second,
    /// which is what the ratio's error is to first order.
    pub fn ratio(&self) -> Result<Estimate, StatsError> {
        let (n, ratio) = (self.first.n, self.first.mean / self.second.mean);
        let squares = self.first.squares - 2.0 * ratio * self.products + ratio * ratio * self.second.squares;
        let scale = self.second.mean * self.second.mean;
        let spread = Tally { n, mean: ratio, squares: squares.max(0.0) / scale };
        spread.estimate()
    }
}

impl Estimate {
    /// The mean of `sample` and its Student-t interval.
    pub fn of(sample: impl IntoIterator<Item = f64>) -> Result<Self, StatsError> {
        let mut tally = Tally::default();
        for value in sample {
            tally.add(value)?;
        }
        tally.estimate()
    }

    /// The mean of `first - second`, observation by observation.
    pub fn of_difference(first: &[f64], second: &[f64]) -> Result<Self, StatsError> {
        if first.len() != second.len() {
            return Err(StatsError::Unpaired { first: first.len(), second: second.len() });
        }
        // Inputs are tested first, so that an error names the observation and not a difference of two.
        for sample in [first, second] {
            if let Some(index) = sample.iter().position(|value| !value.is_finite()) {
                return Err(StatsError::NotFinite { index: index as u64, value: sample[index] });
            }
        }
        Self::of(first.iter().zip(second).map(|(a, b)| a - b)).map_err(|error| match error {
            StatsError::NotFinite { .. } => StatsError::Overflow,
            other => other,
        })
    }
}

/// The 97.5 % quantile of Student's t.
fn t_quantile(freedom: f64) -> f64 {
    let distribution = StudentsT::new(0.0, 1.0, freedom).expect("two observations leave a degree of freedom");
    // The approximation is good to nine digits; the rest is noise that could differ between platforms.
    (distribution.inverse_cdf(0.975) * 1e8).round() / 1e8
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_differs_by_rounding_alone_is_the_same() {
        let p = |values: &[f64]| {
            let mut tally = Tally::default();
            values.iter().for_each(|&value| tally.add(value).unwrap());
            tally.p_value()
        };
        // Three that are the same say nothing, and five leave no doubt.
        assert_eq!(p(&[-0.2, -0.2, -0.2]), Some(1.0));
        assert_eq!(p(&[0.7 - 0.9, 0.6 - 0.8, 0.3 - 0.5]), Some(1.0));
        assert_eq!(p(&[0.7 - 0.9, 0.6 - 0.8, 0.3 - 0.5, -0.2, 0.1 - 0.3]), Some(0.0));
    }

    #[test]
    fn quantiles_are_those_of_the_printed_tables() {
        let table = [(1.0, 12.706), (2.0, 4.303), (9.0, 2.262), (29.0, 2.045), (99.0, 1.984), (1e6, 1.960)];
        for (freedom, quantile) in table {
            assert!((t_quantile(freedom) - quantile).abs() < 6e-4, "{freedom}: {}", t_quantile(freedom));
        }
    }

    #[test]
    fn one_observation_has_no_interval_and_none_has_no_mean() {
        assert_eq!(Estimate::of([3.5]), Ok(Estimate { mean: 3.5, ci95: None, n: 1 }));
        assert_eq!(Estimate::of([]), Err(StatsError::Empty));
        assert_eq!(Estimate::of_difference(&[], &[]), Err(StatsError::Empty));
    }

    #[test]
    fn what_is_not_finite_is_refused_by_its_place() {
        let infinite = Estimate::of([1.0, f64::INFINITY]);
        assert_eq!(infinite, Err(StatsError::NotFinite { index: 1, value: f64::INFINITY }));
        assert!(matches!(Estimate::of([f64::NAN]), Err(StatsError::NotFinite { index: 0, .. })));
        assert_eq!(Estimate::of([f64::MAX, f64::MIN]), Err(StatsError::Overflow));
        assert_eq!(Estimate::of_difference(&[f64::MAX], &[f64::MIN]), Err(StatsError::Overflow));
        let second = Estimate::of_difference(&[1.0, 2.0], &[1.0, f64::NEG_INFINITY]);
        assert_eq!(second, Err(StatsError::NotFinite { index: 1, value: f64::NEG_INFINITY }));
        assert_eq!(Estimate::of_difference(&[1.0], &[]), Err(StatsError::Unpaired { first: 1, second: 0 }));
    }

    #[test]
    fn the_interval_covers_the_truth_nineteen_times_in_twenty() {
        use crate::rng::{Streams, unit};
        let mut stream = Streams::new(1, 0).stream("coverage");
        let rounds = 4_000;
        let covered = (0..rounds)
            .filter(|_| {
                let sample: Vec<f64> = (0..10).map(|_| (0..12).map(|_| unit(&mut stream)).sum()).collect();
                let estimate = Estimate::of(sample).unwrap();
                (estimate.mean - 6.0).abs() <= estimate.ci95.unwrap()
            })
            .count();
        // Three standard deviations of a binomial share around 0.95.
        assert!((covered as f64 / f64::from(rounds) - 0.95).abs() < 0.0104, "{covered} of {rounds}");
    }

    #[test]
    fn p_values_are_those_of_the_printed_tables() {
        // t = 2.262 with nine degrees of freedom, and 2.045 with 29: the borders of 5 %.
        for (n, t) in [(10_u64, 2.262_157), (30, 2.045_230)] {
            let tally = Tally { n, mean: t, squares: (n * (n - 1)) as f64 };
            assert!((tally.p_value().unwrap() - 0.05).abs() < 1e-5, "{n}: {:?}", tally.p_value());
        }
        assert_eq!(Tally { n: 1, mean: 3.0, squares: 0.0 }.p_value(), None);
        assert_eq!(Tally { n: 5, mean: 3.0, squares: 0.0 }.p_value(), Some(0.0));
        assert_eq!(Tally { n: 5, mean: 0.0, squares: 0.0 }.p_value(), Some(1.0));
    }

    #[test]
    fn an_interval_that_excludes_0_goes_with_a_p_below_5_percent() {
        use crate::rng::{Streams, unit};
        let mut stream = Streams::new(3, 0).stream("p-values");
        for _ in 0..2_000 {
            let mut tally = Tally::default();
            for _ in 0..8 {
                tally.add(unit(&mut stream) - 0.35).unwrap();
            }
            let estimate = tally.estimate().unwrap();
            let excludes = estimate.mean.abs() > estimate.ci95.unwrap();
            assert_eq!(excludes, tally.p_value().unwrap() < 0.05, "{tally:?}");
        }
    }

    #[test]
    fn welch_is_as_worked_by_hand() {
        let tally = |sample: &[f64]| {
            let mut tally = Tally::default();
            sample.iter().for_each(|&value| tally.add(value).unwrap());
            tally
        };
        // Means 3 and 7, variances 2.5 and 20 / 3, squared errors 0.5 and 5 / 3: t = 4 / sqrt(13 / 6) = 2.7175 with
        // (13 / 6)^2 / (0.25 / 4 + (25 / 9) / 3) = 4.7493 degrees of freedom.
        let (first, second) = (tally(&[1.0, 2.0, 3.0, 4.0, 5.0]), tally(&[4.0, 6.0, 8.0, 10.0]));
        let (estimate, p) = second.less(&first).unwrap();
        assert_eq!((estimate.mean, estimate.n), (4.0, 9));
        // Between the quantiles of 4 and 5 degrees, 2.776 and 2.571, times 1.47196.
        let ratio = estimate.ci95.unwrap() / 1.471_960;
        assert!((2.571..2.776).contains(&ratio) && (ratio - 2.612).abs() < 0.01, "{ratio}");
        // Just outside of 5 %, since 2.7175 is above that quantile.
        assert!((0.040..0.050).contains(&p.unwrap()), "{p:?}");
        let (back, same) = first.less(&second).unwrap();
        assert_eq!((back.mean, back.ci95, same), (-4.0, estimate.ci95, p));
        assert_eq!(tally(&[1.0]).less(&first).unwrap().0.ci95, None);
        assert_eq!(Tally::default().less(&first), Err(StatsError::Empty));
        let constant = tally(&[2.0; 5]);
        assert_eq!(constant.less(&tally(&[1.0; 5])).unwrap().1, Some(0.0));
        assert_eq!(constant.less(&constant).unwrap(), (Estimate { mean: 0.0, ci95: Some(0.0), n: 10 }, Some(1.0)));
    }

    #[test]
    fn holm_keeps_the_chance_of_any_false_alarm() {
        use crate::rng::{Streams, unit};
        let mut stream = Streams::new(4, 0).stream("holm");
        let (rounds, family) = (2_000, 12);
        let alarms = |corrected: bool, stream: &mut _| {
            let mut any = 0;
            for _ in 0..rounds {
                let p: Vec<f64> = (0..family).map(|_| unit(stream)).collect();
                let p = if corrected { holm(&p) } else { p };
                any += u32::from(p.iter().any(|&p| p < 0.05));
            }
            f64::from(any) / f64::from(rounds)
        };
        let (plain, corrected) = (alarms(false, &mut stream), alarms(true, &mut stream));
        // 1 - 0.95^12 = 0.46; three standard deviations around 0.05.
        assert!(plain > 0.4 && corrected < 0.065, "{plain} {corrected}");
    }

    proptest! {
        #[test]
        fn holm_is_the_definition(p in prop::collection::vec(0.0_f64..1.0, 0..12)) {
            // Reject in order of p while p (m - k + 1) < alpha: the corrected value is the least alpha that rejects.
            let corrected = holm(&p);
            for (at, &own) in p.iter().enumerate() {
                let before: Vec<f64> = p.iter().copied().filter(|&other| other < own).collect();
                let m = p.len() as f64;
                let steps = before.iter().chain([&own]).map(|&q| {
                    let rank = p.iter().filter(|&&other| other < q).count() as f64;
                    ((m - rank) * q).min(1.0)
                });
                let expected = steps.fold(0.0, f64::max);
                prop_assert!((corrected[at] - expected).abs() < 1e-5 && corrected[at] >= own - 1e-5);
            }
        }

        #[test]
        fn a_large_offset_costs_no_precision(sample in prop::collection::vec(-1000_i64..1000, 2..60), offset in 0_i64..1_000_000_000_000) {
            // The oracle is exact: n * sum of squares - square of the sum, in whole numbers.
            let n = sample.len() as i128;
            let sum: i128 = sample.iter().map(|&v| i128::from(v)).sum();
            let squares: i128 = sample.iter().map(|&v| i128::from(v * v)).sum();
            let variance = (n * squares - sum * sum) as f64 / (n * (n - 1)) as f64;
            let half_width = t_quantile((n - 1) as f64) * (variance / n as f64).sqrt();
            let mean = offset as f64 + sum as f64 / n as f64;

            let estimate = Estimate::of(sample.iter().map(|&v| (v + offset) as f64)).unwrap();
            prop_assert!((estimate.mean - mean).abs() <= 1e-12 * mean.abs().max(1000.0));
            prop_assert!((estimate.ci95.unwrap() - half_width).abs() <= 1e-4 * half_width + 1e-6);
        }

        #[test]
        fn a_constant_gap_has_no_uncertainty(sample in prop::collection::vec(-1000_i32..1000, 2..40), gap in -500_i32..500) {
            let first: Vec<f64> = sample.iter().map(|&v| f64::from(v)).collect();
            let second: Vec<f64> = sample.iter().map(|&v| f64::from(v - gap)).collect();
            let difference = Estimate::of_difference(&first, &second).unwrap();
            prop_assert_eq!(difference, Estimate { mean: f64::from(gap), ci95: Some(0.0), n: sample.len() as u64 });
        }
    }
}
