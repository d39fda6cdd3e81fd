//! The logs of a replay: named in the scenario, read before the run, and dropped with the study.

use super::{Replay, ReplayLogSpec};
use crate::language::{Context, Count, Cursor, Decode, Description, Form};
use crate::sim::LogRules;
use crate::workload::swf::{Log, Touched};
use crate::workload::{Files, Lublin, NamedLog, path_from};
use serde::Serialize;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

/// The longest name that a log gets from its file.
const LONGEST_NAME: usize = 80;

/// A log of a replay: what the scenario writes, and what was read.
#[derive(Clone, Serialize)]
#[serde(transparent)]
pub struct ReplayLog {
    /// What the scenario writes.
    pub spec: ReplayLogSpec,
    /// The log itself, once it was read. It stays out of scenarios: it may hold millions of jobs.
    #[serde(skip)]
    read: Option<Arc<NamedLog>>,
    /// The path was given from the folder of the scenario.
    #[serde(skip)]
    is_relative: bool,
}

impl From<ReplayLogSpec> for ReplayLog {
    fn from(spec: ReplayLogSpec) -> Self {
        Self { spec, read: None, is_relative: false }
    }
}

/// The log that was read is the same if the checksum is.
impl PartialEq for ReplayLog {
    fn eq(&self, other: &Self) -> bool {
        self.spec == other.spec
    }
}

impl fmt::Debug for ReplayLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

impl Decode for ReplayLog {
    fn wanted() -> String {
        ReplayLogSpec::wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        ReplayLogSpec::declared()
    }

    fn form() -> Form {
        ReplayLogSpec::form()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        ReplayLogSpec::decode(at, context).map(Self::from)
    }
}

/// A log that is ready to be replayed.
#[derive(Clone)]
pub(super) enum ReadyLog {
    Read(Arc<NamedLog>),
    Drawn(Arc<Log>),
}

impl std::ops::Deref for ReadyLog {
    type Target = Log;

    fn deref(&self) -> &Log {
        match self {
            Self::Read(read) => &read.log,
            Self::Drawn(log) => log,
        }
    }
}

impl ReplayLog {
    /// Its name in results: letters, digits, `-`, `_` and `.`.
    pub(crate) fn name(&self) -> String {
        match &self.spec {
            ReplayLogSpec::File { name: Some(name), .. } | ReplayLogSpec::Lublin { name: Some(name), .. } => {
                name.as_str().to_string()
            }
            ReplayLogSpec::File { path, .. } => log_name(Path::new(path)),
            ReplayLogSpec::Lublin { .. } => "lublin".to_string(),
        }
    }

    /// The processors of its machine; nothing if it was not read and does not say.
    pub(super) fn nodes(&self) -> Option<u32> {
        let nodes = match &self.spec {
            ReplayLogSpec::File { nodes, .. } => (*nodes)?,
            ReplayLogSpec::Lublin { nodes, .. } => *nodes,
        };
        u32::try_from(nodes.get()).ok()
    }

    /// The number of its records, as far as that is known before it is drawn.
    pub(super) fn records(&self) -> usize {
        match &self.spec {
            ReplayLogSpec::File { .. } => self.read.as_ref().map_or(0, |read| read.log.records.len()),
            ReplayLogSpec::Lublin { jobs, .. } => usize::try_from(jobs.get()).unwrap_or(0),
        }
    }

    /// The log itself: as it was read, or drawn now. Nothing if its file was never read.
    pub(super) fn ready(&self) -> Option<ReadyLog> {
        let ReplayLogSpec::Lublin { jobs, nodes, load, seed, .. } = &self.spec else {
            return self.read.clone().map(ReadyLog::Read);
        };
        let few = |count: &Count| u32::try_from(count.get()).unwrap_or(u32::MAX);
        let lublin = Lublin { jobs: few(jobs), nodes: few(nodes), load: load.get(), seed: *seed };
        let log = Log { header: lublin.header(), records: lublin.draw(), ..Log::default() };
        Some(ReadyLog::Drawn(Arc::new(log)))
    }
}

