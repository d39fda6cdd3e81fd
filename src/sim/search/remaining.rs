//! The free time that windows leave as they are cut out of it.

use super::bits::BitSet;
use super::by_rate::NodesByRate;
use crate::model::{Interval, NodeId, Slot};
use crate::units::{Span, Time};
use std::collections::BTreeMap;
use std::ops::Bound;

/// The slots as they are after all cuts.
pub(super) struct RemainingTime {
    /// Those that were offered and are of use, as they were, by start and node.
    offered: Vec<Slot>,
    /// Where they end now.
    offered_ends: Vec<Time>,
    /// What is left of each node's time, by start. The nodes are in the order of their rates, since they are looked at in
    /// that order.
    by_place: Vec<Vec<Remainder>>,
    /// The places of nodes with time at the first start of all, by rate.
    at_first: BitSet,
    /// The number of slots that begin there.
    pub(super) met_first: usize,
    /// The ends of remainders by start and node: one list for all walks, since a heap of each job's own would be pushed and
    /// popped jobs x remainders times.
    rests: BTreeMap<(Time, NodeId), Time>,
    /// No task of the batch is shorter on any node. What is shorter than that is of no use to anybody, and is not kept.
    shortest: Span,
}

/// What is left of a slot behind a window that was cut out of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestOfSlot {
    pub(super) start: Time,
    pub(super) node: NodeId,
    pub(super) end: Time,
}

/// A slot, or a part of one.
#[derive(Debug, Clone, Copy)]
struct Remainder {
    interval: Interval,
    /// Its place among those that were offered, if it begins as one of them does.
    offered: Option<u32>,
}

impl RemainingTime {
    /// What is left of these slots for jobs none of whose tasks is shorter on any node.
    pub(super) fn new(offered: &[Slot], nodes: &NodesByRate, shortest: Span) -> Self {
        let offered: Vec<Slot> = offered.iter().filter(|slot| length(slot.interval) >= shortest).copied().collect();
        let place_of = |slot: &Slot| nodes.place_of(slot.node);
        let mut by_place: Vec<Vec<Remainder>> = vec![Vec::new(); nodes.len()];
        for (at, slot) in offered.iter().enumerate() {
            by_place[place_of(slot) as usize].push(Remainder { interval: slot.interval, offered: Some(at as u32) });
        }
        let mut at_first = BitSet::new(nodes.len());
        let first = offered.first().map(|slot| slot.interval.start);
        let begin_first = offered.iter().take_while(|slot| Some(slot.interval.start) == first);
        let met_first = begin_first.map(|slot| at_first.insert(place_of(slot))).count();
        let offered_ends = offered.iter().map(|slot| slot.interval.end).collect();
        Self { offered, offered_ends, by_place, at_first, met_first, rests: BTreeMap::new(), shortest }
    }

    /// The first start of all.
    pub(super) fn first_start(&self) -> Option<Time> {
        self.offered.first().map(|slot| slot.interval.start)
    }

    /// The places of all nodes that had time at the first start of all.
    pub(super) fn at_first(&self) -> &BitSet {
        &self.at_first
    }

    /// Where the slot begins that was offered at this place, on which node, and where it ends now.
    pub(super) fn offered(&self, at: usize) -> Option<(Time, NodeId, Time)> {
        let slot = self.offered.get(at)?;
        Some((slot.interval.start, slot.node, self.offered_ends[at]))
    }

    /// The remainders that begin after `start`, or right then on nodes after `node`, in order.
    pub(super) fn rests_after(&self, start: Time, node: NodeId) -> impl Iterator<Item = RestOfSlot> {
        let after = (Bound::Excluded((start, node)), Bound::Unbounded);
        self.rests.range(after).map(|(&(start, node), &end)| RestOfSlot { start, node, end })
    }

    /// Where the time ends that the node at a place has at `now`, if a slot of it has begun by then: before `now`, unless
    /// those that begin right then count.
    pub(super) fn end_at(&self, place: u32, now: Time, counts_now: bool) -> Option<Time> {
        let slots = &self.by_place[place as usize];
        let begun = |slot: &Remainder| slot.interval.start < now || (counts_now && slot.interval.start == now);
        // Most nodes have few slots, and most are asked for near the first of them.
        let count = if slots.len() <= 8 {
            slots.iter().take_while(|slot| begun(slot)).count()
        } else {
            slots.partition_point(begun)
        };
        Some(slots[count.checked_sub(1)?].interval.end)
    }

    /// Cuts `[start, start + runtime)` out of the slot that it lies in.
    pub(super) fn cut(&mut self, nodes: &NodesByRate, node: NodeId, start: Time, runtime: Span) {
        let slots = &mut self.by_place[nodes.place_of(node) as usize];
        let Some(at) = slots.partition_point(|slot| slot.interval.start <= start).checked_sub(1) else { return };
        let Remainder { interval: whole, offered } = slots[at];
        slots[at].interval.end = start;
        match offered {
            Some(at) => self.offered_ends[at as usize] = start,
            None if start - whole.start < self.shortest => {
                self.rests.remove(&(whole.start, node));
            }
            None => {
                self.rests.insert((whole.start, node), start);
            }
        }
        let rest = Interval::new(start + runtime, whole.end);
        if !rest.is_empty() && rest.span() >= self.shortest {
            slots.insert(at + 1, Remainder { interval: rest, offered: None });
            self.rests.insert((rest.start, node), rest.end);
        }
    }
}

/// How long a slot is, which may begin before zero and end at the end of all time.
fn length(slot: Interval) -> Span {
    Span::from_ticks(slot.end.ticks().saturating_sub(slot.start.ticks()))
}
