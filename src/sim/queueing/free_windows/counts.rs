//! How many nodes no reservation takes, instant by instant.

use super::FreeWindows;
use super::moves::behind;
use crate::model::Slot;
use crate::search::LongSlots;
use crate::units::{Span, Time};

/// By how much the number of unreserved nodes changes at each instant, in order of time.
#[derive(Debug, Clone)]
pub(super) struct Changes {
    list: Vec<(Time, i64)>,
    /// Those at this instant and before are known.
    until: Time,
}

impl FreeWindows<'_> {
    /// Unreserved time is not what it was.
    pub(super) fn forget_counts(&mut self) {
        self.changes = None;
        self.long.iter_mut().for_each(LongSlots::clear);
    }

    /// The runtime of a request on the fastest node.
    fn shortest(&self, request: usize) -> Option<Span> {
        self.offers.rule.runtime(self.queue[&request], self.fastest?)
    }

    /// The most nodes that are unreserved at any time.
    fn most_unreserved(&mut self) -> usize {
        let counts = self.changes(Time::MAX).iter().scan(0, |count, &(_, by)| {
            *count += by;
            Some(*count)
        });
        counts.max().map_or(0, |most: i64| most.max(0) as usize)
    }

    /// No request of this grade of work that asks for more nodes has a window beside all reservations.
    pub(crate) fn most_beside(&self, grade: usize) -> usize {
        let most = |long: &LongSlots| long.most(self.offers.nodes, &self.unreserved, grade);
        self.long.as_ref().map_or(usize::MAX, most)
    }

    /// No request of more nodes can be served because others move for it.
    pub(crate) fn most_by_moving(&mut self) -> usize {
        if self.may_move { self.most_unreserved() } else { 0 }
    }

    /// All changes up to an instant, and perhaps more.
    pub(super) fn changes(&mut self, until: Time) -> &[(Time, i64)] {
        let known = self.changes.take().filter(|changes| changes.until >= until);
        let count = || {
            let begun = self.unreserved.as_slice().partition_point(|slot| slot.interval.start <= until);
            Changes { list: changes(self.unreserved.as_slice()[..begun].iter(), self.now, until), until }
        };
        &self.changes.insert(known.unwrap_or_else(count)).list
    }

    /// True if so many nodes are unreserved before an instant that a request might start earlier, if it could change
    /// nodes as it runs: for as long as it takes on the fastest node, or up to that instant.
    pub(crate) fn may_start_before(&mut self, request: usize, limit: Time) -> bool {
        let wanted = self.queue[&request].nodes as i64;
        let shortest = self.shortest(request);
        let (mut count, mut since) = (0, None);
        // Whoever might, asks next when the number of nodes is first enough for long enough.
        let until = self.longest(request).map_or(limit, |(longest, _)| behind(limit, longest));
        for &(time, by) in self.changes(until).iter().take_while(|&&(time, _)| time < limit) {
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

/// By how much the number of slots, which are in order of start, changes at each instant up to one, in order of time.
pub(super) fn changes<'s>(slots: impl Iterator<Item = &'s Slot> + Clone, now: Time, until: Time) -> Vec<(Time, i64)> {
    let ends = slots.clone().map(|slot| slot.interval.end.max(now));
    let mut ends: Vec<Time> = ends.filter(|&end| end <= until).collect();
    ends.sort_unstable();
    let mut changes: Vec<(Time, i64)> = Vec::with_capacity(2 * ends.len());
    let mut add = |time: Time, by: i64| match changes.last_mut() {
        Some(last) if last.0 == time => last.1 += by,
        _ => changes.push((time, by)),
    };
    let mut ends = ends.into_iter().peekable();
    for start in slots.map(|slot| slot.interval.start.max(now)) {
        while let Some(end) = ends.next_if(|&end| end <= start) {
            add(end, -1);
        }
        add(start, 1);
    }
    ends.for_each(|end| add(end, -1));
    changes
}

#[cfg(test)]
mod tests {
    use super::super::runtime_on;
    use super::*;
    use crate::model::{Interval, Node, NodeId, Request, SlotList};
    use crate::queueing::HeldPlace;
    use crate::search::{Finder, Offers};
    use crate::units::{Performance, Power, Price};
    use crate::workload::RuntimeRule;
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
        let (wanted, shortest) = (windows.queue[&request].nodes as i64, windows.shortest(request));
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
        let asked = windows.queue[&request];
        let runtime = |node: &Node| runtime_on(windows.finder, windows.offers.rule, asked, node);
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
