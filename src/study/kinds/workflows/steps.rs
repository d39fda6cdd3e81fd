//! One job step by step: its chains, the plan of each method, and how chains made the first of them.

use super::planning::{Attempt, WorkflowJob};
use super::{EXPERIMENT, Workflows};
use crate::metrics::{Metric, TIME, declare_metrics};
use crate::model::{Dag, Interval, TaskId};
use crate::study::{Bar, BarKind, Gantt, Lane, Observations, Panel, Series};
use crate::units::{Money, Time};
use crate::workflow::chains::critical_chains;
use crate::workflow::{Method, Placement, Plan, PlanOrigin, WhyNoPlan};
use serde::Serialize;

/// The largest number of chains that are listed.
const CHAINS: usize = 8;
/// The largest number of steps of a plan that are drawn.
const STEPS: usize = 8;

declare_metrics! {
    /// The metrics of one job alone.
    pub(super) METRICS:
    LENGTH = Metric::new("length", TIME, "Length of a chain of tasks on the fastest nodes.").at_least(0.0);
    START = Metric::new("start", TIME, "Start of the plan's first task.").at_least(0.0);
}

/// What a method came to, and why, if that is no plan.
pub(super) type Tried = (Method, Attempt, Option<WhyNoPlan>);

/// The longest chains of a job.
pub(super) fn add_chains(job: &WorkflowJob, observations: &mut Observations<'_>) {
    for (index, (length, chain)) in critical_chains(&job.dag, &job.estimates, CHAINS).iter().enumerate() {
        let name = format!("chain {}: {}", index + 1, names(&job.dag, chain));
        observations.of(EXPERIMENT, name).add(&LENGTH, length.as_f64());
    }
}

/// When a plan starts.
pub(super) fn add_start(plan: Option<&Plan>, series: &mut Series<'_, '_>) {
    series.add(&START, plan.and_then(Plan::start).map(Time::as_f64));
}

/// Charts of the plans, and the content of `plans.json`.
pub(super) fn show(spec: &Workflows, job: &WorkflowJob, tried: &[Tried]) -> (Vec<Gantt>, Vec<u8>) {
    let world = JobWorld { job, time_unit: &spec.time_unit };
    let plans: Vec<(Method, &Plan)> =
        tried.iter().filter_map(|(method, attempt, _)| Some((*method, attempt.plan()?))).collect();
    let stepwise = plans.iter().find(|(_, plan)| !plan.steps.is_empty());
    let mut gantts: Vec<Gantt> = stepwise.map(|(method, plan)| world.steps(method.name(), plan)).into_iter().collect();
    if !plans.is_empty() {
        gantts.push(world.compared(&plans));
    }
    let entries: Vec<PlanEntry<'_>> = tried.iter().map(|tried| PlanEntry::of(tried, &job.dag)).collect();
    let mut json = serde_json::to_vec_pretty(&entries).unwrap_or_default();
    json.push(b'\n');
    (gantts, json)
}

/// The names of tasks in a row, not too many of them.
fn names(dag: &Dag, tasks: &[TaskId]) -> String {
    const SHOWN: usize = 8;
    let shown: Vec<&str> = tasks.iter().take(SHOWN).map(|task| dag.tasks()[task.index()].name.as_str()).collect();
    let more = tasks.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// A job on its nodes, to be drawn.
struct JobWorld<'a> {
    job: &'a WorkflowJob,
    time_unit: &'a str,
}

