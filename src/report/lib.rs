//! Results to files: JSON, CSV, Markdown, SVG, PNG, PDF and HTML. Nothing is computed again here; rows are only written
//! and drawn.
//!
//! ```
//! use gridloom::study::{FiguresSpec, Outcome, Results, Row, SummaryFocus};
//! use gridloom::metrics::Estimate;
//! use gridloom::report;
//!
//! let row = Row::new("criteria", "AMP", "start time", Estimate::of([1.0, 2.0, 3.0])?);
//! let (scenario, version) = ("demo".into(), "0.1.0".into());
//! let results = Results { scenario, seed: 1, replications: 3, version, rows: vec![row], missing: None };
//! let outcome = Outcome {
//!     about: "A demonstration.".into(),
//!     answer: None,
//!     ranking: None,
//!     scenario: "Scenario()".into(),
//!     results,
//!     focus: SummaryFocus::default(),
//!     figures: Vec::new(),
//!     gantts: Vec::new(),
//!     schedules: Vec::new(),
//!     notes: vec![],
//!     files: Vec::new(),
//!     figures_spec: FiguresSpec::default(),
//! };
//! let artefacts = report::artefacts(&outcome)?;
//! assert_eq!(artefacts.names().collect::<Vec<_>>(), ["results.json", "results.csv", "scenario.ron", "report.html"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(unreachable_pub)]

mod chart;
mod contents;
pub mod csv;
pub mod decimals;
mod excerpt;
mod gallery;
pub mod html;
pub mod json;
mod lines;
pub mod number;
pub mod output;
mod pivot;
mod ranking;
mod results;
pub mod rows;
pub mod schedule;
mod spots;
pub mod summary;
pub mod table;
pub mod tables;

pub use output::{Artefacts, OutputError};
pub use results::{
    Bar, BarKind, Cut, Factor, Figure, FigureFormat, FigureKind, FiguresSpec, FileContent, Gantt, Lane, LateText,
    LogAxes, MOST_BARS, Mark, Outcome, Panel, Ranking, RankingLine, Results, Row, Schedule, ScheduleBar, SeriesName,
    SeriesPlace, StudyAnswer, SummaryFocus, SweepValue, Usage, difference, factors_text,
};

#[cfg(test)]
use tests::{samples, tidy};

use chart::Canvas;
use gridloom_files::{DrawingError, Scene, pdf, png, svg};
use html::Drawing;
use rayon::prelude::*;

