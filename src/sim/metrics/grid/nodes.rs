//! The use of the time of all nodes.

use super::share;
use crate::metrics::{Better, Metric};
use crate::model::{Domain, Interval, JobId};
use crate::sim::{Ending, Event, GridEntry, Observer};
use crate::units::{Span, Time};
use crate::workload::GridWorld;
use std::ops::Range;

/// The uses of a node's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Tasks of its owner.
    Local,
    /// Tasks of jobs that were done, and what checkpoints saved of others.
    Global,
    /// Tasks of jobs that were broken off, as far as nothing was saved: time without fruit.
    Lost,
    /// Nothing: the node was down.
    Down,
    /// Nothing.
    Idle,
}

impl Use {
    /// All uses, in the order of [`NodeUse::shares`].
    pub const ALL: [Self; 5] = [Self::Local, Self::Global, Self::Lost, Self::Down, Self::Idle];

    /// Its name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local load",
            Self::Global => "global load",
            Self::Lost => "lost work",
            Self::Down => "down time",
            Self::Idle => "idle time",
        }
    }

    /// Its share of all node time as a metric.
    pub fn metric(self) -> Metric {
        let name = self.name();
        match self {
            Self::Local => share(name, "The share of all node time that owners' tasks took."),
            Self::Global => {
                let meaning =
                    "The share of all node time that went into tasks which were done, or was saved by checkpoints.";
                share(name, meaning).better(Better::More)
            }
            Self::Lost => {
                let meaning =
                    "The share of all node time that went into tasks which were broken off, and was not saved.";
                share(name, meaning).better(Better::Less)
            }
            Self::Down => share(name, "The share of all node time in which nodes were down.").better(Better::Less),
            Self::Idle => share(name, "The share of all node time in which nodes had nothing to do."),
        }
    }
}

/// The use of the time of all nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeUse {
    /// For each use, its share of all node time in each step.
    pub shares: [Vec<f64>; 5],
    /// The time that stood reserved for the tasks that were done, as a share of all node time. An instant of a node
    /// counts once: what a task gave back early may be reserved again for the next one. From 0 to 1, since time
    /// reserved outside the measured interval does not count.
    pub forecast: f64,
    /// The time for which those tasks ran.
    pub fact: f64,
}

/// The use of the time of all nodes in the measured interval, step by step, as it passes. The last step may be shorter.
pub(super) struct NodeTime {
    measured: Interval,
    step: Span,
    /// The first of the nodes that are counted.
    first: usize,
    used: [Vec<f64>; 5],
    /// Since when each node is occupied, and by what.
    occupied: Vec<Option<(Use, Time)>>,
    /// Until when the task under way on each node has it reserved, and up to where reserved time has been counted.
    reserved: Vec<Time>,
    counted: Vec<Time>,
    forecast: f64,
    fact: f64,
}

impl NodeTime {
    pub(super) fn new(world: &GridWorld, measured: Interval, step: Span) -> Self {
        Self::of_nodes(0..world.nodes.len(), measured, step)
    }

    /// The time of some of the nodes; it must be told of no others.
    fn of_nodes(nodes: Range<usize>, measured: Interval, step: Span) -> Self {
        Self {
            measured,
            step,
            first: nodes.start,
            used: std::array::from_fn(|_| vec![0.0; steps(measured, step)]),
            occupied: vec![None; nodes.len()],
            reserved: vec![measured.start; nodes.len()],
            counted: vec![measured.start; nodes.len()],
            forecast: 0.0,
            fact: 0.0,
        }
    }

    pub(super) fn note(&mut self, entry: &GridEntry) {
        let (node, kind, begins) = match entry.what {
            Event::OwnerStarted(node, _) => (node, Use::Local, true),
            Event::OwnerEnded(node, _) => (node, Use::Local, false),
            Event::Failed(node) => (node, Use::Down, true),
            Event::Repaired(node) => (node, Use::Down, false),
            Event::Started(piece, until, _) => {
                let until = until.clamp(self.measured.start, self.measured.end);
                self.reserved[piece.node.index() - self.first] = until;
                (piece.node, Use::Global, true)
            }
            Event::Ended(piece, Ending::Done) => (piece.node, Use::Global, false),
            Event::Ended(piece, Ending::Broken(..)) => (piece.node, Use::Lost, false),
            _ => return,
        };
        let node = node.index() - self.first;
        if begins {
            self.occupied[node] = Some((kind, entry.time));
            return;
        }
        let Some((_, mut since)) = self.occupied[node].take() else { return };
        if let Event::Ended(_, Ending::Broken(_, saved)) = entry.what {
            // What a checkpoint has saved is done; no more of what was reserved bears fruit.
            let until = since + saved;
            self.reserved[node] = until.clamp(self.measured.start, self.measured.end);
            self.bear_fruit(node, since, until);
            since = until;
        }
        match kind {
            Use::Global => self.bear_fruit(node, since, entry.time),
            _ => self.add(kind, since, entry.time),
        }
    }

