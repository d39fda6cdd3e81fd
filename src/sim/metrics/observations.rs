//! Observations of one replication, and the one fold that makes rows of them.
//!
//! A replication gives observations and nothing else: values under names (experiment, series, x, metric), in an order
//! of its own. The fold takes replications in by their number, so that rows do not depend on threads, interrupts or
//! machines. Rows stand in the order in which names first come up; what could not be measured in a world is an
//! observation without a value, and holds the place of its row.
//!
//! ```
//! use gridloom::metrics::{Fold, Observations, Scale};
//!
//! let mut fold = Fold::default();
//! for (easy, fcfs) in [(4.0, 8.0), (6.0, 12.0)] {
//!     let mut world = Observations::default();
//!     let other = world.of("queues", "FCFS").add("wait", fcfs);
//!     let own = world.of("queues", "EASY").add("wait", easy);
//!     world.of("queues", "EASY against FCFS").ratio("wait, change (%)", own, other, Scale::Change);
//!     fold.take_in(&world)?;
//! }
//! let rows = fold.rows();
//! assert_eq!(rows.iter().map(|row| row.mean).collect::<Vec<_>>(), [10.0, 5.0, -50.0]);
//! # Ok::<(), gridloom::metrics::FoldError>(())
//! ```

use super::{Estimate, PairTally, StatsError, Tally};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The name of the difference between two series in a metric.
pub fn difference(metric: &str) -> String {
    format!("difference in {metric}")
}

/// The name of an observation: rows have the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Key<'a> {
    /// The experiment that it belongs to.
    pub experiment: Cow<'a, str>,
    /// The alternative that is compared: a policy, a criterion, a kind of load.
    pub series: Cow<'a, str>,
    /// A time or another number along an axis, if there is one.
    pub x: Option<f64>,
    /// The quantity that was measured.
    pub metric: Cow<'a, str>,
    /// The statistic that gives the row.
    pub statistic: Statistic,
}

/// The statistic that gives a row.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Statistic {
    /// The mean of the values.
    Mean,
    /// The mean of differences within worlds, which is held against 0.
    Difference,
    /// The mean of one observation over the mean of another of the same world.
    Ratio {
        /// The place of the first in its replication.
        first: Place,
        /// The place of the second.
        second: Place,
        /// The form in which the ratio is given.
        scale: Scale,
    },
    /// The largest of the values, for what others have printed as a maximum. It has no interval.
    Largest,
}

/// The form in which a ratio is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scale {
    /// As it is.
    Plain,
    /// By how many per cent the first is above the second.
    Change,
    /// By how many per cent the first is below the second.
    Saving,
    /// The first less the second, in per cent of the larger of them.
    OfLarger,
}

impl Scale {
    fn tell(self, ratio: Estimate) -> Estimate {
        let percent = |mean| Estimate { mean: 100.0 * mean, ci95: ratio.ci95.map(|ci95| 100.0 * ci95), n: ratio.n };
        match self {
            Self::Plain => ratio,
            Self::Change => percent(ratio.mean - 1.0),
            Self::Saving => percent(1.0 - ratio.mean),
            Self::OfLarger if ratio.mean > 1.0 => {
                // 1 - 1 / r, whose slope is 1 / r^2.
                let slope = 100.0 / (ratio.mean * ratio.mean);
                Estimate { ci95: ratio.ci95.map(|ci95| slope * ci95), ..percent(1.0 - 1.0 / ratio.mean) }
            }
            Self::OfLarger => percent(ratio.mean - 1.0),
        }
    }
}

/// The place of an observation in its replication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place(usize);

/// All observations of one replication.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Observations<'a> {
    keys: Vec<Key<'a>>,
    values: Vec<Option<f64>>,
}

impl<'a> Observations<'a> {
    /// The observations under these names, in the same order; `None` if there are more of the ones than of the others.
    pub fn from_parts(keys: Vec<Key<'a>>, values: Vec<Option<f64>>) -> Option<Self> {
        (keys.len() == values.len()).then_some(Self { keys, values })
    }

