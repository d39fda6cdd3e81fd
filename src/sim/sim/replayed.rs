//! The tables of a replay.

use super::Selection;
use super::processor_numbers::{Ran, numbers_by_job};
use crate::metrics::bounded_slowdown;
use crate::queueing::RigidJob;
use crate::units::{Span, Time};
use crate::workload::swf::digits::{push_millionths, push_six_decimals, push_whole};
use crate::workload::swf::{Header, Record, write};
use std::io::{self, Write};

/// So many bytes of lines are put together before they are written.
const LINES: usize = 1 << 16;

/// When the jobs of a log started.
#[derive(Debug, Clone, Copy)]
pub struct Replayed<'a> {
    /// All records of the log.
    pub records: &'a [Record],
    /// The jobs among them.
    pub selection: &'a Selection,
    /// The start of each job.
    pub starts: &'a [Time],
}

impl<'a> Replayed<'a> {
    /// Records, jobs and starts, in the order of submission.
    fn jobs(self) -> impl Iterator<Item = (&'a Record, &'a RigidJob, Time)> {
        let records = self.selection.records.iter().map(move |&record| &self.records[record as usize]);
        records.zip(&self.selection.jobs).zip(self.starts).map(|((record, job), &start)| (record, job, start))
    }

    /// Writes the lines of `jobs.csv`; `end` are the columns that all jobs share, and the end of the line.
    pub fn write_jobs(self, out: &mut dyn Write, end: &str) -> io::Result<()> {
        let mut text = Vec::with_capacity(2 * LINES);
        for (record, job, start) in self.jobs() {
            push_job_line(&mut text, record, job, start, end.as_bytes());
            if text.len() >= LINES {
                out.write_all(&text)?;
                text.clear();
            }
        }
        out.write_all(&text)
    }

    /// Writes the jobs in the columns of Batsim's own table, each with its processors: those that the policy chose, or
    /// else the lowest numbers that are free.
    pub fn write_batsim(self, out: &mut dyn Write, chosen: Option<&[String]>) -> io::Result<()> {
        let lowest = chosen.is_none().then(|| numbers_by_job(self.ran(|index, _| index as i64, Time::MAX)));
        let head = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
                    final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
                    allocated_resources,consumed_energy,metadata";
        let mut text = format!("{head}\n").into_bytes();
        for ((record, job, start), places) in self.jobs().zip(chosen.or(lowest.as_deref()).unwrap_or_default()) {
            push_batsim_line(&mut text, record, job, start, places);
            if text.len() >= LINES {
                out.write_all(&text)?;
                text.clear();
            }
        }
        out.write_all(&text)
    }

    /// Writes the records with the waits, runtimes and processors of the replay, in the Standard Workload Format.
    pub fn write_log(self, mut out: &mut dyn Write, header: &Header) -> io::Result<()> {
        let seconds = |span: Span| span.ticks() / Span::from_units(1).ticks();
        let records = self.jobs().map(|(record, job, start)| Record {
            wait: seconds(start - job.submit),
            runtime: seconds(job.runtime),
            allocated: i64::from(job.processors),
            ..*record
        });
        write(&mut out, header, records)
    }

    /// The jobs that started until `last`, by their numbers in the log.
    pub fn until(self, last: Time) -> Vec<Ran> {
        self.ran(|_, record| record.job, last)
    }

    fn ran(self, number: impl Fn(usize, &Record) -> i64, last: Time) -> Vec<Ran> {
        let jobs = self.jobs().enumerate().filter(|(_, (_, _, start))| *start <= last);
        let ran = |(index, (record, job, start)): (usize, (&Record, &RigidJob, Time))| Ran {
            job: number(index, record),
            processors: job.processors,
            start,
            end: start + job.runtime,
        };
        jobs.map(ran).collect()
    }
}

/// Appends the line of a job in `jobs.csv`.
fn push_job_line(text: &mut Vec<u8>, record: &Record, job: &RigidJob, start: Time, end: &[u8]) {
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
fn push_batsim_line(text: &mut Vec<u8>, record: &Record, job: &RigidJob, start: Time, places: &str) {
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
