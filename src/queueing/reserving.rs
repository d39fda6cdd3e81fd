//! Backfilling with reservations for the first few, in any order of the queue.

use super::{Decisions, Discipline, Order, Profile, Waiting};
use crate::units::Time;

/// A queue in any order, in which so many at the front hold reservations, made in the order of the queue; a later job starts
/// if it fits now beside all of them.
///
/// In the order of arrival reservations are kept or improved, never delayed: when a job ends early, each is moved in turn to the earliest
/// start that the others leave. As long as jobs keep to their estimates, with one reservation that is [`Easy`](super::Easy), with one for everybody it is
/// [`Conservative`](super::Conservative), which are the same rules made fast. In any other order a newcomer may go
/// before those who wait, so that nobody is promised anything: reservations are made anew at each pass. With no reservations at
/// all the front of the queue is served in its order and nobody overtakes.
#[derive(Debug)]
pub struct Reserving {
    order: Order,
    depth: usize,
    /// Those without a reservation, in order.
    queue: Vec<Waiting>,
    /// Those with one, in order, and when they are to start.
    held: Vec<(Waiting, Time)>,
    /// Running jobs and reservations.
    profile: Profile,
    free: u32,
    ended_early: bool,
    outlived: bool,
}

impl Reserving {
    /// An idle machine; `depth` jobs may hold reservations.
    pub(super) fn new(processors: u32, order: Order, depth: usize) -> Self {
        Self {
            order,
            depth,
            queue: Vec::new(),
            held: Vec::new(),
            profile: Profile::new(processors),
            free: processors,
            ended_early: false,
            outlived: false,
        }
    }

    fn line_up(&mut self, job: Waiting) {
        let key = self.order.key(job);
        let place = self.queue.partition_point(|other| (self.order.key(*other), other.id) < (key, job.id));
        self.queue.insert(place, job);
    }

    fn withdraw_all(&mut self) {
        for (job, start) in std::mem::take(&mut self.held) {
            self.profile.release(start, start + job.estimate, job.processors);
            self.line_up(job);
        }
    }

    fn improve(&mut self) {
        for (job, start) in &mut self.held {
            self.profile.release(*start, *start + job.estimate, job.processors);
            *start = self.profile.earliest(job.processors, job.estimate);
            self.profile.occupy(*start, *start + job.estimate, job.processors);
        }
    }

    /// Gives those at the front their reservations and starts those that fall due, until neither is left to do.
    fn serve_front(&mut self, now: Time, decisions: &mut Decisions) {
        loop {
            while self.held.len() < self.depth && !self.queue.is_empty() {
                let job = self.queue.remove(0);
                let start = self.profile.earliest(job.processors, job.estimate);
                self.profile.occupy(start, start + job.estimate, job.processors);
                self.held.push((job, start));
                if self.order == Order::Arrival {
                    decisions.promises.push((job.id, start));
                }
            }
            // Within an instant the job whose processors one is to get may not have ended yet.
            let is_due = |(job, start): &&(Waiting, Time)| *start <= now && job.processors <= self.free;
            let due = self.held.iter().filter(is_due).min_by_key(|(job, start)| (*start, job.id));
            let Some(&(job, start)) = due else { return };
            self.held.retain(|(other, _)| other.id != job.id);
            self.profile.release(start, start + job.estimate, job.processors);
            self.start(job, now, decisions);
        }
    }

    fn start(&mut self, job: Waiting, now: Time, decisions: &mut Decisions) {
        self.free -= job.processors;
        self.profile.occupy(now, now + job.estimate, job.processors);
        decisions.starts.push(job.id);
    }

    fn backfill(&mut self, now: Time, decisions: &mut Decisions) {
        let mut queue = std::mem::take(&mut self.queue);
        queue.retain(|job| {
            let fits = job.processors <= self.free && self.profile.is_free(job.processors, job.estimate);
            if fits {
                self.start(*job, now, decisions);
            }
            !fits
        });
        self.queue = queue;
    }
}

impl Discipline for Reserving {
    fn arrive(&mut self, job: Waiting) {
        self.line_up(job);
    }

    fn finish(&mut self, now: Time, processors: u32, end: Time) {
        self.free += processors;
        self.profile.release(now, end, processors);
        self.ended_early |= end > now;
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.profile.occupy(end, later, processors);
        self.outlived = true;
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.profile.forget(now);
        let (ended_early, outlived) = (std::mem::take(&mut self.ended_early), std::mem::take(&mut self.outlived));
        if self.depth == 0 {
            while let Some(&job) = self.queue.first().filter(|job| job.processors <= self.free) {
                self.queue.remove(0);
                self.start(job, now, decisions);
            }
            return;
        }
        if outlived || self.order != Order::Arrival {
            self.withdraw_all();
        } else if ended_early {
            self.improve();
        }
        self.serve_front(now, decisions);
        self.backfill(now, decisions);
    }

    fn wake(&self) -> Option<Time> {
        self.held.iter().map(|&(_, start)| start).min()
    }
}
