//! `Grid`: both tiers in one simulation; every policy on the same worlds. Without jobs, what owners leave over.

mod export;
mod figures;
mod impossible;
mod owners;
mod predictions;
mod record;
mod rules;
mod schedule;
#[cfg(test)]
mod tests;

pub use record::*;

use super::Kind;
use crate::check::GridCheck;
use crate::language::{Context, Cursor};
use crate::metrics::{GridFigures, GridMetrics, Measure, Metric, NodeUse, Use, copies, declare_metrics, steps};
use crate::model::{Interval, JobId};
use crate::policy::{PolicyEntry, PolicySpec, Setup};
use crate::rng::Streams;
use crate::sim::{Event, GridEntry, GridRules, Observer, observe_grid};
use crate::study::expected::{BYTES, Judge, arrivals};
use crate::study::replicate::{Replication, Trial};
use crate::study::statistics::Sampling;
use crate::study::{Findings, Observations, Place, RunError, Schedule};
use crate::units::{Span, Time};
use crate::workload::draw_grid_within;
use crate::workload::{ArrivalSpec, Files, GlobalFlowSpec, LogSetting, OwnerSpec, WorkSpec};
use export::{JobsTable, TraceEvents, TraceTable};
use gridloom_report::difference;
use schedule::{BarBudget, ScheduleDrawing};
use std::path::Path;

/// The experiment of the rows for the whole run.
const TOTALS: &str = "whole run";
/// The experiment of the rows for the queue over time.
const QUEUE: &str = "queue over time";

declare_metrics! {
    /// The metrics over time.
    OVER_TIME:
    SHARE = Metric::new("share of node time", "share", "The share of all node time that each use takes, step by step.")
        .within(0.0, 1.0)
        .only_along();
    // Idle time is the part that the other areas of the figure leave.
    IDLE = Metric::new(
        "idle share of node time",
        "share",
        "The share of all node time that no use takes, step by step.",
    )
    .within(0.0, 1.0)
    .only_along();
    WAITING = Metric::new("waiting jobs", "jobs", "Jobs in the queue, on average over each step.")
        .at_least(0.0)
        .only_along();
}

/// The metrics by which policies are compared, pair by pair.
pub(super) const COMPARED: [&str; 8] =
    ["success ratio", "wait", "slowdown", "bounded slowdown", "job cost", "owners' income", "global load", "lost work"];

/// One policy in one world.
struct PolicyRun {
    totals: Vec<Measure>,
    node_use: NodeUse,
    waiting: Vec<f64>,
}

/// The first world, which is shown in detail.
#[derive(Default)]
struct First {
    /// The names of all policies.
    policies: Vec<String>,
    files: Vec<(String, Vec<u8>)>,
    schedules: Vec<Schedule>,
    /// Notes for the user on its jobs.
    notes: Vec<String>,
}

impl Kind for Grid {
    fn metrics(&self) -> Vec<Metric> {
        self.metrics_with(&[])
    }

    fn metrics_with(&self, outside: &[Metric]) -> Vec<Metric> {
        let metrics = if self.flows.is_empty() { owners::metrics() } else { metrics(outside) };
        metrics.into_iter().map(|metric| metric.with_times_in(&self.time_unit)).collect()
    }

    fn every_metric(&self) -> Vec<Metric> {
        let mut all = metrics(&[]);
        let more: Vec<Metric> = owners::metrics().into_iter().filter(|metric| !all.contains(metric)).collect();
        all.extend(more);
        all
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        let nodes: Vec<u64> = self.flows.iter().map(|flow| self.grid().nodes_for(flow)).collect();
        let end = self.measured().end + self.grid().drain;
        let mut had_file = false;
        for (index, (flow, nodes)) in self.flows.iter_mut().zip(nodes).enumerate() {
            let setting = LogSetting { nodes, horizon: end - Time::ZERO, time_unit: &self.time_unit };
            let place = at.field("flows").element(index).field("work");
            had_file |= files.read_work(&mut flow.work, &setting, &place, errors);
        }
        for (index, entry) in self.policies.iter_mut().enumerate() {
            let is_ruled = at.field("policies").element(index).name().is_none();
            let Some(external) = entry.external_mut() else { continue };
            if let Err((field, wrong, right)) = external.locate(files.folder(), &self.time_unit) {
                let at = at.field("policies").element(index);
                let at = if is_ruled { at.field("policy") } else { at };
                errors.add(&at.field(field), wrong, right);
            }
        }
        had_file
    }

