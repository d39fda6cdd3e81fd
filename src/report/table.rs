//! Rows as tables of text, one per experiment: what the terminal and the page show alike.

use super::crossing::{self, factor_names, levels, value_text};
use super::number;
use crate::Row;

/// A sweep or time series keeps about this many rows per metric.
pub(super) const SWEEP_ROWS: usize = 20;
/// A sweep over at most this many values has a column for each of them.
const SWEEP_COLUMNS: usize = 8;

/// Differences below this probability are told from zero.
pub const TOLD: f64 = 0.05;

/// A table of text.
pub struct Table {
    /// The experiment's name.
    pub heading: String,
    pub columns: Vec<Column>,
    /// One cell per column.
    pub lines: Vec<Vec<String>>,
    /// Rows that are in `results.csv` only.
    pub left_out: usize,
    /// The explanations of its signs.
    pub signs: Vec<String>,
    /// The file that holds all of it, if it is so long that a terminal shows its beginning only.
    pub file: Option<String>,
}

/// A column's heading and alignment.
pub struct Column {
    pub name: String,
    pub numeric: bool,
}

/// A part of a row that can have a column.
struct Part {
    name: String,
    numeric: bool,
    cell: Box<dyn Fn(&Row) -> String>,
}

impl Part {
    fn new(name: &str, numeric: bool, cell: impl Fn(&Row) -> String + 'static) -> Self {
        Self { name: name.into(), numeric, cell: Box::new(cell) }
    }
}

impl Table {
    /// A table of rows that shows all of them.
    pub fn new(heading: String, columns: Vec<Column>, lines: Vec<Vec<String>>) -> Self {
        Self { heading, columns, lines, left_out: 0, signs: Vec::new(), file: None }
    }

    /// Notes to the reader: about rows that are left out, and about signs.
    pub(super) fn notes(&self) -> Vec<String> {
        let shown = self.lines.len();
        let left_out = (self.left_out > 0)
            .then(|| format!("{shown} of {} rows are shown; results.csv holds all of them.", shown + self.left_out));
        left_out.into_iter().chain(self.signs.iter().cloned()).collect()
    }
}

/// The tables of all experiments, in order of first appearance.
pub(super) fn tables(rows: &[Row]) -> Vec<Table> {
    let mut tables = Vec::new();
    for experiment in in_order(rows, |row| &row.experiment) {
        let of_experiment = rows.iter().filter(|row| row.experiment == experiment);
        let (crossing, plain): (Vec<&Row>, Vec<&Row>) = of_experiment.partition(|row| !row.factors.is_empty());
        let (sweep, pivot) = (crossed(experiment, &plain), crossing::pivot(experiment, &crossing));
        for (all, pivot) in [(plain, sweep), (crossing, pivot)] {
            match pivot {
                Some(table) => {
                    tables.push(table);
                    let judged: Vec<&Row> = all.into_iter().filter(|row| row.verdict.is_some()).collect();
                    if !judged.is_empty() {
                        tables.push(listed(format!("{experiment}, compared with published values"), &judged));
                    }
                }
                None if all.is_empty() => {}
                None => tables.push(listed(experiment.to_string(), &all)),
            }
        }
    }
    tables
}

/// The explanation of stars, where rows may have some.
pub(super) fn stars(rows: &[&Row]) -> Vec<String> {
    let explained = format!(
        "A star marks a difference that is told from 0: p < {TOLD} after Holm's correction for all that are shown \
         together."
    );
    rows.iter().any(|row| row.p_holm.is_some()).then_some(explained).into_iter().collect()
}

/// The estimate of a row; a difference has its sign, and a star if it is told from zero.
pub(super) fn estimate(row: &Row) -> String {
    match row.p_holm {
        None => number::estimate(row.mean, row.ci95),
        Some(_) if is_told(row) => format!("{} *", signed_estimate(row)),
        Some(_) => signed_estimate(row),
    }
}

/// A line for each row; long sweeps are condensed.
pub(super) fn listed(heading: String, all: &[&Row]) -> Table {
    let kept = condensed(all);
    let parts = parts(all);
    let lines = kept.iter().map(|row| parts.iter().map(|part| (part.cell)(row)).collect()).collect();
    let columns = parts.iter().map(|part| Column { name: part.name.clone(), numeric: part.numeric }).collect();
    Table { left_out: all.len() - kept.len(), signs: stars(all), ..Table::new(heading, columns, lines) }
}

