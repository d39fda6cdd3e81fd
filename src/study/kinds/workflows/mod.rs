//! `Workflows`: jobs made of tasks, one per world (file 001, Figs. 3 and 4).

mod record;

pub(super) use record::*;

use super::Kind;
use crate::language::{Context, Cursor};
use crate::metrics::{Better, Metric, TIME, copies, declare_metrics};
use crate::model::Interval;
use crate::rng::Streams;
use crate::study::expected::Judge;
use crate::study::on_grid::{GridFacts, GridJob, GridSetting, collisions_in_execution, draw_actual, run_on_grid};
use crate::study::planning::{Attempt, Failed, attempt, estimates, interval, problem};
use crate::study::replicate::Trial;
use crate::study::{Findings, Observations, Row, RunError, Series};
use crate::units::{Span, Time};
use crate::workflow::Method;
use crate::workflow::{Plan, PlanOrigin, Resolution};
use crate::workload::Files;
use crate::workload::{draw_domain, draw_tasks};
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
    .at_least(0.0)
    .better(Better::Less);
    USED = Metric::new(
        "share of the interval used",
        "share of the interval",
        "Time until the job's last task ends, over its interval.",
    )
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
    IMPOSSIBLE = Metric::new("no plan exists", "share of jobs", "Jobs that provably have no plan.")
        .within(0.0, 1.0)
        .better(Better::Less);
    LATE = Metric::new(
        "earliest plan found is late",
        "share of jobs",
        "Jobs whose earliest plan that was found ends after the deadline.",
    )
    .within(0.0, 1.0)
    .better(Better::Less);
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
    }

    fn own_rows(&self) -> Vec<&str> {
        vec!["workflows"]
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        let mut had_file = false;
        for (index, case) in self.cases.iter_mut().enumerate() {
            let place = at.field("cases").element(index).field("tasks");
            had_file |= files.read_tasks(&mut case.tasks, None, &place, errors);
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

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &Workflows, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let rows = trial.replicate(|streams| {
        let mut observations = Observations::default();
        spec.cases.iter().try_for_each(|case| observe(spec, case, (streams, trial), &mut observations))?;
        Ok(observations)
    })?;
    let notes = reasons(&rows);
    Ok(Findings { rows, notes, ..Findings::default() })
}

/// Says of every series why jobs have no place, where that is known.
fn reasons(rows: &[Row]) -> Vec<String> {
    let note = |success: &Row| {
        let of = |metric: &Metric| rows.iter().find(|row| row.series == success.series && row.metric == metric.name());
        let jobs = |share: f64| (share * success.n as f64).round();
        let (impossible, late) = (jobs(of(&IMPOSSIBLE)?.mean), jobs(of(&LATE)?.mean));
        let missing = of(&MISSING).map_or(0.0, |row| row.mean);
        let lost = jobs(1.0 - success.mean);
        (lost > 0.0).then(|| {
            format!(
                "{}: {lost} of {} jobs found no place: for {impossible} no plan exists, for {late} the earliest plan \
                 found is late; {missing:.3} time units are missing on average",
                success.series, success.n
            )
        })
    };
    rows.iter().filter(|row| row.metric == SUCCESS.name()).filter_map(note).collect()
}

/// One job by every method.
fn observe<'a>(
    spec: &'a Workflows,
    case: &'a WorkflowCase,
    (streams, trial): (Streams, &Trial<'_>),
    observations: &mut Observations<'a>,
) -> Result<(), RunError> {
    let stop = trial.stop();
    let dag = draw_tasks(&case.tasks, spec.domain.performance, streams.stream("tasks"))?;
    let interval = interval(&spec.domain, &dag, spec.interval_factor.get(), Time::ZERO)?;
    let domain = draw_domain(&spec.domain, &dag, interval, &streams);
    let estimates = estimates(&spec.domain, &dag, &domain.slower)?;
    let problem = problem(&dag, &estimates, &domain, interval, spec.transfers, (spec.attempts, spec.refine, stop));
    for &method in spec.methods.iter() {
        let mut failure = None;
        let (always, plan) = match attempt(method, &problem, &mut streams.stream("ties"))? {
            // Nothing is known where an exact search gave up.
            Attempt::GaveUp => (None, None),
            Attempt::Failed(failed) => {
                let collisions = failed.collisions.len() as f64;
                failure = Some(failed);
                (Some([0.0, collisions]), None)
            }
            Attempt::Planned(plan) => (Some([1.0, plan.collisions.len() as f64]), Some(plan)),
        };
        let placed = plan.as_ref().map(|plan| {
            let used = plan.finish().map_or(0.0, |finish| (finish - interval.start).as_f64());
            [plan.cost.as_f64(), used / interval.span().as_f64().max(f64::MIN_POSITIVE)]
        });
        let mut series = observations.of(EXPERIMENT, series(spec, case, method));
        for (at, metric) in [&SUCCESS, &COLLISIONS].into_iter().enumerate() {
            series.add(metric, always.map(|always| always[at]));
        }
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
            let reason = failure.as_ref().map(Failed::shortfall);
            let share = |is_so: Option<bool>| always.map(|_| f64::from(is_so.unwrap_or(false)));
            series.add(&IMPOSSIBLE, share(reason.map(|reason| reason.is_proven)));
            series.add(&LATE, share(reason.map(|reason| !reason.is_proven)));
            series.add(&MISSING, reason.and_then(|reason| reason.missing).map(Span::as_f64));
        }
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
    // Nothing is known where an exact search gave up.
    let is_known = !matches!(facts.first, Some(Attempt::GaveUp));
    let known = |value: f64| is_known.then_some(value);
    let (is_placed, collisions) = match &facts.first {
        Some(Attempt::Planned(plan)) => (true, plan.collisions.len()),
        Some(Attempt::Failed(failed)) => (false, failed.collisions.len()),
        Some(Attempt::GaveUp) | None => (false, 0),
    };
    let used = |finish: Time| (finish - interval.start).as_f64() / interval.span().as_f64().max(f64::MIN_POSITIVE);
    series.add(&SUCCESS, known(f64::from(facts.finish.is_some())));
    series.add(&COLLISIONS, known(collisions as f64));
    series.add(&COST, facts.finish.map(|_| facts.cost.as_f64()));
    series.add(&USED, facts.finish.map(used));
    series.add(&PLACED, known(f64::from(is_placed)));
    series.add(&IN_EXECUTION, is_placed.then_some(f64::from(facts.collisions)));
}

/// A series is named by what there are several of: cases, methods, or both.
fn series<'a>(spec: &Workflows, case: &'a WorkflowCase, method: Method) -> Cow<'a, str> {
    match (spec.cases.len(), spec.methods.len()) {
        (_, 1) => case.name.as_str().into(),
        (1, _) => method.name().into(),
        _ => format!("{}, {}", case.name, method.name()).into(),
    }
}
