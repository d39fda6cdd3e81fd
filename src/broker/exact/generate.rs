//! Bounds by column generation: prices from a linear program over the patterns that are known, new patterns from the knapsacks at these
//! prices.
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
const ROWS: usize = 300;
/// What share of the dearest job's cost is no saving.
const TINY: f64 = 1e-10;

/// How much of every job goes where in a mixture of plans.
pub(super) type Shares = BTreeMap<(usize, Option<usize>), f64>;

/// The linear program of one part of all plans: a row for every job and every home, a column for every pattern.
#[derive(Debug)]
pub(super) struct Program<'a> {
    relaxation: &'a Relaxation<'a>,
    master: Master,
    /// The rows of homes.
    rows: BTreeMap<Option<usize>, usize>,
    /// What the columns after those of the rows stand for.
    patterns: Vec<Pattern>,
}

impl Relaxation<'_> {
    /// Whether the linear program is small enough.
    pub(super) fn has_program(&self) -> bool {
        self.board.jobs() + self.offers.len() < ROWS
    }
}

impl<'a> Program<'a> {
    /// The program over those patterns of `pool` that are allowed here.
    pub(super) fn new(relaxation: &'a Relaxation<'a>, pool: &BTreeSet<Pattern>) -> Self {
        let Relaxation { board, offers, dummy, ceilings, .. } = relaxation;
        // A row's own column: a job stays on a free dummy or can't be placed; a resource stays empty.
        let mut costs: Vec<f64> = ceilings.iter().map(|&ceiling| ceiling as f64).collect();
        let (all, dearest) = (costs.iter().sum(), costs.iter().copied().fold(1.0, f64::max));
        let mut rows = BTreeMap::new();
        let mut allowed = vec![false; board.jobs() * board.resources()];
        for offer in offers {
            rows.insert(Some(offer.resource), costs.len());
            costs.push(0.0);
            offer.jobs.iter().for_each(|&(job, _)| allowed[job * board.resources() + offer.resource] = true);
        }
        if !dummy.is_open() {
            // It has to have a pattern: none is dearer than all jobs at their ceilings.
            rows.insert(None, costs.len());
            costs.push(all);
        }
        let master = Master::new(&costs, TINY * dearest);
        let mut program = Self { relaxation, master, rows, patterns: Vec::new() };
        for pattern in pool {
            let is_allowed = match pattern.home {
                Some(resource) => pattern.jobs.iter().all(|&job| allowed[job * board.resources() + resource]),
                None => dummy.allows(board, &pattern.jobs),
            };
            if is_allowed {
                program.add(pattern.clone(), true);
            }
        }
        program
    }

    /// Adds a pattern if it saves something or `anyway`; returns whether it did.
    fn add(&mut self, pattern: Pattern, anyway: bool) -> bool {
        // A free dummy has no row: its jobs stay one by one.
        let Some(&home) = self.rows.get(&pattern.home) else { return false };
        let rows: Vec<usize> = pattern.jobs.iter().copied().chain([home]).collect();
        let cost = self.relaxation.cost(&pattern) as f64;
        let is_added = anyway || self.master.is_saving(cost, &rows);
        if is_added {
            self.master.add(cost, rows);
            self.patterns.push(pattern);
        }
        is_added
    }

    /// Raises `bound` as far as it goes or until it reaches `target`; adds new patterns to `pool`. Returns the mixture of plans that
    /// costs as much, if it went so far.
    pub(super) fn raise(mut self, bound: &mut Bound, target: i64, pool: &mut BTreeSet<Pattern>) -> Option<Shares> {
        let relaxation = self.relaxation;
        let mut knapsack = Knapsack::default();
        let mut packed = Vec::new();
        let mut prices = bound.prices.clone();
        // The first round is at the prices that are there, so that the dummy has a pattern.
        for round in 0..ROUNDS {
            let value = relaxation.evaluate(&prices, &mut knapsack, &mut packed);
            if value > bound.value {
                *bound = Bound { value, prices: prices.clone(), packed: packed.clone() };
            }
            if bound.value >= target || relaxation.board.is_stopped() {
                return None;
            }
            let mut is_better = false;
            for pattern in packed.drain(..) {
                if self.add(pattern.clone(), round == 0) {
                    is_better = true;
                    pool.insert(pattern);
                }
            }
            if !is_better {
                break;
            }
            self.master.solve();
            for (job, price) in prices.iter_mut().enumerate() {
                *price = (libm::round(self.master.duals()[job]) as i64).clamp(0, relaxation.ceilings[job]);
            }
        }
        Some(self.shares())
    }

    /// How the patterns that are used share out the jobs.
    fn shares(&self) -> Shares {
        let Relaxation { board, dummy, .. } = self.relaxation;
        let own = self.master.rows();
        let mut shares = Shares::new();
        for (column, amount) in self.master.used() {
            if let Some(known) = column.checked_sub(own) {
                let Pattern { home, jobs } = &self.patterns[known];
                jobs.iter().for_each(|&job| *shares.entry((job, *home)).or_default() += amount);
            } else if column < board.jobs() && dummy.is_free(column) {
                *shares.entry((column, None)).or_default() += amount;
            }
        }
        shares
    }
}
