//! One log under one policy: replayed, checked, and summed up.

use super::batches::CalendarPart;
use super::files::{PlacedLog, picture};
use super::logs::ReadyLog;
use super::{
    DAILY, DAYS, JOBS, LONGER, LONGEST_QUEUE, LONGEST_WAIT, MAKESPAN, MEAN_WAIT, Naming, OVER_TIME, QUEUE, RULES,
    Replay, ReplayQueue, SHARE, SLOWDOWN, TAIL, TOTALS, UTILISATION, WAIT_50, WAIT_90, WAIT_95, WAIT_99, WAITING,
    WAITS, WEEKLY, WEEKS, batches, of_rule, tail,
};
use crate::engine::Stop;
use crate::metrics::{Estimate, Metric, StartTimes, bounded_slowdown, percentile, queue_over_time, summarise_queue};
use crate::sim::{Selection, replay_watched};
use crate::study::{Row, RunError, Schedule};
use crate::units::{Span, Time, counted};
use crate::workload::swf::rule_counts;
use std::sync::Arc;

/// Points of the figure over time.
pub(super) const PARTS: u32 = 300;

/// A log whose jobs every policy faces.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) spec: &'a Replay,
    pub(super) log: &'a ReadyLog,
    pub(super) selection: &'a Arc<Selection>,
    pub(super) nodes: u32,
    pub(super) naming: &'a Naming,
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
    pub(super) totals: Vec<Row>,
    over_time: Vec<Row>,
    shares: Vec<Row>,
    tail: Vec<Row>,
    weeks: Vec<Row>,
    /// Of a log that is too short for weeks.
    days: Vec<Row>,
    /// The wait of every job, in the order of submission; empty for a policy that is alone.
    pub(super) waits: Vec<Span>,
    pub(super) mean_wait: Estimate,
    pub(super) median_wait: f64,
    pub(super) longest_wait: f64,
    /// The share of jobs that start at once.
    pub(super) at_once: f64,
    pub(super) placed: Arc<PlacedLog>,
    pub(super) picture: Schedule,
}

impl MeasuredPolicy {
    pub(super) fn take_over_time(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.over_time)
    }

    pub(super) fn take_shares(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.shares)
    }

    pub(super) fn take_tail(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.tail)
    }

    pub(super) fn take_weeks(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.weeks)
    }

    pub(super) fn take_days(&mut self) -> Vec<Row> {
        std::mem::take(&mut self.days)
    }
}

/// Replays a log under a policy, has the schedule checked, and sums it up. `advance` is called for each job.
pub(super) fn measure(
    case: &Case<'_>,
    queue: &ReplayQueue,
    stop: &Stop,
    advance: impl FnMut(),
) -> Result<MeasuredPolicy, RunError> {
    let &Case { spec, selection, nodes, naming, .. } = case;
    let jobs = &selection.jobs;
    let mut discipline = queue.discipline(nodes, jobs.len(), stop);
    let placed = replay_watched(jobs, &mut *discipline, spec.instants, stop, advance)?;
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
    let (verdict, picture) =
        rayon::join(|| queue.check(jobs, nodes, &placed), || picture(case, &starts, &policy, origin));
    verdict?;
    stop.check()?;
    drop(placed);
    let summary = summarise_queue(jobs, &starts, nodes).ok_or(RunError::NoJobs)?;
    let mut waits: Vec<Span> = jobs.iter().zip(&starts.by_job).map(|(job, &start)| start - job.submit).collect();
    let slowdowns = jobs.iter().zip(&waits).map(|(job, &wait)| bounded_slowdown(wait, job.runtime));
    let count = jobs.len() as u64;
    let mean = |sum: f64| sum / count as f64;
    let slowdown = mean(slowdowns.sum());
    let wait = mean(waits.iter().map(|wait| wait.as_f64()).sum());
    let mean_wait = Estimate { mean: wait, ci95: batches::half_width(&waits, batches::OF_LOG), n: count };
    let weekly = batches::by_part(CalendarPart::Week, jobs, &waits);
    let is_short = CalendarPart::of(jobs) == Some(CalendarPart::Day);
    let daily = if is_short { batches::by_part(CalendarPart::Day, jobs, &waits) } else { Vec::new() };
    let by_job = if case.is_alone { Vec::new() } else { waits.clone() };
    waits.sort_unstable();
    let wait_of = |percent| percentile(&waits, percent).unwrap_or(Span::ZERO).as_f64();
    let series = naming.series(&policy);
    let row_of = |experiment: &str, metric: &Metric, estimate| {
        Row::new(naming.experiment(experiment), series.as_str(), metric, estimate)
    };
    let row = |experiment: &str, metric: &Metric, mean, n| row_of(experiment, metric, Estimate { mean, ci95: None, n });
    let totals = vec![
        row(TOTALS, &JOBS, count as f64, 1),
        row(TOTALS, &MAKESPAN, summary.makespan.as_f64(), 1),
        row(TOTALS, &UTILISATION, summary.utilisation, 1),
        row_of(TOTALS, &MEAN_WAIT, mean_wait),
        row(TOTALS, &WAIT_50, wait_of(50), count),
        row(TOTALS, &WAIT_90, wait_of(90), count),
        row(TOTALS, &WAIT_95, wait_of(95), count),
        row(TOTALS, &WAIT_99, wait_of(99), count),
        row(TOTALS, &LONGEST_WAIT, wait_of(100), count),
        row(TOTALS, &SLOWDOWN, slowdown, count),
        row(TOTALS, &QUEUE, summary.mean_queue, 1),
        row(TOTALS, &LONGEST_QUEUE, summary.longest_queue as f64, 1),
    ];
    let in_days = |time: Time| (time - origin).as_f64() / 86_400.0;
    let over_time = queue_over_time(jobs, &starts, PARTS).into_iter();
    let over_time = over_time.map(|(time, length)| row(OVER_TIME, &WAITING, length, 1).at(in_days(time))).collect();
    let share = |percent: u8| row(WAITS, &SHARE, f64::from(percent) / 100.0, count).at(wait_of(percent) / 3600.0);
    let steps = tail::steps(&waits);
    let longer = |&(wait, longer): &(Span, u64)| {
        row(TAIL, &LONGER, longer as f64 / count as f64, count).at(wait.as_f64() / 3600.0)
    };
    let in_hours = |of: Estimate| Estimate { mean: of.mean / 3600.0, ci95: of.ci95.map(|half| half / 3600.0), n: of.n };
    let weeks = weekly.into_iter().map(|(week, of)| row_of(WEEKS, &WEEKLY, in_hours(of)).at(f64::from(week)));
    let days = daily.into_iter().map(|(day, of)| row_of(DAYS, &DAILY, in_hours(of)).at(f64::from(day)));
    Ok(MeasuredPolicy {
        totals,
        over_time,
        shares: (0..=100).map(share).collect(),
        tail: steps.iter().map(longer).collect(),
        weeks: weeks.collect(),
        days: days.collect(),
        waits: by_job,
        mean_wait,
        median_wait: wait_of(50),
        longest_wait: wait_of(100),
        at_once: waits.partition_point(|&wait| wait == Span::ZERO) as f64 / count as f64,
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
