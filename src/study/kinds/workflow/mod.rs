//! `Workflow`: one job made of tasks, step by step.

mod record;

pub(super) use record::*;

use super::Kind;
use crate::language::{Context, Cursor};
use crate::metrics::{Better, Estimate, Metric, TIME, copies, declare_metrics};
use crate::model::{Dag, Interval, TaskId};
use crate::rng::Streams;
use crate::study::expected::Judge;
use crate::study::planning::{Attempt, WITHOUT_PLAN, attempt, estimates, problem};
use crate::study::replicate::Trial;
use crate::study::{Bar, BarKind, Figure, FigureKind, Findings, Gantt, Lane, Panel, Row, RunError, file_name};
use crate::units::{Money, Time};
use crate::workflow::chains::critical_chains;
use crate::workflow::{Method, NoPlanCause, Placement, Plan, PlanOrigin, WhyNoPlan};
use crate::workload::Files;
use crate::workload::{TaskDomain, draw_domain, draw_tasks};
use serde::Serialize;

/// The experiment of all rows.
const EXPERIMENT: &str = "workflow";
/// The largest number of chains that are listed.
const CHAINS: usize = 8;
/// The largest number of steps of a plan that are drawn.
const STEPS: usize = 8;

declare_metrics! {
    /// All metrics.
    METRICS:
    LENGTH = Metric::new("length", TIME, "Length of a chain of tasks on the fastest nodes.").at_least(0.0);
    SUCCESS = Metric::new("success", "0 or 1", "1 if the method finds a place for the job, else 0.")
        .within(0.0, 1.0)
        .better(Better::More);
    COST = Metric::new("cost", "units", "Cost of the plan.").at_least(0.0).better(Better::Less);
    START = Metric::new("start", TIME, "Start of the plan's first task.").at_least(0.0);
    FINISH = Metric::new("finish", TIME, "End of the plan's last task.").at_least(0.0).better(Better::Less);
    COLLISIONS = Metric::new("collisions", "collisions", "Collisions that planning met with.")
        .at_least(0.0)
        .better(Better::Less);
    MAKESPAN = Metric::new("makespan", TIME, "Time from 0, when the job may start, to the end of the plan's last task.")
        .at_least(0.0)
        .better(Better::Less);
}

/// The metric of a cause for which the job has no plan.
fn without_plan(cause: NoPlanCause) -> Metric {
    WITHOUT_PLAN[cause as usize].clone().in_unit("0 or 1")
}

impl Kind for Workflow {
    fn metrics(&self) -> Vec<Metric> {
        copies(METRICS)
            .into_iter()
            .chain(NoPlanCause::ALL.map(without_plan))
            .map(|metric| metric.with_times_in(&self.time_unit))
            .collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["workflow"]
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        files.read_tasks(&mut self.tasks, Some(&self.time_unit), &at.field("tasks"), errors)
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let (interval, place) = (self.deadline.as_f64(), at.field("deadline"));
        judge.owners(&self.tasks, &self.domain, interval, (&place, "give an earlier deadline"));
    }

