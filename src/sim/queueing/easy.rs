//! Backfilling with one reservation.

use super::backlog::{Backlog, BacklogPlace};
use super::{Decisions, Discipline, Order, Profile, QueuedJob};
use crate::units::{Span, Time};

/// EASY backfilling: only the head of the queue holds a reservation.
///
/// The head's shadow time is when enough processors will be free for it by the estimates of the running jobs; what is
/// then left over are the extra processors. A later job starts now if it fits now and either ends by the shadow time,
/// by its estimate, or needs no more than the extra processors, which it then uses up. Jobs are tried in the order of
/// the queue, which is that of their arrival unless another is asked for. In another one a newcomer may go before those who
/// wait, so that no promise is made.
#[derive(Debug)]
pub struct Easy {
    order: Order,
    queue: Backlog,
    /// The running jobs alone, so that free processors never become fewer over time.
    profile: Profile,
    free: u32,
    /// The head that was last given a promise.
    promised: Option<u32>,
    /// The shadow time and the extra processors as the last pass has left them, unless since then a job has ended, has
    /// outlived its estimate, or has come that may go before others. Those who waited then can't start now: just as much is
    /// free, and the shadow time is nearer.
    settled: Option<(Time, u32)>,
    /// So many have come since the last pass.
    newcomers: usize,
}

impl Easy {
    /// An idle machine, before which jobs wait in the order of arrival.
    pub fn new(processors: u32) -> Self {
        Self::in_order(processors, Order::Arrival)
    }

    /// An idle machine, before which jobs wait in this order.
    pub fn in_order(processors: u32, order: Order) -> Self {
        Self {
            order,
            queue: Backlog::new(order),
            profile: Profile::new(processors),
            free: processors,
            promised: None,
            settled: None,
            newcomers: 0,
        }
    }

    fn start(&mut self, place: BacklogPlace, job: QueuedJob, now: Time, decisions: &mut Decisions) {
        self.queue.remove(place);
        self.free -= job.processors;
        self.profile.occupy(now, now + job.estimate, job.processors);
        decisions.starts.push(job.id);
    }

    /// Lets jobs from a place on overtake as long as the head can still start at `shadow`; says what is left of `extra`.
    fn backfill(
        &mut self,
        mut from: BacklogPlace,
        now: Time,
        (shadow, mut extra): (Time, u32),
        decisions: &mut Decisions,
    ) -> u32 {
        let spare = shadow - now;
        while self.free > 0 {
            let (free, harmless) = (self.free, extra.min(self.free));
            let fits = |(processors, estimate): (u32, Span)| {
                processors <= harmless || (processors <= free && estimate <= spare)
            };
            let Some((place, job)) = self.queue.next(from, fits) else { break };
            if job.estimate > spare {
                extra -= job.processors;
            }
            self.start(place, job, now, decisions);
            from = place;
        }
        extra
    }
}

impl Discipline for Easy {
    fn arrive(&mut self, job: QueuedJob) {
        self.queue.push(job);
        if self.order == Order::Arrival {
            self.newcomers += 1;
        } else {
            self.settled = None;
        }
    }

    fn finish(&mut self, now: Time, _: u32, processors: u32, end: Time) {
        self.free += processors;
        self.profile.release(now, end, processors);
        self.settled = None;
    }

    fn outlive(&mut self, processors: u32, end: Time, later: Time) {
        self.profile.occupy(end, later, processors);
        self.settled = None;
    }

    fn pass(&mut self, now: Time, decisions: &mut Decisions) {
        self.profile.forget(now);
        let newcomers = std::mem::take(&mut self.newcomers);
        if let Some((shadow, extra)) = self.settled {
            let extra = self.backfill(self.queue.newest(newcomers), now, (shadow, extra), decisions);
            self.settled = Some((shadow, extra));
            return;
        }
        while let Some((place, job)) = self.queue.head() {
            if job.processors <= self.free {
                self.start(place, job, now, decisions);
                continue;
            }
            let is_new = self.order == Order::Arrival && self.promised != Some(job.id);
            if self.free > 0 || is_new {
                // Free processors never become fewer, so the first moment of enough of them is enough.
                let shadow = self.profile.earliest(job.processors, Span::from_ticks(1));
                if is_new {
                    self.promised = Some(job.id);
                    decisions.promises.push((job.id, shadow));
                }
                let extra = (self.profile.free_at(shadow) - i64::from(job.processors)) as u32;
                let extra = self.backfill(place.next(), now, (shadow, extra), decisions);
                self.settled = Some((shadow, extra));
            }
            break;
        }
    }
}
