//! The queue of future events, ordered by time, phase and sequence, with cancellation.

use super::Phase;
use super::key::EventKey;
use crate::units::Time;
use priority_queue::PriorityQueue;
use std::borrow::Borrow;
use std::cmp::Reverse;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Names a scheduled event, so that it can be cancelled. Valid for the kernel that returned it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Handle(EventId);

/// The sequence number of an event, which no other event ever gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct EventId(u64);

/// Events in the order of time, phase and sequence of pushing.
///
/// The sequence makes every key unique, so the order is total and hashes have no influence on it.
#[derive(Debug)]
pub(super) struct EventQueue<E> {
    pending: PriorityQueue<PendingEvent<E>, Reverse<EventKey>, BuildHasherDefault<IdHasher>>,
    next_sequence: u64,
}

/// An event, which the queue finds by its id.
#[derive(Debug)]
struct PendingEvent<E> {
    id: EventId,
    event: E,
}

impl<E> EventQueue<E> {
    pub(super) fn new() -> Self {
        Self { pending: PriorityQueue::with_default_hasher(), next_sequence: 0 }
    }

    /// Adds an event behind all those of the same time and phase.
    pub(super) fn push(&mut self, time: Time, phase: Phase, event: E) -> Handle {
        let sequence = self.next_sequence;
        self.next_sequence += 1;
        let id = EventId(sequence);
        self.pending.push(PendingEvent { id, event }, Reverse(EventKey { time, phase, sequence }));
        Handle(id)
    }

    /// The time of the first event.
    pub(super) fn peek_time(&self) -> Option<Time> {
        self.pending.peek().map(|(_, Reverse(key))| key.time)
    }

    /// Takes the first event out.
    pub(super) fn pop(&mut self) -> Option<(Time, Phase, E)> {
        let (PendingEvent { event, .. }, Reverse(key)) = self.pending.pop()?;
        Some((key.time, key.phase, event))
    }

    /// Takes an event out ahead of its time; whether it was still pending.
    pub(super) fn cancel(&mut self, Handle(id): Handle) -> bool {
        self.pending.remove(&id).is_some()
    }
}

impl<E> PartialEq for PendingEvent<E> {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl<E> Eq for PendingEvent<E> {}

impl<E> Hash for PendingEvent<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.id.hash(state);
    }
}

impl<E> Borrow<EventId> for PendingEvent<E> {
    fn borrow(&self) -> &EventId {
        &self.id
    }
}

/// Hashes sequence numbers: one multiplication spreads consecutive numbers over all bits.
#[derive(Debug, Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write_u64(&mut self, id: u64) {
        // 2^64 over the golden ratio, as in Knuth's multiplicative hashing.
        self.0 = id.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("an id is one number");
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
#[path = "queue_tests.rs"]
mod tests;
