//! `Workflows`: jobs made of tasks: many, one per world, one step by step, or a flow of them.

mod common_jobs;
mod figures;
mod flow;
mod on_grid;
mod planning;
mod record;
mod steps;

pub(super) use record::*;

use super::Kind;
use crate::language::{Context, Cursor};
use crate::metrics::{Better, Metric, TIME, copies, declare_metrics};
use crate::model::Interval;
use crate::rng::Streams;
use crate::sim::GridEntry;
use crate::study::expected::{BYTES, Judge};
use crate::study::replicate::{Replication, Trial};
use crate::study::{FileContent, Findings, Gantt, Observations, Row, RunError, Series, SeriesPlace};
use crate::units::{Money, Span, Time, counted};
use crate::workflow::{Method, NoPlanCause, Plan, PlanOrigin, Resolution, in_unit};
use crate::workload::{Files, NodeCount};
use common_jobs::CommonJobs;
use on_grid::{GridFacts, GridSetting, run_on_grid};
use planning::{WITHOUT_PLAN, WorkflowJob, attempt, no_plan_causes};
use std::borrow::Cow;

/// The experiment of all rows but those of flows.
const EXPERIMENT: &str = "workflows";

/// Collisions resolved in one way.
const fn resolved(name: &'static str, meaning: &'static str) -> Metric {
    Metric::new(name, "per job", meaning).at_least(0.0)
}

declare_metrics! {
    /// All metrics.
    METRICS:
    SUCCESS = Metric::new(
        "success ratio",
        "share of jobs",
        "Jobs that found a place; on the grid, jobs done in their interval.",
    )
        .within(0.0, 1.0)
        .better(Better::More);
    COLLISIONS = Metric::new("collisions", "per job", "Collisions that planning a job met with.")
        .at_least(0.0)
        .better(Better::Less);
    COST = Metric::new(
        "cost",
        "units",
        "Cost of a job that found a place; on the grid, of a job done, on the nodes it ran on.",
    )
    .only_of("jobs with a plan")
    .at_least(0.0)
    .better(Better::Less);
    USED = Metric::new(
        "share of the interval used",
        "share of the interval",
        "Time until the last task of a job that found a place ends, over its interval.",
    )
    .only_of("jobs with a plan")
    .within(0.0, 1.0);
    SAME_TYPE = resolved(
        "resolved on the same type",
        "Collisions of placed jobs resolved by another node of the same type.",
    );
    OTHER_TYPE = resolved("resolved on another type", "Collisions of placed jobs resolved by a node of another type.");
    SHIFT = resolved("resolved by a shift", "Collisions of placed jobs resolved by another time on the same node.");
    REST = resolved(
        "resolved by planning the rest",
        "Collisions of placed jobs resolved by planning the rest of the chain again.",
    );
    CHAIN = resolved(
        "resolved by planning the chain",
        "Collisions of placed jobs resolved by planning the whole chain again.",
    );
    WITHOUT_CHAINS = Metric::new(
        "planned without chains",
        "share of plans",
        "Plans that chains did not make, of methods that go on where chains find no good place.",
    )
    .within(0.0, 1.0);
    MISSING = Metric::new(
        "time missing",
        TIME,
        "Time from the deadline to the earliest finish that is known, of jobs without a place.",
    )
    .at_least(0.0)
    .better(Better::Less);
    PLACED = Metric::new("placed at submission", "share of jobs", "Jobs on the grid that had a plan when they were submitted.")
        .within(0.0, 1.0)
        .better(Better::More);
    IN_EXECUTION = Metric::new(
        "collisions in execution",
        "per job",
        "Tasks of placed jobs that met an owner, another task or late data against their plan.",
    )
    .at_least(0.0)
    .better(Better::Less);
    MAKESPAN = Metric::new(
        "makespan",
        TIME,
        "Time until the last task of a job that found a place ends; on the grid, of a job done.",
    )
    .only_of("jobs with a plan")
    .at_least(0.0)
    .better(Better::Less);
}

/// The ways in which collisions were resolved, and their metrics per job that found a place.
static RESOLUTIONS: [(Resolution, &Metric); 5] = [
    (Resolution::SameType, &SAME_TYPE),
    (Resolution::OtherType, &OTHER_TYPE),
    (Resolution::Shift, &SHIFT),
    (Resolution::Rest, &REST),
    (Resolution::Chain, &CHAIN),
];

