//! Bars that lie: a row for each series with its name before it, and a column for each metric.
//!
//! Names of any length have room before a lying bar, so that no bar needs a colour and a legend to be known by.

use super::axis::{Horizontal, name_lines, widest};
use super::boxes::Rect;
use super::frame::{Plot, heading, horizontal_title};
use super::limits::AxisLimits;
use super::marks::{HOLLOW_REACH, hollow};
use super::rows::{name_before, rows_of_names};
use super::scale::Range;
use super::spots;
use super::theme;
use super::tips::{self, BAR_SHARE, DIAMOND, PUBLISHED_RADIUS, ValueText};
use crate::ReportError;
use crate::{Figure, Row};
use gridloom_files::text_width;
use gridloom_files::{Align, Colour, Label, Scene, Shape, stroke};

/// At most this many metrics stand side by side; further ones stand below them.
const COLUMNS: usize = 4;
const ROW_HEIGHT: f64 = 1.4 * theme::TICK_SIZE;
/// Names take at most this much.
const WIDEST_NAME: f64 = 0.4 * theme::WIDTH;
/// Values are written at bars that keep this share of their column.
const LEAST_SHARE: f64 = 0.4;

/// Lays out the rows of each metric, from the top down.
pub(crate) fn scene(
    figure: &Figure,
    metrics: &[(&str, Vec<&Row>)],
    series: &[&str],
    limits: AxisLimits,
) -> Result<Scene, ReportError> {
    let drawn: Vec<&Row> = metrics.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let mut shapes = Vec::new();
    let mut top = heading(&mut shapes, &figure.title, tips::marks_legend(drawn.iter().copied())) + theme::GAP;
    let names: Vec<Vec<String>> = series.iter().map(|name| name_lines(name, WIDEST_NAME)).collect();
    let left = theme::MARGIN + names.iter().map(|name| widest(name)).fold(0.0, f64::max) + theme::GAP;
    let room = theme::WIDTH - theme::MARGIN - left;
    let columns = metrics.len().min(COLUMNS) as f64;
    let too_wide = || ReportError::TooWide { figure: figure.file.clone() };
    let rough = StripScale::new(&drawn, limits, room / columns).ok_or_else(too_wide)?;
    let overhang = Horizontal::Values(rough.range).within(room / columns).overhang;
    let gap = 2.0 * theme::GAP + overhang[0] + overhang[1];
    let width = (room - overhang[1] + gap) / columns - gap;
    let scale = StripScale::new(&drawn, limits, width).ok_or_else(too_wide)?;

    let mut data = Vec::new();
    let line = theme::LEADING * theme::TICK_SIZE;
    for group in metrics.chunks(COLUMNS) {
        let mut titles = vec![Vec::new(); group.len()];
        if metrics.len() > 1 {
            for (title, (metric, _)) in titles.iter_mut().zip(group) {
                *title = name_lines(metric, width + gap - theme::GAP);
            }
        }
        let header = titles.iter().map(Vec::len).max().unwrap_or(0) as f64 * line;
        let (middles, bottom) = rows_of_names(names.iter().map(Vec::len), ROW_HEIGHT, top + header);
        let bottom = bottom + 0.5 * theme::GAP;
        for (name, &middle) in names.iter().zip(&middles) {
            shapes.extend(name_before(name, (left - theme::GAP, middle)));
        }
        let mut below = bottom;
        for (column, ((_, rows), title)) in group.iter().zip(titles).enumerate() {
            let left = left + column as f64 * (width + gap);
            let y = Range { low: 0.0, high: 1.0 };
            let plot = Plot { left, right: left + width, top: top + header, bottom, x: scale.range, y };
            let axis = Horizontal::Values(scale.range).within(width).up_to(limits.high);
            for (index, text) in title.into_iter().enumerate() {
                let at = (left, top + (index as f64 + 0.5) * line);
                shapes.push(Shape::Text(Label::new(text, at, Align::Left, theme::TICK_SIZE)));
            }
            shapes.extend(axis.grid(&plot));
            for row in rows {
                let Some(index) = series.iter().position(|name| *name == row.series) else { continue };
                // Colours that repeat would pretend that bars belong together.
                let colour = theme::colour(if series.len() > theme::COLOURS { 0 } else { index });
                data.extend(scale.bar(row, colour, middles[index], &plot, limits));
                let half = 0.5 * ROW_HEIGHT;
                let area = [plot.left, middles[index] - half, plot.right, middles[index] + half];
                data.push(spots::area(row, area, metrics.len() > 1));
            }
            data.push(stroke(plot.at(0.0, 0.0), plot.at(0.0, 1.0), theme::AXIS, theme::AXIS_LINE));
            below = axis.place(&mut shapes, &plot, "");
        }
        top = below + theme::GAP;
    }
    let below = horizontal_title(&mut shapes, &figure.y_label, (left, left + room), top - theme::GAP);
    let height = below + theme::MARGIN;
    shapes.extend(data);
    Ok(Scene { title: figure.title.clone(), height, shapes })
}

/// The scale of the bars; their values are written at them, if `valued`.
struct StripScale {
    text: ValueText,
    range: Range,
    valued: bool,
}

