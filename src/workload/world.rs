//! A grid with all that happens to it, and the jobs that are submitted to it.

use super::bounds::Actuals;
use super::layered::draw_tasks;
use super::local::Rhythm;
use super::owners::{OwnerTask, draw_outages, draw_owner_tasks};
use super::synthetic_log::draw_log;
use super::{DrawError, Lublin, draw_count, draw_span, price_of, seconds_per_unit};
use crate::engine::{Limits, Meter, Stop};
use crate::language::{Distribution, Within};
use crate::model::{Dag, Domain, Edge, Interval, Job, Node, NodeId, Request, Task};
use crate::rng::{Stream, Streams, below, unit};
use crate::units::{Overflow, Performance, Power, Price, Rounding, Span, Time, UnitsError, runtime_at};
use crate::workload::RuntimeRule;
use crate::workload::{ArrivalSpec, BatchSystemSpec, DailySpec, GlobalFlowSpec, GridDomainSpec, ListedJobs, WorkSpec};

/// All that is decided before a run: nodes, the tasks of their owners, their outages, and the jobs of the users.
#[derive(Debug, Clone)]
pub struct GridWorld {
    /// The nodes, domain by domain.
    pub nodes: Vec<Node>,
    /// The domains, each a range of nodes.
    pub domains: Vec<Domain>,
    /// The batch system of each domain, if it has one.
    pub systems: Vec<Option<BatchSystemSpec>>,
    /// For each node the owner's tasks in order of start.
    pub owners: Vec<Vec<OwnerTask>>,
    /// For each node when it is down, in order.
    pub outages: Vec<Vec<Interval>>,
    /// The names of the users.
    pub users: Vec<String>,
    /// The jobs in order of submission.
    pub jobs: Vec<Job>,
    /// The jobs submitted in this interval are measured, and the use of nodes in it.
    pub measured: Interval,
    /// When the run ends at the latest.
    pub end: Time,
}

/// The description that a grid is drawn from.
#[derive(Debug, Clone, Copy)]
pub struct GridSpec<'a> {
    /// The jobs submitted in this interval are measured.
    pub measured: Interval,
    /// The longest time after it that the run may go on.
    pub drain: Span,
    /// The nodes, domain by domain.
    pub domains: &'a [GridDomainSpec],
    /// The global jobs.
    pub flows: &'a [GlobalFlowSpec],
    /// The rule by which a job's length becomes a runtime.
    pub runtime: RuntimeRule,
    /// The real runtime of a task as a share of its estimate.
    pub actual: &'a Within<Actuals>,
    /// The share by which checkpoints make jobs longer, known to their users but for deadlines.
    pub overhead: f64,
    /// The name of the unit of time.
    pub time_unit: &'a str,
}

impl GridSpec<'_> {
    /// The work that all nodes can do in a unit of time, on average over the draws of their performance.
    pub(crate) fn capacity(&self) -> f64 {
        self.domains.iter().map(capacity).sum()
    }

    /// The position of the domain that the jobs of a flow are local jobs of.
    fn home(&self, flow: &GlobalFlowSpec) -> Option<usize> {
        let name = flow.domain.as_ref()?;
        self.domains.iter().position(|domain| domain.name.as_str() == name.as_str())
    }

    /// The work that the nodes for a flow can do in a unit of time: those of its domain, or all.
    pub(crate) fn capacity_for(&self, flow: &GlobalFlowSpec) -> f64 {
        self.home(flow).map_or_else(|| self.capacity(), |home| capacity(&self.domains[home]))
    }

    /// The number of nodes for a flow: those of its domain, or all.
    pub(crate) fn nodes_for(&self, flow: &GlobalFlowSpec) -> u64 {
        let all = || self.domains.iter().fold(0, |sum: u64, domain| sum.saturating_add(domain.nodes.get()));
        self.home(flow).map_or_else(all, |home| self.domains[home].nodes.get())
    }
}

/// The work that the nodes of a domain can do in a unit of time.
fn capacity(domain: &GridDomainSpec) -> f64 {
    domain.nodes.get() as f64 * domain.performance.mean()
}

/// Draws a world within the usual limits. Once `stop` is set, what is left to draw is left out.
pub fn draw_grid(spec: &GridSpec<'_>, streams: &Streams, stop: &Stop) -> Result<GridWorld, DrawError> {
    draw_grid_within(spec, streams, stop, Limits::DEFAULT)
}

