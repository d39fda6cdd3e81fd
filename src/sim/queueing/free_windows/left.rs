//! The time that a decision left, from which the next one begins.

use super::FreeWindows;
use crate::model::{Interval, Slot, SlotList, SlotsByNode, Window, place, sort_by_place};
use crate::search::NodesByRate;
use crate::units::Time;

/// The free time that a decision left to the next one.
///
/// Between two decisions little happens to it: a task ended early, an owner announced one, somebody who waited started
/// or gave up. On all other nodes what reservations leave is what they left, but for the time that has passed, and for
/// what has come to be known beyond the end of the scheduling interval.
#[derive(Debug, Clone)]
pub(crate) struct LeftTime {
    /// Free but for those who have started.
    pub(crate) free: SlotList,
    /// The part of it that reservations leave.
    unreserved: SlotList,
    /// The instant up to which free time was known.
    pub(crate) until: Time,
    /// The nodes by price over performance, if they were asked for.
    rates: Option<NodesByRate>,
}

/// What has happened to the free time of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SinceLeft {
    /// Nothing but that time has passed.
    Same,
    /// What was free up to the end of what was known is free up to the end of what is known.
    KnownLonger,
    /// Anything.
    Changed,
}

impl LeftTime {
    /// What has happened to a node that was and is free in these intervals. Where some of these touch, no more is said:
    /// they stay apart, but what was given back may have joined them.
    fn since(&self, was: &[Interval], is: &[Interval], now: Time, until: Time) -> SinceLeft {
        let was = &was[was.partition_point(|was| was.end <= now)..];
        let has_seam = is.windows(2).any(|pair| pair[0].end == pair[1].start);
        let is_same_start = |(was, is): (&Interval, &Interval)| was.start.max(now) == is.start;
        if was.len() != is.len() || has_seam || !was.iter().zip(is).all(is_same_start) {
            return SinceLeft::Changed;
        }
        let (Some((was_last, was)), Some((is_last, is))) = (was.split_last(), is.split_last()) else {
            return SinceLeft::Same;
        };
        let is_same_end = |(was, is): (&Interval, &Interval)| was.end == is.end;
        if !was.iter().zip(is).all(is_same_end) {
            SinceLeft::Changed
        } else if was_last.end == is_last.end {
            SinceLeft::Same
        } else if was_last.end == self.until && is_last.end == until {
            SinceLeft::KnownLonger
        } else {
            SinceLeft::Changed
        }
    }
}

