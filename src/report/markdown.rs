//! Results as Markdown tables whose columns line up on a terminal too.

use super::ranking;
use super::table::{self, Column, Table};
use crate::{Ranking, Row, StudyAnswer};
use gridloom_files::single_line;

/// A crossing shows at most this many lines.
const MOST_LINES: usize = 60;

/// One table per experiment; long sweeps are condensed, with a note.
///
/// ```
/// use gridloom::study::Row;
/// use gridloom::metrics::Estimate;
/// use gridloom::report::markdown;
///
/// let estimate = Estimate { mean: 0.43123, ci95: Some(0.00213), n: 30 };
/// let text = markdown::tables(&[Row::new("criteria", "AMP", "utilisation", estimate)]);
/// assert!(text.contains("| AMP    | utilisation | 0.4312 ± 0.0021 | 30 |"));
/// ```
pub fn tables(rows: &[Row]) -> String {
    table::tables(rows).iter().map(section).collect::<Vec<_>>().join("\n")
}

/// The opening of a run's summary: what it says in answer to its question, under which rules, and the ranking. It is
/// empty for runs that have neither.
///
/// ```
/// use gridloom::report::markdown;
/// use gridloom::study::StudyAnswer;
///
/// let answer = StudyAnswer {
///     question: "Who wins?".into(),
///     sentences: vec!["EASY does.".into()],
///     rules: vec![("notice".into(), "120".into())],
///     ..StudyAnswer::default()
/// };
/// let text = markdown::opening(Some(&answer), None);
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
    text.extend(ranking.map(|ranking| section(&ranking::table(ranking)) + "\n"));
    text
}

pub fn section(table: &Table) -> String {
    let heading: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
    let shown = if table.file.is_some() { MOST_LINES } else { usize::MAX };
    let lines: Vec<Vec<String>> =
        table.lines.iter().take(shown).map(|line| line.iter().map(|cell| escaped(cell)).collect()).collect();
    let widths: Vec<usize> = (0..heading.len())
        .map(|k| lines.iter().chain([&heading]).map(|line| line[k].chars().count()).max().unwrap_or(0).max(2))
        .collect();
    let rule: Vec<String> = table.columns.iter().zip(&widths).map(|(column, &width)| rule(column, width)).collect();

    let mut text = format!("## {}\n\n", single_line(&table.heading));
    for line in [&heading, &rule].into_iter().chain(&lines) {
        let cells: Vec<String> = line
            .iter()
            .zip(&table.columns)
            .zip(&widths)
            .map(|((cell, column), &width)| pad(cell, column, width))
            .collect();
        text.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    if let Some(file) = table.file.as_ref().filter(|_| lines.len() < table.lines.len()) {
        let (shown, all) = (lines.len(), table.lines.len());
        let file = single_line(file);
        text.push_str(&format!("\n{shown} of {all} lines are shown; {file} and report.html hold all of them.\n"));
    }
    text.extend(table.notes().iter().map(|note| format!("\n{note}\n")));
    text
}

fn rule(column: &Column, width: usize) -> String {
    let dashes = "-".repeat(width - 1);
    if column.numeric { dashes + ":" } else { dashes + "-" }
}

fn pad(cell: &str, column: &Column, width: usize) -> String {
    if column.numeric { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
}

fn escaped(cell: &str) -> String {
    single_line(cell).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn columns_line_up_and_bars_in_names_are_escaped() {
        insta::assert_snapshot!(tables(&samples::small().rows));
    }

    #[test]
    fn a_condensed_table_says_what_is_missing() {
        let text = tables(&samples::sweep(2, 300));
        assert!(text.ends_with("20 of 600 rows are shown; results.csv holds all of them.\n"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("| series ")).count(), 21);
    }

    #[test]
    fn every_line_of_a_table_is_as_wide_as_the_others() {
        let text = tables(&samples::small().rows);
        for section in text.split("## ").skip(1) {
            let widths: Vec<usize> =
                section.lines().skip(2).filter(|l| !l.is_empty()).map(|l| l.chars().count()).collect();
            assert!(widths.windows(2).all(|pair| pair[0] == pair[1]), "{section}");
        }
    }

    #[test]
    fn no_rows_make_no_text() {
        assert_eq!(tables(&[]), "");
        assert_eq!(opening(None, None), "");
    }

    #[test]
    fn the_answer_comes_first_and_the_ranking_after_it() {
        insta::assert_snapshot!(opening(Some(&samples::answer()), Some(&samples::ranking())));
    }
}
