//! What is drawn in units of the canvas: the elements of plotters in our colours.

use super::recorder::{Recorder, sure};
use super::series::LineLook;
use super::theme;
use gridloom_files::{Colour, HotSpot, ScenePoint, Shape};
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, IntoDrawingArea};
use plotters::element::{CoordMapper, Drawable, PathElement, PointCollection, Polygon, Rectangle, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{FontDesc, FontFamily, FontStyle, FontTransform, RGBAColor, ShapeStyle, TextStyle};

/// A point of the canvas, in units to the right and down.
pub(super) type Point = (i32, i32);

/// No hollow marker reaches further from its centre than this many radii.
pub(super) const HOLLOW_REACH: f64 = 2.0;

/// Draws on the whole canvas.
pub(super) struct Pen {
    pub recorder: Recorder,
    pub area: DrawingArea<Recorder, Shift>,
}

/// A rectangle on the canvas.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rect {
    pub left: i32,
    pub right: i32,
    pub top: i32,
    pub bottom: i32,
}

impl Rect {
    /// So far to all sides of a point.
    pub(super) fn around((x, y): Point, (beside, above): (i32, i32)) -> Self {
        Self { left: x - beside, right: x + beside, top: y - above, bottom: y + above }
    }

    pub(super) fn middle(self) -> Point {
        ((self.left + self.right) / 2, (self.top + self.bottom) / 2)
    }

    /// Smaller by a rim on all sides.
    pub(super) fn inside(self, rim: i32) -> Self {
        let Self { left, right, top, bottom } = self;
        Self { left: left + rim, right: right - rim, top: top + rim, bottom: bottom - rim }
    }

    pub(super) fn area(self) -> [f64; 4] {
        [self.left, self.top, self.right, self.bottom].map(f64::from)
    }
}

/// The style of text of a size.
pub(super) fn lettering(size: i32) -> TextStyle<'static> {
    FontDesc::new(FontFamily::SansSerif, f64::from(size), FontStyle::Normal).into()
}

fn rgba(Colour { rgb: [red, green, blue], opacity }: Colour) -> RGBAColor {
    RGBAColor(red, green, blue, f64::from(opacity) / f64::from(u8::MAX))
}

/// A stroke of a width.
pub(super) fn stroke(colour: Colour, width: i32) -> ShapeStyle {
    ShapeStyle { color: rgba(colour), filled: false, stroke_width: width.unsigned_abs() }
}

fn filled(colour: Colour) -> ShapeStyle {
    stroke(colour, 1).filled()
}

impl Pen {
    pub(super) fn new(width: i32) -> Self {
        let recorder = Recorder::new(width);
        Self { area: recorder.clone().into_drawing_area(), recorder }
    }

    pub(super) fn into_shapes(self) -> Vec<Shape> {
        self.recorder.into_shapes()
    }

    fn draw<E, B: CoordMapper>(&self, element: E)
    where
        for<'a> &'a E: PointCollection<'a, Point, B>,
        E: Drawable<Recorder, B>,
    {
        sure(self.area.draw(&element));
    }

    pub(super) fn line(&self, points: impl Into<Vec<Point>>, colour: Colour, width: i32) {
        self.draw(PathElement::new(points, stroke(colour, width)));
    }

    /// A line in the looks of a series.
    pub(super) fn look(&self, points: Vec<Point>, look: LineLook) {
        self.recorder.dash(theme::dashes(look.pattern));
        self.line(points, theme::colour(look.colour), theme::LINE);
        self.recorder.dash(Vec::new());
    }

    pub(super) fn fill(&self, points: Vec<Point>, colour: Colour) {
        self.draw(Polygon::new(points, filled(colour)));
    }

    pub(super) fn rect(&self, rect: Rect, colour: Colour) {
        self.draw(Rectangle::new([(rect.left, rect.top), (rect.right, rect.bottom)], filled(colour)));
    }

    /// A box with an outline that lies within it, so that neighbours stay apart.
    pub(super) fn outlined(&self, rect: Rect, outline: Colour, inside: Colour) {
        self.rect(rect, outline);
        let within = rect.inside(theme::AXIS_LINE);
        if within.left < within.right && within.top < within.bottom {
            self.rect(within, inside);
        }
    }

