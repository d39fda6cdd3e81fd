//! The queue of waiting jobs by rank.

use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Waiting jobs, the highest rank first and the lowest job (the earliest comer, where jobs are numbered as they come)
/// first among equals; a job's rank can change while it waits.
///
/// It is kept in order all the time: a cycle looks at the first jobs without taking them out, and a job that goes on waiting costs
/// nothing. With a heap, every cycle would pop and push the whole queue, which under overload is most of the work of a run.
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
    jobs: Vec<(Reverse<i64>, J)>,
    ranks: BTreeMap<J, i64>,
}

impl<J: Copy + Ord> RankedQueue<J> {
    /// A queue without jobs.
    pub fn new() -> Self {
        Self { jobs: Vec::new(), ranks: BTreeMap::new() }
    }

    /// Lets `job` wait with this rank. A job that waits already only gets the rank.
    pub fn push(&mut self, job: J, rank: i64) {
        self.remove(job);
        self.ranks.insert(job, rank);
        let key = (Reverse(rank), job);
        let place = self.jobs.partition_point(|&other| other < key);
        self.jobs.insert(place, key);
    }

    /// Takes the first job out.
    pub fn pop(&mut self) -> Option<J> {
        let first = self.at(0)?;
        self.remove(first);
        Some(first)
    }

    /// Takes `job` out; whether it waited.
    pub fn remove(&mut self, job: J) -> bool {
        let Some(place) = self.position(job) else { return false };
        self.jobs.remove(place);
        self.ranks.remove(&job);
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
        self.jobs.get(position).map(|&(_, job)| job)
    }

    /// The position of a job that waits.
    pub fn position(&self, job: J) -> Option<usize> {
        let key = (Reverse(*self.ranks.get(&job)?), job);
        self.jobs.binary_search(&key).ok()
    }

    /// The jobs, first to last.
    pub fn iter(&self) -> impl Iterator<Item = J> + '_ {
        self.jobs.iter().map(|&(_, job)| job)
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
            steps in prop::collection::vec((0u16..40, -3i64..3, 0u8..4), 0..60),
        ) {
            let mut queue = RankedQueue::new();
            let mut plain: BTreeMap<u16, i64> = BTreeMap::new();
            for (job, rank, stays) in steps {
                if stays > 0 {
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
            prop_assert_eq!(queue.into_ranked(), expected);
        }
    }
}