    fn refer_from(&mut self, folder: &Path) {
        self.policies.iter_mut().filter_map(PolicyEntry::external_mut).for_each(|external| external.refer_from(folder));
    }

    fn foreign_policies(&self) -> Vec<String> {
        self.policies.iter().filter(|entry| entry.external().is_some()).map(PolicySpec::name).collect()
    }

    fn foreign_contents(&self) -> Vec<u128> {
        let programs = self.policies.iter().filter_map(PolicyEntry::external);
        programs.flat_map(|external| external.contents().iter().copied()).collect()
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let horizon = self.length();
        let cycles = horizon / self.metascheduler().period.as_f64();
        let period = at.field("metascheduler").field("period");
        judge.events(&period, cycles, "cycles would come", "give a longer period");
        let (mut events, mut bytes) = (cycles, 0.0);
        for (index, flow) in self.flows.iter().enumerate() {
            let place = at.field("flows").element(index).field("arrivals");
            let (drawn, jobs, tasks) = jobs_of(flow, self);
            judge.events(
                &place,
                drawn,
                "arrivals would be drawn",
                "let fewer jobs arrive, or be more even over the day",
            );
            judge.events(&place, 3.0 * jobs * tasks, "events of jobs would come", "let fewer jobs arrive");
            events += drawn + 3.0 * jobs * tasks;
            bytes += jobs * (BYTES[0] + tasks * BYTES[1]);
        }
        for (index, domain) in self.domains.iter().enumerate() {
            let place = at.field("domains").element(index);
            let nodes = domain.nodes.get() as f64;
            bytes += nodes * BYTES[3];
            for (index, owner) in domain.owners.iter().enumerate() {
                let tasks = nodes * owner_tasks(owner, horizon);
                let place = place.field("owners").element(index);
                judge.events(&place, tasks, "tasks of owners would be drawn", "let them come less often");
                events += 3.0 * tasks;
                bytes += tasks * BYTES[2];
            }
            if let Some(failures) = &domain.failures {
                let mean = failures.up.mean_up_to(horizon) + failures.down.mean_up_to(horizon).max(1e-6);
                let outages = nodes * horizon / mean;
                judge.events(&place.field("failures"), outages, "outages would be drawn", "let nodes fail less often");
                events += 2.0 * outages;
                bytes += outages * BYTES[2];
            }
        }
        if judge.errors.is_empty() {
            judge.events(at, events, "events would come in all", "let less come up");
            judge.memory(at, bytes);
        }
    }

    fn compared(&self) -> Vec<&str> {
        if self.flows.is_empty() { Vec::new() } else { COMPARED.to_vec() }
    }

    fn has_batches(&self) -> bool {
        !self.flows.is_empty()
    }

    fn rules(&self) -> Vec<(String, String)> {
        if self.flows.is_empty() { Vec::new() } else { rules::rules(self) }
    }

    fn policy_names(&self) -> Option<Vec<String>> {
        (!self.flows.is_empty()).then(|| self.policies.iter().map(PolicySpec::name).collect())
    }

    fn series_names(&self) -> Option<Vec<String>> {
        Some(self.policy_names().unwrap_or_else(|| owners::series(self)))
    }

