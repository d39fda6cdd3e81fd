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
    /// How long they are now.
    offered_spans: Vec<Span>,
    /// The places of their nodes by rate.
    offered_places: Vec<u32>,
    /// What is left of each node's time, by start. The nodes are in the order of their rates, since they are looked at in
    /// that order.
    by_place: Vec<Vec<Remainder>>,
    /// The places of nodes with time left at the first start of all, by rate.
    pub(super) at_first: BitSet,
    /// The number of slots that begin there.
    pub(super) met_first: usize,
    /// The ends of remainders, and the places of their nodes, by start and node: one list for all walks, since a heap of
    /// each job's own would be pushed and popped jobs x remainders times.
    rests: BTreeMap<(Time, NodeId), (Time, u32)>,
    /// No task of the batch is shorter on any node. What is shorter than that is of no use to anybody: it is not kept, and a
    /// walk steps over what becomes so. A window never becomes complete at the start of one.
    shortest: Span,
}

/// What is left of a slot behind a window that was cut out of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestOfSlot {
    pub(super) start: Time,
    pub(super) node: NodeId,
    pub(super) end: Time,
    /// The place of its node by rate.
    pub(super) place: u32,
}

/// A slot, or a part of one.
#[derive(Debug, Clone, Copy)]
struct Remainder {
    interval: Interval,
    /// Its place among those that were offered, if it begins as one of them does.
    offered: Option<u32>,
}

impl RemainingTime {
    pub(super) fn new(offered: &[Slot], nodes: &NodesByRate, shortest: Span) -> Self {
        let offered: Vec<Slot> = offered.iter().filter(|slot| length(slot.interval) >= shortest).copied().collect();
        let offered_places: Vec<u32> = offered.iter().map(|slot| nodes.place_of(slot.node)).collect();
        let mut counts = vec![0; nodes.len()];
        offered_places.iter().for_each(|&place| counts[place as usize] += 1);
        // Made in their order, with room for a rest, neighbours are near each other.
        let room = |count: usize| if count == 0 { Vec::new() } else { Vec::with_capacity(count + 1) };
        let mut by_place: Vec<Vec<Remainder>> = counts.into_iter().map(room).collect();
        for (at, (slot, &place)) in offered.iter().zip(&offered_places).enumerate() {
            by_place[place as usize].push(Remainder { interval: slot.interval, offered: Some(at as u32) });
        }
        let mut at_first = BitSet::new(nodes.len());
        let first = offered.first().map(|slot| slot.interval.start);
        let begin_first = offered.iter().take_while(|slot| Some(slot.interval.start) == first);
        let met_first = begin_first.zip(&offered_places).map(|(_, &place)| at_first.insert(place)).count();
        let offered_ends = offered.iter().map(|slot| slot.interval.end).collect();
        let offered_spans = offered.iter().map(|slot| length(slot.interval)).collect();
        Self {
            offered,
            offered_ends,
            offered_spans,
            offered_places,
            by_place,
            at_first,
            met_first,
            rests: BTreeMap::new(),
            shortest,
        }
    }

    /// The first start of all.
    pub(super) fn first_start(&self) -> Option<Time> {
        self.offered.first().map(|slot| slot.interval.start)
    }

    /// Where the slot begins that was offered at this place, on which node, and where it ends now.
    pub(super) fn offered(&self, at: usize) -> Option<(Time, NodeId, Time)> {
        let slot = self.offered.get(at)?;
        Some((slot.interval.start, slot.node, self.offered_ends[at]))
    }

    /// The first from one on that is at least so long now; behind the last if none is.
    pub(super) fn next_long(&self, from: usize, shortest: Span) -> usize {
        let spans = &self.offered_spans[from.min(self.offered_spans.len())..];
        from + spans.iter().position(|&span| span >= shortest).unwrap_or(spans.len())
    }

    /// The places of the nodes of those from one on.
    pub(super) fn offered_places(&self, from: usize) -> &[u32] {
        &self.offered_places[from.min(self.offered_places.len())..]
    }

    /// The remainders that begin after `start`, or right then on nodes after `node`, in order.
    pub(super) fn rests_after(&self, start: Time, node: NodeId) -> impl Iterator<Item = RestOfSlot> {
        let after = (Bound::Excluded((start, node)), Bound::Unbounded);
        self.rests.range(after).map(|(&(start, node), &(end, place))| RestOfSlot { start, node, end, place })
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
        let (first_start, place) = (self.first_start(), nodes.place_of(node));
        let slots = &mut self.by_place[place as usize];
        let Some(at) = slots.partition_point(|slot| slot.interval.start <= start).checked_sub(1) else { return };
        let Remainder { interval: whole, offered } = slots[at];
        slots[at].interval.end = start;
        match offered {
            Some(at) => {
                self.offered_ends[at as usize] = start;
                self.offered_spans[at as usize] = length(Interval::new(whole.start, start));
            }
            None if start - whole.start < self.shortest => {
                self.rests.remove(&(whole.start, node));
            }
            None => {
                self.rests.insert((whole.start, node), (start, place));
            }
        }
        if whole.start == start && first_start == Some(start) {
            self.at_first.remove(place);
        }
        let rest = Interval::new(start + runtime, whole.end);
        if !rest.is_empty() && rest.span() >= self.shortest {
            slots.insert(at + 1, Remainder { interval: rest, offered: None });
            self.rests.insert((rest.start, node), (rest.end, place));
        }
    }
}

/// How long a slot is, which may begin before zero and end at the end of all time.
pub(super) fn length(slot: Interval) -> Span {
    Span::from_ticks(slot.end.ticks().saturating_sub(slot.start.ticks()))
}
