//! Jobs of the global flow, and the domains they run in.

use super::{Dag, NodeId, Request};
use crate::units::{Span, Time};
use std::fmt;

/// The position of a job in the order of submission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u32);

impl JobId {
    /// The position as an index into the jobs.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "job {}", self.0)
    }
}

/// A job as a user submits it.
#[derive(Debug, Clone, PartialEq)]
pub struct Job {
    /// The user who pays: the position among the users.
    pub user: u32,
    /// When it is submitted.
    pub arrival: Time,
    /// The nodes it asks for.
    pub request: Request,
    /// The tasks that are to be placed on those nodes; without any, the job runs on all of them from the same instant
    /// on.
    pub workflow: Option<Box<Dag>>,
    /// The criterion by which its tasks are placed, if its user has one.
    pub strategy: Option<Strategy>,
    /// The actual runtimes of its tasks, as shares of their estimates: one for each task, or one for all.
    pub actual: Vec<f64>,
    /// The position of the domain whose batch system it is submitted to; nothing for a global job.
    pub home: Option<u32>,
}

impl Job {
    /// The actual runtime of task `task` where it was estimated to run for `estimate`.
    pub fn actual_runtime(&self, task: usize, estimate: Span) -> Span {
        self.actual_rest(task, estimate, 0.0, Span::ZERO)
    }

    /// The actual runtime of what is left of a task of which `saved` is done, as a share of the estimate for all of it,
    /// where the [rest](Self::share_left), of the `least` length that is planned, was estimated to run for `estimate`.
    pub fn actual_rest(&self, task: usize, estimate: Span, saved: f64, least: Span) -> Span {
        let share = self.actual.get(task).or(self.actual.first()).copied().unwrap_or(1.0);
        let rest = (share - saved) / self.share_left(task, saved, least);
        // A share of a span is within reach unless the share is absurd; then the task never ends by itself.
        Span::from_f64(estimate.as_f64() * rest).unwrap_or(Span::REACH).clamp(Span::from_ticks(1), Span::REACH)
    }

    /// The share of a task's estimate that is thought to be left once `saved` of it is done: a tenth at least, and the
    /// `least` time on a node of performance 1. A task that has used up its estimate is not done yet, and for
    /// how much longer it runs is not known.
    pub fn share_left(&self, task: usize, saved: f64, least: Span) -> f64 {
        let whole = match &self.workflow {
            Some(dag) => dag.tasks().get(task).map_or(0.0, |task| task.volume.as_f64()),
            None => self.request.length.as_f64(),
        };
        let least = if whole > 0.0 { least.as_f64() / whole } else { 1.0 };
        (1.0 - saved).max(least.clamp(0.1, 1.0))
    }
}

/// The criterion of a plan for the tasks of a workflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strategy {
    /// The least cost within the deadline, and then the earliest finish.
    Cheapest,
    /// The earliest finish, and then the least cost.
    EarliestFinish,
    /// The latest start within the deadline, and then the least cost.
    LatestStart,
}

/// Nodes under one administration: a range of the grid's nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// Its name.
    pub name: String,
    /// The first of its nodes.
    pub first: NodeId,
    /// The number of its nodes.
    pub nodes: usize,
}

impl Domain {
    /// Its nodes.
    pub fn members(&self) -> impl Iterator<Item = NodeId> + use<> {
        (self.first.0..self.first.0 + self.nodes as u32).map(NodeId)
    }
}