    /// The names.
    pub fn keys(&self) -> &[Key<'a>] {
        &self.keys
    }

    /// The values, in the order of the names; ratios have none of their own.
    pub fn values(&self) -> &[Option<f64>] {
        &self.values
    }

    /// The value at a place.
    pub fn value(&self, place: Place) -> Option<f64> {
        self.values.get(place.0).copied().flatten()
    }

    /// Adds what every series is above each of the baselines, and the first of each pair above the second, in each of
    /// the metrics, where that is not yet among the observations.
    pub fn compare(&mut self, baselines: &[String], pairs: &[(String, String)], metrics: &[String]) {
        let is_plain = |key: &Key<'a>| key.x.is_none() && key.statistic == Statistic::Mean;
        let measured: Vec<usize> = (0..self.keys.len())
            .filter(|&at| is_plain(&self.keys[at]) && metrics.iter().any(|metric| *metric == self.keys[at].metric))
            .collect();
        let mut series: Vec<String> = Vec::new();
        for &at in &measured {
            if !series.iter().any(|name| *name == self.keys[at].series) {
                series.push(self.keys[at].series.to_string());
            }
        }
        let all = baselines.iter().flat_map(|other| series.iter().map(move |own| (own, other)));
        for (own, other) in all.chain(pairs.iter().map(|(own, other)| (own, other))).filter(|(own, other)| own != other)
        {
            let of = |name: &String| -> Vec<usize> {
                measured.iter().copied().filter(|&at| self.keys[at].series == *name).collect()
            };
            let (owns, others) = (of(own), of(other));
            let is_pair = |(own, other): &(usize, usize)| {
                let (own, other) = (&self.keys[*own], &self.keys[*other]);
                own.experiment == other.experiment && own.metric == other.metric
            };
            let all = owns.iter().flat_map(|&own| others.iter().map(move |&other| (own, other)));
            let found: Vec<(usize, usize)> = all.filter(is_pair).collect();
            let name = format!("{own} against {other}");
            for (own, other) in found {
                let (experiment, metric) = (self.keys[own].experiment.clone(), difference(&self.keys[own].metric));
                let is_there =
                    |key: &Key<'a>| key.experiment == experiment && key.series == name && key.metric == metric;
                if !self.keys.iter().any(is_there) {
                    self.of(experiment, name.clone()).difference(metric, Place(own), Place(other));
                }
            }
        }
    }

    /// Adds what follows to a series of an experiment.
    pub fn of(&mut self, experiment: impl Into<Cow<'a, str>>, series: impl Into<Cow<'a, str>>) -> Series<'_, 'a> {
        Series { to: self, experiment: experiment.into(), series: series.into() }
    }
}

/// A series to which observations are added.
#[derive(Debug)]
pub struct Series<'o, 'a> {
    to: &'o mut Observations<'a>,
    experiment: Cow<'a, str>,
    series: Cow<'a, str>,
}

impl<'a> Series<'_, 'a> {
    /// Adds a value, or the place of one that could not be measured in this world.
    pub fn add(&mut self, metric: impl Into<Cow<'a, str>>, value: impl Into<Option<f64>>) -> Place {
        self.push(metric.into(), None, Statistic::Mean, value.into())
    }

    /// The same at a number along an axis.
    pub fn add_at(&mut self, metric: impl Into<Cow<'a, str>>, x: f64, value: impl Into<Option<f64>>) -> Place {
        self.push(metric.into(), Some(x), Statistic::Mean, value.into())
    }

    /// Adds what the first is above the second in this world.
    pub fn difference(&mut self, metric: impl Into<Cow<'a, str>>, first: Place, second: Place) -> Place {
        let value = self.to.value(first).zip(self.to.value(second)).map(|(first, second)| first - second);
        self.push(metric.into(), None, Statistic::Difference, value)
    }

    /// Adds a row for the mean of the first over the mean of the second, over the worlds that have both.
    pub fn ratio(&mut self, metric: impl Into<Cow<'a, str>>, first: Place, second: Place, scale: Scale) -> Place {
        self.push(metric.into(), None, Statistic::Ratio { first, second, scale }, None)
    }

    /// Adds a value of which the row keeps the largest over all worlds.
    pub fn largest(&mut self, metric: impl Into<Cow<'a, str>>, value: impl Into<Option<f64>>) -> Place {
        self.push(metric.into(), None, Statistic::Largest, value.into())
    }

    fn push(&mut self, metric: Cow<'a, str>, x: Option<f64>, statistic: Statistic, value: Option<f64>) -> Place {
        let (experiment, series) = (self.experiment.clone(), self.series.clone());
        self.to.keys.push(Key { experiment, series, x, metric, statistic });
        self.to.values.push(value);
        Place(self.to.values.len() - 1)
    }
}

