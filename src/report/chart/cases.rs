//! Panels by case: each series has a place in one of them, and those of one name look alike in all.
//!
//! All panels of a figure have one vertical scale, so that they can be compared. Where cases differ so much that the
//! low ones could not be read on it, every panel has a scale of its own, and its title says so. A case without values
//! keeps its panel, with words in place of them.

use super::axis::{Horizontal, panel_title, widest};
use super::bars::{BarValues, bar};
use super::boxes::Rect;
use super::frame::{
    LegendEntry, Plot, Vertical, heading, horizontal_title, title_lines, vertical_axis, vertical_lines,
};
use super::limits::AxisLimits;
use super::logs::LogScale;
use super::panels::most_columns;
use super::scale::Ticks;
use super::series::{DrawnSeries, LineLook, Measured, by_metric, collect};
use super::tips::{ValueText, marks_legend};
use super::{bars, marks, theme};
use crate::ReportError;
use crate::{Figure, LogAxes, Row, SeriesPlace};
use gridloom_files::text_width;
use gridloom_files::{Align, Label, Scene, Shape, stroke};

/// The height of panels by their number side by side.
const HEIGHTS: [f64; 4] = [theme::PLOT_HEIGHT, 900.0, 800.0, 700.0];
/// At most this many steps between the ticks of a panel.
const STEPS: usize = 4;
/// Panels whose highest values differ by more than this factor have scales of their own.
const WIDEST_SHARED: f64 = 30.0;
/// The share of a panel's width that its bars take.
const BARS_SHARE: f64 = 0.9;

/// What stands where.
struct CasePanels<'a> {
    figure: &'a Figure,
    legend: Vec<LegendEntry>,
    titles: Vec<String>,
    /// By panel.
    y: Vec<Vertical>,
    /// Vertical axes end there.
    limit: f64,
}

impl CasePanels<'_> {
    /// Lays out the panels in rows from the top down; `across` gives the horizontal axis of each and `draw` its data.
    fn scene<'h>(self, across: impl Fn(usize) -> Horizontal<'h>, draw: impl Fn(usize, &Plot) -> Vec<Shape>) -> Scene {
        let Self { figure, legend, titles, y, limit } = self;
        let columns = most_columns(titles.len()).max(1);
        let panel_height = HEIGHTS[columns.min(HEIGHTS.len()) - 1];
        let ticks: Vec<Ticks> = y.iter().map(|y| y.ticks(STEPS).up_to(limit)).collect();
        let (mut shapes, mut data) = (Vec::new(), Vec::new());
        let mut top = heading(&mut shapes, &figure.title, legend);
        let line = theme::LEADING * theme::TICK_SIZE;
        let start = top + line;
        let rows = titles.len().div_ceil(columns) as f64;
        // Beside the panels, the labels below and a line of title above each.
        let upright = rows * (panel_height + theme::TICK_LENGTH + 2.0 * line + 0.5 * theme::GAP)
            + (rows - 1.0) * theme::GAP
            - line;
        let title = title_lines(&figure.y_label, upright);
        let labels = ticks.iter().map(|ticks| widest(&ticks.labels)).fold(0.0, f64::max);
        let beside = labels + theme::TICK_LENGTH + theme::GAP;
        let left = theme::MARGIN + title.len() as f64 * theme::LEADING * theme::LABEL_SIZE;
        let room = theme::WIDTH - theme::MARGIN - left;
        let overhang = across(0).within(room / columns as f64 - beside).overhang[1];
        let place = (room - overhang) / columns as f64;
        let width = place - beside - if columns > 1 { theme::GAP } else { 0.0 };
        let fits = |size: f64| titles.iter().all(|title| text_width(title, size, false) <= width);
        let size = if fits(theme::TICK_SIZE) { theme::TICK_SIZE } else { theme::BAR_TEXT_SIZE };

        let mut end = top;
        for (row, chunk) in titles.chunks(columns).enumerate() {
            let names: Vec<Vec<String>> = chunk.iter().map(|title| panel_title(title, width, size)).collect();
            let lines = names.iter().map(Vec::len).max().unwrap_or(0) as f64;
            let own = |column: usize| row * columns + column;
            let has_power = (0..chunk.len()).any(|column| !ticks[own(column)].multiplier.is_empty());
            // Below the titles stand the powers of ten of the axes.
            let above = 0.5 * theme::GAP + if has_power { line } else { 0.0 };
            top += (lines * line).max(0.5 * theme::TICK_SIZE) + above;
            let mut below = top;
            for (column, names) in names.iter().enumerate() {
                let index = own(column);
                let left = left + column as f64 * place + beside;
                let horizontal = across(index).within(width);
                let (x, y) = (horizontal.range, y[index].range());
                let plot = Plot { left, right: left + width, top, bottom: top + panel_height, x, y };
                shapes.extend(horizontal.grid(&plot));
                let level = |&y: &f64| stroke(plot.at(x.low, y), plot.at(x.high, y), theme::GRID, theme::GRID_LINE);
                shapes.extend(ticks[index].values.iter().map(level));
                data.extend(draw(index, &plot));
                for (at, name) in names.iter().enumerate() {
                    let at = (left, top - above - ((names.len() - at) as f64 - 0.5) * line);
                    shapes.push(Shape::Text(Label::new(name.clone(), at, Align::Left, size)));
                }
                vertical_axis(&mut shapes, &plot, &ticks[index], limit);
                below = below.max(horizontal.place(&mut shapes, &plot, ""));
            }
            end = below;
            top = below + theme::GAP;
        }
        vertical_lines(&mut shapes, title, start, end);
        let height = horizontal_title(&mut shapes, &figure.x_label, (left, left + room), end);
        shapes.extend(data);
        Scene { title: figure.title.clone(), height: height + theme::MARGIN, shapes }
    }
}