impl Kind for Workflows {
    fn metrics(&self) -> Vec<Metric> {
        let steps = copies(if self.steps { steps::METRICS } else { &[] });
        let metrics = match &self.flow {
            Some(_) => flow::metrics().collect(),
            None => [copies(METRICS), copies(WITHOUT_PLAN), steps].concat(),
        };
        metrics.into_iter().map(|metric| metric.with_times_in(&self.time_unit)).collect()
    }

    fn every_metric(&self) -> Vec<Metric> {
        let of_flows = flow::metrics().filter(|metric| METRICS.iter().all(|other| other.name() != metric.name()));
        [copies(METRICS), copies(WITHOUT_PLAN), copies(steps::METRICS), of_flows.collect()].concat()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec![EXPERIMENT]
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        let mut had_file = false;
        for (index, case) in self.cases.iter_mut().enumerate() {
            let place = at.field("cases").element(index).field("tasks");
            had_file |= files.read_tasks(&mut case.tasks, Some(&self.time_unit), &place, errors);
        }
        had_file
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        for (index, case) in self.cases.iter().enumerate() {
            match (self.deadline_factor, self.deadline) {
                (Some(factor), _) => {
                    judge.tasks_on(&case.tasks, &self.domain, factor.get(), &at.field("deadline_factor"));
                }
                (None, deadline) => {
                    let (interval, place) = (deadline.map_or(0.0, Time::as_f64), at.field("deadline"));
                    judge.owners(&case.tasks, &self.domain, interval, (&place, "give an earlier deadline"));
                }
            }
            let tasks = case.tasks.mean_tasks();
            let Some(flow) = &self.flow else {
                let place = at.field("cases").element(index).field("tasks");
                judge.events(&place, tasks, "tasks would be drawn", "give fewer tasks");
                continue;
            };
            let (place, tasks) = (at.field("flow").field("jobs"), flow.jobs.get() as f64 * tasks);
            judge.events(&place, tasks, "tasks would be drawn", "give fewer jobs");
            if let NodeCount::Total(nodes) = self.domain.nodes {
                // A run on the grid keeps a record of what happens to each task.
                let record = if self.on_grid.is_empty() { 0.0 } else { 10.0 * size_of::<GridEntry>() as f64 };
                judge.memory(&place, tasks * (BYTES[1] + 16.0 * nodes.get() as f64 + record));
            }
        }
    }

    fn draws(&self) -> bool {
        !self.steps
    }

    fn compared(&self) -> Vec<&str> {
        if self.flow.is_some() { Vec::new() } else { [&SUCCESS, &MAKESPAN, &COST].map(Metric::name).to_vec() }
    }

    fn places(&self) -> Vec<SeriesPlace> {
        let places = self.alternatives();
        // One case needs no panels, and one series in each of them no colours.
        let has_panels = self.flow.is_none() && self.cases.len() > 1 && places.len() > self.cases.len();
        if has_panels { places } else { Vec::new() }
    }

    fn series_names(&self) -> Option<Vec<String>> {
        // The chains of one job are known once they are found.
        (!self.steps).then(|| self.alternatives().into_iter().map(|place| place.series).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        match &self.flow {
            Some(flow) => flow::run(self, flow, trial),
            None => run(self, trial),
        }
    }
}

impl Workflows {
    /// All series: of a case, the plans of all methods, and then the runs of each on the grid.
    fn alternatives(&self) -> Vec<SeriesPlace> {
        let mut all = Vec::new();
        for case in self.cases.iter() {
            let named = |&method: &Method| match &self.flow {
                Some(flow) => flow.ways.iter().map(|way| self.flow_series(case, method, way).into_owned()).collect(),
                None => vec![self.series(case, method).into_owned()],
            };
            let place = |series: String, name: String| SeriesPlace { series, panel: case.name.as_str().into(), name };
            for method in self.methods.iter() {
                all.extend(named(method).into_iter().map(|series| place(series, method.name().into())));
            }
            for run in &self.on_grid {
                let of = |method: &Method| (named(method), run.series(method.name()));
                let runs = run.methods(&self.methods).iter().map(of);
                all.extend(runs.flat_map(|(series, name)| {
                    series.into_iter().map(move |series| place(run.series(&series), name.clone()))
                }));
            }
        }
        all
    }

