//! How many nodes could begin a task of some size, by time.

use super::Offers;
use super::room::{grade_of, least_runtime, least_ticks, least_work, pace};
use crate::model::{Interval, Node, Request, Slot};
use crate::units::Time;
use std::hint::select_unpredictable;
use std::ops::{Range, RangeInclusive};

/// For tasks of about one size, the number of free slots in which one of them could begin, by time: at least as many as
/// there are. Times that are near each other are counted together, and so are sizes.
///
/// When much more work waits than nodes can do, most jobs ask for more nodes than there are at any time that is of
/// interest, and that is told by a look at a few numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct StartCounts {
    steps: Steps,
    /// The slots as they are now, once some are counted.
    listed: Option<ListedSlots>,
    /// By the grade of work, if it was asked about.
    by_grade: Vec<Option<CountsOfGrade>>,
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

    /// The first time of a place.
    fn begin(self, step: usize) -> Time {
        Time::from_ticks(self.from.ticks().saturating_add((step as i64) << self.shift))
    }
}

/// Slots, and what is the same of them for tasks of all sizes.
#[derive(Debug, Clone)]
struct ListedSlots {
    slots: Vec<ListedSlot>,
    /// By step of time: the number of slots that begin in it.
    begin: [i32; STEPS],
}

#[derive(Debug, Clone, Copy)]
struct ListedSlot {
    /// The step in which it begins.
    first: u32,
    start: i64,
    end: i64,
    /// The ticks that a unit of work takes on its node.
    pace: f64,
}

#[derive(Debug, Clone)]
struct CountsOfGrade {
    /// The least work of the tasks.
    work: f64,
    /// By step of time.
    counts: Box<[i32; STEPS]>,
    /// No less than the largest of them; more than that, if it is old.
    most: i32,
    is_most_old: bool,
}

impl StartCounts {
    /// Of free time within these bounds nothing is counted yet.
    pub(crate) fn new(from: Time, until: Time) -> Self {
        let span = until.ticks().saturating_sub(from.ticks()).max(1) as u64;
        let shift = (span / STEPS as u64 + 1).next_power_of_two().ilog2();
        Self { steps: Steps { from, shift }, listed: None, by_grade: Vec::new() }
    }

    /// Free time is not what it was.
    pub(crate) fn clear(&mut self) {
        self.listed = None;
        self.by_grade.clear();
    }

    /// The times within a range from the first to the last at which a request might start in the slots of `offers`: it is
    /// certain that no window starts at others. From each of the times `more` on, which are in order, there is one slot
    /// more. What was found when it was first asked about a size holds until some is [taken](Self::remove) or [given back](Self::add); of what is taken it need not be told.
    pub(crate) fn starts_within(
        &mut self,
        offers: &Offers<'_>,
        request: &Request,
        starts: &RangeInclusive<Time>,
        more: &[Time],
    ) -> Option<RangeInclusive<Time>> {
        if starts.is_empty() {
            return None;
        }
        let steps = self.steps;
        let Some(counts) = self.of_grade(offers, grade_of(offers.rule, request)) else { return Some(starts.clone()) };
        let (first, last) = counts.reach(steps, request.nodes, starts, more)?;
        let from = if first == 0 { *starts.start() } else { steps.begin(first).max(*starts.start()) };
        let until = if last + 1 == STEPS { *starts.end() } else { steps.begin(last + 1).min(*starts.end()) };
        Some(from..=until)
    }

    /// No request of this grade of work that asks for more nodes has a window in the slots of `offers`.
    pub(crate) fn most(&mut self, offers: &Offers<'_>, grade: usize) -> usize {
        self.of_grade(offers, grade).map_or(usize::MAX, |counts| counts.most().max(0) as usize)
    }

    fn of_grade(&mut self, offers: &Offers<'_>, grade: usize) -> Option<&mut CountsOfGrade> {
        if self.by_grade.len() <= grade {
            self.by_grade.resize(grade + 1, None);
        }
        if self.by_grade[grade].is_none() {
            let listed = self.listed.get_or_insert_with(|| ListedSlots::of(offers, self.steps));
            self.by_grade[grade] = Some(listed.count(least_work(grade), self.steps));
        }
        self.by_grade[grade].as_mut()
    }

    /// A slot became longer, or came up: what is `new` of it was taken before.
    pub(crate) fn add(&mut self, nodes: &[Node], slot: Slot, new: Slot) {
        self.listed = None;
        for counts in self.by_grade.iter_mut().flatten() {
            if let Some((first, last)) = counts.starts_over(&nodes[slot.node.index()], slot.interval, new.interval) {
                counts.add(self.steps.of(first)..self.steps.of(last) + 1);
            }
        }
    }

    /// Some of a slot is taken.
    pub(crate) fn remove(&mut self, nodes: &[Node], slot: Slot, taken: Slot) {
        self.listed = None;
        for counts in self.by_grade.iter_mut().flatten() {
            if let Some((first, last)) = counts.starts_over(&nodes[slot.node.index()], slot.interval, taken.interval) {
                // At the other times of the first and the last step one might still begin.
                let (behind, before) = (self.steps.of(first) + 1, self.steps.of(last));
                counts.remove(behind..before.max(behind));
            }
        }
    }
}

impl ListedSlots {
    fn of(offers: &Offers<'_>, steps: Steps) -> Self {
        let mut begin = [0; STEPS];
        let list = |slot: &Slot| {
            let first = steps.of(slot.interval.start);
            begin[first] += 1;
            let (start, end) = (slot.interval.start.ticks(), slot.interval.end.ticks());
            ListedSlot { first: first as u32, start, end, pace: pace(&offers.nodes[slot.node.index()]) }
        };
        let slots = offers.slots.as_slice().iter().map(list).collect();
        Self { slots, begin }
    }

