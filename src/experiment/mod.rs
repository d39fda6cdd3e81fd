//! Experiments and what they find.

pub mod gantt;
pub mod outcome;
pub mod results;

pub use gantt::{Bar, BarKind, Gantt, Lane, Panel};
pub use outcome::Outcome;
pub use results::{Figure, FigureKind, Results, Row};
