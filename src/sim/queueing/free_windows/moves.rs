//! Reservations that move to other nodes, at the same times.

use super::counts::changes;
use super::{FreeWindows, runtime_on, suits};
use crate::model::{Interval, NodeId, Slot, SlotList, SlotsByNode, Window, place, sort_by_place};
use crate::queueing::backfill::HeldPlace;
use crate::search::NodesByRate;
use crate::units::{Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::RangeInclusive;

impl FreeWindows<'_> {
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
        let mut later = self.later(start, held);
        if !self.may_all_move(request, start, held, &later) {
            return None;
        }
        later.sort_unstable_by_key(|&other| (held[other].1.start(), held[other].0));
        let (left, window, moved) = self.move_all(request, start, held, &later)?;
        self.unreserved = left;
        self.forget_counts();
        later.into_iter().zip(moved).for_each(|(other, new)| held[other].1 = new);
        Some(window)
    }

    /// Those of `held` who start from `start` on. Whoever starts now has its nodes.
    fn later(&self, start: Time, held: &[HeldPlace<Self>]) -> Vec<usize> {
        let is_later = |other: &usize| held[*other].1.start() >= start && held[*other].1.start() > self.now;
        (0..held.len()).filter(is_later).collect()
    }

    /// The time that is left when a request has a window at `start` and all who are `later`, in the order of their
    /// starts, have other nodes, with those windows.
    fn move_all(
        &self,
        request: usize,
        start: Time,
        held: &[HeldPlace<Self>],
        later: &[usize],
    ) -> Option<(SlotList, Window, Vec<Window>)> {
        let mut slots = self.unreserved.clone();
        later.iter().for_each(|&other| slots.give_back(&held[other].1));
        let window = self.find(&slots, request, start, start)?;
        slots.subtract(&window).ok()?;
        let mut moved = Vec::with_capacity(later.len());
        for &other in later {
            let (other, old) = &held[other];
            let new = self.find(&slots, *other, old.start(), old.start())?;
            if new.finish() > old.finish() {
                return None;
            }
            slots.subtract(&new).ok()?;
            moved.push(new);
        }
        Some((slots, window, moved))
    }

    /// False if it is certain that a request can't have a window at `start` with those who hold reservations from then
    /// on, who are `later`, on other nodes. Where nodes are unlike, that is nearly always so, and mostly one of the
    /// first of them tells.
    ///
    /// All others have begun by then. So a node that is free at some instant from `start` on stays so for as long as
    /// nobody had it before, and it is enough to know until when each node is taken.
    fn may_all_move(&mut self, request: usize, start: Time, held: &[HeldPlace<Self>], later: &[usize]) -> bool {
        if !self.finder.takes_cheapest() {
            return true;
        }
        let (nodes, rule) = (self.offers.nodes, self.offers.rule);
        let free = &*self.free_by_node.get_or_insert_with(|| SlotsByNode::of(&self.free));
        let rates = &*self.rates.get_or_insert_with(|| NodesByRate::new(NodeId(0), nodes, rule));
        let mut taken_until = vec![Time::from_ticks(i64::MIN); nodes.len()];
        let mut is_later = vec![false; held.len()];
        later.iter().for_each(|&other| is_later[other] = true);
        let before = held.iter().zip(&is_later).filter(|&(_, &is_later)| !is_later);
        for slot in before.flat_map(|((_, window), _)| window.slots()) {
            let until = &mut taken_until[slot.node.index()];
            *until = (*until).max(slot.interval.end);
        }
        let mut has_place = |request: usize, instant: Time, finish: Time| {
            let is_free = |&node: &NodeId| taken_until[node.index()] <= instant;
            let offer = |node: NodeId| Some((node, &nodes[node.index()], free.at(node.index(), instant)?.end));
            let idle = rates.nodes().filter(is_free).filter_map(offer);
            let Some(window) = self.finder.window_at_once(instant, rule, self.queue[&request], idle) else {
                return false;
            };
            window.slots().iter().for_each(|slot| taken_until[slot.node.index()] = slot.interval.end);
            window.finish() <= finish
        };
        if !has_place(request, start, Time::MAX) {
            return false;
        }
        let in_order = later.iter().map(|&other| Reverse((held[other].1.start(), held[other].0, other)));
        let mut in_order: BinaryHeap<_> = in_order.collect();
        std::iter::from_fn(|| in_order.pop())
            .all(|Reverse((start, request, other))| has_place(request, start, held[other].1.finish()))
    }

    /// When so many of the nodes that would do are free, for the longest runtime on any of them, that the request
    /// could start if it could change nodes as it runs; before `limit`.
    pub(crate) fn earliest_by_count(&mut self, request: usize, limit: Time) -> Option<Time> {
        let asked = self.queue[&request];
        let (longest, all_will_do) = self.longest(request)?;
        let until = behind(limit, longest);
        let changes_of_all = self.changes(until).iter().copied().take_while(|&(time, _)| time <= until);
        let of_all = first_stretch(changes_of_all, asked.nodes, longest, limit);
        if of_all.is_none() || all_will_do {
            return of_all;
        }
        let quotes: Vec<Option<Span>> =
            self.offers.nodes.iter().map(|node| runtime_on(self.finder, self.offers.rule, asked, node)).collect();
        let would_do = self.unreserved.as_slice().iter().filter(|slot| quotes[slot.node.index()].is_some());
        first_stretch(changes(would_do, self.now, until), asked.nodes, longest, limit)
    }

    /// The runtime of a request on the slowest node that will do, and whether all nodes will.
    pub(super) fn longest(&self, request: usize) -> Option<(Span, bool)> {
        let (asked, rule, nodes) = (self.queue[&request], self.offers.rule, self.offers.nodes);
        let will_do = || nodes.iter().filter(|node| suits(self.finder, asked, node));
        // Where there is any, it is longer than all others.
        if let Some(longest) = rule.runtime(asked, will_do().map(|node| node.performance).min()?) {
            return Some((longest, will_do().count() == nodes.len()));
        }
        let longest = will_do().filter_map(|node| rule.runtime(asked, node.performance)).max()?;
        Some((longest, false))
    }

    /// The window that a request would have if its own were given back, unless it is the same one; no one else moves. Another
    /// one can only start within `starts`, which end with its own start at the latest. The cheapest slots of a start are taken.
    pub(crate) fn better(&self, request: usize, own: &Window, starts: RangeInclusive<Time>) -> Option<Window> {
        let start = own.start();
        // What is free right before its own slot on a node makes one slot with it.
        let with_own = |own: &Slot| {
            let before = self.unreserved.last_before(own.node, start).filter(|slot| slot.interval.end == start);
            let begin = before.map_or(start, |before| before.interval.start);
            Slot { node: own.node, interval: Interval::new(begin, own.interval.end) }
        };
        let is_own = |slot: &Slot| {
            slot.interval.end == start && own.slots().binary_search_by_key(&slot.node, |own| own.node).is_ok()
        };
        let others = self.unreserved_for(request).iter().take_while(|slot| slot.interval.start <= start);
        let mut others = others.filter(|slot| !is_own(slot)).copied().peekable();
        let mut with_own: Vec<Slot> = own.slots().iter().map(with_own).collect();
        sort_by_place(&mut with_own);
        let mut with_own = with_own.into_iter().peekable();
        let slots = std::iter::from_fn(|| match (with_own.peek(), others.peek()) {
            (Some(one), Some(other)) if place(other) < place(one) => others.next(),
            (Some(_), _) => with_own.next(),
            (None, _) => others.next(),
        });
        self.finder.first_window_of(slots, &self.offers, self.queue[&request], starts).filter(|found| found != own)
    }

    /// True if it has not yet been in vain to move reservations to other nodes.
    pub(crate) fn may_move(&self) -> bool {
        self.may_move
    }

    /// True if those who hold reservations, `held`, might be moved for another.
    pub(crate) fn may_move_others(&self, held: &[HeldPlace<Self>]) -> bool {
        self.may_move && !held.is_empty()
    }

    /// Reserves the earliest window, even if those who hold reservations have to move to other nodes for it, at the
    /// same times; and whether they had to.
    pub(crate) fn reserve_earliest_moving(
        &mut self,
        request: usize,
        held: &mut [HeldPlace<Self>],
    ) -> Option<(Window, bool)> {
        let beside = self.first_window(request, self.now..=Time::MAX);
        let limit = beside.as_ref().map_or(Time::MAX, Window::start);
        if self.may_move_others(held)
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
}

