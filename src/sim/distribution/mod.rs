//! Distributions of numbers: how a scenario describes them, what is checked, and how they are drawn from.
//!
//! ```
//! use gridloom::rng::Streams;
//! use gridloom::language::{Distribution, Source, load};
//!
//! let lengths: Distribution = load(Source::new("s", "Normal(mean: 50, sd: 20, low: 10)"), &[])?;
//! let mut stream = Streams::new(1, 0).stream("lengths");
//! assert!(lengths.sample(&mut stream) >= 10.0);
//! assert!(lengths.mean() > 50.0, "cutting off the low values raises the mean");
//! # Ok::<(), gridloom::language::Report>(())
//! ```

mod clamped;
mod normal;
mod sample;
mod within;

pub use within::{Bounds, Draw, Within};

use crate::choice;
use crate::language::decode::{Context, Cursor, Finite, NUMBER_LIMIT, NonNegative, Positive};
use normal::Truncated;
use std::ops::RangeInclusive;

/// The least share of a normal distribution that truncation may leave: with less, a user has most likely mixed up
/// units.
const LEAST_MASS: f64 = 1e-3;
/// The largest share of a distribution without bounds of its own that may lie beyond a bound of the field it is given
/// for.
const MOST_OUTSIDE: f64 = 1e-2;

choice! {
    /// The distribution of a number. A bare number is a `Constant`.
    pub enum Distribution {
        /// Always this number.
        #[unit = "the unit of the field"]
        Constant(Finite),
        /// Any number from `low` to `high`, all equally likely.
        Uniform {
            /// The smallest number.
            #[unit = "the unit of the field"]
            low: Finite,
            /// The largest number.
            #[unit = "the unit of the field"]
            high: Finite,
        },
        /// A whole number from `low` to `high`, both included, all equally likely.
        UniformInteger {
            /// The smallest number.
            #[unit = "the unit of the field"]
            low: i64,
            /// The largest number.
            #[unit = "the unit of the field"]
            high: i64,
        },
        /// The normal distribution, without what lies below `low` or above `high`.
        Normal {
            /// The mean before truncation.
            #[unit = "the unit of the field"]
            mean: Finite,
            /// The standard deviation before truncation.
            #[unit = "the unit of the field"]
            sd: Positive,
            /// The smallest number that is left by truncation; there is none, unless given.
            #[unit = "the unit of the field"]
            low: Option<Finite>,
            /// The largest number that is left by truncation; there is none, unless given.
            #[unit = "the unit of the field"]
            high: Option<Finite>,
        },
        /// The exponential distribution: times between independent events.
        Exponential {
            /// The mean; the rate is its inverse.
            #[unit = "the unit of the field"]
            mean: Positive,
        },
        /// A number whose natural logarithm is normally distributed; its median is `exp(log_mean)`.
        LogNormal {
            /// The mean of the logarithm.
            #[unit = "logarithm"]
            log_mean: Finite,
            /// The standard deviation of the logarithm.
            #[unit = "logarithm"]
            log_sd: Positive,
        },
        /// The Weibull distribution.
        Weibull {
            /// The shape: below 1 the tail is heavier than exponential, above 1 lighter.
            #[unit = "none"]
            shape: Positive,
            /// The scale: about 63 % of all values lie below it.
            #[unit = "the unit of the field"]
            scale: Positive,
        },
        /// One of these numbers, each with its weight: `Discrete([(10, 0.5), (20, 1.5)])`.
        #[unit = "the unit of the field, and a weight"]
        Discrete(Vec<(Finite, NonNegative)>),
        /// One of these numbers, all equally likely; one that is listed twice is drawn twice as often.
        #[unit = "the unit of the field"]
        Empirical(Vec<Finite>),
    }
    number => Constant
    check(this, at, errors) { validate(this, at, errors) }
}

