//! The window that a request is granted.

use super::{Interval, Node, NodeId, Slot, sort_by_node};
use crate::units::{Money, Overflow, Span, Time};

/// Slots on distinct nodes that all start at the same instant, each held for its own task's runtime, so that the right
/// edge may be rough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    slots: Vec<Slot>,
}

impl Window {
    /// A window that starts at `start` and holds each node for its own runtime; slots are kept in node order.
    pub fn new(start: Time, parts: Vec<(NodeId, Span)>) -> Self {
        Self::of_parts(start, parts)
    }

    /// The same for parts that are in no list yet: windows are made by the million.
    pub(crate) fn of_parts(start: Time, parts: impl IntoIterator<Item = (NodeId, Span)>) -> Self {
        let part = |(node, runtime)| Slot { node, interval: Interval::new(start, start + runtime) };
        let mut slots: Vec<Slot> = parts.into_iter().map(part).collect();
        sort_by_node(&mut slots);
        Self { slots }
    }

    /// The slots held, in node order.
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// The common start; zero for a window without slots.
    pub fn start(&self) -> Time {
        self.slots.first().map_or(Time::ZERO, |slot| slot.interval.start)
    }

    /// When the last slot ends.
    pub fn finish(&self) -> Time {
        self.slots.iter().map(|slot| slot.interval.end).max().unwrap_or(Time::ZERO)
    }

    /// The longest runtime in it: the papers' window time.
    pub fn time(&self) -> Span {
        self.finish() - self.start()
    }

    /// The sum of price x runtime over its slots.
    pub fn cost(&self, nodes: &[Node]) -> Result<Money, Overflow> {
        self.slots.iter().try_fold(Money::ZERO, |total, slot| {
            total.checked_add(nodes[slot.node.index()].price.checked_mul(slot.interval.span())?)
        })
    }
}
