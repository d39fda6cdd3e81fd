//! Jobs without a window are left out until time comes up that they could use.

use super::settled::{Hopes, SettledJobs};
use super::{Decision, LongQueue, Policy, PolicyError, View, Waiting};
use crate::model::{JobId, NodeId, Request, Slot, SlotList, Window};
use crate::search::{Finder, MANY_IN_VAIN, Offers, Search, StartCounts, grade_of};
use crate::units::Time;
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::ops::RangeInclusive;

/// The jobs of a long queue that had no window in some free time when they were last looked at, and where they might have
/// one since.
#[derive(Debug, Clone, Default)]
pub(super) struct Windowless {
    pub(super) settled: SettledJobs,
    /// Of the slots that are left, those that last beyond an instant, once they are asked for.
    late: Option<(Time, Vec<Slot>)>,
    counts: StartCounts,
}

impl Windowless {
    /// Only of the searches for the earliest window is it known that they find one wherever there is one, and of few jobs
    /// nothing need be remembered.
    pub(super) fn finder(view: &View<'_>, search: &Search) -> Option<Finder> {
        search.get().finder().filter(|_| view.queue.len() >= MANY_IN_VAIN)
    }

    /// A decision is to be made, and this time is free.
    pub(super) fn renew(&mut self, view: &View<'_>, free: &SlotList) {
        self.settled.renew(view, free);
        self.late = None;
        self.counts = StartCounts::new(view.now, self.settled.until());
    }

    /// Some time is taken.
    pub(super) fn take(&mut self) {
        self.late = None;
    }

    /// A window is reserved: some time of slots of `free` is to be taken.
    pub(super) fn reserve(&mut self, view: &View<'_>, window: &Window, free: &SlotList) {
        self.late = None;
        for (whole, slot) in window.slots().iter().filter_map(|&slot| Some((free.slot_around(slot)?, slot))) {
            self.counts.remove(view.nodes, whole, slot);
        }
    }

    /// Time that was taken is free again, in slots that are now free as a whole.
    pub(super) fn give_back(&mut self, view: &View<'_>, window: &Window, free: &SlotList) {
        self.late = None;
        for (whole, slot) in window.slots().iter().filter_map(|&slot| Some((free.slot_around(slot)?, slot))) {
            self.settled.gain(view, whole);
            self.counts.add(view.nodes, whole, slot);
        }
    }

    /// Time was exchanged between jobs.
    pub(super) fn exchange(&mut self) {
        self.late = None;
        self.counts.clear();
        self.settled.forget_all();
    }

    /// The starts up to that of its place at which a job might have a better one in `free`. It is certain that it has none at
    /// others.
    pub(super) fn hopes_beside(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        place: &Window,
        free: &SlotList,
    ) -> Option<RangeInclusive<Time>> {
        let Self { settled, counts, .. } = self;
        let offers = Offers { nodes: view.nodes, slots: free, rule: view.rule };
        let mut joined: Option<Vec<Time>> = None;
        let starts_within = |starts: RangeInclusive<Time>| {
            let joined = joined.get_or_insert_with(|| joined_starts(place, free));
            counts.starts_within(&offers, job.1, &starts, joined)
        };
        settled.hopes(view, finder, job, Some(place), starts_within).all()
    }

    /// No job of this grade of work that asks for more nodes has a window in `free`.
    pub(super) fn most(&mut self, view: &View<'_>, free: &SlotList, grade: usize) -> usize {
        self.counts.most(&Offers { nodes: view.nodes, slots: free, rule: view.rule }, grade)
    }

    /// A decision is made, and this time was free when jobs were last looked at.
    pub(super) fn keep(&mut self, free: SlotList, queue: &dyn LongQueue) {
        self.settled.keep(free, queue);
        self.late = None;
    }

    /// The first window of a job in the time that is free, where `find` has the first one that starts within a range. If
    /// it has none, that is remembered.
    pub(super) fn first_window<E>(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        free: &SlotList,
        mut find: impl FnMut(RangeInclusive<Time>) -> Result<Option<Window>, E>,
    ) -> Result<Option<Window>, E> {
        let Self { settled, late, counts } = self;
        let offers = Offers { nodes: view.nodes, slots: free, rule: view.rule };
        let mut starts_within = |starts: RangeInclusive<Time>| counts.starts_within(&offers, job.1, &starts, &[]);
        let Hopes { gained, later } = settled.hopes(view, finder, job, None, &mut starts_within);
        let later = later.filter(|later| starts_within(later.clone()).is_some());
        let (gained, later) = match (gained, later) {
            (None, None) => return Ok(None),
            // What begins earlier comes first.
            (Some(gained), Some(later)) if gained.end() >= later.start() => {
                (Hopes { gained: Some(gained), later: Some(later) }.all(), None)
            }
            apart => apart,
        };
        if let Some(starts) = gained.and_then(&mut starts_within)
            && let Some(found) = find(starts)?
        {
            return Ok(Some(found));
        }
        let from = settled.later_from(view, job.1);
        let late = last_slots(late, later.as_ref().map_or(from, |later| from.min(*later.start())), free);
        if let Some(starts) = later.and_then(starts_within)
            && !settled.is_settled_later(view, finder, job, late)
            && let Some(found) = find(starts)?
        {
            return Ok(Some(found));
        }
        settled.settle(view, finder, job, None, late);
        Ok(None)
    }
}

