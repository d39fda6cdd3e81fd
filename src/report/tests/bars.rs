//! Charts of bars, upright and lying.

use crate::chart::theme;
use crate::tidy::{assert_tidy, extent, labels, scene};
use crate::{Figure, ReportError, Row, number, samples};
use gridloom_files::{Colour, Label, Scene, Shape};
use gridloom_sim::metrics::Estimate;
use proptest::prelude::*;

fn row(series: &str, metric: &str, mean: f64, ci95: Option<f64>, published: Option<f64>) -> Row {
    Row { published, ..Row::new("comparison", series, metric, Estimate { mean, ci95, n: 5 }) }
}

fn figure(metrics: &[&str]) -> Figure {
    Figure { metrics: metrics.iter().map(|name| name.to_string()).collect(), ..samples::bars() }
}

/// The figure of a metric called "m".
fn drawn(rows: &[Row]) -> Scene {
    scene(&figure(&["m"]), rows).unwrap()
}

fn texts(scene: &Scene) -> Vec<&str> {
    labels(scene).into_iter().map(|label| label.text.as_str()).collect()
}

/// Left, right, top and bottom of points.
fn bounds(points: &[(f64, f64)]) -> [f64; 4] {
    points.iter().fold([f64::MAX, f64::MIN, f64::MAX, f64::MIN], |[l, r, t, b], &(x, y)| {
        [l.min(x), r.max(x), t.min(y), b.max(y)]
    })
}

#[test]
fn degenerate_data_are_drawn_tidily() {
    let cases = [
        vec![row("a", "m", 3.5, None, None)],
        vec![row("a", "m", 0.0, Some(0.0), Some(0.0)), row("b", "m", -0.0, None, None)],
        vec![row("a", "m", -3.0, Some(9.0), Some(7.0)), row("b", "m", -5e-7, Some(1e-9), Some(-1.0))],
        vec![row("a", "m", -3e250, Some(1e249), None), row("b", "m", 1e-290, None, Some(2e250))],
        vec![row("a", "m", 4e-290, Some(1e-290), Some(3e-290))],
        vec![row(&"a name without end ".repeat(20), "m", 1.0, None, None), row("b", "m", 2.0, None, Some(9.0))],
        vec![row("", "m", 1.0, None, None)],
    ];
    for rows in cases {
        assert_tidy(&drawn(&rows));
    }
}

#[test]
fn any_number_of_bars_and_groups_is_drawn_tidily() {
    for (series, metrics) in [(1, 1), (2, 1), (9, 1), (30, 1), (300, 1), (1, 5), (4, 3), (7, 12), (2, 200)] {
        let metrics: Vec<String> = (0..metrics).map(|m| format!("{m}th of many long metrics' names")).collect();
        let value = |s: usize, m: &String| (s * m.len()) as f64 * 1234.5 - 40_000.0;
        let rows: Vec<Row> = (0..series)
            .flat_map(|s| metrics.iter().map(move |m| (s, m)))
            .map(|(s, m)| row(&format!("series {s}"), m, value(s, m), Some(99.0), Some(value(s, m) + 200.0)))
            .collect();
        assert_tidy(&scene(&Figure { metrics, ..samples::bars() }, &rows).unwrap());
    }
}

#[test]
fn bars_are_as_high_as_their_values_from_zero() {
    let scene = drawn(&[row("a", "m", 100.0, None, None), row("b", "m", 104.0, None, None)]);
    let height = |colour: Colour| {
        let outline = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Area { points, colour: found } if *found == colour => Some(bounds(points)),
            _ => None,
        });
        outline.map(|[_, _, top, bottom]| bottom - top).unwrap()
    };
    let ratio = height(theme::colour(1)) / height(theme::colour(0));
    assert!((ratio - 1.04).abs() < 1e-3, "{ratio}");
}

#[test]
fn series_are_named_below_their_bars_or_in_a_legend() {
    let rows = samples::comparison();
    let alone = scene(&figure(&["cost"]), &rows).unwrap();
    let grouped = scene(&samples::bars(), &rows).unwrap();
    let place =
        |scene: &Scene, name: &str| labels(scene).into_iter().find(|label| label.text == name).map(|label| label.at.1);
    for name in ["ALP", "AMP"] {
        assert!(place(&alone, name) > place(&alone, "0"), "{name} stands below the axis");
        assert!(place(&grouped, name) < place(&grouped, "0"), "{name} stands in the legend");
    }
    assert!(texts(&grouped).contains(&"execution time") && !texts(&alone).contains(&"cost"));
    // All values of a figure have the same decimals.
    for (scene, value) in [(alone, "372"), (grouped, "371.5")] {
        assert_eq!(texts(&scene).iter().filter(|&&text| text == "published" || text == value).count(), 2);
    }
}

