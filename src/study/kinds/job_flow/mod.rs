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
use crate::sim::{GridEntry, PlannedJob, execute};
use crate::study::expected::{BYTES, Judge};
use crate::study::on_grid::{GridJob, GridRun, GridSetting, collisions_in_execution, draw_actual, run_on_grid};
use crate::study::planning::{Attempt, attempt, estimates, interval, problem};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, RunError, Scale, file_name};
use crate::units::{Money, Overflow, Span, Time, counted};
use crate::workflow::Method;
use crate::workflow::{Estimates, Plan, PlanProblem, contention_free, free_of_own_contention, least_cost};
use crate::workload::{Files, NodeCount};
use crate::workload::{TaskDomain, draw_domain, draw_tasks};

/// The experiment of all rows.
const EXPERIMENT: &str = "job flow";
/// A share of the jobs of a flow in per cent.
const fn percent(name: &'static str, meaning: &'static str, better: Better) -> Metric {
    Metric::new(name, PERCENT, meaning).within(0.0, 100.0).better(better)
}

/// The metrics of a flow, in the order of [`measure`].
static METRICS: [Metric; 9] = [
    Metric::new("execution time", TIME, "From the sending of the first job to the end of the last job's interval.")
        .at_least(0.0)
        .better(Better::Less),
    percent(
        "optimal schedules (%)",
        "Jobs (on the grid: done) that cost no more than if nothing were in the way of any chain.",
        Better::More,
    ),
    percent(
        "exactly optimal (%)",
        "Jobs (on the grid: done) that cost the least possible, of those whose least cost is known.",
        Better::More,
    ),
    Metric::new("collisions", "per job", "Collisions that planning a job met with.").at_least(0.0).better(Better::Less),
    Metric::new("load, forecast", "share of node time", "Node time within a job's interval that its plan takes.")
        .within(0.0, 1.0),
    Metric::new("load, fact", "share of node time", "Node time that a job took in fact, over that of its interval.")
        .at_least(0.0),
    Metric::new(
        "job cost",
        "units",
        "Cost of a job that has a place; on the grid, of a job done, on the nodes it ran on.",
    )
    .only_of("jobs with a place")
    .at_least(0.0)
    .better(Better::Less),
    percent("jobs without a place (%)", "Jobs that found no place in their interval.", Better::Less),
    percent(
        "jobs late in fact (%)",
        "Jobs that ended after their interval; on the grid, that were not done by its end.",
        Better::Less,
    ),
];

/// The metric of runs on the grid alone.
static IN_EXECUTION: Metric = collisions_in_execution();

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
        let ratio = METRICS[0].ratio(TIME_RATIO, "the first flow");
        let metrics = METRICS.iter().cloned().chain([ratio, IN_EXECUTION.clone()]);
        metrics.map(|metric| metric.with_times_in(&self.time_unit)).collect()
    }

    fn read_files(&mut self, files: &mut Files<'_>, at: &Cursor<'_>, errors: &mut Context<'_>) -> bool {
        files.read_tasks(&mut self.tasks, Some(&self.time_unit), &at.field("tasks"), errors)
    }

    fn expect(&self, at: &Cursor<'_>, judge: &mut Judge<'_, '_, '_>) {
        let tasks = self.jobs.get() as f64 * self.tasks.mean_tasks();
        judge.events(&at.field("jobs"), tasks, "tasks would be drawn", "give fewer jobs");
        let NodeCount::Total(nodes) = self.domain.nodes else { return };
        // A run on the grid keeps a record of what happens to each task.
        let record = if self.on_grid.is_empty() { 0.0 } else { 10.0 * size_of::<GridEntry>() as f64 };
        judge.memory(&at.field("jobs"), tasks * (BYTES[1] + 16.0 * nodes.get() as f64 + record));
        judge.tasks_on(&self.tasks, &self.domain, self.interval_factor.get(), at);
    }

    fn series_names(&self) -> Option<Vec<String>> {
        let flow = |flow: &str| {
            let on_grid = self.on_grid.iter().map(|run| run.series(flow)).collect::<Vec<_>>();
            std::iter::once(flow.to_string()).chain(on_grid)
        };
        Some(self.flows.iter().flat_map(|of| flow(of.name.as_str())).collect())
    }

    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError> {
        run(self, trial)
    }
}

fn run(spec: &JobFlow, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let rows = trial.replicate(|streams| observe(spec, streams, trial))?;
    let figures = SHOWN.map(|at| METRICS[at].clone().with_times_in(&spec.time_unit)).map(|metric| Figure {
        file: format!("flow-{}", file_name(metric.name())),
        title: metric.title(),
        caption: format!(
            "{} per flow, planned around the reservations of those before them.",
            counted(spec.jobs.get(), "job")
        ),
        x_label: String::new(),
        y_label: metric.label(),
        experiment: EXPERIMENT.into(),
        metrics: vec![metric.name().into()],
        kind: FigureKind::Bars,
    });
    Ok(Findings { rows, figures: figures.to_vec(), ..Findings::default() })
}