fn validate(distribution: &Distribution, at: &Cursor<'_>, errors: &mut Context<'_>) {
    use Distribution::*;
    let mut disorder = |low: f64, high: f64| {
        errors.add(&at.field("high"), format!("high, {high}, is below low, {low}"), "give a high of at least low");
    };
    match distribution {
        Uniform { low, high } if low > high => disorder(low.get(), high.get()),
        UniformInteger { low, high } if low > high => disorder(*low as f64, *high as f64),
        Normal { low: Some(low), high: Some(high), .. } if low > high => disorder(low.get(), high.get()),
        UniformInteger { low, high } if low.unsigned_abs().max(high.unsigned_abs()) as f64 > NUMBER_LIMIT => {
            errors.add(at, format!("the numbers go beyond ±{NUMBER_LIMIT:e}"), "give smaller ones");
        }
        &Normal { mean, sd, low, high } => {
            let mass = Truncated::new(mean, sd, low, high).mass();
            if mass < LEAST_MASS {
                let wrong = format!("truncation leaves only {mass:.1e} of this distribution");
                errors.add(
                    at,
                    wrong,
                    format!("bring low and high closer to the mean, to leave at least {LEAST_MASS:e}"),
                );
            }
        }
        Discrete(choices) if choices.is_empty() => errors.add(at, "the list is empty", "give at least one number"),
        Empirical(values) if values.is_empty() => errors.add(at, "the list is empty", "give at least one number"),
        Discrete(choices) if choices.iter().all(|(_, weight)| *weight == NonNegative::ZERO) => {
            errors.add(at, "all weights are 0", "give at least one number a weight above 0");
        }
        // A logarithm or a shape too far out.
        LogNormal { .. } | Weibull { .. } if distribution.mean() > NUMBER_LIMIT => {
            errors.add(at, format!("the mean is beyond {NUMBER_LIMIT:e}"), "give smaller parameters");
        }
        _ => (),
    }
}

impl Distribution {
    /// The mean, exactly.
    pub fn mean(&self) -> f64 {
        match self {
            Self::Constant(value) => value.get(),
            Self::Uniform { low, high } => (low.get() + high.get()) / 2.0,
            Self::UniformInteger { low, high } => (*low as f64 + *high as f64) / 2.0,
            &Self::Normal { mean, sd, low, high } => Truncated::new(mean, sd, low, high).mean(),
            Self::Exponential { mean } => mean.get(),
            Self::LogNormal { log_mean, log_sd } => libm::exp(log_mean.get() + log_sd.get() * log_sd.get() / 2.0),
            Self::Weibull { shape, scale } => scale.get() * libm::tgamma(1.0 + 1.0 / shape.get()),
            Self::Discrete(choices) => {
                let total: f64 = choices.iter().map(|(_, weight)| weight.get()).sum();
                choices.iter().map(|(value, weight)| value.get() * (weight.get() / total)).sum()
            }
            Self::Empirical(values) => values.iter().map(|value| value.get()).sum::<f64>() / values.len() as f64,
        }
    }

    /// The smallest value it can give; minus infinity if there is none.
    pub fn min(&self) -> f64 {
        match self {
            Self::Constant(value) => value.get(),
            Self::Uniform { low, .. } => low.get(),
            Self::UniformInteger { low, .. } => *low as f64,
            Self::Normal { low, .. } => low.map_or(f64::NEG_INFINITY, Finite::get),
            Self::Exponential { .. } | Self::LogNormal { .. } | Self::Weibull { .. } => 0.0,
            Self::Discrete(_) | Self::Empirical(_) => self.listed().fold(f64::INFINITY, f64::min),
        }
    }

