//! The request of a parallel job.

use crate::units::{Performance, Price, Span, Time};

/// A request for several nodes at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The name of the job that asks.
    pub name: String,
    /// The number of nodes, N.
    pub nodes: usize,
    /// The length of the job, t; what it means for a node's runtime is the runtime rule's to say.
    pub length: Span,
    /// The slowest node that is good enough, P_min.
    pub min_performance: Performance,
    /// The highest price per unit of time and node, C.
    pub max_price: Price,
    /// When the window must have ended, if ever.
    pub deadline: Option<Time>,
}

/// The two readings of a request's maximum price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostLimit {
    /// No slot may cost more per unit of time.
    PerSlot,
    /// All slots together may cost as much as this factor of price x length x nodes.
    Total(f64),
}
