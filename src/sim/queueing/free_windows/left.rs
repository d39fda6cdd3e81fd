//! The time that a decision left, and the reservations that it made.

use super::FreeWindows;
use crate::model::{Slot, SlotList, SlotsByNode, Window};
use crate::search::NodesByRate;
use crate::units::Time;

/// The free time that a decision left to the next one.
#[derive(Debug, Clone)]
pub(crate) struct LeftTime {
    /// Free but for those who have started.
    pub(crate) free: SlotList,
    /// The instant up to which free time was known.
    pub(crate) until: Time,
    /// The nodes by price over performance, if they were asked for.
    rates: Option<NodesByRate>,
}

impl FreeWindows<'_> {
    /// What is left when no more is to be done.
    pub(crate) fn into_left(self) -> LeftTime {
        let Self { free, known_until: until, rates, .. } = self;
        LeftTime { free, until, rates }
    }

    /// Begins with the order of nodes that a decision left, which is made anew if prices have changed since.
    pub(crate) fn renew_rates(&mut self, left: &mut LeftTime) {
        self.rates = left.rates.take();
    }

    /// Reserves many windows that were reserved for requests at an earlier call, where nothing is reserved yet. Those are
    /// left out that can't be, since they are not free, or cost more than the request may: prices may have changed.
    pub(crate) fn reserve_all_again(&mut self, windows: &mut [(usize, Option<Window>)]) {
        let free = SlotsByNode::of(&self.free);
        let can_stay = |(request, window): &(usize, Option<Window>)| {
            let is_there = |window: &Window| window.slots().iter().all(|&slot| free.cover(slot));
            window.as_ref().is_some_and(|window| is_there(window) && self.is_affordable(*request, window))
        };
        let can_stay: Vec<bool> = windows.iter().map(can_stay).collect();
        let kept = windows.iter().zip(&can_stay).filter(|&(_, &can_stay)| can_stay);
        let slots: Vec<Slot> =
            kept.filter_map(|((_, window), _)| Some(window.as_ref()?.slots())).flatten().copied().collect();
        if let Some(unreserved) = free.without(&slots) {
            self.unreserved = SlotList::of_disjoint(unreserved);
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, Node, NodeId, Request};
    use crate::queueing::Availability;
    use crate::search::{Finder, Offers};
    use crate::units::{Performance, Power, Price, Span};
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    proptest! {
        /// Windows that are reserved again together, after nodes have left and prices have changed, are those that are
        /// reserved one after another.
        #[test]
        fn all_that_are_reserved_again_are_those_of_one_after_another(
            prices in prop::collection::vec((1i64..4, 1i64..4, 0i64..20, 5i64..60), 1..8),
            jobs in prop::collection::vec((1usize..4, 1i64..14, 2i64..4), 1..10),
            gone in prop::collection::vec((0usize..8, 0i64..60, 1i64..30), 0..3),
        ) {
            let node = |price: i64| Node {
                name: "n".into(),
                performance: Performance::from_units(1),
                price: Price::from_units(price),
                power: Power::ZERO,
            };
            let slot = |node: usize, start: i64, span: i64| {
                let interval = Interval::new(Time::from_units(start), Time::from_units(start + span));
                Slot { node: NodeId(node as u32), interval }
            };
            let [before, after]: [Vec<Node>; 2] =
                [0, 1].map(|of| prices.iter().map(|price| node([price.0, price.1][of])).collect());
            let free = prices.iter().enumerate().map(|(node, &(.., start, span))| slot(node, start, span));
            let mut slots = SlotList::new(free).unwrap();
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
            let offers = Offers { nodes: &before, slots: &slots, rule: RuntimeRule::Volume };
            let mut windows = FreeWindows::new(&offers, slots.clone(), &queue, Finder::ALP, Time::ZERO);
            let mut together: Vec<(usize, Option<Window>)> =
                (0..queue.len()).map(|request| (request, windows.reserve_earliest(request, &mut []))).collect();
            for (node, start, span) in gone {
                let gone = slot(node % prices.len(), start, span);
                let _ = slots.subtract(&Window::new(gone.interval.start, vec![(gone.node, gone.interval.span())]));
            }
            let offers = Offers { nodes: &after, slots: &slots, rule: RuntimeRule::Volume };
            let mut windows = FreeWindows::new(&offers, slots.clone(), &queue, Finder::ALP, Time::ZERO);
            let mut plain = windows.clone();
            let mut one_by_one = together.clone();
            for (request, window) in &mut one_by_one {
                *window = window.take().filter(|window| plain.reserve_again(*request, window));
            }
            windows.reserve_all_again(&mut together);
            prop_assert_eq!(together, one_by_one);
            prop_assert_eq!(windows.unreserved(), plain.unreserved());
        }
    }
}
