//! Both tiers as events: owners, failures, submissions, metascheduler cycles, the start and end of tasks, collisions.
//!
//! At one instant, tasks end first, then deadlines pass, nodes fail and come back, owners announce and start their
//! tasks, jobs are submitted, the metascheduler decides, and at last tasks of jobs start. So a task that ends makes
//! room for one that starts, a job that is done at its deadline is in time, owners come before jobs, and a job may
//! start in the cycle that follows its submission at once. Batch systems beneath domains decide before the metascheduler,
//! and again after it if it sent them jobs.
//!
//! A job keeps what it has reserved; what becomes of a task that runs beyond it is for [`OverrunRule`] to say. Owners and
//! failures don't ask: [`Displacement`] says what a job loses to them. See [`Cause`] and [`Remedy`] for what can happen to
//! a plan and what becomes of it.
//!
//! A run goes on after the measured interval, with jobs and owners coming as before, until the last measured job is
//! decided or the world ends.

mod batch_systems;
mod cycle;
mod empty_grid;
mod execution;
mod grid;
mod idle_nodes;
mod job_states;
mod journal;
mod line;
mod owners;
mod repair;
mod rest;
mod rules;
mod site;

pub use grid::GridError;
pub use journal::{Cause, Ending, Event, GridEntry, GridTrace, Loss, Observer, Piece, Reason, Remedy};
pub use rules::{Displacement, Drain, GridRules, OverrunRule};

use crate::engine::{Ended, LimitHit, Phase, Stop, Stopped};
use crate::model::{JobId, NodeId};
use crate::policy::Policy;
use crate::units::{Span, Time};
use crate::workload::GridWorld;
use grid::GridState;

/// The order of what happens at one instant.
const ENDS: Phase = Phase(0);
const DEADLINES: Phase = Phase(1);
const FAILURES: Phase = Phase(2);
const OWNERS: Phase = Phase(3);
const SUBMISSIONS: Phase = Phase(4);
const CYCLES: Phase = Phase(5);
const QUEUES: Phase = Phase(6);
const STARTS: Phase = Phase(7);
const LAST: Phase = Phase(8);

/// The steps that the kernel is to bring about.
#[derive(Debug, Clone, Copy)]
enum GridStep {
    TaskEnds(JobId, u32),
    Deadline(JobId),
    NodeFails(NodeId, u32),
    NodeReturns(NodeId, u32),
    Announce(NodeId, u32),
    OwnerStarts(NodeId, u32),
    OwnerEnds(NodeId, u32),
    Submit(JobId),
    Cycle,
    Ask,
    Alarm,
    Serve,
    PromiseDue(u32),
    TaskStarts(JobId, u32),
    Drain,
}

/// Runs a world until its end under one policy and records all that happens. The record of a large run is large: see
/// [`observe_grid`].
pub fn simulate_grid(
    world: &GridWorld,
    rules: &GridRules,
    policy: &mut dyn Policy,
    stop: &Stop,
) -> Result<GridTrace, GridError> {
    let mut trace = GridTrace::new(world.end);
    trace.end = observe_grid(world, rules, policy, stop, &mut trace)?;
    Ok(trace)
}

/// Runs a world under one policy until all measured jobs are decided or the world ends, and tells `observer` what
/// happens. The first instant that is not part of the run, or an error if `stop` is set meanwhile. Memory grows with the world and with the jobs that are in the grid at one time, not with what has happened.
pub fn observe_grid(
    world: &GridWorld,
    rules: &GridRules,
    policy: &mut dyn Policy,
    stop: &Stop,
    observer: &mut dyn Observer,
) -> Result<Time, GridError> {
    let mut grid = GridState::new(world, rules, stop, observer);
    grid.schedule_first()?;
    // The run is half-open, as all intervals are: what happens at its end is outside.
    let last = world.end - Span::from_ticks(1);
    let ended = loop {
        let step = match grid.kernel.next_until(last.max(Time::ZERO)) {
            Ok(step) => step,
            Err(ended) => break ended,
        };
        let queues = if matches!(step, GridStep::TaskStarts(..)) { STARTS } else { QUEUES };
        grid.take(step, policy)?;
        grid.serve_later(queues)?;
    };
    match ended {
        Ended::Interrupted => Err(Stopped.into()),
        Ended::Exhausted => {
            let (what, limit) = ("the simulation".to_string(), rules.limits.events);
            Err(LimitHit::Events { what, limit, at: grid.now() }.into())
        }
        // All that happens at the instant of the last decision is part of the run.
        Ended::Stopped => Ok(grid.now() + Span::from_ticks(1)),
        Ended::Empty | Ended::Limit => Ok(world.end),
    }
}

impl GridState<'_> {
    /// Brings about one step.
    fn take(&mut self, step: GridStep, policy: &mut dyn Policy) -> Result<(), GridError> {
        match step {
            GridStep::TaskEnds(job, task) => self.task_ends(job, task)?,
            GridStep::Deadline(job) => self.deadline(job)?,
            GridStep::NodeFails(node, outage) => self.node_fails(node, outage)?,
            GridStep::NodeReturns(node, outage) => self.node_returns(node, outage)?,
            GridStep::Announce(node, place) => self.announce(node, place)?,
            GridStep::OwnerStarts(node, task) => self.owner_starts(node, task)?,
            GridStep::OwnerEnds(node, task) => self.owner_ends(node, task)?,
            GridStep::Submit(job) => self.submit(job, policy)?,
            GridStep::Cycle => return self.cycle(policy),
            GridStep::Ask => return self.ask(policy),
            GridStep::Alarm => return self.alarm(policy),
            GridStep::Serve => return self.serve(),
            GridStep::PromiseDue(domain) => {
                self.promise_due(domain);
                return Ok(());
            }
            GridStep::TaskStarts(job, task) => return self.task_starts(job, task),
            GridStep::Drain => {
                self.drain();
                return Ok(());
            }
        }
        self.something_happened()
    }
}
