//! The repair of a plan that met something it had not reckoned with.
//!
//! A rigid job that has not begun tries, in this order, another node for the task that was hit, and a later start on the
//! same nodes before the next cycle. A workflow puts the task, and all that come after it and are thereby late, where
//! they end first: on the same node or another. The other node is one of the same domain or any, as batches are made for
//! one domain or for all; those of a batch system are for the jobs of its queue. Budget and deadline are kept. If that
//! fails the job, or what is left of it, waits for another decision; [`Displacement`] says what it loses. Where that is
//! the whole job, a workflow one of whose tasks is broken off waits for another decision at once.

use super::execution::Planned;
use super::grid::{GridError, GridState};
use super::job_states::{JobStage, PlacedTask, TaskState};
use super::journal::{Cause, Event, Remedy};
use super::rules::Displacement;
use super::{GridStep, STARTS};
use crate::model::{CostLimit, Domain, Interval, JobId, NodeId, TaskId};
use crate::policy::BatchScope;
use crate::search::{NodesByRate, budget};
use crate::units::{Money, Performance, Rounding, Span, Time, Volume, runtime_at};

impl GridState<'_> {
    /// Finds another place for a task of a workflow that was broken off, unless all of it is lost with the task. A rigid job that
    /// has begun waits for another decision, also if it has a single node: a queue would otherwise lose to it what others were
    /// promised.
    pub(super) fn repair_broken(&mut self, job: JobId, task: u32, cause: Cause) -> Result<(), GridError> {
        let is_workflow = self.world.jobs[job.index()].workflow.is_some();
        let goes_on = is_workflow && self.rules.displacement != Displacement::Job;
        if goes_on || self.jobs[job].stage == JobStage::Waiting {
            return self.repair(job, task, cause);
        }
        let piece = self.piece(job, task);
        let remedy = self.send_back(job, cause)?;
        self.note(Event::Collided(piece, cause, remedy));
        Ok(())
    }

    /// Finds another place for a task that has lost its own, or for its job.
    pub(super) fn repair(&mut self, job: JobId, task: u32, cause: Cause) -> Result<(), GridError> {
        let piece = self.piece(job, task);
        let remedy = match self.world.jobs[job.index()].workflow {
            // What is left of the job waits already: so does this task from now on.
            _ if self.jobs[job].stage == JobStage::Waiting => Some(Remedy::Restarted),
            Some(_) => self.repair_workflow(job, task)?,
            None => self.repair_rigid(job, task)?,
        };
        let remedy = match remedy {
            Some(remedy) => remedy,
            None => self.send_back(job, cause)?,
        };
        self.note(Event::Collided(piece, cause, remedy));
        Ok(())
    }

    /// Lets a job without a place for one of its tasks wait for another decision, with what it may keep.
    fn send_back(&mut self, job: JobId, cause: Cause) -> Result<Remedy, GridError> {
        let is_workflow = self.world.jobs[job.index()].workflow.is_some();
        match self.rules.displacement {
            Displacement::Task | Displacement::Checkpoint { .. } if is_workflow => {
                // What is done or under way stays so.
                for task in 0..self.tasks(job).len() as u32 {
                    if self.tasks(job)[task as usize].state == TaskState::Waiting {
                        self.release(job, task)?;
                    }
                }
            }
            Displacement::Checkpoint { .. } if !self.jobs[job].saved.is_empty() => {
                self.take_places(job, cause.into())?;
                self.jobs[job].tasks = Vec::new();
            }
            _ => self.withdraw(job, cause.into())?,
        }
        Ok(if self.postpone(job, cause.into())? { Remedy::Restarted } else { Remedy::Failed })
    }

    /// Finds another place for a task whose own was taken from it before it began. Its job may have lost all its places
    /// meanwhile, through another of its tasks.
    pub(super) fn find_another_place(&mut self, job: JobId, task: u32, cause: Cause) -> Result<(), GridError> {
        let is_placed = self.jobs[job].stage == JobStage::Placed;
        match self.tasks(job).get(task as usize) {
            Some(placed) if is_placed && placed.state == TaskState::Waiting && !placed.held => {
                self.repair(job, task, cause)
            }
            _ => Ok(()),
        }
    }

    fn repair_rigid(&mut self, job: JobId, task: u32) -> Result<Option<Remedy>, GridError> {
        if self.tasks(job).iter().any(|placed| placed.state != TaskState::Waiting) {
            return Ok(None);
        }
        let remedy = if self.replace(job, task)? {
            Remedy::Moved
        } else if self.shift(job)? {
            Remedy::Shifted
        } else {
            return Ok(None);
        };
        // The event that starts the job may be the one in which the collision came up.
        let first = self.tasks(job)[0];
        if first.event.is_none() {
            let event = self.kernel.schedule_at(first.hold.start, STARTS, GridStep::TaskStarts(job, 0))?;
            self.tasks(job)[0].event = Some(event);
        }
        Ok(Some(remedy))
    }

    /// Another node takes one task of a rigid job from the same start on: the cheapest within the budget.
    fn replace(&mut self, job: JobId, task: u32) -> Result<bool, GridError> {
        let tasks = self.tasks(job).to_vec();
        let hit = tasks[task as usize];
        // Without others to start with, the task starts as soon as it can.
        let start = if tasks.len() == 1 { hit.hold.start.max(self.now()) } else { hit.hold.start };
        if start < self.now() {
            return Ok(false);
        }
        let request = self.request(job).clone();
        let others = tasks.iter().enumerate().filter(|(other, _)| *other != task as usize).map(|(_, placed)| placed);
        let Ok(spent) = planned_cost(others.clone()) else { return Ok(false) };
        let used: Vec<NodeId> = others.map(|placed| placed.node).collect();
        let budget = self.budget(job);
        let found = self.rates_around(hit.node).cheapest(&request, |node| {
            let estimate = self.rules.rule.runtime(&request, self.nodes[node.index()].performance)?;
            let interval = Interval::new(start, start + estimate);
            if used.contains(&node) || !self.is_good_enough(job, node, interval) {
                return None;
            }
            let price = self.nodes[node.index()].price;
            let cost = price.checked_mul(estimate).ok()?;
            let is_affordable = spent.checked_add(cost).is_ok_and(|total| total <= budget);
            is_affordable.then_some((cost, Planned { node, interval, price }))
        });
        let Some((.., planned)) = found else { return Ok(false) };
        self.release(job, task)?;
        self.reserve(job, task, planned)?;
        Ok(true)
    }

    /// The same by price over performance.
    fn rates_around(&self, node: NodeId) -> &NodesByRate {
        let rule = self.rules.rule;
        let by_rate = |domain: &Domain| {
            let nodes = domain.first.index()..domain.first.index() + domain.nodes;
            NodesByRate::new(domain.first, &self.nodes[nodes], rule)
        };
        let is_split = self.rules.scope == BatchScope::Domain;
        let rates = self.rates.get_or_init(|| match is_split {
            true => self.world.domains.iter().map(by_rate).collect(),
            false => vec![NodesByRate::new(NodeId(0), &self.nodes, rule)],
        });
        &rates[if is_split { self.domain[node.index()] as usize } else { 0 }]
    }

    /// The nodes to which a task may be moved.
    fn nodes_around(&self, node: NodeId) -> impl Iterator<Item = NodeId> + use<> {
        match self.rules.scope {
            BatchScope::Domain => {
                let domain = &self.world.domains[self.domain[node.index()] as usize];
                domain.first.0..domain.first.0 + domain.nodes as u32
            }
            BatchScope::Grid => 0..self.nodes.len() as u32,
        }
        .map(NodeId)
    }

    /// True if a node is up, fast enough, not too expensive, and free during `interval`, which keeps the deadline.
    fn is_good_enough(&self, job: JobId, node: NodeId, interval: Interval) -> bool {
        let request = &self.world.jobs[job.index()].request;
        let offered = &self.nodes[node.index()];
        let is_cheap = self.rules.limit != CostLimit::PerSlot || offered.price <= request.max_price;
        is_cheap
            && offered.performance >= request.min_performance
            && request.deadline.is_none_or(|deadline| interval.end <= deadline)
            && !self.sites[node.index()].is_down
            && self.is_open(job, node)
            && self.sites[node.index()].timeline.is_free(interval)
    }

    /// True if a job may be put on a node without asking anybody: batch systems have promised their time to their queues.
    fn is_open(&self, job: JobId, node: NodeId) -> bool {
        let domain = self.domain[node.index()];
        match self.systems.domain_of(job) {
            Some(own) => own == domain,
            None => self.world.systems[domain as usize].is_none(),
        }
    }

    /// The most a job may cost.
    pub(super) fn budget(&self, job: JobId) -> Money {
        match self.rules.limit {
            CostLimit::PerSlot => Money::MAX,
            // That of a workflow is for all its tasks, done or not.
            CostLimit::Total(factor) => match self.world.jobs[job.index()].workflow {
                Some(_) => budget(&self.world.jobs[job.index()].request, factor),
                None => budget(self.request(job), factor),
            },
        }
    }

    /// All tasks of a rigid job start later on their nodes, but before the next cycle could do better. The prices
    /// agreed on stay.
    fn shift(&mut self, job: JobId) -> Result<bool, GridError> {
        let mut tasks = self.tasks(job).to_vec();
        for (task, placed) in tasks.iter_mut().enumerate() {
            self.release(job, task as u32)?;
            // What checkpoints have saved need not be reserved again.
            let performance = self.nodes[placed.node.index()].performance;
            if let Some(estimate) = self.rules.rule.runtime(self.request(job), performance) {
                placed.estimate = estimate;
            }
        }
        let mut start = self.now();
        let latest = start + self.rules.period;
        loop {
            let mut common = start;
            for placed in &tasks {
                let site = &self.sites[placed.node.index()];
                let first = site.timeline.first_fit(start, placed.estimate).filter(|_| !site.is_down);
                let Some(first) = first.filter(|&first| first <= latest) else { return Ok(false) };
                common = common.max(first);
            }
            if common == start {
                break;
            }
            start = common;
        }
        let deadline = self.world.jobs[job.index()].request.deadline.unwrap_or(Time::MAX);
        if tasks.iter().any(|placed| start + placed.estimate > deadline || !self.is_open(job, placed.node)) {
            return Ok(false);
        }
        for (task, placed) in tasks.iter().enumerate() {
            let interval = Interval::new(start, start + placed.estimate);
            self.reserve(job, task as u32, Planned { node: placed.node, interval, price: placed.price })?;
        }
        Ok(true)
    }

    /// Puts a task of a workflow, and those behind it that would start before their data come, where they end first.
    fn repair_workflow(&mut self, job: JobId, hit: u32) -> Result<Option<Remedy>, GridError> {
        let Some(dag) = &self.world.jobs[job.index()].workflow else { return Ok(None) };
        let mut remedy = None;
        for &TaskId(task) in dag.order() {
            let placed = self.tasks(job)[task as usize];
            let ready = self.inputs_at(job, task, placed.node).unwrap_or(Time::ZERO);
            let is_late = placed.state == TaskState::Waiting && ready > placed.hold.start;
            if task != hit && !is_late {
                continue;
            }
            let before = self.piece(job, task);
            self.release(job, task)?;
            let Some(planned) = self.earliest_end(job, task) else { return Ok(None) };
            self.reserve(job, task, planned)?;
            let found = if planned.node == before.node { Remedy::Shifted } else { Remedy::Moved };
            if task == hit {
                remedy = Some(found);
            } else {
                self.note(Event::Collided(before, Cause::Input, found));
            }
        }
        Ok(remedy)
    }

    /// Where and when a task of a workflow can end first, within budget and deadline; the same node if it is as good.
    fn earliest_end(&self, job: JobId, task: u32) -> Option<Planned> {
        let asked = &self.world.jobs[job.index()];
        let dag = asked.workflow.as_ref()?;
        let tasks = &self.jobs[job].tasks;
        let own = tasks[task as usize].node;
        let others = tasks.iter().enumerate().filter(|(other, _)| *other != task as usize).map(|(_, placed)| placed);
        let spent = planned_cost(others).ok()?;
        let (budget, deadline) = (self.budget(job), asked.request.deadline.unwrap_or(Time::MAX));
        let volume = self.volume(dag, job, task);
        let mut best: Option<(Time, bool, Money, Planned)> = None;
        for node in self.nodes_around(own) {
            if self.sites[node.index()].is_down {
                continue;
            }
            let Some(estimate) = estimate(volume, self.nodes[node.index()].performance) else { continue };
            let from = self.inputs_at(job, task, node).unwrap_or(self.now()).max(self.now());
            // The time of a node that could not end first anyway need not be looked at.
            let latest = best.map_or(deadline, |(end, ..)| end.min(deadline));
            if from + estimate > latest {
                continue;
            }
            let Some(start) = self.sites[node.index()].timeline.first_fit(from, estimate) else { continue };
            let interval = Interval::new(start, start + estimate);
            let Ok(cost) = self.nodes[node.index()].price.checked_mul(estimate) else { continue };
            let is_affordable = spent.checked_add(cost).is_ok_and(|total| total <= budget);
            if interval.end > latest || !is_affordable || !self.is_good_enough(job, node, interval) {
                continue;
            }
            let price = self.nodes[node.index()].price;
            let found = (interval.end, node != own, cost, Planned { node, interval, price });
            if best.is_none_or(|best| (found.0, found.1, found.2) < (best.0, best.1, best.2)) {
                best = Some(found);
            }
        }
        best.map(|(.., planned)| planned)
    }
}

/// The estimated runtime of a task of a workflow: one that takes no time still has to be started and ended.
fn estimate(volume: Volume, performance: Performance) -> Option<Span> {
    runtime_at(volume, performance, Rounding::Tick).map(|span| span.max(Span::from_ticks(1)))
}

/// The planned cost of tasks.
pub(super) fn planned_cost<'a>(tasks: impl Iterator<Item = &'a PlacedTask>) -> Result<Money, crate::units::Overflow> {
    tasks
        .map(|placed| placed.price.checked_mul(placed.estimate))
        .try_fold(Money::ZERO, |total, cost| total.checked_add(cost?))
}
