//! Rows as tables: some of their names tell lines apart, and one tells columns apart.

use crate::decimals::{Decimals, MARK, estimate, marked};
use crate::rows::{Differences, SIGNIFICANT, column_factor, factor_names, in_order, metric_name, value_text};
use crate::table::{Column, Note, Table};
use crate::{Row, difference, number};
use std::collections::BTreeMap;

/// What tells lines or columns apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Key<'a> {
    Metric,
    /// The metric that a difference is in.
    ComparedMetric,
    Series,
    X,
    Factor(&'a str),
}

impl<'a> Key<'a> {
    fn name(self) -> &'a str {
        match self {
            Self::Metric | Self::ComparedMetric => "metric",
            Self::Series => "series",
            Self::X => "x",
            Self::Factor(name) => name,
        }
    }

    fn number(self, row: &Row) -> Option<f64> {
        match self {
            Self::X => row.x,
            Self::Factor(name) => row.factor(name).and_then(|value| value.number()),
            _ => None,
        }
    }

    fn text(self, row: &Row) -> String {
        match self {
            Self::Metric => metric_name(row),
            Self::ComparedMetric => {
                let name = metric_name(row);
                name.strip_prefix(&difference("")).map_or(name.clone(), String::from)
            }
            Self::Series => row.series.clone(),
            Self::X => row.x.map(number::plain).unwrap_or_default(),
            Self::Factor(name) => row.factor(name).map(value_text).unwrap_or_default(),
        }
    }

    fn is_numeric(self, rows: &[&Row]) -> bool {
        rows.iter().all(|row| self.number(row).is_some())
    }

    /// What rows are grouped by; two numbers that read alike are two.
    fn value(self, row: &Row) -> (u64, String) {
        (self.number(row).map_or(0, |value| (value + 0.0).to_bits()), self.text(row))
    }

    /// The place of each value: numbers in ascending order, others in order of first appearance.
    fn places(self, rows: &[&Row]) -> BTreeMap<(u64, String), usize> {
        let mut first: BTreeMap<(u64, String), (f64, usize)> = BTreeMap::new();
        let is_numeric = self.is_numeric(rows);
        for (at, row) in rows.iter().enumerate() {
            let size = self.number(row).filter(|_| is_numeric).unwrap_or(0.0);
            first.entry(self.value(row)).or_insert((size, at));
        }
        let mut ordered: Vec<_> = first.into_iter().collect();
        ordered.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        ordered.into_iter().enumerate().map(|(place, (value, _))| (value, place)).collect()
    }
}

/// The labels of a line, and its rows.
pub(crate) type Line<'a> = (Vec<String>, Vec<Option<&'a Row>>);

/// A table to be made of rows.
#[derive(Debug, Clone)]
pub(crate) struct Pivot<'a> {
    pub title: String,
    pub rows: Vec<&'a Row>,
    pub lines: Vec<Key<'a>>,
    pub across: Key<'a>,
    pub differences: Differences<'a>,
}

impl<'a> Pivot<'a> {
    /// A table whose marks are those of differences from 0.
    pub(crate) fn new(title: String, rows: &[&'a Row], lines: &[Key<'a>], across: Key<'a>) -> Self {
        Self { title, rows: rows.to_vec(), lines: lines.to_vec(), across, differences: Differences::default() }
    }

    /// The columns that name the lines.
    pub(crate) fn labels(&self) -> Vec<Column> {
        let label = |key: &Key<'a>| Column { name: key.name().into(), numeric: key.is_numeric(&self.rows) };
        self.lines.iter().map(label).collect()
    }

