//! The disciplines once more, as plainly as possible: lists, full scans, nothing remembered that can be computed.

use gridloom::queueing::{Order, Queue, QueueRule, RigidJob};
use gridloom::sim::Instants;
use gridloom::units::{Span, Time};
use std::collections::BTreeSet;

struct Running {
    job: usize,
    start: Time,
    /// When it ends by its estimate, grown as needed.
    expected: Time,
    finish: Time,
}

struct World<'a> {
    jobs: &'a [RigidJob],
    nodes: u32,
    queue: Queue,
    /// In the order of the queue.
    waiting: Vec<usize>,
    running: Vec<Running>,
    starts: Vec<Option<Time>>,
    /// The reserved start of each job, and whether it is to be improved or made anew.
    reserved: Vec<Option<Time>>,
    ended_early: bool,
    outlived: bool,
}

/// When each job starts.
pub fn starts(jobs: &[RigidJob], nodes: u32, queue: Queue, instants: Instants) -> Vec<Time> {
    let none = vec![None; jobs.len()];
    let (waiting, running) = (Vec::new(), Vec::new());
    let (starts, reserved) = (none.clone(), none);
    let mut world =
        World { jobs, nodes, queue, waiting, running, starts, reserved, ended_early: false, outlived: false };
    let mut arrived = 0;
    let each = instants == Instants::Each;
    // Every instant of interest, found anew after each.
    let mut last = None;
    loop {
        let mut times: BTreeSet<Time> = jobs[arrived..].iter().map(|job| job.submit).collect();
        times.extend(world.running.iter().flat_map(|running| [running.finish, running.expected]));
        times.extend(world.waiting.iter().filter_map(|&job| world.reserved[job]));
        let Some(now) = times.into_iter().find(|&time| Some(time) > last) else { break };
        last = Some(now);
        let mut pass = false;
        while let Some(place) = world.running.iter().position(|running| running.finish == now) {
            let ended = world.running.remove(place);
            world.ended_early |= ended.expected > now;
            pass = true;
            if each {
                world.pass(now);
            }
        }
        let mut is_upset = false;
        for running in &mut world.running {
            if running.expected == now {
                running.expected = now + (now - running.start);
                (world.outlived, is_upset) = (true, true);
            }
        }
        while arrived < jobs.len() && jobs[arrived].submit == now {
            world.waiting.push(arrived);
            match queue.order() {
                Order::Shortest => world.waiting.sort_by_key(|&job| jobs[job].estimate),
                Order::Largest => world.waiting.sort_by_key(|&job| std::cmp::Reverse(jobs[job].processors)),
                _ => {}
            }
            arrived += 1;
            (pass, is_upset) = (true, is_upset && !each);
            if each {
                world.pass(now);
            }
        }
        let is_due = world.waiting.iter().any(|&job| world.reserved[job].is_some_and(|start| start <= now));
        if is_due || is_upset || (pass && !each) {
            world.pass(now);
        }
    }
    world.starts.into_iter().map(|start| start.expect("all jobs start")).collect()
}

