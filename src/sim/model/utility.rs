//! A utility grid: resources that rent out processing elements, users who buy time on them, and what was sold.

use crate::units::{Money, Performance, Price, Span, Time, Volume};

/// A resource of equal processing elements (PEs).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The number of its PEs.
    pub pes: u32,
    /// The speed of each PE.
    pub speed: Performance,
    /// The price of one PE per unit of time, by user.
    pub prices: Vec<Price>,
}

/// A job of tasks, each of which takes one PE. All PEs are rented until the largest task ends, and paid for as long
/// (file 003, equation 1), so that the size of the largest is all that brokers need to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UserJob {
    /// The user who pays: the index into a resource's prices.
    pub user: usize,
    /// When it is submitted.
    pub arrival: Time,
    /// The number of its tasks.
    pub tasks: u32,
    /// The work of its largest task.
    pub size: Volume,
    /// The most that the whole job may cost.
    pub budget: Money,
    /// When every task must have finished.
    pub deadline: Time,
}

/// The ways in which the tasks of a job may be placed.
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
    /// The number of tasks that run there, each on a PE of its own.
    pub tasks: u32,
    /// From when on.
    pub start: Time,
    /// For how long.
    pub runtime: Span,
    /// The money that is paid for it.
    pub cost: Money,
}
