//! The outcome of an experiment, as the report gets it.

use super::{Figure, Gantt, Results, Schedule};

/// Everything that a run leaves behind, as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The question that was asked, in plain words; blank lines separate paragraphs.
    pub about: String,
    /// The text of the scenario as resolved, so that the run can be repeated.
    pub scenario: String,
    /// The numbers.
    pub results: Results,
    /// Drawings of the numbers.
    pub figures: Vec<Figure>,
    /// Drawings of small schedules.
    pub gantts: Vec<Gantt>,
    /// Schedules of any size, to look around in.
    pub schedules: Vec<Schedule>,
    /// Further notes on the run for the user.
    pub notes: Vec<String>,
    /// Files of its own, such as `jobs.csv`: name and content.
    pub files: Vec<(String, Vec<u8>)>,
}
