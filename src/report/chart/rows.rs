//! Rows of data with their names before them, from the top down.

use super::axis::{Axis, name_lines};
use super::sheet::Plot;
use super::theme;

/// Rows that are as high as their names need.
pub(super) struct NamedRows {
    pub axis: Axis,
    middles: Vec<f64>,
}

impl NamedRows {
    /// Rows of names in lines that are no wider than the room; rows of one line have the `least` height.
    pub(super) fn new(names: &[impl AsRef<str>], room: f64, least: i32) -> Self {
        let (mut ticks, mut bottom) = (Vec::new(), 0);
        for name in names {
            let name = name_lines(name.as_ref(), room);
            let lines = name.lines().count() as i32;
            let text = lines * theme::name_line(theme::TICK_SIZE) + theme::TICK_SIZE * 2 / 5;
            let height = if lines > 1 { text.max(least) } else { least };
            ticks.push((f64::from(bottom) + 0.5 * f64::from(height), name));
            bottom += height;
        }
        let middles = ticks.iter().map(|&(at, _)| at).collect();
        Self { axis: Axis::named(f64::from(bottom + theme::GAP / 2), ticks).downwards(), middles }
    }

    /// The height of all rows.
    pub(super) fn height(&self) -> i32 {
        self.axis.range.low as i32
    }

    /// The middle of a row on the canvas.
    pub(super) fn middle(&self, plot: &Plot, index: usize) -> i32 {
        plot.at(plot.x.range.low, self.middles[index]).1
    }
}
