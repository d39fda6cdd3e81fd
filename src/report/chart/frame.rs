//! The surroundings of the data: title, legend, axes and grid.

use super::axis::{Horizontal, POWER_STEPS, widest};
use super::scale::{Range, Ticks};
use super::theme;
use crate::Figure;
use gridloom_files::{Align, Label, ScenePoint, Shape, stroke};
use gridloom_files::{fitted, text_width, wrapped, wrapped_within};

/// At most this many steps between the ticks of the vertical axis.
pub(crate) const VERTICAL_STEPS: usize = 6;

/// At most this many lines for the title of an axis.
const TITLE_LINES: usize = 3;

/// The plotting area and the values it shows.
pub(crate) struct Plot {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub x: Range,
    pub y: Range,
}

impl Plot {
    /// Where values stand on the canvas.
    pub(super) fn at(&self, x: f64, y: f64) -> ScenePoint {
        let across = self.left + self.x.share(x) * (self.right - self.left);
        let down = self.bottom - self.y.share(y) * (self.bottom - self.top);
        (across, down)
    }
}

/// The content of a vertical axis.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Vertical {
    /// Numbers.
    Values(Range),
    /// Logarithms to base ten of numbers, which the ticks show.
    Powers(Range),
}

impl Vertical {
    pub(super) fn range(self) -> Range {
        let (Self::Values(range) | Self::Powers(range)) = self;
        range
    }

    /// At most so many steps of ticks.
    pub(super) fn ticks(self, steps: usize) -> Ticks {
        match self {
            Self::Values(range) => Ticks::within(range, steps),
            Self::Powers(range) => Ticks::powers(range, steps.min(POWER_STEPS)),
        }
    }
}

/// An entry of the legend: the shapes of its sample, drawn around the origin, and its name.
pub(crate) struct LegendEntry {
    pub sample: Vec<Shape>,
    pub name: String,
}

/// A finished frame.
pub(crate) struct Frame {
    pub plot: Plot,
    pub grid: Vec<Shape>,
    /// Axes and all text.
    pub axes: Vec<Shape>,
    /// The height of the whole canvas.
    pub height: f64,
}

/// Lays out everything around the data, from the top down. The vertical axis ends at `limit`, where the range does not
/// end before.
pub(crate) fn frame(figure: &Figure, x: Horizontal, y: Range, limit: f64, legend: Vec<LegendEntry>) -> Frame {
    // Both axes are logarithmic, or none.
    let y = if matches!(x, Horizontal::Powers(_)) { Vertical::Powers(y) } else { Vertical::Values(y) };
    frame_on(figure, x, y, limit, legend)
}

/// The same for axes of which each may be logarithmic.
pub(crate) fn frame_on(figure: &Figure, x: Horizontal, y: Vertical, limit: f64, legend: Vec<LegendEntry>) -> Frame {
    let mut shapes = Vec::new();
    let mut top = heading(&mut shapes, &figure.title, legend);
    let vertical = y.ticks(VERTICAL_STEPS).up_to(limit);
    let y = y.range();
    if !vertical.multiplier.is_empty() {
        top += theme::LEADING * theme::TICK_SIZE;
    }
    top += 1.5 * theme::GAP;
    let bottom = top + theme::PLOT_HEIGHT;
    let title = vertical_title(&mut shapes, &figure.y_label, top, bottom);
    let left = title + widest(&vertical.labels) + theme::TICK_LENGTH + theme::GAP;
    let horizontal = x.within(theme::WIDTH - theme::MARGIN - left);
    let right = theme::WIDTH - theme::MARGIN - horizontal.overhang[1];
    let plot = Plot { left, right, top, bottom, x: horizontal.range, y };

    let level = |&y: &f64| stroke(plot.at(plot.x.low, y), plot.at(plot.x.high, y), theme::GRID, theme::GRID_LINE);
    let grid = horizontal.grid(&plot).into_iter().chain(vertical.values.iter().map(level)).collect();
    vertical_axis(&mut shapes, &plot, &vertical, limit);
    let below = horizontal.place(&mut shapes, &plot, &figure.x_label);
    Frame { grid, plot, axes: shapes, height: below + theme::MARGIN }
}

/// Title and legend at the top of the canvas; returns where free space begins below them.
pub(crate) fn heading(shapes: &mut Vec<Shape>, title: &str, legend: Vec<LegendEntry>) -> f64 {
    let mut top = theme::MARGIN;
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    for line in wrapped(title, room, theme::TITLE_SIZE, true) {
        let at = (theme::MARGIN, top + 0.5 * theme::TITLE_SIZE);
        shapes.push(Shape::Text(Label { bold: true, ..Label::new(line, at, Align::Left, theme::TITLE_SIZE) }));
        top += theme::LEADING * theme::TITLE_SIZE;
    }
    if legend.is_empty() { top } else { place_legend(shapes, legend, top) }
}

