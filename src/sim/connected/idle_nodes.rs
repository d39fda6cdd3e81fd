//! The nodes that nothing runs on, in the order in which jobs that start at once take them.

use super::grid::GridState;
use super::site::Site;
use crate::model::{Interval, Node, NodeId, NotFree, SlotList};
use crate::policy::{FreedTime, SlotSource, SystemView, TimeByNode};
use crate::units::{Performance, Price, Span, Time};
use std::cmp::Ordering;
use std::collections::BTreeSet;
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
///
/// Some of them may not be free: their time may be reserved from this instant on.
#[derive(Debug)]
pub(super) struct IdleNodes {
    /// By domain.
    cheapest_first: Vec<BTreeSet<Offered>>,
    is_idle: Vec<bool>,
}

impl IdleNodes {
    /// All nodes of so many domains; `domain_of` has the position of each node's domain.
    pub(super) fn all(nodes: &[Node], domain_of: &[u32], domains: usize) -> Self {
        let cheapest_first = vec![BTreeSet::new(); domains];
        let mut idle = Self { cheapest_first, is_idle: vec![false; nodes.len()] };
        (0..nodes.len()).for_each(|index| idle.set(nodes, domain_of, NodeId(index as u32), true));
        idle
    }

    /// Lets a node be among them or not.
    pub(super) fn set(&mut self, nodes: &[Node], domain_of: &[u32], node: NodeId, is_idle: bool) {
        if std::mem::replace(&mut self.is_idle[node.index()], is_idle) == is_idle {
            return;
        }
        let Node { price, performance, .. } = nodes[node.index()];
        let offered = Offered { price, performance, node };
        let set = &mut self.cheapest_first[domain_of[node.index()] as usize];
        if is_idle {
            set.insert(offered);
        } else {
            set.remove(&offered);
        }
    }

    /// The idle nodes of the domains at these positions, the cheapest first.
    fn of(&self, domains: Range<usize>) -> impl Iterator<Item = NodeId> {
        let mut next: Vec<_> = self.cheapest_first[domains].iter().map(|set| set.iter().peekable()).collect();
        std::iter::from_fn(move || {
            let (_, cheapest) = next.iter_mut().enumerate().filter_map(|(at, set)| Some((*set.peek()?, at))).min()?;
            next[cheapest].next().map(|offered| offered.node)
        })
    }
}

impl GridState<'_> {
    /// Takes notice of what runs on a node, and whether it is up.
    pub(super) fn look_at(&mut self, node: NodeId) {
        let Site { occupant, is_down, .. } = &self.sites[node.index()];
        let is_idle = occupant.is_none() && !is_down;
        self.idle.set(&self.nodes, &self.domain, node, is_idle);
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

    fn by_node(&self) -> Option<&dyn TimeByNode> {
        // What batch systems no longer promise becomes free without notice.
        if self.systems.is_empty() { Some(self) } else { None }
    }
}

impl TimeByNode for OfferedTime<'_, '_> {
    fn free_within(&self, node: NodeId, bounds: Interval) -> Vec<Interval> {
        let site = &self.grid.sites[node.index()];
        if site.is_down { Vec::new() } else { site.timeline.free_within(bounds.clip(self.bounds)).collect() }
    }

    fn has_time(&self, node: NodeId) -> bool {
        let site = &self.grid.sites[node.index()];
        let first = site.timeline.first_fit(self.bounds.start, Span::from_ticks(1));
        !site.is_down && first.is_some_and(|first| first < self.bounds.end)
    }

    fn bounds(&self) -> Interval {
        self.bounds
    }

    fn freed(&self) -> &FreedTime {
        &self.grid.freed
    }
}
