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
        Self::of(dag, nodes, pairs(dag, nodes).map(|(task, node)| span(task, node)).collect())
    }

    /// The runtimes of the tasks' volumes on nodes of these performances; nothing if one of them does not fit, or a
    /// node has no performance.
    pub fn from_volumes(dag: &Dag, performances: &[Performance], rounding: Rounding) -> Option<Self> {
        Self::at_least(Span::ZERO, dag, performances, rounding)
    }

    /// The same, but none of them shorter than `least`.
    pub(crate) fn at_least(least: Span, dag: &Dag, performances: &[Performance], rounding: Rounding) -> Option<Self> {
        let runtime = |(task, node): (TaskId, NodeId)| {
            let span = runtime_at(dag.tasks()[task.index()].volume, performances[node.index()], rounding)?;
            Some(span.max(least))
        };
        let spans = pairs(dag, performances.len()).map(runtime).collect::<Option<_>>()?;
        Some(Self::of(dag, performances.len(), spans))
    }

    fn of(dag: &Dag, nodes: usize, spans: Vec<Span>) -> Self {
        let costs = pairs(dag, nodes)
            .zip(&spans)
            .map(|((task, _), &span)| charge(dag.tasks()[task.index()].volume, span))
            .collect();
        let least = |row: &[Span]| row.iter().copied().min().unwrap_or(Span::ZERO);
        let best =
            if nodes == 0 { vec![Span::ZERO; dag.tasks().len()] } else { spans.chunks(nodes).map(least).collect() };
        Self { nodes, spans, costs, best }
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

/// Every task with every node, by task.
fn pairs(dag: &Dag, nodes: usize) -> impl Iterator<Item = (TaskId, NodeId)> {
    let tasks = dag.tasks().len() as u32;
    (0..tasks).flat_map(move |task| (0..nodes as u32).map(move |node| (TaskId(task), NodeId(node))))
}
