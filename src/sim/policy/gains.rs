//! The time that became free since a job was last looked at, and whether the job could use it.

use super::TimeByNode;
use crate::model::{Interval, NodeId};
use crate::units::Span;
use std::ops::Range;

/// True if it is certain that nothing that became free since `mark` on one of `nodes` is of use to a job within
/// `bounds`: no free interval that it belongs to is as long as the job needs at least, which `needs` says by node;
/// nothing if the node is of no use to the job anyway.
pub(super) fn is_of_no_use(
    time: &dyn TimeByNode,
    mark: u64,
    nodes: Range<u32>,
    bounds: Interval,
    needs: impl Fn(NodeId) -> Option<Span>,
) -> bool {
    let Some(mut freed) = time.freed().since(mark) else { return false };
    freed.all(|slot| {
        if !nodes.contains(&slot.node.0) || !slot.interval.overlaps(bounds) {
            return true;
        }
        let Some(span) = needs(slot.node) else { return true };
        let free = time.free_within(slot.node, bounds);
        free.iter().filter(|free| free.overlaps(slot.interval)).all(|free| free.span() < span)
    })
}