impl World<'_> {
    fn free(&self) -> u32 {
        self.nodes - self.running.iter().map(|running| self.jobs[running.job].processors).sum::<u32>()
    }

    fn start(&mut self, job: usize, now: Time) {
        self.waiting.retain(|&other| other != job);
        self.reserved[job] = None;
        self.starts[job] = Some(now);
        let (expected, finish) = (now + self.jobs[job].estimate, now + self.jobs[job].runtime);
        self.running.push(Running { job, start: now, expected, finish });
    }

    fn pass(&mut self, now: Time) {
        match self.queue.rule() {
            QueueRule::Fcfs => self.start_heads(now),
            QueueRule::Easy if self.queue.order() != Order::Arrival => self.reserve(now, 1),
            QueueRule::Easy => {
                self.start_heads(now);
                self.backfill(now);
            }
            QueueRule::Conservative => self.reserve(now, usize::MAX),
            QueueRule::Depth(depth) => self.reserve(now, depth.get() as usize),
        }
    }

    fn start_heads(&mut self, now: Time) {
        while let Some(&head) = self.waiting.first()
            && self.jobs[head].processors <= self.free()
        {
            self.start(head, now);
        }
    }

    fn backfill(&mut self, now: Time) {
        let Some(&head) = self.waiting.first() else { return };
        let free_at = |world: &Self, time: Time| {
            let ended = world.running.iter().filter(|running| running.expected <= time);
            world.free() + ended.map(|running| world.jobs[running.job].processors).sum::<u32>()
        };
        let mut times: Vec<Time> = self.running.iter().map(|running| running.expected).chain([now]).collect();
        times.sort();
        let needed = self.jobs[head].processors;
        let shadow = times.into_iter().find(|&time| free_at(self, time) >= needed).expect("all jobs end");
        let mut extra = free_at(self, shadow) - needed;
        for job in self.waiting.clone().into_iter().skip(1) {
            let RigidJob { processors, estimate, .. } = self.jobs[job];
            if processors > self.free() {
                continue;
            }
            if now + estimate <= shadow {
                self.start(job, now);
            } else if processors <= extra {
                extra -= processors;
                self.start(job, now);
            }
        }
    }

    /// The first `depth` in the queue hold reservations.
    fn reserve(&mut self, now: Time, depth: usize) {
        let (ended_early, outlived) = (std::mem::take(&mut self.ended_early), std::mem::take(&mut self.outlived));
        let held: Vec<usize> = self.waiting.iter().copied().filter(|&job| self.reserved[job].is_some()).collect();
        if outlived || self.queue.order() != Order::Arrival {
            held.iter().for_each(|&job| self.reserved[job] = None);
        } else if ended_early {
            for &job in &held {
                self.reserved[job] = None;
                self.reserved[job] = Some(self.earliest(job, now));
            }
        }
        loop {
            let front: Vec<usize> = self.waiting.iter().copied().take(depth).collect();
            for &job in &front {
                if self.reserved[job].is_none() {
                    self.reserved[job] = Some(self.earliest(job, now));
                }
            }
            let mut due: Vec<(Option<Time>, usize)> = front.iter().map(|&job| (self.reserved[job], job)).collect();
            due.sort();
            due.retain(|&(start, job)| start <= Some(now) && self.jobs[job].processors <= self.free());
            let Some(&(_, first)) = due.first() else { break };
            self.start(first, now);
        }
        for job in self.waiting.clone().into_iter().skip(depth) {
            if self.jobs[job].processors <= self.free() && self.earliest(job, now) == now {
                self.start(job, now);
            }
        }
    }

    /// The earliest start for a job beside all running jobs and reservations.
    fn earliest(&self, job: usize, now: Time) -> Time {
        let RigidJob { processors, estimate, .. } = self.jobs[job];
        let running = self.running.iter().map(|running| (running.start, running.expected, running.job));
        let reserved = self
            .waiting
            .iter()
            .filter_map(|&other| self.reserved[other].map(|start| (start, start + self.jobs[other].estimate, other)));
        let taken: Vec<(Time, Time, usize)> = running.chain(reserved).collect();
        let free_at = |time: Time| {
            let there = taken.iter().filter(|&&(start, end, _)| start <= time && time < end);
            i64::from(self.nodes) - there.map(|&(_, _, other)| i64::from(self.jobs[other].processors)).sum::<i64>()
        };
        let mut candidates: Vec<Time> = taken.iter().map(|&(_, end, _)| end).filter(|&end| end > now).collect();
        candidates.push(now);
        candidates.sort();
        let fits = |start: Time, span: Span| {
            let inside =
                taken.iter().map(|&(begin, _, _)| begin).filter(|&begin| begin > start && begin < start + span);
            inside.chain([start]).all(|time| free_at(time) >= i64::from(processors))
        };
        candidates.into_iter().find(|&start| fits(start, estimate)).expect("the machine is idle in the end")
    }
}
