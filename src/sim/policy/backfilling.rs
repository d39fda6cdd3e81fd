//! First come first served, EASY and conservative backfilling in a grid that lives.

use super::grid_instant::GridInstant;
use super::idle::{Idle, all_at_once};
use super::windowless::Windowless;
use super::{Acts, Decision, LongQueue, Policy, PolicyError, PolicySpec, Setup, View, Waiting};
use crate::model::{JobId, Window};
use crate::queueing::{Backfill, LeftTime, QueueRule};
use crate::record;
use crate::search::Finder;
use crate::units::Time;
use std::collections::{BTreeMap, BTreeSet};

/// Declares the policies that serve the queue by a rule.
macro_rules! queues {
    ($($(#[doc = $doc:literal])* $policy:ident($rule:ident),)*) => {$(
        record! {
            $(#[doc = $doc])*
            #[derive(Copy)]
            pub struct $policy;
        }

        impl PolicySpec for $policy {
            fn name(&self) -> String {
                QueueRule::$rule.name()
            }

            fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
                setup.two_tier(Backfilling::new(QueueRule::$rule, setup.finder()))
            }

            fn acts(&self) -> Acts {
                Acts::Events
            }

            fn seeks_windows(&self) -> bool {
                true
            }
        }
    )*};
}

queues! {
    /// First come, first served: the queue starts in its order, and no job overtakes, unless one has no window at all within
    /// the scheduling interval. It acts on events, as batch systems do.
    FcfsPolicy(Fcfs),
    /// The first of those that must wait holds a reservation; others may start if they don't delay it. It acts on
    /// events, as batch systems do.
    EasyPolicy(Easy),
    /// All that must wait hold a reservation; others may start if they delay none. It acts on events, as batch systems
    /// do.
    ConservativePolicy(Conservative),
}

/// The [rule of backfilling](Backfill) at one instant of a grid that lives. Those who start do so on the idle nodes
/// that are cheapest per unit of work.
///
/// A promise is a start, not a set of nodes. With reservations for all, each job keeps its promise until owners,
/// failures or overruns make it impossible; then it gets the earliest start that the others leave. Where a job can't start
/// though it was promised to start now, as when one before it overruns, all reservations are made again, in the order of the
/// queue: each job keeps its promise if those before it leave it, or else gets the earliest start that they leave. When free time comes up that
/// was not known of, as when a job ends early, each promise in turn moves to the earliest start that the others
/// leave. With a single reservation it comes to the same to make it again each time: whatever was let in since does
/// not delay it.
///
/// Jobs start when the policy is asked, which is on events unless a scenario says otherwise. If it acts at cycles only, a
/// promise between two of them is kept at the later one, and those behind it may move. On equal nodes without owners and failures a policy that acts on events starts
/// each job of a log at the same time as a replay of the log does. A job that has no window at all within the
/// scheduling interval holds no other up.
#[derive(Debug, Clone)]
pub struct Backfilling {
    rule: QueueRule,
    finder: Finder,
    /// The windows in which promises were last kept. They need not be kept on those nodes, but most can be.
    arranged: BTreeMap<JobId, Window>,
    /// Those who were promised a start, and for whom no window was left when the policy last decided.
    lost: BTreeSet<JobId>,
    /// The time left free when the policy last decided.
    left: Option<LeftTime>,
    /// Those who need not be looked at again yet, unless all are.
    windowless: Windowless,
    looks_at_all: bool,
}

impl Backfilling {
    /// A queue under a rule, whose windows are found in this way.
    pub fn new(rule: QueueRule, finder: Finder) -> Self {
        Self {
            rule,
            finder,
            arranged: BTreeMap::new(),
            lost: BTreeSet::new(),
            left: None,
            windowless: Windowless::default(),
            looks_at_all: false,
        }
    }

    /// Looks at every job at every decision from now on, also at those that can have gained nothing since the last one or
    /// for which there are too few nodes at any time. The decisions are the same, and take longer.
    pub fn look_at_all(&mut self) {
        self.looks_at_all = true;
    }

    /// The windows of jobs that were promised a start when the policy last decided, where promises are kept from one
    /// decision to the next.
    pub(crate) fn arranged(&self) -> &BTreeMap<JobId, Window> {
        &self.arranged
    }
}

impl Policy for Backfilling {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        self.decide_on(view, &view.listed_queue())
    }

    fn decide_from(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Option<Result<Vec<Decision>, PolicyError>> {
        Some(self.decide_on(view, queue))
    }
}

fn reserved(windows: Vec<Window>) -> Vec<Decision> {
    let reserve = |(request, window)| Decision::Reserve { request, window };
    windows.into_iter().enumerate().map(reserve).collect()
}

impl Backfilling {
    fn decide_on(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Result<Vec<Decision>, PolicyError> {
        if self.rule.depth() <= 1 { self.decide_by_size(view, queue) } else { self.decide_by_promises(view, queue) }
    }

    /// Decides where all, or many, hold reservations. Of those without one no more are looked at than there might be enough
    /// nodes for.
    fn decide_by_promises(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Result<Vec<Decision>, PolicyError> {
        let promised = queue.promised();
        // Where nobody was promised anything and all can start, no more than the idle nodes need be looked at.
        if promised.is_empty()
            && let Some(windows) = all_at_once(view, queue, self.finder.limit())
        {
            (self.arranged, self.left, self.windowless) = (BTreeMap::new(), None, Windowless::default());
            return Ok(reserved(windows));
        }
        let mut free = GridInstant::new(view, queue, self.finder);
        free.windowless = Some(std::mem::take(&mut self.windowless)).filter(|_| !self.looks_at_all);
        promised.iter().for_each(|&(position, waiting)| free.look_at(position, waiting));
        let mut backfill = Backfill::new(self.rule.depth());
        self.keep_promises(view, &promised, &mut free, &mut backfill)?;
        free.idle = Some(Idle::new(view));
        free.renew_idle(&backfill.held);
        self.reserve_for_rest(queue, &promised, &mut free, &mut backfill);
        backfill.pass(&mut free, view.now);
        if let Some(fault) = free.fault {
            return Err(fault.into());
        }
        let decisions = free.decisions(&backfill);
        let mut is_placed = vec![false; queue.len()];
        backfill.held.iter().chain(&backfill.started).for_each(|&(job, _)| is_placed[job] = true);
        let lost = promised.iter().filter(|&&(position, _)| !is_placed[position]);
        self.lost = lost.map(|(_, waiting)| waiting.id).collect();
        self.arranged = backfill.held.into_iter().map(|(job, window)| (free.job(job).0, window)).collect();
        if let (Some(mut windowless), Some(windows)) = (free.windowless.take(), &free.windows) {
            windowless.keep(windows.unreserved().clone(), queue);
            self.windowless = windowless;
        }
        self.left = free.into_left();
        Ok(decisions)
    }

    /// Those who hold no reservation get one in their turn: first those who lost theirs to one before them.
    fn reserve_for_rest<'a>(
        &self,
        queue: &'a dyn LongQueue,
        promised: &[(usize, Waiting<'_>)],
        free: &mut GridInstant<'a>,
        backfill: &mut Backfill<GridInstant<'a>>,
    ) {
        let mut is_passed = vec![false; queue.len()];
        backfill.held.iter().map(|(job, _)| job).chain(&backfill.queue).for_each(|&job| is_passed[job] = true);
        if self.rule.depth() < usize::MAX {
            for position in (0..queue.len()).filter(|&position| !is_passed[position]) {
                free.look_at(position, queue.at(position));
                backfill.queue.push_back(position);
            }
        } else {
            while let Some(job) = backfill.queue.pop_front() {
                backfill.reserve(free, job);
            }
            let promised = promised.iter().map(|&(position, _)| position);
            let broken: Vec<usize> = promised.filter(|&position| !is_passed[position]).collect();
            free.reserve_in_turn(backfill, &broken);
        }
    }

    /// Decides where one job at most holds a reservation. Of those behind it no more are looked at than could start on
    /// the nodes that are idle.
    fn decide_by_size(&self, view: &View<'_>, queue: &dyn LongQueue) -> Result<Vec<Decision>, PolicyError> {
        if let Some(windows) = all_at_once(view, queue, self.finder.limit()) {
            return Ok(reserved(windows));
        }
        let mut free = GridInstant::new(view, queue, self.finder);
        free.idle = Some(Idle::new(view));
        let mut backfill = Backfill::new(self.rule.depth());
        let mut next = 0;
        while backfill.held.is_empty() && next < queue.len() {
            free.look_at(next, queue.at(next));
            backfill.queue.push_back(next);
            backfill.serve_front(&mut free, view.now);
            next += 1;
        }
        if self.rule.depth() > 0 {
            while let Some(position) = free.next_to_try(next, &backfill.held) {
                free.look_at(position, queue.at(position));
                if backfill.start(&mut free, position) {
                    free.most.clear();
                }
                next = position + 1;
            }
        }
        match free.fault.take() {
            Some(fault) => Err(fault.into()),
            None => Ok(free.decisions(&backfill)),
        }
    }

    /// Gives those who were promised a start their reservations.
    fn keep_promises<'a>(
        &mut self,
        view: &View<'a>,
        promised: &[(usize, Waiting<'_>)],
        free: &mut GridInstant<'a>,
        backfill: &mut Backfill<GridInstant<'a>>,
    ) -> Result<(), PolicyError> {
        let starts = |&(at, waiting): &(usize, Waiting<'_>)| Some((at, waiting.promise?.max(view.now)));
        let holding = promised.iter().filter(|(_, waiting)| !self.lost.contains(&waiting.id));
        let mut starts: Vec<(usize, Time)> = holding.filter_map(starts).collect();
        starts.truncate(self.rule.depth());
        if starts.is_empty() {
            free.windowless = None;
            return Ok(());
        }
        // In the order of their starts: whoever starts later then has the choice of all nodes that are free by then.
        starts.sort_by_key(|&(at, start)| (start, at));
        let has_more = |left: &LeftTime| view.slots.list().gained_over(&left.free, left.until).next().is_some();
        let is_vacated = self.left.as_ref().is_none_or(has_more);
        let mut last = std::mem::take(&mut self.arranged);
        let stays =
            |&(at, start): &(usize, Time)| (at, last.remove(&free.job(at).0).filter(|window| window.start() == start));
        let mut kept: Vec<(usize, Option<Window>)> = starts.iter().map(stays).collect();
        let windows = free.windows()?;
        windows.expect_many();
        windows.reserve_all_again(&mut kept);
        let is_elsewhere: Vec<bool> = kept.iter().map(|(_, window)| window.is_none()).collect();
        for ((at, place), &(_, start)) in kept.iter_mut().zip(&starts).filter(|((_, place), _)| place.is_none()) {
            *place = windows.at(*at, start).filter(|window| windows.reserve(window));
        }
        // Those who can stay where they were may be in the way of one who can't.
        if kept.iter().any(|(_, place)| place.is_none())
            && let Some(arranged) = windows.arrange(&starts)
        {
            kept.iter_mut().zip(arranged).for_each(|((_, place), window)| *place = Some(window));
            starts.iter().for_each(|&(at, _)| free.forget_place(at, true));
        }
        let elsewhere = starts.iter().zip(is_elsewhere).filter(|&(_, is_elsewhere)| is_elsewhere);
        elsewhere.for_each(|(&(at, _), _)| free.forget_place(at, true));
        let is_due = |((_, place), &(_, start)): (&(usize, Option<Window>), &(usize, Time))| {
            place.is_none() && start <= view.now
        };
        let is_late = kept.iter().zip(&starts).any(is_due);
        if is_late {
            keep_in_order(&starts, kept, free, backfill)?;
        } else {
            backfill.held.extend(kept.into_iter().filter_map(|(at, place)| Some((at, place?))));
            backfill.held.sort_unstable_by_key(|&(at, _)| at);
        }
        free.renew_windowless();
        if is_vacated || is_late {
            backfill.compress(free);
        }
        Ok(())
    }
}

/// Gives those who were promised a start their reservations in the order of the queue, where one who should start now can't:
/// each keeps its promise if those before it leave it, or else gets the earliest start that they leave. `kept` are the
/// windows that are reserved by now.
fn keep_in_order<'a>(
    starts: &[(usize, Time)],
    kept: Vec<(usize, Option<Window>)>,
    free: &mut GridInstant<'a>,
    backfill: &mut Backfill<GridInstant<'a>>,
) -> Result<(), PolicyError> {
    let first = kept.iter().filter(|(_, place)| place.is_none()).map(|&(at, _)| at).min().unwrap_or(usize::MAX);
    let windows = free.windows()?;
    let behind = kept.iter().filter(|&&(at, _)| at > first);
    behind.filter_map(|(_, place)| place.as_ref()).for_each(|window| windows.give_back(window));
    let starts = starts.iter().map(|&(_, start)| start);
    let mut in_order: Vec<((usize, Option<Window>), Time)> = kept.into_iter().zip(starts).collect();
    in_order.sort_unstable_by_key(|&((at, _), _)| at);
    // What is known of places is of those that are held no longer.
    let windowless = free.windowless.take();
    for ((at, place), start) in &in_order {
        let windows = free.windows()?;
        let own = place.clone().filter(|window| *at < first || windows.reserve(window));
        match own.or_else(|| windows.at(*at, *start).filter(|window| windows.reserve(window))) {
            Some(window) => backfill.held.push((*at, window)),
            None => backfill.reserve(free, *at),
        }
    }
    free.windowless = windowless;
    let mut held = backfill.held.iter().peekable();
    for ((at, place), _) in &in_order {
        let new = held.next_if(|(other, _)| other == at).map(|(_, window)| window);
        if new != place.as_ref() {
            free.forget_place(*at, new.is_some());
        }
    }
    Ok(())
}
