//! Tables as Markdown, whose columns line up on a terminal too.

use super::{Column, Table};
use gridloom_files::single_line;

/// A table that a file holds as a whole shows at most this many lines.
const MOST_LINES: usize = 60;

impl Table {
    /// The table below its title, with its notes.
    pub fn markdown(&self) -> String {
        let shown = if self.file.is_some() { MOST_LINES } else { usize::MAX };
        let cells = |line: &Vec<String>| line.iter().map(|cell| escaped(cell)).collect();
        let heading: Vec<String> = self.columns.iter().map(|column| column.name.clone()).collect();
        let lines: Vec<Vec<String>> = self.lines.iter().take(shown).map(cells).collect();
        let width = |k: usize| lines.iter().chain([&heading]).map(|line| line[k].chars().count()).max();
        let widths: Vec<usize> = (0..heading.len()).map(|k| width(k).unwrap_or(0).max(2)).collect();
        let rule = self.columns.iter().zip(&widths).map(|(column, &width)| rule(column, width)).collect();
        let mut text = format!("## {}\n\n", single_line(&self.title));
        for line in [&heading, &rule].into_iter().chain(&lines) {
            let padded = line.iter().zip(&self.columns).zip(&widths);
            let cells: Vec<String> = padded.map(|((cell, column), &width)| pad(cell, column, width)).collect();
            text.push_str(&format!("| {} |\n", cells.join(" | ")));
        }
        if let Some(file) = self.file.as_ref().filter(|_| lines.len() < self.lines.len()) {
            let (shown, all, file) = (lines.len(), self.lines.len(), single_line(file));
            text.push_str(&format!("\n{shown} of {all} lines are shown; {file} and report.html hold all of them.\n"));
        }
        text.extend(self.all_notes().iter().map(|note| format!("\n{note}\n")));
        text
    }
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

    #[test]
    fn every_line_is_as_wide_as_the_others_and_bars_are_escaped() {
        let lines = vec![vec!["a|b".into(), "1.5 ± 0.1".into()], vec!["EASY".into(), "20".into()]];
        let table = Table::new("waits", vec![Column::text("series"), Column::number("mean")], lines);
        let expected = "## waits\n\n| series |      mean |\n| ------ | --------: |\n| a\\|b   | 1.5 ± 0.1 |\n\
                        | EASY   |        20 |\n";
        assert_eq!(table.markdown(), expected);
    }

    #[test]
    fn a_long_table_is_cut_if_a_file_has_all_of_it() {
        let lines = vec![vec!["a".to_string()]; 90];
        let table = Table { file: Some("rules.csv".into()), ..Table::new("t", vec![Column::text("series")], lines) };
        let text = table.markdown();
        assert!(text.ends_with("\n60 of 90 lines are shown; rules.csv and report.html hold all of them.\n"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("| a ")).count(), 60);
        assert!(table.thinned(20).markdown().ends_with("\n20 of 90 lines are shown; results.csv holds all of them.\n"));
    }
}
