//! The free time of a domain, while jobs are placed there one after another.

use super::{TimeByNode, View};
use crate::model::{Interval, NodeId, NotFree, Request, Slot, SlotList, Window, sort_by_node};
use crate::search::{Finder, LongSlots, MANY_IN_VAIN, Offers, RoomBySize, Search, grade_of};
use crate::units::Time;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The free time of a domain in the forms in which it is asked for, each of which is made when it is first looked at.
pub(super) struct TimeOfDomain<'v> {
    view: View<'v>,
    /// The position of the domain.
    domain: usize,
    /// The free time of the whole grid, if it is known by node.
    time: Option<&'v dyn TimeByNode>,
    /// The nodes that have any as long as nothing is taken, by their numbers.
    nodes: OnceCell<Vec<NodeId>>,
    by_node: OnceCell<ByNode>,
    slots: OnceCell<SlotList>,
    /// The long ones of these.
    long: OnceCell<LongSlots>,
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
            time: view.slots.by_node(),
            nodes: OnceCell::new(),
            by_node: OnceCell::new(),
            slots: OnceCell::new(),
            long: OnceCell::new(),
            in_vain: Cell::new(0),
            room: RefCell::new(None),
            taken: Vec::new(),
            first_taken: BTreeMap::new(),
        }
    }

    /// The nodes that have free time, by their numbers.
    pub(super) fn nodes(&self) -> Result<&Vec<NodeId>, NotFree> {
        match self.time.filter(|_| self.taken.is_empty() && self.by_node.get().is_none()) {
            Some(time) => {
                let members = || self.view.domains[self.domain].members();
                Ok(self.nodes.get_or_init(|| members().filter(|&node| time.has_time(node)).collect()))
            }
            None => Ok(&self.by_node()?.nodes),
        }
    }

    /// The free intervals of each of the nodes, in order.
    pub(super) fn free(&self) -> Result<&Vec<Vec<Interval>>, NotFree> {
        Ok(&self.by_node()?.free)
    }

    fn by_node(&self) -> Result<&ByNode, NotFree> {
        get_or_try_init(&self.by_node, || {
            let mut own = match self.time {
                Some(time) => ByNode::of(time, self.view.domains[self.domain].members()),
                None => ByNode::listed(&self.view.slots_of(&self.view.domains[self.domain])),
            };
            self.taken.iter().try_for_each(|window| own.take(window))?;
            Ok(own)
        })
    }

    /// The free time as a list.
    pub(super) fn slots(&self) -> Result<&SlotList, NotFree> {
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

    /// Of the list, the slots in which a task of a request could run, or might when more time is known.
    pub(super) fn slots_later(&self, request: &Request, slots: &SlotList) -> Vec<Slot> {
        self.long(slots).may_be_long(self.view.nodes, slots, grade_of(self.view.rule, request))
    }

    /// The first window in the list that starts within a range; it is known that there is none before.
    pub(super) fn first_window(
        &self,
        finder: Finder,
        request: &Request,
        slots: &SlotList,
        starts: RangeInclusive<Time>,
    ) -> Option<Window> {
        let View { nodes, rule, now, .. } = self.view;
        if *starts.start() <= now
            && let Some(window) = self.window_at_once(finder, request)
        {
            return Some(window);
        }
        let long = self.long(slots).of(nodes, slots, grade_of(rule, request)).iter().copied();
        finder.first_window_of(long, &Offers { nodes, slots, rule }, request, starts)
    }

    fn long(&self, slots: &SlotList) -> &LongSlots {
        let until = || slots.as_slice().iter().map(|slot| slot.interval.end).max();
        self.long.get_or_init(|| LongSlots::new(until().unwrap_or(self.view.now)))
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
            // Each node is there once.
            for &slot in window.slots() {
                let whole = slots.slot_around(slot).ok_or(NotFree(slot))?;
                slots.cut(whole, slot.interval);
                self.long.get_mut().into_iter().for_each(|long| long.cut(self.view.nodes, whole, slot.interval));
            }
        }
        if let Some(by_node) = self.by_node.get_mut() {
            by_node.take(&window)?;
        }
        for slot in window.slots() {
            let first = self.first_taken.entry(slot.node).or_insert(slot.interval.start);
            *first = slot.interval.start.min(*first);
        }
        self.taken.push(window);
        Ok(())
    }
}

impl ByNode {
    fn of(time: &dyn TimeByNode, nodes: impl Iterator<Item = NodeId>) -> Self {
        let all = nodes.map(|node| (node, time.free_within(node, time.bounds())));
        let (nodes, free) = all.filter(|(_, free)| !free.is_empty()).unzip();
        Self { nodes, free }
    }

    fn listed(slots: &SlotList) -> Self {
        let mut slots = slots.as_slice().to_vec();
        sort_by_node(&mut slots);
        let by_node = slots.chunk_by(|one, other| one.node == other.node);
        let intervals = |same: &[Slot]| same.iter().map(|slot| slot.interval).collect();
        let (nodes, free) = by_node.map(|same| (same[0].node, intervals(same))).unzip();
        Self { nodes, free }
    }

    fn take(&mut self, window: &Window) -> Result<(), NotFree> {
        for &slot in window.slots() {
            let Slot { node, interval } = slot;
            let at = self.nodes.binary_search(&node).map_err(|_| NotFree(slot))?;
            let free = &mut self.free[at];
            let place = free.iter().position(|free| free.covers(interval)).ok_or(NotFree(slot))?;
            let whole = free[place];
            let rests = [Interval::new(whole.start, interval.start), Interval::new(interval.end, whole.end)];
            free.splice(place..=place, rests.into_iter().filter(|rest| !rest.is_empty()));
            if free.is_empty() {
                self.nodes.remove(at);
                self.free.remove(at);
            }
        }
        Ok(())
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
