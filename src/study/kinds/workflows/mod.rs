//! `Workflows`: jobs made of tasks, one per world (file 001, Figs. 3 and 4).

mod common_jobs;
mod figures;
mod record;

pub(super) use record::*;

use super::Kind;
use crate::language::{Context, Cursor};
use crate::metrics::{Better, Metric, TIME, copies, declare_metrics};
use crate::model::Interval;
use crate::rng::Streams;
use crate::study::expected::Judge;
use crate::study::on_grid::{GridFacts, GridJob, GridSetting, collisions_in_execution, draw_actual, run_on_grid};
use crate::study::planning::{Attempt, Failed, WITHOUT_PLAN, attempt, estimates, interval, no_plan_causes, problem};
use crate::study::replicate::{Replication, Trial};
use crate::study::{Findings, Observations, Row, RunError, Series, SeriesPlace};
use crate::units::{Span, Time, counted};
use crate::workflow::{Method, NoPlanCause, Plan, PlanOrigin, Resolution, WhyNoPlan, in_unit};
use crate::workload::Files;
use crate::workload::{draw_domain, draw_tasks};
use common_jobs::CommonJobs;
use std::borrow::Cow;

/// The experiment of all rows.
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
    IN_EXECUTION = collisions_in_execution();
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
        copies(METRICS)
            .into_iter()
            .chain(copies(WITHOUT_PLAN))
            .map(|metric| metric.with_times_in(&self.time_unit))
            .collect()
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["workflows"]
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
            let place = at.field("cases").element(index).field("tasks");
            judge.tasks_on(&case.tasks, &self.domain, self.interval_factor.get(), at);
            judge.events(&place, case.tasks.mean_tasks(), "tasks would be drawn", "give fewer tasks");
        }
    }

    fn compared(&self) -> Vec<&str> {
        [&SUCCESS, &MAKESPAN, &COST].map(Metric::name).to_vec()
    }

    fn places(&self) -> Vec<SeriesPlace> {
        let place = |case: &WorkflowCase, series: String, name: String| SeriesPlace {
            series,
            panel: case.name.as_str().into(),
            name,
        };
        let mut places = Vec::new();
        for case in self.cases.iter() {
            let series = |method: Method| series(self, case, method).into_owned();
            places.extend(self.methods.iter().map(|&method| place(case, series(method), method.name().into())));
            for run in &self.on_grid {
                let of = |&method: &Method| place(case, run.series(&series(method)), run.series(method.name()));
                places.extend(run.methods(&self.methods).iter().map(of));
            }
        }
        // One case needs no panels, and one series in each of them no colours.
        if self.cases.len() > 1 && places.len() > self.cases.len() { places } else { Vec::new() }
    }

    fn series_names(&self) -> Option<Vec<String>> {
        let mut names = Vec::new();
        for (case, &method) in self.cases.iter().flat_map(|case| self.methods.iter().map(move |method| (case, method)))
        {
            let name = series(self, case, method);
            names.extend(self.on_grid.iter().map(|run| run.series(&name)));
            names.push(name.into_owned());
        }
        Some(names)
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Workflows, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let mut common: Vec<CommonJobs> = spec.cases.iter().map(|case| CommonJobs::of(spec, case)).collect();
    let one = |streams| {
        let (mut observations, mut failed) = (Observations::default(), Vec::new());
        for case in spec.cases.iter() {
            observe(spec, case, (streams, trial), (&mut observations, &mut failed))?;
        }
        Ok(Replication { observations: vec![observations], shown: Some(failed) })
    };
    let (rows, first) = trial.replicate_and_show(one, |observations| {
        common.iter_mut().for_each(|common| common.take_in(observations));
    })?;
    let mut notes = reasons(spec, &rows, &first.unwrap_or_default());
    notes.extend(common.iter().filter_map(|common| common.note(&rows)));
    // Where something is swept, its figures are what was asked for.
    let is_alone = trial.scenario.sweeps.is_empty();
    let replications = trial.scenario.replications.get();
    let figures = if is_alone { figures::figures(spec, &rows, replications) } else { Vec::new() };
    Ok(Findings { rows, figures, notes, ..Findings::default() })
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
            format!("{}: {lost} of {all} have no plan: {}{missing}{first}", success.series, causes.join(", "))
        })
    };
    rows.iter().filter(|row| row.metric == SUCCESS.name()).filter_map(note).collect()
}

