//! A queue of jobs that all need as many processors as each other.

use super::QueuedJob;
use super::reserved_profile::ReservedProfile;
use crate::units::{Span, Time};
use std::collections::VecDeque;
use std::ops::{Add, BitOr};

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
///
/// When a job has ended early, the whole plan has to be made again, and no shorter way is known: nobody is idle in a
/// plan, so that the ends of all who have been placed so far sum up to what they did before, less the time that was given
/// back. Sooner or later this moves all starts, and what a start is follows from all before it. No start depends on what
/// newcomers are told, and in a queue that grows, to tell all of them would take time in the square of their number. So in
/// a long queue a plan is made only when enough of them have come to share the work.
#[derive(Debug, Default)]
pub(super) struct EqualWidths {
    queue: VecDeque<QueuedJob>,
    /// The estimates of all who wait, in ticks.
    total: u128,
    plan: Option<ListPlan>,
    /// Those who came since a plan was last made and could not be told their starts.
    untold: usize,
}

/// For so many jobs per newcomer a plan may be made.
const PLANNED_PER_NEWCOMER: usize = 64;

/// The plan of a whole queue: each in turn gets the place that is free first.
#[derive(Debug)]
struct ListPlan {
    /// For so many more jobs enough places are listed.
    most: usize,
    /// Times are ticks from here on.
    begin: Time,
    /// No place is free later than this.
    latest: u128,
    places: FreePlaces,
}

/// When places are free, in numbers that are as short as will do.
#[derive(Debug)]
enum FreePlaces {
    Short(LoserTree<u64>),
    Long(LoserTree<u128>),
}

impl ListPlan {
    /// The places beside the running jobs, as far as `count` jobs need them. The estimates of those who are to be
    /// placed at once sum up to `total`.
    fn new(profile: &ReservedProfile, processors: u32, count: usize, total: u128) -> Self {
        let mut times = Vec::new();
        for (time, free) in profile.steps_ahead() {
            // Running jobs only end, so that places only become more.
            let places = usize::try_from(free / i64::from(processors)).unwrap_or(0);
            times.resize(places.min(count).max(times.len()), time);
        }
        let most = if times.len() == count { count } else { usize::MAX };
        let begin = times.first().copied().unwrap_or(Time::ZERO);
        let times: Vec<u64> = times.into_iter().map(|time| ticks_between(begin, time)).collect();
        let latest = times.last().copied().unwrap_or(0).into();
        let places = match u64::has_room(latest + total, times.len()) {
            true => FreePlaces::Short(LoserTree::new(&times)),
            false => FreePlaces::Long(LoserTree::new(&times)),
        };
        Self { most, begin, latest, places }
    }

    /// The start of the last of some jobs, which are the next ones in the queue; nothing if too few places are listed,
    /// or if their times have no room for more. The estimates sum up to `total`.
    fn place<'a>(
        &mut self,
        now: Time,
        jobs: impl ExactSizeIterator<Item = &'a QueuedJob>,
        total: u128,
    ) -> Option<Time> {
        self.most = self.most.checked_sub(jobs.len())?;
        let now = ticks_between(self.begin, now);
        self.latest = self.latest.max(now.into()) + total;
        let lengths = jobs.map(ticks);
        let start = match &mut self.places {
            FreePlaces::Short(tree) => tree.place(now, lengths, self.latest)?,
            FreePlaces::Long(tree) => tree.place(now, lengths, self.latest)?,
        };
        Some(self.begin + Span::from_ticks(i64::try_from(start).ok()?))
    }
}

/// The ticks from one time to another; none if that is earlier.
fn ticks_between(begin: Time, time: Time) -> u64 {
    u64::try_from(i128::from(time.ticks()) - i128::from(begin.ticks())).unwrap_or(0)
}

/// The estimate of a job.
fn ticks(job: &QueuedJob) -> u64 {
    u64::try_from(job.estimate.ticks()).unwrap_or(0)
}

/// Places as the leaves of a loser tree. The matches of a place are known before any of them is decided, unlike the way
/// of a time through a heap, which makes it twice as fast.
///
/// A place is one number, its time above the number of its leaf: two of them take their order without a jump, which no
/// processor could foretell.
#[derive(Debug)]
struct LoserTree<P> {
    /// The place that is free first.
    first: P,
    /// The one of two places that is free later, for each match; match 1 is the last one, which is won by `first`.
    later: Vec<P>,
}

/// A time in ticks, and a leaf below it.
trait FreePlace: Copy + Ord + Default + Add<Output = Self> + BitOr<Output = Self> {
    const BITS: u32;

    /// The place of a leaf; of the first one, it can be added to others.
    fn new(time: u64, leaf: usize, bits: u32) -> Self;
    fn time(self, bits: u32) -> u64;
    fn leaf(self, bits: u32) -> usize;

    /// True if so late a time can stand above one of so many leaves, with a later one to spare.
    fn has_room(latest: u128, leaves: usize) -> bool {
        let bits = leaves.next_power_of_two().trailing_zeros();
        latest < (u128::MAX >> (u128::BITS - Self::BITS + bits)).min(u64::MAX.into())
    }
}

macro_rules! free_place {
    ($number:ty) => {
        impl FreePlace for $number {
            const BITS: u32 = <$number>::BITS;

            #[inline]
            fn new(time: u64, leaf: usize, bits: u32) -> Self {
                (time as $number) << bits | leaf as $number
            }

            #[inline]
            fn time(self, bits: u32) -> u64 {
                (self >> bits) as u64
            }

            #[inline]
            fn leaf(self, bits: u32) -> usize {
                (self & ((1 << bits) - 1)) as usize
            }
        }
    };
}

free_place!(u64);
free_place!(u128);

