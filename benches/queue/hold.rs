//! The hold model: take the first event out and put one back at its time plus a random increment, over and over.

use crate::candidates::{Cancellable, Candidate};
use gridloom::rng::{Stream, Streams, unit};
use std::hint::black_box;
use std::time::Instant;

/// In the runs with cancellations, every so many holds a random recent event is cancelled and scheduled anew.
const CANCEL_EVERY: usize = 4;

/// How far ahead of the present events are scheduled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Increments {
    Exponential,
    Uniform,
    /// Most are near, one in sixteen is five orders of magnitude farther.
    NearFar,
}

impl Increments {
    fn draw(self, stream: &mut Stream) -> u64 {
        let u = unit(stream);
        let ticks = match self {
            Self::Exponential => -(1.0 - u).ln() * 1e8,
            Self::Uniform => u * 2e8,
            Self::NearFar if unit(stream) < 1.0 / 16.0 => u * 3e9,
            Self::NearFar => u * 3e4,
        };
        ticks as u64
    }

    /// Drawn once and used in a circle, so that the cost of drawing stays out of the measure.
    pub fn table(self) -> Vec<u64> {
        let mut stream = Streams::new(1, 0).stream("increments");
        (0..TABLE).map(|_| self.draw(&mut stream)).collect()
    }
}

const TABLE: usize = 1 << 15;

/// One candidate under one load.
pub trait Load {
    fn name(&self) -> &'static str;
    /// Nanoseconds per hold over so many holds.
    fn measure(&mut self, holds: usize) -> f64;
    /// Depends on all times that left so far: equal for candidates that agree.
    fn checksum(&self) -> u64;
}

/// Holds alone, or with a cancellation every now and then.
pub struct Hold<'a, C: Candidate> {
    queue: C,
    increments: &'a [u64],
    drawn: usize,
    checksum: u64,
    /// The handles of the last pushes, in a circle.
    recent: Vec<C::Handle>,
}

impl<'a, C: Candidate> Hold<'a, C> {
    /// A queue with so many events pending.
    fn new(pending: usize, increments: &'a [u64]) -> Self {
        let mut hold = Self { queue: C::default(), increments, drawn: 0, checksum: 0, recent: Vec::new() };
        for round in 0..pending {
            // The table repeats; the shift keeps the repeated times apart.
            let time = hold.increment() + (round / TABLE) as u64;
            let handle = hold.queue.push(time);
            hold.recent.push(handle);
        }
        hold
    }

    #[inline]
    fn increment(&mut self) -> u64 {
        self.drawn += 1;
        self.increments[self.drawn % TABLE]
    }

    #[inline]
    fn hold(&mut self) -> (u64, C::Handle) {
        let now = self.queue.pop().expect("the number of pending events is constant");
        self.checksum = self.checksum.wrapping_mul(31).wrapping_add(now);
        let time = now + self.increment();
        (now, black_box(self.queue.push(time)))
    }
}

/// Holds without cancellations.
pub struct Plain<'a, C: Candidate>(Hold<'a, C>);

impl<'a, C: Candidate> Plain<'a, C> {
    pub fn new(pending: usize, increments: &'a [u64]) -> Self {
        Self(Hold::new(pending, increments))
    }
}

impl<C: Candidate> Load for Plain<'_, C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn measure(&mut self, holds: usize) -> f64 {
        per_event(holds, || {
            for _ in 0..holds {
                self.0.hold();
            }
        })
    }

    fn checksum(&self) -> u64 {
        self.0.checksum
    }
}

/// Holds with cancellations.
pub struct Cancelling<'a, C: Cancellable>(Hold<'a, C>);

impl<'a, C: Cancellable> Cancelling<'a, C> {
    pub fn new(pending: usize, increments: &'a [u64]) -> Self {
        Self(Hold::new(pending, increments))
    }

    fn hold(&mut self) {
        let (now, handle) = self.0.hold();
        let len = self.0.recent.len();
        let drawn = self.0.drawn;
        self.0.recent[drawn % len] = handle;
        if drawn.is_multiple_of(CANCEL_EVERY) {
            // A multiplicative hash of the count: any of the recent events, the same for all candidates.
            let victim = (drawn.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20) % len;
            if self.0.queue.cancel(self.0.recent[victim]) {
                let time = now + self.0.increments[victim % TABLE];
                self.0.recent[victim] = self.0.queue.push(time);
            }
        }
    }
}

impl<C: Cancellable> Load for Cancelling<'_, C> {
    fn name(&self) -> &'static str {
        C::NAME
    }

    fn measure(&mut self, holds: usize) -> f64 {
        per_event(holds, || {
            for _ in 0..holds {
                self.hold();
            }
        })
    }

    fn checksum(&self) -> u64 {
        self.0.checksum
    }
}

/// Nanoseconds that `work` takes, divided by the number of events it handles.
pub fn per_event(events: usize, work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / events as f64
}
