//! The values of whole runs: one table of metrics by series, or of results beside each other.

use super::SummaryFocus;
use crate::decimals::Decimals;
use crate::pivot::{Key, Pivot};
use crate::rows::{Differences, distinct, in_order, is_difference, metric_name};
use crate::table::{Note, Table};
use crate::{Row, difference, number};

/// A table shows at most this many metrics.
const MOST_METRICS: usize = 12;
/// More series than this have a line each, and the metrics are columns.
const MOST_COLUMNS: usize = 8;
/// The metric of the mean ranks of a ranking.
pub(super) const MEAN_RANK: &str = "mean rank";
/// The factor that tells results apart which are compared.
pub const RESULT: &str = "result";

/// The tables of an experiment whose rows have no x. Series that have no metric in common with others come together in a
/// table of their own kind, those that are alone in a line.
pub(super) fn tables<'a>(
    experiment: &'a str,
    rows: &[&'a Row],
    focus: &'a SummaryFocus,
    drawn: &[&'a str],
    width: usize,
) -> Vec<Table> {
    let is_sweep = focus.sweeps.iter().any(|name| name == experiment);
    let differences = Differences::of(rows, &focus.baselines, is_sweep);
    let plain: Vec<&'a Row> = rows.iter().copied().filter(|row| !is_difference(row)).collect();
    // Nothing but differences: they are what there is.
    let rows = if plain.is_empty() { rows.to_vec() } else { plain };
    let families = families(&rows);
    let largest = families.iter().map(Vec::len).max();
    let lead = [MEAN_RANK].into_iter().chain(focus.headline.as_deref());
    let lead: Vec<&str> = lead.chain(focus.metrics.iter().map(String::as_str)).chain(drawn.iter().copied()).collect();
    let family = |rows: Vec<&'a Row>| {
        let is_alone = rows.iter().all(|row| row.series == rows[0].series && row.factors.is_empty());
        if is_alone && Some(rows.len()) != largest {
            return in_line(experiment, &rows);
        }
        let chosen = Chosen::of(&rows, &lead, focus.headline.as_deref(), is_sweep);
        chosen.table(experiment, &differences, width)
    };
    families.into_iter().map(family).collect()
}

/// The comparisons that no mark in a table can show: pairs of series, and baselines besides the first. Where no series is
/// a baseline of the scenario, and there is more than one pair, these are all.
pub(super) fn pairs(experiment: &str, rows: &[&Row], focus: &SummaryFocus, width: usize) -> Option<Table> {
    // Nothing but differences: the table shows them.
    if rows.iter().all(|row| is_difference(row)) || focus.sweeps.iter().any(|name| name == experiment) {
        return None;
    }
    let compared: Vec<&Row> = rows.iter().copied().filter(|row| is_difference(row)).collect();
    let baseline = Differences::of(rows, &focus.baselines, false).baseline()?;
    let is_marked = |series: &str| {
        series.split_once(" against ").is_none_or(|(first, second)| first == baseline || second == baseline)
    };
    let all = in_order(compared.iter().copied(), |row| &row.series);
    let mut series: Vec<&str> = all.iter().copied().filter(|name| !is_marked(name)).collect();
    if !series.is_empty() && !focus.baselines.iter().any(|name| name == baseline) {
        series = all;
    }
    let lead = focus.headline.iter().chain(&focus.metrics).map(|name| difference(name));
    let known = compared.iter().map(|row| row.metric.clone());
    let of_pairs = |name: &String| -> Vec<&Row> {
        let is_meant = |row: &&Row| row.metric == *name && series.contains(&row.series.as_str());
        compared.iter().copied().filter(is_meant).collect()
    };
    let rows: Vec<&Row> = distinct(lead.chain(known)).iter().flat_map(of_pairs).collect();
    let title = format!("{experiment}: differences between pairs");
    (!rows.is_empty()).then(|| Pivot::new(title, &rows, &[Key::Series], Key::ComparedMetric).fitted(width))?
}

/// The metrics of series that share some, by what is done with them.
struct Chosen<'a> {
    /// The rows of those that are shown, in the order of their metrics.
    rows: Vec<&'a Row>,
    series: usize,
    /// Results beside each other.
    is_of_results: bool,
    left_out: usize,
    notes: Vec<Note>,
}