/// All flows of the same jobs.
fn observe<'a>(spec: &'a JobFlow, streams: Streams, trial: &Trial<'_>) -> Result<Observations<'a>, RunError> {
    let stop = trial.stop();
    let jobs = (0..spec.jobs.get()).map(|index| draw_job(spec, &streams, index, stop));
    let jobs = jobs.collect::<Result<Vec<FlowJob>, RunError>>()?;
    let mut observations = Observations::default();
    let mut times: Vec<Place> = Vec::new();
    for flow in spec.flows.iter() {
        let intervals = intervals(flow, &jobs)?;
        let (sent, around) = send(spec, &jobs, &intervals, (&streams, stop))?;
        let yardsticks = match spec.optimal {
            OptimalReading::EmptyNodes => jobs.iter().map(|job| job.yardstick).collect(),
            OptimalReading::AroundEarlierJobs => around,
        };
        let mut series = observations.of(EXPERIMENT, flow.name.as_str());
        let values = METRICS.iter().zip(measure(&jobs, &intervals, &yardsticks, &sent));
        let places: Vec<Place> = values.map(|(metric, value)| series.add(metric, value)).collect();
        times.push(places[0]);
        for run in &spec.on_grid {
            let (sent, in_execution) = send_to_grid(spec, run, &jobs, &intervals, (&streams, trial))?;
            let mut series = observations.of(EXPERIMENT, run.series(flow.name.as_str()));
            for (metric, value) in METRICS.iter().zip(measure(&jobs, &intervals, &yardsticks, &sent)) {
                series.add(metric, value);
            }
            series.add(&IN_EXECUTION, in_execution);
        }
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

/// The intervals of the jobs, sent one after another, each when a share k of the one before's interval is over.
fn intervals(flow: &FlowSpec, jobs: &[FlowJob]) -> Result<Vec<Interval>, RunError> {
    let mut start = Time::ZERO;
    let mut intervals = Vec::with_capacity(jobs.len());
    for job in jobs {
        intervals.push(Interval::new(start, start.checked_add(job.length)?));
        start = start.checked_add(Span::from_f64(job.length.as_f64() * flow.k.get())?)?;
    }
    Ok(intervals)
}

/// A job that found a place.
struct SentOutcome {
    /// The position of the job.
    index: usize,
    collisions: usize,
    /// The node time that its plan takes, and that it took in fact.
    forecast: f64,
    fact: f64,
    /// Its cost; nothing if it was not done.
    cost: Option<Money>,
    is_late: bool,
}

/// The metrics of a flow, by its jobs that found a place.
fn measure(
    jobs: &[FlowJob],
    intervals: &[Interval],
    yardsticks: &[Option<Money>],
    sent: &[SentOutcome],
) -> [Option<f64>; 9] {
    let nodes = jobs[0].domain.free.len();
    let costs = || sent.iter().filter_map(|job| Some((job.index, job.cost?)));
    let mean = |total: f64, count: usize| (count > 0).then(|| total / count as f64);
    let share = |part: usize, all: usize| (all > 0).then(|| 100.0 * part as f64 / all as f64);
    // A job without length has no node time that it could take a share of.
    let load = |taken: fn(&SentOutcome) -> f64| {
        let capacity = |job: &SentOutcome| intervals[job.index].span().as_f64() * nodes as f64;
        let with_length = || sent.iter().filter(|job| capacity(job) > 0.0);
        mean(with_length().map(|job| taken(job) / capacity(job)).sum(), with_length().count())
    };
    let is_optimal = |&(index, cost): &(usize, Money)| yardsticks[index].is_some_and(|yardstick| cost <= yardstick);
    let is_least = |&(index, cost): &(usize, Money)| jobs[index].least == Some(cost);
    let known = jobs.iter().filter(|job| job.least.is_some()).count();
    [
        intervals.last().map(|last| last.end.as_f64()),
        share(costs().filter(is_optimal).count(), jobs.len()),
        share(costs().filter(is_least).count(), known),
        mean(sent.iter().map(|job| job.collisions).sum::<usize>() as f64, sent.len()),
        load(|job| job.forecast),
        load(|job| job.fact),
        mean(costs().map(|(_, cost)| cost.as_f64()).sum(), costs().count()),
        share(jobs.len() - sent.len(), jobs.len()),
        share(sent.iter().filter(|job| job.is_late).count(), jobs.len()),
    ]
}

/// Plans the jobs one after another around those before them, and executes the plans as they are. Beside those that
/// found a place stands, for each job, what it would cost around earlier jobs if its own chains were not in each other's
/// way, where that is asked for.
fn send(
    spec: &JobFlow,
    jobs: &[FlowJob],
    intervals: &[Interval],
    (streams, stop): (&Streams, &Stop),
) -> Result<(Vec<SentOutcome>, Vec<Option<Money>>), RunError> {
    let nodes = jobs[0].domain.free.len();
    let mut reserved: Vec<Vec<Interval>> = vec![Vec::new(); nodes];
    let mut planned: Vec<(usize, Plan)> = Vec::new();
    let mut around = vec![None; jobs.len()];
    for (index, (job, &interval)) in jobs.iter().zip(intervals).enumerate() {
        reserved.iter_mut().for_each(|held| held.retain(|held| held.end > interval.start));
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
        if spec.optimal == OptimalReading::AroundEarlierJobs {
            around[index] = free_of_own_contention(&problem, &mut streams.member("ties", index as u64)).ok();
        }
        let ties = &mut streams.member("ties", index as u64);
        if let Attempt::Planned(plan) = attempt(Method::CheapestChains, &problem, ties)? {
            for at in &plan.placements {
                let held = &mut reserved[at.node.index()];
                held.insert(held.partition_point(|held| held.start < at.interval.start), at.interval);
            }
            planned.push((index, plan));
        }
    }
    let facts = execute_all(spec, jobs, &planned, streams)?;
    let outcome = |((index, plan), (fact, end)): (&(usize, Plan), (f64, Time))| SentOutcome {
        index: *index,
        collisions: plan.collisions.len(),
        forecast: plan.busy().as_f64(),
        fact,
        cost: Some(plan.cost),
        is_late: end > intervals[*index].end,
    };
    Ok((planned.iter().zip(facts).map(outcome).collect(), around))
}

/// Sends the jobs to the connected grid; those that found a place, and the mean number of their collisions in execution.
fn send_to_grid<'j>(
    spec: &JobFlow,
    run: &GridRun,
    jobs: &'j [FlowJob],
    intervals: &[Interval],
    (streams, trial): (&Streams, &Trial<'_>),
) -> Result<(Vec<SentOutcome>, Option<f64>), RunError> {
    let submit = |(index, (job, &interval)): (usize, (&'j FlowJob, &Interval))| {
        let stream = &mut streams.member("runtimes", index as u64);
        let actual = match &run.actual {
            Some(actual) => draw_actual(Some(actual), &job.dag, stream),
            None => draw_actual(Some(&spec.runtime_factor), &job.dag, stream),
        };
        GridJob { dag: &job.dag, interval, actual, ties: streams.member("ties", index as u64) }
    };
    let submitted: Vec<GridJob<'j>> = jobs.iter().zip(intervals).enumerate().map(submit).collect();
    let setting = GridSetting {
        spec: &spec.domain,
        domain: &jobs[0].domain,
        // There are none.
        owners: Interval::new(Time::ZERO, Time::ZERO),
        method: Method::CheapestChains,
        transfers: spec.transfers,
        attempts: spec.attempts,
        refine: spec.refine,
        limits: trial.limits(),
        stop: trial.stop(),
    };
    let facts = run_on_grid(run, &setting, &submitted, streams)?;
    let mut sent = Vec::with_capacity(jobs.len());
    let mut collisions = 0;
    for (index, facts) in facts.iter().enumerate() {
        let Some(Attempt::Planned(plan)) = &facts.first else { continue };
        collisions += u64::from(facts.collisions);
        sent.push(SentOutcome {
            index,
            collisions: plan.collisions.len(),
            forecast: plan.busy().as_f64(),
            fact: facts.busy.as_f64(),
            cost: facts.finish.map(|_| facts.cost),
            is_late: facts.finish.is_none(),
        });
    }
    let in_execution = (!sent.is_empty()).then(|| collisions as f64 / sent.len() as f64);
    Ok((sent, in_execution))
}

/// Executes all plans on the shared nodes; for each job, how long it held nodes in fact, and when it ended.
fn execute_all(
    spec: &JobFlow,
    jobs: &[FlowJob],
    planned: &[(usize, Plan)],
    streams: &Streams,
) -> Result<Vec<(f64, Time)>, RunError> {
    let mut runtimes: Vec<Vec<Span>> = Vec::with_capacity(planned.len());
    for (index, plan) in planned {
        let mut stream = streams.member("runtimes", *index as u64);
        let mut actual = |planned: Span| Span::from_f64(planned.as_f64() * spec.runtime_factor.sample(&mut stream));
        runtimes.push(plan.placements.iter().map(|at| actual(at.interval.span())).collect::<Result<_, _>>()?);
    }
    let work: Vec<PlannedJob<'_>> = planned
        .iter()
        .zip(&runtimes)
        .map(|((index, plan), runtimes)| PlannedJob { dag: &jobs[*index].dag, placements: &plan.placements, runtimes })
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
