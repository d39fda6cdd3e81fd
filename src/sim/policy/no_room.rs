//! Workflows without time in a domain are left alone until time becomes free there that they could use.

use super::gains::is_of_no_use;
use super::{View, Waiting};
use crate::model::{Dag, Domain, Edge, Interval, NodeId};
use crate::rng::Stream;
use crate::units::{Rounding, Span, Time, Volume, runtime_at};
use crate::workflow::skip_chain;

/// A workflow whose first chain has no place on some nodes of a domain, and that could not be planned in the time there
/// even if its tasks did not stand in each other's way. Both stay so until time becomes free.
#[derive(Debug, Clone)]
pub(super) struct NoRoom {
    /// The work, and the data between its parts.
    volumes: Vec<Volume>,
    edges: Vec<Edge>,
    /// The nodes on which it was to be planned.
    nodes: Vec<NodeId>,
    release: Time,
    deadline: Time,
    /// The number of tasks of the first chain.
    chain: usize,
    /// The time that had become free by then.
    mark: u64,
}

impl NoRoom {
    /// Remembers that `waiting` has no room on `nodes`, where its first chain has so many tasks; nothing if that may
    /// change without time becoming free.
    pub(super) fn of(view: &View<'_>, waiting: &Waiting<'_>, nodes: &[NodeId], chain: usize) -> Option<Self> {
        let (time, dag) = (view.slots.by_node()?, waiting.workflow?);
        // Beyond the bounds there is more time than is listed.
        let deadline = waiting.request.deadline.filter(|&deadline| deadline <= time.bounds().end)?;
        Some(Self {
            volumes: volumes(dag).collect(),
            edges: dag.edges().to_vec(),
            nodes: nodes.to_vec(),
            release: waiting.ready.max(view.now),
            deadline,
            chain,
            mark: time.freed().mark(),
        })
    }

    /// True if that is still so.
    pub(super) fn holds(&mut self, view: &View<'_>, waiting: &Waiting<'_>, domain: &Domain, nodes: &[NodeId]) -> bool {
        let (Some(time), Some(dag)) = (view.slots.by_node(), waiting.workflow) else { return false };
        let is_same = self.nodes == nodes
            && Some(self.deadline) == waiting.request.deadline
            && self.release <= waiting.ready.max(view.now)
            && self.volumes.iter().copied().eq(volumes(dag))
            && self.edges == dag.edges();
        // No task takes less time than the smallest does.
        let smallest = self.volumes.iter().copied().min();
        let needs = |node: NodeId| {
            let performance = view.nodes[node.index()].performance;
            let span = runtime_at(smallest?, performance, Rounding::Tick)?;
            nodes.binary_search(&node).ok().map(|_| span.max(Span::from_ticks(1)))
        };
        let members = domain.first.0..domain.first.0 + domain.nodes as u32;
        let holds = is_same && is_of_no_use(time, self.mark, members, Interval::new(view.now, self.deadline), needs);
        if holds {
            self.mark = time.freed().mark();
        }
        holds
    }

    /// Draws what the plan that is left out would draw.
    pub(super) fn skip(&self, ties: &mut Stream) {
        skip_chain(self.chain, self.nodes.len(), ties);
    }
}

fn volumes(dag: &Dag) -> impl Iterator<Item = Volume> + '_ {
    dag.tasks().iter().map(|task| task.volume)
}
