//! Boxes: the bars of bar charts and of Gantt charts.

use super::theme;
use gridloom_files::{Colour, Shape, rectangle, stroke};

/// A rectangle on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rect {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl Rect {
    /// The box of a legend's sample, around the origin.
    pub(super) const SAMPLE: Self = Self {
        left: -0.3 * theme::SAMPLE,
        right: 0.3 * theme::SAMPLE,
        top: -0.36 * theme::TICK_SIZE,
        bottom: 0.36 * theme::TICK_SIZE,
    };

    /// The box, filled.
    pub(crate) fn filled(self, colour: Colour) -> Shape {
        rectangle(self.left, self.right, self.top, self.bottom, colour)
    }

    /// The box with an outline that lies within it, so that neighbours stay apart.
    pub(crate) fn outlined(self, outline: Colour, fill: Colour) -> Vec<Shape> {
        let mut shapes = vec![self.filled(outline)];
        shapes.extend(self.inside().map(|inside| inside.filled(fill)));
        shapes
    }

    /// The box with an outline and strokes across it, which tell it apart in print without colours.
    pub(crate) fn hatched(self, outline: Colour, strokes: Colour, fill: Colour) -> Vec<Shape> {
        let mut shapes = self.outlined(outline, fill);
        let Some(Self { left, right, top, bottom }) = self.inside() else { return shapes };
        // Strokes follow the lines of constant x + y, the same ones in every box.
        let first = ((left + top) / theme::HATCH_DISTANCE).ceil() as i64;
        let last = ((right + bottom) / theme::HATCH_DISTANCE).floor() as i64;
        shapes.extend((first..=last).map(|index| {
            let sum = index as f64 * theme::HATCH_DISTANCE;
            let (from, to) = ((sum - bottom).max(left), (sum - top).min(right));
            stroke((from, sum - from), (to, sum - to), strokes, theme::GRID_LINE)
        }));
        shapes
    }

    /// The area that the outline leaves; nothing of a narrow box.
    fn inside(self) -> Option<Self> {
        let line = theme::AXIS_LINE;
        let (left, right) = (self.left + line, self.right - line);
        let (top, bottom) = (self.top + line, self.bottom - line);
        (left < right && top < bottom).then_some(Self { left, right, top, bottom })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hatching_stays_inside_the_outline(left in 0.0_f64..500.0, top in 0.0_f64..500.0, width in 0.0_f64..300.0, height in 0.0_f64..100.0) {
            let rect = Rect { left, right: left + width, top, bottom: top + height };
            let shapes = rect.hatched(theme::AXIS, theme::HATCH, theme::SHADE);
            let Some(inside) = rect.inside() else {
                prop_assert_eq!(shapes.len(), 1);
                return Ok(());
            };
            let strokes: Vec<_> = shapes.iter().filter_map(|s| if let Shape::Line { points, .. } = s { Some(points) } else { None }).collect();
            for &(x, y) in strokes.iter().copied().flatten() {
                prop_assert!(x >= inside.left - 1e-9 && x <= inside.right + 1e-9, "{}", x);
                prop_assert!(y >= inside.top - 1e-9 && y <= inside.bottom + 1e-9, "{}", y);
            }
            let sums = inside.right - inside.left + inside.bottom - inside.top;
            prop_assert!((strokes.len() as f64 - sums / theme::HATCH_DISTANCE).abs() <= 1.0);
        }
    }
}
