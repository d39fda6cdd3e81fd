//! The order of the jobs in a queue.

use super::QueuedJob;
use crate::choice;
use crate::model::Request;
use crate::units::{Performance, Span};
use crate::workload::RuntimeRule;
use std::cmp::Reverse;

choice! {
    /// The orders of a queue; among equals, whoever came first.
    #[derive(Copy, Eq, PartialOrd, Ord)]
    pub enum Order {
        /// As they came.
        Arrival,
        /// The shortest runtime first, by the scheduler's estimate.
        Shortest,
        /// The most nodes first.
        Largest,
        /// The highest price offered per unit of time and node first.
        Price,
        /// The highest rank first.
        Rank,
    }
}

impl Order {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Arrival, Self::Shortest, Self::Largest, Self::Price, Self::Rank];

    /// Its name in one lower-case word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrival",
            Self::Shortest => "shortest",
            Self::Largest => "largest",
            Self::Price => "price",
            Self::Rank => "rank",
        }
    }

    /// The name of a queue in this order.
    ///
    /// ```
    /// use gridloom::queueing::Order;
    ///
    /// assert_eq!([Order::Arrival, Order::Shortest].map(|order| order.of("EASY")), ["EASY", "EASY, shortest first"]);
    /// ```
    pub fn of(self, queue: impl Into<String>) -> String {
        let queue = queue.into();
        match self {
            Self::Arrival => queue,
            Self::Shortest | Self::Largest => format!("{queue}, {} first", self.name()),
            Self::Price | Self::Rank => format!("{queue}, by {}", self.name()),
        }
    }

    /// The places of `requests` in this order; `ranks` are theirs, and those without one have rank zero.
    ///
    /// The runtimes compared are those on a node of performance 1, so that the order does not depend on the grid.
    ///
    /// ```
    /// use gridloom::model::Request;
    /// use gridloom::workload::RuntimeRule;
    /// use gridloom::queueing::Order;
    /// use gridloom::units::{Performance, Price, Span};
    ///
    /// let request = |nodes, length, price| Request {
    ///     name: "job".into(),
    ///     nodes,
    ///     length: Span::from_units(length),
    ///     min_performance: Performance::from_units(1),
    ///     max_price: Price::from_units(price),
    ///     deadline: None,
    /// };
    /// let batch = [request(2, 50, 3), request(4, 20, 3), request(2, 30, 9)];
    /// let arranged = |order: Order| order.arrange(RuntimeRule::Reference, &batch, &[0, 1]);
    /// assert_eq!(arranged(Order::Arrival), [0, 1, 2]);
    /// assert_eq!(arranged(Order::Shortest), [1, 2, 0]);
    /// assert_eq!(arranged(Order::Largest), [1, 0, 2]);
    /// assert_eq!(arranged(Order::Price), [2, 0, 1]);
    /// assert_eq!(arranged(Order::Rank), [1, 0, 2]);
    /// ```
    pub fn arrange(self, rule: RuntimeRule, requests: &[Request], ranks: &[i64]) -> Vec<usize> {
        let mut places: Vec<usize> = (0..requests.len()).collect();
        // Stable sorts: among equals the earlier comes first.
        match self {
            Self::Arrival => {}
            Self::Shortest => places
                .sort_by_key(|&place| rule.runtime(&requests[place], Performance::from_units(1)).unwrap_or(Span::MAX)),
            Self::Largest => places.sort_by_key(|&place| Reverse(requests[place].nodes)),
            Self::Price => places.sort_by_key(|&place| Reverse(requests[place].max_price)),
            Self::Rank => places.sort_by_key(|&place| Reverse(ranks.get(place).copied().unwrap_or(0))),
        }
        places
    }

    /// The key that decides the place of a rigid job, the least first; those who have come earlier go first among
    /// equals.
    pub(crate) fn key(self, job: QueuedJob) -> i64 {
        match self {
            Self::Shortest => job.estimate.ticks(),
            Self::Largest => -i64::from(job.processors),
            Self::Arrival | Self::Price | Self::Rank => 0,
        }
    }
}
