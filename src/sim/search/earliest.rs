//! The earliest window within bounds on its start.

use super::by_rate::{is_too_short, work};
use super::{Finder, Live, LiveSlot, NodeQuote, Offers, budget, window};
use crate::model::{Request, Slot, Window};
use crate::units::Time;
use std::ops::RangeInclusive;

/// A window may start at any time.
pub(super) const ANY: RangeInclusive<Time> = Time::from_ticks(i64::MIN)..=Time::MAX;

impl Finder {
    /// The first window that starts within `starts`: at the first start at which the N live slots of lowest cost are
    /// within the limit, those slots. m log m for m slots.
    ///
    /// A window may start inside a slot only where `starts` begins; otherwise it could start earlier.
    pub fn first_window(self, offers: &Offers<'_>, request: &Request, starts: RangeInclusive<Time>) -> Option<Window> {
        self.first_window_of(offers.slots.as_slice().iter().copied(), offers, request, starts)
    }

    /// The same in other slots than those of `offers`, in order of start.
    pub(crate) fn first_window_of(
        self,
        slots: impl Iterator<Item = Slot>,
        offers: &Offers<'_>,
        request: &Request,
        starts: RangeInclusive<Time>,
    ) -> Option<Window> {
        let (per_slot, limit) = match self {
            Self::Alp(_) => (true, i64::MAX),
            Self::Amp(amp) => (false, budget(request, amp.budget_factor.get()).ticks()),
        };
        if starts.is_empty() {
            return None;
        }
        let deadline = request.deadline.unwrap_or(Time::MAX);
        let work = work(offers.rule, request);
        let mut live = Live::new(request.nodes);
        let mut start = *starts.start();
        for found in slots {
            let begins = found.interval.start.max(*starts.start());
            if begins > start {
                // All slots of a start have been met.
                if !self.one_by_one() && live.total().is_some_and(|total| total <= limit) {
                    break;
                }
                if begins > *starts.end() {
                    return None;
                }
                start = begins;
                live.advance(start);
            }
            // The terms of a node are worked out when a slot of it is met: most searches end before most slots.
            let node = &offers.nodes[found.node.index()];
            if per_slot && node.price > request.max_price {
                continue;
            }
            let end = found.interval.end.min(deadline);
            if is_too_short(work, node.performance, begins, end) {
                continue;
            }
            let Some(quote) = NodeQuote::of(node, offers.rule, request) else { continue };
            let Some(latest_start) = quote.latest_start(begins, end) else { continue };
            let NodeQuote { runtime, cost } = quote;
            live.insert(LiveSlot { key: cost.ticks(), node: found.node, runtime, latest_start });
            if self.one_by_one() && live.total().is_some_and(|total| total <= limit) {
                break;
            }
        }
        live.total().filter(|&total| total <= limit).map(|_| window(start, live.chosen()))
    }
}
