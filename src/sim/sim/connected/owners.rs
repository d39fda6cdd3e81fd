//! Owners' tasks and failures: what a plan has to give way to.

use super::grid::{GridError, GridState};
use super::job_states::TaskState;
use super::journal::{Cause, Event, Loss};
use super::site::Occupant;
use super::{ENDS, FAILURES, GridStep, OWNERS};
use crate::model::{Interval, JobId, NodeId};

impl GridState<'_> {
    /// An owner says when a task will run. The time is taken from whoever has reserved it.
    pub(super) fn announce(&mut self, node: NodeId, place: u32) -> Result<(), GridError> {
        self.schedule_announcement(node, place + 1)?;
        let task = self.announcements[node.index()][place as usize];
        let interval = self.world.owners[node.index()][task as usize].interval;
        self.note(Event::Announced(node, task));
        self.kernel.schedule_at(interval.start, OWNERS, GridStep::OwnerStarts(node, task))?;
        // First all make room, then each looks for another place, so that none takes the owner's time again.
        let victims = self.sites[node.index()].overlapping(interval);
        for &(_, hold) in &victims {
            self.make_room(hold.job, hold.task, interval)?;
        }
        self.sites[node.index()].timeline.reserve(interval)?;
        for &(_, hold) in &victims {
            self.yield_to_owner(hold.job, hold.task)?;
        }
        Ok(())
    }

    /// Gives back what a task has reserved within the owner's `interval`: all of it if it has not begun, or else what
    /// comes after the owner's start.
    fn make_room(&mut self, job: JobId, task: u32, interval: Interval) -> Result<(), GridError> {
        let placed = self.tasks(job)[task as usize];
        match placed.state {
            TaskState::Running(_) => self.shorten(job, task, interval.start),
            TaskState::Waiting | TaskState::Done(_) => self.release(job, task),
        }
    }

    /// Makes a task yield whose time an owner has taken: one that runs goes on until the owner starts.
    fn yield_to_owner(&mut self, job: JobId, task: u32) -> Result<(), GridError> {
        let now = self.now();
        match self.tasks(job).get(task as usize) {
            Some(placed) if matches!(placed.state, TaskState::Running(_)) && placed.hold.end <= now => {
                self.displace(job, task, Cause::Owner)
            }
            _ => self.find_another_place(job, task, Cause::Owner),
        }
    }

    /// An owner's task begins, unless the node is down.
    pub(super) fn owner_starts(&mut self, node: NodeId, task: u32) -> Result<(), GridError> {
        if self.sites[node.index()].is_down {
            return Ok(());
        }
        let end = self.world.owners[node.index()][task as usize].interval.end;
        let handle = self.kernel.schedule_at(end, ENDS, GridStep::OwnerEnds(node, task))?;
        self.sites[node.index()].occupant = Some(Occupant::Owner(task, handle));
        self.look_at(node);
        self.note(Event::OwnerStarted(node, task));
        Ok(())
    }

    /// An owner's task ends.
    pub(super) fn owner_ends(&mut self, node: NodeId, task: u32) -> Result<(), GridError> {
        let interval = self.world.owners[node.index()][task as usize].interval;
        self.sites[node.index()].occupant = None;
        // A failure cuts a task off, but its time stays taken.
        if interval.end <= self.now() {
            self.sites[node.index()].forget(interval)?;
        }
        self.look_at(node);
        self.note(Event::OwnerEnded(node, task));
        Ok(())
    }

    /// A node goes down; what ran on it is lost.
    pub(super) fn node_fails(&mut self, node: NodeId, outage: u32) -> Result<(), GridError> {
        let end = self.world.outages[node.index()][outage as usize].end;
        self.kernel.schedule_at(end, FAILURES, GridStep::NodeReturns(node, outage))?;
        self.sites[node.index()].is_down = true;
        self.look_at(node);
        let occupant = self.sites[node.index()].occupant;
        if let Some(Occupant::Owner(task, handle)) = occupant {
            self.kernel.cancel(handle);
            self.owner_ends(node, task)?;
        }
        if let Some(Occupant::Task(job, task)) = occupant {
            // It ends before the node is down, or two things would be on the node at once.
            self.break_off(job, task, Loss::Failure)?;
        }
        self.note(Event::Failed(node));
        match occupant {
            Some(Occupant::Task(job, task)) => self.repair_broken(job, task, Cause::Failure),
            _ => Ok(()),
        }
    }

    /// A node comes back.
    pub(super) fn node_returns(&mut self, node: NodeId, outage: u32) -> Result<(), GridError> {
        self.sites[node.index()].is_down = false;
        self.look_at(node);
        self.note(Event::Repaired(node));
        self.schedule_failure(node, outage + 1)
    }
}
