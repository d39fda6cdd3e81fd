//! `JobFlow`: jobs made of tasks, one after another on the same nodes (file 001, Table 3).

mod record;

pub(super) use record::*;

use super::Kind;
use crate::check::{Facts, check_execution};
use crate::engine::Stop;
use crate::language::{Context, Cursor};
use crate::metrics::{Better, Metric, PERCENT, TIME};
use crate::model::{Dag, Interval};
use crate::rng::Streams;
use crate::sim::{PlannedJob, execute};
use crate::study::expected::{BYTES, Judge};
use crate::study::planning::{Attempt, attempt, estimates, interval, problem};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, RunError, Scale, file_name};
use crate::units::{Money, Overflow, Span, Time};
use crate::workflow::Method;
use crate::workflow::{Estimates, Plan, PlanProblem, contention_free, least_cost};
use crate::workload::{Files, NodeCount};
use crate::workload::{TaskDomain, draw_domain, draw_tasks};

/// The experiment of all rows.
const EXPERIMENT: &str = "job flow";
/// A share of the jobs of a flow in per cent.
const fn percent(name: &'static str, meaning: &'static str, better: Better) -> Metric {
    Metric::new(name, PERCENT, meaning).within(0.0, 100.0).better(better)
}

/// The metrics of a flow, in the order of [`send`].
static METRICS: [Metric; 9] = [
    Metric::new("execution time", TIME, "From the sending of the first job to the end of the last job's interval.")
        .at_least(0.0)
        .better(Better::Less),
    percent(
        "optimal schedules (%)",
        "Jobs that cost no more than if nobody were in the way of any chain.",
        Better::More,
    ),
    percent(
        "exactly optimal (%)",
        "Jobs that cost the least possible, of those whose least cost is known.",
        Better::More,
    ),
    Metric::new("collisions", "per job", "Collisions that planning a job met with.").at_least(0.0).better(Better::Less),
    Metric::new("load, forecast", "share of node time", "Node time within a job's interval that its plan takes.")
        .within(0.0, 1.0),
    Metric::new("load, fact", "share of node time", "Node time that a job took in fact, over that of its interval.")
        .at_least(0.0),
    Metric::new("job cost", "units", "Cost of a job that has a place.").at_least(0.0).better(Better::Less),
    percent("jobs without a place (%)", "Jobs that found no place in their interval.", Better::Less),
    percent("jobs late in fact (%)", "Jobs that ended after their interval.", Better::Less),
];

/// Those that have a figure each.
const SHOWN: [usize; 4] = [0, 1, 3, 6];
/// The name of the metric that compares flows.
const TIME_RATIO: &str = "execution time ratio";

/// A job, whenever it is sent: times count from zero.
struct FlowJob {
    dag: Dag,
    estimates: Estimates,
    domain: TaskDomain,
    length: Span,
    /// The cost by the same method when nothing is in the way of any chain; nothing if it has no place even so.
    yardstick: Option<Money>,
    /// The least cost, if that was searched for and found.
    least: Option<Money>,
}

impl Kind for JobFlow {
    fn metrics(&self) -> Vec<Metric> {
        METRICS.iter().cloned().chain([METRICS[0].ratio(TIME_RATIO, "the first flow")]).collect()
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        files.read_tasks(&mut self.tasks, None, &at.field("tasks"), errors)
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let tasks = self.jobs.get() as f64 * self.tasks.mean_tasks();
        judge.events(&at.field("jobs"), tasks, "tasks would be drawn", "give fewer jobs");
        let NodeCount::Total(nodes) = self.domain.nodes else { return };
        judge.memory(&at.field("jobs"), tasks * (BYTES[1] + 16.0 * nodes.get() as f64));
        judge.tasks_on(&self.tasks, &self.domain, self.interval_factor.get(), at);
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &JobFlow, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let rows = trial.replicate(|streams| observe(spec, streams, trial.stop()))?;
    let figures = SHOWN.map(|at| &METRICS[at]).map(|metric| Figure {
        file: format!("flow-{}", file_name(metric.name())),
        title: metric.title(),
        caption: format!("{} jobs per flow, planned around the reservations of those before them.", spec.jobs.get()),
        x_label: String::new(),
        y_label: metric.label(),
        experiment: EXPERIMENT.into(),
        metrics: vec![metric.into()],
        kind: FigureKind::Bars,
    });
    Ok(Findings { rows, figures: figures.to_vec(), ..Findings::default() })
}

/// All flows of the same jobs.
fn observe<'a>(spec: &'a JobFlow, streams: Streams, stop: &Stop) -> Result<Observations<'a>, RunError> {
    let jobs = (0..spec.jobs.get()).map(|index| draw_job(spec, &streams, index, stop));
    let jobs = jobs.collect::<Result<Vec<FlowJob>, RunError>>()?;
    let mut observations = Observations::default();
    let mut times: Vec<Place> = Vec::new();
    for flow in spec.flows.iter() {
        let values = send(spec, flow, &jobs, (&streams, stop))?;
        let mut series = observations.of(EXPERIMENT, flow.name.as_str());
        let places: Vec<Place> = METRICS.iter().zip(values).map(|(metric, value)| series.add(metric, value)).collect();
        times.push(places[0]);
    }
    for (flow, &time) in spec.flows.iter().zip(&times).skip(1) {
        let mut series = observations.of(EXPERIMENT, format!("{} against {}", flow.name, spec.flows[0].name));
        series.ratio(TIME_RATIO, time, times[0], Scale::Plain);
    }
    Ok(observations)
}

