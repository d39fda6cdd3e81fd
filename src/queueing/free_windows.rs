//! Free time as slots of nodes, in which jobs get windows.

use super::backfill::{Availability, HeldPlace};
use crate::model::{CostLimit, Node, NodeId, Request, Slot, SlotList, Window};
use crate::search::{Finder, Offers, budget};
use crate::units::{Performance, Span, Time};
use crate::workload::RuntimeRule;
use std::collections::BTreeMap;

/// The free slots of nodes of all kinds, for requests of a queue, which are named by their place in it.
///
/// A request starts only in a [window](crate::search): its nodes are there all at once, fast enough, for the whole
/// runtime on each, and within what it may cost. Those who wait may be moved to other nodes if they start and finish
/// no later.
#[derive(Debug, Clone)]
pub struct FreeWindows<'a> {
    offers: Offers<'a>,
    /// The performance of the fastest node.
    fastest: Option<Performance>,
    queue: Vec<&'a Request>,
    finder: Finder,
    now: Time,
    /// Free but for those who have started.
    free: SlotList,
    /// The part of it that reservations leave.
    unreserved: SlotList,
    /// Since free time only shrinks, a request can't start before this even if no one held a reservation.
    not_before: Vec<Time>,
    /// By how much the number of unreserved nodes changes at each instant, if that was counted since all of them
    /// changed.
    changes: Option<Vec<(Time, i64)>>,
    /// By number of nodes: no less than the longest time for which so many are unreserved without a break, if that is
    /// known. Reservations can only make it shorter.
    stretches: BTreeMap<usize, Span>,
    /// True if it has not yet been in vain to move reservations to other nodes.
    may_move: bool,
    /// The nodes on which the only one with a reservation could start in time, if that was counted since free time
    /// last changed.
    in_time: Option<NodesInTime>,
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
        let (unreserved, not_before, queue) = (free.clone(), vec![now; queue.len()], queue.to_vec());
        Self {
            offers: *offers,
            fastest: offers.nodes.iter().map(|node| node.performance).max(),
            queue,
            finder,
            now,
            free,
            unreserved,
            not_before,
            changes: None,
            stretches: BTreeMap::new(),
            may_move: true,
            in_time: None,
        }
    }

    /// A request comes; its place in the queue.
    pub(crate) fn push(&mut self, request: &'a Request) -> usize {
        self.queue.push(request);
        self.not_before.push(self.now);
        self.queue.len() - 1
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

    /// The same, when no more is to be done.
    pub(crate) fn into_free(self) -> SlotList {
        self.free
    }

    fn find(&self, slots: &SlotList, request: usize, from: Time, until: Time) -> Option<Window> {
        self.finder.first_window(&Offers { slots, ..self.offers }, self.queue[request], from..=until)
    }

    /// The window of a request at the very instant `start`, beside all reservations.
    pub fn at(&self, request: usize, start: Time) -> Option<Window> {
        self.find(&self.unreserved, request, start, start)
    }

    /// Reserves a window; whether all of it is free of reservations.
    pub fn reserve(&mut self, window: &Window) -> bool {
        let is_free = self.unreserved.subtract(window).is_ok();
        if is_free {
            self.count(window, -1);
        }
        is_free
    }

    /// Reserves a window that was reserved for a request at an earlier call; whether it is free, and still within
    /// what the request may cost: prices may have changed.
    pub(crate) fn reserve_again(&mut self, request: usize, window: &Window) -> bool {
        let (asked, nodes) = (self.queue[request], self.offers.nodes);
        let is_affordable = match self.finder.limit() {
            CostLimit::PerSlot => window.slots().iter().all(|slot| nodes[slot.node.index()].price <= asked.max_price),
            CostLimit::Total(factor) => window.cost(nodes).is_ok_and(|cost| cost <= budget(asked, factor)),
        };
        is_affordable && self.reserve(window)
    }

    /// Takes a window, which is reserved, out of the free time.
    pub fn take(&mut self, window: &Window) {
        // It was free when it was reserved, and only the one it is reserved for takes it.
        let _ = self.free.subtract(window);
        self.in_time = None;
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
        (self.free, self.unreserved, self.in_time) = (free, unreserved, None);
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
        known.count - window.slots().iter().filter(is_taken).count() < self.queue[other].nodes
    }

    /// The start of the only reservation, the number of nodes more than it needs that could serve it then, and which
    /// nodes these are; nothing if it could start earlier and is not bound to them.
    pub(crate) fn spare_nodes(&mut self, other: usize, old: &Window) -> Option<(Time, usize, impl Fn(NodeId) -> bool)> {
        self.count_in_time(other, old);
        let known = self.in_time.as_ref()?;
        let spare = known.count.saturating_sub(self.queue[other].nodes);
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
        let (asked, nodes) = (self.queue[request], self.offers.nodes);
        let mut fits = vec![false; nodes.len()];
        for slot in self.free.as_slice().iter().take_while(|slot| slot.interval.start <= start) {
            let runtime = runtime(self.finder, self.offers.rule, asked, &nodes[slot.node.index()]);
            let end = asked.deadline.map_or(slot.interval.end, |deadline| deadline.min(slot.interval.end));
            fits[slot.node.index()] |= runtime.is_some_and(|runtime| start + runtime <= end);
        }
        let count = fits.iter().filter(|&&fits| fits).count();
        NodesInTime { request, start, fits, count }
    }

    /// Reserves windows that start at the given times, one after another, in what is free; nothing if one of them
    /// can't be had.
    pub fn arrange(&mut self, starts: &[(usize, Time)]) -> Option<Vec<Window>> {
        let mut slots = self.free.clone();
        let mut windows = Vec::with_capacity(starts.len());
        for &(request, start) in starts {
            let window = self.find(&slots, request, start, start)?;
            slots.subtract(&window).ok()?;
            windows.push(window);
        }
        self.unreserved = slots;
        self.forget_counts();
        Some(windows)
    }

    /// Reserves a window for a request at an instant at which enough nodes are free, but not the same ones all the
    /// time: those who hold reservations from then on get other nodes, in the order of their starts. On equal nodes
    /// that always succeeds, since whoever starts later finds all nodes free that no one before it uses.
    fn reserve_between(&mut self, request: usize, start: Time, held: &mut [HeldPlace<Self>]) -> Option<Window> {
        // Those who start now have their nodes.
        let is_later = |other: &usize| held[*other].1.start() >= start && held[*other].1.start() > self.now;
        let mut later: Vec<usize> = (0..held.len()).filter(is_later).collect();
        later.sort_by_key(|&other| (held[other].1.start(), held[other].0));
        let mut slots = self.unreserved.clone();
        later.iter().for_each(|&other| slots.give_back(&held[other].1));
        let window = self.find(&slots, request, start, start)?;
        slots.subtract(&window).ok()?;
        let mut moved = Vec::with_capacity(later.len());
        for &other in &later {
            let (other, old) = &held[other];
            let new = self.find(&slots, *other, old.start(), old.start())?;
            if new.finish() > old.finish() {
                return None;
            }
            slots.subtract(&new).ok()?;
            moved.push(new);
        }
        self.unreserved = slots;
        self.forget_counts();
        later.into_iter().zip(moved).for_each(|(other, new)| held[other].1 = new);
        Some(window)
    }

    /// When so many of the nodes that would do are free, for the longest runtime on any of them, that the request
    /// could start if it could change nodes as it runs; before `limit`.
    fn earliest_by_count(&mut self, request: usize, limit: Time) -> Option<Time> {
        if !self.may_start_before(request, limit) {
            return None;
        }
        let asked = self.queue[request];
        let quotes: Vec<Option<Span>> =
            self.offers.nodes.iter().map(|node| runtime(self.finder, self.offers.rule, asked, node)).collect();
        let longest = quotes.iter().flatten().max()?;
        let would_do = self.unreserved.as_slice().iter().filter(|slot| quotes[slot.node.index()].is_some());
        let (mut count, mut since) = (0, None);
        for (time, by) in changes(would_do, self.now) {
            count += by;
            if let Some(since) = since
                && time - since >= *longest
            {
                return Some(since);
            }
            if count < asked.nodes as i64 {
                since = None;
            } else if since.is_none() {
                since = Some(time).filter(|&time| time < limit);
                since?;
            }
        }
        None
    }

    /// Reserves the earliest window, even if those who hold reservations have to move to other nodes for it, at the
    /// same times; and whether they had to.
    pub(crate) fn reserve_earliest_moving(
        &mut self,
        request: usize,
        held: &mut [HeldPlace<Self>],
    ) -> Option<(Window, bool)> {
        if self.is_too_large(request) {
            return None;
        }
        let beside = self.find(&self.unreserved, request, self.now, Time::MAX);
        let limit = beside.as_ref().map_or(Time::MAX, Window::start);
        if self.may_move
            && !held.is_empty()
            && limit > self.now
            && let Some(start) = self.earliest_by_count(request, limit)
        {
            if let Some(window) = self.reserve_between(request, start, held) {
                return Some((window, true));
            }
            // Among unlike nodes it may fail, and where it fails once it does so often: one attempt has to do.
            self.may_move = false;
        }
        beside.filter(|window| self.reserve(window)).map(|window| (window, false))
    }

    /// Gives a reserved window back.
    pub(crate) fn give_back(&mut self, window: &Window) {
        self.unreserved.give_back(window);
        self.count(window, 1);
        self.stretches.clear();
    }

    /// Unreserved time is not what it was.
    fn forget_counts(&mut self) {
        self.changes = None;
        self.stretches.clear();
    }

    /// So many nodes more are unreserved for the time of each slot of a window.
    fn count(&mut self, window: &Window, by: i64) {
        let Some(changes) = &mut self.changes else { return };
        let mut change = |time: Time, by: i64| match changes.binary_search_by_key(&time, |change| change.0) {
            Ok(at) => changes[at].1 += by,
            Err(at) => changes.insert(at, (time, by)),
        };
        for slot in window.slots() {
            change(slot.interval.start.max(self.now), by);
            change(slot.interval.end.max(self.now), -by);
        }
    }

    /// True if a request needs more nodes than are unreserved at any time for as long as it takes on the fastest node.
    /// In overload that goes for most of those who wait, and each of them is asked about at every event.
    fn is_too_large(&mut self, request: usize) -> bool {
        let wanted = self.queue[request].nodes;
        let Some(shortest) = self.shortest(request).filter(|_| wanted > 0) else { return false };
        if self.stretches.get(&wanted).is_none_or(|&longest| shortest <= longest) {
            let longest = self.longest_stretch(wanted);
            self.stretches.insert(wanted, longest);
        }
        shortest > self.stretches[&wanted]
    }

    /// The longest time for which so many nodes are unreserved without a break.
    fn longest_stretch(&mut self, nodes: usize) -> Span {
        let (mut longest, mut count, mut since) = (Span::ZERO, 0, None);
        for &(time, by) in self.changes() {
            count += by;
            if count >= nodes as i64 {
                since = since.or(Some(time));
            } else if let Some(since) = since.take() {
                longest = longest.max(time - since);
            }
        }
        longest
    }

    /// The runtime of a request on the fastest node.
    fn shortest(&self, request: usize) -> Option<Span> {
        self.offers.rule.runtime(self.queue[request], self.fastest?)
    }

    fn changes(&mut self) -> &[(Time, i64)] {
        self.changes.get_or_insert_with(|| changes(self.unreserved.as_slice(), self.now))
    }

    /// True if so many nodes are unreserved before an instant that a request might start earlier, if it could change
    /// nodes as it runs: for as long as it takes on the fastest node, or up to that instant.
    pub(crate) fn may_start_before(&mut self, request: usize, limit: Time) -> bool {
        let wanted = self.queue[request].nodes as i64;
        let shortest = self.shortest(request);
        let (mut count, mut since) = (0, None);
        for &(time, by) in self.changes().iter().take_while(|&&(time, _)| time < limit) {
            if let Some(since) = since
                && shortest.is_none_or(|shortest| time - since >= shortest)
            {
                return true;
            }
            count += by;
            since = if count < wanted { None } else { since.or(Some(time)) };
        }
        since.is_some()
    }
}

