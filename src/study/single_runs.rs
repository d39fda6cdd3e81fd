//! Single runs: where one more of them would lie, by those that were made.
//!
//! Print often shows one run. It is held against the runs of ours and not against a normal distribution with their mean
//! and spread: runs that end at a limit lie nowhere beyond it, however widely they spread.

use super::effect::JudgedRow;
use super::{Published, Row, Tolerance};

/// With fewer runs than these not even the lowest and the highest have 95 % of all runs between them.
pub(crate) const ENOUGH: u64 = 39;

/// The values of a row that a single published run is about, replication by replication.
#[derive(Debug, Clone)]
pub(crate) struct SingleRuns(JudgedRow);

impl SingleRuns {
    /// The row of a published value that is one run. Of an effect print has two runs, which are held against each other
    /// as if they were independent; no single run of ours is such a pair.
    pub(super) fn of(one: &Published) -> Option<Self> {
        let is_single = matches!(one.tolerance, Tolerance::Prediction(runs) if runs.get() == 1) && one.than.is_none();
        is_single.then(|| Self(JudgedRow::of(one)))
    }

    /// Takes in a value of a replication, if it is of the row.
    pub(super) fn take_in(&mut self, names: (&str, &str, &str, Option<f64>), replication: u64, value: f64) {
        self.0.take_in(names, replication, value);
    }

    /// Gives its row the interval of single runs, if the row is their mean.
    pub(super) fn give(&self, rows: &mut [Row]) {
        if let Some(row) = self.0.place(rows).map(|index| &mut rows[index]).filter(|row| self.0.is_mean(row)) {
            row.single_runs = interval(self.0.values.iter().map(|(_, value)| *value).collect());
        }
    }
}

/// The interval in which one more run lies with a probability of 95 % or a little more, whatever the distribution: of n
/// runs and one more, each is as likely to be the r-th lowest as any other. Of fewer than [`ENOUGH`], all lie in it.
fn interval(mut values: Vec<f64>) -> Option<[f64; 2]> {
    values.sort_by(f64::total_cmp);
    // 2.5 % of n + 1, rounded down.
    let rank = ((values.len() + 1) / 40).max(1);
    let high = values.len().checked_sub(rank)?;
    Some([*values.get(rank - 1)?, *values.get(high)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::constant;
    use crate::metrics::Estimate;
    use crate::rng::{Streams, unit};
    use crate::study::verdict::judge;

    #[test]
    fn one_more_run_lies_in_the_interval_19_times_of_20_whatever_the_distribution() {
        let mut stream = Streams::new(7, 0).stream("single runs");
        // Most runs end at the limit, others anywhere between the patience and the limit.
        let mut draw = || (500.0 + 1500.0 * unit(&mut stream)).min(1000.0);
        let (mut inside, mut beyond) = (0, 0);
        for _ in 0..4000 {
            let [low, high] = interval((0..79).map(|_| draw()).collect()).unwrap();
            inside += u32::from((low..=high).contains(&draw()));
            beyond += u32::from(low < 500.0 || high > 1000.0);
        }
        // Ties at the limit make it more than 95 %; half of the rest lies below.
        assert!((3800..4000).contains(&inside) && beyond == 0, "{inside} inside, {beyond} beyond");
    }

    #[test]
    fn the_interval_of_few_runs_is_all_of_them() {
        assert_eq!(interval(vec![3.0, 1.0, 2.0]), Some([1.0, 3.0]));
        assert_eq!(interval((0..ENOUGH).map(|run| run as f64).collect()), Some([0.0, 38.0]));
        assert_eq!(interval((0..79).map(f64::from).collect()), Some([1.0, 77.0]));
        assert_eq!(interval(Vec::new()), None);
    }

    #[test]
    fn a_published_run_beyond_all_of_ours_is_no_match_however_widely_ours_spread() {
        let text = |value: u32| {
            format!("(evidence: Free, series: \"hga\", metric: \"m\", value: {value}, tolerance: Prediction(1))")
        };
        let judged = |value: u32, count: u32| {
            let one: Published = constant(&text(value));
            let mut runs = SingleRuns::of(&one).unwrap();
            let values: Vec<f64> = (0..count).map(|run| if run % 2 == 0 { 500.0 } else { 1000.0 }).collect();
            for (world, &value) in values.iter().enumerate() {
                runs.take_in(("e", "hga", "m", None), world as u64, value);
                runs.take_in(("e", "lpga", "m", None), world as u64, 7.0);
            }
            let mut rows = vec![Row::new("e", "hga", "m", Estimate::of(values).unwrap())];
            runs.give(&mut rows);
            judge(&mut rows, &[one], None);
            rows[0].verdict.clone().unwrap()
        };
        assert_eq!(judged(1000, 100), "match (-250.00; 95 % of single runs: 500.00 to 1000)");
        assert_eq!(judged(1100, 100), "differs (-350.00; 95 % of single runs: 500.00 to 1000)");
        assert_eq!(judged(1000, 10), "match (-250.00; all of 10 single runs: 500.00 to 1000)");
    }
}
