//! Branch and bound: the node with the lowest bound first.

use super::Exact;
use super::bound::{Bound, Offer, Pattern, Relaxation};
use super::decision::{Decision, ranges};
use super::dummy::Dummy;
use super::generate::{Program, Shares};
use super::improve::{Incumbent, improved};
use crate::broker::Board;
use crate::broker::transport::Transport;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Every how many steps at the root the knapsacks' contents are made a plan.
const LOOKS: u32 = 3;
/// How many of the last steps leave their patterns to the linear program.
const KEPT: u32 = 20;
/// How many parts of a tick bounds are computed in, where there is room for that.
const PARTS: i64 = 1024;

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
    parts: i64,
    incumbent: &'a mut Incumbent,
    /// The bound at the root in parts of a tick, and its prices: they bar a pair for good if it alone would make a plan too dear.
    root: Option<(i64, Vec<i64>)>,
    /// All patterns so far.
    pool: BTreeSet<Pattern>,
}

/// Improves `incumbent` to the best plan within the limits; returns a bound on all plans, at least that of the linear program.
pub(super) fn search(limits: &Exact, board: &Board, incumbent: &mut Incumbent, relaxed: &Transport) -> i64 {
    let dearest: i64 = (0..board.jobs()).map(|job| board.dummy_whole(job)).sum();
    let parts = if dearest < i64::MAX / (64 * PARTS) { PARTS } else { 1 };
    let bound = relaxed.cost;
    let price = |(job, price): (usize, &i64)| parts * price * i64::from(board.tasks(job));
    let prices = relaxed.job_price.iter().enumerate().map(price).collect();
    let mut tree = Tree { board, parts, incumbent, root: None, pool: BTreeSet::new() };
    let mut nodes = BinaryHeap::from([Reverse(Node { bound, age: 0, decisions: Vec::new(), prices })]);
    let (mut looked_at, mut age) = (0, 0);
    while let Some(Reverse(node)) = nodes.peek() {
        let left = tree.incumbent.cost - node.bound;
        if left <= 0
            || left as f64 <= limits.gap * tree.incumbent.cost as f64
            || looked_at >= limits.nodes.max(1)
            || board.is_stopped()
        {
            return node.bound.min(tree.incumbent.cost);
        }
        let Some(Reverse(node)) = nodes.pop() else { break };
        looked_at += 1;
        let relaxation = tree.relax(&node.decisions);
        let (found, shares) = tree.bound(&relaxation, node.prices, limits.steps, age == 0);
        let bound = tree.ticks(found.value).max(node.bound);
        if tree.root.is_none() {
            tree.root = Some((found.value, found.prices.clone()));
        }
        if bound >= tree.incumbent.cost {
            continue;
        }
        let Some(branches) = relaxation.branches(&shares) else {
            if let Some(homes) = relaxation.only_plan() {
                tree.try_out(homes);
            }
            continue;
        };
        for branch in branches {
            age += 1;
            let decisions = [&node.decisions[..], &[branch]].concat();
            nodes.push(Reverse(Node { bound, age, decisions, prices: found.prices.clone() }));
        }
    }
    // Nothing is left that could be cheaper.
    tree.incumbent.cost
}

impl<'a> Tree<'a> {
    /// The least whole number of ticks that is not below a bound.
    fn ticks(&self, value: i64) -> i64 {
        value.div_euclid(self.parts) + i64::from(value.rem_euclid(self.parts) != 0)
    }

