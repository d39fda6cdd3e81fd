//! Logarithmic axes: values become their logarithms to base ten, which ticks write as the numbers themselves.

use super::scale::Range;
use super::series::{DrawnSeries, LineLook, Measured};
use super::{MARKER_ROOM, heights, places, range};
use crate::ReportError;
use crate::{Figure, LogAxes};

/// The axes that are logarithmic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogScale {
    pub x: bool,
    pub y: bool,
}

impl LogScale {
    /// The axes that a figure asks for, as far as points have a place there: where none has, the axis is plain.
    pub(super) fn of(log: Option<LogAxes>, points: &[&Measured]) -> Self {
        let x = log.is_some_and(LogAxes::has_x) && points.iter().all(|point| point.x > 0.0);
        let y = log.is_some_and(LogAxes::has_y) && points.iter().any(|point| point.mean > 0.0);
        Self { x, y }
    }

    /// The series on these axes, without points that have no place there.
    pub(super) fn applied(self, series: Vec<DrawnSeries>) -> Vec<DrawnSeries> {
        if self == (Self { x: false, y: false }) {
            return series;
        }
        let scaled = |one: DrawnSeries| {
            let points: Vec<Measured> = one.points.iter().filter_map(|point| self.point(point)).collect();
            (!points.is_empty()).then_some(DrawnSeries { points, ..one })
        };
        series.into_iter().filter_map(scaled).collect()
    }

    /// The logarithms of a point. The lower end of its interval may lie below all of the axis.
    fn point(self, point: &Measured) -> Option<Measured> {
        let x = if self.x { log(point.x)? } else { point.x };
        if !self.y {
            return Some(Measured { x, ..point.clone() });
        }
        let ends = |[low, high]: [f64; 2]| Some([log(low).unwrap_or(f64::MIN), log(high)?]);
        Some(Measured {
            x,
            mean: log(point.mean)?,
            half_width: None,
            band: point.band.and_then(ends),
            published: point.published.and_then(log),
            value: point.value.clone(),
        })
    }

    /// The horizontal range of series on these axes.
    pub(super) fn across(self, figure: &Figure, series: &[DrawnSeries]) -> Result<Range, ReportError> {
        let x = range(figure, places(series))?;
        let has_markers = series.iter().any(DrawnSeries::is_marked);
        Ok(if self.x { x.to_powers() } else { x.padded(if has_markers { MARKER_ROOM } else { 0.0 }) })
    }

    /// The vertical range of points on these axes. Intervals that reach far below all means are cut.
    pub(super) fn up<'a>(
        self,
        figure: &Figure,
        points: impl Iterator<Item = &'a Measured> + Clone,
    ) -> Result<Range, ReportError> {
        if !self.y {
            return heights(figure, points);
        }
        let values = points.clone().flat_map(|point| [Some(point.mean), point.published]).flatten();
        let least = values.clone().fold(f64::INFINITY, f64::min) - 1.0;
        let ends = points.filter_map(|point| point.band).flatten().filter(|&end| end > least);
        Ok(range(figure, values.chain(ends))?.to_powers())
    }
}

/// The logarithm to base ten, of what is above zero.
fn log(value: f64) -> Option<f64> {
    (value > 0.0).then(|| libm::log10(value))
}

/// Series whose looks follow from their order.
pub(super) fn in_looks(series: Vec<DrawnSeries>) -> Vec<DrawnSeries> {
    series.into_iter().enumerate().map(|(index, one)| DrawnSeries { look: LineLook::of(index), ..one }).collect()
}