/// The same within limits of one's own.
pub fn draw_grid_within(
    spec: &GridSpec<'_>,
    streams: &Streams,
    stop: &Stop,
    limits: Limits,
) -> Result<GridWorld, DrawError> {
    let meter = &mut Meter::new(limits);
    let end = spec.measured.end.checked_add(spec.drain)?;
    let (mut nodes, mut domains) = (Vec::new(), Vec::new());
    let (mut owners, mut outages) = (Vec::new(), Vec::new());
    for (place, domain) in spec.domains.iter().enumerate() {
        let first = nodes.len() as u32;
        let mut features = streams.member("nodes", place as u64);
        for index in (0..domain.nodes.get()).take_while(|_| !stop.is_set()) {
            let node = nodes.len() as u64;
            nodes.push(draw_node(domain, index, &mut features)?);
            meter.count("drawing nodes", size_of::<Node>(), Time::ZERO)?;
            owners.push(draw_owner_tasks(&domain.owners, end, streams, node, meter)?);
            let failures = domain.failures.as_ref().map(|spec| draw_outages(spec, end, streams, node, meter));
            outages.push(failures.transpose()?.unwrap_or_default());
        }
        domains.push(Domain {
            name: domain.name.to_string(),
            first: NodeId(first),
            nodes: nodes.len() - first as usize,
        });
    }
    let (mut users, mut jobs) = (Vec::new(), Vec::new());
    for (place, flow) in spec.flows.iter().enumerate() {
        let streams = FlowStreams::new(streams, place as u64);
        let drawn = draw_flow(flow, spec, end, users.len() as u32, (streams, stop, &mut *meter))?;
        let home = spec.home(flow).map(|home| home as u32);
        jobs.extend(drawn.into_iter().map(|job| Job { home, ..job }));
        let name = |user| if flow.users.get() == 1 { flow.name.to_string() } else { format!("{} {user}", flow.name) };
        users.extend((1..=flow.users.get()).map(name));
    }
    // Stable: jobs submitted at one instant stay in the order of their flows.
    jobs.sort_by_key(|job| job.arrival);
    if spec.overhead > 0.0 {
        jobs.iter_mut().try_for_each(|job| lengthen(job, 1.0 + spec.overhead))?;
    }
    let systems = spec.domains.iter().map(|domain| domain.batch_system).collect();
    Ok(GridWorld { nodes, domains, systems, owners, outages, users, jobs, measured: spec.measured, end })
}

/// Makes a job this many times as long.
fn lengthen(job: &mut Job, factor: f64) -> Result<(), DrawError> {
    let refusal = |field| {
        let job = job.request.name.clone();
        move |error| DrawError::Job { job, field, error }
    };
    let length = Span::from_f64(job.request.length.as_f64() * factor).map_err(refusal("length"))?;
    let workflow = job.workflow.as_deref().map(|dag| dag.longer(factor).map_err(refusal("tasks"))).transpose()?;
    (job.request.length, job.workflow) = (length, workflow.map(Box::new));
    Ok(())
}

fn draw_node(domain: &GridDomainSpec, index: u64, stream: &mut Stream) -> Result<Node, UnitsError> {
    let performance = domain.performance.sample(stream);
    let spread = 1.0 + domain.price_spread.sample(stream);
    let price = price_of(performance, domain.price_scale.get(), domain.price_slope.get()) * spread;
    Ok(Node {
        name: format!("{}-{}", domain.name, index + 1),
        performance: Performance::from_f64(performance)?,
        price: Price::from_f64(price)?,
        power: Power::from_f64(performance * performance)?,
    })
}

/// A stream for each feature of a flow's jobs, so that a change of one leaves the others as they were.
struct FlowStreams {
    arrivals: Stream,
    work: Stream,
    terms: Stream,
    actual: Stream,
    /// A stream for the tasks of each job.
    tasks: Streams,
}

impl FlowStreams {
    fn new(streams: &Streams, flow: u64) -> Self {
        let of = |name: &str| streams.member(name, flow);
        let tasks = Streams::new(below(&mut of("tasks"), u64::MAX), streams.replication());
        Self { arrivals: of("arrivals"), work: of("work"), terms: of("terms"), actual: of("actual"), tasks }
    }
}

