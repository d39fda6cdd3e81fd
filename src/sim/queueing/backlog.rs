//! The queue as a structure that finds the next job that fits without looking at those that do not.

use super::{Order, QueuedJob};
use crate::units::Span;

/// The bound of some jobs: the narrowest width and the shortest estimate of any of them.
type Bound = (u32, Span);

/// That of no jobs, which changes nothing when joined.
const NOBODY: Bound = (u32::MAX, Span::MAX);

/// The most jobs of a block.
const FULL: usize = 32;

/// Jobs in the order of a queue.
///
/// They stand in blocks; a tree over the blocks knows a bound on those below each branch, so that a search skips whole
/// stretches of the queue. A block that is full is split when one more comes, unless that one goes behind all others, as all
/// do in the order of arrival. Empty blocks are cleared away when room is needed, which keeps the tree small.
#[derive(Debug)]
pub(super) struct Backlog {
    order: Order,
    blocks: Vec<BacklogBlock>,
    /// No job stands in a block before this one.
    first: usize,
    /// Branch 1 is the root, those below branch n are 2n and 2n + 1; the last half are the blocks.
    tree: Vec<Bound>,
}

/// Jobs that stand next to each other in the queue.
#[derive(Debug)]
struct BacklogBlock {
    jobs: Vec<QueuedJob>,
    /// Whoever stands in it goes no later, and whoever stands in one behind it goes later. It stays when jobs leave.
    last: BacklogKey,
}

/// Where a job goes in the queue.
type BacklogKey = (i64, u32);

/// Where a job stands, until one before it in the same block leaves or others come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BacklogPlace {
    block: usize,
    at: usize,
}

impl Backlog {
    /// An empty queue in this order.
    pub(super) fn new(order: Order) -> Self {
        Self { order, blocks: Vec::new(), first: 0, tree: Vec::new() }
    }

    /// Adds a job.
    pub(super) fn push(&mut self, job: QueuedJob) {
        if self.blocks.len() == self.leaves() {
            self.make_room();
        }
        let key = self.key(job);
        let mut at = match self.blocks.last() {
            Some(last) if last.last > key => self.blocks.partition_point(|block| block.last < key),
            Some(last) if last.jobs.len() < FULL => self.blocks.len() - 1,
            _ => self.append(),
        };
        if self.blocks[at].jobs.len() == FULL {
            self.split(at);
            at += usize::from(self.blocks[at].last < key);
        }
        let place = self.blocks[at].jobs.partition_point(|&other| self.key(other) < key);
        let block = &mut self.blocks[at];
        block.jobs.insert(place, job);
        block.last = block.last.max(key);
        self.first = self.first.min(at);
        self.set(at, joined(self.tree[self.leaves() + at], bound(job)));
    }

    fn key(&self, job: QueuedJob) -> BacklogKey {
        (self.order.key(job), job.id)
    }

    /// Removes the job at a place; whoever stands behind it moves up.
    pub(super) fn remove(&mut self, BacklogPlace { block, at }: BacklogPlace) {
        let jobs = &mut self.blocks[block].jobs;
        jobs.remove(at);
        let bound = bound_of(jobs);
        self.set(block, bound);
        while self.blocks.get(self.first).is_some_and(|block| block.jobs.is_empty()) {
            self.first += 1;
        }
    }

    /// The first job and where it stands.
    pub(super) fn head(&self) -> Option<(BacklogPlace, QueuedJob)> {
        let job = *self.blocks.get(self.first)?.jobs.first()?;
        Some((BacklogPlace { block: self.first, at: 0 }, job))
    }

    /// Where the first of so many stands who are the last in the queue, or of all if they are fewer.
    pub(super) fn newest(&self, count: usize) -> BacklogPlace {
        let (mut block, mut missing) = (self.blocks.len(), count);
        while missing > 0 && block > 0 {
            block -= 1;
            let jobs = self.blocks[block].jobs.len();
            if jobs >= missing {
                return BacklogPlace { block, at: jobs - missing };
            }
            missing -= jobs;
        }
        BacklogPlace { block, at: 0 }
    }

    /// The first job from a place on whose bound passes `fits`.
    ///
    /// A bound that passes must pass also when better in any quality, and that of nobody may not pass.
    pub(super) fn next(&self, from: BacklogPlace, fits: impl Fn(Bound) -> bool) -> Option<(BacklogPlace, QueuedJob)> {
        // Most of the time nobody fits, and the root knows.
        if from.block >= self.blocks.len() || !fits(self.tree[1]) {
            return None;
        }
        let within = |block: usize, from: usize| {
            let jobs = &self.blocks[block].jobs[from..];
            let at = jobs.iter().position(|job| fits(bound(*job)))?;
            Some((BacklogPlace { block, at: from + at }, jobs[at]))
        };
        let leaves = self.leaves();
        let mut from_at = from.at;
        // The largest branch that begins there, unless a part of the first block is left out.
        let mut branch = leaves + from.block;
        if from_at == 0 {
            branch >>= branch.trailing_zeros();
        }
        loop {
            let mut may_fit = fits(self.tree[branch]);
            if may_fit && branch >= leaves {
                // The best in one quality and the best in another may be two jobs, so this may yet lead nowhere.
                let found = within(branch - leaves, std::mem::take(&mut from_at));
                if found.is_some() {
                    return found;
                }
                may_fit = false;
            }
            if may_fit {
                branch *= 2;
                continue;
            }
            // On to what stands right of this branch.
            from_at = 0;
            while branch % 2 == 1 {
                branch /= 2;
                if branch <= 1 {
                    return None;
                }
            }
            branch += 1;
        }
    }

