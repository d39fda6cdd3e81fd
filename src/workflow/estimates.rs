//! The runtime of each task on each node.

use super::problem::charge;
use crate::model::{Dag, NodeId, TaskId};
use crate::units::{Money, Performance, Rounding, Span, runtime_at};

/// The runtime and the cost of every task on every node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Estimates {
    nodes: usize,
    /// By task, then by node.
    spans: Vec<Span>,
    costs: Vec<Money>,
    /// By task: the least over all nodes.
    best: Vec<Span>,
}

impl Estimates {
    /// The estimates that `span` gives for each task on each of so many nodes.
    pub fn new(dag: &Dag, nodes: usize, span: impl Fn(TaskId, NodeId) -> Span) -> Self {
        let tasks = dag.tasks().len() as u32;
        let pairs = || (0..tasks).flat_map(|task| (0..nodes as u32).map(move |node| (TaskId(task), NodeId(node))));
        let spans: Vec<Span> = pairs().map(|(task, node)| span(task, node)).collect();
        let costs =
            pairs().zip(&spans).map(|((task, _), &span)| charge(dag.tasks()[task.index()].volume, span)).collect();
        let least = |row: &[Span]| row.iter().copied().min().unwrap_or(Span::ZERO);
        let best = if nodes == 0 { vec![Span::ZERO; tasks as usize] } else { spans.chunks(nodes).map(least).collect() };
        Self { nodes, spans, costs, best }
    }

    /// The runtimes of the tasks' volumes on nodes of these performances; nothing if one of them does not fit, or a
    /// node has no performance.
    pub fn from_volumes(dag: &Dag, performances: &[Performance], rounding: Rounding) -> Option<Self> {
        let runtime = |task: TaskId, node: NodeId| {
            runtime_at(dag.tasks()[task.index()].volume, performances[node.index()], rounding)
        };
        let tasks = (0..dag.tasks().len() as u32).map(TaskId);
        let nodes = || (0..performances.len() as u32).map(NodeId);
        let fits = tasks.into_iter().all(|task| nodes().all(|node| runtime(task, node).is_some()));
        fits.then(|| Self::new(dag, performances.len(), |task, node| runtime(task, node).unwrap_or(Span::ZERO)))
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// The runtime of `task` on `node`.
    pub fn span(&self, task: TaskId, node: NodeId) -> Span {
        self.spans[task.index() * self.nodes + node.index()]
    }

    /// The cost of `task` on `node`.
    pub fn cost(&self, task: TaskId, node: NodeId) -> Money {
        self.costs[task.index() * self.nodes + node.index()]
    }

    /// The shortest time that `task` takes on any node.
    pub fn best(&self, task: TaskId) -> Span {
        self.best[task.index()]
    }

    /// All runtimes of `task`, by node.
    pub(super) fn row(&self, task: TaskId) -> &[Span] {
        &self.spans[task.index() * self.nodes..][..self.nodes]
    }
}