/// Why results can't be reported.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A row holds a NaN or an infinity.
    #[error("the row of {metric:?} for {series:?} in {experiment:?} holds a number that is not finite")]
    NotFinite {
        /// The row's experiment.
        experiment: String,
        /// The row's series.
        series: String,
        /// The row's metric.
        metric: String,
    },
    /// A figure names an experiment and a metric that no row has.
    #[error("figure {figure:?} has nothing to draw: no row of {metric:?} in {experiment:?}")]
    NoRows {
        /// The figure's file name.
        figure: String,
        /// The experiment it names.
        experiment: String,
        /// The metric it names.
        metric: String,
    },
    /// A row that a figure draws has no `x`.
    #[error("figure {figure:?} can't place a row of {series:?}: it has no x")]
    NoX {
        /// The figure's file name.
        figure: String,
        /// The row's series.
        series: String,
    },
    /// No row that a figure draws has a factor that its cut names.
    #[error("figure {figure:?} cuts along {factor:?}, but none of its rows has a factor of this name")]
    NoFactor {
        /// The figure's file name.
        figure: String,
        /// The factor.
        factor: String,
    },
    /// The series of a stacked figure are not measured at the same points.
    #[error("figure {figure:?} can't stack {series:?}: its values of x differ from those of the first series")]
    Unstackable {
        /// The figure's file name.
        figure: String,
        /// The series that differs.
        series: String,
    },
    /// A figure finds more than one row for a bar, a point or a cell.
    #[error("figure {figure:?} needs one row of {metric:?} for {series:?}, but there are more")]
    Repeated {
        /// The figure's file name.
        figure: String,
        /// The rows' series.
        series: String,
        /// The rows' metric.
        metric: String,
    },
    /// A Gantt chart has no lanes.
    #[error("figure {figure:?} has nothing to draw: no panel has a lane")]
    NoLanes {
        /// The chart's file name.
        figure: String,
    },
    /// A bar of a Gantt chart has no place on a time axis.
    #[error("figure {figure:?} can't draw the bar {label:?} of {lane:?}: it goes from {start} to {end}")]
    BadBar {
        /// The chart's file name.
        figure: String,
        /// The lane's label.
        lane: String,
        /// The bar's label.
        label: String,
        /// When it begins.
        start: f64,
        /// When it ends.
        end: f64,
    },
    /// A schedule has a bar or a mark on a node that it does not have.
    #[error("figure {figure:?} has no node of index {node}")]
    NoNode {
        /// The schedule's title.
        figure: String,
        /// The index.
        node: usize,
    },
    /// The numbers of a figure are too large for its axes.
    #[error("figure {figure:?} spans more than an axis can show")]
    TooWide {
        /// The figure's file name.
        figure: String,
    },
    /// A figure could not be written.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The results could not be written as JSON.
    #[error("writing JSON failed: {0}")]
    Json(#[from] serde_json::Error),
    /// The rows could not be written as CSV.
    #[error("writing CSV failed: {0}")]
    Csv(#[from] ::csv::Error),
    /// A file has no place in the output directory.
    #[error(transparent)]
    Output(#[from] OutputError),
}

/// All files of a run, ready to [`commit`](Artefacts::commit).
pub fn artefacts(outcome: &Outcome) -> Result<Artefacts, ReportError> {
    with_files(outcome, outcome.files.clone())
}

/// The same, but the outcome's own files are moved: they may be large.
pub fn take_artefacts(outcome: &mut Outcome) -> Result<Artefacts, ReportError> {
    let files = std::mem::take(&mut outcome.files);
    with_files(outcome, files)
}

fn with_files(outcome: &Outcome, files: Vec<(String, FileContent)>) -> Result<Artefacts, ReportError> {
    let results = &outcome.results;
    if let Some(row) = results.rows.iter().find(|row| !row.is_finite()) {
        return Err(ReportError::NotFinite {
            experiment: row.experiment.clone(),
            series: row.series.clone(),
            metric: row.metric.clone(),
        });
    }
    // The page of a long schedule takes as long as a few figures.
    let (drawings, (schedules, tables)) = rayon::join(
        || drawings(outcome),
        || (schedule::figures(&outcome.schedules), (json::results(results), csv::rows(&results.rows))),
    );
    let mut artefacts = Artefacts::default();
    artefacts.add("results.json", tables.0?)?;
    artefacts.add("results.csv", tables.1?)?;
    let crossed: Vec<&Row> = results.rows.iter().filter(|row| !row.factors.is_empty()).collect();
    for experiment in rows::in_order(crossed.iter().copied(), |row| &row.experiment) {
        let of_crossing: Vec<&Row> = results.rows.iter().filter(|row| row.experiment == experiment).collect();
        artefacts.add(&pivot::crossing_file(experiment), pivot::crossing_rows(&of_crossing).csv()?)?;
    }
    if let Some(ranking) = &outcome.ranking {
        artefacts.add("ranking.csv", ranking::rows(ranking).csv()?)?;
    }
    if !outcome.scenario.is_empty() {
        artefacts.add("scenario.ron", outcome.scenario.as_str())?;
    }
    let drawings = drawings?;
    for drawing in &drawings {
        drawing.add_to(&mut artefacts, &drawing.file)?;
    }
    for (name, content) in files {
        artefacts.add_content(&name, content)?;
    }
    artefacts.add("report.html", html::page(outcome, &drawings, schedules?))?;
    Ok(artefacts)
}

/// All figures of a run, drawn.
pub fn drawings(outcome: &Outcome) -> Result<Vec<Drawing>, ReportError> {
    let spec = &outcome.figures_spec;
    let canvas = Canvas::of(spec);
    let draw = |file: &str, scene: Scene, caption: String, axes: [&str; 2]| -> Result<Drawing, ReportError> {
        let has = |format| spec.formats.contains(&format);
        let png = || has(FigureFormat::Png).then(|| png::image(&scene)).transpose();
        let pdf = || has(FigureFormat::Pdf).then(|| pdf::document(&scene)).transpose();
        let (png, (svg, pdf)) = rayon::join(png, || (svg::document(&scene), pdf()));
        let (png, pdf, has_svg) = (png?, pdf?, has(FigureFormat::Svg));
        let spots = spots::data(&scene, axes[0], axes[1])?;
        let (title, shape) = (scene.title.clone(), scene.height / scene.width);
        Ok(Drawing { file: file.into(), title, svg, has_svg, png, pdf, caption, shape, spots })
    };
    let rows = &outcome.results.rows;
    // In the order of the list, whichever is drawn first.
    let figures = outcome.figures.par_iter();
    let figures = figures.map(|figure| {
        // The places of a map name their factors themselves.
        let x = if matches!(figure.kind, FigureKind::Map(_)) { "" } else { &figure.x_label };
        let scene = match spec.shown(figure, rows) {
            Some((shown, rows)) => chart::scene(&shown, &rows, &canvas)?,
            None => chart::scene(figure, rows, &canvas)?,
        };
        draw(&figure.file, scene, figure.caption.clone(), [x, &figure.y_label])
    });
    let gantts = outcome.gantts.par_iter();
    let gantts = gantts.map(|gantt| {
        draw(&gantt.file, chart::gantt::scene(gantt, &canvas)?, chart::gantt::caption(gantt), [&gantt.x_label, ""])
    });
    // Of several errors the first one is told.
    figures.chain(gantts).collect::<Vec<_>>().into_iter().collect()
}

#[cfg(test)]
mod tests;
