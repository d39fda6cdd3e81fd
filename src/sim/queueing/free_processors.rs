//! Free time as numbers of equal processors.

use super::backfill::{Availability, HeldPlace};
use super::{Profile, QueuedJob};
use crate::units::{Span, Time};

/// A machine of equal processors: a place is a start, and any processors will do.
#[derive(Debug)]
pub(super) struct FreeProcessors {
    /// Running jobs and reservations.
    pub(super) profile: Profile,
    /// Those on which nothing runs. By the profile more may be free: a job that should have ended may still run.
    pub(super) idle: u32,
    pub(super) now: Time,
}

impl FreeProcessors {
    /// An idle machine.
    pub(super) fn new(processors: u32) -> Self {
        Self { profile: Profile::new(processors), idle: processors, now: Time::ZERO }
    }

    /// True if so many are idle, and free from now on for so long. Processors have no names: what is free beside the
    /// reservations delays none of them.
    pub(super) fn is_free_now(&self, processors: u32, span: Span) -> bool {
        processors <= self.idle && self.profile.is_free(processors, span)
    }

    fn run(&mut self, job: QueuedJob) {
        self.idle -= job.processors;
        self.profile.occupy(self.now, self.now + job.estimate, job.processors);
    }
}

impl Availability for FreeProcessors {
    type Job = QueuedJob;
    type Place = Time;

    fn start(place: &Time) -> Time {
        *place
    }

    fn reserve_earliest(&mut self, job: QueuedJob, _: &mut [HeldPlace<Self>]) -> Option<Time> {
        let start = self.profile.earliest(job.processors, job.estimate);
        self.profile.occupy(start, start + job.estimate, job.processors);
        Some(start)
    }

    fn withdraw(&mut self, job: QueuedJob, start: &Time) {
        self.profile.release(*start, *start + job.estimate, job.processors);
    }

    fn is_ready(&self, job: QueuedJob) -> bool {
        job.processors <= self.idle
    }

    fn start_reserved(&mut self, job: QueuedJob, start: &Time) {
        self.withdraw(job, start);
        self.run(job);
    }

    fn start_now(&mut self, job: QueuedJob, _: &mut [HeldPlace<Self>]) -> Option<Time> {
        self.is_free_now(job.processors, job.estimate).then(|| {
            self.run(job);
            self.now
        })
    }
}
