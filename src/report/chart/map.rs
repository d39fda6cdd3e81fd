//! Maps: the means of a crossing as coloured cells over the values of two factors.
//!
//! Cells are of equal size whatever the distances of the values, so that each has room for its number. A heavy line
//! runs where neighbours have different signs: in a map of differences that is where one alternative overtakes the
//! other.

use super::axis::{Axis, Scale, widest};
use super::canvas::Canvas;
use super::cases::most_columns;
use super::cut::{cut_rows, repeated};
use super::legend::Entry;
use super::pen::{Pen, Rect};
use super::range::Range;
use super::shades::Shades;
use super::sheet::{Key, Panel, Plot, Sheet};
use super::spots::{self, value_of};
use super::{theme, titles};
use crate::ReportError;
use crate::number::{exponent, power_of_ten};
use crate::rows::{SIGNIFICANT, in_order, is_significant};
use crate::rows::{levels, setting, value_text};
use crate::{Cut, Figure, Row, SweepValue};
use gridloom_files::{Scene, fitted};
use plotters::style::text_anchor::HPos;

/// Labels of the vertical axis take at most this share of the canvas.
const WIDEST_NAME: f64 = 0.3;
/// At most this many steps between the ticks of the colour bar.
const BAR_STEPS: usize = 6;
/// The colour bar is so high, and made of so many stripes.
const BAR_HEIGHT: i32 = 56;
const STRIPES: i32 = 120;
/// The height of a cell as a share of its width, where the number of cells allows it.
const CELL_SHAPE: f64 = 0.8;
/// The least height of cells that hold no text, and the most of all.
const LOWEST_CELL: i32 = 16;
const HIGHEST_CELL: i32 = 300;
/// Maps whose cells would be narrower than this stand below each other.
const NARROWEST_CELL: i32 = 10;
/// The height of the letters in cells, and a smaller one for narrow cells, which is still seven points.
const TEXT_SIZES: [i32; 2] = [theme::BAR_TEXT_SIZE, 59];

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
    /// The height of their letters; none where there is no room.
    size: Option<i32>,
}

/// Lays out the maps of a cut.
pub(super) fn scene(figure: &Figure, cut: &Cut, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let rows = cut_rows(figure, cut, rows)?;
    let across = levels(&rows, &cut.along);
    let up = top_down(cut, &rows);
    let maps = map_panels(figure, cut, &rows, &across, &up)?;
    let means = rows.iter().map(|row| row.mean);
    let both_signs = means.clone().any(|mean| mean < 0.0) && means.clone().any(|mean| mean > 0.0);
    let are_differences = figure.metrics.iter().any(|metric| metric.starts_with("difference"));
    let too_wide = || ReportError::TooWide { figure: figure.file.clone() };
    let shades = Shades::of(means.clone(), both_signs || are_differences).ok_or_else(too_wide)?;
    let bar = Scale::Values(shades.range).with_steps(BAR_STEPS);
    let mut values = CellValues::new(means, shades, bar.power);

    let names = up.iter().map(|value| value.map(value_text).unwrap_or_default());
    let (most, size) = (WIDEST_NAME * f64::from(canvas.width), f64::from(theme::TICK_SIZE));
    let names: Vec<String> = names.map(|name| fitted(&name, most, size, false)).collect();
    let beside = widest(names.iter().map(String::as_str)) as i32 + 3 * theme::GAP;
    let room = canvas.width - 2 * theme::MARGIN - theme::line(theme::LABEL_SIZE) - beside;
    let written = |size| rows.iter().map(|row| titles::width(&values.text(row.mean), size)).max().unwrap_or(0);
    let cell_width = |columns: usize| (room / columns as i32 - theme::GAP) / across.len() as i32;
    let most = most_columns(maps.len());
    // The largest letters that fit side by side, or else maps below each other.
    let side_by_side = TEXT_SIZES.into_iter().flat_map(|size| (2..=most).rev().map(move |columns| (size, columns)));
    let alone = TEXT_SIZES.into_iter().map(|size| (size, 1));
    let found =
        side_by_side.chain(alone).find(|&(size, columns)| written(size) * 11 / 10 + theme::GAP <= cell_width(columns));
    let without_text = || (1..=most).rev().find(|&columns| cell_width(columns) >= NARROWEST_CELL).unwrap_or(1);
    let columns = found.map_or_else(without_text, |(_, columns)| columns);
    values.size = found.map(|(size, _)| size);
    let lowest = values.size.map_or(LOWEST_CELL, |size| 17 * size / 10);
    let highest = (3 * canvas.width / 10 / up.len() as i32).clamp(lowest, HIGHEST_CELL);
    let cell = ((CELL_SHAPE * f64::from(cell_width(columns))) as i32).clamp(lowest, highest);

    let named = |(index, name): (usize, String)| (index as f64 + 0.5, name);
    let y = Axis::named(up.len() as f64, names.into_iter().enumerate().map(named).collect()).downwards();
    let height = cell * up.len() as i32;
    let x: Vec<String> = across.iter().map(|value| value_text(value)).collect();
    let panel =
        |map: &MapPanel| Panel { title: map.title.clone(), ..Panel::new(Scale::Names(x.clone()), y.clone(), height) };
    let panels: Vec<Panel> = maps.iter().map(panel).collect();
    let mut legend = legend(&maps, shades);
    let up_label = cut.up.as_ref().map_or("", |(_, label)| label.as_str());
    // Beside the maps, if two lines of it are no longer than they are high.
    let is_beside = titles::width(up_label, theme::LABEL_SIZE) * 3 / 5 <= height * maps.len().div_ceil(columns) as i32;
    if !is_beside {
        legend.push(Entry::new(format!("↑ {up_label}"), |_, _| {}));
    }
    let flat = Panel::new(Scale::Values(shades.range), Axis::named(1.0, Vec::new()), BAR_HEIGHT);
    let bar = Sheet { x_title: &figure.y_label, panels: vec![flat], columns: 1, ..Sheet::default() };
    let (title, x_title, y_title) =
        (figure.title.as_str(), figure.x_label.as_str(), if is_beside { up_label } else { "" });
    let key = Some(Key { sheet: Box::new(bar), draw: Box::new(move |plot| colour_bar(plot, shades)) });
    let sheet = Sheet { title, x_title, y_title, legend, key, panels, columns, ..Sheet::default() };
    Ok(sheet.scene(canvas, |index, plot| cells(plot, &maps[index], shades, &values)))
}

