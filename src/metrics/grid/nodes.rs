//! How the time of all nodes was used.

use crate::sim::{Ending, Event, GridTrace};
use crate::units::{Span, Time};
use crate::workload::GridWorld;

/// What a node's time is used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Tasks of its owner.
    Local,
    /// Tasks of jobs that were done.
    Global,
    /// Tasks of jobs that were broken off: time without fruit.
    Lost,
    /// Nothing: the node was down.
    Down,
    /// Nothing.
    Idle,
}

impl Use {
    /// All uses, in the order of [`NodeUse::shares`].
    pub const ALL: [Self; 5] = [Self::Local, Self::Global, Self::Lost, Self::Down, Self::Idle];

    /// What results call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Local => "local load",
            Self::Global => "global load",
            Self::Lost => "lost work",
            Self::Down => "down time",
            Self::Idle => "idle time",
        }
    }
}

/// How the time of all nodes was used.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeUse {
    /// For each use, its share of all node time in each step.
    pub shares: [Vec<f64>; 5],
    /// The reserved time of the tasks that were done, as a share of all node time.
    pub forecast: f64,
    /// The time for which those tasks ran.
    pub fact: f64,
}

/// How the time of all nodes was used, step by step. The last step may be shorter.
pub fn node_use(world: &GridWorld, trace: &GridTrace, step: Span) -> NodeUse {
    let mut used: [Vec<f64>; 5] = std::array::from_fn(|_| vec![0.0; steps(trace.end, step)]);
    let mut add = |kind: Use, from: Time, to: Time| {
        spread(from, to, step, |at, share| used[kind as usize][at] += share);
    };
    // Since when each node is occupied, and by what.
    let mut occupied: Vec<Option<(Use, Time)>> = vec![None; world.nodes.len()];
    let mut reserved: Vec<Span> = vec![Span::ZERO; world.nodes.len()];
    let (mut forecast, mut fact) = (0.0, 0.0);
    for entry in &trace.entries {
        let (node, kind, begins) = match entry.what {
            Event::OwnerStarted(node, _) => (node, Use::Local, true),
            Event::OwnerEnded(node, _) => (node, Use::Local, false),
            Event::Failed(node) => (node, Use::Down, true),
            Event::Repaired(node) => (node, Use::Down, false),
            Event::Started(piece, until, _) => {
                reserved[piece.node.index()] = until - entry.time;
                (piece.node, Use::Global, true)
            }
            Event::Ended(piece, Ending::Done) => (piece.node, Use::Global, false),
            Event::Ended(piece, Ending::Broken) => (piece.node, Use::Lost, false),
            _ => continue,
        };
        if begins {
            occupied[node.index()] = Some((kind, entry.time));
        } else if let Some((_, since)) = occupied[node.index()].take() {
            add(kind, since, entry.time);
            if kind == Use::Global {
                forecast += reserved[node.index()].as_f64();
                fact += (entry.time - since).as_f64();
            }
        }
    }
    for (kind, since) in occupied.into_iter().flatten() {
        add(kind, since, trace.end);
    }
    let nodes = world.nodes.len() as f64;
    let mut shares =
        used.map(|kind| per_step(kind, trace.end, step).into_iter().map(|time| time / nodes).collect::<Vec<f64>>());
    for at in 0..shares[0].len() {
        let busy: f64 = shares[..4].iter().map(|share| share[at]).sum();
        shares[Use::Idle as usize][at] = 1.0 - busy;
    }
    let all = nodes * trace.end.as_f64();
    NodeUse { shares, forecast: forecast / all, fact: fact / all }
}

/// How many steps there are up to `end`.
pub(super) fn steps(end: Time, step: Span) -> usize {
    (end.ticks() as u64).div_ceil(step.ticks() as u64) as usize
}

/// Hands the time from `from` to `to` to the steps that it falls into.
pub(super) fn spread(from: Time, to: Time, step: Span, mut add: impl FnMut(usize, f64)) {
    let mut at = from;
    while at < to {
        let index = at.ticks() / step.ticks();
        let until = Time::from_ticks((index + 1) * step.ticks()).min(to);
        add(index as usize, (until - at).as_f64());
        at = until;
    }
}

/// Totals per step as averages over the step's time.
pub(super) fn per_step(totals: Vec<f64>, end: Time, step: Span) -> Vec<f64> {
    let length = |index: usize| {
        let start = Time::from_ticks(index as i64 * step.ticks());
        ((start + step).min(end) - start).as_f64()
    };
    totals.into_iter().enumerate().map(|(index, total)| total / length(index)).collect()
}
