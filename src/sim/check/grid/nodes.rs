//! The occupant of each node, and the holders of its reservations.

use super::Broken;
use crate::model::{Interval, JobId, NodeId, TimeMap};
use crate::sim::{Event, Piece};
use crate::units::Time;
use crate::workload::GridWorld;

/// The occupant of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum On {
    Nothing,
    Owner(u32),
    Task(Piece, Time),
    Outage,
}

#[derive(Debug, Clone)]
struct Followed {
    on: On,
    /// Reservations that are not over, by start.
    holds: TimeMap<(Time, Piece)>,
    /// Owners' intervals that were announced and are not over, by start.
    announced: TimeMap<Time>,
    owners_started: usize,
    outages: usize,
    told: u32,
}

pub(super) struct Nodes<'w> {
    world: &'w GridWorld,
    nodes: Vec<Followed>,
    /// The number of reservations of each job.
    holds: Vec<u32>,
}

impl<'w> Nodes<'w> {
    pub(super) fn new(world: &'w GridWorld) -> Self {
        let idle = Followed {
            on: On::Nothing,
            holds: TimeMap::default(),
            announced: TimeMap::default(),
            owners_started: 0,
            outages: 0,
            told: 0,
        };
        Self { world, nodes: vec![idle; world.nodes.len()], holds: vec![0; world.jobs.len()] }
    }

    pub(super) fn holds_of(&self, job: JobId) -> u32 {
        self.holds[job.index()]
    }

    /// True if no reservation of a job is for a task that does not run.
    pub(super) fn holds_only_what_runs(&self, job: JobId) -> bool {
        self.holds_of(job) == 0
            || self.nodes.iter().all(|followed| {
                let mut own = followed.holds.entries().iter().filter(|(_, (_, piece))| piece.job == job);
                own.all(|(_, (_, piece))| matches!(followed.on, On::Task(on, _) if on == *piece))
            })
    }

    pub(super) fn follow(&mut self, time: Time, what: &Event, broken: &mut Broken) {
        match *what {
            Event::Announced(node, task) => self.announced(time, node, task, broken),
            Event::OwnerStarted(node, task) => {
                let due = self.world.owners[node.index()][task as usize].interval.start;
                broken.require(time == due, || format!("{node}: owner's task {task} starts at {time}, not at {due}"));
                self.nodes[node.index()].owners_started += 1;
                self.begin(time, node, On::Owner(task), broken);
            }
            Event::OwnerEnded(node, task) => {
                let due = self.world.owners[node.index()][task as usize].interval.end;
                let fails = self.world.outages[node.index()].iter().any(|outage| outage.start == time);
                broken.require(time == due || fails, || {
                    format!("{node}: owner's task {task} ends at {time}, not at {due}")
                });
                self.end(time, node, On::Owner(task), broken);
            }
            Event::Failed(node) => {
                let place = self.nodes[node.index()].outages;
                let due = self.world.outages[node.index()].get(place).map(|outage| outage.start);
                broken.require(due == Some(time), || format!("{node} fails at {time}, by the world at {due:?}"));
                self.begin(time, node, On::Outage, broken);
            }
            Event::Repaired(node) => {
                let place = self.nodes[node.index()].outages;
                let due = self.world.outages[node.index()].get(place).map(|outage| outage.end);
                broken.require(due == Some(time), || format!("{node} returns at {time}, by the world at {due:?}"));
                self.nodes[node.index()].outages += 1;
                self.end(time, node, On::Outage, broken);
            }
            Event::Held(piece, interval, _) => self.held(time, piece, interval, broken),
            Event::Extended(piece, interval) => {
                let on = self.nodes[piece.node.index()].on;
                let runs = matches!(on, On::Task(who, _) if who == piece) && interval.start == time;
                broken.require(runs, || format!("{piece:?} reserves more at {time}, but there is {on:?}"));
                self.held(time, piece, interval, broken);
            }
            Event::Freed(piece, interval) => self.freed(piece, interval, broken),
            Event::Started(piece, until, _) => {
                let holds = &self.nodes[piece.node.index()].holds;
                let own = holds.last_until(time) == Some(&(time, (until, piece)));
                broken.require(own, || format!("{}: {piece:?} starts at {time} without a reservation", piece.node));
                self.begin(time, piece.node, On::Task(piece, time), broken);
            }
            Event::Ended(piece, _) => self.task_ended(time, piece, broken),
            _ => {}
        }
    }

    fn begin(&mut self, time: Time, node: NodeId, what: On, broken: &mut Broken) {
        let on = &mut self.nodes[node.index()].on;
        broken.require(*on == On::Nothing, || format!("{node} holds {on:?} and {what:?} at {time}"));
        *on = what;
    }

    fn end(&mut self, time: Time, node: NodeId, what: On, broken: &mut Broken) {
        let on = &mut self.nodes[node.index()].on;
        broken.require(*on == what, || format!("{node}: {what:?} ends at {time}, but there is {on:?}"));
        *on = On::Nothing;
    }

