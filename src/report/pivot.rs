//! Rows as pivots: a line for each metric and a column for each series, or a line for each value of x.

use super::crossing;
use super::number;
use super::table::{self, Column, SWEEP_ROWS, TOLD, Table, estimate, in_order};
use crate::Row;
use gridloom_sim::metrics::says;
use std::collections::BTreeMap;

/// A comparison of more series than this has a line for each, and a column for each metric.
const MOST_SERIES: usize = 6;

/// The series of a run side by side.
pub(super) struct SeriesComparison {
    /// The metrics that matter.
    pub shown: Table,
    /// All others, if there are some: those that nothing is drawn of, that are 0 or that are the same for all series.
    pub folded: Option<Table>,
}

/// The first experiment without `x`, its series side by side. `drawn` are the metrics that figures show; where there
/// are none, all metrics matter that tell series apart.
pub(super) fn comparison(rows: &[Row], drawn: &[&str]) -> Option<SeriesComparison> {
    let flat = || rows.iter().filter(|row| row.x.is_none() && row.factors.is_empty());
    let experiment = flat().find(|row| !is_difference(row))?.experiment.as_str();
    let (differences, plain): (Vec<&Row>, Vec<&Row>) =
        flat().filter(|row| row.experiment == experiment).partition(|row| is_difference(row));
    let cells = Cells::of(&plain)?;
    let starred = Starred::against(cells.series.first()?, &differences);
    let (quiet, shown): (Vec<&str>, Vec<&str>) = cells.metrics.iter().partition(|metric| cells.is_quiet(metric, drawn));
    // Where nothing that is drawn is there to be compared, everything is.
    let (shown, quiet) = if shown.is_empty() { (quiet, Vec::new()) } else { (shown, quiet) };
    let table = |metrics: &[&str]| Table {
        signs: starred.explained(),
        ..cells.table(experiment.to_string(), metrics, &starred, cells.series.len() > MOST_SERIES)
    };
    let folded = (!quiet.is_empty()).then(|| Table { signs: Vec::new(), ..table(&quiet) });
    Some(SeriesComparison { shown: table(&shown), folded })
}

/// The number of metrics in a table of a comparison.
pub(super) fn metric_count(table: &Table) -> usize {
    match table.columns.first() {
        Some(first) if first.name == "series" => table.columns.len() - 1,
        _ => table.lines.len(),
    }
}

/// The tables of all experiments as pivots, in order of first appearance.
pub(super) fn pivots(rows: &[Row]) -> Vec<Table> {
    let mut tables = Vec::new();
    for experiment in in_order(rows, |row| &row.experiment) {
        let all: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment).collect();
        let (crossing, plain): (Vec<&Row>, Vec<&Row>) = all.iter().partition(|row| !row.factors.is_empty());
        let (swept, flat): (Vec<&Row>, Vec<&Row>) = plain.into_iter().partition(|row| row.x.is_some());
        tables.extend(flat_tables(experiment, &flat));
        if !swept.is_empty() {
            match table::crossed(experiment, &swept) {
                Some(table) => tables.push(table),
                None => tables.extend(along(experiment, &swept)),
            }
        }
        if !crossing.is_empty() {
            let listed = || table::listed(experiment.to_string(), &crossing);
            tables.push(crossing::pivot(experiment, &crossing).unwrap_or_else(listed));
        }
        let judged: Vec<&Row> = all.into_iter().filter(|row| row.verdict.is_some()).collect();
        if !judged.is_empty() {
            tables.push(table::listed(format!("{experiment}, compared with published values"), &judged));
        }
    }
    tables
}

/// The rows without `x`: those of series, and those that compare two of them.
fn flat_tables(experiment: &str, rows: &[&Row]) -> Vec<Table> {
    let (differences, plain): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| is_difference(row));
    let mut tables = Vec::new();
    for (heading, rows) in [(experiment.to_string(), plain), (format!("{experiment}, differences"), differences)] {
        if rows.is_empty() {
            continue;
        }
        tables.push(match Cells::of(&rows) {
            Some(cells) => {
                let many = cells.series.len() > cells.metrics.len();
                let table = cells.table(heading, &cells.metrics, &Starred::default(), many);
                Table { signs: table::stars(&rows), ..table }
            }
            None => table::listed(heading, &rows),
        });
    }
    tables
}

