//! Maps: the means of a crossing as coloured cells over the values of two factors.
//!
//! Cells are of equal size whatever the distances of the values, so that each has room for its number. A heavy line
//! runs where neighbours have different signs: in a map of differences that is where one alternative overtakes the
//! other.

mod key;
mod layout;

use super::boxes::Rect;
use super::cut::{cut_rows, repeated};
use super::frame::{heading, horizontal_title, vertical_title};
use super::scale::Ticks;
use super::shades::Shades;
use super::spots::value_of;
use super::{axis, theme};
use crate::ReportError;
use crate::crossing::{levels, setting, value_text};
use crate::number::{self, exponent, power_of_ten};
use crate::table::{in_order, is_told};
use crate::{Cut, Figure, Row, SweepValue};
use gridloom_files::HotSpot;
use gridloom_files::{Align, Label, Scene, Shape, stroke};
use gridloom_files::{fitted, text_width};
use key::{colour_bar, legend};
use layout::{MapContents, MapLayout};

/// Labels of the vertical axis take at most this much.
const WIDEST_NAME: f64 = 0.3 * theme::WIDTH;
/// At most this many steps between the ticks of the colour bar.
const BAR_STEPS: usize = 6;

/// One map: the rows of its cells, from the top down.
struct MapPanel<'a> {
    title: String,
    cells: Vec<Vec<Option<&'a Row>>>,
}

/// The way in which the values of cells are written.
struct CellValues {
    /// The power of ten that all leave out.
    power: i32,
    places: usize,
    is_signed: bool,
}

/// Lays out the maps of a cut.
pub(crate) fn scene(figure: &Figure, cut: &Cut, rows: &[Row]) -> Result<Scene, ReportError> {
    let rows = cut_rows(figure, cut, rows)?;
    let across = levels(&rows, &cut.along);
    let up = top_down(cut, &rows);
    let panels = map_panels(figure, cut, &rows, &across, &up)?;
    let means = rows.iter().map(|row| row.mean);
    let both_signs = means.clone().any(|mean| mean < 0.0) && means.clone().any(|mean| mean > 0.0);
    let are_differences = figure.metrics.iter().any(|metric| metric.starts_with("difference"));
    let too_wide = || ReportError::TooWide { figure: figure.file.clone() };
    let shades = Shades::of(means.clone(), both_signs || are_differences).ok_or_else(too_wide)?;
    let values = CellValues::new(means, shades);
    let texts: Vec<String> = rows.iter().map(|row| values.text(row.mean)).collect();
    let widest = texts.iter().map(|text| text_width(text, 1.0, true)).fold(0.0, f64::max);

    let names: Vec<String> = up.iter().map(|value| value.map(value_text).unwrap_or_default()).collect();
    let names: Vec<String> = names.iter().map(|name| fitted(name, WIDEST_NAME, theme::TICK_SIZE, false)).collect();
    let up_label = cut.up.as_ref().map_or("", |(_, label)| label.as_str());
    let numbers: Vec<String> = across.iter().filter_map(|value| value.number().map(number::plain)).collect();
    let contents = MapContents {
        maps: panels.len(),
        across: across.len(),
        up: up.len(),
        value: widest,
        beside: axis::widest(&names),
        below: axis::widest(&numbers),
    };
    let (layout, is_beside) = MapLayout::with_label(&contents, up_label);

    let mut shapes = Vec::new();
    let mut top = heading(&mut shapes, &figure.title, legend(&panels, shades)) + 0.5 * theme::GAP;
    top = colour_bar(&mut shapes, &figure.y_label, shades, values.power, &layout, top) + theme::GAP;
    if !is_beside && !up_label.is_empty() {
        let label = format!("↑ {up_label}");
        let label = fitted(&label, theme::WIDTH - 2.0 * theme::MARGIN, theme::LABEL_SIZE, false);
        let at = (theme::MARGIN, top + 0.5 * theme::LEADING * theme::LABEL_SIZE);
        shapes.push(Shape::Text(Label::new(label, at, Align::Left, theme::LABEL_SIZE)));
        top += theme::LEADING * theme::LABEL_SIZE;
    }
    let line = theme::LEADING * theme::TICK_SIZE;
    let start = top + if panels.iter().any(|panel| !panel.title.is_empty()) { line } else { 0.0 };
    let (width, height) = (layout.cell.0 * across.len() as f64, layout.cell.1 * up.len() as f64);
    let mut end = top;
    for (row, chunk) in panels.chunks(layout.columns).enumerate() {
        let titles: Vec<Vec<String>> =
            chunk.iter().map(|panel| axis::panel_title(&panel.title, width, theme::TICK_SIZE)).collect();
        top += titles.iter().map(Vec::len).max().unwrap_or(0) as f64 * line + 0.5 * theme::GAP;
        for (column, (panel, title)) in chunk.iter().zip(titles).enumerate() {
            let left = layout.left + column as f64 * (width + layout.gap);
            for (index, text) in title.iter().enumerate() {
                let at = (left, top - 0.5 * theme::GAP - ((title.len() - index) as f64 - 0.5) * line);
                shapes.push(Shape::Text(Label::new(text.clone(), at, Align::Left, theme::TICK_SIZE)));
            }
            shapes.extend(cells(panel, &layout, shades, &values, (left, top)));
            if column == 0 {
                let every = (1.15 * theme::TICK_SIZE / layout.cell.1).ceil().max(1.0) as usize;
                for (index, name) in names.iter().enumerate().step_by(every) {
                    let at = (left - 0.6 * theme::GAP, top + (index as f64 + 0.5) * layout.cell.1);
                    shapes.push(Shape::Text(Label::new(name.clone(), at, Align::Right, theme::TICK_SIZE)));
                }
            }
            if row * layout.columns + column + layout.columns >= panels.len() {
                end = end.max(below(&mut shapes, &across, &layout, (left, top + height)));
            }
        }
        top += height + theme::GAP;
    }
    if is_beside {
        vertical_title(&mut shapes, up_label, start, end - line);
    }
    let room = theme::WIDTH - theme::MARGIN - layout.left;
    let sides = (layout.left, layout.left + room);
    let height = horizontal_title(&mut shapes, &figure.x_label, sides, end) + theme::MARGIN;
    Ok(Scene { title: figure.title.clone(), height, shapes })
}

