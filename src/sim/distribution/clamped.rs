//! Distributions between two bounds: what lies outside counts as the nearer bound.

use super::Distribution;
use super::normal::{Truncated, cumulative};
use crate::language::decode::Finite;

impl Distribution {
    /// The mean of what is drawn if values above `most` count as `most`.
    ///
    /// ```
    /// use gridloom::language::{Distribution, Source, load};
    /// let gaps: Distribution = load(Source::new("s", "Discrete([(0, 999), (1000, 1)])"), &[])?;
    /// assert_eq!((gaps.mean(), gaps.mean_up_to(10.0)), (1.0, 0.01));
    /// # Ok::<(), gridloom::language::Report>(())
    /// ```
    pub fn mean_up_to(&self, most: f64) -> f64 {
        if most >= self.max() {
            return self.mean();
        }
        if most <= self.min() {
            return most;
        }
        match self {
            Self::Constant(value) => value.get().min(most),
            Self::Uniform { low, high } => {
                let (low, high) = (low.get(), high.get());
                ((most * most - low * low) / 2.0 + most * (high - most)) / (high - low)
            }
            Self::UniformInteger { low, high } => {
                let (low, high, last) = (*low as f64, *high as f64, libm::floor(most));
                let (below, count) = (last - low + 1.0, high - low + 1.0);
                ((low + last) / 2.0 * below + most * (count - below)) / count
            }
            &Self::Normal { mean, sd, low, high } => {
                let whole = Truncated::new(mean, sd, low, high);
                let part = Truncated::new(mean, sd, low, Finite::new(most));
                let share = (part.mass() / whole.mass()).min(1.0);
                // Of a share of nothing there is no mean.
                let below = if part.mass() > 0.0 { share * part.mean() } else { 0.0 };
                below + most * (1.0 - share)
            }
            Self::Exponential { mean } => -mean.get() * libm::expm1(-most / mean.get()),
            Self::LogNormal { log_mean, log_sd } => {
                let (sd, distance) = (log_sd.get(), (libm::log(most) - log_mean.get()) / log_sd.get());
                self.mean() * cumulative(distance - sd) + most * cumulative(-distance)
            }
            Self::Weibull { shape, scale } => {
                self.mean() * lower_gamma(1.0 / shape.get(), libm::pow(most / scale.get(), shape.get()))
            }
            Self::Discrete(choices) => {
                let total: f64 = choices.iter().map(|(_, weight)| weight.get()).sum();
                choices.iter().map(|(value, weight)| value.get().min(most) * (weight.get() / total)).sum()
            }
            Self::Empirical(values) => {
                values.iter().map(|value| value.get().min(most)).sum::<f64>() / values.len() as f64
            }
        }
    }

    /// The mean of what is drawn if values outside of `low` to `high` count as the nearer of the two.
    pub fn mean_between(&self, low: f64, high: f64) -> f64 {
        match (self.min() < low, self.max() > high) {
            (false, false) => self.mean(),
            (false, true) => self.mean_up_to(high),
            // A value cut at `high` less the same value cut at `low` is its excess over `low`.
            (true, _) => self.mean_up_to(high) - self.mean_up_to(low) + low,
        }
    }

    /// The probability of a value below `bound`, for a distribution without a least or a greatest value of its own.
    pub(super) fn share_below(&self, bound: f64) -> Option<f64> {
        match self {
            &Self::Normal { mean, sd, low, high } if low.is_none() || high.is_none() => {
                let part = Truncated::new(mean, sd, low, Finite::new(bound));
                let is_inside = low.is_none_or(|low| low.get() < bound);
                Some(if is_inside { part.mass() / Truncated::new(mean, sd, low, high).mass() } else { 0.0 })
            }
            _ if bound <= self.min() => self.max().is_infinite().then_some(0.0),
            Self::Exponential { mean } => Some(-libm::expm1(-bound / mean.get())),
            Self::LogNormal { log_mean, log_sd } => {
                Some(cumulative((libm::log(bound) - log_mean.get()) / log_sd.get()))
            }
            Self::Weibull { shape, scale } => Some(-libm::expm1(-libm::pow(bound / scale.get(), shape.get()))),
            _ => None,
        }
    }
}

/// The regularised lower incomplete gamma function, P(a, x), for a above 0 and x of at least 0.
fn lower_gamma(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    let front = libm::exp(a * libm::log(x) - x - libm::lgamma(a));
    if front == 0.0 {
        return if x > a { 1.0 } else { 0.0 };
    }
    if x < a + 1.0 {
        // The power series.
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * f64::EPSILON {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (front * sum).min(1.0);
    }
    // The continued fraction of the upper one, by the modified method of Lentz.
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / f64::MIN_POSITIVE, 1.0 / b);
    let mut fraction = d;
    for i in 1..10_000 {
        let i = f64::from(i);
        let numerator = -i * (i - a);
        b += 2.0;
        d = 1.0 / (numerator * d + b);
        c = b + numerator / c;
        fraction *= d * c;
        if (d * c - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    1.0 - front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Source, load};
    use crate::rng::Streams;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_incomplete_gamma_function_is_that_of_another_library(a in 0.05..60.0f64, x in 0.0..90.0f64) {
            let expected = statrs::function::gamma::gamma_lr(a, x);
            prop_assert!((lower_gamma(a, x) - expected).abs() < 1e-10, "{} {expected}", lower_gamma(a, x));
        }
    }

    #[test]
    fn the_mean_between_bounds_is_that_of_the_draws() {
        const DRAWS: usize = 40_000;
        for text in [
            "3",
            "Uniform(low: -3, high: 9)",
            "UniformInteger(low: -1, high: 6)",
            "Normal(mean: 2, sd: 2)",
            "Normal(mean: 2, sd: 2, low: -1)",
            "Normal(mean: 2, sd: 2, high: 3.5, low: 0)",
            "Exponential(mean: 2.5)",
            "LogNormal(log_mean: 1, log_sd: 0.5)",
            "Weibull(shape: 0.7, scale: 3)",
            "Weibull(shape: 3, scale: 3)",
            "Discrete([(7, 1), (3, 2.5), (-7, 0.5)])",
            "Empirical([4, 4, 9])",
        ] {
            let distribution: Distribution = load(Source::new("d.ron", text), &[]).unwrap();
            let mut stream = Streams::new(11, 0).stream(text);
            let all: Vec<f64> = (0..DRAWS).map(|_| distribution.sample(&mut stream)).collect();
            for (low, high) in [(-20.0, 2.0), (1.0, 3.0), (-2.0, 5.0), (0.5, 1e6), (-1e9, 1e9), (2.0, 2.0)] {
                let clamped: Vec<f64> = all.iter().map(|draw| draw.clamp(low, high)).collect();
                let mean = clamped.iter().sum::<f64>() / DRAWS as f64;
                let variance = clamped.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / DRAWS as f64;
                let tolerance = 4.0 * (variance / DRAWS as f64).sqrt() + 1e-9;
                let expected = distribution.mean_between(low, high);
                assert!((mean - expected).abs() <= tolerance, "{text} in {low}..{high}: {mean}, not {expected}");
                let Some(share) = distribution.share_below(high) else { continue };
                let found = all.iter().filter(|&&draw| draw < high).count() as f64 / DRAWS as f64;
                assert!((found - share).abs() < 0.01, "{text} below {high}: {found}, not {share}");
            }
        }
    }
}
