//! Jobs that need not be looked at again before time comes up that they could use.

use super::{FreedTime, View};
use crate::model::{Request, Slot, SlotList, Window};
use crate::queueing::runtime_on;
use crate::search::Finder;
use crate::units::{Performance, Price, Span, Time};
use std::collections::BTreeMap;

use crate::model::JobId;

/// What is known from one decision to the next of jobs with promises, and of those that have no place at all.
///
/// A job that was given the earliest place beside all reservations has no better one in less time, and one that had no
/// place has none. So a job is *settled* until time comes up that no reservation takes and in which one of its tasks
/// could run: time that a job gave back, that a promise left when it moved, or that lay beyond the end of the
/// scheduling interval before.
#[derive(Debug, Clone, Default)]
pub(super) struct SettledJobs {
    jobs: BTreeMap<JobId, Settled>,
    /// Whole slots of time that came up. Those that lasted until the end of the interval have no end.
    gained: FreedTime,
    /// The time that reservations left when the policy last decided.
    unreserved: SlotList,
    /// The instant up to which free time is known.
    until: Time,
    prices: Vec<Price>,
}

/// A job that is settled.
#[derive(Debug, Clone, Copy)]
struct Settled {
    asked: Asked,
    /// The start of its reservation, if it has one.
    start: Option<Time>,
    /// What came up by then is of no use to it.
    mark: u64,
    /// Nor is what comes up because time is known until later, as long as it is known until this at most.
    until: Time,
}

/// All that a place depends on. What is left of a job that was interrupted may change while it waits.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Asked {
    nodes: usize,
    length: Span,
    min_performance: Performance,
    max_price: Price,
    deadline: Option<Time>,
}

impl Asked {
    fn of(request: &Request) -> Self {
        let &Request { nodes, length, min_performance, max_price, deadline, .. } = request;
        Self { nodes, length, min_performance, max_price, deadline }
    }
}

impl SettledJobs {
    /// The policy is asked again, and promises leave this time.
    pub(super) fn renew(&mut self, view: &View<'_>, unreserved: &SlotList) {
        let prices = || view.nodes.iter().map(|node| node.price);
        if !prices().eq(self.prices.iter().copied()) {
            *self = Self { prices: prices().collect(), ..Self::default() };
        }
        let gained: Vec<Slot> = unreserved.gained_over(&self.unreserved, self.until).collect();
        self.until =
            view.slots.as_slice().iter().map(|slot| slot.interval.end).max().unwrap_or(view.now).max(self.until);
        gained.into_iter().for_each(|slot| self.gain(slot));
    }

    /// A decision is made, and promises leave this time.
    pub(super) fn keep(&mut self, unreserved: SlotList, is_in_queue: impl Fn(JobId) -> bool) {
        self.unreserved = unreserved;
        self.jobs.retain(|&job, _| is_in_queue(job));
    }

    /// What came up so far.
    pub(super) fn mark(&self) -> u64 {
        self.gained.mark()
    }

    /// A slot has come up.
    pub(super) fn gain(&mut self, mut slot: Slot) {
        if slot.interval.end >= self.until {
            slot.interval.end = Time::MAX;
        }
        self.gained.add(slot);
    }

    /// What came up since `mark` is no longer there.
    pub(super) fn lose(&mut self, mark: u64) {
        self.gained.take_back(mark);
    }

    /// A job has got another place than it would look for, or none.
    pub(super) fn forget(&mut self, job: JobId) {
        self.jobs.remove(&job);
    }

    /// Places have been exchanged.
    pub(super) fn forget_all(&mut self) {
        self.jobs.clear();
    }

    /// True if it is certain that a job would get the same place again, or none.
    pub(super) fn is_settled(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        place: Option<&Window>,
    ) -> bool {
        let (id, request) = job;
        let Some(known) = self.jobs.get_mut(&id) else { return false };
        if known.start != place.map(Window::start) || known.asked != Asked::of(request) || self.until > known.until {
            return false;
        }
        let Some(mut gained) = self.gained.since(known.mark) else { return false };
        let is_settled = !gained.any(|slot| is_of_use(view, finder, request, slot, place));
        if is_settled {
            known.mark = self.gained.mark();
        }
        is_settled
    }

