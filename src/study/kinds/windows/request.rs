//! A request as scenarios write it.

use crate::language::{AboveZero, Count, Name, NameKind};
use crate::model::Request;
use crate::record;
use crate::units::{Performance, Price, Span, Time};

/// The names of requests.
#[derive(Debug, Clone, PartialEq)]
pub enum RequestNames {}

impl NameKind for RequestNames {
    const WHAT: &'static str = "request";
}

record! {
    /// A job that asks for several nodes at once.
    pub struct RequestSpec {
        /// Its name, unique among the requests.
        name: Name<RequestNames>,
        /// The number of nodes that it needs at the same time, N.
        #[unit = "nodes"]
        nodes: Count,
        /// The length of the request, t; the runtime rule says what that means on a node.
        #[read = AboveZero<Span>]
        length: Span,
        /// The slowest node that will do, P_min.
        min_performance: Performance = Performance::from_units(1),
        /// The highest price per unit of time and node, C; the budget of a window is made from it.
        max_price: Price,
        /// The time by which the last task must have ended; there is none, unless given.
        deadline: Option<Time>,
        /// The rank among the requests: those of a higher rank come first, then those listed earlier.
        #[unit = "rank"]
        rank: i64 = 0,
    }
}

impl RequestSpec {
    /// The request itself.
    pub fn request(&self) -> Request {
        Request {
            name: self.name.as_str().to_string(),
            nodes: self.nodes.get() as usize,
            length: self.length,
            min_performance: self.min_performance,
            max_price: self.max_price,
            deadline: self.deadline,
        }
    }
}
