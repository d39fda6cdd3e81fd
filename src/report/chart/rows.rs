//! Rows of data with their names before them.

use super::theme;
use gridloom_files::{Align, Label, ScenePoint, Shape};

/// The distance between the lines of a name, in text sizes.
const NAME_LEADING: f64 = 1.2;

/// The middles of rows below each other from `top` on, whose names have so many lines, and where the last ends; a row
/// of one line has the `least` height.
pub(crate) fn rows_of_names(lines: impl Iterator<Item = usize>, least: f64, top: f64) -> (Vec<f64>, f64) {
    let mut middles = Vec::new();
    let mut bottom = top;
    for lines in lines {
        let height =
            if lines > 1 { ((lines as f64 * NAME_LEADING + 0.4) * theme::TICK_SIZE).max(least) } else { least };
        middles.push(bottom + 0.5 * height);
        bottom += height;
    }
    (middles, bottom)
}

/// The lines of a name that ends at a place, around its height.
pub(crate) fn name_before(name: &[String], (end, middle): ScenePoint) -> impl Iterator<Item = Shape> {
    let line = NAME_LEADING * theme::TICK_SIZE;
    let first = middle - 0.5 * line * (name.len() as f64 - 1.0);
    name.iter().enumerate().map(move |(index, text)| {
        let at = (end, first + index as f64 * line);
        Shape::Text(Label::new(text.clone(), at, Align::Right, theme::TICK_SIZE))
    })
}
