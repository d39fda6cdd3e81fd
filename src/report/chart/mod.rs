//! Figures from rows. Charts of plotters are drawn once onto a [`Scene`] of shapes; SVG, PNG and PDF are written from the
//! same scene.

mod axis;
mod bar;
mod bars;
mod canvas;
mod cases;
mod cut;
mod facets;
mod forest;
pub(super) mod gantt;
mod lane;
mod legend;
mod limits;
mod lines;
mod map;
mod pen;
mod range;
mod recorder;
mod rows;
mod series;
mod shades;
mod sheet;
mod spots;
mod titles;

pub(super) use canvas::Canvas;
pub(super) use gridloom_files::theme;

use super::ReportError;
use crate::{Figure, FigureKind, Row};
use gridloom_files::Scene;
use range::Range;
use series::collect;

/// Lays out a figure.
pub(super) fn scene(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    match &figure.kind {
        FigureKind::Lines => lines::scene(figure, collect(figure, rows)?, None, canvas),
        FigureKind::LogLines => lines::log_lines(figure, rows, canvas),
        FigureKind::LinesOn(log) => lines::scene(figure, collect(figure, rows)?, Some(*log), canvas),
        FigureKind::LinePanels(places, log) => cases::lines_by_case(figure, places, *log, rows, canvas),
        FigureKind::BarPanels(places) => bars::by_case(figure, places, rows, canvas),
        FigureKind::LogSteps => lines::log_steps(figure, rows, canvas),
        FigureKind::Scatter => lines::scatter(figure, rows, canvas),
        FigureKind::Stacked => lines::stacked(figure, rows, canvas),
        FigureKind::Bars => bars::scene(figure, rows, canvas),
        FigureKind::Differences => forest::scene(figure, rows, canvas),
        FigureKind::Panels(cut) => facets::scene(figure, cut, rows, canvas),
        FigureKind::Map(cut) => map::scene(figure, cut, rows, canvas),
    }
}

fn range(figure: &Figure, values: impl Iterator<Item = f64>) -> Result<Range, ReportError> {
    Range::around(values).ok_or_else(|| ReportError::TooWide { figure: figure.file.clone() })
}
