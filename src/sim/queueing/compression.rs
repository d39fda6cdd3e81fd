//! The turns of jobs when a schedule is compressed.

use super::QueuedJob;
use super::reserved_profile::{ReservedProfile, StepId, Vacated};
use crate::units::{Span, Time};

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
    /// The jobs that may gain in this round.
    turns: Turns,
    /// Those of the next round.
    late: Vec<u32>,
    /// Whose turn it is.
    current: Option<u32>,
    /// Where those who may gain may fit.
    stretches: Vec<Stretch>,
    /// Who may fit where.
    fits: Vec<Fit>,
}

/// Waiting jobs of about the same width, the shortest first.
#[derive(Debug, Default)]
struct WidthClass {
    jobs: Vec<ClassedJob>,
    /// For each of them, a time that is no earlier than the latest at which it could begin and be over by its reserved
    /// start. Reservations move to earlier times, so that it is made exact only when it is looked at.
    latest: Vec<Time>,
}

/// A job of a class; the shortest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ClassedJob {
    estimate: Span,
    id: u32,
    processors: u32,
}

impl ClassedJob {
    fn of(job: QueuedJob) -> Self {
        Self { estimate: job.estimate, id: job.id, processors: job.processors }
    }
}

/// The jobs of a round who have yet to come, a bit each.
#[derive(Debug, Default)]
struct Turns {
    /// The first bit is of this one.
    first: u32,
    words: Vec<u64>,
    /// All words before are empty.
    at: usize,
}

impl Turns {
    /// Begins a round of jobs from one up to another.
    fn begin(&mut self, (first, end): (u32, u32)) {
        (self.first, self.at) = (first, 0);
        self.words.clear();
        self.words.resize((end - first).div_ceil(64) as usize, 0);
    }

    /// Adds one who comes after all who came.
    fn add(&mut self, id: u32) {
        let bit = id - self.first;
        self.words[bit as usize / 64] |= 1 << (bit % 64);
    }

    /// Takes out the next one.
    fn next(&mut self) -> Option<u32> {
        self.at += self.words[self.at..].iter().take_while(|&&word| word == 0).count();
        let word = self.words.get_mut(self.at)?;
        let bit = word.trailing_zeros();
        *word &= *word - 1;
        Some(self.first + 64 * self.at as u32 + bit)
    }
}

/// A stretch of free time into which some may fit.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    begins: (StepId, Time),
    end: Time,
    /// The processors and the length of one who did not fit any more; so neither does whoever needs as much of both. What is
    /// vacated after that is noted as a stretch of its own.
    too_large: Option<(i64, Span)>,
}

/// That a job may fit into a stretch.
#[derive(Debug, Clone, Copy)]
struct Fit {
    stretch: u32,
    /// Another one that was noted for the same job.
    other: Option<FitId>,
}

/// The place of a fit among those that are noted.
pub(super) type FitId = u32;

fn class(processors: u32) -> usize {
    processors.ilog2() as usize
}

impl Compression {
    /// A job has got its first reservation.
    pub(super) fn join(&mut self, profile: &ReservedProfile, job: QueuedJob) {
        let power = class(job.processors);
        if power >= self.classes.len() {
            self.classes.resize_with(power + 1, WidthClass::default);
        }
        let class = &mut self.classes[power];
        let place = class.jobs.partition_point(|&other| other < ClassedJob::of(job));
        class.jobs.insert(place, ClassedJob::of(job));
        class.latest.insert(place, profile.reservation(job.id).latest());
    }

    /// A job's reservation is at any other time now.
    pub(super) fn replanned(&mut self, profile: &ReservedProfile, id: u32) {
        let reservation = profile.reservation(id);
        let class = &mut self.classes[class(reservation.job.processors)];
        let place = class.jobs.partition_point(|&other| other < ClassedJob::of(reservation.job));
        class.latest[place] = reservation.latest();
    }

    /// A job starts.
    pub(super) fn leave(&mut self, job: QueuedJob) {
        let class = &mut self.classes[class(job.processors)];
        let place = class.jobs.partition_point(|&other| other < ClassedJob::of(job));
        class.jobs.remove(place);
        class.latest.remove(place);
    }

