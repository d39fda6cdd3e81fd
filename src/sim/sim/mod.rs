//! The grid as events.
//!
//! A simulation takes a world apart into events, runs them through the [engine](crate::engine), and writes down what
//! happened in a [`GridTrace`]; it computes no figures. Checks and metrics work on the trace alone.

mod batsim;
mod connected;
mod pricing;
mod processor_numbers;
mod replay;
mod replayed;
mod rounds;
mod rules;
mod workflow;

pub use crate::workload::swf::{EstimateRule, LogRules, MissingRequest, Overrun, ProcessorRule, Touched};
pub use batsim::{Batsim, BatsimPlace};
pub use connected::{
    Cause, Displacement, Drain, Ending, Event, GridEntry, GridError, GridRules, GridTrace, Loss, Observer, OverrunRule,
    Piece, Reason, Remedy, observe_grid, simulate_grid,
};
pub use pricing::PricingSpec;
pub use processor_numbers::{ProcessorRange, Ran, processors_by_start};
pub use replay::replay_watched;
pub use replay::{Instants, ReplayPlacement, replay};
pub use replayed::Replayed;
pub use rounds::{FirstRound, Session, SessionError, run_rounds};
pub use rules::{Selection, select};
pub use workflow::{PlannedJob, execute};
