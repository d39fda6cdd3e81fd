//! `Connected`: both tiers in one simulation; every policy on the same worlds.

mod export;
mod figures;
mod schedule;

use super::replicate::{Named, Watch, replicate};
use super::{Findings, MOST_BARS, Row, RunError};
use crate::check::check_grid;
use crate::engine::Stop;
use crate::metrics::{
    JobOutcome, Measure, NodeUse, Use, grid_totals, job_outcomes, node_use, steps, waiting_over_time,
};
use crate::model::Interval;
use crate::policy::named_policy;
use crate::rng::Streams;
use crate::scenario::schema::{Connected, PolicySpec, Scenario};
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

/// All policies in one world; the first world is shown in detail.
struct Replication {
    observed: Vec<Observed>,
    shown: Option<(GridWorld, Vec<Shown>)>,
}

/// What is told of a policy over all replications.
struct Series {
    name: String,
    totals: Vec<(Named, &'static str)>,
    shares: Vec<Vec<Named>>,
    waiting: Vec<Named>,
    /// The paired differences from the first policy.
    differences: Vec<Named>,
}

pub(super) fn run(spec: &Connected, scenario: &Scenario, watch: &impl Watch) -> Result<Findings, RunError> {
    let mut all: Vec<Series> = Vec::new();
    let mut shown = None;
    replicate(
        scenario,
        watch,
        |streams| observe(spec, &streams, watch.stop()),
        |replication| {
            if all.is_empty() {
                all = spec
                    .policies
                    .iter()
                    .zip(&replication.observed)
                    .map(|(policy, of)| Series::new(spec, *policy, of))
                    .collect();
            }
            for (series, observed) in all.iter_mut().zip(&replication.observed) {
                series.take_in(observed, &replication.observed[0])?;
            }
            shown = shown.take().or(replication.shown);
            Ok(())
        },
    )?;
    let mut findings =
        Findings { figures: figures::figures(spec, &all, scenario.replications.get()), ..Findings::default() };
    for series in &all {
        series.add_rows(spec, &all[0].name, &mut findings.rows);
    }
    findings.units = all.first().map_or(Vec::new(), |series| figures::units(spec, series));
    if let Some((world, shown)) = &shown {
        findings.files = export::files(spec, world, shown);
        let is_small = world.nodes.len() <= MOST_BARS;
        findings.schedules =
            shown.iter().take(1).filter(|_| is_small).map(|run| schedule::schedule(spec, world, run)).collect();
    }
    Ok(findings)
}

fn observe(spec: &Connected, streams: &Streams, stop: &Stop) -> Result<Replication, RunError> {
    let world = draw_grid(spec, streams, stop)?;
    stop.check()?;
    let is_first = streams.replication() == 0;
    let (mut observed, mut shown) = (Vec::new(), Vec::new());
    for &policy in spec.policies.iter() {
        let mut named = named_policy(policy, &spec.metascheduler, streams);
        let rules = GridRules::new(spec, &named);
        let trace = simulate_grid(&world, &rules, &mut *named.policy, stop)?;
        check_grid(&world, rules.rule, rules.limit, &trace)?;
        let outcomes = job_outcomes(&world, &trace);
        observed.push(Observed {
            totals: grid_totals(&world, &trace, &outcomes),
            node_use: node_use(&world, &trace, spec.step),
            waiting: waiting_over_time(&world, &trace, spec.step),
        });
        if is_first {
            shown.push(Shown { policy: named.name, trace, outcomes });
        }
    }
    Ok(Replication { observed, shown: is_first.then_some((world, shown)) })
}

impl Series {
    fn new(spec: &Connected, policy: PolicySpec, observed: &Observed) -> Self {
        let name = named_policy(policy, &spec.metascheduler, &Streams::new(0, 0)).name;
        let steps = observed.waiting.len();
        Self {
            name,
            totals: observed.totals.iter().map(|measure| (Named::new(&measure.name), measure.unit)).collect(),
            // What is idle is what the other areas of the figure leave.
            shares: Use::ALL.map(|kind| vec![Named::new(if kind == Use::Idle { IDLE } else { SHARE }); steps]).into(),
            waiting: vec![Named::new("waiting jobs"); steps],
            differences: COMPARED.map(|name| Named::new(format!("difference in {name}"))).into(),
        }
    }

    fn take_in(&mut self, observed: &Observed, first: &Observed) -> Result<(), RunError> {
        for ((tally, _), measure) in self.totals.iter_mut().zip(&observed.totals) {
            measure.value.map_or(Ok(()), |value| tally.add(value))?;
        }
        for (tallies, shares) in self.shares.iter_mut().zip(&observed.node_use.shares) {
            tallies.iter_mut().zip(shares).try_for_each(|(tally, &share)| tally.add(share))?;
        }
        self.waiting.iter_mut().zip(&observed.waiting).try_for_each(|(tally, &length)| tally.add(length))?;
        let value = |of: &Observed, name: &str| of.totals.iter().find(|measure| measure.name == name)?.value;
        for (tally, name) in self.differences.iter_mut().zip(COMPARED) {
            if let (Some(own), Some(other)) = (value(observed, name), value(first, name)) {
                tally.add(own - other)?;
            }
        }
        Ok(())
    }

    fn add_rows(&self, spec: &Connected, first: &str, rows: &mut Vec<Row>) {
        let mut push = |experiment: &str, series: &str, tally: &Named, x: Option<f64>| {
            let row = tally.estimate().map(|estimate| Row::new(experiment, series, &tally.name, estimate));
            rows.extend(row.map(|row| x.map_or(row.clone(), |x| row.at(x))));
        };
        self.totals.iter().for_each(|(tally, _)| push(TOTALS, &self.name, tally, None));
        if self.name != first {
            let series = format!("{} against {first}", self.name);
            self.differences.iter().for_each(|tally| push(TOTALS, &series, tally, None));
        }
        let steps = steps(Interval::new(Time::ZERO, Time::ZERO + spec.horizon), spec.step);
        // A step stands at its middle.
        let middles = || steps.iter().map(|step| (step.start.as_f64() + step.end.as_f64()) / 2.0);
        let over_time = figures::use_over_time(&self.name);
        for (kind, tallies) in Use::ALL.into_iter().zip(&self.shares) {
            tallies.iter().zip(middles()).for_each(|(tally, x)| push(&over_time, kind.name(), tally, Some(x)));
        }
        self.waiting.iter().zip(middles()).for_each(|(tally, x)| push(QUEUE, &self.name, tally, Some(x)));
    }
}
