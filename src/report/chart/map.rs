//! Maps: the means of a crossing as coloured cells over the values of two factors.
//!
//! Cells are of equal size whatever the distances of the values, so that each has room for its number. A heavy line
//! runs where neighbours have different signs: in a map of differences that is where one alternative overtakes the
//! other.

use super::boxes::Rect;
use super::cut::{cut_rows, repeated};
use super::font::{fitted, text_width};
use super::frame::{LegendEntry, heading, vertical_title};
use super::panels::most_columns;
use super::scale::Ticks;
use super::scene::{Align, Label, Scene, Shape, stroke};
use super::shades::Shades;
use super::{axis, theme};
use crate::report::ReportError;
use crate::report::crossing::{levels, setting, value_text};
use crate::report::number::{self, exponent, power_of_ten};
use crate::report::table::{TOLD, in_order, is_told};
use crate::study::{Cut, Figure, Row, SweepValue};

/// Labels of the vertical axis take at most this much.
const WIDEST_NAME: f64 = 0.3 * theme::WIDTH;
/// The height of a cell as a share of its width, where the number of cells allows it.
const CELL_SHAPE: f64 = 0.8;
/// The least height of cells that hold no text, and the most of all.
const LOWEST_CELL: f64 = 16.0;
const HIGHEST_CELL: f64 = 300.0;
/// Maps whose cells would be narrower than this stand below each other.
const NARROWEST_CELL: f64 = 10.0;
/// At most this many steps between the ticks of the colour bar.
const BAR_STEPS: usize = 6;
const BAR_HEIGHT: f64 = 56.0;
/// The colour bar is made of this many stripes.
const STRIPES: usize = 120;
/// The most letters' heights of the values in cells, and smaller ones for narrow cells.
const TEXT_SIZES: [f64; 3] = [theme::BAR_TEXT_SIZE, 52.0, 44.0];

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

/// All that needs room in the maps of a figure.
struct MapContents {
    maps: usize,
    /// Columns of cells in a map, and rows of them.
    across: usize,
    up: usize,
    /// The width of the widest value in letters of height 1.
    value: f64,
    /// The width of the widest label beside the first map, and of the widest number below each.
    beside: f64,
    below: f64,
}

/// The sizes that all maps of a figure share.
struct MapLayout {
    /// Where the first map begins.
    left: f64,
    columns: usize,
    gap: f64,
    cell: (f64, f64),
    /// The height of the letters in cells, if there is room for some.
    text: Option<f64>,
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
        let titles: Vec<Vec<String>> = chunk.iter().map(|panel| axis::name_lines(&panel.title, width)).collect();
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
    let title = fitted(&figure.x_label, room, theme::LABEL_SIZE, false);
    let at = (layout.left + 0.5 * room, end + 0.5 * theme::LEADING * theme::LABEL_SIZE);
    shapes.push(Shape::Text(Label::new(title, at, Align::Centre, theme::LABEL_SIZE)));
    let height = end + theme::LEADING * theme::LABEL_SIZE + theme::MARGIN;
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

impl MapLayout {
    /// The layout with room for the label of the vertical axis beside the maps; `false` where even two lines of it are
    /// longer than the maps are high.
    fn with_label(contents: &MapContents, label: &str) -> (Self, bool) {
        let width = |text: &str| text_width(text, theme::LABEL_SIZE, false);
        let unit = label.rsplit_once(" (");
        let half = unit.map_or(0.6 * width(label), |(name, unit)| width(name).max(width(unit) + theme::GAP));
        for (lines, longest) in [(1.0, width(label)), (2.0, half)] {
            let layout = Self::new(contents, lines);
            if !label.is_empty() && longest <= layout.height(contents) {
                return (layout, true);
            }
        }
        (Self::new(contents, 0.0), false)
    }

