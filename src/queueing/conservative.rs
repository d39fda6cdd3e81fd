//! Backfilling with a reservation for everyone.

use super::compression::{Compression, Gain, ReservedJob};
use super::equal_widths::EqualWidths;
use super::reserved_starts::{ReservedStart, ReservedStarts};
use super::{Decisions, Discipline, Profile, QueuedJob};
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
    profile: Profile,
    free: u32,
    /// Jobs that came since the last pass.
    arrived: Vec<QueuedJob>,
    /// Those who wait, if they are all equally wide; then no reservations are kept.
    equal: Option<EqualWidths>,
    /// Reserved starts in their order.
    starts: ReservedStarts,
    /// The time that jobs which ended early left since the last pass, and the processors of all of them together.
    vacated: Vec<(Time, Time)>,
    released: i64,
    compression: Compression,
    outlived: bool,
}

impl Conservative {
    /// An idle machine.
    pub fn new(processors: u32) -> Self {
        Self {
            profile: Profile::new(processors),
            free: processors,
            arrived: Vec::new(),
            equal: Some(EqualWidths::default()),
            starts: ReservedStarts::default(),
            vacated: Vec::new(),
            released: 0,
            compression: Compression::default(),
            outlived: false,
        }
    }

    /// Moves each job in turn to the earliest start that the others leave; only those get a turn who may gain by it.
    fn compress(&mut self) {
        self.compression.begin();
        let released = std::mem::take(&mut self.released);
        for time in self.vacated.drain(..) {
            let steps = self.profile.until(time.1);
            self.compression.vacate(&self.profile, &self.starts, time, steps, released);
        }
        while let Some(ReservedJob { job, start: old, gain, .. }) = self.compression.next() {
            // Its own reservation does not stand in its way: from its start on, it may use what it has reserved. Where
            // its whole length fits nowhere else, it can only slide forward into what is free just before its start.
            let place = match gain {
                Gain::Any => self.profile.earliest_before(old, job.processors, job.estimate),
                _ => self.profile.free_until(old, job.processors),
            };
            if let Some(place) = place {
                let new = self.profile.steps()[place].time;
                let (time, steps) = self.profile.advance(old, place, job.processors, job.estimate);
                self.starts.advance(ReservedStart::new(job, old), new);
                self.compression.moved(job.id, new);
                self.compression.vacate(&self.profile, &self.starts, time, steps, i64::from(job.processors));
            }
        }
    }

    /// Keeps reservations from now on: someone comes who is wider or narrower than those who wait.
    fn keep_reservations(&mut self, now: Time) {
        for (job, start) in self.equal.take().map_or(Vec::new(), |mut equal| equal.take_all(now, &self.profile)) {
            self.hold(job, start);
        }
    }

    /// Keeps the first reservation of a job.
    fn hold(&mut self, job: QueuedJob, start: Time) {
        self.profile.occupy(start, start + job.estimate, job.processors);
        self.starts.insert(ReservedStart::new(job, start));
        self.compression.join(job, start);
    }

    /// Forgets all that concerns kept reservations, of which there are none.
    fn keep_none(&mut self) {
        self.vacated.clear();
        self.released = 0;
        self.outlived = false;
        self.compression.forget();
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
        let mut waiting: Vec<ReservedJob> =
            self.starts.take_all().into_iter().map(|start| self.compression.held(start.id)).collect();
        waiting.sort_unstable_by_key(|held| held.job.id);
        for ReservedJob { job, start, .. } in &waiting {
            self.profile.release(*start, *start + job.estimate, job.processors);
        }
        for ReservedJob { job, .. } in waiting {
            let start = self.profile.earliest(job.processors, job.estimate);
            self.profile.occupy(start, start + job.estimate, job.processors);
            self.starts.insert(ReservedStart::new(job, start));
            self.compression.replanned(job.id, start);
        }
        self.vacated.clear();
        self.released = 0;
        self.compression.forget();
    }
}

impl Discipline for Conservative {
    fn arrive(&mut self, job: QueuedJob) {
        self.arrived.push(job);
    }

    fn finish(&mut self, now: Time, _: u32, processors: u32, end: Time) {
        self.free += processors;
        if end > now {
            self.profile.release(now, end, processors);
            if let Some(equal) = &mut self.equal {
                equal.upset();
            } else {
                self.vacated.push((now, end));
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
            if self.starts.first().is_none() {
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
                    let start = self.profile.earliest(job.processors, job.estimate);
                    self.hold(job, start);
                    Some(start)
                }
            };
            decisions.promises.extend(start.map(|start| (job.id, start)));
            self.start_equal(now, decisions);
        }
        self.arrived = arrived;
        self.starts.take_until(now, |start| {
            // Within an instant the job whose processors it is to get may not have ended yet.
            let starts = start.processors <= self.free;
            if starts {
                self.free -= start.processors;
                self.compression.leave(start.id);
                decisions.starts.push(start.id);
            }
            starts
        });
    }

    fn wake(&self) -> Option<Time> {
        // Those who wait without a kept reservation start when others end, and at no other time.
        self.starts.first().map(|start| start.time)
    }
}
