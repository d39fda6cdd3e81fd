//! gridloom simulates grids whose nodes are not dedicated.

pub mod check;
pub mod combine;
pub mod model;
pub mod policy;
pub mod experiment;
pub mod metrics;
pub mod report;
pub mod rng;
pub mod search;
pub mod units;
