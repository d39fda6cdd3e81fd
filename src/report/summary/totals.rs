//! The values of whole runs: one table of metrics by series.

use super::SummaryFocus;
use super::lines::{TextTable, shortened, wrapped};
use super::value::{Decimals, Differences, MARK, is_difference, metric_name, with_marks};
use crate::number;
use crate::table::in_order;
use crate::{Ranking, Row};

/// A table shows at most this many metrics.
const MOST_METRICS: usize = 12;
/// More series than this have a line each, and the metrics are columns.
const MOST_COLUMNS: usize = 8;
/// Values of a series of its own take at most this many lines.
const INLINE_LINES: usize = 3;

/// Series that share metrics, and the metrics that are worth showing.
#[derive(Debug)]
pub(super) struct Totals<'a> {
    pub(super) heading: String,
    rows: Vec<&'a Row>,
    series: Vec<&'a str>,
    metrics: Vec<&'a str>,
    differences: Differences<'a>,
    /// The mean rank of each series, where there is one.
    ranks: Vec<(&'a str, f64)>,
    /// Metrics that are left out, and those of them that are 0 for every series.
    pub(super) left_out: Vec<&'a str>,
    pub(super) zeros: usize,
    /// True if all is 0 and nothing of it was asked for: a count of what did not happen.
    pub(super) is_nothing: bool,
    /// True for a series of its own beside a table of others.
    is_aside: bool,
}

/// A table as it fits a terminal.
struct Arranged {
    table: TextTable,
    /// True if it has a line for each metric.
    by_metric: bool,
    with_interval: bool,
}

impl<'a> Totals<'a> {
    /// The tables of an experiment whose rows have no x. Series that have no metric in common with others come together
    /// in the table of their own kind.
    pub(super) fn of(
        experiment: &'a str,
        rows: &[&'a Row],
        focus: &'a SummaryFocus,
        drawn: &[&'a str],
        ranking: Option<&'a Ranking>,
    ) -> Vec<Self> {
        let is_sweep = focus.sweeps.iter().any(|name| name == experiment);
        let differences = Differences::of(rows, &focus.baselines, is_sweep);
        let plain: Vec<&'a Row> = rows.iter().copied().filter(|row| !is_difference(row)).collect();
        // Nothing but differences: they are what there is.
        let rows = if plain.is_empty() { rows.to_vec() } else { plain };
        let mut parts: Vec<Self> = Vec::new();
        let families = families(&rows);
        let size = |family: &[&str]| rows.iter().filter(|row| family.contains(&row.series.as_str())).count();
        let largest = families.iter().map(|family| size(family)).max();
        for series in families {
            let is_aside = series.len() == 1 && Some(size(&series)) != largest;
            let rows: Vec<&'a Row> = rows.iter().copied().filter(|row| series.contains(&row.series.as_str())).collect();
            let all = in_order(rows.iter().copied(), |row| &row.metric);
            let is_zero = |name: &&str| rows.iter().filter(|row| row.metric == **name).all(|row| row.mean == 0.0);
            let (zero, worth): (Vec<&str>, Vec<&str>) = all.iter().partition(|name| is_zero(name));
            let is_all_zero = worth.is_empty();
            // A table of nothing but zeros still says something, where it is the only one.
            let worth = if worth.is_empty() { zero.clone() } else { worth };
            let lead = focus.metrics.iter().map(String::as_str).chain(drawn.iter().copied());
            let headline = focus.headline.iter().filter_map(|name| all.iter().copied().find(|known| known == name));
            let mut metrics: Vec<&'a str> = Vec::new();
            for name in headline.chain(lead.filter_map(|name| worth.iter().copied().find(|known| *known == name))) {
                if !metrics.contains(&name) {
                    metrics.push(name);
                }
            }
            let is_nothing = is_all_zero && metrics.is_empty() && !is_aside;
            let rest: Vec<&str> = worth.iter().copied().filter(|name| !metrics.contains(name)).collect();
            // The points of a sweep have what it draws; the whole run has some of the others too.
            if !is_sweep || metrics.is_empty() {
                metrics.extend(rest);
            }
            metrics.truncate(MOST_METRICS);
            let left_out: Vec<&str> = all.iter().copied().filter(|name| !metrics.contains(name)).collect();
            let zeros = left_out.iter().filter(|name| zero.contains(name)).count();
            let ranks = ranking.into_iter().flat_map(|ranking| &ranking.lines);
            let ranks = ranks.map(|line| (line.series.as_str(), line.mean_rank));
            let ranks: Vec<(&str, f64)> = ranks.filter(|(name, _)| series.contains(name)).collect();
            parts.push(Self {
                heading: experiment.to_string(),
                is_aside,
                rows,
                series,
                metrics,
                differences: differences.clone(),
                ranks,
                left_out,
                zeros,
                is_nothing,
            });
        }
        parts
    }

    /// The number of its metrics.
    pub(super) fn all(&self) -> usize {
        self.metrics.len() + self.left_out.len()
    }

    fn row(&self, series: &str, metric: &str) -> Option<&'a Row> {
        self.rows.iter().copied().find(|row| row.series == series && row.metric == metric)
    }

    fn of_metric(&self, metric: &str) -> Vec<&'a Row> {
        self.rows.iter().copied().filter(|row| row.metric == metric).collect()
    }

