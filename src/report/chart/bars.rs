//! Bar charts: bars in groups by metric, lying bars with their names before them, and bars by case.

use super::axis::Scale;
use super::bar::{BAR_SHARE, Bars};
use super::canvas::Canvas;
use super::cases::Cases;
use super::legend::Entry;
use super::limits::AxisLimits;
use super::lines::{PANEL_STEPS, STEPS, single};
use super::rows::NamedRows;
use super::series::by_metric;
use super::sheet::{Panel, Sheet};
use super::{theme, titles};
use crate::rows::in_order;
use crate::{Figure, ReportError, Row, SeriesPlace};
use gridloom_files::Scene;

/// At most this many metrics of lying bars stand side by side; further ones stand below them.
const COLUMNS: usize = 4;
/// The plot of a chart is about this share of the canvas.
const PLOT_SHARE: f64 = 0.75;
/// The share of a group's stretch that its bars take.
const GROUP_SHARE: f64 = 0.84;
/// The place of a bar is at most this wide.
const WIDEST_PLACE: i32 = 560;
/// Names of lying bars take at most this share of the canvas.
const WIDEST_NAME: f64 = 0.4;
/// The height of a lying bar's row.
const ROW_HEIGHT: i32 = 7 * theme::TICK_SIZE / 5;

/// The rows without `x` of a figure, by metric.
type Metrics<'a> = Vec<(&'a str, Vec<&'a Row>)>;

/// The colour, the place in its group and the row of a bar.
type BarOf<'r> = (usize, usize, &'r Row);

/// Lays out a figure of bars.
pub(super) fn scene(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let metrics: Metrics = by_metric(figure, rows.iter().filter(|row| row.x.is_none()))?;
    let drawn: Vec<&Row> = metrics.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let series = in_order(drawn.iter().copied(), |row| &row.series);
    if let Some(row) = metrics.iter().find_map(|(_, rows)| repeated(rows)) {
        let (series, metric) = (row.series.clone(), row.metric.clone());
        return Err(ReportError::Repeated { figure: figure.file.clone(), series, metric });
    }
    let limits = limits(figure, &drawn);
    let plot_width = PLOT_SHARE * f64::from(canvas.width);
    let room = plot_width / series.len() as f64 - f64::from(theme::GAP);
    let named_below =
        metrics.len() == 1 && series.iter().all(|name| f64::from(titles::width(name, theme::TICK_SIZE)) <= room);
    // A legend would have to be read bar by bar where a name can stand at each, and colours that repeat would say
    // nothing.
    if !named_below && (metrics.len() == 1 || series.len() > theme::COLOURS) {
        return lying(figure, &metrics, &series, limits, canvas);
    }
    let number = |row: &Row| series.iter().position(|name| *name == row.series).unwrap_or(0);
    let (names, groups, places): (Vec<String>, Vec<Vec<BarOf<'_>>>, usize) = if named_below {
        let rows = drawn.iter().map(|row| (row.series.clone(), vec![(number(row), 0, *row)]));
        let (names, groups) = rows.unzip();
        (names, groups, 1)
    } else {
        // Each series has its place, which stays empty where there is no row.
        let bars = metrics.iter().map(|(_, rows)| rows.iter().map(|row| (number(row), number(row), *row)).collect());
        (metrics.iter().map(|(name, _)| name.to_string()).collect(), bars.collect(), series.len())
    };
    let place = |width: i32| (GROUP_SHARE * f64::from(width) / (groups.len() * places) as f64) as i32;
    let room = place(plot_width as i32).min(WIDEST_PLACE);
    let bars = Bars::new(&drawn, limits, true, room, canvas.plot_height()).ok_or_else(|| too_wide(figure))?;
    let named = |(index, name): (usize, &&str)| Entry::bar(name, theme::colour(index));
    let mut legend: Vec<Entry> = series.iter().enumerate().filter(|_| !named_below).map(named).collect();
    legend.extend(bars.legend(&drawn));
    let y = Scale::Values(bars.range).with_steps(STEPS).up_to(limits.high);
    let sheet = single(figure, legend, Panel::new(Scale::Names(names), y, canvas.plot_height()));
    Ok(sheet.scene(canvas, |_, plot| {
        let place = place(plot.rect.right - plot.rect.left).min(WIDEST_PLACE);
        for (index, group) in groups.iter().enumerate() {
            let left = plot.at(index as f64 + 0.5, 0.0).0 - place * places as i32 / 2;
            for &(colour, at, row) in group {
                let middle = left + place * at as i32 + place / 2;
                bars.bar(plot, row, theme::colour(colour), middle, half(place));
            }
        }
        // Bars cover the grid; where some hang down, the line that they hang from is drawn again.
        plot.level(0.0);
    }))
}

/// Half the width of a bar in a place.
fn half(place: i32) -> i32 {
    (0.5 * BAR_SHARE * f64::from(place)) as i32
}

fn limits(figure: &Figure, rows: &[&Row]) -> AxisLimits {
    AxisLimits::of(&figure.y_label, rows.iter().flat_map(|row| [Some(row.mean), row.published]).flatten())
}

fn too_wide(figure: &Figure) -> ReportError {
    ReportError::TooWide { figure: figure.file.clone() }
}

/// A row whose series another row has already.
fn repeated<'a>(rows: &[&'a Row]) -> Option<&'a Row> {
    (1..rows.len()).find(|&k| rows[..k].iter().any(|row| row.series == rows[k].series)).map(|k| rows[k])
}

