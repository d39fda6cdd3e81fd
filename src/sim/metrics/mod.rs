//! Numbers from traces and replays, and the fold of observations over replications: pure functions, no state. Each metric is declared beside its computation.

pub mod batches;
mod grid;
mod metric;
mod observations;
mod observations_table;
mod percentile;
mod queue;
pub mod stats;
mod steps;
mod tail;
mod waits;

pub use grid::{
    DomainUse, Fate, GridFigures, GridMetrics, JobOutcome, Measure, NodeUse, SentJob, Use, UsedDomain, job_outcomes,
};
pub use metric::{Better, MONEY, Metric, PERCENT, TIME};
pub use metric::{copies, declare_metrics, says};
pub use observations::{Fold, FoldError, FoldedRow, Key, Observations, Place, Scale, Series, Statistic, difference};
pub use observations_table::ObservationsTable;
pub use percentile::percentile;
pub use queue::{QueueSummary, TAU, bounded_slowdown};
pub use queue::{StartTimes, queue_over_time, summarise_queue};
pub use stats::{Estimate, PairTally, StatsError, Tally, holm};
pub use steps::steps;
pub use waits::Waits;
