//! The free time that windows leave as they are cut out of it.

use super::bits::BitSet;
use super::by_rate::{NodesByRate, least_room};
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
    at_first: AtFirst,
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

/// The places of nodes with room at one start: all of them, and apart those with more and more room, so that a job need not
/// look at all who have too little for it.
struct AtFirst {
    /// The room from which on the first set counts, and each one behind it.
    least: RoomClass,
    sets: Vec<BitSet>,
}

/// Room by orders of magnitude: two classes are a doubling.
type RoomClass = u64;

/// It grows with the room: these are the exponent of a number above 0, and the first bit behind it.
fn class_of(room: f64) -> RoomClass {
    room.max(1.0).to_bits() >> (f64::MANTISSA_DIGITS - 2)
}

impl AtFirst {
    /// Nobody yet, of so many; told apart for jobs that need so much room each.
    fn new(count: usize, needed: impl Iterator<Item = f64>) -> Self {
        let classes = needed.map(class_of);
        let (least, most) =
            classes.fold((RoomClass::MAX, 0), |(least, most), class| (least.min(class), most.max(class)));
        Self { least, sets: vec![BitSet::new(count); (most.saturating_sub(least) as usize).min(MOST_CLASSES) + 1] }
    }

    /// All who have enough room, and few others.
    fn with_room(&self, needed: f64) -> &BitSet {
        let class = class_of(needed).saturating_sub(self.least) as usize;
        &self.sets[class.min(self.sets.len() - 1)]
    }

    fn insert(&mut self, place: u32, room: f64) {
        let count = (class_of(room) + 1).saturating_sub(self.least) as usize;
        self.sets.iter_mut().take(count).for_each(|set| set.insert(place));
    }

    /// Someone has no more room than that left.
    fn shrink(&mut self, place: u32, room: f64) {
        let count = (class_of(room) + 1).saturating_sub(self.least) as usize;
        self.sets.iter_mut().skip(count).for_each(|set| set.remove(place));
    }
}

/// Jobs that need more are told apart no further.
const MOST_CLASSES: usize = 16;

impl RemainingTime {
    /// What is left of these slots for jobs of so much [work](super::by_rate::work), none of which is shorter on any node.
    pub(super) fn new(offered: &[Slot], nodes: &NodesByRate, shortest: Span, works: impl Iterator<Item = f64>) -> Self {
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
        let mut at_first = AtFirst::new(nodes.len(), works.map(least_room));
        let first = offered.first().map(|slot| slot.interval.start);
        let begin_first = offered.iter().take_while(|slot| Some(slot.interval.start) == first);
        let begin_first = begin_first.zip(&offered_places);
        let met_first =
            begin_first.map(|(slot, &place)| at_first.insert(place, nodes.at(place).room(slot.interval))).count();
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

    /// The places of all nodes with room for a task of so much [work](super::by_rate::work) at the first start of all, and of
    /// few others.
    pub(super) fn at_first(&self, work: f64) -> &BitSet {
        self.at_first.with_room(least_room(work))
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
        if first_start == Some(whole.start) {
            self.at_first.shrink(place, nodes.at(place).room(Interval::new(whole.start, start)));
        }
        let rest = Interval::new(start + runtime, whole.end);
        if !rest.is_empty() && rest.span() >= self.shortest {
            slots.insert(at + 1, Remainder { interval: rest, offered: None });
            self.rests.insert((rest.start, node), (rest.end, place));
        }
    }
}

/// How long a slot is, which may begin before zero and end at the end of all time.
fn length(slot: Interval) -> Span {
    Span::from_ticks(slot.end.ticks().saturating_sub(slot.start.ticks()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_has_all_who_have_room_enough_and_nobody_with_half_of_it(
            rooms in prop::collection::vec((0.0..1e9, prop::option::of(0.0..1.0)), 0..100),
            needs in prop::collection::vec(-5.0..2e6, 1..9),
        ) {
            let mut first = AtFirst::new(rooms.len(), needs.iter().copied());
            for (place, &(room, _)) in rooms.iter().enumerate() {
                first.insert(place as u32, room);
            }
            let left = |&(room, part): &(f64, Option<f64>)| part.map_or(room, |part| room * part);
            for (place, room) in rooms.iter().enumerate().filter(|(_, room)| room.1.is_some()) {
                first.shrink(place as u32, left(room));
            }
            // Classes are told apart up to 256 times the least need.
            let least = needs.iter().copied().fold(f64::INFINITY, f64::min).max(1.0);
            for need in needs {
                let set = first.with_room(need);
                for (place, room) in rooms.iter().map(left).enumerate() {
                    let is_in = set.next(place as u32) == Some(place as u32);
                    prop_assert!(is_in || room < need);
                    prop_assert!(!is_in || room >= need.clamp(2.0, 150.0 * least) / 2.0 || room < 1.0 && need < 2.0);
                }
            }
        }
    }
}
