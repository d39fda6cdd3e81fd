//! Staircases over logarithmic axes.

use crate::chart::theme;
use crate::tidy::{self, assert_tidy};
use crate::{FigureKind, Row, samples};
use gridloom_files::{Scene, ScenePoint, Shape};
use gridloom_sim::metrics::Estimate;

fn row(series: &str, x: f64, mean: f64) -> Row {
    Row::new("sweep", series, "waiting", Estimate { mean, ci95: None, n: 9 }).at(x)
}

fn drawn(rows: &[Row]) -> Scene {
    tidy::scene(&samples::figure(FigureKind::LogSteps), rows).unwrap()
}

/// The corners of the wide lines but for those of the legend, which have two.
fn paths(scene: &Scene) -> Vec<Vec<ScenePoint>> {
    let path = |shape: &Shape| match shape {
        Shape::Line { points, width, .. } if *width >= f64::from(theme::LINE) && points.len() > 2 => {
            Some(points.clone())
        }
        _ => None,
    };
    scene.shapes.iter().filter_map(path).collect()
}

#[test]
fn each_row_is_a_step_down_and_the_last_falls_to_the_bottom() {
    let scene = drawn(&[row("a", 0.0, 0.5), row("a", 1.0, 0.1), row("a", 100.0, 0.0)]);
    assert_tidy(&scene);
    let [path] = &paths(&scene)[..] else { panic!("one line") };
    // Level, step, level, step.
    let [left, edge, below, far, bottom] = path[..] else { panic!("{path:?}") };
    assert!(left.1 == edge.1 && edge.0 == below.0 && below.1 == far.1 && far.0 == bottom.0, "{path:?}");
    assert!(left.0 <= edge.0 && edge.0 < far.0 && edge.1 < below.1 && below.1 <= bottom.1, "{path:?}");
    // On logarithmic axes, 0.5 to 0.1 is as high as 0.1 to 0.02.
    let more = drawn(&[row("a", 0.0, 0.5), row("a", 1.0, 0.1), row("a", 10.0, 0.02), row("a", 100.0, 0.0)]);
    let path = paths(&more).remove(0);
    let (first, second) = (path[2].1 - path[1].1, path[4].1 - path[3].1);
    assert!((first - second).abs() < 1e-6 * first, "{first} {second}");
    let (near, far) = (path[3].0 - path[1].0, path[5].0 - path[3].0);
    assert!((near - far).abs() < 1e-6 * near, "{near} {far}");
}

#[test]
fn what_has_no_place_on_logarithmic_axes_is_drawn_tidily() {
    assert_tidy(&drawn(&[row("nobody waits", 0.0, 0.0)]));
    assert_tidy(&drawn(&[row("all wait alike", 0.0, 1.0), row("all wait alike", 3.0, 0.0)]));
    let scene = drawn(&[row("none", 0.0, 0.0), row("some", 0.0, 0.3), row("some", 2.0, 0.1), row("some", 5.0, 0.0)]);
    assert_tidy(&scene);
    assert_eq!(paths(&scene).len(), 1, "whoever never waits has no line");
    let many: Vec<Row> =
        (0..12).flat_map(|k| [row(&format!("s{k}"), 0.0, 0.9), row(&format!("s{k}"), f64::from(k + 1), 0.0)]).collect();
    assert_tidy(&drawn(&many));
    let far: Vec<Row> = (0..300).map(|k| row("a", f64::from(k) * 0.01, 1.0 / f64::from(k + 1))).collect();
    assert_tidy(&drawn(&far));
}
