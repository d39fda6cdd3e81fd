//! Free slots of many nodes in order of start.

use super::{Interval, NodeId, Slot, Timeline, Window};
use crate::units::{Span, Time, sum};

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
/// let left: Vec<String> = slots.as_slice().iter().map(|slot| slot.interval.to_string()).collect();
/// assert_eq!(left, ["[0, 20)", "[50, 100)"]);
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SlotList {
    slots: Vec<Slot>,
}

/// A slot that is not free in the list: it overlaps another one, or what was to be taken is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} is not free on {}", .0.interval, .0.node)]
pub struct NotFree(pub Slot);

impl SlotList {
    /// The list of these slots, in any order; empty ones are left out, and two that overlap on a node are refused.
    pub fn new(slots: impl IntoIterator<Item = Slot>) -> Result<Self, NotFree> {
        let mut slots: Vec<Slot> = slots.into_iter().filter(|slot| !slot.interval.is_empty()).collect();
        sort_by_node(&mut slots);
        let overlap =
            slots.windows(2).find(|pair| pair[0].node == pair[1].node && pair[1].interval.start < pair[0].interval.end);
        if let Some(pair) = overlap {
            return Err(NotFree(pair[1]));
        }
        sort_by_place(&mut slots);
        Ok(Self { slots })
    }

    /// The list of these slots, in any order, which are known to be disjoint on each node and not empty.
    pub(crate) fn of_disjoint(mut slots: Vec<Slot>) -> Self {
        sort_by_place(&mut slots);
        Self::of_ordered(slots)
    }

    /// The same, where they are in the order of the list as well.
    pub(crate) fn of_ordered(slots: Vec<Slot>) -> Self {
        debug_assert!(slots.is_sorted_by_key(place) && slots.iter().all(|slot| !slot.interval.is_empty()));
        Self { slots }
    }

