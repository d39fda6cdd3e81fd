//! gridloom simulates grids whose nodes are not dedicated.

pub mod experiment;
pub mod metrics;
pub mod report;
pub mod rng;
pub mod units;