impl<P: FreePlace> LoserTree<P> {
    /// Places that are free at these times.
    fn new(times: &[u64]) -> Self {
        let leaves = times.len().next_power_of_two();
        let bits = leaves.trailing_zeros();
        let never = (u128::MAX >> (u128::BITS - P::BITS + bits)).min(u64::MAX.into()) as u64;
        let place = |leaf: usize| P::new(times.get(leaf).copied().unwrap_or(never), leaf, bits);
        let mut winners: Vec<P> = (0..leaves).map(place).collect();
        let mut later = vec![P::default(); leaves];
        // From the first matches, which are the last half, to the last one.
        let mut matches = leaves;
        while matches > 1 {
            matches /= 2;
            for number in 0..matches {
                let (one, other) = (winners[2 * number], winners[2 * number + 1]);
                (winners[number], later[matches + number]) = (one.min(other), one.max(other));
            }
        }
        Self { first: winners[0], later }
    }

    /// The start of the last of some jobs, each of which gets the place that is free first. None of them may end later
    /// than `latest`.
    fn place(&mut self, now: u64, lengths: impl Iterator<Item = u64>, latest: u128) -> Option<u64> {
        let leaves = self.later.len();
        let bits = leaves.trailing_zeros();
        if !P::has_room(latest, leaves) {
            return None;
        }
        let (later, now) = (&mut self.later[..], P::new(now, 0, bits));
        let (mut first, mut start) = (self.first, self.first);
        for length in lengths {
            let leaf = first.leaf(bits);
            start = first.max(now | P::new(0, leaf, bits));
            first = start + P::new(length, 0, bits);
            let mut number = (leaf + leaves) / 2;
            while number > 0 {
                let other = later[number];
                (later[number], first) = (first.max(other), first.min(other));
                number /= 2;
            }
        }
        self.first = first;
        Some(start.time(bits))
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

    /// A job joins the queue before a machine on which only the others of the profile run. Says when it would start, unless
    /// that takes too long to find out.
    pub(super) fn promise(&mut self, now: Time, profile: &ReservedProfile, job: QueuedJob) -> Option<Time> {
        self.queue.push_back(job);
        self.total += u128::from(ticks(&job));
        if self.queue.len() == 1 {
            self.plan = None;
            return Some(profile.earliest(job.processors, job.estimate));
        }
        let planned = self.plan.as_mut().and_then(|plan| plan.place(now, [job].iter(), ticks(&job).into()));
        if planned.is_some() {
            return planned;
        }
        self.plan = None;
        self.untold += 1;
        if self.queue.len() > PLANNED_PER_NEWCOMER * self.untold {
            return None;
        }
        self.untold = 0;
        // Places for twice as many, so that it need not be made again soon.
        let mut plan = ListPlan::new(profile, job.processors, 2 * self.queue.len() + 8, self.total);
        let start = plan.place(now, self.queue.iter(), self.total);
        self.plan = Some(plan);
        Some(start.unwrap_or(Time::MAX))
    }

    /// Takes out the next one if it needs no more than so many processors.
    pub(super) fn start(&mut self, idle: u32) -> Option<QueuedJob> {
        self.queue.front().filter(|first| first.processors <= idle)?;
        let first = self.queue.pop_front()?;
        self.total -= u128::from(ticks(&first));
        Some(first)
    }

    /// Takes out all, each with its reservation.
    pub(super) fn take_all(&mut self, now: Time, profile: &ReservedProfile) -> Vec<(QueuedJob, Time)> {
        self.plan = None;
        let width = self.queue.front().map_or(1, |first| first.processors);
        let mut plan = ListPlan::new(profile, width, self.queue.len(), std::mem::take(&mut self.total));
        let mut place = |job: QueuedJob| plan.place(now, [job].iter(), ticks(&job).into()).unwrap_or(Time::MAX);
        self.queue.drain(..).map(|job| (job, place(job))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn newcomers_are_told_what_a_plain_plan_says(
            // Up to times that leave no room for the leaf in a short number.
            ticks in prop::sample::select(vec![1, 1_000_000, 1 << 42, 1 << 44]),
            mut running in prop::collection::vec(1i64..50, 1..8),
            // Those who wait before anybody ends early.
            waiting in prop::collection::vec(1i64..60, 0..200),
            jobs in prop::collection::vec((1i64..60, 0usize..16, any::<bool>()), 1..60),
        ) {
            let (at, mut equal) = (|time: i64| Time::from_ticks(time * ticks), EqualWidths::default());
            let mut profile = ReservedProfile::new(running.len() as u32);
            running.iter().for_each(|&end| profile.occupy(Time::ZERO, at(end), 1));
            let mut queue = Vec::new();
            let mut untold = 0;
            let waiting = waiting.into_iter().map(|length| (length, usize::MAX, false));
            for (id, (length, who, is_long)) in waiting.chain(jobs).enumerate() {
                // Most of the time somebody who runs will end earlier.
                if let Some(end) = running.get_mut(who) {
                    profile.release(at(*end / 2), at(*end), 1);
                    *end /= 2;
                    equal.upset();
                }
                let length = if is_long { 100 * length } else { length };
                queue.push(length);
                let (mut free, mut start) = (running.clone(), 0);
                for length in &queue {
                    free.sort_unstable();
                    start = free[0];
                    free[0] += length;
                }
                let job = QueuedJob { id: id as u32, processors: 1, estimate: Span::from_ticks(length * ticks) };
                match equal.promise(Time::ZERO, &profile, job) {
                    Some(told) => {
                        prop_assert_eq!(told, at(start));
                        untold = 0;
                    }
                    None => untold += 1,
                }
                // Nobody is left out of a short queue, and not for long of a long one.
                prop_assert!(untold == 0 || PLANNED_PER_NEWCOMER * untold < queue.len());
            }
        }
    }
}