/// The places that have a row, all panels, and the names that have a row, in the order of their places.
fn parts(places: &[SeriesPlace], has: impl Fn(&str) -> bool) -> (Vec<&SeriesPlace>, Vec<&str>, Vec<&str>) {
    let drawn: Vec<&SeriesPlace> = places.iter().filter(|place| has(&place.series)).collect();
    let panels = each_once(places.iter().map(|place| place.panel.as_str()));
    let names = each_once(drawn.iter().map(|place| place.name.as_str()));
    (drawn, panels, names)
}

/// Texts without repetitions, in the order in which they come up.
fn each_once<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = Vec::new();
    for text in texts {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known
}

/// True if panels whose values have these highest magnitudes, nothing for a panel without values, can share a scale.
fn can_share(highest: &[Option<f64>]) -> bool {
    let positive = highest.iter().flatten().copied().filter(|&value| value > 0.0);
    let (least, most) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
    most <= WIDEST_SHARED * least
}

/// The titles of panels; one with a scale of its own, where `is_shared` is not so, says so.
fn panel_titles(panels: &[&str], highest: &[Option<f64>], is_shared: bool) -> Vec<String> {
    let title = |(panel, highest): (&&str, &Option<f64>)| match is_shared || highest.is_none() {
        true => panel.to_string(),
        false => format!("{panel} (own scale)"),
    };
    panels.iter().zip(highest).map(title).collect()
}

/// Words in the middle of a panel without values.
fn nothing(figure: &Figure, plot: &Plot) -> Vec<Shape> {
    let text = if figure.y_label.contains("with a plan") { "no plan" } else { "no values" };
    let (x, y) = (0.5 * (plot.left + plot.right), 0.5 * (plot.top + plot.bottom));
    let (width, height) = (text_width(text, theme::TICK_SIZE, false), theme::TICK_SIZE);
    // Lines of the grid would run through the letters.
    let plate = Rect { left: x - 0.5 * width, right: x + 0.5 * width, top: y - 0.5 * height, bottom: y + 0.5 * height };
    vec![plate.filled(theme::PAPER), Shape::Text(Label::new(text.into(), (x, y), Align::Centre, theme::TICK_SIZE))]
}

