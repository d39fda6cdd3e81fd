//! The rule of backfilling, over any kind of free time.

use crate::units::Time;
use std::collections::VecDeque;
use std::fmt::Debug;

/// Free time as the rule sees it: what those who run leave, and what is left of that by reservations.
///
/// There are two kinds. Before a homogeneous machine the processors are counted. On nodes of all kinds a place is a
/// window, and a reservation is its start: the nodes that go with it may be exchanged.
pub trait Availability {
    /// A job of the queue; the lower came first.
    type Job: Copy + Ord + Debug;
    /// When a job runs and, where that matters, on which nodes.
    type Place: Clone + Debug;

    /// The start of a place.
    fn start(place: &Self::Place) -> Time;

    /// Reserves the earliest place of a job beside all reservations, of which `held` are those of jobs that wait;
    /// they may get other nodes for the same times. Nothing if the job has no place at all.
    fn reserve_earliest(&mut self, job: Self::Job, held: &mut [HeldPlace<Self>]) -> Option<Self::Place>;

    /// Gives a reserved place back.
    fn withdraw(&mut self, job: Self::Job, place: &Self::Place);

    /// True if a job whose reservation is due can start. Within an instant the one before it may not have ended yet.
    fn is_ready(&self, _: Self::Job) -> bool {
        true
    }

    /// True if a reservation, which is one of `held`, might be moved to an earlier start. A yes may be wrong.
    fn may_improve(&mut self, _: Self::Job, _: &Self::Place, _held: &[HeldPlace<Self>]) -> bool {
        true
    }

    /// Moves the reservation at a place of `held` to the earliest that all others leave; false if there is none any more,
    /// so that the job holds none.
    fn reserve_again(&mut self, index: usize, held: &mut Vec<HeldPlace<Self>>) -> bool {
        let (job, old) = held.remove(index);
        self.withdraw(job, &old);
        let new = self.reserve_earliest(job, held);
        let is_reserved = new.is_some();
        held.splice(index..index, new.map(|new| (job, new)));
        is_reserved
    }

    /// A job starts now in the place that was reserved for it.
    fn start_reserved(&mut self, job: Self::Job, place: &Self::Place);

    /// Starts a job without a reservation now, if that delays none of `held`.
    fn start_now(&mut self, job: Self::Job, held: &mut [HeldPlace<Self>]) -> Option<Self::Place>;
}

/// A job that waits with a reservation.
pub type HeldPlace<A> = (<A as Availability>::Job, <A as Availability>::Place);

/// A queue in which so many at the front hold reservations, made in the order of the queue; a later job starts if it
/// delays none of them.
///
/// With 1 it is EASY, with no bound it is conservative backfilling. With 0 no job overtakes the head of the queue,
/// which knows when it will start all the same: first come, first served. A job that has no place at all leaves the
/// queue and holds no other up.
#[derive(Debug)]
pub struct Backfill<A: Availability> {
    depth: usize,
    /// Those without a reservation, in order.
    pub queue: VecDeque<A::Job>,
    /// Those with one, in order.
    pub held: Vec<HeldPlace<A>>,
    /// Those that have started since this was last emptied.
    pub started: Vec<HeldPlace<A>>,
    /// The starts of reservations that were made since this was last emptied.
    pub promised: Vec<(A::Job, Time)>,
}

impl<A: Availability> Backfill<A> {
    /// An empty queue in which `depth` jobs hold reservations.
    pub fn new(depth: usize) -> Self {
        Self { depth, queue: VecDeque::new(), held: Vec::new(), started: Vec::new(), promised: Vec::new() }
    }

    /// Starts all that may start now.
    pub fn pass(&mut self, free: &mut A, now: Time) {
        self.serve_front(free, now);
        if self.depth > 0 {
            self.backfill(free);
        }
    }

    /// Gives those at the front their reservations and starts those that are due, until neither is left to do.
    pub(crate) fn serve_front(&mut self, free: &mut A, now: Time) {
        let mut queue = std::mem::take(&mut self.queue);
        self.serve(free, now, self.depth, || queue.pop_front());
        self.queue = queue;
    }

    /// The same for any depth, where those without a reservation stand elsewhere: `next` takes the first of them out of
    /// their queue.
    pub(super) fn serve(&mut self, free: &mut A, now: Time, depth: usize, mut next: impl FnMut() -> Option<A::Job>) {
        loop {
            while self.held.len() < depth.max(1)
                && let Some(job) = next()
            {
                self.reserve(free, job);
            }
            let Some(due) = self.due(free, now) else { return };
            let (job, place) = self.held.remove(due);
            free.start_reserved(job, &place);
            self.started.push((job, place));
        }
    }

    /// Gives a job its reservation, unless it has no place at all.
    pub(crate) fn reserve(&mut self, free: &mut A, job: A::Job) {
        if let Some(place) = free.reserve_earliest(job, &mut self.held) {
            self.promised.push((job, A::start(&place)));
            self.held.push((job, place));
        }
    }

    /// The first of those whose reservation is due and who can start.
    fn due(&self, free: &A, now: Time) -> Option<usize> {
        let starts = self.held.iter().enumerate().map(|(index, (job, place))| (A::start(place), *job, index));
        let due = starts.filter(|&(start, job, _)| start <= now && free.is_ready(job));
        due.min_by_key(|&(start, job, _)| (start, job)).map(|(.., index)| index)
    }

    /// Lets those start, in order, who delay none of those who hold a reservation.
    fn backfill(&mut self, free: &mut A) {
        let Self { queue, held, started, .. } = self;
        queue.retain(|&job| match free.start_now(job, held) {
            Some(place) => {
                started.push((job, place));
                false
            }
            None => true,
        });
    }

    /// Starts one who is not in the queue, if that delays none of those who hold a reservation; whether it does.
    pub(crate) fn start(&mut self, free: &mut A, job: A::Job) -> bool {
        let place = free.start_now(job, &mut self.held);
        let starts = place.is_some();
        self.started.extend(place.map(|place| (job, place)));
        starts
    }

    /// Moves each reservation in turn to the earliest start that the others leave, once: for free time that has come
    /// up.
    pub(crate) fn compress(&mut self, free: &mut A) {
        let mut index = 0;
        while index < self.held.len() {
            let (job, place) = &self.held[index];
            let job = *job;
            if free.may_improve(job, place, &self.held) && !free.reserve_again(index, &mut self.held) {
                self.queue.push_front(job);
                continue;
            }
            index += 1;
        }
    }
}
