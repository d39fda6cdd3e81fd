//! Staircases over two logarithmic axes: the share of what lies beyond each value.

use super::axis::Horizontal;
use super::frame::{self, LegendEntry, Plot, Vertical};
use super::marks::dashed;
use super::series::{DrawnSeries, Measured};
use super::{lines_on, range, spots, theme};
use crate::Figure;
use crate::ReportError;
use gridloom_files::{Scene, ScenePoint, Shape};

/// A staircase that goes down, in logarithms to base ten.
struct Staircase {
    /// The height left of the first step, unless it is 0 or not known.
    level: Option<f64>,
    /// Where it steps, and to what height; to none if that is 0.
    steps: Vec<(f64, Option<f64>)>,
}

impl Staircase {
    fn of(series: &DrawnSeries) -> Self {
        let height = |mean: f64| (mean > 0.0).then(|| libm::log10(mean));
        let (before, after): (Vec<&Measured>, Vec<&Measured>) = series.points.iter().partition(|point| point.x <= 0.0);
        Self {
            level: before.last().and_then(|point| height(point.mean)),
            steps: after.iter().map(|point| (libm::log10(point.x), height(point.mean))).collect(),
        }
    }

    fn heights(&self) -> impl Iterator<Item = f64> {
        self.level.into_iter().chain(self.steps.iter().filter_map(|&(_, height)| height))
    }

    /// Its corners on the canvas, from left to right; a step to 0 goes down to the bottom.
    fn path(&self, plot: &Plot) -> Vec<ScenePoint> {
        let mut level = self.level;
        let mut path: Vec<ScenePoint> = level.iter().map(|&height| plot.at(plot.x.low, height)).collect();
        for &(x, height) in &self.steps {
            path.extend(level.map(|level| plot.at(x, level)));
            if level.is_some() || height.is_some() {
                path.push(plot.at(x, height.unwrap_or(plot.y.low)));
            }
            level = height;
        }
        // Without a step to 0 it goes on to the right.
        path.extend(level.map(|level| plot.at(plot.x.high, level)));
        path
    }
}

/// Nothing above zero, or more lines than colours, is drawn as lines over plain axes.
pub(super) fn scene(figure: &Figure, series: Vec<DrawnSeries>) -> Result<Scene, ReportError> {
    let stairs: Vec<Staircase> = series.iter().map(Staircase::of).collect();
    let places = || stairs.iter().flat_map(|one| &one.steps).map(|&(x, _)| x);
    let heights = || stairs.iter().flat_map(Staircase::heights);
    if places().next().is_none() || heights().next().is_none() || series.len() > theme::COLOURS {
        return lines_on(figure, series, None);
    }
    let (x, y) = (range(figure, places())?.to_powers(), range(figure, heights())?.to_powers());
    let half = 0.5 * theme::SAMPLE;
    let entry = |one: &DrawnSeries| LegendEntry {
        sample: vec![dashed(vec![(-half, 0.0), (half, 0.0)], one.look)],
        name: one.name.clone(),
    };
    let frame =
        frame::frame_on(figure, Horizontal::Powers(x), Vertical::Powers(y), y.high, series.iter().map(entry).collect());
    let drawn = series.iter().zip(&stairs).map(|(one, stairs)| (one.look, stairs.path(&frame.plot)));
    let data: Vec<Shape> = drawn.filter(|(_, path)| path.len() > 1).map(|(look, path)| dashed(path, look)).collect();
    // What is not above zero stands at the edge.
    let at = |value: f64, edge: f64| if value > 0.0 { libm::log10(value) } else { edge };
    let place = |x: f64, mean: f64| frame.plot.at(at(x, frame.plot.x.low), at(mean, frame.plot.y.low));
    let spots = series.iter().flat_map(|one| spots::points(one, place)).collect();
    Ok(Scene {
        title: figure.title.clone(),
        height: frame.height,
        shapes: [frame.grid, frame.axes, data, spots].concat(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart;
    use crate::chart::tidy::assert_tidy;
    use crate::samples;
    use crate::{FigureKind, Row};
    use gridloom_sim::metrics::Estimate;

    fn row(series: &str, x: f64, mean: f64) -> Row {
        Row::new("sweep", series, "waiting", Estimate { mean, ci95: None, n: 9 }).at(x)
    }

    fn drawn(rows: &[Row]) -> Scene {
        chart::scene(&samples::figure(FigureKind::LogSteps), rows).unwrap()
    }

    /// The corners of the wide lines but for those of the legend, which have two.
    fn paths(scene: &Scene) -> Vec<Vec<ScenePoint>> {
        let path = |shape: &Shape| match shape {
            Shape::Line { points, width, .. } if *width >= theme::LINE && points.len() > 2 => Some(points.clone()),
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
        let scene =
            drawn(&[row("none", 0.0, 0.0), row("some", 0.0, 0.3), row("some", 2.0, 0.1), row("some", 5.0, 0.0)]);
        assert_tidy(&scene);
        assert_eq!(paths(&scene).len(), 1, "whoever never waits has no line");
        let many: Vec<Row> = (0..12)
            .flat_map(|k| [row(&format!("s{k}"), 0.0, 0.9), row(&format!("s{k}"), f64::from(k + 1), 0.0)])
            .collect();
        assert_tidy(&drawn(&many));
        let far: Vec<Row> = (0..300).map(|k| row("a", f64::from(k) * 0.01, 1.0 / f64::from(k + 1))).collect();
        assert_tidy(&drawn(&far));
    }
}
