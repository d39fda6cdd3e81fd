//! Where a compression may find room: a quick test that spares most jobs the search.

use super::Profile;
use crate::units::{Span, Time};

/// Times that were vacated, each as the stretches in which enough processors are free, for widths of 1, 2, 4, 8, ...
///
/// A job that could not start earlier when it had its last turn can do so now only in one of two ways: its whole length fits
/// into a stretch that touches a time vacated since then, or enough processors became free just before its reserved start,
/// so that it slides forward. Stretches are kept until every job has had a turn after them. They are never shrunk, so the
/// answer may be too hopeful, but it is never too pessimistic: a stretch that grows does so by a later vacated time.
#[derive(Debug, Default)]
pub(super) struct Openings {
    /// For width 2^k, in the order of vacation.
    stretches: Vec<Stretches>,
    /// The most processors free in times vacated during the round before this one, and during this one.
    most: [i64; 2],
}

#[derive(Debug, Default)]
struct Stretches {
    all: Vec<(Time, Time)>,
    /// Where those of this round begin.
    fresh: usize,
}

impl Openings {
    /// Begins a round of turns at `now`: what was vacated in the last one still counts, what was vacated before does not.
    pub(super) fn turn(&mut self, now: Time) {
        for stretches in &mut self.stretches {
            stretches.all.drain(..stretches.fresh);
            stretches.all.retain(|&(_, end)| end > now);
            stretches.fresh = stretches.all.len();
        }
        self.most = [self.most[1], 0];
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.stretches.clear();
        self.most = [0; 2];
    }

    /// Takes in a time that was vacated.
    pub(super) fn add(&mut self, profile: &Profile, start: Time, end: Time) {
        let most = profile.most_free(start, end);
        self.most[1] = self.most[1].max(most);
        let place = profile.place(start);
        let widths = (0..).map(|power| 1u32 << power).take_while(|&width| i64::from(width) <= most);
        for (power, width) in widths.enumerate() {
            if power == self.stretches.len() {
                self.stretches.push(Stretches::default());
            }
            profile.stretches(place, (start, end), width, &mut self.stretches[power].all);
        }
    }

    /// The most processors that are free at any of these times.
    pub(super) fn most(&self) -> i64 {
        self.most[0].max(self.most[1])
    }

    /// Whether a job may start before `limit`, where it has a reservation.
    pub(super) fn may_hold(&self, profile: &Profile, processors: u32, estimate: Span, limit: Time) -> bool {
        let holds = |&(start, end): &(Time, Time)| start < limit && end.min(limit) - start >= estimate;
        self.stretches.get(processors.ilog2() as usize).is_some_and(|stretches| stretches.all.iter().any(holds))
            || profile.free_before(limit) >= i64::from(processors)
    }
}
