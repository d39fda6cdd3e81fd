//! One job's scan of the slots in an order of nodes of its own, which finds its windows one after another.
//!
//! Where a job gets many windows for the number of nodes there are, it pays to work out once what each node costs for it
//! and to sort the nodes by that: every window after that is found by a look at few bits. In a large grid from which
//! each job is to get a few windows the sorting takes more time than all the rest, and
//! [walks](super::walk) in one order of nodes for all jobs are faster.

use super::by_start::{SlotsByStart, StartOfSlot};
use super::ranked::Ranked;
use super::remaining::length;
use super::{Finder, Offers, budget};
use crate::engine::Stop;
use crate::model::{NodeId, Request, Slot, Window};
use crate::units::{Span, Time};

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
    let mut free = CutSlots::new(offers.slots.as_slice(), shortest);
    scans.iter_mut().flatten().for_each(|scan| scan.unseen = free.starts.len());
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
    /// First those that were offered and are of use, by start, then remainders as they came; the number of a slot is its
    /// place.
    starts: Vec<StartOfSlot>,
    ends: Vec<Time>,
    /// One list for all walks, since a heap of each job's own would be pushed and popped jobs x remainders times. What has
    /// become too short for anybody stays in it: a walk steps over it faster than it is taken out.
    by_start: SlotsByStart,
    /// The shortest runtime of any job of the batch on any node. What is shorter than that is of no use to anybody, and is
    /// not kept.
    shortest: Span,
}

impl CutSlots {
    fn new(offered: &[Slot], shortest: Span) -> Self {
        let of_use = || offered.iter().filter(|slot| length(slot.interval) >= shortest);
        let starts = of_use().zip(0..).map(|(slot, at)| StartOfSlot::new(slot.interval.start, slot.node, at));
        let (starts, ends) = (starts.collect::<Vec<_>>(), of_use().map(|slot| slot.interval.end).collect());
        Self { by_start: SlotsByStart::new(&starts), starts, ends, shortest }
    }

    /// Cuts a part out of a slot: what is before it stays in place, what is behind it is added at the end.
    fn cut(&mut self, number: u32, start: Time, runtime: Span) {
        let slot = self.starts[number as usize];
        let end = std::mem::replace(&mut self.ends[number as usize], start);
        let rest = start + runtime;
        if rest < end && end - rest >= self.shortest {
            let rest = StartOfSlot::new(rest, slot.node(), self.starts.len() as u32);
            self.by_start.insert(rest);
            self.starts.push(rest);
            self.ends.push(end);
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
    /// ... and those up to this one.
    last: StartOfSlot,
    live: Ranked,
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
            last: StartOfSlot::behind(Time::from_ticks(i64::MIN), NodeId(0)),
            live: Ranked::new(offers, request, |node| !per_slot || node.price <= request.max_price),
            unseen: 0,
        }
    }

    /// Walks on to the first start at which the cheapest live slots are a window; whether there is one.
    ///
    /// One by one, no window is passed over by going on where the last one was complete: before that slot nothing was,
    /// and less is free now; and the slot itself is taken.
    fn find(&mut self, free: &CutSlots) -> bool {
        self.catch_up(free);
        let mut is_complete = self.is_complete();
        'slots: for run in free.by_start.after(self.last) {
            for &slot in run {
                // Slots of one start are met together: one more makes a window cheaper, or leaves it as it is.
                if is_complete && slot > self.last {
                    break 'slots;
                }
                // Most are too short, and at the start of those no window becomes complete.
                let (start, number) = (slot.start(), slot.number());
                let end = free.ends[number as usize].min(self.deadline);
                let Some(latest_start) = self.live.latest_start(slot.node(), start, end) else { continue };
                if slot > self.last {
                    let until = if self.one_by_one { slot.node() } else { NodeId(u32::MAX) };
                    (self.now, self.last) = (start, StartOfSlot::behind(start, until));
                    self.live.advance(start, |slot| free.ends[slot as usize].min(self.deadline));
                }
                self.live.insert(slot.node(), number, latest_start);
                is_complete = self.is_complete();
            }
        }
        is_complete
    }

    fn is_complete(&self) -> bool {
        self.live.total().is_some_and(|total| total <= self.limit)
    }

    /// Takes note of what was cut since the last window was found, by this job and by the others.
    fn catch_up(&mut self, free: &CutSlots) {
        self.live.renew(self.now, |slot| free.ends[slot as usize].min(self.deadline));
        for &rest in &free.starts[self.unseen..] {
            if rest > self.last {
                continue;
            }
            let end = free.ends[rest.number() as usize].min(self.deadline);
            if let Some(latest_start) = self.live.latest_start(rest.node(), self.now, end) {
                self.live.insert(rest.node(), rest.number(), latest_start);
            }
        }
        self.unseen = free.starts.len();
    }
}
