//! The files of a replay, and its schedules.

use super::measure::Case;
use crate::language::to_line;
use crate::metrics::bounded_slowdown;
use crate::sim::ReplayPlacement;
use crate::study::Schedule;
use crate::study::processor_numbers::{Ran, bars_by_processor};
use crate::units::{Span, Time};
use crate::workload::swf::{Header, Log, write};
use std::io::{self, Write};

/// The lines of `jobs.csv` for one log and policy, in the order of submission; the first of all has the header above
/// them.
pub(super) fn jobs_table(case: &Case<'_>, placements: &[ReplayPlacement], policy: &str) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    if case.is_first && case.spec.queues().first().is_some_and(|first| first.name() == policy) {
        let log = if case.log_column.is_some() { ",log" } else { "" };
        writeln!(text, "job,submit,start,finish,wait,processors,bounded_slowdown,policy{log}")?;
    }
    let end = case.log_column.map_or_else(|| policy.to_string(), |log| format!("{policy},{log}"));
    for ((&record, job), placement) in case.selection.records.iter().zip(&case.selection.jobs).zip(placements) {
        let wait = placement.start - job.submit;
        writeln!(
            text,
            "{},{},{},{},{},{},{:.6},{end}",
            case.log.records[record as usize].job,
            job.submit,
            placement.start,
            placement.finish,
            wait,
            job.processors,
            bounded_slowdown(wait, job.runtime)
        )?;
    }
    Ok(text)
}

fn seconds(span: Span) -> i64 {
    span.ticks() / Span::from_units(1).ticks()
}

/// The replayed records with the waits, runtimes and processors of the replay, in the Standard Workload Format.
pub(super) fn schedule_file(case: &Case<'_>, placements: &[ReplayPlacement], policy: &str) -> io::Result<Vec<u8>> {
    let Case { spec, log, selection, nodes, .. } = case;
    let replaced = ["MaxJobs", "MaxRecords", "MaxNodes", "MaxProcs"];
    let kept = log.header.entries.iter().filter(|(key, _)| !replaced.iter().any(|own| key.eq_ignore_ascii_case(own)));
    let mut entries: Vec<(String, String)> = kept.cloned().collect();
    let (jobs, nodes) = (selection.jobs.len().to_string(), nodes.to_string());
    entries.extend(
        replaced.iter().zip([&jobs, &jobs, &nodes, &nodes]).map(|(key, value)| (key.to_string(), value.clone())),
    );
    let note = format!(
        "replayed by gridloom {} under {policy} (instants: {}, estimate: {}, processors: {}, missing_request: {}, overrun: {})",
        env!("CARGO_PKG_VERSION"),
        to_line(&spec.instants),
        to_line(&spec.estimate),
        to_line(&spec.processors),
        to_line(&spec.missing_request),
        to_line(&spec.overrun),
    );
    entries.push(("Note".into(), note));
    let records = selection.records.iter().zip(&selection.jobs).zip(placements).map(|((&record, job), placement)| {
        let mut record = log.records[record as usize];
        record.wait = seconds(placement.start - job.submit);
        record.runtime = seconds(job.runtime);
        record.allocated = i64::from(job.processors);
        record
    });
    let mut text = Vec::new();
    write(&mut text, &Header { entries }, records)?;
    Ok(text)
}

/// The chart of which job ran when. The log of a homogeneous machine does not say where, so that a rule has to.
pub(super) fn picture(
    case: &Case<'_>,
    placements: &[ReplayPlacement],
    policy: &str,
    origin: Time,
    log: &Log,
) -> Schedule {
    let selection = case.selection;
    let ran = selection.records.iter().zip(&selection.jobs).zip(placements).map(|((&record, job), placement)| Ran {
        job: log.records[record as usize].job,
        processors: job.processors,
        start: placement.start,
        end: placement.finish,
    });
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
