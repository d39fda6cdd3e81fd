//! A log through a queue: what the waits were under one policy.

use super::declared::give_units;
use super::processor_numbers::{Ran, bars_by_processor};
use super::{Figure, FigureKind, FiguresSpec, Outcome, Progress, Results, Row, RunError, Schedule};
use crate::check::check_replay;
use crate::metrics::{
    Better, Estimate, Metric, bounded_slowdown, copies, declare_metrics, percentile, queue_over_time, summarise_queue,
};
use crate::queueing::{Order, Queue, QueueRule};
use crate::sim::{Instants, LogRules, ReplayPlacement, Selection, Touched, replay_watched, select};
use crate::units::{Span, Time};
use crate::workload::swf::{Faults, Header, Log, rule_counts, write};
use std::io::{self, Write};

/// The experiment of the rows for the whole log.
const TOTALS: &str = "whole log";
/// The experiment of the rows that count what the rules did.
const RULES: &str = "jobs by rule";
/// The experiments of the figures.
const OVER_TIME: &str = "over time";
const WAITS: &str = "waits";
/// Points of the figure over time.
const PARTS: u32 = 300;

/// The unit of times in logs.
const SECONDS: &str = "seconds";

/// A metric of waits.
const fn wait(name: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, SECONDS, meaning).at_least(0.0).better(Better::Less)
}

declare_metrics! {
    /// The metrics of a replay, but for those that count what each rule did.
    METRICS:
    JOBS = Metric::new("jobs", "jobs", "Jobs that were replayed.").at_least(0.0);
    MAKESPAN = Metric::new("makespan", SECONDS, "From the first submission to the last completion.")
        .at_least(0.0)
        .better(Better::Less);
    UTILISATION = Metric::new("utilisation", "share of processor time", "The busy share of processors times makespan.")
        .within(0.0, 1.0)
        .better(Better::More);
    MEAN_WAIT = wait("mean wait", "Mean time from submission to start.");
    WAIT_50 = wait("wait, 50 %", "The smallest wait that 50 % of the jobs do not exceed.");
    WAIT_90 = wait("wait, 90 %", "The smallest wait that 90 % of the jobs do not exceed.");
    WAIT_95 = wait("wait, 95 %", "The smallest wait that 95 % of the jobs do not exceed.");
    WAIT_99 = wait("wait, 99 %", "The smallest wait that 99 % of the jobs do not exceed.");
    LONGEST_WAIT = wait("maximum wait", "The longest wait.");
    SLOWDOWN = Metric::new(
        "mean bounded slowdown",
        "ratio",
        "Mean of wait plus runtime over runtime, at least 1, runtimes below 10 s taken as 10 s.",
    )
    .at_least(1.0)
    .better(Better::Less);
    QUEUE = Metric::new("mean queue length", "jobs", "Waiting jobs, on average over the makespan.")
        .at_least(0.0)
        .better(Better::Less);
    LONGEST_QUEUE = Metric::new("maximum queue length", "jobs", "The most jobs that ever waited.")
        .at_least(0.0)
        .better(Better::Less);
    WAITING = Metric::new("waiting jobs", "jobs", "Waiting jobs, on average over parts of the makespan.")
        .at_least(0.0)
        .only_along();
    SHARE = Metric::new("share of jobs", "share", "Jobs that wait no longer than so many hours.")
        .within(0.0, 1.0)
        .only_along();
}

/// The metric that counts the records of a rule.
fn of_rule(rule: &'static str) -> Metric {
    Metric::new(rule, "records", "Records of the log that the rule touched.").at_least(0.0)
}

/// All metrics of a replay.
pub(crate) fn replay_metrics() -> Vec<Metric> {
    let rules = rule_counts(&Touched::default(), &Faults::default());
    copies(METRICS).into_iter().chain(rules.map(|(rule, _)| of_rule(rule))).collect()
}

/// The settings of the replay of a log.
#[derive(Debug, Clone, PartialEq)]
pub struct ReplaySpec {
    /// The name of the result.
    pub name: String,
    /// The command that repeats it.
    pub command: String,
    /// The size of the machine.
    pub nodes: u32,
    /// The queue discipline: which job starts when.
    pub queue: Queue,
    /// When that is decided.
    pub instants: Instants,
    /// The rules by which records become jobs.
    pub rules: LogRules,
}

