//! The values of a metric as cells: all with the same decimals, and marked where they differ from the baseline.

use super::lines::width_of;
use crate::number;
use crate::table::is_told;
use crate::{Row, difference};
use gridloom_files::single_line;
use gridloom_sim::metrics::says;

/// The mark of a value whose difference from the baseline is told from 0.
pub const MARK: char = '*';
/// The largest value of a line has at most this many digits before decimals are cut.
const DIGITS: i32 = 5;
/// Values without an interval have this many.
const BARE_DIGITS: i32 = 4;

/// The name of a metric with its unit, unless the name says it.
pub fn metric_name(row: &Row) -> String {
    let name = single_line(&row.metric);
    match row.unit.as_str() {
        "" | "no unit" => name,
        unit if says(&name, unit) => name,
        unit => format!("{name} ({})", single_line(unit)),
    }
}

/// The form that all values of a metric share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Decimals {
    /// This many digits after the point.
    Fixed(usize),
    /// Numbers so large or so small that each has its own exponent.
    Scientific,
}

impl Decimals {
    /// Two digits of the narrowest interval, as far as the largest value can do with that many; the values of single
    /// runs have none and show four digits.
    pub fn of(rows: &[&Row]) -> Self {
        let largest = rows.iter().map(|row| row.mean.abs().max(row.ci95.unwrap_or(0.0))).fold(0.0, f64::max);
        let leading = number::exponent(largest);
        if !(-4..9).contains(&leading) {
            return Self::Scientific;
        }
        if rows.iter().all(|row| row.mean.fract() == 0.0 && row.ci95.is_none_or(|half| half.fract() == 0.0)) {
            return Self::Fixed(0);
        }
        let halves = rows.iter().filter_map(|row| row.ci95).filter(|&half| half > 0.0);
        let wanted = halves.map(|half| 1 - number::exponent(half)).max();
        let most = DIGITS - 1 - leading;
        let places = wanted.unwrap_or(BARE_DIGITS - 1 - leading).min(most).max(0);
        Self::Fixed(places as usize)
    }

    /// A number in this form; a zero has no sign.
    pub fn text(self, value: f64) -> String {
        match self {
            Self::Scientific => number::significant(value, 4),
            Self::Fixed(places) => {
                let text = format!("{value:.places$}");
                let is_zero = text.chars().all(|c| matches!(c, '-' | '0' | '.'));
                if is_zero { text.trim_start_matches('-').to_string() } else { text }
            }
        }
    }

    /// The mean of a row, with its interval if that is wanted.
    pub fn estimate(self, row: &Row, with_interval: bool) -> String {
        let text = self.text(row.mean);
        // What is rounded to zero has no sign.
        let is_zero = !text.contains(|c: char| ('1'..='9').contains(&c));
        let mean = if row.p.is_some() && row.mean > 0.0 && !is_zero { format!("+{text}") } else { text };
        match row.ci95.filter(|_| with_interval) {
            None => mean,
            Some(half) => format!("{mean} ± {}", self.text(half)),
        }
    }
}

/// Cells of one column or line with room for a mark, if any of them has one.
pub fn with_marks(cells: Vec<(String, bool)>, room: bool) -> Vec<String> {
    let mark = |(text, told): (String, bool)| match (told, room && width_of(&text) > 0) {
        (true, _) => format!("{text}{MARK}"),
        (false, true) => format!("{text} "),
        (false, false) => text,
    };
    cells.into_iter().map(mark).collect()
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
        let mut names: Vec<&'a str> = Vec::new();
        for name in compared.iter().filter_map(|row| second_of(row)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        // The first of those that are compared with most often.
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
        if is_difference(row) {
            return is_told(row);
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
        self.rows.iter().find(is_meant).is_some_and(|other| is_told(other))
    }
}

fn second_of(row: &Row) -> Option<&str> {
    row.series.split_once(" against ").map(|(_, second)| second)
}

/// True for a row that compares two series pair by pair.
pub fn is_difference(row: &Row) -> bool {
    row.p.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridloom_sim::metrics::Estimate;

    fn row(series: &str, metric: &str, mean: f64, ci95: impl Into<Option<f64>>) -> Row {
        Row::new("e", series, metric, Estimate { mean, ci95: ci95.into(), n: 9 })
    }

    #[test]
    fn values_of_a_metric_share_their_decimals() {
        let texts = |rows: &[Row]| -> Vec<String> {
            let rows: Vec<&Row> = rows.iter().collect();
            let decimals = Decimals::of(&rows);
            rows.iter().map(|row| decimals.estimate(row, true)).collect()
        };
        let pair = |first: (f64, f64), second: (f64, f64)| {
            [row("a", "m", first.0, first.1), row("b", "m", second.0, second.1)]
        };
        assert_eq!(texts(&pair((0.93, 0.071), (0.86, 0.14))), ["0.930 ± 0.071", "0.860 ± 0.140"]);
        assert_eq!(texts(&pair((1234.5678, 12.3), (-0.4, 0.031))), ["1234.6 ± 12.3", "-0.4 ± 0.0"]);
        assert_eq!(texts(&pair((20.0, 0.0), (3.0, 0.0))), ["20 ± 0", "3 ± 0"]);
        assert_eq!(texts(&[row("a", "m", 72.25, None), row("b", "m", 8.0, None)]), ["72.25", "8.00"]);
        assert_eq!(texts(&[row("a", "m", 1.5e12, None)]), ["1.5e12"]);
    }

    #[test]
    fn a_unit_that_the_name_says_is_not_said_again() {
        let named = |metric: &str, unit: &str| metric_name(&Row { unit: unit.into(), ..row("a", metric, 1.0, None) });
        assert_eq!(
            (named("wait", "minutes"), named("saving (%)", "%")),
            ("wait (minutes)".into(), "saving (%)".into())
        );
    }

    #[test]
    fn a_value_is_marked_if_its_difference_from_the_baseline_is_told_from_0() {
        let compared =
            |series: &str, p: f64| Row { p: Some(p), p_holm: Some(p), ..row(series, "difference in m", 1.0, 0.5) };
        let rows = [
            compared("b against a", 0.01),
            compared("c against a", 0.2),
            compared("c against b", 0.01),
            compared("b against a, t", 0.01),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let told = |wanted: &[String], of_sweep: bool| -> String {
            let differences = Differences::of(&rows, wanted, of_sweep);
            let is_told = |name: &&&str| differences.tells(&row(name, "m", 1.0, None));
            ["a", "b", "c", "b, t"].iter().filter(is_told).copied().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(told(&[], false), "b");
        assert_eq!(told(&["b".into()], false), "c");
        assert_eq!(told(&[], true), "b b, t");
        assert!(!Differences::of(&rows, &[], false).tells(&row("b", "other", 1.0, None)));
    }
}
