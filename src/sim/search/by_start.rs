//! Slots in order of start, into which others can be put.

use crate::model::NodeId;
use crate::units::Time;

/// A slot by its start and node, and by the number that its owner knows it by: one number, since it is compared often.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct StartOfSlot(u128);

impl StartOfSlot {
    pub(super) fn new(start: Time, node: NodeId, number: u32) -> Self {
        // Times below zero come first.
        let start = start.ticks() as u64 ^ SIGN;
        Self(u128::from(start) << 64 | u128::from(node.0) << 32 | u128::from(number))
    }

    /// Where all have been met that begin before `start`, and those that begin right then on nodes up to `node`.
    pub(super) fn behind(start: Time, node: NodeId) -> Self {
        Self::new(start, node, u32::MAX)
    }

    pub(super) fn start(self) -> Time {
        Time::from_ticks(((self.0 >> 64) as u64 ^ SIGN) as i64)
    }

    pub(super) fn node(self) -> NodeId {
        NodeId((self.0 >> 32) as u32)
    }

    pub(super) fn number(self) -> u32 {
        self.0 as u32
    }
}

const SIGN: u64 = 1 << 63;

/// Slots by start, and by node among those of one start.
///
/// They lie in short runs one behind another: to walk through them is to walk through arrays, and to put one in moves at
/// most the rest of its run.
#[derive(Debug, Clone)]
pub(super) struct SlotsByStart {
    /// None of them is empty.
    runs: Vec<Vec<StartOfSlot>>,
}

/// A run that gets longer is split.
const LONGEST: usize = 128;

impl SlotsByStart {
    /// Slots that are in order.
    pub(super) fn new(slots: &[StartOfSlot]) -> Self {
        let run = |slots: &[StartOfSlot]| {
            let mut run = Vec::with_capacity(LONGEST + 1);
            run.extend_from_slice(slots);
            run
        };
        Self { runs: slots.chunks(LONGEST / 2).map(run).collect() }
    }

    pub(super) fn insert(&mut self, slot: StartOfSlot) {
        let Some(last) = self.runs.len().checked_sub(1) else {
            self.runs.push(vec![slot]);
            return;
        };
        let at = self.run_of(slot).min(last);
        let run = &mut self.runs[at];
        run.insert(run.partition_point(|other| *other < slot), slot);
        if run.len() > LONGEST {
            let mut behind = Vec::with_capacity(LONGEST + 1);
            behind.extend(run.drain(LONGEST / 2..));
            self.runs.insert(at + 1, behind);
        }
    }

    /// Those behind a place in the order, run by run.
    pub(super) fn after(&self, place: StartOfSlot) -> impl Iterator<Item = &[StartOfSlot]> {
        let at = self.run_of(place);
        let first = self.runs.get(at).map(|run| &run[run.partition_point(|slot| *slot <= place)..]);
        let behind = self.runs.iter().skip(at + 1).map(Vec::as_slice);
        first.into_iter().chain(behind)
    }

    /// The first run that ends at or behind this place in the order.
    fn run_of(&self, slot: StartOfSlot) -> usize {
        self.runs.partition_point(|run| run.last().is_some_and(|last| *last < slot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn slots_are_in_order_whatever_comes(
            first in prop::collection::btree_set(-100i64..200, 0..200),
            later in prop::collection::vec((-100i64..200, 0u32..3), 0..600),
            from in (-101i64..201, 0u32..4),
        ) {
            let slot = |start, node| StartOfSlot::new(Time::from_ticks(start), NodeId(node), (start as u32) << 2 | node);
            let mut plain: BTreeSet<StartOfSlot> = first.into_iter().map(|start| slot(start, 1)).collect();
            let mut slots = SlotsByStart::new(&plain.iter().copied().collect::<Vec<_>>());
            for (start, node) in later {
                if plain.insert(slot(start, node)) {
                    slots.insert(slot(start, node));
                }
            }
            let place = StartOfSlot::behind(Time::from_ticks(from.0), NodeId(from.1));
            let found: Vec<StartOfSlot> = slots.after(place).flatten().copied().collect();
            let expected: Vec<StartOfSlot> = plain.range(place..).copied().collect();
            prop_assert!(found.iter().all(|slot| (slot.start().ticks(), slot.node().0) > from));
            prop_assert_eq!(found, expected);
        }
    }
}
