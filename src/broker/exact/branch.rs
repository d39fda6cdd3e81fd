//! Branch and bound: the node with the lowest bound first.

use super::Exact;
use super::bound::{Bound, Offer, Relaxation};
use super::improve::{Incumbent, improved};
use crate::broker::Board;
use crate::broker::transport::Transport;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Every how many steps at the root the knapsacks' contents are made a plan.
const LOOKS: u32 = 3;

/// A pair that is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Decision {
    job: usize,
    resource: usize,
    /// Whether the job goes there; if not, it goes anywhere else.
    is_taken: bool,
}

/// A part of all plans. The order is that of the search: bound, then age.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Node {
    bound: i64,
    age: u64,
    decisions: Vec<Decision>,
    prices: Vec<i64>,
}

struct Tree<'a> {
    board: &'a Board,
    incumbent: &'a mut Incumbent,
    /// The bound at the root and its prices: they bar a pair for good if it alone would make a plan too dear.
    root: Option<(i64, Vec<i64>)>,
}

/// Improves `incumbent` to the best plan within the limits; returns a bound on all plans, at least that of the linear program.
pub(super) fn search(limits: &Exact, board: &Board, incumbent: &mut Incumbent, relaxed: &Transport) -> i64 {
    let bound = relaxed.cost;
    let prices = relaxed.job_price.iter().enumerate().map(|(job, price)| price * i64::from(board.tasks(job))).collect();
    let mut tree = Tree { board, incumbent, root: None };
    let mut nodes = BinaryHeap::from([Reverse(Node { bound, age: 0, decisions: Vec::new(), prices })]);
    let (mut looked_at, mut age) = (0, 0);
    while let Some(Reverse(node)) = nodes.peek() {
        let left = tree.incumbent.cost - node.bound;
        if left <= 0 || left as f64 <= limits.gap * tree.incumbent.cost as f64 || looked_at >= limits.nodes.max(1) {
            return node.bound.min(tree.incumbent.cost);
        }
        let Some(Reverse(node)) = nodes.pop() else { break };
        looked_at += 1;
        let steps = if age == 0 { limits.steps } else { limits.steps.div_ceil(4) };
        let relaxation = tree.relax(&node.decisions);
        let found = tree.bound(&relaxation, &node.decisions, node.prices, steps);
        let bound = found.value.max(node.bound);
        if tree.root.is_none() {
            tree.root = Some((found.value, found.prices.clone()));
        }
        let Some((job, resource)) = relaxation.doubt(&found).filter(|_| bound < tree.incumbent.cost) else { continue };
        for is_taken in [true, false] {
            age += 1;
            let decisions = [&node.decisions[..], &[Decision { job, resource, is_taken }]].concat();
            nodes.push(Reverse(Node { bound, age, decisions, prices: found.prices.clone() }));
        }
    }
    // Nothing is left that could be cheaper.
    tree.incumbent.cost
}

impl<'a> Tree<'a> {
    /// What is left to decide after `decisions`.
    fn relax(&self, decisions: &[Decision]) -> Relaxation<'a> {
        let board = self.board;
        let mut room = board.free().to_vec();
        let mut is_open = vec![true; board.jobs()];
        let mut decided = 0;
        for decision in decisions.iter().filter(|decision| decision.is_taken) {
            room[decision.resource] -= board.tasks(decision.job);
            is_open[decision.job] = false;
            decided += board.whole_cost(decision.job, decision.resource);
        }
        let mut offers: Vec<Offer> =
            room.into_iter().enumerate().map(|(resource, room)| Offer { resource, room, jobs: Vec::new() }).collect();
        let mut open = Vec::new();
        for job in (0..board.jobs()).filter(|&job| is_open[job]) {
            let out = decisions.iter().filter(|decision| decision.job == job).map(|decision| decision.resource);
            let out: Vec<usize> = out.collect();
            let mut choices = 0;
            for &(cost, resource) in board.wholes(job) {
                if self.is_hopeless(job, cost) {
                    break;
                }
                let offer = &mut offers[resource];
                if board.tasks(job) <= offer.room && !out.contains(&resource) {
                    offer.jobs.push((job, cost));
                    choices += 1;
                }
            }
            match choices {
                0 => decided += board.dummy_whole(job),
                _ => open.push(job),
            }
        }
        offers.retain(|offer| !offer.jobs.is_empty());
        Relaxation { board, decided, open, offers }
    }

    /// Whether a plan with `job` at this cost can't be cheaper than the incumbent: forcing a job into a knapsack raises the root's
    /// bound by at least what it costs above its price.
    fn is_hopeless(&self, job: usize, cost: i64) -> bool {
        self.root.as_ref().is_some_and(|(bound, prices)| bound + cost - prices[job] >= self.incumbent.cost)
    }

    /// The bound of a node. Every few steps what is packed becomes a plan, and in the end what gives the bound does: if nothing in it is in
    /// doubt, it is the best plan of the node.
    fn bound(&mut self, relaxation: &Relaxation<'_>, decisions: &[Decision], prices: Vec<i64>, steps: u32) -> Bound {
        let board = self.board;
        let incumbent = &mut *self.incumbent;
        let mut try_out = |packed: &[(usize, usize)]| {
            let plan = improved(board, unpacked(board, decisions, packed));
            if plan.cost < incumbent.cost {
                *incumbent = plan;
            }
            incumbent.cost
        };
        let looks = if decisions.is_empty() { LOOKS } else { steps };
        let mut step = 0;
        let target = try_out(&[]);
        let found = relaxation.ascend(prices, steps, target, |packed, target| {
            step += 1;
            if step % looks == 0 { try_out(packed) } else { target }
        });
        try_out(&found.packed);
        found
    }
}

/// A plan from what is decided and what the knapsacks hold: a job that is in several stays where it is cheapest.
fn unpacked(board: &Board, decisions: &[Decision], packed: &[(usize, usize)]) -> Vec<Option<usize>> {
    let mut homes: Vec<Option<usize>> = vec![None; board.jobs()];
    let taken = decisions.iter().filter(|decision| decision.is_taken).map(|decision| (decision.job, decision.resource));
    for (job, resource) in taken.chain(packed.iter().copied()) {
        let cost = |home: usize| board.whole_cost(job, home);
        if homes[job].is_none_or(|home| cost(resource) < cost(home)) {
            homes[job] = Some(resource);
        }
    }
    homes
}
