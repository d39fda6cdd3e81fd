//! `Grid`: local task flows through the event engine; utilisation over time.

mod record;

pub use record::*;

use super::Kind;
use crate::check::check_trace;
use crate::engine::Meter;
use crate::language::Cursor;
use crate::metrics::{busy_intervals, local_waits, steps, utilisation};
use crate::model::{Interval, NodeId};
use crate::rng::Streams;
use crate::sim::{Happening, Trace, simulate_local};
use crate::study::declared::Metrics;
use crate::study::expected::{BYTES, Judge, arrivals};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, MOST_BARS, Observations, RunError, Schedule, ScheduleBar, Usage};
use crate::units::Time;
use crate::workload::{LocalFlow, LocalTask, draw_local_tasks};

/// The experiment of the rows that run over time.
const OVER_TIME: &str = "over time";
/// The experiment of the rows for the whole run.
const TOTALS: &str = "whole run";

/// The nodes of each group, then all nodes.
fn members(spec: &Grid) -> Vec<(String, Vec<NodeId>)> {
    let mut next = 0;
    let mut groups: Vec<(String, Vec<NodeId>)> = Vec::new();
    for group in spec.groups.iter() {
        let last = next + group.nodes.get() as u32;
        groups.push((group.name.as_str().to_string(), (next..last).map(NodeId).collect()));
        next = last;
    }
    if groups.len() > 1 {
        groups.push(("all nodes".into(), (0..next).map(NodeId).collect()));
    }
    groups
}

/// One world: every owner's tasks, and what came of them.
fn simulate(spec: &Grid, streams: Streams, trial: &Trial<'_>) -> Result<(Vec<Vec<LocalTask>>, Trace), RunError> {
    let (stop, mut meter) = (trial.stop(), Meter::new(trial.limits()));
    let end = Time::ZERO + spec.horizon;
    let flows = spec.groups.iter().flat_map(|group| std::iter::repeat_n(&group.local, group.nodes.get() as usize));
    let tasks: Result<Vec<_>, _> = flows
        .enumerate()
        .map(|(node, flow)| {
            stop.check()?;
            let stream = streams.member("local", node as u64);
            Ok::<_, RunError>(draw_local_tasks(LocalFlow::from(flow), end, stream, &mut meter)?)
        })
        .collect();
    let tasks = tasks?;
    let trace = simulate_local(&tasks, end, stop)?;
    stop.check()?;
    check_trace(&trace, &tasks)?;
    Ok((tasks, trace))
}

/// Of each group its utilisation in all and over time, its tasks per node and their mean wait.
fn observe<'a>(
    spec: &Grid,
    groups: &'a [(String, Vec<NodeId>)],
    streams: Streams,
    trial: &Trial<'_>,
) -> Result<Observations<'a>, RunError> {
    let (tasks, trace) = simulate(spec, streams, trial)?;
    let busy = busy_intervals(&trace);
    let waits = local_waits(&trace);
    let mean = |values: Vec<f64>| (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64);
    let mut observations = Observations::default();
    for (name, nodes) in groups {
        let mut series = observations.of(TOTALS, name);
        let waits = nodes.iter().flat_map(|node| &waits[node.index()]).map(|wait| wait.as_f64());
        let arrived: usize = nodes.iter().map(|node| tasks[node.index()].len()).sum();
        let in_all = utilisation(&trace, &busy, nodes, spec.horizon)[0];
        series.add("utilisation", in_all);
        series.add("idle share", 1.0 - in_all);
        series.add("local tasks per node", arrived as f64 / nodes.len() as f64);
        series.add("mean local wait", mean(waits.collect()));
    }
    let steps = steps(Interval::new(Time::ZERO, Time::ZERO + spec.horizon), spec.step);
    for (name, nodes) in groups {
        let mut series = observations.of(OVER_TIME, name);
        for (value, step) in utilisation(&trace, &busy, nodes, spec.step).into_iter().zip(&steps) {
            // A step stands at its middle.
            series.add_at("utilisation", (step.start.as_f64() + step.end.as_f64()) / 2.0, value);
        }
    }
    Ok(observations)
}

/// The local tasks of one world.
fn schedule(spec: &Grid, streams: Streams, trial: &Trial<'_>) -> Result<Schedule, RunError> {
    let (_, trace) = simulate(spec, streams, trial)?;
    let busy = busy_intervals(&trace);
    // Tasks start in the order of their numbers, so the number of a task is that of its interval.
    let bars = trace.entries.iter().filter_map(|entry| match entry.what {
        Happening::Started(task) => Some(ScheduleBar {
            node: entry.node.index(),
            start: entry.time.as_f64(),
            end: busy[entry.node.index()][task as usize].end.as_f64(),
            kind: Usage::Local,
            job: String::new(),
            label: format!("task {}", task + 1),
        }),
        _ => None,
    });
    let named = |name: &str, count: u64| (1..=count).map(|k| format!("{name} {k}")).collect::<Vec<_>>();
    let mut schedule = Schedule {
        title: "What owners do with their nodes".into(),
        caption: "Local tasks in the first replication; a task that still runs at the end is cut there.".into(),
        x_label: format!("Time ({})", spec.time_unit),
        nodes: spec.groups.iter().flat_map(|group| named(group.name.as_str(), group.nodes.get())).collect(),
        ..Schedule::default()
    };
    schedule.fill(bars);
    Ok(schedule)
}

impl Kind for Grid {
    fn metrics(&self) -> Metrics {
        Metrics::of(["utilisation", "idle share", "local tasks per node", "mean local wait"]).along(["utilisation"])
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let horizon = self.horizon.as_f64();
        let mut all = 0.0;
        for (index, group) in self.groups.iter().enumerate() {
            let tasks = group.nodes.get() as f64 * arrivals(&group.local.gap, horizon);
            let place = at.field("groups").element(index).field("local").field("gap");
            judge.events(&place, tasks, "local tasks would be drawn", "give fewer nodes, longer gaps or a shorter run");
            all += tasks;
        }
        if judge.errors.is_empty() {
            judge.events(&at.field("groups"), 3.0 * all, "events would come in all", "let less come up");
            judge.memory(&at.field("groups"), all * BYTES[2]);
        }
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Grid, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let groups = members(spec);
    let rows = trial.replicate(|streams| observe(spec, &groups, streams, trial))?;
    let figure = Figure {
        file: "utilisation".into(),
        title: "How busy owners keep their nodes".into(),
        caption: format!("Mean share of busy nodes and its 95 % interval over {} replications.", trial.replications()),
        x_label: format!("Time ({})", spec.time_unit),
        y_label: "Share of nodes busy with local tasks".into(),
        experiment: OVER_TIME.into(),
        metrics: vec!["utilisation".into()],
        kind: FigureKind::Lines,
    };
    // Nobody looks around among more rows than bars could fill.
    let few = groups.iter().map(|(_, nodes)| nodes.len()).max() <= Some(MOST_BARS);
    let schedules = if few { vec![schedule(spec, Streams::new(trial.scenario.seed, 0), trial)?] } else { Vec::new() };
    Ok(Findings { rows, figures: vec![figure], schedules, ..Findings::default() })
}