    /// The free time of `timelines` within `bounds`; the timeline at position i is that of node i.
    pub fn from_timelines<'a>(timelines: impl IntoIterator<Item = &'a Timeline>, bounds: Interval) -> Self {
        let slots = timelines.into_iter().enumerate().flat_map(|(index, timeline)| {
            let node = NodeId(index as u32);
            timeline.free_within(bounds).map(move |interval| Slot { node, interval })
        });
        Self::of_disjoint(slots.collect())
    }

    /// The number of slots.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// True if there is no slot.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The slots in order of start, then of node.
    pub fn as_slice(&self) -> &[Slot] {
        &self.slots
    }

    /// The free time in all slots together.
    pub fn total(&self) -> Span {
        sum(self.slots.iter().map(|slot| slot.interval.span())).unwrap_or(Span::MAX)
    }

    /// Takes the slots of `window` out of the list; each leaves up to two remainders. An error changes nothing.
    ///
    /// Linear in the length of the list, however wide the window; who subtracts many windows keeps a table of its own.
    pub fn subtract(&mut self, window: &Window) -> Result<(), NotFree> {
        let wholes = self.slots_around(window)?;
        self.cut_all(&wholes, window);
        Ok(())
    }

    /// The slots of the list that those of `window` lie in, in their order; or the first of them that lies in none, or on a node
    /// that is there twice.
    pub(crate) fn slots_around(&self, window: &Window) -> Result<Vec<Slot>, NotFree> {
        let taken = window.slots();
        if let Some(pair) = taken.windows(2).find(|pair| pair[0].node == pair[1].node) {
            return Err(NotFree(pair[1]));
        }
        if taken.len() < MANY {
            return taken.iter().map(|&slot| self.slot_around(slot).ok_or(NotFree(slot))).collect();
        }
        let last = taken.iter().map(|slot| slot.interval.start).max().unwrap_or(Time::ZERO);
        let mut wholes: Vec<Option<Slot>> = vec![None; taken.len()];
        for &slot in self.slots.iter().take_while(|slot| slot.interval.start <= last) {
            // A window has its slots in order of nodes.
            if let Ok(at) = taken.binary_search_by_key(&slot.node, |taken| taken.node)
                && slot.interval.covers(taken[at].interval)
            {
                wholes[at] = Some(slot);
            }
        }
        wholes.into_iter().zip(taken).map(|(whole, &slot)| whole.ok_or(NotFree(slot))).collect()
    }

    /// Takes the slots of `window` out of those of the list that they lie in.
    pub(crate) fn cut_all(&mut self, wholes: &[Slot], window: &Window) {
        if wholes.len() < MANY {
            wholes.iter().zip(window.slots()).for_each(|(&whole, taken)| self.cut(whole, taken.interval));
            return;
        }
        let mut rests: Vec<Slot> =
            wholes.iter().zip(window.slots()).flat_map(|(&whole, taken)| rests(whole, taken.interval)).collect();
        sort_by_place(&mut rests);
        let mut gone: Vec<Slot> = wholes.to_vec();
        sort_by_place(&mut gone);
        let (mut gone, mut rests) = (gone.into_iter().peekable(), rests.into_iter().peekable());
        let mut slots = Vec::with_capacity(self.slots.len() + wholes.len());
        for &slot in &self.slots {
            slots.extend(std::iter::from_fn(|| rests.next_if(|rest| place(rest) < place(&slot))));
            if gone.next_if_eq(&slot).is_none() {
                slots.push(slot);
            }
        }
        slots.extend(rests);
        self.slots = slots;
    }

    /// Takes some of a slot of the list.
    pub(crate) fn cut(&mut self, whole: Slot, taken: Interval) {
        if let Ok(index) = self.slots.binary_search_by_key(&place(&whole), place) {
            self.cut_at(index, taken);
        }
    }

    fn cut_at(&mut self, index: usize, taken: Interval) {
        let rests = rests(self.slots[index], taken);
        exchange(&mut self.slots, Some(index), rests);
    }

    /// Puts the slots of `window` back, joined to those that they touch. Linear in the length of the list.
    pub(crate) fn give_back(&mut self, window: &Window) {
        window.slots().iter().for_each(|&slot| _ = self.join(slot));
    }

    /// Puts a slot back, joined to those that it touches; the whole of it.
    pub(crate) fn join(&mut self, slot: Slot) -> Slot {
        let Slot { node, interval: mut whole } = slot;
        // Slots of a node are disjoint: of those that start before it only the last one may touch it.
        let from = self.slots.partition_point(|other| other.interval.start < whole.start);
        let before = self.slots[..from].iter().rposition(|other| other.node == node);
        let before = before.filter(|&before| self.slots[before].interval.end >= whole.start);
        if let Some(before) = before {
            whole = Interval::new(self.slots[before].interval.start, whole.end.max(self.slots[before].interval.end));
        }
        let mut old = before;
        // None of them starts within what was not free, so that one that is touched starts right at its end.
        while let Ok(next) = self.slots.binary_search_by_key(&(whole.end, node), place) {
            whole.end = self.slots[next].interval.end;
            if old.is_none() {
                old = Some(next);
            } else {
                self.slots.remove(next);
            }
        }
        let whole = Slot { node, interval: whole };
        exchange(&mut self.slots, old, [whole]);
        whole
    }

    /// The slot that all of `slot` lies in.
    pub(crate) fn slot_around(&self, slot: Slot) -> Option<Slot> {
        self.around(slot).map(|index| self.slots[index])
    }

    /// The last slot of a node that begins before an instant.
    pub(crate) fn last_before(&self, node: NodeId, instant: Time) -> Option<Slot> {
        let after = self.slots.partition_point(|slot| slot.interval.start < instant);
        self.slots[..after].iter().rfind(|slot| slot.node == node).copied()
    }

    /// The slots that have time within an interval of a node, the last one first.
    pub(crate) fn slots_within(&self, within: Slot) -> impl Iterator<Item = Slot> + '_ {
        let Slot { node, interval } = within;
        let last = self.last_before(node, interval.end);
        let slots = std::iter::successors(last, move |slot| self.last_before(node, slot.interval.start));
        slots.take_while(move |slot| slot.interval.end > interval.start)
    }

    /// The position of the slot that all of `slot` lies in.
    fn around(&self, slot: Slot) -> Option<usize> {
        let after = self.slots.partition_point(|other| other.interval.start <= slot.interval.start);
        let last = self.slots[..after].iter().rposition(|other| other.node == slot.node);
        last.filter(|&last| self.slots[last].interval.covers(slot.interval))
    }
}

/// A window of so many slots is taken in one walk along the list, a smaller one slot by slot.
const MANY: usize = 24;

/// What is left of a slot of which some is taken.
pub(crate) fn rests(whole: Slot, taken: Interval) -> impl Iterator<Item = Slot> {
    let rests = [Interval::new(whole.interval.start, taken.start), Interval::new(taken.end, whole.interval.end)];
    rests.into_iter().filter(|rest| !rest.is_empty()).map(move |interval| Slot { interval, ..whole })
}

/// Puts slots into a list in place of an old one, if there is one. What lies between their places is moved, and not all behind
/// them, as long as no more come than go.
pub(crate) fn exchange(list: &mut Vec<Slot>, mut old: Option<usize>, new: impl IntoIterator<Item = Slot>) {
    for slot in new {
        let to = list.partition_point(|other| place(other) < place(&slot));
        match old.take() {
            None => list.insert(to, slot),
            Some(old) if old < to => {
                list.copy_within(old + 1..to, old);
                list[to - 1] = slot;
            }
            Some(old) => {
                list.copy_within(to..old, to + 1);
                list[to] = slot;
            }
        }
    }
    if let Some(old) = old {
        list.remove(old);
    }
}

/// The order of the list.
pub(crate) fn place(slot: &Slot) -> (Time, NodeId) {
    (slot.interval.start, slot.node)
}

/// Puts slots in the order of a list. One function for all, since a sort is compiled anew for each closure.
pub(crate) fn sort_by_place(slots: &mut [Slot]) {
    slots.sort_unstable_by_key(place);
}

