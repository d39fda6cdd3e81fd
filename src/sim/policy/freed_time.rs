//! The time that became free in the course of a run.

use crate::model::Slot;
use std::collections::VecDeque;

/// The most entries that are remembered.
const REMEMBERED: usize = 1 << 12;

/// The time that became free so far, in the order in which it did: given back by jobs, or on nodes that came back or
/// became cheaper.
///
/// A job that had no place in some free time has none in a part of it. So whoever found none need not look again before
/// an entry is added that the job could use.
///
/// ```
/// use gridloom::model::{Interval, NodeId, Slot};
/// use gridloom::policy::FreedTime;
/// use gridloom::units::Time;
///
/// let mut freed = FreedTime::default();
/// let mark = freed.mark();
/// let interval = Interval::new(Time::from_units(50), Time::from_units(60));
/// freed.add(Slot { node: NodeId(2), interval });
/// assert_eq!(freed.since(mark).unwrap().count(), 1);
/// assert_eq!(freed.since(freed.mark()).unwrap().count(), 0);
/// ```
#[derive(Debug, Clone, Default)]
pub struct FreedTime {
    entries: VecDeque<Slot>,
    /// The number of entries that were added before these.
    forgotten: u64,
}

impl FreedTime {
    /// Time became free.
    pub fn add(&mut self, slot: Slot) {
        if self.entries.len() == REMEMBERED {
            self.entries.pop_front();
            self.forgotten += 1;
        }
        self.entries.push_back(slot);
    }

    /// The present, from which on entries can be asked for.
    pub fn mark(&self) -> u64 {
        self.forgotten + self.entries.len() as u64
    }

    /// What was added since `mark`; nothing if some of it is forgotten.
    pub fn since(&self, mark: u64) -> Option<impl Iterator<Item = Slot> + '_> {
        let known = mark.checked_sub(self.forgotten)?;
        Some(self.entries.range((known as usize).min(self.entries.len())..).copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, NodeId};
    use crate::units::Time;

    #[test]
    fn what_is_forgotten_is_not_denied() {
        let mut freed = FreedTime::default();
        let slot = Slot { node: NodeId(1), interval: Interval::new(Time::ZERO, Time::from_units(1)) };
        let first = freed.mark();
        (0..REMEMBERED).for_each(|_| freed.add(slot));
        assert_eq!(freed.since(first).unwrap().count(), REMEMBERED);
        let second = freed.mark();
        freed.add(slot);
        assert!(freed.since(first).is_none());
        assert_eq!(freed.since(second).unwrap().collect::<Vec<_>>(), [slot]);
        assert_eq!(freed.since(freed.mark()).unwrap().count(), 0);
    }
}
