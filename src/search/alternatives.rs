//! All windows that a batch can be offered at once (file 000, section 2).
//!
//! Round robin over the jobs in their order, one window each per pass; every window is cut out of the free time before the
//! next job looks, so that no two alternatives ever overlap. A job whose search fails is left out of later passes:
//! free time only shrinks, so it can't succeed again. For the same reason a job's next window never starts before its
//! last one, and each job keeps its scan where it stands instead of beginning anew: the slots are walked through once per
//! job, whatever the number of windows.

use super::live::{Entry, Live};
use super::terms::{Terms, terms};
use super::{Offers, budget};
use crate::model::{Interval, Request, Slot, Window};
use crate::units::Time;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The searches that collect alternatives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finder {
    /// Every slot within the price limit.
    Alp,
    /// The whole window within the budget.
    Amp {
        /// The budget factor k.
        budget_factor: f64,
    },
}

/// The windows of each request of `batch`, in the order in which they were found: window i is from pass i + 1. At most
/// `passes` passes are made, if a number is given.
///
/// ```
/// use gridloom::model::{Interval, Node, NodeId, Request, RuntimeRule, Slot, SlotList};
/// use gridloom::search::{Finder, Offers, find_alternatives};
/// use gridloom::units::{Performance, Power, Price, Span, Time};
///
/// let (performance, price, power) = (Performance::from_units(1), Price::from_units(1), Power::from_units(1));
/// let nodes = [Node { name: "a".into(), performance, price, power }];
/// let free = Interval::new(Time::ZERO, Time::from_units(100));
/// let slots = SlotList::new([Slot { node: NodeId(0), interval: free }])?;
/// let request = |name: &str, length| Request {
///     name: name.into(),
///     nodes: 1,
///     length: Span::from_units(length),
///     min_performance: performance,
///     max_price: price,
///     deadline: None,
/// };
/// let batch = [request("long", 40), request("short", 15)];
/// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
/// let found = find_alternatives(&offers, &[&batch[0], &batch[1]], Finder::Alp, None);
/// let starts = |job: usize| found[job].iter().map(|window| window.start().to_string()).collect::<Vec<_>>();
/// assert_eq!(starts(0), ["0", "55"]);
/// assert_eq!(starts(1), ["40"]);
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
pub fn find_alternatives(
    offers: &Offers<'_>,
    batch: &[&Request],
    finder: Finder,
    passes: Option<usize>,
) -> Vec<Vec<Window>> {
    let mut slots: Vec<Slot> = offers.slots.as_slice().to_vec();
    let offered = slots.len();
    let mut scans: Vec<Option<JobScan>> =
        batch.iter().map(|request| Some(JobScan::new(offers, request, finder, offered))).collect();
    let mut windows = vec![Vec::new(); batch.len()];
    let mut pass = 0;
    while scans.iter().any(Option::is_some) && passes.is_none_or(|passes| pass < passes) {
        pass += 1;
        for job in 0..scans.len() {
            let Some(scan) = &mut scans[job] else { continue };
            if !scan.find(&slots) {
                scans[job] = None;
                continue;
            }
            let (start, chosen) = (scan.now, scan.live.chosen().to_vec());
            windows[job].push(super::window(start, &chosen));
            let taken: Vec<u32> = chosen.iter().map(|entry| entry.slot).collect();
            let rests = subtract(&mut slots, start, &chosen);
            for scan in scans.iter_mut().flatten() {
                scan.settle(&slots, &taken, rests.clone());
            }
        }
    }
    windows
}

/// Cuts the chosen parts out of their slots: what is before them stays in place, what is behind them is added at the end.
/// Returns which slots were added.
fn subtract(slots: &mut Vec<Slot>, start: Time, chosen: &[Entry]) -> std::ops::Range<usize> {
    let first = slots.len();
    for entry in chosen {
        let whole = &mut slots[entry.slot as usize];
        let rest = Interval::new(start + entry.runtime, whole.interval.end);
        whole.interval.end = start;
        let node = whole.node;
        if !rest.is_empty() {
            slots.push(Slot { node, interval: rest });
        }
    }
    first..slots.len()
}

