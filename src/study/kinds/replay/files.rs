//! The files of a replay, and its schedules.

use super::Replay;
use super::logs::ReadyLog;
use super::measure::Case;
use crate::language::to_line;
use crate::metrics::StartTimes;
use crate::queueing::RigidJob;
use crate::sim::{Selection, push_batsim_line, push_job_line};
use crate::study::processor_numbers::{Ran, bars_by_processor, numbers_by_job};
use crate::study::{LateText, Schedule, csv_field};
use crate::units::{Span, Time};
use crate::workload::swf::{Header, Record, write};
use std::fmt;
use std::io::{self, Write};
use std::sync::Arc;

/// When the jobs of a log started under a policy: all that its files are made of.
pub(super) struct PlacedLog {
    pub(super) log: ReadyLog,
    pub(super) selection: Arc<Selection>,
    /// The start of each job.
    pub(super) starts: Vec<Time>,
    /// The processors of each job, if the policy chose them.
    pub(super) places: Option<Vec<String>>,
    pub(super) policy: String,
    /// The name of the log, where tables have a column for it.
    pub(super) log_column: Option<String>,
}

impl fmt::Debug for PlacedLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} jobs under {}", self.starts.len(), self.policy)
    }
}

impl PlacedLog {
    /// Records, jobs and starts, in the order of submission.
    fn jobs(&self) -> impl Iterator<Item = (&Record, &RigidJob, Time)> {
        let records = self.selection.records.iter().map(|&record| &self.log.records[record as usize]);
        records.zip(&self.selection.jobs).zip(&self.starts).map(|((record, job), &start)| (record, job, start))
    }
}

/// `jobs.csv`: the jobs of all logs under all policies, each in the order of submission.
#[derive(Debug)]
pub(super) struct ReplayedJobs(pub(super) Vec<Arc<PlacedLog>>);

/// So many bytes of lines are put together before they are written.
const LINES: usize = 1 << 16;

impl LateText for ReplayedJobs {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let log = if self.0.first().is_some_and(|placed| placed.log_column.is_some()) { ",log" } else { "" };
        writeln!(out, "job,submit,start,finish,wait,processors,bounded_slowdown,policy{log}")?;
        let mut text = Vec::with_capacity(2 * LINES);
        for placed in &self.0 {
            let policy = csv_field(&placed.policy);
            let end = placed.log_column.as_ref().map_or(format!(",{policy}\n"), |log| format!(",{policy},{log}\n"));
            for (record, job, start) in placed.jobs() {
                push_job_line(&mut text, record, job, start, end.as_bytes());
                if text.len() >= LINES {
                    out.write_all(&text)?;
                    text.clear();
                }
            }
        }
        out.write_all(&text)
    }
}

/// The jobs of one policy in the columns of Batsim's own table, each with its processors.
#[derive(Debug)]
pub(super) struct BatsimTable(pub(super) Arc<PlacedLog>);

impl LateText for BatsimTable {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let placed = &*self.0;
        let ran = placed.jobs().enumerate().map(|(index, (_, job, start))| Ran {
            job: index as i64,
            processors: job.processors,
            start,
            end: start + job.runtime,
        });
        let lowest = || numbers_by_job(ran.collect());
        let places = placed.places.clone().unwrap_or_else(lowest);
        let head = "job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,\
                    final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,\
                    allocated_resources,consumed_energy,metadata";
        let mut text = format!("{head}\n").into_bytes();
        for ((record, job, start), places) in placed.jobs().zip(&places) {
            push_batsim_line(&mut text, record, job, start, places);
            if text.len() >= LINES {
                out.write_all(&text)?;
                text.clear();
            }
        }
        out.write_all(&text)
    }
}

fn seconds(span: Span) -> i64 {
    span.ticks() / Span::from_units(1).ticks()
}

