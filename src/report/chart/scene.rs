//! A drawing as a list of shapes, made once and painted by every backend.

use super::letters::{fitting, text_width};
use super::theme;
use crate::report::ReportError;
use crate::report::text::single_line;
use plotters::prelude::{DrawingBackend, FontStyle, FontTransform, IntoFont, RGBAColor, ShapeStyle, TextStyle};
use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// What readers of text are told to use; the first is the font that layout measures with.
const FONTS: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

const ELLIPSIS: &str = "…";

/// Plotters counts a font's size with its leading, in this proportion to the em.
const PLOTTERS_SIZE: f64 = 1.24;

/// A point on the canvas: to the right, and down.
pub(crate) type Point = (f64, f64);

/// Shapes in the order of painting, on paper of the theme's width.
pub(crate) struct Scene {
    pub title: String,
    pub height: f64,
    pub shapes: Vec<Shape>,
}

/// Something to paint.
#[derive(Debug, Clone)]
pub(crate) enum Shape {
    /// An open path with a stroke.
    Line { points: Vec<Point>, colour: RGBAColor, width: f64 },
    /// A closed and filled path.
    Area { points: Vec<Point>, colour: RGBAColor },
    /// A line of text.
    Text(Label),
}

/// A line of text.
#[derive(Debug, Clone)]
pub(crate) struct Label {
    pub text: String,
    /// The middle of the letters' height, at the side that `align` names.
    pub at: Point,
    pub align: Align,
    /// The em.
    pub size: f64,
    pub bold: bool,
    /// Whether it reads upwards.
    pub upwards: bool,
}

/// Which side of a text stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Centre,
    Right,
}

impl Scene {
    /// The canvas in whole and even units.
    pub fn size(&self) -> (u32, u32) {
        (theme::WIDTH as u32, 2 * (0.5 * self.height).ceil() as u32)
    }

    /// Paints all shapes over white paper.
    pub fn paint<B: DrawingBackend>(&self, backend: &mut B) -> Result<(), ReportError> {
        let failed = |error| ReportError::Drawing(format!("{error}"));
        let (width, height) = self.size();
        let paper = ShapeStyle::from(theme::PAPER).filled();
        backend.draw_rect((0, 0), (width as i32, height as i32), &paper, true).map_err(failed)?;
        for shape in &self.shapes {
            match shape {
                Shape::Line { points, colour, width } => {
                    let style = ShapeStyle::from(*colour).stroke_width(width.round() as u32);
                    backend.draw_path(points.iter().map(pixel), &style)
                }
                Shape::Area { points, colour } => {
                    backend.fill_polygon(points.iter().map(pixel), &ShapeStyle::from(*colour).filled())
                }
                Shape::Text(label) => backend.draw_text(&label.text, &label.style(), pixel(&label.lowered(0.09))),
            }
            .map_err(failed)?;
        }
        backend.present().map_err(failed)
    }
}

impl Shape {
    /// The shape, moved by a distance.
    pub fn moved(self, by: Point) -> Self {
        let shift = |points: Vec<Point>| points.into_iter().map(|(x, y)| (x + by.0, y + by.1)).collect();
        match self {
            Self::Line { points, colour, width } => Self::Line { points: shift(points), colour, width },
            Self::Area { points, colour } => Self::Area { points: shift(points), colour },
            Self::Text(label) => Self::Text(Label { at: (label.at.0 + by.0, label.at.1 + by.1), ..label }),
        }
    }
}

impl Label {
    /// A text that is neither bold nor upright.
    pub fn new(text: String, at: Point, align: Align, size: f64) -> Self {
        Self { text, at, align, size, bold: false, upwards: false }
    }

    /// Its place, moved below the text's middle by a share of the size. The middle of capitals and digits lies 0.36 above the
    /// baseline, but 0.27 where backends centre text.
    pub fn lowered(&self, share: f64) -> Point {
        let drop = share * self.size;
        if self.upwards { (self.at.0 + drop, self.at.1) } else { (self.at.0, self.at.1 + drop) }
    }

    fn style(&self) -> TextStyle<'static> {
        let horizontal = match self.align {
            Align::Left => HPos::Left,
            Align::Centre => HPos::Center,
            Align::Right => HPos::Right,
        };
        let transform = if self.upwards { FontTransform::Rotate270 } else { FontTransform::None };
        let style = if self.bold { FontStyle::Bold } else { FontStyle::Normal };
        let font = (FONTS, self.size * PLOTTERS_SIZE, style).into_font().transform(transform);
        TextStyle::from(font).color(&theme::INK).pos(Pos::new(horizontal, VPos::Center))
    }
}

/// A straight line.
pub(crate) fn stroke(from: Point, to: Point, colour: RGBColor, width: f64) -> Shape {
    Shape::Line { points: vec![from, to], colour: RGBAColor::from(colour), width }
}

/// A filled rectangle.
pub(crate) fn rectangle(left: f64, right: f64, top: f64, bottom: f64, colour: RGBColor) -> Shape {
    let points = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
    Shape::Area { points, colour: RGBAColor::from(colour) }
}

fn pixel(point: &Point) -> (i32, i32) {
    (point.0.round() as i32, point.1.round() as i32)
}

/// The text, or as much of its beginning as fits, with an ellipsis.
pub(crate) fn fitted(text: &str, room: f64, size: f64, bold: bool) -> Result<String, ReportError> {
    let text = single_line(text);
    if text_width(&text, size, bold)? <= room {
        return Ok(text);
    }
    let kept = fitting(&text, room - text_width(ELLIPSIS, size, bold)?, size, bold)?;
    Ok(text.chars().take(kept).collect::<String>().trim_end().to_string() + ELLIPSIS)
}

/// The text in lines that fit, broken between words; a word wider than the room is cut.
pub(crate) fn wrapped(text: &str, room: f64, size: f64, bold: bool) -> Result<Vec<String>, ReportError> {
    let mut lines: Vec<String> = Vec::new();
    for word in single_line(text).split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if text_width(&longer, size, bold)? <= room {
                *line = longer;
                continue;
            }
        }
        lines.push(fitted(word, room, size, bold)?);
    }
    Ok(lines)
}