fn draw_job(spec: &JobFlow, streams: &Streams, index: u64, stop: &Stop) -> Result<FlowJob, RunError> {
    stop.check()?;
    let dag = draw_tasks(&spec.tasks, spec.domain.performance, streams.member("tasks", index))?;
    let interval = interval(&spec.domain, &dag, spec.interval_factor.get(), Time::ZERO)?;
    let domain = draw_domain(&spec.domain, &dag, interval, streams);
    let estimates = estimates(&spec.domain, &dag, &domain.slower)?;
    let alone = problem(&dag, &estimates, &domain, interval, spec.transfers, (spec.attempts, spec.refine, stop));
    let ties = &mut streams.member("ties", index);
    let yardstick = contention_free(&alone, ties).ok();
    let least = spec.exact_limit.map(|limit| least_cost(&alone, limit.get()));
    let least = least.transpose().map_err(|_| Overflow)?.flatten();
    let length = interval.span();
    Ok(FlowJob { dag, estimates, domain, length, yardstick, least })
}

/// Sends the jobs one after another, each when a share k of the one before's interval is over; the metrics of the flow.
fn send(
    spec: &JobFlow,
    flow: &FlowSpec,
    jobs: &[FlowJob],
    (streams, stop): (&Streams, &Stop),
) -> Result<[Option<f64>; 9], RunError> {
    let nodes = jobs[0].domain.free.len();
    let mut reserved: Vec<Vec<Interval>> = vec![Vec::new(); nodes];
    let mut planned: Vec<(usize, Interval, Plan)> = Vec::new();
    let mut collisions = 0;
    let (mut start, mut end) = (Time::ZERO, Time::ZERO);
    for (index, job) in jobs.iter().enumerate() {
        end = start.checked_add(job.length)?;
        let interval = Interval::new(start, end);
        reserved.iter_mut().for_each(|held| held.retain(|held| held.end > start));
        let free = vec![vec![interval]; nodes];
        let alone = problem(
            &job.dag,
            &job.estimates,
            &job.domain,
            interval,
            spec.transfers,
            (spec.attempts, spec.refine, stop),
        );
        let problem = PlanProblem { free: &free, reserved: &reserved, ..alone };
        let ties = &mut streams.member("ties", index as u64);
        if let Attempt::Planned(plan) = attempt(Method::CheapestChains, &problem, ties)? {
            for at in &plan.placements {
                let held = &mut reserved[at.node.index()];
                held.insert(held.partition_point(|held| held.start < at.interval.start), at.interval);
            }
            collisions += plan.collisions.len();
            planned.push((index, interval, plan));
        }
        start = start.checked_add(Span::from_f64(job.length.as_f64() * flow.k.get())?)?;
    }
    let facts = execute_all(spec, jobs, &planned, streams)?;
    let count = planned.len() as f64;
    let mean = |total: f64| (count > 0.0).then(|| total / count);
    let share = |part: usize, all: usize| (all > 0).then(|| 100.0 * part as f64 / all as f64);
    let capacity = |interval: &Interval| interval.span().as_f64() * nodes as f64;
    let is_optimal = |(index, _, plan): &&(usize, Interval, Plan)| {
        jobs[*index].yardstick.is_some_and(|yardstick| plan.cost <= yardstick)
    };
    let is_least = |(index, _, plan): &&(usize, Interval, Plan)| jobs[*index].least == Some(plan.cost);
    let known = jobs.iter().filter(|job| job.least.is_some()).count();
    Ok([
        Some(end.as_f64()),
        share(planned.iter().filter(is_optimal).count(), jobs.len()),
        share(planned.iter().filter(is_least).count(), known),
        mean(collisions as f64),
        mean(planned.iter().map(|(_, interval, plan)| plan.busy().as_f64() / capacity(interval)).sum()),
        mean(planned.iter().zip(&facts).map(|((_, interval, _), (busy, _))| busy / capacity(interval)).sum()),
        mean(planned.iter().map(|(_, _, plan)| plan.cost.as_f64()).sum()),
        share(jobs.len() - planned.len(), jobs.len()),
        share(
            planned.iter().zip(&facts).filter(|((_, interval, _), (_, end))| *end > interval.end).count(),
            jobs.len(),
        ),
    ])
}

/// Executes all plans on the shared nodes; for each job, how long it held nodes in fact, and when it ended.
fn execute_all(
    spec: &JobFlow,
    jobs: &[FlowJob],
    planned: &[(usize, Interval, Plan)],
    streams: &Streams,
) -> Result<Vec<(f64, Time)>, RunError> {
    let mut runtimes: Vec<Vec<Span>> = Vec::with_capacity(planned.len());
    for (index, _, plan) in planned {
        let mut stream = streams.member("runtimes", *index as u64);
        let mut actual = |planned: Span| Span::from_f64(planned.as_f64() * spec.runtime_factor.sample(&mut stream));
        runtimes.push(plan.placements.iter().map(|at| actual(at.interval.span())).collect::<Result<_, _>>()?);
    }
    let work: Vec<PlannedJob<'_>> = planned
        .iter()
        .zip(&runtimes)
        .map(|((index, _, plan), runtimes)| PlannedJob {
            dag: &jobs[*index].dag,
            placements: &plan.placements,
            runtimes,
        })
        .collect();
    let ran = execute(&work, jobs[0].domain.free.len(), spec.transfers)?;
    let facts: Vec<Facts<'_>> = work
        .iter()
        .zip(&ran)
        .map(|(job, ran)| Facts { dag: job.dag, planned: job.placements, ran, runtimes: job.runtimes })
        .collect();
    check_execution(&facts, spec.transfers)?;
    let fact = |ran: &Vec<Interval>| {
        let busy = ran.iter().map(|interval| interval.span().as_f64()).sum();
        (busy, ran.iter().map(|interval| interval.end).max().unwrap_or(Time::ZERO))
    };
    Ok(ran.iter().map(fact).collect())
}
