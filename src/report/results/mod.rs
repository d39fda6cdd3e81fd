//! The results of a run as plain data: rows of estimates, and figures that say which rows to draw.
//!
//! ```
//! use gridloom::study::Row;
//! use gridloom::metrics::Estimate;
//!
//! let row = Row::new("criteria", "AMP", "start time", Estimate::of([1.0, 2.0])?).at(16.0);
//! assert_eq!((row.mean, row.x, row.published), (1.5, Some(16.0), None));
//! # Ok::<(), gridloom::metrics::StatsError>(())
//! ```

mod figures_spec;
mod file_content;
mod gantt;
mod log_axes;
mod outcome;
mod sweep_value;

pub use figures_spec::{FigureFormat, FiguresSpec, SeriesName};
pub use file_content::{FileContent, LateText};
pub use gantt::{Bar, BarKind, Gantt, Lane, Panel};
pub use gridloom_files::{MOST_BARS, Mark, Schedule, ScheduleBar, Usage};
pub use log_axes::LogAxes;
pub use outcome::{Outcome, Ranking, RankingLine, StudyAnswer, SummaryFocus};
pub use sweep_value::SweepValue;

use gridloom_sim::metrics::Estimate;
pub use gridloom_sim::metrics::difference;
use serde::Serialize;
use std::fmt;

/// Everything that a run found, as it is written to `results.json`.
///
/// The order of the fields, here and in [`Row`], is the order in the files.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Results {
    /// The scenario's name.
    pub scenario: String,
    /// The master seed.
    pub seed: u64,
    /// Replications per point.
    pub replications: u64,
    /// The program's version.
    pub version: String,
    /// One row per estimate.
    pub rows: Vec<Row>,
    /// What the result lacks, if it was put together from some of its parts only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// One estimate: of a metric, for one series, perhaps at one value of a swept parameter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    /// The experiment that the row belongs to.
    pub experiment: String,
    /// The alternative that is compared: a policy, a criterion, a kind of load.
    pub series: String,
    /// The swept parameter or the time; absent where nothing is swept.
    pub x: Option<f64>,
    /// The quantity that was measured.
    pub metric: String,
    /// The mean over the observations.
    pub mean: f64,
    /// Half the width of the 95 % confidence interval; absent with fewer than two observations.
    pub ci95: Option<f64>,
    /// The number of observations.
    pub n: u64,
    /// The value that a publication gives.
    pub published: Option<f64>,
    /// The verdict on the measured value, compared with the published one.
    pub verdict: Option<String>,
    /// The unit of the metric.
    pub unit: String,
    /// In a crossing, the value of every factor; elsewhere there is none.
    #[serde(serialize_with = "as_text")]
    pub factors: Vec<Factor>,
    /// Of a paired difference: the probability of one at least as large in either direction, if there were none.
    pub p: Option<f64>,
    /// The same, corrected by Holm for all comparisons that are shown together.
    pub p_holm: Option<f64>,
    /// The interval of single runs that a published one is held against; absent where none is. It is part of the
    /// verdict, and no column of its own.
    #[serde(skip)]
    pub single_runs: Option<[f64; 2]>,
}

/// The value of one factor of a crossing.
#[derive(Debug, Clone, PartialEq)]
pub struct Factor {
    /// The name of the factor.
    pub name: String,
    /// Its value at this point.
    pub value: SweepValue,
}

/// `load=0.6; displacement=Job`: a table can be cut by it without a column for each factor.
fn as_text<S: serde::Serializer>(factors: &[Factor], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&factors_text(factors))
}

/// The values of factors in one line.
pub fn factors_text(factors: &[Factor]) -> String {
    factors.iter().map(Factor::to_string).collect::<Vec<_>>().join("; ")
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.name, self.value)
    }
}

impl Row {
    /// A row without `x`, published value, verdict and unit.
    pub fn new(
        experiment: impl Into<String>,
        series: impl Into<String>,
        metric: impl Into<String>,
        estimate: Estimate,
    ) -> Self {
        Self {
            experiment: experiment.into(),
            series: series.into(),
            x: None,
            metric: metric.into(),
            mean: estimate.mean,
            ci95: estimate.ci95,
            n: estimate.n,
            published: None,
            verdict: None,
            unit: String::new(),
            factors: Vec::new(),
            p: None,
            p_holm: None,
            single_runs: None,
        }
    }

