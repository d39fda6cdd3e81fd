//! A flow of jobs: one after another on the same nodes, planned, executed and sent to the grid (file 001, Table 3).

use super::on_grid::{GridRun, GridSetting, run_on_grid};
use super::planning::{Attempt, WorkflowJob, attempt};
use super::{COLLISIONS, FlowSpec, FlowWay, IN_EXECUTION, OptimalReading, WorkflowCase, Workflows, figures};
use crate::check::{Facts, check_execution};
use crate::metrics::{Better, Metric, PERCENT, TIME, copies};
use crate::model::Interval;
use crate::rng::Streams;
use crate::sim::{PlannedJob, execute};
use crate::study::replicate::Trial;
use crate::study::{Figure, FigureKind, Findings, Observations, Place, RunError, Scale, file_name};
use crate::units::{Money, Overflow, Span, Time, counted};
use crate::workflow::{Method, Plan, PlanProblem, contention_free, free_of_own_contention, least_cost};

/// The experiment of all rows.
const EXPERIMENT: &str = "job flow";

/// A share of the jobs of a flow in per cent.
const fn percent(name: &'static str, meaning: &'static str, better: Better) -> Metric {
    Metric::new(name, PERCENT, meaning).within(0.0, 100.0).better(better)
}

/// The metrics of a flow, in the order of [`measure`].
static METRICS: [&Metric; 9] = [
    &Metric::new("execution time", TIME, "From the sending of the first job to the end of the last job's interval.")
        .at_least(0.0)
        .better(Better::Less),
    &percent(
        "optimal schedules (%)",
        "Jobs (on the grid: done) that cost no more than if nothing were in the way of any chain.",
        Better::More,
    ),
    &percent(
        "exactly optimal (%)",
        "Jobs (on the grid: done) that cost the least possible, of those whose least cost is known.",
        Better::More,
    ),
    &COLLISIONS,
    &Metric::new("load, forecast", "share of node time", "Node time within a job's interval that its plan takes.")
        .within(0.0, 1.0),
    &Metric::new("load, fact", "share of node time", "Node time that a job took in fact, over that of its interval.")
        .at_least(0.0),
    &Metric::new(
        "job cost",
        "units",
        "Cost of a job that has a place; on the grid, of a job done, on the nodes it ran on.",
    )
    .only_of("jobs with a place")
    .at_least(0.0)
    .better(Better::Less),
    &percent("jobs without a place (%)", "Jobs that found no place in their interval.", Better::Less),
    &percent(
        "jobs late in fact (%)",
        "Jobs that ended after their interval; on the grid, that were not done by its end.",
        Better::Less,
    ),
];

/// Those that have a figure each.
const SHOWN: [usize; 4] = [0, 1, 3, 6];
/// The name of the metric that compares flows.
const TIME_RATIO: &str = "execution time ratio";

/// All metrics of a flow.
pub(super) fn metrics() -> impl Iterator<Item = Metric> {
    let ratio = METRICS[0].ratio(TIME_RATIO, "the first flow");
    copies(&METRICS).into_iter().chain([ratio, IN_EXECUTION.clone()])
}

/// A job, whenever it is sent.
struct FlowJob {
    job: WorkflowJob,
    /// The cost by the critical jobs method when nothing is in the way of any chain; nothing if it has no place even so.
    yardstick: Option<Money>,
    /// The least cost, if that was searched for and found.
    least: Option<Money>,
}

