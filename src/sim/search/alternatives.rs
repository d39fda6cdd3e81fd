//! All windows that a batch can be offered at once (file 000, section 2).
//!
//! Round robin over the jobs in their order, one window each per pass; every window is cut out of the free time before
//! the next job looks, so that no two alternatives ever overlap. A job whose search fails is left out of later passes:
//! free time only shrinks, so it can't succeed again. For the same reason a job's next window never starts before its
//! last one, and each job keeps its scan where it stands instead of beginning again: the slots are walked through once
//! per job, whatever the number of windows. What the others have cut meanwhile, a job looks at when its turn comes.
//!
//! The last holds for searches of the earliest window only. A search by another criterion begins again each time.

use super::by_rate::{NodesByRate, work};
use super::remaining::RemainingTime;
use super::walk::JobWalk;
use super::{Alp, Amp, MANY_IN_VAIN, Offers, RoomBySize, Takes, WindowSearch};
use crate::engine::Stop;
use crate::language::Positive;
use crate::model::{CostLimit, NodeId, NotFree, Request, Window};
use crate::units::Span;

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
    let nodes = NodesByRate::new(NodeId(0), offers.nodes, offers.rule);
    let shortest = batch.iter().filter_map(|request| nodes.shortest(request)).min().unwrap_or(Span::ZERO);
    let works = batch.iter().map(|request| work(offers.rule, request));
    let mut free = RemainingTime::new(offers.slots.as_slice(), &nodes, shortest, works);
    // A walk begins when it is its turn, with what the others have left.
    let mut walks: Vec<Option<JobWalk<'_>>> = Vec::with_capacity(batch.len());
    let mut room = RoomBySize::default();
    let mut in_vain = 0;
    let mut windows = vec![Vec::new(); batch.len()];
    let mut pass = 0;
    while passes.is_none_or(|passes| pass < passes) && (pass == 0 || walks.iter().any(Option::is_some)) {
        for job in 0..batch.len() {
            if stop.is_set() {
                return windows;
            }
            if pass == 0 {
                let is_hopeless = in_vain >= MANY_IN_VAIN && room.is_too_small(offers, batch[job]);
                let walk = || JobWalk::new(&free, &nodes, offers.rule, batch[job], finder);
                walks.push((!is_hopeless).then(walk));
            }
            let Some(walk) = &mut walks[job] else { continue };
            if !walk.find(&free, &nodes) {
                walks[job] = None;
                in_vain += 1;
                continue;
            }
            let parts = walk.chosen().iter().map(|live| (live.node, live.quote.runtime));
            windows[job].push(Window::of_parts(walk.now(), parts.clone()));
            parts.for_each(|(node, runtime)| free.cut(&nodes, node, walk.now(), runtime));
        }
        pass += 1;
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
    by_repeated_search(offers, batch, search, passes, stop)
}

/// The same by a search that begins again for every window.
fn by_repeated_search(
    offers: &Offers<'_>,
    batch: &[&Request],
    search: &dyn WindowSearch,
    passes: Option<usize>,
    stop: &Stop,
) -> Result<Vec<Vec<Window>>, NotFree> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, Node, Slot, SlotList};
    use crate::units::{Performance, Power, Price, Time};
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    proptest! {
        /// A search that resumes finds the windows of one that begins again.
        #[test]
        fn resumed_searches_find_the_same_as_repeated_ones(
            terms in prop::collection::vec((1i64..6, 1i64..6), 1..12),
            slots in prop::collection::vec((0usize..12, 0i64..100, 1i64..80), 1..60),
            jobs in prop::collection::vec((1usize..5, 1i64..60, 1i64..4, 1i64..6, 0i64..300), 1..7),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
            finder in prop::sample::select(vec![
                Finder::ALP,
                Finder::Alp(Alp::FIRST_MET),
                Finder::Amp(Amp::within(1.0)),
                Finder::Amp(Amp { takes: Takes::FirstMet, ..Amp::within(0.8) }),
            ]),
            passes in prop::option::of(1usize..6),
        ) {
            let node = |&(performance, price): &(i64, i64)| Node {
                name: "node".into(),
                performance: Performance::from_ticks(performance * 700_000),
                price: Price::from_ticks(price * 333_333),
                power: Power::ZERO,
            };
            let nodes: Vec<Node> = terms.iter().map(node).collect();
            let mut free: Vec<Slot> = Vec::new();
            for (node, start, span) in slots {
                let node = NodeId((node % nodes.len()) as u32);
                let interval = Interval::new(Time::from_units(start), Time::from_units(start + span));
                if free.iter().all(|other| other.node != node || !other.interval.overlaps(interval)) {
                    free.push(Slot { node, interval });
                }
            }
            let slots = SlotList::new(free).unwrap();
            let request = |(nodes, length, min_performance, max_price, deadline): (usize, i64, i64, i64, i64)| Request {
                name: "job".into(),
                nodes,
                length: Span::from_units(length),
                min_performance: Performance::from_ticks(min_performance * 700_000),
                max_price: Price::from_ticks(max_price * 333_333),
                deadline: Some(deadline).filter(|&deadline| deadline > 100).map(Time::from_units),
            };
            let jobs: Vec<Request> = jobs.into_iter().map(request).collect();
            let batch: Vec<&Request> = jobs.iter().collect();
            let offers = Offers { nodes: &nodes, slots: &slots, rule };
            let search: &dyn WindowSearch = match &finder {
                Finder::Alp(alp) => alp,
                Finder::Amp(amp) => amp,
            };
            let repeated = by_repeated_search(&offers, &batch, search, passes, Stop::NEVER).unwrap();
            prop_assert_eq!(find_alternatives(&offers, &batch, finder, passes), repeated);
        }
    }
}
