//! The files of a replay, and its schedules.

use super::Replay;
use super::logs::ReadyLog;
use super::measure::Case;
use crate::language::to_line;
use crate::metrics::StartTimes;
use crate::sim::{Replayed, Selection, processors_by_start};
use crate::study::{LateText, MOST_BARS, Schedule, ScheduleBar, Usage, csv_field};
use crate::units::Time;
use crate::workload::swf::Header;
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
    fn replayed(&self) -> Replayed<'_> {
        Replayed { records: &self.log.records, selection: &self.selection, starts: &self.starts }
    }
}

/// `jobs.csv`: the jobs of all logs under all policies, each in the order of submission.
#[derive(Debug)]
pub(super) struct ReplayedJobs(pub(super) Vec<Arc<PlacedLog>>);

impl LateText for ReplayedJobs {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        let log = if self.0.first().is_some_and(|placed| placed.log_column.is_some()) { ",log" } else { "" };
        writeln!(out, "job,submit,start,finish,wait,processors,bounded_slowdown,policy{log}")?;
        for placed in &self.0 {
            let policy = csv_field(&placed.policy);
            let end = placed.log_column.as_ref().map_or(format!(",{policy}\n"), |log| format!(",{policy},{log}\n"));
            placed.replayed().write_jobs(out, &end)?;
        }
        Ok(())
    }
}

/// The jobs of one policy in the columns of Batsim's own table, each with its processors.
#[derive(Debug)]
pub(super) struct BatsimTable(pub(super) Arc<PlacedLog>);

impl LateText for BatsimTable {
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.0.replayed().write_batsim(out, self.0.places.as_deref())
    }
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
    fn write_to(&self, out: &mut dyn Write) -> io::Result<()> {
        self.placed.replayed().write_log(out, &self.header)
    }
}

/// The chart of which job ran when, as far as there are bars for it. The log of a homogeneous machine does not say
/// where, so that a rule has to.
pub(super) fn picture(case: &Case<'_>, starts: &StartTimes, policy: &str, origin: Time) -> Schedule {
    let (selection, log) = (case.selection, case.log);
    // Every job has a bar or more, so that no more jobs than bars are seen, and the first that is not.
    let last = starts.sorted.get(case.bars).or(starts.sorted.last()).copied().unwrap_or(origin);
    let replayed = Replayed { records: &log.records, selection, starts: &starts.by_job };
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
    let clock = |time: Time| (time - origin).as_f64() / 3600.0;
    // No page shows a wider job, so the rest of its processors need no numbers.
    let by_job = processors_by_start(replayed.until(last), MOST_BARS as u64 + 1).into_iter();
    let bars = by_job.flat_map(|(ran, ranges)| {
        let bar = ScheduleBar {
            node: 0,
            start: clock(ran.start),
            end: clock(ran.end),
            kind: Usage::Task,
            job: ran.job.to_string().into(),
            label: format!("{} processor{}", ran.processors, if ran.processors == 1 { "" } else { "s" }).into(),
        };
        let numbers = ranges.into_iter().flat_map(|(first, last)| first..=last);
        numbers.map(move |node| ScheduleBar { node: node as usize, ..bar.clone() })
    });
    schedule.fill_up_to(case.bars, bars);
    let shown = schedule.bars.iter().map(|bar| bar.node + 1).max().unwrap_or(0);
    schedule.nodes = (1..=shown).map(|processor| format!("processor {processor}")).collect();
    schedule
}
