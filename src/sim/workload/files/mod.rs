//! Files that a scenario names become lists of tasks and of jobs in it.

mod log;
mod named_log;
mod path_from;
mod tasks;

use super::swf::LogLimits;
use super::{FileSpec, ListedJobs, ListedSpec, TasksSpec, WorkSpec, WorkflowWork, seconds_per_unit};
use crate::language::{Context, Cursor, Positive, Source};
use crate::units::Span;
use log::LogRequest;
pub(super) use log::listed;
pub use named_log::NamedLog;
pub use path_from::path_from;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A text that says what is wrong, and one that says what would be right.
type FileRefusal = (String, String);

/// What tells one reading of a log from another: its path and the limits on its size.
type LogKey = (String, LogLimits);

/// Why a file can't be read. Of one that is missing the whole path is told: a scenario names it from its own folder.
fn unreadable(path: &Path, error: &impl std::fmt::Display) -> String {
    match path.try_exists() {
        Ok(false) => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
            format!("there is no file {}", whole.display())
        }
        _ => error.to_string(),
    }
}

/// The files of a scenario and of the points of its sweeps: each is read once.
pub struct Files<'a> {
    source: &'a Source,
    tasks: Vec<((FileSpec, f64), Result<ListedSpec, FileRefusal>)>,
    logs: Vec<(LogRequest, Result<ListedJobs, FileRefusal>)>,
    named: Vec<(LogKey, Result<Arc<NamedLog>, String>)>,
    notes: Vec<String>,
    /// Where the files are that were looked at, by the names that the scenario gives them.
    opened: BTreeMap<String, PathBuf>,
    /// Copies that are read in place of them.
    copies: BTreeMap<String, PathBuf>,
}

/// The grid whose jobs are in a log.
#[derive(Debug, Clone, Copy)]
pub struct LogSetting<'a> {
    /// The number of its nodes.
    pub nodes: u64,
    /// When the run ends.
    pub horizon: Span,
    /// The name of its unit of time.
    pub time_unit: &'a str,
}

impl<'a> Files<'a> {
    /// Those that the scenario in `source` names; their paths are taken from its folder.
    pub fn new(source: &'a Source) -> Self {
        Self::of_copies(source, BTreeMap::new())
    }

    /// The same, but the files that `copies` knows by the names that the scenario gives them are read from there.
    pub fn of_copies(source: &'a Source, copies: BTreeMap<String, PathBuf>) -> Self {
        let (tasks, logs, named, notes) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { source, tasks, logs, named, notes, opened: BTreeMap::new(), copies }
    }

    /// Where a file is read that the scenario calls `name`.
    fn place(&mut self, name: &str) -> PathBuf {
        let place = self.copies.get(name).cloned().unwrap_or_else(|| self.folder().join(name));
        self.opened.insert(name.to_string(), place.clone());
        place
    }

    /// Replaces a file of tasks, which stands at `at`, by the tasks in it; returns true if it was one. Faults of the
    /// file are reported at its path.
    pub fn read_tasks(
        &mut self,
        tasks: &mut TasksSpec,
        time_unit: Option<&str>,
        at: &Cursor<'_>,
        errors: &mut Context<'_>,
    ) -> bool {
        let TasksSpec::File(file) = &*tasks else { return false };
        let seconds = match time_unit {
            Some(unit) => seconds_per_unit(file.seconds, unit),
            None => file.seconds.map(Positive::get),
        };
        match self.tasks(file, seconds.unwrap_or(1.0)) {
            Ok(listed) => *tasks = TasksSpec::Listed(listed),
            Err((wrong, right)) => errors.add(&at.field("path"), wrong, right),
        }
        true
    }

    /// The same for the work of a flow: a log, or tasks.
    pub fn read_work(
        &mut self,
        work: &mut WorkSpec,
        setting: &LogSetting<'_>,
        at: &Cursor<'_>,
        errors: &mut Context<'_>,
    ) -> bool {
        let request = match work {
            WorkSpec::Workflow(WorkflowWork { tasks, .. }) => {
                return self.read_tasks(tasks, Some(setting.time_unit), &at.field("tasks"), errors);
            }
            WorkSpec::Log { path, seconds, jobs, strict, limits } => LogRequest {
                path: path.clone(),
                seconds: seconds_per_unit(*seconds, setting.time_unit).unwrap_or(1.0),
                most: *jobs,
                strict: *strict,
                limits: *limits,
                nodes: u32::try_from(setting.nodes).unwrap_or(u32::MAX),
                horizon: setting.horizon,
            },
            // The scenario of a result lists what was read from a log, and what was said of it.
            WorkSpec::Listed(listed) => {
                listed.notes.iter().for_each(|note| self.note(note.clone()));
                return false;
            }
            WorkSpec::Rigid { .. } | WorkSpec::Lublin { .. } => return false,
        };
        match self.jobs(request) {
            Ok(listed) => {
                listed.notes.iter().for_each(|note| self.note(note.clone()));
                *work = WorkSpec::Listed(listed);
            }
            Err((wrong, right)) => errors.add(&at.field("path"), wrong, right),
        }
        true
    }

    /// A log that the scenario goes on naming, since it may hold millions of jobs; or why it can't be read.
    pub fn named_log(&mut self, path: &str, limits: LogLimits) -> Result<Arc<NamedLog>, String> {
        let key = (path.to_string(), limits);
        if let Some((_, known)) = self.named.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let place = self.place(path);
        let read = NamedLog::read(&place, limits).map(Arc::new).map_err(|error| unreadable(&place, &error));
        self.named.push((key, read.clone()));
        read
    }

    /// The folder from which paths are taken.
    pub fn folder(&self) -> &Path {
        self.source.folder()
    }

    /// Adds a note for the user, unless it is there already.
    pub fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// The notes for the user about the files, and where those are that were looked at, by the names that the scenario
    /// gives them.
    pub fn into_notes(self) -> (Vec<String>, BTreeMap<String, PathBuf>) {
        (self.notes, self.opened)
    }

    fn tasks(&mut self, file: &FileSpec, seconds: f64) -> Result<ListedSpec, FileRefusal> {
        let key = (file.clone(), seconds);
        if let Some((_, known)) = self.tasks.iter().find(|(known, _)| *known == key) {
            return known.clone();
        }
        let read = tasks::read(&self.place(&file.path), file, seconds).map(|(tasks, notes)| {
            notes.into_iter().for_each(|note| self.note(note));
            tasks
        });
        self.tasks.push((key, read.clone()));
        read
    }

    fn jobs(&mut self, request: LogRequest) -> Result<ListedJobs, FileRefusal> {
        if let Some((_, known)) = self.logs.iter().find(|(known, _)| *known == request) {
            return known.clone();
        }
        let read = log::read(&self.place(&request.path), &request);
        self.logs.push((request, read.clone()));
        read
    }
}