/// A table for each metric of a long sweep or a time series: a line for some values of `x`, a column for each series.
fn along(experiment: &str, rows: &[&Row]) -> Vec<Table> {
    let metrics = in_order(rows.iter().copied(), |row| &row.metric);
    let measured_by = |series: &str| {
        let of_series = rows.iter().copied().filter(|row| row.series == series);
        in_order(of_series, |row| &row.metric).len()
    };
    // Series that have a metric each, such as the uses of node time, share a table.
    let is_shared = in_order(rows.iter().copied(), |row| &row.series).into_iter().all(|name| measured_by(name) == 1);
    let metrics = if is_shared { vec![""] } else { metrics };
    let mut tables = Vec::new();
    for metric in &metrics {
        let of_metric: Vec<&Row> = rows.iter().copied().filter(|row| is_shared || row.metric == *metric).collect();
        let series = in_order(of_metric.iter().copied(), |row| &row.series);
        let mut places: Vec<f64> = of_metric.iter().filter_map(|row| row.x).collect();
        places.sort_by(f64::total_cmp);
        places.dedup();
        let name = |row: &Row| series.iter().position(|name| *name == row.series);
        let place = |row: &Row| row.x.and_then(|x| places.binary_search_by(|place| place.total_cmp(&x)).ok());
        let mut cells: BTreeMap<(Option<usize>, Option<usize>), &Row> = BTreeMap::new();
        for row in &of_metric {
            cells.insert((place(row), name(row)), row);
        }
        let heading = if metrics.len() > 1 { format!("{experiment}: {metric}") } else { experiment.to_string() };
        if cells.len() < of_metric.len() {
            // Of several rows for one cell all but the last would be lost.
            tables.push(table::listed(heading, &of_metric));
            continue;
        }
        let shown = places.len().min(SWEEP_ROWS);
        let line = |k: usize| {
            let at = if shown > 1 { k * (places.len() - 1) / (shown - 1) } else { 0 };
            let cell = |name| cells.get(&(Some(at), Some(name))).map(|row| estimate(row)).unwrap_or_default();
            [number::plain(places[at])].into_iter().chain((0..series.len()).map(cell)).collect()
        };
        let lines: Vec<Vec<String>> = (0..shown).map(line).collect();
        let columns = ["x"].iter().chain(&series).map(|name| Column { name: name.to_string(), numeric: true });
        let table = Table::new(heading, columns.collect(), lines);
        tables.push(Table { left_out: places.len() - shown, signs: table::stars(&of_metric), ..table });
    }
    tables
}

/// True for a row that compares two series.
fn is_difference(row: &Row) -> bool {
    row.p.is_some() || (row.series.contains(" against ") && row.metric.starts_with("difference in "))
}

/// Rows by metric and series.
struct Cells<'a> {
    metrics: Vec<&'a str>,
    series: Vec<&'a str>,
    rows: BTreeMap<(&'a str, &'a str), &'a Row>,
}

