//! Numbers from observations: pure functions, no state.

mod local;
pub mod stats;
mod utilisation;

pub use local::local_waits;
pub use stats::{Estimate, PairTally, StatsError, Tally};
pub use utilisation::{busy_intervals, steps, utilisation};