/// The axis to the left of a plot, with its ticks.
pub(crate) fn vertical_axis(shapes: &mut Vec<Shape>, plot: &Plot, ticks: &Ticks, limit: f64) {
    let (left, bottom) = (plot.left, plot.bottom);
    let top = plot.at(plot.x.low, plot.y.high.min(limit)).1;
    let axis = |from, to| stroke(from, to, theme::AXIS, theme::AXIS_LINE);
    let text = |text: &String, at, align| Shape::Text(Label::new(text.clone(), at, align, theme::TICK_SIZE));
    shapes.push(axis((left, top), (left, bottom)));
    for (&value, name) in ticks.values.iter().zip(&ticks.labels) {
        let y = plot.at(plot.x.low, value).1;
        shapes.push(axis((left - theme::TICK_LENGTH, y), (left, y)));
        shapes.push(text(name, (left - theme::TICK_LENGTH - 0.5 * theme::GAP, y), Align::Right));
    }
    if !ticks.multiplier.is_empty() {
        let at = (left - theme::TICK_LENGTH, plot.top - 0.5 * theme::LEADING * theme::TICK_SIZE);
        shapes.push(text(&ticks.multiplier, at, Align::Left));
    }
}

/// The title of a horizontal axis, in the middle below it and in several lines if it is long; returns where free space
/// begins.
pub(crate) fn horizontal_title(shapes: &mut Vec<Shape>, title: &str, (left, right): (f64, f64), below: f64) -> f64 {
    let line = theme::LEADING * theme::LABEL_SIZE;
    let mut top = below;
    for text in title_lines(title, right - left) {
        let at = (0.5 * (left + right), top + 0.5 * line);
        shapes.push(Shape::Text(Label::new(text, at, Align::Centre, theme::LABEL_SIZE)));
        top += line;
    }
    top
}

/// The title of an axis in as few lines as its room allows, at most three.
pub(crate) fn title_lines(title: &str, room: f64) -> Vec<String> {
    let lines = wrapped(title, room, theme::LABEL_SIZE, false);
    if lines.len() < 2 {
        return lines;
    }
    // The unit is best read in one piece.
    let Some((name, unit)) = title.rsplit_once(" (").map(|(name, unit)| (name.to_string(), format!("({unit}"))) else {
        return wrapped_within(title, room, theme::LABEL_SIZE, TITLE_LINES);
    };
    let fits = |line: &String| text_width(line, theme::LABEL_SIZE, false) <= room;
    // "Makespan of jobs with a plan" breaks before the jobs.
    let parts = name.split_once(" of ").map(|(first, rest)| [first.to_string(), format!("of {rest}"), unit.clone()]);
    if let Some(parts) = parts.filter(|parts| !fits(&name) && parts.iter().all(fits)) {
        return parts.to_vec();
    }
    let mut lines = wrapped_within(&name, room, theme::LABEL_SIZE, TITLE_LINES - 1);
    lines.push(fitted(&unit, room, theme::LABEL_SIZE, false));
    lines
}

/// The title of a vertical axis, upwards along the edge of the canvas and in several lines if it is long; returns where
/// free space begins.
pub(crate) fn vertical_title(shapes: &mut Vec<Shape>, title: &str, top: f64, bottom: f64) -> f64 {
    vertical_lines(shapes, title_lines(title, bottom - top), top, bottom)
}

/// The same for lines that were chosen before.
pub(crate) fn vertical_lines(shapes: &mut Vec<Shape>, lines: Vec<String>, top: f64, bottom: f64) -> f64 {
    let mut left = theme::MARGIN;
    for line in lines {
        let at = (left + 0.5 * theme::LABEL_SIZE, 0.5 * (top + bottom));
        shapes.push(Shape::Text(Label { upwards: true, ..Label::new(line, at, Align::Centre, theme::LABEL_SIZE) }));
        left += theme::LEADING * theme::LABEL_SIZE;
    }
    left
}

/// The legend above the data, in columns that line up where that takes no more rows; returns where free space begins
/// below it.
fn place_legend(shapes: &mut Vec<Shape>, legend: Vec<LegendEntry>, top: f64) -> f64 {
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let sample = legend.iter().flat_map(|entry| &entry.sample).map(Shape::reach).fold(0.5 * theme::SAMPLE, f64::max);
    let before_name = 2.0 * sample + 0.7 * theme::GAP;
    let (mut names, mut widths) = (Vec::new(), Vec::new());
    for entry in &legend {
        let name = fitted(&entry.name, room - before_name, theme::TICK_SIZE, false);
        widths.push(before_name + text_width(&name, theme::TICK_SIZE, false) + 2.0 * theme::GAP);
        names.push(name);
    }
    let room = room + 2.0 * theme::GAP;
    let columns = vec![widths.iter().copied().fold(0.0, f64::max); widths.len()];
    let rows = legend_rows(&widths, room);
    if rows > 1 && legend_rows(&columns, room) == rows {
        widths = columns;
    }
    let row_height = theme::LEADING * theme::TICK_SIZE;
    let (mut x, mut y) = (0.0, top + 0.5 * row_height);
    for ((entry, name), width) in legend.into_iter().zip(names).zip(widths) {
        if x > 0.0 && x + width > room {
            (x, y) = (0.0, y + row_height);
        }
        let left = theme::MARGIN + x;
        shapes.extend(entry.sample.into_iter().map(|shape| shape.moved((left + sample, y))));
        shapes.push(Shape::Text(Label::new(name, (left + before_name, y), Align::Left, theme::TICK_SIZE)));
        x += width;
    }
    y + 0.5 * row_height
}

/// The number of rows that entries of these widths take.
fn legend_rows(widths: &[f64], room: f64) -> usize {
    let (mut rows, mut x) = (1, 0.0);
    for width in widths {
        if x > 0.0 && x + width > room {
            (rows, x) = (rows + 1, 0.0);
        }
        x += width;
    }
    rows
}