/// Lays out bars by case.
pub(crate) fn bar_scene(figure: &Figure, places: &[SeriesPlace], rows: &[Row]) -> Result<Scene, ReportError> {
    let metrics = by_metric(figure, rows.iter().filter(|row| row.x.is_none()))?;
    let drawn: Vec<&Row> = metrics.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let (placed, panels, names) = parts(places, |series| drawn.iter().any(|row| row.series == series));
    let is_placed = |row: &&&Row| placed.iter().any(|place| place.series == row.series);
    if metrics.len() != 1 || names.len() > theme::COLOURS || drawn.iter().filter(is_placed).count() != placed.len() {
        return bars::scene(figure, rows);
    }
    let drawn: Vec<&Row> = drawn.iter().filter(is_placed).copied().collect();
    let limits =
        AxisLimits::of(&figure.y_label, drawn.iter().flat_map(|row| [Some(row.mean), row.published]).flatten());
    let of = |panel: &str| -> Vec<(usize, &Row)> {
        let own = placed.iter().filter(|place| place.panel == panel);
        let entry = |place: &&SeriesPlace| {
            let row = drawn.iter().find(|row| row.series == place.series)?;
            Some((names.iter().position(|name| *name == place.name)?, *row))
        };
        own.filter_map(entry).collect()
    };
    let panelled: Vec<Vec<(usize, &Row)>> = panels.iter().map(|panel| of(panel)).collect();
    let columns = most_columns(panels.len()).max(1);
    let text = ValueText::of(&drawn);
    let place = BARS_SHARE * 0.7 * theme::WIDTH / (columns * names.len()) as f64;
    let values = BarValues::new(&drawn, place, text);
    let height = HEIGHTS[columns.min(HEIGHTS.len()) - 1];
    let too_wide = || ReportError::TooWide { figure: figure.file.clone() };
    let highest: Vec<Option<f64>> = panelled
        .iter()
        .map(|rows| {
            rows.iter().map(|(_, row)| row.mean.abs().max(row.published.map_or(0.0, f64::abs))).reduce(f64::max)
        })
        .collect();
    let is_shared = limits.high.is_finite() || can_share(&highest);
    let range = |rows: &Vec<(usize, &Row)>| {
        let own = || rows.iter().map(|(_, row)| *row).collect();
        let rows: Vec<&Row> = if is_shared || rows.is_empty() { drawn.clone() } else { own() };
        values.range_of(&rows, limits, height).map(Vertical::Values).ok_or_else(too_wide)
    };
    let y = panelled.iter().map(range).collect::<Result<Vec<_>, _>>()?;
    let most = drawn.iter().map(|row| row.n).max().unwrap_or(0);
    let has_counts = drawn.iter().any(|row| row.n != most);
    // A place for each name, so that a bar that is missing is seen to be.
    let counts: Vec<Vec<String>> = panelled
        .iter()
        .map(|rows| {
            let count = |index: usize| rows.iter().find(|(name, _)| *name == index).map_or(0, |(_, row)| row.n);
            let text = |index| if has_counts { format!("n = {}", count(index)) } else { String::new() };
            (0..names.len()).map(text).collect()
        })
        .collect();
    let counts: Vec<Vec<&str>> = counts.iter().map(|texts| texts.iter().map(String::as_str).collect()).collect();
    let entry = |(index, name): (usize, &&str)| {
        let colour = theme::colour(index);
        LegendEntry { sample: Rect::SAMPLE.outlined(colour, theme::tint(colour)), name: name.to_string() }
    };
    let mut legend: Vec<LegendEntry> = names.iter().enumerate().map(entry).collect();
    legend.extend(marks_legend(drawn.iter().copied()));
    let titles = panel_titles(&panels, &highest, is_shared);
    let chart = CasePanels { figure, legend, titles, y, limit: limits.high };
    let draw = |index: usize, plot: &Plot| {
        let place = BARS_SHARE * (plot.right - plot.left) / names.len() as f64;
        let mut shapes = Vec::new();
        for &(name, row) in &panelled[index] {
            let x = plot.at(name as f64 + 0.5, 0.0).0;
            shapes.extend(bar(row, theme::colour(name), x, place, plot, &values, limits));
        }
        if panelled[index].is_empty() {
            shapes.extend(nothing(figure, plot));
        }
        let (from, to) = (plot.at(plot.x.low, 0.0), plot.at(plot.x.high, 0.0));
        shapes.push(stroke(from, to, theme::AXIS, theme::AXIS_LINE));
        shapes
    };
    Ok(chart.scene(|index| Horizontal::Names(&counts[index]), draw))
}

