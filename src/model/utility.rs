//! A utility grid: resources that rent out processing elements, users who buy time on them, and what was sold.

use crate::units::{Money, Performance, Price, Span, Time, Volume};

/// A resource of equal processing elements (PEs).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// How many PEs it has.
    pub pes: u32,
    /// How fast each of them is.
    pub speed: Performance,
    /// What one PE costs per unit of time, by user.
    pub prices: Vec<Price>,
}

/// A job of equal tasks, each of which takes one PE.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserJob {
    /// Who pays: the index into a resource's prices.
    pub user: usize,
    /// When it is submitted.
    pub arrival: Time,
    /// How many tasks it has.
    pub tasks: u32,
    /// How much work each task is.
    pub size: Volume,
    /// The most that the whole job may cost.
    pub budget: Money,
    /// When every task must have finished.
    pub deadline: Time,
}

/// How the tasks of a job may be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grain {
    /// All at once on one resource, or not at all: a single-grid-node (SGN) job.
    Whole,
    /// Each on any resource, at any time: a multi-grid-node (MGN) job.
    Split,
}

/// PEs that a job has for a while.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// The index of the job.
    pub job: usize,
    /// The index of the resource.
    pub resource: usize,
    /// How many tasks run there, each on a PE of its own.
    pub tasks: u32,
    /// From when on.
    pub start: Time,
    /// For how long.
    pub runtime: Span,
    /// What is paid for it.
    pub cost: Money,
}
