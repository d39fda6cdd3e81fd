//! The jobs that stay on the dummy resource.

use crate::broker::CostTable;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// By number of tasks: how many jobs of that size may stay on the dummy. Any number of a size that is not in the list.
pub(super) type StayCounts = BTreeMap<u32, RangeInclusive<u32>>;

/// The dummy in one node of the search: which jobs may stay there, and how many of each size.
///
/// It has room for all jobs. Counting them makes bounds far better all the same: a fractional plan leaves out a small
/// part of a job where a plan has to leave out a whole one.
#[derive(Debug, Clone)]
pub(super) struct Dummy {
    /// By job: whether it may stay.
    may_stay: Vec<bool>,
    counts: StayCounts,
}

impl Dummy {
    pub(super) fn new(may_stay: Vec<bool>, counts: StayCounts) -> Self {
        Self { may_stay, counts }
    }

    /// True if `job` may stay.
    pub(super) fn may_stay(&self, job: usize) -> bool {
        self.may_stay[job]
    }

    /// True if any number of jobs may stay.
    pub(super) fn is_open(&self) -> bool {
        self.counts.is_empty()
    }

    /// True if `job` may stay whatever the others do.
    pub(super) fn is_free(&self, job: usize) -> bool {
        self.is_open() && self.may_stay[job]
    }

    /// The numbers of jobs of a size that may stay.
    pub(super) fn count(&self, tasks: u32) -> RangeInclusive<u32> {
        self.counts.get(&tasks).cloned().unwrap_or(0..=u32::MAX)
    }

    /// True if just these jobs may stay.
    pub(super) fn allows(&self, table: &CostTable, jobs: &[usize]) -> bool {
        let staying = |tasks: u32| jobs.iter().filter(|&&job| table.tasks(job) == tasks).count() as u32;
        jobs.iter().all(|&job| self.may_stay[job])
            && self.counts.iter().all(|(&tasks, range)| range.contains(&staying(tasks)))
    }

    /// The most profit from jobs that stay, below 0 if some have to, and which jobs give it; `None` if no choice of
    /// jobs is within the counts.
    pub(super) fn fill(&self, table: &CostTable, profit: impl Fn(usize) -> i64) -> Option<(i64, Vec<usize>)> {
        // Sizes with a range need an entry even where no job of that size may stay.
        let mut by_size: BTreeMap<u32, Vec<usize>> = self.counts.keys().map(|&tasks| (tasks, Vec::new())).collect();
        for job in (0..self.may_stay.len()).filter(|&job| self.may_stay[job]) {
            by_size.entry(table.tasks(job)).or_default().push(job);
        }
        let (mut value, mut staying) = (0, Vec::new());
        for (tasks, mut jobs) in by_size {
            // Sizes do not compete for room: each keeps its most profitable jobs.
            jobs.sort_by_key(|&job| Reverse(profit(job)));
            let (least, most) = self.count(tasks).into_inner();
            let gainful = jobs.iter().take_while(|&&job| profit(job) > 0).count();
            let kept = gainful.min(most as usize).max(least as usize);
            let kept = jobs.get(..kept)?;
            value += kept.iter().map(|&job| profit(job)).sum::<i64>();
            staying.extend_from_slice(kept);
        }
        Some((value, staying))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::tests::{Case, with_cost_table};
    use proptest::prelude::*;

    /// One job with its number of tasks, whether it may stay, and what that would bring.
    fn jobs() -> impl Strategy<Value = Vec<(u32, bool, i64)>> {
        prop::collection::vec((1u32..4, prop::bool::weighted(0.8), -20i64..20), 1..8)
    }

    proptest! {
        #[test]
        fn no_set_of_jobs_that_may_stay_brings_more(
            jobs in jobs(),
            ranges in prop::collection::btree_map(1u32..5, (0u32..3, 0u32..3), 0..3),
        ) {
            let case = Case { resources: vec![], jobs: jobs.iter().map(|&(tasks, ..)| (tasks, 50, 1000, 60)).collect() };
            with_cost_table(&case, |table| {
                let counts = ranges.iter().map(|(&tasks, &(low, more))| (tasks, low..=low + more)).collect();
                let dummy = Dummy::new(jobs.iter().map(|job| job.1).collect(), counts);
                let found = dummy.fill(table, |job| jobs[job].2);
                let profit = |set: &[usize]| set.iter().map(|&job| jobs[job].2).sum::<i64>();
                let set = |mask: u32| (0..jobs.len()).filter(|job| mask >> job & 1 == 1).collect::<Vec<usize>>();
                let sets = (0..1u32 << jobs.len()).map(set).filter(|set| dummy.allows(table, set));
                assert_eq!(sets.map(|set| profit(&set)).max(), found.as_ref().map(|found| found.0));
                if let Some((value, staying)) = found {
                    assert!(dummy.allows(table, &staying));
                    assert_eq!(profit(&staying), value);
                }
            });
        }
    }
}
