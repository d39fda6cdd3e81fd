//! Window searches: one file each.
//!
//! A search looks for one window for one request in a list of free slots; it changes nothing. Every search promises the
//! same things about the window it returns, and the `check` module holds it to them: as many distinct nodes as
//! asked for, one common start, each node fast enough and free for its task's whole runtime, the price limit or
//! the budget and the deadline kept. Ties go to the earlier start, then to the cheaper window, then to the lower nodes.
//!
//! All searches scan the slots in order of start. The window would start where the slots that were met last do; slots
//! in which a task no longer fits from there on have expired; the rest are *live*, and any N of them could form the
//! window. The searches differ in which N they take and when they stop. All slots of one start are taken in before
//! anything is decided, so that the cheaper of two is not missed for standing later in the list (ALP and AMP
//! can be told otherwise, see [`Takes`]). None sorts the live slots at each step as the papers do: an order structure (`live`)
//! keeps the best N of them at hand.

mod additive;
mod alp;
mod alternatives;
mod amp;
mod at_once;
mod bits;
mod by_rate;
mod criterion;
mod earliest;
mod knapsack;
mod live;
mod long_slots;
mod named;
mod node_quote;
mod printed;
mod remaining;
mod room;
mod takes;
mod walk;

pub use alp::Alp;
pub use alternatives::{Finder, collect_alternatives, find_alternatives, find_alternatives_until};
pub use amp::Amp;
pub(crate) use bits::BitSet;
pub(crate) use by_rate::work;
pub use by_rate::{NodesByRate, is_too_short};
pub use criterion::{ByCriterion, EarliestFinish, MinCost, MinPower, MinProcessorTime, MinRuntime, WindowCriterion};
pub(crate) use long_slots::LongSlots;
pub use named::{NamedSearch, named_searches};
pub use printed::{CountedWindow, PrintedSearch};
#[cfg(test)]
pub(crate) use room::tests::{job, nodes};
pub use room::{MANY_IN_VAIN, RoomBySize, grade_of, least_work};
pub(crate) use room::{least_ticks, pace};
pub use takes::Takes;

use live::{Live, LiveSlot};
use node_quote::{NodeQuote, terms};

use crate::model::{CostLimit, Interval, Node, Request, SlotList, Window};
use crate::units::{Money, Time};
use crate::workload::RuntimeRule;
use std::ops::ControlFlow;

crate::registry! {
    /// The window searches. All but `Alp` hold the whole window to a budget of `budget_factor` * C * t * N.
    pub enum Search: WindowSearch {
        Alp(alp::Alp),
        Amp(amp::Amp),
        EarliestFinish(criterion::EarliestFinish),
        MinCost(criterion::MinCost),
        MinRuntime(criterion::MinRuntime),
        MinProcessorTime(criterion::MinProcessorTime),
        MinPower(criterion::MinPower),
    }
}

/// Where a search looks.
#[derive(Debug, Clone, Copy)]
pub struct Offers<'a> {
    /// The nodes, by their id.
    pub nodes: &'a [Node],
    /// The free slots on them.
    pub slots: &'a SlotList,
    /// The rule by which a job's length becomes a runtime.
    pub rule: RuntimeRule,
}

/// A way to find a window.
pub trait WindowSearch: Send + Sync {
    /// The window for `request`, or `None` when there is none.
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window>;

    /// The name in results.
    fn name(&self) -> &'static str;

    /// The limit on the cost of its windows.
    fn limit(&self) -> CostLimit;

    /// The way in which it collects alternatives for a batch, if it does so by resuming scans.
    fn finder(&self) -> Option<Finder> {
        None
    }
}

impl<S: WindowSearch + ?Sized> WindowSearch for &S {
    fn find_window(&self, offers: &Offers<'_>, request: &Request) -> Option<Window> {
        (**self).find_window(offers, request)
    }

    fn name(&self) -> &'static str {
        (**self).name()
    }

    fn limit(&self) -> CostLimit {
        (**self).limit()
    }

    fn finder(&self) -> Option<Finder> {
        (**self).finder()
    }
}

/// The budget of a window, S = k * C * t * N, where k is the budget factor and t is not scaled by any node's
/// performance.
pub fn budget(request: &Request, factor: f64) -> Money {
    let whole = request.max_price.checked_mul(request.length).ok();
    let whole = whole.and_then(|money| money.ticks().checked_mul(i64::try_from(request.nodes).ok()?));
    match whole {
        Some(ticks) if factor == 1.0 => Money::from_ticks(ticks),
        Some(ticks) => Money::from_f64(Money::from_ticks(ticks).as_f64() * factor).unwrap_or(Money::MAX),
        None => Money::MAX,
    }
}

/// The window that starts at `start` on the chosen slots.
fn window(start: Time, chosen: &[LiveSlot]) -> Window {
    Window::of_parts(start, chosen.iter().map(|entry| (entry.node, entry.runtime)))
}

/// Walks through the slots that could take a task of the request: `visit` gets each start with all the slots that begin
/// there, and may stop the walk.
fn scan(
    offers: &Offers<'_>,
    request: &Request,
    terms: &[Option<NodeQuote>],
    mut visit: impl FnMut(Time, &[LiveSlot]) -> ControlFlow<()>,
) {
    let deadline = request.deadline.unwrap_or(Time::MAX);
    let mut group: Vec<LiveSlot> = Vec::new();
    let mut start = Time::ZERO;
    for found in offers.slots.as_slice() {
        let Some(terms) = &terms[found.node.index()] else { continue };
        let Interval { start: begins, end } = found.interval;
        let Some(latest_start) = terms.latest_start(begins, end.min(deadline)) else { continue };
        if begins > start && !group.is_empty() {
            if visit(start, &group).is_break() {
                return;
            }
            group.clear();
        }
        start = begins;
        group.push(LiveSlot { key: terms.cost.ticks(), node: found.node, runtime: terms.runtime, latest_start });
    }
    if !group.is_empty() {
        let _ = visit(start, &group);
    }
}
