//! The queue of waiting jobs by rank.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Waiting jobs, the highest rank first and the lowest job (the earliest comer, where jobs are numbered as they come)
/// first among equals; a job's rank can change while it waits.
///
/// It is kept in order all the time: a cycle looks at the first jobs without taking them out, and who goes on waiting
/// costs nothing. With a heap, every cycle would pop and push the whole queue, which under overload is most of the work
/// of a run. The order is a list in blocks, so that a job is found by its position and a position by its job without
/// a look at those before it.
///
/// ```
/// use gridloom::policy::RankedQueue;
///
/// let mut queue = RankedQueue::new();
/// queue.push(1, 10);
/// queue.push(2, 10);
/// queue.push(3, 0);
/// queue.push(3, 50);
/// assert_eq!(queue.iter().take(2).collect::<Vec<_>>(), [3, 1]);
/// assert_eq!((queue.at(1), queue.position(1), queue.position(7)), (Some(1), Some(1), None));
/// assert_eq!(queue.into_ranked(), [3, 1, 2]);
/// ```
#[derive(Debug, Clone)]
pub struct RankedQueue<J: Copy + Ord> {
    /// None of them is empty.
    blocks: Vec<Vec<(Reverse<i64>, J)>>,
    ranks: BTreeMap<J, i64>,
}

/// A block of more jobs is cut in two.
const LARGEST_BLOCK: usize = 256;

impl<J: Copy + Ord> RankedQueue<J> {
    /// A queue without jobs.
    pub fn new() -> Self {
        Self { blocks: Vec::new(), ranks: BTreeMap::new() }
    }

    /// Lets `job` wait with this rank. A job that waits already only gets the rank.
    pub fn push(&mut self, job: J, rank: i64) {
        self.remove(job);
        self.ranks.insert(job, rank);
        let key = (Reverse(rank), job);
        let block = self.block_of(key).min(self.blocks.len().saturating_sub(1));
        let Some(jobs) = self.blocks.get_mut(block) else {
            self.blocks.push(vec![key]);
            return;
        };
        let place = jobs.partition_point(|&other| other < key);
        jobs.insert(place, key);
        if jobs.len() > LARGEST_BLOCK {
            let rest = jobs.split_off(LARGEST_BLOCK / 2);
            self.blocks.insert(block + 1, rest);
        }
    }

    /// The first block that has a job of this key or a later one.
    fn block_of(&self, key: (Reverse<i64>, J)) -> usize {
        self.blocks.partition_point(|block| block.last().is_some_and(|&last| last < key))
    }

    /// Takes the first job out.
    pub fn pop(&mut self) -> Option<J> {
        let first = self.at(0)?;
        self.remove(first);
        Some(first)
    }

    /// Takes `job` out; whether it waited.
    pub fn remove(&mut self, job: J) -> bool {
        let Some(rank) = self.ranks.remove(&job) else { return false };
        let key = (Reverse(rank), job);
        let block = self.block_of(key);
        if let Some(jobs) = self.blocks.get_mut(block)
            && let Ok(place) = jobs.binary_search(&key)
        {
            jobs.remove(place);
            if jobs.is_empty() {
                self.blocks.remove(block);
            }
        }
        true
    }

    /// The number of jobs that wait.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// True if none waits.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// The job at a position.
    pub fn at(&self, position: usize) -> Option<J> {
        let mut rest = position;
        for block in &self.blocks {
            match block.get(rest) {
                Some(&(_, job)) => return Some(job),
                None => rest -= block.len(),
            }
        }
        None
    }

    /// The position of a job that waits.
    pub fn position(&self, job: J) -> Option<usize> {
        let key = (Reverse(*self.ranks.get(&job)?), job);
        let block = self.block_of(key);
        let before: usize = self.blocks[..block].iter().map(Vec::len).sum();
        let place = self.blocks.get(block)?.binary_search(&key).ok()?;
        Some(before + place)
    }

    /// The positions of jobs that wait, each with its rank, in the order of the queue.
    pub(crate) fn positions(&self, jobs: impl IntoIterator<Item = (Reverse<i64>, J)>) -> Vec<(usize, J)> {
        let mut blocks = self.blocks.iter().peekable();
        let mut before = 0;
        let position = |key: (Reverse<i64>, J)| {
            while let Some(past) = blocks.next_if(|block| block.last().is_some_and(|&last| last < key)) {
                before += past.len();
            }
            let place = blocks.peek()?.binary_search(&key).ok()?;
            Some((before + place, key.1))
        };
        jobs.into_iter().filter_map(position).collect()
    }

    /// The jobs, first to last.
    pub fn iter(&self) -> impl Iterator<Item = J> + '_ {
        self.blocks.iter().flatten().map(|&(_, job)| job)
    }

    /// All jobs, first to last.
    pub fn into_ranked(self) -> Vec<J> {
        self.iter().collect()
    }
}

impl<J: Copy + Ord> Default for RankedQueue<J> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn it_agrees_with_a_sorted_list(
            steps in prop::collection::vec((0u16..2000, -3i64..3, 0u8..4), 0..60),
            many in prop::sample::select(vec![0u16, 300, 900]),
        ) {
            let mut queue = RankedQueue::new();
            let mut plain: BTreeMap<u16, i64> = BTreeMap::new();
            // Enough for several blocks, where there are many.
            let first = (0..many).map(|job| (job * 37 % 997, i64::from(job % 7) - 3, 1));
            let steps = first.chain(steps).map(|(job, rank, stays)| (job, rank, stays > 0));
            for (job, rank, stays) in steps {
                if stays {
                    queue.push(job, rank);
                    plain.insert(job, rank);
                } else {
                    prop_assert_eq!(queue.remove(job), plain.remove(&job).is_some());
                }
            }
            prop_assert_eq!(queue.len(), plain.len());
            let mut expected: Vec<(i64, u16)> = plain.into_iter().map(|(job, rank)| (-rank, job)).collect();
            expected.sort_unstable();
            let expected: Vec<u16> = expected.into_iter().map(|(_, job)| job).collect();
            let popped: Vec<u16> = std::iter::from_fn({ let mut queue = queue.clone(); move || queue.pop() }).collect();
            prop_assert_eq!(&popped, &expected);
            for (position, &job) in expected.iter().enumerate() {
                prop_assert_eq!((queue.at(position), queue.position(job)), (Some(job), Some(position)));
            }
            prop_assert_eq!(queue.at(expected.len()), None);
            let third = |(position, job): (usize, u16)| Some((position, job)).filter(|_| position % 3 == 0);
            let some: Vec<(usize, u16)> = expected.iter().copied().enumerate().filter_map(third).collect();
            let keys = some.iter().map(|&(_, job)| (Reverse(queue.ranks[&job]), job));
            prop_assert_eq!(queue.positions(keys), some);
            prop_assert_eq!(queue.into_ranked(), expected);
        }
    }
}