/// The values up the vertical axis from the top down: numbers grow upwards, texts follow each other as they are read.
fn top_down<'a>(cut: &Cut, rows: &[&'a Row]) -> Vec<Option<&'a SweepValue>> {
    let Some((factor, _)) = &cut.up else { return vec![None] };
    let mut values = levels(rows, factor);
    if values.iter().all(|value| value.number().is_some()) {
        values.reverse();
    }
    values.into_iter().map(Some).collect()
}

/// A map for each value of the cut's factor for panels, or else for each series.
fn map_panels<'a>(
    figure: &Figure,
    cut: &Cut,
    rows: &[&'a Row],
    across: &[&SweepValue],
    up: &[Option<&SweepValue>],
) -> Result<Vec<MapPanel<'a>>, ReportError> {
    let series = in_order(rows.iter().copied(), |row| &row.series);
    let titles: Vec<String> = match &cut.panels {
        Some(factor) => levels(rows, factor).into_iter().map(|value| setting(factor, value)).collect(),
        None => series.into_iter().map(String::from).collect(),
    };
    let title_of = |row: &Row| match &cut.panels {
        Some(factor) => row.factor(factor).map(|value| setting(factor, value)).unwrap_or_default(),
        None => row.series.clone(),
    };
    let empty = || vec![vec![None; across.len()]; up.len()];
    let mut panels: Vec<MapPanel> = titles.into_iter().map(|title| MapPanel { title, cells: empty() }).collect();
    for row in rows {
        let title = title_of(row);
        let panel = panels.iter_mut().find(|panel| panel.title == title);
        let column = across.iter().position(|value| Some(*value) == row.factor(&cut.along));
        let value = cut.up.as_ref().and_then(|(factor, _)| row.factor(factor));
        let line = up.iter().position(|place| *place == value);
        let (Some(panel), Some(column), Some(line)) = (panel, column, line) else { continue };
        if panel.cells[line][column].replace(row).is_some() {
            return Err(repeated(figure, row));
        }
    }
    Ok(panels)
}

impl CellValues {
    fn new(means: impl Iterator<Item = f64>, shades: Shades) -> Self {
        let power = Ticks::within(shades.range, BAR_STEPS).power;
        let most = means.fold(0.0_f64, |most, mean| most.max(mean.abs())) / power_of_ten(power);
        let leading = exponent(most);
        // Two digits of the largest value where all are below one, three elsewhere.
        let places = if leading < 0 { 1 - leading } else { 2 - leading };
        Self { power, places: places.max(0) as usize, is_signed: shades.is_diverging }
    }

    fn text(&self, mean: f64) -> String {
        let text = format!("{:.*}", self.places, (mean / power_of_ten(self.power)).abs());
        let is_zero = text.chars().all(|c| c == '0' || c == '.');
        let sign = match (is_zero, mean < 0.0) {
            (true, _) => "",
            (false, true) => "−",
            (false, false) => {
                if self.is_signed {
                    "+"
                } else {
                    ""
                }
            }
        };
        format!("{sign}{text}")
    }
}

