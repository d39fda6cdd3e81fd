//! Figures as PNG, for documents that take no SVG.

use crate::DrawingError;
use crate::{Colour, Font, Label, Scene, ScenePoint, Shape, theme};
use crate::{FAST, THOROUGH, deflated};
use png::chunk::IDAT;
use png::{BitDepth, ColorType, Encoder, PixelDimensions, Unit};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use tiny_skia::{Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform};
use ttf_parser::OutlineBuilder;

/// Pixels in an inch.
pub const IMAGE_RESOLUTION: f64 = 300.0;
const INCHES_PER_METRE: f64 = 1.0 / 0.0254;
/// The PNG file of a scene.
pub fn image(scene: &Scene) -> Result<Vec<u8>, DrawingError> {
    let (width, height) = scene.size();
    // Pixels in a unit of the canvas.
    let scale = IMAGE_RESOLUTION / scene.resolution;
    let pixels = |length: u32| (f64::from(length) * scale) as u32;
    let canvas = Pixmap::new(pixels(width), pixels(height));
    let mut canvas = canvas.ok_or_else(|| DrawingError::TooTall { figure: scene.title.clone() })?;
    canvas.fill(Color::WHITE);
    for shape in &scene.shapes {
        paint(shape, scale, &mut canvas);
    }

    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, canvas.width(), canvas.height());
    encoder.set_depth(BitDepth::Eight);
    let (pixels, effort) = match indexed(canvas.data()) {
        Some((colours, pixels)) => {
            encoder.set_color(ColorType::Indexed);
            encoder.set_palette(colours);
            (pixels, FAST)
        }
        None => {
            encoder.set_color(ColorType::Rgb);
            // Nothing shines through paper, so that the fourth channel says nothing.
            (canvas.data().chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect(), THOROUGH)
        }
    };
    let density = (IMAGE_RESOLUTION * INCHES_PER_METRE).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
    let mut writer = encoder.write_header()?;
    // The encoder of images would compress each row for itself, which takes several times as long.
    writer.write_chunk(IDAT, &deflated(&rows(&pixels, canvas.height() as usize), effort))?;
    writer.finish()?;
    Ok(file)
}

/// Before each row of an image stands how its pixels follow from their neighbours: not at all. Line art has runs of equal
/// pixels, which anything else would only break up.
const NO_FILTER: u8 = 0;

/// The rows of an image as they stand in its file before they are compressed.
fn rows(pixels: &[u8], count: usize) -> Vec<u8> {
    let mut rows = Vec::with_capacity(pixels.len() + count);
    for row in pixels.chunks_exact(pixels.len() / count) {
        rows.push(NO_FILTER);
        rows.extend_from_slice(row);
    }
    rows
}

/// So many pixels are compared at once.
const RUN: usize = 16;

/// The colours of an image without transparency, three bytes each, and the number of each pixel's colour; nothing if
/// there are too many for a byte, as few figures have.
fn indexed(pixels: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut colours, mut numbers) = (Vec::new(), BTreeMap::new());
    let (pixels, _) = pixels.as_chunks::<4>();
    let mut indices = Vec::with_capacity(pixels.len());
    // Nearly all pixels are like their neighbours, so that runs of them are looked up together.
    while let Some(&pixel) = pixels.get(indices.len()) {
        let index = *match numbers.entry(pixel) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let index = u8::try_from(colours.len() / 3).ok()?;
                colours.extend(&pixel[..3]);
                new.insert(index)
            }
        };
        let rest = &pixels[indices.len()..];
        let whole = RUN * rest.as_chunks().0.iter().take_while(|run| are_all(run, pixel)).count();
        let length = whole + rest[whole..].iter().take_while(|&&other| other == pixel).count();
        indices.resize(indices.len() + length, index);
    }
    Some((colours, indices))
}

/// True if a run has no other colour; told without a branch for each pixel.
fn are_all(run: &[[u8; 4]; RUN], pixel: [u8; 4]) -> bool {
    let pixel = u32::from_ne_bytes(pixel);
    run.iter().fold(0, |other, &of_run| other | (u32::from_ne_bytes(of_run) ^ pixel)) == 0
}

