//! The choice by the vector of criteria <C, D, T, I> (file 000, section 2).

use super::{Alternative, Choice, NoChoice, check_totals};
use crate::units::{Money, Span};

/// The weights of the parts of the vector; none below zero.
///
/// C is the cost and T the time of the combination, to be low; D = B* - C and I = T* - T are what is left of the two
/// limits, to be high.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of a unit of cost, C.
    pub cost: f64,
    /// Of a unit of budget left over, D.
    pub saved: f64,
    /// Of a unit of time, T.
    pub time: f64,
    /// Of a unit of time left over, I.
    pub idle: f64,
}

/// The combination within both limits that is best by the weighted sum, by branch and bound: exact up to the rounding
/// of sums of doubles, of which one part in 10^10 is allowed for.
///
/// A search that takes too long ends with what it has found: [`Choice::gap`] then bounds what the best sum, in ticks,
/// could be below the one found, and where that is more than a millionth, or nothing was found, there is an error.
///
/// Since D and I are constants less C and T, the sum is (cost + saved) C + (time + idle) T up to a constant, and falls
/// apart into the jobs; without limits each job would take its own best. The limits are priced into the bound
/// (Lagrange), with prices found by a fixed number of steps.
pub fn choose_weighted(
    batch: &[Vec<Alternative>],
    weights: Weights,
    time_limit: Span,
    cost_limit: Money,
) -> Result<Choice, NoChoice> {
    check_totals(batch)?;
    let by = [weights.cost + weights.saved, weights.time + weights.idle];
    let limits = [cost_limit.ticks(), time_limit.ticks()];
    let jobs: Vec<Vec<[i64; 2]>> =
        batch.iter().map(|job| job.iter().map(|one| [one.cost.ticks(), one.time.ticks()]).collect()).collect();
    let prices = prices(&jobs, by, limits);
    let mut search = WeightedSearch::new(&jobs, by, prices, limits);
    search.descend(0, [0, 0], 0.0);
    let open = search.best.0 - (search.bound[0] - dot(search.prices, limits));
    match search.found {
        Some(picks) if search.steps > 0 => Ok(Choice::of(batch, picks)),
        Some(picks) if open <= search.best.0.abs() / 1e6 => {
            Ok(Choice { gap: Some(libm::ceil(open.max(0.0)) as i64), ..Choice::of(batch, picks) })
        }
        None if search.steps > 0 => Err(NoChoice::Infeasible),
        _ => Err(NoChoice::Unproven(libm::ceil(open) as i64)),
    }
}

/// The most alternatives that may be tried.
const STEPS: u64 = 20_000_000;
/// The relative distance to the best sum so far within which a bound is not looked at.
const ROUNDING: f64 = 1e-10;

fn dot(by: [f64; 2], amounts: [i64; 2]) -> f64 {
    by[0] * amounts[0] as f64 + by[1] * amounts[1] as f64
}

fn plus(a: [i64; 2], b: [i64; 2]) -> [i64; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

/// Prices for the two limits under which the relaxation is nearly tight: steps along the excess, shorter and shorter.
fn prices(jobs: &[Vec<[i64; 2]>], by: [f64; 2], limits: [i64; 2]) -> [f64; 2] {
    let scale = by[0].max(by[1]).max(f64::MIN_POSITIVE);
    let (mut prices, mut best) = ([0.0; 2], (f64::NEG_INFINITY, [0.0; 2]));
    for step in 0..60 {
        let priced = [by[0] + prices[0], by[1] + prices[1]];
        let mut used = [0, 0];
        let mut bound = -dot(prices, limits);
        for job in jobs {
            let least = job.iter().copied().min_by(|&a, &b| dot(priced, a).total_cmp(&dot(priced, b)));
            let least = least.unwrap_or([0, 0]);
            used = plus(used, least);
            bound += dot(priced, least);
        }
        if bound > best.0 {
            best = (bound, prices);
        }
        for side in 0..2 {
            let excess = (used[side] - limits[side]) as f64 / limits[side].max(1) as f64;
            prices[side] = (prices[side] + scale * excess * 4.0 / (1.0 + step as f64)).max(0.0);
        }
    }
    best.1
}

struct WeightedSearch<'a> {
    jobs: &'a [Vec<[i64; 2]>],
    by: [f64; 2],
    prices: [f64; 2],
    limits: [i64; 2],
    /// Each job's alternatives, the best under the prices first.
    order: Vec<Vec<usize>>,
    /// From each job on: the least that the rest uses of either limit, and its least priced sum.
    least: Vec<[i64; 2]>,
    bound: Vec<f64>,
    picks: Vec<usize>,
    best: (f64, [i64; 2]),
    found: Option<Vec<usize>>,
    /// The number of alternatives that may still be tried.
    steps: u64,
}

impl<'a> WeightedSearch<'a> {
    fn new(jobs: &'a [Vec<[i64; 2]>], by: [f64; 2], prices: [f64; 2], limits: [i64; 2]) -> Self {
        let priced = [by[0] + prices[0], by[1] + prices[1]];
        let order = jobs
            .iter()
            .map(|job| {
                let mut order: Vec<usize> = (0..job.len()).collect();
                order.sort_by(|&a, &b| dot(priced, job[a]).total_cmp(&dot(priced, job[b])).then(a.cmp(&b)));
                order
            })
            .collect();
        let mut least = vec![[0, 0]; jobs.len() + 1];
        let mut bound = vec![0.0; jobs.len() + 1];
        for (at, job) in jobs.iter().enumerate().rev() {
            let side = |side: usize| job.iter().map(|one| one[side]).min().unwrap_or(0);
            least[at] = plus(least[at + 1], [side(0), side(1)]);
            bound[at] = bound[at + 1] + job.iter().map(|&one| dot(priced, one)).fold(f64::INFINITY, f64::min);
        }
        let best = (f64::INFINITY, [0, 0]);
        Self { jobs, by, prices, limits, order, least, bound, picks: Vec::new(), best, found: None, steps: STEPS }
    }

    /// Chooses for the jobs from `job` on, after choices that use this much and have this weighted sum.
    fn descend(&mut self, job: usize, used: [i64; 2], sum: f64) {
        if job == self.jobs.len() {
            if (sum, used) < self.best {
                self.best = (sum, used);
                self.found = Some(self.picks.clone());
            }
            return;
        }
        for place in 0..self.order[job].len() {
            let pick = self.order[job][place];
            let one = self.jobs[job][pick];
            let used = plus(used, one);
            let rest = plus(used, self.least[job + 1]);
            if rest[0] > self.limits[0] || rest[1] > self.limits[1] {
                continue;
            }
            let sum = sum + dot(self.by, one);
            let slack = [used[0] - self.limits[0], used[1] - self.limits[1]];
            let bound = sum + dot(self.prices, slack) + self.bound[job + 1];
            // Where all sums are alike, those that could only be better by rounding must not be gone through one by
            // one.
            if bound + ROUNDING * bound.abs() >= self.best.0 {
                // Later alternatives have higher priced sums.
                break;
            }
            if self.steps == 0 {
                return;
            }
            self.steps -= 1;
            self.picks.push(pick);
            self.descend(job + 1, used, sum);
            self.picks.pop();
        }
    }
}
