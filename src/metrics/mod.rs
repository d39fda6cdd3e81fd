//! Numbers from observations: pure functions, no state.

pub mod stats;

pub use stats::{Estimate, StatsError};
