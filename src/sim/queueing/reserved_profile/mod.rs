//! The free processors from each instant on, and the reservations that take them.

mod starts;
#[cfg(test)]
mod tests;

use super::QueuedJob;
use super::compression::FitId;
use crate::units::{Span, Time};
use std::collections::VecDeque;

/// The free processors of a machine over time, as a step function whose steps know who is to start at them.
///
/// A step begins wherever a running job or a reservation begins or ends, also if as many processors are free on it as on
/// the one before. Steps are linked with their neighbours, and each job knows the steps at which its reservation begins and
/// ends. So what moves by a little, as most do when a schedule is compressed, touches no steps but those it passes, however
/// many wait.
#[derive(Debug, Clone)]
pub(super) struct ReservedProfile {
    steps: Vec<Step>,
    /// Places in `steps` that are not in use, the longest so first.
    spare: VecDeque<StepId>,
    /// The step that holds now.
    head: StepId,
    /// The reservations of those who have come, by id from `first_id` on.
    reservations: Vec<Reservation>,
    first_id: u32,
    /// So many of the first of them have started.
    gone: usize,
    /// The number of those who hold one.
    waiting: usize,
}

/// The place of a step.
pub(super) type StepId = u32;

/// Instead of a step or of a job, where there is none.
const NONE: u32 = u32::MAX;

/// So many processors are free from a time on.
#[derive(Debug, Clone, Copy)]
struct Step {
    time: Time,
    free: i64,
    before: StepId,
    next: StepId,
    /// The number of running jobs and reservations that begin or end here; without any, there is no need for the step.
    edges: u32,
    /// The first and the last of those who are to start here, in the order of arrival.
    first: u32,
    last: u32,
}

/// A reservation, and how it may be improved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reservation {
    pub(super) job: QueuedJob,
    pub(super) start: Time,
    /// True if it may be improved as far as is known, by sliding or by a fit.
    pub(super) is_noted: bool,
    /// Where its whole length may fit, if it may: the last of the stretches that were noted.
    pub(super) fit: Option<FitId>,
    begins: StepId,
    ends: StepId,
    /// Those before and after it in the order of arrival who are to start at the same step.
    before: u32,
    next: u32,
    has_left: bool,
}

impl Reservation {
    /// The latest instant at which it could begin and be over by its reserved start.
    pub(super) fn latest(&self) -> Time {
        Time::ZERO + (self.start - Time::ZERO - self.job.estimate)
    }
}

/// Time that a job gave back: the steps from one on that begin before the end of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Vacated {
    pub(super) first: StepId,
    pub(super) end: Time,
    /// So many more processors are free than before, at most.
    pub(super) processors: i64,
}

impl ReservedProfile {
    /// A machine that is idle for ever.
    pub(super) fn new(processors: u32) -> Self {
        let free = i64::from(processors);
        let idle = Step { time: Time::ZERO, free, before: NONE, next: NONE, edges: 0, first: NONE, last: NONE };
        Self {
            steps: vec![idle],
            spare: VecDeque::new(),
            head: 0,
            reservations: Vec::new(),
            first_id: 0,
            gone: 0,
            waiting: 0,
        }
    }

    fn step(&self, step: StepId) -> &Step {
        &self.steps[step as usize]
    }

    fn step_mut(&mut self, step: StepId) -> &mut Step {
        &mut self.steps[step as usize]
    }

    /// When a step begins.
    pub(super) fn time(&self, step: StepId) -> Time {
        self.step(step).time
    }

    /// The processors that are free on a step.
    pub(super) fn free(&self, step: StepId) -> i64 {
        self.step(step).free
    }

    /// The step that holds now.
    pub(super) fn head(&self) -> StepId {
        self.head
    }

    /// The step before one, from now on.
    pub(super) fn before(&self, step: StepId) -> Option<StepId> {
        Some(self.step(step).before).filter(|&before| before != NONE)
    }

    /// The step after one.
    pub(super) fn next(&self, step: StepId) -> Option<StepId> {
        Some(self.step(step).next).filter(|&next| next != NONE)
    }

    /// When a step is over.
    pub(super) fn until(&self, step: StepId) -> Time {
        self.next(step).map_or(Time::MAX, |next| self.time(next))
    }

    /// The time of each step from now on and what is free on it.
    pub(super) fn steps_ahead(&self) -> impl Iterator<Item = (Time, i64)> {
        let steps = std::iter::successors(Some(self.head), |&step| self.next(step));
        steps.map(|step| (self.time(step), self.free(step)))
    }

    /// Forgets what was before `now`. Nothing before `now` may be asked for or changed after that.
    pub(super) fn forget(&mut self, now: Time) {
        while let Some(next) = self.next(self.head).filter(|&next| self.time(next) <= now) {
            let past = self.head;
            // Whoever has not started by now is to start now.
            let late: Vec<u32> = self.starting_at(past).collect();
            self.head = next;
            self.step_mut(next).before = NONE;
            for id in late {
                self.leave_step(id);
                self.join_step(id, next);
            }
            self.spare.push_back(past);
        }
        let head = self.head;
        self.step_mut(head).time = now;
    }

