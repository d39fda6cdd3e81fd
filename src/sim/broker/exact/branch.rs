//! Branch and bound: the node with the lowest bound first.

use super::ExactBroker;
use super::bound::{Bin, LagrangianBound, Pattern, Relaxation};
use super::decision::{BranchDecision, stay_counts};
use super::dummy::Dummy;
use super::generate::{Program, Shares};
use super::improve::{Incumbent, improved};
use crate::broker::CostTable;
use crate::broker::transport::Transport;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// Every so many steps along the subgradient, the knapsacks' contents are made a plan.
const LOOKS: u32 = 3;
/// The factor by which more steps are taken on tables too large for the linear program.
const LARGE: u32 = 4;
/// The number of parts of a tick that bounds are computed in, where there is room for that.
const PARTS: i64 = 1024;

/// A part of all plans. The order is that of the search: bound, then age.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct SearchNode {
    bound: i64,
    age: u64,
    decisions: Vec<BranchDecision>,
    prices: Vec<i64>,
}

struct Tree<'a> {
    table: &'a CostTable,
    parts: i64,
    incumbent: &'a mut Incumbent,
    /// The bound of all plans and its prices: they bar a pair for good if it alone would make a plan too expensive.
    root: Option<LagrangianBound>,
    /// All patterns so far.
    pool: BTreeSet<Pattern>,
}