    /// Counts the time of work that is not lost, and what stood reserved for it.
    fn bear_fruit(&mut self, node: usize, since: Time, now: Time) {
        self.add(Use::Global, since, now);
        let (counted, until) = (&mut self.counted[node], self.reserved[node]);
        self.forecast += (until - since.max(*counted).min(until)).as_f64();
        *counted = until.max(*counted);
        self.fact += Interval::new(since, now).clip(self.measured).span().as_f64();
    }

    fn add(&mut self, kind: Use, from: Time, to: Time) {
        let used = &mut self.used[kind as usize];
        spread(Interval::new(from, to), self.measured, self.step, |at, share| used[at] += share);
    }

    pub(super) fn finish(mut self) -> NodeUse {
        for (kind, since) in std::mem::take(&mut self.occupied).into_iter().flatten() {
            self.add(kind, since, self.measured.end);
        }
        let nodes = self.reserved.len() as f64;
        let share = |kind| per_step(kind, self.measured, self.step).into_iter().map(|time| time / nodes).collect();
        let mut shares: [Vec<f64>; 5] = self.used.map(share);
        for at in 0..shares[0].len() {
            let busy: f64 = shares[..4].iter().map(|share| share[at]).sum();
            shares[Use::Idle as usize][at] = 1.0 - busy;
        }
        let all = nodes * self.measured.span().as_f64();
        NodeUse { shares, forecast: self.forecast / all, fact: self.fact / all }
    }
}

/// The use of the time of a domain's nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct UsedDomain {
    /// The domain's name.
    pub name: String,
    /// The number of its nodes.
    pub nodes: usize,
    /// The number of tasks of owners that were begun on them.
    pub tasks: u64,
    /// The shares over the whole run.
    pub whole: NodeUse,
    /// The shares step by step.
    pub stepwise: NodeUse,
}

/// Works out how the time of each domain's nodes is used, and that of all nodes if there are several domains.
pub struct DomainUse {
    domains: Vec<DomainTime>,
}

struct DomainTime {
    name: String,
    nodes: Range<usize>,
    tasks: u64,
    whole: NodeTime,
    stepwise: NodeTime,
}

impl DomainUse {
    /// The name of all nodes together.
    pub const ALL: &'static str = "all nodes";

    /// Of a run of `world`, step by step.
    pub fn new(world: &GridWorld, step: Span) -> Self {
        let of = |name: &str, nodes: Range<usize>| DomainTime {
            name: name.to_string(),
            tasks: 0,
            whole: NodeTime::of_nodes(nodes.clone(), world.measured, world.measured.span()),
            stepwise: NodeTime::of_nodes(nodes.clone(), world.measured, step),
            nodes,
        };
        let range = |domain: &Domain| domain.first.index()..domain.first.index() + domain.nodes;
        let mut domains: Vec<_> = world.domains.iter().map(|domain| of(&domain.name, range(domain))).collect();
        if domains.len() > 1 {
            domains.push(of(Self::ALL, 0..world.nodes.len()));
        }
        Self { domains }
    }

    /// The domains in their order, then all nodes.
    pub fn finish(self) -> Vec<UsedDomain> {
        let used = |DomainTime { name, nodes, tasks, whole, stepwise }| UsedDomain {
            name,
            nodes: Range::len(&nodes),
            tasks,
            whole: whole.finish(),
            stepwise: stepwise.finish(),
        };
        self.domains.into_iter().map(used).collect()
    }
}

impl Observer for DomainUse {
    fn note(&mut self, entry: &GridEntry) {
        let node = match entry.what {
            Event::OwnerStarted(node, _) | Event::OwnerEnded(node, _) | Event::Failed(node) | Event::Repaired(node) => {
                node
            }
            Event::Started(piece, ..) | Event::Ended(piece, _) => piece.node,
            _ => return,
        };
        for domain in self.domains.iter_mut().filter(|domain| domain.nodes.contains(&node.index())) {
            domain.tasks += u64::from(matches!(entry.what, Event::OwnerStarted(..)));
            domain.whole.note(entry);
            domain.stepwise.note(entry);
        }
    }

    fn postponed(&mut self, _: Time, _: &[JobId]) {}
}

/// The number of steps in the measured interval.
pub(super) fn steps(measured: Interval, step: Span) -> usize {
    (measured.span().ticks() as u64).div_ceil(step.ticks() as u64) as usize
}

/// Hands the part of `time` inside the measured interval to the steps that it falls into.
pub(super) fn spread(time: Interval, measured: Interval, step: Span, mut add: impl FnMut(usize, f64)) {
    let Interval { start: mut at, end } = time.clip(measured);
    while at < end {
        let index = (at - measured.start).ticks() / step.ticks();
        let until = (measured.start + Span::from_ticks((index + 1) * step.ticks())).min(end);
        add(index as usize, (until - at).as_f64());
        at = until;
    }
}

/// Totals per step as averages over the step's time.
pub(super) fn per_step(totals: Vec<f64>, measured: Interval, step: Span) -> Vec<f64> {
    let length = |index: usize| {
        let start = measured.start + Span::from_ticks(index as i64 * step.ticks());
        ((start + step).min(measured.end) - start).as_f64()
    };
    totals.into_iter().enumerate().map(|(index, total)| total / length(index)).collect()
}