/// A line for each metric and series of a short sweep, a column for each of its values.
pub(super) fn crossed(experiment: &str, all: &[&Row]) -> Option<Table> {
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
                row.map(|row| estimate(row)).unwrap_or_default()
            };
            let mut line = vec![metric.to_string(), series.to_string()];
            line.extend(places.iter().map(cell));
            lines.push(line);
        }
    }
    // Of several rows for one cell all but the first would be lost: such rows are listed.
    let filled = lines.iter().flat_map(|line| &line[2..]).filter(|cell| !cell.is_empty()).count();
    (filled == all.len()).then(|| Table { signs: stars(all), ..Table::new(experiment.to_string(), columns, lines) })
}

/// The distinct values of a key, in order of first appearance.
pub fn in_order<'a>(rows: impl IntoIterator<Item = &'a Row>, key: impl Fn(&'a Row) -> &'a String) -> Vec<&'a str> {
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

/// The parts that some row fills.
fn parts(rows: &[&Row]) -> Vec<Part> {
    let mut parts = vec![Part::new("series", false, |row| row.series.clone())];
    for name in factor_names(rows) {
        let numeric = levels(rows, name).iter().all(|value| value.number().is_some());
        let factor = name.to_string();
        parts.push(Part::new(name, numeric, move |row| row.factor(&factor).map(value_text).unwrap_or_default()));
    }
    // In a crossing `x` is one of the factors.
    if rows.iter().any(|row| row.x.is_some() && row.factors.is_empty()) {
        parts.push(Part::new("x", true, |row| row.x.map(number::plain).unwrap_or_default()));
    }
    parts.push(Part::new("metric", false, |row| row.metric.clone()));
    parts.push(Part::new("mean ± 95 %", true, estimate));
    parts.push(Part::new("n", true, |row| row.n.to_string()));
    if rows.iter().any(|row| row.p_holm.is_some()) {
        parts.push(Part::new("p (Holm)", true, |row| row.p_holm.map(probability).unwrap_or_default()));
    }
    if rows.iter().any(|row| row.published.is_some()) {
        parts.push(Part::new("published", true, |row| row.published.map(number::plain).unwrap_or_default()));
    }
    if rows.iter().any(|row| row.verdict.is_some()) {
        parts.push(Part::new("verdict", false, |row| row.verdict.clone().unwrap_or_default()));
    }
    parts
}

/// A probability with two digits; very small ones are only said to be so.
fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".to_string() } else { number::significant(p, 2) }
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
    use crate::samples;

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
        assert!(tables(&rows)[0].notes().is_empty());
    }

    #[test]
    fn only_columns_with_content_are_shown() {
        let names = |rows: &[Row]| -> Vec<String> { tables(rows)[0].columns.iter().map(|c| c.name.clone()).collect() };
        assert_eq!(names(&samples::sweep(1, 9)), ["series", "x", "metric", "mean ± 95 %", "n"]);
        let full = ["series", "metric", "mean ± 95 %", "n", "published", "verdict"];
        assert_eq!(names(&samples::small().rows), full);
    }

    #[test]
    fn differences_have_their_sign_and_a_star_if_they_are_told_from_zero() {
        let row = Row { p_holm: Some(0.03), ..samples::differences(1).remove(0) };
        let cell = |mean, ci95, p_holm| estimate(&Row { mean, ci95, p_holm, ..row.clone() });
        assert_eq!(cell(0.0213, Some(0.0121), Some(0.03)), "+0.021 ± 0.012 *");
        assert_eq!(cell(-0.0213, Some(0.0121), Some(0.05)), "-0.021 ± 0.012");
        assert_eq!(cell(1.234e-7, Some(1.2e-9), Some(0.0)), "(+1.234 ± 0.012)e-7 *");
        assert_eq!(cell(0.0, None, Some(1.0)), "0");
        assert_eq!(cell(0.0213, Some(0.0121), None), "0.021 ± 0.012");
        let of_one = &tables(std::slice::from_ref(&row))[0];
        let names: Vec<&str> = of_one.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["series", "metric", "mean ± 95 %", "n", "p (Holm)"]);
        assert_eq!(of_one.lines[0][4], "0.03");
        assert!(matches!(&of_one.notes()[..], [note] if note.starts_with("A star marks")));
    }
}
