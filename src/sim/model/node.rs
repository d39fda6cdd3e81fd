//! Nodes and the slots on them.

use super::Interval;
use crate::units::{Performance, Power, Price};
use serde::Serialize;
use std::fmt;

/// The position of a node in its grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The position as an index into the grid's nodes.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Display for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// One machine (the papers' resource line).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its name, unique in its grid.
    pub name: String,
    /// Its speed; above zero.
    pub performance: Performance,
    /// The price that its owner charges per unit of time.
    pub price: Price,
    /// The power that it draws while a task runs on it.
    pub power: Power,
}

/// An interval on one node: free in a slot list, held in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot {
    /// Where.
    pub node: NodeId,
    /// When.
    pub interval: Interval,
}
