//! Nodes by the price of a unit of work.
//!
//! What a task costs on a node is the price of the node times a runtime that is rounded up, so that the order of nodes by
//! cost differs a little from request to request. The order by price over performance, the *rate*, is one for all of
//! them, and gives a lower bound of what any later node costs: whoever wants the N cheapest looks at the nodes in this
//! order, and stops where none of the rest can be cheaper than the N-th.

use super::NodeQuote;
use crate::model::{Interval, Node, NodeId, Request};
use crate::units::{Money, Performance, Price, Span, TICKS_PER_UNIT, Time};
use crate::workload::RuntimeRule;

/// Nodes in order of their rates. Those of one price and one performance, a *kind*, stand together by number; the kinds
/// of one rate stand in order of their first nodes.
#[derive(Debug, Clone)]
pub struct NodesByRate {
    places: Vec<RatedNode>,
    /// The node with the lowest number.
    first: NodeId,
    /// The place of each node, by number from the first on.
    place_of: Vec<u32>,
    fastest: Performance,
    rule: RuntimeRule,
}

/// A node at its place in the order.
#[derive(Debug, Clone, Copy)]
pub(super) struct RatedNode {
    pub(super) node: NodeId,
    price: Price,
    performance: Performance,
    rate: f64,
    /// The first place behind it of another kind.
    pub(super) next_kind: u32,
    /// The first place behind it with another rate.
    pub(super) next_rate: u32,
    /// The lowest number from this place on among the nodes of this rate.
    pub(super) lowest: NodeId,
}

impl NodesByRate {
    /// These nodes, which are numbered from `first` on.
    pub fn new(first: NodeId, nodes: &[Node], rule: RuntimeRule) -> Self {
        let rated = |(index, node): (usize, &Node)| {
            let Node { price, performance, .. } = *node;
            let (node, rate) = (NodeId(first.0 + index as u32), rate(node));
            RatedNode { node, price, performance, rate, next_kind: 0, next_rate: 0, lowest: node }
        };
        let mut places: Vec<RatedNode> = nodes.iter().enumerate().map(rated).collect();
        places.sort_unstable_by(|one, other| {
            one.rate.total_cmp(&other.rate).then(one.kind().cmp(&other.kind())).then(one.node.cmp(&other.node))
        });
        for one_rate in places.chunk_by_mut(|one, other| one.rate == other.rate) {
            if one_rate.len() == 1 {
                continue;
            }
            for kind in one_rate.chunk_by_mut(|one, other| one.kind() == other.kind()) {
                let first = kind[0].node;
                kind.iter_mut().for_each(|rated| rated.lowest = first);
            }
            one_rate.sort_unstable_by_key(|rated| (rated.lowest, rated.node));
        }
        let mut place_of = vec![0; nodes.len()];
        let mut behind: Option<RatedNode> = None;
        for (place, rated) in places.iter_mut().enumerate().rev() {
            place_of[(rated.node.0 - first.0) as usize] = place as u32;
            let next = place as u32 + 1;
            let same_rate = behind.filter(|behind| behind.rate == rated.rate);
            let same_kind = same_rate.filter(|behind| behind.kind() == rated.kind());
            rated.next_kind = same_kind.map_or(next, |behind| behind.next_kind);
            rated.next_rate = same_rate.map_or(next, |behind| behind.next_rate);
            rated.lowest = same_rate.map_or(rated.node, |behind| behind.lowest.min(rated.node));
            behind = Some(*rated);
        }
        let fastest = nodes.iter().map(|node| node.performance).max().unwrap_or(Performance::ZERO);
        Self { places, first, place_of, fastest, rule }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// The nodes in this order.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + Clone + '_ {
        self.places.iter().map(|rated| rated.node)
    }

    /// The node at a place.
    pub(super) fn at(&self, place: u32) -> &RatedNode {
        &self.places[place as usize]
    }

    /// The place of a node.
    pub(super) fn place_of(&self, node: NodeId) -> u32 {
        self.place_of[(node.0 - self.first.0) as usize]
    }

    /// The first place from `from` on whose node could do a task of so much [work](work) for less than another does, or
    /// for as much if that one has a higher number; nothing if none can.
    pub(super) fn better(&self, mut from: u32, work: f64, (cost, node): (i64, NodeId)) -> Option<u32> {
        loop {
            let rated = self.places.get(from as usize)?;
            let bound = rated.bound(work);
            if bound > cost as f64 {
                return None;
            }
            if bound < cost as f64 || rated.lowest < node {
                return Some(from);
            }
            from = rated.next_rate;
        }
    }

    /// The first place from which on no node can do a task of so much [work](work) for as little as `cost`.
    pub(super) fn beyond(&self, work: f64, cost: i64) -> u32 {
        self.places.partition_point(|rated| rated.bound(work) <= cost as f64) as u32
    }

    /// The node on which a task costs least, and of those the one with the lowest number. `cost` says what it costs, if
    /// the node will do; few are asked.
    pub fn cheapest<T>(
        &self,
        request: &Request,
        mut cost: impl FnMut(NodeId) -> Option<(Money, T)>,
    ) -> Option<(Money, NodeId, T)> {
        let work = work(self.rule, request);
        let mut best: Option<(Money, NodeId, T)> = None;
        let mut place = 0;
        while let Some(rated) = self.places.get(place as usize) {
            if let Some((least, node, _)) = &best {
                let Some(better) = self.better(place, work, (least.ticks(), *node)) else { break };
                if better != place {
                    place = better;
                    continue;
                }
            }
            place += 1;
            let node = rated.node;
            let Some((cost, found)) = cost(node) else { continue };
            if best.as_ref().is_none_or(|(least, other, _)| (cost, node) < (*least, *other)) {
                best = Some((cost, node, found));
            } else {
                place = rated.next_kind;
            }
        }
        best
    }

