//! Effects: what one row is above another, over the worlds that both saw.
//!
//! Two rows of one scenario mostly come of the same worlds, so that what one world has in common does not count: the
//! interval of the difference is that of differences within worlds, and not of two runs that know nothing of each other.

use super::{Contrast, Published, Row};
use crate::metrics::{Estimate, PairTally, Tally};

/// The values of two rows, replication by replication, that a published effect holds against each other.
#[derive(Debug, Clone)]
pub(crate) struct Effect {
    own: JudgedRow,
    other: JudgedRow,
    by: Contrast,
}

/// A row that a published value is about: its names, and its values by replication.
#[derive(Debug, Clone)]
pub(super) struct JudgedRow {
    experiment: Option<String>,
    series: String,
    metric: String,
    x: Option<f64>,
    pub(super) values: Vec<(u64, f64)>,
}

impl JudgedRow {
    /// The row of a published value, without its values yet.
    pub(super) fn of(one: &Published) -> Self {
        Self {
            experiment: one.experiment.clone(),
            series: one.series.clone(),
            metric: one.metric.clone(),
            x: one.x.map(|x| x.get()),
            values: Vec::new(),
        }
    }

    /// Takes in a value of a replication, if it is of this row.
    pub(super) fn take_in(&mut self, names: (&str, &str, &str, Option<f64>), replication: u64, value: f64) {
        let (experiment, series, metric, x) = names;
        if self.is(experiment, series, metric, x) {
            self.values.push((replication, value));
        }
    }

    /// True if a row is the mean of these values.
    pub(super) fn is_mean(&self, row: &Row) -> bool {
        let mean = self.values.iter().map(|(_, value)| value).sum::<f64>() / self.values.len() as f64;
        row.n == self.values.len() as u64 && (row.mean - mean).abs() <= 1e-9 * row.mean.abs().max(1e-9)
    }

    fn is(&self, experiment: &str, series: &str, metric: &str, x: Option<f64>) -> bool {
        let named = self.experiment.as_ref().is_none_or(|own| own == experiment);
        named && self.series == series && self.metric == metric && self.x == x
    }

    /// The place of the one row with these names.
    pub(super) fn place(&self, rows: &[Row]) -> Option<usize> {
        let is_meant = |index: &usize| {
            let row = &rows[*index];
            self.is(&row.experiment, &row.series, &row.metric, row.x)
        };
        let mut meant = (0..rows.len()).filter(is_meant);
        meant.next().filter(|_| meant.next().is_none())
    }
}

impl Effect {
    /// The effect that a published value is about, if it is about one.
    pub(super) fn of(one: &Published) -> Option<Self> {
        let than = one.than.as_ref()?;
        let own = JudgedRow::of(one);
        let mut other = own.clone();
        other.series = than.series.clone().unwrap_or(other.series);
        other.metric = than.metric.clone().unwrap_or(other.metric);
        other.x = than.x.map(|x| x.get()).or(other.x);
        Some(Self { own, other, by: than.by })
    }

    /// Takes in a value of a replication, if it is of one of the two rows.
    pub(super) fn take_in(&mut self, names: (&str, &str, &str, Option<f64>), replication: u64, value: f64) {
        for side in [&mut self.own, &mut self.other] {
            side.take_in(names, replication, value);
        }
    }

