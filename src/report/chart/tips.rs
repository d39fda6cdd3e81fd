//! The common parts of upright and lying bars: whiskers, published values, and the values written at their tips.

use super::boxes::Rect;
use super::frame::LegendEntry;
use super::limits::AxisLimits;
use super::marks::{HOLLOW_REACH, hollow};
use super::scale::Range;
use super::theme;
use crate::Row;
use crate::number;
use gridloom_files::text_width;
use gridloom_files::{ScenePoint, Shape, stroke};

/// The share of its place that a bar takes.
pub(crate) const BAR_SHARE: f64 = 0.8;
/// The diamond among the theme's markers.
pub(crate) const DIAMOND: usize = 3;
pub(crate) const PUBLISHED_RADIUS: f64 = 0.85 * theme::MARKER_RADIUS;
/// Significant digits of a bar's value.
const DIGITS: u8 = 3;

/// The legend of whiskers and diamonds, where there are some.
pub(crate) fn marks_legend<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> Vec<LegendEntry> {
    let mut legend = Vec::new();
    if rows.clone().any(|row| row.ci95.is_some()) {
        let half = Rect::SAMPLE.bottom;
        let sample = whisker([-half, half], [true, true], half, |along, across| (across, along));
        legend.push(LegendEntry { sample, name: "95 % interval".to_string() });
    }
    if rows.clone().any(|row| row.published.is_some()) {
        let sample = hollow(DIAMOND, (0.0, 0.0), PUBLISHED_RADIUS, theme::INK).to_vec();
        legend.push(LegendEntry { sample, name: "published".to_string() });
    }
    legend
}

/// The distance beyond a bar that its value and all that it has to clear may reach.
pub(crate) fn beyond_tip(extent: f64) -> f64 {
    extent + 2.5 * theme::GAP + HOLLOW_REACH * PUBLISHED_RADIUS
}

/// The range of an axis of this length: zero, all that is drawn, and room beyond it.
pub(crate) fn with_room(rows: &[&Row], limits: AxisLimits, room: f64, length: f64) -> Option<Range> {
    let extent = |row: &&Row| {
        let half = row.ci95.unwrap_or(0.0);
        [Some(limits.cut(row.mean - half)), Some(limits.cut(row.mean + half)), row.published]
    };
    let range = Range::around(rows.iter().flat_map(extent).flatten().chain([0.0]))?;
    let falls = range.low < 0.0;
    // A zero among negative values has its own written above it.
    let rises = range.high > 0.0 || rows.iter().any(|row| row.mean >= 0.0);
    let sides = if falls && rises { 2.0 } else { 1.0 };
    let room = (range.high - range.low) * room / (length - sides * room);
    Some(Range {
        low: if falls { range.low - room } else { range.low },
        high: if rises { range.high + room } else { range.high },
    })
}

/// The distance beyond the end of a whisker at which a value of this length begins, clear of the published value, of
/// which the distance and the reach are given.
pub(crate) fn value_start(length: f64, published: Option<(f64, f64)>) -> f64 {
    let start = theme::GAP;
    match published {
        Some((distance, reach)) if distance - reach < start + length + theme::GAP && start < distance + reach => {
            distance + reach + 0.6 * theme::GAP
        }
        _ => start,
    }
}

/// The way in which the values of a figure are written at its bars: all with the same decimals, unless they differ so
/// much that each needs digits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ValueText {
    places: Option<usize>,
}

impl ValueText {
    /// The way for these rows.
    pub(crate) fn of(rows: &[&Row]) -> Self {
        let values: Vec<f64> = rows.iter().map(|row| row.mean).collect();
        Self { places: number::common_places(&values, DIGITS) }
    }

    /// A value as it is written at a bar.
    pub(crate) fn written(self, value: f64) -> String {
        let text = match self.places {
            Some(places) => number::fixed(value, places),
            None => number::significant(value, DIGITS),
        };
        text.replace('-', "−")
    }

    /// The width of the widest value as written.
    pub(crate) fn widest(self, rows: &[&Row]) -> f64 {
        rows.iter().map(|row| text_width(&self.written(row.mean), theme::BAR_TEXT_SIZE, false)).fold(0.0, f64::max)
    }
}

/// The ends of a row's interval, and the one that is away from zero as far as it is drawn.
pub(crate) fn interval(row: &Row, limits: AxisLimits) -> ([f64; 2], f64) {
    let half = row.ci95.unwrap_or(0.0);
    let ends = [row.mean - half, row.mean + half];
    (ends, limits.cut(if row.mean < 0.0 { ends[0] } else { ends[1] }))
}

/// An interval as a line with a short stroke across each end, except where it is cut. `place` puts a distance along the
/// line and one across it onto the canvas.
pub(crate) fn whisker(
    ends: [f64; 2],
    whole: [bool; 2],
    half: f64,
    place: impl Fn(f64, f64) -> ScenePoint,
) -> Vec<Shape> {
    let line = |from, to| stroke(from, to, theme::INK, theme::AXIS_LINE);
    let across = |end: f64| line(place(end, -half), place(end, half));
    let strokes = ends.into_iter().zip(whole).filter(|(_, whole)| *whole).map(|(end, _)| across(end));
    [line(place(ends[0], 0.0), place(ends[1], 0.0))].into_iter().chain(strokes).collect()
}
