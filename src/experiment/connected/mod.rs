//! `Connected`: both tiers in one simulation; every policy on the same worlds.

mod export;
mod figures;
mod schedule;

use super::replicate::{Replication, Trial};
use super::{Findings, MOST_BARS, Observations, Place, RunError};
use crate::check::check_grid;
use crate::engine::Stop;
use crate::metrics::{
    JobOutcome, Measure, NodeUse, Use, grid_totals, job_outcomes, node_use, steps, waiting_over_time,
};
use crate::model::Interval;
use crate::policy::named_policy;
use crate::rng::Streams;
use crate::scenario::schema::Connected;
use crate::sim::{GridRules, GridTrace, simulate_grid};
use crate::units::Time;
use crate::workload::{GridWorld, draw_grid};

/// The experiment of the rows for the whole run.
const TOTALS: &str = "whole run";
/// The experiment of the rows for the queue over time.
const QUEUE: &str = "queue over time";
/// The metric of the rows that say how node time was used.
const SHARE: &str = "share of node time";
/// The metric of the rows for the rest of it.
const IDLE: &str = "idle share of node time";
/// What policies are compared by, pair by pair.
const COMPARED: [&str; 6] = ["success ratio", "wait", "slowdown", "job cost", "owners' income", "global load"];

/// One policy in one world.
struct Observed {
    totals: Vec<Measure>,
    node_use: NodeUse,
    waiting: Vec<f64>,
}

/// A run that is shown in detail.
struct Shown {
    policy: String,
    trace: GridTrace,
    outcomes: Vec<JobOutcome>,
}

/// The first world, which is shown in detail.
struct First {
    world: GridWorld,
    runs: Vec<Shown>,
    /// The metrics of the whole run with their units.
    units: Vec<(String, &'static str)>,
}

pub(super) fn run(spec: &Connected, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let (rows, first) = trial.replicate_and_show(|streams| observe(spec, &streams, trial.stop()))?;
    let mut findings = Findings { rows, ..Findings::default() };
    if let Some(First { world, runs, units }) = &first {
        findings.units = figures::units(spec, units);
        findings.figures = figures::figures(spec, &runs[0].policy, &findings.units, trial.replications());
        findings.files = export::files(spec, world, runs);
        let is_small = world.nodes.len() <= MOST_BARS;
        findings.schedules =
            runs.iter().take(1).filter(|_| is_small).map(|run| schedule::schedule(spec, world, run)).collect();
    }
    Ok(findings)
}

/// All policies in one world.
fn observe(spec: &Connected, streams: &Streams, stop: &Stop) -> Result<Replication<'static, First>, RunError> {
    let world = draw_grid(spec, streams, stop)?;
    stop.check()?;
    let is_first = streams.replication() == 0;
    let mut observations = Observations::default();
    let mut baseline = None;
    let (mut runs, mut units) = (Vec::new(), Vec::new());
    for &policy in spec.policies.iter() {
        let mut named = named_policy(policy, &spec.metascheduler, streams);
        let rules = GridRules::new(spec, &named);
        let trace = simulate_grid(&world, &rules, &mut *named.policy, stop)?;
        check_grid(&world, rules.rule, rules.limit, &trace)?;
        let outcomes = job_outcomes(&world, &trace);
        let observed = Observed {
            totals: grid_totals(&world, &trace, &outcomes),
            node_use: node_use(&world, &trace, spec.step),
            waiting: waiting_over_time(&world, &trace, spec.step),
        };
        observed.add_to(&mut observations, spec, &named.name, &mut baseline);
        if is_first {
            units = observed.totals.into_iter().map(|measure| (measure.name, measure.unit)).collect();
            runs.push(Shown { policy: named.name, trace, outcomes });
        }
    }
    Ok(Replication { observations, shown: is_first.then_some(First { world, runs, units }) })
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
