//! The workload of a grid: generators that turn a scenario's descriptions into nodes, slots, local tasks and jobs, and
//! logs of real machines.
//!
//! Here users' numbers become quantities, so arithmetic on quantities is checked: a lint refuses the operators, which
//! panic.

#![deny(clippy::arithmetic_side_effects)]

mod batch_system;
pub mod bounds;
mod domain;
mod environment;
mod files;
mod flow;
mod flow_jobs;
mod grid_domain;
mod jobs;
mod layered;
mod local;
mod lublin;
pub mod market;
mod owners;
mod runtime;
mod slots;
pub mod swf;
mod synthetic_log;
mod task_file;
mod tasks;
mod time_unit;
mod utility;
mod world;

pub use batch_system::{BatchQueue, BatchSystemSpec};
pub use domain::{DomainSpec, NodeCount, TaskDomain, estimate};
pub use domain::{draw_domain, report_size};
pub use environment::{EnvironmentSpec, LoadSpec, draw_environment};
pub use files::{Files, LogSetting};
pub use files::{NamedLog, path_from};
pub use flow::{ArrivalSpec, GlobalFlowSpec, ListedJob, ListedJobs, PlanStrategy, WorkSpec, WorkflowWork};
pub(crate) use flow_jobs::least_time;
pub use grid_domain::{FailureSpec, GridDomainSpec, OwnerSpec};
pub use jobs::{JobsSpec, LengthSpec, draw_jobs};
pub use layered::draw_tasks;
pub use local::{DailySpec, LocalFlow, LocalTask};
pub use lublin::Lublin;
pub use market::MarketSpec;
pub use owners::OwnerTask;
pub use runtime::RuntimeRule;
pub use slots::{SlotWorld, SlotsSpec};
pub use slots::{draw_slots, draw_so_many_slots};
pub use task_file::{FileTask, TaskFileError, TextPlace, read_dot, read_wfcommons};
pub(crate) use tasks::is_graphviz;
pub use tasks::{Extent, FileSpec, InputSpec, LayeredSpec, ListedSpec, TaskSpec, TasksSpec, work};
pub use time_unit::{ANY_UNIT, report_time_unit, seconds_per_unit};
pub use utility::{ResourcesSpec, UserJobsSpec, UtilityMarket, draw_utility_market};
pub use world::{GridSpec, GridWorld, draw_grid, draw_grid_within};
#[doc(hidden)]
pub use world::{draw_until, last_decision};

use crate::engine::LimitHit;
use crate::language::Draw;
use crate::model::DagError;
use crate::units::{INPUT_LIMIT, Overflow, Span, UnitsError};
use rand::Rng;

/// Why a world can't be drawn.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum DrawError {
    /// A drawn number can't be used.
    #[error(transparent)]
    Units(#[from] UnitsError),
    /// Listed tasks are no job.
    #[error(transparent)]
    Dag(#[from] DagError),
    /// A number drawn or listed for a job leads beyond the range of numbers.
    #[error("{job}: its {field} can't be: {error}")]
    Job {
        /// The job.
        job: String,
        /// The quantity that can't be.
        field: &'static str,
        /// Why.
        error: UnitsError,
    },
    /// A run came to one of its limits.
    #[error(transparent)]
    Limit(#[from] LimitHit),
    /// The jobs are in a file that was not read.
    #[error("the file {0:?} was not read before the run")]
    Unread(String),
}

impl From<Overflow> for DrawError {
    fn from(overflow: Overflow) -> Self {
        Self::Units(overflow.into())
    }
}

/// A drawn number as a count, rounded to the nearest.
pub fn draw_count(from: &impl Draw, stream: &mut impl Rng) -> usize {
    libm::round(from.sample(stream)).clamp(0.0, 1e9) as usize
}

/// A drawn number as a span; below zero counts as zero, and the largest input as the largest there is.
fn draw_span(from: &impl Draw, stream: &mut impl Rng) -> Result<Span, UnitsError> {
    Span::from_f64(from.sample(stream).clamp(0.0, INPUT_LIMIT))
}

/// The price of a node of this performance: in proportion to it, times an exponential of the slope.
fn price_of(performance: f64, scale: f64, slope: f64) -> f64 {
    scale * performance * libm::exp(slope * (performance - 1.0))
}
