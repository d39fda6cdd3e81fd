//! The window whose slots have the least total of some value within the budget: exact.
//!
//! Choosing N of the live slots with least total value z and total cost at most S is a knapsack with a fixed number of
//! items. Its Lagrangian relaxation prices the budget: with y = z + lambda * c, the N lowest y, less lambda * S, can't be
//! above any feasible total of z. The scan keeps the N lowest y at hand ([`Live`]); a start at which no new slot could
//! take part in a window below the best one so far is passed over at the cost of a logarithm. At the few others, the slots
//! whose y leaves them a chance are picked out, and the choice among them is made by branch and bound on the same bound.
//! Keys are rounded down, so that the bound holds in integers. Until the first window is found, nothing but cost counts.

use super::{Entry, Live, Offers, Terms, scan, terms, window};
use crate::model::{Node, Request, Window};
use crate::units::{Span, Time};
use std::ops::ControlFlow;

/// The first window of least total `value(node, runtime)` with a cost of at most `limit`; among those with the same start
/// the cheapest. A node without a value is not used.
pub(super) fn least_sum(
    offers: &Offers<'_>,
    request: &Request,
    limit: i64,
    value: impl Fn(&Node, Span) -> Option<i64>,
) -> Option<Window> {
    let mut terms = terms(offers.nodes, offers.rule, request, |_| true);
    let mut items = vec![Item::default(); terms.len()];
    for ((terms, item), node) in terms.iter_mut().zip(&mut items).zip(offers.nodes) {
        let valued = |terms: &Terms| value(node, terms.runtime).map(|value| (value, terms.cost.ticks()));
        match terms.as_ref().and_then(valued) {
            Some((value, cost)) => *item = Item { value, cost, index: 0 },
            None => *terms = None,
        }
    }
    let mut sums = LeastSum::new(request.nodes, limit, &items);
    scan(offers, request, &terms, |start, group| {
        sums.step(start, group);
        ControlFlow::Continue(())
    });
    sums.best.map(|best| window(best.start, &best.chosen))
}

struct Best {
    value: i64,
    start: Time,
    chosen: Vec<Entry>,
}

struct LeastSum<'a> {
    wanted: usize,
    limit: i64,
    /// Value and cost, by node.
    items: &'a [Item],
    /// The price of a unit of budget in units of value; none as long as only cost counts.
    lambda: Option<f64>,
    /// Live slots by y, for the bound.
    bound: Live,
    /// All slots that may be live, with their y; expired ones are swept out when they could be half of it.
    live: Vec<Entry>,
    sweep_at: usize,
    best: Option<Best>,
}

impl<'a> LeastSum<'a> {
    fn new(wanted: usize, limit: i64, items: &'a [Item]) -> Self {
        let bound = Live::new(wanted);
        Self { wanted, limit, items, lambda: None, bound, live: Vec::new(), sweep_at: 64, best: None }
    }

    /// Takes in the slots that start at `start` and looks for a better window there.
    fn step(&mut self, start: Time, group: &[Entry]) {
        self.bound.advance(start);
        if self.live.len() > self.sweep_at {
            self.live.retain(|entry| entry.latest_start >= start);
            self.sweep_at = 64.max(2 * self.live.len());
        }
        let mut lowest = i64::MAX;
        for entry in group {
            let entry = Entry { key: self.items[entry.node.index()].key(self.lambda), ..*entry };
            lowest = lowest.min(entry.key);
            self.bound.insert(entry);
            self.live.push(entry);
        }
        let Some(total) = self.bound.total() else { return };
        let Some((best, lambda)) = self.best.as_ref().zip(self.lambda) else {
            if total <= self.limit {
                self.solve(start, i64::MAX, i64::MAX);
            }
            return;
        };
        // A window with some slot has y of at least the slot's own plus the N - 1 lowest.
        let others = total.saturating_sub(self.bound.chosen().last().map_or(0, |entry| entry.key));
        let room = best.value.saturating_add(charge(self.limit, lambda));
        let highest = room.saturating_sub(1).saturating_sub(others);
        if total < room && lowest <= highest {
            self.solve(start, best.value, highest);
        }
    }

