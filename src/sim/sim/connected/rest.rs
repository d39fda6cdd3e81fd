//! What is left to do of a job that lost a place after a part of it was done.
//!
//! Finished tasks of a workflow keep their data, and tasks that run elsewhere go on: a scheduler sees a job of the tasks
//! that are left, which may start once the data of the others are there. What checkpoints have saved of a rigid job or of
//! a task makes the rest shorter.

use super::grid::GridState;
use super::job_states::{PlacedTask, TaskState};
use super::repair::planned_cost;
use crate::model::{CostLimit, Dag, Edge, Job, JobId, Request, Task, TaskId};
use crate::units::{Money, Span, Time, Volume};
use crate::workload::{RuntimeRule, least_time};

/// What is left to do of a job.
#[derive(Debug)]
pub(super) struct RestOfJob {
    /// The request for it.
    pub(super) request: Request,
    /// Of a workflow, the tasks that have no place and are not done, in their order.
    pub(super) workflow: Option<Dag>,
    /// Their numbers in the whole workflow.
    pub(super) tasks: Vec<u32>,
    /// The part of the time that the whole job takes at least.
    share: f64,
    /// When the data that they need from the others will be everywhere, as far as is known.
    pub(super) ready: Time,
    /// The part of the budget that is left for them.
    pub(super) budget: Option<Money>,
}