/// The times from which on a task could begin on each node of a place if it need not end before the place begins, in order:
/// what is free right before a place makes one slot with it.
fn joined_starts(place: &Window, free: &SlotList) -> Vec<Time> {
    let joined = |own: &Slot| {
        let before = free.last_before(own.node, own.interval.start)?;
        let first = Time::from_ticks(own.interval.start.ticks().saturating_sub(own.interval.span().ticks()));
        (before.interval.end == own.interval.start).then(|| before.interval.start.max(first))
    };
    let mut starts: Vec<Time> = place.slots().iter().filter_map(joined).collect();
    starts.sort_unstable();
    starts
}

/// The free slots that last beyond an instant, and perhaps some more.
fn last_slots<'l>(known: &'l mut Option<(Time, Vec<Slot>)>, from: Time, free: &SlotList) -> &'l [Slot] {
    if known.as_ref().is_none_or(|(known, _)| *known > from) {
        *known = None;
    }
    let list = || (from, free.as_slice().iter().filter(|slot| slot.interval.end > from).copied().collect());
    &known.get_or_insert_with(list).1
}

/// Asks a policy that gives windows about the jobs that can have one.
///
/// Most jobs of a queue wait because all free time has no window for them, and they are offered at every decision. Such a
/// job gets nothing, and takes nothing from the others: leaving it out changes no decision about them. It goes on having
/// no window until time comes up that it could use. The policy must be one that decides about each job by the windows
/// that its search finds, and so that those without one make no difference.
#[derive(Debug, Clone)]
pub struct WindowsOnly<P> {
    /// The policy.
    policy: P,
    /// Its search.
    search: Search,
    /// The jobs without a window in all the time that a decision is about, by the first node of that.
    windowless: BTreeMap<NodeId, Windowless>,
}

impl<P> WindowsOnly<P> {
    /// This policy, which finds windows by this search.
    pub fn new(policy: P, search: Search) -> Self {
        Self { policy, search, windowless: BTreeMap::new() }
    }
}

impl<P: Policy> Policy for WindowsOnly<P> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let Some(finder) = Windowless::finder(view, &self.search) else { return self.policy.decide(view) };
        let first = view.domains.first().map_or(NodeId(0), |domain| domain.first);
        let windowless = self.windowless.entry(first).or_default();
        let offers = Offers { nodes: view.nodes, slots: view.slots, rule: view.rule };
        let has_window = |windowless: &mut Windowless, place: usize| {
            let Waiting { id, request, .. } = view.queue[place];
            let find = |starts| Ok::<_, Infallible>(finder.first_window(&offers, request, starts));
            let Ok(found) = windowless.first_window(view, finder, (id, request), view.slots, find);
            found.is_some()
        };
        let mut is_renewed = view.queue.iter().any(|waiting| windowless.settled.knows(waiting.id));
        let mut present: Vec<usize> = (0..view.queue.len()).collect();
        if is_renewed {
            windowless.renew(view, view.slots);
            present.retain(|&place| {
                let Waiting { id, request, .. } = view.queue[place];
                request.nodes <= windowless.most(view, view.slots, grade_of(view.rule, request))
                    && (!windowless.settled.knows(id) || has_window(windowless, place))
            });
        }
        let decided = if present.len() == view.queue.len() {
            self.policy.decide(view)?
        } else if present.is_empty() {
            Vec::new()
        } else {
            let queue: Vec<Waiting<'_>> = present.iter().map(|&place| view.queue[place]).collect();
            self.policy.decide(&View { queue: &queue, ..*view })?
        };
        let decisions: Vec<Decision> =
            decided.into_iter().map(|decision| decision.renumbered(|request| present[request])).collect();
        let mut is_served = vec![false; view.queue.len()];
        decisions.iter().filter_map(Decision::request).for_each(|request| is_served[request] = true);
        // Those who got nothing may have no window at all.
        present.retain(|&place| !is_served[place] && !windowless.settled.knows(view.queue[place].id));
        if !present.is_empty() && !is_renewed {
            windowless.renew(view, view.slots);
            is_renewed = true;
        }
        present.into_iter().for_each(|place| _ = has_window(windowless, place));
        if is_renewed {
            windowless.keep(view.slots.list().clone(), &view.listed_queue());
        }
        Ok(decisions)
    }
}