    /// Looks for the least total at this start, if it is below `mark`, among the slots with a y of at most `highest`; then
    /// prices the budget anew.
    fn solve(&mut self, start: Time, mark: i64, highest: i64) {
        let candidates = self.live.iter().enumerate();
        let candidates = candidates.filter(|(_, entry)| entry.key <= highest && entry.latest_start >= start);
        let mut items: Vec<Item> =
            candidates.map(|(index, entry)| Item { index, ..self.items[entry.node.index()] }).collect();
        // Items alike are taken in the order in which they stand here.
        items.sort_unstable_by_key(|item| self.live[item.index].node);
        thin_out(&mut items, self.wanted);
        let Some(lambda) = best_lambda(&items, self.wanted, self.limit) else { return };
        if let Some((value, picks)) = branch_and_bound(items, self.wanted, self.limit, lambda, mark) {
            let chosen = picks.into_iter().map(|index| self.live[index]).collect();
            self.best = Some(Best { value, start, chosen });
        }
        if self.lambda != Some(lambda) {
            self.lambda = Some(lambda);
            self.bound = Live::new(self.wanted);
            self.live.retain(|entry| entry.latest_start >= start);
            for entry in &mut self.live {
                entry.key = self.items[entry.node.index()].key(self.lambda);
                self.bound.insert(*entry);
            }
        }
    }
}

/// z + lambda * c, rounded down.
fn priced(value: i64, cost: i64, lambda: f64) -> i64 {
    value.saturating_add(libm::floor(lambda * cost as f64) as i64)
}

/// lambda * S, rounded up.
fn charge(limit: i64, lambda: f64) -> i64 {
    libm::ceil(lambda * limit as f64) as i64
}

/// A slot to choose: its place among the live ones, its value and its cost.
#[derive(Debug, Clone, Copy, Default)]
struct Item {
    value: i64,
    cost: i64,
    index: usize,
}

impl Item {
    /// y, or the cost alone.
    fn key(&self, lambda: Option<f64>) -> i64 {
        lambda.map_or(self.cost, |lambda| priced(self.value, self.cost, lambda))
    }
}

/// The price of the budget at which the relaxation is tightest; `None` when even the N cheapest items exceed the budget.
///
/// The relaxation as a function of lambda is the lower envelope of one line per choice; its top lies where a choice
/// that is too dear crosses one that is not. Each round replaces one of the two by the choice that is best at their crossing.
fn best_lambda(items: &[Item], wanted: usize, limit: i64) -> Option<f64> {
    if items.len() < wanted {
        return None;
    }
    let mut order = items.to_vec();
    let mut pick = |lambda: f64| -> (i64, i64) {
        if wanted < order.len() {
            let y = |item: &Item| item.value as f64 + lambda * item.cost as f64;
            order.select_nth_unstable_by(wanted - 1, |a, b| {
                y(a).total_cmp(&y(b)).then(a.cost.cmp(&b.cost)).then(a.index.cmp(&b.index))
            });
        }
        order[..wanted].iter().fold((0, 0), |total, item| plus(total, item.value, item.cost))
    };
    let mut dear = pick(0.0);
    if dear.1 <= limit {
        return Some(0.0);
    }
    let mut cheap = {
        let mut costs: Vec<(i64, i64)> = items.iter().map(|item| (item.cost, item.value)).collect();
        if wanted < costs.len() {
            costs.select_nth_unstable(wanted - 1);
        }
        costs[..wanted].iter().fold((0, 0), |total, &(cost, value)| plus(total, value, cost))
    };
    if cheap.1 > limit {
        return None;
    }
    let mut lambda = 0.0;
    // Every round but the last moves one of the two lines; a handful of rounds is usual.
    for _ in 0..64 {
        lambda = (cheap.0 - dear.0).max(0) as f64 / (dear.1 - cheap.1) as f64;
        let next = pick(lambda);
        if next == dear || next == cheap {
            break;
        }
        if next.1 > limit {
            dear = next;
        } else {
            cheap = next;
        }
    }
    Some(lambda)
}