    fn announced(&mut self, time: Time, node: NodeId, task: u32, broken: &mut Broken) {
        let known = self.world.owners[node.index()][task as usize];
        let due = known.announced;
        broken.require(time == due, || format!("{node}: task {task} is announced at {time}, not at {due}"));
        let followed = &mut self.nodes[node.index()];
        followed.told += 1;
        // They don't overlap, so that those that are over come first.
        while let Some(&(start, _)) = followed.announced.entries().first().filter(|(_, end)| *end <= time) {
            followed.announced.remove(start);
        }
        followed.announced.insert(known.interval.start, known.interval.end);
    }

    /// A reservation meets no other one and no owner's time that is known.
    fn held(&mut self, time: Time, piece: Piece, interval: Interval, broken: &mut Broken) {
        let node = piece.node;
        let followed = &mut self.nodes[node.index()];
        broken.require(time <= interval.start && interval.start < interval.end, || {
            format!("{node}: {interval} is reserved at {time}")
        });
        let other = followed.holds.before(interval.end).last();
        broken.require(other.is_none_or(|&(_, (end, _))| end <= interval.start), || {
            format!("{node}: {interval} for {piece:?} meets {other:?}")
        });
        let owner = followed.announced.before(interval.end).last();
        broken.require(owner.is_none_or(|&(_, end)| end <= interval.start), || {
            format!("{node}: {interval} for {piece:?} meets the owner's time {owner:?}")
        });
        followed.holds.insert(interval.start, (interval.end, piece));
        self.holds[piece.job.index()] += 1;
    }

    /// The time that is given back is the end of a reservation of the same task.
    fn freed(&mut self, piece: Piece, interval: Interval, broken: &mut Broken) {
        let node = piece.node;
        let followed = &mut self.nodes[node.index()];
        let around = followed.holds.last_until(interval.start).copied();
        match around {
            Some((start, (end, who))) if who == piece && end == interval.end && interval.start < end => {
                // Of a task that does not run, nothing is left but time that is over.
                let runs = matches!(followed.on, On::Task(on, _) if on == piece);
                if start == interval.start || !runs {
                    followed.holds.remove(start);
                    self.holds[piece.job.index()] -= 1;
                } else {
                    followed.holds.insert(start, (interval.start, piece));
                }
            }
            _ => {
                // An overrun has several reservations in a row; the last may be given back together with those before.
                let parts = followed.holds.within(interval.start..interval.end);
                let own = parts.iter().all(|(_, (_, who))| *who == piece);
                broken.require(own && !parts.is_empty(), || {
                    format!("{node}: {interval} is given back, but there is {around:?}")
                });
                let starts: Vec<Time> = parts.iter().map(|&(start, _)| start).collect();
                self.holds[piece.job.index()] -= starts.len() as u32;
                starts.into_iter().for_each(|start| {
                    followed.holds.remove(start);
                });
            }
        }
    }

    /// A task ran inside its reservations from start to end.
    fn task_ended(&mut self, time: Time, piece: Piece, broken: &mut Broken) {
        let node = piece.node;
        let On::Task(who, since) = self.nodes[node.index()].on else {
            return broken.add(|| format!("{node}: {piece:?} ends at {time} and did not run"));
        };
        self.end(time, node, On::Task(piece, since), broken);
        let followed = &mut self.nodes[node.index()];
        let mut covered = since;
        let before = followed.holds.before(time);
        let others = before.iter().rposition(|(_, (_, holder))| *holder != who).map_or(0, |last| last + 1);
        let own = &before[others..];
        for &(start, (end, _)) in own {
            if start <= covered {
                covered = covered.max(end);
            }
        }
        // A hold that is over is forgotten; one that reaches beyond the present is given back by an event of its own.
        let over: Vec<Time> = own.iter().filter(|(_, (end, _))| *end <= time).map(|&(start, _)| start).collect();
        self.holds[piece.job.index()] -= over.len() as u32;
        over.into_iter().for_each(|start| {
            followed.holds.remove(start);
        });
        broken.require(covered >= time || since == time, || {
            format!("{node}: {piece:?} ran from {since} to {time}, reserved until {covered}")
        });
    }

    /// Every owner's task and every outage came up.
    pub(super) fn close(&self, end: Time, broken: &mut Broken) {
        for (index, followed) in self.nodes.iter().enumerate() {
            let (node, owners) = (NodeId(index as u32), &self.world.owners[index]);
            let is_down = |time: Time| {
                let before = self.world.outages[index].partition_point(|outage| outage.start <= time);
                before > 0 && time < self.world.outages[index][before - 1].end
            };
            let due = owners.iter().filter(|task| task.interval.start < end && !is_down(task.interval.start)).count();
            let started = followed.owners_started;
            broken.require(started == due, || format!("{node}: {started} of {due} owner's tasks started"));
            let told = owners.iter().filter(|task| task.announced < end).count();
            broken.require(followed.told as usize == told, || {
                format!("{node}: {} of {told} tasks announced", followed.told)
            });
            let failures = self.world.outages[index].iter().filter(|outage| outage.end < end).count();
            broken.require(followed.outages == failures, || {
                format!("{node}: {} of {failures} outages", followed.outages)
            });
        }
    }
}
