//! Free time as numbers of equal processors.

use super::QueuedJob;
use super::backfill::{Availability, HeldPlace};
use super::profile::{Profile, Stretch};
use crate::units::{Span, Time};

/// A machine of equal processors: a place is a start, and any processors will do.
#[derive(Debug)]
pub(super) struct FreeProcessors {
    /// Running jobs and reservations.
    pub(super) profile: Profile,
    /// Those on which nothing runs. By the profile more may be free: a job that should have ended may still run.
    pub(super) idle: u32,
    pub(super) now: Time,
    /// Known where many may hold reservations. A single one is tried whenever a job ends early, which costs less.
    vacated: Option<VacatedTime>,
}

impl FreeProcessors {
    /// An idle machine; `depth` jobs may hold reservations.
    pub(super) fn new(processors: u32, depth: usize) -> Self {
        let (profile, vacated) = (Profile::new(processors), (depth > 1).then(VacatedTime::default));
        Self { profile, idle: processors, now: Time::ZERO, vacated }
    }

    /// A job that runs has ended.
    pub(super) fn finish(&mut self, now: Time, processors: u32, end: Time) {
        self.idle += processors;
        self.profile.release(now, end, processors);
    }

    /// A job has ended early: reservations may move into the time from `start` to `end`.
    pub(super) fn vacate(&mut self, start: Time, end: Time, processors: u32) {
        if let Some(known) = &mut self.vacated {
            known.add(None, self.profile.vacated(start, end, processors));
        }
    }

    /// All reservations have had their turn to move.
    pub(super) fn end_round(&mut self) {
        self.vacated.iter_mut().for_each(VacatedTime::end_round);
    }

    /// All reservations are made again, so that none can move.
    pub(super) fn forget_vacated(&mut self) {
        self.vacated = self.vacated.take().map(|_| VacatedTime::default());
    }

    fn run(&mut self, job: QueuedJob) {
        self.idle -= job.processors;
        self.profile.occupy(self.now, self.now + job.estimate, job.processors);
    }
}

/// The stretches that reservations may take which have not had a turn to move since they came up, by the power of two that
/// the jobs need.
#[derive(Debug, Default)]
struct VacatedTime([VacatedStretches; 32]);

#[derive(Debug, Default)]
struct VacatedStretches {
    /// Vacated by early ends since the last round of moves, and by jobs that moved in this round; those are named.
    this_round: Vec<(Option<u32>, Stretch)>,
    /// Vacated by jobs that moved in the last round, the last of them first. Only jobs before them have had no turn since.
    last_round: Vec<(Option<u32>, Stretch)>,
    /// No stretch is longer: for most jobs even that is too short.
    longest: Span,
}

impl VacatedTime {
    fn add(&mut self, by: Option<u32>, stretches: Vec<(usize, Stretch)>) {
        for (power, (start, end)) in stretches {
            let VacatedStretches { this_round, longest, .. } = &mut self.0[power];
            *longest = (end - start).max(*longest);
            match this_round.last_mut() {
                // Often the same one, only longer.
                Some(last) if start <= last.1.0 && last.1.1 <= end => *last = (by, (start, end)),
                _ => this_round.push((by, (start, end))),
            }
        }
    }

    fn end_round(&mut self) {
        for VacatedStretches { this_round, last_round, longest } in &mut self.0 {
            last_round.clear();
            last_round.extend(this_round.drain(..).filter(|(by, _)| by.is_some()).rev());
            *longest = last_round.iter().map(|&(_, (start, end))| end - start).max().unwrap_or(Span::ZERO);
        }
    }

    /// Where a job that has its turn may have come to fit as a whole, and earlier than it is reserved.
    fn stretches(&mut self, job: QueuedJob, reserved: Time) -> impl Iterator<Item = Stretch> {
        let VacatedStretches { this_round, last_round, longest } = &mut self.0[job.processors.ilog2() as usize];
        while last_round.pop_if(|(by, _)| *by <= Some(job.id)).is_some() {}
        let stretches = (job.estimate <= *longest).then(|| this_round.iter().chain(&*last_round)).into_iter().flatten();
        let fits = move |&(start, end): &Stretch| start < reserved && job.estimate <= end - start;
        stretches.map(|&(_, stretch)| stretch).filter(fits)
    }
}

impl Availability for FreeProcessors {
    type Job = QueuedJob;
    type Place = Time;

    fn start(place: &Time) -> Time {
        *place
    }

    fn reserve_earliest(&mut self, job: QueuedJob, _: &mut [HeldPlace<Self>]) -> Option<Time> {
        let start = self.profile.earliest(job.processors, job.estimate);
        self.profile.occupy(start, start + job.estimate, job.processors);
        Some(start)
    }

    fn withdraw(&mut self, job: QueuedJob, start: &Time) {
        self.profile.release(*start, *start + job.estimate, job.processors);
    }

    fn reserve_again(&mut self, index: usize, held: &mut Vec<HeldPlace<Self>>) -> bool {
        let (job, old) = held[index];
        self.withdraw(job, &old);
        let new = self.profile.earliest(job.processors, job.estimate);
        self.profile.occupy(new, new + job.estimate, job.processors);
        held[index].1 = new;
        if let Some(known) = &mut self.vacated {
            let vacated = self.profile.vacated((new + job.estimate).max(old), old + job.estimate, job.processors);
            known.add(Some(job.id), vacated);
        }
        true
    }

    fn is_ready(&self, job: QueuedJob) -> bool {
        job.processors <= self.idle
    }

    /// At its last turn the job could not start earlier. Since then only vacated time can have let it: right before its
    /// reserved start, or wherever all of it fits.
    fn may_improve(&mut self, job: QueuedJob, start: &Time, _: &[HeldPlace<Self>]) -> bool {
        let Self { profile, vacated, .. } = self;
        let fits = |stretch| profile.has_earlier(job.processors, job.estimate, *start, stretch);
        match vacated {
            Some(known) => {
                let mut stretches = known.stretches(job, *start);
                profile.can_slide(job.processors, *start) || stretches.any(fits)
            }
            None => fits((Time::ZERO, Time::MAX)),
        }
    }

    fn start_reserved(&mut self, job: QueuedJob, start: &Time) {
        self.withdraw(job, start);
        self.run(job);
    }

    fn start_now(&mut self, job: QueuedJob, _: &mut [HeldPlace<Self>]) -> Option<Time> {
        // Processors have no names: what is free beside the reservations delays none of them.
        (job.processors <= self.idle && self.profile.is_free(job.processors, job.estimate)).then(|| {
            self.run(job);
            self.now
        })
    }
}
