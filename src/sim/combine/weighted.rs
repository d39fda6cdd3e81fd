//! The choice by the vector of criteria <C, D, T, I> (file 000, section 2), with a term for early starts.

use super::exact::{self, BatchItem, SidedSolution};
use super::{Alternative, Choice, NoChoice, PARTS, check_totals};
use crate::units::{Money, Overflow, Span};

/// The weights of the parts of the vector and of late starts; none below zero.
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
    /// Of a unit of time from now to the start of a window, summed over the jobs; this is no part of the vector.
    pub start: f64,
}

/// The combination within both limits that is best by the weighted sum, exact up to the rounding of sums of doubles,
/// of which one part in 10^10 is allowed for. `start` says how long after now an alternative of a job starts.
///
/// Since D and I are constants less C and T, the sum is (cost + saved) C + (time + idle) T plus the weighted starts up
/// to a constant, and falls apart into the jobs. With one limit it is the problem that [`choose`](super::choose)
/// solves. So first the limit on cost is left aside, then the limit on time: a best combination that keeps the other
/// limit as well is best within both. Where the limit on cost is the highest income within the time, the first attempt
/// always succeeds. Otherwise branch and bound decides, with the limits priced into the bound (Lagrange) by a fixed
/// number of steps.
///
/// A search that takes too long ends with what it has found: [`Choice::gap`] then bounds what the best sum, in ticks,
/// could be below the one found, and where that is more than a millionth, or nothing was found, there is an error.
pub fn choose_weighted(
    batch: &[Vec<Alternative>],
    start: impl Fn(usize, usize) -> Span,
    weights: Weights,
    time_limit: Span,
    cost_limit: Money,
) -> Result<Choice, NoChoice> {
    check_totals(batch)?;
    let by = [weights.cost + weights.saved, weights.time + weights.idle];
    let limits = [cost_limit.ticks(), time_limit.ticks()];
    let candidate = |job: usize, pick: usize, one: &Alternative| {
        let late = if weights.start == 0.0 { 0.0 } else { weights.start * start(job, pick).ticks() as f64 };
        WeightedItem { used: [one.cost.ticks(), one.time.ticks()], late }
    };
    let candidates = |(job, alternatives): (usize, &Vec<Alternative>)| {
        alternatives.iter().enumerate().map(|(pick, one)| candidate(job, pick, one)).collect()
    };
    let jobs: Vec<Vec<WeightedItem>> = batch.iter().enumerate().map(candidates).collect();
    let scale = scale(&jobs, by, weights.start)?;
    // The limit on time first, then that on cost.
    for side in [1, 0] {
        if let Some(SidedSolution { picks, gap }) = within_one(&jobs, by, side, limits, scale)? {
            return Ok(Choice { gap, ..Choice::of(batch, picks) });
        }
    }
    let prices = prices(&jobs, by, weights.start, limits);
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

/// An alternative: its use of the limits on cost and time, and the weighted time until it starts.
#[derive(Debug, Clone, Copy, Default)]
struct WeightedItem {
    used: [i64; 2],
    late: f64,
}

impl WeightedItem {
    fn sum(&self, by: [f64; 2]) -> f64 {
        dot(by, self.used) + self.late
    }
}

/// Sums up to this are whole numbers as doubles too.
const WHOLE: f64 = 9_007_199_254_740_992.0;

/// The factor by which sums become whole numbers: 1 where they are, and otherwise the largest that keeps their total
/// within what a double holds, so that what is rounded off counts for nothing.
fn scale(jobs: &[Vec<WeightedItem>], by: [f64; 2], start: f64) -> Result<f64, NoChoice> {
    let highest = |job: &Vec<WeightedItem>| job.iter().map(|one| one.sum(by)).fold(0.0, f64::max);
    let total: f64 = jobs.iter().map(highest).sum();
    if !total.is_finite() {
        return Err(Overflow.into());
    }
    let is_whole = [by[0], by[1], start].into_iter().all(|weight| weight == libm::trunc(weight));
    Ok(if total == 0.0 || (is_whole && total <= WHOLE) { 1.0 } else { WHOLE / total })
}

/// The best combination within one of the limits, with its gap in ticks, if it keeps the other limit too and is near
/// enough to a proof; an error if there is none within this one.
fn within_one(
    jobs: &[Vec<WeightedItem>],
    by: [f64; 2],
    side: usize,
    limits: [i64; 2],
    scale: f64,
) -> Result<Option<SidedSolution>, NoChoice> {
    let item =
        |one: &WeightedItem| BatchItem { value: libm::round(one.sum(by) * scale) as i64, weight: one.used[side] };
    let classes: Vec<Vec<BatchItem>> = jobs.iter().map(|job| job.iter().map(item).collect()).collect();
    let SidedSolution { picks, gap } = exact::solve(&classes, limits[side]).ok_or(NoChoice::Infeasible)?;
    let chosen = || jobs.iter().zip(&picks).map(|(job, &pick)| job[pick]);
    let value: i64 = classes.iter().zip(&picks).map(|(class, &pick)| class[pick].value).sum();
    let other: i64 = chosen().map(|one| one.used[1 - side]).sum();
    let is_near = gap.is_none_or(|gap| gap <= value / PARTS);
    let gap = gap.map(|gap| libm::ceil(gap as f64 / scale) as i64);
    Ok((is_near && other <= limits[1 - side]).then_some(SidedSolution { picks, gap }))
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
fn prices(jobs: &[Vec<WeightedItem>], by: [f64; 2], start: f64, limits: [i64; 2]) -> [f64; 2] {
    let scale = by[0].max(by[1]).max(start).max(f64::MIN_POSITIVE);
    let (mut prices, mut best) = ([0.0; 2], (f64::NEG_INFINITY, [0.0; 2]));
    for step in 0..60 {
        let priced = [by[0] + prices[0], by[1] + prices[1]];
        let mut used = [0, 0];
        let mut bound = -dot(prices, limits);
        for job in jobs {
            let least = job.iter().copied().min_by(|a, b| a.sum(priced).total_cmp(&b.sum(priced)));
            let least = least.unwrap_or_default();
            used = plus(used, least.used);
            bound += least.sum(priced);
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
    jobs: &'a [Vec<WeightedItem>],
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
    fn new(jobs: &'a [Vec<WeightedItem>], by: [f64; 2], prices: [f64; 2], limits: [i64; 2]) -> Self {
        let priced = [by[0] + prices[0], by[1] + prices[1]];
        let order = jobs
            .iter()
            .map(|job| {
                let mut order: Vec<usize> = (0..job.len()).collect();
                order.sort_by(|&a, &b| job[a].sum(priced).total_cmp(&job[b].sum(priced)).then(a.cmp(&b)));
                order
            })
            .collect();
        let mut least = vec![[0, 0]; jobs.len() + 1];
        let mut bound = vec![0.0; jobs.len() + 1];
        for (at, job) in jobs.iter().enumerate().rev() {
            let side = |side: usize| job.iter().map(|one| one.used[side]).min().unwrap_or(0);
            least[at] = plus(least[at + 1], [side(0), side(1)]);
            bound[at] = bound[at + 1] + job.iter().map(|one| one.sum(priced)).fold(f64::INFINITY, f64::min);
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
            let used = plus(used, one.used);
            let rest = plus(used, self.least[job + 1]);
            if rest[0] > self.limits[0] || rest[1] > self.limits[1] {
                continue;
            }
            let sum = sum + one.sum(self.by);
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
