//! The live slots of a scan, with the best N of them at hand.

use crate::model::NodeId;
use crate::units::{Span, Time};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A live slot.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveSlot {
    /// The order in which slots are taken: the lowest first.
    pub(super) key: i64,
    pub(super) node: NodeId,
    pub(super) runtime: Span,
    /// The last instant at which a window may start and still use the slot.
    pub(super) latest_start: Time,
}

impl LiveSlot {
    fn rank(&self) -> (i64, NodeId) {
        (self.key, self.node)
    }
}

impl PartialEq for LiveSlot {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for LiveSlot {}

impl PartialOrd for LiveSlot {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LiveSlot {
    /// The lowest rank is the greatest, since a heap gives its greatest first.
    fn cmp(&self, other: &Self) -> Ordering {
        other.rank().cmp(&self.rank())
    }
}

/// Live slots: the N of lowest key in order, the others in a heap from which those that have expired meanwhile are
/// dropped when they come up, or all at once when they could be half of it. Each slot costs a logarithm once, however
/// long it stays.
#[derive(Debug, Clone)]
pub(super) struct Live {
    wanted: usize,
    chosen: Vec<LiveSlot>,
    others: BinaryHeap<LiveSlot>,
    total: i64,
    first_expiry: Time,
    /// The number of others that there may be before the expired ones are swept out.
    sweep_at: usize,
}

/// Below this it isn't worth while to sweep.
const FEW: usize = 256;

impl Live {
    pub(super) fn new(wanted: usize) -> Self {
        // A request may ask for absurdly many nodes; room is made as slots come.
        let chosen = Vec::with_capacity(wanted.min(64) + 1);
        Self { wanted, chosen, others: BinaryHeap::new(), total: 0, first_expiry: Time::MAX, sweep_at: FEW }
    }

    /// The slots of lowest key, N of them or all there are.
    pub(super) fn chosen(&self) -> &[LiveSlot] {
        &self.chosen
    }

    /// The sum of the N lowest keys, if there are N.
    pub(super) fn total(&self) -> Option<i64> {
        (self.chosen.len() == self.wanted && self.wanted > 0).then_some(self.total)
    }

    pub(super) fn insert(&mut self, entry: LiveSlot) {
        let full = self.chosen.len() == self.wanted;
        if full && self.chosen.last().is_none_or(|last| last.rank() < entry.rank()) {
            self.others.push(entry);
            return;
        }
        if full && let Some(last) = self.chosen.pop() {
            self.total = self.total.saturating_sub(last.key);
            self.others.push(last);
        }
        self.choose(entry);
    }

    /// Moves on to a window that starts at `now`: slots that have expired by then leave.
    pub(super) fn advance(&mut self, now: Time) {
        self.advance_with(now, |entry| (entry.latest_start >= now).then_some(entry));
    }

    /// The same with conditions besides the time, see [`Live::renew`].
    pub(super) fn advance_with(&mut self, now: Time, still: impl Fn(LiveSlot) -> Option<LiveSlot>) {
        if self.others.len() > self.sweep_at {
            self.others.retain(|entry| still(*entry).is_some());
            self.sweep_at = FEW.max(2 * self.others.len());
        }
        if self.first_expiry < now {
            self.renew(still);
        }
    }

    /// Holds every slot against new conditions: `still` returns the slot as it is now, or nothing when it can't be used
    /// any more. Those not among the N best are asked only when they come up, so the answer for a slot may never turn
    /// from no to yes.
    pub(super) fn renew(&mut self, still: impl Fn(LiveSlot) -> Option<LiveSlot>) {
        self.chosen.retain_mut(|entry| match still(*entry) {
            Some(renewed) => {
                *entry = renewed;
                true
            }
            None => false,
        });
        self.total = self.chosen.iter().fold(0, |total, entry| entry.key.saturating_add(total));
        self.first_expiry = self.chosen.iter().map(|entry| entry.latest_start).min().unwrap_or(Time::MAX);
        while self.chosen.len() < self.wanted {
            let Some(next) = self.others.pop() else { break };
            if let Some(entry) = still(next) {
                self.choose(entry);
            }
        }
    }

    fn choose(&mut self, entry: LiveSlot) {
        let place = self.chosen.partition_point(|other| other.rank() < entry.rank());
        self.total = self.total.saturating_add(entry.key);
        self.first_expiry = self.first_expiry.min(entry.latest_start);
        self.chosen.insert(place, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Enough slots for the heap to be swept several times.
        #[test]
        fn the_chosen_are_the_lowest_of_all_that_are_live(
            slots in prop::collection::vec((0i64..3, 0i64..1000, 0i64..400), 1000..2000),
            wanted in 1usize..6,
        ) {
            let (mut live, mut plain, mut now) = (Live::new(wanted), Vec::new(), 0);
            for (index, (gap, key, lasts)) in slots.into_iter().enumerate() {
                now += gap;
                let (node, latest_start) = (NodeId(index as u32), Time::from_ticks(now + lasts));
                live.advance(Time::from_ticks(now));
                live.insert(LiveSlot { key, node, runtime: Span::ZERO, latest_start });
                plain.retain(|&(_, _, latest)| latest >= now);
                plain.push((key, node, now + lasts));
                plain.sort_unstable();
                let lowest: Vec<_> = plain.iter().take(wanted).map(|&(key, node, _)| (key, node)).collect();
                prop_assert_eq!(live.chosen().iter().map(LiveSlot::rank).collect::<Vec<_>>(), lowest);
            }
            prop_assert!(live.others.len() <= plain.len().max(FEW) * 2);
        }
    }
}
