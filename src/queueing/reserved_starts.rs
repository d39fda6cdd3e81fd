//! Reserved starts in their order.

use super::QueuedJob;
use crate::units::Time;

/// A reserved start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ReservedStart {
    pub(super) time: Time,
    pub(super) id: u32,
    pub(super) processors: u32,
}

impl ReservedStart {
    pub(super) fn new(job: QueuedJob, time: Time) -> Self {
        Self { time, id: job.id, processors: job.processors }
    }
}

/// The starts of all who wait, in order of time and then of arrival.
///
/// They stand in a plain array, the next one last: those who start leave at its end, and a start that is moved passes
/// only those between its old and its new time, which are few.
#[derive(Debug, Default)]
pub(super) struct ReservedStarts {
    starts: Vec<ReservedStart>,
}

impl ReservedStarts {
    /// The number of starts before such a start in the array.
    fn place(&self, time: Time, id: u32) -> usize {
        let place = self.starts.partition_point(|start| start.time > time);
        place + self.starts[place..].iter().take_while(|start| start.time == time && start.id > id).count()
    }

    /// Adds a start.
    pub(super) fn insert(&mut self, start: ReservedStart) {
        self.starts.insert(self.place(start.time, start.id), start);
    }

    /// Moves a start to an earlier time.
    pub(super) fn advance(&mut self, start: ReservedStart, new: Time) {
        let mut place = self.place(start.time, start.id);
        while let Some(&next) = self.starts.get(place + 1).filter(|next| (next.time, next.id) > (new, start.id)) {
            self.starts[place] = next;
            place += 1;
        }
        self.starts[place] = ReservedStart { time: new, ..start };
    }

    /// The starts after one time and up to another, the latest first.
    pub(super) fn between(&self, after: Time, until: Time) -> &[ReservedStart] {
        let from = self.starts.partition_point(|start| start.time > until);
        let more = self.starts[from..].iter().take_while(|start| start.time > after).count();
        &self.starts[from..from + more]
    }

    /// The next one.
    pub(super) fn first(&self) -> Option<ReservedStart> {
        self.starts.last().copied()
    }

    /// Takes out those up to a time, the next one first, who are let go.
    pub(super) fn take_until(&mut self, time: Time, mut let_go: impl FnMut(ReservedStart) -> bool) {
        let mut place = self.starts.len();
        while place > 0 && self.starts[place - 1].time <= time {
            place -= 1;
            if let_go(self.starts[place]) {
                self.starts.remove(place);
            }
        }
    }

    /// Takes out all.
    pub(super) fn take_all(&mut self) -> Vec<ReservedStart> {
        std::mem::take(&mut self.starts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn starts_come_and_go_as_in_an_ordered_set(
            doings in prop::collection::vec((0u8..4, 0i64..30, 0i64..30), 1..200),
        ) {
            let (mut starts, mut plain) = (ReservedStarts::default(), BTreeSet::new());
            let start = |time: i64, id: u32| ReservedStart { time: Time::from_units(time), id, processors: 1 + id % 7 };
            for (id, (what, one, other)) in doings.into_iter().enumerate() {
                let (id, mover) = (id as u32, plain.iter().nth(one as usize).copied());
                match (what, mover) {
                    // Somebody moves to an earlier time.
                    (0, Some((old, who))) => {
                        let new = old * other / 30;
                        starts.advance(start(old, who), Time::from_units(new));
                        plain.remove(&(old, who));
                        plain.insert((new, who));
                    }
                    // Those up to a time go, but for some.
                    (1, _) => {
                        let mut gone = Vec::new();
                        starts.take_until(Time::from_units(one / 4), |start| {
                            gone.extend((start.id % 3 > 0).then_some(start));
                            start.id % 3 > 0
                        });
                        let goes = |&&(time, id): &&(i64, u32)| time <= one / 4 && id % 3 > 0;
                        prop_assert_eq!(gone, plain.iter().filter(goes).map(|&(time, id)| start(time, id)).collect::<Vec<_>>());
                        plain.retain(|one| !goes(&one));
                    }
                    _ => {
                        starts.insert(start(one, id));
                        plain.insert((one, id));
                    }
                }
                prop_assert_eq!(starts.first(), plain.first().map(|&(time, id)| start(time, id)));
                let inside = plain.iter().rev().filter(|&&(time, _)| one < time && time <= other);
                let found = starts.between(Time::from_units(one), Time::from_units(other));
                prop_assert_eq!(found, inside.map(|&(time, id)| start(time, id)).collect::<Vec<_>>());
            }
        }
    }
}
