//! Numbers from observations: pure functions, no state. Each metric is declared beside its computation.

mod grid;
mod metric;
mod percentile;
mod queue;
pub mod stats;
mod steps;

pub use grid::{
    DomainUse, Fate, GridFigures, GridMetrics, JobOutcome, Measure, NodeUse, SentJob, Use, UsedDomain, job_outcomes,
};
pub use metric::{Better, MONEY, Metric, PERCENT, TIME};
pub use metric::{copies, declare_metrics, says};
pub use percentile::percentile;
pub use queue::{QueueSummary, TAU, bounded_slowdown};
pub use queue::{StartTimes, queue_over_time, summarise_queue};
pub use stats::{Estimate, PairTally, StatsError, Tally, holm};
pub use steps::steps;
