//! Values that others have published about an experiment.

use crate::language::{Finite, NonNegative};
use crate::{choice, record};
use std::fmt;

record! {
    /// The publication that a scenario reproduces.
    pub struct Origin {
        /// The paper, by the number under which the project keeps it: `"001"`.
        paper: String,
        /// The table or figure, as the paper numbers it: `"Table 3"`.
        item: String,
    }
}

record! {
    /// A published value and how close to it counts as a match. The row it is compared with is found by its experiment,
    /// series, metric and x.
    pub struct Published {
        /// The experiment of the row: the scenario's own rows unless the name of a sweep is given.
        experiment: Option<String>,
        /// The series of the row.
        series: String,
        /// The metric of the row.
        metric: String,
        /// The x of the row, if it has one.
        x: Option<Finite>,
        /// The row that it is held against: the value is then by how much the one is above the other.
        than: Option<Than>,
        /// The table or figure that prints it, where that is another than the scenario's `source` says. In a scenario
        /// without a `source`, what the value rests on, such as `"theory: Erlang C"`; its verdict then says so.
        item: Option<String>,
        /// The published value.
        value: Finite,
        /// The closeness that counts as a match.
        tolerance: Tolerance,
        /// Why ours differs, where it does; shown beside the verdict.
        because: String = String::new(),
    }
}

record! {
    /// Another row of the same experiment and metric.
    pub struct Than {
        /// Its series, if it is another.
        series: Option<String>,
        /// Its x, if it is another.
        x: Option<Finite>,
    }
    check(this, at, errors) {
        if this.series.is_none() && this.x.is_none() {
            errors.add(at, "this names no other row", "give its series, its x, or both");
        }
    }
}

choice! {
    /// The closeness that counts as a match.
    #[derive(Copy)]
    pub enum Tolerance {
        /// The same number, to the digits of a double.
        Exact,
        /// Within this many per cent of the published value.
        Within(NonNegative),
        /// Within this much of the published value, in the metric's own unit.
        Points(NonNegative),
        /// On the same side of zero.
        Direction,
    }
}

impl Tolerance {
    /// Returns true if `measured` matches `published`.
    pub fn admits(self, measured: f64, published: f64) -> bool {
        let distance = (measured - published).abs();
        match self {
            Self::Exact => distance <= 1e-12 * published.abs().max(1.0),
            Self::Within(percent) => distance <= percent.get() / 100.0 * published.abs(),
            Self::Points(points) => distance <= points.get(),
            Self::Direction => measured.signum() == published.signum() && (measured == 0.0) == (published == 0.0),
        }
    }
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Within(percent) => write!(f, "within {} %", percent.get()),
            Self::Points(points) => write!(f, "± {}", points.get()),
            Self::Direction => f.write_str("direction only"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tolerance_is_what_it_says() {
        let five = NonNegative::of(5.0);
        assert!(Tolerance::Within(five).admits(104.9, 100.0) && !Tolerance::Within(five).admits(105.1, 100.0));
        assert!(Tolerance::Within(five).admits(-104.9, -100.0));
        assert!(Tolerance::Points(five).admits(8.0, 12.9) && !Tolerance::Points(five).admits(8.0, 13.1));
        assert!(Tolerance::Direction.admits(0.1, 35.0) && !Tolerance::Direction.admits(-0.1, 35.0));
        assert!(!Tolerance::Direction.admits(0.0, 35.0));
        assert!(Tolerance::Exact.admits(0.1 + 0.2, 0.3) && !Tolerance::Exact.admits(0.3001, 0.3));
    }
}