    /// A new step within another, from a time on.
    fn split(&mut self, step: StepId, time: Time) -> StepId {
        let Step { free, next, .. } = *self.step(step);
        let new = Step { time, free, before: step, next, edges: 0, first: NONE, last: NONE };
        // Whoever has noted a step that went away finds near it what holds there now, as long as its place is not in use again.
        let is_reused = 2 * self.spare.len() > self.steps.len();
        let place = match self.spare.front().copied().filter(|_| is_reused) {
            Some(place) => {
                self.spare.pop_front();
                *self.step_mut(place) = new;
                place
            }
            None => {
                self.steps.push(new);
                self.steps.len() as StepId - 1
            }
        };
        self.step_mut(step).next = place;
        if next != NONE {
            self.step_mut(next).before = place;
        }
        place
    }

    /// Somebody begins or ends at a time, which is no earlier than a step: the step that begins then.
    fn add_edge_after(&mut self, mut step: StepId, time: Time) -> StepId {
        while let Some(next) = self.next(step).filter(|&next| self.time(next) <= time) {
            step = next;
        }
        self.add_edge_within(step, time)
    }

    /// The same at a time that is no later than a step.
    fn add_edge_before(&mut self, mut step: StepId, time: Time) -> StepId {
        while self.time(step) > time
            && let Some(before) = self.before(step)
        {
            step = before;
        }
        self.add_edge_within(step, time)
    }

    fn add_edge_within(&mut self, step: StepId, time: Time) -> StepId {
        let step = if self.time(step) < time { self.split(step, time) } else { step };
        self.step_mut(step).edges += 1;
        step
    }

    /// Somebody no longer begins or ends at a step. Says which one holds from there on.
    fn drop_edge(&mut self, step: StepId) -> StepId {
        let Step { before, next, edges, .. } = *self.step(step);
        let edges = edges.saturating_sub(1);
        self.step_mut(step).edges = edges;
        if edges > 0 || before == NONE {
            return step;
        }
        self.step_mut(before).next = next;
        if next != NONE {
            self.step_mut(next).before = before;
        }
        self.spare.push_back(step);
        before
    }

    /// Adds to what is free on steps, from one up to another.
    fn change(&mut self, mut step: StepId, end: StepId, by: i64) {
        while step != end {
            let step_now = self.step_mut(step);
            step_now.free += by;
            step = step_now.next;
        }
    }

    /// Takes `processors` from `start` to `end`. They may become fewer than none: a reservation that can't be kept.
    pub(super) fn occupy(&mut self, start: Time, end: Time, processors: u32) {
        if start >= end {
            return;
        }
        let mut last = self.add_edge_after(self.head, start);
        self.step_mut(last).free -= i64::from(processors);
        while let Some(next) = self.next(last).filter(|&next| self.time(next) < end) {
            self.step_mut(next).free -= i64::from(processors);
            last = next;
        }
        let ends = match self.next(last).filter(|&next| self.time(next) == end) {
            Some(next) => next,
            None => {
                let ends = self.split(last, end);
                self.step_mut(ends).free += i64::from(processors);
                ends
            }
        };
        self.step_mut(ends).edges += 1;
    }

    /// Gives back `processors` from `start` on that were taken until `end`.
    pub(super) fn release(&mut self, start: Time, end: Time, processors: u32) {
        let mut step = self.add_edge_after(self.head, start);
        while step != NONE && self.time(step) < end {
            let step_now = self.step_mut(step);
            step_now.free += i64::from(processors);
            step = step_now.next;
        }
        if step != NONE {
            self.drop_edge(step);
        }
    }

    /// The earliest step from whose beginning on `processors` are free for `span`, and the last one within that time.
    fn earliest_steps(&self, processors: u32, span: Span) -> Option<(StepId, StepId)> {
        let (wanted, over) = (i64::from(processors), |start: Time| start.checked_add(span).unwrap_or(Time::MAX));
        let (mut begins, mut step) = (self.head, self.head);
        let mut end = over(self.time(begins));
        loop {
            let Step { free, next, .. } = *self.step(step);
            let until = if next == NONE { Time::MAX } else { self.time(next) };
            if free >= wanted && until >= end {
                return Some((begins, step));
            }
            if next == NONE {
                return None;
            }
            if free < wanted {
                (begins, end) = (next, over(until));
            }
            step = next;
        }
    }

    /// The earliest instant from now on at which `processors` are free for `span`; they must be free in the end.
    pub(super) fn earliest(&self, processors: u32, span: Span) -> Time {
        self.earliest_steps(processors, span).map_or(Time::MAX, |(begins, _)| self.time(begins))
    }

