//! Jobs without a window are left out until time comes up that they could use.

use super::settled::{Hopes, SettledJobs};
use super::{Decision, LongQueue, Policy, PolicyError, View, Waiting};
use crate::model::{JobId, NodeId, Request, Slot, SlotList, Window};
use crate::search::{Finder, GainedStarts, LongSlots, MANY_IN_VAIN, Offers, Search, grade_of};
use crate::units::Time;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// The jobs of a long queue that had no window in some free time when they were last looked at, and where they might have
/// one since.
#[derive(Debug, Clone, Default)]
pub(super) struct Windowless {
    pub(super) settled: SettledJobs,
    gained: GainedStarts,
}

impl Windowless {
    /// Only of the searches for the earliest window is it known that they find one wherever there is one, and of few jobs
    /// nothing need be remembered.
    pub(super) fn finder(view: &View<'_>, search: &Search) -> Option<Finder> {
        search.get().finder().filter(|_| view.queue.len() >= MANY_IN_VAIN)
    }

    /// A decision is to be made, and this time is free.
    pub(super) fn renew(&mut self, view: &View<'_>, free: &SlotList) {
        let gained = self.settled.renew(view, free);
        self.gained.renew(view.now, self.settled.until());
        gained.into_iter().for_each(|slot| self.gain(view, slot));
    }

    /// A slot has come up.
    pub(super) fn gain(&mut self, view: &View<'_>, mut slot: Slot) {
        if slot.interval.end >= self.settled.until() {
            slot.interval.end = Time::MAX;
        }
        self.gained.gain(view.nodes, slot);
    }

    /// The starts up to that of its place at which a job might have a better one. It is certain that it has none at others.
    pub(super) fn hopes_beside(
        &mut self,
        view: &View<'_>,
        job: (JobId, &Request),
        place: &Window,
    ) -> Option<RangeInclusive<Time>> {
        self.settled.hopes(view, job, Some(place), &mut self.gained).all()
    }

    /// A decision is made, and this time was free when jobs were last looked at.
    pub(super) fn keep(&mut self, free: SlotList, queue: &dyn LongQueue) {
        self.settled.keep(free, queue);
    }

    /// A job has been given its earliest place, or it has none in `slots`, which are those that are left in which a task of it
    /// could run, or might when more time is known.
    pub(super) fn settle(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        place: Option<&Window>,
        slots: impl FnOnce() -> Vec<Slot>,
    ) {
        self.settled.settle(view, finder, job, place, slots, &mut self.gained);
    }

    /// The first window of a job, where `find` has the first one that starts within a range. If it has none, that is remembered;
    /// the `slots` are those that are free in which a task of it could run, or might when more time is known.
    pub(super) fn first_window(
        &mut self,
        view: &View<'_>,
        finder: Finder,
        job: (JobId, &Request),
        slots: impl Fn() -> Vec<Slot>,
        find: impl Fn(RangeInclusive<Time>) -> Option<Window>,
    ) -> Option<Window> {
        let (gained, later) = match self.settled.hopes(view, job, None, &mut self.gained) {
            Hopes { gained: None, later: None } => return None,
            // What begins earlier comes first.
            Hopes { gained: Some(gained), later: Some(later) } if gained.end() >= later.start() => {
                (Hopes { gained: Some(gained), later: Some(later) }.all(), None)
            }
            Hopes { gained, later } => (gained, later),
        };
        let found = gained.and_then(&find).or_else(|| {
            let later = later.filter(|_| !self.settled.is_settled_later(view, finder, job, &slots()));
            later.and_then(&find)
        });
        if found.is_none() {
            self.settle(view, finder, job, None, slots);
        }
        found
    }
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
        let until = view.slots.as_slice().iter().map(|slot| slot.interval.end).max();
        let long = LongSlots::new(until.unwrap_or(view.now));
        let has_window = |windowless: &mut Windowless, place: usize| {
            let Waiting { id, request, .. } = view.queue[place];
            let grade = grade_of(view.rule, request);
            let slots = || long.may_be_long(view.nodes, view.slots, grade);
            let find = |starts| {
                let slots = long.of(view.nodes, view.slots, grade).iter().copied();
                finder.first_window_of(slots, &offers, request, starts)
            };
            windowless.first_window(view, finder, (id, request), slots, find).is_some()
        };
        let mut is_renewed = view.queue.iter().any(|waiting| windowless.settled.knows(waiting.id));
        let mut present: Vec<usize> = (0..view.queue.len()).collect();
        if is_renewed {
            windowless.renew(view, view.slots);
            present.retain(|&place| {
                let Waiting { id, request, .. } = view.queue[place];
                request.nodes <= long.most(view.nodes, view.slots, grade_of(view.rule, request))
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
