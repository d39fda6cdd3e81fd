//! The tables of a replay, line by line.

use crate::metrics::bounded_slowdown;
use crate::queueing::RigidJob;
use crate::units::{Span, Time};
use crate::workload::swf::Record;
use crate::workload::swf::digits::{push_millionths, push_six_decimals, push_whole};

/// Appends the line of a job in `jobs.csv`; `end` are the columns that all jobs of a log share, and the end of the line.
pub fn push_job_line(text: &mut Vec<u8>, record: &Record, job: &RigidJob, start: Time, end: &[u8]) {
    let (wait, finish) = (start - job.submit, start + job.runtime);
    push_whole(text, record.job);
    for ticks in [job.submit.ticks(), start.ticks(), finish.ticks(), wait.ticks()] {
        text.push(b',');
        push_millionths(text, ticks);
    }
    text.push(b',');
    push_whole(text, job.processors.into());
    text.push(b',');
    push_six_decimals(text, bounded_slowdown(wait, job.runtime));
    text.extend_from_slice(end);
}

/// Appends the line of a job in the columns of Batsim's own table.
pub fn push_batsim_line(text: &mut Vec<u8>, record: &Record, job: &RigidJob, start: Time, places: &str) {
    let (wait, turnaround) = (start - job.submit, start + job.runtime - job.submit);
    push_whole(text, record.job);
    text.extend_from_slice(b",log,");
    push_whole(text, record.job);
    text.push(b',');
    push_millionths(text, job.submit.ticks());
    text.push(b',');
    push_whole(text, job.processors.into());
    text.push(b',');
    push_millionths(text, job.estimate.ticks());
    let was_cut = job.runtime < Span::from_units(record.runtime);
    let state: &[u8] = if was_cut { b",0,COMPLETED_WALLTIME_REACHED" } else { b",1,COMPLETED_SUCCESSFULLY" };
    text.extend_from_slice(state);
    for ticks in [start.ticks(), job.runtime.ticks(), (start + job.runtime).ticks(), wait.ticks(), turnaround.ticks()] {
        text.push(b',');
        push_millionths(text, ticks);
    }
    text.push(b',');
    push_six_decimals(text, turnaround.as_f64() / job.runtime.as_f64());
    text.push(b',');
    text.extend_from_slice(places.as_bytes());
    // Energy is not measured: Batsim writes -1 then.
    text.extend_from_slice(b",-1,\n");
}
