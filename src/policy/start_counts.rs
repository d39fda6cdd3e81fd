//! How many nodes could begin a task of some size, by time.

use super::View;
use crate::model::{Request, Slot};
use crate::search::{grade_of, least_work};
use crate::units::{TICKS_PER_UNIT, Time};
use std::collections::BTreeMap;
use std::ops::RangeInclusive;

/// For tasks of about one size, the number of free slots in which one of them could begin, by time: at least as many as
/// there are. Times that are near each other are counted together, and so are sizes.
///
/// When much more work waits than nodes can do, most jobs ask for more nodes than there are at any time that is of
/// interest, and that is told by a look at a few numbers.
#[derive(Debug, Clone, Default)]
pub(super) struct StartCounts {
    /// Time is counted from here.
    from: Time,
    /// So many ticks are counted together, as a power of two.
    shift: u32,
    by_grade: BTreeMap<usize, Vec<u32>>,
}

/// The number of times that are told apart.
const STEPS: usize = 512;

impl StartCounts {
    /// Of free time within these bounds nothing is counted yet.
    pub(super) fn new(from: Time, until: Time) -> Self {
        let span = until.ticks().saturating_sub(from.ticks()).max(1) as u64;
        Self { from, shift: (span / STEPS as u64 + 1).next_power_of_two().ilog2(), by_grade: BTreeMap::new() }
    }

    /// False if it is certain that a request has no window in `free` that starts within a range. What was found when it was
    /// first asked about a size holds for what is left of it.
    pub(super) fn may_start_within(
        &mut self,
        view: &View<'_>,
        free: &[Slot],
        request: &Request,
        starts: &RangeInclusive<Time>,
    ) -> bool {
        let (first, last) = (self.step(*starts.start()), self.step(*starts.end()));
        let grade = grade_of(view.rule, request);
        if !self.by_grade.contains_key(&grade) {
            let counts = self.count(view, free, least_work(grade));
            self.by_grade.insert(grade, counts);
        }
        let counts = self.by_grade[&grade].get(first..=last);
        counts.is_some_and(|counts| counts.iter().any(|&count| count as usize >= request.nodes))
    }

    /// The place of a time: never one before that of an earlier time.
    fn step(&self, time: Time) -> usize {
        let since = time.ticks().saturating_sub(self.from.ticks()).max(0) as u64;
        ((since >> self.shift) as usize).min(STEPS - 1)
    }

    fn count(&self, view: &View<'_>, free: &[Slot], work: f64) -> Vec<u32> {
        let mut changes = vec![0u32; STEPS + 1];
        for slot in free {
            let performance = view.nodes[slot.node.index()].performance;
            // Runtimes are rounded up from here.
            let runtime = (work * TICKS_PER_UNIT as f64 / performance.ticks() as f64) as i64;
            let (start, last) = (slot.interval.start.ticks(), slot.interval.end.ticks().saturating_sub(runtime));
            if last >= start {
                changes[self.step(slot.interval.start)] = changes[self.step(slot.interval.start)].wrapping_add(1);
                let behind = self.step(Time::from_ticks(last)) + 1;
                changes[behind] = changes[behind].wrapping_sub(1);
            }
        }
        let mut count = 0u32;
        for change in &mut changes {
            count = count.wrapping_add(*change);
            *change = count;
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Stop;
    use crate::model::{Interval, Node, NodeId, SlotList};
    use crate::policy::Why;
    use crate::search::{Amp, Finder, Offers};
    use crate::units::{Performance, Power, Price, Span};
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    proptest! {
        /// Whoever is told that there is no start within a range has no window there.
        #[test]
        fn whoever_has_a_window_may_start(
            slots in prop::collection::vec((0u32..12, 0i64..100_000, 1i64..60_000), 1..60),
            jobs in prop::collection::vec((1usize..6, 1i64..90_000, 0i64..150_000, 0i64..50_000), 1..20),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
        ) {
            let node = |index: i64| Node {
                name: "node".into(),
                performance: Performance::from_ticks(1_000_000 + 130_000 * index),
                price: Price::from_units(1),
                power: Power::ZERO,
            };
            let nodes: Vec<Node> = (0..12).map(node).collect();
            let mut free: Vec<Slot> = Vec::new();
            for (node, start, span) in slots {
                let interval = Interval::new(Time::from_ticks(start * 1000), Time::from_ticks((start + span) * 1000));
                if free.iter().all(|other| other.node.0 != node || !other.interval.overlaps(interval)) {
                    free.push(Slot { node: NodeId(node), interval });
                }
            }
            let slots = SlotList::new(free).unwrap();
            let now = Time::from_units(5);
            let view = View {
                now,
                nodes: &nodes,
                domains: &[],
                slots: &slots.clone().into(),
                rule,
                queue: &[],
                systems: &[],
                why: Why::Cycle,
                stop: Stop::NEVER,
            };
            let mut counts = StartCounts::new(now, Time::from_units(120));
            let (mut hopeful, mut found) = (0, 0);
            for (nodes, length, first, more) in jobs {
                let request = Request {
                    name: "job".into(),
                    nodes,
                    length: Span::from_ticks(length * 1000),
                    min_performance: Performance::from_units(1),
                    max_price: Price::from_units(1000),
                    deadline: None,
                };
                let starts = now.max(Time::from_ticks(first * 1000))..=Time::from_ticks((first + more) * 1000);
                let offers = Offers { nodes: view.nodes, slots: &slots, rule };
                let window = Finder::Amp(Amp::within(1.0)).first_window(&offers, &request, starts.clone());
                let may_start = counts.may_start_within(&view, slots.as_slice(), &request, &starts);
                prop_assert!(may_start || window.is_none());
                hopeful += usize::from(may_start);
                found += usize::from(window.is_some());
            }
            prop_assert!(found <= hopeful);
        }
    }
}
