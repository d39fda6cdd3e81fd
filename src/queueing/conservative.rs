//! Backfilling with a reservation for everyone.

use super::backlog::Backlog;
use super::openings::Openings;
use super::{Decisions, Discipline, Profile, Waiting};
use crate::units::Time;
use std::collections::BTreeSet;

/// Conservative backfilling: every job holds a reservation from its arrival on, the earliest that delays nobody before it.
///
/// When a job ends early the schedule is compressed: in the order of arrival each waiting job moves to the earliest start
/// that the other reservations leave, once. Reservations are kept or improved, never delayed, as long as jobs keep to
/// their estimates; when one does not, all reservations are made anew in the order of arrival.
#[derive(Debug)]
pub struct Conservative {
    queue: Backlog,
    /// Running jobs and reservations.
    profile: Profile,
    free: u32,
    /// Jobs that came since the last pass.
    arrived: Vec<Waiting>,
    /// The reserved start of each job, by id.
    starts: Vec<Time>,
    /// Reserved starts in their order.
    due: BTreeSet<(Time, u32)>,
    /// What jobs that ended early left since the last pass.
    vacated: Vec<(Time, Time)>,
    openings: Openings,
    outlived: bool,
}

impl Conservative {
    /// An idle machine.
    pub fn new(processors: u32) -> Self {
        Self {
            queue: Backlog::default(),
            profile: Profile::new(processors),
            free: processors,
            arrived: Vec::new(),
            starts: Vec::new(),
            due: BTreeSet::new(),
            vacated: Vec::new(),
            openings: Openings::default(),
            outlived: false,
        }
    }

    fn reserve(&mut self, job: Waiting, start: Time) {
        self.profile.occupy(start, start + job.estimate, job.processors);
        self.starts[job.id as usize] = start;
        self.due.insert((start, job.id));
    }

    fn withdraw(&mut self, job: Waiting) {
        let start = self.starts[job.id as usize];
        self.profile.release(start, start + job.estimate, job.processors);
        self.due.remove(&(start, job.id));
    }

    /// Moves each job in turn to the earliest start that the others leave.
    ///
    /// When a job had its last turn, it could not start earlier. So now it can only in times that were vacated since then, and
    /// most jobs need not be searched a place for.
    fn compress(&mut self, now: Time) {
        self.openings.turn(now);
        for (start, end) in std::mem::take(&mut self.vacated) {
            self.openings.add(&self.profile, start, end);
        }
        let mut from = 0;
        while let Some((slot, job)) = self.next_narrow(from) {
            from = slot + 1;
            let old = self.starts[job.id as usize];
            if !self.openings.may_hold(&self.profile, job.processors, job.estimate, old) {
                continue;
            }
            // Its own reservation does not stand in its way: from its start on, it may use what it has reserved.
            if let Some(new) = self.profile.earliest_before(now, old, job.processors, job.estimate) {
                let (taken, left) = (old.min(new + job.estimate), old.max(new + job.estimate));
                self.profile.occupy(new, taken, job.processors);
                self.profile.release(left, old + job.estimate, job.processors);
                self.openings.add(&self.profile, left, old + job.estimate);
                self.due.remove(&(old, job.id));
                self.due.insert((new, job.id));
                self.starts[job.id as usize] = new;
            }
        }
    }

    /// The next job that is not wider than all that was vacated.
    fn next_narrow(&self, from: usize) -> Option<(usize, Waiting)> {
        let most = self.openings.most();
        self.queue.next(from, |processors, _| i64::from(processors) <= most)
    }

    /// Makes all reservations anew.
    fn plan_anew(&mut self, now: Time) {
        let mut jobs = Vec::new();
        let mut from = 0;
        while let Some((slot, job)) = self.queue.any(from) {
            from = slot + 1;
            self.withdraw(job);
            jobs.push(job);
        }
        for job in jobs {
            let start = self.profile.earliest(now, job.processors, job.estimate);
            self.reserve(job, start);
        }
        self.vacated.clear();
        self.openings.clear();
    }
}

impl Discipline for Conservative {
    fn arrive(&mut self, job: Waiting) {
        self.arrived.push(job);
    }

    fn finish(&mut self, now: Time, processors: u32, end: Time) {
        self.free += processors;
        if end > now {
            self.profile.release(now, end, processors);
            self.vacated.push((now, end));
        }
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.profile.occupy(end, later, processors);
        self.outlived = true;
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.profile.forget(now);
        if std::mem::take(&mut self.outlived) {
            self.plan_anew(now);
        } else if !self.vacated.is_empty() {
            self.compress(now);
        }
        for job in std::mem::take(&mut self.arrived) {
            let start = self.profile.earliest(now, job.processors, job.estimate);
            self.queue.push(job);
            self.starts.resize(job.id as usize + 1, Time::ZERO);
            self.reserve(job, start);
            decisions.promises.push((job.id, start));
        }
        let due: Vec<(Time, u32)> = self.due.range(..=(now, u32::MAX)).copied().collect();
        for (start, id) in due {
            let Some((slot, job)) = self.queue.slot(id).and_then(|slot| self.queue.any(slot)) else {
                continue;
            };
            // Within an instant the job whose processors it is to get may not have ended yet.
            if job.processors <= self.free {
                self.free -= job.processors;
                self.queue.remove(slot);
                self.due.remove(&(start, id));
                decisions.starts.push(id);
            }
        }
    }

    fn wake(&self) -> Option<Time> {
        self.due.first().map(|&(start, _)| start)
    }
}
