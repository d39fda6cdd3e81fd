//! Numbers from observations: pure functions, no state.

mod grid;
mod local;
mod percentile;
mod queue;
pub mod stats;
mod utilisation;

pub use grid::{Fate, GridFigures, GridMetrics, JobOutcome, Measure, NodeUse, Use, job_outcomes};
pub use local::local_waits;
pub use percentile::percentile;
pub use queue::{QueueSummary, TAU, bounded_slowdown, queue_over_time, summarise_queue};
pub use stats::{Estimate, PairTally, StatsError, Tally};
pub use utilisation::{busy_intervals, steps, utilisation};