impl GridState<'_> {
    /// The share of a task's estimated runtime that checkpoints have saved.
    pub(super) fn saved_share(&self, job: JobId, task: u32) -> f64 {
        let saved = &self.jobs[job].saved;
        saved.get(task as usize).or(saved.first()).copied().unwrap_or(0.0)
    }

    /// The request for what is left of a job.
    pub(super) fn request(&self, job: JobId) -> &Request {
        let rest = self.jobs[job].rest.as_ref().map(|rest| &rest.request);
        rest.unwrap_or(&self.world.jobs[job.index()].request)
    }

    /// The share of a task's estimate that is thought to be left.
    fn share_left(&self, job: JobId, task: u32, saved: f64) -> f64 {
        self.world.jobs[job.index()].share_left(task as usize, saved, self.rules.displacement.least_rest())
    }

    /// The volume that is left of a task of a workflow.
    pub(super) fn volume(&self, dag: &Dag, job: JobId, task: u32) -> Volume {
        let whole = dag.tasks()[task as usize].volume;
        match self.saved_share(job, task) {
            0.0 => whole,
            // A share of a volume is a volume.
            saved => Volume::from_f64(whole.as_f64() * self.share_left(job, task, saved)).unwrap_or(whole),
        }
    }

    /// Remembers what checkpoints have saved of a running task that is about to be broken off; the part of its run that
    /// is not lost.
    pub(super) fn save(&mut self, job: JobId, task: u32) -> Span {
        let (now, placed) = (self.now(), self.tasks(job)[task as usize]);
        let saved = self.rules.displacement.saved(now - placed.hold.start);
        if saved == Span::ZERO {
            return saved;
        }
        // Shares of the whole task, of which the estimate of this run may be a part.
        let share = |grid: &Self, placed: &PlacedTask, task: u32| {
            let left = grid.share_left(job, task, grid.saved_share(job, task));
            saved.as_f64() / placed.estimate.as_f64() * left
        };
        let tasks = &self.jobs[job].tasks;
        if self.world.jobs[job.index()].workflow.is_some() {
            let share = share(self, &placed, task);
            let state = &mut self.jobs[job];
            state.saved.resize(state.tasks.len(), 0.0);
            state.saved[task as usize] += share;
        } else if self.jobs[job].saved_at != Some(now) {
            // The tasks of a rigid job stop together, and all go on from where the slowest was.
            let running = tasks.iter().filter(|placed| matches!(placed.state, TaskState::Running(_)));
            let least = running.map(|placed| share(self, placed, 0)).fold(f64::INFINITY, f64::min);
            let state = &mut self.jobs[job];
            state.saved.resize(1, 0.0);
            state.saved[0] += least;
            state.saved_at = Some(now);
            let saved = state.saved[0];
            let whole = &self.world.jobs[job.index()].request;
            let left = self.share_left(job, 0, saved);
            let length = Span::from_f64(whole.length.as_f64() * left).unwrap_or(whole.length);
            let request = Request { length: length.max(Span::from_ticks(1)), ..whole.clone() };
            let rest = RestOfJob { request, workflow: None, tasks: Vec::new(), share: 1.0, ready: now, budget: None };
            self.jobs[job].rest = Some(Box::new(rest));
        }
        saved
    }

    /// Works out what is left of a workflow of which some tasks have begun.
    pub(super) fn renew_rest(&mut self, job: JobId) {
        let Job { request, workflow: Some(dag), .. } = &self.world.jobs[job.index()] else { return };
        let state = &self.jobs[job];
        if state.tasks.is_empty() && state.saved.is_empty() {
            return;
        }
        let is_left = |task: usize| state.tasks.get(task).is_none_or(|placed| placed.state == TaskState::Waiting);
        let tasks: Vec<u32> = (0..dag.tasks().len()).filter(|&task| is_left(task)).map(|task| task as u32).collect();
        let place = |task: TaskId| tasks.binary_search(&task.0).ok();
        let now = self.now();
        let mut ready = now;
        for edge in dag.edges().iter().filter(|edge| place(edge.to).is_some() && place(edge.from).is_none()) {
            let before = &state.tasks[edge.from.index()];
            let made = if let TaskState::Done(at) = before.state { at } else { before.hold.end };
            ready = ready.max(made + edge.transfer);
        }
        // A job that waits is asked about at every event, and mostly no task has begun or ended since the last one.
        let is_known = state.rest.as_ref().is_some_and(|rest| {
            let mut left = rest.workflow.iter().flat_map(Dag::tasks).map(|task| task.volume);
            rest.tasks == tasks && tasks.iter().all(|&task| left.next() == Some(self.volume(dag, job, task)))
        });
        let new = if is_known { None } else { Some(self.part(job, dag, &tasks)) };
        let nodes = request.nodes.min(tasks.len()).max(1);
        let time = |dag: &Dag, nodes: usize| least_time(dag, request.min_performance, nodes).map_or(1.0, Span::as_f64);
        let share = match (&new, &state.rest) {
            (Some(Some(rest)), _) => time(rest, nodes) / time(dag, request.nodes),
            // A part of a graph without circles has none.
            (Some(None), _) | (None, None) => return,
            (None, Some(rest)) => rest.share,
        };
        // The window reaches from now on to where the rest would end.
        let delay = match self.rules.rule {
            RuntimeRule::Reference => (ready - now).as_f64() * request.min_performance.as_f64(),
            RuntimeRule::Volume => (ready - now).as_f64(),
        };
        let length = Span::from_f64(request.length.as_f64() * share + delay).unwrap_or(request.length);
        let begun = state.tasks.iter().filter(|placed| placed.state != TaskState::Waiting);
        let budget = match self.rules.limit {
            CostLimit::PerSlot => None,
            CostLimit::Total(_) => {
                let spent = planned_cost(begun).unwrap_or(Money::MAX);
                Some(self.budget(job).checked_sub(spent).unwrap_or(Money::ZERO))
            }
        };
        let length = length.max(Span::from_ticks(1));
        match (new.flatten(), &mut self.jobs[job].rest) {
            (Some(part), rest) => {
                let (request, workflow) = (Request { nodes, length, ..request.clone() }, Some(part));
                *rest = Some(Box::new(RestOfJob { request, workflow, tasks, share, ready, budget }));
            }
            (None, Some(rest)) => (rest.request.length, rest.ready, rest.budget) = (length, ready, budget),
            (None, None) => {}
        }
    }

    /// The part of a workflow that these tasks are, in rising order.
    fn part(&self, job: JobId, dag: &Dag, tasks: &[u32]) -> Option<Dag> {
        let place = |task: TaskId| tasks.binary_search(&task.0).ok().map(|place| TaskId(place as u32));
        let within = |edge: &Edge| Some(Edge { from: place(edge.from)?, to: place(edge.to)?, ..*edge });
        let left =
            |&task: &u32| Task { name: dag.tasks()[task as usize].name.clone(), volume: self.volume(dag, job, task) };
        Dag::new(tasks.iter().map(left).collect(), dag.edges().iter().filter_map(within).collect()).ok()
    }
}
