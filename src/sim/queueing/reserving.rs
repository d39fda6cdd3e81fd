//! Backfilling before a homogeneous machine, with reservations for the first few, in any order of the queue.

use super::backfill::{Availability, Backfill};
use super::backlog::Backlog;
use super::free_processors::FreeProcessors;
use super::{Decisions, Discipline, Order, QueuedJob};
use crate::units::Time;

/// The [rule of backfilling](Backfill) for jobs that come and go: any order of the queue, any number of reservations.
///
/// In the order of arrival reservations are kept or improved, never delayed: when a job ends early, each is moved in
/// turn to the earliest start that the others leave. When a job runs beyond its estimate all are made again, in
/// order. In any other order a newcomer may go before those who wait, so that no promise is made: reservations are
/// made again at each pass.
///
/// [`Fcfs`](super::Fcfs) and [`Conservative`](super::Conservative) do the same in the order of arrival, and
/// [`Easy`](super::Easy) in any, with data structures that fit one depth and are several times as fast.
#[derive(Debug)]
pub struct Reserving {
    order: Order,
    depth: usize,
    /// Those without a reservation.
    queue: Backlog,
    rule: Backfill<FreeProcessors>,
    machine: FreeProcessors,
    ended_early: bool,
    outlived: bool,
}

impl Reserving {
    /// An idle machine; `depth` jobs may hold reservations.
    pub fn new(processors: u32, order: Order, depth: usize) -> Self {
        let (rule, machine) = (Backfill::new(depth), FreeProcessors::new(processors));
        let queue = Backlog::new(order);
        Self { order, depth, queue, rule, machine, ended_early: false, outlived: false }
    }

    fn withdraw_all(&mut self) {
        for (job, start) in std::mem::take(&mut self.rule.held) {
            self.machine.withdraw(job, &start);
            self.queue.push(job);
        }
    }

    /// Lets those start, in order, who delay none of those who hold a reservation.
    fn backfill(&mut self) {
        let Some((mut from, _)) = self.queue.head() else { return };
        // Whoever is wider or longer than one who has no place has none either, so that many are passed over at once.
        while let Some((place, job)) = self.queue.next(from, |(width, span)| self.machine.is_free_now(width, span)) {
            from = place.next();
            if let Some(start) = self.machine.start_now(job, &mut self.rule.held) {
                self.rule.started.push((job, start));
                self.queue.remove(place);
                from = place;
            }
        }
    }
}

impl Discipline for Reserving {
    fn arrive(&mut self, job: QueuedJob) {
        self.queue.push(job);
    }

    fn finish(&mut self, now: Time, _: u32, processors: u32, end: Time) {
        self.machine.idle += processors;
        self.machine.profile.release(now, end, processors);
        self.ended_early |= end > now;
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.machine.profile.occupy(end, later, processors);
        self.outlived = true;
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.machine.profile.forget(now);
        self.machine.now = now;
        let (ended_early, outlived) = (std::mem::take(&mut self.ended_early), std::mem::take(&mut self.outlived));
        if outlived || self.order != Order::Arrival {
            self.withdraw_all();
        } else if ended_early {
            self.rule.compress(&mut self.machine);
        }
        self.rule.serve(&mut self.machine, now, || {
            let (place, job) = self.queue.head()?;
            self.queue.remove(place);
            Some(job)
        });
        if self.depth > 0 {
            self.backfill();
        }
        decisions.starts.extend(self.rule.started.drain(..).map(|(job, _)| job.id));
        let promised = self.rule.promised.drain(..).map(|(job, start)| (job.id, start));
        if self.order == Order::Arrival {
            decisions.promises.extend(promised);
        }
    }

    fn wake(&self) -> Option<Time> {
        self.rule.held.iter().map(|&(_, start)| start).min()
    }
}
