//! Rows as tables of text, one per experiment: what the terminal and the page show alike.

use super::number;
use crate::study::{Row, SweepValue};

/// A sweep or time series keeps about this many rows per metric.
const SWEEP_ROWS: usize = 20;
/// A sweep over at most this many values has a column for each of them.
const SWEEP_COLUMNS: usize = 8;

/// Differences below this probability are told from zero.
pub(super) const TOLD: f64 = 0.05;

/// A table of text.
pub(super) struct Table {
    /// The experiment's name.
    pub heading: String,
    pub columns: Vec<Column>,
    /// One cell per column.
    pub lines: Vec<Vec<String>>,
    /// Rows that are in `results.csv` only.
    pub left_out: usize,
}

/// A column's heading and alignment.
pub(super) struct Column {
    pub name: String,
    pub numeric: bool,
}

/// A part of a row that can have a column.
struct Part {
    name: &'static str,
    numeric: bool,
    cell: fn(&Row) -> String,
}

impl Table {
    /// A note to the reader about rows that are left out.
    pub(super) fn note(&self) -> Option<String> {
        let shown = self.lines.len();
        (self.left_out > 0)
            .then(|| format!("{shown} of {} rows are shown; results.csv holds all of them.", shown + self.left_out))
    }
}

/// The tables of all experiments, in order of first appearance.
pub(super) fn tables(rows: &[Row]) -> Vec<Table> {
    let mut tables = Vec::new();
    for experiment in in_order(rows, |row| &row.experiment) {
        let all: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment).collect();
        match crossed(experiment, &all) {
            Some(table) => {
                tables.push(table);
                let judged: Vec<&Row> = all.into_iter().filter(|row| row.verdict.is_some()).collect();
                if !judged.is_empty() {
                    tables.push(listed(format!("{experiment}, compared with published values"), &judged));
                }
            }
            None => tables.push(listed(experiment.to_string(), &all)),
        }
    }
    tables
}

/// A line for each row; long sweeps are condensed.
fn listed(heading: String, all: &[&Row]) -> Table {
    let kept = condensed(all);
    let parts = parts(all);
    let lines = kept.iter().map(|row| parts.iter().map(|part| (part.cell)(row)).collect()).collect();
    let columns = parts.iter().map(|part| Column { name: part.name.into(), numeric: part.numeric }).collect();
    Table { heading, columns, lines, left_out: all.len() - kept.len() }
}

/// A line for each metric and series of a short sweep, a column for each of its values.
fn crossed(experiment: &str, all: &[&Row]) -> Option<Table> {
    let mut places: Vec<f64> = Vec::new();
    for row in all {
        let x = row.x?;
        if !places.contains(&x) {
            places.push(x);
        }
    }
    if !(2..=SWEEP_COLUMNS).contains(&places.len()) {
        return None;
    }
    let mut columns =
        vec![Column { name: "metric".into(), numeric: false }, Column { name: "series".into(), numeric: false }];
    columns.extend(places.iter().map(|&x| Column { name: number::plain(x), numeric: true }));
    let mut lines = Vec::new();
    for metric in in_order(all.iter().copied(), |row| &row.metric) {
        let of_metric: Vec<&Row> = all.iter().copied().filter(|row| row.metric == metric).collect();
        for series in in_order(of_metric.iter().copied(), |row| &row.series) {
            let cell = |&x: &f64| {
                let row = of_metric.iter().find(|row| row.series == series && row.x == Some(x));
                row.map(|row| number::estimate(row.mean, row.ci95)).unwrap_or_default()
            };
            let mut line = vec![metric.to_string(), series.to_string()];
            line.extend(places.iter().map(cell));
            lines.push(line);
        }
    }
    // Of several rows for one cell all but the first would be lost: such rows are listed.
    let filled = lines.iter().flat_map(|line| &line[2..]).filter(|cell| !cell.is_empty()).count();
    (filled == all.len()).then(|| Table { heading: experiment.to_string(), columns, lines, left_out: 0 })
}

/// The distinct values of a key, in order of first appearance.
pub(super) fn in_order<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    key: impl Fn(&'a Row) -> &'a String,
) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for name in rows.into_iter().map(key) {
        if !seen.contains(&name.as_str()) {
            seen.push(name.as_str());
        }
    }
    seen
}

/// True if a row is a difference that is told from zero, all comparisons that are shown with it considered.
pub(super) fn is_told(row: &Row) -> bool {
    row.p_holm.is_some_and(|p| p < TOLD)
}

/// The estimate of a difference, whose sign is worth a plus.
pub(super) fn signed_estimate(row: &Row) -> String {
    let text = number::estimate(row.mean, row.ci95);
    match (row.mean > 0.0, text.strip_prefix('(')) {
        (false, _) => text,
        (true, None) => format!("+{text}"),
        (true, Some(rest)) => format!("(+{rest}"),
    }
}

/// The names of all factors of the rows, in order of first appearance.
pub(super) fn factor_names<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    let mut names = Vec::new();
    for factor in rows.iter().flat_map(|row| &row.factors) {
        if !names.contains(&factor.name.as_str()) {
            names.push(factor.name.as_str());
        }
    }
    names
}

