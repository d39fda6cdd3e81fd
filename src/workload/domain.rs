//! Nodes of several types for jobs made of tasks.

use super::environment::fill;
use crate::model::{Dag, Interval};
use crate::rng::Streams;
use crate::scenario::schema::{DomainSpec, NodeCount};
use crate::units::{Span, UnitsError, Volume};

/// The nodes that one job may use.
#[derive(Debug, Clone, PartialEq)]
pub struct Domain {
    /// By node: how many times slower than the fastest type it is.
    pub slower: Vec<f64>,
    /// By node: when its owner leaves it free.
    pub free: Vec<Vec<Interval>>,
}

/// Draws nodes for `dag` and their owners' tasks during `interval`.
pub fn draw_domain(spec: &DomainSpec, dag: &Dag, interval: Interval, streams: &Streams) -> Domain {
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
    Domain { slower: slower.collect(), free: (0..count).map(free).collect() }
}

/// How long a task of `volume` takes on a node that is `slower` times slower than the fastest of `spec`.
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
