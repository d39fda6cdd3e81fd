//! When tasks could begin in time that came up.

use crate::model::{Node, NodeId, Request, Slot};
use crate::search::{grade_of, least_ticks, least_work, pace};
use crate::units::Time;
use crate::workload::RuntimeRule;
use std::ops::RangeInclusive;

/// For tasks of about one size, the times at which one of them could begin in a slot that came up, and how long ago the
/// last such slot did. Times that are near each other are taken together, and so are sizes.
///
/// A job that had no window in some free time has none in a part of it. So whoever found none need look again only where
/// something came up since.
#[derive(Debug, Clone, Default)]
pub(crate) struct GainedStarts {
    steps: Steps,
    /// By the grade of work, if it was asked about.
    by_grade: Vec<Option<StartsOfGrade>>,
    /// So many slots came up.
    gained: u64,
    /// So many of them had when marks were last made small.
    old: u64,
    /// By node: the last ones that came up, with the ends of them; the last one first.
    on_node: Vec<[(SmallMark, Time); LAST]>,
}

/// So many of the last slots that came up are known by node.
const LAST: usize = 4;

/// How many slots had come up, beyond those that are old. Small numbers are compared many at a time.
type SmallMark = i32;

/// The number of times that are told apart.
const STEPS: usize = 512;

/// Which times are taken together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Steps {
    /// Time is counted from here.
    from: Time,
    /// So many ticks make a step, as a power of two.
    shift: u32,
}

impl Steps {
    /// Steps from an instant on that reach beyond another one.
    fn new(from: Time, until: Time) -> Self {
        let span = until.ticks().saturating_sub(from.ticks()).max(1) as u64;
        // With room for some time to pass.
        let shift = (span / (STEPS as u64 / 16 * 15) + 1).next_power_of_two().ilog2();
        Self { from: Time::from_ticks(from.ticks() >> shift << shift), shift }
    }

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

/// What is known of tasks of one grade of work.
#[derive(Debug, Clone)]
struct StartsOfGrade {
    /// The least work of a task.
    work: f64,
    /// By step of time: the mark of the last slot that came up in which such a task could begin then.
    marks: Box<[SmallMark; STEPS]>,
}

impl GainedStarts {
    /// From now on, time is of interest from one instant to another. What came up before is still known.
    pub(crate) fn renew(&mut self, from: Time, until: Time) {
        let old = self.steps;
        if from >= old.from && until <= old.begin(STEPS - 1) && !self.by_grade.is_empty() {
            return;
        }
        self.steps = Steps::new(from, until);
        let now = self.small_mark(self.gained);
        for StartsOfGrade { marks, .. } in self.by_grade.iter_mut().flatten() {
            if self.steps.shift == old.shift && self.steps.from >= old.from {
                let passed = old.of(self.steps.from);
                let last = marks[STEPS - 1];
                marks.copy_within(passed.., 0);
                marks[STEPS - passed..].fill(last);
            } else {
                marks.fill(now);
            }
        }
    }

    /// Whoever has a mark from before all that is known may gain by all of it.
    fn small_mark(&self, mark: u64) -> SmallMark {
        mark.checked_sub(self.old).map_or(-1, |mark| SmallMark::try_from(mark).unwrap_or(SmallMark::MAX))
    }

    /// How much came up so far.
    pub(crate) fn mark(&self) -> u64 {
        self.gained
    }

    /// A slot came up. Its end is the end of time if it may last beyond what is known.
    pub(crate) fn gain(&mut self, nodes: &[Node], slot: Slot) {
        self.gained += 1;
        if self.gained - self.old == SmallMark::MAX as u64 {
            self.old = self.gained - 1;
            self.on_node.fill([(0, Time::MAX); LAST]);
            self.by_grade.iter_mut().flatten().for_each(|of_grade| of_grade.marks.fill(0));
        }
        let (mark, index) = (self.small_mark(self.gained), slot.node.index());
        if self.on_node.len() <= index {
            self.on_node.resize(nodes.len().max(index + 1), [(0, Time::MAX); LAST]);
        }
        self.on_node[index].rotate_right(1);
        self.on_node[index][0] = (mark, slot.interval.end);
        let pace = pace(&nodes[index]);
        let (start, end) = (slot.interval.start.ticks(), slot.interval.end.ticks());
        let first = self.steps.of(slot.interval.start);
        for StartsOfGrade { work, marks } in self.by_grade.iter_mut().flatten() {
            let last = end.saturating_sub(least_ticks(pace, *work));
            if last < start {
                // Those of higher grades take longer.
                break;
            }
            marks[first..=self.steps.of(Time::from_ticks(last))].fill(mark);
        }
    }

    /// False if it is certain that nothing came up on a node since `mark` that ends at an instant.
    pub(crate) fn may_end_at(&self, node: NodeId, end: Time, mark: u64) -> bool {
        let mark = self.small_mark(mark);
        self.on_node.get(node.index()).is_some_and(|last| {
            // Of those that came up before all that is known of, any may.
            last[LAST - 1].0 > mark || last.iter().any(|&(gained, other)| gained > mark && other == end)
        })
    }