    /// The largest value it can give; infinity if there is none.
    pub fn max(&self) -> f64 {
        match self {
            Self::Constant(value) => value.get(),
            Self::Uniform { high, .. } => high.get(),
            Self::UniformInteger { high, .. } => *high as f64,
            Self::Normal { high, .. } => high.map_or(f64::INFINITY, Finite::get),
            Self::Exponential { .. } | Self::LogNormal { .. } | Self::Weibull { .. } => f64::INFINITY,
            Self::Discrete(_) | Self::Empirical(_) => self.listed().fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// The values that can be drawn from a list.
    fn listed(&self) -> impl Iterator<Item = f64> {
        let (weighted, plain): (&[_], &[_]) = match self {
            Self::Discrete(choices) => (choices, &[]),
            Self::Empirical(values) => (&[], values),
            _ => (&[], &[]),
        };
        let possible = weighted.iter().filter(|(_, weight)| *weight > NonNegative::ZERO).map(|(value, _)| value);
        possible.chain(plain).map(|value| value.get())
    }

    /// Reports at `at` if the distribution gives values outside `allowed`; for the checks of those that use it. Of one
    /// without bounds of its own a hundredth may lie beyond either bound: see [`Within`].
    pub fn require_support(&self, at: &Cursor<'_>, errors: &mut Context<'_>, allowed: RangeInclusive<f64>) {
        let (low, high) = (*allowed.start(), *allowed.end());
        let mut judge = |share: Option<f64>, bound: f64, (reach, side, least): (f64, &str, &str)| {
            let wrong = match share {
                Some(share) if share <= MOST_OUTSIDE => return,
                Some(share) => format!("{:.1} % of the values would be {side} {bound}", 100.0 * share),
                None => format!("values can be as {} as {reach}", if side == "below" { "low" } else { "high" }),
            };
            errors.add(at, wrong, format!("give a distribution of values of at {least} {bound}"));
        };
        if self.min() < low {
            // A least value that was given is meant.
            let is_given = matches!(self, Self::Normal { low: Some(_), .. });
            judge(self.share_below(low).filter(|_| !is_given), low, (self.min(), "below", "least"));
        }
        if self.max() > high {
            let is_given = self.max().is_finite();
            judge(
                self.share_below(high).filter(|_| !is_given).map(|below| 1.0 - below),
                high,
                (self.max(), "above", "most"),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Source, load};
    use crate::record;

    fn read(text: &str) -> Distribution {
        load(Source::new("d.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"))
    }

    #[test]
    fn a_bare_number_is_a_constant() {
        assert_eq!(read("5"), Distribution::Constant(Finite::of(5.0)));
        assert_eq!(read("5"), read("Constant(5.0)"));
    }

    #[test]
    fn the_support_is_what_can_be_drawn() {
        for (text, min, max) in [
            ("-2", -2.0, -2.0),
            ("UniformInteger(low: -1, high: 6)", -1.0, 6.0),
            ("Normal(mean: 0, sd: 1)", f64::NEG_INFINITY, f64::INFINITY),
            ("Normal(mean: 0, sd: 1, low: -1)", -1.0, f64::INFINITY),
            ("Weibull(shape: 2, scale: 1)", 0.0, f64::INFINITY),
            ("Discrete([(-9, 0), (1, 2), (3, 1), (9, 0)])", 1.0, 3.0),
            ("Empirical([4, 2, 8])", 2.0, 8.0),
        ] {
            let distribution = read(text);
            assert_eq!((distribution.min(), distribution.max()), (min, max), "{text}");
        }
    }

    #[test]
    fn impossible_parameters_are_all_refused() {
        let text = "[
    Uniform(low: 2, high: 1),
    UniformInteger(low: 5, high: -5),
    UniformInteger(low: 0, high: 2000000000000000),
    Normal(mean: 5, sd: 0, low: 0, high: 9),
    Normal(mean: 5, sd: 1, low: 9, high: 0),
    Normal(mean: 5000, sd: 1, low: 0, high: 10),
    Normal(mean: 5, sd: 1, low: 5, high: 5),
    Exponential(mean: -1),
    LogNormal(log_mean: 0, log_sd: 100),
    Weibull(shape: 0.001, scale: 1),
    Discrete([]),
    Discrete([(1, 0), (2, 0)]),
    Discrete([(1, -1), (2, 1, 3)]),
    Empirical([]),
    Constant,
    \"5\",
]";
        insta::assert_snapshot!(load::<Vec<Distribution>>(Source::new("d.ron", text), &[]).unwrap_err());
    }

    record! {
        /// A thing with a length.
        struct Thing {
            /// Its length.
            length: Distribution = Distribution::Constant(Finite::ZERO),
        }
        check(this, at, errors) { this.length.require_support(&at.field("length"), errors, 0.0..=100.0) }
    }

    #[test]
    fn users_of_a_distribution_can_bound_its_values() {
        let text = "[(length: Normal(mean: 5, sd: 1, low: -1)), (length: Uniform(low: 0, high: 101)), (length: Exponential(mean: 50)), (length: Normal(mean: 1, sd: 1))]";
        let report = load::<Vec<Thing>>(Source::new("t.ron", text), &[]).unwrap_err().to_string();
        let said: Vec<&str> = report.lines().filter(|line| line.starts_with("t.ron")).collect();
        insta::assert_snapshot!(said.join("\n"), @"
        t.ron:1:11: [0].length: values can be as low as -1; give a distribution of values of at least 0
        t.ron:1:54: [1].length: values can be as high as 101; give a distribution of values of at most 100
        t.ron:1:92: [2].length: 13.5 % of the values would be above 100; give a distribution of values of at most 100
        t.ron:1:125: [3].length: 15.9 % of the values would be below 0; give a distribution of values of at least 0
        ");
        // A hundredth of what has no bounds of its own may lie outside.
        for text in [
            "(length: Exponential(mean: 21))",
            "(length: Normal(mean: 5, sd: 2))",
            "(length: Weibull(shape: 2, scale: 9))",
        ] {
            load::<Thing>(Source::new("t.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
        }
        let thing: Thing = load(Source::new("t.ron", "(length: Uniform(low: 0, high: 100))"), &[]).unwrap();
        assert_eq!(thing.length.max(), 100.0);
        assert_eq!(load::<Thing>(Source::new("t.ron", "()"), &[]).unwrap().length.mean(), 0.0);
    }
}
