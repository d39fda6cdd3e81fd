//! Tables: one model of rows and columns, written as text for a terminal, as Markdown, as HTML and as CSV.

mod csv;
mod html;
mod markdown;
mod text;

pub(crate) use html::{details, folded};

use crate::excerpt::grouped;
use gridloom_sim::units::counted;

/// A table that is ready to be written.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    pub title: String,
    pub columns: Vec<Column>,
    /// So many columns at the left name the lines.
    pub labels: usize,
    /// One cell per column.
    pub lines: Vec<Vec<String>>,
    pub notes: Vec<Note>,
    /// Columns of cells that stand out, by line and column.
    pub strong: Vec<(usize, usize)>,
    /// The part of the page that the first cell of each line leads to; empty for none.
    pub links: Vec<String>,
    /// What a line is: of lines that find no room on a terminal the number is said.
    pub line_is: &'static str,
    /// Metrics that are in the files only.
    pub left_out: usize,
    /// The file that holds all of it, if it is so long that Markdown shows its beginning only.
    pub file: Option<String>,
}

/// A column's heading and alignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub name: String,
    pub numeric: bool,
}

/// A sentence below a table, and perhaps a list that goes on with it.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub text: String,
    pub items: Vec<String>,
    /// The lines that it may have on a terminal; the number of the items that find no room is said.
    pub most_lines: usize,
}

impl Column {
    pub fn text(name: impl Into<String>) -> Self {
        Self { name: name.into(), numeric: false }
    }

    pub fn number(name: impl Into<String>) -> Self {
        Self { name: name.into(), numeric: true }
    }
}

impl Note {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self::list(text, Vec::new(), usize::MAX)
    }

    pub(crate) fn list(text: impl Into<String>, items: Vec<String>, most_lines: usize) -> Self {
        Self { text: text.into(), items, most_lines }
    }

    /// The whole note.
    fn whole(&self) -> String {
        format!("{}{}", self.text, self.items.join(", "))
    }
}

impl Table {
    /// A table whose first column names the lines.
    pub fn new(title: impl Into<String>, columns: Vec<Column>, lines: Vec<Vec<String>>) -> Self {
        Self { title: title.into(), columns, labels: 1, lines, line_is: "more line", ..Self::default() }
    }

    /// At most `most` lines, evenly spread from the first to the last, with a note on the others.
    pub(crate) fn thinned(mut self, most: usize) -> Self {
        let all = self.lines.len();
        if all > most {
            self.lines = (0..most).map(|k| self.lines[k * (all - 1) / (most - 1).max(1)].clone()).collect();
            self.notes.insert(0, Note::new(format!("{most} of {all} lines are shown; results.csv holds all of them.")));
        }
        self
    }

    /// The title with the size of the table.
    fn summary(&self) -> String {
        let of = |count: usize, what: &str| format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" });
        format!("{} ({}, {})", self.title, of(self.lines.len(), "line"), of(self.columns.len(), "column"))
    }

    /// The notes of a table that is shown whole, but for metrics that are in the files only.
    fn all_notes(&self) -> Vec<String> {
        let more = || format!("{}: results.csv has all of them.", counted(self.left_out as u64, "more metric"));
        self.notes.iter().map(Note::whole).chain((self.left_out > 0).then(more)).collect()
    }
}
