//! Free time as slots of nodes, in which jobs get windows.

mod counts;
mod left;
mod moves;

pub(crate) use left::LeftTime;

use counts::Changes;

use super::backfill::{Availability, HeldPlace};
use crate::model::{CostLimit, Node, NodeId, Request, Slot, SlotList, SlotsByNode, Window};
use crate::search::{Finder, LongSlots, NodesByRate, Offers, budget, grade_of};
use crate::units::{Performance, Span, Time};
use crate::workload::RuntimeRule;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The free slots of nodes of all kinds, for requests of a queue, which are named by their place in it. Not all of them need
/// be known.
///
/// A request starts only in a [window](crate::search): its nodes are there all at once, fast enough, for the whole
/// runtime on each, and within what it may cost. Those who wait may be moved to other nodes if they start and finish
/// no later.
#[derive(Debug, Clone)]
pub struct FreeWindows<'a> {
    offers: Offers<'a>,
    /// The performance of the fastest node.
    fastest: Option<Performance>,
    queue: BTreeMap<usize, &'a Request>,
    finder: Finder,
    now: Time,
    /// Free but for those who have started.
    free: SlotList,
    /// The part of it that reservations leave.
    unreserved: SlotList,
    /// Free time is known until then.
    known_until: Time,
    /// Since free time only shrinks, a request can't start before this even if no one held a reservation, if that is known.
    not_before: BTreeMap<usize, Time>,
    /// By how much the number of unreserved nodes changes at each instant, if that was counted since any were reserved or
    /// given back.
    changes: Option<Changes>,
    /// The long ones of the unreserved slots, if many searches are to come.
    long: Option<LongSlots>,
    /// True if it has not yet been in vain to move reservations to other nodes.
    may_move: bool,
    /// The nodes on which the only one with a reservation could start in time, if that was counted since free time
    /// last changed.
    in_time: Option<NodesInTime>,
    /// The free time by node, if it was asked for since it last changed.
    free_by_node: Option<SlotsByNode>,
    /// The nodes by price over performance, if they were asked for.
    rates: Option<NodesByRate>,
}

/// The nodes that could serve the only reservation at its start.
#[derive(Debug, Clone)]
struct NodesInTime {
    request: usize,
    start: Time,
    /// By node.
    fits: Vec<bool>,
    count: usize,
}

