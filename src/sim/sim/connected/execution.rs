//! Tasks of jobs: reserved, started, ended, broken off.

use super::grid::{GridError, GridState};
use super::job_states::{JobStage, PlacedTask, TaskState};
use super::journal::{Cause, Ending, Event, Loss, Reason};
use super::rules::OverrunRule;
use super::site::Occupant;
use super::{ENDS, GridStep, STARTS};
use crate::model::{Interval, JobId, NodeId};
use crate::units::{Price, Time};

/// A task with the place that a scheduler gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Planned {
    pub(super) node: NodeId,
    pub(super) interval: Interval,
    pub(super) price: Price,
}

impl GridState<'_> {
    /// Reserves a place for every task of a job that has none.
    pub(super) fn place(&mut self, job: JobId, plan: &[Planned]) -> Result<(), GridError> {
        let placed = |planned: &Planned| PlacedTask {
            node: planned.node,
            hold: planned.interval,
            held: false,
            estimate: planned.interval.span(),
            price: planned.price,
            state: TaskState::Waiting,
            event: None,
        };
        let state = &mut self.jobs[job];
        state.stage = JobStage::Placed;
        let left = match &state.rest {
            Some(rest) if rest.workflow.is_some() => rest.tasks.clone(),
            _ => (0..plan.len() as u32).collect(),
        };
        if state.tasks.is_empty() {
            state.tasks = plan.iter().map(placed).collect();
        }
        for (task, planned) in left.into_iter().zip(plan) {
            self.reserve(job, task, *planned)?;
        }
        Ok(())
    }

    /// Reserves a place for a task that has none.
    pub(super) fn reserve(&mut self, job: JobId, task: u32, planned: Planned) -> Result<(), GridError> {
        self.sites[planned.node.index()].hold(planned.interval, job, task)?;
        // The tasks of a rigid job start together: one event is enough.
        let starts = self.world.jobs[job.index()].workflow.is_some() || task == 0;
        let event = if starts {
            Some(self.kernel.schedule_at(planned.interval.start, STARTS, GridStep::TaskStarts(job, task))?)
        } else {
            None
        };
        if let Some(old) = self.tasks(job)[task as usize].event.take() {
            self.kernel.cancel(old);
        }
        let placed = &mut self.tasks(job)[task as usize];
        *placed = PlacedTask {
            node: planned.node,
            hold: planned.interval,
            held: true,
            estimate: planned.interval.span(),
            price: planned.price,
            event,
            ..*placed
        };
        let piece = self.piece(job, task);
        self.note(Event::Held(piece, planned.interval, planned.price));
        Ok(())
    }

    /// Gives back all that a task still has reserved.
    pub(super) fn release(&mut self, job: JobId, task: u32) -> Result<(), GridError> {
        let placed = self.tasks(job)[task as usize];
        if !placed.held {
            return Ok(());
        }
        if let Some(event) = placed.event {
            self.kernel.cancel(event);
        }
        self.shorten(job, task, self.now())?;
        let placed = &mut self.tasks(job)[task as usize];
        (placed.held, placed.event) = (false, None);
        let (node, start) = (placed.node, placed.hold.start);
        Ok(self.sites[node.index()].close(start)?)
    }

    /// Lets what a task has reserved end at `end`, and with it the task, if it runs.
    pub(super) fn shorten(&mut self, job: JobId, task: u32, end: Time) -> Result<(), GridError> {
        let placed = self.tasks(job)[task as usize];
        let Some(freed) = self.sites[placed.node.index()].shorten(placed.hold.start, end)? else { return Ok(()) };
        self.tasks(job)[task as usize].hold.end = freed.start;
        let piece = self.piece(job, task);
        self.note(Event::Freed(piece, freed));
        if let TaskState::Running(until) = placed.state
            && until > freed.start
            && freed.start > self.now()
        {
            self.end_at(job, task, freed.start)?;
        }
        Ok(())
    }

    /// Sets when a running task is looked at again.
    fn end_at(&mut self, job: JobId, task: u32, end: Time) -> Result<(), GridError> {
        let event = self.kernel.schedule_at(end, ENDS, GridStep::TaskEnds(job, task))?;
        if let Some(old) = self.tasks(job)[task as usize].event.replace(event) {
            self.kernel.cancel(old);
        }
        Ok(())
    }

    /// The reserved time of a task, or of all tasks of a rigid job, begins.
    pub(super) fn task_starts(&mut self, job: JobId, task: u32) -> Result<(), GridError> {
        self.tasks(job)[task as usize].event = None;
        let group = match &self.world.jobs[job.index()].workflow {
            Some(_) => task..task + 1,
            None => 0..self.tasks(job).len() as u32,
        };
        for task in group.clone() {
            let node = self.tasks(job)[task as usize].node;
            if self.sites[node.index()].is_down {
                return self.repair(job, task, Cause::Failure);
            }
        }
        let node = self.tasks(job)[task as usize].node;
        if self.inputs_at(job, task, node).is_some_and(|ready| ready > self.now()) {
            return self.repair(job, task, Cause::Input);
        }
        for task in group {
            let placed = self.tasks(job)[task as usize];
            let saved = self.saved_share(job, task);
            let actual = self.world.jobs[job.index()].actual_rest(
                task as usize,
                placed.estimate,
                saved,
                self.rules.displacement.least_rest(),
            );
            let done = self.now() + actual;
            self.sites[placed.node.index()].occupant = Some(Occupant::Task(job, task));
            self.look_at(placed.node);
            self.tasks(job)[task as usize].state = TaskState::Running(done);
            self.tasks(job)[task as usize].event = None;
            let piece = self.piece(job, task);
            self.note(Event::Started(piece, placed.hold.end, placed.price));
            self.end_at(job, task, done.min(placed.hold.end))?;
        }
        Ok(())
    }

    /// When all data that a task of a workflow needs will be on `node`, as far as is known; nothing for a rigid job.
    pub(super) fn inputs_at(&self, job: JobId, task: u32, node: NodeId) -> Option<Time> {
        let dag = self.world.jobs[job.index()].workflow.as_ref()?;
        let transfers = self.rules.transfers;
        let tasks = &self.jobs[job].tasks;
        let arrives = |edge: &crate::model::Edge| {
            let before = &tasks[edge.from.index()];
            let made = match before.state {
                TaskState::Done(at) => at,
                TaskState::Running(_) | TaskState::Waiting => before.hold.end,
            };
            made + transfers.between(edge.transfer, before.node, node)
        };
        dag.predecessors(crate::model::TaskId(task)).map(arrives).max()
    }

    /// A running task is done, or has come to the end of what it reserved.
    pub(super) fn task_ends(&mut self, job: JobId, task: u32) -> Result<(), GridError> {
        self.tasks(job)[task as usize].event = None;
        let placed = self.tasks(job)[task as usize];
        let TaskState::Running(done) = placed.state else { return Ok(()) };
        if done <= self.now() {
            self.stop(job, task, Ending::Done)?;
            if self.tasks(job).iter().all(|placed| matches!(placed.state, TaskState::Done(_))) {
                self.finish(job)?;
            }
            return Ok(());
        }
        // An owner may have taken the rest of what was reserved; that is no overrun.
        let is_overrun = self.now() >= placed.hold.start + placed.estimate;
        match self.rules.overrun {
            OverrunRule::Ended if is_overrun => {
                self.withdraw(job, Loss::Limit)?;
                self.give_up(job, Reason::Overran)
            }
            OverrunRule::Ended => self.go_on(job, task, done),
            rule @ (OverrunRule::GoesOn | OverrunRule::Extended) => {
                // A job does not drive itself away: its own later tasks wait for this one under either rule.
                let is_first = rule == OverrunRule::Extended;
                let moved = self.clear_way(placed.node, done, |other| is_first || other == job)?;
                self.go_on(job, task, done)?;
                let cause = if is_first { Cause::Job } else { Cause::Input };
                moved.into_iter().try_for_each(|(job, task)| self.find_another_place(job, task, cause))
            }
        }
    }

    /// A task that is not done at the end of what it reserved goes on while the node is free, or is displaced. How long
    /// it will take is known from then on.
    fn go_on(&mut self, job: JobId, task: u32, done: Time) -> Result<(), GridError> {
        let (now, placed) = (self.now(), self.tasks(job)[task as usize]);
        let site = &mut self.sites[placed.node.index()];
        match site.timeline.free_at(now) {
            Some(free) => {
                let end = done.min(free.end);
                site.extend(placed.hold.start, end)?;
                self.tasks(job)[task as usize].hold.end = end;
                let piece = self.piece(job, task);
                self.note(Event::Extended(piece, Interval::new(now, end)));
                self.end_at(job, task, end)
            }
            None => {
                let cause = if site.hold_from(now).is_some() { Cause::Job } else { Cause::Owner };
                self.displace(job, task, cause)
            }
        }
    }

    /// Takes the time on a node from now until `end` from jobs that have reserved it, as far as no owner has it and they
    /// yield; the tasks that have lost their places.
    fn clear_way(
        &mut self,
        node: NodeId,
        end: Time,
        yields: impl Fn(JobId) -> bool,
    ) -> Result<Vec<(JobId, u32)>, GridError> {
        let mut moved = Vec::new();
        loop {
            let site = &self.sites[node.index()];
            let free = site.timeline.free_at(self.now()).map_or(self.now(), |free| free.end);
            match site.hold_from(free).filter(|hold| free < end && yields(hold.job)) {
                Some(hold) => {
                    self.release(hold.job, hold.task)?;
                    moved.push((hold.job, hold.task));
                }
                None => return Ok(moved),
            }
        }
    }

    /// A running task leaves its node, and what it has reserved there is given back.
    pub(super) fn stop(&mut self, job: JobId, task: u32, ending: Ending) -> Result<(), GridError> {
        let piece = self.piece(job, task);
        self.sites[piece.node.index()].occupant = None;
        self.look_at(piece.node);
        self.note(Event::Ended(piece, ending));
        let state = match ending {
            Ending::Done => TaskState::Done(self.now()),
            Ending::Broken(..) => TaskState::Waiting,
        };
        self.tasks(job)[task as usize].state = state;
        self.release(job, task)
    }

    /// A running task is broken off; what its checkpoints have saved is kept.
    pub(super) fn break_off(&mut self, job: JobId, task: u32, loss: Loss) -> Result<(), GridError> {
        let saved = self.save(job, task);
        self.stop(job, task, Ending::Broken(loss, saved))
    }

    /// A running task has to leave its node before it is done.
    pub(super) fn displace(&mut self, job: JobId, task: u32, cause: Cause) -> Result<(), GridError> {
        self.break_off(job, task, cause.into())?;
        self.repair_broken(job, task, cause)
    }

    /// Takes all places from a job; what it has done is lost.
    pub(super) fn withdraw(&mut self, job: JobId, loss: Loss) -> Result<(), GridError> {
        self.take_places(job, loss)?;
        let state = &mut self.jobs[job];
        if !state.tasks.is_empty() || !state.saved.is_empty() {
            (state.tasks, state.saved, state.rest) = (Vec::new(), Vec::new(), None);
            self.note(Event::Lost(job, loss));
        }
        Ok(())
    }

    /// Takes all places from a job.
    pub(super) fn take_places(&mut self, job: JobId, loss: Loss) -> Result<(), GridError> {
        for task in 0..self.tasks(job).len() as u32 {
            match self.tasks(job)[task as usize].state {
                TaskState::Running(_) => self.break_off(job, task, loss)?,
                TaskState::Waiting | TaskState::Done(_) => self.release(job, task)?,
            }
        }
        Ok(())
    }
}
