//! First come, first served.

use super::{Decisions, Discipline, QueuedJob};
use crate::units::Time;
use std::collections::VecDeque;

/// Jobs start in the order of arrival; none overtakes, however well it would fit.
#[derive(Debug)]
pub struct Fcfs {
    queue: VecDeque<QueuedJob>,
    free: u32,
}

impl Fcfs {
    /// An idle machine.
    pub fn new(processors: u32) -> Self {
        Self { queue: VecDeque::new(), free: processors }
    }
}

impl Discipline for Fcfs {
    fn arrive(&mut self, job: QueuedJob) {
        self.queue.push_back(job);
    }

    fn finish(&mut self, _: Time, _: u32, processors: u32, _: Time) {
        self.free += processors;
    }

    fn outlive(&mut self, _: u32, _: Time, _: Time) {}

    fn pass(&mut self, _: Time, decisions: &mut Decisions) {
        while let Some(head) = self.queue.front().filter(|head| head.processors <= self.free) {
            self.free -= head.processors;
            decisions.starts.push(head.id);
            self.queue.pop_front();
        }
    }
}
