//! One node of a connected grid: when it is free, who has reserved it, and what runs on it.

use crate::engine::Handle;
use crate::model::{Interval, JobId, NodeId, Slot, SlotList, TimeMap, Timeline, TimelineError};
use crate::units::Time;

/// The free slots within `bounds` of all nodes that are up, numbered from 0.
pub(super) fn free_slots(sites: &[Site], bounds: Interval) -> SlotList {
    let (mut slots, mut later) = (Vec::with_capacity(sites.len()), Vec::new());
    for (index, site) in sites.iter().enumerate().filter(|(_, site)| !site.is_down) {
        let node = NodeId(index as u32);
        for interval in site.timeline.free_within(bounds) {
            // Those that have begun come first, in the order of the nodes.
            let list = if interval.start == bounds.start { &mut slots } else { &mut later };
            list.push(Slot { node, interval });
        }
    }
    slots.extend_from_slice(SlotList::of_disjoint(later).as_slice());
    SlotList::of_ordered(slots)
}

/// The task that runs on a node.
#[derive(Debug, Clone, Copy)]
pub(super) enum Occupant {
    /// The owner's task, and the event of its end.
    Owner(u32, Handle),
    /// A task of a job.
    Task(JobId, u32),
}

/// The holder of a reserved stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hold {
    pub(super) end: Time,
    pub(super) job: JobId,
    pub(super) task: u32,
}

/// A node's state.
#[derive(Debug)]
pub(super) struct Site {
    /// Free of announced owners' tasks and of holds.
    pub(super) timeline: Timeline,
    /// The holds of jobs by start; disjoint.
    holds: TimeMap<Hold>,
    pub(super) occupant: Option<Occupant>,
    pub(super) is_down: bool,
}

impl Site {
    pub(super) fn new() -> Self {
        let timeline = Timeline::new(Interval::new(Time::ZERO, Time::MAX));
        Self { timeline, holds: TimeMap::default(), occupant: None, is_down: false }
    }

    /// Reserves `interval` for a task.
    pub(super) fn hold(&mut self, interval: Interval, job: JobId, task: u32) -> Result<(), TimelineError> {
        self.timeline.reserve(interval)?;
        self.holds.insert(interval.start, Hold { end: interval.end, job, task });
        Ok(())
    }

    /// Lets the hold that begins at `start` last until `end`, which must be free.
    pub(super) fn extend(&mut self, start: Time, end: Time) -> Result<(), TimelineError> {
        if let Some(hold) = self.holds.get_mut(start) {
            self.timeline.reserve(Interval::new(hold.end, end))?;
            hold.end = end;
        }
        Ok(())
    }

    /// Ends the hold that begins at `start` by `end`; what was given back, if anything.
    pub(super) fn shorten(&mut self, start: Time, end: Time) -> Result<Option<Interval>, TimelineError> {
        let Some(hold) = self.holds.get_mut(start) else { return Ok(None) };
        let rest = Interval::new(end.max(start), hold.end);
        if end <= start {
            self.holds.remove(start);
        } else {
            hold.end = hold.end.min(end);
        }
        if rest.start >= rest.end {
            return Ok(None);
        }
        self.timeline.release(rest)?;
        Ok(Some(rest))
    }

    /// Forgets the hold that begins at `start`, whose time is over. No one asks about the past, so that it may as well
    /// be free: a timeline that kept it would grow as long as the run.
    pub(super) fn close(&mut self, start: Time) -> Result<(), TimelineError> {
        match self.holds.remove(start) {
            Some(hold) => self.forget(Interval::new(start, hold.end)),
            None => Ok(()),
        }
    }

    /// Forgets that an interval, which is over, was taken.
    pub(super) fn forget(&mut self, past: Interval) -> Result<(), TimelineError> {
        if past.is_empty() { Ok(()) } else { self.timeline.release(past) }
    }

    /// The holds that overlap `interval`, with their starts.
    pub(super) fn overlapping(&self, interval: Interval) -> Vec<(Time, Hold)> {
        let before = self.holds.before(interval.start).last().filter(|(_, hold)| hold.end > interval.start);
        before.into_iter().chain(self.holds.within(interval.start..interval.end)).copied().collect()
    }

    /// The hold that begins at `instant`.
    pub(super) fn hold_from(&self, instant: Time) -> Option<Hold> {
        self.holds.get(instant).copied()
    }
}
