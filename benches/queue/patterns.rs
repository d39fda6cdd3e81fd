//! Patterns of times that are hard on one structure or another: the cost per event may grow as a logarithm, not faster.

use crate::hold::per_event;
use gridloom::engine::Phase;
use gridloom::engine::queue::EventQueue;
use gridloom::units::Time;

/// What the pattern is, and what it does with a queue and a number of events.
pub type Pattern = (&'static str, fn(&mut EventQueue<u64>, i64));

pub const PATTERNS: [Pattern; 9] = [
    ("all at one instant", |queue, n| fill_and_drain(queue, (0..n).map(|_| 5))),
    ("rising", |queue, n| fill_and_drain(queue, 0..n)),
    ("falling", |queue, n| fill_and_drain(queue, (0..n).rev())),
    ("powers of two", |queue, n| fill_and_drain(queue, (0..n).map(|i| 1 << (scatter(i) % 62)))),
    ("clusters within clusters", |queue, n| {
        // Half of what is left falls into each next eighth, so that every rung leaves one bucket crowded.
        fill_and_drain(queue, (0..n).map(|i| (scatter(i) >> 1) >> (3 * (i as u64).trailing_ones()).min(60)));
    }),
    ("no delay", |queue, n| {
        // Every event begets two at its own instant until n are through.
        push(queue, 7);
        for _ in 0..n / 2 {
            queue.pop();
            push(queue, 7);
            push(queue, 7);
        }
        drain(queue);
    }),
    ("a distant end, then growth", |queue, n| {
        push(queue, i64::MAX);
        for i in 0..10 {
            push(queue, i);
        }
        for i in 0..n {
            let now = queue.pop().map_or(0, |(time, ..)| time.ticks());
            push(queue, now + scatter(i) % 1_000_000);
            push(queue, now + scatter(i + n) % 1_000_000);
        }
        drain(queue);
    }),
    ("looked at, then preceded", |queue, n| {
        for group in 0..n / 100 {
            for _ in 0..100 {
                push(queue, n - group);
            }
            queue.peek();
        }
        drain(queue);
    }),
    ("a crowd far ahead, in steps", |queue, n| {
        for _ in 0..n / 2 {
            push(queue, i64::MAX - 1);
        }
        for step in 0..n / 200 {
            for i in 0..100 {
                push(queue, step * 1000 + i);
            }
            for _ in 0..100 {
                queue.pop();
            }
            queue.peek();
        }
        drain(queue);
    }),
];

/// Nanoseconds per event for a pattern of so many events.
pub fn cost(pattern: Pattern, events: usize) -> f64 {
    let mut queue = EventQueue::new();
    per_event(events, || pattern.1(&mut queue, events as i64))
}

fn push(queue: &mut EventQueue<u64>, ticks: i64) {
    queue.push(Time::from_ticks(ticks), Phase(0), 0);
}

fn drain(queue: &mut EventQueue<u64>) {
    while queue.pop().is_some() {}
}

fn fill_and_drain(queue: &mut EventQueue<u64>, times: impl Iterator<Item = i64>) {
    times.for_each(|ticks| push(queue, ticks));
    drain(queue);
}

/// A number without apparent pattern, never negative.
fn scatter(i: i64) -> i64 {
    let mixed = (i as u64).wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    ((mixed ^ (mixed >> 32)) >> 1) as i64
}
