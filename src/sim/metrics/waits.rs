//! The waits of the jobs of a log.

use super::batches::{OF_LOG, half_width};
use super::tail::tail_steps;
use super::{Estimate, StartTimes, bounded_slowdown, percentile};
use crate::queueing::RigidJob;
use crate::units::Span;

/// How long the jobs of a log waited.
#[derive(Debug, Clone)]
pub struct Waits {
    /// The wait of every job, in the order of submission.
    pub by_job: Vec<Span>,
    sorted: Vec<Span>,
    /// Their mean, with an interval from batches.
    pub mean: Estimate,
    /// The mean bounded slowdown.
    pub slowdown: f64,
}

impl Waits {
    /// Those of jobs that started at these times.
    pub fn of(jobs: &[RigidJob], starts: &StartTimes) -> Self {
        let by_job: Vec<Span> = jobs.iter().zip(&starts.by_job).map(|(job, &start)| start - job.submit).collect();
        let n = jobs.len() as u64;
        let slowdowns: f64 = jobs.iter().zip(&by_job).map(|(job, &wait)| bounded_slowdown(wait, job.runtime)).sum();
        let mean = by_job.iter().map(|wait| wait.as_f64()).sum::<f64>() / n as f64;
        let mut sorted = by_job.clone();
        sorted.sort_unstable();
        let mean = Estimate { mean, ci95: half_width(&by_job, OF_LOG), n };
        Self { by_job, sorted, mean, slowdown: slowdowns / n as f64 }
    }

    /// The smallest wait that so many per cent of the jobs do not exceed.
    pub fn percentile(&self, percent: u8) -> Span {
        percentile(&self.sorted, percent).unwrap_or(Span::ZERO)
    }

    /// All percentiles from 0 to 100 that differ: many jobs may wait as long as each other.
    pub fn percentiles(&self) -> Vec<Span> {
        let mut all: Vec<Span> = (0..=100).filter_map(|percent| percentile(&self.sorted, percent)).collect();
        all.dedup();
        all
    }

    /// The share of jobs that wait no longer than this.
    pub fn share_within(&self, wait: Span) -> f64 {
        self.sorted.partition_point(|&other| other <= wait) as f64 / self.sorted.len() as f64
    }

    /// Distinct waits, each with the number of jobs that wait longer; where there are very many, some of them.
    pub fn tail(&self) -> Vec<(Span, u64)> {
        tail_steps(&self.sorted)
    }
}
