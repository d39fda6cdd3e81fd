//! Branching: the plans of a node are split in two.

use super::bound::Relaxation;
use super::dummy::StayCounts;
use super::generate::Shares;
use std::collections::BTreeMap;

/// The least distance of a share from none and from all for the job to be split.
const SPLIT: f64 = 1e-4;

/// A decision that holds in a node of the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BranchDecision {
    /// The job goes there, where no resource is the dummy.
    To(usize, Option<usize>),
    /// The job goes anywhere else.
    NotTo(usize, Option<usize>),
    /// Of jobs of so many tasks, at most so many stay on the dummy.
    AtMost(u32, u32),
    /// At least so many do.
    AtLeast(u32, u32),
}

impl BranchDecision {
    /// True if it lets `job` go to `home`.
    pub(super) fn allows(self, job: usize, home: Option<usize>) -> bool {
        match self {
            Self::To(decided, only) => decided != job || only == home,
            Self::NotTo(decided, out) => decided != job || out != home,
            Self::AtMost(..) | Self::AtLeast(..) => true,
        }
    }
}

/// The numbers of jobs of each size that may stay on the dummy after all `decisions`.
pub(super) fn stay_counts(decisions: &[BranchDecision]) -> StayCounts {
    let mut counts = StayCounts::new();
    for &decision in decisions {
        let (tasks, low, high) = match decision {
            BranchDecision::AtMost(tasks, high) => (tasks, 0, high),
            BranchDecision::AtLeast(tasks, low) => (tasks, low, u32::MAX),
            BranchDecision::To(..) | BranchDecision::NotTo(..) => continue,
        };
        let range = counts.entry(tasks).or_insert(0..=u32::MAX);
        *range = low.max(*range.start())..=high.min(*range.end());
    }
    counts
}

impl Relaxation<'_> {
    /// Two parts that hold all plans of this node between them, unless there is but one plan.
    ///
    /// First by how many jobs of a size stay on the dummy, which moves the bound most; only then by where a job goes.
    pub(super) fn branches(&self, shares: &Shares) -> Option<[BranchDecision; 2]> {
        self.split_count(shares)
            .map(|(tasks, most)| [BranchDecision::AtMost(tasks, most), BranchDecision::AtLeast(tasks, most + 1)])
            .or_else(|| {
                let (job, home) = self.split_job(shares)?;
                Some([BranchDecision::To(job, home), BranchDecision::NotTo(job, home)])
            })
    }

    /// A size of which a number of jobs stays that is not whole, and the next lower whole number: the size that is most
    /// nearly halfway.
    fn split_count(&self, shares: &Shares) -> Option<(u32, u32)> {
        let mut counts: BTreeMap<u32, f64> = BTreeMap::new();
        for (&(job, _), share) in shares.iter().filter(|((_, home), _)| home.is_none()) {
            *counts.entry(self.table.tasks(job)).or_default() += share;
        }
        let can_split = |tasks: u32, most: u32| {
            let (low, high) = self.dummy.count(tasks).into_inner();
            low <= most && most < high
        };
        let split =
            counts.into_iter().filter(|&(tasks, count)| is_split(count.fract()) && can_split(tasks, count as u32));
        let (tasks, count) = split.min_by(|a, b| evenness(a.1.fract()).total_cmp(&evenness(b.1.fract())))?;
        Some((tasks, count as u32))
    }

    /// A job with several homes and one of them: the one with most nearly a half of it, if it is split; of
    /// several, of the job that is most expensive to leave out.
    fn split_job(&self, shares: &Shares) -> Option<(usize, Option<usize>)> {
        let homes: Vec<Vec<Option<usize>>> = (0..self.table.jobs()).map(|job| self.homes(job)).collect();
        let splits = shares.iter().filter(|((job, _), share)| is_split(**share) && homes[*job].len() > 1);
        let dearness = |job: usize| self.table.dummy_whole(job);
        let split = splits.min_by(|(a, share), (b, other)| {
            evenness(**share).total_cmp(&evenness(**other)).then(dearness(b.0).cmp(&dearness(a.0)))
        });
        let split = split.map(|(&pair, _)| pair);
        split.or_else(|| homes.iter().position(|homes| homes.len() > 1).map(|job| (job, homes[job][0])))
    }

    /// Where `job` may go.
    fn homes(&self, job: usize) -> Vec<Option<usize>> {
        let bins = self.bins.iter().filter(|bin| bin.jobs.iter().any(|&(other, _)| other == job));
        bins.map(|bin| Some(bin.resource)).chain(self.dummy.may_stay(job).then_some(None)).collect()
    }

    /// The only plan there is, if it has room, once [`branches`](Self::branches) finds nothing to decide.
    pub(super) fn only_plan(&self) -> Option<Vec<Option<usize>>> {
        let homes = (0..self.table.jobs()).map(|job| self.homes(job).first().copied()).collect::<Option<Vec<_>>>()?;
        let mut free = self.table.free().to_vec();
        for (job, home) in homes.iter().enumerate() {
            if let Some(resource) = *home {
                free[resource] = free[resource].checked_sub(self.table.tasks(job))?;
            }
        }
        Some(homes)
    }
}

fn is_split(share: f64) -> bool {
    share > SPLIT && share < 1.0 - SPLIT
}

/// The distance of a share from a half.
fn evenness(share: f64) -> f64 {
    (share - 0.5).abs()
}
