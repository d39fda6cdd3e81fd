//! The sizes of files and the runtimes of tasks: one of each.

use super::names::Names;
use super::parts::{MeasuredTask, Text, WfFile, WfTask};
use crate::workload::task_file::TaskFileError;
use std::collections::{BTreeMap, BTreeSet};

/// The sizes of files in bytes.
#[derive(Default)]
pub(super) struct Sizes(BTreeMap<String, f64>);

impl Sizes {
    /// The sizes in a list of files.
    pub(super) fn of_files(files: &[WfFile<'_>], text: Text<'_>) -> Result<Self, TaskFileError> {
        let mut sizes = Self::default();
        for file in files {
            if let Err(wrong) = sizes.add(file.id.clone(), file.size_in_bytes) {
                return Err(text.wrong(file.source, wrong.0, wrong.1));
            }
        }
        Ok(sizes)
    }

    /// The sizes that tasks give for the files that they read and write.
    pub(super) fn of_links(tasks: &[WfTask<'_>], names: &Names<'_>, text: Text<'_>) -> Result<Self, TaskFileError> {
        let mut sizes = Self::default();
        for (task, name) in tasks.iter().zip(&names.own) {
            for file in &task.files.0 {
                if let Err((wrong, right)) = sizes.add(file.key(), file.size_in_bytes) {
                    return Err(text.wrong(task.source, format!("task {name:?}: {wrong}"), right));
                }
            }
        }
        Ok(sizes)
    }

    /// Takes in the size of a file, or says what is wrong and what would be right.
    fn add(&mut self, file: String, bytes: f64) -> Result<(), (String, &'static str)> {
        if bytes < 0.0 {
            return Err((format!("the size of file {file:?} is {bytes} bytes"), "give a number of at least 0"));
        }
        match self.0.get(&file) {
            Some(&before) if before != bytes => {
                let wrong = format!("the size of file {file:?} is {bytes} bytes, and was {before} bytes before");
                Err((wrong, "give each file one size"))
            }
            _ => {
                self.0.insert(file, bytes);
                Ok(())
            }
        }
    }

    /// The size of a file, if it is known.
    pub(super) fn of_file(&self, file: &str) -> Option<f64> {
        self.0.get(file).copied()
    }
}

/// The runtimes of tasks that were measured apart from them, in seconds.
#[derive(Default)]
pub(super) struct Runtimes(BTreeMap<String, f64>);

impl Runtimes {
    /// The runtimes in an execution.
    pub(super) fn of(measured: &[MeasuredTask<'_>], names: &Names<'_>, text: Text<'_>) -> Result<Self, TaskFileError> {
        let known: BTreeSet<&str> = names.own.iter().copied().collect();
        let mut runtimes = BTreeMap::new();
        for task in measured {
            let id = task.id.as_str();
            if !known.contains(id) {
                let wrong = format!("the `execution` has a task {id:?}, which the `specification` has not");
                return Err(text.wrong(task.source, wrong, "give the id of a task of the `specification`"));
            }
            if runtimes.insert(task.id.clone(), task.runtime_in_seconds).is_some() {
                let wrong = format!("task {id:?} is in the `execution` twice");
                return Err(text.wrong(task.source, wrong, "give each task one runtime"));
            }
        }
        Ok(Self(runtimes))
    }

    /// The runtime of the task of this name, by itself or as it was measured.
    pub(super) fn of_task(&self, task: &WfTask<'_>, name: &str, text: Text<'_>) -> Result<f64, TaskFileError> {
        let (own, measured) = (task.runtime_in_seconds, self.0.get(name).copied());
        let (wrong, right) = match (own.or(measured), own.zip(measured)) {
            (None, _) => (format!("task {name:?} has no runtime"), "give `runtimeInSeconds`"),
            (Some(runtime), _) if runtime < 0.0 => {
                (format!("the runtime of task {name:?} is {runtime} seconds"), "give a number of at least 0")
            }
            (_, Some((own, measured))) if own != measured => {
                let wrong =
                    format!("the runtime of task {name:?} is {own} seconds, and {measured} seconds in the `execution`");
                (wrong, "give each task one runtime")
            }
            (Some(runtime), _) => return Ok(runtime),
        };
        Err(text.wrong(task.source, wrong, right))
    }
}
