//! The points of a sweep or a crossing: a line for each series, drawn small.

use super::SummaryFocus;
use super::lines::{TextTable, wrapped};
use super::value::{Decimals, Differences, MARK, is_difference, metric_name, with_marks};
use crate::crossing::{column_factor, factor_names, levels, setting, value_text};
use crate::number;
use crate::table::in_order;
use crate::{Factor, Figure, Row, SweepValue};

/// The heights of a small line.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// A small line has at most this many of them.
const MOST_HEIGHTS: usize = 12;

/// A line of a sweep: a series, in a crossing at values of all factors but the one that the line goes along.
type SweptLine<'a> = (String, Vec<&'a Row>);

/// The rows of a sweep that are shown.
#[derive(Debug)]
pub(super) struct Swept<'a> {
    pub(super) name: &'a str,
    heading: String,
    rows: Vec<&'a Row>,
    metrics: Vec<&'a str>,
    differences: Differences<'a>,
    /// In a crossing, the factor that lines go along.
    along: Option<&'a str>,
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
        let mut metrics: Vec<&'a str> = Vec::new();
        for name in
            lead.chain(drawn.iter().copied()).filter_map(|name| known.iter().copied().find(|known| *known == name))
        {
            if !metrics.contains(&name) {
                metrics.push(name);
            }
        }
        let is_zero = |name: &str| rows.iter().filter(|row| row.metric == name).all(|row| row.mean == 0.0);
        if !metrics.iter().all(|name| is_zero(name)) {
            metrics.retain(|name| !is_zero(name));
        }
        // A difference is the mark of the value that it is about.
        let is_plain = |name: &&str| rows.iter().any(|row| row.metric == *name && !is_difference(row));
        if metrics.iter().any(is_plain) {
            metrics.retain(|name| is_plain(name));
        }
        let shown: Vec<&'a Row> = rows.iter().copied().filter(|row| metrics.contains(&row.metric.as_str())).collect();
        let first = shown.first()?;
        let is_crossing = !first.factors.is_empty();
        let along = is_crossing.then(|| {
            let names = factor_names(&shown);
            let number = |name: &&&str| levels(&shown, name).iter().all(|value| value.number().is_some());
            column_factor(&shown).or_else(|| names.iter().find(number).or(names.first()).copied())
        });
        let along = along.flatten();
        // A crossing shows one metric, at each value of a factor.
        metrics.truncate(if is_crossing { 1 } else { usize::MAX });
        let of_sweep = focus.sweeps.iter().any(|name| name == experiment);
        let label = figures.iter().map(|figure| figure.x_label.as_str()).find(|label| !label.is_empty()).unwrap_or("x");
        let heading = match along {
            Some(factor) => {
                let own = shown.iter().find(|row| metrics.first() == Some(&row.metric.as_str()));
                format!("{experiment}: {} by {factor}", own.map(|row| metric_name(row)).unwrap_or_default())
            }
            None => {
                let ends = (places(&shown).first().copied(), places(&shown).last().copied());
                let span = ends.0.zip(ends.1).map_or(String::new(), |(first, last)| {
                    format!(" from {} to {}", number::plain(first), number::plain(last))
                });
                format!("{experiment}: {label}{span}, {} values", places(&shown).len())
            }
        };
        Some(Self {
            name: experiment,
            heading,
            metrics,
            along,
            differences: Differences::of(rows, &focus.baselines, of_sweep),
            rows: shown,
        })
    }

    /// The lines that a metric has, each in the order of x.
    fn lines_of(&self, metric: &str) -> Vec<SweptLine<'a>> {
        let rows: Vec<&'a Row> = self.rows.iter().copied().filter(|row| row.metric == metric).collect();
        let name = |row: &Row| {
            let others = row.factors.iter().filter(|factor| Some(factor.name.as_str()) != self.along);
            let text = |factor: &Factor| match factor.value.number() {
                Some(_) => setting(&factor.name, &factor.value),
                None => factor.value.to_string(),
            };
            let others: Vec<String> = others.map(text).collect();
            let series = std::iter::once(row.series.clone());
            series.chain(others).collect::<Vec<_>>().join(", ")
        };
        let mut lines: Vec<SweptLine<'a>> = Vec::new();
        for row in rows {
            let own = name(row);
            match lines.iter_mut().find(|(name, _)| *name == own) {
                Some((_, rows)) => rows.push(row),
                None => lines.push((own, vec![row])),
            }
        }
        if self.along.is_none() {
            let x = |row: &&Row| row.x.unwrap_or_default();
            lines.iter_mut().for_each(|(_, rows)| rows.sort_by(|a, b| x(a).total_cmp(&x(b))));
        }
        lines
    }

    /// The rows of a line at all points of the sweep, in their order: nothing where the metric has no value.
    fn at_points(&self, line: &[&'a Row]) -> Vec<Option<&'a Row>> {
        let find = |is_there: &dyn Fn(&Row) -> bool| line.iter().copied().find(|row| is_there(row));
        match self.along {
            Some(factor) => {
                let values = levels(&self.rows, factor);
                values.into_iter().map(|value| find(&|row| row.factor(factor) == Some(value))).collect()
            }
            None => places(&self.rows).into_iter().map(|x| find(&|row| row.x == Some(x))).collect(),
        }
    }

    /// A column for each metric: first value, small line, last value. All lines of a metric have the same scale.
    fn drawn(&self) -> TextTable {
        let mut names: Vec<String> = Vec::new();
        let mut columns: Vec<Vec<(String, String)>> = Vec::new();
        for metric in &self.metrics {
            let lines = self.lines_of(metric);
            let rows: Vec<&Row> = lines.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
            let decimals = Decimals::of(&rows);
            let low = rows.iter().map(|row| row.mean).fold(f64::INFINITY, f64::min);
            let high = rows.iter().map(|row| row.mean).fold(f64::NEG_INFINITY, f64::max);
            let end = |row: Option<&&Row>| {
                row.map_or((String::new(), false), |row| (decimals.estimate(row, false), self.differences.tells(row)))
            };
            let ends: Vec<[(String, bool); 2]> =
                lines.iter().map(|(_, rows)| [end(rows.first()), end(rows.last())]).collect();
            let room = ends.iter().flatten().any(|(_, told)| *told);
            let side = |side: usize| with_marks(ends.iter().map(|pair| pair[side].clone()).collect(), room);
            let (firsts, lasts) = (side(0), side(1));
            let wide = |texts: &[String]| texts.iter().map(|text| super::lines::width_of(text)).max().unwrap_or(0);
            let (left, right) = (wide(&firsts), wide(&lasts));
            let spark: Vec<String> =
                lines.iter().map(|(_, rows)| small_line(&self.at_points(rows), low, high)).collect();
            let middle = wide(&spark);
            let cells = firsts.iter().zip(&spark).zip(&lasts);
            let cells = cells.map(|((first, spark), last)| format!("{first:>left$} {spark:<middle$} {last:>right$}"));
            columns.push(lines.iter().map(|(name, _)| name.clone()).zip(cells).collect());
            names.extend(lines.into_iter().map(|(name, _)| name));
        }
        let mut seen: Vec<String> = Vec::new();
        names.retain(|name| {
            !seen.contains(name) && {
                seen.push(name.clone());
                true
            }
        });
        let of = |metric: &&str| {
            self.rows.iter().find(|row| row.metric == **metric).map(|row| metric_name(row)).unwrap_or_default()
        };
        let heading = match self.along {
            Some(factor) => vec![String::new(), self.span(factor)],
            None => [String::new()].into_iter().chain(self.metrics.iter().map(of)).collect(),
        };
        let line = |name: &String| {
            let cell = |column: &Vec<(String, String)>| {
                column.iter().find(|(own, _)| own == name).map(|(_, cell)| cell.clone()).unwrap_or_default()
            };
            std::iter::once(name.clone()).chain(columns.iter().map(cell)).collect()
        };
        TextTable { heading, lines: names.iter().map(line).collect() }
    }

    fn span(&self, factor: &str) -> String {
        let values = levels(&self.rows, factor);
        let end = |value: Option<&&SweepValue>| value.map(|value| value_text(value)).unwrap_or_default();
        format!("{factor} {} to {}", end(values.first()), end(values.last()))
    }

    /// A crossing with a column for each value of a factor.
    fn pivot(&self, factor: &str) -> TextTable {
        let values = levels(&self.rows, factor);
        let lines = self.metrics.first().map(|metric| self.lines_of(metric)).unwrap_or_default();
        let rows: Vec<&Row> = lines.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
        let decimals = Decimals::of(&rows);
        let room = rows.iter().any(|row| self.differences.tells(row));
        let line = |(name, rows): &SweptLine<'_>| {
            let cell = |value: &&SweepValue| {
                let row = rows.iter().find(|row| row.factor(factor) == Some(value));
                row.map_or((String::new(), false), |row| (decimals.estimate(row, false), self.differences.tells(row)))
            };
            let cells = with_marks(values.iter().map(cell).collect(), room);
            std::iter::once(name.clone()).chain(cells).collect()
        };
        let heading = values.iter().map(|value| value_text(value));
        TextTable {
            heading: std::iter::once(String::new()).chain(heading).collect(),
            lines: lines.iter().map(line).collect(),
        }
    }

    /// At most `most` lines.
    pub(super) fn render(&self, most: usize, width: usize) -> Vec<String> {
        let pivot =
            self.along.map(|factor| self.pivot(factor)).filter(|table| table.heading.len() < 10 && table.fits(width));
        let table = pivot.unwrap_or_else(|| self.drawn());
        let told =
            self.rows.iter().any(|row| self.metrics.contains(&row.metric.as_str()) && self.differences.tells(row));
        let marks = match (self.rows.iter().all(|row| is_difference(row)), self.differences.baseline()) {
            _ if !told => String::new(),
            (false, Some(baseline)) => format!(" ({MARK} differs from {baseline})"),
            _ => format!(" ({MARK} told from 0)"),
        };
        let heading = wrapped(&format!("{}{marks}", self.heading), width, 2);
        table.under(heading, width, most, "more line")
    }
}

