//! How many nodes could begin a task of some size, by time.

use super::Offers;
use super::room::{grade_of, least_runtime, least_work};
use crate::model::{Node, Request, Slot};
use crate::units::Time;
use std::ops::{Range, RangeInclusive};

/// For tasks of about one size, the number of free slots in which one of them could begin, by time: at least as many as
/// there are. Times that are near each other are counted together, and so are sizes.
///
/// When much more work waits than nodes can do, most jobs ask for more nodes than there are at any time that is of
/// interest, and that is told by a look at a few numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartCounts {
    steps: Steps,
    /// By the grade of work, if it was asked about.
    by_grade: Vec<Option<Counts>>,
}

/// The number of times that are told apart.
const STEPS: usize = 512;

/// Which times are counted together.
#[derive(Debug, Clone, Copy, Default)]
struct Steps {
    /// Time is counted from here.
    from: Time,
    /// So many ticks make a step, as a power of two.
    shift: u32,
}

impl Steps {
    /// The place of a time: never one before that of an earlier time.
    fn of(self, time: Time) -> usize {
        let since = time.ticks().saturating_sub(self.from.ticks()).max(0) as u64;
        ((since >> self.shift) as usize).min(STEPS - 1)
    }
}

#[derive(Debug, Clone)]
struct Counts {
    /// The least work of the tasks.
    work: f64,
    /// By step of time.
    counts: Box<[i32; STEPS]>,
    /// No less than the largest of them.
    most: i32,
}

impl StartCounts {
    /// Of free time within these bounds nothing is counted yet.
    pub(crate) fn new(from: Time, until: Time) -> Self {
        let span = until.ticks().saturating_sub(from.ticks()).max(1) as u64;
        let shift = (span / STEPS as u64 + 1).next_power_of_two().ilog2();
        Self { steps: Steps { from, shift }, by_grade: Vec::new() }
    }

    /// Free time is not what it was.
    pub(crate) fn clear(&mut self) {
        self.by_grade.clear();
    }

    /// False if it is certain that a request has no window in the slots of `offers` that starts within a range. From each
    /// of the times `more` on, which are in order, there is one slot more. What was found when it was first asked about a
    /// size holds for what is left of the slots.
    pub(crate) fn may_start_within(
        &mut self,
        offers: &Offers<'_>,
        request: &Request,
        starts: &RangeInclusive<Time>,
        more: &[Time],
    ) -> bool {
        let grade = grade_of(offers.rule, request);
        if self.by_grade.len() <= grade {
            self.by_grade.resize(grade + 1, None);
        }
        if self.by_grade[grade].is_none() {
            self.by_grade[grade] = Some(self.count(offers, least_work(grade)));
        }
        let counts = self.by_grade[grade].as_ref();
        counts.is_none_or(|counts| counts.reach(self.steps, request.nodes, starts, more))
    }

    /// A slot became longer, or came up: what is `new` of it was taken before.
    pub(crate) fn add(&mut self, nodes: &[Node], slot: Slot, new: Slot) {
        for counts in self.by_grade.iter_mut().flatten() {
            let runtime = least_runtime(&nodes[slot.node.index()], counts.work);
            // Tasks that begin at other times were counted already.
            let first = slot.interval.start.ticks().max(new.interval.start.ticks().saturating_sub(runtime));
            let last = slot.interval.end.ticks().saturating_sub(runtime).min(new.interval.end.ticks());
            if first <= last {
                counts.add(self.steps.of(Time::from_ticks(first))..self.steps.of(Time::from_ticks(last)) + 1);
            }
        }
    }