impl<'a> Cells<'a> {
    /// The cells, unless two rows fall on one.
    fn of(rows: &[&'a Row]) -> Option<Self> {
        let metrics = in_order(rows.iter().copied(), |row| &row.metric);
        let series = in_order(rows.iter().copied(), |row| &row.series);
        let mut cells = BTreeMap::new();
        for row in rows {
            if cells.insert((row.metric.as_str(), row.series.as_str()), *row).is_some() {
                return None;
            }
        }
        Some(Self { metrics, series, rows: cells })
    }

    fn of_metric(&self, metric: &'a str) -> impl Iterator<Item = &'a Row> {
        self.series.iter().filter_map(move |series| self.rows.get(&(metric, *series)).copied())
    }

    /// True if a metric is 0 throughout or is not drawn; where nothing is drawn, if it tells nothing of series.
    fn is_quiet(&self, metric: &'a str, drawn: &[&str]) -> bool {
        let means: Vec<f64> = self.of_metric(metric).map(|row| row.mean).collect();
        let same = means.len() > 1 && means.iter().all(|mean| *mean == means[0]);
        let is_told = if drawn.is_empty() { !same } else { drawn.contains(&metric) };
        // The first that is drawn is what the run is about: that every job fails must be seen.
        !is_told || (drawn.first() != Some(&metric) && means.iter().all(|mean| *mean == 0.0))
    }

    /// The name of a metric with its unit.
    fn label(&self, metric: &'a str) -> String {
        let unit = self.of_metric(metric).map(|row| row.unit.as_str()).next().unwrap_or_default();
        if unit.is_empty() || says(metric, unit) { metric.to_string() } else { format!("{metric} ({unit})") }
    }

    fn cell(&self, metric: &'a str, series: &'a str, starred: &Starred<'a>) -> String {
        let Some(row) = self.rows.get(&(metric, series)) else { return String::new() };
        if starred.has(metric, series) { format!("{} *", estimate(row)) } else { estimate(row) }
    }

    /// The cells of some metrics; `transposed`, with a line for each series.
    fn table(&self, heading: String, metrics: &[&'a str], starred: &Starred<'a>, transposed: bool) -> Table {
        let labels = metrics.iter().map(|metric| self.label(metric));
        let names = self.series.iter().map(|name| name.to_string());
        let column = |(index, name): (usize, String)| Column { name, numeric: index > 0 };
        let (columns, lines): (Vec<String>, Vec<Vec<String>>) = if transposed {
            let cells = |series| metrics.iter().map(move |metric| self.cell(metric, series, starred));
            let line = |series: &&'a str| [series.to_string()].into_iter().chain(cells(*series)).collect();
            (["series".to_string()].into_iter().chain(labels).collect(), self.series.iter().map(line).collect())
        } else {
            let cells = |metric| self.series.iter().map(move |series| self.cell(metric, series, starred));
            let line = |(metric, label): (&&'a str, String)| [label].into_iter().chain(cells(*metric)).collect();
            let lines = metrics.iter().zip(labels).map(line).collect();
            (["metric".to_string()].into_iter().chain(names).collect(), lines)
        };
        Table::new(heading, columns.into_iter().enumerate().map(column).collect(), lines)
    }
}

/// The values that differ from those of the first series beyond doubt.
#[derive(Default)]
struct Starred<'a> {
    first: &'a str,
    differences: BTreeMap<(&'a str, &'a str), &'a Row>,
}

impl<'a> Starred<'a> {
    fn against(first: &'a str, differences: &[&'a Row]) -> Self {
        let named = differences.iter().filter_map(|row| {
            let (series, other) = row.series.split_once(" against ")?;
            let metric = row.metric.strip_prefix("difference in ")?;
            (other == first).then_some(((metric, series), *row))
        });
        Self { first, differences: named.collect() }
    }

    fn has(&self, metric: &'a str, series: &'a str) -> bool {
        self.differences.get(&(metric, series)).is_some_and(|row| match row.p_holm {
            Some(p) => p < TOLD,
            None => row.ci95.is_some_and(|half| row.mean.abs() > half),
        })
    }

    fn explained(&self) -> Vec<String> {
        let star = || {
            format!(
                "A star marks a value that differs from that of {}: the paired difference is told from 0 (p < {TOLD} \
                 after Holm's correction).",
                self.first
            )
        };
        (!self.differences.is_empty()).then(star).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use gridloom_sim::metrics::Estimate;

    fn row(series: &str, metric: &str, mean: f64) -> Row {
        let row = Row::new("whole run", series, metric, Estimate { mean, ci95: Some(0.25), n: 9 });
        Row { unit: if metric == "wait" { "hours".into() } else { String::new() }, ..row }
    }

    fn run(series: &[&str]) -> Vec<Row> {
        let mut rows = Vec::new();
        for (k, name) in series.iter().enumerate() {
            rows.push(row(name, "wait", 4.0 + k as f64));
            rows.push(row(name, "late", 0.0));
            rows.push(row(name, "submitted", 7.0));
            rows.push(row(name, "cost", 3.0 * k as f64));
            if k > 0 {
                let (name, p) = (format!("{name} against {}", series[0]), 0.04 * k as f64);
                rows.push(Row { p: Some(p), p_holm: Some(p), ..row(&name, "difference in wait", k as f64) });
            }
        }
        rows
    }

    fn names(table: &Table) -> Vec<&str> {
        table.columns.iter().map(|column| column.name.as_str()).collect()
    }

    fn firsts(table: &Table) -> Vec<&str> {
        table.lines.iter().map(|line| line[0].as_str()).collect()
    }

    #[test]
    fn a_comparison_stars_what_differs_from_the_first_series_and_folds_what_tells_nothing() {
        let rows = run(&["EASY", "FCFS", "OPT"]);
        let SeriesComparison { shown, folded } = comparison(&rows, &[]).unwrap();
        assert_eq!(names(&shown), ["metric", "EASY", "FCFS", "OPT"]);
        assert_eq!(firsts(&shown), ["wait (hours)", "cost"]);
        assert_eq!(shown.lines[0][1..], ["4.00 ± 0.25", "5.00 ± 0.25 *", "6.00 ± 0.25"]);
        assert!(shown.notes()[0].contains("from that of EASY"));
        assert_eq!(firsts(&folded.unwrap()), ["late", "submitted"]);
        let drawn = comparison(&rows, &["cost", "submitted", "late"]).unwrap();
        assert_eq!(firsts(&drawn.shown), ["submitted", "cost"]);
        assert_eq!(firsts(&drawn.folded.unwrap()), ["wait (hours)", "late"]);
    }

    #[test]
    fn many_series_have_a_line_each() {
        let series = ["a", "b", "c", "d", "e", "f", "g"];
        let table = comparison(&run(&series), &[]).unwrap().shown;
        assert_eq!(names(&table), ["series", "wait (hours)", "cost"]);
        assert_eq!(firsts(&table), series);
        assert_eq!(table.lines[1][1], "5.00 ± 0.25 *");
    }

    #[test]
    fn rows_with_x_alone_have_nothing_to_compare() {
        assert!(comparison(&samples::sweep(2, 3), &[]).is_none());
        assert!(comparison(&[], &[]).is_none());
    }

    #[test]
    fn every_value_of_a_run_has_a_cell_and_differences_a_table_of_their_own() {
        let rows = run(&["EASY", "FCFS"]);
        let tables = pivots(&rows);
        assert_eq!(tables[0].lines.len(), 4);
        assert_eq!((tables[1].heading.as_str(), tables[1].lines.len()), ("whole run, differences", 1));
        assert_eq!(tables[1].lines[0], ["difference in wait", "+1.00 ± 0.25 *"]);
        for row in rows.iter().filter(|row| !is_difference(row)) {
            let line = tables[0].lines.iter().find(|line| line[0].starts_with(&row.metric)).unwrap();
            let column = names(&tables[0]).iter().position(|name| *name == row.series).unwrap();
            assert_eq!(line[column], estimate(row));
        }
    }

    #[test]
    fn a_time_series_has_a_line_for_some_instants_and_a_column_for_each_series() {
        let tables = pivots(&samples::sweep(3, 500));
        assert_eq!(names(&tables[0]), ["x", "series 0", "series 1", "series 2"]);
        assert_eq!((tables.len(), tables[0].lines.len(), tables[0].left_out), (1, SWEEP_ROWS, 480));
        assert_eq!((firsts(&tables[0])[0], firsts(&tables[0])[19]), ("0", "499"));
    }

    #[test]
    fn metrics_of_the_same_series_have_a_table_each_and_others_share_one() {
        let renamed =
            |metric: &str| samples::sweep(1, 9).into_iter().map(|row| Row { metric: metric.into(), ..row }).collect();
        let same: Vec<Row> = [samples::sweep(1, 9), renamed("turnaround")].concat();
        let headings: Vec<String> = pivots(&same).into_iter().map(|table| table.heading).collect();
        assert_eq!(headings, ["sweep: waiting", "sweep: turnaround"]);
        let other: Vec<Row> =
            renamed("idle").into_iter().map(|row: Row| Row { series: "idle".into(), ..row }).collect();
        let tables = pivots(&[samples::sweep(1, 9), other].concat());
        assert_eq!((tables.len(), names(&tables[0])), (1, vec!["x", "series 0", "idle"]));
    }

    #[test]
    fn rows_that_share_a_cell_are_listed() {
        let twice = [run(&["EASY"]), run(&["EASY"])].concat();
        assert_eq!(pivots(&twice)[0].lines.len(), 8);
        let swept = [samples::sweep(1, 30), samples::sweep(1, 30)].concat();
        assert_eq!(names(&pivots(&swept)[0])[0], "series");
    }
}