    /// The labels of each line with its rows, one for each column; nothing if two rows have one cell.
    pub(crate) fn grid(&self) -> Option<Vec<Line<'a>>> {
        let across = self.across.places(&self.rows);
        let keys: Vec<_> = self.lines.iter().map(|key| (*key, key.places(&self.rows))).collect();
        let mut lines: BTreeMap<Vec<Option<usize>>, Line<'a>> = BTreeMap::new();
        for &row in &self.rows {
            let place = keys.iter().map(|(key, places)| places.get(&key.value(row)).copied()).collect();
            let labels = || self.lines.iter().map(|key| key.text(row)).collect();
            let (_, cells) = lines.entry(place).or_insert_with(|| (labels(), vec![None; across.len()]));
            let cell = cells.get_mut(*across.get(&self.across.value(row))?)?;
            if cell.replace(row).is_some() {
                return None;
            }
        }
        Some(lines.into_values().collect())
    }

    /// The table, with the half-widths of intervals or without; nothing if two rows have one cell.
    pub(crate) fn table(&self, with_interval: bool) -> Option<Table> {
        let has_mark = |row: &Row| self.differences.tells(row);
        let room = self.rows.iter().any(|row| has_mark(row));
        let mut of_metric: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
        for &row in &self.rows {
            of_metric.entry(&row.metric).or_default().push(row);
        }
        let decimals: BTreeMap<&str, Decimals> =
            of_metric.iter().map(|(metric, rows)| (*metric, Decimals::of(rows))).collect();
        let line = |(mut labels, rows): Line<'a>| -> Option<Vec<String>> {
            for row in rows {
                let cell = |row: &Row| Some(decimals.get(row.metric.as_str())?.estimate(row, with_interval));
                labels.push(match row {
                    Some(row) => marked(cell(row)?, has_mark(row), room),
                    None => String::new(),
                });
            }
            Some(labels)
        };
        let lines = self.grid()?.into_iter().map(line).collect::<Option<_>>()?;
        let names = self.across.places(&self.rows);
        let mut names: Vec<(usize, String)> = names.into_iter().map(|((_, text), place)| (place, text)).collect();
        names.sort();
        let heading = |text: String| match self.across {
            Key::Factor(name) if self.across.is_numeric(&self.rows) => format!("{name} = {text}"),
            _ => text,
        };
        let columns = self.labels().into_iter();
        let columns = columns.chain(names.into_iter().map(|(_, text)| Column::number(heading(text)))).collect();
        let notes = room.then(|| Note::new(self.explained())).into_iter().collect();
        let line_is = match self.lines[..] {
            [Key::Metric] => "more metric",
            [Key::Series] if self.across == Key::ComparedMetric => "more pair",
            [Key::Series] => "more series",
            _ => "more line",
        };
        let table = Table::new(self.title.clone(), columns, lines);
        Some(Table { labels: self.lines.len(), notes, line_is, ..table })
    }

    /// What a mark says.
    fn explained(&self) -> String {
        let test = format!("p < {SIGNIFICANT} after Holm's correction");
        match self.differences.baseline().filter(|_| self.rows.iter().any(|row| row.p.is_none())) {
            Some(baseline) => format!("{MARK} differs from {baseline}{}: paired, {test}", self.compared()),
            None => format!("{MARK} differs from 0: {test}"),
        }
    }

    /// The metrics to which marks are limited, if not all are compared: no mark is no judgement on the others.
    fn compared(&self) -> String {
        let metrics = in_order(self.rows.iter().copied(), |row| &row.metric);
        let (compared, others): (Vec<&str>, Vec<&str>) =
            metrics.iter().partition(|metric| self.differences.compares(metric));
        match compared[..] {
            _ if others.is_empty() => String::new(),
            [one] => format!(" in {one}"),
            [one, other] => format!(" in {one} and {other}"),
            _ => " where that is compared".into(),
        }
    }

    /// The table for a terminal: without intervals, if it is too wide with them.
    pub(crate) fn fitted(&self, width: usize) -> Option<Table> {
        let bare = || {
            let mut table = self.table(false)?;
            let has_interval = self.rows.iter().any(|row| row.ci95.is_some());
            table.notes.extend(has_interval.then(|| Note::new("± with --verbose")));
            Some(table)
        };
        self.table(true).filter(|table| table.fits(width)).or_else(bare)
    }
}