/// The name of a log by its file, as far as it can be part of a file's name.
pub(crate) fn log_name(path: &Path) -> String {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = file.strip_suffix(".gz").unwrap_or(&file);
    let stem = stem.strip_suffix(".swf").unwrap_or(stem);
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    stem.chars().map(plain).take(LONGEST_NAME).collect()
}

/// True if the rules leave a job of the log.
pub(crate) fn has_job(log: &Log, nodes: u32, rules: LogRules) -> bool {
    let mut touched = Touched::default();
    log.records.iter().any(|record| touched.judge(record, nodes, rules).is_some())
}

/// Reads all logs that are files, and fills in what their scenario leaves to them.
pub(super) fn read(replay: &mut Replay, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
    let (strict, limits, rules) = (replay.strict, replay.limits, replay.log_rules());
    let mut had_file = false;
    for (index, entry) in replay.logs.iter_mut().enumerate() {
        let ReplayLogSpec::File { path, nodes, checksum, .. } = &mut entry.spec else { continue };
        had_file = true;
        let at = at.field("logs").element(index);
        let place = at.field("path");
        let read = match files.named_log(path, limits) {
            Ok(read) => read,
            Err(error) => {
                let right =
                    "give the path of a whole log in the Standard Workload Format, from the folder of the scenario";
                errors.add(&place, format!("the log can't be read: {error}"), right);
                continue;
            }
        };
        let faults = &read.log.faults;
        if checksum.as_ref().is_some_and(|given| !given.eq_ignore_ascii_case(&read.checksum)) {
            let wrong = format!("the log has changed: its checksum is {}", read.checksum);
            errors.add(&at.field("checksum"), wrong, "give the log as it was, or leave `checksum` out");
        }
        if strict && !faults.are_none() {
            let wrong =
                format!("the log has bad lines, and `strict` allows none: {}", single_line(&faults.to_string()));
            errors.add(&place, wrong, "mend the log, or leave `strict` out");
            continue;
        }
        if read.log.records.is_empty() {
            errors.add(&place, "there is no job in it", "give a log in the Standard Workload Format");
            continue;
        }
        let Some(processors) = nodes.map(Count::get).or(read.log.header.processors().map(u64::from)) else {
            errors.add(&at, read.log.header.no_size(), "give `nodes`");
            continue;
        };
        if !has_job(&read.log, u32::try_from(processors).unwrap_or(u32::MAX), rules) {
            let right = "give more `nodes`, or other rules";
            errors.add(&place, "no job can be replayed: all are left out by the rules", right);
            continue;
        }
        if !faults.are_none() {
            // By its file alone, which is the same for the scenario of the result.
            let file = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
            files.note(format!("{file}: {faults}"));
        }
        *nodes = Some(Count::of(processors));
        *checksum = Some(read.checksum.clone());
        entry.is_relative = Path::new(path).is_relative();
        if let Ok(whole) = std::path::absolute(files.folder().join(&*path))
            && let Some(whole) = whole.to_str()
        {
            *path = whole.to_string();
        }
        entry.read = Some(read);
    }
    had_file
}

/// Writes paths that were given from the folder of the scenario as they are from another one.
pub(super) fn refer_from(replay: &mut Replay, folder: &Path) {
    for entry in replay.logs.iter_mut().filter(|entry| entry.is_relative) {
        let ReplayLogSpec::File { path, .. } = &mut entry.spec else { continue };
        // Without links, so that `..` leads where it seems to.
        let Ok(real) = std::fs::canonicalize(&*path) else { continue };
        if let Some(relative) = path_from(folder, &real).as_ref().and_then(|path| path.to_str()) {
            *path = relative.to_string();
        }
    }
}

fn single_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_called_by_its_file_as_far_as_that_can_name_a_file() {
        let names =
            ["a/b/KTH-SP2-1996-2.1-cln.swf.gz", "t.swf", "x.gz", "é ü.swf", "/"].map(|path| log_name(Path::new(path)));
        assert_eq!(names, ["KTH-SP2-1996-2.1-cln", "t", "x", "---", ""]);
        assert_eq!(log_name(Path::new(&"n".repeat(300))).len(), LONGEST_NAME);
    }
}
