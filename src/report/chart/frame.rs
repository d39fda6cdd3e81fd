//! What surrounds the data: title, legend, axes and grid.

use super::letters::text_width;
use super::scale::{Range, Ticks};
use super::scene::{Align, Label, Point, Shape, fitted, wrapped};
use super::theme;
use crate::experiment::Figure;
use crate::report::ReportError;
use plotters::style::{RGBAColor, RGBColor};

/// At most this many steps between the ticks of the vertical axis.
pub(crate) const VERTICAL_STEPS: usize = 6;
const HORIZONTAL_STEPS: usize = 12;
const FEWEST_STEPS: usize = 3;

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
    pub fn at(&self, x: f64, y: f64) -> Point {
        let across = self.left + self.x.share(x) * (self.right - self.left);
        let down = self.bottom - self.y.share(y) * (self.bottom - self.top);
        (across, down)
    }
}

/// An entry of the legend: the shapes of its sample, drawn around the origin, and its name.
pub(crate) struct Entry {
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

/// Lays out everything around the data, from the top down.
pub(crate) fn frame(figure: &Figure, x: Range, y: Range, legend: Vec<Entry>) -> Result<Frame, ReportError> {
    let mut shapes = Vec::new();
    let mut top = theme::MARGIN;
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    for line in wrapped(&figure.title, room, theme::TITLE_SIZE, true)? {
        let at = (theme::MARGIN, top + 0.5 * theme::TITLE_SIZE);
        shapes.push(Shape::Text(Label { bold: true, ..label(line, at, Align::Left, theme::TITLE_SIZE) }));
        top += theme::LEADING * theme::TITLE_SIZE;
    }
    top = place_legend(&mut shapes, legend, top)?;

    let vertical = Ticks::within(y, VERTICAL_STEPS);
    if !vertical.multiplier.is_empty() {
        top += theme::LEADING * theme::TICK_SIZE;
    }
    top += 1.5 * theme::GAP;
    let widest = widest(&vertical.labels)?;
    let left = theme::MARGIN + theme::LEADING * theme::LABEL_SIZE + widest + theme::TICK_LENGTH + theme::GAP;
    let (horizontal, overhang) = horizontal_ticks(x, theme::WIDTH - theme::MARGIN - left)?;
    let right = theme::WIDTH - theme::MARGIN - overhang;
    let plot = Plot { left, right, top, bottom: top + theme::PLOT_HEIGHT, x, y };

    let below = axes(&mut shapes, &plot, &horizontal, &vertical);
    let y_label = fitted(&figure.y_label, theme::PLOT_HEIGHT, theme::LABEL_SIZE, false)?;
    let at = (theme::MARGIN + 0.5 * theme::LABEL_SIZE, 0.5 * (plot.top + plot.bottom));
    shapes.push(Shape::Text(Label { upwards: true, ..label(y_label, at, Align::Centre, theme::LABEL_SIZE) }));
    let x_label = fitted(&figure.x_label, right - left, theme::LABEL_SIZE, false)?;
    let at = (0.5 * (left + right), below + 0.5 * theme::LEADING * theme::LABEL_SIZE);
    shapes.push(Shape::Text(label(x_label, at, Align::Centre, theme::LABEL_SIZE)));
    let height = below + theme::LEADING * theme::LABEL_SIZE + theme::MARGIN;
    Ok(Frame { grid: grid(&plot, &horizontal, &vertical), plot, axes: shapes, height })
}

/// A line through the plot at each tick.
fn grid(plot: &Plot, horizontal: &Ticks, vertical: &Ticks) -> Vec<Shape> {
    let line = |from, to| stroke(from, to, theme::GRID, theme::GRID_LINE);
    let upright = horizontal.values.iter().map(|&x| line(plot.at(x, plot.y.low), plot.at(x, plot.y.high)));
    let level = vertical.values.iter().map(|&y| line(plot.at(plot.x.low, y), plot.at(plot.x.high, y)));
    upright.chain(level).collect()
}

/// Axes, ticks and their labels; returns where free space begins below.
fn axes(shapes: &mut Vec<Shape>, plot: &Plot, horizontal: &Ticks, vertical: &Ticks) -> f64 {
    let (left, right, top, bottom) = (plot.left, plot.right, plot.top, plot.bottom);
    let across: Vec<f64> = horizontal.values.iter().map(|&value| plot.at(value, plot.y.low).0).collect();
    let down: Vec<f64> = vertical.values.iter().map(|&value| plot.at(plot.x.low, value).1).collect();
    let axis = |from, to| stroke(from, to, theme::AXIS, theme::AXIS_LINE);
    shapes.push(axis((left, top), (left, bottom)));
    shapes.push(axis((left, bottom), (right, bottom)));
    shapes.extend(across.iter().map(|&x| axis((x, bottom), (x, bottom + theme::TICK_LENGTH))));
    shapes.extend(down.iter().map(|&y| axis((left - theme::TICK_LENGTH, y), (left, y))));

    let text = |text: &String, at, align| Shape::Text(label(text.clone(), at, align, theme::TICK_SIZE));
    let tick_text = bottom + theme::TICK_LENGTH + 0.5 * theme::LEADING * theme::TICK_SIZE;
    for (name, &x) in horizontal.labels.iter().zip(&across) {
        shapes.push(text(name, (x, tick_text), Align::Centre));
    }
    for (name, &y) in vertical.labels.iter().zip(&down) {
        shapes.push(text(name, (left - theme::TICK_LENGTH - 0.5 * theme::GAP, y), Align::Right));
    }
    let mut below = bottom + theme::TICK_LENGTH + theme::LEADING * theme::TICK_SIZE;
    if !vertical.multiplier.is_empty() {
        let at = (left - theme::TICK_LENGTH, top - 0.5 * theme::LEADING * theme::TICK_SIZE);
        shapes.push(text(&vertical.multiplier, at, Align::Left));
    }
    if !horizontal.multiplier.is_empty() {
        shapes.push(text(&horizontal.multiplier, (right, below + 0.5 * theme::TICK_SIZE), Align::Right));
        below += theme::LEADING * theme::TICK_SIZE;
    }
    below
}

/// As many ticks as there is room for their labels, and how far the last label may stand out to the right.
fn horizontal_ticks(x: Range, room: f64) -> Result<(Ticks, f64), ReportError> {
    let mut steps = HORIZONTAL_STEPS;
    loop {
        let ticks = Ticks::within(x, steps);
        let label = widest(&ticks.labels)?;
        let apart = match ticks.values[..] {
            [first, second, ..] => (x.share(second) - x.share(first)) * room,
            _ => room,
        };
        if steps == FEWEST_STEPS || label + 2.0 * theme::GAP <= apart {
            return Ok((ticks, 0.5 * label));
        }
        steps -= 1;
    }
}

/// The legend above the data, in one row or else in as many columns as fit; returns where free space begins below it.
fn place_legend(shapes: &mut Vec<Shape>, legend: Vec<Entry>, top: f64) -> Result<f64, ReportError> {
    let room = theme::WIDTH - 2.0 * theme::MARGIN;
    let before_name = theme::SAMPLE + 0.7 * theme::GAP;
    let (mut names, mut widths) = (Vec::new(), Vec::new());
    for entry in &legend {
        let name = fitted(&entry.name, room - before_name, theme::TICK_SIZE, false)?;
        widths.push(before_name + text_width(&name, theme::TICK_SIZE, false)? + 2.0 * theme::GAP);
        names.push(name);
    }
    let room = room + 2.0 * theme::GAP;
    if widths.iter().sum::<f64>() > room {
        let widest = widths.iter().copied().fold(0.0, f64::max);
        widths.fill(widest);
    }
    let row_height = theme::LEADING * theme::TICK_SIZE;
    let (mut x, mut y) = (0.0, top + 0.5 * row_height);
    for ((entry, name), width) in legend.into_iter().zip(names).zip(widths) {
        if x > 0.0 && x + width > room {
            (x, y) = (0.0, y + row_height);
        }
        let left = theme::MARGIN + x;
        shapes.extend(entry.sample.into_iter().map(|shape| shape.moved((left + 0.5 * theme::SAMPLE, y))));
        shapes.push(Shape::Text(label(name, (left + before_name, y), Align::Left, theme::TICK_SIZE)));
        x += width;
    }
    Ok(y + 0.5 * row_height)
}

fn widest(labels: &[String]) -> Result<f64, ReportError> {
    labels.iter().try_fold(0.0_f64, |widest, text| Ok(widest.max(text_width(text, theme::TICK_SIZE, false)?)))
}

fn label(text: String, at: Point, align: Align, size: f64) -> Label {
    Label { text, at, align, size, bold: false, upwards: false }
}

fn stroke(from: Point, to: Point, colour: RGBColor, width: f64) -> Shape {
    Shape::Line { points: vec![from, to], colour: RGBAColor::from(colour), width }
}
