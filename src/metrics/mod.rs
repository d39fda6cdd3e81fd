//! Numbers from observations: pure functions, no state.

mod grid;
mod percentile;
mod queue;
pub mod stats;
mod steps;

pub use grid::{
    DomainUse, Fate, GridFigures, GridMetrics, JobOutcome, Measure, NodeUse, Use, UsedDomain, job_outcomes,
};
pub use percentile::percentile;
pub use queue::{QueueSummary, TAU, bounded_slowdown, queue_over_time, summarise_queue};
pub use stats::{Estimate, PairTally, StatsError, Tally};
pub use steps::steps;
