//! The performance of a queue before a machine.

use crate::queueing::RigidJob;
use crate::units::{Span, Time};

/// Runtimes below this count as this in a slowdown, so that jobs of a moment do not drown all others.
pub const TAU: Span = Span::from_units(10);

/// The bounded slowdown of a job, at least 1: (wait + runtime) / max(runtime, [`TAU`]).
pub fn bounded_slowdown(wait: Span, runtime: Span) -> f64 {
    ((wait + runtime).as_f64() / runtime.max(TAU).as_f64()).max(1.0)
}

/// The whole schedule in numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct QueueSummary {
    /// From the first submission to the last completion.
    pub makespan: Span,
    /// The busy share of processors times makespan.
    pub utilisation: f64,
    /// The number of waiting jobs, over time.
    pub mean_queue: f64,
    /// The most jobs that ever waited after all that happened at an instant.
    pub longest_queue: u64,
}

/// Sums up a schedule of jobs, given in order of submission, on `nodes` processors; `None` without jobs.
pub fn summarise_queue(jobs: &[RigidJob], starts: &StartTimes, nodes: u32) -> Option<QueueSummary> {
    let first = jobs.first()?.submit;
    let last = starts.last_finish(jobs)?;
    let makespan = last - first;
    // In whole numbers, so that the sum is exact.
    let work: i128 = jobs.iter().map(|job| i128::from(job.runtime.ticks()) * i128::from(job.processors)).sum();
    let waited: i128 =
        jobs.iter().zip(&starts.by_job).map(|(job, &start)| i128::from((start - job.submit).ticks())).sum();
    let over_time = |ticks: i128| ticks as f64 / makespan.ticks() as f64;
    Some(QueueSummary {
        makespan,
        utilisation: over_time(work) / f64::from(nodes),
        mean_queue: over_time(waited),
        longest_queue: queue_lengths(jobs, &starts.sorted).map(|(_, length)| length).max().unwrap_or(0),
    })
}

/// When jobs started. Each ran for its runtime from then on, which the check has seen.
#[derive(Debug)]
pub struct StartTimes {
    /// In the order of the jobs.
    pub by_job: Vec<Time>,
    /// In the order of time.
    pub sorted: Vec<Time>,
}

impl StartTimes {
    /// Those of jobs in their order.
    pub fn new(by_job: Vec<Time>) -> Self {
        let mut sorted = by_job.clone();
        sorted.sort_unstable();
        Self { by_job, sorted }
    }

    /// The last completion.
    fn last_finish(&self, jobs: &[RigidJob]) -> Option<Time> {
        jobs.iter().zip(&self.by_job).map(|(job, &start)| start + job.runtime).max()
    }
}

/// The number of waiting jobs from each instant on at which it changes.
fn queue_lengths(jobs: &[RigidJob], starts: &[Time]) -> impl Iterator<Item = (Time, u64)> {
    let (mut submits, mut starts) = (jobs.iter().map(|job| job.submit).peekable(), starts.iter().copied().peekable());
    let mut length = 0;
    std::iter::from_fn(move || {
        // No job starts before submission, so the next start is never the last thing to happen.
        let &now = starts.peek()?;
        let now = submits.peek().map_or(now, |&submit| submit.min(now));
        while submits.next_if_eq(&now).is_some() {
            length += 1;
        }
        while starts.next_if_eq(&now).is_some() {
            length -= 1;
        }
        Some((now, length))
    })
}

/// The mean number of waiting jobs in each of `parts` equal parts of the time from the first submission to the last
/// completion, each with the instant in its middle.
pub fn queue_over_time(jobs: &[RigidJob], starts: &StartTimes, parts: u32) -> Vec<(Time, f64)> {
    let (Some(first), Some(last)) = (jobs.first(), starts.last_finish(jobs)) else {
        return Vec::new();
    };
    let begin = first.submit;
    let width = ((last - begin).ticks() / i64::from(parts.max(1))).max(1);
    let mut areas = vec![0i128; parts as usize];
    let mut lengths = queue_lengths(jobs, &starts.sorted).peekable();
    while let Some((from, length)) = lengths.next() {
        let until = lengths.peek().map_or(from, |&(next, _)| next);
        let (mut at, until) = ((from - begin).ticks(), (until - begin).ticks());
        while at < until && length > 0 {
            let part = (at / width) as usize;
            let end = until.min((part as i64 + 1) * width);
            if let Some(area) = areas.get_mut(part) {
                *area += i128::from(length) * i128::from(end - at);
            }
            at = end;
        }
    }
    let middle = |part: usize| begin + Span::from_ticks(width * part as i64 + width / 2);
    areas.into_iter().enumerate().map(|(part, area)| (middle(part), area as f64 / width as f64)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(units: i64) -> Time {
        Time::from_units(units)
    }

    #[test]
    fn a_schedule_of_three_jobs_in_numbers() {
        // On 4 processors: 0-10 (3), waits 1-10, runs until 14 (4), waits 2-14, runs until 20 (2).
        let job = |submit, processors, seconds| {
            let span = Span::from_units(seconds);
            RigidJob { submit: at(submit), processors, estimate: span, runtime: span }
        };
        let jobs = [job(0, 3, 10), job(1, 4, 4), job(2, 2, 6)];
        let starts = StartTimes::new([0, 10, 14].map(at).to_vec());
        let summary = summarise_queue(&jobs, &starts, 4).unwrap();
        assert_eq!(summary.makespan, Span::from_units(20));
        assert_eq!(summary.utilisation, (30 + 16 + 12) as f64 / 80.0);
        assert_eq!((summary.mean_queue, summary.longest_queue), ((9 + 12) as f64 / 20.0, 2));
        let parts = queue_over_time(&jobs, &starts, 4);
        assert_eq!(parts.iter().map(|&(_, mean)| mean).collect::<Vec<_>>(), [1.4, 2.0, 0.8, 0.0]);
        assert_eq!(parts[1].0, Time::from_f64(7.5).unwrap());
        assert_eq!(summarise_queue(&[], &StartTimes::new(Vec::new()), 4), None);
    }

    #[test]
    fn slowdown_is_bounded_from_below_and_short_jobs_count_as_ten_seconds() {
        let of = |wait, runtime| bounded_slowdown(Span::from_units(wait), Span::from_units(runtime));
        assert_eq!([of(0, 100), of(100, 100), of(5, 1), of(99, 1)], [1.0, 2.0, 1.0, 10.0]);
    }
}
