//! The free time of a domain, while jobs are placed there one after another.

use super::{TimeByNode, View};
use crate::model::{Domain, Interval, NodeId, NotFree, Slot, SlotList, Window};
use std::cell::OnceCell;

/// The free time of a domain by node, listed when it is first looked at, and as a list if somebody needs one.
pub(super) struct TimeOfDomain<'v> {
    /// The free time of the whole grid, if it is known by node.
    time: Option<&'v dyn TimeByNode>,
    /// The nodes that have any, by their numbers.
    pub(super) nodes: Vec<NodeId>,
    /// Their free intervals in order.
    free: OnceCell<Vec<Vec<Interval>>>,
    /// The same as a list, if one was asked for.
    pub(super) slots: Option<SlotList>,
}

impl<'v> TimeOfDomain<'v> {
    /// The free time of a domain; also as a list, if that is asked for.
    pub(super) fn of(view: &View<'v>, domain: &Domain, is_listed: bool) -> Result<Self, NotFree> {
        let mut own = Self { time: view.slots.by_node(), nodes: Vec::new(), free: OnceCell::new(), slots: None };
        match own.time {
            Some(time) => own.nodes = domain.members().filter(|&node| time.has_time(node)).collect(),
            None => {
                let mut slots = view.slots_of(domain)?.as_slice().to_vec();
                slots.sort_unstable_by_key(|slot| (slot.node, slot.interval.start));
                let by_node = || slots.chunk_by(|one, other| one.node == other.node);
                own.nodes = by_node().map(|same| same[0].node).collect();
                let intervals = |same: &[Slot]| same.iter().map(|slot| slot.interval).collect();
                own.free = OnceCell::from(by_node().map(intervals).collect::<Vec<_>>());
            }
        }
        if is_listed {
            own.slots = Some(view.slots_of(domain)?);
        }
        Ok(own)
    }

    /// The free intervals of each of the nodes, in order.
    pub(super) fn free(&self) -> &Vec<Vec<Interval>> {
        self.free.get_or_init(|| {
            let intervals =
                |time: &dyn TimeByNode| self.nodes.iter().map(|&node| time.free_within(node, time.bounds())).collect();
            self.time.map_or_else(Vec::new, intervals)
        })
    }

    /// Takes the slots of a window.
    pub(super) fn take(&mut self, window: &Window) -> Result<(), NotFree> {
        if let Some(slots) = &mut self.slots {
            slots.subtract(window)?;
        }
        self.free();
        let Some(all) = self.free.get_mut() else { return Ok(()) };
        for &slot in window.slots() {
            let Slot { node, interval } = slot;
            let at = self.nodes.binary_search(&node).map_err(|_| NotFree(slot))?;
            let free = &mut all[at];
            let place = free.iter().position(|free| free.covers(interval)).ok_or(NotFree(slot))?;
            let whole = free[place];
            let rests = [Interval::new(whole.start, interval.start), Interval::new(interval.end, whole.end)];
            free.splice(place..=place, rests.into_iter().filter(|rest| !rest.is_empty()));
            if free.is_empty() {
                self.nodes.remove(at);
                all.remove(at);
            }
        }
        Ok(())
    }
}
