//! Limits on what a run may take, counted alike on every machine.

use crate::units::Time;

/// The most that one replication may take. Events and what is kept for them are counted, not what the machine reports,
/// so that a run ends at the same place everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most events, arrivals and failures that may be drawn; as many may be executed.
    pub events: u64,
    /// The most bytes that drawn and recorded data may take.
    pub memory: u64,
}

impl Limits {
    /// The limits of a run unless it says otherwise.
    pub const DEFAULT: Self = Self { events: 100_000_000, memory: 4 << 30 };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A run came to one of its limits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LimitHit {
    /// There were too many events.
    #[error(
        "{what} came to the limit of {limit} events at time {at}; raise `limits.events` in the scenario, or give it less to do"
    )]
    Events {
        /// The activity that came to the limit.
        what: String,
        /// The limit.
        limit: u64,
        /// The simulated time that it had reached.
        at: Time,
    },
    /// Too much had to be kept.
    #[error(
        "{what} came to the limit of {limit} bytes of memory at time {at}; raise `limits.memory` in the scenario, or give it less to do"
    )]
    Memory {
        /// The activity that came to the limit.
        what: String,
        /// The limit.
        limit: u64,
        /// The simulated time that it had reached.
        at: Time,
    },
}

/// Counts what a run takes.
///
/// ```
/// use gridloom::engine::{Limits, Meter};
/// use gridloom::units::Time;
///
/// let mut meter = Meter::new(Limits { events: 2, memory: 100 });
/// assert!(meter.count("drawing jobs", 60, Time::ZERO).is_ok());
/// let hit = meter.count("drawing jobs", 60, Time::from_units(7)).unwrap_err();
/// assert!(hit.to_string().starts_with("drawing jobs came to the limit of 100 bytes of memory at time 7"));
/// ```
#[derive(Debug, Clone)]
pub struct Meter {
    limits: Limits,
    events: u64,
    memory: u64,
}

impl Meter {
    /// A meter at zero.
    pub fn new(limits: Limits) -> Self {
        Self { limits, events: 0, memory: 0 }
    }

    /// Counts an event at which `bytes` are kept, while `what` is going on at `at`.
    pub fn count(&mut self, what: &str, bytes: usize, at: Time) -> Result<(), LimitHit> {
        self.events += 1;
        self.memory = self.memory.saturating_add(bytes as u64);
        if self.events > self.limits.events {
            return Err(LimitHit::Events { what: what.into(), limit: self.limits.events, at });
        }
        if self.memory > self.limits.memory {
            return Err(LimitHit::Memory { what: what.into(), limit: self.limits.memory, at });
        }
        Ok(())
    }
}
