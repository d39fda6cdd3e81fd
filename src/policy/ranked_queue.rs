//! The queue of waiting jobs by rank.

use priority_queue::PriorityQueue;
use std::cmp::Reverse;
use std::hash::Hash;

/// Waiting jobs, the highest rank first and the lowest job (the earliest comer, where jobs are numbered as they come) first among
/// equals; a job's rank can change while it waits.
///
/// Ranks change with every failed attempt and jobs leave when their deadlines pass, which is what an indexed priority queue is for: a
/// change costs a logarithm instead of a rebuilt heap. (The event kernel has no use for it: its events never
/// change their time.)
///
/// ```
/// use gridloom::policy::RankedQueue;
///
/// let mut queue = RankedQueue::new();
/// queue.push(1, 10);
/// queue.push(2, 10);
/// queue.push(3, 0);
/// queue.push(3, 50);
/// assert_eq!(queue.into_ranked(), [3, 1, 2]);
/// ```
#[derive(Debug, Clone)]
pub struct RankedQueue<J: Hash + Copy + Ord> {
    jobs: PriorityQueue<J, (i64, Reverse<J>)>,
}

impl<J: Hash + Copy + Ord> RankedQueue<J> {
    /// A queue without jobs.
    pub fn new() -> Self {
        Self { jobs: PriorityQueue::new() }
    }

    /// Lets `job` wait with this rank. A job that waits already only gets the rank.
    pub fn push(&mut self, job: J, rank: i64) {
        self.jobs.push(job, (rank, Reverse(job)));
    }

    /// Takes the first job out.
    pub fn pop(&mut self) -> Option<J> {
        self.jobs.pop().map(|(job, _)| job)
    }

    /// Takes `job` out; whether it waited.
    pub fn remove(&mut self, job: J) -> bool {
        self.jobs.remove(&job).is_some()
    }

    /// How many jobs wait.
    pub fn len(&self) -> usize {
        self.jobs.len()
    }

    /// Whether none waits.
    pub fn is_empty(&self) -> bool {
        self.jobs.is_empty()
    }

    /// All jobs, first to last.
    pub fn into_ranked(self) -> Vec<J> {
        self.jobs.into_sorted_vec()
    }
}

impl<J: Hash + Copy + Ord> Default for RankedQueue<J> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn it_agrees_with_a_sorted_list(steps in prop::collection::vec((0u8..20, -3i64..3, any::<bool>()), 0..60)) {
            let mut queue = RankedQueue::new();
            let mut plain: BTreeMap<u8, i64> = BTreeMap::new();
            for (job, rank, stays) in steps {
                if stays {
                    queue.push(job, rank);
                    plain.insert(job, rank);
                } else {
                    prop_assert_eq!(queue.remove(job), plain.remove(&job).is_some());
                }
            }
            prop_assert_eq!(queue.len(), plain.len());
            let mut expected: Vec<(i64, u8)> = plain.into_iter().map(|(job, rank)| (-rank, job)).collect();
            expected.sort_unstable();
            let expected: Vec<u8> = expected.into_iter().map(|(_, job)| job).collect();
            let popped: Vec<u8> = std::iter::from_fn({ let mut queue = queue.clone(); move || queue.pop() }).collect();
            prop_assert_eq!(&popped, &expected);
            prop_assert_eq!(queue.into_ranked(), expected);
        }
    }
}