/// Lays out lines by case.
pub(crate) fn line_scene(
    figure: &Figure,
    places: &[SeriesPlace],
    log: Option<LogAxes>,
    rows: &[Row],
) -> Result<Scene, ReportError> {
    let all = collect(figure, rows)?;
    let (placed, panels, names) = parts(places, |series| all.iter().any(|one| one.name == series));
    if figure.metrics.len() != 1 || placed.len() != all.len() {
        return super::lines_on(figure, all, log);
    }
    let scale = LogScale::of(log, &all.iter().flat_map(|one| &one.points).collect::<Vec<_>>());
    let name_of = |one: &DrawnSeries| placed.iter().find(|place| place.series == one.name).map(|place| &place.name);
    let look = |one: &DrawnSeries| {
        LineLook::of(names.iter().position(|name| Some(*name) == name_of(one).map(String::as_str)).unwrap_or(0))
    };
    let series: Vec<DrawnSeries> = all.into_iter().map(|one| DrawnSeries { look: look(&one), ..one }).collect();
    let series = scale.applied(series);
    let panelled: Vec<Vec<&DrawnSeries>> = panels
        .iter()
        .map(|panel| {
            let own = placed.iter().filter(|place| place.panel == *panel);
            own.filter_map(|place| series.iter().find(|one| one.name == place.series)).collect()
        })
        .collect();
    let x = scale.across(figure, &series)?;
    let every = || series.iter().flat_map(|one| &one.points);
    let limits = AxisLimits::of(&figure.y_label, every().map(|point| point.mean));
    let highest: Vec<Option<f64>> = panelled
        .iter()
        .map(|own| own.iter().flat_map(|one| &one.points).map(|point| point.mean.abs()).reduce(f64::max))
        .collect();
    // Powers of ten are legible on one scale however far apart they are.
    let is_shared = scale.y || limits.high.is_finite() || can_share(&highest);
    let range = |own: &Vec<&DrawnSeries>| {
        let points: Vec<&Measured> = own.iter().flat_map(|one| &one.points).collect();
        match is_shared || points.is_empty() {
            true => scale.up(figure, every()),
            false => scale.up(figure, points.iter().copied()),
        }
    };
    let vertical = |own: &Vec<&DrawnSeries>| {
        let y = range(own)?;
        Ok(if scale.y { Vertical::Powers(y) } else { Vertical::Values(y.rounded(STEPS)) })
    };
    let y = panelled.iter().map(vertical).collect::<Result<Vec<_>, ReportError>>()?;
    // Each name once, as it is first drawn.
    let mut legend: Vec<DrawnSeries> = Vec::new();
    for name in &names {
        let first = series.iter().find(|one| name_of(one).map(String::as_str) == Some(*name));
        legend.extend(first.map(|one| DrawnSeries {
            name: name.to_string(),
            look: one.look,
            points: one.points.clone(),
        }));
    }
    let columns = most_columns(panels.len());
    let markers = if columns > 2 { marks::Markers::SMALL } else { marks::Markers::LARGE };
    let titles = panel_titles(&panels, &highest, is_shared);
    let mut entries = marks::line_legend(&legend);
    // Published values may stand in other panels than the first.
    if marks::published_entry(&legend).is_none() {
        entries.extend(marks::published_entry(&series));
    }
    let chart = CasePanels { figure, legend: entries, titles, y, limit: f64::INFINITY };
    let across = |_| if scale.x { Horizontal::Powers(x) } else { Horizontal::Values(x) };
    Ok(chart.scene(across, |index, plot| {
        let own: Vec<DrawnSeries> = panelled[index]
            .iter()
            .map(|one| DrawnSeries { name: String::new(), look: one.look, points: one.points.clone() })
            .collect();
        if own.is_empty() { nothing(figure, plot) } else { marks::lines(&own, plot, markers) }
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureKind;
    use crate::chart::tidy::{assert_tidy, labels};
    use crate::{chart, samples};
    use gridloom_sim::metrics::Estimate;

    /// So many cases by so many methods, each case `factor` times the one before.
    fn placed(cases: usize, methods: usize, factor: f64) -> (Vec<SeriesPlace>, Vec<(String, f64)>) {
        let pairs = (0..cases).flat_map(|case| (0..methods).map(move |method| (case, method)));
        let place = |(case, method): (usize, usize)| {
            let series = format!("case {case}, method {method}");
            let place =
                SeriesPlace { series: series.clone(), panel: format!("case {case}"), name: format!("method {method}") };
            (place, (series, factor.powi(case as i32) * (1.5 + method as f64)))
        };
        pairs.map(place).unzip()
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        labels(scene).into_iter().map(|label| label.text.as_str()).collect()
    }

    fn bars(cases: usize, methods: usize, n: impl Fn(usize) -> u64) -> Scene {
        bars_by(10.0, cases, methods, n)
    }

    /// The heights of the bars of the first method.
    fn heights(scene: &Scene) -> Vec<f64> {
        let height = |shape: &Shape| match shape {
            Shape::Area { points, colour } if *colour == theme::colour(0) => {
                let down = points.iter().map(|point| point.1);
                Some(down.clone().fold(f64::MIN, f64::max) - down.fold(f64::MAX, f64::min))
            }
            _ => None,
        };
        // The first is the sample in the legend.
        scene.shapes.iter().filter_map(height).skip(1).collect()
    }

    fn bars_by(factor: f64, cases: usize, methods: usize, n: impl Fn(usize) -> u64) -> Scene {
        let (places, values) = placed(cases, methods, factor);
        let row = |(index, (series, mean)): (usize, &(String, f64))| {
            Row::new("sweep", series, "waiting", Estimate { mean: *mean, ci95: Some(0.1 * mean), n: n(index) })
        };
        let rows: Vec<Row> = values.iter().enumerate().map(row).collect();
        chart::scene(&samples::figure(FigureKind::BarPanels(places)), &rows).unwrap()
    }

    #[test]
    fn any_number_of_cases_and_methods_is_drawn_tidily() {
        for (cases, methods) in [(2, 2), (3, 2), (3, 8), (4, 3), (7, 2), (12, 4), (2, 12)] {
            assert_tidy(&bars(cases, methods, |_| 50));
            assert_tidy(&bars(cases, methods, |index| index as u64));
            for log in [None, Some(LogAxes::X), Some(LogAxes::Y), Some(LogAxes::Both)] {
                let (places, values) = placed(cases, methods, 10.0);
                let at = |x: i32, (series, mean): &(String, f64)| {
                    let estimate = Estimate { mean: mean * f64::from(x), ci95: Some(0.2 * mean), n: 9 };
                    Row::new("sweep", series, "waiting", estimate).at(f64::from(x))
                };
                let rows: Vec<Row> = values.iter().flat_map(|value| (1..9).map(move |x| at(x, value))).collect();
                let figure = samples::figure(FigureKind::LinePanels(places, log));
                assert_tidy(&chart::scene(&figure, &rows).unwrap());
            }
        }
    }

    #[test]
    fn cases_are_titles_and_methods_are_in_the_legend_once() {
        let scene = bars(3, 2, |_| 50);
        for text in ["case 0 (own scale)", "case 1 (own scale)", "method 0", "method 1", "95 % interval"] {
            assert_eq!(texts(&scene).iter().filter(|found| **found == text).count(), 1, "{text}");
        }
        assert!(!texts(&scene).iter().any(|text| text.starts_with("n = ")));
        // Cases that differ by a factor of 100 have axes of their own: bars of one method are equally high in all.
        let heights = heights(&scene);
        assert_eq!(heights.len(), 3);
        assert!(heights.iter().all(|height| (height - heights[0]).abs() < 0.01 * heights[0]), "{heights:?}");
    }

    #[test]
    fn cases_that_are_close_have_one_scale() {
        let scene = bars_by(3.0, 3, 2, |_| 50);
        assert!(texts(&scene).contains(&"case 0") && !texts(&scene).iter().any(|text| text.contains("own scale")));
        let heights = heights(&scene);
        assert_eq!(heights.len(), 3);
        for pair in heights.windows(2) {
            assert!((pair[1] / pair[0] - 3.0).abs() < 0.02, "{heights:?}");
        }
        // Ends of ticks are the same in all panels.
        let zeros = texts(&scene).iter().filter(|text| **text == "0").count();
        let last = texts(&scene).iter().filter(|text| **text == "30").count();
        assert_eq!((zeros, last), (3, 3), "{:?}", texts(&scene));
    }

    #[test]
    fn a_case_without_values_keeps_its_panel_and_says_so() {
        for (label, says) in [("Makespan of jobs with a plan (s)", "no plan"), ("Waiting (s)", "no values")] {
            let (places, values) = placed(3, 2, 2.0);
            let row = |(series, mean): &(String, f64), x: f64| {
                Row::new("sweep", series, "waiting", Estimate { mean: mean * x, ci95: None, n: 5 })
            };
            let with_values = || values.iter().filter(|(series, _)| !series.starts_with("case 1"));
            let bars: Vec<Row> = with_values().map(|value| row(value, 1.0)).collect();
            let lines: Vec<Row> = with_values().flat_map(|value| [1.0, 2.0].map(|x| row(value, x).at(x))).collect();
            let kinds =
                [(FigureKind::BarPanels(places.clone()), bars), (FigureKind::LinePanels(places.clone(), None), lines)];
            for (kind, rows) in kinds {
                let figure = Figure { y_label: label.into(), ..samples::figure(kind) };
                let scene = chart::scene(&figure, &rows).unwrap();
                assert_tidy(&scene);
                for text in ["case 1", says] {
                    assert_eq!(texts(&scene).iter().filter(|found| **found == text).count(), 1, "{text}");
                }
            }
        }
    }

    #[test]
    fn means_over_different_numbers_of_jobs_have_them_below() {
        let scene = bars(2, 2, |index| 10 + index as u64);
        for n in 10..14 {
            assert_eq!(texts(&scene).iter().filter(|text| **text == format!("n = {n}")).count(), 1);
        }
    }
}
