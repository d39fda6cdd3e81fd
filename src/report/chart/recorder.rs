//! The backend on which plotters draws: it records the shapes of a scene. A pixel of it is a unit of the canvas.

use super::theme;
use gridloom_files::{Align, Colour, HotSpot, Label, ScenePoint, Shape, text_width, unbroken};
use plotters::drawing::DrawingAreaErrorKind;
use plotters_backend::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind, FontStyle,
    FontTransform,
};
use std::cell::RefCell;
use std::convert::Infallible;
use std::rc::Rc;

type Drawn<T = ()> = Result<T, DrawingErrorKind<Infallible>>;

/// What nothing can go wrong with: recording takes no file, font or screen.
pub(super) fn sure<T>(drawn: Result<T, DrawingAreaErrorKind<Infallible>>) -> T {
    drawn.unwrap_or_else(|error| unreachable!("recording can't fail: {error}"))
}

/// Records on a canvas of a width, as high as need be. Copies record together.
#[derive(Clone, Default)]
pub(super) struct Recorder {
    width: u32,
    shapes: Rc<RefCell<Vec<Shape>>>,
    /// The dashes of the paths to come.
    dashes: Rc<RefCell<Vec<f64>>>,
}

impl Recorder {
    /// No canvas is higher.
    const HEIGHT: u32 = 1 << 24;

    pub(super) fn new(width: i32) -> Self {
        Self { width: width.unsigned_abs(), ..Self::default() }
    }

    pub(super) fn into_shapes(self) -> Vec<Shape> {
        self.shapes.take()
    }

    /// Dashes the paths that are drawn until it is called again.
    pub(super) fn dash(&self, dashes: Vec<f64>) {
        self.dashes.replace(dashes);
    }

    pub(super) fn spot(&self, spot: HotSpot) {
        self.shapes.borrow_mut().push(Shape::Spot(spot));
    }

    fn push(&self, shape: Shape) -> Drawn {
        self.shapes.borrow_mut().push(shape);
        Ok(())
    }
}

fn colour(BackendColor { alpha, rgb: (red, green, blue) }: BackendColor) -> Colour {
    Colour { rgb: [red, green, blue], opacity: (alpha * f64::from(u8::MAX)).round() as u8 }
}

fn place((x, y): BackendCoord) -> ScenePoint {
    (f64::from(x), f64::from(y))
}

impl DrawingBackend for Recorder {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, Self::HEIGHT)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, colour: BackendColor) -> Drawn {
        self.draw_rect((x, y), (x + 1, y + 1), &colour, true)
    }

    fn draw_line<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        if style.color().alpha == 0.0 {
            return Ok(());
        }
        let (points, dashes) = (path.into_iter().map(place).collect(), self.dashes.borrow().clone());
        self.push(Shape::Line { points, colour: colour(style.color()), width: f64::from(style.stroke_width()), dashes })
    }

    fn draw_rect<S: BackendStyle>(&mut self, from: BackendCoord, to: BackendCoord, style: &S, fill: bool) -> Drawn {
        let corners = [from, (to.0, from.1), to, (from.0, to.1)];
        if fill { self.fill_polygon(corners, style) } else { self.draw_path(corners.into_iter().chain([from]), style) }
    }

    fn draw_circle<S: BackendStyle>(&mut self, centre: BackendCoord, radius: u32, style: &S, fill: bool) -> Drawn {
        let points = theme::marker(0, place(centre), f64::from(radius));
        self.push(match fill {
            true => Shape::Area { points, colour: colour(style.color()) },
            false => unbroken(points, colour(style.color()), f64::from(style.stroke_width())),
        })
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(&mut self, path: I, style: &S) -> Drawn {
        self.push(Shape::Area { points: path.into_iter().map(place).collect(), colour: colour(style.color()) })
    }

    /// A text may have several lines.
    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, (x, y): BackendCoord) -> Drawn {
        let (size, lines) = (style.size(), text.lines().count() as f64);
        let line = theme::NAME_LEADING * size;
        // From the anchor down to the middle of the first line; from the bottom of the text for one that reads upwards.
        let first = match style.anchor().v_pos {
            VPos::Top => 0.5 * size,
            VPos::Center => -0.5 * line * (lines - 1.0),
            VPos::Bottom => -0.5 * size - line * (lines - 1.0),
        };
        let align = match style.anchor().h_pos {
            HPos::Left => Align::Left,
            HPos::Center => Align::Centre,
            HPos::Right => Align::Right,
        };
        let upwards = matches!(style.transform(), FontTransform::Rotate270);
        for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.is_empty()) {
            let down = first + index as f64 * line;
            let at = if upwards { (f64::from(x) + down, f64::from(y)) } else { (f64::from(x), f64::from(y) + down) };
            let bold = matches!(style.style(), FontStyle::Bold);
            self.push(Shape::Text(Label { text: text.into(), at, align, size, bold, upwards }))?;
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(&self, text: &str, style: &S) -> Drawn<(u32, u32)> {
        let bold = matches!(style.style(), FontStyle::Bold);
        let width = text.lines().map(|line| text_width(line, style.size(), bold)).fold(0.0, f64::max);
        Ok((width.ceil() as u32, (style.size() * theme::NAME_LEADING * text.lines().count() as f64).ceil() as u32))
    }
}
