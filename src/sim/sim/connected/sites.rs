//! All nodes of a connected grid, with a list of their free time that is kept as it changes.

use super::site::Site;
use crate::model::{Interval, NodeId, Slot, SlotList};
use crate::units::Time;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::{Index, IndexMut, Range};

/// The nodes by number. Whoever changes one makes its free time be looked at again when the slots are next listed; that
/// of all others is known.
#[derive(Debug)]
pub(super) struct Sites {
    sites: Vec<Site>,
    listed: RefCell<ListedTime>,
}

impl Sites {
    /// So many nodes that are free.
    pub(super) fn new(count: usize) -> Self {
        Self { sites: (0..count).map(|_| Site::new()).collect(), listed: RefCell::new(ListedTime::new(count)) }
    }

    /// The free slots within `bounds` of all nodes that are up. The bounds never begin earlier than at an earlier call.
    pub(super) fn free_slots(&self, bounds: Interval) -> SlotList {
        let mut listed = self.listed.borrow_mut();
        listed.advance(bounds.start);
        while let Some(node) = listed.changed.pop() {
            listed.look_at(node, &self.sites[node as usize]);
        }
        listed.slots(bounds)
    }

    /// The same of some nodes, which are numbered from 0, by a look at each of them.
    pub(super) fn free_slots_of(&self, nodes: Range<usize>, bounds: Interval) -> SlotList {
        let up = self.sites[nodes].iter().enumerate().filter(|(_, site)| !site.is_down);
        let mut slots: Vec<Slot> = Vec::new();
        for (index, site) in up {
            let node = NodeId(index as u32);
            slots.extend(site.timeline.free_within(bounds).map(|interval| Slot { node, interval }));
        }
        SlotList::of_disjoint(slots)
    }
}

impl Index<usize> for Sites {
    type Output = Site;

    fn index(&self, node: usize) -> &Site {
        &self.sites[node]
    }
}

impl IndexMut<usize> for Sites {
    fn index_mut(&mut self, node: usize) -> &mut Site {
        let ListedTime { is_changed, changed, .. } = self.listed.get_mut();
        if !std::mem::replace(&mut is_changed[node], true) {
            changed.push(node as u32);
        }
        &mut self.sites[node]
    }
}

/// The free time of all nodes from some instant on.
#[derive(Debug)]
struct ListedTime {
    now: Time,
    /// The end of the free time that a node has at that instant, by node; that instant or an earlier one if it has none.
    open: Vec<Time>,
    /// The ends of all that begin later, by start and node.
    later: BTreeMap<(Time, u32), Time>,
    /// The starts of these by node.
    starts: Vec<Vec<Time>>,
    /// The nodes that have changed since they were last looked at, and for each node whether it is among them.
    changed: Vec<u32>,
    is_changed: Vec<bool>,
}

impl ListedTime {
    fn new(count: usize) -> Self {
        let now = Time::from_ticks(i64::MIN);
        Self {
            now,
            open: vec![now; count],
            later: BTreeMap::new(),
            starts: vec![Vec::new(); count],
            changed: (0..count as u32).collect(),
            is_changed: vec![true; count],
        }
    }

    /// Time has passed.
    fn advance(&mut self, now: Time) {
        self.now = now;
        while let Some(entry) = self.later.first_entry()
            && entry.key().0 <= now
        {
            let ((start, node), end) = entry.remove_entry();
            self.starts[node as usize].retain(|&other| other != start);
            self.open[node as usize] = end;
        }
    }

    /// Looks again at the time of a node.
    fn look_at(&mut self, node: u32, site: &Site) {
        self.is_changed[node as usize] = false;
        let starts = &mut self.starts[node as usize];
        for start in starts.drain(..) {
            self.later.remove(&(start, node));
        }
        self.open[node as usize] = self.now;
        if site.is_down {
            return;
        }
        for Interval { start, end } in site.timeline.free_within(Interval::new(self.now, Time::MAX)) {
            if start <= self.now {
                self.open[node as usize] = end;
            } else {
                self.later.insert((start, node), end);
                starts.push(start);
            }
        }
    }

    /// The slots within bounds that begin now.
    fn slots(&self, bounds: Interval) -> SlotList {
        let part = |node: u32, start: Time, end: Time| Slot {
            node: NodeId(node),
            interval: Interval::new(start, end.min(bounds.end)),
        };
        let open = self.open.iter().enumerate().filter(|&(_, &end)| end > bounds.start);
        let open = open.map(|(node, &end)| part(node as u32, bounds.start, end));
        let later = self.later.range(..(bounds.end, 0)).map(|(&(start, node), &end)| part(node, start, end));
        SlotList::of_ordered(open.chain(later).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::JobId;
    use proptest::prelude::*;

    fn between(start: i64, end: i64) -> Interval {
        Interval::new(Time::from_units(start), Time::from_units(end))
    }

    proptest! {
        /// The list that is kept is the one that all nodes together make.
        #[test]
        fn what_is_kept_is_what_is_there(
            steps in prop::collection::vec((0usize..6, 0i64..40, 1i64..30, 0u8..6, 0i64..8), 1..60),
            interval in 1i64..80,
        ) {
            let mut sites = Sites::new(6);
            let mut now = 0;
            for (node, start, length, what, passed) in steps {
                let start = now + start;
                match what {
                    0 => sites[node].is_down = !sites[node].is_down,
                    1 => _ = sites[node].shorten(Time::from_units(start), Time::from_units(start + length / 2)),
                    _ => _ = sites[node].hold(between(start, start + length), JobId(0), 0),
                }
                now += passed;
                let bounds = between(now, now + interval);
                if what != 2 {
                    prop_assert_eq!(sites.free_slots(bounds), sites.free_slots_of(0..6, bounds));
                }
            }
        }
    }
}