impl FreeWindows<'_> {
    /// What is left when no more is to be done.
    pub(crate) fn into_left(self) -> LeftTime {
        let Self { free, unreserved, known_until: until, rates, .. } = self;
        LeftTime { free, unreserved, until, rates }
    }

    /// Reserves many windows that were reserved for requests at an earlier call, where nothing is reserved yet. Those are
    /// left out that can't be, since they are not free, or cost more than the request may: prices may have changed. When
    /// what is `left` was left, these were reserved in it and those that are `gone`, and no others.
    pub(crate) fn reserve_all_again(
        &mut self,
        windows: &mut [(usize, Option<Window>)],
        gone: &[Window],
        mut left: Option<&mut LeftTime>,
    ) {
        self.rates = left.as_mut().and_then(|left| left.rates.take());
        let left = left.as_deref();
        let free = SlotsByNode::of(&self.free);
        let mut since = left.map_or_else(Vec::new, |left| self.since(left, &free));
        let is_changed = |since: &[SinceLeft], node: usize| since.get(node).is_none_or(|&of| of == SinceLeft::Changed);
        let is_there = |window: &Window| {
            let mut slots = window.slots().iter();
            slots.all(|&slot| !is_changed(&since, slot.node.index()) || free.cover(slot))
        };
        let can_stay = |(request, window): &(usize, Option<Window>)| {
            window.as_ref().is_some_and(|window| is_there(window) && self.is_affordable(*request, window))
        };
        let can_stay: Vec<bool> = windows.iter().map(can_stay).collect();
        // What they leave on their nodes is free.
        let others = windows.iter().zip(&can_stay).filter(|&(_, &can_stay)| !can_stay);
        let others = others.filter_map(|((_, window), _)| window.as_ref()).chain(gone);
        for slot in others.flat_map(Window::slots) {
            since.get_mut(slot.node.index()).into_iter().for_each(|since| *since = SinceLeft::Changed);
        }
        let kept = windows.iter().zip(&can_stay).filter(|&(_, &can_stay)| can_stay);
        let slots = kept.filter_map(|((_, window), _)| Some(window.as_ref()?.slots())).flatten().copied();
        let slots: Vec<Slot> = slots.filter(|slot| is_changed(&since, slot.node.index())).collect();
        if let Some(anew) = free.without_on(&slots, |node| is_changed(&since, node)) {
            self.unreserved = match left {
                Some(left) => renewed(left, &since, anew, self.now, self.known_until),
                None => SlotList::of_disjoint(anew),
            };
            self.forget_counts();
            self.free_by_node = Some(free);
            let gone = windows.iter_mut().zip(can_stay).filter(|(_, can_stay)| !can_stay);
            gone.for_each(|((_, window), _)| *window = None);
        } else {
            // Two of them overlap, which those of one decision never do.
            for (request, window) in windows {
                *window = window.take().filter(|window| self.reserve_again(*request, window));
            }
        }
    }

    /// By node, what has happened to the free time since some was left.
    fn since(&self, left: &LeftTime, free: &SlotsByNode) -> Vec<SinceLeft> {
        let (now, until) = (self.now, self.known_until);
        let mut since = vec![SinceLeft::Changed; self.offers.nodes.len()];
        if until < left.until {
            return since;
        }
        let was_free = SlotsByNode::of(&left.free);
        for (node, since) in since.iter_mut().enumerate() {
            *since = left.since(was_free.of_node(node), free.of_node(node), now, until);
        }
        // Where the last of it was reserved, there is nothing that would last longer.
        let mut lasts = vec![false; since.len()];
        let lasting = left.unreserved.as_slice().iter().filter(|slot| slot.interval.end == left.until);
        lasting.for_each(|slot| lasts.get_mut(slot.node.index()).into_iter().for_each(|lasts| *lasts = true));
        let ended = since.iter_mut().zip(lasts).filter(|(since, lasts)| **since == SinceLeft::KnownLonger && !lasts);
        ended.for_each(|(since, _)| *since = SinceLeft::Changed);
        since
    }
}

