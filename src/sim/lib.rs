//! The simulator: a grid as events, its schedulers, and the judge of their schedules. `gridloom` shows all of it.

#![warn(unreachable_pub)]

pub mod broker;
pub mod check;
pub mod combine;
pub mod distribution;
pub mod engine;
pub mod metrics;
pub mod model;
pub mod policy;
pub mod queueing;
pub mod rng;
pub mod search;
pub mod sim;
pub mod units;
pub mod workflow;
pub mod workload;

pub use gridloom_language::{choice, record, registry};

/// The language of scenario files: text, decoding, errors, overrides, distributions.
pub mod language {
    pub use crate::distribution::{Bounds, Distribution, Draw, Within};
    pub use crate::units::AboveZero;
    pub use gridloom_language::*;
}