    fn count(&self, work: f64, steps: Steps) -> CountsOfGrade {
        let mut end = [0; STEPS + 1];
        for &ListedSlot { first, start, end: until, pace } in &self.slots {
            let last = until.saturating_sub(least_ticks(pace, work));
            // One that is too short comes and goes at once: which are, is hard to foresee.
            let behind = steps.of(Time::from_ticks(last)) + 1;
            end[select_unpredictable(last >= start, behind, first as usize)] += 1;
        }
        let mut counts = Box::new([0; STEPS]);
        let mut count = 0;
        for ((counts, begin), end) in counts.iter_mut().zip(self.begin).zip(end) {
            count += begin - end;
            *counts = count;
        }
        let most = counts.iter().copied().max().unwrap_or(0);
        CountsOfGrade { work, counts, most, is_most_old: false }
    }
}

impl CountsOfGrade {
    /// The first and the last start of tasks on a node, within a slot, that run in some of `part`, and perhaps one more.
    fn starts_over(&self, node: &Node, slot: Interval, part: Interval) -> Option<(Time, Time)> {
        let runtime = least_runtime(node, self.work);
        let first = slot.start.ticks().max(part.start.ticks().saturating_sub(runtime));
        let last = slot.end.ticks().saturating_sub(runtime).min(part.end.ticks());
        (first <= last).then_some((Time::from_ticks(first), Time::from_ticks(last)))
    }

    /// One slot more.
    fn add(&mut self, steps: Range<usize>) {
        for count in &mut self.counts[steps] {
            *count += 1;
            self.most = self.most.max(*count);
        }
    }

    /// One less.
    fn remove(&mut self, steps: Range<usize>) {
        self.counts[steps].iter_mut().for_each(|count| *count -= 1);
        self.is_most_old = true;
    }

    /// The largest of them.
    fn most(&mut self) -> i32 {
        if std::mem::take(&mut self.is_most_old) {
            self.most = self.counts.iter().copied().fold(0, i32::max);
        }
        self.most
    }

    /// The first and the last step within a range at which there are so many slots, where from each of the times `more` on
    /// there is one more.
    fn reach(
        &self,
        steps: Steps,
        wanted: usize,
        starts: &RangeInclusive<Time>,
        more: &[Time],
    ) -> Option<(usize, usize)> {
        let wanted = wanted.min(i32::MAX as usize) as i32;
        if self.most + (more.len() as i32) < wanted {
            return None;
        }
        let (first, last) = (steps.of(*starts.start()), steps.of(*starts.end()));
        let begins = |nodes: usize| nodes.checked_sub(1).map_or(first, |at| steps.of(more[at]).max(first));
        let reached = (0..=more.len()).filter_map(|nodes| {
            let begins = begins(nodes);
            let ends = more.get(nodes).map_or(last, |&time| steps.of(time).min(last));
            let (first, last) = first_and_last(self.counts.get(begins..=ends)?, wanted - nodes as i32)?;
            Some((begins + first, begins + last))
        });
        reached.reduce(|(first, last), (other, later)| (first.min(other), last.max(later)))
    }
}

/// The places of the first and the last count that are so large. Many are looked at together, which is faster than one after
/// another.
fn first_and_last(counts: &[i32], wanted: i32) -> Option<(usize, usize)> {
    const TOGETHER: usize = 32;
    let is_reached = |some: &[i32]| some.iter().fold(false, |is_reached, &count| is_reached | (count >= wanted));
    let block = counts.chunks(TOGETHER).position(is_reached)?;
    let first = block * TOGETHER + counts[block * TOGETHER..].iter().position(|&count| count >= wanted)?;
    let behind = counts.rchunks(TOGETHER).take_while(|some| !is_reached(some)).map(<[i32]>::len).sum::<usize>();
    let last = counts[..counts.len() - behind].iter().rposition(|&count| count >= wanted)?;
    Some((first, last))
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
        /// Whoever is told of no start, or of some only, has no window at others, also when windows are given back.
        #[test]
        fn whoever_has_a_window_may_start_then(
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
                let hopeful = counts.starts_within(&offers, &request, &starts, &[]);
                prop_assert!(hopeful.is_some() || window.is_none());
                if let Some(hopeful) = hopeful {
                    prop_assert!(starts.contains(hopeful.start()) && starts.contains(hopeful.end()));
                    prop_assert_eq!(&finder.first_window(&offers, &request, hopeful), &window);
                }
                match window {
                    // Where all but its own time is taken, nodes that come up at its start make a place for it again.
                    Some(window) if what == 0 => {
                        let start = window.start();
                        let own = vec![start; wanted];
                        let mut counts = StartCounts::new(now, Time::from_units(200));
                        let none = SlotList::default();
                        let offers = Offers { slots: &none, ..offers };
                        prop_assert!(counts.starts_within(&offers, &request, &starts, &own).is_some_and(|starts| starts.contains(&start)));
                        prop_assert_eq!(counts.starts_within(&offers, &request, &starts, &own[1..]), None);
                        let before = now..=Time::from_ticks(start.ticks() - (1 << counts.steps.shift));
                        prop_assert!(before.is_empty() || counts.starts_within(&offers, &request, &before, &own).is_none());
                    }
                    Some(window) => {
                        let around = |&slot: &Slot| (free.slot_around(slot).unwrap(), slot);
                        window.slots().iter().map(around).for_each(|(whole, slot)| counts.remove(&nodes, whole, slot));
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