    /// The mean with its interval.
    pub fn estimate(&self) -> Estimate {
        Estimate { mean: self.mean, ci95: self.ci95, n: self.n }
    }

    /// The value of a factor, if the row is of a crossing that has it.
    pub fn factor(&self, name: &str) -> Option<&SweepValue> {
        self.factors.iter().find(|factor| factor.name == name).map(|factor| &factor.value)
    }

    /// The same row at the value `x` of the swept parameter.
    pub fn at(mut self, x: f64) -> Self {
        self.x = Some(x);
        self
    }

    /// Returns true if every number of the row can be written down.
    pub fn is_finite(&self) -> bool {
        let optional = [self.x, self.ci95, self.published, self.p, self.p_holm];
        self.mean.is_finite() && optional.into_iter().flatten().all(f64::is_finite)
    }
}

/// A figure: which rows to draw, and how.
///
/// It draws the rows of its experiment and metrics, one line, area or bar per series in order of first appearance.
#[derive(Debug, Clone, PartialEq)]
pub struct Figure {
    /// The name of its files, without extension.
    pub file: String,
    /// A short heading.
    pub title: String,
    /// The point that the reader should see in it.
    pub caption: String,
    /// The horizontal axis, with its unit.
    pub x_label: String,
    /// The vertical axis, with its unit.
    pub y_label: String,
    /// The experiment whose rows it draws.
    pub experiment: String,
    /// The metrics whose rows it draws: groups of bars; lines and areas draw a series for each metric.
    pub metrics: Vec<String>,
    /// The form of the drawing.
    pub kind: FigureKind,
}

/// The form of a figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FigureKind {
    /// One line per series with its confidence band; published values are hollow markers.
    Lines,
    /// One line per series over two logarithmic axes, without bands; rows that are not above zero are left out.
    LogLines,
    /// One line per series with its confidence band over axes of which one or both are logarithmic. Rows that are not
    /// above zero are left out there; where none is, the axes are plain.
    LinesOn(LogAxes),
    /// One line per series in panels: each series has a place in one of them, and those of one name look alike.
    LinePanels(Vec<SeriesPlace>, Option<LogAxes>),
    /// One staircase per series over two logarithmic axes, for the share of what lies beyond `x`: each row is a step
    /// down. Rows at 0 are the level at the left edge, and a step to 0 falls to the bottom.
    LogSteps,
    /// One marker per row, without lines between them: each series is a set of points.
    Scatter,
    /// Areas on top of each other, for shares of a whole; every series must have the same values of `x`.
    Stacked,
    /// One bar from zero per series, grouped by metric, for rows without `x`. Whiskers are confidence intervals, hollow
    /// diamonds are published values.
    Bars,
    /// The bars of rows without `x` in panels: each series has a place in one of them, and those of one name have one
    /// colour.
    BarPanels(Vec<SeriesPlace>),
    /// Paired differences, a line of text each, as a point with its interval on either side of zero; those that are
    /// told from zero after Holm's correction are filled.
    Differences,
    /// Lines through a crossing.
    Panels(Cut),
    /// A crossing of two numbers as a map: a coloured cell for each pair of their values.
    Map(Cut),
}

/// The place of a series in a figure of panels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeriesPlace {
    /// The series, as rows have it.
    pub series: String,
    /// The title of its panel.
    pub panel: String,
    /// The name of its colour in the legend.
    pub name: String,
}

/// The way in which a figure cuts through a crossing. Factors that it does not name, and that take several values, tell
/// lines apart; a map needs a row for each of its cells.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cut {
    /// The factor along the horizontal axis.
    pub along: String,
    /// The factor up the vertical axis of a map, and its label.
    pub up: Option<(String, String)>,
    /// The factor whose values have a panel each. Without one, lines share a panel, and each series has its own map.
    pub panels: Option<String>,
    /// The series that are drawn; all of them, if none is listed.
    pub series: Vec<String>,
    /// The axes of lines that are logarithmic; maps have none.
    pub log: Option<LogAxes>,
}
