//! All rows of a result as tables: what `--verbose` prints and the page folds.

use crate::pivot::{Key, Pivot, crossing, listed};
use crate::rows::{in_order, is_difference, places};
use crate::table::Table;
use crate::{Ranking, Row, StudyAnswer, ranking};
use gridloom_files::single_line;

/// A sweep or a time series shows about this many values of x.
const SWEEP_LINES: usize = 20;
/// A sweep over at most this many values has a column for each of them.
const SWEEP_COLUMNS: usize = 8;

/// The tables of all experiments, in order of first appearance: whole runs, differences between series, sweeps, crossings
/// and comparisons with published values.
pub fn tables(rows: &[Row]) -> Vec<Table> {
    let mut tables = Vec::new();
    for experiment in in_order(rows, |row| &row.experiment) {
        let all: Vec<&Row> = rows.iter().filter(|row| row.experiment == experiment).collect();
        let (crossed, plain): (Vec<&Row>, Vec<&Row>) = all.iter().partition(|row| !row.factors.is_empty());
        let (swept, whole): (Vec<&Row>, Vec<&Row>) = plain.into_iter().partition(|row| row.x.is_some());
        let (differences, whole): (Vec<&Row>, Vec<&Row>) = whole.iter().partition(|row| is_difference(row));
        tables.extend(of_runs(experiment.to_string(), &whole));
        tables.extend(of_runs(format!("{experiment}, differences"), &differences));
        tables.extend(of_sweep(experiment, &swept));
        tables.extend((!crossed.is_empty()).then(|| crossing(experiment, &crossed)));
        let judged: Vec<&Row> = all.into_iter().filter(|row| row.verdict.is_some()).collect();
        let title = || format!("{experiment}, compared with published values");
        tables.extend((!judged.is_empty()).then(|| listed(title(), &judged)));
    }
    tables
}

/// The same as Markdown.
///
/// ```
/// use gridloom::study::Row;
/// use gridloom::metrics::Estimate;
/// use gridloom::report::tables;
///
/// let estimate = Estimate { mean: 0.43123, ci95: Some(0.00213), n: 30 };
/// let text = tables::markdown(&[Row::new("criteria", "AMP", "utilisation", estimate)]);
/// assert!(text.contains("| utilisation | 0.4312 ± 0.0021 |"));
/// ```
pub fn markdown(rows: &[Row]) -> String {
    tables(rows).iter().map(Table::markdown).collect::<Vec<_>>().join("\n")
}

/// Rows without `x`: a line for each metric and a column for each series, or the other way round if there are more
/// series.
fn of_runs(title: String, rows: &[&Row]) -> Option<Table> {
    let count = |key: fn(&Row) -> &String| in_order(rows.iter().copied(), key).len();
    let keys = match count(|row| &row.series) > count(|row| &row.metric) {
        true => [Key::Series, Key::Metric],
        false => [Key::Metric, Key::Series],
    };
    let table = Pivot::new(title.clone(), rows, &keys[..1], keys[1]).table(true);
    (!rows.is_empty()).then(|| table.unwrap_or_else(|| listed(title, rows).thinned(SWEEP_LINES)))
}

/// Rows along `x`: a column for each value of a short sweep; of a long one, or of a time series, a line for some values
/// and a column for each series.
fn of_sweep(experiment: &str, rows: &[&Row]) -> Vec<Table> {
    if (2..=SWEEP_COLUMNS).contains(&places(rows).len())
        && let Some(table) = Pivot::new(experiment.into(), rows, &[Key::Metric, Key::Series], Key::X).table(true)
    {
        return vec![table];
    }
    let metrics = in_order(rows.iter().copied(), |row| &row.metric);
    let of_metric = |metric: &str| -> Vec<&Row> { rows.iter().copied().filter(|row| row.metric == metric).collect() };
    // Series that have a metric each, such as the uses of node time, share a table.
    let pairs = metrics.iter().map(|metric| in_order(of_metric(metric), |row| &row.series).len()).sum::<usize>();
    let parts: Vec<(String, Vec<&Row>)> = match pairs == in_order(rows.iter().copied(), |row| &row.series).len() {
        true => vec![(experiment.to_string(), rows.to_vec())],
        false => metrics.iter().map(|metric| (format!("{experiment}: {metric}"), of_metric(metric))).collect(),
    };
    let table = |(title, rows): (String, Vec<&Row>)| {
        let table = Pivot::new(title.clone(), &rows, &[Key::X], Key::Series).table(true);
        table.unwrap_or_else(|| listed(title, &rows)).thinned(SWEEP_LINES)
    };
    parts.into_iter().filter(|(_, rows)| !rows.is_empty()).map(table).collect()
}

