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
    /// The jobs from a position on, with their positions and sizes.
    fn sizes_from(&self, from: usize) -> impl Iterator<Item = (usize, (usize, usize))> + '_ {
        let size = |waiting: &Waiting<'_>| (grade_of(self.rule, waiting.request), waiting.request.nodes);
        (from..self.jobs.len()).map(move |position| (position, size(&self.jobs[position])))
    }
}

/// The positions of the jobs that ask for no more nodes than `most` says for the grade of their work. `most` is asked once for
/// each grade.
pub(crate) fn within<'q>(
    jobs: impl Iterator<Item = (usize, (usize, usize))> + 'q,
    most: &'q mut dyn FnMut(usize) -> usize,
) -> impl Iterator<Item = usize> + 'q {
    let mut known: Vec<Option<usize>> = Vec::new();
    let mut is_within = move |(grade, nodes): (usize, usize)| {
        if known.len() <= grade {
            known.resize(grade + 1, None);
        }
        nodes <= *known[grade].get_or_insert_with(|| most(grade))
    };
    jobs.filter(move |&(_, size)| is_within(size)).map(|(position, _)| position)
}

impl LongQueue for ListedQueue<'_> {
    fn len(&self) -> usize {
        self.jobs.len()
    }

    fn at(&self, position: usize) -> Waiting<'_> {
        self.jobs[position]
    }

    fn next_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Option<usize> {
        within(self.sizes_from(from), most).next()
    }

    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
        within(self.sizes_from(from).filter(|&(position, _)| self.jobs[position].promise.is_none()), most).collect()
    }

    fn promised(&self) -> Vec<(usize, Waiting<'_>)> {
        let jobs = self.jobs.iter().copied().enumerate();
        jobs.filter(|(_, waiting)| waiting.promise.is_some()).collect()
    }
}
