//! Who holds a reservation, and who is to start at which step.

use super::{NONE, Reservation, ReservedProfile, StepId};
use crate::queueing::QueuedJob;
use crate::units::Time;

impl ReservedProfile {
    pub(super) fn note_reservation(&mut self, job: QueuedJob) {
        if self.reservations.is_empty() {
            (self.first_id, self.gone) = (job.id, 0);
        }
        let new = Reservation {
            job,
            start: Time::ZERO,
            is_noted: false,
            fit: None,
            begins: NONE,
            ends: NONE,
            before: NONE,
            next: NONE,
            has_left: false,
        };
        // Whoever is numbered in between went elsewhere.
        self.reservations.resize((job.id - self.first_id) as usize, Reservation { has_left: true, ..new });
        self.reservations.push(new);
        self.waiting += 1;
    }

    /// The reservation of a job.
    pub(in crate::queueing) fn reservation(&self, id: u32) -> &Reservation {
        &self.reservations[(id - self.first_id) as usize]
    }

    pub(in crate::queueing) fn reservation_mut(&mut self, id: u32) -> &mut Reservation {
        &mut self.reservations[(id - self.first_id) as usize]
    }

    /// The same, if the job waits.
    pub(in crate::queueing) fn waiting_mut(&mut self, id: u32) -> Option<&mut Reservation> {
        let index = id.checked_sub(self.first_id)? as usize;
        self.reservations.get_mut(index).filter(|reservation| !reservation.has_left)
    }

    /// True if nobody holds a reservation.
    pub(in crate::queueing) fn is_unreserved(&self) -> bool {
        self.waiting == 0
    }

    /// All who hold reservations, in the order of arrival.
    pub(in crate::queueing) fn waiting(&self) -> impl Iterator<Item = u32> {
        let waiting = self.reservations[self.gone..].iter().filter(|reservation| !reservation.has_left);
        waiting.map(|reservation| reservation.job.id)
    }

    /// The earliest reserved start.
    pub(in crate::queueing) fn first_start(&self) -> Option<Time> {
        if self.is_unreserved() {
            return None;
        }
        let mut steps = std::iter::successors(Some(self.head), |&step| self.next(step));
        steps.find(|&step| self.first_at(step).is_some()).map(|step| self.time(step))
    }

    /// The ids of all who hold reservations are from the first of these up to the second.
    pub(in crate::queueing) fn ids(&self) -> (u32, u32) {
        (self.first_id, self.first_id + self.reservations.len() as u32)
    }

    /// Those who are to start at a step, in the order of arrival.
    pub(super) fn starting_at(&self, step: StepId) -> impl Iterator<Item = u32> {
        let some = |id: u32| Some(id).filter(|&id| id != NONE);
        std::iter::successors(some(self.step(step).first), move |&id| some(self.reservation(id).next))
    }

    /// The first of those who are to start at a step.
    pub(in crate::queueing) fn first_at(&self, step: StepId) -> Option<u32> {
        Some(self.step(step).first).filter(|&id| id != NONE)
    }

    /// The next of those who are to start at the same step.
    pub(in crate::queueing) fn next_at(&self, id: u32) -> Option<u32> {
        Some(self.reservation(id).next).filter(|&next| next != NONE)
    }

    /// A job is to start at a step.
    pub(super) fn join_step(&mut self, id: u32, step: StepId) {
        // Mostly it is the last of them.
        let mut before = self.step(step).last;
        while before != NONE && before > id {
            before = self.reservation(before).before;
        }
        let next = if before == NONE {
            std::mem::replace(&mut self.step_mut(step).first, id)
        } else {
            std::mem::replace(&mut self.reservation_mut(before).next, id)
        };
        if next == NONE {
            self.step_mut(step).last = id;
        } else {
            self.reservation_mut(next).before = id;
        }
        let reservation = self.reservation_mut(id);
        (reservation.begins, reservation.before, reservation.next) = (step, before, next);
    }

    /// A job is not to start at its step any more.
    pub(super) fn leave_step(&mut self, id: u32) {
        let Reservation { begins, before, next, .. } = *self.reservation(id);
        if before == NONE {
            self.step_mut(begins).first = next;
        } else {
            self.reservation_mut(before).next = next;
        }
        if next == NONE {
            self.step_mut(begins).last = before;
        } else {
            self.reservation_mut(next).before = before;
        }
    }
}
