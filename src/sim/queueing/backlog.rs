//! The queue as a structure that finds the next job that fits without looking at most of those that do not.

use super::{Order, QueuedJob};
use crate::units::Span;

/// The bound of some jobs: the narrowest width and the shortest estimate of any of them.
type Bound = (u32, Span);

/// The most jobs of a block.
const FULL: usize = 64;

/// Jobs in the order of a queue.
///
/// They stand in blocks, none of which is empty. A search passes over blocks in which no job can fit. A block that is full
/// is split when one more comes, unless that one goes behind all others, as all do in the order of arrival.
#[derive(Debug)]
pub(super) struct Backlog {
    order: Order,
    blocks: Vec<BacklogBlock>,
}

/// Jobs that stand next to each other in the queue.
#[derive(Debug)]
struct BacklogBlock {
    jobs: Vec<QueuedJob>,
    bound: Bound,
}

impl BacklogBlock {
    fn of(jobs: Vec<QueuedJob>) -> Self {
        let mut block = Self { jobs, bound: (u32::MAX, Span::MAX) };
        block.renew_bound();
        block
    }

    fn renew_bound(&mut self) {
        let joined = |one: Bound, other: Bound| (one.0.min(other.0), one.1.min(other.1));
        self.bound = self.jobs.iter().map(bound).reduce(joined).unwrap_or((u32::MAX, Span::MAX));
    }
}

/// Where a job stands, until one before it leaves or others come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BacklogPlace {
    block: usize,
    at: usize,
}

impl Backlog {
    /// An empty queue in this order.
    pub(super) fn new(order: Order) -> Self {
        Self { order, blocks: Vec::new() }
    }

    /// Adds a job.
    pub(super) fn push(&mut self, job: QueuedJob) {
        let order = self.order;
        let is_before = |other: &QueuedJob| (order.key(*other), other.id) < (order.key(job), job.id);
        let at = self.blocks.partition_point(|block| block.jobs.last().is_some_and(is_before));
        let at = if at < self.blocks.len() { at } else { at.saturating_sub(1) };
        let Some(block) = self.blocks.get_mut(at) else { return self.blocks.push(BacklogBlock::of(vec![job])) };
        let place = block.jobs.partition_point(is_before);
        if block.jobs.len() < FULL {
            block.jobs.insert(place, job);
            block.bound = (block.bound.0.min(job.processors), block.bound.1.min(job.estimate));
            return;
        }
        let mut behind = block.jobs.split_off(if place == FULL { FULL } else { FULL / 2 });
        match place.checked_sub(block.jobs.len()) {
            Some(place) => behind.insert(place, job),
            None => block.jobs.insert(place, job),
        }
        block.renew_bound();
        self.blocks.insert(at + 1, BacklogBlock::of(behind));
    }

    /// Removes the job at a place; whoever stands behind it moves up.
    pub(super) fn remove(&mut self, BacklogPlace { block: at, at: place }: BacklogPlace) {
        let block = &mut self.blocks[at];
        block.jobs.remove(place);
        block.renew_bound();
        if block.jobs.is_empty() {
            self.blocks.remove(at);
        }
    }

    /// The first job and where it stands.
    pub(super) fn head(&self) -> Option<(BacklogPlace, QueuedJob)> {
        Some((BacklogPlace { block: 0, at: 0 }, self.blocks.first()?.jobs[0]))
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

    /// The first job from a place on whose bound passes `fits`. A bound that passes must pass also when better in any quality.
    pub(super) fn next(&self, from: BacklogPlace, fits: impl Fn(Bound) -> bool) -> Option<(BacklogPlace, QueuedJob)> {
        let blocks = self.blocks.iter().enumerate().skip(from.block);
        // The best in one quality and the best in another may be two jobs, so that a block may have none after all.
        blocks.filter(|(_, block)| fits(block.bound)).find_map(|(index, block)| {
            let first = if index == from.block { from.at } else { 0 };
            let at = first + block.jobs.get(first..)?.iter().position(|job| fits(bound(job)))?;
            Some((BacklogPlace { block: index, at }, block.jobs[at]))
        })
    }
}

fn bound(job: &QueuedJob) -> Bound {
    (job.processors, job.estimate)
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
                let expected: Vec<QueuedJob> = plain.iter().copied().filter(|job| fits(bound(job))).collect();
                prop_assert_eq!(all(backlog.head().map(|(place, _)| place)), expected);
                let count = pick.min(plain.len());
                let last = plain[plain.len() - count..].iter().copied().filter(|job| fits(bound(job)));
                prop_assert_eq!(all(Some(backlog.newest(count))), last.collect::<Vec<_>>());
            }
        }
    }
}
