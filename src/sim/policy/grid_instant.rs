//! One instant of a grid that lives, as the rule of backfilling sees it.

use super::idle::{Idle, IdleNode};
use super::windowless::Windowless;
use super::{Decision, LongQueue, View, Waiting};
use crate::model::{CostLimit, JobId, NotFree, Request, SlotList, Window};
use crate::queueing::{Availability, Backfill, FreeWindows, HeldPlace, LeftTime};
use crate::search::{Finder, Offers, grade_of, least_work};
use crate::units::Time;
use std::collections::BTreeMap;

/// The free time of the grid at one instant. Jobs that can start at once are served from the idle nodes; slots are
/// listed when the first has to wait.
pub(super) struct GridInstant<'a> {
    view: View<'a>,
    queue: &'a dyn LongQueue,
    /// Those who were looked at, by their positions in the queue, which are their names.
    looked_at: BTreeMap<usize, LookedAt<'a>>,
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
    /// True if places have been exchanged.
    is_exchanged: bool,
    /// The reservation that was withdrawn and is to be made again.
    withdrawn: Option<Window>,
}

/// A job of the queue.
#[derive(Debug, Clone, Copy)]
struct LookedAt<'a> {
    id: JobId,
    request: &'a Request,
    promise: Option<Time>,
}

impl<'a> GridInstant<'a> {
    pub(super) fn new(view: &View<'a>, queue: &'a dyn LongQueue, finder: Finder) -> Self {
        Self {
            view: *view,
            queue,
            looked_at: BTreeMap::new(),
            finder,
            limit: finder.limit(),
            idle: None,
            taken: Vec::new(),
            windows: None,
            fault: None,
            most: BTreeMap::new(),
            windowless: None,
            better: None,
            is_exchanged: false,
            withdrawn: None,
        }
    }

    /// Looks at the job at a position of the queue.
    pub(super) fn look_at(&mut self, position: usize, waiting: Waiting<'a>) {
        let Waiting { id, request, promise, .. } = waiting;
        self.looked_at.insert(position, LookedAt { id, request, promise });
        if let Some(windows) = &mut self.windows {
            windows.insert(position, request);
        }
    }

    /// Gives those their reservations, in the order of the queue, who are not certain to have no place: those who were promised
    /// nothing, and those whose promise is `broken`.
    pub(super) fn reserve_in_turn(&mut self, backfill: &mut Backfill<Self>, broken: &[usize]) {
        let mut next = Some(0);
        while let Some(from) = next.take() {
            for position in self.all_to_try(from, broken) {
                if !self.looked_at.contains_key(&position) {
                    self.look_at(position, self.queue.at(position));
                }
                let may_move = self.may_move();
                backfill.reserve(self, position);
                // Others may have a place now who had none; or fewer may have one, if no one can move for them.
                if std::mem::take(&mut self.is_exchanged) || may_move != self.may_move() {
                    next = Some(position + 1);
                    break;
                }
            }
        }
    }

    /// True if it has not yet been in vain to move those who hold reservations.
    fn may_move(&self) -> bool {
        self.windows.as_ref().is_some_and(FreeWindows::may_move)
    }

    /// All jobs from a position on who might have a place, without those who keep their promises.
    fn all_to_try(&mut self, from: usize, broken: &[usize]) -> Vec<usize> {
        let Self { view, queue, looked_at, windowless, windows, .. } = self;
        let by_moving = windows.as_mut().map_or(usize::MAX, FreeWindows::most_by_moving);
        let mut most = |grade: usize| match (&*windowless, &*windows) {
            (Some(_), Some(windows)) => windows.most_beside(grade).max(by_moving),
            _ => usize::MAX,
        };
        let mut is_within = |position: &&usize| {
            let request = looked_at[*position].request;
            **position >= from && request.nodes <= most(grade_of(view.rule, request))
        };
        let broken: Vec<usize> = broken.iter().filter(&mut is_within).copied().collect();
        let mut all = queue.unpromised_within(from, &mut most);
        all.extend(broken);
        all.sort_unstable();
        all
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
        let held = backfill.held.iter().map(|(job, window)| (*job, window.start()));
        let promised = held.filter(|(job, start)| self.looked_at[job].promise != Some(*start));
        let started = backfill.started.iter().cloned();
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
                let requests =
                    self.looked_at.iter().map(|(&position, looked_at)| (position, looked_at.request)).collect();
                FreeWindows::of(&Offers { nodes, slots, rule }, free, requests, self.finder, now)
            }
        };
        Ok(self.windows.insert(windows))
    }

    /// The window of a job on nodes that are idle and that no job has reserved; it is reserved then.
    fn reserve_idle(&mut self, job: usize) -> Option<Window> {
        let (_, request) = self.job(job);
        let idle = self.idle.as_mut()?;
        if idle.is_too_small(request) {
            return None;
        }
        let window = idle.find(request, self.limit)?;
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
    pub(super) fn job(&self, job: usize) -> (JobId, &'a Request) {
        let LookedAt { id, request, .. } = self.looked_at[&job];
        (id, request)
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
        self.windowless.iter_mut().for_each(|windowless| windowless.forget_place(id, has_another));
    }

    /// True if it is certain that a job without a place has none as long as others don't move for it.
    fn is_windowless(&mut self, job: usize) -> bool {
        let named = self.job(job);
        let (Some(windowless), Some(windows)) = (&mut self.windowless, &self.windows) else { return false };
        let find = |starts| windows.first_window(job, starts);
        let later = || windows.unreserved_later(job);
        windowless.first_window(&self.view, self.finder, named, later, find).is_none()
    }

    /// Remembers the place that a job was given, unless others had to move for it.
    fn settle(&mut self, job: usize, place: Option<&Window>, are_others_moved: bool) {
        let named = self.job(job);
        let withdrawn = self.withdrawn.take();
        let (Some(windowless), Some(windows)) = (&mut self.windowless, &self.windows) else { return };
        if are_others_moved {
            windowless.forget_all();
            self.is_exchanged = true;
            return;
        }
        if let Some(old) = withdrawn {
            // Others may use what is left of its old place.
            if place != Some(&old) {
                let left = old.slots().iter().flat_map(|&slot| windows.unreserved().slots_within(slot));
                left.for_each(|slot| windowless.gain(&self.view, slot));
            }
        }
        windowless.settle(&self.view, self.finder, named, place, || windows.unreserved_later(job));
    }

    /// The time that is left free.
    pub(super) fn into_left(self) -> Option<LeftTime> {
        self.windows.map(FreeWindows::into_left)
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
        let is_withdrawn = self.withdrawn.is_some();
        if !is_withdrawn && self.is_windowless(job) {
            let windows = self.windows.as_mut().filter(|windows| windows.may_move_others(held))?;
            windows.earliest_by_count(job, Time::MAX)?;
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
        self.withdrawn = Some(window.clone());
    }

    fn may_improve(&mut self, job: usize, window: &Window, held: &[HeldPlace<Self>]) -> bool {
        self.better = None;
        let named = self.job(job);
        let Some(windows) = &mut self.windows else { return true };
        let windowless = self.windowless.as_mut().filter(|_| !windows.may_move_others(held));
        let Some(windowless) = windowless else { return windows.may_start_before(job, window.start()) };
        let starts = windowless.hopes_beside(&self.view, named, window);
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
        let (_, request) = self.job(job);
        if self.idle.as_mut()?.is_too_small(request) {
            return None;
        }
        // Nodes that are kept free for others may be exchanged for some that become free in time.
        let window = self.idle.as_ref()?.find_anywhere(request, self.limit)?;
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
