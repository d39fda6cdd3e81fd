//! Crossings as text: the factors of their rows, a table with a column for each value of one of them, and a file.

use super::ReportError;
use super::number;
use super::table::{Column, Table, estimate, in_order, stars};
use crate::{Row, SweepValue};
use csv::{Error, Writer};

/// A factor of at most this many values can have a column for each.
const MOST_COLUMNS: usize = 8;

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

/// `notice = 120`.
pub(super) fn setting(factor: &str, value: &SweepValue) -> String {
    format!("{factor} = {}", value_text(value))
}

/// The factor whose values have a column each: the one that `x` follows, or else the first with a few values.
pub(super) fn column_factor<'a>(rows: &[&'a Row]) -> Option<&'a str> {
    let few = |name: &&str| (2..=MOST_COLUMNS).contains(&levels(rows, name).len());
    let named: Vec<&str> = factor_names(rows).into_iter().filter(few).collect();
    let is_x =
        |name: &str| rows.iter().all(|row| row.x.is_some() && row.factor(name).map(SweepValue::number) == Some(row.x));
    named.iter().copied().find(|name| is_x(name)).or(named.first().copied())
}

/// A line for each metric, each series and the values of all factors but one, which has a column for each of its values.
pub(super) fn pivot(experiment: &str, rows: &[&Row]) -> Option<Table> {
    let across = column_factor(rows)?;
    let values = levels(rows, across);
    let (metrics, series) =
        (in_order(rows.iter().copied(), |row| &row.metric), in_order(rows.iter().copied(), |row| &row.series));
    let others: Vec<&str> = factor_names(rows).into_iter().filter(|name| *name != across).collect();
    let other_values: Vec<Vec<&SweepValue>> = others.iter().map(|name| levels(rows, name)).collect();
    let place = |row: &Row| {
        let of_factor = |(name, values): (&&str, &Vec<&SweepValue>)| {
            row.factor(name).and_then(|value| values.iter().position(|known| *known == value))
        };
        let metric = metrics.iter().position(|name| *name == row.metric);
        let name = series.iter().position(|name| *name == row.series);
        (metric, name, others.iter().zip(&other_values).map(of_factor).collect::<Vec<_>>())
    };
    let mut placed: Vec<_> = rows.iter().map(|row| (place(row), *row)).collect();
    placed.sort_by(|a, b| a.0.cmp(&b.0));

    let mut lines = Vec::new();
    for line in placed.chunk_by(|a, b| a.0 == b.0) {
        let row = line.first()?.1;
        let mut cells = vec![row.metric.clone(), row.series.clone()];
        cells.extend(others.iter().map(|name| row.factor(name).map(value_text).unwrap_or_default()));
        let own = |value: &&SweepValue| line.iter().find(|(_, row)| row.factor(across) == Some(value));
        cells.extend(values.iter().map(|value| own(value).map(|(_, row)| estimate(row)).unwrap_or_default()));
        lines.push(cells);
    }
    // Of several rows for one cell all but the first would be lost: such rows are listed.
    let before = 2 + others.len();
    let filled = lines.iter().flat_map(|line| &line[before..]).filter(|cell| !cell.is_empty()).count();
    let text = |name: &str| Column { name: name.into(), numeric: false };
    let mut columns = vec![text("metric"), text("series")];
    for (name, values) in others.iter().zip(&other_values) {
        columns.push(Column { numeric: values.iter().all(|value| value.number().is_some()), ..text(name) });
    }
    columns.extend(values.iter().map(|value| Column { name: setting(across, value), numeric: true }));
    let table = Table::new(experiment.to_string(), columns, lines);
    (filled == rows.len()).then(|| Table { signs: stars(rows), file: Some(file_name(experiment)), ..table })
}

/// The name of the file that holds all rows of a crossing.
pub(super) fn file_name(experiment: &str) -> String {
    format!("{experiment}.csv")
}

