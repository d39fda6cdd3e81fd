//! The jobs of a flow, drawn as far as they are needed.

use super::layered::draw_tasks;
use super::local::Rhythm;
use super::synthetic_log::draw_log;
use super::world::GridSpec;
use super::{DrawError, Lublin, draw_count, draw_span, seconds_per_unit};
use crate::engine::{Meter, Stop};
use crate::language::Distribution;
use crate::model::{Dag, Edge, Job, Request, Task};
use crate::rng::{Stream, Streams, below, unit};
use crate::units::{Overflow, Performance, Price, Rounding, Span, Time, UnitsError, runtime_at};
use crate::workload::{ArrivalSpec, DailySpec, GlobalFlowSpec, ListedJobs, RuntimeRule, WorkSpec, WorkflowWork};
use std::iter::{Enumerate, Peekable};

/// A stream for each feature of a flow's jobs, so that a change of one leaves the others as they were.
pub(super) struct FlowStreams {
    arrivals: Stream,
    work: Stream,
    terms: Stream,
    actual: Stream,
    /// A stream for the tasks of each job.
    tasks: Streams,
}

impl FlowStreams {
    pub(super) fn new(streams: &Streams, flow: u64) -> Self {
        let of = |name: &str| streams.member(name, flow);
        let tasks = Streams::new(below(&mut of("tasks"), u64::MAX), streams.replication());
        Self { arrivals: of("arrivals"), work: of("work"), terms: of("terms"), actual: of("actual"), tasks }
    }
}

/// The jobs of a flow that are not drawn yet.
pub(super) struct FlowJobs<'a> {
    flow: &'a GlobalFlowSpec,
    first_user: u32,
    home: Option<u32>,
    streams: FlowStreams,
    /// When jobs arrive that are drawn one by one, with their places.
    arrivals: Peekable<Enumerate<std::vec::IntoIter<Time>>>,
    /// The others.
    listed: Vec<Job>,
}

impl<'a> FlowJobs<'a> {
    /// All jobs of a flow that are submitted before the end.
    pub(super) fn new(
        flow: &'a GlobalFlowSpec,
        spec: &GridSpec<'_>,
        end: Time,
        first_user: u32,
        (mut streams, stop, meter): (FlowStreams, &Stop, &mut Meter),
    ) -> Result<Self, DrawError> {
        let (mut arrivals, mut listed) = (Vec::new(), Vec::new());
        match &flow.work {
            WorkSpec::Listed(jobs) => listed = list_jobs(jobs, flow, first_user, end, &mut streams.terms)?,
            WorkSpec::Log { path, .. } => return Err(DrawError::Unread(path.clone())),
            WorkSpec::Lublin { jobs, load, seconds } => {
                meter.count("drawing a log", size_of::<Job>().saturating_mul(jobs.get() as usize), Time::ZERO)?;
                let nodes = u32::try_from(spec.nodes_for(flow)).unwrap_or(u32::MAX);
                let jobs = u32::try_from(jobs.get()).unwrap_or(u32::MAX);
                let log = Lublin { jobs, nodes, load: load.get(), seed: below(&mut streams.work, u64::MAX) };
                let jobs = draw_log(log, seconds_per_unit(*seconds, spec.time_unit).unwrap_or(1.0))?;
                listed = list_jobs(&jobs, flow, first_user, end, &mut streams.terms)?;
            }
            WorkSpec::Rigid { .. } | WorkSpec::Workflow(_) => {
                arrivals = draw_arrivals(flow, spec.capacity_for(flow), end, (&mut streams.arrivals, stop, meter))?;
            }
        }
        let home = spec.home(flow).map(|home| home as u32);
        Ok(Self { flow, first_user, home, streams, arrivals: arrivals.into_iter().enumerate().peekable(), listed })
    }

    /// Adds the next jobs whose arrivals pass; once `stop` is set, none.
    pub(super) fn draw(
        &mut self,
        spec: &GridSpec<'_>,
        passes: impl Fn(Time) -> bool,
        jobs: &mut Vec<Job>,
        (stop, meter): (&Stop, &mut Meter),
    ) -> Result<(), DrawError> {
        let listed = std::mem::take(&mut self.listed).into_iter();
        let (now, later): (Vec<Job>, Vec<Job>) = listed.partition(|job| passes(job.arrival));
        self.listed = later;
        jobs.extend(now.into_iter().map(|job| Job { home: self.home, ..job }));
        while let Some((index, arrival)) = self.arrivals.next_if(|&(_, arrival)| passes(arrival) && !stop.is_set()) {
            jobs.push(self.draw_job(index, arrival, spec, meter)?);
        }
        Ok(())
    }

    fn draw_job(
        &mut self,
        index: usize,
        arrival: Time,
        spec: &GridSpec<'_>,
        meter: &mut Meter,
    ) -> Result<Job, DrawError> {
        let Self { flow, streams, home, .. } = self;
        let user = self.first_user + below(&mut streams.terms, flow.users.get()) as u32;
        let max_price = Price::from_f64(flow.max_price.sample(&mut streams.terms))?;
        let patience = flow.patience.as_ref().map(|patience| patience.sample(&mut streams.terms));
        let DrawnWork { nodes, length, min_performance, workflow, time } =
            draw_work(&flow.work, spec, index as u64, streams)?;
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
        Ok(Job { user, arrival, request, workflow: workflow.map(Box::new), strategy, actual, home: *home })
    }
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
        WorkSpec::Workflow(WorkflowWork { tasks, nodes, window_factor, min_performance, .. }) => {
            let nodes = draw_count(nodes, &mut streams.work).max(1);
            let min_performance = Performance::from_f64(min_performance.sample(&mut streams.work))?;
            let dag = draw_tasks(tasks, Performance::from_units(1), streams.tasks.member("tasks of a flow", index))?;
            let refusal =
                |error| DrawError::Job { job: format!("job {}", index + 1), field: "longest chain of tasks", error };
            let time = least_time(&dag, min_performance, nodes).map_err(refusal)?;
            let window = window_factor.get() * time.as_f64();
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
