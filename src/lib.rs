//! gridloom simulates grids whose nodes are not dedicated.

pub mod check;
pub mod cli;
pub mod combine;
pub mod engine;
pub mod experiment;
pub mod metrics;
pub mod model;
pub mod policy;
pub mod report;
pub mod rng;
pub mod scenario;
pub mod search;
pub mod sim;
pub mod units;
pub mod workload;