    /// Begins a round.
    pub(super) fn begin(&mut self, profile: &mut ReservedProfile) {
        self.current = None;
        self.turns.begin(profile.ids());
        let (fits, stretches) = (std::mem::take(&mut self.fits), std::mem::take(&mut self.stretches));
        let mut kept = Vec::new();
        for id in self.late.drain(..) {
            let Some(reservation) = profile.waiting_mut(id) else { continue };
            self.turns.add(id);
            let newest_first = std::iter::successors(reservation.fit.take(), |&fit| fits[fit as usize].other);
            kept.extend(newest_first.map(|fit| stretches[fits[fit as usize].stretch as usize]));
            // A newer stretch stands for an older one, and never the other way round: who did not fit into the older one may
            // fit into the newer.
            for stretch in kept.drain(..).rev() {
                self.stretches.push(stretch);
                add_newest(&self.stretches, &mut self.fits, &mut reservation.fit);
            }
        }
    }

    /// Drops what was noted for the next round.
    pub(super) fn forget(&mut self, profile: &mut ReservedProfile) {
        for id in self.late.drain(..) {
            if let Some(reservation) = profile.waiting_mut(id) {
                (reservation.is_noted, reservation.fit) = (false, None);
            }
        }
        self.stretches.clear();
        self.fits.clear();
    }

    /// The next job, and the step at which it can begin earlier, if it can.
    pub(super) fn next(&mut self, profile: &mut ReservedProfile) -> Option<(u32, Option<StepId>)> {
        let id = self.turns.next()?;
        self.current = Some(id);
        let reservation = profile.reservation_mut(id);
        reservation.is_noted = false;
        let mut next = reservation.fit.take();
        // Its own reservation does not stand in its way: from its start on, it may use what it has reserved. Where
        // its whole length fits nowhere else, it can only slide forward into what is free just before its start.
        let mut earliest = profile.slide(id);
        while let Some(fit) = next.map(|next| self.fits[next as usize]) {
            let found = first_fit(profile, id, &mut self.stretches[fit.stretch as usize]);
            earliest = found.into_iter().chain(earliest).min_by_key(|&step| profile.time(step));
            next = fit.other;
        }
        Some((id, earliest))
    }

    /// Notes who may gain by time that was vacated.
    ///
    /// A job of a width that was free there all along gains nothing.
    pub(super) fn vacate(&mut self, profile: &mut ReservedProfile, vacated: Vacated) {
        let mut step = vacated.first;
        while let Some(next) = profile.next(step).filter(|&next| profile.time(next) <= vacated.end) {
            let free = profile.free(step);
            let mut starting = profile.first_at(next);
            while let Some(id) = starting {
                let width = i64::from(profile.reservation(id).job.processors);
                if free >= width && free - vacated.processors < width {
                    self.note(profile, id);
                }
                starting = profile.next_at(id);
            }
            step = next;
        }
        self.note_fits(profile, vacated);
    }

    /// Notes whose whole length may fit into a stretch that touches the vacated steps.
    fn note_fits(&mut self, profile: &mut ReservedProfile, vacated: Vacated) {
        let (mut least, mut most, mut last) = (i64::MAX, i64::MIN, vacated.first);
        let mut steps = std::iter::successors(Some(vacated.first), |&step| profile.next(step));
        while let Some(step) = steps.next().filter(|&step| profile.time(step) < vacated.end) {
            (least, most, last) = (least.min(profile.free(step)), most.max(profile.free(step)), step);
        }
        // The narrowest who gain, and the longest stretch that there is for anyone who does: for most classes even that
        // is too short.
        let narrowest = (least - vacated.processors + 1).max(1);
        let begin = profile.time(first_of_stretch(profile, vacated.first, narrowest));
        let longest = profile.until(last_of_stretch(profile, last, narrowest)) - begin;
        for power in narrowest.ilog2() as usize..self.classes.len() {
            let wanted = narrowest.max(1 << power);
            if wanted > most {
                break;
            }
            if self.classes[power].jobs.first().is_some_and(|shortest| shortest.estimate <= longest) {
                let mut class = std::mem::take(&mut self.classes[power]);
                self.note_fits_of_class(profile, vacated, wanted, &mut class);
                self.classes[power] = class;
            }
        }
    }

    /// Notes who of a class may fit into a stretch on which `wanted` processors are free, as the narrowest of them need.
    fn note_fits_of_class(
        &mut self,
        profile: &mut ReservedProfile,
        vacated: Vacated,
        wanted: i64,
        class: &mut WidthClass,
    ) {
        let mut from = Some(vacated.first);
        while let Some(met) = from.and_then(|from| next_free(profile, from, vacated.end, wanted)) {
            let (first, last) = (first_of_stretch(profile, met, wanted), last_of_stretch(profile, met, wanted));
            let (begin, end) = (profile.time(first), profile.until(last));
            let mut stretch = Some(Stretch { begins: (first, begin), end, too_large: None });
            for (job, latest) in class.jobs.iter().zip(&mut class.latest) {
                if job.estimate > end - begin {
                    break;
                }
                if *latest >= begin {
                    *latest = profile.reservation(job.id).latest();
                    let is_wider = i64::from(job.processors) > wanted;
                    if *latest >= begin && (!is_wider || fits(profile, job, met, vacated.end.min(end), *latest)) {
                        self.stretches.extend(stretch.take());
                        self.note(profile, job.id);
                        add_newest(&self.stretches, &mut self.fits, &mut profile.reservation_mut(job.id).fit);
                    }
                }
            }
            from = profile.next(last);
        }
    }