fn draw_flow(
    flow: &GlobalFlowSpec,
    spec: &GridSpec<'_>,
    end: Time,
    first_user: u32,
    (mut streams, stop, meter): (FlowStreams, &Stop, &mut Meter),
) -> Result<Vec<Job>, DrawError> {
    match &flow.work {
        WorkSpec::Listed(listed) => return list_jobs(listed, flow, first_user, end, &mut streams.terms),
        WorkSpec::Log { path, .. } => return Err(DrawError::Unread(path.clone())),
        WorkSpec::Lublin { jobs, load, seconds } => {
            meter.count("drawing a log", size_of::<Job>().saturating_mul(jobs.get() as usize), Time::ZERO)?;
            let nodes = u32::try_from(spec.nodes_for(flow)).unwrap_or(u32::MAX);
            let jobs = u32::try_from(jobs.get()).unwrap_or(u32::MAX);
            let log = Lublin { jobs, nodes, load: load.get(), seed: below(&mut streams.work, u64::MAX) };
            let listed = draw_log(log, seconds_per_unit(*seconds, spec.time_unit).unwrap_or(1.0))?;
            return list_jobs(&listed, flow, first_user, end, &mut streams.terms);
        }
        WorkSpec::Rigid { .. } | WorkSpec::Workflow { .. } => {}
    }
    let arrivals = draw_arrivals(flow, spec.capacity_for(flow), end, (&mut streams.arrivals, stop, &mut *meter))?;
    let draw_job = |(index, arrival): (usize, Time)| {
        let user = first_user + below(&mut streams.terms, flow.users.get()) as u32;
        let max_price = Price::from_f64(flow.max_price.sample(&mut streams.terms))?;
        let patience = flow.patience.as_ref().map(|patience| patience.sample(&mut streams.terms));
        let DrawnWork { nodes, length, min_performance, workflow, time } =
            draw_work(&flow.work, spec, index as u64, &mut streams)?;
        let name = format!("{}-{}", flow.name, index + 1);
        let tasks = workflow.as_ref().map_or(1, |dag| dag.tasks().len() + dag.edges().len());
        let bytes = size_of::<Job>() + name.len() + tasks * (size_of::<Task>() + size_of::<Edge>());
        meter.count("drawing jobs", bytes, arrival)?;
        let request = Request {
            deadline: deadline(&name, arrival, patience, time)?,
            name,
            nodes,
            length,
            min_performance,
            max_price,
        };
        let tasks = workflow.as_ref().map_or(1, |dag| dag.tasks().len());
        let actual = (0..tasks).map(|_| spec.actual.sample(&mut streams.actual)).collect();
        let strategy = flow.work.strategy();
        Ok(Job { user, arrival, request, workflow: workflow.map(Box::new), strategy, actual, home: None })
    };
    arrivals.into_iter().take_while(|_| !stop.is_set()).enumerate().map(draw_job).collect()
}

/// The listed jobs that are submitted before the end; users and prices are drawn.
fn list_jobs(
    listed: &ListedJobs,
    flow: &GlobalFlowSpec,
    first_user: u32,
    end: Time,
    terms: &mut Stream,
) -> Result<Vec<Job>, DrawError> {
    let mut jobs = Vec::with_capacity(listed.jobs.len());
    for (index, job) in listed.jobs.iter().enumerate() {
        let user = first_user + below(terms, flow.users.get()) as u32;
        let max_price = Price::from_f64(flow.max_price.sample(terms))?;
        let patience = flow.patience.as_ref().map(|patience| patience.sample(terms));
        let name = format!("{}-{}", flow.name, index + 1);
        let request = Request {
            deadline: deadline(&name, job.submit, patience, job.length)?,
            name,
            nodes: job.nodes.get() as usize,
            length: job.length,
            min_performance: Performance::from_ticks(1),
            max_price,
        };
        if job.submit < end {
            jobs.push(Job {
                user,
                arrival: job.submit,
                request,
                workflow: None,
                strategy: None,
                actual: vec![job.actual.get()],
                home: None,
            });
        }
    }
    Ok(jobs)
}

/// When a job that would take `time` must be done, if its user has so many times as much patience.
fn deadline(job: &str, submit: Time, patience: Option<f64>, time: Span) -> Result<Option<Time>, DrawError> {
    let Some(patience) = patience else { return Ok(None) };
    let refusal = |error| DrawError::Job { job: job.into(), field: "deadline", error };
    let allowed = Span::from_f64(patience * time.as_f64()).map_err(refusal)?;
    let deadline = submit.checked_add(allowed).map_err(|overflow| refusal(overflow.into()))?;
    // Later than any run ends: nothing changes for the job, and sums stay within their range.
    Ok(Some(deadline.min(Time::REACH)))
}

/// The work of a job.
struct DrawnWork {
    nodes: usize,
    length: Span,
    min_performance: Performance,
    workflow: Option<Dag>,
    /// The least time that it takes on the slowest nodes that will do, or for a rigid job on nodes of performance 1.
    time: Span,
}

