//! All windows that a batch can be offered at once (file 000, section 2).
//!
//! Round robin over the jobs in their order, one window each per pass; every window is cut out of the free time before
//! the next job looks, so that no two alternatives ever overlap. A job whose search fails is left out of later passes:
//! free time only shrinks, so it can't succeed again. For the same reason a job's next window never starts before its
//! last one, and each job keeps its scan where it stands instead of beginning again: the slots are walked through once
//! per job, whatever the number of windows. What the others have cut meanwhile, a job looks at when its turn comes.
//!
//! The last holds for searches of the earliest window only. A search by another criterion begins again each time.

use super::ranked::Ranked;
use super::{Alp, Amp, Offers, Takes, WindowSearch, budget};
use crate::engine::Stop;
use crate::language::Positive;
use crate::model::{CostLimit, Interval, NodeId, NotFree, Request, Slot, Window};
use crate::units::{Span, Time};
use std::collections::BTreeSet;

/// The searches for the earliest window, which collect alternatives by resuming their scans.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finder {
    /// Every slot within the price limit.
    Alp(Alp),
    /// The whole window within the budget.
    Amp(Amp),
}

impl Finder {
    /// ALP that takes the cheapest of the first windows.
    pub const ALP: Self = Self::Alp(Alp::CHEAPEST);

    /// The search for the earliest window within a limit on its cost.
    pub fn within(limit: CostLimit) -> Self {
        match limit {
            CostLimit::PerSlot => Self::ALP,
            CostLimit::Total(factor) => {
                // Factors are above 0 where scenarios are read; within one that is not, no window costs anything.
                let budget_factor = Positive::new(factor).unwrap_or(Positive::of(f64::MIN_POSITIVE));
                Self::Amp(Amp { budget_factor, takes: Takes::Cheapest })
            }
        }
    }

    /// The limit on the cost of its windows.
    pub fn limit(self) -> CostLimit {
        match self {
            Self::Alp(_) => CostLimit::PerSlot,
            Self::Amp(amp) => CostLimit::Total(amp.budget_factor.get()),
        }
    }

    /// True if slots of one start are met one after another, not together.
    pub(super) fn one_by_one(self) -> bool {
        matches!(self, Self::Alp(Alp::FIRST_MET) | Self::Amp(Amp { takes: Takes::FirstMet, .. }))
    }
}

/// The windows of each request of `batch`, in the order in which they were found: window i is from pass i + 1. At most
/// `passes` passes are made, if a number is given.
///
/// ```
/// use gridloom::model::{Interval, Node, NodeId, Request, Slot, SlotList};
/// use gridloom::workload::RuntimeRule;
/// use gridloom::search::{Finder, Offers, find_alternatives};
/// use gridloom::units::{Performance, Power, Price, Span, Time};
///
/// let (performance, price, power) = (Performance::from_units(1), Price::from_units(1), Power::from_units(1));
/// let nodes = [Node { name: "a".into(), performance, price, power }];
/// let free = Interval::new(Time::ZERO, Time::from_units(100));
/// let slots = SlotList::new([Slot { node: NodeId(0), interval: free }])?;
/// let request = |name: &str, length| Request {
///     name: name.into(),
///     nodes: 1,
///     length: Span::from_units(length),
///     min_performance: performance,
///     max_price: price,
///     deadline: None,
/// };
/// let batch = [request("long", 40), request("short", 15)];
/// let offers = Offers { nodes: &nodes, slots: &slots, rule: RuntimeRule::Reference };
/// let found = find_alternatives(&offers, &[&batch[0], &batch[1]], Finder::ALP, None);
/// let starts = |job: usize| found[job].iter().map(|window| window.start().to_string()).collect::<Vec<_>>();
/// assert_eq!(starts(0), ["0", "55"]);
/// assert_eq!(starts(1), ["40"]);
/// # Ok::<(), gridloom::model::NotFree>(())
/// ```
pub fn find_alternatives(
    offers: &Offers<'_>,
    batch: &[&Request],
    finder: Finder,
    passes: Option<usize>,
) -> Vec<Vec<Window>> {
    find_alternatives_until(offers, batch, finder, passes, Stop::NEVER)
}

/// The same, but once `stop` is set it ends with what it has, which does not count.
pub fn find_alternatives_until(
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
    let mut free = RemainingTime { slots, offered: offers.slots.len(), rests: BTreeSet::new(), shortest };
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

/// The same by any search: those with a [finder](WindowSearch::finder) resume their scans, the others look through all
/// that is left for every window. The error is that of a search that finds windows where nothing is free.
pub fn collect_alternatives(
    offers: &Offers<'_>,
    batch: &[&Request],
    search: &dyn WindowSearch,
    passes: Option<usize>,
    stop: &Stop,
) -> Result<Vec<Vec<Window>>, NotFree> {
    if let Some(finder) = search.finder() {
        return Ok(find_alternatives_until(offers, batch, finder, passes, stop));
    }
    let mut slots = offers.slots.clone();
    let mut windows = vec![Vec::new(); batch.len()];
    let mut seeking: Vec<usize> = (0..batch.len()).collect();
    let mut pass = 0;
    while !seeking.is_empty() && passes.is_none_or(|passes| pass < passes) {
        pass += 1;
        let mut found = Vec::with_capacity(seeking.len());
        for job in seeking {
            if stop.is_set() {
                return Ok(windows);
            }
            if let Some(window) = search.find_window(&Offers { slots: &slots, ..*offers }, batch[job]) {
                slots.subtract(&window)?;
                windows[job].push(window);
                found.push(job);
            }
        }
        seeking = found;
    }
    Ok(windows)
}

/// The slots as they are after all cuts.
struct RemainingTime {
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

impl RemainingTime {
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
    fn find(&mut self, free: &RemainingTime) -> bool {
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
    fn meet(&mut self, free: &RemainingTime, rank: u32, slot: usize) {
        let Interval { start, end } = free.slots[slot].interval;
        if let Some(latest_start) = self.live.terms(rank).latest_start(start.max(self.now), end.min(self.deadline)) {
            self.live.insert(rank, slot as u32, latest_start);
        }
    }

    /// Takes note of what was cut since the last window was found, by this job and by the others.
    fn catch_up(&mut self, free: &RemainingTime) {
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
