//! The queue against the plainest queue that could be right.

use super::*;
use proptest::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// The oracle: a standard heap, and the set of what is pending.
#[derive(Default)]
struct Plain {
    heap: BinaryHeap<Reverse<(Time, Phase, u64)>>,
    pending: BTreeSet<u64>,
    pushed: u64,
}

impl Plain {
    fn push(&mut self, time: Time, phase: Phase) -> u64 {
        self.heap.push(Reverse((time, phase, self.pushed)));
        self.pending.insert(self.pushed);
        self.pushed += 1;
        self.pushed - 1
    }

    fn peek(&mut self) -> Option<(Time, Phase, u64)> {
        while let Some(&Reverse(first)) = self.heap.peek() {
            if self.pending.contains(&first.2) {
                return Some(first);
            }
            self.heap.pop();
        }
        None
    }

    fn pop(&mut self) -> Option<(Time, Phase, u64)> {
        let first = self.peek()?;
        self.heap.pop();
        self.cancel(first.2);
        Some(first)
    }

    fn cancel(&mut self, event: u64) -> bool {
        self.pending.remove(&event)
    }
}

/// Both queues side by side; every answer of one is compared with the other's.
struct Pair {
    queue: EventQueue<u64>,
    plain: Plain,
    handles: Vec<Handle>,
    /// The time of the last event that left.
    now: i64,
}

impl Pair {
    fn new() -> Self {
        Self { queue: EventQueue::new(), plain: Plain::default(), handles: Vec::new(), now: 0 }
    }

    fn push(&mut self, ticks: i64, phase: u8) {
        let (time, phase) = (Time::from_ticks(ticks), Phase(phase));
        let event = self.plain.push(time, phase);
        self.handles.push(self.queue.push(time, phase, event));
    }

    fn pop(&mut self) -> bool {
        let popped = self.queue.pop();
        assert_eq!(popped, self.plain.pop());
        self.now = popped.map_or(self.now, |(time, ..)| time.ticks());
        popped.is_some()
    }

    fn peek(&mut self) {
        assert_eq!(self.queue.peek_time(), self.plain.peek().map(|(time, ..)| time));
    }

    fn cancel(&mut self, event: usize) {
        assert_eq!(self.queue.cancel(self.handles[event]), self.plain.cancel(event as u64));
    }

    fn agree_on_length(&self) {
        assert_eq!(self.queue.pending.len(), self.plain.pending.len());
    }
}

#[derive(Debug, Clone)]
enum Step {
    /// Pushes so many events, their times given by the pattern.
    Push(usize, Times),
    Pop(usize),
    Peek,
    /// Cancels so many events, some of them a second time or after they left.
    Cancel(usize),
}

#[derive(Debug, Clone)]
enum Times {
    At(i64),
    Near(i64),
    PowersOfTwo,
    Rising,
    Falling,
}

fn times() -> impl Strategy<Value = Times> {
    prop_oneof![
        prop_oneof![Just(0), Just(7), Just(i64::MAX), Just(i64::MAX - 1), Just(i64::MIN), any::<i64>()]
            .prop_map(Times::At),
        prop_oneof![Just(0i64), Just(3), Just(1000), Just(i64::MAX)].prop_map(Times::Near),
        Just(Times::PowersOfTwo),
        Just(Times::Rising),
        Just(Times::Falling),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let count = || prop_oneof![3 => 1usize..5, 2 => 1usize..150, 1 => 300usize..700];
    prop_oneof![
        4 => (count(), times()).prop_map(|(count, times)| Step::Push(count, times)),
        4 => count().prop_map(Step::Pop),
        2 => Just(Step::Peek),
        2 => count().prop_map(Step::Cancel),
    ]
}

/// A cheap stream of numbers that looks random, so that shrinking a failure keeps it.
fn scramble(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed ^ (mixed >> 31)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_queue_does_what_the_plain_one_does(steps in prop::collection::vec(step(), 1..40), phases in 1u64..4) {
        let mut pair = Pair::new();
        let mut state = 0;
        for step in steps {
            match step {
                Step::Push(count, times) => for index in 0..count as i64 {
                    let random = scramble(&mut state);
                    let ticks = match times {
                        Times::At(ticks) => ticks,
                        Times::Near(width) => pair.now.saturating_add((random >> 1) as i64 % width.saturating_add(1).max(1)),
                        Times::PowersOfTwo => pair.now.saturating_add(1 << (random % 63)),
                        Times::Rising => pair.now.saturating_add(index),
                        Times::Falling => pair.now.saturating_sub(index),
                    };
                    pair.push(ticks, (random % phases) as u8);
                },
                Step::Pop(count) => for _ in 0..count { pair.pop(); },
                Step::Peek => pair.peek(),
                Step::Cancel(count) => for _ in 0..count {
                    if !pair.handles.is_empty() {
                        pair.cancel(scramble(&mut state) as usize % pair.handles.len());
                    }
                },
            }
            pair.agree_on_length();
        }
        while pair.pop() {}
        pair.agree_on_length();
    }
}

#[test]
fn a_long_hold_with_cancellations_and_a_distant_end_stays_in_order() {
    for spread in [1, 50, 1_000_000, 1 << 40] {
        let mut pair = Pair::new();
        let mut state = spread;
        pair.push(i64::MAX, 0);
        for round in 0..30_000 {
            let random = scramble(&mut state);
            // The length swings between a hundred and a few thousand.
            let grows = (round / 3000) % 2 == 0;
            for _ in 0..if grows { 2 } else { 1 } {
                pair.push(pair.now + (scramble(&mut state) % spread) as i64, (random % 3) as u8);
            }
            if random.is_multiple_of(5) {
                pair.cancel(scramble(&mut state) as usize % pair.handles.len());
            }
            if !grows || round % 2 == 0 {
                pair.pop();
            }
        }
        while pair.pop() {}
    }
}

#[test]
fn events_of_one_instant_leave_by_phase_and_then_first_in_first_out() {
    let mut queue = EventQueue::new();
    for event in 0..1000 {
        queue.push(Time::ZERO, Phase(u8::from(event % 2 == 0)), event);
    }
    let order: Vec<i32> = std::iter::from_fn(|| queue.pop()).map(|(_, _, event)| event).collect();
    let expected: Vec<i32> =
        (0..1000).filter(|event| event % 2 == 1).chain((0..1000).filter(|event| event % 2 == 0)).collect();
    assert_eq!(order, expected);
}

#[test]
fn events_may_be_pushed_ever_earlier_than_what_has_left() {
    let mut pair = Pair::new();
    let mut ticks = 1_000_000;
    for _ in 0..40 {
        for event in 0..100 {
            pair.push(ticks + event % 3, 0);
        }
        // This one lies between the group and the one before it, and stays.
        pair.push(ticks + 5, 0);
        for _ in 0..100 {
            pair.pop();
        }
        ticks -= 10;
    }
    while pair.pop() {}
}