    fn leaves(&self) -> usize {
        self.tree.len() / 2
    }

    fn set(&mut self, block: usize, bound: Bound) {
        let mut branch = self.leaves() + block;
        self.tree[branch] = bound;
        while branch > 1 {
            branch /= 2;
            let below = self.below(branch);
            if self.tree[branch] == below {
                break;
            }
            self.tree[branch] = below;
        }
    }

    /// The bound of all below a branch.
    fn below(&self, branch: usize) -> Bound {
        joined(self.tree[2 * branch], self.tree[2 * branch + 1])
    }

    /// Puts an empty block behind all others, for which there is room; where it stands.
    fn append(&mut self) -> usize {
        self.blocks.push(BacklogBlock { jobs: Vec::with_capacity(FULL), last: (i64::MIN, 0) });
        self.blocks.len() - 1
    }

    /// Makes two blocks of one that is full; there is room for one more.
    fn split(&mut self, at: usize) {
        let mut back = Vec::with_capacity(FULL);
        back.extend(self.blocks[at].jobs.drain(FULL / 2..));
        let last = self.key(self.blocks[at].jobs[FULL / 2 - 1]);
        let last = std::mem::replace(&mut self.blocks[at].last, last);
        let (leaf, end) = (self.leaves() + at, self.leaves() + self.blocks.len());
        self.tree.copy_within(leaf + 1..end, leaf + 2);
        (self.tree[leaf], self.tree[leaf + 1]) = (bound_of(&self.blocks[at].jobs), bound_of(&back));
        self.blocks.insert(at + 1, BacklogBlock { jobs: back, last });
        self.join();
    }

    /// Drops empty blocks and makes room for at least as many again.
    fn make_room(&mut self) {
        self.blocks.retain(|block| !block.jobs.is_empty());
        self.first = 0;
        let leaves = (2 * self.blocks.len() + 2).next_power_of_two();
        self.tree = vec![NOBODY; leaves];
        self.tree.extend(self.blocks.iter().map(|block| bound_of(&block.jobs)));
        self.tree.resize(2 * leaves, NOBODY);
        self.join();
    }

    /// Makes the tree of its blocks.
    fn join(&mut self) {
        for branch in (1..self.leaves()).rev() {
            self.tree[branch] = self.below(branch);
        }
    }
}

fn bound(job: QueuedJob) -> Bound {
    (job.processors, job.estimate)
}

fn bound_of(jobs: &[QueuedJob]) -> Bound {
    jobs.iter().fold(NOBODY, |all, &job| joined(all, bound(job)))
}

fn joined(one: Bound, other: Bound) -> Bound {
    (one.0.min(other.0), one.1.min(other.1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_next_fit_is_that_of_a_plain_list(
            steps in prop::collection::vec((0u8..4, 1u32..9, 1i64..9, 0usize..200), 1..600),
            order in prop::sample::select(vec![Order::Arrival, Order::Shortest, Order::Largest]),
        ) {
            let (mut backlog, mut plain) = (Backlog::new(order), Vec::<QueuedJob>::new());
            for (id, (what, width, length, pick)) in steps.into_iter().enumerate() {
                let estimate = Span::from_units(length);
                if what == 0 && pick < plain.len() {
                    let gone = plain.remove(pick);
                    let mut places = (0..backlog.blocks.len())
                        .flat_map(|block| (0..backlog.blocks[block].jobs.len()).map(move |at| BacklogPlace { block, at }));
                    let place = places.find(|&BacklogPlace { block, at }| backlog.blocks[block].jobs[at] == gone);
                    backlog.remove(place.unwrap());
                } else {
                    let job = QueuedJob { id: id as u32, processors: width, estimate };
                    backlog.push(job);
                    plain.push(job);
                    plain.sort_by_key(|&job| (order.key(job), job.id));
                }
                let fits = |(w, e): Bound| w <= width / 2 || (w <= width && e <= estimate);
                prop_assert_eq!(backlog.head().map(|(_, job)| job), plain.first().copied());
                let all = |from: Option<BacklogPlace>| {
                    let (mut from, mut found) = (from, Vec::new());
                    while let Some((place, job)) = from.and_then(|from| backlog.next(from, fits)) {
                        found.push(job);
                        from = Some(BacklogPlace { at: place.at + 1, ..place });
                    }
                    found
                };
                let expected: Vec<QueuedJob> = plain.iter().copied().filter(|&job| fits(bound(job))).collect();
                prop_assert_eq!(all(backlog.head().map(|(place, _)| place)), expected);
                let count = pick.min(plain.len());
                let last = plain[plain.len() - count..].iter().copied().filter(|&job| fits(bound(job)));
                prop_assert_eq!(all(Some(backlog.newest(count))), last.collect::<Vec<_>>());
            }
        }
    }
}
