//! A log that a flow names becomes a list of jobs.

use super::Refusal;
use crate::scenario::schema::{ListedJob, ListedJobs};
use crate::scenario::{Count, Positive};
use crate::units::{INPUT_LIMIT, Span, Time};
use crate::workload::swf::{Log, Record};
use std::path::Path;

/// The jobs of the log at `path`, with times in units of so many seconds, counted from the first submission: at most `most` of those that ran.
/// What is wrong and what would be right, if it can't be read.
pub(super) fn read(path: &Path, seconds: Positive, most: Option<Count>) -> Result<ListedJobs, Refusal> {
    let right =
        || "give the path of a log in the Standard Workload Format, from the folder of the scenario".to_string();
    let file = std::fs::File::open(path).map_err(|error| (format!("the log can't be read: {error}"), right()))?;
    let log = Log::read(file).map_err(|error| (format!("the log can't be read: {error}"), right()))?;
    let begins = log.records.first().map_or(0, |record| record.submit);
    let jobs = log.records.iter().filter_map(|record| listed(record, begins, seconds.get()));
    let jobs: Vec<ListedJob> = jobs.take(most.map_or(usize::MAX, |most| most.get() as usize)).collect();
    if jobs.is_empty() {
        return Err(("no job of the log has run".into(), right()));
    }
    Ok(ListedJobs { jobs })
}

/// A record as a job: as many nodes as it asked for, for as long as it asked, and really for as long as it ran, but not longer. Jobs that
/// never ran are left out.
fn listed(record: &Record, begins: i64, seconds: f64) -> Option<ListedJob> {
    let known = |first: i64, second: i64| if first > 0 { Some(first) } else { Some(second).filter(|&value| value > 0) };
    let nodes = known(record.requested, record.allocated)?;
    let runtime = Some(record.runtime).filter(|&runtime| runtime > 0)?;
    let estimate = known(record.requested_time, runtime)?;
    let units = |value: i64| Some(value as f64 / seconds).filter(|&units| units <= INPUT_LIMIT);
    Some(ListedJob {
        submit: Time::from_f64(units(record.submit - begins)?).ok()?,
        nodes: Count::of(u64::try_from(nodes).ok()?),
        length: Span::from_f64(units(estimate)?).ok()?.max(Span::from_ticks(1)),
        actual: Positive::new(runtime.min(estimate) as f64 / estimate as f64)?,
    })
}