#[test]
fn a_zero_among_negative_bars_is_written_inside_the_plot() {
    let scene = drawn(&[row("a", "m", -3.0, None, None), row("b", "m", 0.0, None, None)]);
    let zero =
        labels(&scene).into_iter().find(|label| label.text == "0" && label.size == f64::from(theme::BAR_TEXT_SIZE));
    let axis = scene.shapes.iter().find_map(|shape| match shape {
        Shape::Line { points, .. } if points[0].0 == points[1].0 && points[0].1 != points[1].1 => Some(bounds(points)),
        _ => None,
    });
    assert!(extent(zero.unwrap())[2] > axis.unwrap()[2], "below the top of the vertical axis");
}

#[test]
fn what_can_not_be_drawn_is_an_error() {
    let error = |rows: &[Row]| scene(&figure(&["m"]), rows).err().unwrap();
    let one = row("a", "m", 1.0, None, None);
    assert!(matches!(error(&[one.clone().at(3.0)]), ReportError::NoRows { .. }));
    assert!(matches!(error(&[one.clone(), one]), ReportError::Repeated { .. }));
    assert!(matches!(error(&[row("a", "m", 1e301, None, None)]), ReportError::TooWide { .. }));
}

proptest! {
    #[test]
    fn a_value_covers_neither_its_whisker_nor_the_published_value(
        mean in -100.0_f64..100.0, ci95 in 0.0_f64..30.0, published in -100.0_f64..100.0, series in 1_usize..30,
    ) {
        let mut rows = vec![row("first", "m", mean, Some(ci95), Some(published))];
        rows.extend((1..series).map(|s| row(&s.to_string(), "m", 150.0, None, None)));
        let scene = drawn(&rows);
        assert_tidy(&scene);
        let values: Vec<f64> = rows.iter().map(|row| row.mean).collect();
        let value = match number::common_places(&values, 3) {
            Some(places) => number::fixed(mean, places),
            None => number::significant(mean, 3),
        };
        let value = value.replace('-', "−");
        let own = |label: &&Label| label.text == value && label.size == f64::from(theme::BAR_TEXT_SIZE);
        let Some([left, right, top, bottom]) = labels(&scene).into_iter().find(own).map(extent) else {
            prop_assert!(series > 20, "a value is missing though there is room");
            return Ok(());
        };
        // The legend's own whisker and diamond are far above.
        for shape in &scene.shapes {
            if let Shape::Line { points, colour, .. } = shape && *colour == theme::INK {
                let [l, r, t, b] = bounds(points);
                prop_assert!(right <= l || r <= left || bottom <= t || b <= top, "{value} covers {points:?}");
            }
        }
    }
}

fn rows(series: usize, metrics: &[&str]) -> Vec<Row> {
    let row = |s: usize, metric: &&str| {
        let estimate = Estimate { mean: 10.0 * (s + 1) as f64, ci95: Some(4.0), n: 9 };
        let row = Row::new("comparison", format!("the policy with number {s}"), *metric, estimate);
        Row { published: s.is_multiple_of(3).then_some(10.0 * s as f64 + 14.0), ..row }
    };
    (0..series).flat_map(|s| metrics.iter().map(move |metric| row(s, metric))).collect()
}

fn lying(series: usize, metrics: &[&str]) -> Scene {
    let figure = Figure { metrics: metrics.iter().map(|name| name.to_string()).collect(), ..samples::bars() };
    scene(&figure, &rows(series, metrics)).unwrap()
}

#[test]
fn every_bar_has_its_name_before_it_and_its_value_behind() {
    let scene = lying(16, &["cost"]);
    assert_tidy(&scene);
    // The outlines of bars, top down; each is as long as its value says.
    let outline = |shape: &Shape| match shape {
        Shape::Area { points, colour } if *colour == theme::colour(0) => Some((points[0], points[2])),
        _ => None,
    };
    let outlines: Vec<_> = scene.shapes.iter().filter_map(outline).collect();
    assert_eq!(outlines.len(), 16);
    for (s, &((left, top), (right, bottom))) in outlines.iter().enumerate() {
        let at = |text: String, size: i32| {
            let own = |label: &&Label| label.text == text && label.size == f64::from(size);
            labels(&scene).into_iter().find(own).map(extent).unwrap()
        };
        let name = at(format!("the policy with number {s}"), theme::TICK_SIZE);
        let value = at(format!("{}", 10 * (s + 1)), theme::BAR_TEXT_SIZE);
        for [_, _, upper, lower] in [name, value] {
            assert!((0.5 * (upper + lower) - 0.5 * (top + bottom)).abs() < 1.0, "beside its bar");
        }
        assert!(name[1] < left && value[0] > right);
        let ratio = (right - left) / (outlines[0].1.0 - outlines[0].0.0);
        assert!((ratio / (s + 1) as f64 - 1.0).abs() < 0.03, "{ratio}");
    }
}

#[test]
fn many_metrics_stand_in_columns_and_then_below() {
    for metrics in [&["cost", "time"][..], &["a", "b", "c", "d", "a long one in several lines"]] {
        let scene = lying(12, metrics);
        assert_tidy(&scene);
        let count = |text: &str| labels(&scene).iter().filter(|label| label.text == text).count();
        assert_eq!(count("the policy with number 7"), metrics.len().div_ceil(4));
        assert_eq!(count(metrics[1]), 1);
    }
}
