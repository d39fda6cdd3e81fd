//! The searches as they are printed, with their steps counted (files 000 and 002, sections 1 and 3).
//!
//! These are yardsticks: the searches of this module find the same windows with less work. A step is one look at a slot
//! of the list or at a slot of the window. To sort the window counts as one look at each of its slots.

use super::{Offers, budget};
use crate::model::{NodeId, Request, Slot, Window};
use crate::units::{Money, Span, Time};

/// A search as it is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrintedSearch {
    /// ALP, steps 1 to 6.
    Alp,
    /// AMP, steps 1 to 4.
    Amp,
    /// Backfilling over the whole schedule: at every instant at which a slot begins, all slots are looked through for
    /// nodes that are free for the whole runtime. It knows no prices.
    Backfilling,
}

/// The window of a search, if there is one, and the number of steps until it was found or given up.
#[derive(Debug, Clone, PartialEq)]
pub struct CountedWindow {
    /// The window.
    pub window: Option<Window>,
    /// The steps.
    pub steps: u64,
}

/// A slot in which a task of the request fits.
#[derive(Debug, Clone, Copy)]
struct SuitedSlot {
    cost: Money,
    node: NodeId,
    runtime: Span,
    end: Time,
}

impl PrintedSearch {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Alp, Self::Amp, Self::Backfilling];

    /// The name in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Alp => "ALP",
            Self::Amp => "AMP",
            Self::Backfilling => "backfilling",
        }
    }

    /// Looks for a window.
    ///
    /// ```
    /// use gridloom::model::{Interval, Node, NodeId, Request, Slot, SlotList};
    /// use gridloom::workload::RuntimeRule;
    /// use gridloom::search::{Offers, PrintedSearch};
    /// use gridloom::units::{Performance, Power, Price, Span, Time};
    ///
    /// let (performance, price) = (Performance::from_units(1), Price::from_units(1));
    /// let nodes = [0, 1, 2].map(|_| Node { name: "n".into(), performance, price, power: Power::ZERO });
    /// let free = |node, start| Slot { node: NodeId(node), interval: Interval::new(Time::from_units(start), Time::from_units(99)) };
    /// let slots = SlotList::new([free(0, 0), free(1, 5), free(2, 10)])?;
    /// let request = |nodes| Request {
    ///     name: "job".into(), nodes, length: Span::from_units(50), min_performance: performance, max_price: price, deadline: None,
    /// };
    /// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
    /// let steps = |search: PrintedSearch, nodes| search.count(&offers, &request(nodes)).steps;
    /// assert_eq!(steps(PrintedSearch::Alp, 2), 2 + (1 + 2), "two slots of the list, one and two in the window");
    /// assert_eq!(steps(PrintedSearch::Backfilling, 4), 3 * 3, "at each of three starts all three slots");
    /// # Ok::<(), gridloom::model::NotFree>(())
    /// ```
    pub fn count(self, offers: &Offers<'_>, request: &Request) -> CountedWindow {
        match self {
            Self::Alp | Self::Amp => forward(offers, request, self == Self::Amp),
            Self::Backfilling => backfilling(offers, request),
        }
    }
}

/// One walk through the list; AMP holds the window to the budget instead of each slot to the price.
fn forward(offers: &Offers<'_>, request: &Request, amp: bool) -> CountedWindow {
    let limit = budget(request, 1.0);
    let mut window: Vec<SuitedSlot> = Vec::new();
    let mut steps = 0;
    for slot in offers.slots.as_slice() {
        steps += 1;
        let now = slot.interval.start;
        let Some(suited) = suits(offers, request, slot, now) else { continue };
        if !amp && offers.nodes[slot.node.index()].price > request.max_price {
            continue;
        }
        window.push(suited);
        steps += window.len() as u64;
        window.retain(|suited| fits(suited, now));
        if window.len() < request.nodes {
            continue;
        }
        if amp {
            steps += window.len() as u64;
            window.sort_by_key(|suited| (suited.cost, suited.node));
            let total: i128 = window[..request.nodes].iter().map(|suited| i128::from(suited.cost.ticks())).sum();
            if total > i128::from(limit.ticks()) {
                continue;
            }
        }
        return CountedWindow { window: Some(of(now, &window[..request.nodes])), steps };
    }
    CountedWindow { window: None, steps }
}

/// Every start with every slot.
fn backfilling(offers: &Offers<'_>, request: &Request) -> CountedWindow {
    let slots = offers.slots.as_slice();
    let mut steps = 0;
    for at_once in slots.chunk_by(|one, other| one.interval.start == other.interval.start) {
        let now = at_once[0].interval.start;
        steps += slots.len() as u64;
        let free = slots.iter().filter(|slot| slot.interval.start <= now);
        let window: Vec<SuitedSlot> = free.filter_map(|slot| suits(offers, request, slot, now)).collect();
        if window.len() >= request.nodes {
            return CountedWindow { window: Some(of(now, &window[..request.nodes])), steps };
        }
    }
    CountedWindow { window: None, steps }
}

/// The slot as a part of a window that starts at `now`, if a task fits there (condition b, in the sense that a faster
/// node needs less time) on a node that is fast enough (condition a).
fn suits(offers: &Offers<'_>, request: &Request, slot: &Slot, now: Time) -> Option<SuitedSlot> {
    let node = &offers.nodes[slot.node.index()];
    if node.performance < request.min_performance {
        return None;
    }
    let runtime = offers.rule.runtime(request, node.performance)?;
    let cost = node.price.checked_mul(runtime).ok()?;
    let end = slot.interval.end.min(request.deadline.unwrap_or(Time::MAX));
    let suited = SuitedSlot { cost, node: slot.node, runtime, end };
    fits(&suited, now).then_some(suited)
}

/// True if the task, started at `now`, ends before its slot does.
fn fits(suited: &SuitedSlot, now: Time) -> bool {
    now.checked_add(suited.runtime).is_ok_and(|finish| finish <= suited.end)
}

fn of(start: Time, window: &[SuitedSlot]) -> Window {
    Window::of_parts(start, window.iter().map(|suited| (suited.node, suited.runtime)))
}