/// A line for each row.
pub(crate) fn listed(title: String, rows: &[&Row]) -> Table {
    let mut keys = vec![Key::Series];
    keys.extend(factor_names(rows).into_iter().map(Key::Factor));
    // In a crossing `x` is one of the factors.
    keys.extend(rows.iter().any(|row| row.x.is_some() && row.factors.is_empty()).then_some(Key::X));
    keys.push(Key::Metric);
    let is_significant = |row: &Row| Differences::default().tells(row);
    let room = rows.iter().any(|row| is_significant(row));
    let probability = |p: f64| if p < 0.001 { "< 0.001".into() } else { number::significant(p, 2) };
    type Cell = Box<dyn Fn(&Row) -> String>;
    let mean = move |row: &Row| marked(estimate(row), is_significant(row), room);
    let cells: [(Column, Cell); 5] = [
        (Column::number("mean ± 95 %"), Box::new(mean)),
        (Column::number("n"), Box::new(|row| row.n.to_string())),
        (Column::number("p (Holm)"), Box::new(move |row| row.p_holm.map(probability).unwrap_or_default())),
        (Column::number("published"), Box::new(|row| row.published.map(number::plain).unwrap_or_default())),
        (Column::text("verdict"), Box::new(|row| row.verdict.clone().unwrap_or_default())),
    ];
    let is_filled = |(_, cell): &(Column, Cell)| rows.iter().any(|row| !cell(row).is_empty());
    let cells: Vec<(Column, Cell)> = cells.into_iter().filter(is_filled).collect();
    let line = |row: &&Row| {
        keys.iter().map(|key| key.text(row)).chain(cells.iter().map(|(_, cell)| cell(row))).collect::<Vec<String>>()
    };
    let columns = keys.iter().map(|key| Column { name: key.name().into(), numeric: key.is_numeric(rows) });
    let columns = columns.chain(cells.iter().map(|(column, _)| column.clone())).collect();
    let mark = || Note::new(format!("{MARK} differs from 0: p < {SIGNIFICANT} after Holm's correction"));
    let table = Table::new(title, columns, rows.iter().map(line).collect());
    Table { labels: keys.len(), notes: room.then(mark).into_iter().collect(), ..table }
}

/// All rows of a crossing: a column for each value of one factor, if there are few of one.
pub(crate) fn crossing<'a>(experiment: &str, rows: &[&'a Row]) -> Table {
    let across = column_factor(rows);
    let others = factor_names(rows).into_iter().filter(|name| Some(*name) != across).map(Key::Factor);
    let keys: Vec<Key<'a>> = [Key::Metric, Key::Series].into_iter().chain(others).collect();
    let table = across.and_then(|across| Pivot::new(experiment.into(), rows, &keys, Key::Factor(across)).table(true));
    let table = table.unwrap_or_else(|| listed(experiment.into(), rows));
    Table { file: Some(crossing_file(experiment)), ..table }
}

/// The name of the file that holds all rows of a crossing.
pub(crate) fn crossing_file(experiment: &str) -> String {
    format!("{experiment}.csv")
}

/// All rows of a crossing as its file has them: a column for each factor, and all digits.
pub(crate) fn crossing_rows(rows: &[&Row]) -> Table {
    let factors = factor_names(rows);
    let measured = ["series", "metric", "unit", "mean", "ci95", "n", "p", "p_holm"];
    let text = |value: f64| number::without_noise(value).to_string();
    let optional = |value: Option<f64>| value.map(text).unwrap_or_default();
    let line = |row: &&Row| {
        let values = factors.iter().map(|name| row.factor(name).map(|value| value.to_string()).unwrap_or_default());
        let names = [row.series.clone(), row.metric.clone(), row.unit.clone(), text(row.mean), optional(row.ci95)];
        values.chain(names).chain([row.n.to_string(), optional(row.p), optional(row.p_holm)]).collect()
    };
    let columns = factors.iter().chain(&measured).map(|name| Column::text(*name)).collect();
    Table::new("", columns, rows.iter().map(line).collect())
}