/// What reservations leave by now: what they left, where nothing has happened, and the slots that are there `anew` on all other
/// nodes.
fn renewed(left: &LeftTime, since: &[SinceLeft], mut anew: Vec<Slot>, now: Time, until: Time) -> SlotList {
    let mut same: Vec<Slot> = Vec::with_capacity(left.unreserved.len() + anew.len());
    for &Slot { node, interval: Interval { start, end } } in left.unreserved.as_slice() {
        let end = match since.get(node.index()) {
            Some(SinceLeft::Same) => end,
            Some(SinceLeft::KnownLonger) if end == left.until => until,
            Some(SinceLeft::KnownLonger) => end,
            Some(SinceLeft::Changed) | None => continue,
        };
        if end > now {
            same.push(Slot { node, interval: Interval::new(start.max(now), end) });
        }
    }
    // Those that have begun are all alike now.
    let begun = same.partition_point(|slot| slot.interval.start <= now);
    sort_by_place(&mut same[..begun]);
    sort_by_place(&mut anew);
    let mut slots = Vec::with_capacity(same.len() + anew.len());
    let mut anew = anew.into_iter().peekable();
    for slot in same {
        while let Some(before) = anew.next_if(|other| place(other) < place(&slot)) {
            slots.push(before);
        }
        slots.push(slot);
    }
    slots.extend(anew);
    SlotList::of_ordered(slots)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Node, NodeId, Request};
    use crate::queueing::Availability;
    use crate::search::{Finder, Offers};
    use crate::units::{Performance, Power, Price, Span};
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    /// What is free of a grid from one instant to another, where it is known unit by unit.
    fn free_time(grid: &[Vec<bool>], now: usize, until: usize) -> SlotList {
        let at = |instant: usize| Time::from_units(instant as i64);
        let mut slots = Vec::new();
        for (node, is_free) in grid.iter().enumerate() {
            let mut start = now;
            while start < until {
                let end = (start..until).find(|&unit| !is_free[unit]).unwrap_or(until);
                if start < end {
                    let interval = Interval::new(at(start), at(end));
                    slots.push(Slot { node: NodeId(node as u32), interval });
                }
                start = end + 1;
            }
        }
        SlotList::of_disjoint(slots)
    }

    proptest! {
        /// What is reserved again in what was left, as nodes come and go, prices change and jobs start and give up, leaves what
        /// it leaves where all is made anew.
        #[test]
        fn what_was_left_and_has_not_changed_is_what_is_left(
            kinds in prop::collection::vec((1i64..3, 1i64..4), 2..7),
            interval in 10usize..40,
            jobs in prop::collection::vec((1usize..4, 1i64..14, 2i64..4), 1..8),
            steps in prop::collection::vec((
                0usize..6,
                prop::collection::vec((0usize..7, 0usize..90, 1usize..25, any::<bool>()), 0..3),
                prop::option::of((0usize..7, 1i64..4)),
                prop::collection::vec(0usize..8, 0..4),
                prop::option::of(0usize..8),
            ), 1..12),
        ) {
            let node = |&(performance, price): &(i64, i64)| Node {
                name: "n".into(),
                performance: Performance::from_units(performance),
                price: Price::from_units(price),
                power: Power::ZERO,
            };
            let mut nodes: Vec<Node> = kinds.iter().map(node).collect();
            let request = |&(nodes, length, price): &(usize, i64, i64)| Request {
                name: "j".into(),
                nodes,
                length: Span::from_units(length),
                min_performance: Performance::from_units(1),
                max_price: Price::from_units(price),
                deadline: None,
            };
            let requests: Vec<Request> = jobs.iter().map(request).collect();
            let queue: Vec<&Request> = requests.iter().collect();
            let mut grid = vec![vec![true; 200]; nodes.len()];
            let mut held: Vec<(usize, Window)> = Vec::new();
            let (mut left, mut now): (Option<LeftTime>, usize) = (None, 0);
            for (passed, changes, repriced, come, gives_up) in steps {
                now += passed;
                for (node, from, span, is_free) in changes {
                    grid[node % nodes.len()][from..from + span].fill(is_free);
                }
                if let Some((node, price)) = repriced {
                    nodes[node % kinds.len()].price = Price::from_units(price);
                }
                let slots = free_time(&grid, now, now + interval);
                let instant = Time::from_units(now as i64);
                let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Volume };
                let mut windows = FreeWindows::new(&offers, slots.clone(), &queue, Finder::ALP, instant);
                let mut plain = windows.clone();
                let (stay, go): (Vec<_>, Vec<_>) = held.drain(..).partition(|(request, window): &(usize, Window)| {
                    Some(*request) != gives_up && window.start() >= instant
                });
                let gone: Vec<Window> = go.into_iter().map(|(_, window)| window).collect();
                let mut kept: Vec<(usize, Option<Window>)> =
                    stay.into_iter().map(|(request, window)| (request, Some(window))).collect();
                let mut plainly_kept = kept.clone();
                windows.reserve_all_again(&mut kept, &gone, left.as_mut());
                plain.reserve_all_again(&mut plainly_kept, &gone, None);
                prop_assert_eq!(&kept, &plainly_kept);
                prop_assert_eq!(windows.unreserved(), plain.unreserved());
                held.extend(kept.into_iter().filter_map(|(request, window)| Some((request, window?))));
                for request in come.into_iter().filter(|&request| request < queue.len()) {
                    if let Some(other) = held.iter().position(|(other, _)| *other == request) {
                        windows.give_back(&held.remove(other).1);
                    }
                    let window = windows.reserve_earliest(request, &mut []);
                    held.extend(window.map(|window| (request, window)));
                }
                held.retain(|(_, window)| {
                    let starts = window.start() == instant;
                    if starts {
                        windows.take(window);
                        for slot in window.slots() {
                            let end = now + (slot.interval.span().ticks() / Span::from_units(1).ticks()) as usize;
                            grid[slot.node.index()][now..end].fill(false);
                        }
                    }
                    !starts
                });
                left = Some(windows.into_left());
            }
        }
    }
}
