//! One instant of a grid that lives, as the rule of backfilling sees it.

use super::idle::{Idle, IdleNode};
use super::windowless::Windowless;
use super::{Decision, LongQueue, View};
use crate::model::{CostLimit, JobId, NotFree, Request, SlotList, Window};
use crate::queueing::{Availability, Backfill, FreeWindows, HeldPlace};
use crate::search::{Finder, Offers, least_work};
use crate::units::Time;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The free time of the grid at one instant. Jobs that can start at once are served from the idle nodes; slots are
/// listed when the first has to wait.
pub(super) struct GridInstant<'a> {
    view: View<'a>,
    queue: &'a dyn LongQueue,
    /// Those who were looked at, in order: their positions in the queue, and what they ask for. They are named by their
    /// place among these.
    looked_at: Vec<usize>,
    requests: Vec<&'a Request>,
    finder: Finder,
    limit: CostLimit,
    /// None while promises are looked at, which come before those who could start at once.
    pub(super) idle: Option<Idle>,
    /// The windows that were taken before slots were listed.
    taken: Vec<Window>,
    pub(super) windows: Option<FreeWindows<'a>>,
    /// Why slots could not be listed.
    pub(super) fault: Option<NotFree>,
    /// The most nodes that a job of each grade of work could start on, as far as that was asked about since one last
    /// started.
    pub(super) most: BTreeMap<usize, usize>,
    /// Those who need not be looked at, if that is known.
    pub(super) windowless: Option<Windowless>,
    /// The window that is to be reserved for one who withdraws, if it was found already.
    better: Option<Window>,
    /// What had come up before the reservation was withdrawn that is to be made again.
    withdrawn: Option<(u64, Window)>,
}

impl<'a> GridInstant<'a> {
    pub(super) fn new(view: &View<'a>, queue: &'a dyn LongQueue, finder: Finder) -> Self {
        Self {
            view: *view,
            queue,
            looked_at: Vec::new(),
            requests: Vec::new(),
            finder,
            limit: finder.limit(),
            idle: None,
            taken: Vec::new(),
            windows: None,
            fault: None,
            most: BTreeMap::new(),
            windowless: None,
            better: None,
            withdrawn: None,
        }
    }

    /// Looks at the job at a position of the queue; its name.
    pub(super) fn look_at(&mut self, position: usize) -> usize {
        let request = self.queue.at(position).request;
        self.looked_at.push(position);
        self.requests.push(request);
        if let Some(windows) = &mut self.windows {
            windows.push(request);
        }
        self.requests.len() - 1
    }

    /// The first job from a position on that may start now beside those who hold reservations. Whoever is left out is
    /// certain not to.
    pub(super) fn next_to_try(&mut self, from: usize, held: &[HeldPlace<Self>]) -> Option<usize> {
        let idle = self.idle.as_ref()?;
        // Mostly there are not even enough nodes.
        self.queue.next_within(from, &mut |grade| idle.most(grade, |idle| Some(idle.end)))?;
        let spare = match (held, &mut self.windows) {
            ([(other, window)], Some(windows)) => windows.spare_nodes(*other, window),
            _ => None,
        };
        let most = &mut self.most;
        let most_now = |grade: usize| {
            let beside = idle.most(grade, |idle| Some(idle.until));
            let anywhere = idle.most(grade, |idle| Some(idle.end));
            let Some((start, spare, is_in_time)) = &spare else { return anywhere };
            let work = least_work(grade);
            // Nodes that the one who waits has no use for, or that are free again by its start.
            let harmless = |idle: &IdleNode| {
                let is_harmless = !is_in_time(idle.node) || !idle.is_too_short(work, self.view.now, *start);
                Some(idle.end).filter(|_| is_harmless)
            };
            beside.max(anywhere.min(idle.most(grade, harmless) + spare))
        };
        self.queue.next_within(from, &mut |grade| *most.entry(grade).or_insert_with(|| most_now(grade)))
    }

