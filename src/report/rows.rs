//! What rows have in common: names in order, factors and their levels, and differences between series.

use crate::{Row, SweepValue, difference, number};
use gridloom_files::single_line;
use gridloom_sim::metrics::says;
use std::collections::BTreeSet;

/// A difference whose corrected p-value is below this is significant.
pub const SIGNIFICANT: f64 = 0.05;
/// A factor of at most this many values can have a column for each.
const MOST_COLUMNS: usize = 8;

/// The distinct names of rows, in order of first appearance.
pub fn in_order<'a>(rows: impl IntoIterator<Item = &'a Row>, key: impl Fn(&'a Row) -> &'a String) -> Vec<&'a str> {
    distinct(rows.into_iter().map(|row| key(row).as_str()))
}

/// Each value once, where it comes first.
pub fn distinct<T: Clone + Ord>(values: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = BTreeSet::new();
    values.into_iter().filter(|value| seen.insert(value.clone())).collect()
}

/// The name of a metric with its unit, unless the name says it.
pub fn metric_name(row: &Row) -> String {
    let name = single_line(&row.metric);
    match row.unit.as_str() {
        "" | "no unit" => name,
        unit if says(&name, unit) => name,
        unit => format!("{name} ({})", single_line(unit)),
    }
}

/// The names of all factors of the rows, in order of first appearance.
pub(crate) fn factor_names<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    distinct(rows.iter().flat_map(|row| &row.factors).map(|factor| factor.name.as_str()))
}

/// The values that a factor takes: numbers in ascending order, others in order of first appearance.
pub(crate) fn levels<'a>(rows: &[&'a Row], factor: &str) -> Vec<&'a SweepValue> {
    let mut values: Vec<&SweepValue> = Vec::new();
    for value in rows.iter().filter_map(|row| row.factor(factor)) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    if values.iter().all(|value| value.number().is_some()) {
        let number = |value: &SweepValue| value.number().unwrap_or_default();
        values.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    values
}

/// The values of x, in ascending order.
pub(crate) fn places(rows: &[&Row]) -> Vec<f64> {
    let mut places: Vec<f64> = rows.iter().filter_map(|row| row.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
}

/// The value of a factor as tables and axes show it.
pub(crate) fn value_text(value: &SweepValue) -> String {
    value.number().map_or_else(|| value.to_string(), number::plain)
}

/// `notice = 120`.
pub(crate) fn setting(factor: &str, value: &SweepValue) -> String {
    format!("{factor} = {}", value_text(value))
}

/// The factor whose values have a column each: the one that `x` follows, or else the first with a few values.
pub(crate) fn column_factor<'a>(rows: &[&'a Row]) -> Option<&'a str> {
    let few = |name: &&str| (2..=MOST_COLUMNS).contains(&levels(rows, name).len());
    let named: Vec<&str> = factor_names(rows).into_iter().filter(few).collect();
    let is_x =
        |name: &str| rows.iter().all(|row| row.x.is_some() && row.factor(name).map(SweepValue::number) == Some(row.x));
    named.iter().copied().find(|name| is_x(name)).or(named.first().copied())
}

/// True if a row is a significant difference, all comparisons that are shown with it considered.
pub fn is_significant(row: &Row) -> bool {
    row.p_holm.is_some_and(|p| p < SIGNIFICANT)
}

/// True for a row that compares two series pair by pair.
pub fn is_difference(row: &Row) -> bool {
    row.series.contains(" against ") && (row.p.is_some() || row.metric.starts_with(&difference("")))
}

fn second_of(row: &Row) -> Option<&str> {
    row.series.split_once(" against ").map(|(_, second)| second)
}

/// The paired differences between other series and one of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Differences<'a> {
    baseline: Option<&'a str>,
    rows: Vec<&'a Row>,
    /// A sweep over texts names them after the series.
    of_sweep: bool,
}

impl<'a> Differences<'a> {
    /// The differences among the rows of an experiment: from the first of `wanted` that others are compared with, else
    /// from the series that most are.
    pub(crate) fn of(rows: &[&'a Row], wanted: &'a [String], of_sweep: bool) -> Self {
        let compared: Vec<&'a Row> = rows.iter().copied().filter(|row| is_difference(row)).collect();
        let against = |name: &str| {
            compared.iter().filter(|row| second_of(row).is_some_and(|other| other.starts_with(name))).count()
        };
        // The first of those that are compared with most often.
        let names = distinct(compared.iter().filter_map(|row| second_of(row)));
        let most = names.iter().map(|name| against(name)).max();
        let common = names.iter().copied().find(|name| Some(against(name)) == most);
        let baseline = wanted.iter().map(String::as_str).find(|name| against(name) > 0).or(common);
        Self { baseline, rows: compared, of_sweep }
    }

    /// The series that others are compared with.
    pub(crate) fn baseline(&self) -> Option<&'a str> {
        self.baseline
    }

    /// True if a metric is compared with the baseline at all.
    pub(crate) fn compares(&self, metric: &str) -> bool {
        let metric = difference(metric);
        self.baseline.is_some_and(|baseline| {
            let is_against = |row: &&Row| second_of(row).is_some_and(|other| other.starts_with(baseline));
            self.rows.iter().copied().filter(is_against).any(|row| row.metric == metric)
        })
    }

    /// True if the row differs from the baseline: the paired interval excludes 0, all comparisons that are shown with
    /// it considered.
    pub(crate) fn tells(&self, row: &Row) -> bool {
        if row.p.is_some() {
            return is_significant(row);
        }
        let Some(baseline) = self.baseline else { return false };
        let metric = difference(&row.metric);
        let is_meant = |other: &&&Row| {
            let Some((first, second)) = other.series.split_once(" against ") else { return false };
            let Some(rest) = second.strip_prefix(baseline) else { return false };
            let is_own = if rest.is_empty() {
                row.series == first
            } else {
                self.of_sweep && row.series == format!("{first}{rest}")
            };
            is_own && other.metric == metric && other.x == row.x && other.factors == row.factors
        };
        self.rows.iter().find(is_meant).is_some_and(|other| is_significant(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridloom_sim::metrics::Estimate;

    fn row(series: &str, metric: &str) -> Row {
        Row::new("e", series, metric, Estimate { mean: 1.0, ci95: None, n: 9 })
    }

    #[test]
    fn a_unit_that_the_name_says_is_not_said_again() {
        let named = |metric: &str, unit: &str| metric_name(&Row { unit: unit.into(), ..row("a", metric) });
        assert_eq!(
            (named("wait", "minutes"), named("saving (%)", "%")),
            ("wait (minutes)".into(), "saving (%)".into())
        );
    }

    #[test]
    fn a_value_is_marked_if_it_differs_significantly_from_the_baseline() {
        let compared = |series: &str, p: f64| Row { p: Some(p), p_holm: Some(p), ..row(series, "difference in m") };
        let rows = [
            compared("b against a", 0.01),
            compared("c against a", 0.2),
            compared("c against b", 0.01),
            compared("b against a, t", 0.01),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let marked = |wanted: &[String], of_sweep: bool| -> String {
            let differences = Differences::of(&rows, wanted, of_sweep);
            let is_marked = |name: &&&str| differences.tells(&row(name, "m"));
            ["a", "b", "c", "b, t"].iter().filter(is_marked).copied().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(marked(&[], false), "b");
        assert_eq!(marked(&["b".into()], false), "c");
        assert_eq!(marked(&[], true), "b b, t");
        assert!(!Differences::of(&rows, &[], false).tells(&row("b", "other")));
    }
}