/// The cells of a map whose corner is given, and the lines where the sign changes.
fn cells(panel: &MapPanel, layout: &MapLayout, shades: Shades, values: &CellValues, corner: (f64, f64)) -> Vec<Shape> {
    let (width, height) = layout.cell;
    let rim = theme::GRID_LINE.min(0.05 * width.min(height));
    // Lines that meet at a corner reach over each other there, but not past the map.
    let half = 0.5 * theme::LINE;
    let columns = panel.cells.iter().map(Vec::len).max().unwrap_or(0);
    let end = (corner.0 + columns as f64 * width, corner.1 + panel.cells.len() as f64 * height);
    let (mut shapes, mut texts, mut borders) = (Vec::new(), Vec::new(), Vec::new());
    for (line, row) in panel.cells.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let (left, top) = (corner.0 + column as f64 * width, corner.1 + line as f64 * height);
            let (right, bottom) = (left + width, top + height);
            let rect = Rect { left: left + rim, right: right - rim, top: top + rim, bottom: bottom - rim };
            let Some(row) = cell else {
                shapes.extend(rect.hatched(theme::HATCH, theme::HATCH, theme::PAPER));
                continue;
            };
            shapes.push(rect.filled(shades.colour(row.mean)));
            let factors: Vec<String> = row.factors.iter().map(|factor| setting(&factor.name, &factor.value)).collect();
            let value = value_of(row, factors.join(", "));
            shapes.push(Shape::Spot(HotSpot { area: [left, top, right, bottom], name: row.series.clone(), value }));
            if is_told(row) {
                shapes.push(told_mark(rect));
            }
            if let Some(size) = layout.text {
                let at = (0.5 * (left + right), 0.5 * (top + bottom));
                let label = Label::new(values.text(row.mean), at, Align::Centre, size);
                texts.push(Shape::Text(Label { bold: is_told(row), ..label }));
            }
            let changes =
                |other: Option<&Option<&Row>>| matches!(other, Some(Some(other)) if other.mean * row.mean < 0.0);
            if changes(panel.cells[line].get(column + 1)) {
                borders.push(border((right, (top - half).max(corner.1)), (right, (bottom + half).min(end.1))));
            }
            if changes(panel.cells.get(line + 1).and_then(|below| below.get(column))) {
                borders.push(border(((left - half).max(corner.0), bottom), ((right + half).min(end.0), bottom)));
            }
        }
    }
    let borders = borders.into_iter().filter(|_| shades.is_diverging);
    shapes.into_iter().chain(borders).chain(texts).collect()
}

fn border(from: (f64, f64), to: (f64, f64)) -> Shape {
    stroke(from, to, theme::INK, theme::LINE)
}

/// The mark of a cell whose value is told from zero: a dot in its corner.
fn told_mark(cell: Rect) -> Shape {
    let radius = (0.1 * (cell.bottom - cell.top)).min(0.1 * (cell.right - cell.left)).min(14.0);
    let at = (cell.right - 2.0 * radius, cell.top + 2.0 * radius);
    Shape::Area { points: theme::marker(0, at, radius), colour: theme::INK }
}

/// The values below a map, whose lower left corner is given; returns where free space begins below them.
fn below(shapes: &mut Vec<Shape>, across: &[&SweepValue], layout: &MapLayout, (left, bottom): (f64, f64)) -> f64 {
    let line = theme::LEADING * theme::TICK_SIZE;
    let names: Vec<String> = across.iter().map(|value| value_text(value)).collect();
    let is_numeric = across.iter().all(|value| value.number().is_some());
    let cell = layout.cell.0;
    // Numbers can be read between others that are left out, names can't.
    let every =
        if is_numeric { ((axis::widest(&names) + 0.7 * theme::GAP) / cell).ceil().max(1.0) as usize } else { 1 };
    let room = if is_numeric { f64::INFINITY } else { cell - 0.7 * theme::GAP };
    // The last label beside low cells reaches below them.
    let top = bottom + 0.3 * theme::GAP + 0.5 * (theme::TICK_SIZE - layout.cell.1).max(0.0);
    let mut lines = 1;
    for (index, name) in names.iter().enumerate().step_by(every) {
        let parts = axis::name_lines(name, room);
        lines = lines.max(parts.len());
        for (k, part) in parts.into_iter().enumerate() {
            let at = (left + (index as f64 + 0.5) * cell, top + (k as f64 + 0.5) * line);
            shapes.push(Shape::Text(Label::new(part, at, Align::Centre, theme::TICK_SIZE)));
        }
    }
    top + lines as f64 * line
}

#[cfg(test)]
mod tests;