/// Lying bars: a row for each series with its name before it, and a column for each metric. Names of any length have
/// room there, so that no bar needs a colour and a legend to be known by.
fn lying(
    figure: &Figure,
    metrics: &Metrics,
    series: &[&str],
    limits: AxisLimits,
    canvas: &Canvas,
) -> Result<Scene, ReportError> {
    let drawn: Vec<&Row> = metrics.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let names = NamedRows::new(series, WIDEST_NAME * f64::from(canvas.width), ROW_HEIGHT);
    let columns = metrics.len().min(COLUMNS);
    let room = f64::from(canvas.width - 2 * theme::MARGIN) - names.axis.widest();
    let length = (0.9 * room / columns as f64) as i32 - 2 * theme::GAP;
    let bars = Bars::new(&drawn, limits, false, 0, length).ok_or_else(|| too_wide(figure))?;
    let panel = |(metric, _): &(&str, Vec<&Row>)| Panel {
        title: if metrics.len() > 1 { metric.to_string() } else { String::new() },
        limit: limits.high,
        ..Panel::new(Scale::Values(bars.range), names.axis.clone(), names.height())
    };
    let panels = metrics.iter().map(panel).collect();
    let (title, x_title, legend) = (figure.title.as_str(), figure.y_label.as_str(), bars.legend(&drawn));
    let sheet = Sheet { title, x_title, legend, panels, columns, own_axes: [true, false], ..Sheet::default() };
    Ok(sheet.scene(canvas, |index, plot| {
        for row in &metrics[index].1 {
            let Some(index) = series.iter().position(|name| *name == row.series) else { continue };
            // Colours that repeat would pretend that bars belong together.
            let colour = theme::colour(if series.len() > theme::COLOURS { 0 } else { index });
            bars.bar(plot, row, colour, names.middle(plot, index), half(ROW_HEIGHT));
        }
        let zero = plot.at(0.0, 0.0).0;
        plot.pen.line([(zero, plot.rect.top), (zero, plot.rect.bottom)], theme::AXIS, theme::AXIS_LINE);
    }))
}

/// Lays out bars by case.
pub(super) fn by_case(
    figure: &Figure,
    places: &[SeriesPlace],
    rows: &[Row],
    canvas: &Canvas,
) -> Result<Scene, ReportError> {
    let metrics: Metrics = by_metric(figure, rows.iter().filter(|row| row.x.is_none()))?;
    let drawn: Vec<&Row> = metrics.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let cases = Cases::new(places, |series| drawn.iter().any(|row| row.series == series));
    let drawn: Vec<&Row> = drawn.into_iter().filter(|row| cases.place(&row.series).is_some()).collect();
    if metrics.len() != 1 || cases.names.len() > theme::COLOURS || drawn.len() != cases.placed {
        return scene(figure, rows, canvas);
    }
    let limits = limits(figure, &drawn);
    let own = |panel: usize| -> Vec<(usize, &Row)> {
        let placed = drawn.iter().filter_map(|row| Some((cases.place(&row.series)?, *row)));
        placed.filter(|(place, _)| place[0] == panel).map(|(place, row)| (place[1], row)).collect()
    };
    let panelled: Vec<Vec<(usize, &Row)>> = (0..cases.panels.len()).map(own).collect();
    let height = cases.height(canvas);
    let room = (PLOT_SHARE * f64::from(canvas.width)) as i32 / (cases.columns() * cases.names.len()) as i32;
    let bars = Bars::new(&drawn, limits, true, room, height).ok_or_else(|| too_wide(figure))?;
    let highest = |rows: &Vec<(usize, &Row)>| {
        rows.iter().map(|(_, row)| row.mean.abs().max(row.published.map_or(0.0, f64::abs))).reduce(f64::max)
    };
    let highest: Vec<Option<f64>> = panelled.iter().map(highest).collect();
    let is_shared = limits.high.is_finite() || Cases::can_share(&highest);
    let most = drawn.iter().map(|row| row.n).max().unwrap_or(0);
    let has_counts = drawn.iter().any(|row| row.n != most);
    let panel = |(index, rows): (usize, &Vec<(usize, &Row)>)| -> Result<Panel, ReportError> {
        let own: Vec<&Row> = rows.iter().map(|(_, row)| *row).collect();
        let range = match is_shared || own.is_empty() {
            true => bars.range,
            false => bars.axis_of(&own, room, height).ok_or_else(|| too_wide(figure))?,
        };
        // A place for each name, so that a bar that is missing is seen to be.
        let count = |index: usize| rows.iter().find(|(name, _)| *name == index).map_or(0, |(_, row)| row.n);
        let text = |index| if has_counts { format!("n = {}", count(index)) } else { String::new() };
        let names = Scale::Names((0..cases.names.len()).map(text).collect());
        let y = Scale::Values(range).with_steps(PANEL_STEPS).up_to(limits.high);
        Ok(Panel { title: cases.title(index, &highest, is_shared), ..Panel::new(names, y, height) })
    };
    let panels = panelled.iter().enumerate().map(panel).collect::<Result<Vec<_>, ReportError>>()?;
    let named = cases.names.iter().enumerate().map(|(index, name)| Entry::bar(name, theme::colour(index)));
    let legend = named.chain(bars.legend(&drawn)).collect();
    let sheet = cases.sheet(figure, legend, panels, [has_counts, !is_shared]);
    Ok(sheet.scene(canvas, |index, plot| {
        let place = 9 * (plot.rect.right - plot.rect.left) / (10 * cases.names.len() as i32);
        for &(name, row) in &panelled[index] {
            bars.bar(plot, row, theme::colour(name), plot.at(name as f64 + 0.5, 0.0).0, half(place));
        }
        if panelled[index].is_empty() {
            Cases::nothing(figure, plot);
        }
        plot.level(0.0);
    }))
}
