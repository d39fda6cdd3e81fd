//! The outcome of an experiment, as the report gets it.

use super::{Figure, FiguresSpec, FileContent, Gantt, Results, Row, Schedule};
use gridloom_sim::metrics::Metric;

/// What a study says in answer to its question, worked out from its rows.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StudyAnswer {
    /// The question.
    pub question: String,
    /// Who wins, by how much, how sure that is.
    pub sentences: Vec<String>,
    /// Further findings, such as the values from which on a series does better.
    pub findings: Vec<String>,
    /// The file of the figure that shows it, without extension.
    pub figure: Option<String>,
    /// The rules under which it holds: name and choice.
    pub rules: Vec<(String, String)>,
}

/// Alternatives ranked by metrics. A rank is one more than the number of those that are better beyond doubt, so that
/// those that can't be told apart share one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ranking {
    /// The metrics.
    pub metrics: Vec<Metric>,
    /// The alternatives.
    pub lines: Vec<RankingLine>,
}

/// An alternative in a ranking.
#[derive(Debug, Clone, PartialEq)]
pub struct RankingLine {
    /// Its name.
    pub series: String,
    /// By metric: its rank and its mean; nothing where it was not measured.
    pub places: Vec<Option<(u64, f64)>>,
    /// The mean of its ranks.
    pub mean_rank: f64,
}

/// The parts of a result that a summary shows first.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SummaryFocus {
    /// Metrics, the most important one first.
    pub metrics: Vec<String>,
    /// The metric that is shown even where it is 0 throughout: a run in which every job fails must say so.
    pub headline: Option<String>,
    /// Series that others are compared with.
    pub baselines: Vec<String>,
    /// Experiments that are sweeps: their x is a setting, and not a time.
    pub sweeps: Vec<String>,
    /// True if fewer worlds than `replications` may be enough.
    pub may_end_early: bool,
    /// The rows of the first table where they are not those of the results: of a comparison, what all results have,
    /// with a factor that names the result.
    pub beside: Vec<Row>,
}

/// Everything that a run leaves behind, as data.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The question that was asked, in plain words; blank lines separate paragraphs.
    pub about: String,
    /// What the run says to it, if the scenario asks for an answer.
    pub answer: Option<StudyAnswer>,
    /// The alternatives ranked, if the scenario asks for that.
    pub ranking: Option<Ranking>,
    /// The text of the scenario as resolved, so that the run can be repeated; empty for results that are compared, which
    /// have scenarios of their own.
    pub scenario: String,
    /// The numbers.
    pub results: Results,
    /// What a summary of them shows first.
    pub focus: SummaryFocus,
    /// Drawings of the numbers.
    pub figures: Vec<Figure>,
    /// Drawings of small schedules.
    pub gantts: Vec<Gantt>,
    /// Schedules of any size, to look around in.
    pub schedules: Vec<Schedule>,
    /// Further notes on the run for the user.
    pub notes: Vec<String>,
    /// Files of its own, such as `jobs.csv`: name and content.
    pub files: Vec<(String, FileContent)>,
    /// The way in which its figures are drawn.
    pub figures_spec: FiguresSpec,
}
