//! A task of a chain on all nodes at once, where data takes the same time to all of them.
//!
//! Nodes that take the same time for the same cost differ only in when they are free, so that of all of them only the
//! earliest finish counts after each label; and once one of them can start when the data is there, no other can do
//! better. That spares most of the work that going node by node would be.

use super::chain::Around;
use super::pareto::{ChainLabel, ParetoFront};
use crate::model::{Interval, NodeId, TaskId};
use crate::units::{Money, Span, Time};

/// Room that is used again for every task.
#[derive(Debug, Default)]
pub(super) struct Alike {
    groups: Vec<NodeClass>,
    /// By node, its place in the order that decides between equal labels.
    order: Vec<u32>,
    /// By label, when the data is there.
    ready: Vec<Time>,
    /// By label, the earliest finish and where.
    best: Vec<(Time, NodeId)>,
    made: Vec<ChainLabel>,
    merged: ParetoFront,
}

/// Nodes that take the same time for the same cost.
#[derive(Debug)]
struct NodeClass {
    span: Span,
    cost: Money,
    nodes: Vec<NodeId>,
}

/// No finish is known.
const NEVER: (Time, NodeId) = (Time::MAX, NodeId(u32::MAX));

impl Alike {
    /// The front of `task` after each of `labels`, whose data arrives `transfer` later. Of equal labels that of the
    /// node which comes first in `nodes` is kept.
    pub(super) fn extend(
        &mut self,
        around: &Around<'_>,
        task: TaskId,
        labels: &[ChainLabel],
        transfer: Span,
        nodes: &[u32],
    ) -> ParetoFront {
        let &Around { problem, placed, bounds, .. } = around;
        let mut ends = ParetoFront::default();
        let Some(&any) = nodes.first() else { return ends };
        self.sort(around, task, nodes);
        // Transfers are the same to all nodes, and so are the bounds.
        let start = bounds.start(problem, placed, task, NodeId(any));
        let latest = bounds.finish(problem, placed, task, NodeId(any));
        self.ready.clear();
        self.ready.extend(labels.iter().map(|label| start.max(label.finish + transfer)));
        for group in &self.groups {
            self.best.clear();
            self.best.resize(labels.len(), NEVER);
            let mut open = labels.len();
            for &node in &group.nodes {
                let free = around.offered(node, group.span);
                open -= improve(&self.ready, group.span, latest, node, free, &mut self.best);
                if open == 0 {
                    break;
                }
            }
            self.made.clear();
            for (label, &(finish, node)) in labels.iter().zip(&self.best).take_while(|(_, best)| **best != NEVER) {
                let next =
                    ChainLabel { finish, cost: label.cost + group.cost, node, before: label.index, index: u32::MAX };
                // Later labels are cheaper: of two that end at once the later is the better one.
                match self.made.last_mut().filter(|last| last.finish == finish) {
                    Some(last) => *last = next,
                    None => self.made.push(next),
                }
            }
            self.merged.merge(&ends.0, &self.made, |node| self.order[node.index()]);
            std::mem::swap(&mut ends, &mut self.merged);
        }
        ends
    }

    /// Puts nodes that are alike to the task into groups, each in the order of `nodes`.
    fn sort(&mut self, around: &Around<'_>, task: TaskId, nodes: &[u32]) {
        let estimates = around.problem.estimates;
        self.groups.clear();
        self.order.resize(nodes.len(), 0);
        for (place, &node) in nodes.iter().enumerate() {
            self.order[node as usize] = place as u32;
            let node = NodeId(node);
            let (span, cost) = (estimates.span(task, node), estimates.cost(task, node));
            match self.groups.iter_mut().find(|group| (group.span, group.cost) == (span, cost)) {
                Some(group) => group.nodes.push(node),
                None => self.groups.push(NodeClass { span, cost, nodes: vec![node] }),
            }
        }
    }
}

/// Lets a node improve the finishes after each label; for how many it is now as early as it can be anywhere.
fn improve(
    ready: &[Time],
    span: Span,
    latest: Time,
    node: NodeId,
    free: &[Interval],
    best: &mut [(Time, NodeId)],
) -> usize {
    let mut settled = 0;
    let Some(&first) = ready.first() else { return 0 };
    let mut free = free[free.partition_point(|free| free.end < first + span)..].iter().peekable();
    for (&ready, best) in ready.iter().zip(best) {
        let ideal = ready + span;
        if best.0 == ideal {
            continue;
        }
        // An interval that is too short from here on is so for all later labels.
        while free.next_if(|free| free.start.max(ready) + span > free.end).is_some() {}
        let Some(interval) = free.peek() else { break };
        let finish = interval.start.max(ready) + span;
        if finish > latest {
            break;
        }
        if finish < best.0 {
            *best = (finish, node);
            settled += usize::from(finish == ideal);
        }
    }
    settled
}
