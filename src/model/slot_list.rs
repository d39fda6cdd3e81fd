//! Free slots of many nodes in order of start.

use super::{Interval, NodeId, Slot, Timeline, Window};
use crate::units::{Span, Time, sum};
use std::collections::{BTreeMap, BTreeSet};

/// The idle slots that window searches scan: ordered by start, then by node; disjoint on each node.
///
/// Slots that touch on one node stay apart: a task can't run across the seam between two slots that were offered
/// separately.
///
/// ```
/// use gridloom::model::{Interval, NodeId, Slot, SlotList, Window};
/// use gridloom::units::{Span, Time};
///
/// let free = Interval::new(Time::from_units(0), Time::from_units(100));
/// let mut slots = SlotList::new([Slot { node: NodeId(0), interval: free }])?;
/// slots.subtract(&Window::new(Time::from_units(20), vec![(NodeId(0), Span::from_units(30))]))?;
/// let left: Vec<String> = slots.iter().map(|slot| slot.interval.to_string()).collect();
/// assert_eq!(left, ["[0, 20)", "[50, 100)"]);
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct SlotList {
    by_start: BTreeSet<(Time, NodeId)>,
    by_node: Vec<BTreeMap<Time, Time>>,
}

/// A slot that is not free in the list: it overlaps another one, or what was to be taken is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} is not free on {}", .0.interval, .0.node)]
pub struct NotFree(pub Slot);

impl SlotList {
    /// The list of these slots, in any order; empty ones are left out, and two that overlap on a node are refused.
    pub fn new(slots: impl IntoIterator<Item = Slot>) -> Result<Self, NotFree> {
        let mut list = Self::default();
        for slot in slots {
            let overlapping = list
                .by_node
                .get(slot.node.index())
                .and_then(|node| node.range(..slot.interval.end).next_back())
                .is_some_and(|(_, &end)| end > slot.interval.start);
            if overlapping && !slot.interval.is_empty() {
                return Err(NotFree(slot));
            }
            list.insert(slot);
        }
        Ok(list)
    }

    /// The free time of `timelines` within `bounds`; the timeline at position i is that of node i.
    pub fn from_timelines<'a>(timelines: impl IntoIterator<Item = &'a Timeline>, bounds: Interval) -> Self {
        let mut list = Self::default();
        for (index, timeline) in timelines.into_iter().enumerate() {
            for interval in timeline.free_within(bounds) {
                list.insert(Slot { node: NodeId(index as u32), interval });
            }
        }
        list
    }

    /// The number of slots.
    pub fn len(&self) -> usize {
        self.by_start.len()
    }

    /// Whether there is no slot.
    pub fn is_empty(&self) -> bool {
        self.by_start.is_empty()
    }

    /// The slots in order of start, then of node.
    pub fn iter(&self) -> impl Iterator<Item = Slot> + '_ {
        self.by_start.iter().map(|&(start, node)| {
            let end = self.by_node[node.index()][&start];
            Slot { node, interval: Interval::new(start, end) }
        })
    }

    /// The free time in all slots together.
    pub fn total(&self) -> Span {
        sum(self.iter().map(|slot| slot.interval.span())).unwrap_or(Span::MAX)
    }

    /// Takes the slots of `window` out of the list; each leaves up to two remainders. An error changes nothing.
    pub fn subtract(&mut self, window: &Window) -> Result<(), NotFree> {
        let around: Result<Vec<Slot>, NotFree> =
            window.slots().iter().map(|&slot| self.around(slot).ok_or(NotFree(slot))).collect();
        for (whole, taken) in around?.into_iter().zip(window.slots()) {
            self.by_start.remove(&(whole.interval.start, whole.node));
            self.by_node[whole.node.index()].remove(&whole.interval.start);
            self.insert(Slot { interval: Interval::new(whole.interval.start, taken.interval.start), ..whole });
            self.insert(Slot { interval: Interval::new(taken.interval.end, whole.interval.end), ..whole });
        }
        Ok(())
    }

    fn around(&self, slot: Slot) -> Option<Slot> {
        let (&start, &end) = self.by_node.get(slot.node.index())?.range(..=slot.interval.start).next_back()?;
        let whole = Slot { node: slot.node, interval: Interval::new(start, end) };
        whole.interval.covers(slot.interval).then_some(whole)
    }

    fn insert(&mut self, slot: Slot) {
        if slot.interval.is_empty() {
            return;
        }
        if self.by_node.len() <= slot.node.index() {
            self.by_node.resize_with(slot.node.index() + 1, BTreeMap::new);
        }
        self.by_start.insert((slot.interval.start, slot.node));
        self.by_node[slot.node.index()].insert(slot.interval.start, slot.interval.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slot(node: u32, start: i64, end: i64) -> Slot {
        Slot { node: NodeId(node), interval: Interval::new(Time::from_units(start), Time::from_units(end)) }
    }

    fn window(start: i64, parts: &[(u32, i64)]) -> Window {
        let parts = parts.iter().map(|&(node, span)| (NodeId(node), Span::from_units(span))).collect();
        Window::new(Time::from_units(start), parts)
    }

    #[test]
    fn touching_slots_stay_apart() {
        let mut slots = SlotList::new([slot(0, 0, 10), slot(0, 10, 20)]).unwrap();
        assert_eq!(slots.len(), 2);
        assert_eq!(slots.subtract(&window(5, &[(0, 10)])), Err(NotFree(slot(0, 5, 15))));
        assert_eq!(slots.total(), Span::from_units(20));
    }

    #[test]
    fn overlapping_slots_are_refused() {
        assert!(SlotList::new([slot(0, 0, 10), slot(0, 9, 20)]).is_err());
        assert!(SlotList::new([slot(0, 9, 20), slot(0, 0, 10)]).is_err());
        assert!(SlotList::new([slot(0, 0, 10), slot(1, 9, 20)]).is_ok());
    }

    #[test]
    fn a_window_that_does_not_fit_changes_nothing() {
        let mut slots = SlotList::new([slot(0, 0, 10), slot(1, 0, 3)]).unwrap();
        assert_eq!(slots.subtract(&window(0, &[(0, 5), (1, 5)])), Err(NotFree(slot(1, 0, 5))));
        assert_eq!(slots.iter().collect::<Vec<_>>(), [slot(0, 0, 10), slot(1, 0, 3)]);
    }

    #[test]
    fn timelines_become_one_ordered_list() {
        let bounds = slot(0, 0, 50).interval;
        let mut timelines = vec![Timeline::new(bounds); 3];
        timelines[0].reserve(slot(0, 0, 20).interval).unwrap();
        timelines[1].reserve(slot(0, 10, 20).interval).unwrap();
        let slots = SlotList::from_timelines(&timelines, slot(0, 5, 40).interval);
        let expected = [slot(1, 5, 10), slot(2, 5, 40), slot(0, 20, 40), slot(1, 20, 40)];
        assert_eq!(slots.iter().collect::<Vec<_>>(), expected);
    }

    proptest! {
        #[test]
        fn subtraction_conserves_free_time(windows in prop::collection::vec((0i64..90, 0u32..3, 1i64..30), 1..40)) {
            let mut slots = SlotList::new((0..3).map(|node| slot(node, 0, 100))).unwrap();
            let mut taken = 0;
            for (start, node, span) in windows {
                if slots.subtract(&window(start, &[(node, span)])).is_ok() {
                    taken += span;
                }
                prop_assert_eq!(slots.total(), Span::from_units(300 - taken));
                prop_assert!(slots.iter().is_sorted_by_key(|slot| (slot.interval.start, slot.node)));
            }
        }
    }
}
