//! Values that others have published about an experiment.

use crate::language::{Count, Finite, NonNegative};
use crate::metrics::Estimate;
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
        /// The sentence or cell of the paper that says it, in our words. Values of one paper with the same claim count
        /// as one, which matches if all of them do.
        claim: String = String::new(),
        /// The evidence that a match would be.
        evidence: Evidence = Evidence::Ours,
        /// The reading of the text under which it is compared, where a claim is held against several. It counts once, by
        /// the last of them, whether it matches or not: so the one that was chosen comes last.
        reading: String = String::new(),
        /// The experiment of the row, by the name of a sweep; the scenario's own rows, unless given.
        experiment: Option<String>,
        /// The series of the row.
        series: String,
        /// The metric of the row.
        metric: String,
        /// The x of the row; rows without an x, unless given.
        #[unit = "the unit of the axis"]
        x: Option<Finite>,
        /// The row that it is held against: the value is then an effect, by how much the one is above the other, and
        /// ours has to have its sign whatever the tolerance is. Unless given, the value is that of the row itself.
        than: Option<Than>,
        /// The table or figure that prints it; the one that the scenario's `source` says, unless given. In a scenario
        /// without a `source`, what the value rests on, such as `"theory: Erlang C"`; its verdict then says so.
        item: Option<String>,
        /// The published value.
        #[unit = "the unit of the metric; per cent with `by: Percent`"]
        value: Finite,
        /// The closeness that counts as a match.
        tolerance: Tolerance,
        /// The reason why ours differs, where it does; shown beside the verdict.
        because: String = String::new(),
    }
}

record! {
    /// Another row of the same experiment.
    pub struct Than {
        /// Its series; the same, unless given.
        series: Option<String>,
        /// Its x; the same, unless given.
        #[unit = "the unit of the axis"]
        x: Option<Finite>,
        /// Its metric; the same, unless given.
        metric: Option<String>,
        /// The way in which the effect is told.
        by: Contrast = Contrast::Difference,
    }
    check(this, at, errors) {
        if this.series.is_none() && this.x.is_none() && this.metric.is_none() {
            errors.add(at, "this names no other row", "give its series, its x or its metric");
        }
    }
}

choice! {
    /// How one row is held against another.
    #[derive(Copy)]
    pub enum Contrast {
        /// By how much it is above the other, in the metric's own unit.
        Difference,
        /// By how many per cent of the other it is above it.
        Percent,
    }
}

choice! {
    /// What a match with a published value is evidence of, from strong to weak.
    #[derive(Copy)]
    pub enum Evidence {
        /// Nothing was chosen to bring the value.
        Free,
        /// One of several readings of the text was chosen because it brings many values at once.
        Read,
        /// A continuous or searched setting was chosen by closeness to this value.
        Fitted,
        /// The value holds by construction.
        Built,
        /// The value is in no publication.
        Ours,
    }
}

impl Evidence {
    /// All kinds of evidence, from strong to weak.
    pub const ALL: [Self; 5] = [Self::Free, Self::Read, Self::Fitted, Self::Built, Self::Ours];

    /// The strength of the evidence, 0 for the strongest.
    pub(crate) fn rank(self) -> usize {
        Self::ALL.iter().position(|&one| one == self).unwrap_or(Self::ALL.len())
    }

    /// What a match says, in a few words.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Free => "nothing was chosen to bring it",
            Self::Read => "a reading of the text was chosen that brings many values at once",
            Self::Fitted => "a setting was searched by closeness to it",
            Self::Built => "it holds by construction",
            Self::Ours => "it is in no paper",
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Free => "free",
            Self::Read => "read",
            Self::Fitted => "fitted",
            Self::Built => "built",
            Self::Ours => "ours",
        })
    }
}

choice! {
    /// The closeness that counts as a match.
    #[derive(Copy)]
    pub enum Tolerance {
        /// The same number, to the digits of a double.
        Exact,
        /// Within this many per cent of the published value.
        #[unit = "per cent of the published value"]
        Within(NonNegative),
        /// Within this much of the published value, in the metric's own unit.
        #[unit = "the unit of the metric"]
        Points(NonNegative),
        /// On the same side of zero, with all of its interval.
        Direction,
        /// Below the published value.
        Below,
        /// Above the published value.
        Above,
        /// Print has one run that is worth so many of our replications, and its value lies where 95 % of such runs of
        /// ours do. Of one replication that is between order statistics of ours; of several, and of effects, it is
        /// worked out from the spread, as if they were normal.
        #[unit = "replications"]
        Prediction(Count),
    }
}

