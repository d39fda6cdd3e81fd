//! The earliest window within bounds on its start.

use super::{Finder, Live, Offers, budget, scan_from, terms, window};
use crate::model::{Request, Window};
use crate::units::Time;
use std::ops::{ControlFlow, RangeInclusive};

/// A window may start at any time.
pub(super) const ANY: RangeInclusive<Time> = Time::from_ticks(i64::MIN)..=Time::MAX;

impl Finder {
    /// The first window that starts within `starts`: at the first start at which the N live slots of lowest cost are
    /// within the limit, those slots. m log m for m slots.
    ///
    /// A window may start inside a slot only where `starts` begins; otherwise it could start earlier.
    pub fn first_window(self, offers: &Offers<'_>, request: &Request, starts: RangeInclusive<Time>) -> Option<Window> {
        let (per_slot, limit) = match self {
            Self::Alp(_) => (true, i64::MAX),
            Self::Amp(amp) => (false, budget(request, amp.budget_factor.get()).ticks()),
        };
        let terms = terms(offers.nodes, offers.rule, request, |node| !per_slot || node.price <= request.max_price);
        let mut live = Live::new(request.nodes);
        let mut found = None;
        scan_from(offers, request, &terms, *starts.start(), |start, group| {
            if start > *starts.end() {
                return ControlFlow::Break(());
            }
            live.advance(start);
            let at_once = if self.one_by_one() { 1 } else { group.len() };
            for met in group.chunks(at_once) {
                met.iter().for_each(|&entry| live.insert(entry));
                if live.total().is_some_and(|total| total <= limit) {
                    found = Some(window(start, live.chosen()));
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        found
    }
}
