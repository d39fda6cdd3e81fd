//! A queue of jobs that all need as many processors as each other.

use super::{Profile, QueuedJob};
use crate::units::Time;
use std::collections::VecDeque;

/// Waiting jobs of one width under conservative backfilling.
///
/// Where all who wait are equally wide, nobody can overtake: a place that is free for one is free for the next. Moving
/// each in turn to the earliest start that the others leave gives the same starts as making all reservations again in
/// the order of arrival. To see why, count the places for such jobs that are free, at an instant, beside those that run
/// and the first k in the queue: before a job ends early there are n(t), and afterwards m(t) ≥ n(t), when the first k
/// have moved to where a new plan would put them. The next in the queue holds a reservation at the first instant with
/// n(t) > 0. Before it the others hold none, so that it can slide forward to the first instant with m(t) > 0, and no
/// further; which is where a new plan puts it.
///
/// So reservations are not kept at all. Jobs start in order as processors become idle, and only a newcomer, who is to be
/// told its start, has the plan made up to its own turn: see [`Self::promise`].
#[derive(Debug, Default)]
pub(super) struct EqualWidths {
    queue: VecDeque<QueuedJob>,
    plan: Option<ListPlan>,
}

/// The plan of a whole queue: each in turn gets the place that is free first.
///
/// The places are the leaves of a loser tree. The matches of a place are known before any of them is decided, unlike
/// the way of a time through a heap, which makes it twice as fast.
#[derive(Debug, Default)]
struct ListPlan {
    /// For so many more jobs enough places are listed.
    most: usize,
    /// The place that is free first.
    first: FreePlace,
    /// The one of two places that is free later, for each match; match 1 is the last one, which is won by `first`.
    later: Vec<FreePlace>,
}

/// A place and when it is free.
#[derive(Debug, Clone, Copy, Default)]
struct FreePlace {
    time: Time,
    leaf: u32,
}

impl ListPlan {
    /// The places beside the running jobs, as far as `count` jobs need them.
    fn new(profile: &Profile, processors: u32, count: usize) -> Self {
        let mut times = Vec::new();
        for step in profile.steps_ahead() {
            // Running jobs only end, so that places only become more.
            let places = usize::try_from(step.free / i64::from(processors)).unwrap_or(0);
            times.resize(places.min(count).max(times.len()), step.time);
        }
        let most = if times.len() == count { count } else { usize::MAX };
        let leaves = times.len().next_power_of_two();
        times.resize(leaves, Time::MAX);
        let place = |(leaf, time)| FreePlace { time, leaf: leaf as u32 };
        let mut winners: Vec<FreePlace> = times.into_iter().enumerate().map(place).collect();
        let mut later = vec![FreePlace::default(); leaves];
        // From the first matches, which are the last half, to the last one.
        let mut matches = leaves;
        while matches > 1 {
            matches /= 2;
            for number in 0..matches {
                let (one, other) = (winners[2 * number], winners[2 * number + 1]);
                let is_swapped = other.time < one.time;
                (winners[number], later[matches + number]) = if is_swapped { (other, one) } else { (one, other) };
            }
        }
        Self { most, first: winners[0], later }
    }

    /// The start of the next job in the queue; nothing if too few places are listed.
    fn place(&mut self, now: Time, job: QueuedJob) -> Option<Time> {
        self.most = self.most.checked_sub(1)?;
        let start = self.first.time.max(now);
        let mut first = FreePlace { time: start.checked_add(job.estimate).unwrap_or(Time::MAX), ..self.first };
        let mut number = (first.leaf as usize + self.later.len()) / 2;
        while number > 0 {
            let other = self.later[number];
            let is_later = first.time > other.time;
            self.later[number] = if is_later { first } else { other };
            first = if is_later { other } else { first };
            number /= 2;
        }
        self.first = first;
        Some(start)
    }
}

impl EqualWidths {
    /// True if a job is as wide as those who wait.
    pub(super) fn takes(&self, job: QueuedJob) -> bool {
        self.queue.front().is_none_or(|first| first.processors == job.processors)
    }

    /// The plan no longer holds: a running job ends at another time than was expected.
    pub(super) fn upset(&mut self) {
        self.plan = None;
    }

    /// A job joins the queue before a machine on which only the others of the profile run. Says when it would start.
    pub(super) fn promise(&mut self, now: Time, profile: &Profile, job: QueuedJob) -> Time {
        self.queue.push_back(job);
        if self.queue.len() == 1 {
            self.plan = None;
            return profile.earliest(job.processors, job.estimate);
        }
        if let Some(start) = self.plan.as_mut().and_then(|plan| plan.place(now, job)) {
            return start;
        }
        // Places for twice as many, so that it need not be made again soon.
        let mut plan = ListPlan::new(profile, job.processors, 2 * self.queue.len() + 8);
        let start = self.queue.iter().map(|&waiting| plan.place(now, waiting)).last().flatten();
        self.plan = Some(plan);
        start.unwrap_or(Time::MAX)
    }

    /// Takes out the next one if it needs no more than so many processors.
    pub(super) fn start(&mut self, idle: u32) -> Option<QueuedJob> {
        self.queue.front().filter(|first| first.processors <= idle)?;
        self.queue.pop_front()
    }

    /// Takes out all, each with its reservation.
    pub(super) fn take_all(&mut self, now: Time, profile: &Profile) -> Vec<(QueuedJob, Time)> {
        self.plan = None;
        let width = self.queue.front().map_or(1, |first| first.processors);
        let mut plan = ListPlan::new(profile, width, self.queue.len());
        self.queue.drain(..).map(|job| (job, plan.place(now, job).unwrap_or(Time::MAX))).collect()
    }
}
