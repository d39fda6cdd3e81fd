//! Lagrangian bounds.

use super::knapsack::{Item, Knapsack};
use crate::broker::Board;

/// How many steps without a better bound halve the step length.
const STALL: u32 = 6;

/// What is left to decide: open jobs, the room on resources, and the pairs that are still allowed.
#[derive(Debug)]
pub(super) struct Relaxation<'a> {
    pub(super) board: &'a Board,
    /// What decided jobs cost.
    pub(super) decided: i64,
    /// The jobs that are not decided.
    pub(super) open: Vec<usize>,
    /// The resources that open jobs could go to.
    pub(super) offers: Vec<Offer>,
}

/// A resource, the room on it, and the open jobs that could go there with their costs.
#[derive(Debug)]
pub(super) struct Offer {
    pub(super) resource: usize,
    pub(super) room: u32,
    pub(super) jobs: Vec<(usize, i64)>,
}

/// The best bound of an ascent.
#[derive(Debug, Clone)]
pub(super) struct Bound {
    /// No plan with the same decisions costs less.
    pub(super) value: i64,
    /// The job prices that give it.
    pub(super) prices: Vec<i64>,
    /// What the knapsacks hold at these prices: job and resource.
    pub(super) packed: Vec<(usize, usize)>,
}

impl Relaxation<'_> {
    /// The bound at `prices`. A job's price is what it is worth to pack it; above the dummy's cost the job would be left there.
    fn evaluate(&self, prices: &[i64], knapsack: &mut Knapsack, packed: &mut Vec<(usize, usize)>) -> i64 {
        packed.clear();
        let mut value = self.decided + self.open.iter().map(|&job| prices[job]).sum::<i64>();
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
                value -= knapsack.fill(&items, *room, |job| packed.push((job, *resource)));
            }
        }
        value
    }

    /// Raises the bound from `prices` by steps along the subgradient, until it reaches `target`. Shows what the knapsacks
    /// hold to `look`, which may lower the target.
    pub(super) fn ascend(
        &self,
        mut prices: Vec<i64>,
        steps: u32,
        mut target: i64,
        mut look: impl FnMut(&[(usize, usize)], i64) -> i64,
    ) -> Bound {
        for &job in &self.open {
            prices[job] = prices[job].clamp(0, self.board.dummy_whole(job));
        }
        let mut knapsack = Knapsack::default();
        let mut packed = Vec::new();
        let mut counts = vec![0i64; self.board.jobs()];
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
            if best.value >= target {
                break;
            }
            counts.fill(0);
            packed.iter().for_each(|&(job, _)| counts[job] += 1);
            // Nowhere packed: worth more, up to the dummy's cost. Packed twice: worth less.
            let slope = |job: usize| match 1 - counts[job] {
                1 if prices[job] >= self.board.dummy_whole(job) => 0,
                slope => slope,
            };
            let square: i64 = self.open.iter().map(|&job| slope(job) * slope(job)).sum();
            if square == 0 {
                break;
            }
            let step = length * (target - value) as f64 / square as f64;
            let slopes: Vec<i64> = self.open.iter().map(|&job| slope(job)).collect();
            for (&job, slope) in self.open.iter().zip(slopes) {
                let moved = prices[job] + libm::round(step * slope as f64) as i64;
                prices[job] = moved.clamp(0, self.board.dummy_whole(job));
            }
        }
        best
    }

    /// The pair to decide next, unless what is packed is a plan: of the jobs that are packed twice or nowhere the one that is
    /// dearest to leave out, where it is cheapest.
    pub(super) fn doubt(&self, bound: &Bound) -> Option<(usize, usize)> {
        let mut counts = vec![0; self.board.jobs()];
        bound.packed.iter().for_each(|&(job, _)| counts[job] += 1);
        let is_settled = |job: usize| match counts[job] {
            0 => bound.prices[job] >= self.board.dummy_whole(job),
            count => count == 1,
        };
        let doubted = self.open.iter().copied().filter(|&job| !is_settled(job));
        let job = doubted.max_by_key(|&job| (counts[job] > 1, self.board.dummy_whole(job)))?;
        let packed = |resource: usize| counts[job] == 0 || bound.packed.contains(&(job, resource));
        let places = self.offers.iter().filter(|offer| packed(offer.resource));
        let costs = places.filter_map(|offer| {
            offer.jobs.iter().find(|(other, _)| *other == job).map(|&(_, cost)| (cost, offer.resource))
        });
        costs.min().map(|(_, resource)| (job, resource))
    }
}