    /// The largest letters that fit side by side, or else maps below each other.
    fn new(contents: &MapContents, title_lines: f64) -> Self {
        let left = theme::MARGIN + title_lines * theme::LEADING * theme::LABEL_SIZE + contents.beside + theme::GAP;
        let room = theme::WIDTH - theme::MARGIN - left;
        let most = most_columns(contents.maps);
        let across = contents.across as f64;
        let between = |overhang: f64| 2.0 * (theme::GAP + overhang);
        let width = |columns: usize, overhang: f64| {
            ((room - overhang + between(overhang)) / columns as f64 - between(overhang)) / across
        };
        // Labels wider than a cell stand out to both sides of a map.
        let overhang = |columns: usize| if contents.below > width(columns, 0.0) { 0.5 * contents.below } else { 0.0 };
        let cell_width = |columns: usize| width(columns, overhang(columns));
        let [large, medium, small] = TEXT_SIZES;
        let side_by_side = [large, medium].into_iter().flat_map(|size| (2..=most).rev().map(move |k| (size, k)));
        let alone = [large, medium, small].into_iter().map(|size| (size, 1));
        let fits = |&(size, columns): &(f64, usize)| size * contents.value + theme::GAP <= cell_width(columns);
        let found = side_by_side.chain(alone).find(fits);
        let without_text = || (1..=most).rev().find(|&columns| cell_width(columns) >= NARROWEST_CELL).unwrap_or(1);
        let columns = found.map_or_else(without_text, |(_, columns)| columns);
        let text = found.map(|(size, _)| size);
        let lowest = text.map_or(LOWEST_CELL, |size| 1.7 * size);
        let highest = (900.0 / contents.up as f64).clamp(lowest, HIGHEST_CELL);
        let cell = (cell_width(columns), (CELL_SHAPE * cell_width(columns)).clamp(lowest, highest));
        Self { left, columns, gap: between(overhang(columns)), cell, text }
    }