    /// A series is named by what there are several of: cases, methods, or both; plans of one job by their methods.
    fn series<'a>(&self, case: &'a WorkflowCase, method: Method) -> Cow<'a, str> {
        match (self.cases.len(), self.methods.len()) {
            _ if self.steps => method.name().into(),
            (_, 1) => case.name.as_str().into(),
            (1, _) => method.name().into(),
            _ => format!("{}, {}", case.name, method.name()).into(),
        }
    }

    /// The same for a way to send a flow.
    fn flow_series<'a>(&self, case: &WorkflowCase, method: Method, way: &'a FlowWay) -> Cow<'a, str> {
        match (self.cases.len(), self.methods.len()) {
            (1, 1) => way.name.as_str().into(),
            _ => format!("{}, {}", self.series(case, method), way.name).into(),
        }
    }
}

fn run(spec: &Workflows, trial: &Trial<'_>) -> Result<Findings, RunError> {
    // Where something is swept, its figures are what was asked for.
    let is_alone = trial.scenario.sweeps.is_empty();
    let mut common: Vec<CommonJobs> = spec.cases.iter().map(|case| CommonJobs::of(spec, case)).collect();
    let one = |streams: Streams| {
        let (mut observations, mut shown) = (Observations::default(), Shown::default());
        for case in spec.cases.iter() {
            observe(spec, case, (&streams, trial), (&mut observations, &mut shown))?;
        }
        Ok(Replication { observations: vec![observations], shown: Some(shown) })
    };
    let (rows, first) = trial.replicate_and_show(one, |observations| {
        common.iter_mut().for_each(|common| common.take_in(observations));
    })?;
    let Shown { failed, gantts, files } = first.unwrap_or_default();
    let mut notes = reasons(spec, &rows, &failed);
    notes.extend(common.iter().filter_map(|common| common.note(&rows)));
    let figures = if is_alone { figures::figures(spec, &rows, trial.replications()) } else { Vec::new() };
    Ok(Findings { rows, figures, gantts, files, notes, ..Findings::default() })
}

/// Says of every series why jobs have no plan: how many for each cause, and for which task in the first world, if it
/// `failed` there.
fn reasons(spec: &Workflows, rows: &[Row], failed: &[(String, String)]) -> Vec<String> {
    let note = |success: &Row| {
        let of = |metric: &Metric| rows.iter().find(|row| row.series == success.series && row.metric == metric.name());
        let jobs = |share: f64| (share * success.n as f64).round();
        let by_cause = no_plan_causes().filter_map(|(cause, metric)| {
            let count = of(metric).map_or(0.0, |row| jobs(row.mean));
            (count > 0.0).then(|| format!("{} ({count})", cause.name()))
        });
        let causes: Vec<String> = by_cause.collect();
        let missing = of(&MISSING).map(|row| format!("; missing on average: {}", in_unit(row.mean, &spec.time_unit)));
        let first = failed.iter().find(|(series, _)| *series == success.series);
        let first = first.map(|(_, text)| format!(". In the first world: {text}"));
        (!causes.is_empty()).then(|| {
            let (lost, all) = (jobs(1.0 - success.mean), counted(success.n, "job"));
            let (missing, first) = (missing.unwrap_or_default(), first.unwrap_or_default());
            let have = if lost == 1.0 { "has" } else { "have" };
            format!("{}: {lost} of {all} {have} no plan: {}{missing}{first}", success.series, causes.join(", "))
        })
    };
    rows.iter().filter(|row| row.metric == SUCCESS.name()).filter_map(note).collect()
}

/// What is told of a world besides its observations.
#[derive(Default)]
struct Shown {
    /// Why there is no plan, by series.
    failed: Vec<(String, String)>,
    gantts: Vec<Gantt>,
    files: Vec<(String, FileContent)>,
}