/// A name as a map can order it.
type ObservedName<'a> = (Cow<'a, str>, Cow<'a, str>, Option<u64>, Cow<'a, str>);

impl<'a> Key<'a> {
    /// The same name, whoever it was borrowed from.
    pub fn to_owned(&self) -> Key<'static> {
        let own = |text: &Cow<'_, str>| Cow::Owned(text.to_string());
        let Self { experiment, series, x, metric, statistic } = self;
        Key { experiment: own(experiment), series: own(series), x: *x, metric: own(metric), statistic: *statistic }
    }

    fn name(&self) -> ObservedName<'a> {
        (self.experiment.clone(), self.series.clone(), self.x.map(f64::to_bits), self.metric.clone())
    }
}

/// An observation can't be taken in.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{what}: {error}")]
pub struct FoldError {
    /// The quantity that was observed.
    pub what: String,
    /// Why it can't be.
    pub error: StatsError,
}

/// What all replications say under one name.
#[derive(Debug, Clone, PartialEq)]
pub struct FoldedRow {
    /// The experiment that it belongs to.
    pub experiment: String,
    /// The alternative that is compared.
    pub series: String,
    /// A time or another number along an axis, if there is one.
    pub x: Option<f64>,
    /// The quantity that was measured.
    pub metric: String,
    /// Its mean.
    pub mean: f64,
    /// Half the width of the mean's interval.
    pub ci95: Option<f64>,
    /// The number of observations.
    pub n: u64,
    /// Of a difference: the probability of one at least as large, if there were none.
    pub p: Option<f64>,
}

/// Takes replications in, one after another by their number, and keeps only what their rows need.
#[derive(Debug, Clone, Default)]
pub struct Fold<'a> {
    keys: Vec<Key<'a>>,
    tallies: Vec<FoldedStatistic>,
    /// The place of each name.
    places: BTreeMap<ObservedName<'a>, usize>,
}

#[derive(Debug, Clone, Copy)]
enum FoldedStatistic {
    Mean(Tally),
    Difference(Tally),
    Ratio(PairTally, Scale),
    Largest(Tally, f64),
}

impl<'a> Fold<'a> {
    /// Takes in the next replication.
    pub fn take_in(&mut self, observations: &Observations<'a>) -> Result<(), FoldError> {
        for (index, (key, value)) in observations.keys.iter().zip(&observations.values).enumerate() {
            let at = self.place(index, key);
            let added = match (&mut self.tallies[at], key.statistic) {
                (FoldedStatistic::Mean(tally) | FoldedStatistic::Difference(tally), _) => {
                    value.map_or(Ok(()), |value| tally.add(value))
                }
                (FoldedStatistic::Ratio(tally, _), Statistic::Ratio { first, second, .. }) => {
                    match (observations.value(first), observations.value(second)) {
                        (Some(first), Some(second)) => tally.add(first, second),
                        _ => Ok(()),
                    }
                }
                (FoldedStatistic::Largest(tally, largest), _) => value.map_or(Ok(()), |value| {
                    *largest = largest.max(value);
                    tally.add(value)
                }),
                (FoldedStatistic::Ratio(..), _) => Ok(()),
            };
            added.map_err(|error| FoldError { what: key.metric.to_string(), error })?;
        }
        Ok(())
    }

