//! Differences between the same rows of two results.

use super::read::{EarlierResult, RowName, RowValues, name_of};
use crate::metrics::{Estimate, Tally};
use crate::report::rows::SIGNIFICANT;
use crate::study::Row;
use std::collections::{BTreeMap, BTreeSet};

/// The sample of a row must have its mean, but for rounding.
const ROUNDING: f64 = 1e-9;

/// How a difference and its interval come about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pairing {
    /// Replication by replication.
    ///
    /// Runs of one seed draw replication k from the same random streams. Pairs of different replications are
    /// independent, so that the interval of their differences holds however much the two worlds of a pair have in
    /// common: where the fields that differ change how worlds are drawn, pairs are less alike and the interval is
    /// wider, but it is still right. Welch's interval would be wrong here, since the two samples are not independent.
    Paired,
    /// By Welch's method: other seeds draw other worlds, and the samples are independent.
    Independent,
    /// The row is no mean of observations, such as a ratio of means or a maximum. Of one seed, nothing is known about
    /// the error of the difference; of two, the intervals of both are put together.
    Bare,
}

impl Pairing {
    /// The word for it in tables.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Paired => "paired",
            Self::Independent => "Welch",
            Self::Bare => "rows",
        }
    }
}

/// What the row of one result is above that of the first.
#[derive(Debug, Clone)]
pub(super) struct ValueDifference<'a> {
    pub first: &'a Row,
    pub second: &'a Row,
    /// The place of the second among the results.
    pub other: usize,
    pub estimate: Estimate,
    pub p: Option<f64>,
    /// The same, corrected for all that is shown together.
    pub p_holm: Option<f64>,
    pub pairing: Pairing,
}

impl ValueDifference<'_> {
    /// True if it differs significantly from 0.
    pub(super) fn is_significant(&self) -> bool {
        self.p_holm.is_some_and(|p| p < SIGNIFICANT)
    }
}

/// The difference between two rows with their samples.
pub(super) fn between<'a>(
    (first, first_values): (&'a Row, &[(u64, f64)]),
    (second, second_values): (&'a Row, &[(u64, f64)]),
    same_seed: bool,
    other: usize,
) -> ValueDifference<'a> {
    let tallies = sample(first, first_values).zip(sample(second, second_values));
    let found = match tallies {
        Some(_) if same_seed => paired(first_values, second_values),
        Some((first, second)) => second.less(&first).ok().map(|(estimate, p)| (estimate, p, Pairing::Independent)),
        None => None,
    };
    let (estimate, p, pairing) = found.unwrap_or_else(|| {
        let halves = first.ci95.zip(second.ci95).filter(|_| !same_seed);
        let ci95 = halves.map(|(first, second)| libm::hypot(first, second));
        let estimate = Estimate { mean: second.mean - first.mean, ci95, n: first.n.min(second.n) };
        (estimate, None, Pairing::Bare)
    });
    ValueDifference { first, second, other, estimate, p, p_holm: None, pairing }
}

/// The sample of a row, if the row is its mean.
fn sample(row: &Row, values: &[(u64, f64)]) -> Option<Tally> {
    let mut tally = Tally::default();
    for (_, value) in values {
        tally.add(*value).ok()?;
    }
    let mean = tally.estimate().ok()?.mean;
    ((mean - row.mean).abs() <= ROUNDING * mean.abs().max(row.mean.abs()) + f64::MIN_POSITIVE).then_some(tally)
}

/// The second less the first, over the replications that both have.
fn paired(first: &[(u64, f64)], second: &[(u64, f64)]) -> Option<(Estimate, Option<f64>, Pairing)> {
    let first: BTreeMap<u64, f64> = first.iter().copied().collect();
    let mut tally = Tally::default();
    for (number, value) in second {
        if let Some(other) = first.get(number) {
            tally.add(value - other).ok()?;
        }
    }
    Some((tally.estimate().ok()?, tally.p_value(), Pairing::Paired))
}

/// The rows of some results.
pub(super) struct ComparedRows {
    /// Those that all have, in the order of the first.
    pub(super) common: Vec<RowName>,
    /// Those that each has and some other has not.
    pub(super) alone: Vec<Vec<RowName>>,
    /// The units of those that all have, but not in the same unit, and their number.
    pub(super) units: (BTreeSet<String>, u64),
}

/// Which rows can be compared.
pub(super) fn compared_rows(results: &[EarlierResult]) -> ComparedRows {
    let names: Vec<Vec<RowName>> =
        results.iter().map(|result| result.results.rows.iter().map(name_of).collect()).collect();
    let sets: Vec<BTreeSet<&RowName>> = names.iter().map(|names| names.iter().collect()).collect();
    let is_common = |name: &RowName| sets.iter().all(|set| set.contains(name));
    let mut seen = BTreeSet::new();
    let common = names.first().map_or(&[][..], Vec::as_slice).iter();
    let mut common: Vec<RowName> =
        common.filter(|name| is_common(name) && seen.insert((*name).clone())).cloned().collect();
    let alone = names.iter().map(|names| names.iter().filter(|name| !is_common(name)).cloned().collect()).collect();
    // Minutes less hours would be a number without a meaning. Earlier versions wrote no units.
    let mut units_of: BTreeMap<RowName, BTreeSet<&str>> = BTreeMap::new();
    for row in results.iter().flat_map(|result| &result.results.rows).filter(|row| !row.unit.is_empty()) {
        units_of.entry(name_of(row)).or_default().insert(&row.unit);
    }
    let mut units = (BTreeSet::new(), 0);
    common.retain(|name| {
        let Some(several) = units_of.get(name).filter(|units| units.len() > 1) else { return true };
        units.0.extend(several.iter().map(|unit| unit.to_string()));
        units.1 += 1;
        false
    });
    ComparedRows { common, alone, units }
}

/// The values of a row.
pub(super) fn values_of<'v>(values: &'v RowValues, name: &RowName) -> &'v [(u64, f64)] {
    values.get(name).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(mean: f64, ci95: Option<f64>, n: u64) -> Row {
        Row::new("e", "s", "m", Estimate { mean, ci95, n })
    }

    #[test]
    fn one_seed_pairs_replications_by_their_numbers() {
        let (first, second) = (row(2.0, None, 3), row(5.0, None, 3));
        // In another order, and one of them without a partner.
        let (a, b) = ([(0, 1.0), (1, 2.0), (2, 3.0)], [(2, 7.0), (0, 3.0), (5, 5.0)]);
        let found = between((&first, &a), (&second, &b), true, 1);
        assert_eq!((found.pairing, found.estimate.n, found.estimate.mean), (Pairing::Paired, 2, 3.0));
        let found = between((&first, &a), (&first, &a), true, 1);
        assert_eq!((found.estimate.mean, found.estimate.ci95, found.p), (0.0, Some(0.0), Some(1.0)));
    }

    #[test]
    fn a_row_that_is_no_mean_of_its_observations_has_only_what_rows_say() {
        let (first, second) = (row(3.0, Some(0.3), 2), row(9.0, Some(0.4), 2));
        let values = [(0, 1.0), (1, 3.0)];
        let one = between((&first, &values), (&second, &values), true, 1);
        assert_eq!((one.pairing, one.estimate.mean, one.estimate.ci95), (Pairing::Bare, 6.0, None));
        let two = between((&first, &[]), (&second, &[]), false, 1);
        assert_eq!((two.pairing, two.estimate.ci95), (Pairing::Bare, Some(0.5)));
    }
}
