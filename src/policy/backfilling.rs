//! First come first served, EASY and conservative backfilling in a grid that lives.

use super::idle::{Idle, IdleNode, all_at_once};
use super::long_queue::ListedQueue;
use super::settled::SettledJobs;
use super::{Acts, Decision, LongQueue, Policy, PolicyError, PolicySpec, Setup, View};
use crate::model::{CostLimit, JobId, NotFree, Request, SlotList, Window};
use crate::queueing::{Availability, Backfill, FreeWindows, HeldPlace, QueueRule};
use crate::record;
use crate::search::{Finder, Offers, least_work};
use crate::units::Time;
use std::collections::{BTreeMap, BTreeSet};

record! {
    /// First come, first served: the queue starts in its order, and no job overtakes. It acts on events, as batch
    /// systems do.
    #[derive(Copy)]
    pub struct FcfsPolicy;
}

record! {
    /// The first of those that must wait holds a reservation; others may start if they don't delay it. It acts on
    /// events, as batch systems do.
    #[derive(Copy)]
    pub struct EasyPolicy;
}

record! {
    /// All that must wait hold a reservation; others may start if they delay none. It acts on events, as batch systems
    /// do.
    #[derive(Copy)]
    pub struct ConservativePolicy;
}

impl PolicySpec for FcfsPolicy {
    fn name(&self) -> String {
        "FCFS".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        of_rule(QueueRule::Fcfs, setup)
    }

    fn acts(&self) -> Acts {
        Acts::Events
    }
}

impl PolicySpec for EasyPolicy {
    fn name(&self) -> String {
        "EASY".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        of_rule(QueueRule::Easy, setup)
    }

    fn acts(&self) -> Acts {
        Acts::Events
    }
}

impl PolicySpec for ConservativePolicy {
    fn name(&self) -> String {
        "conservative".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        of_rule(QueueRule::Conservative, setup)
    }

    fn acts(&self) -> Acts {
        Acts::Events
    }
}

fn of_rule(rule: QueueRule, setup: &Setup<'_>) -> Box<dyn Policy> {
    setup.two_tier(Backfilling::new(rule, setup.finder()))
}

/// The [rule of backfilling](Backfill) at one instant of a grid that lives. Those who start do so on the idle nodes
/// that are cheapest per unit of work.
///
/// A promise is a start, not a set of nodes. With reservations for all, each job keeps its promise until owners,
/// failures or overruns make it impossible; then it gets another, which may be later. When free time comes up that
/// was not known of, as when a job ends early, each promise in turn moves to the earliest start that the others
/// leave. With a single reservation it comes to the same to make it again each time: whatever was let in since does
/// not delay it.
///
/// Jobs start when the policy is asked, which is on events unless a scenario says otherwise. If it acts at cycles only, a promise between two of them is kept at the later
/// one, and those behind it may move. On equal nodes without owners and failures a policy that acts on events starts
/// each job of a log at the same time as a replay of the log does. A job that has no window at all within the
/// scheduling interval holds no other up.
#[derive(Debug, Clone)]
pub struct Backfilling {
    rule: QueueRule,
    finder: Finder,
    /// The windows in which promises were last kept. They need not be kept on those nodes, but most can be.
    arranged: BTreeMap<JobId, Window>,
    /// The time left free when the policy last decided, and the instant up to which it saw.
    left: Option<(SlotList, Time)>,
    /// Those who need not be looked at again yet.
    settled: SettledJobs,
}

impl Backfilling {
    /// A queue under a rule, whose windows are found in this way.
    pub fn new(rule: QueueRule, finder: Finder) -> Self {
        Self { rule, finder, arranged: BTreeMap::new(), left: None, settled: SettledJobs::default() }
    }

    /// Looks at every job at the next decision, also at those that can have gained nothing since the last one. The
    /// decision is the same, and takes longer.
    pub fn look_at_all(&mut self) {
        self.settled = SettledJobs::default();
    }

    /// The windows of jobs that were promised a start when the policy last decided, where promises are kept from one
    /// decision to the next.
    pub(crate) fn arranged(&self) -> &BTreeMap<JobId, Window> {
        &self.arranged
    }
}

