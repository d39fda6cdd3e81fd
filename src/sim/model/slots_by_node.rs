//! Slots of a list by node.

use super::{Interval, Slot, SlotList, place};
use crate::units::Time;

/// The slots of a list, those of each node together and in order of start: to be asked about single nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct SlotsByNode {
    /// Where the slots of each node begin, and where those of the last one end.
    first: Vec<u32>,
    intervals: Vec<Interval>,
}

impl SlotsByNode {
    /// Those of a list.
    pub(crate) fn of(slots: &SlotList) -> Self {
        Self::of_slots(slots.as_slice())
    }

    /// Any slots; those of one node are in the order in which they come.
    fn of_slots(slots: &[Slot]) -> Self {
        let nodes = slots.iter().map(|slot| slot.node.index() + 1).max().unwrap_or(0);
        let mut first = vec![0; nodes + 1];
        slots.iter().for_each(|slot| first[slot.node.index() + 1] += 1);
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut intervals = vec![Interval::new(Time::ZERO, Time::ZERO); slots.len()];
        for slot in slots {
            let place = &mut next[slot.node.index()];
            intervals[*place as usize] = slot.interval;
            *place += 1;
        }
        Self { first, intervals }
    }

    /// The slots of a node.
    pub(crate) fn of_node(&self, node: usize) -> &[Interval] {
        match (self.first.get(node), self.first.get(node + 1)) {
            (Some(&from), Some(&until)) => &self.intervals[from as usize..until as usize],
            _ => &[],
        }
    }

    /// The slot of a node that is there at an instant.
    pub(crate) fn at(&self, node: usize, instant: Time) -> Option<Interval> {
        let slots = self.of_node(node);
        let after = slots.partition_point(|slot| slot.start <= instant);
        slots[..after].last().copied().filter(|slot| slot.end > instant)
    }

    /// True if all of a slot lies in one of these.
    pub(crate) fn cover(&self, slot: Slot) -> bool {
        self.at(slot.node.index(), slot.interval.start).is_some_and(|around| around.covers(slot.interval))
    }

    /// What is left, in any order, without some slots, each of which lies in one of these; nothing if two of them overlap.
    pub(crate) fn without(&self, taken: &[Slot]) -> Option<Vec<Slot>> {
        let mut taken = Self::of_slots(taken);
        let mut left = Vec::with_capacity(2 * taken.intervals.len());
        for node in 0..self.first.len().saturating_sub(1) {
            taken.sort(node);
            let mut taken = taken.of_node(node).iter().peekable();
            for free in self.of_node(node) {
                let mut start = free.start;
                while let Some(next) = taken.next_if(|next| next.start < free.end) {
                    if next.start < start {
                        return None;
                    }
                    left.push((start, next.start, node));
                    start = next.end;
                }
                left.push((start, free.end, node));
            }
        }
        let slot = |(start, end, node)| Slot { node: super::NodeId(node as u32), interval: Interval::new(start, end) };
        let left = left.into_iter().filter(|(start, end, _)| start < end).map(slot);
        Some(left.collect())
    }

    /// Puts the slots of a node in order.
    fn sort(&mut self, node: usize) {
        if let (Some(&from), Some(&until)) = (self.first.get(node), self.first.get(node + 1)) {
            self.intervals[from as usize..until as usize].sort_unstable_by_key(|slot| slot.start);
        }
    }
}

impl SlotList {
    /// The slots that have time before `until` which is not in one slot of `known`.
    pub(crate) fn gained_over<'s>(&'s self, known: &'s SlotList, until: Time) -> impl Iterator<Item = Slot> + 's {
        // Most slots are in both lists, and in the same order.
        let mut others = known.as_slice();
        let is_new = move |slot: &Slot| {
            let interval = Interval::new(slot.interval.start, slot.interval.end.min(until));
            if interval.start >= interval.end {
                return false;
            }
            let before = others.iter().take_while(|other| place(other) < place(slot)).count();
            others = &others[before..];
            let is_there = |other: &Slot| other.node == slot.node && other.interval.covers(interval);
            !others.first().is_some_and(is_there) && known.slot_around(Slot { interval, ..*slot }).is_none()
        };
        self.as_slice().iter().copied().filter(is_new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NodeId, Window};
    use crate::units::Span;
    use proptest::prelude::*;

    proptest! {
        /// What is taken all at once leaves what is left when it is taken one by one.
        #[test]
        fn all_at_once_is_one_after_another(
            free in prop::collection::vec((0u32..5, 0i64..60, 1i64..40), 0..20),
            taken in prop::collection::vec((0u32..6, 0i64..80, 1i64..20), 0..20),
            until in 0i64..100,
        ) {
            let slot = |&(node, start, span): &(u32, i64, i64)| Slot {
                node: NodeId(node),
                interval: Interval::new(Time::from_units(start), Time::from_units(start + span)),
            };
            let mut list = SlotList::default();
            for entry in &free {
                let more = list.as_slice().iter().copied().chain([slot(entry)]);
                list = SlotList::new(more).unwrap_or(list);
            }
            let by_node = SlotsByNode::of(&list);
            let mut plain = list.clone();
            let mut all = Vec::new();
            for taken in taken.iter().map(slot) {
                let whole = list.as_slice().iter().any(|free| free.node == taken.node && free.interval.covers(taken.interval));
                prop_assert_eq!(by_node.cover(taken), whole);
                let window = Window::new(taken.interval.start, vec![(taken.node, taken.interval.span())]);
                if plain.subtract(&window).is_ok() {
                    all.push(taken);
                } else if whole {
                    let twice: Vec<Slot> = all.iter().copied().chain([taken]).collect();
                    prop_assert_eq!(by_node.without(&twice), None);
                }
            }
            prop_assert_eq!(by_node.without(&all).map(SlotList::of_disjoint), Some(plain.clone()));
            let until = Time::from_units(until);
            let gained: Vec<Slot> = list.gained_over(&plain, until).collect();
            let is_new = |slot: &&Slot| {
                let part = slot.interval.clip(Interval::new(Time::ZERO, until));
                let step = Span::from_units(1);
                let mut instant = part.start;
                let mut is_known = true;
                // Half of a slot and half of another don't make a whole one.
                let around = plain.as_slice().iter().find(|known| known.node == slot.node && known.interval.contains(part.start));
                while instant < part.end {
                    is_known &= around.is_some_and(|around| around.interval.contains(instant));
                    instant += step;
                }
                !is_known
            };
            prop_assert_eq!(gained, list.as_slice().iter().filter(is_new).copied().collect::<Vec<_>>());
        }
    }
}