/// Replays a log, has the schedule checked, and sums it up.
///
/// ```
/// use gridloom::study::{ReplaySpec, NoProgress, run_replay};
/// use gridloom::queueing::QueueRule;
/// use gridloom::sim::{Instants, LogRules};
/// use gridloom::workload::swf::Log;
///
/// let log = Log::read(&b"1 0 -1 30 4 -1 -1 4 60 -1 1 1 1 1 1 -1 -1 -1\n2 10 -1 9 8 -1 -1 8 60 -1 1 1 1 1 1 -1 -1 -1\n"[..])?;
/// let spec = ReplaySpec {
///     name: "two-jobs".into(),
///     command: "gridloom replay two-jobs.swf --policy easy --nodes 8".into(),
///     nodes: 8,
///     queue: QueueRule::Easy.into(),
///     instants: Instants::Batch,
///     rules: LogRules::default(),
/// };
/// let outcome = run_replay(&log, &spec, &NoProgress)?;
/// let wait = outcome.results.rows.iter().find(|row| row.metric == "mean wait").unwrap();
/// assert_eq!(wait.mean, 10.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn run_replay(log: &Log, spec: &ReplaySpec, watch: &impl Progress) -> Result<Outcome, RunError> {
    let selection = select(&log.records, spec.nodes, spec.rules);
    watch.expect(selection.jobs.len() as u64);
    let placed =
        replay_watched(&selection.jobs, spec.nodes, spec.queue, spec.instants, watch.stop(), || watch.advance())?;
    let placed = placed.ok_or(RunError::Interrupted)?;
    check_replay(&selection.jobs, spec.nodes, spec.queue, &placed)?;
    let placements: Vec<ReplayPlacement> = placed.into_iter().flatten().collect();
    let (Some(first), Some(summary)) =
        (selection.jobs.first(), summarise_queue(&selection.jobs, &placements, spec.nodes))
    else {
        return Err(RunError::NoJobs);
    };
    let mut waits: Vec<Span> =
        selection.jobs.iter().zip(&placements).map(|(job, placement)| placement.start - job.submit).collect();
    let slowdowns = selection.jobs.iter().zip(&waits).map(|(job, &wait)| bounded_slowdown(wait, job.runtime));
    let jobs = selection.jobs.len() as u64;
    let mean = |sum: f64| sum / jobs as f64;
    let slowdown = mean(slowdowns.sum());
    let wait = mean(waits.iter().map(|wait| wait.as_f64()).sum());
    waits.sort_unstable();
    let wait_of = |percent| percentile(&waits, percent).unwrap_or(Span::ZERO).as_f64();
    let series = spec.queue.name();
    let row = |experiment: &str, metric: &Metric, value, n| {
        Row::new(experiment, series.as_str(), metric, Estimate { mean: value, ci95: None, n })
    };
    let mut rows = vec![
        row(TOTALS, &JOBS, jobs as f64, 1),
        row(TOTALS, &MAKESPAN, summary.makespan.as_f64(), 1),
        row(TOTALS, &UTILISATION, summary.utilisation, 1),
        row(TOTALS, &MEAN_WAIT, wait, jobs),
        row(TOTALS, &WAIT_50, wait_of(50), jobs),
        row(TOTALS, &WAIT_90, wait_of(90), jobs),
        row(TOTALS, &WAIT_95, wait_of(95), jobs),
        row(TOTALS, &WAIT_99, wait_of(99), jobs),
        row(TOTALS, &LONGEST_WAIT, wait_of(100), jobs),
        row(TOTALS, &SLOWDOWN, slowdown, jobs),
        row(TOTALS, &QUEUE, summary.mean_queue, 1),
        row(TOTALS, &LONGEST_QUEUE, summary.longest_queue as f64, 1),
    ];
    let records = log.records.len() as u64 + log.faults.skipped;
    rows.extend(
        rule_counts(&selection.touched, &log.faults)
            .into_iter()
            .map(|(rule, count)| row(RULES, &of_rule(rule), count as f64, records)),
    );
    let days = |time: Time| (time - first.submit).as_f64() / 86_400.0;
    let over_time = queue_over_time(&selection.jobs, &placements, PARTS);
    rows.extend(over_time.iter().map(|&(time, length)| row(OVER_TIME, &WAITING, length, 1).at(days(time))));
    rows.extend(
        (0..=100).map(|percent| row(WAITS, &SHARE, f64::from(percent) / 100.0, jobs).at(wait_of(percent) / 3600.0)),
    );
    give_units(&mut rows, &replay_metrics());
    // Writing to memory can't fail.
    let schedule = schedule_file(log, &selection, &placements, spec).expect("memory takes what is written to it");
    let table = jobs_file(log, &selection, &placements).expect("memory takes what is written to it");
    Ok(Outcome {
        about: about(spec, &selection.touched),
        answer: None,
        ranking: None,
        scenario: format!("// {}\n", spec.command),
        results: Results {
            scenario: spec.name.clone(),
            seed: 0,
            replications: 1,
            version: env!("CARGO_PKG_VERSION").into(),
            rows,
        },
        figures: figures(),
        figures_spec: FiguresSpec::default(),
        gantts: Vec::new(),
        schedules: vec![picture(log, &selection, &placements, first.submit)],
        notes: Vec::new(),
        files: vec![("jobs.csv".into(), table), ("schedule.swf".into(), schedule)],
    })
}

