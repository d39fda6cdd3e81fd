//! What happened, in order.

use crate::model::{Interval, NodeId};
use crate::units::Time;

/// The record of one run: everything that happened before its end, in order of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// From the first instant simulated to the first that is not.
    pub bounds: Interval,
    /// How many nodes took part.
    pub nodes: usize,
    /// What happened.
    pub entries: Vec<Entry>,
}

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// When.
    pub time: Time,
    /// On which node.
    pub node: NodeId,
    /// What.
    pub what: Happening,
}

/// What can happen to a node's local tasks; they are numbered on each node in order of arrival, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Happening {
    /// The owner submitted a local task.
    Arrived(u32),
    /// A local task began to run.
    Started(u32),
    /// A local task ended.
    Finished(u32),
}
