//! Genes of the genetic brokers, and where they may lead.

use super::CostTable;
use crate::language::{Context, Count, Cursor};
use crate::rng::below;
use rand::Rng;
use std::ops::Range;

/// The resource of a job; the number behind that of the last resource is the dummy.
pub(super) type Gene = u32;

/// The resources of every job in one list: chromosomes are drawn so often that it should stay in the nearest cache.
pub(super) struct GeneChoices {
    genes: Vec<Gene>,
    /// By job: its part of the list.
    of_job: Vec<Range<usize>>,
}

impl GeneChoices {
    pub(super) fn new(table: &CostTable) -> Self {
        let (mut genes, mut of_job) = (Vec::new(), Vec::with_capacity(table.jobs()));
        for job in 0..table.jobs() {
            let from = genes.len();
            genes.extend(table.wholes(job).iter().map(|&(_, resource)| resource as Gene));
            genes.push(table.resources() as Gene);
            of_job.push(from..genes.len());
        }
        Self { genes, of_job }
    }

    /// The resources on which a job could run alone, the cheapest first, and behind them the dummy.
    pub(super) fn of(&self, job: usize) -> &[Gene] {
        &self.genes[self.of_job[job].clone()]
    }
}

/// By job and then by resource, with the dummy as the last one: the cost of the whole job there; that of the dummy where
/// it can't go.
pub(super) fn whole_costs(table: &CostTable, jobs: &[usize]) -> Vec<i64> {
    let costs = |&job: &usize| {
        let dummy = table.dummy_whole(job);
        (0..table.resources()).map(move |resource| table.whole_cost(job, resource).min(dummy)).chain([dummy])
    };
    jobs.iter().flat_map(costs).collect()
}

/// The jobs that could run anywhere, the highest QoS index first, and the cost of all others, which is that of the dummy.
pub(super) fn placeable(table: &CostTable) -> (Vec<usize>, i64) {
    let (placeable, others): (Vec<usize>, Vec<usize>) =
        table.by_qos().iter().partition(|&&job| !table.wholes(job).is_empty());
    (placeable, others.into_iter().map(|job| table.dummy_whole(job)).sum())
}

/// The room on every resource, and none on the dummy.
pub(super) fn room(table: &CostTable) -> Vec<u32> {
    table.free().iter().copied().chain([0]).collect()
}

/// Chromosomes with one gene for each job, and their costs.
pub(super) struct Population {
    jobs: usize,
    genes: Vec<Gene>,
    pub(super) costs: Vec<i64>,
    /// The cheapest, in order; of two that cost the same, the elder.
    pub(super) best: Vec<usize>,
}

impl Population {
    /// Nobody yet, with room for so many.
    pub(super) fn new(size: usize, jobs: usize) -> Self {
        let (genes, costs) = (Vec::with_capacity(size * jobs), Vec::with_capacity(size));
        Self { jobs, genes, costs, best: Vec::with_capacity(size) }
    }

    pub(super) fn clear(&mut self) {
        self.genes.clear();
        self.costs.clear();
    }

    /// One chromosome more; whoever writes its genes says what it costs.
    pub(super) fn add(&mut self, write: impl FnOnce(&mut [Gene]) -> i64) {
        let from = self.genes.len();
        self.genes.resize(from + self.jobs, 0);
        self.costs.push(write(&mut self.genes[from..]));
    }

    pub(super) fn genes_of(&self, chromosome: usize) -> &[Gene] {
        &self.genes[chromosome * self.jobs..][..self.jobs]
    }

    /// Works out what each costs.
    pub(super) fn evaluate(&mut self, mut cost: impl FnMut(&[Gene]) -> i64) {
        for (chromosome, known) in self.costs.iter_mut().enumerate() {
            *known = cost(&self.genes[chromosome * self.jobs..][..self.jobs]);
        }
    }

    /// Finds so many of the best.
    pub(super) fn rank(&mut self, count: usize) {
        let place = |&chromosome: &usize| (self.costs[chromosome], chromosome);
        self.best.clear();
        self.best.extend(0..self.costs.len());
        if count < self.best.len() {
            self.best.select_nth_unstable_by_key(count, place);
            self.best.truncate(count);
        }
        self.best.sort_unstable_by_key(place);
    }
}

/// A roulette wheel.
pub(super) struct Wheel(pub(super) Vec<u64>);

impl Wheel {
    /// The wheel of chromosomes with these shares.
    pub(super) fn new(shares: impl Iterator<Item = u64>) -> Self {
        let add = |total: &mut u64, share: u64| {
            *total += share;
            Some(*total)
        };
        Self(shares.scan(0, add).collect())
    }

    pub(super) fn spin(&self, draws: &mut impl Rng) -> usize {
        let at = below(draws, self.0.last().copied().unwrap_or(0));
        self.0.partition_point(|&up_to| up_to <= at)
    }
}

/// Reports populations that are too large, or smaller than their elite.
pub(super) fn report_sizes((population, elite, cap): (Count, Count, Count), at: &Cursor<'_>, errors: &mut Context<'_>) {
    if population.get() > 10_000 {
        errors.add(&at.field("population"), "that would take very long", "give at most 10000");
    }
    if cap.get() > 1_000_000 {
        errors.add(&at.field("cap"), "that would take very long", "give at most 1000000");
    }
    if elite > population {
        errors.add(&at.field("elite"), "that is more than the population", "give at most the population");
    }
}
