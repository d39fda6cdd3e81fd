//! The nodes that nothing runs on, in the order in which jobs that start at once take them.

use super::grid::GridState;
use super::site::Site;
use crate::model::{Interval, Node, NodeId, NotFree, SlotList};
use crate::policy::{SlotSource, SystemView};
use crate::search::BitSet;
use crate::units::{Performance, Price, Time};
use std::cmp::Ordering;
use std::ops::Range;

/// A node by the price of a unit of its work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Offered {
    price: Price,
    performance: Performance,
    node: NodeId,
}

impl Ord for Offered {
    /// Fractions are compared without rounding.
    fn cmp(&self, other: &Self) -> Ordering {
        let left = i128::from(self.price.ticks()) * i128::from(other.performance.ticks());
        let right = i128::from(other.price.ticks()) * i128::from(self.performance.ticks());
        left.cmp(&right).then(self.node.cmp(&other.node))
    }
}

impl PartialOrd for Offered {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The nodes that are up and on which nothing runs, kept as that changes.
/// Some of them may not be free: their time may be reserved from this instant on.
#[derive(Debug)]
pub(super) struct IdleNodes {
    /// By domain.
    domains: Vec<IdleOfDomain>,
    /// The position of each node's domain.
    domain_of: Vec<u32>,
    /// The place of each node in the order of its domain.
    place_of: Vec<u32>,
}

/// The nodes of a domain in their order, and the places of those that are idle. Nodes come and go with every task, while
/// their order changes with prices only.
#[derive(Debug)]
struct IdleOfDomain {
    cheapest_first: Vec<Offered>,
    idle: BitSet,
}

impl IdleOfDomain {
    /// The idle nodes, the cheapest first.
    fn offers(&self) -> impl Iterator<Item = Offered> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let place = self.idle.next(from)?;
            from = place + 1;
            Some(self.cheapest_first[place as usize])
        })
    }
}

impl IdleNodes {
    /// All nodes of so many domains; `domain_of` has the position of each node's domain.
    pub(super) fn all(nodes: &[Node], domain_of: &[u32], domains: usize) -> Self {
        let mut members = vec![Vec::new(); domains];
        for (index, (&Node { price, performance, .. }, &domain)) in nodes.iter().zip(domain_of).enumerate() {
            members[domain as usize].push(Offered { price, performance, node: NodeId(index as u32) });
        }
        let mut all = Self { domains: Vec::new(), domain_of: domain_of.to_vec(), place_of: vec![0; nodes.len()] };
        for (domain, members) in members.into_iter().enumerate() {
            let idle: Vec<NodeId> = members.iter().map(|offered| offered.node).collect();
            all.domains.push(IdleOfDomain { idle: BitSet::new(members.len()), cheapest_first: members });
            all.sort(domain);
            idle.into_iter().for_each(|node| all.set(node, true));
        }
        all
    }

    /// Lets a node be among them or not.
    pub(super) fn set(&mut self, node: NodeId, is_idle: bool) {
        let (domain, place) = (self.domain_of[node.index()], self.place_of[node.index()]);
        let set = &mut self.domains[domain as usize].idle;
        if is_idle { set.insert(place) } else { set.remove(place) }
    }

    /// Brings the nodes of a domain into the order of their present prices.
    pub(super) fn reprice(&mut self, nodes: &[Node], domain: usize) {
        let idle: Vec<NodeId> = self.of(domain..domain + 1).collect();
        idle.iter().for_each(|&node| self.set(node, false));
        let offered = self.domains[domain].cheapest_first.iter_mut();
        offered.for_each(|offered| offered.price = nodes[offered.node.index()].price);
        self.sort(domain);
        idle.into_iter().for_each(|node| self.set(node, true));
    }

    /// Sorts the nodes of a domain, of which none is among the idle ones.
    fn sort(&mut self, domain: usize) {
        let nodes = &mut self.domains[domain].cheapest_first;
        nodes.sort_unstable();
        for (place, offered) in nodes.iter().enumerate() {
            self.place_of[offered.node.index()] = place as u32;
        }
    }

    /// The idle nodes of the domains at these positions, the cheapest first.
    fn of(&self, domains: Range<usize>) -> impl Iterator<Item = NodeId> {
        let mut next: Vec<_> = self.domains[domains].iter().map(|domain| domain.offers().peekable()).collect();
        std::iter::from_fn(move || {
            let offers = next.iter_mut().enumerate().filter_map(|(at, offers)| Some((*offers.peek()?, at)));
            let (_, cheapest) = offers.min()?;
            next[cheapest].next().map(|offered| offered.node)
        })
    }
}

impl GridState<'_> {
    /// Takes notice of what runs on a node, and whether it is up.
    pub(super) fn look_at(&mut self, node: NodeId) {
        let Site { occupant, is_down, .. } = &self.sites[node.index()];
        let is_idle = occupant.is_none() && !is_down;
        self.idle.set(node, is_idle);
    }
}

/// The free time that the metascheduler is offered.
pub(super) struct OfferedTime<'g, 'w> {
    pub(super) grid: &'g GridState<'w>,
    pub(super) systems: &'g [SystemView<'g>],
    pub(super) bounds: Interval,
}

impl SlotSource for OfferedTime<'_, '_> {
    fn list(&self) -> Result<SlotList, NotFree> {
        self.grid.offered_slots(self.systems, self.bounds)
    }

    fn idle(&self, domains: Range<usize>) -> Option<Box<dyn Iterator<Item = (NodeId, Time)> + '_>> {
        // What batch systems have promised is not offered.
        if !self.systems.is_empty() {
            return None;
        }
        let Self { grid, bounds, .. } = self;
        Some(Box::new(grid.idle.of(domains).filter_map(|node| {
            let free = grid.sites[node.index()].timeline.free_at(bounds.start)?;
            Some((node, free.end.min(bounds.end)))
        })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Power;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn idle_nodes_come_in_the_order_of_their_present_prices(
            prices in prop::collection::vec(1i64..5, 1..12),
            changes in prop::collection::vec((0usize..12, any::<bool>(), 0i64..8), 0..40),
        ) {
            let node = |&price: &i64| Node {
                name: String::new(),
                performance: Performance::from_units(1 + price % 2),
                price: Price::from_units(price),
                power: Power::ZERO,
            };
            let mut nodes: Vec<Node> = prices.iter().map(node).collect();
            let domain_of: Vec<u32> = (0..nodes.len()).map(|index| u32::from(index >= nodes.len() / 2)).collect();
            let mut idle = IdleNodes::all(&nodes, &domain_of, 2);
            let mut plain: BTreeSet<usize> = (0..nodes.len()).collect();
            for (index, is_idle, price) in changes {
                let index = index % nodes.len();
                if price > 0 {
                    nodes[index].price = Price::from_units(price);
                    idle.reprice(&nodes, domain_of[index] as usize);
                }
                idle.set(NodeId(index as u32), is_idle);
                if is_idle { plain.insert(index) } else { plain.remove(&index) };
                for domains in [0..1, 1..2, 0..2] {
                    let mut expected: Vec<Offered> = plain
                        .iter()
                        .filter(|&&index| domains.contains(&(domain_of[index] as usize)))
                        .map(|&index| Offered {
                            price: nodes[index].price,
                            performance: nodes[index].performance,
                            node: NodeId(index as u32),
                        })
                        .collect();
                    expected.sort();
                    let expected: Vec<NodeId> = expected.into_iter().map(|offered| offered.node).collect();
                    prop_assert_eq!(idle.of(domains).collect::<Vec<_>>(), expected);
                }
            }
        }
    }
}
