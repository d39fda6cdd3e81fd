//! Comparisons that no mark in a table can show: pairs of series, and baselines besides the first.

use super::SummaryFocus;
use super::lines::{TextTable, wrapped};
use super::value::{Decimals, Differences, MARK, is_difference, metric_name, with_marks};
use crate::table::{in_order, is_told};
use crate::{Row, difference};

/// The differences of an experiment, a line for each pair of series.
#[derive(Debug)]
pub(super) struct Pairs<'a> {
    experiment: &'a str,
    rows: Vec<&'a Row>,
    series: Vec<&'a str>,
    metrics: Vec<&'a str>,
}

impl<'a> Pairs<'a> {
    /// The pairs among rows without an x that differences from the baseline do not show. Where no series is a baseline
    /// of the scenario, and there is more than one pair, these are all.
    pub(super) fn of(experiment: &'a str, rows: &[&'a Row], focus: &'a SummaryFocus) -> Option<Self> {
        // Nothing but differences: the table shows them.
        if rows.iter().all(|row| is_difference(row)) || focus.sweeps.iter().any(|name| name == experiment) {
            return None;
        }
        let compared: Vec<&'a Row> = rows.iter().copied().filter(|row| is_difference(row)).collect();
        let differences = Differences::of(rows, &focus.baselines, false);
        let baseline = differences.baseline()?;
        let is_marked = |series: &str| {
            series.split_once(" against ").is_none_or(|(first, second)| first == baseline || second == baseline)
        };
        let all = in_order(compared.iter().copied(), |row| &row.series);
        let is_wanted = focus.baselines.iter().any(|name| name == baseline);
        let mut series: Vec<&str> = all.iter().copied().filter(|name| !is_marked(name)).collect();
        if !series.is_empty() && !is_wanted {
            series = all;
        }
        let rows: Vec<&Row> = compared.into_iter().filter(|row| series.contains(&row.series.as_str())).collect();
        let known = in_order(rows.iter().copied(), |row| &row.metric);
        let leads = focus.headline.iter().chain(&focus.metrics).map(|name| difference(name));
        let mut metrics: Vec<&str> = Vec::new();
        for name in leads.filter_map(|name| known.iter().copied().find(|own| *own == name)).chain(known.iter().copied())
        {
            if !metrics.contains(&name) {
                metrics.push(name);
            }
        }
        (!series.is_empty()).then_some(Self { experiment, rows, series, metrics })
    }

    /// What the part is called.
    pub(super) fn heading(&self) -> String {
        format!("{}: differences between pairs", self.experiment)
    }

    fn row(&self, series: &str, metric: &str) -> Option<&'a Row> {
        self.rows.iter().copied().find(|row| row.series == series && row.metric == metric)
    }

    fn table(&self, with_interval: bool) -> TextTable {
        let mut heading = vec![String::new()];
        let mut lines: Vec<Vec<String>> = self.series.iter().map(|name| vec![name.to_string()]).collect();
        for metric in &self.metrics {
            let rows: Vec<&Row> = self.rows.iter().copied().filter(|row| row.metric == *metric).collect();
            let decimals = Decimals::of(&rows);
            let cell = |series: &&str| {
                let row = self.row(series, metric);
                row.map_or((String::new(), false), |row| (decimals.estimate(row, with_interval), is_told(row)))
            };
            let cells: Vec<(String, bool)> = self.series.iter().map(cell).collect();
            let room = cells.iter().any(|(_, told)| *told);
            let name = rows.first().map(|row| metric_name(row)).unwrap_or_default();
            heading.push(name.strip_prefix(&difference("")).map_or(name.clone(), String::from));
            lines.iter_mut().zip(with_marks(cells, room)).for_each(|(line, cell)| line.push(cell));
        }
        TextTable { heading, lines }
    }

    /// At most `most` lines.
    pub(super) fn render(&self, most: usize, width: usize) -> Vec<String> {
        let with_intervals = self.table(true);
        let table = if with_intervals.fits(width) { with_intervals } else { self.table(false) };
        let marks = match self.rows.iter().any(|row| is_told(row)) {
            true => format!(" ({MARK} told from 0: paired, p < 0.05 after Holm)"),
            false => String::new(),
        };
        let heading = wrapped(&format!("{}{marks}", self.heading()), width, 2);
        table.under(heading, width, most, "more pair")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::summary;
    use gridloom_sim::metrics::Estimate;

    fn row(series: &str, metric: &str, mean: f64) -> Row {
        Row::new("e", series, metric, Estimate { mean, ci95: Some(0.5), n: 9 })
    }

    fn compared(series: &str, mean: f64, p: f64) -> Row {
        Row { p: Some(p), p_holm: Some(p), ..row(series, "difference in wait", mean) }
    }

    #[test]
    fn every_pair_is_shown_with_its_mark() {
        let plain = ["a", "b", "c", "d"].map(|name| row(name, "wait", 4.0)).to_vec();
        let pairs = [compared("a against b", -2.0, 0.01), compared("c against d", 1.5, 0.2)].to_vec();
        let text = summary::rows(&[plain.clone(), pairs].concat(), &SummaryFocus::default(), 80);
        let lines: Vec<&str> = text.lines().collect();
        assert!(text.contains("e: differences between pairs (* told from 0"), "{text}");
        assert!(
            lines.contains(&"a against b  -2.00 ± 0.50*") && lines.contains(&"c against d  +1.50 ± 0.50"),
            "{text}"
        );
        // One pair is what the marks of the table are about.
        let one =
            summary::rows(&[plain, vec![compared("a against b", -2.0, 0.01)]].concat(), &SummaryFocus::default(), 80);
        assert!(one.contains("differs from b") && !one.contains("pairs"), "{one}");
    }

    #[test]
    fn a_second_baseline_has_lines_of_its_own() {
        let plain = ["a", "b", "c"].map(|name| row(name, "wait", 4.0)).to_vec();
        let names = ["b against a", "c against a", "a against b", "c against b"];
        let rows = [plain, names.map(|name| compared(name, 1.0, 0.01)).to_vec()].concat();
        let focus = SummaryFocus { baselines: vec!["a".into(), "b".into()], ..SummaryFocus::default() };
        let text = summary::rows(&rows, &focus, 80);
        assert!(text.contains("differs from a") && text.contains("\nc against b  +1.00"), "{text}");
        assert!(!text.contains("c against a") && !text.contains("a against b"), "{text}");
    }
}
