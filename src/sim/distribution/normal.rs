//! The normal distribution, with the elementary functions of `libm` alone, so that draws are the same on every
//! platform.

use crate::language::decode::{Finite, Positive};
use std::f64::consts::{PI, SQRT_2};

/// The normal distribution between two bounds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Truncated {
    mean: f64,
    sd: f64,
    low: f64,
    high: f64,
    /// The bounds in standard deviations from the mean, the interval mirrored if it lies more to the right: the lower
    /// tail is where small probabilities keep their digits.
    from: f64,
    to: f64,
    is_mirrored: bool,
    /// The probability of what is below them.
    below: f64,
    /// The share of the whole distribution that lies between them.
    mass: f64,
}

impl Truncated {
    /// The part of the distribution from `low` to `high`.
    pub(super) fn new(mean: Finite, sd: Positive, low: Option<Finite>, high: Option<Finite>) -> Self {
        let (mean, sd) = (mean.get(), sd.get());
        let (low, high) = (low.map_or(f64::NEG_INFINITY, Finite::get), high.map_or(f64::INFINITY, Finite::get));
        let (from, to) = ((low - mean) / sd, (high - mean) / sd);
        // Without any bound the sum is not a number, and nothing is mirrored.
        let is_mirrored = from + to > 0.0;
        let (from, to) = if is_mirrored { (-to, -from) } else { (from, to) };
        let below = cumulative(from);
        Self { mean, sd, low, high, from, to, is_mirrored, below, mass: cumulative(to) - below }
    }

    /// The share of the whole distribution that lies between the bounds.
    pub(super) fn mass(&self) -> f64 {
        self.mass
    }

    /// The mean of what lies between the bounds.
    pub(super) fn mean(&self) -> f64 {
        let shift = (density(self.from) - density(self.to)) / self.mass;
        self.at(shift)
    }

    /// The value below which the share `share` of what lies between the bounds is.
    pub(super) fn quantile(&self, share: f64) -> f64 {
        let share = if self.is_mirrored { 1.0 - share } else { share };
        self.at(quantile(self.below + share * self.mass))
    }

    /// A distance in standard deviations as a value.
    fn at(&self, deviations: f64) -> f64 {
        let deviations = if self.is_mirrored { -deviations } else { deviations };
        (self.mean + self.sd * deviations).clamp(self.low, self.high)
    }
}

fn density(x: f64) -> f64 {
    libm::exp(-x * x / 2.0) / libm::sqrt(2.0 * PI)
}

/// The probability that a standard normal number is at most `x`.
pub(super) fn cumulative(x: f64) -> f64 {
    libm::erfc(-x / SQRT_2) / 2.0
}

/// The number below which a standard normal number is with probability `probability`.
pub(super) fn quantile(probability: f64) -> f64 {
    let probability = probability.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON / 2.0);
    if probability > 0.5 {
        return -quantile(1.0 - probability);
    }
    // Formula 26.2.22 of Abramowitz and Stegun is within 0.003; each of Halley's steps triples the number of right
    // digits.
    let t = libm::sqrt(-2.0 * libm::log(probability));
    let mut x = (2.30753 + 0.27061 * t) / (1.0 + t * (0.99229 + t * 0.04481)) - t;
    for _ in 0..3 {
        let newton = (cumulative(x) - probability) / density(x);
        x -= newton / (1.0 + x * newton / 2.0);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    proptest! {
        #[test]
        fn the_quantile_inverts_the_cumulative_probability(exponent in -300.0..-0.3f64) {
            let probability = libm::pow(10.0, exponent);
            let x = quantile(probability);
            prop_assert!((cumulative(x) / probability - 1.0).abs() < 1e-12, "{probability} {x}");
        }

        #[test]
        fn the_quantile_is_that_of_an_independent_implementation(probability in 1e-10..1.0f64) {
            let expected = Normal::standard().inverse_cdf(probability);
            prop_assert!((quantile(probability) - expected).abs() < 1e-8);
        }

        #[test]
        fn the_truncated_mean_is_that_of_a_numerical_integral(low in -3.5..3.0f64, width in 0.2..6.0f64) {
            let high = low + width;
            let part = Truncated::new(Finite::of(10.0), Positive::of(2.0), Finite::new(10.0 + 2.0 * low), Finite::new(10.0 + 2.0 * high));
            // Simpson's rule with 2000 steps.
            let step = width / 2000.0;
            let weight = |i: u32| if i == 0 || i == 2000 { 1.0 } else if i % 2 == 1 { 4.0 } else { 2.0 };
            let sum = |f: &dyn Fn(f64) -> f64| (0..=2000).map(|i| weight(i) * f(low + f64::from(i) * step)).sum::<f64>();
            let expected = 10.0 + 2.0 * sum(&|x| x * density(x)) / sum(&density);
            prop_assert!((part.mean() - expected).abs() < 1e-8, "{} {expected}", part.mean());
        }
    }

    #[test]
    fn extreme_shares_give_the_bounds_and_never_leave_them() {
        for (low, high) in [(-1.0, 1.0), (2.5, 9.0), (-9.0, -2.5)] {
            let part = Truncated::new(Finite::ZERO, Positive::ONE, Finite::new(low), Finite::new(high));
            assert!((part.quantile(0.0) - low).abs() < 1e-9 && part.quantile(0.0) >= low);
            assert!((part.quantile(1.0) - high).abs() < 1e-3 || high == 9.0);
            assert!(part.quantile(0.3) < part.quantile(0.7));
        }
        let whole = Truncated::new(Finite::ZERO, Positive::ONE, None, None);
        assert_eq!(whole.mean(), 0.0);
        assert!(whole.quantile(0.0).is_finite() && whole.quantile(1.0).is_finite());
    }
}