    fn cost(&self) -> f64 {
        let horizon = self.length();
        let jobs: f64 =
            self.flows.iter().map(|flow| jobs_of(flow, self)).map(|(drawn, jobs, tasks)| drawn + jobs * tasks).sum();
        let cycles = horizon / self.metascheduler().period.as_f64();
        (jobs + cycles) * self.policies.len().max(1) as f64
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        if self.flows.is_empty() { owners::run(self, trial) } else { run(self, trial) }
    }
}

fn run(spec: &Grid, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let (rows, first) = trial.replicate_and_show(|streams| observe(spec, &streams, trial), |_| ())?;
    let mut findings = Findings { rows, ..Findings::default() };
    if let Some(First { policies, files, schedules, notes }) = first {
        let policy = policies.first().map_or("", String::as_str);
        // Fewer worlds may have been enough.
        let worlds = findings.rows.iter().map(|row| row.n).max().unwrap_or(0).min(trial.replications());
        findings.figures = figures::figures(spec, &policies, worlds);
        findings.figures.extend(predictions::figures(spec, policy, worlds));
        findings.files = files.into_iter().map(|(name, bytes)| (name, bytes.into())).collect();
        (findings.schedules, findings.notes) = (schedules, notes);
    }
    Ok(findings)
}

/// All policies in one world.
fn observe(spec: &Grid, streams: &Streams, trial: &Trial<'_>) -> Result<Replication<'static, First>, RunError> {
    let own = if trial.outside.is_alone { &[][..] } else { &spec.policies[..] };
    let policies = own.len() + trial.outside.policies.len();
    let (stop, limits) = (&*trial.stop().world(policies), trial.limits());
    let world = draw_grid_within(&spec.grid(), streams, stop, limits)?;
    stop.check()?;
    let is_first = streams.replication() == 0;
    let batches = match trial.sampling() {
        Sampling::Replications => Vec::new(),
        Sampling::BatchMeans { batches } => equal_parts(world.measured, batches.get()),
    };
    // The observations of the run, or of each of its batches, and the first policy's in them.
    let mut lots: Vec<(Observations<'static>, Option<Baseline>)> = Vec::new();
    lots.resize_with(batches.len().max(1), Default::default);
    let (mut shown, mut jobs) = (First::default(), JobsTable::new());
    let metascheduler = spec.metascheduler();
    let outside = trial.outside.policies.iter().map(|policy| &**policy as &dyn PolicySpec);
    let mut budget = BarBudget::new(policies, world.nodes.len());
    for entry in own.iter().map(|entry| entry as &dyn PolicySpec).chain(outside) {
        let name = entry.name();
        let mut policy = entry.make(&Setup { metascheduler: &metascheduler, streams });
        let rules = GridRules { limits, ..spec.rules(entry) };
        let in_detail = is_first && shown.policies.is_empty();
        let most_bars = budget.next().filter(|_| is_first);
        let mut run = Observers {
            check: GridCheck::new(&world, &rules),
            metrics: GridMetrics::new(&world, spec.step(), spec.slowdown_bound(), entry.has_limits()),
            batches: batches
                .iter()
                .map(|&batch| {
                    GridMetrics::within(batch, &world, batch.span(), spec.slowdown_bound(), entry.has_limits())
                })
                .collect(),
            drawing: most_bars.map(|most| ScheduleDrawing::new(&world, most)),
            trace: (in_detail && spec.trace).then(|| (TraceTable::new(&world), TraceEvents::new(&world))),
        };
        let end = observe_grid(&world, &rules, &mut *policy, stop, &mut run)?;
        run.check.finish(end)?;
        let GridFigures { mut totals, node_use, waiting, outcomes, sent } = run.metrics.finish();
        for metric in &trial.outside.metrics {
            totals.push(Measure { metric: metric.declared(), value: metric.measure(&world, &outcomes) });
        }
        let observed = PolicyRun { totals, node_use, waiting };
        if batches.is_empty() {
            let [(observations, baseline)] = &mut lots[..] else { continue };
            observed.add_to(observations, spec, &name, trial, baseline);
            predictions::observe(observations, &world, &name, &outcomes, &sent);
        }
        for (batch, (observations, baseline)) in run.batches.into_iter().zip(&mut lots) {
            let GridFigures { mut totals, .. } = batch.finish();
            // The end of the last job is of the run, not of a part of it.
            totals.retain(|measure| measure.metric.name() != "makespan");
            add_totals(&totals, observations, &name, trial, baseline);
        }
        if !is_first {
            continue;
        }
        jobs.add(&world, &name, &outcomes, &sent);
        let schedule = run.drawing.map(|drawing| drawing.finish(spec, &name));
        budget.take(&name, schedule.as_ref());
        shown.schedules.extend(schedule);
        shown.files.extend(run.trace.map(|(table, events)| [table.file(), events.file(end)]).into_iter().flatten());
        shown.policies.push(name);
    }
    budget.explain(&mut shown.schedules);
    if is_first {
        shown.notes.extend(impossible::notes(spec, &world));
    }
    shown.files.insert(0, jobs.file());
    let observations = lots.into_iter().map(|(observations, _)| observations).collect();
    Ok(Replication { observations, shown: is_first.then_some(shown) })
}

/// All who follow a run while it happens; nothing of it is stored but what they show.
struct Observers<'w> {
    check: GridCheck<'w>,
    metrics: GridMetrics<'w>,
    /// The same for each batch, where a run is cut into batches.
    batches: Vec<GridMetrics<'w>>,
    drawing: Option<ScheduleDrawing<'w>>,
    trace: Option<(TraceTable<'w>, TraceEvents<'w>)>,
}

impl Observer for Observers<'_> {
    fn note(&mut self, entry: &GridEntry) {
        self.check.note(entry);
        self.metrics.note(entry);
        self.batches.iter_mut().for_each(|batch| batch.note(entry));
        if let Some(drawing) = &mut self.drawing {
            drawing.note(entry);
        }
        if let Some((table, events)) = &mut self.trace {
            table.note(entry);
            events.note(entry);
        }
    }

    fn postponed(&mut self, time: Time, jobs: &[JobId]) {
        self.check.postponed(time, jobs);
        self.metrics.postponed(time, jobs);
        self.batches.iter_mut().for_each(|batch| batch.postponed(time, jobs));
        // No other of the observers shows postponements.
        if let Some((table, _)) = &mut self.trace {
            jobs.iter().for_each(|&job| table.note(&GridEntry { time, what: Event::Postponed(job) }));
        }
    }
}

