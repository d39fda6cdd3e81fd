//! Who gets a turn when a schedule is compressed.

use super::backlog::Backlog;
use super::{Profile, Waiting};
use crate::units::{Span, Time};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Bound;

/// The turns of a round of compression, in the order of arrival, for those who may gain by one.
///
/// When a job had its last turn, it could not start earlier. So now it can only by time that was vacated since then, in one of two
/// ways: enough processors have become free just before its reserved start, so that it slides forward; or its whole length fits into a
/// stretch of free time that touches the vacated one. Whoever may do either is noted when time is vacated, and gets a turn in this
/// round, or in the next one if its turn of this round has passed. What is free may be taken before the turn comes, so a
/// turn may be in vain; but nobody is passed over, since whatever else becomes free is vacated later.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// The waiting jobs by width: those on 2^k and more processors, up to the next power of two.
    classes: Vec<Backlog<(Span, Time)>>,
    /// Who comes next, and whether it can only slide.
    queue: BinaryHeap<Reverse<(u32, bool)>>,
    /// Those of the next round.
    late: Vec<(u32, bool)>,
    /// Whose turn it is.
    current: Option<u32>,
    /// The stretches at hand.
    stretches: Vec<(Time, Time)>,
}

fn class(job: Waiting) -> usize {
    job.processors.ilog2() as usize
}

impl Turns {
    /// A job gets its first reservation; its id is larger than all before.
    pub(super) fn join(&mut self, job: Waiting, start: Time) {
        if class(job) >= self.classes.len() {
            self.classes.resize_with(class(job) + 1, Backlog::default);
        }
        self.classes[class(job)].push(job, bound(job, start));
    }

    /// A job's reservation has changed.
    pub(super) fn moved(&mut self, job: Waiting, start: Time) {
        let class = &mut self.classes[class(job)];
        if let Some(slot) = class.slot(job.id) {
            class.set(slot, bound(job, start));
        }
    }

    /// A job starts.
    pub(super) fn leave(&mut self, job: Waiting) {
        let class = &mut self.classes[class(job)];
        if let Some(slot) = class.slot(job.id) {
            class.remove(slot);
        }
    }

    /// Begins a round.
    pub(super) fn begin(&mut self) {
        self.current = None;
        self.queue.extend(self.late.drain(..).map(Reverse));
    }

    /// Drops what was noted for the next round.
    pub(super) fn forget(&mut self) {
        self.late.clear();
    }

    /// The next job and whether its whole length may fit before its start, rather than only a slide.
    pub(super) fn next(&mut self) -> Option<(u32, bool)> {
        while let Some(Reverse((id, slides_only))) = self.queue.pop() {
            if self.current.is_none_or(|current| current < id) {
                self.current = Some(id);
                return Some((id, !slides_only));
            }
        }
        None
    }

    /// Notes who may gain by a time that was vacated by so many processors.
    ///
    /// A job of a width that was free there all along gains nothing.
    pub(super) fn vacate(
        &mut self,
        profile: &Profile,
        due: &BTreeSet<(Time, u32)>,
        reserved: &[(Waiting, Time)],
        (start, end): (Time, Time),
        processors: i64,
    ) {
        for &(time, id) in due.range((Bound::Excluded((start, u32::MAX)), Bound::Included((end, u32::MAX)))) {
            let (free, width) = (profile.free_before(time), i64::from(reserved[id as usize].0.processors));
            if free >= width && free - processors < width {
                self.note(id, true);
            }
        }
        let (least, most) = profile.least_and_most(start, end);
        let place = profile.place(start);
        for power in 0..self.classes.len() {
            let (narrowest, widest) = (1 << power, (2 << power) - 1);
            if narrowest > most {
                break;
            }
            if least - processors >= widest || self.classes[power].is_empty() {
                continue;
            }
            let mut stretches = std::mem::take(&mut self.stretches);
            profile.stretches(place, (start, end), 1 << power, &mut stretches);
            for (begin, stop) in stretches.drain(..) {
                let fits = |(estimate, latest): (Span, Time)| latest >= begin && estimate <= stop - begin;
                let mut from = 0;
                while let Some((slot, job)) = self.classes[power].next(from, fits) {
                    from = slot + 1;
                    self.note(job.id, false);
                }
            }
            self.stretches = stretches;
        }
    }

    fn note(&mut self, id: u32, slides_only: bool) {
        if self.current.is_none_or(|current| current < id) {
            self.queue.push(Reverse((id, slides_only)));
        } else {
            self.late.push((id, slides_only));
        }
    }
}

/// What decides whether a job fits into a stretch before its reserved start.
fn bound(job: Waiting, start: Time) -> (Span, Time) {
    (job.estimate, Time::from_ticks(start.ticks() - job.estimate.ticks()))
}
