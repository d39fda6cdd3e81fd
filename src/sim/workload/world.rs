//! A grid with all that happens to it, and the jobs that are submitted to it.

use super::bounds::Actuals;
use super::flow_jobs::{FlowJobs, FlowStreams};
use super::owners::{OwnerTask, draw_outages, draw_owner_tasks};
use super::{DrawError, price_of};
use crate::engine::{Limits, Meter, Stop};
use crate::language::Within;
use crate::model::{Domain, Interval, Job, Node, NodeId};
use crate::rng::{Stream, Streams};
use crate::units::{Performance, Power, Price, Span, Time, UnitsError};
use crate::workload::RuntimeRule;
use crate::workload::{BatchSystemSpec, GlobalFlowSpec, GridDomainSpec};

/// All that is decided before a run: nodes, the tasks of their owners, their outages, and the jobs of the users.
#[derive(Debug, Clone)]
pub struct GridWorld {
    /// The nodes, domain by domain.
    pub nodes: Vec<Node>,
    /// The domains, each a range of nodes.
    pub domains: Vec<Domain>,
    /// The batch system of each domain, if it has one.
    pub systems: Vec<Option<BatchSystemSpec>>,
    /// For each node the owner's tasks in order of start, as far as anybody learns of them in a run.
    pub owners: Vec<Vec<OwnerTask>>,
    /// For each node when it is down, in order.
    pub outages: Vec<Vec<Interval>>,
    /// The names of the users.
    pub users: Vec<String>,
    /// The jobs in order of submission, as far as there is a run.
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
    pub(super) fn home(&self, flow: &GlobalFlowSpec) -> Option<usize> {
        let name = flow.domain.as_ref()?;
        self.domains.iter().position(|domain| domain.name.as_str() == name.as_str())
    }

    /// The work that the nodes for a flow can do in a unit of time: those of its domain, or all.
    pub fn capacity_for(&self, flow: &GlobalFlowSpec) -> f64 {
        self.home(flow).map_or_else(|| self.capacity(), |home| capacity(&self.domains[home]))
    }

    /// The number of nodes for a flow: those of its domain, or all.
    pub fn nodes_for(&self, flow: &GlobalFlowSpec) -> u64 {
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
    draw_until(spec, streams, stop, limits, last_decision)
}

/// The same, where `last` tells the instant after which nobody learns of anything, given the measured jobs and when the run
/// ends at the latest.
#[doc(hidden)]
pub fn draw_until(
    spec: &GridSpec<'_>,
    streams: &Streams,
    stop: &Stop,
    limits: Limits,
    last: impl FnOnce(&[Job], Interval, Time) -> Time,
) -> Result<GridWorld, DrawError> {
    let meter = &mut Meter::new(limits);
    let end = spec.measured.end.checked_add(spec.drain)?;
    let (mut nodes, mut domains) = (Vec::new(), Vec::new());
    for (place, domain) in spec.domains.iter().enumerate() {
        let first = nodes.len() as u32;
        let mut features = streams.member("nodes", place as u64);
        for index in (0..domain.nodes.get()).take_while(|_| !stop.is_set()) {
            nodes.push(draw_node(domain, index, &mut features)?);
            meter.count("drawing nodes", size_of::<Node>(), Time::ZERO)?;
        }
        domains.push(Domain {
            name: domain.name.to_string(),
            first: NodeId(first),
            nodes: nodes.len() - first as usize,
        });
    }
    let (mut users, mut flows) = (Vec::new(), Vec::new());
    for (place, flow) in spec.flows.iter().enumerate() {
        let streams = FlowStreams::new(streams, place as u64);
        flows.push(FlowJobs::new(flow, spec, end, users.len() as u32, (streams, stop, &mut *meter))?);
        let name = |user| if flow.users.get() == 1 { flow.name.to_string() } else { format!("{} {user}", flow.name) };
        users.extend((1..=flow.users.get()).map(name));
    }
    let mut jobs = Vec::new();
    for flow in &mut flows {
        flow.draw(spec, |arrival| arrival < spec.measured.end, &mut jobs, (stop, &mut *meter))?;
    }
    let last = last(&jobs, spec.measured, end);
    for flow in &mut flows {
        flow.draw(spec, |arrival| arrival <= last, &mut jobs, (stop, &mut *meter))?;
    }
    // Stable: jobs submitted at one instant stay in the order of their flows.
    jobs.sort_by_key(|job| job.arrival);
    if spec.overhead > 0.0 {
        jobs.iter_mut().try_for_each(|job| lengthen(job, 1.0 + spec.overhead))?;
    }
    let (mut owners, mut outages) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    for (domain, drawn) in spec.domains.iter().zip(&domains) {
        for node in (owners.len()..).take(drawn.nodes) {
            owners.push(draw_owner_tasks(&domain.owners, end, last, streams, node as u64, meter)?);
            let failures = domain.failures.as_ref().map(|spec| draw_outages(spec, end, streams, node as u64, meter));
            outages.push(failures.transpose()?.unwrap_or_default());
        }
    }
    let systems = spec.domains.iter().map(|domain| domain.batch_system).collect();
    Ok(GridWorld { nodes, domains, systems, owners, outages, users, jobs, measured: spec.measured, end })
}

/// When the last of the measured jobs is decided, at the latest: a job is done by its deadline or given up then. A run
/// ends with that, so that nobody learns of anything later.
#[doc(hidden)]
pub fn last_decision(jobs: &[Job], measured: Interval, end: Time) -> Time {
    let measured_jobs = jobs.iter().filter(|job| measured.contains(job.arrival));
    let decided = |job: &Job| job.request.deadline.map_or(end, |deadline| deadline.max(job.arrival));
    let last = measured_jobs.map(decided).max();
    // Without jobs the owners are watched until the end.
    last.map_or(end, |last| last.max(measured.end).min(end))
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