fn draw_work(
    work: &WorkSpec,
    spec: &GridSpec<'_>,
    index: u64,
    streams: &mut FlowStreams,
) -> Result<DrawnWork, DrawError> {
    match work {
        // None of these is drawn job by job.
        WorkSpec::Log { .. } | WorkSpec::Lublin { .. } | WorkSpec::Listed(_) => {
            let (length, min_performance) = (Span::from_ticks(1), Performance::from_units(1));
            Ok(DrawnWork { nodes: 1, length, min_performance, workflow: None, time: length })
        }
        WorkSpec::Rigid { nodes, length, min_performance } => {
            let nodes = draw_count(nodes, &mut streams.work).max(1);
            let length = draw_span(length, &mut streams.work)?.max(Span::from_ticks(1));
            let min_performance = Performance::from_f64(min_performance.sample(&mut streams.work))?;
            Ok(DrawnWork { nodes, length, min_performance, workflow: None, time: length })
        }
        WorkSpec::Workflow { tasks, nodes, interval_factor, min_performance, .. } => {
            let nodes = draw_count(nodes, &mut streams.work).max(1);
            let min_performance = Performance::from_f64(min_performance.sample(&mut streams.work))?;
            let dag = draw_tasks(tasks, Performance::from_units(1), streams.tasks.member("tasks of a flow", index))?;
            let refusal =
                |error| DrawError::Job { job: format!("job {}", index + 1), field: "longest chain of tasks", error };
            let time = least_time(&dag, min_performance, nodes).map_err(refusal)?;
            let window = interval_factor.get() * time.as_f64();
            // The rule turns the length into the runtime on each node; on the slowest that will do it is to be the
            // window's.
            let length = match spec.runtime {
                RuntimeRule::Reference => window * min_performance.as_f64(),
                RuntimeRule::Volume => window,
            };
            let refusal = |error| DrawError::Job { job: format!("job {}", index + 1), field: "window", error };
            let length = Span::from_f64(length).map_err(refusal)?.max(Span::from_ticks(1));
            Ok(DrawnWork { nodes, length, min_performance, workflow: Some(dag), time })
        }
    }
}

/// The least time that a workflow could take on so many nodes of this performance: that of its longest chain of tasks,
/// or of all its work shared evenly if that is longer.
pub(crate) fn least_time(dag: &Dag, performance: Performance, nodes: usize) -> Result<Span, UnitsError> {
    Ok(longest_chain(dag, performance)?.max(shared_evenly(dag, performance, nodes)?))
}

/// The time that the longest chain of tasks takes on nodes of this performance, transfers included.
fn longest_chain(dag: &Dag, performance: Performance) -> Result<Span, Overflow> {
    let mut ends = vec![Span::ZERO; dag.tasks().len()];
    for &task in dag.order() {
        let mut ready = Span::ZERO;
        for edge in dag.predecessors(task) {
            ready = ready.max(ends[edge.from.index()].checked_add(edge.transfer)?);
        }
        let volume = dag.tasks()[task.index()].volume;
        let runtime = runtime_at(volume, performance, Rounding::Tick).ok_or(Overflow)?;
        ends[task.index()] = ready.checked_add(runtime.max(Span::from_ticks(1)))?;
    }
    Ok(ends.into_iter().max().unwrap_or(Span::from_ticks(1)))
}

/// The time that all tasks take if so many nodes of this performance share the work evenly.
fn shared_evenly(dag: &Dag, performance: Performance, nodes: usize) -> Result<Span, UnitsError> {
    let work: f64 = dag.tasks().iter().map(|task| task.volume.as_f64()).sum();
    Span::from_f64(work / (nodes as f64 * performance.as_f64()))
}

/// When the jobs of a flow are submitted.
fn draw_arrivals(
    flow: &GlobalFlowSpec,
    capacity: f64,
    end: Time,
    (stream, stop, meter): (&mut Stream, &Stop, &mut Meter),
) -> Result<Vec<Time>, DrawError> {
    let mut arrivals = Vec::new();
    let mut clock = Time::ZERO;
    if let Some(ArrivalSpec::Batches { every, first, size }) = &flow.arrivals {
        clock = clock.checked_add(*first)?;
        while clock < end && !stop.is_set() {
            let jobs = draw_count(size, stream);
            meter.count("drawing batches", jobs * size_of::<Time>(), clock)?;
            arrivals.extend(std::iter::repeat_n(clock, jobs));
            clock = clock.checked_add(*every)?;
        }
        return Ok(arrivals);
    }
    let daily = match &flow.arrivals {
        Some(ArrivalSpec::Poisson { daily, .. } | ArrivalSpec::Load { daily, .. }) => daily.as_ref(),
        Some(ArrivalSpec::Batches { .. }) | None => None,
    };
    // Candidates come at the highest rate of the day and are thinned to the rate of the hour.
    let gap = flow.mean_gap(capacity) * daily.map_or(1.0, DailySpec::mean_share);
    let Some(mean) = crate::language::Positive::new(gap) else { return Ok(arrivals) };
    let gap = Distribution::Exponential { mean };
    let rhythm = daily.map(Rhythm::new);
    loop {
        clock = clock.checked_add(draw_span(&gap, stream)?)?;
        if clock >= end || stop.is_set() {
            return Ok(arrivals);
        }
        meter.count("drawing the times of jobs", size_of::<Time>(), clock)?;
        if rhythm.as_ref().is_none_or(|rhythm| unit(stream) < rhythm.share(clock)) {
            arrivals.push(clock);
        }
    }
}
