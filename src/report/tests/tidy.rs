//! The rules that every drawing must keep to, for the tests.

use crate::chart::{self, Canvas};
use crate::{Figure, Gantt, ReportError, Row};
use gridloom_files::text_width;
use gridloom_files::{Align, Label, Scene, ScenePoint, Shape};

/// A figure on usual paper.
pub(crate) fn scene(figure: &Figure, rows: &[Row]) -> Result<Scene, ReportError> {
    chart::scene(figure, rows, &Canvas::default())
}

/// A schedule on usual paper.
pub(crate) fn gantt(gantt: &Gantt) -> Result<Scene, ReportError> {
    chart::gantt::scene(gantt, &Canvas::default())
}

/// All texts of a scene.
pub(crate) fn labels(scene: &Scene) -> Vec<&Label> {
    scene.shapes.iter().filter_map(|shape| if let Shape::Text(label) = shape { Some(label) } else { None }).collect()
}

/// The box that a text covers: left, right, top, bottom.
pub(crate) fn extent(label: &Label) -> [f64; 4] {
    let width = text_width(&label.text, label.size, label.bold);
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
pub(crate) fn assert_tidy(scene: &Scene) {
    let (width, height) = (scene.width + 1.0, scene.height + 1.0);
    let on_canvas = |&(x, y): &ScenePoint| (-1.0..=width).contains(&x) && (-1.0..=height).contains(&y);
    for shape in &scene.shapes {
        if let Shape::Line { points, .. } | Shape::Area { points, .. } = shape {
            assert!(points.iter().all(on_canvas), "{shape:?} leaves the canvas");
        }
    }
    let labels: Vec<_> = labels(scene).into_iter().map(|label| (&label.text, extent(label))).collect();
    for (index, (text, [left, right, top, bottom])) in labels.iter().enumerate() {
        assert!(on_canvas(&(*left, *top)) && on_canvas(&(*right, *bottom)), "{text} leaves the canvas");
        for (other, [l, r, t, b]) in &labels[..index] {
            assert!(right <= l || r <= left || bottom <= t || b <= top, "{text} covers {other}");
        }
    }
}
