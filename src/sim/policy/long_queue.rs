//! Queues that are too long to be listed at every event.

use super::Waiting;
use crate::search::grade_of;
use crate::workload::RuntimeRule;

/// The jobs that wait, the first in the queue first, without a list of them: in overload a queue grows for as long as
/// a run lasts, and a policy that is asked at every event would spend its time with jobs that can't start.
pub trait LongQueue {
    /// The number of jobs.
    fn len(&self) -> usize;

    /// True if none waits.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The job at a position below [`len`](Self::len).
    fn at(&self, position: usize) -> Waiting<'_>;

    /// The first job from a position on that asks for no more nodes than `most` says could be had for work of its
    /// [grade](grade_of).
    fn next_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Option<usize>;

    /// All jobs from a position on of which that is so and to whom no start was promised, in order.
    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize>;

    /// Those to whom a start was promised, with their positions, in order.
    fn promised(&self) -> Vec<(usize, Waiting<'_>)>;

    /// All of them.
    fn list(&self) -> Vec<Waiting<'_>> {
        (0..self.len()).map(|position| self.at(position)).collect()
    }
}

/// A list of jobs as such a queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct ListedQueue<'a> {
    pub(super) jobs: &'a [Waiting<'a>],
    pub(super) rule: RuntimeRule,
}

impl ListedQueue<'_> {
    fn is_within(&self, position: usize, most: &mut dyn FnMut(usize) -> usize) -> bool {
        let request = self.jobs[position].request;
        request.nodes <= most(grade_of(self.rule, request))
    }
}

impl LongQueue for ListedQueue<'_> {
    fn len(&self) -> usize {
        self.jobs.len()
    }

    fn at(&self, position: usize) -> Waiting<'_> {
        self.jobs[position]
    }

    fn next_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Option<usize> {
        (from..self.jobs.len()).find(|&position| self.is_within(position, most))
    }

    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
        let unpromised = (from..self.jobs.len()).filter(|&position| self.jobs[position].promise.is_none());
        unpromised.filter(|&position| self.is_within(position, most)).collect()
    }

    fn promised(&self) -> Vec<(usize, Waiting<'_>)> {
        let jobs = self.jobs.iter().copied().enumerate();
        jobs.filter(|(_, waiting)| waiting.promise.is_some()).collect()
    }
}