impl StripScale {
    /// The scale of all columns; `None` past the limits of axes.
    fn new(rows: &[&Row], limits: AxisLimits, width: f64) -> Option<Self> {
        let text = ValueText::of(rows);
        let widest = text.widest(rows);
        let sides = if rows.iter().any(|row| row.mean < 0.0) { 2.0 } else { 1.0 };
        let valued = width - sides * tips::beyond_tip(widest) >= LEAST_SHARE * width;
        let room = if valued { tips::beyond_tip(widest) } else { HOLLOW_REACH * PUBLISHED_RADIUS };
        tips::with_room(rows, limits, room, width).map(|range| Self { text, range, valued })
    }

    /// One bar around the height `y` with all that belongs to it.
    fn bar(&self, row: &Row, colour: Colour, y: f64, plot: &Plot, limits: AxisLimits) -> Vec<Shape> {
        let half = 0.5 * BAR_SHARE * ROW_HEIGHT;
        let along = |value| plot.at(value, 0.0).0;
        let (zero, tip) = (along(0.0), along(row.mean));
        let rect = Rect { left: zero.min(tip), right: zero.max(tip), top: y - half, bottom: y + half };
        let mut shapes = rect.outlined(colour, theme::tint(colour));
        let (ends, end) = tips::interval(row, limits);
        if row.ci95.is_some() {
            let whole = ends.map(|end| limits.cut(end) == end);
            let drawn = ends.map(|end| along(limits.cut(end)));
            shapes.extend(tips::whisker(drawn, whole, 0.4 * half, |along, across| (along, y + across)));
        }
        let radius = 0.85 * PUBLISHED_RADIUS;
        let reach = HOLLOW_REACH * radius;
        let published = row.published.map(along);
        if let Some(x) = published {
            shapes.extend(hollow(DIAMOND, (x, y), radius, theme::INK));
        }
        if self.valued {
            let text = self.text.written(row.mean);
            let width = text_width(&text, theme::BAR_TEXT_SIZE, false);
            let away = if row.mean < 0.0 { -1.0 } else { 1.0 };
            let start = tips::value_start(width, published.map(|x| ((x - along(end)) * away, reach)));
            let x = along(end) + away * (start + 0.5 * width);
            let height = 0.5 * theme::BAR_TEXT_SIZE;
            // Lines of the grid would run through the digits.
            let plate = Rect { left: x - 0.5 * width, right: x + 0.5 * width, top: y - height, bottom: y + height };
            shapes.push(plate.filled(theme::PAPER));
            shapes.push(Shape::Text(Label::new(text, (x, y), Align::Centre, theme::BAR_TEXT_SIZE)));
        }
        shapes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tidy::{assert_tidy, extent, labels};
    use crate::{chart, samples};
    use gridloom_sim::metrics::Estimate;

    fn rows(series: usize, metrics: &[&str]) -> Vec<Row> {
        let row = |s: usize, metric: &&str| {
            let estimate = Estimate { mean: 10.0 * (s + 1) as f64, ci95: Some(4.0), n: 9 };
            let row = Row::new("comparison", format!("the policy with number {s}"), *metric, estimate);
            Row { published: s.is_multiple_of(3).then_some(10.0 * s as f64 + 14.0), ..row }
        };
        (0..series).flat_map(|s| metrics.iter().map(move |metric| row(s, metric))).collect()
    }

    fn drawn(series: usize, metrics: &[&str]) -> Scene {
        let figure = Figure { metrics: metrics.iter().map(|name| name.to_string()).collect(), ..samples::bars() };
        chart::scene(&figure, &rows(series, metrics)).unwrap()
    }

    #[test]
    fn every_bar_has_its_name_before_it_and_its_value_behind() {
        let scene = drawn(16, &["cost"]);
        assert_tidy(&scene);
        // The outlines of bars, top down; each is as long as its value says.
        let outline = |shape: &Shape| match shape {
            Shape::Area { points, colour } if *colour == theme::colour(0) => Some((points[0], points[2])),
            _ => None,
        };
        let outlines: Vec<_> = scene.shapes.iter().filter_map(outline).collect();
        assert_eq!(outlines.len(), 16);
        for (s, &((left, top), (right, bottom))) in outlines.iter().enumerate() {
            let at = |text: String, size: f64| {
                let own = |label: &&Label| label.text == text && label.size == size;
                labels(&scene).into_iter().find(own).map(extent).unwrap()
            };
            let name = at(format!("the policy with number {s}"), theme::TICK_SIZE);
            let value = at(format!("{}", 10 * (s + 1)), theme::BAR_TEXT_SIZE);
            for [_, _, upper, lower] in [name, value] {
                assert!((0.5 * (upper + lower) - 0.5 * (top + bottom)).abs() < 1.0, "beside its bar");
            }
            assert!(name[1] < left && value[0] > right);
            assert!(((right - left) / (outlines[0].1.0 - outlines[0].0.0) - (s + 1) as f64).abs() < 1e-6);
        }
    }

    #[test]
    fn many_metrics_stand_in_columns_and_then_below() {
        for metrics in [&["cost", "time"][..], &["a", "b", "c", "d", "a long one in several lines"]] {
            let scene = drawn(12, metrics);
            assert_tidy(&scene);
            let count = |text: &str| labels(&scene).iter().filter(|label| label.text == text).count();
            assert_eq!(count("the policy with number 7"), metrics.len().div_ceil(COLUMNS));
            assert_eq!(count(metrics[1]), 1);
        }
    }
}
