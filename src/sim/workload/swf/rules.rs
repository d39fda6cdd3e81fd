//! From the records of a log to jobs: every judgement on the way is a stated rule, and counted.

use super::{Faults, Record};
use crate::choice;

/// The number of skipped jobs that are kept by name; the rest is only counted.
const KEPT: usize = 10;

/// A job of a log after all rules; times are in seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoggedJob {
    /// When it is submitted.
    pub submit: i64,
    /// The number of processors it needs.
    pub processors: u32,
    /// The length that the scheduler believes it to have.
    pub estimate: i64,
    /// The time that it runs.
    pub runtime: i64,
}

choice! {
    /// The length that the scheduler believes a job to have.
    #[derive(Copy, Eq)]
    pub enum EstimateRule {
        /// The requested time.
        Requested,
        /// The larger of the requested time and the time that the job runs.
        Max,
        /// The time that the job runs.
        Actual,
    }
}

choice! {
    /// Which of the two processor counts of a record holds; the other one where it is missing.
    #[derive(Copy, Eq)]
    pub enum ProcessorRule {
        /// The count that the user asked for.
        Requested,
        /// The count that the machine gave.
        Allocated,
    }
}

choice! {
    /// The treatment of a job that ran longer than it asked for.
    #[derive(Copy, Eq)]
    pub enum Overrun {
        /// It is ended at its request.
        Cut,
        /// It runs on; its estimate grows as needed.
        Keep,
    }
}

choice! {
    /// The request of a job without a requested time.
    #[derive(Copy, Eq)]
    pub enum MissingRequest {
        /// The time that it ran.
        Actual,
        /// Such jobs are left out.
        Skip,
    }
}

/// All rules together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LogRules {
    /// The length that the scheduler believes a job to have.
    pub estimate: EstimateRule,
    /// Which processor count holds.
    pub processors: ProcessorRule,
    /// The treatment of a job at the end of its request.
    pub overrun: Overrun,
    /// The treatment of a job without a request.
    pub missing_request: MissingRequest,
}

impl Default for LogRules {
    fn default() -> Self {
        Self {
            estimate: EstimateRule::Requested,
            processors: ProcessorRule::Requested,
            overrun: Overrun::Cut,
            missing_request: MissingRequest::Actual,
        }
    }
}

/// The number of jobs that each rule touched.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Left out because they have no runtime: cancelled before they started, or over within a second.
    pub without_runtime: u64,
    /// Left out because the machine is too small.
    pub too_wide: u64,
    /// The first few of those: job number and processors.
    pub first_too_wide: Vec<(i64, i64)>,
    /// Left out because they have no requested time.
    pub without_request: u64,
    /// Their requested time is missing and taken to be their runtime.
    pub request_from_runtime: u64,
    /// Their processor count is missing and taken from the other field.
    pub other_processors: u64,
    /// Ended at their request.
    pub cut: u64,
    /// Ran past their request.
    pub overran: u64,
    /// Cancelled while they ran; replayed for as long as they ran.
    pub cancelled_running: u64,
}

impl Touched {
    /// The job that a record stands for, or nothing if it is left out. A rule counts only jobs that get as far as it.
    pub fn judge(&mut self, record: &Record, nodes: u32, rules: LogRules) -> Option<LoggedJob> {
        if record.runtime < 1 {
            self.without_runtime += 1;
            return None;
        }
        let (first, second) = match rules.processors {
            ProcessorRule::Requested => (record.requested, record.allocated),
            ProcessorRule::Allocated => (record.allocated, record.requested),
        };
        let processors = if first < 1 { second } else { first };
        let Some(width) = u32::try_from(processors).ok().filter(|width| (1..=nodes).contains(width)) else {
            self.too_wide += 1;
            if self.first_too_wide.len() < KEPT {
                self.first_too_wide.push((record.job, processors));
            }
            return None;
        };
        let is_missing = record.requested_time < 1;
        if is_missing && rules.missing_request == MissingRequest::Skip {
            self.without_request += 1;
            return None;
        }
        let request = if is_missing { record.runtime } else { record.requested_time };
        let overruns = record.runtime > request;
        let runtime = if overruns && rules.overrun == Overrun::Cut { request } else { record.runtime };
        let estimate = match rules.estimate {
            EstimateRule::Requested => request,
            EstimateRule::Max => request.max(runtime),
            EstimateRule::Actual => runtime,
        };
        self.other_processors += u64::from(first < 1);
        self.request_from_runtime += u64::from(is_missing);
        self.cut += u64::from(runtime < record.runtime);
        self.overran += u64::from(overruns && runtime == record.runtime);
        self.cancelled_running += u64::from(record.status == Record::CANCELLED);
        Some(LoggedJob { submit: record.submit, processors: width, estimate, runtime })
    }
}

/// Each rule in words, and how many records it touched.
pub fn rule_counts(touched: &Touched, faults: &Faults) -> [(&'static str, u64); 13] {
    [
        ("bad lines, left out", faults.skipped),
        ("out of order, moved", faults.moved),
        ("part of a job's run (status 2 to 4), left out", faults.partial),
        ("job number of an earlier line, replayed as well", faults.repeated),
        ("no runtime (cancelled, or over within a second), left out", touched.without_runtime),
        ("wider than the machine, left out", touched.too_wide),
        ("no requested time, left out", touched.without_request),
        ("no requested time, runtime taken", touched.request_from_runtime),
        ("no processor count, other field taken", touched.other_processors),
        ("longer than requested, cut", touched.cut),
        ("longer than requested, kept", touched.overran),
        ("cancelled while running, replayed", touched.cancelled_running),
        ("more than 18 fields, the rest ignored", faults.extended.lines),
    ]
}
