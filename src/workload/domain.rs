//! Nodes of several types for jobs made of tasks.

use super::environment::fill;
use super::tasks::{Extent, TASKS_LIMIT, TasksSpec};
use crate::language::{Context, Count, Cursor, Distribution, Fraction, NonEmpty, Positive};
use crate::model::{Dag, Interval};
use crate::rng::Streams;
use crate::units::{Performance, REACH, Span, UnitsError, Volume};
use crate::{choice, record};

/// The most pairs of a task and a node: each has an estimate.
const PAIRS_LIMIT: f64 = 2e7;

record! {
    /// The nodes that a job may use.
    pub struct DomainSpec {
        /// The number of nodes.
        #[unit = "nodes"]
        nodes: NodeCount,
        /// The types of nodes: how many times slower than the fastest each is. Nodes take the types in turn.
        #[unit = "factor of the time on the fastest type"]
        types: NonEmpty<Positive>,
        /// The work that the fastest type does in a unit of time: the volume of a task is this times its time there.
        #[unit = "work per unit of time"]
        performance: Performance = Performance::from_units(1),
        /// The share of the interval that owners' tasks take on each node.
        #[unit = "share of the interval"]
        occupancy: Fraction = Fraction::ZERO,
        /// The length of the tasks of owners, rounded to whole units of time.
        #[unit = "units of time"]
        local_length: Distribution = Distribution::Constant(crate::language::Finite::of(1.0)),
    }
    check(this, at, errors) {
        this.local_length.require_support(&at.field("local_length"), errors, 1.0..=f64::INFINITY);
        if this.types.iter().all(|slower| slower.get() > 1.0) {
            errors.add(&at.field("types"), "no type is the fastest", "let one of them be 1");
        }
        if let Some(index) = this.types.iter().position(|slower| slower.get() < 1.0) {
            errors.add(&at.field("types").element(index), "this is faster than the fastest", "give 1 or more");
        }
        if this.occupancy.get() >= 1.0 {
            errors.add(&at.field("occupancy"), "owners would leave nothing", "give less than 1");
        }
        if this.performance == Performance::ZERO {
            errors.add(&at.field("performance"), "nothing would ever be done", "give more than 0");
        }
    }
}

choice! {
    /// The number of nodes.
    #[derive(Copy)]
    pub enum NodeCount {
        /// This many.
        #[unit = "nodes"]
        Total(Count),
        /// So many for each tier of the job: J = j * N.
        PerTier {
            /// The number of nodes for each tier, j.
            #[unit = "nodes per tier"]
            each: Count,
        },
    }
    number => Total
    check(this, at, errors) {
        let (NodeCount::Total(count) | NodeCount::PerTier { each: count }) = this;
        if count.get() > TASKS_LIMIT {
            errors.add(at, format!("that is {} nodes", count.get()), format!("keep it to {TASKS_LIMIT}"));
        }
    }
}

/// Reports jobs that are too large for these nodes, or whose times could leave the range of numbers.
pub(crate) fn report_size(tasks: &TasksSpec, domain: &DomainSpec, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let slowest = domain.types.iter().fold(1.0, |slowest: f64, slower| slowest.max(slower.get()));
    // A file is judged once it is read.
    let Some(Extent { tasks: count, tiers, time, transfer }) = tasks.extent() else { return };
    let nodes = match domain.nodes {
        NodeCount::Total(count) => count.get() as f64,
        NodeCount::PerTier { each } => each.get() as f64 * tiers,
    };
    if count * nodes > PAIRS_LIMIT {
        let wrong = format!("{count} tasks on {nodes} nodes are too many");
        errors.add(at, wrong, format!("keep their product to {PAIRS_LIMIT:.0e}"));
    }
    let length = time * slowest + transfer;
    if length.max(time * domain.performance.as_f64()) > REACH {
        errors.add(
            at,
            format!("the job could take up to {length:.0e} time units"),
            format!("keep times, transfers and volumes below {REACH:.0e} in all"),
        );
    }
}

/// The nodes that one job may use.
#[derive(Debug, Clone, PartialEq)]
pub struct TaskDomain {
    /// By node: how many times slower than the fastest type it is.
    pub slower: Vec<f64>,
    /// By node: when its owner leaves it free.
    pub free: Vec<Vec<Interval>>,
}

/// Draws nodes for `dag` and their owners' tasks during `interval`.
pub(crate) fn draw_domain(spec: &DomainSpec, dag: &Dag, interval: Interval, streams: &Streams) -> TaskDomain {
    let count = match spec.nodes {
        NodeCount::Total(count) => count.get(),
        NodeCount::PerTier { each } => each.get() * depth(dag).max(1),
    };
    let slower = (0..count as usize).map(|node| spec.types[node % spec.types.len()].get());
    let free = |node: u64| {
        let mut stream = streams.member("local", node);
        let timeline = fill(interval, spec.occupancy.get(), &spec.local_length, &mut stream);
        timeline.free_within(interval).collect()
    };
    TaskDomain { slower: slower.collect(), free: (0..count).map(free).collect() }
}

/// The time that a task of `volume` takes on a node that is `slower` times slower than the fastest of `spec`.
pub fn estimate(spec: &DomainSpec, volume: Volume, slower: f64) -> Result<Span, UnitsError> {
    Span::from_f64(volume.as_f64() / spec.performance.as_f64() * slower)
}

/// The number of tiers: how many tasks the longest row has.
fn depth(dag: &Dag) -> u64 {
    let mut depths = vec![1; dag.tasks().len()];
    for &task in dag.order() {
        for edge in dag.successors(task) {
            depths[edge.to.index()] = depths[edge.to.index()].max(depths[task.index()] + 1);
        }
    }
    depths.into_iter().max().unwrap_or(0)
}
