//! The queue of future events, ordered by time, phase and sequence, with cancellation.
//!
//! Events lie in a ladder of buckets that sorts only what is about to leave. A cancelled event is struck out of a table
//! of pending ones at once and skipped when it comes up; when the cancelled outnumber the pending, one pass clears them
//! away, so that neither time nor memory hangs on events that will not happen.
//!
//! A handle could also be the event's key, with a set of the cancelled keys beside the queue: whatever is not later
//! than the last executed key has left. But once a cancelled event is cleared away or skipped, its key alone no longer
//! tells it from a pending one, and cancelling it again would report success; the set would have to remember it until
//! its time comes. The table gives the exact answer in the memory of what is pending.
//!
//! Nanoseconds per hold (take one out, put one back), measured on a 2-core machine in one run of
//! `cargo bench --bench queue` while other programs were running too. The ratio is to the first column.
//!
//! | pending, increments | `BinaryHeap` of tuples | of `u128` | 4-ary `u128` | indexed 4-ary | `priority-queue` | this queue | ratio |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 1e3, exponential | 64 | 51 | 85 | 97 | 196 | 49 | 0.76 |
//! | 1e3, uniform | 65 | 50 | 100 | 120 | 250 | 55 | 0.84 |
//! | 1e3, near and far | 72 | 55 | 60 | 75 | 128 | 24 | 0.34 |
//! | 1e3, exponential, cancelling | 123 | 97 | 127 | 103 | 235 | 59 | 0.48 |
//! | 1e5, exponential | 207 | 180 | 233 | 286 | 996 | 101 | 0.49 |
//! | 1e5, uniform | 219 | 200 | 205 | 262 | 949 | 130 | 0.60 |
//! | 1e5, near and far | 226 | 191 | 177 | 295 | 870 | 114 | 0.50 |
//! | 1e5, exponential, cancelling | 441 | 381 | 436 | 431 | 973 | 123 | 0.28 |
//! | 1e6, exponential | 725 | 695 | 538 | 803 | 2364 | 217 | 0.30 |
//! | 1e6, uniform | 863 | 723 | 555 | 827 | 2534 | 199 | 0.23 |
//! | 1e6, near and far | 784 | 670 | 510 | 857 | 2472 | 164 | 0.21 |
//! | 1e6, exponential, cancelling | 1214 | 1002 | 853 | 1017 | 2798 | 328 | 0.27 |
//!
//! The heaps carry no payload, and without cancellations no handles either; this queue always has both. Where few
//! events are pending, a packed heap comes close, and with uniform increments it was the faster one in this run: the
//! ladder is chosen for what it does when many are. Repeated runs on the busy machine gave ratios from 0.61 to 0.90 at
//! 1e3 pending (exponential and uniform) and from 0.19 to 0.30 at 1e6. The whole run loop executed 25 million events
//! per second at 1e3 pending in this run, and between 13 and 25 million in others.

use super::Phase;
use super::key::EventKey;
use super::ladder::{Ladder, LadderEntry};
use super::pending::{Handle, PendingEvents};
use crate::units::Time;

/// While no more cancelled events than this are queued, they are not worth a pass to remove them.
const TOLERATED: usize = 64;

/// Events in the order of time, phase and sequence of pushing.
#[derive(Debug)]
pub struct EventQueue<E> {
    ladder: Ladder<QueueItem<E>>,
    pending: PendingEvents,
    /// Cancelled events that still lie in the ladder.
    cancelled: usize,
    next_sequence: u64,
}

#[derive(Debug)]
struct QueueItem<E> {
    slot: u32,
    event: E,
}

impl<E> LadderEntry<QueueItem<E>> {
    fn handle(&self) -> Handle {
        Handle { slot: self.item.slot, sequence: self.key.sequence() }
    }
}

impl<E> EventQueue<E> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { ladder: Ladder::new(), pending: PendingEvents::default(), cancelled: 0, next_sequence: 0 }
    }

    /// The number of pending events; cancelled ones are not counted.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// True if no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an event behind all those of the same time and phase.
    #[inline]
    pub fn push(&mut self, time: Time, phase: Phase, event: E) -> Handle {
        let handle = self.pending.enter(self.next_sequence);
        self.next_sequence += 1;
        let key = EventKey::new(time, phase, handle.sequence);
        self.ladder.push(LadderEntry { key, item: QueueItem { slot: handle.slot, event } });
        handle
    }

    /// The time and phase of the first event. The order is worked out as late as possible, here at the latest, hence
    /// `&mut`.
    #[inline]
    pub fn peek(&mut self) -> Option<(Time, Phase)> {
        loop {
            let first = self.ladder.peek()?;
            if self.pending.contains(first.handle()) {
                return Some((first.key.time(), first.key.phase()));
            }
            self.ladder.pop();
            self.cancelled -= 1;
        }
    }

    /// Takes the first event out.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, Phase, E)> {
        loop {
            let first = self.ladder.pop()?;
            if self.pending.leave(first.handle()) {
                return Some((first.key.time(), first.key.phase(), first.item.event));
            }
            self.cancelled -= 1;
        }
    }

    /// Takes an event out ahead of its time; whether it was still pending.
    #[inline]
    pub fn cancel(&mut self, handle: Handle) -> bool {
        let was_pending = self.pending.leave(handle);
        if was_pending {
            self.cancelled += 1;
            if self.cancelled > self.len().max(TOLERATED) {
                self.ladder.retain(|entry| self.pending.contains(entry.handle()));
                self.cancelled = 0;
            }
        }
        was_pending
    }

    /// Events for which memory is held.
    #[cfg(test)]
    fn capacity(&self) -> usize {
        self.ladder.capacity()
    }
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