    /// A box with an outline and strokes across it, which tell it apart in print without colours.
    pub(super) fn hatched(&self, rect: Rect, outline: Colour, inside: Colour) {
        self.outlined(rect, outline, inside);
        let Rect { left, right, top, bottom } = rect.inside(theme::AXIS_LINE);
        // Strokes follow the lines of constant x + y, the same ones in every box.
        let first = (left + top).div_euclid(theme::HATCH_DISTANCE) + 1;
        for sum in (first..).map(|index| index * theme::HATCH_DISTANCE).take_while(|&sum| sum <= right + bottom) {
            let (from, to) = ((sum - bottom).max(left), (sum - top).min(right));
            if from <= to && top < bottom {
                self.line([(from, sum - from), (to, sum - to)], theme::HATCH, theme::GRID_LINE);
            }
        }
    }

    /// The marker of a pattern.
    pub(super) fn marker(&self, pattern: usize, at: Point, radius: f64, colour: Colour) {
        self.fill(corners(pattern, at, radius), colour);
    }

    /// A white marker with an outline, a little larger than a filled one, so that both show when they meet.
    pub(super) fn hollow(&self, pattern: usize, at: Point, radius: f64, colour: Colour) {
        let mut outline = corners(pattern, at, 1.45 * radius);
        self.fill(outline.clone(), theme::PAPER);
        // Past the first corner, so that it is as round as the others.
        outline.extend_from_within(..2);
        self.line(outline, colour, 7 * theme::LINE / 10);
    }

    /// A text whose lines stand around a height.
    pub(super) fn text(&self, text: impl Into<String>, at: Point, side: HPos, size: i32) {
        self.draw(Text::new(text.into(), at, lettering(size).pos(Pos::new(side, VPos::Center))));
    }

    pub(super) fn bold(&self, text: impl Into<String>, at: Point, side: HPos, size: i32) {
        let font = FontDesc::new(FontFamily::SansSerif, f64::from(size), FontStyle::Bold);
        self.draw(Text::new(text.into(), at, TextStyle::from(font).pos(Pos::new(side, VPos::Center))));
    }

    /// A text around a point, which reads upwards.
    pub(super) fn upwards(&self, text: impl Into<String>, at: Point, size: i32) {
        let style = lettering(size).transform(FontTransform::Rotate270);
        self.draw(Text::new(text.into(), at, style.pos(Pos::new(HPos::Center, VPos::Center))));
    }

    pub(super) fn spot(&self, spot: HotSpot) {
        self.recorder.spot(spot);
    }
}

fn corners(pattern: usize, (x, y): Point, radius: f64) -> Vec<Point> {
    let whole = |(x, y): ScenePoint| (x.round() as i32, y.round() as i32);
    theme::marker(pattern, (f64::from(x), f64::from(y)), radius).into_iter().map(whole).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hatching_stays_inside_the_outline(left in 0_i32..500, top in 0_i32..500, width in 0_i32..300, height in 0_i32..100) {
            let rect = Rect { left, right: left + width, top, bottom: top + height };
            let pen = Pen::new(1000);
            pen.hatched(rect, theme::AXIS, theme::SHADE);
            let inside = rect.inside(theme::AXIS_LINE);
            let Pen { recorder, .. } = pen;
            let shapes = recorder.into_shapes();
            let strokes: Vec<_> = shapes.iter().filter_map(|s| if let Shape::Line { points, .. } = s { Some(points) } else { None }).collect();
            for &(x, y) in strokes.iter().copied().flatten() {
                prop_assert!(x >= f64::from(inside.left) && x <= f64::from(inside.right), "{}", x);
                prop_assert!(y >= f64::from(inside.top) && y <= f64::from(inside.bottom), "{}", y);
            }
            let sums = inside.right - inside.left + inside.bottom - inside.top;
            if inside.left < inside.right && inside.top < inside.bottom {
                prop_assert!((strokes.len() as i32 - sums / theme::HATCH_DISTANCE).abs() <= 1);
            }
        }
    }
}
