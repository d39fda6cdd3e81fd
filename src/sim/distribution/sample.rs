//! Draws from a distribution.

use super::Distribution;
use super::normal::{Truncated, quantile};
use crate::rng::{below, unit};
use rand::Rng;

impl Distribution {
    /// A draw. It uses one number of the stream, but for a rare second one with lists and whole numbers, and grows with
    /// that number, so that worlds that differ in a parameter only stay comparable. A list takes time in its length.
    pub fn sample(&self, stream: &mut impl Rng) -> f64 {
        match self {
            Self::Constant(value) => value.get(),
            Self::Uniform { low, high } => {
                let (low, high) = (low.get(), high.get());
                // The sum may be rounded past the end.
                (low + (high - low) * unit(stream)).min(high)
            }
            Self::UniformInteger { low, high } => {
                let count = (high.wrapping_sub(*low) as u64).wrapping_add(1);
                low.wrapping_add(below(stream, count) as i64) as f64
            }
            &Self::Normal { mean, sd, low, high } => normal(&Truncated::new(mean, sd, low, high), stream),
            Self::Exponential { mean } => mean.get() * unit_exponential(stream),
            Self::LogNormal { log_mean, log_sd } => {
                libm::exp(log_mean.get() + log_sd.get() * quantile(positive_unit(stream)))
            }
            Self::Weibull { shape, scale } => scale.get() * libm::pow(unit_exponential(stream), 1.0 / shape.get()),
            Self::Discrete(choices) => {
                let total: f64 = choices.iter().map(|(_, weight)| weight.get()).sum();
                let mut left = unit(stream) * total;
                let chosen = choices.iter().find(|(_, weight)| {
                    let is_here = left < weight.get();
                    left -= weight.get();
                    is_here
                });
                // Rounding may leave a little after the last one.
                let last = || choices.iter().rfind(|(_, weight)| weight.get() > 0.0);
                chosen.or_else(last).map_or(f64::NAN, |(value, _)| value.get())
            }
            Self::Empirical(values) => {
                let index = below(stream, values.len() as u64) as usize;
                values.get(index).map_or(f64::NAN, |value| value.get())
            }
        }
    }

    /// The same draws, where many are to come: what they have in common is worked out once.
    pub(super) fn for_many(&self) -> ManyDraws<'_> {
        match self {
            &Self::Normal { mean, sd, low, high } => ManyDraws::Normal(Truncated::new(mean, sd, low, high)),
            other => ManyDraws::Other(other),
        }
    }
}

/// A distribution of which many draws are made.
pub(super) enum ManyDraws<'a> {
    Normal(Truncated),
    Other(&'a Distribution),
}

impl ManyDraws<'_> {
    /// As [`Distribution::sample`].
    pub(super) fn sample(&self, stream: &mut impl Rng) -> f64 {
        match self {
            Self::Normal(part) => normal(part, stream),
            Self::Other(distribution) => distribution.sample(stream),
        }
    }
}

fn normal(part: &Truncated, stream: &mut impl Rng) -> f64 {
    part.quantile(positive_unit(stream))
}

/// A uniform draw from (0, 1), as 0 would be infinitely far out.
fn positive_unit(stream: &mut impl Rng) -> f64 {
    unit(stream).max(f64::EPSILON / 4.0)
}

/// A draw from the exponential distribution of mean 1.
fn unit_exponential(stream: &mut impl Rng) -> f64 {
    -libm::log1p(-unit(stream))
}

#[cfg(test)]
mod tests {
    use crate::language::{Distribution, Source, load};
    use crate::rng::Streams;
    use statrs::distribution::{ContinuousCDF, Exp, LogNormal, Normal, Uniform, Weibull};

    const DRAWS: usize = 20_000;

    fn draws(text: &str) -> (Distribution, Vec<f64>) {
        let distribution: Distribution = load(Source::new("d.ron", text), &[]).unwrap();
        let [mut stream, mut again] = [0; 2].map(|_| Streams::new(2024, 0).stream(text));
        let draws: Vec<f64> = (0..DRAWS).map(|_| distribution.sample(&mut stream)).collect();
        let many = distribution.for_many();
        assert!(draws.iter().all(|&draw| many.sample(&mut again) == draw), "{text}");
        (distribution, draws)
    }

    /// The largest distance between the share of draws below a value and the probability of it.
    fn kolmogorov_smirnov(mut draws: Vec<f64>, cdf: impl Fn(f64) -> f64) -> f64 {
        draws.sort_by(f64::total_cmp);
        let share = |count: usize| count as f64 / DRAWS as f64;
        let distances = draws.iter().enumerate().map(|(index, &value)| {
            let expected = cdf(value);
            (expected - share(index)).abs().max((expected - share(index + 1)).abs())
        });
        distances.fold(0.0, f64::max)
    }

