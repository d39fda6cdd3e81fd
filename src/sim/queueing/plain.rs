//! The rule of backfilling before a homogeneous machine as it is said, for tests: all who wait are looked at at every pass.

use super::backfill::{Availability, Backfill};
use super::free_processors::FreeProcessors;
use super::{Decisions, Discipline, Order, QueuedJob};
use crate::units::Time;

/// The oracle of [`Reserving`](super::Reserving): all jobs hold reservations as far as the depth goes, and each is made again
/// when a job ends early.
#[derive(Debug)]
pub(crate) struct Plain {
    order: Order,
    rule: Backfill<FreeProcessors>,
    machine: FreeProcessors,
    ended_early: bool,
    outlived: bool,
}

impl Plain {
    pub(crate) fn new(processors: u32, order: Order, depth: usize) -> Self {
        let (rule, machine) = (Backfill::new(depth), FreeProcessors::new(processors, depth));
        Self { order, rule, machine, ended_early: false, outlived: false }
    }
}

impl Discipline for Plain {
    fn arrive(&mut self, job: QueuedJob) {
        let place = |job: &QueuedJob| (self.order.key(*job), job.id);
        let ahead = self.rule.queue.partition_point(|other| place(other) < place(&job));
        self.rule.queue.insert(ahead, job);
    }

    fn finish(&mut self, now: Time, _: u32, processors: u32, end: Time) {
        self.machine.finish(now, processors, end);
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
            for (job, start) in std::mem::take(&mut self.rule.held) {
                self.machine.withdraw(job, &start);
                self.arrive(job);
            }
        } else if ended_early {
            for (job, start) in &mut self.rule.held {
                self.machine.withdraw(*job, start);
                *start = self.machine.reserve_earliest(*job, &mut []).expect("no job is wider than the machine");
            }
        }
        self.rule.pass(&mut self.machine, now);
        decisions.starts.extend(self.rule.started.drain(..).map(|(job, _)| job.id));
        let promised = self.rule.promised.drain(..).map(|(job, start)| (job.id, start));
        decisions.promises.extend(promised.filter(|_| self.order == Order::Arrival));
    }

    fn wake(&self) -> Option<Time> {
        self.rule.held.iter().map(|&(_, start)| start).min()
    }
}
