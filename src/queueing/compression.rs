//! The turns of jobs when a schedule is compressed.

use super::reserved_starts::ReservedStarts;
use super::{Profile, QueuedJob};
use crate::units::{Span, Time};
use std::ops::Range;

/// The turns of a round of compression, in the order of arrival, for those who may gain by one.
///
/// When a job had its last turn, it could not start earlier. So now it can only by time that was vacated since then, in
/// one of two ways: enough processors have become free just before its reserved start, so that it slides forward; or
/// its whole length fits into a stretch of free time that touches the vacated one. Whoever may do either is noted when
/// time is vacated, and gets a turn in this round, or in the next one if its turn of this round has passed. What is
/// free may be taken before the turn comes, so a turn may be in vain; but no job is passed over, since whatever else
/// becomes free is vacated later.
#[derive(Debug, Default)]
pub(super) struct Compression {
    /// The waiting jobs by width: those on 2^k and more processors, up to the next power of two; the shortest first.
    classes: Vec<Vec<(Span, u32)>>,
    /// Every job that has come, by id.
    held: Vec<ReservedJob>,
    /// The jobs that may gain in this round, the next one last.
    queue: Vec<u32>,
    /// Those of the next round.
    late: Vec<u32>,
    /// Whose turn it is.
    current: Option<u32>,
}

/// A reservation, and how it may be improved.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReservedJob {
    pub(super) job: QueuedJob,
    pub(super) start: Time,
    pub(super) gain: Gain,
}

/// The ways in which a job may start earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gain {
    /// Not at all.
    None,
    /// By less than its own length.
    Slide,
    /// Anyhow.
    Any,
}

fn class(job: QueuedJob) -> usize {
    job.processors.ilog2() as usize
}

impl Compression {
    /// A job gets its first reservation; its id is larger than all before.
    pub(super) fn join(&mut self, job: QueuedJob, start: Time) {
        // Whoever is numbered in between went elsewhere.
        self.held.resize(job.id as usize + 1, ReservedJob { job, start, gain: Gain::None });
        if class(job) >= self.classes.len() {
            self.classes.resize_with(class(job) + 1, Vec::new);
        }
        let class = &mut self.classes[class(job)];
        class.insert(place(class, job), (job.estimate, job.id));
    }

    /// The reservation of a job.
    pub(super) fn held(&self, id: u32) -> ReservedJob {
        self.held[id as usize]
    }

    /// A job's reservation is at another time now.
    pub(super) fn moved(&mut self, id: u32, start: Time) {
        self.held[id as usize].start = start;
    }

    /// A job starts.
    pub(super) fn leave(&mut self, id: u32) {
        let ReservedJob { job, gain, .. } = &mut self.held[id as usize];
        *gain = Gain::None;
        let class = &mut self.classes[class(*job)];
        class.remove(place(class, *job));
    }

    /// Begins a round.
    pub(super) fn begin(&mut self) {
        self.current = None;
        self.queue.append(&mut self.late);
        self.queue.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// Drops what was noted for the next round.
    pub(super) fn forget(&mut self) {
        for id in self.late.drain(..) {
            self.held[id as usize].gain = Gain::None;
        }
    }

    /// The next job and how it may gain.
    pub(super) fn next(&mut self) -> Option<ReservedJob> {
        while let Some(id) = self.queue.pop() {
            let held = self.held[id as usize];
            // Since it was noted it may have started.
            if held.gain != Gain::None {
                self.held[id as usize].gain = Gain::None;
                self.current = Some(id);
                return Some(held);
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
        starts: &ReservedStarts,
        (start, end): (Time, Time),
        vacated: Range<usize>,
        processors: i64,
    ) {
        let mut steps = profile.steps()[vacated.clone()].iter().rev();
        let mut step = steps.next();
        for job in starts.between(start, end) {
            while step.is_some_and(|step| step.time >= job.time) {
                step = steps.next();
            }
            let (free, width) = (step.map_or(0, |step| step.free), i64::from(job.processors));
            if free >= width && free - processors < width {
                self.note(job.id, Gain::Slide);
            }
        }
        self.note_fits(profile, vacated, processors);
    }

    /// Notes whose whole length may fit into a stretch that touches the vacated steps.
    fn note_fits(&mut self, profile: &Profile, vacated: Range<usize>, processors: i64) {
        let (mut least, mut most) = (i64::MAX, i64::MIN);
        for step in &profile.steps()[vacated.clone()] {
            (least, most) = (least.min(step.free), most.max(step.free));
        }
        // The narrowest who gain, and the longest stretch that there is for anyone who does: for most classes even that
        // is too short.
        let narrowest = (least - processors + 1).max(1);
        let longest = profile.span(&profile.stretch(&vacated, narrowest));
        for power in narrowest.ilog2() as usize..self.classes.len() {
            let wanted = narrowest.max(1 << power);
            if wanted > most {
                break;
            }
            if self.classes[power].first().is_none_or(|&(estimate, _)| estimate > longest.1 - longest.0) {
                continue;
            }
            let mut from = vacated.start;
            while from < vacated.end {
                let stretch = profile.stretch(&(from..from), wanted);
                if stretch.end > from {
                    self.note_fits_between(power, profile.span(&stretch));
                }
                from = stretch.end + 1;
            }
        }
    }

    /// Notes who of a class may fit into a stretch of time before its reserved start.
    fn note_fits_between(&mut self, power: usize, (begin, end): (Time, Time)) {
        let class = std::mem::take(&mut self.classes[power]);
        for &(_, id) in class.iter().take_while(|&&(estimate, _)| estimate <= end - begin) {
            let ReservedJob { job, start, gain } = self.held[id as usize];
            if gain != Gain::Any && job.estimate <= start - begin {
                self.note(id, Gain::Any);
            }
        }
        self.classes[power] = class;
    }

    fn note(&mut self, id: u32, gain: Gain) {
        let noted = &mut self.held[id as usize].gain;
        if *noted == Gain::None {
            if self.current.is_none_or(|current| current < id) {
                let place = self.queue.partition_point(|&other| other > id);
                self.queue.insert(place, id);
            } else {
                self.late.push(id);
            }
        }
        *noted = gain.max(*noted);
    }
}

/// Where a job stands in its class.
fn place(class: &[(Span, u32)], job: QueuedJob) -> usize {
    class.partition_point(|&other| other < (job.estimate, job.id))
}
