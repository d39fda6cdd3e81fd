//! Where the jobs of a grid stand.

use super::rest::RestOfJob;
use crate::engine::Handle;
use crate::model::{Interval, JobId, NodeId};
use crate::units::{Price, Span, Time};
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

/// The states of jobs by number; those that are outside of the grid have none of their own.
#[derive(Debug)]
pub(super) struct JobStates {
    inside: Vec<Option<Box<JobState>>>,
    outside: JobState,
}

impl JobStates {
    /// So many jobs, all of which are outside.
    pub(super) fn new(count: usize) -> Self {
        Self { inside: (0..count).map(|_| None).collect(), outside: JobState::default() }
    }

    /// A job leaves the grid; its last state.
    pub(super) fn leave(&mut self, job: JobId) -> JobState {
        self.inside[job.index()].take().map_or_else(JobState::default, |state| *state)
    }
}

impl Index<JobId> for JobStates {
    type Output = JobState;

    fn index(&self, job: JobId) -> &JobState {
        self.inside[job.index()].as_deref().unwrap_or(&self.outside)
    }
}

impl IndexMut<JobId> for JobStates {
    fn index_mut(&mut self, job: JobId) -> &mut JobState {
        self.inside[job.index()].get_or_insert_default()
    }
}