/// The values of x, in ascending order.
fn places(rows: &[&Row]) -> Vec<f64> {
    let mut places: Vec<f64> = rows.iter().filter_map(|row| row.x).collect();
    places.sort_by(f64::total_cmp);
    places.dedup();
    places
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
        assert_eq!(swept.render(10, 80), expected);
        assert_eq!(swept.render(3, 80)[3], "(1 more line: --verbose, or results.csv)");
    }

    #[test]
    fn a_point_without_a_value_leaves_a_gap() {
        let mut rows = samples::sweep(2, 4);
        rows.remove(1);
        let rows: Vec<&Row> = rows.iter().collect();
        let (figure, focus) = (samples::figure(FigureKind::Lines), SummaryFocus::default());
        let lines = Swept::of("sweep", &rows, &focus, &[&figure]).unwrap().render(10, 80);
        assert_eq!(lines[2], "series 0  10.00 ▁ ▅▇ 16.00");
    }

    #[test]
    fn a_crossing_has_a_column_for_each_value_of_x() {
        let rows = samples::crossing(1, 3, 2, 1);
        let rows: Vec<&Row> = rows.iter().collect();
        let (figure, focus) = (samples::cut_figure(FigureKind::Panels(samples::cut())), SummaryFocus::default());
        let lines = Swept::of("rules", &rows, &focus, &[&figure]).unwrap().render(10, 90);
        insta::assert_snapshot!(lines.join("\n"));
    }
}
