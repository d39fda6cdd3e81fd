//! queue
use super::Phase;
use super::key::Key;
use super::ladder::{Entry, Ladder};
use super::pending::{Handle, Pending};
use crate::units::Time;

/// While no more cancelled events than this are queued, they are not worth a pass to remove them.
const TOLERATED: usize = 64;

/// Events in the order of time, phase and sequence of pushing.
#[derive(Debug)]
pub struct Queue<E> {
    ladder: Ladder<Item<E>>,
    pending: Pending,
    /// Cancelled events that still lie in the ladder.
    cancelled: usize,
    next_sequence: u64,
}

#[derive(Debug)]
struct Item<E> {
    slot: u32,
    event: E,
}

impl<E> Entry<Item<E>> {
    fn handle(&self) -> Handle {
        Handle { slot: self.item.slot, sequence: self.key.sequence() }
    }
}

impl<E> Queue<E> {
    /// An empty queue.
    pub fn new() -> Self {
        Self { ladder: Ladder::new(), pending: Pending::default(), cancelled: 0, next_sequence: 0 }
    }

    /// The number of pending events; cancelled ones are not counted.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no event is pending.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an event behind all those of the same time and phase.
    #[inline]
    pub fn push(&mut self, time: Time, phase: Phase, event: E) -> Handle {
        let handle = self.pending.enter(self.next_sequence);
        self.next_sequence += 1;
        let key = Key::new(time, phase, handle.sequence);
        self.ladder.push(Entry { key, item: Item { slot: handle.slot, event } });
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

impl<E> Default for Queue<E> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