    fn follows(text: &str, cdf: impl Fn(f64) -> f64) {
        let (distribution, draws) = draws(text);
        assert!(draws.iter().all(|draw| (distribution.min()..=distribution.max()).contains(draw)), "{text}");
        let distance = kolmogorov_smirnov(draws, cdf);
        // Exceeded by chance in one of a thousand.
        assert!(distance < 1.95 / (DRAWS as f64).sqrt(), "{text}: {distance}");
    }

    fn between(whole: impl ContinuousCDF<f64, f64>, low: f64, high: f64) -> impl Fn(f64) -> f64 {
        move |x| (whole.cdf(x) - whole.cdf(low)) / (whole.cdf(high) - whole.cdf(low))
    }

    #[test]
    fn continuous_draws_follow_their_distribution() {
        let normal = || Normal::new(5.0, 2.0).unwrap();
        let uniform = Uniform::new(-3.0, 9.0).unwrap();
        follows("Uniform(low: -3, high: 9)", |x| uniform.cdf(x));
        follows("Normal(mean: 5, sd: 2)", |x| normal().cdf(x));
        follows("Normal(mean: 5, sd: 2, low: 4, high: 8)", between(normal(), 4.0, 8.0));
        follows("Normal(mean: 5, sd: 2, low: 10)", between(normal(), 10.0, 1e9));
        follows("Normal(mean: 5, sd: 2, high: 1)", between(normal(), -1e9, 1.0));
        let exponential = Exp::new(0.4).unwrap();
        follows("Exponential(mean: 2.5)", |x| exponential.cdf(x));
        let log_normal = LogNormal::new(1.0, 0.5).unwrap();
        follows("LogNormal(log_mean: 1, log_sd: 0.5)", |x| log_normal.cdf(x));
        let weibull = Weibull::new(0.7, 3.0).unwrap();
        follows("Weibull(shape: 0.7, scale: 3)", |x| weibull.cdf(x));
    }

    #[test]
    fn listed_values_are_drawn_as_often_as_their_weights_say() {
        for (text, expected) in [
            ("UniformInteger(low: -1, high: 2)", vec![(-1.0, 0.25), (0.0, 0.25), (1.0, 0.25), (2.0, 0.25)]),
            ("Discrete([(7, 1), (1, 0), (3, 2.5), (7, 0.5)])", vec![(3.0, 0.625), (7.0, 0.375)]),
            ("Empirical([4, 4, 9])", vec![(4.0, 2.0 / 3.0), (9.0, 1.0 / 3.0)]),
            ("Constant(2.5)", vec![(2.5, 1.0)]),
        ] {
            let (_, draws) = draws(text);
            for &(value, share) in &expected {
                let found = draws.iter().filter(|&&draw| draw == value).count() as f64 / DRAWS as f64;
                // Four standard errors.
                let error: f64 = share * (1.0 - share) / DRAWS as f64;
                assert!((found - share).abs() <= 4.0 * error.sqrt(), "{text}: {value} {found}");
            }
            assert!(draws.iter().all(|draw| expected.iter().any(|(value, _)| value == draw)), "{text}");
        }
    }

    #[test]
    fn the_mean_of_the_draws_is_the_mean() {
        for text in [
            "Constant(3)",
            "Uniform(low: -3, high: 9)",
            "UniformInteger(low: 1, high: 6)",
            "Normal(mean: 5, sd: 2, low: 4, high: 12)",
            "Normal(mean: 0, sd: 1, low: 2)",
            "Normal(mean: 0, sd: 1, high: -2)",
            "Exponential(mean: 2.5)",
            "LogNormal(log_mean: 1, log_sd: 0.5)",
            "Weibull(shape: 0.7, scale: 3)",
            "Discrete([(7, 1), (3, 2.5), (-7, 0.5)])",
            "Empirical([4, 4, 9])",
        ] {
            let (distribution, draws) = draws(text);
            let mean = draws.iter().sum::<f64>() / DRAWS as f64;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / DRAWS as f64;
            let tolerance = 4.0 * (variance / DRAWS as f64).sqrt() + 1e-12;
            assert!((mean - distribution.mean()).abs() <= tolerance, "{text}: {mean} {}", distribution.mean());
        }
    }

    #[test]
    fn known_draws_never_change() {
        let first = |text: &str| draws(text).1[0];
        insta::assert_snapshot!(first("Normal(mean: 5, sd: 2, low: 4, high: 8)"), @"7.325102995974967");
        insta::assert_snapshot!(first("LogNormal(log_mean: 1, log_sd: 0.5)"), @"4.8487837431757015");
        insta::assert_snapshot!(first("Weibull(shape: 0.7, scale: 3)"), @"5.695944901257741");
    }
}
