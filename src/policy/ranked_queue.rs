//! The queue of waiting jobs by rank.

use priority_queue::PriorityQueue;
use std::cmp::Reverse;
use std::hash::Hash;

/// Waiting jobs, the highest rank first and the earliest comer first among equals; a job's rank can change while it waits.
///
/// Ranks change with every failed attempt and as deadlines come near, which is what an indexed priority queue is for: a
/// change costs a logarithm instead of a rebuilt heap. (The event kernel has no use for it: its events never
/// change their time.)
///
/// ```
/// use gridloom::policy::RankedQueue;
///
/// let mut queue = RankedQueue::new();
/// queue.push("first", 1);
/// queue.push("second", 1);
/// queue.push("third", 0);
/// queue.rank("third", 5);
/// assert_eq!(queue.into_ranked(), ["third", "first", "second"]);
/// ```
#[derive(Debug, Clone)]
pub struct RankedQueue<J: Hash + Eq> {
    jobs: PriorityQueue<J, (i64, Reverse<u64>)>,
    pushed: u64,
}

impl<J: Hash + Eq> RankedQueue<J> {
    /// A queue without jobs.
    pub fn new() -> Self {
        Self { jobs: PriorityQueue::new(), pushed: 0 }
    }

    /// Lets `job` wait with this rank. A job that waits already only gets the rank, and keeps its place among equals.
    pub fn push(&mut self, job: J, rank: i64) {
        match self.jobs.get_priority(&job) {
            Some(&(_, since)) => {
                self.jobs.change_priority(&job, (rank, since));
            }
            None => {
                self.jobs.push(job, (rank, Reverse(self.pushed)));
                self.pushed += 1;
            }
        }
    }

    /// Changes the rank of a job that waits; the others are left alone.
    pub fn rank(&mut self, job: J, rank: i64) {
        if self.jobs.contains(&job) {
            self.push(job, rank);
        }
    }

    /// Takes the first job out.
    pub fn pop(&mut self) -> Option<J> {
        self.jobs.pop().map(|(job, _)| job)
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

impl<J: Hash + Eq> Default for RankedQueue<J> {
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
        fn it_agrees_with_a_stable_sort(steps in prop::collection::vec((0u8..20, -3i64..3), 0..60)) {
            let mut queue = RankedQueue::new();
            let mut plain: Vec<(u8, i64)> = Vec::new();
            for (job, rank) in steps {
                queue.push(job, rank);
                match plain.iter_mut().find(|(other, _)| *other == job) {
                    Some(known) => known.1 = rank,
                    None => plain.push((job, rank)),
                }
            }
            prop_assert_eq!(queue.len(), plain.len());
            plain.sort_by_key(|&(_, rank)| Reverse(rank));
            let expected: Vec<u8> = plain.into_iter().map(|(job, _)| job).collect();
            let popped: Vec<u8> = std::iter::from_fn({ let mut queue = queue.clone(); move || queue.pop() }).collect();
            prop_assert_eq!(&popped, &expected);
            prop_assert_eq!(queue.into_ranked(), expected);
        }
    }
}