    /// What a pass has decided on.
    pub(super) fn decisions(&self, backfill: &Backfill<Self>) -> Vec<Decision> {
        let position = |job: usize| self.looked_at[job];
        let started = backfill.started.iter().map(|(job, window)| (position(*job), window.clone()));
        let held = backfill.held.iter().map(|(job, window)| (position(*job), window.start()));
        let promised = held.filter(|&(position, start)| self.queue.at(position).promise != Some(start));
        let started = started.map(|(request, window)| Decision::Reserve { request, window });
        started.chain(promised.map(|(request, start)| Decision::Promise { request, start })).collect()
    }

    /// Lists the slots, if they are not.
    pub(super) fn windows(&mut self) -> Result<&mut FreeWindows<'a>, NotFree> {
        let View { now, nodes, slots, rule, .. } = self.view;
        let windows = match self.windows.take() {
            Some(windows) => windows,
            None => {
                let free = remaining(&self.view, &self.taken)?;
                FreeWindows::new(&Offers { nodes, slots, rule }, free, &self.requests, self.finder, now)
            }
        };
        Ok(self.windows.insert(windows))
    }

    /// The window of a job on nodes that are idle and that no job has reserved; it is reserved then.
    fn reserve_idle(&mut self, job: usize) -> Option<Window> {
        let idle = self.idle.as_mut()?;
        if idle.is_too_small(self.requests[job]) {
            return None;
        }
        let window = idle.find(self.requests[job], self.limit)?;
        idle.keep_free(&window);
        match &mut self.windows {
            Some(windows) => _ = windows.reserve(&window),
            None => self.taken.push(window.clone()),
        }
        Some(window)
    }

    /// Keeps idle nodes free for those who hold reservations, and for no others.
    pub(super) fn renew_idle(&mut self, held: &[HeldPlace<Self>]) {
        if let Some(idle) = &mut self.idle {
            idle.forget_reservations();
            held.iter().for_each(|(_, window)| idle.keep_free(window));
        }
    }

    /// The name of a job outside, and what it asks for.
    fn job(&self, job: usize) -> (JobId, &'a Request) {
        (self.queue.at(self.looked_at[job]).id, self.requests[job])
    }

    /// Promises are kept: what they leave, may be of use to others.
    pub(super) fn renew_windowless(&mut self) {
        if let (Some(windowless), Some(windows)) = (&mut self.windowless, &self.windows) {
            windowless.renew(&self.view, windows.unreserved());
        }
    }

    /// A job has lost its place, and perhaps it has another.
    pub(super) fn forget_place(&mut self, job: usize, has_another: bool) {
        let (id, _) = self.job(job);
        self.windowless.iter_mut().for_each(|windowless| windowless.settled.forget_place(id, has_another));
    }

    /// True if it is certain that a job without a place has none as long as others don't move for it.
    fn is_windowless(&mut self, job: usize) -> bool {
        let named = self.job(job);
        let (Some(windowless), Some(windows)) = (&mut self.windowless, &self.windows) else { return false };
        let find = |starts| Ok::<_, Infallible>(windows.first_window(job, starts));
        let Ok(found) = windowless.first_window(&self.view, self.finder, named, windows.unreserved(), find);
        found.is_none()
    }

    /// Remembers the place that a job was given, unless others had to move for it.
    fn settle(&mut self, job: usize, place: Option<&Window>, are_others_moved: bool) {
        let job = self.job(job);
        let withdrawn = self.withdrawn.take();
        let (Some(windowless), Some(windows)) = (&mut self.windowless, &self.windows) else { return };
        if are_others_moved {
            windowless.exchange();
            return;
        }
        windowless.take();
        if let Some((mark, old)) = withdrawn {
            windowless.settled.lose(mark);
            // Others may use what is left of its old place.
            if place != Some(&old) {
                let left = old.slots().iter().flat_map(|&slot| windows.unreserved().slots_within(slot));
                left.for_each(|slot| windowless.settled.gain(&self.view, slot));
            }
        }
        windowless.settled.settle(&self.view, self.finder, job, place, windows.unreserved().as_slice());
    }

    /// The time that is left free, and the instant up to which it was seen.
    pub(super) fn into_left(self) -> Option<(SlotList, Time)> {
        let until = self.view.slots.as_slice().iter().map(|slot| slot.interval.end).max()?;
        Some((self.windows?.into_free(), until))
    }
}

