//! The rows and the figures of one policy, summed up over the jobs of a log.

use super::measure::Case;
use super::{
    DAILY, DAYS, JOBS, LONGER, LONGEST_QUEUE, LONGEST_WAIT, MAKESPAN, MEAN_WAIT, OVER_TIME, QUEUE, SHARE, SLOWDOWN,
    TAIL, TOTALS, UTILISATION, WAIT_50, WAIT_90, WAIT_95, WAIT_99, WAITING, WAITS, WEEKLY, WEEKS,
};
use crate::metrics::batches::{CalendarPart, by_part};
use crate::metrics::{Estimate, Metric, StartTimes, Waits, queue_over_time, summarise_queue};
use crate::study::{Row, RunError};
use crate::units::{Span, Time};

/// Points of the figure over time.
pub(super) const PARTS: u32 = 300;

/// What the jobs of a log met with under a policy.
pub(super) struct Sums {
    pub(super) totals: Vec<Row>,
    pub(super) over_time: Vec<Row>,
    pub(super) shares: Vec<Row>,
    pub(super) tail: Vec<Row>,
    pub(super) weeks: Vec<Row>,
    /// Of a log that is too short for weeks.
    pub(super) days: Vec<Row>,
    /// The wait of every job, in the order of submission; empty for a policy that is alone.
    pub(super) waits: Vec<Span>,
    pub(super) mean_wait: Estimate,
    pub(super) median_wait: f64,
    pub(super) longest_wait: f64,
    /// The share of jobs that start at once.
    pub(super) at_once: f64,
}

/// Sums up when jobs started under a policy; the first of them was submitted at `origin`.
pub(super) fn sums(case: &Case<'_>, policy: &str, starts: &StartTimes, origin: Time) -> Result<Sums, RunError> {
    let &Case { selection, nodes, naming, .. } = case;
    let jobs = &selection.jobs;
    let summary = summarise_queue(jobs, starts, nodes).ok_or(RunError::NoJobs)?;
    let waits = Waits::of(jobs, starts);
    let count = jobs.len() as u64;
    let weekly = by_part(CalendarPart::Week, jobs, &waits.by_job);
    let is_short = CalendarPart::of(jobs) == Some(CalendarPart::Day);
    let daily = if is_short { by_part(CalendarPart::Day, jobs, &waits.by_job) } else { Vec::new() };
    let wait_of = |percent| waits.percentile(percent).as_f64();
    let series = naming.series(policy);
    let row_of = |experiment: &str, metric: &Metric, estimate| {
        Row::new(naming.experiment(experiment), series.as_str(), metric, estimate)
    };
    let row = |experiment: &str, metric: &Metric, mean, n| row_of(experiment, metric, Estimate { mean, ci95: None, n });
    let totals = vec![
        row(TOTALS, &JOBS, count as f64, 1),
        row(TOTALS, &MAKESPAN, summary.makespan.as_f64(), 1),
        row(TOTALS, &UTILISATION, summary.utilisation, 1),
        row_of(TOTALS, &MEAN_WAIT, waits.mean),
        row(TOTALS, &WAIT_50, wait_of(50), count),
        row(TOTALS, &WAIT_90, wait_of(90), count),
        row(TOTALS, &WAIT_95, wait_of(95), count),
        row(TOTALS, &WAIT_99, wait_of(99), count),
        row(TOTALS, &LONGEST_WAIT, wait_of(100), count),
        row(TOTALS, &SLOWDOWN, waits.slowdown, count),
        row(TOTALS, &QUEUE, summary.mean_queue, 1),
        row(TOTALS, &LONGEST_QUEUE, summary.longest_queue as f64, 1),
    ];
    let in_days = |time: Time| (time - origin).as_f64() / 86_400.0;
    let over_time = queue_over_time(jobs, starts, PARTS).into_iter();
    let over_time = over_time.map(|(time, length)| row(OVER_TIME, &WAITING, length, 1).at(in_days(time))).collect();
    let share = |wait: Span| row(WAITS, &SHARE, waits.share_within(wait), count).at(wait.as_f64() / 3600.0);
    let longer = |(wait, longer): (Span, u64)| {
        row(TAIL, &LONGER, longer as f64 / count as f64, count).at(wait.as_f64() / 3600.0)
    };
    let in_hours = |of: Estimate| Estimate { mean: of.mean / 3600.0, ci95: of.ci95.map(|half| half / 3600.0), n: of.n };
    let weeks = weekly.into_iter().map(|(week, of)| row_of(WEEKS, &WEEKLY, in_hours(of)).at(f64::from(week)));
    let days = daily.into_iter().map(|(day, of)| row_of(DAYS, &DAILY, in_hours(of)).at(f64::from(day)));
    Ok(Sums {
        totals,
        over_time,
        shares: waits.percentiles().into_iter().map(share).collect(),
        tail: waits.tail().into_iter().map(longer).collect(),
        weeks: weeks.collect(),
        days: days.collect(),
        mean_wait: waits.mean,
        median_wait: wait_of(50),
        longest_wait: wait_of(100),
        at_once: waits.share_within(Span::ZERO),
        waits: if case.is_alone { Vec::new() } else { waits.by_job },
    })
}