/// The opening of `--verbose`: what the run says in answer to its question, under which rules, and the ranking. It is
/// empty for runs that have neither.
///
/// ```
/// use gridloom::report::tables;
/// use gridloom::study::StudyAnswer;
///
/// let answer = StudyAnswer {
///     question: "Who wins?".into(),
///     sentences: vec!["EASY does.".into()],
///     rules: vec![("notice".into(), "120".into())],
///     ..StudyAnswer::default()
/// };
/// let text = tables::opening(Some(&answer), None);
/// assert_eq!(text, "**Who wins?**\n\nEASY does.\n\nThe rules under which this holds: notice: 120.\n\n");
/// ```
pub fn opening(answer: Option<&StudyAnswer>, ranking: Option<&Ranking>) -> String {
    let mut text = String::new();
    if let Some(StudyAnswer { question, sentences, findings, rules, .. }) = answer {
        let sentences = sentences.iter().map(|sentence| single_line(sentence));
        let lines = [format!("**{}**", single_line(question))].into_iter().chain(sentences);
        text.extend(lines.map(|line| format!("{line}\n\n")));
        text.extend(findings.iter().map(|found| format!("- {}\n", single_line(found))));
        if !findings.is_empty() {
            text.push('\n');
        }
        if !rules.is_empty() {
            let rules: Vec<String> =
                rules.iter().map(|(name, choice)| format!("{}: {}", single_line(name), single_line(choice))).collect();
            text.push_str(&format!("The rules under which this holds: {}.\n\n", rules.join("; ")));
        }
    }
    text.extend(ranking.map(|ranking| ranking::table(ranking).markdown() + "\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::{levels, setting, value_text};
    use crate::samples;
    use gridloom_sim::metrics::Estimate;

    fn names(table: &Table) -> Vec<&str> {
        table.columns.iter().map(|column| column.name.as_str()).collect()
    }

    fn run(series: &[&str]) -> Vec<Row> {
        let row = |name: &str, metric: &str, mean| {
            Row::new("whole run", name, metric, Estimate { mean, ci95: Some(0.25), n: 9 })
        };
        let mut rows = Vec::new();
        for (k, name) in series.iter().enumerate() {
            rows.extend([row(name, "wait", 4.0 + k as f64), row(name, "late", 0.0), row(name, "cost", 3.0 * k as f64)]);
            if k > 0 {
                let (name, p) = (format!("{name} against {}", series[0]), 0.04 * k as f64);
                rows.push(Row { p: Some(p), p_holm: Some(p), ..row(&name, "difference in wait", k as f64) });
            }
        }
        rows
    }

    #[test]
    fn every_value_of_a_run_has_a_cell_and_differences_a_table_of_their_own() {
        let tables = tables(&run(&["EASY", "FCFS"]));
        assert_eq!(names(&tables[0]), ["metric", "EASY", "FCFS"]);
        assert_eq!(tables[0].lines[0], ["wait", "4.00 ± 0.25", "5.00 ± 0.25"]);
        assert_eq!((tables[0].lines.len(), tables[1].title.as_str()), (3, "whole run, differences"));
        assert_eq!(tables[1].lines, [["difference in wait", "+1.00 ± 0.25*"]]);
    }

    #[test]
    fn more_series_than_metrics_have_a_line_each() {
        let table = &tables(&run(&["a", "b", "c", "d"]))[0];
        assert_eq!(names(table), ["series", "wait", "late", "cost"]);
        assert_eq!(table.lines.iter().map(|line| line[0].as_str()).collect::<Vec<_>>(), ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_short_sweep_has_a_column_for_each_value_and_its_verdicts_below() {
        let mut rows = samples::sweep(2, 3);
        rows[4].verdict = Some("agrees".into());
        let tables = tables(&rows);
        assert_eq!(names(&tables[0]), ["metric", "series", "0", "1", "2"]);
        assert_eq!((tables[0].lines.len(), tables[1].lines.len()), (2, 1));
        assert_eq!(tables[0].lines[1][3], "14.00 ± 0.80");
        assert_eq!(names(&tables[1]), ["series", "x", "metric", "mean ± 95 %", "n", "verdict"]);
    }

    #[test]
    fn a_time_series_has_a_line_for_some_instants_and_a_column_for_each_series() {
        let tables = tables(&samples::sweep(3, 500));
        assert_eq!(names(&tables[0]), ["x", "series 0", "series 1", "series 2"]);
        let firsts: Vec<&str> = tables[0].lines.iter().map(|line| line[0].as_str()).collect();
        assert_eq!((tables.len(), firsts.len(), firsts[0], firsts[19]), (1, SWEEP_LINES, "0", "499"));
    }

    #[test]
    fn metrics_of_the_same_series_have_a_table_each_and_others_share_one() {
        let other = |metric: &str, series: &str| -> Vec<Row> {
            let row = |row: Row| Row { metric: metric.into(), series: series.into(), ..row };
            samples::sweep(1, 9).into_iter().map(row).collect()
        };
        let titles = |rows: &[Row]| -> Vec<String> { tables(rows).into_iter().map(|table| table.title).collect() };
        let sweep = samples::sweep(1, 9);
        let same = [sweep.clone(), other("turnaround", "series 0")].concat();
        assert_eq!(titles(&same), ["sweep: waiting", "sweep: turnaround"]);
        let apart = [sweep, other("idle", "idle")].concat();
        assert_eq!((titles(&apart), names(&tables(&apart)[0])), (vec!["sweep".into()], vec!["x", "series 0", "idle"]));
    }

    #[test]
    fn rows_that_share_a_cell_are_listed() {
        let twice = [run(&["EASY"]), run(&["EASY"])].concat();
        assert_eq!(tables(&twice)[0].lines.len(), 6);
        let swept = [samples::sweep(1, 30), samples::sweep(1, 30)].concat();
        assert_eq!(names(&tables(&swept)[0])[0], "series");
    }

    #[test]
    fn every_row_of_a_crossing_has_its_cell_whatever_their_order() {
        let mut rows = samples::crossing(2, 3, 3, 2);
        rows.reverse();
        let table = &tables(&rows)[0];
        let loads = ["load = 0.3", "load = 0.45", "load = 0.6"];
        assert_eq!(names(table), [&["metric", "series", "notice", "displacement"][..], &loads].concat());
        assert_eq!((table.lines.len(), table.file.as_deref()), (12, Some("rules.csv")));
        for row in &rows {
            let [notice, way] = ["notice", "displacement"].map(|name| value_text(row.factor(name).unwrap()));
            let line = table.lines.iter().find(|line| line[1..4] == [row.series.clone(), notice.clone(), way.clone()]);
            let load = setting("load", row.factor("load").unwrap());
            let column = names(table).iter().position(|name| *name == load).unwrap();
            let decimals = crate::decimals::Decimals::of(&rows.iter().collect::<Vec<_>>());
            assert!(line.unwrap()[column].starts_with(&decimals.estimate(row, true)), "{row:?}");
        }
    }

    #[test]
    fn factors_of_many_values_and_repeated_rows_are_listed() {
        let rows = samples::crossing(1, 12, 1, 1);
        assert_eq!(levels(&rows.iter().collect::<Vec<_>>(), "load").len(), 12);
        let listed = ["series", "load", "notice", "displacement", "metric", "mean ± 95 %", "n", "p (Holm)"];
        assert_eq!(names(&tables(&rows)[0]), listed);
        let rows = samples::crossing(1, 3, 1, 1);
        assert_eq!(names(&tables(&[rows.clone(), rows].concat())[0]), listed);
        // Few values of another factor than x are columns.
        assert_eq!(names(&tables(&samples::crossing(1, 12, 2, 1))[0]).last(), Some(&"notice = 120"));
    }

    #[test]
    fn the_file_of_a_crossing_has_a_column_for_each_factor() {
        let rows = samples::crossing(1, 2, 1, 2);
        let table = crate::pivot::crossing_rows(&rows.iter().collect::<Vec<_>>());
        insta::assert_snapshot!(String::from_utf8(table.csv().unwrap()).unwrap());
    }

    #[test]
    fn the_answer_comes_first_and_the_ranking_after_it() {
        assert_eq!((markdown(&[]), opening(None, None)), (String::new(), String::new()));
        insta::assert_snapshot!(opening(Some(&samples::answer()), Some(&samples::ranking())));
    }
}
