//! The two sides that a broker mediates between: jobs of users with wishes, and offers of providers with attributes.
//!
//! An [`Offer`] without a [`TimeSlot`] is a provider of which only attributes are known; with one it is a candidate
//! reservation, and its [`Bid`]s say which jobs it takes, for which price, and how long such jobs ran there before.
//!
//! ```
//! use gridloom::workload::market::{Criterion, Direction, MarketJob, OfferLimit, CriterionMeasure, Offer};
//!
//! let memory = Criterion { name: "memory".into(), direction: Direction::Gain, measure: CriterionMeasure::Attribute };
//! let provider = Offer::of_attributes("rp1", Some(2), vec![Some(4.0)]);
//! let job = |least| MarketJob { name: "job".into(), user: 0, units: 1, limits: vec![OfferLimit { criterion: 0, low: Some(least), high: None }] };
//! assert_eq!(provider.values(&[memory.clone()], 0, &job(4.0)), Some(vec![4.0]));
//! assert_eq!(provider.values(&[memory], 0, &job(5.0)), None, "a hard constraint is not met");
//! ```

mod draw;
mod history;
mod offer;

pub use draw::{COMPLETION, COST, DrawnMarket, ERROR, MarketSpec, START, draw_market};
pub use history::History;
pub use offer::{Bid, Offer, TimeSlot};

use crate::choice;

choice! {
    /// The direction in which a criterion gets better.
    #[derive(Copy, Eq)]
    pub enum Direction {
        /// More is better: speed, memory.
        Gain,
        /// Less is better: waiting, price.
        Cost,
    }
}

choice! {
    /// Where the values of a criterion come from.
    #[derive(Copy, Eq)]
    pub enum CriterionMeasure {
        /// An attribute of the offer.
        Attribute,
        /// The start that the reservation guarantees.
        Start,
        /// The start to be expected, since jobs before often end early.
        EstimatedStart,
        /// The guaranteed start and the mean of earlier runs.
        Completion,
        /// The price of the run.
        Cost,
        /// The standard deviation of earlier runs.
        Deviation,
        /// The longest of earlier runs.
        Longest,
        /// The mean error of the predictions that earlier runs were given.
        Error,
    }
}

impl CriterionMeasure {
    /// True if only offers with a time slot and bids have it.
    pub fn needs_time(self) -> bool {
        self != Self::Attribute
    }
}

/// Something by which offers are compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Criterion {
    /// Its name.
    pub name: String,
    /// Which way is better.
    pub direction: Direction,
    /// Where its values come from.
    pub measure: CriterionMeasure,
}

/// A hard constraint: a criterion's value must lie between two numbers, both included.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OfferLimit {
    /// The index of the criterion.
    pub criterion: usize,
    /// At least this, if anything.
    pub low: Option<f64>,
    /// At most this, if anything.
    pub high: Option<f64>,
}

/// A job that a broker is to place.
#[derive(Debug, Clone, PartialEq)]
pub struct MarketJob {
    /// Its name.
    pub name: String,
    /// The index of the user whose job it is.
    pub user: usize,
    /// The number of units of an offer that it takes.
    pub units: u64,
    /// The hard constraints on an offer.
    pub limits: Vec<OfferLimit>,
}