fn about(spec: &ReplaySpec, touched: &Touched) -> String {
    let mut text = format!(
        "A log replayed on {} identical processors under {}{}. Times are in seconds; the bounded slowdown takes runtimes below \
         10 s as 10 s; a percentile is the smallest wait that so many jobs do not exceed.",
        spec.nodes,
        match spec.queue.rule() {
            QueueRule::Fcfs => "first come, first served".to_string(),
            QueueRule::Easy => "EASY backfilling".to_string(),
            QueueRule::Depth(depth) => format!("EASY backfilling with reservations for the first {depth} in the queue"),
            QueueRule::Conservative => "conservative backfilling".to_string(),
        },
        match spec.queue.order() {
            Order::Arrival => String::new(),
            order => format!(", the queue being ordered by {} first", order.name()),
        }
    );
    if !touched.first_too_wide.is_empty() {
        let jobs = touched.first_too_wide.iter().map(|(job, processors)| format!("{job} ({processors} processors)"));
        text.push_str(&format!("\n\nWider than the machine: {}", jobs.collect::<Vec<_>>().join(", ")));
        let more = touched.too_wide - touched.first_too_wide.len() as u64;
        text.push_str(&if more > 0 { format!(" and {more} more.") } else { ".".to_string() });
    }
    text
}

fn figures() -> Vec<Figure> {
    let figure =
        |file: &str, title: &str, caption: String, labels: [&str; 2], experiment: &str, metric: &Metric| Figure {
            file: file.into(),
            title: title.into(),
            caption,
            x_label: labels[0].into(),
            y_label: labels[1].into(),
            experiment: experiment.into(),
            metrics: vec![metric.into()],
            kind: FigureKind::Lines,
        };
    vec![
        figure(
            "queue",
            "How many jobs wait",
            format!("Mean number of waiting jobs in each of {PARTS} equal parts of the time."),
            ["Time since the first submission (days)", "Waiting jobs"],
            OVER_TIME,
            &WAITING,
        ),
        figure(
            "waits",
            "How long jobs wait",
            "The share of jobs that wait no longer than so many hours.".into(),
            ["Wait (hours)", "Share of jobs"],
            WAITS,
            &SHARE,
        ),
    ]
}

/// The chart of which job ran when. The log of a homogeneous machine does not say where, so that a rule has to.
fn picture(log: &Log, selection: &Selection, placements: &[ReplayPlacement], origin: Time) -> Schedule {
    let ran = selection.records.iter().zip(&selection.jobs).zip(placements).map(|((&record, job), placement)| Ran {
        job: log.records[record as usize].job,
        processors: job.processors,
        start: placement.start,
        end: placement.finish,
    });
    let mut schedule = Schedule {
        title: "Who runs when".into(),
        caption:
            "Which processors a job had is not known: here it has the lowest numbers that are free when it starts."
                .into(),
        x_label: "Time since the first submission (hours)".into(),
        ..Schedule::default()
    };
    schedule.fill(bars_by_processor(ran.collect(), |time| (time - origin).as_f64() / 3600.0));
    let shown = schedule.bars.iter().map(|bar| bar.node + 1).max().unwrap_or(0);
    schedule.nodes = (1..=shown).map(|processor| format!("processor {processor}")).collect();
    schedule
}

fn seconds(span: Span) -> i64 {
    span.ticks() / Span::from_units(1).ticks()
}

/// `jobs.csv`, in the order of submission.
fn jobs_file(log: &Log, selection: &Selection, placements: &[ReplayPlacement]) -> io::Result<Vec<u8>> {
    let mut text = b"job,submit,start,finish,wait,processors,bounded_slowdown\n".to_vec();
    for ((&record, job), placement) in selection.records.iter().zip(&selection.jobs).zip(placements) {
        let wait = placement.start - job.submit;
        writeln!(
            text,
            "{},{},{},{},{},{},{:.6}",
            log.records[record as usize].job,
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

/// `schedule.swf`: the replayed records with the waits, runtimes and processors of the replay.
fn schedule_file(
    log: &Log,
    selection: &Selection,
    placements: &[ReplayPlacement],
    spec: &ReplaySpec,
) -> io::Result<Vec<u8>> {
    let replaced = ["MaxJobs", "MaxRecords", "MaxNodes", "MaxProcs"];
    let kept = log.header.entries.iter().filter(|(key, _)| !replaced.iter().any(|own| key.eq_ignore_ascii_case(own)));
    let mut entries: Vec<(String, String)> = kept.cloned().collect();
    let (jobs, nodes) = (selection.jobs.len().to_string(), spec.nodes.to_string());
    entries.extend(
        replaced.iter().zip([&jobs, &jobs, &nodes, &nodes]).map(|(key, value)| (key.to_string(), value.clone())),
    );
    entries.push(("Note".into(), format!("replayed by gridloom {}: {}", env!("CARGO_PKG_VERSION"), spec.command)));
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
