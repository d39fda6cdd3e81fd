//! `Replay`: logs through queues, every policy on the same jobs.
//!
//! The jobs of a log come one after another and share a queue, so that neighbours wait alike: an interval that takes
//! them for independent would be far too narrow. Intervals are therefore made of the means of batches of consecutive
//! jobs; policies are compared job by job, and the differences are batched likewise.

mod answer;
mod figures;
mod files;
mod logs;
mod measure;
mod record;
mod sums;

pub use logs::ReplayLog;
pub(crate) use logs::{has_job, log_name};
pub use record::*;

use super::Kind;
use crate::language::{Context, Cursor};
use crate::metrics::batches::{CalendarPart, WaitDifference};
use crate::metrics::{Better, Metric, copies, declare_metrics};
use crate::sim::{Touched, select};
use crate::study::expected::Judge;
use crate::study::record::PointPlace;
use crate::study::replicate::Trial;
use crate::study::{FileContent, Findings, MOST_BARS, Row, RunError, file_name};
use crate::units::Overflow;
use crate::workload::swf::{Faults, rule_counts};
use crate::workload::{DrawError, Files};
use files::{BatsimTable, ReplayedJobs, ScheduleFile};
use gridloom_report::difference;
use measure::{Case, MeasuredPolicy, measure};
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use sums::Sums;

/// The experiment of the rows for the whole log.
const TOTALS: &str = "whole log";
/// The experiment of the rows that count what the rules did.
const RULES: &str = "jobs by rule";
/// The experiments of the figures.
const OVER_TIME: &str = "over time";
const WAITS: &str = "waits";
const TAIL: &str = "waits longer than";
const WEEKS: &str = "week by week";
const DAYS: &str = "day by day";

/// The unit of times in logs.
const SECONDS: &str = "seconds";
/// The latest submission, in seconds.
const LATEST: i64 = 10_000_000_000;
/// A job of a log takes about so many bytes: its record, and what it becomes.
const BYTES: f64 = 300.0;
/// A schedule shows at least so many bars, however many schedules there are.
const FEWEST_BARS: usize = 2_000;

/// A metric of waits.
const fn wait(name: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, SECONDS, meaning).at_least(0.0).better(Better::Less)
}

declare_metrics! {
    /// The metrics of a replay, but for differences and those that count what each rule did.
    METRICS:
    JOBS = Metric::new("jobs", "jobs", "Jobs that were replayed.").at_least(0.0);
    MAKESPAN = Metric::new("makespan", SECONDS, "From the first submission to the last completion.")
        .at_least(0.0)
        .better(Better::Less);
    UTILISATION = Metric::new("utilisation", "share of processor time", "The busy share of processors times makespan.")
        .within(0.0, 1.0)
        .better(Better::More);
    MEAN_WAIT = wait(
        "mean wait",
        "Mean time from submission to start; the interval is from 20 batches of neighbouring jobs.",
    );
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
    LONGER = Metric::new("share of jobs that wait longer", "share", "Jobs that wait longer than so many hours.")
        .within(0.0, 1.0)
        .only_along();
    WEEKLY = Metric::new(
        "mean wait of the week",
        "hours",
        "Mean wait of the jobs submitted in a week; the interval is from 10 batches of neighbours.",
    )
    .at_least(0.0)
    .better(Better::Less)
    .only_along();
    DAILY = Metric::new(
        "mean wait of the day",
        "hours",
        "Mean wait of the jobs submitted on a day, of logs shorter than two weeks; interval as for weeks.",
    )
    .at_least(0.0)
    .better(Better::Less)
    .only_along();
}

/// The metric that counts the records of a rule.
fn of_rule(rule: &'static str) -> Metric {
    Metric::new(rule, "records", "Records of the log that the rule touched.").at_least(0.0)
}

/// The mean over jobs of the wait under a policy less that under the first.
fn wait_difference() -> Metric {
    let meaning = "Mean wait minus that of the same jobs under the first policy; interval from 20 batches.";
    MEAN_WAIT.difference(difference(MEAN_WAIT.name()), "the first policy").meaning_that(meaning)
}