/// By how much the number of slots changes at each instant, in order of time.
fn changes<'s>(slots: impl IntoIterator<Item = &'s Slot>, now: Time) -> Vec<(Time, i64)> {
    let changes = |slot: &Slot| [(slot.interval.start.max(now), 1), (slot.interval.end.max(now), -1)];
    let mut changes: Vec<(Time, i64)> = slots.into_iter().flat_map(changes).collect();
    changes.sort_unstable();
    changes.dedup_by(|next, change| {
        let is_same = next.0 == change.0;
        change.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    changes
}

/// The runtime of a request on a node, if the node will do.
fn runtime(finder: Finder, rule: RuntimeRule, request: &Request, node: &Node) -> Option<Span> {
    let suits = node.performance >= request.min_performance
        && (finder.limit() != CostLimit::PerSlot || node.price <= request.max_price);
    if suits { rule.runtime(request, node.performance) } else { None }
}

impl Availability for FreeWindows<'_> {
    type Job = usize;
    type Place = Window;

    fn start(window: &Window) -> Time {
        window.start()
    }

    fn reserve_earliest(&mut self, request: usize, _: &mut [HeldPlace<Self>]) -> Option<Window> {
        let window = self.find(&self.unreserved, request, self.now, Time::MAX)?;
        self.reserve(&window).then_some(window)
    }

    fn withdraw(&mut self, _: usize, window: &Window) {
        self.give_back(window);
    }

    fn start_reserved(&mut self, _: usize, window: &Window) {
        self.take(window);
    }

    fn start_now(&mut self, request: usize, held: &mut [HeldPlace<Self>]) -> Option<Window> {
        if self.not_before[request] > self.now {
            return None;
        }
        let window = self.find(&self.free, request, self.now, Time::MAX);
        self.not_before[request] = window.as_ref().map_or(Time::MAX, Window::start);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Interval;
    use crate::units::{Power, Price};
    use proptest::prelude::*;

    /// The number of slots from each instant on, counted from the beginning.
    fn steps(slots: &[&Slot], now: Time) -> Vec<(Time, i64)> {
        let mut times: Vec<Time> = slots.iter().flat_map(|slot| [slot.interval.start, slot.interval.end]).collect();
        times.iter_mut().for_each(|time| *time = now.max(*time));
        times.sort_unstable();
        times.dedup();
        let is_there = |slot: &Slot, time: Time| slot.interval.start.max(now) <= time && time < slot.interval.end;
        let count = |time: Time| slots.iter().filter(|slot| is_there(slot, time)).count() as i64;
        times.into_iter().map(|time| (time, count(time))).collect()
    }

    /// [`FreeWindows::may_start_before`] by steps.
    fn plainly_may_start(windows: &FreeWindows<'_>, request: usize, limit: Time) -> bool {
        let slots: Vec<&Slot> = windows.unreserved.as_slice().iter().collect();
        let (wanted, shortest) = (windows.queue[request].nodes as i64, windows.shortest(request));
        let mut since = None;
        for (time, count) in steps(&slots, windows.now).into_iter().take_while(|&(time, _)| time < limit) {
            if since.is_some_and(|since| shortest.is_none_or(|shortest| time - since >= shortest)) {
                return true;
            }
            since = if count < wanted { None } else { since.or(Some(time)) };
        }
        since.is_some()
    }

    /// [`FreeWindows::earliest_by_count`] by steps, whether or not it may start before the limit.
    fn plainly_earliest(windows: &FreeWindows<'_>, request: usize, limit: Time) -> Option<Time> {
        let asked = windows.queue[request];
        let runtime = |node: &Node| runtime(windows.finder, windows.offers.rule, asked, node);
        let nodes = windows.offers.nodes;
        let longest = nodes.iter().filter_map(runtime).max()?;
        let slots = windows.unreserved.as_slice().iter();
        let would_do: Vec<&Slot> = slots.filter(|slot| runtime(&nodes[slot.node.index()]).is_some()).collect();
        let mut since = None;
        for (time, count) in steps(&would_do, windows.now) {
            if let Some(since) = since.filter(|&since| time - since >= longest) {
                return Some(since);
            }
            if count < asked.nodes as i64 {
                since = None;
            } else if since.is_none() {
                since = Some(Some(time).filter(|&time| time < limit)?);
            }
        }
        None
    }

    proptest! {
        #[test]
        fn counts_that_are_kept_are_those_of_the_slots(
            kinds in prop::collection::vec((10i64..20, 5i64..15), 2..6),
            free in prop::collection::vec((0usize..6, 0i64..60, 5i64..60), 1..15),
            jobs in prop::collection::vec((1usize..5, 3i64..40, 10i64..16, 5i64..15), 1..8),
            moves in prop::collection::vec((0usize..8, 0usize..3, 0i64..80), 1..25),
            now in 0i64..20,
        ) {
            let tenths = |value: i64| value * 100_000;
            let at = Time::from_units;
            let node = |&(performance, price): &(i64, i64)| Node {
                name: "n".into(),
                performance: Performance::from_ticks(tenths(performance)),
                price: Price::from_ticks(tenths(price)),
                power: Power::ZERO,
            };
            let nodes: Vec<Node> = kinds.iter().map(node).collect();
            let mut slots = SlotList::default();
            for (node, start, span) in free {
                let node = NodeId((node % nodes.len()) as u32);
                let more = Slot { node, interval: Interval::new(at(start), at(start + span)) };
                slots = SlotList::new(slots.as_slice().iter().copied().chain([more])).unwrap_or(slots);
            }
            let request = |&(nodes, length, performance, price): &(usize, i64, i64, i64)| Request {
                name: "j".into(),
                nodes,
                length: Span::from_units(length),
                min_performance: Performance::from_ticks(tenths(performance)),
                max_price: Price::from_ticks(tenths(price)),
                deadline: None,
            };
            let requests: Vec<Request> = jobs.iter().map(request).collect();
            let queue: Vec<&Request> = requests.iter().collect();
            let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Volume };
            let mut windows = FreeWindows::new(&offers, slots.clone(), &queue, Finder::ALP, at(now));
            let mut held: Vec<HeldPlace<FreeWindows<'_>>> = Vec::new();
            for (request, what, limit) in moves {
                let request = request % requests.len();
                prop_assert_eq!(
                    windows.may_start_before(request, at(limit)),
                    plainly_may_start(&windows, request, at(limit))
                );
                let earliest = plainly_earliest(&windows, request, at(limit));
                prop_assert_eq!(windows.earliest_by_count(request, at(limit)), earliest);
                let found = windows.find(&windows.unreserved, request, at(now), Time::MAX);
                prop_assert!(!windows.is_too_large(request) || found.is_none());
                if what > 0 {
                    let window = windows.reserve_earliest_moving(request, &mut held).map(|(window, _)| window);
                    prop_assert!(window.is_some() || found.is_none());
                    held.extend(window.map(|window| (request, window)));
                } else if !held.is_empty() {
                    let (_, window) = held.remove(request % held.len());
                    windows.give_back(&window);
                }
            }
        }
    }
}
