//! Figures from rows. A figure is laid out once as a [`Scene`] of shapes; SVG, PNG and PDF are written from the same
//! scene.

mod axis;
mod bars;
mod boxes;
mod cases;
mod cut;
mod facets;
mod forest;
mod frame;
pub(super) mod gantt;
mod lane;
mod limits;
mod log_steps;
mod logs;
mod map;
mod marks;
mod panels;
mod rows;
mod scale;
mod series;
mod shades;
mod spots;
mod strips;
#[cfg(test)]
pub(super) mod tidy;
mod tips;

pub(super) use gridloom_files::theme;

use super::ReportError;
use crate::{Figure, FigureKind, LogAxes, Row};
use axis::Horizontal;
use frame::{VERTICAL_STEPS, Vertical};
use gridloom_files::Scene;
use limits::AxisLimits;
use logs::LogScale;
use scale::Range;
use series::{DrawnSeries, Measured};

/// Room between the outermost markers and the frame, as a share of the plot's width.
const MARKER_ROOM: f64 = 0.02;

/// Lays out a figure.
pub(super) fn scene(figure: &Figure, rows: &[Row]) -> Result<Scene, ReportError> {
    match &figure.kind {
        FigureKind::Lines => lines_on(figure, series::collect(figure, rows)?, None),
        FigureKind::LogLines => log_lines(figure, series::collect(figure, rows)?),
        FigureKind::LinesOn(log) => lines_on(figure, series::collect(figure, rows)?, Some(*log)),
        FigureKind::LinePanels(places, log) => cases::line_scene(figure, places, *log, rows),
        FigureKind::BarPanels(places) => cases::bar_scene(figure, places, rows),
        FigureKind::LogSteps => log_steps::scene(figure, series::collect(figure, rows)?),
        FigureKind::Scatter => scatter(figure, &series::collect(figure, rows)?),
        FigureKind::Stacked => stacked(figure, &series::collect(figure, rows)?),
        FigureKind::Bars => bars::scene(figure, rows),
        FigureKind::Differences => forest::scene(figure, rows),
        FigureKind::Panels(cut) => facets::scene(figure, cut, rows),
        FigureKind::Map(cut) => map::scene(figure, cut, rows),
    }
}

/// Lines over plain or logarithmic axes.
fn lines_on(figure: &Figure, all: Vec<DrawnSeries>, log: Option<LogAxes>) -> Result<Scene, ReportError> {
    let scale = LogScale::of(log, &all.iter().flat_map(|one| &one.points).collect::<Vec<_>>());
    let series = scale.applied(all);
    let y = scale.up(figure, series.iter().flat_map(|one| &one.points))?;
    let x = scale.across(figure, &series)?;
    let x = if scale.x { Horizontal::Powers(x) } else { Horizontal::Values(x) };
    if series.len() > theme::COLOURS {
        return Ok(panels::scene(figure, &series, x, y, scale.y));
    }
    let y = if scale.y { Vertical::Powers(y) } else { Vertical::Values(y.rounded(VERTICAL_STEPS)) };
    let frame = frame::frame_on(figure, x, y, y.range().high, marks::line_legend(&series));
    let data = marks::lines(&series, &frame.plot, marks::Markers::LARGE);
    Ok(Scene { title: figure.title.clone(), height: frame.height, shapes: [frame.grid, frame.axes, data].concat() })
}

/// The range of points with their intervals, as far as the limits of their axis let them reach.
fn heights<'a>(figure: &Figure, points: impl Iterator<Item = &'a Measured> + Clone) -> Result<Range, ReportError> {
    let values = points.clone().flat_map(|point| [Some(point.mean), point.published]);
    let limits = AxisLimits::of(&figure.y_label, values.flatten());
    let extent = |point: &Measured| {
        let half = point.half_width.unwrap_or(0.0);
        [Some(limits.cut(point.mean - half)), Some(limits.cut(point.mean + half)), point.published]
    };
    Ok(range(figure, points.flat_map(extent).flatten())?.with_near_zero().up_to(limits.high))
}

/// Both axes are logarithmic and there are no bands. Points that are not above zero both ways are left out; nothing
/// above zero, or more lines than colours, is drawn over plain axes.
fn log_lines(figure: &Figure, all: Vec<DrawnSeries>) -> Result<Scene, ReportError> {
    let above = |one: &DrawnSeries| {
        let is_above = |point: &&Measured| point.x > 0.0 && point.mean > 0.0;
        let bare = |point: &Measured| Measured { half_width: None, band: None, value: point.value.clone(), ..*point };
        let points: Vec<Measured> = one.points.iter().filter(is_above).map(bare).collect();
        (!points.is_empty()).then(|| DrawnSeries { name: one.name.clone(), look: one.look, points })
    };
    let series = logs::in_looks(all.iter().filter_map(above).collect());
    match series.is_empty() || series.len() > theme::COLOURS {
        true => lines_on(figure, all, None),
        false => lines_on(figure, series, Some(LogAxes::Both)),
    }
}

