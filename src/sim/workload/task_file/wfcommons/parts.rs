//! The parts of an instance that matter here, each with its source in the text; all others are passed over.

use crate::workload::task_file::few::Few;
use crate::workload::task_file::{LINKS_LIMIT, TASKS_LIMIT, TaskFileError, TextPlace};
use serde::Deserialize;
use serde_json::value::RawValue;

/// A list within a task.
type Links<T> = Few<T, LINKS_LIMIT>;

/// The whole of a file.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Instance<'t> {
    #[serde(borrow)]
    pub(super) schema_version: &'t RawValue,
    #[serde(borrow)]
    pub(super) workflow: &'t RawValue,
}

#[derive(Deserialize)]
pub(super) struct WfInstance<'t> {
    /// Up to format 1.4: structure and measurements of a task in one place.
    #[serde(borrow, default, alias = "jobs")]
    pub(super) tasks: Few<&'t RawValue, TASKS_LIMIT>,
    /// From format 1.5 on: what is to be done.
    #[serde(borrow)]
    pub(super) specification: Option<&'t RawValue>,
    /// From format 1.5 on: what was measured.
    #[serde(borrow)]
    pub(super) execution: Option<&'t RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Specification<'t> {
    #[serde(borrow)]
    pub(super) tasks: Few<&'t RawValue, TASKS_LIMIT>,
    #[serde(borrow, default)]
    pub(super) files: Links<&'t RawValue>,
}

#[derive(Deserialize)]
pub(super) struct Execution<'t> {
    #[serde(borrow)]
    pub(super) tasks: Few<&'t RawValue, TASKS_LIMIT>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WfTask<'t> {
    #[serde(skip)]
    pub(super) source: &'t str,
    pub(super) id: Option<String>,
    pub(super) name: String,
    #[serde(default)]
    pub(super) parents: Links<String>,
    #[serde(default)]
    pub(super) children: Links<String>,
    /// From format 1.5 on.
    #[serde(default)]
    pub(super) input_files: Links<String>,
    #[serde(default)]
    pub(super) output_files: Links<String>,
    /// Up to format 1.4.
    #[serde(default)]
    pub(super) files: Links<LinkedFile>,
    #[serde(alias = "runtime")]
    pub(super) runtime_in_seconds: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct WfFile<'t> {
    #[serde(skip)]
    pub(super) source: &'t str,
    pub(super) id: String,
    pub(super) size_in_bytes: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", expecting = "an object with `link`, `name` and `sizeInBytes`")]
pub(super) struct LinkedFile {
    pub(super) link: String,
    #[serde(alias = "id")]
    name: String,
    /// The folder of the file, which tells files of one name apart.
    #[serde(default)]
    path: String,
    /// Bytes in all versions, also where the field is called `size`.
    #[serde(alias = "size")]
    pub(super) size_in_bytes: f64,
}

impl LinkedFile {
    pub(super) fn key(&self) -> String {
        format!("{}{}", self.path, self.name)
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MeasuredTask<'t> {
    #[serde(skip)]
    pub(super) source: &'t str,
    pub(super) id: String,
    pub(super) runtime_in_seconds: f64,
}

/// A part of a list that keeps its source.
pub(super) trait Sourced<'t>: Deserialize<'t> {
    /// Keeps it.
    fn keep(&mut self, source: &'t str);
}

macro_rules! sourced {
    ($($part:ident),*) => {$(
        impl<'t> Sourced<'t> for $part<'t> {
            fn keep(&mut self, source: &'t str) {
                self.source = source;
            }
        }
    )*};
}

sourced!(WfTask, WfFile, MeasuredTask);

/// The fault that a reader of JSON tells, without names of types that only a programmer knows.
fn in_plain_words(said: &str) -> String {
    let known =
        [("f64", "a number"), ("u64", "a whole number"), ("u32", "a whole number"), ("usize", "a whole number")];
    let found = known.iter().find_map(|(name, words)| {
        Some(format!("{}expected {words}", said.strip_suffix(name)?.strip_suffix("expected ")?))
    });
    found.unwrap_or_else(|| said.to_string())
}

/// The text of a file. Its parts are slices of it, so that each tells its place.
#[derive(Clone, Copy)]
pub(super) struct Text<'t>(pub(super) &'t str);

impl<'t> Text<'t> {
    /// An object of which `source` is the text; `what` it is begins the sentence if it is none.
    pub(super) fn object<T: Deserialize<'t>>(self, source: &'t str, what: &str) -> Result<T, TaskFileError> {
        let found = source.trim_start();
        // A list would be taken for the fields of an object in their order.
        if !found.starts_with('{') {
            let found: String = found.chars().take_while(|letter| !letter.is_whitespace()).take(20).collect();
            let found = if found.is_empty() { "nothing".to_string() } else { format!("`{found}`") };
            let right = "give a WfCommons file (format 1.0 to 1.6) or a Graphviz digraph with sizes";
            return Err(self.wrong(source, format!("{what} an object in braces, and here is {found}"), right));
        }
        serde_json::from_str(source).map_err(|error| {
            let begin = self.place(source);
            let said = error.to_string();
            let said = said.split(" at line ").next().unwrap_or_default();
            let column = if error.line() == 1 { begin.column + error.column() } else { error.column() + 1 };
            let place = TextPlace { line: begin.line + error.line().saturating_sub(1), column: column.max(2) - 1 };
            TaskFileError::at(place, in_plain_words(said), "")
        })
    }

    /// The objects of a list.
    pub(super) fn objects<T: Sourced<'t>>(self, list: &[&'t RawValue], what: &str) -> Result<Vec<T>, TaskFileError> {
        let read = |source: &&'t RawValue| {
            let mut part: T = self.object(source.get(), what)?;
            part.keep(source.get());
            Ok(part)
        };
        list.iter().map(read).collect()
    }

    /// A fault of the part of which `source` is the text, and its remedy.
    pub(super) fn wrong(self, source: &str, what: impl Into<String>, right: impl Into<String>) -> TaskFileError {
        TaskFileError::at(self.place(source), what, right)
    }

    /// The place at which a part begins.
    fn place(self, source: &str) -> TextPlace {
        let offset = (source.as_ptr() as usize).saturating_sub(self.0.as_ptr() as usize);
        let before = self.0.get(..offset).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        TextPlace { line, column: 1 + before[line_start..].chars().count() }
    }
}
