//! One job's scan of the slots in an order of nodes of its own, which finds its windows one after another.
//!
//! Where a job gets many windows for the number of nodes there are, it pays to work out once what each node costs for it
//! and to sort the nodes by that: every window after that is found by a look at few bits. In a large grid from which
//! each job is to get a few windows the sorting takes more time than all the rest, and
//! [walks](super::walk) in one order of nodes for all jobs are faster.

use super::ranked::Ranked;
use super::{Finder, Offers, budget};
use crate::engine::Stop;
use crate::model::{Interval, NodeId, Request, Slot, Window};
use crate::units::{Span, Time};
use std::collections::BTreeSet;

/// The windows of each request of `batch`, as [`find_alternatives`](super::find_alternatives) has them.
pub(super) fn find_by_scans(
    offers: &Offers<'_>,
    batch: &[&Request],
    finder: Finder,
    passes: Option<usize>,
    stop: &Stop,
) -> Vec<Vec<Window>> {
    let mut scans: Vec<Option<JobScan>> =
        batch.iter().map(|request| Some(JobScan::new(offers, request, finder))).collect();
    let shortest = scans.iter().flatten().filter_map(|scan| scan.live.shortest()).min().unwrap_or(Span::ZERO);
    let slots = offers.slots.as_slice().to_vec();
    let mut free = CutSlots { slots, offered: offers.slots.len(), rests: BTreeSet::new(), shortest };
    let mut windows = vec![Vec::new(); batch.len()];
    let mut pass = 0;
    while scans.iter().any(Option::is_some) && passes.is_none_or(|passes| pass < passes) {
        pass += 1;
        for job in 0..scans.len() {
            if stop.is_set() {
                return windows;
            }
            let Some(scan) = &mut scans[job] else { continue };
            if !scan.find(&free) {
                scans[job] = None;
                continue;
            }
            let parts = scan.live.chosen().map(|place| (place.node, place.terms.runtime));
            windows[job].push(Window::of_parts(scan.now, parts));
            scan.live.chosen().for_each(|place| free.cut(place.slot, scan.now, place.terms.runtime));
        }
    }
    windows
}

/// The slots as they are after all cuts.
struct CutSlots {
    /// First those that were offered, by start, then remainders as they came.
    slots: Vec<Slot>,
    offered: usize,
    /// The remainders by start and node: one list for all walks, since a heap of each job's own would be pushed and
    /// popped jobs x remainders times.
    rests: BTreeSet<(Time, NodeId, u32)>,
    /// The shortest runtime of any job of the batch on any node. Remainders shorter than that are of no use to anybody:
    /// they are not kept, and a walk steps over them as if they were not there. A window never becomes complete at the
    /// start of one.
    shortest: Span,
}

impl CutSlots {
    /// Cuts a part out of a slot: what is before it stays in place, what is behind it is added at the end.
    fn cut(&mut self, slot: u32, start: Time, runtime: Span) {
        let Slot { node, interval } = &mut self.slots[slot as usize];
        let rest = Slot { node: *node, interval: Interval::new(start + runtime, interval.end) };
        interval.end = start;
        if slot as usize >= self.offered && interval.span() < self.shortest {
            self.rests.remove(&(interval.start, *node, slot));
        }
        if !rest.interval.is_empty() && rest.interval.span() >= self.shortest {
            self.rests.insert((rest.interval.start, rest.node, self.slots.len() as u32));
            self.slots.push(rest);
        }
    }
}

/// One job's walk through the slots.
struct JobScan {
    limit: i128,
    deadline: Time,
    /// It stops between slots of one start, if true; see [`Takes::FirstMet`].
    one_by_one: bool,
    /// The start at which the walk stands: all slots that begin before it have been met ...
    now: Time,
    /// ... and those that begin right then on nodes up to this one.
    last: NodeId,
    live: Ranked,
    /// The first of the offered slots that has not been met.
    next: usize,
    /// The first of the remainders that has not been looked at.
    unseen: usize,
}

impl JobScan {
    fn new(offers: &Offers<'_>, request: &Request, finder: Finder) -> Self {
        let (per_slot, limit) = match finder {
            Finder::Alp(_) => (true, i128::MAX),
            Finder::Amp(amp) => (false, budget(request, amp.budget_factor.get()).ticks().into()),
        };
        Self {
            limit,
            deadline: request.deadline.unwrap_or(Time::MAX),
            one_by_one: finder.one_by_one(),
            now: Time::from_ticks(i64::MIN),
            last: NodeId(0),
            live: Ranked::new(offers, request, |node| !per_slot || node.price <= request.max_price),
            next: 0,
            unseen: offers.slots.len(),
        }
    }

    /// Walks on to the first start at which the cheapest live slots are a window; whether there is one.
    ///
    /// One by one, no window is passed over by going on where the last one was complete: before that slot nothing was,
    /// and less is free now; and the slot itself is taken.
    fn find(&mut self, free: &CutSlots) -> bool {
        self.catch_up(free);
        let offered = &free.slots[..free.offered];
        // Those that begin before the walk stands were met when it caught up.
        let mut rests = free.rests.range((self.now, self.last, u32::MAX)..).peekable();
        while self.live.total().is_none_or(|total| total > self.limit) {
            let fresh = offered.get(self.next).map(|slot| (slot.interval.start, slot.node));
            let cut = rests.peek().map(|&&(start, node, _)| (start, node));
            let Some((now, node)) = fresh.into_iter().chain(cut).min() else { return false };
            self.now = now;
            self.last = self.until(node);
            let (deadline, last) = (self.deadline, self.last);
            self.live.advance(now, |slot| free.slots[slot as usize].interval.end.min(deadline));
            while let Some(slot) = offered.get(self.next)
                && slot.interval.start == now
                && slot.node <= last
            {
                if let Some(rank) = self.live.rank(slot.node) {
                    self.meet(free, rank, self.next);
                }
                self.next += 1;
            }
            while let Some(&(_, node, slot)) = rests.next_if(|&&(start, node, _)| start == now && node <= last) {
                if let Some(rank) = self.live.rank(node) {
                    self.meet(free, rank, slot as usize);
                }
            }
        }
        true
    }

    /// Up to which node slots of one start are met together with one on `node`.
    fn until(&self, node: NodeId) -> NodeId {
        if self.one_by_one { node } else { NodeId(u32::MAX) }
    }

    /// Takes in a slot of the node of this rank, if a task still fits.
    fn meet(&mut self, free: &CutSlots, rank: u32, slot: usize) {
        let Interval { start, end } = free.slots[slot].interval;
        if let Some(latest_start) = self.live.terms(rank).latest_start(start.max(self.now), end.min(self.deadline)) {
            self.live.insert(rank, slot as u32, latest_start);
        }
    }

    /// Takes note of what was cut since the last window was found, by this job and by the others.
    fn catch_up(&mut self, free: &CutSlots) {
        let deadline = self.deadline;
        self.live.renew(self.now, |slot| free.slots[slot as usize].interval.end.min(deadline));
        for rest in self.unseen..free.slots.len() {
            let Slot { node, interval } = free.slots[rest];
            if (interval.start, node) <= (self.now, self.last)
                && let Some(rank) = self.live.rank(node)
            {
                self.meet(free, rank, rest);
            }
        }
        self.unseen = free.slots.len();
    }
}