/// One job's walk through the slots.
struct JobScan {
    terms: Vec<Option<Terms>>,
    limit: i64,
    deadline: Time,
    /// The start at which the walk stands: all slots that begin by then have been met.
    now: Time,
    live: Live,
    /// The first of the offered slots that has not been met.
    next: usize,
    offered: usize,
    /// Remainders of cut slots that have not been met, by start.
    ahead: BinaryHeap<Reverse<(Time, u32)>>,
}

impl JobScan {
    fn new(offers: &Offers<'_>, request: &Request, finder: Finder, offered: usize) -> Self {
        let (per_slot, limit) = match finder {
            Finder::Alp => (true, i64::MAX),
            Finder::Amp { budget_factor } => (false, budget(request, budget_factor).ticks()),
        };
        Self {
            terms: terms(offers.nodes, offers.rule, request, |node| !per_slot || node.price <= request.max_price),
            limit,
            deadline: request.deadline.unwrap_or(Time::MAX),
            now: Time::from_ticks(i64::MIN),
            live: Live::new(request.nodes),
            next: 0,
            offered,
            ahead: BinaryHeap::new(),
        }
    }

    /// Walks on to the first start at which the cheapest live slots are a window; whether there is one.
    fn find(&mut self, slots: &[Slot]) -> bool {
        loop {
            if self.live.total().is_some_and(|total| total <= self.limit) {
                return true;
            }
            let offered = slots[..self.offered].get(self.next).map(|slot| slot.interval.start);
            let cut = self.ahead.peek().map(|Reverse((start, _))| *start);
            let Some(now) = offered.into_iter().chain(cut).min() else { return false };
            self.now = now;
            let (terms, deadline) = (&self.terms, self.deadline);
            self.live.advance_with(now, |entry| still(entry, slots, terms, now, deadline));
            while self.next < self.offered && slots[self.next].interval.start == now {
                self.meet(slots, self.next);
                self.next += 1;
            }
            while let Some(&Reverse((start, slot))) = self.ahead.peek()
                && start == now
            {
                self.ahead.pop();
                self.meet(slots, slot as usize);
            }
        }
    }

    /// Takes a slot in, if a task still fits.
    fn meet(&mut self, slots: &[Slot], slot: usize) {
        let Slot { node, interval } = slots[slot];
        let Some(terms) = &self.terms[node.index()] else { return };
        let from = interval.start.max(self.now);
        if let Some(latest_start) = terms.latest_start(from, interval.end.min(self.deadline)) {
            let (runtime, cost) = (terms.runtime, terms.cost);
            self.live.insert(Entry { key: cost.ticks(), cost, node, slot: slot as u32, runtime, latest_start });
        }
    }

    /// Takes note that slots were cut and that remainders were added.
    fn settle(&mut self, slots: &[Slot], taken: &[u32], rests: std::ops::Range<usize>) {
        if self.live.chosen().iter().any(|entry| taken.contains(&entry.slot)) {
            let (terms, now, deadline) = (&self.terms, self.now, self.deadline);
            self.live.renew(|entry| still(entry, slots, terms, now, deadline));
        }
        for rest in rests {
            let Slot { node, interval } = slots[rest];
            let fits = |terms: &Terms| interval.end.min(self.deadline) - interval.start >= terms.runtime;
            if self.terms[node.index()].as_ref().is_some_and(fits) {
                if interval.start <= self.now {
                    self.meet(slots, rest);
                } else {
                    self.ahead.push(Reverse((interval.start, rest as u32)));
                }
            }
        }
    }
}

/// The slot as it is after all cuts, if a task that starts at `now` or later still fits.
fn still(entry: Entry, slots: &[Slot], terms: &[Option<Terms>], now: Time, deadline: Time) -> Option<Entry> {
    let terms = terms[entry.node.index()].as_ref()?;
    let end = slots[entry.slot as usize].interval.end.min(deadline);
    terms.latest_start(now, end).map(|latest_start| Entry { latest_start, ..entry })
}