/// The colours of all values between the ends of their range.
fn colour_bar(plot: &Plot, shades: Shades) {
    let Range { low, high } = shades.range;
    let value = |share: f64| low + share * (high - low);
    for stripe in 0..STRIPES {
        let share = |at: f64| (f64::from(stripe) + at) / f64::from(STRIPES);
        // Each stripe reaches to the end, below those that follow: no seams show between them.
        let left = plot.at(value(share(0.0)), 0.0).0;
        plot.pen.rect(Rect { left, ..plot.rect }, shades.colour(value(share(0.5))));
    }
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
    fn new(means: impl Iterator<Item = f64>, shades: Shades, power: i32) -> Self {
        let most = means.fold(0.0_f64, |most, mean| most.max(mean.abs())) / power_of_ten(power);
        let leading = exponent(most);
        // Two digits of the largest value where all are below one, three elsewhere.
        let places = if leading < 0 { 1 - leading } else { 2 - leading };
        Self { power, places: places.max(0) as usize, is_signed: shades.is_diverging, size: None }
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

/// The cells of a map, and the lines where the sign changes.
fn cells(plot: &Plot, map: &MapPanel, shades: Shades, values: &CellValues) {
    let corner = |column: usize, line: usize| plot.at(column as f64, line as f64);
    let (mut borders, mut texts) = (Vec::new(), Vec::new());
    for (line, row) in map.cells.iter().enumerate() {
        for (column, cell) in row.iter().enumerate() {
            let ((left, top), (right, bottom)) = (corner(column, line), corner(column + 1, line + 1));
            let whole = Rect { left, right, top, bottom };
            let rect = whole.inside((theme::GRID_LINE / 2).min((right - left).min(bottom - top) / 20));
            let Some(row) = cell else {
                plot.pen.hatched(rect, theme::HATCH, theme::PAPER);
                continue;
            };
            plot.pen.rect(rect, shades.colour(row.mean));
            let factors: Vec<String> = row.factors.iter().map(|factor| setting(&factor.name, &factor.value)).collect();
            spots::place(plot, whole, &row.series, value_of(row, factors.join(", ")));
            if is_significant(row) {
                told_mark(plot.pen, rect);
            }
            texts.push((row, rect.middle()));
            let changes =
                |other: Option<&Option<&Row>>| matches!(other, Some(Some(other)) if other.mean * row.mean < 0.0);
            if changes(map.cells[line].get(column + 1)) {
                borders.push([(right, top), (right, bottom)]);
            }
            if changes(map.cells.get(line + 1).and_then(|below| below.get(column))) {
                borders.push([(left, bottom), (right, bottom)]);
            }
        }
    }
    if shades.is_diverging {
        borders.into_iter().for_each(|border| plot.pen.line(border, theme::INK, theme::LINE));
    }
    let Some(size) = values.size else { return };
    for (row, at) in texts {
        match is_significant(row) {
            true => plot.pen.bold(values.text(row.mean), at, HPos::Center, size),
            false => plot.pen.text(values.text(row.mean), at, HPos::Center, size),
        }
    }
}

/// The mark of a cell whose value is told from zero: a dot in its corner.
fn told_mark(pen: &Pen, cell: Rect) {
    let radius = ((cell.bottom - cell.top) / 10).min((cell.right - cell.left) / 10).min(14);
    pen.marker(0, (cell.right - 2 * radius, cell.top + 2 * radius), f64::from(radius), theme::INK);
}

/// The legend of what some map shows: marks, lines, and cells without a value.
fn legend<'a>(maps: &[MapPanel], shades: Shades) -> Vec<Entry<'a>> {
    let all = || maps.iter().flat_map(|map| map.cells.iter().flatten());
    let mut legend = Vec::new();
    if all().flatten().any(|row| row.p_holm.is_some()) {
        legend.push(Entry::boxed(format!("bold: significant, p < {SIGNIFICANT} after Holm"), |pen, rect| {
            pen.rect(rect, theme::SHADE);
            told_mark(pen, Rect { bottom: rect.bottom + 4 * (rect.bottom - rect.top), ..rect });
        }));
    }
    let means = || all().flatten().map(|row| row.mean);
    if shades.is_diverging && means().any(|mean| mean < 0.0) && means().any(|mean| mean > 0.0) {
        legend.push(Entry::boxed("the sign changes", |pen, rect| {
            let y = rect.middle().1;
            pen.line([(rect.left, y), (rect.right, y)], theme::INK, theme::LINE);
        }));
    }
    if all().any(Option::is_none) {
        legend.push(Entry::boxed("not measured", |pen, rect| pen.hatched(rect, theme::HATCH, theme::PAPER)));
    }
    legend
}