/// Puts slots in the order of nodes, and those of a node in order of time.
pub(crate) fn sort_by_node(slots: &mut [Slot]) {
    slots.sort_unstable_by_key(|slot| (slot.node, slot.interval.start));
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
    fn what_is_given_back_is_joined_to_what_it_touches() {
        let mut slots = SlotList::new([slot(0, 0, 10), slot(1, 5, 8), slot(0, 30, 40)]).unwrap();
        slots.give_back(&window(10, &[(0, 20), (1, 2)]));
        assert_eq!(slots.as_slice(), [slot(0, 0, 40), slot(1, 5, 8), slot(1, 10, 12)]);
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
        assert_eq!(slots.as_slice(), [slot(0, 0, 10), slot(1, 0, 3)]);
    }

    #[test]
    fn timelines_become_one_ordered_list() {
        let bounds = slot(0, 0, 50).interval;
        let mut timelines = vec![Timeline::new(bounds); 3];
        timelines[0].reserve(slot(0, 0, 20).interval).unwrap();
        timelines[1].reserve(slot(0, 10, 20).interval).unwrap();
        let slots = SlotList::from_timelines(&timelines, slot(0, 5, 40).interval);
        let expected = [slot(1, 5, 10), slot(2, 5, 40), slot(0, 20, 40), slot(1, 20, 40)];
        assert_eq!(slots.as_slice(), expected);
    }

    /// Gives a window back by a look at every slot.
    fn plainly_given_back(slots: &SlotList, window: &Window) -> SlotList {
        let mut slots = slots.slots.clone();
        for &Slot { node, interval: mut whole } in window.slots() {
            slots.retain(|other| {
                let touches =
                    other.node == node && other.interval.start <= whole.end && whole.start <= other.interval.end;
                if touches {
                    whole = Interval::new(whole.start.min(other.interval.start), whole.end.max(other.interval.end));
                }
                !touches
            });
            slots.push(Slot { node, interval: whole });
            slots.sort_by_key(place);
        }
        SlotList { slots }
    }

    proptest! {
        /// A wide window is taken all at once as one by one.
        #[test]
        fn wide_windows_leave_what_narrow_ones_do(
            bounds in prop::collection::vec((0u32..60, 0i64..40, 1i64..60), 60..200),
            wide in prop::collection::vec((0i64..50, 1i64..12, prop::collection::btree_set(0u32..60, 20..50)), 1..6),
        ) {
            let mut slots = SlotList::default();
            for (node, start, span) in bounds {
                let more = slots.slots.iter().copied().chain([slot(node, start, start + span)]);
                slots = SlotList::new(more).unwrap_or(slots);
            }
            for (start, span, nodes) in wide {
                let has_time = |&node: &u32| slots.slot_around(slot(node, start, start + span)).is_some();
                let (free, others): (Vec<u32>, Vec<u32>) = nodes.into_iter().partition(has_time);
                let of = |nodes: &[u32]| nodes.iter().map(|&node| (node, span)).collect::<Vec<_>>();
                let mut plain = slots.clone();
                free.iter().for_each(|&node| plain.subtract(&window(start, &[(node, span)])).unwrap());
                if let Some(&first) = others.first() {
                    let mut unchanged = slots.clone();
                    let all = window(start, &of(&[&free[..], &others[..]].concat()));
                    prop_assert_eq!(unchanged.subtract(&all), Err(NotFree(slot(first, start, start + span))));
                    prop_assert_eq!(&unchanged, &slots);
                }
                prop_assert_eq!(slots.subtract(&window(start, &of(&free))), Ok(()));
                prop_assert_eq!(&slots, &plain);
            }
        }

        #[test]
        fn windows_are_given_back_as_by_a_look_at_every_slot(
            bounds in prop::collection::vec((0u32..4, 0i64..60, 1i64..20), 1..20),
            windows in prop::collection::vec((0i64..60, 1i64..20, 1usize..4), 1..20),
        ) {
            let mut slots = SlotList::default();
            for (node, start, span) in bounds {
                let more = slots.slots.iter().copied().chain([slot(node, start, start + span)]);
                slots = SlotList::new(more).unwrap_or(slots);
            }
            let mut taken = Vec::new();
            for (start, span, nodes) in windows {
                let parts: Vec<(u32, i64)> = (0..nodes as u32).map(|node| (node, span)).collect();
                let window = window(start, &parts);
                if slots.subtract(&window).is_ok() {
                    taken.push(window);
                }
                if start % 3 == 0 && let Some(window) = taken.pop() {
                    let expected = plainly_given_back(&slots, &window);
                    slots.give_back(&window);
                    prop_assert_eq!(&slots, &expected);
                }
            }
        }

        #[test]
        fn subtraction_conserves_free_time(windows in prop::collection::vec((0i64..90, 0u32..3, 1i64..30), 1..40)) {
            let mut slots = SlotList::new((0..3).map(|node| slot(node, 0, 100))).unwrap();
            let mut taken = 0;
            for (start, node, span) in windows {
                if slots.subtract(&window(start, &[(node, span)])).is_ok() {
                    taken += span;
                }
                prop_assert_eq!(slots.total(), Span::from_units(300 - taken));
                prop_assert!(slots.as_slice().is_sorted_by_key(place));
            }
        }
    }
}
