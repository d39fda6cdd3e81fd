//! Where the jobs of a grid stand.

use super::rest::RestOfJob;
use crate::engine::Handle;
use crate::model::{Interval, JobId, NodeId};
use crate::units::{Price, Span, Time};
use std::collections::VecDeque;
use std::ops::{Index, IndexMut};

/// Where a job stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum JobStage {
    /// Not submitted yet, or done with.
    #[default]
    Outside,
    /// In the queue; some of its tasks may be done or under way.
    Waiting,
    /// Every task has a place or is done.
    Placed,
}

/// A task of a job that has begun or has a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct PlacedTask {
    pub(super) node: NodeId,
    /// The reserved time, from the planned start on; it is reserved no more if `held` is false.
    pub(super) hold: Interval,
    pub(super) held: bool,
    pub(super) estimate: Span,
    pub(super) price: Price,
    pub(super) state: TaskState,
    /// The event that is to start or end the task.
    pub(super) event: Option<Handle>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TaskState {
    Waiting,
    /// Running until this instant, if it may.
    Running(Time),
    /// Done at this instant.
    Done(Time),
}

/// A job's state.
#[derive(Debug, Default)]
pub(super) struct JobState {
    pub(super) stage: JobStage,
    /// Its tasks by their number, once it has or had a place and until all is lost.
    pub(super) tasks: Vec<PlacedTask>,
    /// The parts of its tasks, or of the whole of a rigid job, that checkpoints have saved, as shares of the estimated
    /// runtime; none while nothing was saved.
    pub(super) saved: Vec<f64>,
    /// When work of a rigid job was last saved: all its tasks stop at once.
    pub(super) saved_at: Option<Time>,
    /// What is left of it to do, if a part was done.
    pub(super) rest: Option<Box<RestOfJob>>,
    pub(super) attempts: u32,
    /// The start that the policy has promised it.
    pub(super) promise: Option<Time>,
    pub(super) deadline: Option<Handle>,
}

/// The states of jobs from the first that is in the grid to the last that was submitted: of a million jobs, few are in it
/// at one time. All others are outside.
#[derive(Debug, Default)]
pub(super) struct JobStates {
    /// The number of jobs before the first one.
    before: usize,
    inside: VecDeque<JobState>,
    outside: JobState,
    /// What is said of a job that has left goes here, and is read by nobody.
    said_in_vain: JobState,
}

impl JobStates {
    /// A job is submitted; jobs are so in their order.
    pub(super) fn enter(&mut self, job: JobId) {
        while self.inside.front().is_some_and(|first| first.stage == JobStage::Outside) {
            self.inside.pop_front();
            self.before += 1;
        }
        if self.inside.is_empty() {
            self.before = self.before.max(job.index());
        }
        let count = (job.index() + 1).saturating_sub(self.before).max(self.inside.len());
        self.inside.resize_with(count, JobState::default);
    }

    fn place(&self, job: JobId) -> Option<usize> {
        job.index().checked_sub(self.before).filter(|&place| place < self.inside.len())
    }
}

impl Index<JobId> for JobStates {
    type Output = JobState;

    fn index(&self, job: JobId) -> &JobState {
        self.place(job).map_or(&self.outside, |place| &self.inside[place])
    }
}

impl IndexMut<JobId> for JobStates {
    fn index_mut(&mut self, job: JobId) -> &mut JobState {
        match self.place(job) {
            Some(place) => &mut self.inside[place],
            None => {
                self.said_in_vain = JobState::default();
                &mut self.said_in_vain
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_kept_of_jobs_that_are_in_the_grid() {
        let mut states = JobStates::default();
        for number in 0..100 {
            states.enter(JobId(number));
            states[JobId(number)].stage = JobStage::Waiting;
            states[JobId(number)].attempts = number;
            // All leave soon but one, which stays for a while.
            if number >= 3 && number != 43 {
                states[JobId(number - 3)] = JobState::default();
            }
            if number == 60 {
                states[JobId(40)] = JobState::default();
            }
            let attempts = |job: u32| states[JobId(job)].attempts;
            assert_eq!(attempts(number), number);
            assert_eq!((attempts(0), attempts(40)), (0, if (40..60).contains(&number) { 40 } else { 0 }));
        }
        assert!(states.inside.len() <= 4);
        states[JobId(0)].attempts = 7;
        assert_eq!((states[JobId(0)].attempts, states[JobId(100)].attempts), (0, 0));
    }
}