impl Tolerance {
    /// Returns true if `measured` matches `published`. A single run is taken for normal here, of which an estimate knows
    /// no more than mean and spread.
    ///
    /// ```
    /// use gridloom::language::Count;
    /// use gridloom::metrics::Estimate;
    /// use gridloom::study::Tolerance;
    ///
    /// // The mean of 99 runs is known to ±1, so that a single run is within ±10 of it.
    /// let measured = Estimate { mean: 50.0, ci95: Some(1.0), n: 99 };
    /// let single = Tolerance::Prediction(Count::ONE);
    /// assert!(single.admits(&measured, 59.0) && !single.admits(&measured, 61.0));
    /// ```
    pub fn admits(self, measured: &Estimate, published: f64) -> bool {
        let distance = (measured.mean - published).abs();
        match self {
            Self::Exact => distance <= 1e-12 * published.abs().max(1.0),
            Self::Within(percent) => distance <= percent.get() / 100.0 * published.abs(),
            Self::Points(points) => distance <= points.get(),
            Self::Direction => has_sign_of(measured.mean, published),
            Self::Below => measured.mean < published,
            Self::Above => measured.mean > published,
            Self::Prediction(runs) => distance <= prediction(measured, runs),
        }
    }
}

/// True if both are on the same side of zero.
pub(super) fn has_sign_of(measured: f64, published: f64) -> bool {
    measured.signum() == published.signum() && (measured == 0.0) == (published == 0.0)
}

/// Half the width of the 95 % prediction interval of a mean of `runs` replications.
///
/// The interval of our mean of n is t s / sqrt(n); that of the distance between it and another mean of m is
/// t s sqrt(1/n + 1/m), with the same t as it has the same s.
pub(super) fn prediction(measured: &Estimate, runs: Count) -> f64 {
    let ratio = measured.n as f64 / runs.get() as f64;
    measured.ci95.unwrap_or(0.0) * (1.0 + ratio).sqrt()
}

impl fmt::Display for Tolerance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exact => f.write_str("exact"),
            Self::Within(percent) => write!(f, "within {} %", percent.get()),
            Self::Points(points) => write!(f, "± {}", points.get()),
            Self::Direction => f.write_str("direction only"),
            Self::Below => f.write_str("below it"),
            Self::Above => f.write_str("above it"),
            Self::Prediction(runs) if runs.get() == 1 => f.write_str("where 95 % of single runs are"),
            Self::Prediction(runs) => write!(f, "where 95 % of means of {} are", runs.get()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Streams, unit};

    fn measured(mean: f64) -> Estimate {
        Estimate { mean, ci95: Some(2.0), n: 8 }
    }

    fn admits(tolerance: Tolerance, mean: f64, published: f64) -> bool {
        tolerance.admits(&measured(mean), published)
    }

    #[test]
    fn a_tolerance_is_what_it_says() {
        let five = NonNegative::of(5.0);
        assert!(admits(Tolerance::Within(five), 104.9, 100.0) && !admits(Tolerance::Within(five), 105.1, 100.0));
        assert!(admits(Tolerance::Within(five), -104.9, -100.0));
        assert!(admits(Tolerance::Points(five), 8.0, 12.9) && !admits(Tolerance::Points(five), 8.0, 13.1));
        assert!(admits(Tolerance::Direction, 0.1, 35.0) && !admits(Tolerance::Direction, -0.1, 35.0));
        assert!(!admits(Tolerance::Direction, 0.0, 35.0));
        assert!(admits(Tolerance::Exact, 0.1 + 0.2, 0.3) && !admits(Tolerance::Exact, 0.3001, 0.3));
        assert!(admits(Tolerance::Below, 699.0, 700.0) && !admits(Tolerance::Below, 700.0, 700.0));
        assert!(admits(Tolerance::Above, 701.0, 700.0) && !admits(Tolerance::Above, 700.0, 700.0));
    }

    #[test]
    fn one_run_lies_in_its_prediction_interval_19_times_of_20() {
        // Eight runs say where the ninth is, again and again: standard normal draws by the sum of twelve uniforms.
        let mut stream = Streams::new(7, 0).stream("prediction");
        let mut draw = || (0..12).map(|_| unit(&mut stream)).sum::<f64>() - 6.0;
        let mut inside = [0; 2];
        for _ in 0..4000 {
            let ours = Estimate::of((0..8).map(|_| draw())).unwrap();
            let mean_of_four = (0..4).map(|_| draw()).sum::<f64>() / 4.0;
            inside[0] += u32::from(Tolerance::Prediction(Count::ONE).admits(&ours, draw()));
            inside[1] += u32::from(Tolerance::Prediction(Count::of(4)).admits(&ours, mean_of_four));
        }
        // Five standard deviations of a binomial count of 4000 with 0.95 are 69.
        assert!(inside.iter().all(|&count| count.abs_diff(3800) < 69), "{inside:?}");
    }
}
