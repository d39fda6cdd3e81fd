//! The free time of a domain, while jobs are placed there one after another.

use super::View;
use crate::model::{Interval, NodeId, NotFree, Request, Slot, SlotList, Window, sort_by_node};
use crate::search::{Finder, MANY_IN_VAIN, Offers, RoomBySize, Search};
use crate::units::Time;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;

/// The free time of a domain in the forms in which it is asked for, each of which is made when it is first looked at.
pub(super) struct TimeOfDomain<'v> {
    view: View<'v>,
    /// The position of the domain.
    domain: usize,
    by_node: OnceCell<ByNode>,
    slots: OnceCell<SlotList>,
    /// How many searches for a window were in vain, and how much room there is, once that is worth knowing.
    in_vain: Cell<usize>,
    room: RefCell<Option<RoomBySize>>,
    /// The windows that were taken since the view was made, and when time was first taken on each node.
    taken: Vec<Window>,
    first_taken: BTreeMap<NodeId, Time>,
}

/// Nodes and their free time.
struct ByNode {
    /// The nodes that have any, by their numbers.
    nodes: Vec<NodeId>,
    /// Their free intervals in order.
    free: Vec<Vec<Interval>>,
}

impl<'v> TimeOfDomain<'v> {
    /// The free time of the domain at this position.
    pub(super) fn of(view: &View<'v>, domain: usize) -> Self {
        Self {
            view: *view,
            domain,
            by_node: OnceCell::new(),
            slots: OnceCell::new(),
            in_vain: Cell::new(0),
            room: RefCell::new(None),
            taken: Vec::new(),
            first_taken: BTreeMap::new(),
        }
    }

    /// The nodes that have free time, by their numbers.
    pub(super) fn nodes(&self) -> Result<&Vec<NodeId>, NotFree> {
        Ok(&self.by_node()?.nodes)
    }

    /// The free intervals of each of the nodes, in order.
    pub(super) fn free(&self) -> Result<&Vec<Vec<Interval>>, NotFree> {
        Ok(&self.by_node()?.free)
    }

    fn by_node(&self) -> Result<&ByNode, NotFree> {
        get_or_try_init(&self.by_node, || Ok(ByNode::of(self.slots()?)))
    }

    /// The free time as a list.
    fn slots(&self) -> Result<&SlotList, NotFree> {
        get_or_try_init(&self.slots, || {
            let mut slots = self.view.slots_of(&self.view.domains[self.domain]);
            self.taken.iter().try_for_each(|window| slots.subtract(window))?;
            Ok(slots)
        })
    }

    /// The window that a search finds.
    pub(super) fn window(&self, search: &Search, request: &Request) -> Result<Option<Window>, NotFree> {
        let at_once = search.get().finder().and_then(|finder| self.window_at_once(finder, request));
        if at_once.is_some() {
            return Ok(at_once);
        }
        let offers = self.offers()?;
        if self.in_vain.get() >= MANY_IN_VAIN
            && self.room.borrow_mut().get_or_insert_default().is_too_small(&offers, request)
        {
            return Ok(None);
        }
        let found = search.get().find_window(&offers, request);
        self.in_vain.set(self.in_vain.get() + usize::from(found.is_none()));
        Ok(found)
    }

    fn offers(&self) -> Result<Offers<'_>, NotFree> {
        Ok(Offers { nodes: self.view.nodes, slots: self.slots()?, rule: self.view.rule })
    }

    /// The first window of a search for the earliest one, if it starts now and that is known without a list.
    fn window_at_once(&self, finder: Finder, request: &Request) -> Option<Window> {
        if !finder.takes_cheapest() {
            return None;
        }
        let View { now, rule, nodes, .. } = self.view;
        let idle = self.view.slots.idle(self.domain..self.domain + 1)?.map(|(node, end)| {
            let end = self.first_taken.get(&node).map_or(end, |&taken| taken.min(end));
            (node, &nodes[node.index()], end)
        });
        finder.window_at_once(now, rule, request, idle)
    }

    /// Takes the slots of a window.
    pub(super) fn take(&mut self, window: Window) -> Result<(), NotFree> {
        if let Some(slots) = self.slots.get_mut() {
            slots.subtract(&window)?;
        }
        self.by_node.take();
        for slot in window.slots() {
            let first = self.first_taken.entry(slot.node).or_insert(slot.interval.start);
            *first = slot.interval.start.min(*first);
        }
        self.taken.push(window);
        Ok(())
    }
}

impl ByNode {
    fn of(slots: &SlotList) -> Self {
        let mut slots = slots.as_slice().to_vec();
        sort_by_node(&mut slots);
        let by_node = slots.chunk_by(|one, other| one.node == other.node);
        let intervals = |same: &[Slot]| same.iter().map(|slot| slot.interval).collect();
        let (nodes, free) = by_node.map(|same| (same[0].node, intervals(same))).unzip();
        Self { nodes, free }
    }
}

/// What is in the cell, made if there is nothing.
fn get_or_try_init<T, E>(cell: &OnceCell<T>, make: impl FnOnce() -> Result<T, E>) -> Result<&T, E> {
    match cell.get() {
        Some(made) => Ok(made),
        None => {
            let made = make()?;
            Ok(cell.get_or_init(|| made))
        }
    }
}
