//! Jobs that need not be looked at again before time comes up that they could use.

use super::gained_starts::GainedStarts;
use crate::model::{JobId, Request, Slot, SlotList, Window};
use crate::policy::{LongQueue, View};
use crate::queueing::runtime_on;
use crate::search::{Finder, is_too_short, work};
use crate::units::{Performance, Price, Span, Time};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// What is known from one decision to the next of jobs with promises, and of those that have no place at all.
///
/// A job that was given the earliest place beside all reservations has no better one in less time, and one that had no
/// place has none. So a job is *settled* until time comes up that no reservation takes and in which one of its tasks
/// could run: time that a job gave back, that a promise left when it moved, or that lay beyond the end of the
/// scheduling interval before.
#[derive(Debug, Clone, Default)]
pub(super) struct SettledJobs {
    jobs: BTreeMap<JobId, Settled>,
    /// The time that reservations left when the policy last decided.
    unreserved: SlotList,
    /// The instant up to which free time is known.
    until: Time,
    prices: Vec<Price>,
    /// Those of all nodes, the slowest first.
    performances: Vec<Performance>,
}

/// The starts at which a job might have a place, which it has at no others; the first and the last of each kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Hopes {
    /// In time that came up.
    pub(super) gained: Option<RangeInclusive<Time>>,
    /// In time that was not known before.
    pub(super) later: Option<RangeInclusive<Time>>,
}

impl Hopes {
    /// From the first to the last of all.
    pub(super) fn all(self) -> Option<RangeInclusive<Time>> {
        self.gained.into_iter().chain(self.later).reduce(both)
    }
}

/// A range that holds two others.
fn both(one: RangeInclusive<Time>, other: RangeInclusive<Time>) -> RangeInclusive<Time> {
    *one.start().min(other.start())..=*one.end().max(other.end())
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
    /// If it is known until later, only starts from this on are new.
    late: Time,
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
    /// The policy is asked again, and promises leave this time; the slots that came up since it was last asked.
    pub(super) fn renew(&mut self, view: &View<'_>, unreserved: &SlotList) -> Vec<Slot> {
        let prices = || view.nodes.iter().map(|node| node.price);
        if !prices().eq(self.prices.iter().copied()) {
            let mut performances: Vec<Performance> = view.nodes.iter().map(|node| node.performance).collect();
            performances.sort_unstable();
            *self = Self { prices: prices().collect(), performances, ..Self::default() };
        }
        let gained: Vec<Slot> = unreserved.gained_over(&self.unreserved, self.until).collect();
        self.until =
            view.slots.as_slice().iter().map(|slot| slot.interval.end).max().unwrap_or(view.now).max(self.until);
        gained
    }

    /// A decision on a queue is made, and promises leave this time.
    pub(super) fn keep(&mut self, unreserved: SlotList, queue: &dyn LongQueue) {
        self.unreserved = unreserved;
        // What is known of jobs that left the queue stays true, but nobody may ever ask about it.
        if self.jobs.len() > 2 * queue.len() + 100 {
            let waiting: BTreeSet<JobId> = queue.list().iter().map(|waiting| waiting.id).collect();
            self.jobs.retain(|job, _| waiting.contains(job));
        }
    }

    /// The instant up to which free time is known.
    pub(super) fn until(&self) -> Time {
        self.until
    }

    /// A job has lost its place, and perhaps it has another one that is not the earliest. One that had none and has none
    /// stays settled.
    pub(super) fn forget_place(&mut self, job: JobId, has_another: bool) {
        if has_another || self.jobs.get(&job).is_some_and(|known| known.start.is_some()) {
            self.jobs.remove(&job);
        }
    }

    /// Places have been exchanged.
    pub(super) fn forget_all(&mut self) {
        self.jobs.clear();
    }

    /// The starts at which a job might have another place than it has, or one if it has none. It is certain that it has none at
    /// others.
    pub(super) fn hopes(
        &mut self,
        view: &View<'_>,
        job: (JobId, &Request),
        place: Option<&Window>,
        gained: &mut GainedStarts,
    ) -> Hopes {
        let (id, request) = job;
        let starts = view.now..=place.map_or(Time::MAX, Window::start);
        let Some(known) = self.jobs.get_mut(&id) else { return Hopes { gained: Some(starts), later: None } };
        if known.start != place.map(Window::start) || known.asked != Asked::of(request) {
            return Hopes { gained: Some(starts), later: None };
        }
        let later = (self.until > known.until).then(|| known.late.max(view.now)..=*starts.end());
        // What came up right before its own place makes one slot with it, and need not be long enough by itself.
        let own = place.map_or(&[][..], Window::slots);
        let came_up = match own.iter().any(|slot| gained.may_end_at(slot.node, slot.interval.start, known.mark)) {
            true => Some(starts),
            false => gained.since(known.mark, view.rule, request, &starts),
        };
        if came_up.is_none() {
            known.mark = gained.mark();
        }
        Hopes { gained: came_up, later }
    }

    /// True if it is certain that a job, which had no place and has none in time that came up, has none in later time
    /// either. The `slots` are those that are left in which a task of it could run, or might when more time is known, in order.
    pub(super) fn is_settled_later(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        slots: &[Slot],
    ) -> bool {
        let Some(late) = self.jobs.get(&job.0).map(|known| known.late) else { return false };
        // What was not known before may be known by now.
        let until = first_finish(self, view, finder, job.1, slots, late);
        let late = self.longest(view, job.1).map_or(Time::MAX, |longest| self.until - longest);
        match self.jobs.get_mut(&job.0).filter(|_| until >= self.until) {
            Some(known) => {
                (known.until, known.late) = (until, late);
                true
            }
            None => false,
        }
    }

    fn longest(&self, view: &View<'_>, request: &Request) -> Option<Span> {
        longest(&self.performances, view, request)
    }

    /// A job has been given its earliest place, or it has none.
    pub(super) fn settle(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        place: Option<&Window>,
        slots: impl FnOnce() -> Vec<Slot>,
        gained: &mut GainedStarts,
    ) {
        // Among the first that are met, the order of the slots decides.
        if place.is_some() && !finder.takes_cheapest() {
            return;
        }
        let (id, request) = job;
        let (asked, start, mark) = (Asked::of(request), place.map(Window::start), gained.mark());
        let longest = self.longest(view, request);
        // What ends by then has no use for later time.
        let ends = match start {
            Some(start) => longest.map_or(Time::MAX, |longest| start + longest),
            None => request.deadline.unwrap_or(Time::MAX),
        };
        let late = longest.map_or(Time::MAX, |longest| self.until - longest);
        let (until, late) = match start {
            _ if ends <= self.until => (Time::MAX, late),
            Some(_) => (self.until, late),
            None => match self.jobs.get(&id).filter(|known| self.is_as_late(view, known, request, gained)) {
                Some(known) => (known.until, known.late),
                None => (first_finish(self, view, finder, request, &slots(), late), late),
            },
        };
        self.jobs.insert(id, Settled { asked, start, mark, until, late });
    }

    /// True if what is known of a job that has no place stays true of later time: nothing came up since then in which it could
    /// start as late.
    fn is_as_late(&self, view: &View<'_>, known: &Settled, request: &Request, gained: &mut GainedStarts) -> bool {
        (known.start, known.asked) == (None, Asked::of(request))
            && self.until <= known.until
            && gained.since(known.mark, view.rule, request, &(known.late..=Time::MAX)).is_none()
    }
}