    fn draws(&self) -> bool {
        false
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Workflow, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let streams = Streams::new(trial.scenario.seed, 0);
    let dag = draw_tasks(&spec.tasks, spec.domain.performance, streams.stream("tasks"))?;
    let interval = Interval::new(Time::ZERO, spec.deadline);
    let domain = draw_domain(&spec.domain, &dag, interval, &streams);
    let estimates = estimates(&spec.domain, &dag, &domain.slower)?;
    let problem =
        problem(&dag, &estimates, &domain, interval, spec.transfers, (spec.attempts, spec.refine, trial.stop()));
    let mut rows = Vec::new();
    for (index, (length, chain)) in critical_chains(&dag, &estimates, CHAINS).iter().enumerate() {
        rows.push(row(&format!("chain {}: {}", index + 1, names(&dag, chain)), &LENGTH, length.as_f64()));
    }
    let (mut plans, mut notes) = (Vec::new(), Vec::new());
    let mut entries = Vec::new();
    for &method in spec.methods.iter() {
        match attempt(method, &problem, &mut streams.stream("ties"))? {
            Attempt::Planned(plan) => {
                rows.push(row(method.name(), &SUCCESS, 1.0));
                rows.push(row(method.name(), &COST, plan.cost.as_f64()));
                rows.extend(plan.start().map(|start| row(method.name(), &START, start.as_f64())));
                rows.extend(plan.finish().map(|finish| row(method.name(), &FINISH, finish.as_f64())));
                rows.push(row(method.name(), &COLLISIONS, plan.collisions.len() as f64));
                rows.extend(plan.finish().map(|finish| row(method.name(), &MAKESPAN, finish.as_f64())));
                entries.push(PlanEntry::of(method, &plan, &dag));
                plans.push((method, plan));
            }
            Attempt::Failed(failed) => {
                let why = failed.why(&problem, &spec.time_unit)?;
                rows.push(row(method.name(), &SUCCESS, 0.0));
                rows.push(row(method.name(), &without_plan(why.cause), 1.0));
                notes.push(format!("{}: {}", method.name(), why.text));
                let task = why.task.map(|task| dag.tasks()[task.index()].name.as_str());
                entries.push(PlanEntry::failed(method, why.cause.name(), task, why.text));
            }
            Attempt::GaveUp => {
                let why = WhyNoPlan::given_up();
                rows.push(row(method.name(), &SUCCESS, 0.0));
                rows.push(row(method.name(), &without_plan(why.cause), 1.0));
                notes.push(format!("{}: {}", method.name(), why.text));
                entries.push(PlanEntry::failed(method, why.cause.name(), None, why.text));
            }
        }
    }
    trial.record(&rows)?;
    let world = JobWorld { dag: &dag, domain: &domain, time_unit: &spec.time_unit };
    let stepwise = plans.iter().find(|(_, plan)| !plan.steps.is_empty());
    let mut gantts: Vec<Gantt> = stepwise.map(|(method, plan)| world.steps(method.name(), plan)).into_iter().collect();
    if !plans.is_empty() {
        gantts.push(world.compared(&plans));
    }
    // Where something is swept, its figures are what was asked for.
    let figures = if trial.scenario.sweeps.is_empty() { figures(spec, &rows) } else { Vec::new() };
    let files = vec![("plans.json".to_string(), json(&entries).into())];
    Ok(Findings { rows, figures, gantts, files, notes, ..Findings::default() })
}

/// The makespan and the cost of each method's plan, where there are several methods.
fn figures(spec: &Workflow, rows: &[Row]) -> Vec<Figure> {
    let metrics = spec.metrics();
    let shown = [&MAKESPAN, &COST].into_iter().filter(|_| spec.methods.len() > 1);
    let declared = shown.filter_map(|metric| metrics.iter().find(|other| other.name() == metric.name()));
    let failed: Vec<&str> = rows
        .iter()
        .filter(|row| row.metric == SUCCESS.name() && row.mean == 0.0)
        .map(|row| row.series.as_str())
        .collect();
    let without = if failed.is_empty() { String::new() } else { format!(" Without a plan: {}.", failed.join(", ")) };
    let figure = |metric: &Metric| Figure {
        file: file_name(metric.name()),
        title: metric.title(),
        caption: format!("{}{without}", metric.meaning()),
        x_label: String::new(),
        y_label: metric.label(),
        experiment: EXPERIMENT.into(),
        metrics: vec![metric.name().into()],
        kind: FigureKind::Bars,
    };
    declared.map(figure).collect()
}

fn row(series: &str, metric: &Metric, value: f64) -> Row {
    Row::new(EXPERIMENT, series, metric, Estimate { mean: value, ci95: None, n: 1 })
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
    dag: &'a Dag,
    domain: &'a TaskDomain,
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
                let title = format!("Chain {number} as first planned: {} collides", names(self.dag, &met));
                panels.push(self.panel(title, bars));
            }
            placed.extend(step.placed.iter().map(|at| (*at, index)));
            panels.push(self.panel(format!("Chain {number} placed"), placed.iter().copied()));
            chains.push(format!("chain {number}: {}", names(self.dag, &tasks)));
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
    fn compared(&self, plans: &[(Method, Plan)]) -> Gantt {
        let panel = |(index, (method, plan)): (usize, &(Method, Plan))| {
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
        let mut lanes: Vec<Lane> = self.domain.slower.iter().zip(&self.domain.free).enumerate().map(lane).collect();
        for (at, colour) in tasks {
            let label = &self.dag.tasks()[at.task.index()].name;
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
    reason: Option<String>,
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
    /// A plan.
    fn of(method: Method, plan: &Plan, dag: &'a Dag) -> Self {
        let run = |at: &Placement| Run {
            task: &dag.tasks()[at.task.index()].name,
            node: at.node.0 + 1,
            start: at.interval.start,
            end: at.interval.end,
        };
        Self {
            method: method.name(),
            cost: Some(plan.cost),
            start: plan.start(),
            finish: plan.finish(),
            tasks: plan.placements.iter().map(run).collect(),
            cause: None,
            concerned: None,
            reason: None,
        }
    }

    /// None, and why.
    fn failed(method: Method, cause: &'a str, concerned: Option<&'a str>, reason: String) -> Self {
        let (cause, reason) = (Some(cause), Some(reason));
        let (cost, start, finish, tasks) = (None, None, None, Vec::new());
        Self { method: method.name(), cost, start, finish, tasks, cause, concerned, reason }
    }
}

fn json(entries: &[PlanEntry<'_>]) -> Vec<u8> {
    let mut json = serde_json::to_vec_pretty(entries).unwrap_or_default();
    json.push(b'\n');
    json
}
