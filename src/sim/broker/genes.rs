//! Genes of the genetic brokers, and where they may lead.

use super::CostTable;
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
