//! Bars, upright or lying, with their whiskers, published values, and the values written at their tips.

use super::legend::{Entry, whisker};
use super::limits::AxisLimits;
use super::pen::{HOLLOW_REACH, Point, Rect};
use super::range::Range;
use super::sheet::Plot;
use super::titles::width;
use super::{spots, theme};
use crate::Row;
use crate::number;
use gridloom_files::Colour;
use plotters::style::text_anchor::HPos;

/// The share of its place that a bar takes.
pub(super) const BAR_SHARE: f64 = 0.8;
/// The diamond among the theme's markers.
const DIAMOND: usize = 3;
const PUBLISHED_RADIUS: f64 = 0.85 * theme::MARKER_RADIUS;
/// Values are written at lying bars that keep this share of their length.
const LEAST_SHARE: f64 = 0.4;
/// Significant digits of a bar's value.
const DIGITS: u8 = 3;

/// The way in which all bars of a figure are drawn.
pub(super) struct Bars {
    is_upright: bool,
    limits: AxisLimits,
    /// All values have so many decimals; none where each needs digits of its own.
    places: Option<usize>,
    /// Values read upwards, if true; none where there is no room for them.
    upwards: Option<bool>,
    /// If true, a bar has to say its metric.
    several_metrics: bool,
    pub range: Range,
}

impl Bars {
    /// The way that fits bars as long as `length` at most, which have so much room each. None past the limits of axes.
    pub(super) fn new(rows: &[&Row], limits: AxisLimits, is_upright: bool, room: i32, length: i32) -> Option<Self> {
        let values: Vec<f64> = rows.iter().map(|row| row.mean).collect();
        let several_metrics = rows.iter().any(|row| row.metric != rows[0].metric);
        let places = number::common_places(&values, DIGITS);
        let range = Range { low: 0.0, high: 1.0 };
        let mut bars = Self { is_upright, limits, places, upwards: None, several_metrics, range };
        let widest = rows.iter().map(|row| width(&bars.written(row.mean), theme::BAR_TEXT_SIZE)).max().unwrap_or(0);
        let sides = if rows.iter().any(|row| row.mean < 0.0) { 2 } else { 1 };
        // Beyond its tip a bar has its value and all that the value has to clear.
        let reach = (HOLLOW_REACH * PUBLISHED_RADIUS) as i32;
        let beyond = |extent: i32| extent + 5 * theme::GAP / 2 + reach;
        let mut extent = reach;
        if !is_upright {
            let is_valued = f64::from(length - sides * beyond(widest)) >= LEAST_SHARE * f64::from(length);
            bars.upwards = is_valued.then_some(false);
            extent = if is_valued { beyond(widest) } else { reach };
        } else if widest + theme::GAP / 2 <= room {
            (bars.upwards, extent) = (Some(false), beyond(theme::BAR_TEXT_SIZE));
        } else if theme::BAR_TEXT_SIZE <= room {
            (bars.upwards, extent) = (Some(true), beyond(widest));
        }
        bars.range = with_room(rows, limits, f64::from(extent), f64::from(length))?;
        Some(bars)
    }

    /// The same with the axis that some of the rows need.
    pub(super) fn axis_of(&self, rows: &[&Row], room: i32, length: i32) -> Option<Range> {
        Self::new(rows, self.limits, self.is_upright, room, length).map(|bars| bars.range)
    }

    fn written(&self, value: f64) -> String {
        let text = match self.places {
            Some(places) => number::fixed(value, places),
            None => number::significant(value, DIGITS),
        };
        text.replace('-', "−")
    }

    /// The legend of whiskers and diamonds, where there are some.
    pub(super) fn legend<'a>(&self, rows: &[&Row]) -> Vec<Entry<'a>> {
        let has_whiskers = rows.iter().any(|row| row.ci95.is_some());
        let is_published = rows.iter().any(|row| row.published.is_some());
        let whiskers = has_whiskers.then(|| Entry::whisker(self.is_upright));
        whiskers.into_iter().chain(is_published.then(|| Entry::published(DIAMOND, PUBLISHED_RADIUS))).collect()
    }