impl FlowJob {
    fn draw(
        spec: &Workflows,
        (flow, case): (&FlowSpec, &WorkflowCase),
        (streams, trial): (&Streams, &Trial<'_>),
        index: u64,
    ) -> Result<Self, RunError> {
        trial.stop().check()?;
        let job = WorkflowJob::draw(spec, case, streams, index)?;
        let alone = job.problem(spec, trial.stop());
        let yardstick = contention_free(&alone, &mut streams.member("ties", index)).ok();
        let least = flow.exact_limit.map(|limit| least_cost(&alone, limit.get()));
        let least = least.transpose().map_err(|_| Overflow)?.flatten();
        Ok(Self { job, yardstick, least })
    }
}

pub(super) fn run(spec: &Workflows, flow: &FlowSpec, trial: &Trial<'_>) -> Result<Findings, RunError> {
    let one = |streams: Streams| {
        let mut observations = Observations::default();
        for case in spec.cases.iter() {
            observe(spec, (flow, case), (&streams, trial), &mut observations)?;
        }
        Ok(observations)
    };
    Ok(Findings { rows: trial.replicate(one)?, figures: figures(spec, flow), ..Findings::default() })
}

/// The figures of a flow.
fn figures(spec: &Workflows, flow: &FlowSpec) -> Vec<Figure> {
    let jobs = counted(flow.jobs.get(), "job");
    let figure = |metric: Metric| Figure {
        file: format!("flow-{}", file_name(metric.name())),
        caption: format!("{jobs} per flow, planned around the reservations of those before them."),
        ..figures::bars(EXPERIMENT, &metric, FigureKind::Bars)
    };
    SHOWN.map(|at| figure(METRICS[at].clone().with_times_in(&spec.time_unit))).to_vec()
}

/// All flows of the same jobs.
fn observe<'a>(
    spec: &'a Workflows,
    (flow, case): (&'a FlowSpec, &'a WorkflowCase),
    (streams, trial): (&Streams, &Trial<'_>),
    observations: &mut Observations<'a>,
) -> Result<(), RunError> {
    let jobs = (0..flow.jobs.get()).map(|index| FlowJob::draw(spec, (flow, case), (streams, trial), index));
    let jobs = jobs.collect::<Result<Vec<FlowJob>, RunError>>()?;
    for &method in spec.methods.iter() {
        let mut times: Vec<Place> = Vec::new();
        for way in flow.ways.iter() {
            let name = spec.flow_series(case, method, way);
            let sending =
                Sending { spec, flow, method, jobs: &jobs, intervals: intervals(way, &jobs)?, streams, trial };
            let (sent, around) = sending.plan_and_execute()?;
            let yardsticks: Vec<Option<Money>> = match flow.optimal {
                OptimalReading::EmptyNodes => jobs.iter().map(|job| job.yardstick).collect(),
                OptimalReading::AroundEarlierJobs => around,
            };
            let mut series = observations.of(EXPERIMENT, name.clone());
            let values = METRICS.into_iter().zip(sending.measure(&yardsticks, &sent));
            let places: Vec<Place> = values.map(|(metric, value)| series.add(metric, value)).collect();
            times.push(places[0]);
            for run in spec.on_grid.iter().filter(|run| run.methods(&spec.methods).contains(&method)) {
                let (sent, in_execution) = sending.send_to_grid(run)?;
                let mut series = observations.of(EXPERIMENT, run.series(&name));
                for (metric, value) in METRICS.into_iter().zip(sending.measure(&yardsticks, &sent)) {
                    series.add(metric, value);
                }
                series.add(&IN_EXECUTION, in_execution);
            }
        }
        let name = |way| spec.flow_series(case, method, way);
        for (way, &time) in flow.ways.iter().zip(&times).skip(1) {
            let mut series = observations.of(EXPERIMENT, format!("{} against {}", name(way), name(&flow.ways[0])));
            series.ratio(TIME_RATIO, time, times[0], Scale::Plain);
        }
    }
    Ok(())
}

/// The intervals of the jobs, sent one after another, each when a share k of the one before's interval is over.
fn intervals(way: &FlowWay, jobs: &[FlowJob]) -> Result<Vec<Interval>, RunError> {
    let mut start = Time::ZERO;
    let mut intervals = Vec::with_capacity(jobs.len());
    for job in jobs {
        let length = job.job.interval.span();
        intervals.push(Interval::new(start, start.checked_add(length)?));
        start = start.checked_add(Span::from_f64(length.as_f64() * way.k.get())?)?;
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

/// The jobs of a flow, sent in one way by one method.
struct Sending<'a> {
    spec: &'a Workflows,
    flow: &'a FlowSpec,
    method: Method,
    jobs: &'a [FlowJob],
    intervals: Vec<Interval>,
    streams: &'a Streams,
    trial: &'a Trial<'a>,
}

impl Sending<'_> {
    fn nodes(&self) -> usize {
        self.jobs[0].job.domain.free.len()
    }

    /// The metrics of a flow, by its jobs that found a place.
    fn measure(&self, yardsticks: &[Option<Money>], sent: &[SentOutcome]) -> [Option<f64>; METRICS.len()] {
        let (jobs, intervals, nodes) = (self.jobs, &self.intervals, self.nodes());
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
    /// found a place stands, for each job, what it would cost around earlier jobs if its own chains were not in each
    /// other's way, where that is asked for.
    fn plan_and_execute(&self) -> Result<(Vec<SentOutcome>, Vec<Option<Money>>), RunError> {
        let mut reserved: Vec<Vec<Interval>> = vec![Vec::new(); self.nodes()];
        let mut planned: Vec<(usize, Plan)> = Vec::new();
        let mut around = vec![None; self.jobs.len()];
        for (index, (FlowJob { job, .. }, &interval)) in self.jobs.iter().zip(&self.intervals).enumerate() {
            reserved.iter_mut().for_each(|held| held.retain(|held| held.end > interval.start));
            let free = vec![vec![interval]; self.nodes()];
            let alone = job.problem(self.spec, self.trial.stop());
            let (release, deadline) = (interval.start, interval.end);
            let problem = PlanProblem { free: &free, reserved: &reserved, release, deadline, ..alone };
            let ties = || self.streams.member("ties", index as u64);
            if self.flow.optimal == OptimalReading::AroundEarlierJobs {
                around[index] = free_of_own_contention(&problem, &mut ties()).ok();
            }
            if let Attempt::Planned(plan) = attempt(self.method, &problem, &mut ties())? {
                for at in &plan.placements {
                    let held = &mut reserved[at.node.index()];
                    held.insert(held.partition_point(|held| held.start < at.interval.start), at.interval);
                }
                planned.push((index, plan));
            }
        }
        let facts = self.execute(&planned)?;
        let outcome = |((index, plan), (fact, end)): (&(usize, Plan), (f64, Time))| SentOutcome {
            index: *index,
            collisions: plan.collisions.len(),
            forecast: plan.busy().as_f64(),
            fact,
            cost: Some(plan.cost),
            is_late: end > self.intervals[*index].end,
        };
        Ok((planned.iter().zip(facts).map(outcome).collect(), around))
    }

    /// Sends the jobs to the connected grid; those that found a place, and the mean number of their collisions in
    /// execution.
    fn send_to_grid(&self, run: &GridRun) -> Result<(Vec<SentOutcome>, Option<f64>), RunError> {
        let Self { spec, method, trial, .. } = *self;
        let jobs: Vec<_> = self.jobs.iter().zip(&self.intervals).map(|(job, &at)| (&job.job.dag, at)).collect();
        let setting = GridSetting { spec, first: &self.jobs[0].job, method, trial };
        let facts = run_on_grid(run, &setting, &jobs, self.streams)?;
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
    fn execute(&self, planned: &[(usize, Plan)]) -> Result<Vec<(f64, Time)>, RunError> {
        let mut runtimes: Vec<Vec<Span>> = Vec::with_capacity(planned.len());
        for (index, plan) in planned {
            let mut stream = self.streams.member("runtimes", *index as u64);
            let mut actual =
                |planned: Span| Span::from_f64(planned.as_f64() * self.flow.runtime_factor.sample(&mut stream));
            runtimes.push(plan.placements.iter().map(|at| actual(at.interval.span())).collect::<Result<_, _>>()?);
        }
        let work: Vec<PlannedJob<'_>> = planned
            .iter()
            .zip(&runtimes)
            .map(|((index, plan), runtimes)| PlannedJob {
                dag: &self.jobs[*index].job.dag,
                placements: &plan.placements,
                runtimes,
            })
            .collect();
        let ran = execute(&work, self.nodes(), self.spec.transfers)?;
        let facts: Vec<Facts<'_>> = work
            .iter()
            .zip(&ran)
            .map(|(job, ran)| Facts { dag: job.dag, planned: job.placements, ran, runtimes: job.runtimes })
            .collect();
        check_execution(&facts, self.spec.transfers)?;
        let fact = |ran: &Vec<Interval>| {
            let busy = ran.iter().map(|interval| interval.span().as_f64()).sum();
            (busy, ran.iter().map(|interval| interval.end).max().unwrap_or(Time::ZERO))
        };
        Ok(ran.iter().map(fact).collect())
    }
}