    /// The first and the last time within a range at which a task of a request might begin in something that came up since
    /// `mark`. It is certain that none could at others.
    pub(crate) fn since(
        &mut self,
        mark: u64,
        rule: RuntimeRule,
        request: &Request,
        within: &RangeInclusive<Time>,
    ) -> Option<RangeInclusive<Time>> {
        if within.is_empty() {
            return None;
        }
        let (steps, mark, now) = (self.steps, self.small_mark(mark), self.small_mark(self.gained));
        let grade = grade_of(rule, request);
        if self.by_grade.len() <= grade {
            self.by_grade.resize(grade + 1, None);
        }
        // If nothing is known of a grade, all that came up may be of use.
        let nothing = || StartsOfGrade { work: least_work(grade), marks: Box::new([now; STEPS]) };
        let marks = &self.by_grade[grade].get_or_insert_with(nothing).marks;
        let (begin, end) = (steps.of(*within.start()), steps.of(*within.end()));
        let (first, last) = first_and_last(&marks[begin..=end], |gained| gained > mark)?;
        let (first, last) = (begin + first, begin + last);
        let from = if first == 0 { *within.start() } else { steps.begin(first).max(*within.start()) };
        let until = if last + 1 == STEPS { *within.end() } else { steps.begin(last + 1).min(*within.end()) };
        Some(from..=until)
    }
}

/// The places of the first and the last that are wanted. Many are looked at together, which is faster than one after another.
fn first_and_last(all: &[SmallMark], is_wanted: impl Fn(SmallMark) -> bool) -> Option<(usize, usize)> {
    const TOGETHER: usize = 64;
    let is_any = |some: &[SmallMark]| some.iter().fold(false, |is_any, &one| is_any | is_wanted(one));
    let block = all.chunks(TOGETHER).position(is_any)?;
    let first = block * TOGETHER + all[block * TOGETHER..].iter().position(|&one| is_wanted(one))?;
    let behind = all.rchunks(TOGETHER).take_while(|some| !is_any(some)).map(<[SmallMark]>::len).sum::<usize>();
    let last = all[..all.len() - behind].iter().rposition(|&one| is_wanted(one))?;
    Some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Interval;
    use crate::search::{job, nodes};
    use crate::units::Span;
    use proptest::prelude::*;

    /// A slot that came up when so many had, until when time was known then, and the slot.
    type Gained = (u64, Time, Slot);

    proptest! {
        /// Wherever a task can begin in what came up since a mark, it is said that it might, as time goes by and more of it is known.
        #[test]
        fn no_start_is_denied(
            steps in prop::collection::vec((0i64..40_000, 0i64..300_000, prop::collection::vec((0u32..12, 0i64..90_000, 1i64..60_000), 0..4)), 1..40),
            lengths in prop::collection::vec(1i64..90_000, 1..4),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
            old in prop::sample::select(vec![0, SmallMark::MAX as u64 - 20]),
        ) {
            let milli = |ticks: i64| Time::from_ticks(ticks * 1000);
            let nodes = nodes();
            let mut starts = GainedStarts { gained: old, ..GainedStarts::default() };
            let mut gained: Vec<Gained> = Vec::new();
            let mut marks = vec![starts.mark()];
            let (mut now, mut until) = (Time::ZERO, Time::ZERO);
            for (passed, known, slots) in steps {
                now += Span::from_ticks(passed * 1000);
                until = until.max(now + Span::from_ticks(known * 1000));
                starts.renew(now, until);
                for (node, begin, span) in slots {
                    let begin = now + (milli(begin) - Time::ZERO);
                    let end = begin + Span::from_ticks(span * 1000);
                    let end = if end >= until { Time::MAX } else { end };
                    let slot = Slot { node: NodeId(node), interval: Interval::new(begin, end) };
                    starts.gain(&nodes, slot);
                    gained.push((starts.mark(), until, slot));
                }
                for &length in &lengths {
                    let request = job(1, Span::from_ticks(length * 1000));
                    let within = now..=now + Span::from_ticks(120_000_000);
                    for &mark in &marks {
                        let since = starts.since(mark, rule, &request, &within);
                        for (_, _, slot) in gained.iter().filter(|(at, ..)| *at > mark) {
                            prop_assert!(starts.may_end_at(slot.node, slot.interval.end, mark));
                            let runtime = rule.runtime(&request, nodes[slot.node.index()].performance).unwrap();
                            let last = Time::from_ticks(slot.interval.end.ticks() - runtime.ticks()).min(*within.end());
                            for start in [slot.interval.start.max(now), last] {
                                let is_start = slot.interval.start <= start && start <= last && within.contains(&start);
                                prop_assert!(!is_start || since.as_ref().is_some_and(|since| since.contains(&start)));
                            }
                        }
                    }
                    prop_assert_eq!(starts.since(starts.mark(), rule, &request, &within), None);
                }
                marks.push(starts.mark());
            }
        }
    }
}
