//! Backfilling with a reservation for everyone.

use super::compression::{Compression, Gain, ReservedJob};
use super::reserved_starts::{ReservedStart, ReservedStarts};
use super::{Decisions, Discipline, Profile, QueuedJob};
use crate::units::Time;

/// Conservative backfilling: every job holds a reservation from its arrival on, the earliest that delays no job before
/// it.
///
/// When a job ends early the schedule is compressed: in the order of arrival each waiting job moves to the earliest
/// start that the other reservations leave, once. Reservations are kept or improved, never delayed, as long as jobs
/// keep to their estimates; when one does not, all reservations are made again in the order of arrival.
#[derive(Debug)]
pub struct Conservative {
    /// Running jobs and reservations.
    profile: Profile,
    free: u32,
    /// Jobs that came since the last pass.
    arrived: Vec<QueuedJob>,
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
        while let Some(ReservedJob { job, start: old, gain }) = self.compression.next() {
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
            self.compression.moved(job.id, start);
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

    fn finish(&mut self, now: Time, processors: u32, end: Time) {
        self.free += processors;
        if end > now {
            self.profile.release(now, end, processors);
            self.vacated.push((now, end));
            self.released += i64::from(processors);
        }
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.profile.occupy(end, later, processors);
        self.outlived = true;
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.profile.forget(now);
        if std::mem::take(&mut self.outlived) {
            self.plan_anew();
        } else if !self.vacated.is_empty() {
            self.compress();
        }
        for job in self.arrived.drain(..) {
            let start = self.profile.earliest(job.processors, job.estimate);
            self.profile.occupy(start, start + job.estimate, job.processors);
            self.starts.insert(ReservedStart::new(job, start));
            self.compression.join(job, start);
            decisions.promises.push((job.id, start));
        }
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
        self.starts.first().map(|start| start.time)
    }
}