    /// A job gets its first reservation, as early as may be; its id is larger than all before.
    pub(super) fn reserve(&mut self, job: QueuedJob) -> Time {
        self.note_reservation(job);
        self.reserve_again(job.id)
    }

    /// A job whose reservation was withdrawn gets the earliest one.
    pub(super) fn reserve_again(&mut self, id: u32) -> Time {
        let QueuedJob { processors, estimate, .. } = self.reservation(id).job;
        // There is one, since nobody needs more than the machine has.
        let (begins, last) = self.earliest_steps(processors, estimate).unwrap_or((self.head, self.head));
        self.take(id, begins, last)
    }

    /// A job gets its first reservation, at a time when there is room for it. Reservations that are made one after another at
    /// later and later times take no longer for standing far behind.
    pub(super) fn reserve_at(&mut self, job: QueuedJob, start: Time, behind: Option<u32>) {
        self.note_reservation(job);
        let mut step = behind.map_or(self.head, |id| self.reservation(id).begins);
        if self.time(step) > start {
            step = self.head;
        }
        let begins = self.add_edge_after(step, start);
        self.take(job.id, begins, begins);
        self.drop_edge(begins);
    }

    /// Reserves the time from the beginning of a step on; it ends on `last` or on a later one.
    fn take(&mut self, id: u32, begins: StepId, last: StepId) -> Time {
        let QueuedJob { processors, estimate, .. } = self.reservation(id).job;
        let start = self.time(begins);
        let ends = self.add_edge_after(last, start + estimate);
        self.step_mut(begins).edges += 1;
        self.change(begins, ends, -i64::from(processors));
        let reservation = self.reservation_mut(id);
        (reservation.start, reservation.ends) = (start, ends);
        self.join_step(id, begins);
        start
    }

    /// A job gives its reservation back, and will get another one.
    pub(super) fn withdraw(&mut self, id: u32) {
        let Reservation { job, begins, ends, .. } = *self.reservation(id);
        self.change(begins, ends, i64::from(job.processors));
        self.leave_step(id);
        self.drop_edge(ends);
        self.drop_edge(begins);
    }

    /// A job starts, which has a reservation from now on.
    pub(super) fn start(&mut self, id: u32) {
        let begins = self.reservation(id).begins;
        self.leave_step(id);
        self.drop_edge(begins);
        self.reservation_mut(id).has_left = true;
        self.waiting -= 1;
        self.gone += self.reservations[self.gone..].iter().take_while(|reservation| reservation.has_left).count();
        // Only when half of them have started, so that the others need not move up each time.
        if 2 * self.gone >= self.reservations.len() {
            self.reservations.drain(..self.gone);
            self.first_id += self.gone as u32;
            self.gone = 0;
        }
    }

    /// Moves a reservation to the beginning of an earlier step, from which on there is room for it. Says which time it
    /// leaves.
    pub(super) fn advance(&mut self, id: u32, place: StepId) -> Vacated {
        let Reservation { job, start: old, begins: old_begins, ends: old_ends, .. } = *self.reservation(id);
        let processors = i64::from(job.processors);
        let (new, old_end) = (self.time(place), old + job.estimate);
        let new_end = new + job.estimate;
        self.step_mut(place).edges += 1;
        let (ends, mut first) = if new_end <= old {
            let ends = self.add_edge_after(place, new_end);
            self.change(place, ends, -processors);
            self.change(old_begins, old_ends, processors);
            (ends, old_begins)
        } else {
            let ends = self.add_edge_before(old_ends, new_end);
            self.change(place, old_begins, -processors);
            self.change(ends, old_ends, processors);
            (ends, ends)
        };
        self.leave_step(id);
        let joined = self.drop_edge(old_begins);
        if first == old_begins {
            first = joined;
        }
        self.drop_edge(old_ends);
        let reservation = self.reservation_mut(id);
        (reservation.start, reservation.ends) = (new, ends);
        self.join_step(id, place);
        Vacated { first, end: old_end, processors }
    }

    /// The first of the steps right before the reserved start of a job on which as many processors are free as it needs.
    pub(super) fn slide(&self, id: u32) -> Option<StepId> {
        let Reservation { job, begins, .. } = *self.reservation(id);
        let wanted = i64::from(job.processors);
        let mut first = begins;
        while let Some(before) = self.before(first).filter(|&before| self.free(before) >= wanted) {
            first = before;
        }
        (first != begins).then_some(first)
    }

    /// A step, if it is still there, or else one that begins before it; that of now if it is past.
    pub(super) fn step_or_before(&self, (mut step, time): (StepId, Time)) -> StepId {
        // A step that went away still knows which one was before it then, and may be in use again at another time.
        loop {
            let Step { time: begins, before, .. } = *self.step(step);
            if before == NONE {
                return self.head;
            }
            if begins <= time && self.step(before).next == step {
                return step;
            }
            step = before;
        }
    }
}
