//! gridloom simulates grids whose nodes are not dedicated.

pub mod engine;
pub mod rng;
pub mod units;
