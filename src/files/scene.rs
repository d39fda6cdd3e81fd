//! A drawing as a list of shapes, made once and written in every format.

use super::font::text_width;

/// The distance from a label's middle down to its baseline, in ems: half the height of capitals and digits.
const BASELINE: f64 = 0.36;

/// A point on the canvas: to the right, and down.
pub type ScenePoint = (f64, f64);

/// A colour of screens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour {
    /// Red, green and blue.
    pub rgb: [u8; 3],
    /// From 0, which hides nothing of what lies below, to 255.
    pub opacity: u8,
}

/// Shapes in the order of painting, on white paper.
pub struct Scene {
    pub title: String,
    pub width: f64,
    pub height: f64,
    /// Units of length in an inch.
    pub resolution: f64,
    pub shapes: Vec<Shape>,
}

/// Something to paint.
#[derive(Debug, Clone)]
pub enum Shape {
    /// An open path with a stroke, its corners round. Dashes are lengths drawn and skipped by turns; none make an
    /// unbroken line.
    Line { points: Vec<ScenePoint>, colour: Colour, width: f64, dashes: Vec<f64> },
    /// A closed and filled path.
    Area { points: Vec<ScenePoint>, colour: Colour },
    /// A line of text.
    Text(Label),
    /// A place that answers the pointer; it is not painted.
    Spot(HotSpot),
}

/// A line of text, in ink.
#[derive(Debug, Clone)]
pub struct Label {
    pub text: String,
    /// The middle of the letters' height, at the side that `align` names.
    pub at: ScenePoint,
    pub align: Align,
    /// The em.
    pub size: f64,
    pub bold: bool,
    /// Reads upwards.
    pub upwards: bool,
}

/// The side of a text that stands at its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    Left,
    Centre,
    Right,
}

impl Colour {
    /// The colour of a code such as `0x0072B2`.
    pub const fn new(code: u32) -> Self {
        let [_, red, green, blue] = code.to_be_bytes();
        Self { rgb: [red, green, blue], opacity: u8::MAX }
    }
}

impl Scene {
    /// The canvas in whole and even units.
    pub fn size(&self) -> (u32, u32) {
        [self.width, self.height].map(|length| 2 * (0.5 * length).ceil() as u32).into()
    }
}

/// A place that answers with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct HotSpot {
    /// Left, top, right and bottom; a point has no extent.
    pub area: [f64; 4],
    pub name: String,
    pub value: SpotValue,
}

/// A row in words.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SpotValue {
    /// The metric, where the axis does not say it.
    pub metric: String,
    /// The place along the horizontal axis; empty where there is none.
    pub x: String,
    pub estimate: String,
    pub n: u64,
    /// The published value; empty for none.
    pub published: String,
}

impl Scene {
    /// All places that answer the pointer.
    pub fn spots(&self) -> impl Iterator<Item = &HotSpot> {
        self.shapes.iter().filter_map(|shape| if let Shape::Spot(spot) = shape { Some(spot) } else { None })
    }
}

impl Label {
    /// A text that is neither bold nor upright.
    pub fn new(text: String, at: ScenePoint, align: Align, size: f64) -> Self {
        Self { text, at, align, size, bold: false, upwards: false }
    }

    /// Its point, moved onto the baseline.
    pub fn on_baseline(&self) -> ScenePoint {
        let drop = BASELINE * self.size;
        if self.upwards { (self.at.0 + drop, self.at.1) } else { (self.at.0, self.at.1 + drop) }
    }

    /// The start of its baseline.
    pub fn start(&self) -> ScenePoint {
        let (x, y) = self.on_baseline();
        let before = match self.align {
            Align::Left => 0.0,
            Align::Centre => 0.5 * text_width(&self.text, self.size, self.bold),
            Align::Right => text_width(&self.text, self.size, self.bold),
        };
        if self.upwards { (x, y + before) } else { (x - before, y) }
    }

    /// On the canvas, the directions of letters that follow each other and of letters' heights.
    pub fn directions(&self) -> [f32; 4] {
        if self.upwards { [0.0, -1.0, -1.0, 0.0] } else { [1.0, 0.0, 0.0, -1.0] }
    }
}

/// A length in tenths of a unit, finer than any printer.
pub fn rounded(length: f64) -> f64 {
    (10.0 * length).round() / 10.0
}

/// A line without dashes.
pub fn unbroken(points: Vec<ScenePoint>, colour: Colour, width: f64) -> Shape {
    Shape::Line { points, colour, width, dashes: Vec::new() }
}