    /// A job has been given its earliest place, or it has none.
    pub(super) fn settle(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        place: Option<&Window>,
        unreserved: &SlotList,
    ) {
        // Among the first that are met, the order of the slots decides.
        if !finder.takes_cheapest() {
            return;
        }
        let (id, request) = job;
        let start = place.map(Window::start);
        // What ends by then has no use for later time.
        let ends = match start {
            Some(start) => longest(view, request).map_or(Time::MAX, |longest| start + longest),
            None => request.deadline.unwrap_or(Time::MAX),
        };
        let until = match start {
            _ if ends <= self.until => Time::MAX,
            Some(_) => self.until,
            None => first_finish(view, finder, request, unreserved, self.until),
        };
        self.jobs.insert(id, Settled { asked: Asked::of(request), start, mark: self.gained.mark(), until });
    }
}

/// True if a task of the request could run in a slot from now on, beginning no later than in the place that it has.
fn is_of_use(view: &View<'_>, finder: Finder, request: &Request, slot: Slot, place: Option<&Window>) -> bool {
    let begins = slot.interval.start.max(view.now);
    let end = request.deadline.map_or(slot.interval.end, |deadline| deadline.min(slot.interval.end));
    let starts_in_time = place.is_none_or(|place| begins <= place.start());
    // A slot that ends where its own place on the node begins is as good as one that lasts until the end of that.
    let own =
        |place: &Window| place.start() == slot.interval.end && place.slots().iter().any(|own| own.node == slot.node);
    let fits = |runtime: Span| runtime.ticks() <= end.ticks().saturating_sub(begins.ticks());
    starts_in_time
        && (place.is_some_and(own)
            || runtime_on(finder, view.rule, request, &view.nodes[slot.node.index()]).is_some_and(fits))
}

/// A runtime that no task of the request is above, on any node that will do.
fn longest(view: &View<'_>, request: &Request) -> Option<Span> {
    let slowest = view
        .nodes
        .iter()
        .map(|node| node.performance)
        .filter(|&performance| performance >= request.min_performance)
        .min()?;
    view.rule.runtime(request, slowest)
}

/// An instant before which free time must be known for the request to have a window; it has none in the time that is known
/// `until` some instant. Costs are left out.
fn first_finish(view: &View<'_>, finder: Finder, request: &Request, slots: &SlotList, until: Time) -> Time {
    let runtime_at = |slot: &Slot| runtime_on(finder, view.rule, request, &view.nodes[slot.node.index()]);
    let fastest = view.nodes.iter().map(|node| node.performance).max();
    let shortest = fastest.and_then(|fastest| view.rule.runtime(request, fastest));
    let (Some(shortest), Some(longest)) = (shortest, longest(view, request)) else { return Time::MAX };
    let deadline = request.deadline.unwrap_or(Time::MAX);
    // Whoever starts later has time of which nothing is known. Whoever ends earlier could have started before.
    let mut first = until + shortest;
    let from = until - longest;
    let mut live: Vec<(Span, Time)> = Vec::new();
    let mut start = from;
    let wanted = request.nodes.max(1);
    let mut finish_at = |start: Time, live: &mut Vec<(Span, Time)>| {
        live.retain(|&(_, latest)| latest >= start);
        if let Some(&(slowest, _)) = live.get(wanted - 1) {
            first = first.min(start + slowest);
        }
    };
    for slot in slots.as_slice().iter().filter(|slot| slot.interval.end > from) {
        let begins = slot.interval.start.max(from).max(view.now);
        if begins > start {
            finish_at(start, &mut live);
            start = begins;
        }
        let end = if slot.interval.end >= until { deadline } else { deadline.min(slot.interval.end) };
        let Some(runtime) = runtime_at(slot) else { continue };
        if let Some(latest) = end.ticks().checked_sub(runtime.ticks()).filter(|&latest| latest >= begins.ticks()) {
            let place = live.partition_point(|&(other, _)| other <= runtime);
            live.insert(place, (runtime, Time::from_ticks(latest)));
        }
    }
    finish_at(start, &mut live);
    // Time must be known until then, not up to before.
    if first > deadline { Time::MAX } else { Time::from_ticks(first.ticks() - 1) }
}
