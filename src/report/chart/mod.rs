//! Figures from rows. A figure is laid out once as a [`Scene`] of shapes; SVG and PNG paint the same scene.

mod frame;
mod letters;
mod marks;
mod scale;
mod scene;
mod series;
pub(super) mod theme;

pub(super) use letters::paint as paint_label;
pub(super) use scene::{Point, Scene, Shape};

use super::ReportError;
use crate::experiment::{Figure, FigureKind, Row};
use frame::VERTICAL_STEPS;
use scale::Range;
use series::{Measured, Series};

/// Room between the outermost markers and the frame, as a share of the plot's width.
const MARKER_ROOM: f64 = 0.02;

/// Lays out a figure.
pub(super) fn scene(figure: &Figure, rows: &[Row]) -> Result<Scene, ReportError> {
    let series = series::collect(figure, rows)?;
    let range =
        |values: Vec<f64>| Range::around(values).ok_or_else(|| ReportError::TooWide { figure: figure.file.clone() });
    let points = || series.iter().flat_map(|one| &one.points);
    let x = range(points().map(|point| point.x).collect())?;
    let (height, shapes) = match figure.kind {
        FigureKind::Lines => {
            let extent = |point: &Measured| {
                let half = point.half_width.unwrap_or(0.0);
                [Some(point.mean - half), Some(point.mean + half), point.published]
            };
            let y = range(points().flat_map(extent).flatten().collect())?.with_near_zero().rounded(VERTICAL_STEPS);
            let x = if series.iter().any(Series::is_marked) { x.padded(MARKER_ROOM) } else { x };
            let frame = frame::frame(figure, x, y, marks::line_legend(&series))?;
            let data = marks::lines(&series, &frame.plot);
            (frame.height, [frame.grid, frame.axes, data])
        }
        FigureKind::Stacked => {
            let layers = series::stack(figure, &series)?;
            let edges = layers.iter().flat_map(|layer| &layer.edges).flat_map(|&(_, low, high)| [low, high]);
            let y = range(edges.collect())?.rounded(VERTICAL_STEPS);
            let frame = frame::frame(figure, x, y, marks::area_legend(&series))?;
            let data = marks::areas(&layers, &frame.plot);
            // Areas reach the axes, which must not vanish below them.
            (frame.height, [frame.grid, data, frame.axes])
        }
    };
    Ok(Scene { title: figure.title.clone(), height, shapes: shapes.concat() })
}