fn scatter(figure: &Figure, series: &[DrawnSeries]) -> Result<Scene, ReportError> {
    let heights = series.iter().flat_map(|one| &one.points).map(|point| point.mean);
    let y = range(figure, heights)?.padded(MARKER_ROOM).rounded(VERTICAL_STEPS);
    let x = range(figure, places(series))?.padded(MARKER_ROOM);
    let frame = frame::frame(figure, Horizontal::Values(x), y, y.high, marks::point_legend(series));
    let data = marks::points(series, &frame.plot);
    Ok(Scene { title: figure.title.clone(), height: frame.height, shapes: [frame.grid, frame.axes, data].concat() })
}

fn stacked(figure: &Figure, series: &[DrawnSeries]) -> Result<Scene, ReportError> {
    let layers = series::stack(figure, series)?;
    let edges = layers.iter().flat_map(|layer| &layer.edges).flat_map(|&(_, low, high)| [low, high]);
    let limits = AxisLimits::of(&figure.y_label, edges.clone());
    let y = range(figure, edges)?.up_to(limits.high).rounded(VERTICAL_STEPS);
    let x = Horizontal::Values(range(figure, places(series))?);
    let frame = frame::frame(figure, x, y, y.high, marks::area_legend(series));
    let mut data = marks::areas(&layers, &frame.plot);
    data.extend(spots::layers(series, &layers, &frame.plot));
    // Areas reach the axes, which must not vanish below them.
    Ok(Scene { title: figure.title.clone(), height: frame.height, shapes: [frame.grid, data, frame.axes].concat() })
}

/// All values of `x`.
fn places(series: &[DrawnSeries]) -> impl Iterator<Item = f64> {
    series.iter().flat_map(|one| &one.points).map(|point| point.x)
}

