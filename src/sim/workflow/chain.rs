//! One chain on given free time, by label-setting dynamic programming.

use super::bounds::TimeBounds;
use super::node_classes::Alike;
use super::pareto::{ChainLabel, ParetoFront};
use super::{Placement, PlanProblem, Strategy, Transfers};
use crate::model::{Interval, NodeId, TaskId};
use crate::rng::below;
use crate::units::{Money, Span, Time};
use rand::Rng;

/// The first task of a chain has no label before it.
const NONE: u32 = u32::MAX;

/// The surroundings into which a chain is planned.
pub(super) struct Around<'a> {
    pub(super) problem: &'a PlanProblem<'a>,
    pub(super) placed: &'a [Option<Placement>],
    pub(super) bounds: &'a TimeBounds,
    /// The free time of each node.
    pub(super) free: &'a [Vec<Interval>],
}

impl Around<'_> {
    /// The intervals of `node` inside which a task of `span` may lie: one of no length takes nothing of a node.
    pub(super) fn offered(&self, node: NodeId, span: Span) -> &[Interval] {
        let lists = if span > Span::ZERO { self.free } else { self.problem.free };
        &lists[node.index()]
    }
}

/// The best placement of `chain`, each task of which waits for the one before it, within the free time and the bounds;
/// nothing if there is none. It is exact: labels (finish, cost) are kept per task and node, and dropped only when
/// another is neither later nor more expensive. Between equal ones `ties` decides.
///
/// Where data within a node is free, data may also pass over tasks of the chain and arrive after that of the task
/// before: a label then waits for it, but is still judged by finish and cost alone, so that a better plan may be
/// missed.
pub(super) fn plan_chain(around: &Around<'_>, chain: &[TaskId], ties: &mut impl Rng) -> Option<Vec<Placement>> {
    let &Around { problem, placed, bounds, free } = around;
    let mut arena: Vec<ChainLabel> = Vec::new();
    // The ends that the task before can have: the best over all nodes, and those of each node where that matters.
    let mut front = ParetoFront::default();
    let by_node = problem.transfers == Transfers::BetweenNodes;
    let mut own: Vec<Vec<ChainLabel>> = vec![Vec::new(); if by_node { free.len() } else { 0 }];
    let (mut made, mut merged, mut arriving) = (Vec::new(), ParetoFront::default(), ParetoFront::default());
    let mut nodes: Vec<u32> = (0..free.len() as u32).collect();
    let mut alike = Alike::default();
    for (place, &task) in chain.iter().enumerate() {
        let transfer = if place == 0 { Span::ZERO } else { transfer(problem, chain[place - 1], task) };
        let passing = if by_node { passing(problem, chain, place) } else { Vec::new() };
        let next_transfer = chain.get(place + 1).map_or(Span::ZERO, |&next| self::transfer(problem, task, next));
        let mut ends = ParetoFront::default();
        shuffle(&mut nodes, ties);
        if !by_node && problem.strategy == Strategy::Cheapest {
            let nothing = ParetoFront(vec![ChainLabel {
                finish: problem.release,
                cost: Money::ZERO,
                node: NodeId(0),
                before: NONE,
                index: NONE,
            }]);
            let labels = if place == 0 { &nothing } else { &front };
            let mut ends = alike.extend(around, task, &labels.0, transfer, &nodes);
            file(&mut arena, &mut ends.0);
            front = ends;
            continue;
        }
        for &node in &nodes {
            let node = NodeId(node);
            let span = problem.estimates.span(task, node);
            let visit = Visit {
                node,
                span,
                cost: problem.estimates.cost(task, node),
                start: bounds.start(problem, placed, task, node),
                finish: bounds.finish(problem, placed, task, node),
                free: around.offered(node, span),
            };
            made.clear();
            // A label that is not even ahead of the others by the next transfer is of no use to its own node.
            let lead = if by_node { next_transfer } else { Span::ZERO };
            if place == 0 {
                let nothing = ChainLabel { finish: visit.start, cost: Money::ZERO, node, before: NONE, index: NONE };
                visit.extend(&[nothing], Span::ZERO, &ends, lead, &mut made);
            } else if !by_node || (transfer == Span::ZERO && passing.is_empty()) {
                visit.extend(&front.0, transfer, &ends, lead, &mut made);
            } else {
                // Data from the node itself is there at once.
                let late = |label: &ChainLabel| ChainLabel { finish: label.finish + transfer, ..*label };
                merged.0.clear();
                merged.0.extend(front.0.iter().map(late));
                arriving.merge(&own[node.index()], &merged.0, |_| 0);
                if !passing.is_empty() {
                    await_passing(&mut arriving, &passing, &arena, node);
                }
                visit.extend(&arriving.0, Span::ZERO, &ends, lead, &mut made);
            }
            if problem.strategy != Strategy::Cheapest {
                made.truncate(1);
            }
            if by_node {
                file(&mut arena, &mut made);
                own[node.index()].clone_from(&made);
            }
            if !made.is_empty() {
                merged.merge(&ends.0, &made, |_| 0);
                std::mem::swap(&mut ends, &mut merged);
            }
        }
        if problem.strategy != Strategy::Cheapest {
            ends.0.truncate(1);
        }
        if !by_node {
            file(&mut arena, &mut ends.0);
        }
        front = ends;
        // Where this task can't end, none after it can: all that is left of its plan are the draws.
        if front.0.is_empty() {
            draw_shuffles(chain.len() - place - 1, nodes.len(), ties);
            return None;
        }
    }
    // Cost falls along the front, so that its last label is the cheapest and its first the earliest.
    let best = if problem.strategy == Strategy::Cheapest { front.0.last() } else { front.0.first() };
    Some(trace(problem, chain, &arena, *best?))
}

