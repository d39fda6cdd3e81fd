//! Backfilling with a reservation for everyone.

use super::turns::Turns;
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
    /// Running jobs and reservations.
    profile: Profile,
    free: u32,
    /// Jobs that came since the last pass.
    arrived: Vec<Waiting>,
    /// Every job that has come and when it is to start, by id.
    reserved: Vec<(Waiting, Time)>,
    /// Reserved starts in their order.
    due: BTreeSet<(Time, u32)>,
    /// What jobs that ended early left since the last pass, and how many processors all of them together.
    vacated: Vec<(Time, Time)>,
    released: i64,
    turns: Turns,
    outlived: bool,
}

impl Conservative {
    /// An idle machine.
    pub fn new(processors: u32) -> Self {
        Self {
            profile: Profile::new(processors),
            free: processors,
            arrived: Vec::new(),
            reserved: Vec::new(),
            due: BTreeSet::new(),
            vacated: Vec::new(),
            released: 0,
            turns: Turns::default(),
            outlived: false,
        }
    }

    /// Moves each job in turn to the earliest start that the others leave; only those get a turn who may gain by it.
    fn compress(&mut self, now: Time) {
        self.turns.begin();
        let released = std::mem::take(&mut self.released);
        for time in std::mem::take(&mut self.vacated) {
            self.turns.vacate(&self.profile, &self.due, &self.reserved, time, released);
        }
        while let Some((id, fits)) = self.turns.next() {
            let (job, old) = self.reserved[id as usize];
            if !self.due.contains(&(old, id)) {
                continue;
            }
            // Its own reservation does not stand in its way: from its start on, it may use what it has reserved. Where its whole
            // length fits nowhere else, it can only slide forward into what is free just before its start.
            let new = if fits {
                self.profile.earliest_before(now, old, job.processors, job.estimate)
            } else {
                self.profile.free_until(old, job.processors).map(|since| since.max(now)).filter(|&since| since < old)
            };
            if let Some(new) = new {
                let (taken, left) = (old.min(new + job.estimate), old.max(new + job.estimate));
                self.profile.occupy(new, taken, job.processors);
                self.profile.release(left, old + job.estimate, job.processors);
                self.due.remove(&(old, id));
                self.due.insert((new, id));
                self.reserved[id as usize].1 = new;
                self.turns.moved(job, new);
                let (time, released) = ((left, old + job.estimate), i64::from(job.processors));
                self.turns.vacate(&self.profile, &self.due, &self.reserved, time, released);
            }
        }
    }

    /// Makes all reservations anew.
    fn plan_anew(&mut self, now: Time) {
        let mut waiting: Vec<u32> = std::mem::take(&mut self.due).into_iter().map(|(_, id)| id).collect();
        waiting.sort_unstable();
        for &id in &waiting {
            let (job, start) = self.reserved[id as usize];
            self.profile.release(start, start + job.estimate, job.processors);
        }
        for id in waiting {
            let job = self.reserved[id as usize].0;
            let start = self.profile.earliest(now, job.processors, job.estimate);
            self.profile.occupy(start, start + job.estimate, job.processors);
            self.due.insert((start, id));
            self.reserved[id as usize].1 = start;
            self.turns.moved(job, start);
        }
        self.vacated.clear();
        self.released = 0;
        self.turns.forget();
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
            self.plan_anew(now);
        } else if !self.vacated.is_empty() {
            self.compress(now);
        }
        for job in std::mem::take(&mut self.arrived) {
            let start = self.profile.earliest(now, job.processors, job.estimate);
            self.profile.occupy(start, start + job.estimate, job.processors);
            // Whoever is numbered in between went elsewhere.
            self.reserved.resize(job.id as usize + 1, (job, start));
            self.due.insert((start, job.id));
            self.turns.join(job, start);
            decisions.promises.push((job.id, start));
        }
        let due: Vec<(Time, u32)> = self.due.range(..=(now, u32::MAX)).copied().collect();
        for (start, id) in due {
            let job = self.reserved[id as usize].0;
            // Within an instant the job whose processors it is to get may not have ended yet.
            if job.processors <= self.free {
                self.free -= job.processors;
                self.due.remove(&(start, id));
                self.turns.leave(job);
                decisions.starts.push(id);
            }
        }
    }

    fn wake(&self) -> Option<Time> {
        self.due.first().map(|&(start, _)| start)
    }
}
