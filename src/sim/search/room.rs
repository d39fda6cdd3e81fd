//! Whether there can be room for a job at all, at a glance.
//!
//! When much more work waits than nodes can do, most jobs of a queue have no window, and to find that out for each of
//! them takes a walk through all slots. How many tasks of so much work can at most begin together is the same question
//! for all jobs, and is answered once for amounts of work that are near each other.

use super::Offers;
use super::by_rate::{is_too_short, work};
use crate::model::{Node, Request};
use crate::units::{Performance, TICKS_PER_UNIT, Time};
use crate::workload::RuntimeRule;

/// So many searches in vain are worth a look at how much room there is at all.
pub const MANY_IN_VAIN: usize = 8;

/// The most tasks that could begin together, by their work. All questions are about the same free time, or a part of it.
#[derive(Debug, Clone, Default)]
pub struct RoomBySize {
    /// By the grade of work; see [`grade`].
    most: Vec<Option<usize>>,
}

/// The steps of work within a factor of 2: the powers of its fourth root.
const STEPS: [f64; 4] = [1.0, 1.189_207_115_002_721, std::f64::consts::SQRT_2, 1.681_792_830_507_429];

/// Where the exponent of a floating-point number begins, and what stands there for a number from 1 to 2.
const EXPONENT: u32 = f64::MANTISSA_DIGITS - 1;
const ONE: u64 = 1023;

/// The grade of an amount of work. Asked of every job in a queue, so that it takes no logarithm.
fn grade(work: f64) -> usize {
    let bits = work.max(1.0).to_bits();
    let exponent = (bits >> EXPONENT) - ONE;
    let share = f64::from_bits(bits - (exponent << EXPONENT));
    exponent as usize * STEPS.len() + STEPS.iter().skip(1).filter(|&&step| step <= share).count()
}

/// The grade of the work of one task of a request: tasks of a lower grade are smaller.
pub fn grade_of(rule: RuntimeRule, request: &Request) -> usize {
    grade(work(rule, request))
}

/// No work of a grade is less.
pub fn least_work(grade: usize) -> f64 {
    let power = f64::from_bits((ONE + (grade / STEPS.len()) as u64) << EXPONENT);
    STEPS[grade % STEPS.len()] * power * (1.0 - 1e-9)
}

/// Ticks that no task of so much work takes less than on a node.
fn least_runtime(node: &Node, work: f64) -> i64 {
    least_ticks(pace(node), work)
}

/// The ticks that a unit of work takes on a node.
pub(crate) fn pace(node: &Node) -> f64 {
    TICKS_PER_UNIT as f64 / node.performance.ticks() as f64
}

/// Ticks that no task of so much work takes less than at a pace. That is not exact, but the least work of a grade is less than
/// the least by more than that.
pub(crate) fn least_ticks(pace: f64, work: f64) -> i64 {
    // Runtimes are rounded up from here.
    (work * pace) as i64
}

impl RoomBySize {
    /// True if it is certain that the slots have no window for the request. What was found when they were first asked
    /// about holds for what is left of them.
    pub fn is_too_small(&mut self, offers: &Offers<'_>, request: &Request) -> bool {
        self.most(work(offers.rule, request), |work| count(offers, work)) < request.nodes
    }

    /// The same of a window that starts `now` on idle nodes, of which the performance and the end of the idle time are
    /// given.
    pub fn is_too_small_now<I: Iterator<Item = (Performance, Time)>>(
        &mut self,
        now: Time,
        rule: RuntimeRule,
        request: &Request,
        idle: impl FnOnce() -> I,
    ) -> bool {
        let fit = |work: f64| idle().filter(|&(performance, end)| !is_too_short(work, performance, now, end)).count();
        self.most(work(rule, request), fit) < request.nodes
    }

    /// The most tasks of so much work, counted for the least work of its grade when it is first asked about.
    fn most(&mut self, work: f64, count: impl FnOnce(f64) -> usize) -> usize {
        let grade = grade(work);
        if self.most.len() <= grade {
            self.most.resize(grade + 1, None);
        }
        *self.most[grade].get_or_insert_with(|| count(least_work(grade)))
    }
}

