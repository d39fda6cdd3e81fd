//! The queue of waiting jobs by rank.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// Waiting jobs, the highest rank first and the lowest job (the earliest comer, where jobs are numbered as they come)
/// first among equals; a job's rank can change while it waits.
///
/// Ordered sets keep it in order all the time: a cycle looks at the first jobs without taking them out, and who goes on
/// waiting costs nothing. With a heap, every cycle would pop and push the whole queue, which under overload is most of
/// the work of a run.
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
/// assert_eq!(queue.into_ranked(), [3, 1, 2]);
/// ```
#[derive(Debug, Clone)]
pub struct RankedQueue<J: Copy + Ord> {
    order: BTreeSet<(Reverse<i64>, J)>,
    ranks: BTreeMap<J, i64>,
}

impl<J: Copy + Ord> RankedQueue<J> {
    /// A queue without jobs.
    pub fn new() -> Self {
        Self { order: BTreeSet::new(), ranks: BTreeMap::new() }
    }

    /// Lets `job` wait with this rank. A job that waits already only gets the rank.
    pub fn push(&mut self, job: J, rank: i64) {
        if let Some(old) = self.ranks.insert(job, rank) {
            self.order.remove(&(Reverse(old), job));
        }
        self.order.insert((Reverse(rank), job));
    }

    /// Takes the first job out.
    pub fn pop(&mut self) -> Option<J> {
        let (_, job) = self.order.pop_first()?;
        self.ranks.remove(&job);
        Some(job)
    }

    /// Takes `job` out; whether it waited.
    pub fn remove(&mut self, job: J) -> bool {
        self.ranks.remove(&job).is_some_and(|rank| self.order.remove(&(Reverse(rank), job)))
    }

    /// The number of jobs that wait.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// True if none waits.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// The jobs, first to last.
    pub fn iter(&self) -> impl Iterator<Item = J> + '_ {
        self.order.iter().map(|&(_, job)| job)
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