    /// The height of all maps at least.
    fn height(&self, contents: &MapContents) -> f64 {
        (contents.maps.div_ceil(self.columns) * contents.up) as f64 * self.cell.1
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

/// The legend of what some map shows: marks, lines, and cells without a value.
fn legend(panels: &[MapPanel], shades: Shades) -> Vec<LegendEntry> {
    let all = || panels.iter().flat_map(|panel| panel.cells.iter().flatten());
    let entry = |sample, name: &str| LegendEntry { sample, name: name.into() };
    let sample = Rect::SAMPLE;
    let mut legend = Vec::new();
    if all().flatten().any(|row| row.p_holm.is_some()) {
        let cell = vec![sample.filled(theme::SHADE), told_mark(Rect { top: 3.0 * sample.top, ..sample })];
        let cell = cell.into_iter().zip([0.0, -2.0 * sample.top]).map(|(shape, down)| shape.moved((0.0, down)));
        legend.push(entry(cell.collect(), &format!("bold: told from 0, p < {TOLD} after Holm")));
    }
    let means = || all().flatten().map(|row| row.mean);
    if shades.is_diverging && means().any(|mean| mean < 0.0) && means().any(|mean| mean > 0.0) {
        let half = 0.5 * theme::SAMPLE;
        legend.push(entry(vec![border((-half, 0.0), (half, 0.0))], "the sign changes"));
    }
    if all().any(Option::is_none) {
        legend.push(entry(sample.hatched(theme::HATCH, theme::HATCH, theme::PAPER), "not measured"));
    }
    legend
}

/// The colours with their values and their title; returns where free space begins below.
fn colour_bar(shapes: &mut Vec<Shape>, title: &str, shades: Shades, power: i32, layout: &MapLayout, top: f64) -> f64 {
    let range = shades.range;
    let ticks = Ticks::within(range, BAR_STEPS);
    let overhang = 0.5 * axis::widest(&ticks.labels);
    let (left, right) = (layout.left + overhang, theme::WIDTH - theme::MARGIN - overhang);
    let title = if power == 0 { title.to_string() } else { format!("{title}, {}", ticks.multiplier) };
    let title = fitted(&title, theme::WIDTH - 2.0 * theme::MARGIN, theme::LABEL_SIZE, false);
    let middle = top + 0.5 * theme::LEADING * theme::LABEL_SIZE;
    let centre = 0.5 * (left + right);
    let half = 0.5 * text_width(&title, theme::LABEL_SIZE, false);
    let at = centre.min(theme::WIDTH - theme::MARGIN - half).max(theme::MARGIN + half);
    shapes.push(Shape::Text(Label::new(title, (at, middle), Align::Centre, theme::LABEL_SIZE)));
    let top = top + theme::LEADING * theme::LABEL_SIZE;
    let bottom = top + BAR_HEIGHT;
    for stripe in 0..STRIPES {
        let share = |at: f64| at / STRIPES as f64;
        // Each stripe reaches to the end, below those that follow: no seams show between them.
        let from = left + share(stripe as f64) * (right - left);
        let value = range.low + share(stripe as f64 + 0.5) * (range.high - range.low);
        shapes.push(Rect { left: from, right, top, bottom }.filled(shades.colour(value)));
    }
    let line = theme::LEADING * theme::TICK_SIZE;
    for (&value, name) in ticks.values.iter().zip(&ticks.labels) {
        let x = left + range.share(value) * (right - left);
        shapes.push(stroke((x, bottom), (x, bottom + theme::TICK_LENGTH), theme::AXIS, theme::AXIS_LINE));
        let at = (x, bottom + theme::TICK_LENGTH + 0.5 * line);
        shapes.push(Shape::Text(Label::new(name.clone(), at, Align::Centre, theme::TICK_SIZE)));
    }
    bottom + theme::TICK_LENGTH + line
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
mod tests {
    use super::*;
    use crate::report::chart::tidy::{assert_tidy, labels};
    use crate::report::{chart, samples};
    use crate::study::FigureKind;

    /// A cut along the load, up the notice, with a map per way of displacement.
    fn cut() -> Cut {
        Cut { up: Some(("notice".into(), "Notice (minutes)".into())), ..samples::cut() }
    }

    fn figure(cut: Cut) -> Figure {
        samples::cut_figure(FigureKind::Map(cut))
    }

    fn drawn(cut: Cut, rows: &[Row]) -> Scene {
        chart::scene(&figure(cut), rows).unwrap()
    }

    fn count(scene: &Scene, text: &str) -> usize {
        labels(scene).iter().filter(|label| label.text == text).count()
    }

    /// The number of heavy lines that are not in the legend.
    fn borders(scene: &Scene) -> usize {
        let heavy = |shape: &&Shape| matches!(shape, Shape::Line { width, colour, .. } if *width == theme::LINE && *colour == theme::INK);
        scene.shapes.iter().filter(heavy).count() - count(scene, "the sign changes")
    }

    #[test]
    fn any_number_of_maps_and_cells_is_tidy() {
        for maps in 1..=13 {
            assert_tidy(&drawn(cut(), &samples::crossing(1, 4, 3, maps)));
        }
        for (series, loads, notices) in [(1, 1, 1), (2, 1, 9), (3, 12, 1), (4, 5, 4), (1, 60, 8), (7, 30, 25)] {
            let by_series = Cut { panels: None, ..cut() };
            assert_tidy(&drawn(by_series, &samples::crossing(series, loads, notices, 1)));
            let flat = Cut { up: None, ..cut() };
            assert_tidy(&drawn(flat, &samples::crossing(1, loads, 1, series)));
        }
    }

    #[test]
    fn extreme_values_and_long_texts_are_tidy() {
        let long = "a name without end ".repeat(12);
        for factor in [0.0, 1e-12, 1e12, 1e250] {
            let mut rows = samples::crossing(2, 4, 4, 1);
            rows.iter_mut().for_each(|row| row.mean *= factor);
            assert_tidy(&drawn(Cut { panels: None, ..cut() }, &rows));
        }
        let mut rows = samples::crossing(3, 3, 2, 3);
        for row in &mut rows {
            row.series = long.clone() + &row.series;
            row.factors[2].value = SweepValue::Text(format!("{long} {}", value_text(&row.factors[2].value)));
        }
        let titled =
            |cut: Cut| Figure { title: long.clone(), x_label: long.clone(), y_label: long.clone(), ..figure(cut) };
        let one_notice: Vec<Row> =
            rows.into_iter().filter(|row| row.factor("notice").and_then(SweepValue::number) == Some(60.0)).collect();
        for (along, up) in [("load", "displacement"), ("displacement", "load")] {
            let cut = Cut { along: along.into(), up: Some((up.into(), long.clone())), ..Cut::default() };
            assert_tidy(&chart::scene(&titled(cut), &one_notice).unwrap());
        }
    }

    #[test]
    fn numbers_grow_to_the_right_and_upwards() {
        let mut rows = samples::crossing(1, 3, 3, 1);
        rows.reverse();
        let scene = drawn(cut(), &rows);
        let at =
            |name: &str| labels(&scene).into_iter().find(|label| label.text == name).map(|label| label.at).unwrap();
        assert!(at("0.3").0 < at("0.45").0 && at("0.45").0 < at("0.6").0);
        assert!(at("60").1 > at("120").1 && at("120").1 > at("240").1);
        assert_eq!(count(&scene, "displacement = Job"), 1);
    }

    #[test]
    fn cells_hold_their_means_and_bold_ones_are_told_from_zero() {
        let rows = samples::crossing(1, 5, 4, 1);
        let scene = drawn(cut(), &rows);
        for row in &rows {
            let text = format!("{:+.3}", row.mean).replace('-', "−");
            let found: Vec<&Label> = labels(&scene).into_iter().filter(|label| label.text == text).collect();
            assert!(found.iter().any(|label| label.bold == (row.p_holm.unwrap() < 0.05)), "{text}");
        }
        let dots = |shape: &&Shape| matches!(shape, Shape::Area { colour, .. } if *colour == theme::INK);
        let told = rows.iter().filter(|row| row.p_holm.unwrap() < 0.05).count();
        let in_legend = 1;
        assert!(told > 0 && told < rows.len());
        assert_eq!(scene.shapes.iter().filter(dots).count(), told + in_legend);
    }

    #[test]
    fn a_heavy_line_runs_wherever_neighbours_differ_in_sign() {
        let rows = samples::crossing(1, 6, 4, 2);
        let mut expected = 0;
        for (k, row) in rows.iter().enumerate() {
            // Loads, then notices, then ways of displacement are counted up.
            let neighbours = [rows.get(k + 2).filter(|_| (k / 2) % 4 < 3), rows.get(k + 8)];
            expected += neighbours.into_iter().flatten().filter(|other| (other.mean < 0.0) != (row.mean < 0.0)).count();
        }
        assert!(expected > 4);
        assert_eq!(borders(&drawn(cut(), &rows)), expected);
        let above: Vec<Row> = rows.into_iter().map(|row| Row { mean: row.mean + 1.0, ..row }).collect();
        assert_eq!(borders(&drawn(cut(), &above)), 0);
    }

    #[test]
    fn values_of_one_sign_have_a_scale_of_one_colour_unless_they_are_differences() {
        let mut rows = samples::crossing(1, 3, 2, 1);
        rows.iter_mut().for_each(|row| row.mean = row.mean.abs() + 0.1);
        let plus = |scene: &Scene| labels(scene).iter().any(|label| label.text.starts_with('+'));
        assert!(plus(&drawn(cut(), &rows)));
        rows.iter_mut().for_each(|row| row.metric = "success".into());
        let success = Figure { metrics: vec!["success".into()], ..figure(cut()) };
        assert!(!plus(&chart::scene(&success, &rows).unwrap()));
    }

    #[test]
    fn a_cell_without_a_row_is_hatched_and_one_with_two_is_an_error() {
        let rows = samples::crossing(1, 4, 4, 1);
        assert_eq!(count(&drawn(cut(), &rows), "not measured"), 0);
        assert_eq!(count(&drawn(cut(), &rows[1..]), "not measured"), 1);
        let error = |cut: Cut, rows: &[Row]| chart::scene(&figure(cut), rows).err().unwrap();
        let twice = [rows.clone(), rows[..1].to_vec()].concat();
        assert!(matches!(error(cut(), &twice), ReportError::Repeated { .. }));
        let no_notice = Cut { up: None, ..cut() };
        assert!(matches!(error(no_notice, &rows), ReportError::Repeated { .. }));
        let unknown = Cut { up: Some(("nitoce".into(), String::new())), ..cut() };
        assert!(matches!(error(unknown, &rows), ReportError::NoFactor { factor, .. } if factor == "nitoce"));
        let far: Vec<Row> = rows.into_iter().map(|row| Row { mean: 1e301, ..row }).collect();
        assert!(matches!(error(cut(), &far), ReportError::TooWide { .. }));
    }
}