/// The first policy's name, and where its metrics stand that others are compared by.
type Baseline = (String, Vec<Option<Place>>);

/// Adds the numbers of one policy, and what they are above those of the first.
fn add_totals(
    totals: &[Measure],
    observations: &mut Observations<'static>,
    policy: &str,
    trial: &Trial<'_>,
    baseline: &mut Option<Baseline>,
) {
    let mut series = observations.of(TOTALS, policy.to_string());
    let outside = trial.outside.declared();
    let names: Vec<&str> = COMPARED.into_iter().chain(outside.iter().map(Metric::name)).collect();
    let mut compared = vec![None; names.len()];
    for Measure { metric, value } in totals {
        let place = series.add(metric.name().to_string(), *value);
        if let Some(at) = names.iter().position(|name| *name == metric.name()) {
            compared[at] = Some(place);
        }
    }
    if let Some((first, places)) = baseline {
        let mut series = observations.of(TOTALS, format!("{policy} against {first}"));
        for (name, (own, other)) in names.iter().zip(compared.into_iter().zip(places)) {
            if let (Some(own), Some(other)) = (own, *other) {
                series.difference(difference(name), own, other);
            }
        }
    } else {
        *baseline = Some((policy.to_string(), compared));
    }
}

/// An interval cut into parts of equal length, but for a tick.
fn equal_parts(whole: Interval, parts: u64) -> Vec<Interval> {
    let edge = |part: u64| {
        whole.start + Span::from_ticks((i128::from(whole.span().ticks()) * i128::from(part) / i128::from(parts)) as i64)
    };
    (0..parts).map(|part| Interval::new(edge(part), edge(part + 1))).collect()
}

