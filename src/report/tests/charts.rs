//! Charts of lines, points and areas.

use crate::chart::{self, Canvas, theme};
use crate::tidy::{self, assert_tidy, labels, scene};
use crate::{Cut, Figure, FigureKind, FiguresSpec, LogAxes, ReportError, Row, samples};
use gridloom_files::{Align, Colour, Label, Scene, Shape};
use gridloom_language::Positive;
use gridloom_sim::metrics::Estimate;

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
            Shape::Line { points, width, .. } if *width == f64::from(theme::LINE) && points.len() > 2 => {
                Some(points.len())
            }
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
        let cost = |row| Row { experiment: bars.experiment.clone(), metric: bars.metrics[0].clone(), x: None, ..row };
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
        let beside = 0.5 * f64::from(theme::LINE_SAMPLE) - 1.2 * theme::MARKER_RADIUS;
        let first_gap: f64 = theme::dashes(pattern)[..2].iter().sum();
        assert!(first_gap <= beside && period <= f64::from(theme::LINE_SAMPLE), "{pattern}");
    }
}

#[test]
fn without_its_title_a_figure_is_the_same_and_less_high() {
    let canvas = Canvas { has_titles: false, ..Canvas::default() };
    for kind in [FigureKind::Lines, FigureKind::Scatter, FigureKind::Stacked] {
        let (rows, figure) = (samples::sweep(3, 5), samples::figure(kind));
        let (with, without) = (scene(&figure, &rows).unwrap(), chart::scene(&figure, &rows, &canvas).unwrap());
        assert_tidy(&without);
        assert!(labels(&with).iter().any(|label| label.text == figure.title));
        assert!(!labels(&without).iter().any(|label| label.text == figure.title));
        assert_eq!(with.shapes.len(), without.shapes.len() + 1);
        assert!(without.height < with.height && without.title == figure.title, "readers of the page still get it");
    }
    assert_tidy(&chart::scene(&samples::bars(), &samples::comparison(), &canvas).unwrap());
    assert_tidy(&chart::gantt::scene(&samples::gantt(), &canvas).unwrap());
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
fn a_scatter_has_a_marker_for_every_row_and_no_line_between_them() {
    let rows = samples::sweep(2, 40);
    let is_area = |shape: &&Shape| matches!(shape, Shape::Area { .. });
    let scene = drawn(FigureKind::Scatter, &rows);
    let in_legend = 2;
    assert_eq!(scene.shapes.iter().filter(is_area).count(), rows.len() + in_legend);
    let wide = |shape: &&Shape| matches!(shape, Shape::Line { width, .. } if *width >= f64::from(theme::LINE));
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

/// The number of lines of a colour, or of any, and of a width.
fn lines(scene: &Scene, colour: Option<Colour>, width: i32) -> usize {
    let own = |shape: &&Shape| {
        matches!(shape, Shape::Line { colour: c, width: w, .. }
            if colour.is_none_or(|colour| colour == *c) && *w == f64::from(width))
    };
    scene.shapes.iter().filter(own).count()
}

#[test]
fn past_the_number_of_colours_a_few_series_share_a_panel_before_all_others_in_grey() {
    for (count, panels) in [(9, 2), (16, 4), (18, 4), (40, 8)] {
        let scene = drawn(FigureKind::Lines, &samples::sweep(count, 5));
        assert_tidy(&scene);
        let named =
            |index: usize| labels(&scene).iter().filter(|label| label.text == format!("series {index}")).count();
        assert!((0..count).all(|index| named(index) == 1));
        let in_legends = count;
        assert_eq!(lines(&scene, None, theme::LINE), count + in_legends);
        let in_legend = 1;
        assert_eq!(lines(&scene, Some(theme::PALE), theme::AXIS_LINE), (panels - 1) * count + in_legend);
    }
}

#[test]
fn as_many_series_as_colours_share_a_plot() {
    let scene = drawn(FigureKind::Lines, &samples::sweep(theme::COLOURS, 5));
    assert_eq!(lines(&scene, Some(theme::PALE), theme::AXIS_LINE), 0);
}

#[test]
fn long_names_large_values_and_published_points_have_room() {
    let rows: Vec<Row> = samples::sweep(10, 24)
        .into_iter()
        .map(|row| Row {
            series: format!("a policy with a name too long for two lines, {}", row.series),
            mean: 1e8 * row.mean,
            published: Some(1.1e9),
            x: row.x.map(|x| 1e5 * x),
            ..row
        })
        .collect();
    let scene = drawn(FigureKind::Lines, &rows);
    assert_tidy(&scene);
    assert!(labels(&scene).iter().any(|label| label.text == "Waiting time (min), ×10⁹"));
    assert!(labels(&scene).iter().any(|label| label.text == "published"));
}

#[test]
fn in_a_column_of_a_paper_figures_are_tidy_and_letters_have_seven_points() {
    let spec = FiguresSpec { width: Positive::of(3.5), titles: false, ..FiguresSpec::default() };
    let canvas = Canvas::of(&spec);
    let drawn = |figure: &Figure, rows: &[Row]| chart::scene(figure, rows, &canvas).unwrap();
    let lines = samples::figure(FigureKind::Lines);
    let crossing = samples::crossing(2, 5, 3, 3);
    let cut = |kind| drawn(&samples::cut_figure(kind), &crossing);
    let up = Some(("notice".into(), "Notice (minutes)".into()));
    let of_one = vec!["OPT min time 1".to_string()];
    let one_metric = Figure { metrics: vec!["cost".into()], ..samples::bars() };
    let long = |row: Row| Row { series: format!("the policy called {} in this table", row.series), ..row };
    let scenes = [
        drawn(&lines, &samples::sweep(3, 5)),
        drawn(&lines, &samples::sweep(16, 5)),
        drawn(&samples::figure(FigureKind::Stacked), &samples::sweep(5, 50)),
        drawn(&samples::bars(), &samples::comparison()),
        drawn(&one_metric, &samples::comparison().into_iter().map(long).collect::<Vec<Row>>()),
        cut(FigureKind::Panels(samples::cut())),
        cut(FigureKind::Map(Cut { up, series: of_one, ..samples::cut() })),
        drawn(&samples::cut_figure(FigureKind::Differences), &samples::differences(7)),
        chart::gantt::scene(&samples::gantt(), &canvas).unwrap(),
    ];
    for scene in scenes {
        assert_tidy(&scene);
        assert!((scene.width / scene.resolution - 3.5).abs() < 1e-3);
        for label in labels(&scene) {
            assert!(72.0 * label.size / scene.resolution >= 7.0, "{label:?}");
        }
    }
}

#[test]
fn a_figure_is_as_high_and_its_letters_are_as_large_as_asked() {
    let (height, font_size) = (Some(Positive::of(2.0)), Positive::of(12.0));
    let canvas = Canvas::of(&FiguresSpec { height, font_size, ..FiguresSpec::default() });
    for scene in [
        chart::scene(&samples::figure(FigureKind::Lines), &samples::sweep(3, 5), &canvas).unwrap(),
        chart::scene(&samples::bars(), &samples::comparison(), &canvas).unwrap(),
    ] {
        assert_tidy(&scene);
        assert!((scene.height / scene.resolution - 2.0).abs() < 0.01, "{}", scene.height / scene.resolution);
        let of_ticks = |label: &&Label| (72.0 * label.size / scene.resolution - 12.0).abs() < 1e-9;
        assert!(labels(&scene).into_iter().filter(of_ticks).count() > 5);
    }
}
