//! ALP: the earliest window in which every single slot is within the price limit (file 000, section 3).

use super::{Offers, WindowSearch};
use crate::model::{NodeId, Request, Window};
use crate::units::{Span, Time};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The search by the local price of slots: no slot may cost more per unit of time than the request's limit.
///
/// Slots are taken in order of start. The window would start with the slot taken last; slots in which the task no
/// longer fits from there on drop out; the first time that enough are live, they are the window. Each slot enters and leaves
/// a heap of at most N once: m log N for m slots.
///
/// ```
/// use gridloom::model::{Interval, Node, NodeId, Request, RuntimeRule, Slot, SlotList};
/// use gridloom::search::{Alp, Offers, WindowSearch};
/// use gridloom::units::{Performance, Price, Span, Time};
///
/// let node = |name: &str, price| Node {
///     name: name.into(),
///     performance: Performance::from_units(1),
///     price: Price::from_units(price),
/// };
/// let nodes = [node("a", 1), node("b", 9), node("c", 2)];
/// let free = |node, start| Slot { node: NodeId(node), interval: Interval::new(Time::from_units(start), Time::from_units(99)) };
/// let slots = SlotList::new([free(0, 0), free(1, 5), free(2, 10)])?;
/// let request = Request {
///     name: "job".into(),
///     nodes: 2,
///     length: Span::from_units(50),
///     min_performance: Performance::from_units(1),
///     max_price: Price::from_units(3),
///     deadline: None,
/// };
/// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
/// let window = Alp.find_window(&offers, &request).unwrap();
/// assert_eq!(window.start(), Time::from_units(10), "b is free earlier but too dear");
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alp;

impl WindowSearch for Alp {
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
        if request.nodes == 0 {
            return None;
        }
        let mut live: BinaryHeap<Reverse<(Time, NodeId, Span)>> = BinaryHeap::new();
        for candidate in offers.candidates(request) {
            if offers.nodes[candidate.slot.node.index()].price > request.max_price {
                continue;
            }
            let start = candidate.slot.interval.start;
            while live.peek().is_some_and(|Reverse((latest_start, ..))| *latest_start < start) {
                live.pop();
            }
            live.push(Reverse((candidate.latest_start, candidate.slot.node, candidate.runtime)));
            if live.len() == request.nodes {
                let parts = live.into_iter().map(|Reverse((_, node, runtime))| (node, runtime)).collect();
                return Some(Window::new(start, parts));
            }
        }
        None
    }
}