impl<'a> FreeWindows<'a> {
    /// The windows in what is `free` of the slots of `offers`, for a queue, as of `now`.
    pub fn new(offers: &Offers<'a>, free: SlotList, queue: &[&'a Request], finder: Finder, now: Time) -> Self {
        Self::of(offers, free, queue.iter().copied().enumerate().collect(), finder, now)
    }

    /// The same for those of a queue that are known, by their places in it.
    pub(crate) fn of(
        offers: &Offers<'a>,
        free: SlotList,
        queue: BTreeMap<usize, &'a Request>,
        finder: Finder,
        now: Time,
    ) -> Self {
        let unreserved = free.clone();
        let known_until = offers.slots.as_slice().iter().map(|slot| slot.interval.end).max().unwrap_or(now);
        Self {
            offers: *offers,
            fastest: offers.nodes.iter().map(|node| node.performance).max(),
            queue,
            finder,
            now,
            free,
            unreserved,
            known_until,
            not_before: BTreeMap::new(),
            changes: None,
            long: None,
            may_move: true,
            in_time: None,
            free_by_node: None,
            rates: None,
        }
    }

    /// A request comes; its place in the queue.
    pub(crate) fn push(&mut self, request: &'a Request) -> usize {
        let place = self.queue.last_key_value().map_or(0, |(&last, _)| last + 1);
        self.insert(place, request);
        place
    }

    /// The request at a place of the queue becomes known.
    pub(crate) fn insert(&mut self, place: usize, request: &'a Request) {
        self.queue.insert(place, request);
    }

    /// Time has passed.
    pub(crate) fn set_now(&mut self, now: Time) {
        self.now = now;
        self.forget_counts();
    }

    /// The time that those who have started leave.
    pub fn free(&self) -> &SlotList {
        &self.free
    }

    /// The part of it that reservations leave.
    pub(crate) fn unreserved(&self) -> &SlotList {
        &self.unreserved
    }

    fn find(&self, slots: &SlotList, request: usize, from: Time, until: Time) -> Option<Window> {
        self.finder.first_window(&Offers { slots, ..self.offers }, self.queue[&request], from..=until)
    }

    /// Many searches beside reservations are to come.
    pub(crate) fn expect_many(&mut self) {
        self.long = Some(LongSlots::new(self.known_until));
    }

    /// The unreserved slots, or the long ones of them, in which a task of a request could run.
    fn unreserved_for(&self, request: usize) -> &[Slot] {
        let grade = || grade_of(self.offers.rule, self.queue[&request]);
        let long = self.long.as_ref().map(|long| long.of(self.offers.nodes, &self.unreserved, grade()));
        long.unwrap_or(self.unreserved.as_slice())
    }

    /// The same, and those in which one might run when more time is known.
    pub(crate) fn unreserved_later(&self, request: usize) -> Vec<Slot> {
        let grade = || grade_of(self.offers.rule, self.queue[&request]);
        let long = self.long.as_ref().map(|long| long.may_be_long(self.offers.nodes, &self.unreserved, grade()));
        long.unwrap_or_else(|| self.unreserved.as_slice().to_vec())
    }

    /// The first window of a request beside all reservations that starts within a range.
    pub(crate) fn first_window(&self, request: usize, starts: RangeInclusive<Time>) -> Option<Window> {
        let slots = self.unreserved_for(request).iter().copied();
        self.finder.first_window_of(slots, &self.offers, self.queue[&request], starts)
    }

    /// The window of a request at the very instant `start`, beside all reservations.
    pub fn at(&self, request: usize, start: Time) -> Option<Window> {
        self.first_window(request, start..=start)
    }

    /// Reserves a window; whether all of it is free of reservations.
    pub fn reserve(&mut self, window: &Window) -> bool {
        let Ok(wholes) = self.unreserved.slots_around(window) else { return false };
        self.unreserved.cut_all(&wholes, window);
        for (&whole, taken) in wholes.iter().zip(window.slots()) {
            self.long.iter_mut().for_each(|long| long.cut(self.offers.nodes, whole, taken.interval));
        }
        self.changes = None;
        true
    }

    /// True if a window is within what a request may cost.
    fn is_affordable(&self, request: usize, window: &Window) -> bool {
        let (asked, nodes) = (self.queue[&request], self.offers.nodes);
        match self.finder.limit() {
            CostLimit::PerSlot => window.slots().iter().all(|slot| nodes[slot.node.index()].price <= asked.max_price),
            CostLimit::Total(factor) => window.cost(nodes).is_ok_and(|cost| cost <= budget(asked, factor)),
        }
    }

    /// Takes a window, which is reserved, out of the free time.
    pub fn take(&mut self, window: &Window) {
        // It was free when it was reserved, and only the one it is reserved for takes it.
        let _ = self.free.subtract(window);
        (self.in_time, self.free_by_node) = (None, None);
    }

    /// Starts a request in `window`, which collides with reservations, if each of these can be made again, in order,
    /// to start and to finish no later. On a homogeneous machine that is the same as to use no more than the extra
    /// nodes.
    pub(crate) fn start_within(&mut self, window: &Window, held: &mut [HeldPlace<Self>]) -> bool {
        if let [(other, old)] = held
            && self.leaves_too_few(window, *other, old)
        {
            return false;
        }
        let mut free = self.free.clone();
        if free.subtract(window).is_err() {
            return false;
        }
        let mut unreserved = free.clone();
        let mut moved = Vec::with_capacity(held.len());
        for (other, old) in held.iter() {
            match self.find(&unreserved, *other, window.start(), old.start()) {
                Some(new) if new.finish() <= old.finish() && unreserved.subtract(&new).is_ok() => moved.push(new),
                _ => return false,
            }
        }
        (self.free, self.unreserved) = (free, unreserved);
        (self.in_time, self.free_by_node) = (None, None);
        self.forget_counts();
        held.iter_mut().zip(moved).for_each(|((_, place), new)| *place = new);
        true
    }

    /// True if it is certain that `window` takes nodes without which the only one who holds a reservation could not start
    /// in time. In a long queue many jobs could start on idle nodes but for that, and each is asked about at every
    /// event.
    fn leaves_too_few(&mut self, window: &Window, other: usize, old: &Window) -> bool {
        self.count_in_time(other, old);
        let Some(known) = &self.in_time else { return false };
        let is_taken = |slot: &&Slot| known.fits[slot.node.index()] && slot.interval.end > known.start;
        known.count - window.slots().iter().filter(is_taken).count() < self.queue[&other].nodes
    }

    /// The start of the only reservation, the number of nodes more than it needs that could serve it then, and which
    /// nodes these are; nothing if it could start earlier and is not bound to them.
    pub(crate) fn spare_nodes(&mut self, other: usize, old: &Window) -> Option<(Time, usize, impl Fn(NodeId) -> bool)> {
        self.count_in_time(other, old);
        let known = self.in_time.as_ref()?;
        let spare = known.count.saturating_sub(self.queue[&other].nodes);
        Some((known.start, spare, |node: NodeId| known.fits[node.index()]))
    }

    /// Counts the nodes on which the only one who holds a reservation could start in time, if that is not known.
    fn count_in_time(&mut self, other: usize, old: &Window) {
        let start = old.start();
        if self.in_time.as_ref().is_none_or(|known| (known.request, known.start) != (other, start)) {
            // Whoever could start earlier is not bound to these nodes.
            let is_earliest = self.find(&self.free, other, self.now, start).is_some_and(|found| found.start() == start);
            self.in_time = is_earliest.then(|| self.nodes_in_time(other, start));
        }
    }

    fn nodes_in_time(&self, request: usize, start: Time) -> NodesInTime {
        let (asked, nodes) = (self.queue[&request], self.offers.nodes);
        let mut fits = vec![false; nodes.len()];
        for slot in self.free.as_slice().iter().take_while(|slot| slot.interval.start <= start) {
            let runtime = runtime_on(self.finder, self.offers.rule, asked, &nodes[slot.node.index()]);
            let end = asked.deadline.map_or(slot.interval.end, |deadline| deadline.min(slot.interval.end));
            fits[slot.node.index()] |= runtime.is_some_and(|runtime| start + runtime <= end);
        }
        let count = fits.iter().filter(|&&fits| fits).count();
        NodesInTime { request, start, fits, count }
    }

    /// Gives a reserved window back.
    pub(crate) fn give_back(&mut self, window: &Window) {
        for &given in window.slots() {
            let whole = self.unreserved.join(given);
            self.long.iter_mut().for_each(|long| long.join(self.offers.nodes, given, whole));
        }
        self.changes = None;
    }
}