    fn rank(&self, series: &str) -> Option<f64> {
        self.ranks.iter().find(|(name, _)| *name == series).map(|(_, rank)| *rank)
    }

    /// The cells of a metric, in the order of `series`.
    fn cells(&self, metric: &str, series: &[&str], with_interval: bool) -> Vec<String> {
        let decimals = Decimals::of(&self.of_metric(metric));
        let cell = |series: &&str| {
            let row = self.row(series, metric);
            row.map_or((String::new(), false), |row| {
                (decimals.estimate(row, with_interval), self.differences.tells(row))
            })
        };
        with_marks(series.iter().map(cell).collect(), self.has_marks())
    }

    fn has_marks(&self) -> bool {
        self.rows.iter().any(|row| self.metrics.contains(&row.metric.as_str()) && self.differences.tells(row))
    }

    fn name_of(&self, metric: &str) -> String {
        self.of_metric(metric).first().map_or_else(|| metric.to_string(), |row| metric_name(row))
    }

    /// A line for each metric and a column for each series.
    fn by_metric(&self, with_interval: bool) -> TextTable {
        let heading = [String::new()].into_iter().chain(self.series.iter().map(|name| name.to_string())).collect();
        let line = |metric: &&str| {
            [self.name_of(metric)].into_iter().chain(self.cells(metric, &self.series, with_interval)).collect()
        };
        let ranks = (!self.ranks.is_empty()).then(|| {
            let rank = |name: &&str| self.rank(name).map(|rank| number::significant(rank, 3)).unwrap_or_default();
            let cells: Vec<(String, bool)> = self.series.iter().map(|name| (rank(name), false)).collect();
            ["mean rank".to_string()].into_iter().chain(with_marks(cells, self.has_marks())).collect()
        });
        TextTable { heading, lines: ranks.into_iter().chain(self.metrics.iter().map(line)).collect() }
    }

    /// A line for each series, those of the best mean rank first, and a column for each metric.
    fn by_series(&self, with_interval: bool) -> TextTable {
        let mut series = self.series.clone();
        if !self.ranks.is_empty() {
            let rank = |name: &&str| self.rank(name).unwrap_or(f64::MAX);
            series.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
        }
        let mut heading = vec![String::new()];
        let mut lines: Vec<Vec<String>> = series.iter().map(|name| vec![name.to_string()]).collect();
        if !self.ranks.is_empty() {
            heading.push("mean rank".into());
            for (line, name) in lines.iter_mut().zip(&series) {
                line.push(self.rank(name).map(|rank| number::significant(rank, 3)).unwrap_or_default());
            }
        }
        for metric in &self.metrics {
            heading.push(self.name_of(metric));
            let cells = self.cells(metric, &series, with_interval);
            lines.iter_mut().zip(cells).for_each(|(line, cell)| line.push(cell));
        }
        TextTable { heading, lines }
    }

    /// The arrangement that fits: few series are columns, many are lines; intervals stand beside the means if there is
    /// room for them.
    fn arranged(&self, width: usize) -> Arranged {
        if self.series.len() <= MOST_COLUMNS {
            for with_interval in [true, false] {
                let table = self.by_metric(with_interval);
                if table.fits(width) {
                    return Arranged { table, by_metric: true, with_interval };
                }
            }
        }
        let table = self.by_series(true);
        let with_interval = table.fits(width);
        let table = if with_interval { table } else { self.by_series(false) };
        Arranged { table, by_metric: false, with_interval }
    }

