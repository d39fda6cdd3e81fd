//! Maps of sample crossings.

use crate::chart::theme;
use crate::rows::value_text;
use crate::tidy::{self, assert_tidy, labels};
use crate::{Cut, Figure, FigureKind, ReportError, Row, SweepValue, samples};
use gridloom_files::{Label, Scene, Shape};

/// A cut along the load, up the notice, with a map per way of displacement.
fn cut() -> Cut {
    Cut { up: Some(("notice".into(), "Notice (minutes)".into())), ..samples::cut() }
}

fn figure(cut: Cut) -> Figure {
    samples::cut_figure(FigureKind::Map(cut))
}

fn drawn(cut: Cut, rows: &[Row]) -> Scene {
    tidy::scene(&figure(cut), rows).unwrap()
}

fn count(scene: &Scene, text: &str) -> usize {
    labels(scene).iter().filter(|label| label.text == text).count()
}

/// The number of heavy lines that are not in the legend.
fn borders(scene: &Scene) -> usize {
    let heavy = |shape: &&Shape| matches!(shape, Shape::Line { width, colour, .. } if *width == f64::from(theme::LINE) && *colour == theme::INK);
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
    let titled = |cut: Cut| Figure { title: long.clone(), x_label: long.clone(), y_label: long.clone(), ..figure(cut) };
    let one_notice: Vec<Row> =
        rows.into_iter().filter(|row| row.factor("notice").and_then(SweepValue::number) == Some(60.0)).collect();
    for (along, up) in [("load", "displacement"), ("displacement", "load")] {
        let cut = Cut { along: along.into(), up: Some((up.into(), long.clone())), ..Cut::default() };
        assert_tidy(&tidy::scene(&titled(cut), &one_notice).unwrap());
    }
}

#[test]
fn numbers_grow_to_the_right_and_upwards() {
    let mut rows = samples::crossing(1, 3, 3, 1);
    rows.reverse();
    let scene = drawn(cut(), &rows);
    let at = |name: &str| labels(&scene).into_iter().find(|label| label.text == name).map(|label| label.at).unwrap();
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
    assert!(!plus(&tidy::scene(&success, &rows).unwrap()));
}

#[test]
fn a_cell_without_a_row_is_hatched_and_one_with_two_is_an_error() {
    let rows = samples::crossing(1, 4, 4, 1);
    assert_eq!(count(&drawn(cut(), &rows), "not measured"), 0);
    assert_eq!(count(&drawn(cut(), &rows[1..]), "not measured"), 1);
    let error = |cut: Cut, rows: &[Row]| tidy::scene(&figure(cut), rows).err().unwrap();
    let twice = [rows.clone(), rows[..1].to_vec()].concat();
    assert!(matches!(error(cut(), &twice), ReportError::Repeated { .. }));
    let no_notice = Cut { up: None, ..cut() };
    assert!(matches!(error(no_notice, &rows), ReportError::Repeated { .. }));
    let unknown = Cut { up: Some(("nitoce".into(), String::new())), ..cut() };
    assert!(matches!(error(unknown, &rows), ReportError::NoFactor { factor, .. } if factor == "nitoce"));
    let far: Vec<Row> = rows.into_iter().map(|row| Row { mean: 1e301, ..row }).collect();
    assert!(matches!(error(cut(), &far), ReportError::TooWide { .. }));
}
