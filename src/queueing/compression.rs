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
    /// The waiting jobs by width: those on 2^k and more processors, up to the next power of two.
    classes: Vec<WidthClass>,
    /// The reservations of those who have come, by id from `first` on.
    held: Vec<ReservedJob>,
    first: u32,
    /// So many of the first of them have started.
    gone: usize,
    /// The jobs that may gain in this round, the next one last.
    queue: Vec<u32>,
    /// Those of the next round.
    late: Vec<u32>,
    /// Whose turn it is.
    current: Option<u32>,
}

/// Waiting jobs of about the same width, the shortest first.
#[derive(Debug, Default)]
struct WidthClass {
    jobs: Vec<(Span, u32)>,
    /// For each of them, a time that is no earlier than the latest at which it could begin and be over by its reserved
    /// start. Reservations move to earlier times, so that it is made exact only when it is looked at.
    latest: Vec<Time>,
}

impl WidthClass {
    /// Where a job stands or would stand.
    fn place(&self, job: QueuedJob) -> usize {
        self.jobs.partition_point(|&other| other < (job.estimate, job.id))
    }
}

/// A reservation, and how it may be improved.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReservedJob {
    pub(super) job: QueuedJob,
    pub(super) start: Time,
    pub(super) gain: Gain,
    has_left: bool,
}

impl ReservedJob {
    /// The latest instant at which it could begin and be over by its reserved start.
    fn latest(&self) -> Time {
        Time::ZERO + (self.start - Time::ZERO - self.job.estimate)
    }
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
        if self.held.is_empty() {
            (self.first, self.gone) = (job.id, 0);
        }
        let held = ReservedJob { job, start, gain: Gain::None, has_left: false };
        // Whoever is numbered in between went elsewhere.
        self.held.resize((job.id - self.first) as usize, ReservedJob { has_left: true, ..held });
        self.held.push(held);
        if class(job) >= self.classes.len() {
            self.classes.resize_with(class(job) + 1, WidthClass::default);
        }
        let class = &mut self.classes[class(job)];
        let place = class.place(job);
        class.jobs.insert(place, (job.estimate, job.id));
        class.latest.insert(place, held.latest());
    }

    fn index(&self, id: u32) -> usize {
        (id - self.first) as usize
    }

    /// The reservation of a job.
    pub(super) fn held(&self, id: u32) -> ReservedJob {
        self.held[self.index(id)]
    }

    /// A job's reservation is at an earlier time now.
    pub(super) fn moved(&mut self, id: u32, start: Time) {
        let index = self.index(id);
        self.held[index].start = start;
    }

    /// A job's reservation is at any other time now.
    pub(super) fn replanned(&mut self, id: u32, start: Time) {
        self.moved(id, start);
        let held = self.held(id);
        let class = &mut self.classes[class(held.job)];
        let place = class.place(held.job);
        class.latest[place] = held.latest();
    }

    /// A job starts.
    pub(super) fn leave(&mut self, id: u32) {
        let index = self.index(id);
        let held = &mut self.held[index];
        (held.gain, held.has_left) = (Gain::None, true);
        let job = held.job;
        let class = &mut self.classes[class(job)];
        let place = class.place(job);
        class.jobs.remove(place);
        class.latest.remove(place);
        self.gone += self.held[self.gone..].iter().take_while(|held| held.has_left).count();
        // Only when half of them have started, so that the others need not move up each time.
        if 2 * self.gone >= self.held.len() {
            self.held.drain(..self.gone);
            self.first += self.gone as u32;
            self.gone = 0;
        }
    }

    /// Begins a round.
    pub(super) fn begin(&mut self) {
        self.current = None;
        self.queue.append(&mut self.late);
        self.queue.sort_unstable_by(|one, other| other.cmp(one));
    }

    /// Drops what was noted for the next round.
    pub(super) fn forget(&mut self) {
        for id in std::mem::take(&mut self.late) {
            if let Some(held) = self.noted(id) {
                held.gain = Gain::None;
            }
        }
    }

    /// The reservation of a job that was noted, if it has not started since then.
    fn noted(&mut self, id: u32) -> Option<&mut ReservedJob> {
        let index = id.checked_sub(self.first)? as usize;
        self.held.get_mut(index).filter(|held| !held.has_left)
    }

    /// The next job and how it may gain.
    pub(super) fn next(&mut self) -> Option<ReservedJob> {
        while let Some(id) = self.queue.pop() {
            if let Some(held) = self.noted(id) {
                let found = *held;
                held.gain = Gain::None;
                self.current = Some(id);
                return Some(found);
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
            let shortest = self.classes[power].jobs.first();
            if shortest.is_none_or(|&(estimate, _)| estimate > longest.1 - longest.0) {
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
        let mut class = std::mem::take(&mut self.classes[power]);
        for (&(estimate, id), latest) in class.jobs.iter().zip(&mut class.latest) {
            if estimate > end - begin {
                break;
            }
            if *latest >= begin {
                *latest = self.held(id).latest();
                if *latest >= begin {
                    self.note(id, Gain::Any);
                }
            }
        }
        self.classes[power] = class;
    }

    fn note(&mut self, id: u32, gain: Gain) {
        let index = self.index(id);
        let noted = &mut self.held[index].gain;
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