    /// One bar with all that belongs to it, around a place across.
    pub(super) fn bar(&self, plot: &Plot, row: &Row, colour: Colour, across: i32, half: i32) {
        let Self { is_upright, limits, .. } = *self;
        let along = |value: f64| match is_upright {
            true => plot.at(plot.x.range.low, limits.cut(value)).1,
            false => plot.at(limits.cut(value), plot.y.range.low).0,
        };
        let place = |at: i32, off: i32| -> Point { if is_upright { (across + off, at) } else { (at, across + off) } };
        let rect = |from: i32, to: i32| {
            let ((left, top), (right, bottom)) = (place(from.min(to), -half), place(from.max(to), half));
            Rect { left, right, top, bottom }
        };
        plot.pen.outlined(rect(along(0.0), along(row.mean)), colour, theme::tint(colour));
        let radius = PUBLISHED_RADIUS.min(0.4 * f64::from(half));
        let reach = (HOLLOW_REACH * radius).ceil() as i32;
        let interval = row.ci95.unwrap_or(0.0);
        let ends = [row.mean - interval, row.mean + interval];
        if row.ci95.is_some() {
            whisker(
                plot.pen,
                ends.map(along),
                ends.map(|end| limits.cut(end) == end),
                (half * 3 / 10).min(theme::GAP),
                place,
            );
        }
        let published = row.published.map(along);
        if let Some(at) = published {
            // To the right of an upright whisker, but not over the next bar.
            let beside = if is_upright { (half / 2).min(half - reach) } else { 0 };
            plot.pen.hollow(DIAMOND, place(at, beside), radius, theme::INK);
        }
        let is_below = row.mean < 0.0;
        let end = along(if is_below { ends[0] } else { ends[1] });
        // Low bars answer where their values stand, and lying ones anywhere beside their name.
        let answers = rect(along(0.0).min(end), along(0.0).max(end));
        let row_of = Rect { left: plot.rect.left, right: plot.rect.right, ..answers };
        spots::area(plot, if is_upright { answers } else { row_of }, row, self.several_metrics);

        let Some(upwards) = self.upwards else { return };
        let (text, size) = (self.written(row.mean), theme::BAR_TEXT_SIZE);
        let (beside, above) = if upwards { (size, width(&text, size)) } else { (width(&text, size), size) };
        let length = if is_upright { above } else { beside };
        // Away from zero is up on the canvas for upright bars above it.
        let away = if is_upright == is_below { 1 } else { -1 };
        let mut start = theme::GAP;
        if let Some(distance) = published.map(|at| (at - end) * away)
            && distance - reach < start + length + theme::GAP
            && start < distance + reach
        {
            start = distance + reach + theme::GAP * 3 / 5;
        }
        let middle = place(end + away * (start + length / 2), 0);
        // Lines of the grid would run through the digits.
        plot.pen.rect(Rect::around(middle, (beside / 2, above / 2)), theme::PAPER);
        match upwards {
            true => plot.pen.upwards(text, middle, size),
            false => plot.pen.text(text, middle, HPos::Center, size),
        }
    }
}

/// The range of an axis of this length: zero, all that is drawn, and room beyond it.
fn with_room(rows: &[&Row], limits: AxisLimits, room: f64, length: f64) -> Option<Range> {
    let extent = |row: &&Row| {
        let half = row.ci95.unwrap_or(0.0);
        [Some(limits.cut(row.mean - half)), Some(limits.cut(row.mean + half)), row.published]
    };
    let range = Range::around(rows.iter().flat_map(extent).flatten().chain([0.0]))?;
    let falls = range.low < 0.0;
    // A zero among negative values has its own written above it.
    let rises = range.high > 0.0 || rows.iter().any(|row| row.mean >= 0.0);
    let sides = if falls && rises { 2.0 } else { 1.0 };
    let room = (range.high - range.low) * room / (length - sides * room).max(0.2 * length);
    Some(Range {
        low: if falls { range.low - room } else { range.low },
        high: if rises { range.high + room } else { range.high },
    })
}