    /// Where the key that stands at `index` of its replication is kept: nearly always at the same index.
    fn place(&mut self, index: usize, key: &Key<'a>) -> usize {
        if self.keys.get(index) == Some(key) {
            return index;
        }
        *self.places.entry(key.name()).or_insert_with(|| {
            self.keys.push(key.clone());
            self.tallies.push(match key.statistic {
                Statistic::Mean => FoldedStatistic::Mean(Tally::default()),
                Statistic::Difference => FoldedStatistic::Difference(Tally::default()),
                Statistic::Ratio { scale, .. } => FoldedStatistic::Ratio(PairTally::default(), scale),
                Statistic::Largest => FoldedStatistic::Largest(Tally::default(), f64::NEG_INFINITY),
            });
            self.keys.len() - 1
        })
    }

    /// The half-widths of a metric's intervals, for one series or all, where it has no axis of its own.
    pub fn half_widths(&self, metric: &str, series: Option<&str>) -> impl Iterator<Item = Option<f64>> {
        let is_meant = move |key: &Key<'a>| {
            key.x.is_none() && key.metric == metric && series.is_none_or(|series| key.series == series)
        };
        let meant = self.keys.iter().zip(&self.tallies).filter(move |(key, _)| is_meant(key));
        meant.map(|(_, folded)| match folded {
            FoldedStatistic::Mean(tally) | FoldedStatistic::Difference(tally) => tally.estimate().ok()?.ci95,
            FoldedStatistic::Ratio(tally, scale) => scale.tell(tally.ratio().ok()?).ci95,
            FoldedStatistic::Largest(..) => None,
        })
    }

    /// A row for each name under which something was observed.
    pub fn rows(&self) -> Vec<FoldedRow> {
        let row = |(key, statistics): (&Key<'a>, &FoldedStatistic)| {
            let estimate = match statistics {
                FoldedStatistic::Mean(tally) | FoldedStatistic::Difference(tally) => tally.estimate().ok()?,
                FoldedStatistic::Ratio(tally, scale) => scale.tell(tally.ratio().ok()?),
                // Its count is that of the worlds it was found in.
                FoldedStatistic::Largest(tally, largest) => {
                    Estimate { mean: *largest, ci95: None, ..tally.estimate().ok()? }
                }
            };
            let [experiment, series, metric] = [&key.experiment, &key.series, &key.metric].map(|name| name.to_string());
            let Estimate { mean, ci95, n } = estimate;
            let p = match statistics {
                FoldedStatistic::Difference(tally) => tally.p_value(),
                _ => None,
            };
            Some(FoldedRow { experiment, series, x: key.x, metric, mean, ci95, n, p })
        };
        self.keys.iter().zip(&self.tallies).filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn means(fold: &Fold<'_>) -> Vec<(String, f64, u64)> {
        fold.rows().into_iter().map(|row| (row.series, row.mean, row.n)).collect()
    }

    #[test]
    fn rows_stand_where_their_names_first_came_up() {
        let mut fold = Fold::default();
        let mut first = Observations::default();
        first.of("e", "a").add("m", None);
        first.of("e", "b").add("m", 1.0);
        fold.take_in(&first).unwrap();
        assert_eq!(means(&fold), [("b".to_string(), 1.0, 1)], "nothing was observed of a yet");
        // Another order and another name: each finds its place.
        let mut second = Observations::default();
        second.of("e", "c").add("m", 7.0);
        second.of("e", "b").add("m", 3.0);
        second.of("e", "a").add("m", 5.0);
        fold.take_in(&second).unwrap();
        assert_eq!(means(&fold), [("a".to_string(), 5.0, 1), ("b".to_string(), 2.0, 2), ("c".to_string(), 7.0, 1)]);
    }

    #[test]
    fn values_at_different_x_are_different_rows() {
        let mut fold = Fold::default();
        let mut world = Observations::default();
        world.of("e", "a").add_at("m", 1.0, 10.0);
        world.of("e", "a").add_at("m", 2.0, 20.0);
        world.of("e", "a").add("m", 30.0);
        fold.take_in(&world).unwrap();
        let found: Vec<_> = fold.rows().iter().map(|row| (row.x, row.mean)).collect();
        assert_eq!(found, [(Some(1.0), 10.0), (Some(2.0), 20.0), (None, 30.0)]);
    }

    #[test]
    fn differences_and_ratios_need_both_of_a_pair() {
        let mut fold = Fold::default();
        for (own, other) in [(Some(3.0), Some(4.0)), (None, Some(9.0)), (Some(5.0), Some(6.0)), (Some(7.0), None)] {
            let mut world = Observations::default();
            let [own, other] =
                [("own", own), ("other", other)].map(|(name, value)| world.of("e", name).add("m", value));
            let mut pair = world.of("e", "own against other");
            pair.difference("difference", own, other);
            pair.ratio("ratio", own, other, Scale::Plain);
            pair.ratio("change", own, other, Scale::Change);
            pair.ratio("saving", own, other, Scale::Saving);
            pair.ratio("below the larger", own, other, Scale::OfLarger);
            pair.ratio("above the smaller", other, own, Scale::OfLarger);
            fold.take_in(&world).unwrap();
        }
        let rows = fold.rows();
        let of = |metric: &str| rows.iter().find(|row| row.metric == metric).map(|row| (row.mean, row.n)).unwrap();
        assert_eq!(of("difference"), (-1.0, 2));
        assert_eq!(of("ratio"), (0.8, 2));
        let (change, saving) = (of("change").0, of("saving").0);
        assert!((change + 20.0).abs() < 1e-9 && change == -saving, "{change} {saving}");
        // Of the larger: the same share and the same interval whichever comes first.
        let (below, above) = (of("below the larger").0, of("above the smaller").0);
        assert!((below - change).abs() < 1e-9 && (above - saving).abs() < 1e-9, "{below} {above}");
        let interval = |metric: &str| rows.iter().find(|row| row.metric == metric).and_then(|row| row.ci95).unwrap();
        let (wanted, found) = (interval("saving"), interval("above the smaller"));
        assert!((found - wanted).abs() < 1e-6 * wanted, "{found} {wanted}");
    }

    #[test]
    fn the_largest_of_all_worlds_is_kept_without_an_interval() {
        let mut fold = Fold::default();
        for value in [Some(-4.0), None, Some(-1.5), Some(-9.0)] {
            let mut world = Observations::default();
            world.of("e", "a").largest("m", value);
            fold.take_in(&world).unwrap();
        }
        let found: Vec<_> = fold.rows().iter().map(|row| (row.mean, row.ci95, row.n)).collect();
        assert_eq!(found, [(-1.5, None, 3)]);
    }

    #[test]
    fn what_is_not_finite_is_refused_by_its_name() {
        let mut world = Observations::default();
        world.of("e", "a").add("wait", f64::NAN);
        let refused = Fold::default().take_in(&world).unwrap_err();
        assert!(refused.to_string().starts_with("wait: "), "{refused}");
    }

    proptest! {
        #[test]
        fn the_fold_gives_what_the_formulas_give(worlds in prop::collection::vec((-1e3_f64..1e3, 1.0_f64..1e3), 2..30)) {
            let mut fold = Fold::default();
            for &(first, second) in &worlds {
                let mut world = Observations::default();
                let (first, second) = (world.of("e", "a").add("m", first), world.of("e", "b").add("m", second));
                world.of("e", "a - b").difference("m", first, second);
                fold.take_in(&world).unwrap();
            }
            let (first, second): (Vec<f64>, Vec<f64>) = worlds.into_iter().unzip();
            let rows = fold.rows();
            let expected = [Estimate::of(first.clone()), Estimate::of(second.clone()), Estimate::of_difference(&first, &second)];
            for (row, expected) in rows.iter().zip(expected) {
                let expected = expected.unwrap();
                prop_assert_eq!((row.mean, row.ci95, row.n), (expected.mean, expected.ci95, expected.n));
            }
        }
    }
}
