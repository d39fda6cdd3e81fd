//! gridloom simulates grids whose nodes are not dedicated.

pub mod rng;
pub mod scenario;
pub mod units;
