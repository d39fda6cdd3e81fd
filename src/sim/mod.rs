//! The grid as events.
//!
//! A simulation takes a world apart into events, runs them through the [engine](crate::engine), and writes down what
//! happened in a [`Trace`]; it computes no figures. Checks and metrics work on the trace alone.

mod local;
mod trace;

pub use local::simulate_local;
pub use trace::{Entry, Happening, Trace};
