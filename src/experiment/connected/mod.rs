//! `Connected`: both tiers in one simulation; every policy on the same worlds.

mod export;
mod figures;
mod schedule;

use super::replicate::{Replication, Trial};
use super::{Findings, MOST_BARS, Observations, Place, RunError, Schedule};
use crate::check::GridCheck;
use crate::metrics::{GridFigures, GridMetrics, Measure, NodeUse, Use, steps};
use crate::model::{Interval, JobId};
use crate::policy::named_policy;
use crate::rng::Streams;
use crate::scenario::schema::Connected;
use crate::sim::{Event, GridEntry, GridRules, Observer, observe_grid};
use crate::units::Time;
use crate::workload::draw_grid_within;
use export::{JobsTable, TraceEvents, TraceTable};
use schedule::Drawing;

/// The experiment of the rows for the whole run.
const TOTALS: &str = "whole run";
/// The experiment of the rows for the queue over time.
const QUEUE: &str = "queue over time";
/// The metric of the rows that say how node time was used.
const SHARE: &str = "share of node time";
/// The metric of the rows for the rest of it.
const IDLE: &str = "idle share of node time";
/// What policies are compared by, pair by pair.
pub(super) const COMPARED: [&str; 6] =
    ["success ratio", "wait", "slowdown", "job cost", "owners' income", "global load"];

/// One policy in one world.
struct Observed {
    totals: Vec<Measure>,
    node_use: NodeUse,
    waiting: Vec<f64>,
}

/// The first world, which is shown in detail.
#[derive(Default)]
struct First {
    /// The name of the first policy.
    policy: String,
    files: Vec<(String, Vec<u8>)>,
    schedules: Vec<Schedule>,
    /// The metrics of the whole run with their units.
    units: Vec<(String, &'static str)>,
}

pub(super) fn run(spec: &Connected, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let (rows, first) = trial.replicate_and_show(|streams| observe(spec, &streams, trial))?;
    let mut findings = Findings { rows, ..Findings::default() };
    if let Some(First { policy, files, schedules, units }) = first {
        findings.units = figures::units(spec, &units);
        findings.figures = figures::figures(spec, &policy, &findings.units, trial.replications());
        (findings.files, findings.schedules) = (files, schedules);
    }
    Ok(findings)
}

/// All policies in one world.
fn observe(spec: &Connected, streams: &Streams, trial: &Trial<'_>) -> Result<Replication<'static, First>, RunError> {
    let (stop, limits) = (trial.stop(), trial.limits());
    let world = draw_grid_within(spec, streams, stop, limits)?;
    stop.check()?;
    let is_first = streams.replication() == 0;
    let mut observations = Observations::default();
    let mut baseline = None;
    let (mut shown, mut jobs) = (First::default(), JobsTable::new());
    for &policy in spec.policies.iter() {
        let mut named = named_policy(policy, &spec.metascheduler, streams);
        let rules = GridRules { limits, ..GridRules::new(spec, &named) };
        let in_detail = is_first && baseline.is_none();
        let mut run = Observers {
            check: GridCheck::new(&world, rules.rule, rules.limit, world.end),
            metrics: GridMetrics::new(&world, spec.step, named.has_limits),
            drawing: (in_detail && world.nodes.len() <= MOST_BARS).then(|| Drawing::new(&world)),
            trace: (in_detail && spec.trace).then(|| (TraceTable::new(&world), TraceEvents::new(&world))),
        };
        observe_grid(&world, &rules, &mut *named.policy, stop, &mut run)?;
        run.check.finish()?;
        let GridFigures { totals, node_use, waiting, outcomes } = run.metrics.finish();
        let observed = Observed { totals, node_use, waiting };
        observed.add_to(&mut observations, spec, &named.name, &mut baseline);
        if !is_first {
            continue;
        }
        jobs.add(&world, &named.name, &outcomes);
        shown.units = observed.totals.into_iter().map(|measure| (measure.name, measure.unit)).collect();
        shown.schedules.extend(run.drawing.map(|drawing| drawing.finish(spec, &named.name)));
        shown.files.extend(run.trace.map(|(table, events)| [table.file(), events.file()]).into_iter().flatten());
        if in_detail {
            shown.policy = named.name;
        }
    }
    shown.files.insert(0, jobs.file());
    Ok(Replication { observations, shown: is_first.then_some(shown) })
}

/// All who follow a run while it happens; nothing of it is stored but what they show.
struct Observers<'w> {
    check: GridCheck<'w>,
    metrics: GridMetrics<'w>,
    drawing: Option<Drawing<'w>>,
    trace: Option<(TraceTable<'w>, TraceEvents<'w>)>,
}

impl Observer for Observers<'_> {
    fn note(&mut self, entry: &GridEntry) {
        self.check.note(entry);
        self.metrics.note(entry);
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
        // No other of the observers shows postponements.
        if let Some((table, _)) = &mut self.trace {
            jobs.iter().for_each(|&job| table.note(&GridEntry { time, what: Event::Postponed(job) }));
        }
    }
}

/// The first policy's name, and where its metrics stand that others are compared by.
type Baseline = (String, Vec<Option<Place>>);

impl Observed {
    fn add_to(
        &self,
        observations: &mut Observations<'static>,
        spec: &Connected,
        policy: &str,
        baseline: &mut Option<Baseline>,
    ) {
        let mut series = observations.of(TOTALS, policy.to_string());
        let mut compared = vec![None; COMPARED.len()];
        for measure in &self.totals {
            let place = series.add(measure.name.clone(), measure.value);
            if let Some(at) = COMPARED.iter().position(|name| *name == measure.name) {
                compared[at] = Some(place);
            }
        }
        if let Some((first, places)) = baseline {
            let mut series = observations.of(TOTALS, format!("{policy} against {first}"));
            for (name, (own, other)) in COMPARED.iter().zip(compared.into_iter().zip(places)) {
                if let (Some(own), Some(other)) = (own, *other) {
                    series.difference(format!("difference in {name}"), own, other);
                }
            }
        } else {
            *baseline = Some((policy.to_string(), compared));
        }
        let steps = steps(Interval::new(Time::ZERO, Time::ZERO + spec.horizon), spec.step);
        // A step stands at its middle.
        let middles = || steps.iter().map(|step| (step.start.as_f64() + step.end.as_f64()) / 2.0);
        let over_time = figures::use_over_time(policy);
        for (kind, shares) in Use::ALL.into_iter().zip(&self.node_use.shares) {
            let mut series = observations.of(over_time.clone(), kind.name());
            // What is idle is what the other areas of the figure leave.
            let metric = if kind == Use::Idle { IDLE } else { SHARE };
            for (&share, x) in shares.iter().zip(middles()) {
                series.add_at(metric, x, share);
            }
        }
        let mut series = observations.of(QUEUE, policy.to_string());
        for (&length, x) in self.waiting.iter().zip(middles()) {
            series.add_at("waiting jobs", x, length);
        }
    }
}