impl<'a> Chosen<'a> {
    /// Of all metrics, the first that tell lines or columns apart: those of `lead` come first, and of a sweep, which is
    /// drawn, no others. The headline is shown in any case: a run in which every job fails must say so.
    fn of(rows: &[&'a Row], lead: &[&'a str], headline: Option<&str>, is_sweep: bool) -> Self {
        let all = in_order(rows.iter().copied(), |row| &row.metric);
        let of_metric =
            |name: &str| -> Vec<&'a Row> { rows.iter().copied().filter(|row| row.metric == name).collect() };
        let led: Vec<&str> = distinct(lead.iter().copied().filter(|name| all.contains(name)));
        let ordered = distinct(led.iter().chain(&all).copied());
        let wanted = if is_sweep && !led.is_empty() { &led } else { &ordered };
        let is_same = |name: &str| Some(name) != headline && is_same(&of_metric(name));
        let (mut shown, mut repeated): (Vec<&str>, Vec<String>) = (Vec::new(), Vec::new());
        for &name in wanted.iter().filter(|name| !is_same(name)) {
            let own = of_metric(name);
            match shown.iter().take(MOST_METRICS).find(|other| are_equal(&own, &of_metric(other))) {
                Some(other) => repeated.push(format!("{name} (as {other})")),
                None => shown.push(name),
            }
        }
        shown.truncate(MOST_METRICS);
        let (zero, same): (Vec<&str>, Vec<&str>) =
            ordered.into_iter().filter(|name| is_same(name)).partition(|name| is_zero(&of_metric(name)));
        let series = in_order(rows.iter().copied(), |row| &row.series).len();
        let is_of_results = rows.iter().any(|row| row.factor(RESULT).is_some());
        let left_out = all.len() - shown.len() - same.len() - zero.len() - repeated.len();
        let opening = match (is_of_results, series) {
            (true, _) => "The same in all results: ",
            (false, 1) => "0 throughout: ",
            (false, _) => "The same for all: ",
        };
        let value = |name: &&str| {
            // Differences between results are 0 then.
            let rows: Vec<&Row> = of_metric(name).into_iter().filter(|row| row.p.is_none()).collect();
            match rows.first().filter(|first| rows.iter().all(|row| row.mean == first.mean)) {
                Some(first) if first.mean == 0.0 && series > 1 => format!("{name} 0"),
                Some(first) if series > 1 || is_of_results => {
                    format!("{} {}", metric_name(first), Decimals::of(&rows).text(first.mean))
                }
                _ => name.to_string(),
            }
        };
        let items: Vec<String> = same.iter().chain(&zero).map(value).collect();
        let most_lines = if shown.is_empty() { 1 } else { 2 };
        let notes = [Note::list(opening, items, most_lines), Note::list("Not repeated: ", repeated, 1)];
        let notes = notes.into_iter().filter(|note| !note.items.is_empty()).collect();
        let rows = shown.iter().flat_map(|name| of_metric(name)).collect();
        Self { rows, series, is_of_results, left_out, notes }
    }

    /// The table that fits: few series are columns, many are lines; intervals stand beside the means if there is room.
    fn table(&self, experiment: &str, differences: &Differences<'a>, width: usize) -> Table {
        let of = |lines: &[Key<'a>], across: Key<'a>| Pivot {
            differences: differences.clone(),
            ..Pivot::new(experiment.into(), &self.rows, lines, across)
        };
        let few = if self.is_of_results {
            Some(of(&[Key::Metric, Key::Series], Key::Factor(RESULT)))
        } else {
            (self.series <= MOST_COLUMNS).then(|| of(&[Key::Metric], Key::Series))
        };
        let few = few.and_then(|pivot| pivot.fitted(width)).filter(|table| self.is_of_results || table.fits(width));
        let table = few.or_else(|| of(&[Key::Series], Key::Metric).fitted(width));
        let mut table = table.unwrap_or_else(|| crate::pivot::listed(experiment.into(), &self.rows));
        if self.rows.is_empty() {
            table.lines.clear();
        }
        table.notes.extend(self.notes.iter().cloned());
        Table { left_out: self.left_out, ..table }
    }
}

/// The values of a single series as a list.
fn in_line(experiment: &str, rows: &[&Row]) -> Table {
    let is_worth = |row: &&&Row| row.mean != 0.0 || is_zero(rows);
    let value = |row: &&Row| format!("{} {}", metric_name(row), Decimals::of(&[row]).estimate(row, true));
    let items = rows.iter().filter(is_worth).map(value).collect();
    let note = Note::list(format!("{}: ", rows[0].series), items, 3);
    Table { notes: vec![note], ..Table::new(experiment, Vec::new(), Vec::new()) }
}

fn is_zero(rows: &[&Row]) -> bool {
    rows.iter().all(|row| row.mean == 0.0)
}

/// True if a metric tells nothing apart: it is the same number for all series, or for all results of each series, or it
/// is 0 for the only one.
pub(super) fn is_same(rows: &[&Row]) -> bool {
    let is_like = |row: &Row, other: &Row| {
        let is_other_line = row.factor(RESULT).is_some() && row.series != other.series;
        is_other_line || number::without_noise(row.mean) == number::without_noise(other.mean)
    };
    let values: Vec<&Row> = rows.iter().copied().filter(|row| row.p.is_none()).collect();
    is_zero(rows) || values.len() > 1 && values.iter().all(|row| values.iter().all(|other| is_like(row, other)))
}

/// True if two metrics have the same numbers everywhere.
fn are_equal(first: &[&Row], second: &[&Row]) -> bool {
    let is_like = |(a, b): (&&Row, &&Row)| {
        (&a.series, &a.factors, &a.unit) == (&b.series, &b.factors, &b.unit)
            && number::without_noise(a.mean) == number::without_noise(b.mean)
    };
    first.len() > 1 && first.len() == second.len() && first.iter().zip(second).all(is_like)
}

/// The rows of series that share a metric, directly or by way of others, in order of first appearance.
fn families<'a>(rows: &[&'a Row]) -> Vec<Vec<&'a Row>> {
    let mut families: Vec<Vec<&'a Row>> = Vec::new();
    for series in in_order(rows.iter().copied(), |row| &row.series) {
        let own: Vec<&'a Row> = rows.iter().copied().filter(|row| row.series == series).collect();
        let shares = |family: &Vec<&Row>| family.iter().any(|row| own.iter().any(|own| own.metric == row.metric));
        let (related, others): (Vec<_>, Vec<_>) = families.into_iter().partition(shares);
        families = others;
        families.push(related.into_iter().flatten().chain(own).collect());
    }
    let place = |row: &Row| rows.iter().position(|other| std::ptr::eq(*other, row));
    families.iter_mut().for_each(|family| family.sort_by_key(|row| place(row)));
    families.sort_by_key(|family| place(family[0]));
    families
}