    /// A runtime that no task of the request is below, on any of the nodes.
    pub(super) fn shortest(&self, request: &Request) -> Option<Span> {
        self.rule.runtime(request, self.fastest)
    }

    /// The terms of a task at a place, if the node suits.
    pub(super) fn quote(&self, place: u32, request: &Request) -> Option<NodeQuote> {
        let RatedNode { price, performance, .. } = *self.at(place);
        NodeQuote::at(price, performance, self.rule, request)
    }
}

impl RatedNode {
    pub(super) fn price(&self) -> Price {
        self.price
    }

    pub(super) fn performance(&self) -> Performance {
        self.performance
    }

    /// What it does in an interval, as [`least_room`] counts it.
    pub(super) fn room(&self, interval: Interval) -> f64 {
        room(self.performance, interval.start, interval.end)
    }

    fn kind(&self) -> (Performance, Price) {
        (self.performance, self.price)
    }

    /// A bound that a task of so much [work](work) costs no less than, here and at all later places.
    pub(super) fn bound(&self, work: f64) -> f64 {
        // Below 0, more time would cost less.
        if self.price < Price::ZERO { f64::NEG_INFINITY } else { least_cost(self.rate, work) }
    }
}

/// Price over performance. Rounded: it bounds costs, and is never taken for one.
pub(super) fn rate(node: &Node) -> f64 {
    node.price.ticks() as f64 / node.performance.ticks() as f64
}

/// What a task of so much [work](work) costs at least on a node of this rate.
pub(super) fn least_cost(rate: f64, work: f64) -> f64 {
    // Runtimes are rounded up, then costs to the nearest tick; the factor is for the rounding of these very numbers.
    (rate * work * (1.0 - 1e-12) + 0.5).floor()
}

/// The work of a task of the request: its cost is this times price over performance, before anything is rounded.
pub(crate) fn work(rule: RuntimeRule, request: &Request) -> f64 {
    let length = request.length.ticks() as f64;
    match rule {
        RuntimeRule::Reference => length,
        RuntimeRule::Volume => length * request.min_performance.ticks() as f64 / TICKS_PER_UNIT as f64,
    }
}

/// True if it is certain that a task of so much work, which is its runtime in ticks at performance 1, does not fit
/// between two instants on a node of this performance. A multiplication, where a runtime takes a division.
pub fn is_too_short(work: f64, performance: Performance, start: Time, end: Time) -> bool {
    room(performance, start, end) < least_room(work)
}

/// What a node does between two instants.
fn room(performance: Performance, start: Time, end: Time) -> f64 {
    end.ticks().saturating_sub(start.ticks()) as f64 * performance.ticks() as f64
}

/// A task of so much work does not fit in a slot whose room, its length times the performance of its node, is less.
pub(crate) fn least_room(work: f64) -> f64 {
    work * TICKS_PER_UNIT as f64 * (1.0 - 1e-9) - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Power;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_later_node_is_cheaper_than_the_bound(
            nodes in prop::collection::vec((1i64..4_000_000, 1i64..4_000_000), 1..40),
            length in 1i64..200_000_000,
            min_performance in 1i64..2_000_000,
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
        ) {
            let node = |&(price, performance): &(i64, i64)| Node {
                name: "node".into(),
                performance: Performance::from_ticks(performance),
                price: Price::from_ticks(price),
                power: Power::ZERO,
            };
            // Some kinds twice, and some rates in two kinds.
            let double = nodes.iter().map(|&(price, performance)| (2 * price, 2 * performance));
            let nodes: Vec<Node> = nodes.iter().copied().chain(double).chain(nodes.clone()).map(|kind| node(&kind)).collect();
            let request = Request {
                name: "job".into(),
                nodes: 1,
                length: Span::from_ticks(length),
                min_performance: Performance::from_ticks(min_performance),
                max_price: Price::from_units(1),
                deadline: None,
            };
            let order = NodesByRate::new(NodeId(0), &nodes, rule);
            let work = work(rule, &request);
            for place in 0..order.len() as u32 {
                prop_assert_eq!(order.place_of(order.at(place).node), place);
                let kind = (place..order.len() as u32).take_while(|&later| order.at(later).kind() == order.at(place).kind());
                prop_assert_eq!(order.at(place).next_kind, place + kind.count() as u32);
                let same_rate = || (place..order.len() as u32).take_while(|&later| order.at(later).rate == order.at(place).rate);
                prop_assert_eq!(order.at(place).next_rate, place + same_rate().count() as u32);
                prop_assert_eq!(Some(order.at(place).lowest), same_rate().map(|later| order.at(later).node).min());
                for later in place..order.len() as u32 {
                    if let Some(quote) = order.quote(later, &request) {
                        prop_assert!(quote.cost.ticks() as f64 >= order.at(place).bound(work));
                        prop_assert!(Some(quote.runtime) >= order.shortest(&request));
                        let performance = order.at(later).performance;
                        prop_assert!(!is_too_short(work, performance, Time::ZERO, Time::ZERO + quote.runtime));
                    }
                }
            }
            let will_do = |node: NodeId| {
                let quote = NodeQuote::of(&nodes[node.index()], rule, &request).filter(|_| node.0 % 3 != 1)?;
                Some((quote.cost, ()))
            };
            let all = (0..nodes.len() as u32).map(NodeId);
            let plain = all.filter_map(|node| Some((will_do(node)?.0, node))).min();
            prop_assert_eq!(order.cheapest(&request, will_do).map(|(cost, node, ())| (cost, node)), plain);
        }
    }
}