impl PolicyRun {
    fn add_to(
        &self,
        observations: &mut Observations<'static>,
        spec: &Grid,
        policy: &str,
        trial: &Trial<'_>,
        baseline: &mut Option<Baseline>,
    ) {
        add_totals(&self.totals, observations, policy, trial, baseline);
        let steps = steps(spec.measured(), spec.step());
        // A step stands at its middle.
        let middles = || steps.iter().map(|step| (step.start.as_f64() + step.end.as_f64()) / 2.0);
        let over_time = figures::use_over_time(policy);
        for (kind, shares) in Use::ALL.into_iter().zip(&self.node_use.shares) {
            let mut series = observations.of(over_time.clone(), kind.name());
            let metric = if kind == Use::Idle { &IDLE } else { &SHARE };
            for (&share, x) in shares.iter().zip(middles()) {
                series.add_at(metric, x, share);
            }
        }
        let mut series = observations.of(QUEUE, policy.to_string());
        for (&length, x) in self.waiting.iter().zip(middles()) {
            series.add_at(&WAITING, x, length);
        }
    }
}

/// The metrics of a grid with jobs and those from outside, and the differences between policies.
fn metrics(outside: &[Metric]) -> Vec<Metric> {
    let mut metrics = GridMetrics::declared();
    let compared = COMPARED.iter().filter_map(|name| metrics.iter().find(|metric| metric.name() == *name));
    let differences: Vec<Metric> = compared
        .chain(outside)
        .map(|metric| metric.difference(difference(metric.name()), "the first policy"))
        .collect();
    metrics.extend_from_slice(outside);
    metrics.extend(differences);
    metrics.extend(copies(OVER_TIME));
    metrics.extend(copies(predictions::ALONG));
    metrics
}

/// The numbers of arrivals that are drawn for a flow, of jobs that stay of them, and of parts of a job.
fn jobs_of(flow: &GlobalFlowSpec, spec: &Grid) -> (f64, f64, f64) {
    let horizon = spec.length();
    let jobs = match &flow.work {
        WorkSpec::Listed(listed) => listed.jobs.len() as f64,
        WorkSpec::Lublin { jobs, .. } => jobs.get() as f64,
        WorkSpec::Rigid { .. } | WorkSpec::Workflow(_) | WorkSpec::Log { .. } => {
            horizon / flow.mean_gap(spec.grid().capacity_for(flow))
        }
    };
    let drawn = match &flow.arrivals {
        Some(ArrivalSpec::Poisson { daily: Some(daily), .. } | ArrivalSpec::Load { daily: Some(daily), .. }) => {
            jobs / daily.mean_share()
        }
        Some(ArrivalSpec::Batches { every, .. }) => jobs + horizon / every.as_f64(),
        _ => jobs,
    };
    let parts = match &flow.work {
        WorkSpec::Rigid { nodes, .. } => {
            nodes.mean().min(spec.domains.iter().map(|each| each.nodes.get() as f64).sum())
        }
        WorkSpec::Workflow(work) => work.tasks.mean_tasks(),
        WorkSpec::Log { .. } | WorkSpec::Lublin { .. } | WorkSpec::Listed(_) => 1.0,
    };
    (drawn, jobs, parts)
}

/// The number of tasks of an owner that are drawn on one node.
fn owner_tasks(owner: &OwnerSpec, horizon: f64) -> f64 {
    match &owner.gap {
        Some(gap) => arrivals(gap, horizon),
        None => horizon / owner.mean_gap(),
    }
}