impl Policy for Backfilling {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let queue = ListedQueue { jobs: view.queue, rule: view.rule };
        if self.rule.depth() <= 1 {
            return self.decide_by_size(view, &queue);
        }
        // Where nobody was promised anything and all can start, no more than the idle nodes need be looked at.
        if view.queue.iter().all(|waiting| waiting.promise.is_none())
            && let Some(windows) = all_at_once(view, &queue, self.finder.limit())
        {
            (self.arranged, self.left, self.settled) = (BTreeMap::new(), None, SettledJobs::default());
            return Ok(reserved(windows));
        }
        let mut free = GridInstant::new(view, &queue, self.finder);
        free.settled = Some(std::mem::take(&mut self.settled));
        (0..queue.len()).for_each(|position| _ = free.look_at(position));
        let mut backfill = Backfill::new(self.rule.depth());
        self.keep_promises(view, &mut free, &mut backfill)?;
        free.idle = Some(Idle::new(view));
        free.renew_idle(&backfill.held);
        backfill.pass(&mut free, view.now);
        if let Some(fault) = free.fault {
            return Err(fault.into());
        }
        let decisions = free.decisions(&backfill);
        let is_started = |at: usize| backfill.started.iter().any(|&(started, _)| started == at);
        let waiting = view.queue.iter().enumerate().filter(|&(at, _)| !is_started(at)).map(|(_, waiting)| waiting.id);
        let waiting: BTreeSet<JobId> = waiting.collect();
        self.arranged = backfill.held.into_iter().map(|(at, window)| (view.queue[at].id, window)).collect();
        if let (Some(mut settled), Some(windows)) = (free.settled.take(), &free.windows) {
            settled.keep(windows.unreserved().clone(), |job| waiting.contains(&job));
            self.settled = settled;
        }
        self.left = free.into_left();
        Ok(decisions)
    }

    fn decide_from(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Option<Result<Vec<Decision>, PolicyError>> {
        (self.rule.depth() <= 1).then(|| self.decide_by_size(view, queue))
    }
}

fn reserved(windows: Vec<Window>) -> Vec<Decision> {
    let reserve = |(request, window)| Decision::Reserve { request, window };
    windows.into_iter().enumerate().map(reserve).collect()
}

