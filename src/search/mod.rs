//! Window searches: one file each.
//!
//! A search looks for one window for one request in a list of free slots; it changes nothing. Every search promises the
//! same things about the window it returns, and the `check` module holds it to them: as many distinct nodes as
//! asked for, one common start, each node fast enough and free for its task's whole runtime, the deadline kept.

mod alp;

pub use alp::Alp;

use crate::model::{Interval, Node, Request, RuntimeRule, Slot, SlotList, Window};
use crate::units::{Span, Time};

/// Where a search looks.
#[derive(Debug, Clone, Copy)]
pub struct Offers<'a> {
    /// The nodes, by their id.
    pub nodes: &'a [Node],
    /// The free slots on them.
    pub slots: &'a SlotList,
    /// How a job's length becomes a runtime.
    pub rule: RuntimeRule,
}

/// A way to find a window.
pub trait WindowSearch {
    /// The window for `request`, or `None` when there is none.
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window>;
}

/// A slot that could take a task of a request.
struct Candidate {
    slot: Slot,
    runtime: Span,
    /// The last instant at which the task can start and still end in the slot and by the deadline.
    latest_start: Time,
}

impl Offers<'_> {
    /// The slots, in order of start, that are fast enough and long enough for a task of `request`.
    fn candidates(&self, request: &Request) -> impl Iterator<Item = Candidate> {
        let deadline = request.deadline.unwrap_or(Time::MAX);
        self.slots.iter().filter_map(move |slot| {
            let performance = self.nodes[slot.node.index()].performance;
            if performance < request.min_performance {
                return None;
            }
            let runtime = self.rule.runtime(request, performance)?;
            let usable = Interval::new(slot.interval.start, slot.interval.end.min(deadline));
            (usable.span() >= runtime).then(|| Candidate { slot, runtime, latest_start: usable.end - runtime })
        })
    }
}
