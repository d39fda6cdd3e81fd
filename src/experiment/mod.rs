//! Experiments and what they find.

pub mod results;

pub use results::{Figure, FigureKind, Results, Row};
