//! How the plans of a node are split in two.

use super::bound::{Bound, Relaxation};
use super::dummy::Measure;
use super::generate::Shares;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// How far a share is from none and from all for the job to be split.
const SPLIT: f64 = 1e-4;
/// The most tasks that may wait for those that stay to be counted, which takes time and memory in proportion.
const COUNTED: u32 = 4_000;

/// What is decided in a part of all plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decision {
    /// The job goes there, where no resource is the dummy.
    To(usize, Option<usize>),
    /// The job goes anywhere else.
    NotTo(usize, Option<usize>),
    /// At most so many stay on the dummy.
    AtMost(Measure, u32),
    /// At least so many do.
    AtLeast(Measure, u32),
}

impl Decision {
    /// Whether it lets `job` go to `home`.
    pub(super) fn allows(self, job: usize, home: Option<usize>) -> bool {
        match self {
            Self::To(decided, only) => decided != job || only == home,
            Self::NotTo(decided, out) => decided != job || out != home,
            Self::AtMost(..) | Self::AtLeast(..) => true,
        }
    }
}

/// How many may stay on the dummy after all `decisions`.
pub(super) fn ranges(decisions: &[Decision]) -> BTreeMap<Measure, RangeInclusive<u32>> {
    let mut ranges = BTreeMap::new();
    for &decision in decisions {
        let (measure, low, high) = match decision {
            Decision::AtMost(measure, high) => (measure, 0, high),
            Decision::AtLeast(measure, low) => (measure, low, u32::MAX),
            Decision::To(..) | Decision::NotTo(..) => continue,
        };
        let range = ranges.entry(measure).or_insert(0..=u32::MAX);
        *range = low.max(*range.start())..=high.min(*range.end());
    }
    ranges
}

impl Relaxation<'_> {
    /// Two parts that hold all plans of this one between them, unless there is but one.
    ///
    /// First by how many stay on the dummy, which moves the bound most; only then by where a job goes.
    pub(super) fn branches(&self, shares: &Shares) -> Option<[Decision; 2]> {
        self.uneven(shares)
            .map(|(measure, most)| [Decision::AtMost(measure, most), Decision::AtLeast(measure, most + 1)])
            .or_else(|| self.split(shares).map(|(job, home)| [Decision::To(job, home), Decision::NotTo(job, home)]))
    }

    /// What stays on the dummy in a number that no plan has, and the next lower one that plans can have.
    fn uneven(&self, shares: &Shares) -> Option<(Measure, u32)> {
        let board = self.board;
        if (0..board.jobs()).map(|job| board.tasks(job)).fold(0, u32::saturating_add) > COUNTED {
            return None;
        }
        let (mut tasks, mut jobs) = (0.0, BTreeMap::new());
        for (&(job, _), share) in shares.iter().filter(|((_, home), _)| home.is_none()) {
            tasks += share * f64::from(board.tasks(job));
            *jobs.entry(board.tasks(job)).or_insert(0.0) += share;
        }
        let most = self.dummy.reachable(board, (tasks + SPLIT) as u32);
        if tasks > f64::from(most) + SPLIT && self.dummy.can_split(Measure::Tasks, most) {
            return Some((Measure::Tasks, most));
        }
        let counts = jobs.into_iter().filter(|&(tasks, count): &(u32, f64)| {
            is_split(count.fract()) && self.dummy.can_split(Measure::Jobs(tasks), count as u32)
        });
        let (tasks, count) = counts.min_by(|a, b| evenness(a.1.fract()).total_cmp(&evenness(b.1.fract())))?;
        Some((Measure::Jobs(tasks), count as u32))
    }

    /// A job with several homes and one of them: the one with most nearly a half of it, if it is split; of
    /// several, of the job that is dearest to leave out.
    fn split(&self, shares: &Shares) -> Option<(usize, Option<usize>)> {
        let homes: Vec<Vec<Option<usize>>> = (0..self.board.jobs()).map(|job| self.homes(job)).collect();
        let splits = shares.iter().filter(|((job, _), share)| is_split(**share) && homes[*job].len() > 1);
        let dearness = |job: usize| self.board.dummy_whole(job);
        let split = splits.min_by(|(a, share), (b, other)| {
            evenness(**share).total_cmp(&evenness(**other)).then(dearness(b.0).cmp(&dearness(a.0)))
        });
        let split = split.map(|(&pair, _)| pair);
        split.or_else(|| homes.iter().position(|homes| homes.len() > 1).map(|job| (job, homes[job][0])))
    }

    /// Where `job` may go.
    fn homes(&self, job: usize) -> Vec<Option<usize>> {
        let offers = self.offers.iter().filter(|offer| offer.jobs.iter().any(|&(other, _)| other == job));
        offers.map(|offer| Some(offer.resource)).chain(self.dummy.may_stay(job).then_some(None)).collect()
    }

    /// The only plan there is, if it has room, once [`branches`](Self::branches) finds nothing to decide.
    pub(super) fn only_plan(&self) -> Option<Vec<Option<usize>>> {
        let homes = (0..self.board.jobs()).map(|job| self.homes(job).first().copied()).collect::<Option<Vec<_>>>()?;
        let mut free = self.board.free().to_vec();
        for (job, home) in homes.iter().enumerate() {
            if let Some(resource) = *home {
                free[resource] = free[resource].checked_sub(self.board.tasks(job))?;
            }
        }
        Some(homes)
    }

    /// Shares by what is packed, where there is no program to tell: a job that is in several knapsacks is split, and so is one that
    /// is in none and can't simply stay.
    pub(super) fn shares_of(&self, bound: &Bound) -> Shares {
        let mut counts = vec![0u32; self.board.jobs()];
        bound.packed.iter().flat_map(|pattern| &pattern.jobs).for_each(|&job| counts[job] += 1);
        let placed = bound.packed.iter().filter(|pattern| pattern.home.is_some());
        let pairs = placed.flat_map(|pattern| pattern.jobs.iter().map(|&job| (job, pattern.home)));
        let mut shares: Shares = pairs.map(|(job, home)| ((job, home), 1.0 / f64::from(counts[job]))).collect();
        for offer in &self.offers {
            let left_out =
                |job: usize| counts[job] == 0 && !(self.dummy.is_free(job) && bound.prices[job] >= self.ceilings[job]);
            let jobs = offer.jobs.iter().filter(|&&(job, _)| left_out(job));
            shares.extend(jobs.map(|&(job, _)| ((job, Some(offer.resource)), 0.5)));
        }
        shares
    }
}

fn is_split(share: f64) -> bool {
    share > SPLIT && share < 1.0 - SPLIT
}

/// How far a share is from a half.
fn evenness(share: f64) -> f64 {
    (share - 0.5).abs()
}
