//! gridloom simulates grids whose nodes are not dedicated.

pub mod experiment;
pub mod metrics;
pub mod rng;
pub mod units;
