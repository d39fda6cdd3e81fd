//! Jobs of the global flow.

use super::{Dag, Request};
use crate::units::{Money, Time};

/// The position of a job in its flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JobId(pub u32);

/// What a user submits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Job {
    /// Its name.
    pub name: String,
    /// Who pays.
    pub user: String,
    /// When it is submitted.
    pub arrival: Time,
    /// The most it may cost.
    pub budget: Option<Money>,
    /// When it must have finished.
    pub deadline: Option<Time>,
    /// What has to be done.
    pub work: Work,
}

/// The two shapes of work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Work {
    /// Several nodes at once, all from the same instant on.
    Rigid(Request),
    /// Tasks that depend on each other.
    Workflow(Dag),
}
