//! Bounds by column generation: prices from a linear program over the patterns that are known, new patterns from the
//! knapsacks at these prices.
//!
//! Where steps along the subgradient crawl, this takes a dozen or two rounds to the best bound that prices can give,
//! and tells which mixture of patterns costs just that.

use super::bound::{Bin, LagrangianBound, Pattern, Relaxation};
use super::master::Master;
use std::collections::{BTreeMap, BTreeSet};

/// The most rounds.
const ROUNDS: u32 = 200;
/// The most rows of a linear program.
const ROWS: usize = 300;
/// The share of the most expensive job's cost that is no saving.
const TINY: f64 = 1e-10;

/// The share of every job at each home in a mixture of plans.
pub(super) type Shares = BTreeMap<(usize, Option<usize>), f64>;

/// The linear program of one part of all plans: a row for every job and every home, a column for every pattern.
#[derive(Debug)]
pub(super) struct Program<'a> {
    relaxation: &'a Relaxation<'a>,
    master: Master,
    /// The rows of homes.
    rows: BTreeMap<Option<usize>, usize>,
    /// The patterns of the columns after those of the rows.
    patterns: Vec<Pattern>,
}

impl Relaxation<'_> {
    /// True if the linear program is small enough.
    pub(super) fn has_program(&self) -> bool {
        self.table.jobs() + self.bins.len() < ROWS
    }
}

impl<'a> Program<'a> {
    /// The program over those patterns of `pool` that are allowed here.
    pub(super) fn new(relaxation: &'a Relaxation<'a>, pool: &BTreeSet<Pattern>) -> Self {
        let Relaxation { table, bins, dummy, ceilings, .. } = relaxation;
        // A row's own column: a job stays on a free dummy or can't be placed; a resource stays empty.
        let mut costs: Vec<f64> = ceilings.iter().map(|&ceiling| ceiling as f64).collect();
        let (all, dearest) = (costs.iter().sum(), costs.iter().copied().fold(1.0, f64::max));
        let mut rows = BTreeMap::new();
        let mut allowed = vec![false; table.jobs() * table.resources()];
        for Bin { resource, jobs, .. } in bins {
            rows.insert(Some(*resource), costs.len());
            costs.push(0.0);
            jobs.iter().for_each(|&(job, _)| allowed[job * table.resources() + resource] = true);
        }
        if !dummy.is_open() {
            // It has to have a pattern: none is more expensive than all jobs at their ceilings.
            rows.insert(None, costs.len());
            costs.push(all);
        }
        let master = Master::new(&costs, TINY * dearest);
        let mut program = Self { relaxation, master, rows, patterns: Vec::new() };
        for pattern in pool {
            let is_allowed = match pattern.home {
                Some(resource) => pattern.jobs.iter().all(|&job| allowed[job * table.resources() + resource]),
                None => dummy.allows(table, &pattern.jobs),
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

    /// The best bound that prices can give, from `prices` on, and the mixture of plans that costs as much; no mixture
    /// if the bound reaches `target` before that. Adds new patterns to `pool`.
    pub(super) fn raise(
        mut self,
        prices: Vec<i64>,
        target: i64,
        pool: &mut BTreeSet<Pattern>,
    ) -> (LagrangianBound, Option<Shares>) {
        let relaxation = self.relaxation;
        let clamped = |(price, &ceiling): (i64, &i64)| price.clamp(0, ceiling);
        let within = |prices: Vec<i64>| prices.into_iter().zip(&relaxation.ceilings).map(clamped).collect();
        let mut best = relaxation.evaluate(within(prices));
        let mut packed = best.packed.clone();
        for round in 0..ROUNDS {
            if best.value >= target || relaxation.table.is_stopped() {
                return (best, None);
            }
            // Pricing: a pattern that the knapsacks hold is new to the program if it costs less than its jobs are
            // worth.
            let mut is_better = false;
            for pattern in packed {
                // In the first round any will do, so that the dummy has one.
                if self.add(pattern.clone(), round == 0) {
                    is_better = true;
                    pool.insert(pattern);
                }
            }
            if !is_better {
                break;
            }
            self.master.solve();
            let duals = self.master.duals()[..relaxation.table.jobs()].iter();
            let at = relaxation.evaluate(within(duals.map(|&dual| libm::round(dual) as i64).collect()));
            packed = at.packed.clone();
            if at.value > best.value {
                best = at;
            }
        }
        (best, Some(self.shares()))
    }

    /// The shares of jobs in the patterns that are used.
    fn shares(&self) -> Shares {
        let Relaxation { table, dummy, .. } = self.relaxation;
        let own = self.master.rows();
        let mut shares = Shares::new();
        for (column, amount) in self.master.used() {
            if let Some(known) = column.checked_sub(own) {
                let Pattern { home, jobs } = &self.patterns[known];
                jobs.iter().for_each(|&job| *shares.entry((job, *home)).or_default() += amount);
            } else if column < table.jobs() && dummy.is_free(column) {
                *shares.entry((column, None)).or_default() += amount;
            }
        }
        shares
    }
}