fn range(figure: &Figure, values: impl Iterator<Item = f64>) -> Result<Range, ReportError> {
    Range::around(values).ok_or_else(|| ReportError::TooWide { figure: figure.file.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use gridloom_files::{Align, Shape};
    use gridloom_sim::metrics::Estimate;
    use tidy::assert_tidy;

    fn drawn(kind: FigureKind, rows: &[Row]) -> Scene {
        scene(&samples::figure(kind), rows).unwrap()
    }

    fn row(x: f64, mean: f64, ci95: Option<f64>) -> Row {
        Row::new("sweep", "only", "waiting", Estimate { mean, ci95, n: 9 }).at(x)
    }

    #[test]
    fn degenerate_data_are_drawn_tidily() {
        let cases: Vec<Vec<Row>> = vec![
            vec![row(7.0, 3.5, Some(0.4))],
            vec![row(0.0, 0.0, None)],
            (0..5).map(|k| row(f64::from(k), 5.0, Some(0.0))).collect(),
            (0..5).map(|k| row(f64::from(k) * 1e12, f64::from(k) * -3e250, Some(1e249))).collect(),
            (0..5).map(|k| row(1e-200 * f64::from(k), 4e-290 * f64::from(k), (k % 2 == 0).then_some(1e-290))).collect(),
            vec![row(1.0, 1e15, None), row(1.0 + f64::EPSILON, 1e15 + 1.0, None)],
            vec![row(3.0, 1.0, None), row(3.0, 2.0, Some(1.0)), row(3.0, 3.0, Some(1.0))],
            samples::sweep(12, 8),
            samples::sweep(40, 2),
            samples::sweep(3, 2000),
        ];
        for rows in cases {
            assert_tidy(&drawn(FigureKind::Lines, &rows));
            assert_tidy(&drawn(FigureKind::Scatter, &rows));
            assert_tidy(&drawn(FigureKind::LogLines, &rows));
            let one_value_per_x = rows.windows(2).all(|pair| pair[0].x != pair[1].x);
            if one_value_per_x {
                assert_tidy(&drawn(FigureKind::Stacked, &rows));
            }
        }
    }

    #[test]
    fn each_axis_can_be_logarithmic_and_zeros_are_left_out() {
        let rows: Vec<Row> =
            (0..6).map(|k| row(10f64.powi(k), 0.5 * 100f64.powi(k) - 0.5, Some(0.3 * 100f64.powi(k)))).collect();
        let texts = |log| {
            let scene = drawn(FigureKind::LinesOn(log), &rows);
            assert_tidy(&scene);
            tidy::labels(&scene).into_iter().map(|label| label.text.clone()).collect::<Vec<String>>()
        };
        let has = |texts: &[String], text: &str| texts.iter().any(|found| found == text);
        let (x, y, both) = (texts(LogAxes::X), texts(LogAxes::Y), texts(LogAxes::Both));
        assert!(has(&x, "10000") && has(&both, "10000") && !has(&y, "10000"), "{y:?}");
        assert!(has(&y, "10⁷") && has(&both, "10⁷") && !has(&x, "10⁷"), "{x:?}");
        let lines = |log| {
            let scene = drawn(FigureKind::LinesOn(log), &rows);
            let points = |shape: &Shape| match shape {
                Shape::Line { points, width, .. } if *width == theme::LINE && points.len() > 2 => Some(points.len()),
                _ => None,
            };
            scene.shapes.iter().find_map(points)
        };
        assert_eq!((lines(LogAxes::X), lines(LogAxes::Y)), (Some(6), Some(5)), "the mean of 0 has no logarithm");
        // Without anything above zero the vertical axis is plain.
        let none = [row(1.0, 0.0, None), row(2.0, -1.0, None)];
        assert_tidy(&drawn(FigureKind::LinesOn(LogAxes::Both), &none));
    }

    #[test]
    fn long_texts_are_broken_and_not_cut() {
        let named = |mut rows: Vec<Row>| {
            for row in &mut rows {
                row.series = format!("{} at events against the application level alone", row.series);
            }
            rows
        };
        let long = |figure: Figure| Figure {
            x_label: "Spread of the prices that resources of one speed ask for (money units, up and down)".into(),
            y_label: "Largest saving on placed jobs in one run against greedy by price (% of the cost)".into(),
            ..figure
        };
        let lines = long(samples::figure(FigureKind::Lines));
        let bars = long(samples::bars());
        let comparison = |rows: Vec<Row>| {
            let cost =
                |row| Row { experiment: bars.experiment.clone(), metric: bars.metrics[0].clone(), x: None, ..row };
            rows.into_iter().map(cost).collect::<Vec<Row>>()
        };
        let plot = scene(&lines, &samples::sweep(3, 5));
        let unitless = Figure {
            y_label: "Largest saving on placed jobs in one run against greedy by price and against MMC".into(),
            ..lines.clone()
        };
        let without_unit = scene(&unitless, &samples::sweep(3, 5));
        let panels = scene(&lines, &named(samples::sweep(12, 5)));
        let one_metric = Figure { metrics: bars.metrics[..1].to_vec(), ..bars.clone() };
        let strips = scene(&one_metric, &comparison(named(samples::sweep(14, 1))));
        for scene in [plot, without_unit, panels, strips] {
            let scene = scene.unwrap();
            assert_tidy(&scene);
            let texts: Vec<&str> = tidy::labels(&scene).into_iter().map(|label| label.text.as_str()).collect();
            assert!(texts.iter().all(|text| !text.contains('…')), "{texts:?}");
        }
    }

    #[test]
    fn bands_are_named_where_there_are_some() {
        let named = |rows: &[Row]| {
            let scene = drawn(FigureKind::Lines, rows);
            tidy::labels(&scene).iter().filter(|label| label.text == "95 % interval").count()
        };
        assert_eq!(named(&samples::sweep(3, 5)), 1);
        assert_eq!(named(&samples::sweep(10, 5)), 1, "in panels too");
        let certain: Vec<Row> = samples::sweep(3, 5).into_iter().map(|row| Row { ci95: None, ..row }).collect();
        assert_eq!(named(&certain), 0);
    }

    #[test]
    fn samples_of_the_legend_show_a_whole_pattern_beside_the_marker() {
        for pattern in 1..theme::PATTERNS {
            let period: f64 = theme::dashes(pattern).iter().sum();
            let beside = 0.5 * theme::LINE_SAMPLE - 1.2 * theme::MARKER_RADIUS;
            let first_gap: f64 = theme::dashes(pattern)[..2].iter().sum();
            assert!(first_gap <= beside && period <= theme::LINE_SAMPLE, "{pattern}");
        }
    }

    #[test]
    fn without_its_title_a_figure_is_the_same_and_less_high() {
        for kind in [FigureKind::Lines, FigureKind::Scatter, FigureKind::Stacked] {
            let (rows, title) = (samples::sweep(3, 5), samples::figure(kind.clone()).title);
            let (with, without) = (drawn(kind.clone(), &rows), drawn(kind, &rows).untitled());
            assert_tidy(&without);
            assert!(tidy::labels(&with).iter().any(|label| label.text == title));
            assert!(!tidy::labels(&without).iter().any(|label| label.text == title));
            assert_eq!(with.shapes.len(), without.shapes.len() + 1);
            assert!(without.height < with.height && without.title == title, "readers of the page still get it");
        }
        assert_tidy(&bars::scene(&samples::bars(), &samples::comparison()).unwrap().untitled());
        assert_tidy(&gantt::scene(&samples::gantt()).unwrap().untitled());
    }

    #[test]
    fn long_texts_stay_on_the_canvas() {
        let long = "a name without end ".repeat(20);
        let figure = Figure {
            title: long.clone(),
            x_label: long.clone(),
            y_label: long.clone(),
            ..samples::figure(FigureKind::Lines)
        };
        let rows: Vec<Row> =
            samples::sweep(3, 4).into_iter().map(|row| Row { series: long.clone() + &row.series, ..row }).collect();
        assert_tidy(&scene(&figure, &rows).unwrap());
    }

    #[test]
    fn what_can_not_be_drawn_is_an_error() {
        let lines = samples::figure(FigureKind::Lines);
        let stacked = samples::figure(FigureKind::Stacked);
        let error = |figure: &Figure, rows: &[Row]| scene(figure, rows).err().unwrap();
        assert!(matches!(error(&lines, &[]), ReportError::NoRows { .. }));
        let no_x = [row(1.0, 1.0, None), Row { x: None, ..row(2.0, 2.0, None) }];
        assert!(matches!(error(&lines, &no_x), ReportError::NoX { .. }));
        assert!(matches!(error(&lines, &[row(0.0, 1e301, None)]), ReportError::TooWide { .. }));
        let mut uneven = samples::sweep(2, 3);
        uneven.pop();
        assert!(matches!(error(&stacked, &uneven), ReportError::Unstackable { .. }));
        let unmeasured = Figure { metrics: vec!["waiting".into(), "turnaround".into()], ..lines.clone() };
        assert!(
            matches!(error(&unmeasured, &samples::sweep(1, 3)), ReportError::NoRows { metric, .. } if metric == "turnaround")
        );
        let without = Figure { metrics: Vec::new(), ..lines };
        assert!(matches!(error(&without, &samples::sweep(1, 3)), ReportError::NoRows { .. }));
    }

    #[test]
    fn several_metrics_of_a_sweep_are_lines_of_their_own() {
        let mut rows = samples::sweep(2, 3);
        rows.extend(samples::sweep(2, 3).into_iter().map(|row| Row { metric: "turnaround".into(), ..row }));
        let figure = samples::figure(FigureKind::Lines);
        let figure = Figure { metrics: vec!["turnaround".into(), "waiting".into()], ..figure };
        let names: Vec<String> = series::collect(&figure, &rows).unwrap().into_iter().map(|one| one.name).collect();
        let expected = ["series 0, turnaround", "series 1, turnaround", "series 0, waiting", "series 1, waiting"];
        assert_eq!(names, expected);
    }

    #[test]
    fn a_scatter_has_a_marker_for_every_row_and_no_line_between_them() {
        let rows = samples::sweep(2, 40);
        let is_area = |shape: &&Shape| matches!(shape, Shape::Area { .. });
        let scene = drawn(FigureKind::Scatter, &rows);
        let in_legend = 2;
        assert_eq!(scene.shapes.iter().filter(is_area).count(), rows.len() + in_legend);
        let wide = |shape: &&Shape| matches!(shape, Shape::Line { width, .. } if *width >= theme::LINE);
        assert_eq!(scene.shapes.iter().filter(wide).count(), 0);
    }

    #[test]
    fn the_axis_of_a_share_ends_at_the_whole() {
        let share = |kind, y_label: &str| Figure { y_label: y_label.into(), ..samples::figure(kind) };
        let highest = |scene: &Scene| {
            let labels = tidy::labels(scene).into_iter().filter(|label| label.align == Align::Right);
            labels.min_by(|a, b| a.at.1.total_cmp(&b.at.1)).map(|label| label.text.clone()).unwrap()
        };
        let near_one = [row(0.0, 0.95, Some(0.2)), row(1.0, 1.0, Some(0.3))];
        let all_one = [row(0.0, 1.0, Some(0.0)), row(1.0, 1.0, None)];
        for rows in [&near_one, &all_one] {
            let drawn = |label| scene(&share(FigureKind::Lines, label), rows).unwrap();
            assert_eq!(highest(&drawn("Success ratio (share of jobs)")).parse(), Ok(1.0));
            assert!(highest(&drawn("Wait (hours)")).parse::<f64>().unwrap() > 1.0);
        }
        let bar = [Row { x: None, ..row(0.0, 1.0, Some(0.6)) }];
        let drawn = |label| scene(&share(FigureKind::Bars, label), &bar).unwrap();
        assert_eq!(highest(&drawn("Success ratio (share of jobs)")).parse(), Ok(1.0));
        assert!(highest(&drawn("Wait (hours)")).parse::<f64>().unwrap() > 1.0);
    }

    #[test]
    fn the_first_forty_series_look_different() {
        let look = |index| (theme::colour(index), theme::dashes(index));
        for first in 0..40 {
            assert!((0..first).all(|second| look(second) != look(first)), "{first}");
        }
    }
}
