//! Bounds by column generation: prices from the linear program over the patterns that are known, patterns from the knapsacks at these prices.
//!
//! Where steps along the subgradient crawl, this takes a dozen or two rounds to the best bound that prices can give, and tells which
//! mixture of patterns costs just that.

use super::bound::{Bound, Pattern, Relaxation};
use super::knapsack::Knapsack;
use super::master::Master;
use std::collections::{BTreeMap, BTreeSet};

/// The most rounds.
const ROUNDS: u32 = 200;
/// The most rows of a linear program.
const ROWS: usize = 600;
/// Less than this share of a cost is no saving.
const TINY: f64 = 1e-9;

/// How much of every job goes where in a mixture of plans.
pub(super) type Shares = BTreeMap<(usize, Option<usize>), f64>;

impl Relaxation<'_> {
    /// Raises `bound` as far as it goes or until it reaches `target`, by patterns of `pool` and new ones, which are added to it.
    /// Returns the mixture of plans that costs as much, if it went so far.
    pub(super) fn generate(&self, pool: &mut BTreeSet<Pattern>, bound: &mut Bound, target: i64) -> Option<Shares> {
        let jobs = self.board.jobs();
        let mut costs: Vec<f64> = self.ceilings.iter().map(|&ceiling| ceiling as f64).collect();
        let mut rows = BTreeMap::new();
        for offer in &self.offers {
            rows.insert(Some(offer.resource), costs.len());
            costs.push(0.0);
        }
        if !self.dummy.is_open() {
            rows.insert(None, costs.len());
            costs.push(costs[..jobs].iter().sum());
        }
        let allowed = self.allowed();
        let own = costs.len();
        let mut master = Master::new(&costs);
        let mut columns: Vec<Pattern> = Vec::new();
        let row_of = |pattern: &Pattern| -> Option<Vec<usize>> {
            let home = *rows.get(&pattern.home)?;
            Some(pattern.jobs.iter().copied().chain([home]).collect())
        };
        for pattern in pool.iter() {
            let is_allowed = match pattern.home {
                Some(resource) => pattern.jobs.iter().all(|&job| allowed[job * self.board.resources() + resource]),
                None => self.dummy.allows(self.board, &pattern.jobs),
            };
            if is_allowed && let Some(rows) = row_of(pattern) {
                master.add(self.cost(pattern) as f64, rows);
                columns.push(pattern.clone());
            }
        }
        let mut knapsack = Knapsack::default();
        let mut packed = Vec::new();
        let mut prices = bound.prices.clone();
        for round in 0..ROUNDS {
            // The first round is at the prices that are there, so that the dummy has a pattern.
            if round > 0 {
                master.solve();
                for (job, price) in prices.iter_mut().enumerate() {
                    *price = (libm::round(master.duals()[job]) as i64).clamp(0, self.ceilings[job]);
                }
            }
            let value = self.evaluate(&prices, &mut knapsack, &mut packed);
            if value > bound.value {
                *bound = Bound { value, prices: prices.clone(), packed: packed.clone() };
            }
            if bound.value >= target {
                return None;
            }
            let mut is_better = round == 0;
            for pattern in packed.drain(..) {
                let Some(rows) = row_of(&pattern) else { continue };
                let cost = self.cost(&pattern) as f64;
                if round == 0 || master.saving(cost, &rows) > TINY * cost.max(1.0) {
                    is_better = true;
                    master.add(cost, rows);
                    pool.insert(pattern.clone());
                    columns.push(pattern);
                }
            }
            if !is_better {
                break;
            }
        }
        let mut shares = Shares::new();
        for (column, amount) in master.used() {
            match column.checked_sub(own) {
                Some(known) => {
                    let Pattern { home, jobs } = &columns[known];
                    jobs.iter().for_each(|&job| *shares.entry((job, *home)).or_default() += amount);
                }
                None if column < jobs && self.dummy.is_free(column) => {
                    *shares.entry((column, None)).or_default() += amount
                }
                None => {}
            }
        }
        Some(shares)
    }

    /// Whether the linear program is small enough.
    pub(super) fn has_program(&self) -> bool {
        self.board.jobs() + self.offers.len() < ROWS
    }

    /// By job and resource: whether it could go there.
    fn allowed(&self) -> Vec<bool> {
        let mut allowed = vec![false; self.board.jobs() * self.board.resources()];
        for offer in &self.offers {
            offer.jobs.iter().for_each(|&(job, _)| allowed[job * self.board.resources() + offer.resource] = true);
        }
        allowed
    }
}
