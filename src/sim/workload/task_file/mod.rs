//! Jobs made of tasks in files: [WfCommons](read_wfcommons) and [Graphviz](read_dot).

mod dot;
mod few;
mod wfcommons;

pub use dot::read_dot;
pub use wfcommons::read_wfcommons;

use crate::workload::is_graphviz;

/// The most tasks that a file may have.
const TASKS_LIMIT: usize = 100_000;
/// The most edges that a graph may have, and the most parents, children or files of a task.
const LINKS_LIMIT: usize = 2_000_000;

/// A task as a file has it.
#[derive(Debug, Clone, PartialEq)]
pub struct FileTask {
    /// Its name, unique in the file.
    pub name: String,
    /// The amount of work, in the unit of the format.
    pub size: f64,
    /// The tasks it waits for: the place of each in the file, and the amount of data that comes from it.
    pub inputs: Vec<(usize, f64)>,
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TextPlace {
    /// The line, from 1.
    pub line: usize,
    /// The letter in that line, from 1.
    pub column: usize,
}

impl std::fmt::Display for TextPlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "line {}, column {}", self.line, self.column)
    }
}

/// Why a file is no job.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TaskFileError {
    /// The text does not follow the format, or says what can't be.
    #[error("{place}: {what}")]
    Syntax {
        /// Where.
        place: TextPlace,
        /// The fault there.
        what: String,
        /// The remedy; empty where the format itself is it.
        right: String,
    },
    /// There are no tasks, or too many.
    #[error("there are {0} tasks; a job has 1 to {TASKS_LIMIT}")]
    Count(usize),
}

impl TaskFileError {
    /// A fault at a place of the text, and its remedy.
    fn at(place: TextPlace, what: impl Into<String>, right: impl Into<String>) -> Self {
        Self::Syntax { place, what: what.into(), right: right.into() }
    }

    /// What is wrong with the file called `name`, with the place in it as editors take it, and what would be right.
    pub(crate) fn in_file(self, name: &str) -> (String, String) {
        let usual = "give a WfCommons file (format 1.0 to 1.6) or a Graphviz digraph with sizes";
        match self {
            Self::Syntax { place: TextPlace { line, column }, what, right } => {
                let right = if right.is_empty() { usual.into() } else { right };
                (format!("{name}:{line}:{column}: {what}"), right)
            }
            other => (format!("{name}: {other}"), usual.into()),
        }
    }
}

/// True if a job is read as a graph of Graphviz: by the ending of the file's name, or by how its text begins.
pub(crate) fn is_graph(name: &str, text: &str) -> bool {
    is_graphviz(name) || dot::begins_as_graph(text)
}

/// Reads a job from text: a [graph](is_graph) of Graphviz, otherwise WfCommons.
pub(crate) fn read_tasks(name: &str, text: &str) -> Result<Vec<FileTask>, TaskFileError> {
    let tasks = if is_graph(name, text) { read_dot(text)? } else { read_wfcommons(text)? };
    match tasks.len() {
        1..=TASKS_LIMIT => Ok(tasks),
        count => Err(TaskFileError::Count(count)),
    }
}
