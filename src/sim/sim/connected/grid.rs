//! The state of a connected grid.

use super::batch_systems::BatchSystems;
use super::empty_grid::EmptyGrid;
use super::idle_nodes::IdleNodes;
use super::job_states::{JobStage, JobStates, PlacedTask};
use super::journal::{Event, GridEntry, Loss, Observer, Piece, Reason};
use super::line::{InLine, WaitingLine};
use super::rules::GridRules;
use super::site::Site;
use super::{CYCLES, DEADLINES, FAILURES, GridStep, LAST, OWNERS, SUBMISSIONS};
use crate::engine::{Handle, Kernel, LimitHit, ScheduleError, Stop, Stopped};
use crate::model::{JobId, Node, NodeId, NotFree, TimelineError};
use crate::policy::{Acts, Policy, PolicyError, Why};
use crate::queueing::Order;
use crate::search::NodesByRate;
use crate::units::{Overflow, Performance, Span, Time, UnitsError};
use crate::workload::GridWorld;
use std::cell::OnceCell;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum GridError {
    /// An event could not be scheduled.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// Numbers left their range.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The run came to one of its limits.
    #[error(transparent)]
    Limit(#[from] LimitHit),
    /// A price left its range.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// The policy failed.
    #[error("policy {policy} failed at time {time}: {reason}")]
    Policy {
        /// Its name.
        policy: String,
        /// The simulated time.
        time: Time,
        /// Why.
        reason: PolicyError,
    },
    /// The policy decided on what can't be: a defect of the policy.
    #[error("policy {policy} decided at time {time} on what can't be: {what}")]
    Decision {
        /// Its name.
        policy: String,
        /// The simulated time.
        time: Time,
        /// The decision that can't be.
        what: String,
    },
    /// Time was reserved that is not free: a defect.
    #[error("time was reserved that is not free: {0}")]
    NotFree(#[from] TimelineError),
    /// The free time of a node overlaps itself: a defect.
    #[error("free time overlaps: {0}")]
    Slots(#[from] NotFree),
    /// The run was asked to end.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

pub(super) struct GridState<'w> {
    pub(super) world: &'w GridWorld,
    pub(super) rules: &'w GridRules,
    /// Policies poll it; the kernel does so on its own.
    pub(super) stop: &'w Stop,
    pub(super) kernel: Kernel<GridStep>,
    /// The nodes with their present prices.
    pub(super) nodes: Vec<Node>,
    /// By node.
    pub(super) sites: Vec<Site>,
    /// The nodes by price over performance, of the whole grid or by domain as tasks may be moved, once they are asked
    /// for at the present prices.
    pub(super) rates: OnceCell<Vec<NodesByRate>>,
    /// All nodes without anything on them, once a job has to wait.
    pub(super) empty: OnceCell<EmptyGrid>,
    /// The nodes on which nothing runs.
    pub(super) idle: IdleNodes,
    pub(super) jobs: JobStates,
    pub(super) queue: WaitingLine,
    /// The batch systems beneath domains.
    pub(super) systems: BatchSystems,
    /// For each node the owner's tasks in the order in which they are announced.
    pub(super) announcements: Vec<Vec<u32>>,
    /// The domain of each node.
    pub(super) domain: Vec<u32>,
    /// True if the policy is to be asked at the end of this instant.
    pub(super) is_asked: bool,
    /// The next promise that is due, if the policy is to be asked then.
    pub(super) alarm: Option<(Time, Handle)>,
    /// The number of measured jobs that are not decided.
    undecided: usize,
    /// True once the measured interval is over.
    is_draining: bool,
    observer: &'w mut dyn Observer,
}

impl<'w> GridState<'w> {
    pub(super) fn new(
        world: &'w GridWorld,
        rules: &'w GridRules,
        stop: &'w Stop,
        observer: &'w mut dyn Observer,
    ) -> Self {
        let by_announcement = |tasks: &Vec<crate::workload::OwnerTask>| {
            let mut order: Vec<u32> = (0..tasks.len() as u32).collect();
            order.sort_by_key(|&task| tasks[task as usize].announced);
            order
        };
        let domains = world.domains.iter().enumerate();
        let domain: Vec<u32> =
            domains.flat_map(|(index, domain)| std::iter::repeat_n(index as u32, domain.nodes)).collect();
        Self {
            world,
            rules,
            stop,
            kernel: Kernel::obeying(stop).with_most(rules.limits.events).heading_for(world.measured.end),
            nodes: world.nodes.clone(),
            sites: world.nodes.iter().map(|_| Site::new()).collect(),
            rates: OnceCell::new(),
            empty: OnceCell::new(),
            idle: IdleNodes::all(&world.nodes, &domain, world.domains.len()),
            jobs: JobStates::new(world.jobs.len()),
            queue: WaitingLine::default(),
            systems: BatchSystems::new(world, rules),
            announcements: world.owners.iter().map(by_announcement).collect(),
            domain,
            is_asked: false,
            alarm: None,
            undecided: world.jobs.iter().filter(|job| world.measured.contains(job.arrival)).count(),
            is_draining: false,
            observer,
        }
    }

    /// Each source of events schedules its next one when one comes up, so that few are pending.
    pub(super) fn schedule_first(&mut self) -> Result<(), GridError> {
        for node in (0..self.nodes.len() as u32).map(NodeId) {
            self.schedule_announcement(node, 0)?;
            self.schedule_failure(node, 0)?;
        }
        self.schedule_submission(JobId(0))?;
        self.kernel.schedule_at(Time::ZERO, CYCLES, GridStep::Cycle)?;
        self.kernel.schedule_at(self.world.measured.end, LAST, GridStep::Drain)?;
        Ok(())
    }

    /// The measured interval is over, and perhaps the last of its jobs decided: then so is the run.
    pub(super) fn drain(&mut self) {
        self.is_draining = true;
        if self.undecided == 0 {
            self.kernel.stop();
        }
    }

    pub(super) fn schedule_announcement(&mut self, node: NodeId, place: u32) -> Result<(), GridError> {
        if let Some(&task) = self.announcements[node.index()].get(place as usize) {
            let announced = self.world.owners[node.index()][task as usize].announced;
            self.kernel.schedule_at(announced, OWNERS, GridStep::Announce(node, place))?;
        }
        Ok(())
    }

    pub(super) fn schedule_failure(&mut self, node: NodeId, outage: u32) -> Result<(), GridError> {
        if let Some(interval) = self.world.outages[node.index()].get(outage as usize) {
            self.kernel.schedule_at(interval.start, FAILURES, GridStep::NodeFails(node, outage))?;
        }
        Ok(())
    }

    fn schedule_submission(&mut self, job: JobId) -> Result<(), GridError> {
        if let Some(next) = self.world.jobs.get(job.index()) {
            self.kernel.schedule_at(next.arrival, SUBMISSIONS, GridStep::Submit(job))?;
        }
        Ok(())
    }

    /// A user submits a job.
    pub(super) fn submit(&mut self, job: JobId, policy: &mut dyn Policy) -> Result<(), GridError> {
        self.note(Event::Submitted(job));
        self.schedule_submission(JobId(job.0 + 1))?;
        if let Some(deadline) = self.world.jobs[job.index()].request.deadline {
            let passed = deadline <= self.now();
            let phase = if passed { SUBMISSIONS } else { DEADLINES };
            let handle = self.kernel.schedule_at(deadline.max(self.now()), phase, GridStep::Deadline(job))?;
            self.jobs[job].deadline = Some(handle);
        }
        let is_local = self.goes_home(job);
        self.wait(job);
        // A deadline that has passed already is dealt with next.
        if !is_local
            && self.rules.acts == Acts::Submission
            && self.world.jobs[job.index()].request.deadline.is_none_or(|end| end > self.now())
        {
            self.offer(Some(job), Why::Submission, policy)?;
        }
        Ok(())
    }

    /// Puts a job into the queue by its rank, or into that of its batch system.
    pub(super) fn wait(&mut self, job: JobId) {
        self.jobs[job].stage = JobStage::Waiting;
        if self.systems.wait(job) {
            return;
        }
        let (is_workflow, promise) = (self.world.jobs[job.index()].workflow.is_some(), self.jobs[job].promise);
        let has_hope = self.has_hope(job);
        let known = InLine { job, rank: self.rank(job), size: self.size_in_line(job), promise, is_workflow, has_hope };
        self.queue.push(known);
    }

    fn rank(&self, job: JobId) -> i64 {
        let [price, nearness, attempts, wait] = self.rules.rank;
        let submitted = self.world.jobs[job.index()].arrival;
        let request = &self.world.jobs[job.index()].request;
        match self.rules.order {
            Order::Arrival => return 0,
            Order::Shortest => {
                let runtime = self.rules.rule.runtime(self.request(job), Performance::from_units(1));
                return -runtime.map_or(i64::MAX, Span::ticks);
            }
            Order::Largest => return i64::try_from(request.nodes).unwrap_or(i64::MAX),
            Order::Price => return request.max_price.ticks(),
            Order::Rank => (),
        }
        let deadline = request.deadline.map_or(0.0, |deadline| -nearness * deadline.as_f64());
        let tried = f64::from(self.jobs[job].attempts);
        let rank = price * request.max_price.as_f64() + deadline + attempts * tried - wait * submitted.as_f64();
        // Ranks are compared to a millionth; a cast from a float stays within the range of the integer.
        (rank * 1e6) as i64
    }

    /// A job's deadline has passed, and it is not done.
    pub(super) fn deadline(&mut self, job: JobId) -> Result<(), GridError> {
        self.jobs[job].deadline = None;
        let reason = if self.queue.remove(job) || self.systems.remove(job) { Reason::Expired } else { Reason::Late };
        self.withdraw(job, Loss::Deadline)?;
        self.give_up(job, reason)
    }

    /// A job leaves the grid without having been done.
    pub(super) fn give_up(&mut self, job: JobId, reason: Reason) -> Result<(), GridError> {
        self.note(Event::GaveUp(job, reason));
        self.leave(job)
    }

    /// All tasks of a job are done.
    pub(super) fn finish(&mut self, job: JobId) -> Result<(), GridError> {
        self.note(Event::Finished(job));
        self.leave(job)
    }

    fn leave(&mut self, job: JobId) -> Result<(), GridError> {
        // What is left of a job may wait while its last running task is ended.
        self.queue.remove(job);
        self.systems.remove(job);
        if let Some(handle) = self.jobs.leave(job).deadline {
            self.kernel.cancel(handle);
        }
        if self.world.measured.contains(self.world.jobs[job.index()].arrival) {
            self.undecided -= 1;
            if self.undecided == 0 && self.is_draining {
                self.kernel.schedule_at(self.now(), LAST, GridStep::Drain)?;
            }
        }
        Ok(())
    }

    /// A collision leaves a job without a place; whether it may wait for another cycle.
    pub(super) fn postpone(&mut self, job: JobId, loss: Loss) -> Result<bool, GridError> {
        if self.is_exhausted(job) {
            self.withdraw(job, loss)?;
            self.give_up(job, Reason::Postponed)?;
            return Ok(false);
        }
        self.wait(job);
        self.note(Event::Postponed(job));
        Ok(true)
    }

    /// Jobs of the queue that a cycle found no place for stay in it, unless they were postponed too often.
    pub(super) fn postpone_waiting(&mut self, jobs: impl Iterator<Item = JobId>) -> Result<(), GridError> {
        let mut stay = Vec::new();
        for job in jobs {
            if self.is_exhausted(job) {
                self.observer.postponed(self.now(), &stay);
                stay.clear();
                self.withdraw(job, Loss::Postponed)?;
                self.give_up(job, Reason::Postponed)?;
                continue;
            }
            stay.push(job);
            // Without a weight of attempts a failed one changes no rank.
            if self.rules.order == Order::Rank && self.rules.rank[2] != 0.0 {
                self.wait(job);
            }
        }
        self.observer.postponed(self.now(), &stay);
        Ok(())
    }

    /// Counts a failed attempt; whether it was the last.
    fn is_exhausted(&mut self, job: JobId) -> bool {
        let attempts = &mut self.jobs[job].attempts;
        *attempts = attempts.saturating_add(1);
        *attempts >= self.rules.attempts
    }

    /// The tasks of a job that have or had a place.
    pub(super) fn tasks(&mut self, job: JobId) -> &mut [PlacedTask] {
        &mut self.jobs[job].tasks
    }

    pub(super) fn piece(&mut self, job: JobId, task: u32) -> Piece {
        Piece { job, task, node: self.tasks(job)[task as usize].node }
    }

    /// The time of the clock.
    pub(super) fn now(&self) -> Time {
        self.kernel.now()
    }

    pub(super) fn note(&mut self, what: Event) {
        self.systems.heed(&what, &self.domain);
        self.observer.note(&GridEntry { time: self.now(), what });
    }
}