/// One job by every method.
fn observe<'a>(
    spec: &'a Workflows,
    case: &'a WorkflowCase,
    (streams, trial): (Streams, &Trial<'_>),
    (observations, reasons): (&mut Observations<'a>, &mut Vec<(String, String)>),
) -> Result<(), RunError> {
    let stop = trial.stop();
    let dag = draw_tasks(&case.tasks, spec.domain.performance, streams.stream("tasks"))?;
    let interval = interval(&spec.domain, &dag, spec.interval_factor.get(), Time::ZERO)?;
    let domain = draw_domain(&spec.domain, &dag, interval, &streams);
    let estimates = estimates(&spec.domain, &dag, &domain.slower)?;
    let problem = problem(&dag, &estimates, &domain, interval, spec.transfers, (spec.attempts, spec.refine, stop));
    for &method in spec.methods.iter() {
        let (plan, failure, why) = match attempt(method, &problem, &mut streams.stream("ties"))? {
            Attempt::Planned(plan) => (Some(plan), None, None),
            Attempt::Failed(failed) => {
                let why = failed.why(&problem, &spec.time_unit)?;
                (None, Some(failed), Some(why))
            }
            Attempt::GaveUp => (None, None, Some(WhyNoPlan::given_up())),
        };
        let met = plan.as_ref().map(|plan| &plan.collisions).or(failure.as_ref().map(|failed| &failed.collisions));
        let makespan = plan.as_ref().and_then(Plan::finish).map(|finish| (finish - interval.start).as_f64());
        let placed = plan.as_ref().map(|plan| {
            let used = plan.finish().map_or(0.0, |finish| (finish - interval.start).as_f64());
            [plan.cost.as_f64(), used / interval.span().as_f64().max(f64::MIN_POSITIVE)]
        });
        let name = series(spec, case, method);
        let mut series = observations.of(EXPERIMENT, name.clone());
        series.add(&SUCCESS, f64::from(plan.is_some()));
        series.add(&COLLISIONS, met.map_or(0, Vec::len) as f64);
        for (at, metric) in [&COST, &USED].into_iter().enumerate() {
            series.add(metric, placed.map(|placed| placed[at]));
        }
        for (way, metric) in RESOLUTIONS {
            let resolved = |plan: &Plan| plan.collisions.iter().filter(|met| met.resolution == Some(way)).count();
            series.add(metric, plan.as_ref().map(|plan| resolved(plan) as f64));
        }
        if spec.refine {
            let without = |plan: &Plan| f64::from(plan.origin == PlanOrigin::WithoutChains);
            series.add(&WITHOUT_CHAINS, plan.as_ref().filter(|_| method.has_chains()).map(without));
            series.add(&MISSING, failure.as_ref().and_then(Failed::missing).map(Span::as_f64));
        }
        series.add(&MAKESPAN, makespan);
        for (cause, metric) in no_plan_causes() {
            // Only an exact search tries everything, or is given up before it has.
            let is_of_exact = matches!(cause, NoPlanCause::AllTried | NoPlanCause::GivenUp);
            if !is_of_exact || matches!(method, Method::Exact(_)) {
                series.add(metric, f64::from(why.as_ref().is_some_and(|why| why.cause == cause)));
            }
        }
        reasons.extend(why.map(|why| (name.into_owned(), why.text)));
    }
    for run in &spec.on_grid {
        for &method in run.methods(&spec.methods) {
            let actual = draw_actual(run.actual.as_ref(), &dag, &mut streams.stream("runtimes"));
            let job = GridJob { dag: &dag, interval, actual, ties: streams.stream("ties") };
            let setting = GridSetting {
                spec: &spec.domain,
                domain: &domain,
                owners: interval,
                method,
                transfers: spec.transfers,
                attempts: spec.attempts,
                refine: spec.refine,
                limits: trial.limits(),
                stop,
            };
            let facts = run_on_grid(run, &setting, &[job], &streams)?;
            let mut series = observations.of(EXPERIMENT, run.series(&series(spec, case, method)));
            facts.iter().for_each(|facts| add_facts(facts, interval, &mut series));
        }
    }
    Ok(())
}

/// Adds the story of a job on the grid.
fn add_facts(facts: &GridFacts, interval: Interval, series: &mut Series<'_, '_>) {
    let (is_placed, collisions) = match &facts.first {
        Some(Attempt::Planned(plan)) => (true, plan.collisions.len()),
        Some(Attempt::Failed(failed)) => (false, failed.collisions.len()),
        Some(Attempt::GaveUp) | None => (false, 0),
    };
    let used = |finish: Time| (finish - interval.start).as_f64() / interval.span().as_f64().max(f64::MIN_POSITIVE);
    series.add(&SUCCESS, f64::from(facts.finish.is_some()));
    series.add(&COLLISIONS, collisions as f64);
    series.add(&COST, facts.finish.map(|_| facts.cost.as_f64()));
    series.add(&USED, facts.finish.map(used));
    series.add(&PLACED, f64::from(is_placed));
    series.add(&IN_EXECUTION, is_placed.then_some(f64::from(facts.collisions)));
    series.add(&MAKESPAN, facts.finish.map(|finish| (finish - interval.start).as_f64()));
}

/// A series is named by what there are several of: cases, methods, or both.
fn series<'a>(spec: &Workflows, case: &'a WorkflowCase, method: Method) -> Cow<'a, str> {
    match (spec.cases.len(), spec.methods.len()) {
        (_, 1) => case.name.as_str().into(),
        (1, _) => method.name().into(),
        _ => format!("{}, {}", case.name, method.name()).into(),
    }
}