/// So long after an instant.
pub(super) fn behind(instant: Time, long: Span) -> Time {
    Time::from_ticks(instant.ticks().saturating_add(long.ticks()))
}

/// The first instant before `limit` from which on so many nodes are there for so long, by the changes of their number
/// up to so long after it.
fn first_stretch(
    changes: impl IntoIterator<Item = (Time, i64)>,
    nodes: usize,
    long: Span,
    limit: Time,
) -> Option<Time> {
    let (mut count, mut since) = (0, None);
    for (time, by) in changes {
        count += by;
        if let Some(since) = since
            && time - since >= long
        {
            return Some(since);
        }
        if count < nodes as i64 {
            since = None;
        } else if since.is_none() {
            since = Some(time).filter(|&time| time < limit);
            since?;
        }
    }
    // What has not ended by then has lasted long enough.
    since.filter(|_| limit < Time::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{CostLimit, Node, Request};
    use crate::search::{Finder, Offers};
    use crate::units::{Performance, Power, Price};
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    proptest! {
        /// Whether all can move is told without moving any.
        #[test]
        fn all_move_if_it_is_said_that_they_may(
            kinds in prop::collection::vec((10i64..20, 5i64..15, 0i64..30, 30i64..120), 2..9),
            jobs in prop::collection::vec((1usize..4, 3i64..30, 10i64..13, 5i64..15, prop::option::of(20i64..150)), 2..14),
            by_slot in any::<bool>(),
            instants in prop::collection::vec(0i64..60, 3),
        ) {
            let tenths = |value: i64| value * 100_000;
            let at = Time::from_units;
            let node = |&(performance, price, ..): &(i64, i64, i64, i64)| Node {
                name: "n".into(),
                performance: Performance::from_ticks(tenths(performance)),
                price: Price::from_ticks(tenths(price)),
                power: Power::ZERO,
            };
            let nodes: Vec<Node> = kinds.iter().map(node).collect();
            let slot = |(index, &(.., start, span)): (usize, &(i64, i64, i64, i64))| Slot {
                node: NodeId(index as u32),
                interval: Interval::new(at(start), at(start + span)),
            };
            let slots = SlotList::new(kinds.iter().enumerate().map(slot)).unwrap();
            let request = |&(nodes, length, performance, price, deadline): &(usize, i64, i64, i64, Option<i64>)| Request {
                name: "j".into(),
                nodes,
                length: Span::from_units(length),
                min_performance: Performance::from_ticks(tenths(performance)),
                max_price: Price::from_ticks(tenths(price)),
                deadline: deadline.map(at),
            };
            let requests: Vec<Request> = jobs.iter().map(request).collect();
            let queue: Vec<&Request> = requests.iter().collect();
            let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Volume };
            let limit = if by_slot { CostLimit::PerSlot } else { CostLimit::Total(1.2) };
            let mut windows = FreeWindows::new(&offers, slots.clone(), &queue, Finder::within(limit), at(0));
            let mut held: Vec<HeldPlace<FreeWindows<'_>>> = Vec::new();
            for request in 0..requests.len() {
                for &start in &instants {
                    let start = at(start);
                    let mut later = windows.later(start, &held);
                    later.sort_by_key(|&other| (held[other].1.start(), held[other].0));
                    let can_move = windows.move_all(request, start, &held, &later).is_some();
                    prop_assert_eq!(windows.may_all_move(request, start, &held, &later), can_move);
                }
                let window = windows.reserve_earliest_moving(request, &mut held).map(|(window, _)| window);
                held.extend(window.map(|window| (request, window)));
                for (other, own) in &held {
                    let mut without = windows.clone();
                    without.give_back(own);
                    let found = without.find(&without.unreserved, *other, at(0), Time::MAX);
                    prop_assert_eq!(windows.better(*other, own, at(0)..=own.start()), found.filter(|found| found != own));
                }
            }
        }
    }
}