/// The files of all crossings: name and content, with a column for each factor.
pub(super) fn files(rows: &[Row]) -> Result<Vec<(String, Vec<u8>)>, ReportError> {
    let mut files = Vec::new();
    for experiment in in_order(rows.iter().filter(|row| !row.factors.is_empty()), |row| &row.experiment) {
        let rows: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment).collect();
        files.push((file_name(experiment), table(&rows)?));
    }
    Ok(files)
}

fn table(rows: &[&Row]) -> Result<Vec<u8>, ReportError> {
    let factors = factor_names(rows);
    let mut writer = Writer::from_writer(Vec::new());
    let measured = ["series", "metric", "unit", "mean", "ci95", "n", "p", "p_holm"];
    writer.write_record(factors.iter().copied().chain(measured))?;
    let optional = |value: Option<f64>| value.map(|value| number::without_noise(value).to_string()).unwrap_or_default();
    for row in rows {
        let values = factors.iter().map(|name| row.factor(name).map(SweepValue::to_string).unwrap_or_default());
        let measured = [
            row.series.clone(),
            row.metric.clone(),
            row.unit.clone(),
            number::without_noise(row.mean).to_string(),
            optional(row.ci95),
            row.n.to_string(),
            optional(row.p),
            optional(row.p_holm),
        ];
        writer.write_record(values.chain(measured))?;
    }
    writer.into_inner().map_err(|error| Error::from(error.into_error()).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;
    use crate::samples;

    #[test]
    fn a_crossing_has_a_column_for_each_value_of_x_and_a_line_for_each_of_the_others() {
        insta::assert_snapshot!(markdown::tables(&samples::crossing(2, 4, 2, 2)));
    }

    #[test]
    fn the_file_of_a_crossing_has_a_column_for_each_factor() {
        let files = files(&[samples::sweep(1, 2), samples::crossing(1, 2, 1, 2)].concat()).unwrap();
        assert_eq!(files.len(), 1);
        assert_eq!(files[0].0, "rules.csv");
        insta::assert_snapshot!(String::from_utf8(files[0].1.clone()).unwrap());
    }

    #[test]
    fn every_row_has_its_cell_whatever_their_order() {
        let mut rows = samples::crossing(2, 3, 3, 2);
        rows.reverse();
        let all: Vec<&Row> = rows.iter().collect();
        let table = pivot("rules", &all).unwrap();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["metric", "series", "notice", "displacement", "load = 0.3", "load = 0.45", "load = 0.6"]);
        assert_eq!(table.lines.len(), 12);
        for row in all {
            let (notice, way) =
                (value_text(row.factor("notice").unwrap()), value_text(row.factor("displacement").unwrap()));
            let line =
                table.lines.iter().find(|line| line[1] == row.series && line[2] == notice && line[3] == way).unwrap();
            let column = names.iter().position(|name| *name == setting("load", row.factor("load").unwrap())).unwrap();
            assert_eq!(line[column], estimate(row));
        }
    }

    #[test]
    fn factors_of_many_values_and_repeated_rows_are_listed() {
        let rows = samples::crossing(1, 12, 1, 1);
        assert!(pivot("rules", &rows.iter().collect::<Vec<_>>()).is_none());
        let names = |rows: &[Row]| -> Vec<String> {
            crate::table::tables(rows)[0].columns.iter().map(|column| column.name.clone()).collect()
        };
        let listed = ["series", "load", "notice", "displacement", "metric", "mean ± 95 %", "n", "p (Holm)"];
        assert_eq!(names(&rows), listed);
        let rows = samples::crossing(1, 3, 1, 1);
        assert_eq!(names(&[rows.clone(), rows].concat()), listed);
        // Few values of another factor than x are columns.
        assert_eq!(names(&samples::crossing(1, 12, 2, 1)).last().unwrap(), "notice = 120");
    }

    #[test]
    fn a_long_table_is_cut_on_a_terminal_and_says_where_the_rest_is() {
        let text = markdown::tables(&samples::crossing(5, 2, 6, 3));
        assert!(text.contains("\n60 of 90 lines are shown; rules.csv and report.html hold all of them.\n"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("| diff")).count(), 60);
    }
}
