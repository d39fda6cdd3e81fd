//! One log under one policy: replayed, checked, and summed up.

use super::files::{PlacedLog, picture};
use super::logs::ReadyLog;
use super::sums::{Sums, sums};
use super::{Naming, RULES, Replay, ReplayQueue, of_rule};
use crate::engine::{ScheduleError, Stop};
use crate::metrics::{Estimate, StartTimes};
use crate::sim::{Selection, replay_watched};
use crate::study::{Row, RunError, Schedule};
use crate::units::counted;
use crate::workload::swf::rule_counts;
use std::sync::Arc;

/// A log whose jobs every policy faces.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) spec: &'a Replay,
    pub(super) log: &'a ReadyLog,
    pub(super) selection: &'a Arc<Selection>,
    pub(super) nodes: u32,
    pub(super) naming: &'a Naming,
    pub(super) name: &'a str,
    /// The name of the log, where tables have a column for it.
    pub(super) log_column: Option<&'a str>,
    /// There is but one policy.
    pub(super) is_alone: bool,
    /// The most bars of a schedule.
    pub(super) bars: usize,
}

/// The results of one policy.
pub(super) struct MeasuredPolicy {
    pub(super) policy: String,
    pub(super) sums: Sums,
    pub(super) placed: Arc<PlacedLog>,
    pub(super) picture: Schedule,
}

/// Replays a log under a policy, has the schedule checked, and sums it up. `advance` is called for each job.
pub(super) fn measure(
    case: &Case<'_>,
    queue: &ReplayQueue,
    stop: &Stop,
    mut advance: impl FnMut(),
) -> Result<MeasuredPolicy, RunError> {
    let &Case { spec, selection, nodes, .. } = case;
    let jobs = &selection.jobs;
    let mut discipline = queue.discipline(nodes, jobs.len(), stop);
    let placed = replay_watched(jobs, &mut *discipline, spec.instants, stop, &mut advance);
    let placed = placed.map_err(|error| match error {
        ScheduleError::Overflow(_) => {
            let requested = jobs.iter().map(|job| job.runtime.max(job.estimate).as_f64()).sum();
            RunError::TooLong { log: case.name.into(), requested }
        }
        other => other.into(),
    })?;
    let placed = placed.ok_or(RunError::Interrupted)?;
    if queue.is_foreign() {
        let left = placed.iter().filter(|placement| placement.is_none()).count() as u64;
        let first = || placed.iter().position(Option::is_none).unwrap_or_default();
        let stuck = || format!("it lets {} wait for ever, the first of them w0!{}", counted(left, "job"), first());
        if let Some(why) = discipline.fault().or_else(|| (left > 0).then(stuck)) {
            stop.check()?;
            return Err(RunError::Scheduler { name: queue.name(), why });
        }
    }
    let places = discipline.places();
    drop(discipline);
    stop.check()?;
    let starts = StartTimes::new(placed.iter().flatten().map(|placement| placement.start).collect());
    let policy = queue.name();
    let origin = jobs.first().ok_or(RunError::NoJobs)?.submit;
    let (picture, summed) = rayon::join(
        || picture(case, &starts, &policy, origin),
        || -> Result<Sums, RunError> {
            queue.check(jobs, nodes, &placed)?;
            sums(case, &policy, &starts, origin)
        },
    );
    let sums = summed?;
    stop.check()?;
    Ok(MeasuredPolicy {
        sums,
        placed: Arc::new(PlacedLog {
            log: case.log.clone(),
            selection: Arc::clone(selection),
            starts: starts.by_job,
            places,
            policy: policy.clone(),
            log_column: case.log_column.map(str::to_string),
        }),
        picture,
        policy,
    })
}

/// The rows that count what the rules did, which no policy changes.
pub(super) fn rule_rows(case: &Case<'_>, policies: &str) -> Vec<Row> {
    let (log, naming) = (case.log, case.naming);
    let records = log.records.len() as u64 + log.faults.skipped;
    let row = |(rule, count): (&'static str, u64)| {
        let estimate = Estimate { mean: count as f64, ci95: None, n: records };
        Row::new(naming.experiment(RULES), naming.series(policies), &of_rule(rule), estimate)
    };
    rule_counts(&case.selection.touched, &log.faults).into_iter().map(row).collect()
}