/// The replayed records with the waits, runtimes and processors of the replay, in the Standard Workload Format.
#[derive(Debug)]
pub(super) struct ScheduleFile {
    header: Header,
    placed: Arc<PlacedLog>,
}

impl ScheduleFile {
    /// The file of a log for a machine of so many processors.
    pub(super) fn new(spec: &Replay, nodes: u32, placed: Arc<PlacedLog>) -> Self {
        let replaced = ["MaxJobs", "MaxRecords", "MaxNodes", "MaxProcs"];
        let is_kept = |key: &str| !replaced.iter().any(|own| key.eq_ignore_ascii_case(own));
        let kept = placed.log.header.entries.iter().filter(|(key, _)| is_kept(key));
        let mut entries: Vec<(String, String)> = kept.cloned().collect();
        let (jobs, nodes) = (placed.selection.jobs.len().to_string(), nodes.to_string());
        entries.extend(
            replaced.iter().zip([&jobs, &jobs, &nodes, &nodes]).map(|(key, value)| (key.to_string(), value.clone())),
        );
        // Tools that show calendar times, evalys among them, refuse a log that does not say when it began.
        for (key, unknown) in [("UnixStartTime", "0"), ("TimeZoneString", "UTC")] {
            if !entries.iter().any(|(other, _)| other.eq_ignore_ascii_case(key)) {
                entries.push((key.into(), unknown.into()));
            }
        }
        let note = format!(
            "replayed by gridloom {} under {} (instants: {}, estimate: {}, processors: {}, missing_request: {}, overrun: {})",
            env!("CARGO_PKG_VERSION"),
            placed.policy,
            to_line(&spec.instants),
            to_line(&spec.estimate),
            to_line(&spec.processors),
            to_line(&spec.missing_request),
            to_line(&spec.overrun),
        );
        entries.push(("Note".into(), note));
        Self { header: Header { entries }, placed }
    }
}

impl LateText for ScheduleFile {
    fn write_to(&self, mut out: &mut dyn Write) -> io::Result<()> {
        let records = self.placed.jobs().map(|(record, job, start)| Record {
            wait: seconds(start - job.submit),
            runtime: seconds(job.runtime),
            allocated: i64::from(job.processors),
            ..*record
        });
        write(&mut out, &self.header, records)
    }
}

/// The chart of which job ran when, as far as there are bars for it. The log of a homogeneous machine does not say
/// where, so that a rule has to.
pub(super) fn picture(case: &Case<'_>, starts: &StartTimes, policy: &str, origin: Time) -> Schedule {
    let (selection, log) = (case.selection, case.log);
    // Every job has a bar or more, so that no more jobs than bars are seen, and the first that is not.
    let last = starts.sorted.get(case.bars).or(starts.sorted.last()).copied().unwrap_or(origin);
    let ran = selection.records.iter().zip(&selection.jobs).zip(&starts.by_job).map(|((&record, job), &start)| Ran {
        job: log.records[record as usize].job,
        processors: job.processors,
        start,
        end: start + job.runtime,
    });
    let ran = ran.filter(|ran| ran.start <= last);
    let title = match (case.log_column, case.is_alone) {
        (None, true) => "Who runs when".to_string(),
        (None, false) => format!("Who runs when under {policy}"),
        (Some(log), _) => format!("Who runs when on {log} under {policy}"),
    };
    let mut schedule = Schedule {
        title,
        caption:
            "Which processors a job had is not known: here it has the lowest numbers that are free when it starts."
                .into(),
        x_label: "Time since the first submission (hours)".into(),
        ..Schedule::default()
    };
    let bars = bars_by_processor(ran.collect(), |time| (time - origin).as_f64() / 3600.0);
    schedule.fill_up_to(case.bars, bars);
    let shown = schedule.bars.iter().map(|bar| bar.node + 1).max().unwrap_or(0);
    schedule.nodes = (1..=shown).map(|processor| format!("processor {processor}")).collect();
    schedule
}