    /// What is left to decide after `decisions`.
    fn relax(&self, decisions: &[Decision]) -> Relaxation<'a> {
        let board = self.board;
        let offer = |(resource, &room): (usize, &u32)| Offer { resource, room, jobs: Vec::new() };
        let mut offers: Vec<Offer> = board.free().iter().enumerate().map(offer).collect();
        let mut may_stay = Vec::new();
        for job in 0..board.jobs() {
            let may_go = |home| decisions.iter().all(|decision| decision.allows(job, home));
            for &(cost, resource) in board.wholes(job) {
                if self.is_hopeless(job, cost) {
                    break;
                }
                if may_go(Some(resource)) {
                    offers[resource].jobs.push((job, self.parts * cost));
                }
            }
            may_stay.push(may_go(None));
        }
        offers.retain(|offer| !offer.jobs.is_empty());
        Relaxation::new(board, self.parts, offers, Dummy::new(may_stay, ranges(decisions)))
    }

    /// Whether a plan with `job` at this cost can't be cheaper than the incumbent: forcing a job into a knapsack raises the root's
    /// bound by at least what it costs above its price.
    fn is_hopeless(&self, job: usize, cost: i64) -> bool {
        let least = |(bound, prices): &(i64, Vec<i64>)| bound.saturating_add(self.parts * cost - prices[job]);
        self.root.as_ref().is_some_and(|root| self.ticks(least(root)) >= self.incumbent.cost)
    }

    /// Improves a plan and keeps it if it is the cheapest; returns the bound that would prove the cheapest.
    fn try_out(&mut self, homes: Vec<Option<usize>>) -> i64 {
        let plan = improved(self.board, homes);
        if plan.cost < self.incumbent.cost {
            *self.incumbent = plan;
        }
        self.goal()
    }

    /// The least bound that rounds up to the cost of the incumbent.
    fn goal(&self) -> i64 {
        (self.incumbent.cost - 1) * self.parts + 1
    }

    /// The bound of a node, and how a mixture of plans that costs as much shares out the jobs.
    ///
    /// Steps along the subgradient come first at the root, where they are cheap and show many near-plans, and everywhere on boards
    /// too large for the linear program.
    fn bound(&mut self, node: &Relaxation<'_>, prices: Vec<i64>, steps: u32, is_root: bool) -> (Bound, Shares) {
        let board = self.board;
        let steps = match (is_root, node.has_program()) {
            (true, _) => steps,
            (false, true) => 1,
            (false, false) => steps.div_ceil(4),
        };
        let mut step = 0;
        let mut found = node.ascend(prices, steps, self.goal(), |packed, goal| {
            step += 1;
            if step + KEPT > steps {
                self.pool.extend(packed.iter().cloned());
            }
            if is_root && step % LOOKS == 0 { self.try_out(unpacked(board, packed)) } else { goal }
        });
        let goal = self.try_out(unpacked(board, &found.packed));
        let mixture = match node.has_program() && found.value < goal {
            true => Program::new(node, &self.pool).raise(&mut found, goal, &mut self.pool),
            false => None,
        };
        let shares = mixture.unwrap_or_else(|| node.shares_of(&found));
        if found.value < goal {
            self.try_out(unpacked(board, &found.packed));
            self.try_out(rounded(board, &shares));
        }
        (found, shares)
    }
}

/// A plan from what the knapsacks hold: a job that is in several stays where it is cheapest.
fn unpacked(board: &Board, packed: &[Pattern]) -> Vec<Option<usize>> {
    let mut homes: Vec<Option<usize>> = vec![None; board.jobs()];
    for Pattern { home, jobs } in packed {
        let Some(resource) = *home else { continue };
        for &job in jobs {
            let cost = |home: usize| board.whole_cost(job, home);
            if homes[job].is_none_or(|home| cost(resource) < cost(home)) {
                homes[job] = Some(resource);
            }
        }
    }
    homes
}

/// A plan from shares: the largest first, as long as there is room.
fn rounded(board: &Board, shares: &Shares) -> Vec<Option<usize>> {
    let mut homes = vec![None; board.jobs()];
    let mut free = board.free().to_vec();
    let mut order: Vec<_> = shares.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(a.1));
    for (&(job, home), _) in order {
        if let Some(resource) = home
            && homes[job].is_none()
            && free[resource] >= board.tasks(job)
        {
            homes[job] = home;
            free[resource] -= board.tasks(job);
        }
    }
    homes
}
