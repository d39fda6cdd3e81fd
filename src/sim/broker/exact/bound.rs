//! Lagrangian bounds.

use super::dummy::Dummy;
use super::knapsack::{PackItem, pack};
use crate::broker::CostTable;

/// The number of steps without a better bound that halves the step length.
const STALL: u32 = 6;
/// The most that a job may be worth, in multiples of its cost on the dummy, where it can't simply be left there.
const SCARCE: i64 = 4;

/// The plans of one node, without the constraint that a job goes to one home only.
///
/// Costs and prices are counted in parts of a tick, so that a bound at rounded prices still rounds up to the tick that
/// it should.
#[derive(Debug)]
pub(super) struct Relaxation<'a> {
    pub(super) table: &'a CostTable,
    /// The number of parts of a tick.
    pub(super) parts: i64,
    /// The resources that jobs could go to.
    pub(super) bins: Vec<Bin>,
    pub(super) dummy: Dummy,
    /// By job: the most that it may be worth to pack it.
    pub(super) ceilings: Vec<i64>,
}

/// A resource, the room on it, and the jobs that could go there with their costs.
#[derive(Debug)]
pub(super) struct Bin {
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

/// A bound with its proof.
#[derive(Debug, Clone)]
pub(super) struct LagrangianBound {
    /// No plan costs less, in parts of a tick; `i64::MAX` if there is no plan.
    pub(super) value: i64,
    /// The job prices that give it.
    pub(super) prices: Vec<i64>,
    /// The contents of the knapsacks and of the dummy at these prices.
    pub(super) packed: Vec<Pattern>,
}

impl<'a> Relaxation<'a> {
    pub(super) fn new(table: &'a CostTable, parts: i64, bins: Vec<Bin>, dummy: Dummy) -> Self {
        let ceiling = |job: usize| parts * table.dummy_whole(job) * if dummy.is_free(job) { 1 } else { SCARCE };
        let ceilings = (0..table.jobs()).map(ceiling).collect();
        Self { table, parts, bins, dummy, ceilings }
    }

    /// The cost of a pattern's jobs together.
    pub(super) fn cost(&self, pattern: &Pattern) -> i64 {
        self.parts * pattern.jobs.iter().map(|&job| self.table.cost_at(job, pattern.home)).sum::<i64>()
    }

    /// The bound at `prices`. A job's price is what it is worth to pack it, on the dummy or elsewhere: the constraint
    /// that it goes to one home only is dualised, and what is left falls apart into one knapsack for each resource.
    pub(super) fn evaluate(&self, prices: Vec<i64>) -> LagrangianBound {
        let mut packed = Vec::new();
        let mut value: i64 = prices.iter().sum();
        let mut items: Vec<PackItem> = Vec::new();
        for Bin { resource, room, jobs } in &self.bins {
            items.clear();
            let worthwhile = jobs.iter().filter(|&&(job, cost)| cost < prices[job]);
            items.extend(worthwhile.map(|&(job, cost)| PackItem {
                job,
                weight: self.table.tasks(job),
                profit: prices[job] - cost,
            }));
            if !items.is_empty() {
                let (profit, jobs) = pack(&items, *room);
                value -= profit;
                packed.push(Pattern { home: Some(*resource), jobs });
            }
        }
        let profit = |job: usize| prices[job] - self.parts * self.table.dummy_whole(job);
        let Some((profit, jobs)) = self.dummy.fill(self.table, profit) else {
            return LagrangianBound { value: i64::MAX, prices, packed };
        };
        packed.push(Pattern { home: None, jobs });
        LagrangianBound { value: value - profit, prices, packed }
    }

    /// Raises the bound from `prices` by steps along the subgradient, until it reaches `target`. Shows what the
    /// knapsacks hold to `look`, which may lower the target.
    pub(super) fn ascend(
        &self,
        prices: Vec<i64>,
        steps: u32,
        mut target: i64,
        mut look: impl FnMut(&[Pattern], i64) -> i64,
    ) -> LagrangianBound {
        let clamped = |(price, &ceiling): (i64, &i64)| price.clamp(0, ceiling);
        let mut at = self.evaluate(prices.into_iter().zip(&self.ceilings).map(clamped).collect());
        let mut best = at.clone();
        let (mut length, mut stalled) = (1.0, 0);
        for _ in 1..steps {
            target = look(&at.packed, target);
            if best.value >= target || self.table.is_stopped() {
                break;
            }
            // Packed nowhere: worth more, up to the ceiling. Packed twice: worth less.
            let mut slopes = vec![1i64; self.table.jobs()];
            at.packed.iter().flat_map(|pattern| &pattern.jobs).for_each(|&job| slopes[job] -= 1);
            for (job, slope) in slopes.iter_mut().enumerate() {
                if *slope == 1 && at.prices[job] >= self.ceilings[job] {
                    *slope = 0;
                }
            }
            let square: i64 = slopes.iter().map(|slope| slope * slope).sum();
            if square == 0 {
                break;
            }
            // Polyak's step: as long as would reach the target if the bound rose evenly.
            let step = length * (target as f64 - at.value as f64) / square as f64;
            let moved = |(price, &slope): (i64, &i64)| price + libm::round(step * slope as f64) as i64;
            let prices = at.prices.into_iter().zip(&slopes).map(moved).zip(&self.ceilings).map(clamped);
            at = self.evaluate(prices.collect());
            if at.value > best.value {
                best = at.clone();
                stalled = 0;
            } else {
                stalled += 1;
                if stalled >= STALL {
                    (length, stalled, at) = (length / 2.0, 0, best.clone());
                }
            }
        }
        best
    }
}