impl JobWorld<'_> {
    /// The plan chain by chain: where others were in its way, first as it was planned and then as it was placed.
    fn steps(&self, method: &str, plan: &Plan) -> Gantt {
        let mut panels = Vec::new();
        let mut placed: Vec<(Placement, usize)> = Vec::new();
        let mut chains = Vec::new();
        for (index, step) in plan.steps.iter().enumerate() {
            let tasks: Vec<TaskId> = step.placed.iter().map(|at| at.task).collect();
            let number = index + 1;
            if !step.collisions.is_empty() {
                let met: Vec<TaskId> = step.collisions.iter().map(|collision| collision.task).collect();
                let bars = placed.iter().copied().chain(step.first.iter().map(|at| (*at, index)));
                let title = format!("Chain {number} as first planned: {} collides", names(&self.job.dag, &met));
                panels.push(self.panel(title, bars));
            }
            placed.extend(step.placed.iter().map(|at| (*at, index)));
            panels.push(self.panel(format!("Chain {number} placed"), placed.iter().copied()));
            chains.push(format!("chain {number}: {}", names(&self.job.dag, &tasks)));
        }
        if plan.origin == PlanOrigin::MovedChains {
            let chain =
                |at: &Placement| placed.iter().find(|(other, _)| other.task == at.task).map_or(0, |(_, chain)| *chain);
            let bars: Vec<(Placement, usize)> = plan.placements.iter().map(|at| (*at, chain(at))).collect();
            panels.push(self.panel("Tasks moved after the last chain".into(), bars.into_iter()));
        }
        let cut = panels.len().saturating_sub(STEPS);
        if cut > 0 {
            // The last one shows the whole plan.
            panels.drain(STEPS - 1..panels.len() - 1);
        }
        let more = match cut {
            0 => String::new(),
            1 => " 1 step before the last is not drawn.".into(),
            _ => format!(" {cut} steps before the last are not drawn."),
        };
        Gantt {
            file: "steps".into(),
            title: format!("The plan by {method}, chain by chain"),
            caption: format!("Each panel adds a chain; numbers are tasks. Cost {}.{more}", plan.cost),
            x_label: format!("Time ({})", self.time_unit),
            requests: chains,
            panels,
        }
    }

    /// The plans of all methods, one below the other.
    fn compared(&self, plans: &[(Method, &Plan)]) -> Gantt {
        let panel = |(index, (method, plan)): (usize, &(Method, &Plan))| {
            let title = format!("{}: cost {}", method.name(), plan.cost);
            self.panel(title, plan.placements.iter().map(|at| (*at, index)))
        };
        Gantt {
            file: "plans".into(),
            title: "The plan of each method".into(),
            caption: "The same tasks, nodes and deadline; slower nodes are cheaper.".into(),
            x_label: format!("Time ({})", self.time_unit),
            requests: plans.iter().map(|(method, _)| method.name().to_string()).collect(),
            panels: plans.iter().enumerate().map(panel).collect(),
        }
    }

    /// All nodes with their free time and these tasks in their colours.
    fn panel(&self, title: String, tasks: impl Iterator<Item = (Placement, usize)>) -> Panel {
        let bar = |interval: Interval, label: &str, kind| Bar {
            start: interval.start.as_f64(),
            end: interval.end.as_f64(),
            label: label.to_string(),
            kind,
        };
        let lane = |(index, (slower, free)): (usize, (&f64, &Vec<Interval>))| Lane {
            label: format!("node {}", index + 1),
            note: if *slower == 1.0 { "fastest".into() } else { format!("{slower} times slower") },
            bars: free.iter().map(|free| bar(*free, "", BarKind::Free)).collect(),
        };
        let mut lanes: Vec<Lane> =
            self.job.domain.slower.iter().zip(&self.job.domain.free).enumerate().map(lane).collect();
        for (at, colour) in tasks {
            let label = &self.job.dag.tasks()[at.task.index()].name;
            lanes[at.node.index()].bars.push(bar(at.interval, label, BarKind::Window(colour)));
        }
        Panel { title, lanes }
    }
}

/// A plan as `plans.json` has it.
#[derive(Debug, Serialize)]
struct PlanEntry<'a> {
    method: &'a str,
    cost: Option<Money>,
    start: Option<Time>,
    finish: Option<Time>,
    tasks: Vec<Run<'a>>,
    /// Why there is no plan: a cause, the task that is concerned, and both in a sentence.
    cause: Option<&'a str>,
    concerned: Option<&'a str>,
    reason: Option<&'a str>,
}

/// A task of a plan.
#[derive(Debug, Serialize)]
struct Run<'a> {
    task: &'a str,
    node: u32,
    start: Time,
    end: Time,
}

impl<'a> PlanEntry<'a> {
    fn of((method, attempt, why): &'a Tried, dag: &'a Dag) -> Self {
        let run = |at: &Placement| Run {
            task: &dag.tasks()[at.task.index()].name,
            node: at.node.0 + 1,
            start: at.interval.start,
            end: at.interval.end,
        };
        let plan = attempt.plan();
        let concerned = why.as_ref().and_then(|why| why.task);
        Self {
            method: method.name(),
            cost: plan.map(|plan| plan.cost),
            start: plan.and_then(Plan::start),
            finish: plan.and_then(Plan::finish),
            tasks: plan.map_or(Vec::new(), |plan| plan.placements.iter().map(run).collect()),
            cause: why.as_ref().map(|why| why.cause.name()),
            concerned: concerned.map(|task| dag.tasks()[task.index()].name.as_str()),
            reason: why.as_ref().map(|why| why.text.as_str()),
        }
    }
}
