//! Free time as numbers of equal processors.

use super::backfill::{Availability, HeldPlace};
use super::{Profile, QueuedJob};
use crate::units::Time;

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

    /// A job that runs has ended.
    pub(super) fn finish(&mut self, now: Time, processors: u32, end: Time) {
        self.idle += processors;
        self.profile.release(now, end, processors);
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

    fn may_improve(&mut self, job: QueuedJob, start: &Time, _: &[HeldPlace<Self>]) -> bool {
        self.profile.has_earlier(job.processors, job.estimate, *start)
    }

    fn start_reserved(&mut self, job: QueuedJob, start: &Time) {
        self.withdraw(job, start);
        self.run(job);
    }

    fn start_now(&mut self, job: QueuedJob, _: &mut [HeldPlace<Self>]) -> Option<Time> {
        // Processors have no names: what is free beside the reservations delays none of them.
        (job.processors <= self.idle && self.profile.is_free(job.processors, job.estimate)).then(|| {
            self.run(job);
            self.now
        })
    }
}
