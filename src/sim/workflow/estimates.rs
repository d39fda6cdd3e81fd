//! The runtime of each task on each node.

use super::problem::charge;
use crate::model::{Dag, Node, NodeId, TaskId};
use crate::units::{Money, Overflow, Performance, Rounding, Span, runtime_at};

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
        Self::charged(dag, nodes, pairs(dag, nodes).map(|(task, node)| span(task, node)).collect())
    }

    /// The runtimes of the tasks' volumes on nodes of these performances; nothing if one of them does not fit, or a
    /// node has no performance.
    pub fn from_volumes(dag: &Dag, performances: &[Performance], rounding: Rounding) -> Option<Self> {
        let spans = spans(dag, performances.iter().copied(), rounding)?;
        Some(Self::charged(dag, performances.len(), spans))
    }

    /// The same on nodes that are paid by the time: none of the runtimes is shorter than `least`, and a task costs the price
    /// of its node for as long as it takes there.
    pub(crate) fn at_prices(least: Span, dag: &Dag, nodes: &[&Node], rounding: Rounding) -> Result<Self, Overflow> {
        let performances = nodes.iter().map(|node| node.performance);
        let mut spans = spans(dag, performances, rounding).ok_or(Overflow)?;
        spans.iter_mut().for_each(|span| *span = (*span).max(least));
        let cost = |((_, node), &span): ((TaskId, NodeId), &Span)| nodes[node.index()].price.checked_mul(span);
        let costs = pairs(dag, nodes.len()).zip(&spans).map(cost).collect::<Result<_, _>>()?;
        Ok(Self::of(dag, nodes.len(), spans, costs))
    }

    /// Runtimes by task and node, [charged](charge) by the tasks' volumes.
    fn charged(dag: &Dag, nodes: usize, spans: Vec<Span>) -> Self {
        let volume = |task: TaskId| dag.tasks()[task.index()].volume;
        let costs = pairs(dag, nodes).zip(&spans).map(|((task, _), &span)| charge(volume(task), span)).collect();
        Self::of(dag, nodes, spans, costs)
    }

    fn of(dag: &Dag, nodes: usize, spans: Vec<Span>, costs: Vec<Money>) -> Self {
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

/// The runtimes of all tasks on nodes of these performances.
fn spans(
    dag: &Dag,
    performances: impl ExactSizeIterator<Item = Performance> + Clone,
    rounding: Rounding,
) -> Option<Vec<Span>> {
    let mut spans = Vec::with_capacity(dag.tasks().len() * performances.len());
    for task in dag.tasks() {
        for performance in performances.clone() {
            spans.push(runtime_at(task.volume, performance, rounding)?);
        }
    }
    Some(spans)
}

/// Every task with every node, by task.
fn pairs(dag: &Dag, nodes: usize) -> impl Iterator<Item = (TaskId, NodeId)> {
    let tasks = dag.tasks().len() as u32;
    (0..tasks).flat_map(move |task| (0..nodes as u32).map(move |node| (TaskId(task), NodeId(node))))
}
