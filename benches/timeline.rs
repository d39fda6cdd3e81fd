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
//! | release and reserve again | 632 | 912 | 1334 | 2116 |

use divan::{Bencher, black_box};
use gridloom::model::{Interval, Timeline};
use gridloom::rng::{Streams, below};
use gridloom::units::{Span, Time};

const SIZES: [u64; 4] = [100, 1_000, 10_000, 100_000];

fn main() {
    divan::main();
}

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

/// Releases a random reservation and takes it again.
#[divan::bench(args = SIZES, sample_size = 1000)]
fn release_and_reserve(bencher: Bencher, size: u64) {
    let mut timeline = crowded(size);
    let mut stream = Streams::new(2, 0).stream("picks");
    bencher.bench_local(|| {
        let picked = reservation(below(&mut stream, size));
        timeline.release(picked).expect("it is reserved");
        timeline.reserve(picked).expect("it is free");
    });
}

/// Finds the one long gap, at the far end, from a random instant.
#[divan::bench(args = SIZES, sample_size = 1000)]
fn find_the_only_fit(bencher: Bencher, size: u64) {
    let timeline = crowded(size);
    let mut stream = Streams::new(3, 0).stream("picks");
    bencher.bench_local(|| {
        let from = Time::from_units(below(&mut stream, 3 * size) as i64);
        black_box(timeline.first_fit(from, Span::from_units(50)))
    });
}

/// Asks for the free interval around a random instant.
#[divan::bench(args = SIZES, sample_size = 1000)]
fn free_at(bencher: Bencher, size: u64) {
    let timeline = crowded(size);
    let mut stream = Streams::new(4, 0).stream("picks");
    bencher.bench_local(|| black_box(timeline.free_at(Time::from_units(below(&mut stream, 3 * size) as i64))));
}