/// Improves `incumbent` to the best plan within the limits; returns a bound on all plans, at least that of the linear
/// program `relaxed`.
pub(super) fn search(limits: &ExactBroker, table: &CostTable, incumbent: &mut Incumbent, relaxed: &Transport) -> i64 {
    let dearest: i64 = (0..table.jobs()).map(|job| table.dummy_whole(job)).sum();
    let parts = if dearest < i64::MAX / (64 * PARTS) { PARTS } else { 1 };
    let price = |(job, price): (usize, &i64)| parts * price * i64::from(table.tasks(job));
    let prices = relaxed.job_price.iter().enumerate().map(price).collect();
    let mut tree = Tree { table, parts, incumbent, root: None, pool: BTreeSet::new() };
    let is_done = |tree: &Tree<'_>, bound: i64| {
        let left = tree.incumbent.cost - bound;
        left <= 0 || left as f64 <= limits.gap.get() / 100.0 * tree.incumbent.cost as f64 || table.is_stopped()
    };
    if is_done(&tree, relaxed.cost) {
        return relaxed.cost.min(tree.incumbent.cost);
    }
    let (bound, prices) = tree.begin(prices, limits.steps.get() as u32);
    let mut nodes = BinaryHeap::from([Reverse(SearchNode {
        bound: bound.max(relaxed.cost),
        age: 0,
        decisions: Vec::new(),
        prices,
    })]);
    let (mut looked_at, mut age) = (0, 0);
    while let Some(Reverse(node)) = nodes.pop() {
        let relaxation = tree.relax(&node.decisions);
        if is_done(&tree, node.bound) || looked_at >= limits.nodes.get() || !relaxation.has_program() {
            return node.bound.min(tree.incumbent.cost);
        }
        looked_at += 1;
        let (found, shares) = tree.bound(&relaxation, node.prices);
        let bound = tree.ticks(found.value).max(node.bound);
        if node.decisions.is_empty() {
            tree.root = Some(found.clone());
        }
        let Some(shares) = shares.filter(|_| bound < tree.incumbent.cost) else { continue };
        let Some(branches) = relaxation.branches(&shares) else {
            if let Some(homes) = relaxation.only_plan() {
                tree.try_out(homes);
            }
            continue;
        };
        for branch in branches {
            age += 1;
            let decisions = [&node.decisions[..], &[branch]].concat();
            nodes.push(Reverse(SearchNode { bound, age, decisions, prices: found.prices.clone() }));
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

    /// Bounds all plans by steps along the subgradient, which are cheap and show many near-plans; returns the bound in
    /// ticks, and its prices.
    fn begin(&mut self, prices: Vec<i64>, steps: u32) -> (i64, Vec<i64>) {
        let table = self.table;
        let all = self.relax(&[]);
        let steps = if all.has_program() { steps } else { steps.saturating_mul(LARGE) };
        let mut step = 0;
        let found = all.ascend(prices, steps, self.goal(), |packed, goal| {
            step += 1;
            if step % LOOKS == 0 { self.try_out(unpacked(table, packed)) } else { goal }
        });
        self.try_out(unpacked(table, &found.packed));
        let (bound, prices) = (self.ticks(found.value), found.prices.clone());
        self.root = Some(found);
        (bound, prices)
    }

    /// The relaxation of the plans that are left after `decisions`.
    fn relax(&self, decisions: &[BranchDecision]) -> Relaxation<'a> {
        let table = self.table;
        let bin = |(resource, &room): (usize, &u32)| Bin { resource, room, jobs: Vec::new() };
        let mut bins: Vec<Bin> = table.free().iter().enumerate().map(bin).collect();
        let mut may_stay = Vec::new();
        for job in 0..table.jobs() {
            let may_go = |home| decisions.iter().all(|decision| decision.allows(job, home));
            for &(cost, resource) in table.wholes(job) {
                if self.is_hopeless(job, cost) {
                    break;
                }
                if may_go(Some(resource)) {
                    bins[resource].jobs.push((job, self.parts * cost));
                }
            }
            may_stay.push(may_go(None));
        }
        bins.retain(|bin| !bin.jobs.is_empty());
        Relaxation::new(table, self.parts, bins, Dummy::new(may_stay, stay_counts(decisions)))
    }

    /// True if a plan with `job` at this cost can't be cheaper than the incumbent (reduced-cost fixing): forcing a job
    /// into a knapsack raises the root's bound by at least what it costs above its price.
    fn is_hopeless(&self, job: usize, cost: i64) -> bool {
        let least = |root: &LagrangianBound| root.value.saturating_add(self.parts * cost - root.prices[job]);
        self.root.as_ref().is_some_and(|root| self.ticks(least(root)) >= self.incumbent.cost)
    }

    /// Improves a plan and keeps it if it is the cheapest; returns the bound that would prove the cheapest.
    fn try_out(&mut self, homes: Vec<Option<usize>>) -> i64 {
        let plan = improved(self.table, homes);
        if plan.cost < self.incumbent.cost {
            *self.incumbent = plan;
        }
        self.goal()
    }

    /// The least bound that rounds up to the cost of the incumbent.
    fn goal(&self) -> i64 {
        (self.incumbent.cost - 1) * self.parts + 1
    }

    /// The bound of a node by column generation and, unless that closes the node, the shares of jobs in a mixture of
    /// plans that costs as much.
    fn bound(&mut self, node: &Relaxation<'_>, prices: Vec<i64>) -> (LagrangianBound, Option<Shares>) {
        let goal = self.goal();
        let (found, shares) = Program::new(node, &self.pool).raise(prices, goal, &mut self.pool);
        if let Some(shares) = &shares {
            self.try_out(unpacked(self.table, &found.packed));
            self.try_out(rounded(self.table, shares));
        }
        (found, shares)
    }
}

/// A plan from what the knapsacks hold: a job that is in several stays where it is cheapest.
fn unpacked(table: &CostTable, packed: &[Pattern]) -> Vec<Option<usize>> {
    let mut homes: Vec<Option<usize>> = vec![None; table.jobs()];
    for Pattern { home, jobs } in packed {
        let Some(resource) = *home else { continue };
        for &job in jobs {
            let cost = |home: usize| table.whole_cost(job, home);
            if homes[job].is_none_or(|home| cost(resource) < cost(home)) {
                homes[job] = Some(resource);
            }
        }
    }
    homes
}

/// A plan from shares: the largest first, as long as there is room.
fn rounded(table: &CostTable, shares: &Shares) -> Vec<Option<usize>> {
    let mut homes = vec![None; table.jobs()];
    let mut free = table.free().to_vec();
    let mut order: Vec<_> = shares.iter().collect();
    order.sort_by(|a, b| b.1.total_cmp(a.1));
    for (&(job, home), _) in order {
        if let Some(resource) = home
            && homes[job].is_none()
            && free[resource] >= table.tasks(job)
        {
            homes[job] = home;
            free[resource] -= table.tasks(job);
        }
    }
    homes
}