/// The most tasks of so much work, at least, that could begin together on distinct nodes.
fn count(offers: &Offers<'_>, work: f64) -> usize {
    let mut starts = Vec::with_capacity(offers.slots.len());
    let mut latest = Vec::with_capacity(offers.slots.len());
    for slot in offers.slots.as_slice() {
        let runtime = least_runtime(&offers.nodes[slot.node.index()], work);
        let (start, last) = (slot.interval.start.ticks(), slot.interval.end.ticks().saturating_sub(runtime));
        if last >= start {
            starts.push(start);
            latest.push(last);
        }
    }
    latest.sort_unstable();
    let mut gone = 0;
    let mut most = 0;
    for (begun, &start) in starts.iter().enumerate() {
        while latest[gone] < start {
            gone += 1;
        }
        most = most.max(begun + 1 - gone);
    }
    most
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::{Interval, NodeId, Slot, SlotList};
    use crate::search::{Amp, WindowSearch};
    use crate::units::{Power, Price, Span};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn grades_rise_with_work_and_begin_at_their_least(work in prop_oneof![0.0..1e6, 1.0..1e19, Just(f64::MAX)]) {
            let grade = grade(work);
            let root = 2f64.powf(0.25);
            prop_assert!(least_work(grade) <= work.max(1.0) && work < least_work(grade) * root * (1.0 + 1e-8));
            prop_assert!((least_work(grade) / root.powf(grade as f64) - 1.0).abs() < 1e-8 || work > 1e300);
            prop_assert_eq!(super::grade(least_work(grade) * (1.0 + 2e-9)), grade);
        }
    }

    /// Twelve nodes, each faster than the one before.
    pub(crate) fn nodes() -> Vec<Node> {
        let node = |index: i64| Node {
            name: "node".into(),
            performance: Performance::from_ticks(1_000_000 + 130_000 * index),
            price: Price::from_units(1),
            power: Power::ZERO,
        };
        (0..12).map(node).collect()
    }

    /// The list of those slots that overlap none before them.
    pub(crate) fn disjoint(slots: impl IntoIterator<Item = (u32, Time, Time)>) -> SlotList {
        let mut free: Vec<Slot> = Vec::new();
        for (node, start, end) in slots {
            let interval = Interval::new(start, end);
            if free.iter().all(|other| other.node.0 != node || !other.interval.overlaps(interval)) {
                free.push(Slot { node: NodeId(node), interval });
            }
        }
        SlotList::new(free).unwrap()
    }

    /// A job that any node will do for, and any price.
    pub(crate) fn job(nodes: usize, length: Span) -> Request {
        Request {
            name: "job".into(),
            nodes,
            length,
            min_performance: Performance::from_units(1),
            max_price: Price::from_units(1000),
            deadline: None,
        }
    }

    proptest! {
        /// Whoever is told that there is no room has no window; and most of those without one are told so.
        #[test]
        fn what_has_a_window_has_room(
            slots in prop::collection::vec((0u32..12, 0i64..100, 1i64..60), 1..40),
            jobs in prop::collection::vec((1usize..6, 1i64..90), 1..20),
            rule in prop::sample::select(vec![RuntimeRule::Reference, RuntimeRule::Volume]),
        ) {
            let nodes = nodes();
            let at = Time::from_units;
            let slots = disjoint(slots.into_iter().map(|(node, start, span)| (node, at(start), at(start + span))));
            let offers = Offers { nodes: &nodes, slots: &slots, rule };
            let (mut room, mut at_once) = (RoomBySize::default(), RoomBySize::default());
            for (nodes, length) in jobs {
                let request = job(nodes, Span::from_units(length));
                let window = Amp::within(1.0).find_window(&offers, &request);
                let now = Time::from_units(30);
                let idle = || slots.as_slice().iter().filter(|slot| slot.interval.contains(now));
                let idle = || idle().map(|slot| (offers.nodes[slot.node.index()].performance, slot.interval.end));
                let runtime = |performance| rule.runtime(&request, performance).unwrap();
                let fit = idle().filter(|&(performance, end)| now + runtime(performance) <= end).count();
                if at_once.is_too_small_now(now, rule, &request, idle) {
                    prop_assert!(fit < request.nodes);
                }
                if room.is_too_small(&offers, &request) {
                    prop_assert_eq!(window, None);
                } else if window.is_none() {
                    // A little less work would fit.
                    let less = Request { length: Span::from_ticks(length * 800_000), ..request };
                    let found = Amp::within(1.0).find_window(&Offers { rule: RuntimeRule::Reference, ..offers }, &less);
                    prop_assert!(found.is_some());
                }
            }
        }
    }
}