impl Kind for Replay {
    fn metrics(&self) -> Vec<Metric> {
        let rules = rule_counts(&Touched::default(), &Faults::default());
        let rules = rules.map(|(rule, _)| of_rule(rule));
        copies(METRICS).into_iter().chain(rules).chain([wait_difference()]).collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec![TOTALS, RULES, OVER_TIME, WAITS, TAIL, WEEKS]
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(self.queues().into_iter().map(|queue| queue.name()).collect())
    }

    fn foreign_policies(&self) -> Vec<String> {
        self.queues().iter().filter(|queue| queue.is_foreign()).map(ReplayQueue::name).collect()
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        logs::read(self, files, at, errors)
    }

    fn refer_from(&mut self, folder: &Path) {
        logs::refer_from(self, folder);
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        for (index, log) in self.logs.iter().enumerate() {
            if let ReplayLogSpec::Lublin { jobs, .. } = &log.spec {
                let place = at.field("logs").element(index).field("jobs");
                judge.memory(&place, jobs.get() as f64 * BYTES * self.policies.len() as f64);
            }
        }
    }

    fn rules(&self) -> Vec<(String, String)> {
        answer::rules(self)
    }

    fn draws(&self) -> bool {
        false
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

/// One log under all policies.
struct Replayed {
    /// Its name.
    name: String,
    nodes: u32,
    touched: Touched,
    /// In the order of the policies.
    policies: Vec<MeasuredPolicy>,
    /// The parts by which its waits are drawn, if it is long enough for any.
    by: Option<CalendarPart>,
}

fn run(spec: &Replay, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let queues = spec.queues();
    let several = spec.logs.len() > 1;
    // The bar counts jobs where nothing else is run.
    let counts_jobs = matches!(trial.place, PointPlace::Base) && trial.scenario.sweeps.is_empty();
    let to_come = |from: usize| spec.logs[from..].iter().map(|log| log.records() * queues.len()).sum::<usize>();
    let mut done = 0;
    let mut findings = Findings::default();
    let mut all: Vec<Replayed> = Vec::new();
    let mut table = Vec::new();
    for (index, entry) in spec.logs.iter().enumerate() {
        let name = entry.name();
        let unread = || RunError::Draw(DrawError::Unread(name.clone()));
        let (log, nodes) = (entry.ready().ok_or_else(unread)?, entry.nodes().ok_or_else(unread)?);
        // A log that is read has no later submissions; one that is drawn may, at a load near 0.
        if log.records.last().is_some_and(|record| record.submit > LATEST) {
            return Err(Overflow.into());
        }
        let selection = Arc::new(select(&log.records, nodes, spec.log_rules()));
        if selection.jobs.is_empty() {
            return Err(RunError::NoJobs);
        }
        if counts_jobs {
            trial.watch.count_in("jobs");
            trial.watch.expect((done + selection.jobs.len() * queues.len() + to_come(index + 1)) as u64);
        }
        done += selection.jobs.len() * queues.len();
        let naming = Naming::of(&name, several, trial.place);
        let case = Case {
            spec,
            log: &log,
            selection: &selection,
            nodes,
            naming: &naming,
            name: &name,
            log_column: several.then_some(name.as_str()),
            is_alone: queues.len() == 1,
            bars: (MOST_BARS / (queues.len() * spec.logs.len())).max(FEWEST_BARS),
        };
        let advance = || {
            if counts_jobs {
                trial.watch.advance();
            }
        };
        let measured: Vec<Result<MeasuredPolicy, RunError>> =
            queues.par_iter().map(|queue| measure(&case, queue, trial.stop(), advance)).collect();
        let mut policies = measured.into_iter().collect::<Result<Vec<MeasuredPolicy>, RunError>>()?;
        let differences = differences(&policies, &naming);
        let rows = rows_of(&mut policies, differences, &case);
        findings.rows.extend(rows);
        for one in &mut policies {
            table.push(Arc::clone(&one.placed));
            let policy = file_name(&one.policy);
            let file = match (several, case.is_alone) {
                (false, true) => "schedule.swf".to_string(),
                (false, false) => format!("schedule-{policy}.swf"),
                (true, _) => format!("schedule-{name}-{policy}.swf"),
            };
            if spec.batsim_tables {
                let table = BatsimTable(Arc::clone(&one.placed));
                findings.files.push((
                    file.replace("schedule", "batsim-jobs").replace(".swf", ".csv"),
                    FileContent::Late(Arc::new(table)),
                ));
            }
            let schedule = ScheduleFile::new(spec, nodes, Arc::clone(&one.placed));
            findings.files.push((file, FileContent::Late(Arc::new(schedule))));
            findings.schedules.push(std::mem::take(&mut one.picture));
        }
        let by = CalendarPart::of(&selection.jobs);
        let touched = selection.touched.clone();
        all.push(Replayed { name, nodes, touched, policies, by });
    }
    findings.files.insert(0, ("jobs.csv".into(), FileContent::Late(Arc::new(ReplayedJobs(table)))));
    trial.record(&findings.rows)?;
    if trial.scenario.replications.get() > 1 {
        findings.notes.push("a replay draws nothing: all replications are the same, and one was run".into());
    }
    findings.figures = all.iter().flat_map(|log| figures::figures(log, several)).collect();
    findings.answer = Some(answer::answer(spec, &all));
    Ok(findings)
}

/// The names of experiments and series of one log.
struct Naming {
    experiments: String,
    series: String,
}

impl Naming {
    /// Where there are several logs, rows say which they are of: by their experiment; or by their series at a point of
    /// a sweep, which has an experiment of its own.
    fn of(log: &str, several: bool, place: PointPlace<'_>) -> Self {
        let prefix = if several { format!("{log}: ") } else { String::new() };
        match place {
            PointPlace::Base => Self { experiments: prefix, series: String::new() },
            PointPlace::Swept { .. } => Self { experiments: String::new(), series: prefix },
        }
    }

    fn experiment(&self, experiment: &str) -> String {
        format!("{}{experiment}", self.experiments)
    }

    fn series(&self, series: &str) -> String {
        format!("{}{series}", self.series)
    }
}

/// What each policy's waits are above those of the first.
fn differences(policies: &[MeasuredPolicy], naming: &Naming) -> Vec<Row> {
    let Some((first, others)) = policies.split_first() else { return Vec::new() };
    let metric = wait_difference();
    let row = |other: &MeasuredPolicy| {
        let series = naming.series(&format!("{} against {}", other.policy, first.policy));
        let found = WaitDifference::of(&other.sums.waits, &first.sums.waits);
        Row { p: found.p_value, ..Row::new(naming.experiment(TOTALS), series, &metric, found.estimate) }
    };
    others.iter().map(row).collect()
}

/// All rows of a log, experiment by experiment.
fn rows_of(policies: &mut [MeasuredPolicy], differences: Vec<Row>, case: &Case<'_>) -> Vec<Row> {
    let mut rows: Vec<Row> = policies.iter_mut().flat_map(|one| std::mem::take(&mut one.sums.totals)).collect();
    rows.extend(differences);
    let everybody = policies.first().filter(|_| case.is_alone).map_or("all policies", |one| one.policy.as_str());
    rows.extend(measure::rule_rows(case, everybody));
    let parts: [fn(&mut Sums) -> &mut Vec<Row>; 5] = [
        |sums| &mut sums.over_time,
        |sums| &mut sums.shares,
        |sums| &mut sums.tail,
        |sums| &mut sums.weeks,
        |sums| &mut sums.days,
    ];
    for part in parts {
        rows.extend(policies.iter_mut().flat_map(|one| std::mem::take(part(&mut one.sums))));
    }
    rows
}