    fn count(&self, offers: &Offers<'_>, work: f64) -> Counts {
        let mut changes = [0; STEPS + 1];
        for slot in offers.slots.as_slice() {
            let runtime = least_runtime(&offers.nodes[slot.node.index()], work);
            let (start, last) = (slot.interval.start.ticks(), slot.interval.end.ticks().saturating_sub(runtime));
            if last >= start {
                changes[self.steps.of(slot.interval.start)] += 1;
                changes[self.steps.of(Time::from_ticks(last)) + 1] -= 1;
            }
        }
        let mut counts = Box::new([0; STEPS]);
        let mut count = 0;
        for (counts, change) in counts.iter_mut().zip(changes) {
            count += change;
            *counts = count;
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        Counts { work, counts, most }
    }
}

impl Counts {
    /// True if there are so many slots within a range, where from each of the times `more` on there is one more.
    fn reach(&self, steps: Steps, wanted: usize, starts: &RangeInclusive<Time>, more: &[Time]) -> bool {
        let wanted = wanted.min(i32::MAX as usize) as i32;
        if self.most + (more.len() as i32) < wanted {
            return false;
        }
        let (first, last) = (steps.of(*starts.start()), steps.of(*starts.end()));
        let begins = |nodes: usize| nodes.checked_sub(1).map_or(first, |at| steps.of(more[at]).max(first));
        (0..=more.len()).any(|nodes| {
            let ends = more.get(nodes).map_or(last, |&time| steps.of(time).min(last));
            let within = self.counts.get(begins(nodes)..=ends);
            within.is_some_and(|counts| is_reached(counts, wanted - nodes as i32))
        })
    }

    /// One slot more.
    fn add(&mut self, steps: Range<usize>) {
        self.counts[steps].iter_mut().for_each(|count| *count += 1);
        self.most += 1;
    }
}

/// True if one of the counts is so large. Many are looked at together, which is faster than one after another.
fn is_reached(counts: &[i32], wanted: i32) -> bool {
    counts.chunks(32).any(|some| some.iter().fold(false, |is_reached, &count| is_reached | (count >= wanted)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{SlotList, Window};
    use crate::search::room::tests::{disjoint, job, nodes};
    use crate::search::{Amp, Finder};
    use crate::units::Span;
    use crate::workload::RuntimeRule;
    use proptest::prelude::*;

    proptest! {
        /// Whoever is told that there is no start within a range has no window there, also when windows are given back.
        #[test]
        fn whoever_has_a_window_may_start(
            slots in prop::collection::vec((0u32..12, 0i64..100_000, 1i64..60_000), 1..60),
            jobs in prop::collection::vec((1usize..6, 1i64..90_000, 0i64..150_000, 0i64..50_000, 0u8..3), 1..30),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
        ) {
            let milli = |ticks: i64| Time::from_ticks(ticks * 1000);
            let nodes = nodes();
            let mut free: SlotList = disjoint(slots.into_iter().map(|(node, start, span)| (node, milli(start), milli(start + span))));
            let now = Time::from_units(5);
            let finder = Finder::Amp(Amp::within(1.0));
            let mut counts = StartCounts::new(now, Time::from_units(120));
            let mut taken: Vec<Window> = Vec::new();
            for (wanted, length, first, more, what) in jobs {
                let request = job(wanted, Span::from_ticks(length * 1000));
                let starts = now.max(milli(first))..=milli(first + more);
                let offers = Offers { nodes: &nodes, slots: &free, rule };
                let window = finder.first_window(&offers, &request, starts.clone());
                prop_assert!(counts.may_start_within(&offers, &request, &starts, &[]) || window.is_none());
                match window {
                    // Where all but its own time is taken, nodes that come up at its start make a place for it again.
                    Some(window) if what == 0 => {
                        let start = window.start();
                        let own = vec![start; wanted];
                        let mut counts = StartCounts::new(now, Time::from_units(200));
                        let none = SlotList::default();
                        let offers = Offers { slots: &none, ..offers };
                        prop_assert!(counts.may_start_within(&offers, &request, &starts, &own));
                        prop_assert!(!counts.may_start_within(&offers, &request, &starts, &own[1..]));
                        let before = now..=Time::from_ticks(start.ticks() - (1 << counts.steps.shift));
                        prop_assert!(before.is_empty() || !counts.may_start_within(&offers, &request, &before, &own));
                    }
                    Some(window) => {
                        free.subtract(&window).unwrap();
                        taken.push(window);
                    }
                    None => {
                        let Some(window) = taken.pop() else { continue };
                        free.give_back(&window);
                        for &slot in window.slots() {
                            counts.add(&nodes, free.slot_around(slot).unwrap(), slot);
                        }
                    }
                }
            }
        }
    }
}
