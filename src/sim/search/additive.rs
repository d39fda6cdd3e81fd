//! The window whose slots have the least total of some value within the budget: exact.
//!
//! Choosing N of the live slots with least total value z and total cost at most S is a knapsack with a fixed number of
//! items. Its Lagrangian relaxation prices the budget: with y = z + lambda * c, the N lowest y, less lambda * S, can't
//! be above any feasible total of z. The scan keeps the N lowest y at hand ([`Live`]); a start at which no new slot
//! could take part in a window below the best one so far is passed over at the cost of a logarithm. At the few others,
//! the slots whose y leaves them a chance are picked out, and the choice among them is made by branch and bound on the
//! same bound (`knapsack`). Keys are rounded down, so that the bound holds in integers. Until the first window is
//! found, nothing but cost counts.

use super::knapsack::{Knapsack, KnapsackItem, Lambda, WorkBudget, best_lambda, thin_out};
use super::{Live, LiveSlot, NodeQuote, Offers, scan, terms, window};
use crate::model::{Node, Request, Window};
use crate::units::{Span, Time};
use std::ops::ControlFlow;

/// The first window of least total `value(node, runtime)` with a cost of at most `limit`; among those with the same
/// start the cheapest. A node without a value is not used.
pub(super) fn least_sum(
    offers: &Offers<'_>,
    request: &Request,
    limit: i64,
    value: impl Fn(&Node, Span) -> Option<i64>,
) -> Option<Window> {
    let mut terms = terms(offers.nodes, offers.rule, request, |_| true);
    let mut items = vec![KnapsackItem::default(); terms.len()];
    for ((terms, item), node) in terms.iter_mut().zip(&mut items).zip(offers.nodes) {
        let valued = |terms: &NodeQuote| value(node, terms.runtime).map(|value| (value, terms.cost.ticks()));
        match terms.as_ref().and_then(valued) {
            Some((value, cost)) => *item = KnapsackItem { value, cost, ..KnapsackItem::default() },
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
    chosen: Vec<LiveSlot>,
}

struct LeastSum<'a> {
    wanted: usize,
    limit: i64,
    /// Value and cost, by node.
    items: &'a [KnapsackItem],
    /// The price of a unit of budget in units of value; none as long as only cost counts.
    lambda: Option<Lambda>,
    /// Live slots by y, for the bound.
    bound: Live,
    /// All slots that may be live, with their y; expired ones are swept out when they could be half of it.
    live: Vec<LiveSlot>,
    sweep_at: usize,
    best: Option<Best>,
    /// The rest of the work that the search may do on starts that are hard to decide.
    work: WorkBudget,
}

impl<'a> LeastSum<'a> {
    fn new(wanted: usize, limit: i64, items: &'a [KnapsackItem]) -> Self {
        let bound = Live::new(wanted);
        Self {
            wanted,
            limit,
            items,
            lambda: None,
            bound,
            live: Vec::new(),
            sweep_at: 64,
            best: None,
            work: WorkBudget::default(),
        }
    }

    /// Takes in the slots that start at `start` and looks for a better window there.
    fn step(&mut self, start: Time, group: &[LiveSlot]) {
        self.bound.advance(start);
        if self.live.len() > self.sweep_at {
            self.live.retain(|entry| entry.latest_start >= start);
            self.sweep_at = 64.max(2 * self.live.len());
        }
        let mut lowest = i64::MAX;
        for entry in group {
            let entry = LiveSlot { key: self.key(entry), ..*entry };
            lowest = lowest.min(entry.key);
            self.bound.insert(entry);
            self.live.push(entry);
        }
        let Some(total) = self.bound.total() else { return };
        let Some((best, lambda)) = self.best.as_ref().zip(self.lambda) else {
            if total <= self.limit {
                self.solve(start, i64::MAX, i64::MAX, group.len());
            }
            return;
        };
        // A window with some slot has y of at least the slot's own plus the N - 1 lowest.
        let others = total.saturating_sub(self.bound.chosen().last().map_or(0, |entry| entry.key));
        let room = lambda.highest(best.value.saturating_sub(1), self.limit);
        let highest = room.saturating_sub(others);
        if total <= room && lowest <= highest {
            self.solve(start, best.value, highest, group.len());
        }
    }

    /// y of the slot, or its cost alone.
    fn key(&self, entry: &LiveSlot) -> i64 {
        let item = &self.items[entry.node.index()];
        self.lambda.map_or(item.cost, |lambda| lambda.key(item))
    }

    /// Looks for the least total at this start, if it is below `mark`, among the slots with a y of at most `highest`;
    /// then prices the budget again. The last `new` slots have come in at this start.
    fn solve(&mut self, start: Time, mark: i64, highest: i64, new: usize) {
        let first_new = self.live.len() - new;
        let candidates = self.live.iter().enumerate();
        let candidates = candidates.filter(|(_, entry)| entry.key <= highest && entry.latest_start >= start);
        let item = |(index, entry): (usize, &LiveSlot)| {
            // Where a window is known, those of older slots alone were looked at before.
            KnapsackItem { index, is_new: self.best.is_none() || index >= first_new, ..self.items[entry.node.index()] }
        };
        let mut items: Vec<KnapsackItem> = candidates.map(item).collect();
        // Items alike are taken in the order in which they stand here.
        items.sort_unstable_by_key(|item| self.live[item.index].node);
        thin_out(&mut items, self.wanted);
        let Some(lambda) = best_lambda(&items, self.wanted, self.limit) else { return };
        let knapsack = Knapsack { wanted: self.wanted, limit: self.limit, lambda };
        if let Some((value, picks)) = knapsack.solve(items, mark, &mut self.work) {
            let chosen = picks.into_iter().map(|index| self.live[index]).collect();
            self.best = Some(Best { value, start, chosen });
        }
        if self.lambda != Some(lambda) {
            self.lambda = Some(lambda);
            self.bound = Live::new(self.wanted);
            self.live.retain(|entry| entry.latest_start >= start);
            let mut live = std::mem::take(&mut self.live);
            for entry in &mut live {
                entry.key = self.key(entry);
                self.bound.insert(*entry);
            }
            self.live = live;
        }
    }
}
