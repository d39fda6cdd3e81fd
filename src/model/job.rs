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
    /// The actual runtimes of its tasks, as shares of their estimates: one for each task, or one for all.
    pub actual: Vec<f64>,
}

impl Job {
    /// The actual runtime of task `task` where it was estimated to run for `estimate`.
    pub fn actual_runtime(&self, task: usize, estimate: Span) -> Span {
        let share = self.actual.get(task).or(self.actual.first()).copied().unwrap_or(1.0);
        // A share of a span is within reach unless the share is absurd; then the task never ends by itself.
        Span::from_f64(estimate.as_f64() * share).unwrap_or(Span::REACH).clamp(Span::from_ticks(1), Span::REACH)
    }
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
