//! A log that a flow names becomes a list of jobs.

use super::{FileRefusal, unreadable};
use crate::language::{Count, Positive};
use crate::units::{INPUT_LIMIT, Span, Time, counted};
use crate::workload::swf::{Faults, Log, LogError, LogLimits, LogRules, LoggedJob, Touched, rule_counts};
use crate::workload::{ListedJob, ListedJobs};
use std::path::Path;

/// The request of a flow for a log, with the grid that the flow belongs to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LogRequest {
    /// As the scenario writes it.
    pub(super) path: String,
    /// The number of seconds of the log in a unit of time.
    pub(super) seconds: f64,
    /// At most so many jobs.
    pub(super) most: Option<Count>,
    pub(super) strict: bool,
    pub(super) limits: LogLimits,
    /// The nodes of the grid.
    pub(super) nodes: u32,
    /// When the run ends.
    pub(super) horizon: Span,
}

/// The jobs of a log, with times counted from the first submission, and notes on what the user should know about it.
pub(super) fn read(path: &Path, request: &LogRequest) -> Result<ListedJobs, FileRefusal> {
    let right =
        || "give the path of a whole log in the Standard Workload Format, from the folder of the scenario".to_string();
    let opened = std::fs::File::open(path).map_err(LogError::from);
    let log = opened.and_then(|file| Log::read_within(file, request.limits));
    let log = log.map_err(|error| (format!("the log can't be read: {}", unreadable(path, &error)), right()))?;
    if request.strict && !log.faults.are_none() {
        let right = "mend the log, or leave `strict` out";
        return Err((format!("{}, and `strict` allows none", in_short(&log.faults)), right.into()));
    }
    let begins = log.records.first().map_or(0, |record| record.submit);
    let mut touched = Touched::default();
    let mut jobs: Vec<ListedJob> = Vec::new();
    let mut judged = log.faults.skipped;
    let most = request.most.map_or(usize::MAX, |most| usize::try_from(most.get()).unwrap_or(usize::MAX));
    for record in &log.records {
        if jobs.len() == most {
            break;
        }
        judged += 1;
        if let Some(job) = touched.judge(record, request.nodes, LogRules::default()) {
            let wrong = |what: &str| {
                let right = "let more `seconds` be a unit of time";
                (format!("{what} of job {} of the log is beyond 1e9 units of time", record.job), right.into())
            };
            jobs.push(listed(&job, begins, request.seconds).map_err(wrong)?);
        }
    }
    if jobs.is_empty() {
        let right = "give a log with jobs that have a runtime and fit into the grid";
        return Err((format!("no job of the log can run: {}", in_words(judged, &touched, &log.faults)), right.into()));
    }
    let mut notes = Vec::new();
    if !log.faults.are_none() {
        notes.push(format!("{}: {}", request.path, log.faults));
    }
    if rule_counts(&touched, &log.faults).iter().any(|&(_, count)| count > 0) {
        notes.push(format!("{}: {}", request.path, in_words(judged, &touched, &log.faults)));
    }
    let late = jobs.iter().filter(|job| job.submit.ticks() >= request.horizon.ticks()).count();
    if late > 0 {
        let all = counted(jobs.len() as u64, "job");
        let are = if late == 1 {
            "is submitted after the end of the run and takes"
        } else {
            "are submitted after the end of the run and take"
        };
        notes.push(format!("{}: {late} of {all} {are} no part", request.path));
    }
    Ok(ListedJobs { jobs, notes })
}

/// The effects of the rules in words, as `replay` counts them.
fn in_words(judged: u64, touched: &Touched, faults: &Faults) -> String {
    let counts = rule_counts(touched, faults).into_iter().filter(|&(_, count)| count > 0);
    let counts: Vec<String> = counts.map(|(rule, count)| format!("{count} {rule}")).collect();
    format!("of {}: {}", counted(judged, "job"), counts.join("; "))
}

/// The faults of a log, in a line.
fn in_short(faults: &Faults) -> String {
    let text = faults.to_string();
    let mut lines = text.lines().map(str::trim);
    [lines.next(), lines.next()].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// A job as one would list it: what can't be said in units of time is named.
pub(in crate::workload) fn listed(job: &LoggedJob, begins: i64, seconds: f64) -> Result<ListedJob, &'static str> {
    let units = |value: i64| Some(value as f64 / seconds).filter(|&units| units <= INPUT_LIMIT);
    let submit = units(job.submit - begins).and_then(|units| Time::from_f64(units).ok());
    let length = units(job.estimate).and_then(|units| Span::from_f64(units).ok());
    Ok(ListedJob {
        submit: submit.ok_or("the submission")?,
        nodes: Count::of(u64::from(job.processors)),
        length: length.ok_or("the length")?.max(Span::from_ticks(1)),
        actual: Positive::new(job.runtime as f64 / job.estimate as f64).ok_or("the runtime")?,
    })
}