impl Backfilling {
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
            backfill.queue.push_back(free.look_at(next));
            backfill.serve_front(&mut free, view.now);
            next += 1;
        }
        if self.rule.depth() > 0 {
            while let Some(position) = free.next_to_try(next, &backfill.held) {
                let job = free.look_at(position);
                if backfill.start(&mut free, job) {
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

    /// Gives those who were promised a start their reservations, the others wait for theirs.
    fn keep_promises<'a>(
        &mut self,
        view: &View<'a>,
        free: &mut GridInstant<'a>,
        backfill: &mut Backfill<GridInstant<'a>>,
    ) -> Result<(), PolicyError> {
        let promised = |(at, waiting): (usize, &super::Waiting<'_>)| Some((at, waiting.promise?.max(view.now)));
        let mut starts: Vec<(usize, Time)> = view.queue.iter().enumerate().filter_map(promised).collect();
        starts.truncate(self.rule.depth());
        // In the order of their starts: whoever starts later then has the choice of all nodes that are free by then.
        starts.sort_by_key(|&(at, start)| (start, at));
        let mut kept: Vec<Option<Window>> = vec![None; view.queue.len()];
        if starts.is_empty() {
            free.settled = None;
        } else {
            let has_more =
                |(left, until): &(SlotList, Time)| view.slots.list().gained_over(left, *until).next().is_some();
            let is_vacated = self.left.as_ref().is_none_or(has_more);
            let windows = free.windows()?;
            let arranged = |&(at, start): &(usize, Time)| {
                let arranged = self.arranged.get(&view.queue[at].id).filter(|window| window.start() == start);
                arranged.map(|window| (at, window))
            };
            let arranged: Vec<(usize, &Window)> = starts.iter().filter_map(arranged).collect();
            for (&(at, window), is_kept) in arranged.iter().zip(windows.reserve_all_again(&arranged)) {
                kept[at] = is_kept.then(|| window.clone());
            }
            let is_elsewhere: Vec<bool> = kept.iter().map(Option::is_none).collect();
            for &(at, start) in &starts {
                if kept[at].is_none() {
                    kept[at] = windows.at(at, start).filter(|window| windows.reserve(window));
                }
            }
            // Those who can stay where they were may be in the way of one who can't.
            if starts.iter().any(|&(at, _)| kept[at].is_none())
                && let Some(arranged) = windows.arrange(&starts)
            {
                starts.iter().zip(arranged).for_each(|(&(at, _), window)| kept[at] = Some(window));
                free.forget_settled(0..view.queue.len());
            }
            free.forget_settled(starts.iter().map(|&(at, _)| at).filter(|&at| is_elsewhere[at]));
            free.renew_settled();
            backfill.held.extend(kept.iter().enumerate().filter_map(|(at, window)| Some((at, window.clone()?))));
            if is_vacated {
                backfill.compress(free);
            }
        }
        backfill.queue.extend((0..view.queue.len()).filter(|&at| kept[at].is_none()));
        Ok(())
    }
}

/// The free time of the grid at one instant. Jobs that can start at once are served from the idle nodes; slots are
/// listed when the first has to wait.
struct GridInstant<'a> {
    view: View<'a>,
    queue: &'a dyn LongQueue,
    /// Those who were looked at, in order: their positions in the queue, and what they ask for. They are named by their
    /// place among these.
    looked_at: Vec<usize>,
    requests: Vec<&'a Request>,
    finder: Finder,
    limit: CostLimit,
    /// None while promises are looked at, which come before those who could start at once.
    idle: Option<Idle>,
    /// The windows that were taken before slots were listed.
    taken: Vec<Window>,
    windows: Option<FreeWindows<'a>>,
    /// Why slots could not be listed.
    fault: Option<NotFree>,
    /// The most nodes that a job of each grade of work could start on, as far as that was asked about since one last
    /// started.
    most: BTreeMap<usize, usize>,
    /// Those who need not be looked at, if that is known.
    settled: Option<SettledJobs>,
    /// What had come up before the reservation was withdrawn that is to be made again.
    withdrawn: Option<(u64, Window)>,
}

impl<'a> GridInstant<'a> {
    fn new(view: &View<'a>, queue: &'a dyn LongQueue, finder: Finder) -> Self {
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
            settled: None,
            withdrawn: None,
        }
    }

    /// Looks at the job at a position of the queue; its name.
    fn look_at(&mut self, position: usize) -> usize {
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
    fn next_to_try(&mut self, from: usize, held: &[HeldPlace<Self>]) -> Option<usize> {
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
    fn decisions(&self, backfill: &Backfill<Self>) -> Vec<Decision> {
        let position = |job: usize| self.looked_at[job];
        let started = backfill.started.iter().map(|(job, window)| (position(*job), window.clone()));
        let held = backfill.held.iter().map(|(job, window)| (position(*job), window.start()));
        let promised = held.filter(|&(position, start)| self.queue.at(position).promise != Some(start));
        let started = started.map(|(request, window)| Decision::Reserve { request, window });
        started.chain(promised.map(|(request, start)| Decision::Promise { request, start })).collect()
    }

    /// Lists the slots, if they are not.
    fn windows(&mut self) -> Result<&mut FreeWindows<'a>, NotFree> {
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
    fn renew_idle(&mut self, held: &[HeldPlace<Self>]) {
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
    fn renew_settled(&mut self) {
        if let (Some(settled), Some(windows)) = (&mut self.settled, &self.windows) {
            settled.renew(&self.view, windows.unreserved());
        }
    }

    /// Some have got other places.
    fn forget_settled(&mut self, jobs: impl Iterator<Item = usize>) {
        for job in jobs {
            let (id, _) = self.job(job);
            self.settled.iter_mut().for_each(|settled| settled.forget(id));
        }
    }

    /// True if it is certain that a job gets the same place again, or none.
    fn is_settled(&mut self, job: usize, held: &[HeldPlace<Self>], place: Option<&Window>) -> bool {
        let job = self.job(job);
        let (Some(settled), Some(windows)) = (&mut self.settled, &self.windows) else { return false };
        !windows.may_move_others(held) && settled.is_settled(&self.view, self.finder, job, place)
    }

    /// Remembers the place that a job was given, unless others had to move for it.
    fn settle(&mut self, job: usize, place: Option<&Window>, are_others_moved: bool) {
        let job = self.job(job);
        let withdrawn = self.withdrawn.take();
        let (Some(settled), Some(windows)) = (&mut self.settled, &self.windows) else { return };
        if are_others_moved {
            settled.forget_all();
            return;
        }
        if let Some((mark, old)) = withdrawn
            && place == Some(&old)
        {
            settled.lose(mark);
        }
        settled.settle(&self.view, self.finder, job, place, windows.unreserved());
    }

    /// The time that is left free, and the instant up to which it was seen.
    fn into_left(self) -> Option<(SlotList, Time)> {
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
        if self.withdrawn.is_none() && self.is_settled(job, held, None) {
            return None;
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
        if let Some(settled) = &mut self.settled {
            self.withdrawn = Some((settled.mark(), window.clone()));
            window
                .slots()
                .iter()
                .filter_map(|&slot| windows.unreserved().slot_around(slot))
                .for_each(|slot| settled.gain(slot));
        }
    }

    fn may_improve(&mut self, job: usize, window: &Window, held: &[HeldPlace<Self>]) -> bool {
        let Some(windows) = &mut self.windows else { return true };
        windows.may_start_before(job, window.start()) && !self.is_settled(job, held, Some(window))
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
