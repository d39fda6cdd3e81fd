//! Backfilling before a homogeneous machine, with reservations for the first few, in any order of the queue.

use super::backfill::{Availability, Backfill};
use super::backlog::{Backlog, BacklogPlace};
use super::free_processors::FreeProcessors;
use super::{Decisions, Discipline, Order, QueuedJob};
use crate::units::{Span, Time};
use std::mem::take;

/// The [rule of backfilling](Backfill) for jobs that come and go: any order of the queue, any number of reservations.
///
/// At depth 0 it is first come, first served; at depth 1 it is EASY backfilling; if all hold reservations it is
/// conservative backfilling.
///
/// In the order of arrival reservations are kept or improved, never delayed: when a job ends early, each is moved in
/// turn to the earliest start that the others leave. When a job runs beyond its estimate all are made again, in
/// order. In any other order a newcomer may go before those who wait, so that no promise is made: reservations are
/// made again at each pass.
///
/// While all jobs that wait need equally many processors, only the first holds a reservation: what is free for one of
/// them is free for the next, so none can overtake, and the reservations of all others follow from their order. They are
/// made when a job of another width comes. To see that they are those which would have been kept, count the places for
/// such jobs that are free at an instant t beside those that run and the first k in the queue: n(t) before a job
/// ends early, and m(t) >= n(t) afterwards, once the first k have moved to where new reservations would put them. The
/// next job is reserved for the first t with n(t) > 0. Before it the others hold nothing, so the job moves to
/// the first t with m(t) > 0, which is where a new reservation puts it.
#[derive(Debug)]
pub struct Reserving {
    order: Order,
    depth: usize,
    /// Those without a reservation.
    queue: Backlog,
    rule: Backfill<FreeProcessors>,
    machine: FreeProcessors,
    /// The processors that each of those who wait needs, unless they need different numbers. It is forgotten when none waits.
    width: Option<u32>,
    /// Jobs that came since the last pass.
    newcomers: usize,
    ended: bool,
    ended_early: bool,
    outlived: bool,
}

impl Reserving {
    /// An idle machine; `depth` jobs may hold reservations.
    pub fn new(processors: u32, order: Order, depth: usize) -> Self {
        Self {
            order,
            depth,
            queue: Backlog::new(order),
            rule: Backfill::new(depth),
            machine: FreeProcessors::new(processors, depth),
            width: None,
            newcomers: 0,
            ended: false,
            ended_early: false,
            outlived: false,
        }
    }

    fn withdraw_all(&mut self) {
        self.machine.forget_vacated();
        for (job, start) in take(&mut self.rule.held) {
            self.machine.withdraw(job, &start);
            self.queue.push(job);
        }
    }

    /// Lets those start, in order from a place on, who delay none of those who hold a reservation.
    fn backfill(&mut self, mut from: BacklogPlace) {
        // Mostly nobody needs so few processors as are idle.
        while let Some((first, _)) = self.queue.next(from, |(processors, _)| processors <= self.machine.idle) {
            let free_until = self.machine.profile.free_from_now();
            let (now, idle) = (self.machine.now, i64::from(self.machine.idle));
            let fits = |(processors, span): (u32, Span)| {
                let free = free_until.iter().find(|(until, _)| span <= *until - now);
                free.is_some_and(|&(_, free)| i64::from(processors) <= free.min(idle))
            };
            let Some((place, job)) = self.queue.next(first, fits) else { return };
            from = place;
            let Some(start) = self.machine.start_now(job, &mut self.rule.held) else { return };
            self.rule.started.push((job, start));
            self.queue.remove(place);
        }
    }
}

impl Discipline for Reserving {
    fn arrive(&mut self, job: QueuedJob) {
        if self.rule.held.is_empty() && self.queue.head().is_none() {
            self.width = Some(job.processors);
        }
        self.width = self.width.filter(|&width| width == job.processors);
        self.newcomers += 1;
        self.queue.push(job);
    }

    fn finish(&mut self, now: Time, _: u32, processors: u32, end: Time) {
        self.machine.finish(now, processors, end);
        self.ended = true;
        if end > now {
            self.ended_early = true;
            self.machine.vacate(now, end, processors);
        }
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.machine.profile.occupy(end, later, processors);
        self.outlived = true;
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.machine.profile.forget(now);
        self.machine.now = now;
        let (ended_early, outlived) = (take(&mut self.ended_early), take(&mut self.outlived));
        let (ended, newcomers) = (take(&mut self.ended), take(&mut self.newcomers));
        if outlived || self.order != Order::Arrival {
            self.withdraw_all();
        } else if ended_early {
            self.rule.compress(&mut self.machine);
            self.machine.end_round();
        }
        let depth = if self.width.is_some() { self.depth.min(1) } else { self.depth };
        self.rule.serve(&mut self.machine, now, depth, || {
            let (place, job) = self.queue.head()?;
            self.queue.remove(place);
            Some(job)
        });
        if depth > 0
            && self.width.is_none()
            && let Some((first, _)) = self.queue.head()
        {
            // As long as no job ends, those who could not start can't start later either.
            let is_settled = self.order == Order::Arrival && !ended && !outlived;
            self.backfill(if is_settled { self.queue.newest(newcomers) } else { first });
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