impl Availability for GridInstant<'_> {
    type Job = usize;
    type Place = Window;

    fn start(window: &Window) -> Time {
        window.start()
    }

    fn reserve_earliest(&mut self, job: usize, held: &mut [HeldPlace<Self>]) -> Option<Window> {
        if let (Some(window), Some(windows)) = (self.better.take(), &mut self.windows)
            && windows.reserve(&window)
        {
            self.settle(job, Some(&window), false);
            return Some(window);
        }
        if self.withdrawn.is_none() && self.is_windowless(job) {
            let windows = self.windows.as_mut().filter(|windows| windows.may_move_others(held))?;
            if windows.is_too_large(job) || windows.earliest_by_count(job, Time::MAX).is_none() {
                return None;
            }
        }
        if let Some(window) = self.reserve_idle(job) {
            return Some(window);
        }
        let windows = match self.windows() {
            Ok(windows) => windows,
            Err(fault) => {
                self.fault = Some(fault);
                return None;
            }
        };
        let Some((window, is_moved)) = windows.reserve_earliest_moving(job, held) else {
            self.settle(job, None, false);
            return None;
        };
        self.settle(job, Some(&window), is_moved);
        if is_moved {
            self.renew_idle(held);
        }
        if let Some(idle) = &mut self.idle {
            idle.keep_free(&window);
        }
        Some(window)
    }

    fn withdraw(&mut self, _: usize, window: &Window) {
        let Some(windows) = &mut self.windows else { return };
        windows.give_back(window);
        if let Some(windowless) = &mut self.windowless {
            self.withdrawn = Some((windowless.settled.mark(), window.clone()));
            windowless.give_back(&self.view, window, windows.unreserved());
        }
    }

    fn may_improve(&mut self, job: usize, window: &Window, held: &[HeldPlace<Self>]) -> bool {
        self.better = None;
        let named = self.job(job);
        let Some(windows) = &mut self.windows else { return true };
        let windowless = self.windowless.as_mut().filter(|_| !windows.may_move_others(held));
        let Some(windowless) = windowless else { return windows.may_start_before(job, window.start()) };
        let starts = windowless.hopes_beside(&self.view, self.finder, named, window, windows.unreserved());
        let Some(starts) = starts else { return false };
        if !self.finder.takes_cheapest() {
            return windows.may_start_before(job, window.start());
        }
        let Some(better) = windows.better(job, window, starts) else {
            self.settle(job, Some(window), false);
            return false;
        };
        // Whoever can't start earlier does not move for less.
        let may_move = better.start() < window.start() || windows.may_start_before(job, window.start());
        self.better = Some(better).filter(|_| may_move);
        may_move
    }

    fn start_reserved(&mut self, _: usize, window: &Window) {
        // Nothing is left to take of what was taken before slots were listed.
        if let Some(windows) = &mut self.windows {
            windows.take(window);
        }
    }

    fn start_now(&mut self, job: usize, held: &mut [HeldPlace<Self>]) -> Option<Window> {
        if let Some(window) = self.reserve_idle(job) {
            self.start_reserved(job, &window);
            return Some(window);
        }
        if self.idle.as_mut()?.is_too_small(self.requests[job]) {
            return None;
        }
        // Nodes that are kept free for others may be exchanged for some that become free in time.
        let window = self.idle.as_ref()?.find_anywhere(self.requests[job], self.limit)?;
        if !self.windows.as_mut()?.start_within(&window, held) {
            return None;
        }
        self.idle.as_mut()?.keep_free(&window);
        self.renew_idle(held);
        Some(window)
    }
}

/// The free slots without the windows that were taken, all of which start now.
fn remaining(view: &View<'_>, taken: &[Window]) -> Result<SlotList, NotFree> {
    if taken.is_empty() {
        return Ok(view.slots.list().clone());
    }
    let mut until = vec![view.now; view.nodes.len()];
    for slot in taken.iter().flat_map(|window| window.slots()) {
        until[slot.node.index()] = slot.interval.end;
    }
    let rest = view.slots.as_slice().iter().map(|&slot| {
        let mut rest = slot;
        rest.interval.start = slot.interval.start.max(until[slot.node.index()]);
        rest
    });
    SlotList::new(rest.filter(|slot| slot.interval.start < slot.interval.end))
}
