//! Backfilling with a reservation for everyone.

use super::compression::Compression;
use super::equal_widths::EqualWidths;
use super::reserved_profile::{ReservedProfile, Vacated};
use super::{Decisions, Discipline, QueuedJob};
use crate::units::Time;

/// Conservative backfilling: every job holds a reservation from its arrival on, the earliest that delays no job before
/// it.
///
/// When a job ends early the schedule is compressed: in the order of arrival each waiting job moves to the earliest
/// start that the other reservations leave, once. Reservations are kept or improved, never delayed, as long as jobs
/// keep to their estimates; when one does not, all reservations are made again in the order of arrival.
///
/// As long as all who wait are equally wide, reservations are not kept, since they follow from the order
/// of arrival: a queue of thousands of single-processor jobs would otherwise move as a whole whenever one ends early. In
/// such a queue not every newcomer is told the start that it has reserved. It does move as a whole as soon as one of another
/// width is in it.
#[derive(Debug)]
pub struct Conservative {
    /// Running jobs and the reservations that are kept.
    profile: ReservedProfile,
    free: u32,
    /// Jobs that came since the last pass.
    arrived: Vec<QueuedJob>,
    /// Those who wait, if they are all equally wide; then no reservations are kept.
    equal: Option<EqualWidths>,
    /// Until when jobs that ended early since the last pass had been expected to run, and the processors of all of them
    /// together.
    vacated: Vec<Time>,
    released: i64,
    compression: Compression,
    outlived: bool,
}

impl Conservative {
    /// An idle machine.
    pub fn new(processors: u32) -> Self {
        Self {
            profile: ReservedProfile::new(processors),
            free: processors,
            arrived: Vec::new(),
            equal: Some(EqualWidths::default()),
            vacated: Vec::new(),
            released: 0,
            compression: Compression::default(),
            outlived: false,
        }
    }

    /// Moves each job in turn to the earliest start that the others leave; only those get a turn who may gain by it.
    fn compress(&mut self) {
        let Self { profile, compression, .. } = self;
        compression.begin(profile);
        let processors = std::mem::take(&mut self.released);
        for end in self.vacated.drain(..) {
            compression.vacate(profile, Vacated { first: profile.head(), end, processors });
        }
        while let Some((id, place)) = compression.next(profile) {
            if let Some(place) = place {
                let vacated = profile.advance(id, place);
                compression.vacate(profile, vacated);
            }
        }
    }

    /// Keeps reservations from now on: someone comes who is wider or narrower than those who wait.
    fn keep_reservations(&mut self, now: Time) {
        let mut behind = None;
        for (job, start) in self.equal.take().map_or(Vec::new(), |mut equal| equal.take_all(now, &self.profile)) {
            self.profile.reserve_at(job, start, behind.replace(job.id));
            self.compression.join(&self.profile, job);
        }
    }

    /// Forgets all that concerns kept reservations, of which there are none.
    fn keep_none(&mut self) {
        self.vacated.clear();
        self.released = 0;
        self.outlived = false;
        self.compression.forget(&mut self.profile);
        self.equal = Some(EqualWidths::default());
    }

    /// Starts those who wait without a kept reservation, as far as processors are idle.
    fn start_equal(&mut self, now: Time, decisions: &mut Decisions) {
        while let Some(job) = self.equal.as_mut().and_then(|equal| equal.start(self.free)) {
            self.free -= job.processors;
            self.profile.occupy(now, now + job.estimate, job.processors);
            decisions.starts.push(job.id);
        }
    }

    /// Makes all reservations again.
    fn plan_anew(&mut self) {
        let waiting: Vec<u32> = self.profile.waiting().collect();
        waiting.iter().for_each(|&id| self.profile.withdraw(id));
        for id in waiting {
            self.profile.reserve_again(id);
            self.compression.replanned(&self.profile, id);
        }
        self.vacated.clear();
        self.released = 0;
        self.compression.forget(&mut self.profile);
    }
}

impl Discipline for Conservative {
    fn arrive(&mut self, job: QueuedJob) {
        self.arrived.push(job);
    }

    fn finish(&mut self, now: Time, _: u32, processors: u32, end: Time) {
        self.free += processors;
        self.profile.forget(now);
        if end > now {
            self.profile.release(now, end, processors);
            if let Some(equal) = &mut self.equal {
                equal.upset();
            } else {
                self.vacated.push(end);
                self.released += i64::from(processors);
            }
        }
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.profile.occupy(end, later, processors);
        if let Some(equal) = &mut self.equal {
            equal.upset();
        } else {
            self.outlived = true;
        }
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.profile.forget(now);
        if self.equal.is_none() {
            if self.profile.is_unreserved() {
                self.keep_none();
            } else if std::mem::take(&mut self.outlived) {
                self.plan_anew();
            } else if !self.vacated.is_empty() {
                self.compress();
            }
        }
        self.start_equal(now, decisions);
        let mut arrived = std::mem::take(&mut self.arrived);
        for job in arrived.drain(..) {
            if self.equal.as_ref().is_some_and(|equal| !equal.takes(job)) {
                self.keep_reservations(now);
            }
            let start = match &mut self.equal {
                Some(equal) => equal.promise(now, &self.profile, job),
                None => {
                    let start = self.profile.reserve(job);
                    self.compression.join(&self.profile, job);
                    Some(start)
                }
            };
            decisions.promises.extend(start.map(|start| (job.id, start)));
            self.start_equal(now, decisions);
        }
        self.arrived = arrived;
        let mut next = self.profile.first_at(self.profile.head());
        while let Some(id) = next {
            next = self.profile.next_at(id);
            let job = self.profile.reservation(id).job;
            // Within an instant the job whose processors it is to get may not have ended yet.
            if job.processors <= self.free {
                self.free -= job.processors;
                self.compression.leave(job);
                self.profile.start(id);
                decisions.starts.push(id);
            }
        }
    }

    fn wake(&self) -> Option<Time> {
        // Those who wait without a kept reservation start when others end, and at no other time.
        self.profile.first_start()
    }
}