/// The values that a factor takes: numbers in ascending order, others in order of first appearance.
pub(super) fn levels<'a>(rows: &[&'a Row], factor: &str) -> Vec<&'a SweepValue> {
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

/// The value of a factor as tables and axes show it.
pub(super) fn value_text(value: &SweepValue) -> String {
    value.number().map_or_else(|| value.to_string(), number::plain)
}

/// The parts that some row fills.
fn parts(rows: &[&Row]) -> Vec<Part> {
    let mut parts = vec![Part { name: "series", numeric: false, cell: |row| row.series.clone() }];
    if rows.iter().any(|row| row.x.is_some()) {
        parts.push(Part { name: "x", numeric: true, cell: |row| row.x.map(number::plain).unwrap_or_default() });
    }
    parts.push(Part { name: "metric", numeric: false, cell: |row| row.metric.clone() });
    parts.push(Part { name: "mean ± 95 %", numeric: true, cell: |row| number::estimate(row.mean, row.ci95) });
    parts.push(Part { name: "n", numeric: true, cell: |row| row.n.to_string() });
    if rows.iter().any(|row| row.published.is_some()) {
        let cell = |row: &Row| row.published.map(number::plain).unwrap_or_default();
        parts.push(Part { name: "published", numeric: true, cell });
    }
    if rows.iter().any(|row| row.verdict.is_some()) {
        let cell = |row: &Row| row.verdict.clone().unwrap_or_default();
        parts.push(Part { name: "verdict", numeric: false, cell });
    }
    parts
}

/// The rows without most of each long sweep. The points kept of a series are its first, its last and some evenly
/// between, so that series swept over the same values stay comparable. Rows with a published value or a verdict stay.
fn condensed<'a>(rows: &[&'a Row]) -> Vec<&'a Row> {
    let mut keep = vec![true; rows.len()];
    for metric in in_order(rows.iter().copied(), |row| &row.metric) {
        let swept = |&index: &usize| {
            let row = rows[index];
            row.metric == metric && row.x.is_some() && row.published.is_none() && row.verdict.is_none()
        };
        let sweep: Vec<usize> = (0..rows.len()).filter(swept).collect();
        if sweep.len() <= SWEEP_ROWS {
            continue;
        }
        let series = in_order(sweep.iter().map(|&index| rows[index]), |row| &row.series);
        let quota = (SWEEP_ROWS / series.len()).max(2);
        for name in series {
            let points: Vec<usize> = sweep.iter().copied().filter(|&index| rows[index].series == name).collect();
            if points.len() > quota {
                points.iter().for_each(|&index| keep[index] = false);
                (0..quota).for_each(|k| keep[points[k * (points.len() - 1) / (quota - 1)]] = true);
            }
        }
    }
    rows.iter().zip(keep).filter_map(|(&row, keep)| keep.then_some(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    fn kept(rows: &[Row]) -> Vec<&Row> {
        condensed(&rows.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_long_sweep_keeps_its_ends_and_the_same_points_of_each_series() {
        let rows = samples::sweep(4, 500);
        let kept = kept(&rows);
        assert_eq!(kept.len(), SWEEP_ROWS);
        let points =
            |name: &str| -> Vec<f64> { kept.iter().filter(|r| r.series == name).filter_map(|r| r.x).collect() };
        assert_eq!(points("series 0"), points("series 3"));
        assert_eq!((points("series 0")[0], points("series 0")[4]), (0.0, 499.0));
    }

    #[test]
    fn rows_with_a_verdict_are_never_left_out() {
        let mut rows = samples::sweep(1, 100);
        rows[37].verdict = Some("agrees".into());
        rows[38].published = Some(1.0);
        let kept = kept(&rows);
        assert_eq!(kept.len(), SWEEP_ROWS + 2);
        assert!(kept.contains(&&rows[37]) && kept.contains(&&rows[38]));
    }

    #[test]
    fn a_short_sweep_has_a_column_for_each_value_and_its_verdicts_below() {
        let mut rows = samples::sweep(2, 3);
        rows[4].verdict = Some("agrees".into());
        let tables = tables(&rows);
        let names: Vec<&str> = tables[0].columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["metric", "series", "0", "1", "2"]);
        assert_eq!((tables[0].lines.len(), tables[1].lines.len()), (2, 1));
        assert_eq!(tables[0].lines[1][3], number::estimate(rows[4].mean, rows[4].ci95));
    }

    #[test]
    fn tables_without_a_sweep_are_shown_whole() {
        let rows: Vec<Row> = samples::sweep(50, 1).into_iter().map(|row| Row { x: None, ..row }).collect();
        assert_eq!(kept(&rows).len(), 50);
        assert_eq!(tables(&rows)[0].note(), None);
    }

    #[test]
    fn only_columns_with_content_are_shown() {
        let names = |rows: &[Row]| -> Vec<String> { tables(rows)[0].columns.iter().map(|c| c.name.clone()).collect() };
        assert_eq!(names(&samples::sweep(1, 9)), ["series", "x", "metric", "mean ± 95 %", "n"]);
        let full = ["series", "metric", "mean ± 95 %", "n", "published", "verdict"];
        assert_eq!(names(&samples::small().rows), full);
    }
}
