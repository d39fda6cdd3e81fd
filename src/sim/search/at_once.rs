//! Windows that start at once, on nodes that are known to be idle.

use super::Finder;
use super::by_rate::{least_cost, rate, work};
use super::node_quote::NodeQuote;
use crate::model::{CostLimit, Node, NodeId, Request, Window};
use crate::units::{Price, Span, Time};
use crate::workload::RuntimeRule;

impl Finder {
    /// True if it takes the cheapest of the first windows, which does not depend on the order of the slots.
    pub fn takes_cheapest(self) -> bool {
        !self.one_by_one()
    }

    /// The window that starts `now` on idle nodes, which come with the end of their idle time in order of their price per
    /// unit of work: the N cheapest that will do, if there are N and they are within the limit. Of a finder that
    /// [takes the cheapest](Finder::takes_cheapest), this is the first window of all; few nodes are looked at for it.
    pub fn window_at_once<'n>(
        self,
        now: Time,
        rule: RuntimeRule,
        request: &Request,
        idle: impl Iterator<Item = (NodeId, &'n Node, Time)>,
    ) -> Option<Window> {
        let limit = self.limit();
        let work = work(rule, request);
        let deadline = request.deadline.unwrap_or(Time::MAX);
        let mut chosen: Vec<(i64, NodeId, Span)> = Vec::with_capacity(request.nodes.min(64) + 1);
        for (node, offered, end) in idle {
            let is_full = chosen.len() == request.nodes;
            let price = offered.price;
            if is_full {
                let &(last, ..) = chosen.last()?;
                if price >= Price::ZERO && least_cost(rate(offered), work) > last as f64 {
                    break;
                }
            }
            if limit == CostLimit::PerSlot && price > request.max_price {
                continue;
            }
            let Some(quote) = NodeQuote::of(offered, rule, request) else { continue };
            if quote.latest_start(now, end.min(deadline)).is_none() {
                continue;
            }
            let rank = (quote.cost.ticks(), node);
            let at = chosen.partition_point(|&(cost, node, _)| (cost, node) < rank);
            if is_full && at == chosen.len() {
                continue;
            }
            chosen.truncate(request.nodes - usize::from(is_full));
            chosen.insert(at, (rank.0, node, quote.runtime));
        }
        let is_enough = chosen.len() == request.nodes && request.nodes > 0;
        let cost: i128 = chosen.iter().map(|&(cost, ..)| i128::from(cost)).sum();
        let is_within = match limit {
            CostLimit::PerSlot => true,
            CostLimit::Total(factor) => cost <= super::budget(request, factor).ticks().into(),
        };
        let parts = chosen.into_iter().map(|(_, node, runtime)| (node, runtime));
        (is_enough && is_within).then(|| Window::of_parts(now, parts))
    }

    /// True if there is [such a window](Finder::window_at_once). Mostly the first N nodes that will do tell.
    pub fn has_window_at_once<'n>(
        self,
        now: Time,
        rule: RuntimeRule,
        request: &Request,
        idle: impl Iterator<Item = (NodeId, &'n Node, Time)> + Clone,
    ) -> bool {
        let limit = self.limit();
        let deadline = request.deadline.unwrap_or(Time::MAX);
        let cost = |(_, offered, end): (NodeId, &Node, Time)| {
            let suits = limit != CostLimit::PerSlot || offered.price <= request.max_price;
            let quote = NodeQuote::of(offered, rule, request).filter(|_| suits)?;
            quote.latest_start(now, end.min(deadline)).map(|_| i128::from(quote.cost.ticks()))
        };
        let (mut found, mut total) = (0, 0);
        for cost in idle.clone().filter_map(cost).take(request.nodes) {
            found += 1;
            total += cost;
        }
        match limit {
            _ if found < request.nodes.max(1) => false,
            CostLimit::PerSlot => true,
            CostLimit::Total(factor) if total <= super::budget(request, factor).ticks().into() => true,
            // Since runtimes are rounded up, others may cost a little less.
            CostLimit::Total(_) => self.window_at_once(now, rule, request, idle).is_some(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, Slot, SlotList};
    use crate::search::{Offers, WindowSearch};
    use crate::units::{Performance, Power};
    use proptest::prelude::*;

    proptest! {
        /// On nodes that are all idle, it is the window that a search of their slots finds.
        #[test]
        fn it_is_the_first_window_of_all(
            nodes in prop::collection::vec((1i64..4, 1i64..3, 0i64..9, 0i64..9, 1i64..90), 1..20),
            wanted in 1usize..6,
            length in 1i64..90_000_000,
            deadline in prop::option::of(1i64..90),
            factor in prop::sample::select(vec![None, Some(0.4), Some(1.0)]),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
        ) {
            let node = |&(performance, price, faster, dearer, _): &(i64, i64, i64, i64, i64)| Node {
                name: "node".into(),
                performance: Performance::from_ticks(performance * 1_000_000 + faster * 333_333),
                price: Price::from_ticks(price * 1_000_000 + dearer * 77_777),
                power: Power::ZERO,
            };
            let offered: Vec<Node> = nodes.iter().map(node).collect();
            let interval = |end: i64| Interval::new(Time::ZERO, Time::from_units(end));
            let slot = |(index, &(.., end)): (usize, &(i64, i64, i64, i64, i64))| Slot { node: NodeId(index as u32), interval: interval(end) };
            let slots = SlotList::new(nodes.iter().enumerate().map(slot)).unwrap();
            let request = Request {
                name: "job".into(),
                nodes: wanted,
                length: Span::from_ticks(length),
                min_performance: Performance::from_ticks(1_400_000),
                max_price: Price::from_units(2),
                deadline: deadline.map(Time::from_units),
            };
            let finder = Finder::within(factor.map_or(CostLimit::PerSlot, CostLimit::Total));
            let mut order: Vec<usize> = (0..nodes.len()).collect();
            let work_of = |index: usize| i128::from(offered[index].performance.ticks());
            order.sort_by(|&a, &b| {
                let (left, right) = (i128::from(offered[a].price.ticks()) * work_of(b), i128::from(offered[b].price.ticks()) * work_of(a));
                left.cmp(&right).then(a.cmp(&b))
            });
            let idle = order.iter().map(|&index| (NodeId(index as u32), &offered[index], Time::from_units(nodes[index].4)));
            let has_window = finder.has_window_at_once(Time::ZERO, rule, &request, idle.clone());
            let found = finder.window_at_once(Time::ZERO, rule, &request, idle);
            prop_assert_eq!(has_window, found.is_some());
            let offers = Offers { nodes: &offered, slots: &slots, rule };
            let plain = match finder {
                Finder::Alp(alp) => alp.find_window(&offers, &request),
                Finder::Amp(amp) => amp.find_window(&offers, &request),
            };
            prop_assert_eq!(found, plain);
        }
    }
}
