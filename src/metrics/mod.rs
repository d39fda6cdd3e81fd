//! Numbers from observations: pure functions, no state.

mod grid;
mod local;
mod percentile;
mod queue;
pub mod stats;
mod utilisation;

pub use grid::{Fate, JobOutcome, Measure, NodeUse, Use, grid_totals, job_outcomes, node_use, waiting_over_time};
pub use local::local_waits;
pub use percentile::percentile;
pub use queue::{QueueSummary, TAU, bounded_slowdown, queue_over_time, summarise_queue};
pub use stats::{Estimate, PairTally, StatsError, Tally};
pub use utilisation::{busy_intervals, steps, utilisation};
