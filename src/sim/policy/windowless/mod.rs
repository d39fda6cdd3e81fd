//! Jobs without a window are left out until time comes up that they could use.

mod gained_starts;
mod settled;

use super::{LongQueue, View};
use crate::model::{JobId, Request, Slot, SlotList, Window};
use crate::search::Finder;
use crate::units::Time;
use gained_starts::GainedStarts;
use settled::{Hopes, SettledJobs};
use std::ops::RangeInclusive;

/// The jobs of a long queue that had no window in some free time when they were last looked at, and where they might have
/// one since.
#[derive(Debug, Clone, Default)]
pub(super) struct Windowless {
    settled: SettledJobs,
    gained: GainedStarts,
}

impl Windowless {
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

    /// A job has lost its place, and perhaps it has another one that is not the earliest.
    pub(super) fn forget_place(&mut self, job: JobId, has_another: bool) {
        self.settled.forget_place(job, has_another);
    }

    /// Places have been exchanged.
    pub(super) fn forget_all(&mut self) {
        self.settled.forget_all();
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