fn plus((values, costs): (i64, i64), value: i64, cost: i64) -> (i64, i64) {
    (values.saturating_add(value), costs.saturating_add(cost))
}

/// The choice of `wanted` items of least (value, cost) with a cost of at most `limit` and a value below `mark`.
fn branch_and_bound(
    mut items: Vec<Item>,
    wanted: usize,
    limit: i64,
    lambda: f64,
    mark: i64,
) -> Option<(i64, Vec<usize>)> {
    let y = |item: &Item| priced(item.value, item.cost, lambda);
    items.sort_by_key(|item| (y(item), item.cost));
    let keys: Vec<i64> = items.iter().map(y).collect();
    let sums: Vec<i64> = std::iter::once(0)
        .chain(keys.iter().scan(0, |sum, &key| {
            *sum = key.saturating_add(*sum);
            Some(*sum)
        }))
        .collect();
    let mut cheapest_after = vec![i64::MAX; items.len() + 1];
    for at in (0..items.len()).rev() {
        cheapest_after[at] = cheapest_after[at + 1].min(items[at].cost);
    }
    let mut search = Search {
        items: &items,
        keys: &keys,
        sums: &sums,
        cheapest_after: &cheapest_after,
        limit,
        charge: charge(limit, lambda),
        best: (mark, i64::MIN),
        picks: Vec::new(),
        found: None,
    };
    search.descend(0, wanted, 0, 0, 0);
    let value = search.best.0;
    search.found.map(|found| (value, found))
}

/// Keeps the items that fewer than `wanted` others beat or equal in both value and cost; the rest is never needed.
fn thin_out(items: &mut Vec<Item>, wanted: usize) {
    let mut by_value: Vec<(i64, i64, usize)> =
        items.iter().enumerate().map(|(place, item)| (item.value, item.cost, place)).collect();
    by_value.sort_unstable();
    // The `wanted` lowest costs among items of lower value: if all are at most the item's own, it is beaten often enough.
    let mut lowest = std::collections::BinaryHeap::with_capacity(wanted + 1);
    let mut keep = vec![true; items.len()];
    for (_, cost, place) in by_value {
        if lowest.len() == wanted && lowest.peek().is_some_and(|&highest| highest <= cost) {
            keep[place] = false;
            continue;
        }
        lowest.push(cost);
        if lowest.len() > wanted {
            lowest.pop();
        }
    }
    let mut keep = keep.into_iter();
    items.retain(|_| keep.next().unwrap_or(true));
}

struct Search<'a> {
    items: &'a [Item],
    keys: &'a [i64],
    /// Sums of the first keys.
    sums: &'a [i64],
    cheapest_after: &'a [i64],
    limit: i64,
    charge: i64,
    best: (i64, i64),
    picks: Vec<usize>,
    found: Option<Vec<usize>>,
}

impl Search<'_> {
    /// Adds `left` more items from place `from` on to picks of this key, value and cost.
    fn descend(&mut self, from: usize, left: usize, key: i64, value: i64, cost: i64) {
        if left == 0 {
            if cost <= self.limit && (value, cost) < self.best {
                self.best = (value, cost);
                self.found = Some(self.picks.clone());
            }
            return;
        }
        for at in from..self.items.len().saturating_sub(left - 1) {
            // Keys rise: the next `left` are the lowest there are, and later places only have higher ones.
            let rest = self.sums[at + left].saturating_sub(self.sums[at]);
            let bound = key.saturating_add(rest).saturating_sub(self.charge);
            if bound > self.best.0 {
                return;
            }
            let item = self.items[at];
            let others = self.cheapest_after[at + 1].saturating_mul(left as i64 - 1);
            let least_cost = cost.saturating_add(item.cost).saturating_add(others);
            let hopeless = least_cost > self.limit || (bound == self.best.0 && least_cost >= self.best.1);
            if !hopeless {
                self.picks.push(item.index);
                let key = key.saturating_add(self.keys[at]);
                let value = value.saturating_add(item.value);
                self.descend(at + 1, left - 1, key, value, cost.saturating_add(item.cost));
                self.picks.pop();
            }
        }
    }
}
