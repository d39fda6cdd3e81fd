//! `SearchCost`: how the work of a search grows with the list of slots.

use crate::language::{AboveZero, Count};
use crate::record;
use crate::units::Span;
use crate::workload::{RuntimeRule, SlotsSpec};

record! {
    /// The work of searches that find no window, as they are printed: ALP, AMP and backfilling over the whole schedule.
    /// Each world draws a list of slots and one of twice as many. The request asks for more nodes than there are; for
    /// AMP there is besides a request for a few nodes that has no money, so that the window is sorted at each slot.
    pub struct SearchCost {
        /// The slots that are drawn; `count` is their number m in the shorter list.
        slots: SlotsSpec,
        /// The time over which the starts of either list are spread: a longer list is then a denser one. Unless given,
        /// gaps are as they are drawn, and a longer list takes longer.
        #[read = Option<AboveZero<Span>>]
        span: Option<Span>,
        /// The number of nodes that the request without money asks for.
        #[unit = "nodes"]
        nodes: Count = Count::of(5),
        /// The length of the requests, t.
        #[read = AboveZero<Span>]
        length: Span,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        if this.length.as_f64() > 1e5 {
            errors.add(&at.field("length"), "costs would grow beyond all bounds", "give a length of at most 1e5");
        }
        if this.span.is_some_and(|span| span.as_f64() > 1e6) {
            errors.add(&at.field("span"), "starts can't be spread over this", "give more than 0 and at most 1e6");
        }
        if this.slots.count.max() > MOST_SLOTS {
            let right = format!("give at most {MOST_SLOTS}: backfilling looks at all pairs of slots");
            errors.add(&at.field("slots").field("count"), "there could be too many slots", right);
        }
        if this.slots.count.min() < 1.0 {
            errors.add(&at.field("slots").field("count"), "a list may have no slots", "give at least 1");
        }
    }
}

/// The most slots of the shorter list.
const MOST_SLOTS: f64 = 20_000.0;
