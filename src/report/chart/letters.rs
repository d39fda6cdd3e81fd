//! Text measured and painted with a font of our own, so that no font is needed on the machine.

use super::scene::{Align, Label};
use super::theme;
use crate::report::ReportError;
use ab_glyph::{Font, FontRef, Glyph, PxScale, ScaleFont, point};

/// How far below a label's middle its baseline is, in ems: half the height of capitals and digits.
const BASELINE: f64 = 0.36;

/// How wide a text is.
pub(crate) fn text_width(text: &str, size: f64, bold: bool) -> Result<f64, ReportError> {
    Ok(laid_out(text, size, &font(bold)?).1)
}

/// How many characters from the beginning of a text fit into the room.
pub(crate) fn fitting(text: &str, room: f64, size: f64, bold: bool) -> Result<usize, ReportError> {
    let (glyphs, width) = laid_out(text, size, &font(bold)?);
    // A character fits when the next one, or the end of the text, begins within the room.
    let ends = glyphs.iter().skip(1).map(|next| f64::from(next.position.x)).chain([width]);
    Ok(ends.take_while(|&end| end <= room).count().min(glyphs.len()))
}

/// Paints a label onto rows of RGB pixels.
pub(crate) fn paint(label: &Label, pixels: &mut [u8], columns: usize) -> Result<(), ReportError> {
    let font = font(label.bold)?;
    let (glyphs, width) = laid_out(&label.text, label.size, &font);
    let start = match label.align {
        Align::Left => 0.0,
        Align::Centre => -0.5 * width,
        Align::Right => -width,
    };
    let (x, y) = label.lowered(BASELINE);
    let (x, y) = if label.upwards { (x, y - start) } else { (x + start, y) };
    for outline in glyphs.into_iter().filter_map(|glyph| font.outline_glyph(glyph)) {
        let corner = outline.px_bounds().min;
        outline.draw(|right, down, coverage| {
            let (right, down) = (f64::from(corner.x) + f64::from(right), f64::from(corner.y) + f64::from(down));
            let (x, y) = if label.upwards { (x + down, y - right) } else { (x + right, y + down) };
            blend(pixels, columns, (x.round() as i64, y.round() as i64), coverage.clamp(0.0, 1.0));
        });
    }
    Ok(())
}

/// Ink over a pixel, as far as its letter covers it; what lies outside is lost.
fn blend(pixels: &mut [u8], columns: usize, at: (i64, i64), coverage: f32) {
    let (Ok(x), Ok(y)) = (usize::try_from(at.0), usize::try_from(at.1)) else { return };
    let pixel = pixels.chunks_exact_mut(3).nth(y * columns + x).filter(|_| x < columns);
    let ink = [theme::INK.0, theme::INK.1, theme::INK.2];
    for (channel, ink) in pixel.into_iter().flatten().zip(ink) {
        *channel = (f32::from(*channel) * (1.0 - coverage) + f32::from(ink) * coverage).round() as u8;
    }
}

/// The glyphs of a text along its baseline, and their total width.
fn laid_out(text: &str, size: f64, font: &FontRef) -> (Vec<Glyph>, f64) {
    let units_per_em = font.units_per_em().unwrap_or(font.height_unscaled());
    let scale = PxScale::from(size as f32 * font.height_unscaled() / units_per_em);
    let scaled = font.as_scaled(scale);
    let mut glyphs: Vec<Glyph> = Vec::new();
    let mut end = 0.0;
    for character in text.chars() {
        let id = font.glyph_id(character);
        end += glyphs.last().map_or(0.0, |previous| scaled.kern(previous.id, id));
        glyphs.push(id.with_scale_and_position(scale, point(end, 0.0)));
        end += scaled.h_advance(id);
    }
    (glyphs, f64::from(end))
}

fn font(bold: bool) -> Result<FontRef<'static>, ReportError> {
    let bytes = if bold { dejavu::sans::bold() } else { dejavu::sans::regular() };
    FontRef::try_from_slice(bytes).map_err(|error| ReportError::Drawing(error.to_string()))
}
