//! Jobs that need not be looked at again before time comes up that they could use.

use super::{FreedTime, LongQueue, View};
use crate::model::{JobId, NodeId, Request, Slot, SlotList, Window};
use crate::queueing::runtime_on;
use crate::search::{Finder, is_too_short, least_room, work};
use crate::units::{Performance, Price, Span, Time};
use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Deref, RangeInclusive};

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
    gained: FreedTime<GainedSlot>,
    /// The time that reservations left when the policy last decided.
    unreserved: SlotList,
    /// The instant up to which free time is known.
    until: Time,
    prices: Vec<Price>,
    /// Those of all nodes, the slowest first.
    performances: Vec<Performance>,
}

/// A slot that came up.
#[derive(Debug, Clone, Copy)]
struct GainedSlot {
    slot: Slot,
    /// Its length times the performance of the node.
    room: f64,
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
    /// The policy is asked again, and promises leave this time.
    pub(super) fn renew(&mut self, view: &View<'_>, unreserved: &SlotList) {
        let prices = || view.nodes.iter().map(|node| node.price);
        if !prices().eq(self.prices.iter().copied()) {
            let mut performances: Vec<Performance> = view.nodes.iter().map(|node| node.performance).collect();
            performances.sort_unstable();
            *self = Self { prices: prices().collect(), performances, ..Self::default() };
        }
        let gained: Vec<Slot> = unreserved.gained_over(&self.unreserved, self.until).collect();
        self.until =
            view.slots.as_slice().iter().map(|slot| slot.interval.end).max().unwrap_or(view.now).max(self.until);
        gained.into_iter().for_each(|slot| self.gain(view, slot));
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

    /// True if a job is settled, or was before something came up that it could use.
    pub(super) fn knows(&self, job: JobId) -> bool {
        self.jobs.contains_key(&job)
    }

    /// The instant up to which free time is known.
    pub(super) fn until(&self) -> Time {
        self.until
    }

    /// What came up so far.
    pub(super) fn mark(&self) -> u64 {
        self.gained.mark()
    }

    /// A slot has come up.
    pub(super) fn gain(&mut self, view: &View<'_>, mut slot: Slot) {
        if slot.interval.end >= self.until {
            slot.interval.end = Time::MAX;
        }
        let performance = view.nodes[slot.node.index()].performance;
        let room = slot.interval.span().ticks() as f64 * performance.ticks() as f64;
        self.gained.add(GainedSlot { slot, room });
    }

    /// What came up since `mark` is no longer there.
    pub(super) fn lose(&mut self, mark: u64) {
        self.gained.take_back(mark);
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

    /// The starts at which a job might have another place than it has, or one if it has none. It is certain that it has
    /// none at others. `starts_within` tells of the starts within a range for which there might be enough nodes at all.
    pub(super) fn hopes(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        place: Option<&Window>,
        starts_within: impl FnMut(RangeInclusive<Time>) -> Option<RangeInclusive<Time>>,
    ) -> Hopes {
        let (id, request) = job;
        let last = place.map_or(Time::MAX, Window::start);
        let all = Hopes { gained: Some(view.now..=last), later: None };
        let Some(known) = self.jobs.get_mut(&id) else { return all };
        if known.start != place.map(Window::start) || known.asked != Asked::of(request) {
            return all;
        }
        let Some(gained) = self.gained.since(known.mark) else { return all };
        let work = work(view.rule, request);
        let later_from = LazyCell::new(|| later_from(self.until, longest(&self.performances, view, request)));
        let mut uses = UseOfTime { view, finder, request, work, place, later_from, starts: None, starts_within };
        let later = (self.until > known.until).then(|| known.late.max(view.now)..=last);
        // Most are too short. Its own place on the node may follow.
        let start = place.map(Window::start);
        let least = least_room(work);
        let long = gained.filter(|gained| gained.room >= least || Some(gained.slot.interval.end) == start);
        let gained = long.filter_map(|gained| uses.starts_in(gained.slot)).reduce(both);
        if gained.is_none() {
            known.mark = self.gained.mark();
        }
        Hopes { gained, later }
    }

    /// True if it is certain that a job, which had no place and has none in time that came up, has none in later time
    /// either. Of `slots`, which are those that are left, in order, only those matter that last beyond the first start that
    /// it [hopes](Self::hopes) for there.
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

    /// Of windows that start earlier, all is known.
    pub(super) fn later_from(&self, view: &View<'_>, request: &Request) -> Time {
        later_from(self.until, self.longest(view, request))
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
        unreserved: &[Slot],
    ) {
        // Among the first that are met, the order of the slots decides.
        if place.is_some() && !finder.takes_cheapest() {
            return;
        }
        let (id, request) = job;
        let (asked, start, mark) = (Asked::of(request), place.map(Window::start), self.gained.mark());
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
            None => match self.jobs.get(&id).filter(|known| self.is_as_late(known, asked)) {
                Some(known) => (known.until, known.late),
                None => (first_finish(self, view, finder, request, unreserved, late), late),
            },
        };
        self.jobs.insert(id, Settled { asked, start, mark, until, late });
    }

    /// True if what is known of a job that has no place stays true of later time: nothing came up since then that is as
    /// late.
    fn is_as_late(&self, known: &Settled, asked: Asked) -> bool {
        let is_early = |gained: GainedSlot| gained.slot.interval.end <= known.late;
        (known.start, known.asked) == (None, asked)
            && self.until <= known.until
            && self.gained.since(known.mark).is_some_and(|mut gained| gained.all(is_early))
    }
}

/// A runtime that no task of the request is above, on any node that will do; the performances of all nodes are given, the
/// slowest first.
fn longest(performances: &[Performance], view: &View<'_>, request: &Request) -> Option<Span> {
    let slower = performances.partition_point(|&performance| performance < request.min_performance);
    view.rule.runtime(request, *performances.get(slower)?)
}

/// If time is known until some instant, all is known of windows that start before this.
fn later_from(until: Time, longest: Option<Span>) -> Time {
    longest.map_or(until, |longest| until - longest)
}

/// Whether time that came up is of use to a job.
struct UseOfTime<'a, L, F> {
    view: &'a View<'a>,
    finder: Finder,
    request: &'a Request,
    /// The work of one of its tasks.
    work: f64,
    /// The place that it has.
    place: Option<&'a Window>,
    /// More may come to be known of starts from this on, and they would not be looked at again.
    later_from: L,
    /// The starts up to that of its place for which there might be enough nodes, once they were asked for.
    starts: Option<Option<RangeInclusive<Time>>>,
    starts_within: F,
}