    /// The number of metrics that would be columns and find no room.
    pub(super) fn cut(&self, width: usize) -> usize {
        match self.arranged(width) {
            Arranged { table, by_metric: false, .. } if !self.is_aside => {
                table.heading.len() - 1 - table.columns(width).len()
            }
            _ => 0,
        }
    }

    /// At most `most` lines, or one less where metrics are left out: their number, which comes second, is told elsewhere.
    pub(super) fn render(&self, most: usize, width: usize) -> (Vec<String>, usize) {
        if let ([series], true) = (&self.series[..], self.is_aside) {
            return (self.in_line(series, width, most), 0);
        }
        let Arranged { mut table, by_metric, with_interval } = self.arranged(width);
        let mut lines = self.headed(with_interval, width);
        let all = table.lines.len();
        let over = |table: &TextTable, lines: &[String]| {
            lines.len() + table.render(width).len() + usize::from(table.lines.len() < all)
        };
        while table.lines.len() > 1 && over(&table, &lines) > most {
            table.lines.pop();
        }
        let left = all - table.lines.len();
        lines.extend(table.render(width));
        if left > 0 && !by_metric {
            lines.push(shortened(&format!("({left} more series: --verbose, or results.csv)"), width));
        }
        (lines, if by_metric { left } else { 0 })
    }

    fn headed(&self, with_interval: bool, width: usize) -> Vec<String> {
        let mut remarks: Vec<String> = Vec::new();
        if let Some(baseline) = self.differences.baseline().filter(|_| self.has_marks()) {
            remarks.push(format!("{MARK} differs from {baseline}{}: paired, p < 0.05 after Holm", self.compared()));
        }
        let is_shown = |row: &&Row| self.metrics.contains(&row.metric.as_str());
        if !with_interval && self.rows.iter().copied().filter(is_shown).any(|row| row.ci95.is_some()) {
            remarks.push("± with --verbose".into());
        }
        let remarks = if remarks.is_empty() { String::new() } else { format!(" ({})", remarks.join("; ")) };
        wrapped(&format!("{}{remarks}", self.heading), width, 2)
    }

    /// The metrics to which marks are limited, if not all are compared: no mark is no judgement on the others.
    fn compared(&self) -> String {
        let (compared, others): (Vec<&str>, Vec<&str>) =
            self.metrics.iter().partition(|metric| self.differences.compares(metric));
        match compared[..] {
            [] => String::new(),
            _ if others.is_empty() => String::new(),
            [one] => format!(" in {one}"),
            [one, other] => format!(" in {one} and {other}"),
            _ => " where that is compared".into(),
        }
    }

    /// The values of a single series as text.
    fn in_line(&self, series: &str, width: usize, most: usize) -> Vec<String> {
        let value = |metric: &&str| {
            let row = self.row(series, metric)?;
            Some(format!("{} {}", metric_name(row), Decimals::of(&[row]).estimate(row, true)))
        };
        let values: Vec<String> = self.metrics.iter().filter_map(value).collect();
        let opening = format!("{}, {series}: ", self.heading);
        super::lines::listed(&opening, &values, width, most.min(INLINE_LINES))
    }
}

/// Series that share a metric, directly or by way of others, in order of first appearance.
fn families<'a>(rows: &[&'a Row]) -> Vec<Vec<&'a str>> {
    let mut families: Vec<(Vec<&'a str>, Vec<&'a str>)> = Vec::new();
    for series in in_order(rows.iter().copied(), |row| &row.series) {
        let metrics = in_order(rows.iter().copied().filter(|row| row.series == series), |row| &row.metric);
        let mut joined = (vec![series], metrics);
        let mut others = Vec::new();
        for family in families {
            if family.1.iter().any(|metric| joined.1.contains(metric)) {
                joined = ([family.0, joined.0].concat(), [family.1, joined.1].concat());
            } else {
                others.push(family);
            }
        }
        others.push(joined);
        families = others;
    }
    let mut names: Vec<Vec<&'a str>> = families.into_iter().map(|(series, _)| series).collect();
    let place = |name: &str| rows.iter().position(|row| row.series == name);
    names.iter_mut().for_each(|family| family.sort_by_key(|name| place(name)));
    names.sort_by_key(|family| family.first().and_then(|name| place(name)));
    names
}