fn paint(shape: &Shape, scale: f64, canvas: &mut Pixmap) {
    let (upright, fill) = (Transform::identity(), FillRule::Winding);
    match shape {
        Shape::Line { points, colour, width, dashes } => {
            let width = width * scale;
            let dash = StrokeDash::new(dashes.iter().map(|length| (length * scale) as f32).collect(), 0.0);
            let stroke = Stroke { width: width as f32, line_join: LineJoin::Round, dash, ..Stroke::default() };
            if let Some(path) = path(points, scale, width, false) {
                canvas.stroke_path(&path, &plain(*colour), &stroke, upright, None);
            }
        }
        Shape::Area { points, colour } => {
            if let Some(path) = path(points, scale, 0.0, true) {
                canvas.fill_path(&path, &plain(*colour), fill, upright, None);
            }
        }
        Shape::Text(label) => {
            let (letters, transform) = letters(label, scale);
            if let Some(path) = letters {
                canvas.fill_path(&path, &plain(theme::INK), fill, transform, None);
            }
        }
        Shape::Spot(_) => {}
    }
}

fn plain(colour: Colour) -> Paint<'static> {
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    let [red, green, blue] = colour.rgb;
    paint.set_color_rgba8(red, green, blue, colour.opacity);
    paint
}

/// A path in pixels. A straight stroke or a box along rows and columns is moved so that its edges lie between pixels,
/// where they are sharp.
fn path(points: &[ScenePoint], scale: f64, width: f64, closed: bool) -> Option<Path> {
    let every = |holds: fn(ScenePoint, ScenePoint) -> bool| points.windows(2).all(|ends| holds(ends[0], ends[1]));
    let aligned = every(|from, to| from.0 == to.0 || from.1 == to.1);
    let (upright, level) = (every(|from, to| from.0 == to.0), every(|from, to| from.1 == to.1));
    let place = |length: f64, across: bool| {
        let edge = if across { 0.5 * width } else { 0.0 };
        (if aligned { (length * scale - edge).round() + edge } else { length * scale }) as f32
    };
    let mut path = PathBuilder::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        let (x, y) = (place(x, upright), place(y, level));
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// The outlines of a label in units of its font, and their way onto the canvas. The baseline lies between pixels.
fn letters(label: &Label, units: f64) -> (Option<Path>, Transform) {
    let font = Font::of(label.bold);
    let mut outline = Outline { path: PathBuilder::new(), start: 0.0 };
    for glyph in font.glyphs(&label.text) {
        outline.start = glyph.start as f32;
        font.face.outline_glyph(glyph.id, &mut outline);
    }
    let scale = (label.size / font.em() * units) as f32;
    let [across, down, up_across, up_down] = label.directions().map(|part| part * scale);
    let (x, y) = label.start();
    let (x, y) = ((x * units).round() as f32, (y * units).round() as f32);
    (outline.path.finish(), Transform::from_row(across, down, up_across, up_down, x, y))
}

/// Collects the outlines of glyphs side by side.
struct Outline {
    path: PathBuilder,
    /// Where the glyph at hand begins.
    start: f32,
}

impl OutlineBuilder for Outline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.path.move_to(self.start + x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.path.line_to(self.start + x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.path.quad_to(self.start + x1, y1, self.start + x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.path.cubic_to(self.start + x1, y1, self.start + x2, y2, self.start + x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_256_colours_are_numbered_and_read_back_as_they_were() {
        let pixels = |count: u32| -> Vec<u8> { (0..count).flat_map(|k| [k as u8, (k >> 8) as u8, 7, 255]).collect() };
        let (colours, indices) = indexed(&pixels(256).repeat(2)).unwrap();
        let back = indices.iter().flat_map(|&index| [&colours[3 * usize::from(index)..][..3], &[255]].concat());
        assert_eq!(back.collect::<Vec<u8>>(), pixels(256).repeat(2));
        assert_eq!(indexed(&pixels(257)), None);
    }
}