    /// Notes that a job may gain.
    fn note(&mut self, profile: &mut ReservedProfile, id: u32) {
        let reservation = profile.reservation_mut(id);
        if !std::mem::replace(&mut reservation.is_noted, true) {
            if self.current.is_none_or(|current| current < id) {
                self.turns.add(id);
            } else {
                self.late.push(id);
            }
        }
    }
}

/// Adds the newest stretch to those into which a job may fit, of which the last one is given. The same one is often noted
/// again, longer than before.
fn add_newest(stretches: &[Stretch], fits: &mut Vec<Fit>, last: &mut Option<FitId>) {
    let newest = stretches.len() as u32 - 1;
    let Stretch { begins, end, .. } = stretches[newest as usize];
    if let Some(fit) = last.map(|last| &mut fits[last as usize])
        && let noted = stretches[fit.stretch as usize]
        && begins.1 <= noted.begins.1
        && noted.end <= end
    {
        fit.stretch = newest;
    } else {
        fits.push(Fit { stretch: newest, other: *last });
        *last = Some(fits.len() as FitId - 1);
    }
}

/// The first step before the reserved start of a job from which on its whole length fits, within a stretch.
fn first_fit(profile: &ReservedProfile, id: u32, stretch: &mut Stretch) -> Option<StepId> {
    let reservation = profile.reservation(id);
    let (wanted, span) = (i64::from(reservation.job.processors), reservation.job.estimate);
    if stretch.too_large.is_some_and(|(processors, length)| wanted >= processors && span >= length) {
        return None;
    }
    let (latest, last) = (reservation.latest(), Time::ZERO + (stretch.end - Time::ZERO - span));
    let mut begins = profile.step_or_before(stretch.begins);
    let mut step = begins;
    while profile.time(begins) <= latest.min(last) {
        let until = profile.until(step);
        let next = profile.next(step);
        if profile.free(step) < wanted {
            begins = next?;
        } else if until - profile.time(begins) >= span {
            return Some(begins);
        }
        step = next?;
    }
    // Smaller ones come to be known as others are tried.
    if last <= latest && stretch.too_large.is_none_or(|(processors, length)| wanted <= processors && span <= length) {
        stretch.too_large = Some((wanted, span));
    }
    None
}

/// True if a job fits, and begins no later than `latest`, into a stretch on which enough processors are free with one of the
/// steps from `from` on that begin before `end`.
fn fits(profile: &ReservedProfile, job: &ClassedJob, from: StepId, end: Time, latest: Time) -> bool {
    let wanted = i64::from(job.processors);
    let mut from = Some(from);
    while let Some(met) = from.and_then(|from| next_free(profile, from, end, wanted)) {
        let begin = profile.time(first_of_stretch(profile, met, wanted));
        if begin > latest {
            return false;
        }
        let mut last = met;
        while profile.until(last) - begin < job.estimate {
            match profile.next(last).filter(|&next| profile.free(next) >= wanted) {
                Some(next) => last = next,
                None => break,
            }
        }
        if profile.until(last) - begin >= job.estimate {
            return true;
        }
        from = profile.next(last);
    }
    false
}

/// The first of the steps from one on that begin before `end` on which so many processors are free.
fn next_free(profile: &ReservedProfile, from: StepId, end: Time, wanted: i64) -> Option<StepId> {
    let mut step = from;
    while profile.time(step) < end {
        if profile.free(step) >= wanted {
            return Some(step);
        }
        step = profile.next(step)?;
    }
    None
}

/// The first of the steps right before one on which so many processors are free, or that one.
fn first_of_stretch(profile: &ReservedProfile, mut step: StepId, wanted: i64) -> StepId {
    while let Some(before) = profile.before(step).filter(|&before| profile.free(before) >= wanted) {
        step = before;
    }
    step
}

/// The last of the steps right after one on which so many processors are free, or that one.
fn last_of_stretch(profile: &ReservedProfile, mut step: StepId, wanted: i64) -> StepId {
    while let Some(next) = profile.next(step).filter(|&next| profile.free(next) >= wanted) {
        step = next;
    }
    step
}
