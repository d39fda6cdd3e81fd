//! The jobs that wait for the metascheduler.

use super::batch_systems::waiting;
use super::grid::GridState;
use crate::model::JobId;
use crate::policy::{LongQueue, Waiting, within};
use crate::search::grade_of;
use crate::units::Time;
use std::cmp::Reverse;

/// The jobs that wait, in the order of the line.
#[derive(Debug, Default)]
pub(super) struct WaitingLine {
    offered: Vec<InLine>,
    /// Those that are not offered, since they could have no place even on idle nodes.
    aside: Vec<InLine>,
}

/// A job in the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct InLine {
    pub(super) job: JobId,
    pub(super) rank: i64,
    /// The grade of the work of a task, and the number of nodes; neither grows less while the job waits.
    pub(super) size: (usize, usize),
    pub(super) promise: Option<Time>,
    pub(super) is_workflow: bool,
    /// True if it could have a place if all nodes were idle.
    pub(super) has_hope: bool,
}

impl InLine {
    fn place(&self) -> (Reverse<i64>, JobId) {
        (Reverse(self.rank), self.job)
    }
}

impl WaitingLine {
    /// Lets a job wait. One that waits already gets a new place.
    pub(super) fn push(&mut self, known: InLine) {
        self.remove(known.job);
        let list = if known.has_hope { &mut self.offered } else { &mut self.aside };
        let at = list.partition_point(|other| other.place() < known.place());
        list.insert(at, known);
    }

    /// Takes a job out; whether it waited.
    pub(super) fn remove(&mut self, job: JobId) -> bool {
        for list in [&mut self.offered, &mut self.aside] {
            if let Some(at) = list.iter().position(|known| known.job == job) {
                list.remove(at);
                return true;
            }
        }
        false
    }

    /// A job was promised a start.
    pub(super) fn promise(&mut self, job: JobId, start: Time) {
        let known = self.offered.iter_mut().find(|known| known.job == job);
        known.into_iter().for_each(|known| known.promise = Some(start));
    }

    /// The first promise that is due later than `now`.
    pub(super) fn next_promise(&self, now: Time) -> Option<Time> {
        self.offered.iter().filter_map(|known| known.promise).filter(|&start| start > now).min()
    }

    pub(super) fn len(&self) -> usize {
        self.offered.len() + self.aside.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first so many of those that are offered, and all that are not, in the order of the line.
    pub(super) fn batch(&self, size: usize) -> Vec<JobId> {
        let mut all: Vec<_> = self.offered.iter().take(size).chain(&self.aside).map(InLine::place).collect();
        all.sort_unstable();
        all.into_iter().map(|(_, job)| job).collect()
    }

    pub(super) fn workflows(&self) -> impl Iterator<Item = JobId> + '_ {
        self.offered.iter().filter(|known| known.is_workflow).map(|known| known.job)
    }

    pub(super) fn at(&self, position: usize) -> Option<JobId> {
        self.offered.get(position).map(|known| known.job)
    }
}

/// The first jobs of the line, as many as a batch may have.
pub(super) struct OfferedJobs<'g, 'w> {
    pub(super) grid: &'g GridState<'w>,
}

impl OfferedJobs<'_, '_> {
    fn jobs(&self) -> &[InLine] {
        let offered = &self.grid.queue.offered;
        &offered[..offered.len().min(self.grid.rules.batch)]
    }
}

impl LongQueue for OfferedJobs<'_, '_> {
    fn len(&self) -> usize {
        self.jobs().len()
    }

    fn at(&self, position: usize) -> Waiting<'_> {
        waiting(self.grid.world, &self.grid.jobs, self.jobs()[position].job)
    }

    fn next_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Option<usize> {
        let sizes = self.jobs().iter().map(|known| known.size).enumerate().skip(from);
        within(sizes, most).next()
    }

    fn unpromised_within(&self, from: usize, most: &mut dyn FnMut(usize) -> usize) -> Vec<usize> {
        let unpromised = self.jobs().iter().enumerate().skip(from).filter(|(_, known)| known.promise.is_none());
        within(unpromised.map(|(position, known)| (position, known.size)), most).collect()
    }

    fn promised(&self) -> Vec<(usize, Waiting<'_>)> {
        let promised = self.jobs().iter().enumerate().filter(|(_, known)| known.promise.is_some());
        promised.map(|(position, _)| (position, self.at(position))).collect()
    }
}

impl GridState<'_> {
    /// The grade of the work and the nodes of a job that is to wait: those of its smallest rest, if some of it is done.
    pub(super) fn size_in_line(&self, job: JobId) -> (usize, usize) {
        let is_workflow = self.world.jobs[job.index()].workflow.is_some();
        let state = &self.jobs[job];
        // What is left of a workflow is worked out anew at every question.
        if is_workflow && !(state.tasks.is_empty() && state.saved.is_empty()) {
            return (0, 1);
        }
        let request = self.request(job);
        (grade_of(self.rules.rule, request), request.nodes)
    }
}