/// One job by every method.
fn observe<'a>(
    spec: &'a Workflows,
    case: &'a WorkflowCase,
    (streams, trial): (&Streams, &Trial<'_>),
    (observations, shown): (&mut Observations<'a>, &mut Shown),
) -> Result<(), RunError> {
    let job = WorkflowJob::draw(spec, case, streams, 0)?;
    let problem = job.problem(spec, trial.stop());
    if spec.steps {
        steps::add_chains(&job, observations);
    }
    let mut tried = Vec::new();
    for &method in spec.methods.iter() {
        let attempt = attempt(method, &problem, &mut streams.stream("ties"))?;
        let why = attempt.why(&problem, &spec.time_unit)?;
        let plan = attempt.plan();
        let finish = plan.and_then(Plan::finish);
        let mut series = observations.of(EXPERIMENT, spec.series(case, method));
        let outcome = (plan.map(|plan| plan.cost), finish);
        add_outcome(outcome, attempt.collisions().len(), job.interval, &mut series);
        for (way, metric) in RESOLUTIONS {
            let resolved = |plan: &Plan| plan.collisions.iter().filter(|met| met.resolution == Some(way)).count();
            series.add(metric, plan.map(|plan| resolved(plan) as f64));
        }
        if spec.refine {
            let without = |plan: &Plan| f64::from(plan.origin == PlanOrigin::WithoutChains);
            series.add(&WITHOUT_CHAINS, plan.filter(|_| method.has_chains()).map(without));
            series.add(&MISSING, attempt.missing().map(Span::as_f64));
        }
        series.add(&MAKESPAN, finish.map(|finish| (finish - job.interval.start).as_f64()));
        for (cause, metric) in no_plan_causes() {
            // Only an exact search tries everything, or is given up before it has.
            let is_of_exact = matches!(cause, NoPlanCause::AllTried | NoPlanCause::GivenUp);
            if !is_of_exact || matches!(method, Method::Exact(_)) {
                series.add(metric, f64::from(why.as_ref().is_some_and(|why| why.cause == cause)));
            }
        }
        if spec.steps {
            steps::add_start(plan, &mut series);
        }
        shown.failed.extend(why.iter().map(|why| (spec.series(case, method).into_owned(), why.text.clone())));
        tried.push((method, attempt, why));
    }
    if spec.steps {
        let (gantts, plans) = steps::show(spec, &job, &tried);
        (shown.gantts, shown.files) = (gantts, vec![("plans.json".to_string(), plans.into())]);
    }
    for run in &spec.on_grid {
        for &method in run.methods(&spec.methods) {
            let setting = GridSetting { spec, first: &job, method, trial };
            let facts = run_on_grid(run, &setting, &[(&job.dag, job.interval)], streams)?;
            let mut series = observations.of(EXPERIMENT, run.series(&spec.series(case, method)));
            facts.iter().for_each(|facts| add_facts(facts, job.interval, &mut series));
        }
    }
    Ok(())
}

/// Adds what became of a job: its cost and its end, if it was placed or, on the grid, done.
fn add_outcome(
    (cost, finish): (Option<Money>, Option<Time>),
    collisions: usize,
    interval: Interval,
    series: &mut Series<'_, '_>,
) {
    let span = interval.span().as_f64().max(f64::MIN_POSITIVE);
    let used = |_| finish.map_or(0.0, |finish| (finish - interval.start).as_f64()) / span;
    series.add(&SUCCESS, f64::from(cost.is_some()));
    series.add(&COLLISIONS, collisions as f64);
    series.add(&COST, cost.map(Money::as_f64));
    series.add(&USED, cost.map(used));
}

/// Adds the story of a job on the grid.
fn add_facts(facts: &GridFacts, interval: Interval, series: &mut Series<'_, '_>) {
    let is_placed = facts.first.as_ref().is_some_and(|first| first.plan().is_some());
    let collisions = facts.first.as_ref().map_or(0, |first| first.collisions().len());
    add_outcome((facts.finish.map(|_| facts.cost), facts.finish), collisions, interval, series);
    series.add(&PLACED, f64::from(is_placed));
    series.add(&IN_EXECUTION, is_placed.then_some(f64::from(facts.collisions)));
    series.add(&MAKESPAN, facts.finish.map(|finish| (finish - interval.start).as_f64()));
}
