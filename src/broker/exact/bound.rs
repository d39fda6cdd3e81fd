//! Lagrangian bounds.

use super::dummy::Dummy;
use super::knapsack::{Item, Knapsack};
use crate::broker::Board;

/// How many steps without a better bound halve the step length.
const STALL: u32 = 6;
/// How many times its cost on the dummy a job may be worth, where it can't simply be left there.
const SCARCE: i64 = 4;

/// A part of all plans, without the constraint that a job goes to one home only.
///
/// Costs and prices are counted in parts of a tick, so that a bound at rounded prices still rounds up to the tick that it should.
#[derive(Debug)]
pub(super) struct Relaxation<'a> {
    pub(super) board: &'a Board,
    /// How many parts a tick has.
    pub(super) parts: i64,
    /// The resources that jobs could go to.
    pub(super) offers: Vec<Offer>,
    /// The dummy.
    pub(super) dummy: Dummy,
    /// By job: the most that it may be worth to pack it.
    pub(super) ceilings: Vec<i64>,
}

/// A resource, the room on it, and the jobs that could go there with their costs.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) resource: usize,
    pub(super) room: u32,
    pub(super) jobs: Vec<(usize, i64)>,
}

/// Jobs that go to one home together: a resource, or the dummy.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pattern {
    pub(super) home: Option<usize>,
    pub(super) jobs: Vec<usize>,
}

/// The best bound that was found.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// No plan costs less, in parts of a tick.
    pub(super) value: i64,
    /// The job prices that give it.
    pub(super) prices: Vec<i64>,
    /// What the knapsacks and the dummy hold at these prices.
    pub(super) packed: Vec<Pattern>,
}

impl<'a> Relaxation<'a> {
    pub(super) fn new(board: &'a Board, parts: i64, offers: Vec<Offer>, dummy: Dummy) -> Self {
        let ceiling = |job: usize| parts * board.dummy_whole(job) * if dummy.is_free(job) { 1 } else { SCARCE };
        let ceilings = (0..board.jobs()).map(ceiling).collect();
        Self { board, parts, offers, dummy, ceilings }
    }

    /// What the jobs of a pattern cost together.
    pub(super) fn cost(&self, pattern: &Pattern) -> i64 {
        let cost = |&job: &usize| match pattern.home {
            Some(resource) => self.board.whole_cost(job, resource),
            None => self.board.dummy_whole(job),
        };
        self.parts * pattern.jobs.iter().map(cost).sum::<i64>()
    }

    /// The bound at `prices`, and what it packs. A job's price is what it is worth to pack it, on the dummy or elsewhere.
    pub(super) fn evaluate(&self, prices: &[i64], knapsack: &mut Knapsack, packed: &mut Vec<Pattern>) -> i64 {
        packed.clear();
        let mut value: i64 = prices.iter().sum();
        let mut items: Vec<Item> = Vec::new();
        for Offer { resource, room, jobs } in &self.offers {
            items.clear();
            let worthwhile = jobs.iter().filter(|&&(job, cost)| cost < prices[job]);
            items.extend(worthwhile.map(|&(job, cost)| Item {
                job,
                weight: self.board.tasks(job),
                profit: prices[job] - cost,
            }));
            if !items.is_empty() {
                let mut jobs = Vec::new();
                value = value.saturating_sub(knapsack.fill(&items, *room, |job| jobs.push(job)));
                packed.push(Pattern { home: Some(*resource), jobs });
            }
        }
        let mut jobs = Vec::new();
        let profit = |job: usize| prices[job] - self.parts * self.board.dummy_whole(job);
        value = value.saturating_sub(self.dummy.fill(self.board, profit, |job| jobs.push(job)));
        packed.push(Pattern { home: None, jobs });
        value
    }

    /// Raises the bound from `prices` by steps along the subgradient, until it reaches `target`. Shows what the knapsacks
    /// hold to `look`, which may lower the target.
    pub(super) fn ascend(
        &self,
        mut prices: Vec<i64>,
        steps: u32,
        mut target: i64,
        mut look: impl FnMut(&[Pattern], i64) -> i64,
    ) -> Bound {
        for (price, &ceiling) in prices.iter_mut().zip(&self.ceilings) {
            *price = (*price).clamp(0, ceiling);
        }
        let mut knapsack = Knapsack::default();
        let mut packed = Vec::new();
        let mut slopes = vec![0i64; self.board.jobs()];
        let mut best = Bound { value: i64::MIN, prices: prices.clone(), packed: Vec::new() };
        let (mut length, mut stalled) = (1.0, 0);
        for _ in 0..steps.max(1) {
            let value = self.evaluate(&prices, &mut knapsack, &mut packed);
            if value > best.value {
                best.value = value;
                best.prices.clone_from(&prices);
                best.packed.clone_from(&packed);
                stalled = 0;
            } else {
                stalled += 1;
                if stalled >= STALL {
                    (length, stalled) = (length / 2.0, 0);
                    prices.clone_from(&best.prices);
                }
            }
            target = look(&packed, target);
            if best.value >= target || self.board.is_stopped() {
                break;
            }
            // Nowhere packed: worth more, up to the ceiling. Packed twice: worth less.
            slopes.fill(1);
            packed.iter().flat_map(|pattern| &pattern.jobs).for_each(|&job| slopes[job] -= 1);
            for (job, slope) in slopes.iter_mut().enumerate() {
                if *slope == 1 && prices[job] >= self.ceilings[job] {
                    *slope = 0;
                }
            }
            let square: i64 = slopes.iter().map(|slope| slope * slope).sum();
            if square == 0 {
                break;
            }
            let step = length * (target as f64 - value as f64) / square as f64;
            for (job, &slope) in slopes.iter().enumerate() {
                let moved = prices[job] + libm::round(step * slope as f64) as i64;
                prices[job] = moved.clamp(0, self.ceilings[job]);
            }
        }
        best
    }
}