impl<L, F> UseOfTime<'_, L, F>
where
    L: Deref<Target = Time>,
    F: FnMut(RangeInclusive<Time>) -> Option<RangeInclusive<Time>>,
{
    /// The starts at which the job might begin earlier with a task in a slot, or at the same time for less.
    fn starts_in(&mut self, slot: Slot) -> Option<RangeInclusive<Time>> {
        let Self { view, finder, request, work, place, .. } = *self;
        let begins = slot.interval.start.max(view.now);
        let end = request.deadline.map_or(slot.interval.end, |deadline| deadline.min(slot.interval.end));
        let node = &view.nodes[slot.node.index()];
        // Its own place on the node may follow; else most are too short.
        let last = place.map_or(Time::MAX, Window::start);
        let is_followed = last == slot.interval.end;
        if begins > last || (!is_followed && is_too_short(work, node.performance, begins, end)) {
            return None;
        }
        // Mostly there are too few nodes at such times, which is told without a division.
        let starts = self.starts.get_or_insert_with(|| (self.starts_within)(view.now..=last));
        let is_hopeful = starts.as_ref().is_some_and(|starts| begins <= *starts.end() && end >= *starts.start());
        let may_last = end > *self.later_from || place.is_some_and(|place| end > place.start());
        if !(is_hopeful || may_last) {
            return None;
        }
        let runtime = runtime_on(finder, view.rule, request, node)?;
        let latest = Time::from_ticks(end.ticks().saturating_sub(runtime.ticks()));
        let Some(place) = place else { return self.starts_between(begins, latest) };
        let start = place.start();
        // A slot that ends where its own place on the node begins is as good as one that lasts until the end of that.
        let is_joined = slot.interval.end == start && place.slots().iter().any(|own| own.node == slot.node);
        let latest = if is_joined { start } else { latest.min(start) };
        let cost = |node: NodeId, runtime: Span| (view.nodes[node.index()].price.checked_mul(runtime).ok(), node);
        let is_cheaper = || {
            let own = place.slots().iter().map(|own| cost(own.node, own.interval.span())).max();
            own.is_none_or(|dearest| cost(slot.node, runtime) < dearest)
        };
        if !is_joined && latest == start && is_cheaper() {
            return Some(begins..=latest);
        }
        self.starts_between(begins, latest)
    }

    fn starts_between(&mut self, first: Time, last: Time) -> Option<RangeInclusive<Time>> {
        if first > last {
            None
        } else if last > *self.later_from {
            Some(first..=last)
        } else {
            (self.starts_within)(first..=last)
        }
    }
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
