//! gridloom simulates grids whose nodes are not dedicated.

pub mod model;
pub mod rng;
pub mod units;