/// Puts labels into the arena, where those after them can refer to them.
fn file(arena: &mut Vec<ChainLabel>, labels: &mut [ChainLabel]) {
    for label in labels {
        label.index = arena.len() as u32;
        arena.push(*label);
    }
}

/// The time that data takes from one task to another; none if they have no edge.
pub(super) fn transfer(problem: &PlanProblem<'_>, from: TaskId, to: TaskId) -> Span {
    problem.dag.predecessors(to).find(|edge| edge.from == from).map_or(Span::ZERO, |edge| edge.transfer)
}

/// The data that the task at `place` gets from tasks of the chain before the last one: the number of tasks between, and
/// the transfer.
fn passing(problem: &PlanProblem<'_>, chain: &[TaskId], place: usize) -> Vec<(usize, Span)> {
    let earlier = &chain[..place.saturating_sub(1)];
    let edges = problem.dag.predecessors(chain[place]).filter(|edge| edge.transfer > Span::ZERO);
    edges
        .filter_map(|edge| earlier.iter().rev().position(|&task| task == edge.from).map(|at| (at + 1, edge.transfer)))
        .collect()
}

/// Lets labels of the task before wait for the data that passes over it on the way to `node`.
fn await_passing(labels: &mut ParetoFront, passing: &[(usize, Span)], arena: &[ChainLabel], node: NodeId) {
    for label in &mut labels.0 {
        for &(between, transfer) in passing {
            let mut source = arena[label.index as usize];
            (0..between).for_each(|_| source = arena[source.before as usize]);
            if source.node != node {
                label.finish = label.finish.max(source.finish + transfer);
            }
        }
    }
    labels.0.sort_by_key(|label| (label.finish, label.cost));
    let mut least = Money::MAX;
    labels.0.retain(|label| {
        let is_cheaper = label.cost < least;
        least = least.min(label.cost);
        is_cheaper
    });
}

/// One task on one node.
struct Visit<'a> {
    node: NodeId,
    span: Span,
    cost: Money,
    start: Time,
    finish: Time,
    free: &'a [Interval],
}

impl Visit<'_> {
    /// The labels of the task here after each of `labels`, whose data arrives `transfer` later, but for those that are
    /// no better than one of `ends` would be `lead` later. Finishes rise, so that one walk along the free time and one
    /// along `ends` serve them all.
    fn extend(
        &self,
        labels: &[ChainLabel],
        transfer: Span,
        ends: &ParetoFront,
        lead: Span,
        made: &mut Vec<ChainLabel>,
    ) {
        let mut rivals = ends.0.iter().peekable();
        let mut least = Money::MAX;
        let first = labels.first().map_or(self.start, |label| self.start.max(label.finish + transfer));
        let mut free = self.free[self.free.partition_point(|free| free.end < first + self.span)..].iter().peekable();
        for label in labels {
            let ready = self.start.max(label.finish + transfer);
            // An interval that is too short from here on is so for all later labels.
            while free.next_if(|free| free.start.max(ready) + self.span > free.end).is_some() {}
            let Some(interval) = free.peek() else { return };
            let finish = interval.start.max(ready) + self.span;
            if finish > self.finish {
                return;
            }
            while let Some(rival) = rivals.next_if(|rival| rival.finish + lead <= finish) {
                least = rival.cost;
            }
            let cost = label.cost + self.cost;
            if cost >= least {
                continue;
            }
            let next = ChainLabel { finish, cost, node: self.node, before: label.index, index: NONE };
            // Later labels are cheaper: of two that have to wait for the same interval, the later is the better one.
            match made.last_mut().filter(|last| last.finish == finish) {
                Some(last) => *last = next,
                None => made.push(next),
            }
        }
    }
}

/// The placements that lead to `last`.
fn trace(problem: &PlanProblem<'_>, chain: &[TaskId], arena: &[ChainLabel], last: ChainLabel) -> Vec<Placement> {
    let mut label = last;
    let mut placements: Vec<Placement> = chain
        .iter()
        .rev()
        .map(|&task| {
            let start = label.finish - problem.estimates.span(task, label.node);
            let placement = Placement { task, node: label.node, interval: Interval::new(start, label.finish) };
            label = arena.get(label.before as usize).copied().unwrap_or(label);
            placement
        })
        .collect();
    placements.reverse();
    placements
}

/// A random order, by Fisher and Yates.
pub(super) fn shuffle(items: &mut [u32], ties: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(ties, last as u64 + 1) as usize);
    }
}

/// Draws what so many [shuffles](shuffle) of so many items draw.
pub(super) fn draw_shuffles(times: usize, items: usize, ties: &mut impl Rng) {
    for _ in 0..times {
        (1..items).rev().for_each(|last| {
            below(ties, last as u64 + 1);
        });
    }
}