    /// The row that is held against the other, and by how much it is above it; nothing if one of them is missing, or
    /// is asked in per cent of nothing. `paired` says whether differences are those within worlds.
    pub(super) fn estimate<'r>(&self, rows: &'r [Row], paired: bool) -> Option<(&'r Row, Estimate)> {
        let (own, other) = (&rows[self.own.place(rows)?], &rows[self.other.place(rows)?]);
        let (scale, ratio) = match self.by {
            Contrast::Difference => (1.0, 1.0),
            Contrast::Percent if other.mean == 0.0 => return None,
            Contrast::Percent => (100.0 / other.mean, own.mean / other.mean),
        };
        let mut mean = scale * (own.mean - other.mean);
        // What rounding leaves of two equal rows is no effect.
        if (own.mean - other.mean).abs() <= 1e-12 * own.mean.abs().max(other.mean.abs()) {
            mean = 0.0;
        }
        // Of a ratio r = a / b to the first order: dr = (da - r db) / b.
        let apart = own.ci95.zip(other.ci95).map(|(own, other)| scale.abs() * libm::hypot(own, ratio * other));
        let within = self.within_worlds(own, other).filter(|_| paired);
        Some((own, Estimate { mean, ci95: within.or(apart), n: own.n.min(other.n) }))
    }

    /// Half the width of the interval over differences within worlds, if the rows are the means of the same worlds.
    fn within_worlds(&self, own: &Row, other: &Row) -> Option<f64> {
        let (first, second) = (&self.own.values, &self.other.values);
        let same = first.iter().map(|(world, _)| world).eq(second.iter().map(|(world, _)| world));
        if !same || !self.own.is_mean(own) || !self.other.is_mean(other) {
            return None;
        }
        let mut pairs = first.iter().zip(second).map(|((_, first), (_, second))| (*first, *second));
        match self.by {
            Contrast::Difference => {
                let mut tally = Tally::default();
                pairs.try_for_each(|(first, second)| tally.add(first - second)).ok()?;
                tally.estimate().ok()?.ci95
            }
            Contrast::Percent => {
                let mut tally = PairTally::default();
                pairs.try_for_each(|(first, second)| tally.add(first, second)).ok()?;
                tally.ratio().ok()?.ci95.map(|ci95| 100.0 * ci95)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;

    /// Two series over three worlds that differ far more than the series do.
    fn effect(by: &str, first: [f64; 3], second: [f64; 3]) -> (Effect, Vec<Row>) {
        let text =
            format!("(series: \"a\", metric: \"m\", than: (series: \"b\", by: {by}), value: 1, tolerance: Direction)");
        let mut effect = Effect::of(&constant(&text)).unwrap();
        for (world, (first, second)) in first.into_iter().zip(second).enumerate() {
            effect.take_in(("e", "a", "m", None), world as u64, first);
            effect.take_in(("e", "b", "m", None), world as u64, second);
            effect.take_in(("e", "b", "other", None), world as u64, 7.0);
        }
        let row = |series: &str, values: [f64; 3]| Row::new("e", series, "m", Estimate::of(values).unwrap());
        (effect, vec![row("a", first), row("b", second)])
    }

    #[test]
    fn an_effect_is_told_within_worlds_and_not_between_them() {
        let (first, second) = ([10.0, 52.0, 103.0], [9.0, 50.0, 102.0]);
        let (effect, rows) = effect("Difference", first, second);
        let (_, paired) = effect.estimate(&rows, true).unwrap();
        let expected = Estimate::of([1.0, 2.0, 1.0]).unwrap();
        assert!((paired.mean - expected.mean).abs() < 1e-12);
        assert!((paired.ci95.unwrap() - expected.ci95.unwrap()).abs() < 1e-12);
        let (_, apart) = effect.estimate(&rows, false).unwrap();
        assert_eq!(apart.ci95, Some(libm::hypot(rows[0].ci95.unwrap(), rows[1].ci95.unwrap())));
        assert!(apart.ci95 > paired.ci95.map(|ci95| 50.0 * ci95));
    }

    #[test]
    fn per_cent_are_of_the_mean_of_the_other() {
        let (effect, rows) = effect("Percent", [11.0, 22.0, 33.0], [10.0, 20.0, 30.0]);
        let (_, paired) = effect.estimate(&rows, true).unwrap();
        assert!((paired.mean - 10.0).abs() < 1e-9 && paired.ci95.unwrap() < 1e-9, "{paired:?}");
    }

    #[test]
    fn rows_that_are_no_means_of_the_same_worlds_are_taken_for_independent() {
        let (mut effect, rows) = effect("Difference", [1.0, 2.0, 4.0], [1.0, 2.0, 3.0]);
        effect.other.values.pop();
        let estimates = [true, false].map(|paired| effect.estimate(&rows, paired).unwrap().1);
        assert_eq!(estimates[0], estimates[1]);
        assert!(effect.estimate(&rows[..1], true).is_none(), "one row is missing");
    }

    #[test]
    fn what_rounding_leaves_has_no_sign() {
        let (effect, mut rows) = effect("Difference", [0.1, 0.2, 0.3], [0.1, 0.2, 0.3]);
        rows[0].mean += 1e-17;
        assert_eq!(effect.estimate(&rows, true).unwrap().1.mean, 0.0);
    }
}
