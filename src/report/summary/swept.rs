//! The points of a sweep or a crossing: a line for each series, drawn small.

use super::SummaryFocus;
use super::whole::is_same;
use crate::decimals::{Decimals, MARK, with_marks};
use crate::lines::width_of;
use crate::pivot::{Key, Pivot};
use crate::rows::{
    Differences, column_factor, distinct, factor_names, in_order, is_difference, levels, metric_name, places,
    value_text,
};
use crate::table::{Column, Note, Table};
use crate::{Figure, Row, SweepValue, number};

/// The heights of a small line.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A small line has at most this many of them.
const MOST_HEIGHTS: usize = 12;
/// The columns of a crossing that is shown as a table.
const MOST_COLUMNS: usize = 9;

/// The rows of a sweep that are shown.
#[derive(Debug)]
pub(super) struct Swept<'a> {
    title: String,
    rows: Vec<&'a Row>,
    metrics: Vec<&'a str>,
    differences: Differences<'a>,
    /// In a crossing, the factor that lines go along.
    along: Option<&'a str>,
    /// Metrics that are drawn but the same throughout.
    same: Option<Note>,
}

impl<'a> Swept<'a> {
    /// The rows of an experiment that have an x or factors. `figures` are those of the experiment: what they draw is
    /// what is shown.
    pub(super) fn of(
        experiment: &'a str,
        rows: &[&'a Row],
        focus: &'a SummaryFocus,
        figures: &[&'a Figure],
    ) -> Option<Self> {
        let drawn: Vec<&'a str> = figures.iter().flat_map(|figure| &figure.metrics).map(String::as_str).collect();
        let known = in_order(rows.iter().copied(), |row| &row.metric);
        let lead = focus.metrics.iter().map(String::as_str).filter(|name| drawn.contains(name));
        let mut metrics: Vec<&'a str> = distinct(lead.chain(drawn.iter().copied()).filter(|name| known.contains(name)));
        let of_metric =
            |name: &str| -> Vec<&'a Row> { rows.iter().copied().filter(|row| row.metric == name).collect() };
        // A difference is the mark of the value that it is about.
        let is_plain = |name: &&str| of_metric(name).iter().any(|row| !is_difference(row));
        if metrics.iter().any(is_plain) {
            metrics.retain(|name| is_plain(name));
        }
        let (same, telling): (Vec<&str>, Vec<&str>) = metrics.iter().partition(|name| is_same(&of_metric(name)));
        let metrics = if telling.is_empty() { metrics } else { telling };
        let value = |name: &&str| {
            let row = of_metric(name)[0];
            format!("{} {}", metric_name(row), Decimals::of(&[row]).text(row.mean))
        };
        let same: Vec<String> = same.iter().filter(|name| !metrics.contains(name)).map(value).collect();
        let shown: Vec<&'a Row> = rows.iter().copied().filter(|row| metrics.contains(&row.metric.as_str())).collect();
        let is_crossing = !shown.first()?.factors.is_empty();
        let along = is_crossing.then(|| {
            let names = factor_names(&shown);
            let number = |name: &&&str| levels(&shown, name).iter().all(|value| value.number().is_some());
            column_factor(&shown).or_else(|| names.iter().find(number).or(names.first()).copied())
        });
        let along = along.flatten();
        // A crossing shows one metric, at each value of a factor.
        let metrics: Vec<&str> = metrics.into_iter().take(if is_crossing { 1 } else { usize::MAX }).collect();
        let shown: Vec<&'a Row> = shown.into_iter().filter(|row| metrics.contains(&row.metric.as_str())).collect();
        let label = figures.iter().map(|figure| figure.x_label.as_str()).find(|label| !label.is_empty()).unwrap_or("x");
        let title = match along {
            Some(factor) => format!("{experiment}: {} by {factor}", metric_name(shown.first()?)),
            None => {
                let places = places(&shown);
                let ends = places.first().zip(places.last());
                let span = ends.map_or(String::new(), |(first, last)| {
                    format!(" from {} to {}", number::plain(*first), number::plain(*last))
                });
                format!("{experiment}: {label}{span}, {} values", places.len())
            }
        };
        let of_sweep = focus.sweeps.iter().any(|name| name == experiment);
        let same = (!same.is_empty()).then(|| Note::list("The same throughout: ", same, 1));
        let differences = Differences::of(rows, &focus.baselines, of_sweep);
        Some(Self { title, metrics, along, differences, rows: shown, same })
    }

    /// The rows of a metric: a line for each series, in a crossing at values of all factors but the one that it goes along.
    fn pivot(&self, metric: &str) -> Pivot<'a> {
        let rows: Vec<&'a Row> = self.rows.iter().copied().filter(|row| row.metric == metric).collect();
        let others = factor_names(&rows).into_iter().filter(|name| Some(*name) != self.along).map(Key::Factor);
        let lines: Vec<Key<'a>> = [Key::Series].into_iter().chain(others).collect();
        let pivot = Pivot::new(self.title.clone(), &rows, &lines, self.along.map_or(Key::X, Key::Factor));
        Pivot { differences: self.differences.clone(), ..pivot }
    }

    /// The cells of a metric by the labels of their lines: first value, small line, last value. All lines have the same
    /// scale.
    fn cells(&self, metric: &str) -> Vec<(Vec<String>, String)> {
        let grid = self.pivot(metric).grid().unwrap_or_default();
        let rows: Vec<&Row> = grid.iter().flat_map(|(_, rows)| rows.iter().flatten().copied()).collect();
        let decimals = Decimals::of(&rows);
        let low = rows.iter().map(|row| row.mean).fold(f64::INFINITY, f64::min);
        let high = rows.iter().map(|row| row.mean).fold(f64::NEG_INFINITY, f64::max);
        let end = |row: Option<&&Row>| {
            row.map_or((String::new(), false), |row| (decimals.estimate(row, false), self.differences.tells(row)))
        };
        let firsts: Vec<(String, bool)> = grid.iter().map(|(_, rows)| end(rows.iter().flatten().next())).collect();
        let lasts: Vec<(String, bool)> = grid.iter().map(|(_, rows)| end(rows.iter().flatten().last())).collect();
        let room = firsts.iter().chain(&lasts).any(|(_, is_marked)| *is_marked);
        let (firsts, lasts) = (with_marks(firsts, room), with_marks(lasts, room));
        let small: Vec<String> = grid.iter().map(|(_, rows)| small_line(rows, low, high)).collect();
        let wide = |texts: &[String]| texts.iter().map(|text| width_of(text)).max().unwrap_or(0);
        let (left, middle, right) = (wide(&firsts), wide(&small), wide(&lasts));
        let cells = firsts.iter().zip(&small).zip(&lasts);
        let cells = cells.map(|((first, small), last)| format!("{first:>left$} {small:<middle$} {last:>right$}"));
        grid.iter().map(|(labels, _)| labels.clone()).zip(cells).collect()
    }

    /// A line for each series, and a column for each metric.
    fn drawn(&self) -> Table {
        let columns: Vec<Vec<(Vec<String>, String)>> = self.metrics.iter().map(|metric| self.cells(metric)).collect();
        let of = |metric: &&str| self.rows.iter().find(|row| row.metric == **metric).map(|row| metric_name(row));
        let heading: Vec<String> = match self.along {
            Some(factor) => vec![self.span(factor)],
            None => self.metrics.iter().filter_map(of).collect(),
        };
        let line = |labels: Vec<String>| {
            let cell = |column: &Vec<(Vec<String>, String)>| {
                column.iter().find(|(own, _)| *own == labels).map(|(_, cell)| cell.clone()).unwrap_or_default()
            };
            let cells: Vec<String> = columns.iter().map(cell).collect();
            [labels, cells].concat()
        };
        let labels = distinct(columns.iter().flatten().map(|(labels, _)| labels.clone()));
        let names = self.metrics.first().map(|metric| self.pivot(metric).labels()).unwrap_or_default();
        let (count, heading) = (names.len(), heading.into_iter().map(Column::number));
        let lines = labels.into_iter().map(line).collect();
        Table { labels: count, ..Table::new(self.title.clone(), names.into_iter().chain(heading).collect(), lines) }
    }

    fn span(&self, factor: &str) -> String {
        let values = levels(&self.rows, factor);
        let end = |value: Option<&&SweepValue>| value.map(|value| value_text(value)).unwrap_or_default();
        format!("{factor} {} to {}", end(values.first()), end(values.last()))
    }

    /// The table for a terminal: a crossing has a column for each value of a factor, if they fit.
    pub(super) fn table(&self, width: usize) -> Table {
        let pivot = self.along.zip(self.metrics.first()).and_then(|(factor, metric)| {
            let mut table = self.pivot(metric).table(false)?;
            // The title names the factor.
            let setting = format!("{factor} = ");
            table.columns.iter_mut().for_each(|column| column.name = column.name.replacen(&setting, "", 1));
            (table.columns.len() - table.labels <= MOST_COLUMNS && table.fits(width)).then_some(table)
        });
        let is_marked = self.rows.iter().any(|row| self.differences.tells(row));
        let marks = match (self.rows.iter().all(|row| row.p.is_some()), self.differences.baseline()) {
            _ if !is_marked => String::new(),
            (false, Some(baseline)) => format!(" ({MARK} differs from {baseline})"),
            _ => format!(" ({MARK} differs from 0)"),
        };
        let table = pivot.unwrap_or_else(|| self.drawn());
        let notes = self.same.iter().cloned().collect();
        Table { title: format!("{}{marks}", self.title), line_is: "more line", notes, ..table }
    }
}

/// Rows as heights between the lowest and the highest of all lines, and gaps where there is none; of many, evenly spaced
/// ones.
fn small_line(rows: &[Option<&Row>], low: f64, high: f64) -> String {
    let last = HEIGHTS.len() - 1;
    let height = |row: &Option<&Row>| {
        let Some(row) = row else { return ' ' };
        let share = if high > low { (row.mean - low) / (high - low) } else { 0.0 };
        HEIGHTS[((share * last as f64).round() as usize).min(last)]
    };
    if rows.len() <= MOST_HEIGHTS {
        return rows.iter().map(height).collect();
    }
    (0..MOST_HEIGHTS).map(|k| height(&rows[k * (rows.len() - 1) / (MOST_HEIGHTS - 1)])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureKind;
    use crate::samples;

    #[test]
    fn a_small_line_goes_from_the_lowest_to_the_highest_of_all() {
        let rows = samples::sweep(1, 3);
        assert_eq!(rows.iter().map(|row| row.mean).collect::<Vec<_>>(), [10.0, 12.0, 14.0]);
        let rows: Vec<Option<&Row>> = rows.iter().map(Some).collect();
        assert_eq!(small_line(&rows, 10.0, 14.0), "▁▅█");
        assert_eq!(small_line(&rows, 0.0, 28.0), "▄▄▅");
        assert_eq!(small_line(&rows, 12.0, 12.0), "▁▁▁");
        assert_eq!(small_line(&[rows[0], None, rows[2]], 10.0, 14.0), "▁ █");
    }

    #[test]
    fn a_long_sweep_keeps_its_ends() {
        let rows = samples::sweep(1, 100);
        let rows: Vec<Option<&Row>> = rows.iter().map(Some).collect();
        let line = small_line(&rows, 10.0, 16.0);
        assert_eq!(line.chars().count(), MOST_HEIGHTS);
        assert_eq!((line.chars().next(), line.chars().last()), (Some('▁'), Some(HEIGHTS[2])));
    }

    #[test]
    fn a_sweep_has_a_line_for_each_series_with_its_ends() {
        let rows = samples::sweep(2, 4);
        let rows: Vec<&Row> = rows.iter().collect();
        let (figure, focus) = (samples::figure(FigureKind::Lines), SummaryFocus::default());
        let swept = Swept::of("sweep", &rows, &focus, &[&figure]).unwrap();
        let expected = [
            "sweep: Load (jobs per hour) from 0 to 3, 4 values",
            "                   waiting",
            "series 0  10.00 ▁▃▅▇ 16.00",
            "series 1  11.00 ▂▅█▄ 13.00",
        ];
        assert_eq!(swept.table(80).text(80, 10), expected);
        assert_eq!(swept.table(80).text(80, 3)[3], "(1 more line: --verbose, or results.csv)");
    }

    #[test]
    fn a_point_without_a_value_leaves_a_gap() {
        let mut rows = samples::sweep(2, 4);
        rows.remove(1);
        let rows: Vec<&Row> = rows.iter().collect();
        let (figure, focus) = (samples::figure(FigureKind::Lines), SummaryFocus::default());
        let lines = Swept::of("sweep", &rows, &focus, &[&figure]).unwrap().table(80).text(80, 10);
        assert_eq!(lines[2], "series 0  10.00 ▁ ▅▇ 16.00");
    }

    #[test]
    fn a_crossing_has_a_column_for_each_value_of_x() {
        let rows = samples::crossing(1, 3, 2, 1);
        let rows: Vec<&Row> = rows.iter().collect();
        let (figure, focus) = (samples::cut_figure(FigureKind::Panels(samples::cut())), SummaryFocus::default());
        let lines = Swept::of("rules", &rows, &focus, &[&figure]).unwrap().table(90).text(90, 10);
        insta::assert_snapshot!(lines.join("\n"));
    }
}
