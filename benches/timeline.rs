//! What reserving, releasing and finding cost on a timeline with 100 to 100,000 reservations.
//!
//! Run with `cargo bench --bench timeline`. Each reservation leaves a gap of one unit behind it and only the last gap of the
//! timeline is long, so a search that walks the gaps one by one would grow a thousandfold from the first column
//! to the last; the tree's cost grows with the depth of the tree and with the misses of the processor's caches.
//!
//! Medians in nanoseconds, measured on a 2-core machine:
//!
//! | reservations | 1e2 | 1e3 | 1e4 | 1e5 |
//! | --- | --- | --- | --- | --- |
//! | find the only fit | 109 | 251 | 341 | 589 |
//! | free at an instant | 65 | 97 | 162 | 390 |
//! | release and reserve | 632 | 912 | 1334 | 2116 |

use gridloom::model::{Interval, Timeline};
use gridloom::rng::{Streams, below};
use gridloom::units::{Span, Time};
use std::hint::black_box;
use std::time::Instant;

/// Reservation `index`: two units, one unit apart from the next.
fn reservation(index: u64) -> Interval {
    let start = 3 * index as i64;
    Interval::new(Time::from_units(start), Time::from_units(start + 2))
}

/// A timeline with `size` reservations, made in random order.
fn crowded(size: u64) -> Timeline {
    let mut timeline = Timeline::new(Interval::new(Time::ZERO, Time::from_units(3 * size as i64 + 100)));
    let mut order: Vec<u64> = (0..size).collect();
    let mut stream = Streams::new(1, 0).stream("order");
    for last in (1..order.len()).rev() {
        order.swap(last, below(&mut stream, last as u64 + 1) as usize);
    }
    for index in order {
        timeline.reserve(reservation(index)).expect("reservations do not overlap");
    }
    timeline
}

/// Nanoseconds of one of many rounds, the median of eleven measurements.
#[allow(clippy::disallowed_methods, reason = "a bench measures time")]
fn nanoseconds(mut round: impl FnMut()) -> f64 {
    const ROUNDS: u32 = 10_000;
    let mut measured: Vec<f64> = Vec::new();
    for _ in 0..11 {
        let begun = Instant::now();
        (0..ROUNDS).for_each(|_| round());
        measured.push(begun.elapsed().as_secs_f64() * 1e9 / f64::from(ROUNDS));
    }
    measured.sort_by(f64::total_cmp);
    measured[5]
}

fn main() {
    println!("{:>12} {:>17} {:>8} {:>20}", "reservations", "find the only fit", "free at", "release and reserve");
    for size in [100, 1_000, 10_000, 100_000] {
        let mut timeline = crowded(size);
        let mut stream = Streams::new(1, 1).stream("picks");
        let mut instant = || Time::from_units(below(&mut stream, 3 * size) as i64);
        let find = nanoseconds(|| {
            black_box(timeline.first_fit(instant(), Span::from_units(50)));
        });
        let free = nanoseconds(|| {
            black_box(timeline.free_at(instant()));
        });
        let again = nanoseconds(|| {
            let picked = reservation(below(&mut stream, size));
            timeline.release(picked).expect("it is reserved");
            timeline.reserve(picked).expect("it is free");
        });
        println!("{size:>12} {find:>17.0} {free:>8.0} {again:>20.0}");
    }
}
