//! Backfilling with one reservation.

use super::backlog::Backlog;
use super::{Decisions, Discipline, Profile, QueuedJob};
use crate::units::{Span, Time};

/// EASY backfilling: only the head of the queue holds a reservation.
///
/// The head's shadow time is when enough processors will be free for it by the estimates of the running jobs; what is
/// then left over are the extra processors. A later job starts now if it fits now and either ends by the shadow time,
/// by its estimate, or needs no more than the extra processors, which it then uses up. Jobs are tried in the order of
/// the queue.
#[derive(Debug)]
pub struct Easy {
    queue: Backlog,
    /// The running jobs alone, so that free processors never become fewer over time.
    profile: Profile,
    free: u32,
    /// The head that was last given a promise.
    promised: Option<u32>,
}

impl Easy {
    /// An idle machine.
    pub fn new(processors: u32) -> Self {
        Self { queue: Backlog::default(), profile: Profile::new(processors), free: processors, promised: None }
    }

    fn start(&mut self, slot: usize, job: QueuedJob, now: Time, decisions: &mut Decisions) {
        self.queue.remove(slot);
        self.free -= job.processors;
        self.profile.occupy(now, now + job.estimate, job.processors);
        decisions.starts.push(job.id);
    }

    /// Lets jobs behind the head overtake as long as the head can still start at `shadow`.
    fn backfill(&mut self, now: Time, shadow: Time, mut extra: u32, decisions: &mut Decisions) {
        let spare = shadow - now;
        let mut from = 0;
        while self.free > 0 {
            let (free, harmless) = (self.free, extra.min(self.free));
            let fits = |(processors, estimate): (u32, Span)| {
                processors <= harmless || (processors <= free && estimate <= spare)
            };
            let Some((slot, job)) = self.queue.next(from, fits) else { break };
            if job.estimate > spare {
                extra -= job.processors;
            }
            self.start(slot, job, now, decisions);
            from = slot + 1;
        }
    }
}

impl Discipline for Easy {
    fn arrive(&mut self, job: QueuedJob) {
        self.queue.push(job);
    }

    fn finish(&mut self, now: Time, processors: u32, end: Time) {
        self.free += processors;
        self.profile.release(now, end, processors);
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.profile.occupy(end, later, processors);
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.profile.forget(now);
        while let Some((slot, job)) = self.queue.any(0) {
            if job.processors <= self.free {
                self.start(slot, job, now, decisions);
                continue;
            }
            let is_new = self.promised != Some(job.id);
            if self.free > 0 || is_new {
                // Free processors never become fewer, so the first moment of enough of them is enough.
                let shadow = self.profile.earliest(job.processors, Span::from_ticks(1));
                if is_new {
                    self.promised = Some(job.id);
                    decisions.promises.push((job.id, shadow));
                }
                let extra = self.profile.free_at(shadow) - i64::from(job.processors);
                self.backfill(now, shadow, extra as u32, decisions);
            }
            break;
        }
    }
}
