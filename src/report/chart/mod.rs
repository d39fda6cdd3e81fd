//! Figures from rows. A figure is laid out once as a [`Scene`] of shapes; SVG and PNG paint the same scene.

mod frame;
mod letters;
mod marks;
mod scale;
mod scene;
mod series;
pub(super) mod theme;

pub(super) use letters::paint as paint_label;
pub(super) use scene::{Point, Scene, Shape};

use super::ReportError;
use crate::experiment::{Figure, FigureKind, Row};
use frame::VERTICAL_STEPS;
use scale::Range;
use series::{Measured, Series};

/// Room between the outermost markers and the frame, as a share of the plot's width.
const MARKER_ROOM: f64 = 0.02;

/// Lays out a figure.
pub(super) fn scene(figure: &Figure, rows: &[Row]) -> Result<Scene, ReportError> {
    let series = series::collect(figure, rows)?;
    let range =
        |values: Vec<f64>| Range::around(values).ok_or_else(|| ReportError::TooWide { figure: figure.file.clone() });
    let points = || series.iter().flat_map(|one| &one.points);
    let x = range(points().map(|point| point.x).collect())?;
    let (height, shapes) = match figure.kind {
        FigureKind::Lines => {
            let extent = |point: &Measured| {
                let half = point.half_width.unwrap_or(0.0);
                [Some(point.mean - half), Some(point.mean + half), point.published]
            };
            let y = range(points().flat_map(extent).flatten().collect())?.with_near_zero().rounded(VERTICAL_STEPS);
            let x = if series.iter().any(Series::is_marked) { x.padded(MARKER_ROOM) } else { x };
            let frame = frame::frame(figure, x, y, marks::line_legend(&series))?;
            let data = marks::lines(&series, &frame.plot);
            (frame.height, [frame.grid, frame.axes, data])
        }
        FigureKind::Stacked => {
            let layers = series::stack(figure, &series)?;
            let edges = layers.iter().flat_map(|layer| &layer.edges).flat_map(|&(_, low, high)| [low, high]);
            let y = range(edges.collect())?.rounded(VERTICAL_STEPS);
            let frame = frame::frame(figure, x, y, marks::area_legend(&series))?;
            let data = marks::areas(&layers, &frame.plot);
            // Areas reach the axes, which must not vanish below them.
            (frame.height, [frame.grid, data, frame.axes])
        }
    };
    Ok(Scene { title: figure.title.clone(), height, shapes: shapes.concat() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::Estimate;
    use crate::report::samples;
    use scene::Align;

    fn drawn(kind: FigureKind, rows: &[Row]) -> Scene {
        scene(&samples::figure(kind), rows).unwrap()
    }

    fn row(x: f64, mean: f64, ci95: Option<f64>) -> Row {
        Row::new("sweep", "only", "waiting", Estimate { mean, ci95, n: 9 }).at(x)
    }

    /// The box that a text covers: left, right, top, bottom.
    fn extent(label: &scene::Label) -> [f64; 4] {
        let width = letters::text_width(&label.text, label.size, label.bold).unwrap();
        let before = match label.align {
            Align::Left => 0.0,
            Align::Centre => 0.5 * width,
            Align::Right => width,
        };
        let (x, y, half) = (label.at.0, label.at.1, 0.5 * label.size);
        if label.upwards {
            [x - half, x + half, y - width + before, y + before]
        } else {
            [x - before, x - before + width, y - half, y + half]
        }
    }

    /// All shapes on the canvas, and no text over another.
    fn assert_tidy(scene: &Scene) {
        let (width, height) = (theme::WIDTH + 1.0, scene.height + 1.0);
        let on_canvas = |&(x, y): &Point| (-1.0..=width).contains(&x) && (-1.0..=height).contains(&y);
        let mut labels = Vec::new();
        for shape in &scene.shapes {
            match shape {
                Shape::Line { points, .. } | Shape::Area { points, .. } => assert!(points.iter().all(on_canvas)),
                Shape::Text(label) => labels.push((&label.text, extent(label))),
            }
        }
        for (index, (text, [left, right, top, bottom])) in labels.iter().enumerate() {
            assert!(on_canvas(&(*left, *top)) && on_canvas(&(*right, *bottom)), "{text} leaves the canvas");
            for (other, [l, r, t, b]) in &labels[..index] {
                assert!(right <= l || r <= left || bottom <= t || b <= top, "{text} covers {other}");
            }
        }
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
            let one_value_per_x = rows.windows(2).all(|pair| pair[0].x != pair[1].x);
            if one_value_per_x {
                assert_tidy(&drawn(FigureKind::Stacked, &rows));
            }
        }
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
    }

    #[test]
    fn dashes_cover_the_share_of_a_line_that_their_pattern_says() {
        let shapes = marks::dashed(&[(0.0, 0.0), (3000.0, 0.0), (3000.0, 6000.0)], 1);
        let length = |shape: &Shape| match shape {
            Shape::Line { points, .. } => {
                points.windows(2).map(|p| (p[1].0 - p[0].0).abs() + (p[1].1 - p[0].1).abs()).sum::<f64>()
            }
            _ => 0.0,
        };
        let pattern = theme::dashes(1);
        let share = shapes.iter().map(length).sum::<f64>() / 9000.0;
        assert!((share - pattern[0] / (pattern[0] + pattern[1])).abs() < 0.01, "{share}");
    }

    #[test]
    fn the_first_forty_series_look_different() {
        let look = |index| (theme::colour(index), theme::dashes(index));
        for first in 0..40 {
            assert!((0..first).all(|second| look(second) != look(first)), "{first}");
        }
    }
}
