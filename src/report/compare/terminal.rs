//! What a terminal shows of a comparison.

use super::figures::{base_metrics, is_base};
use super::values::ValueDifference;
use super::{ResultsComparison, result_difference};
use crate::report::summary::lines::{TextTable, listed, wrapped};
use crate::report::summary::value::{Decimals, MARK, is_difference, metric_name, with_marks};
use crate::report::summary::{self, SummaryFocus};
use crate::report::table::in_order;
use crate::study::{Figure, Row};

/// The lines of the table of whole runs, and those of all sweeps.
const TABLE_LINES: usize = 22;
const SWEEP_LINES: usize = 12;
/// The lines about fields that differ.
const FIELD_LINES: usize = 8;

/// A summary that fits the terminal; with `all`, every metric of whole runs.
pub(super) fn summary(found: &ResultsComparison, width: usize, all: bool) -> String {
    let mut head = wrapped(&found.outcome.about, width, 2);
    let fields = &found.field_lines;
    let shown = if all { fields.len() } else { FIELD_LINES.min(fields.len()) };
    head.extend(fields[..shown].iter().flat_map(|field| wrapped(&format!("- {field}"), width, 2)));
    if shown < fields.len() {
        head.extend(wrapped(&format!("- {} more fields: --verbose, or report.html", fields.len() - shown), width, 2));
    }
    head.extend(found.sentences.iter().flat_map(|sentence| wrapped(sentence, width, 2)));
    let mut parts = vec![head];
    parts.push(whole_runs(found, width, if all { usize::MAX } else { TABLE_LINES }));
    let is_two = found.labels.len() == 2;
    // One column of differences needs no names of results.
    let short = |row: &Row| {
        let second = row.series.split(" against ").next().unwrap_or_default();
        let own = if is_two { second.rsplit_once(" (").map_or(second, |(name, _)| name) } else { second };
        Row { series: own.to_string(), ..row.clone() }
    };
    let swept = found.outcome.results.rows.iter().filter(|row| !is_base(row) && is_of_results(row));
    let swept: Vec<Row> = swept.map(short).collect();
    let drawn = |figure: &Figure| Figure {
        metrics: figure.metrics.iter().map(|name| result_difference(name)).collect(),
        ..figure.clone()
    };
    let figures: Vec<Figure> = found.outcome.figures.iter().map(drawn).collect();
    let is_sweep = |row: &Row| found.focus.sweeps.contains(&row.experiment);
    if swept.iter().any(is_sweep) {
        let focus = SummaryFocus {
            metrics: found.focus.metrics.iter().map(|name| result_difference(name)).collect(),
            ..found.focus.clone()
        };
        let room = if all { usize::MAX } else { SWEEP_LINES };
        parts.push(summary::body(&swept, &figures, None, &focus, (width, room)));
    }
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.map(|part| part.join("\n") + "\n").collect::<Vec<_>>().join("\n")
}

fn is_of_results(row: &Row) -> bool {
    row.metric.starts_with(&result_difference(""))
}

/// The whole runs: a line for each series below each metric, the values of all results and their differences from the
/// first.
fn whole_runs(found: &ResultsComparison, width: usize, most: usize) -> Vec<String> {
    let base: Vec<&ValueDifference<'_>> =
        found.differences.iter().filter(|one| is_base(one.first) && !is_difference(one.first)).collect();
    let firsts: Vec<&Row> = base.iter().map(|one| one.first).collect();
    let differs = |metric: &&str| base.iter().any(|one| one.first.metric == **metric && one.estimate.mean != 0.0);
    let (changed, same): (Vec<&str>, Vec<&str>) = base_metrics(&firsts, &found.focus).into_iter().partition(differs);
    let labels = &found.labels;
    let mut heading = vec![String::new(), labels[0].clone()];
    for label in &labels[1..] {
        heading.extend([label.clone(), format!("{label} - {}", labels[0])]);
    }
    let table = |with_interval: bool| -> Vec<Vec<Vec<String>>> {
        changed.iter().map(|metric| block(&base, metric, labels.len(), with_interval)).collect()
    };
    let whole = |blocks: &[Vec<Vec<String>>]| TextTable { heading: heading.clone(), lines: blocks.concat() };
    let with_intervals = table(true);
    let blocks = if whole(&with_intervals).fits(width) { with_intervals } else { table(false) };
    let mut shown = blocks.len();
    while shown > 1 && whole(&blocks[..shown]).render(width).len() > most {
        shown -= 1;
    }
    let mut lines = if blocks.is_empty() { Vec::new() } else { whole(&blocks[..shown]).render(width) };
    if base.iter().any(|one| one.is_told()) {
        let explained = format!("{MARK} told from 0: p < 0.05 after Holm's correction over the series of each metric");
        lines.extend(wrapped(&explained, width, 2));
    }
    if shown < blocks.len() {
        let left = blocks.len() - shown;
        lines.extend(wrapped(&format!("{left} more metrics differ: --verbose, or compare.csv"), width, 2));
    }
    if !same.is_empty() {
        let names: Vec<String> = same.iter().map(|name| name.to_string()).collect();
        lines.extend(listed("No difference at all: ", &names, width, 2));
    }
    lines
}

/// The lines of a metric: its name, and the series.
fn block(base: &[&ValueDifference<'_>], metric: &str, results: usize, with_interval: bool) -> Vec<Vec<String>> {
    let own: Vec<&&ValueDifference<'_>> = base.iter().filter(|one| one.first.metric == metric).collect();
    let rows: Vec<&Row> = own.iter().flat_map(|one| [one.first, one.second]).collect();
    let decimals = Decimals::of(&rows);
    let columns = 2 * results;
    let mut name = vec![rows.first().map(|row| metric_name(row)).unwrap_or_default()];
    name.resize(columns, String::new());
    let mut lines = vec![name];
    let place = |row: &Row| (row.experiment.clone(), row.series.clone());
    let mut seen: Vec<(String, String)> = Vec::new();
    for one in &own {
        if seen.contains(&place(one.first)) {
            continue;
        }
        seen.push(place(one.first));
        let mut line = vec![format!("  {}", one.first.series), decimals.estimate(one.first, with_interval)];
        for other in 1..results {
            let of_other = own.iter().find(|own| own.other == other && place(own.first) == place(one.first));
            let Some(of_other) = of_other else {
                line.extend([String::new(), String::new()]);
                continue;
            };
            let difference = Row { p: Some(1.0), ..Row::new("", "", "", of_other.estimate) };
            let text = decimals.estimate(&difference, with_interval);
            line.push(decimals.estimate(of_other.second, with_interval));
            line.extend(with_marks(vec![(text, of_other.is_told())], true));
        }
        lines.push(line);
    }
    // Series of one name in several experiments are rare; the name of the experiment tells them apart.
    let experiments = in_order(rows.iter().copied(), |row| &row.experiment);
    if experiments.len() > 1 {
        for (line, (experiment, _)) in lines.iter_mut().skip(1).zip(&seen) {
            line[0] = format!("{} ({experiment})", line[0]);
        }
    }
    lines
}