/// The runtime of a request on a node, if the node will do.
pub(crate) fn runtime_on(finder: Finder, rule: RuntimeRule, request: &Request, node: &Node) -> Option<Span> {
    if suits(finder, request, node) { rule.runtime(request, node.performance) } else { None }
}

/// True if a node will do for a request, however long it takes there.
fn suits(finder: Finder, request: &Request, node: &Node) -> bool {
    node.performance >= request.min_performance
        && (finder.limit() != CostLimit::PerSlot || node.price <= request.max_price)
}

impl Availability for FreeWindows<'_> {
    type Job = usize;
    type Place = Window;

    fn start(window: &Window) -> Time {
        window.start()
    }

    fn reserve_earliest(&mut self, request: usize, _: &mut [HeldPlace<Self>]) -> Option<Window> {
        let window = self.first_window(request, self.now..=Time::MAX)?;
        self.reserve(&window).then_some(window)
    }

    fn withdraw(&mut self, _: usize, window: &Window) {
        self.give_back(window);
    }

    fn start_reserved(&mut self, _: usize, window: &Window) {
        self.take(window);
    }

    fn start_now(&mut self, request: usize, held: &mut [HeldPlace<Self>]) -> Option<Window> {
        if self.not_before.get(&request).is_some_and(|&first| first > self.now) {
            return None;
        }
        let window = self.find(&self.free, request, self.now, Time::MAX);
        self.not_before.insert(request, window.as_ref().map_or(Time::MAX, Window::start));
        let window = window.filter(|window| window.start() <= self.now)?;
        if let Some(beside) = self.at(request, self.now)
            && self.reserve(&beside)
        {
            self.take(&beside);
            return Some(beside);
        }
        self.start_within(&window, held).then_some(window)
    }
}