/// A runtime that no task of the request is above, on any node that will do; the performances of all nodes are given, the
/// slowest first.
fn longest(performances: &[Performance], view: &View<'_>, request: &Request) -> Option<Span> {
    let slower = performances.partition_point(|&performance| performance < request.min_performance);
    view.rule.runtime(request, *performances.get(slower)?)
}

/// An instant before which free time must be known for the request to have a window; it has none that starts before
/// `from`. Costs are left out. If there might be one in the time that is known, it is any instant within that.
fn first_finish(
    settled: &SettledJobs,
    view: &View<'_>,
    finder: Finder,
    request: &Request,
    slots: &[Slot],
    from: Time,
) -> Time {
    let work = work(view.rule, request);
    let until = settled.until;
    let runtime_at = |slot: &Slot| runtime_on(finder, view.rule, request, &view.nodes[slot.node.index()]);
    let shortest = settled.performances.last().and_then(|&fastest| view.rule.runtime(request, fastest));
    let Some(shortest) = shortest.filter(|_| settled.longest(view, request).is_some()) else { return Time::MAX };
    let deadline = request.deadline.unwrap_or(Time::MAX);
    // Whoever starts later has time of which nothing is known. Whoever ends earlier could have started before.
    let mut first = until + shortest;
    // The live slots by runtime; some of them may have expired.
    let mut live: Vec<(Span, Time)> = Vec::new();
    let mut start = from;
    let wanted = request.nodes.max(1);
    let mut finish_at = |start: Time, live: &mut Vec<(Span, Time)>| {
        let mut at = 0;
        while at < wanted.min(live.len()) {
            if live[at].1 < start {
                live.remove(at);
            } else {
                at += 1;
            }
        }
        if at == wanted {
            first = first.min(start + live[at - 1].0);
        }
        first
    };
    for slot in slots.iter().filter(|slot| slot.interval.end > from) {
        let begins = slot.interval.start.max(from).max(view.now);
        if begins > start {
            let first = finish_at(start, &mut live);
            // Nothing ends earlier that begins later.
            if first <= until || begins + shortest >= first {
                break;
            }
            start = begins;
        }
        let end = if slot.interval.end >= until { deadline } else { deadline.min(slot.interval.end) };
        if is_too_short(work, view.nodes[slot.node.index()].performance, begins, end) {
            continue;
        }
        let Some(runtime) = runtime_at(slot) else { continue };
        if let Some(latest) = end.ticks().checked_sub(runtime.ticks()).filter(|&latest| latest >= begins.ticks()) {
            let place = live.partition_point(|&(other, _)| other <= runtime);
            live.insert(place, (runtime, Time::from_ticks(latest)));
        }
    }
    let first = finish_at(start, &mut live);
    // Time must be known until then, not up to before.
    if first > deadline { Time::MAX } else { Time::from_ticks(first.ticks() - 1) }
}
