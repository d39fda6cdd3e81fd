//! Fronts of labels: finish against cost, dominated ones dropped.

use crate::model::NodeId;
use crate::units::{Money, Time};

/// A way to have a task of a chain done: when it ends, and what it and those before it cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ChainLabel {
    pub(super) finish: Time,
    pub(super) cost: Money,
    pub(super) node: NodeId,
    /// The label of the task before, in the arena of the chain.
    pub(super) before: u32,
    /// Its own place in the arena.
    pub(super) index: u32,
}

/// Labels none of which is both later and more expensive than another: finish rises, cost falls.
#[derive(Debug, Clone, Default)]
pub(super) struct ParetoFront(pub(super) Vec<ChainLabel>);

impl ParetoFront {
    /// Makes this the front of `one` and `other`; of equal labels, that of the node which comes first in `order` stays,
    /// or else that of `one`.
    pub(super) fn merge(&mut self, one: &[ChainLabel], other: &[ChainLabel], order: impl Fn(NodeId) -> u32) {
        self.0.clear();
        let (mut one, mut other) = (one.iter().peekable(), other.iter().peekable());
        let key = |label: &ChainLabel| (label.finish, label.cost);
        loop {
            let label = match (one.peek(), other.peek()) {
                (Some(a), Some(b)) if key(b) < key(a) => other.next(),
                (Some(a), Some(b)) if key(b) == key(a) && order(b.node) < order(a.node) => other.next(),
                (Some(_), _) => one.next(),
                (None, _) => other.next(),
            };
            let Some(&label) = label else { return };
            if self.0.last().is_none_or(|last| label.cost < last.cost) {
                self.0.push(label);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn label((finish, cost): (i64, i64)) -> ChainLabel {
        ChainLabel {
            finish: Time::from_ticks(finish),
            cost: Money::from_ticks(cost),
            node: NodeId(0),
            before: 0,
            index: 0,
        }
    }

    proptest! {
        #[test]
        fn exactly_the_dominated_labels_are_dropped(
            one in prop::collection::vec((0i64..20, 0i64..20), 0..8),
            other in prop::collection::vec((0i64..20, 0i64..20), 0..8),
        ) {
            let dominated = |all: &[(i64, i64)], (finish, cost): (i64, i64)| {
                all.iter().any(|&(f, c)| f <= finish && c <= cost && (f, c) != (finish, cost))
            };
            let front = |all: &[(i64, i64)]| {
                let mut kept: Vec<_> = all.iter().copied().filter(|&label| !dominated(all, label)).collect();
                kept.sort_unstable();
                kept.dedup();
                kept
            };
            let labels = |pairs: &[(i64, i64)]| front(pairs).into_iter().map(label).collect::<Vec<_>>();
            let mut merged = ParetoFront::default();
            merged.merge(&labels(&one), &labels(&other), |_| 0);
            let all = [one, other].concat();
            prop_assert_eq!(merged.0, labels(&all));
        }
    }
}
