//! The font of all drawings, held as bytes so that none is needed on the machine: widths of texts, and texts cut to
//! fit.

use crate::text::single_line;
use std::sync::LazyLock;
use ttf_parser::{Face, GlyphId};

const ELLIPSIS: &str = "…";

static REGULAR: LazyLock<Font> = LazyLock::new(|| Font::new("DejaVuSans", dejavu::sans::regular()));
static BOLD: LazyLock<Font> = LazyLock::new(|| Font::new("DejaVuSans-Bold", dejavu::sans::bold()));

/// A font file, read.
pub struct Font {
    /// The name by which documents know it.
    pub name: &'static str,
    pub bytes: &'static [u8],
    pub face: Face<'static>,
}

/// A character in its place on a baseline; lengths are in units of the font.
pub struct Glyph {
    pub id: GlyphId,
    pub character: char,
    pub start: i32,
    /// Where the next one would start if the two were not kerned.
    pub end: i32,
}

impl Font {
    /// The font of usual or of bold text.
    pub fn of(bold: bool) -> &'static Self {
        if bold { &BOLD } else { &REGULAR }
    }

    fn new(name: &'static str, bytes: &'static [u8]) -> Self {
        Self { name, bytes, face: Face::parse(bytes, 0).expect("the font in the program is a font") }
    }

    /// Units of the font in an em.
    pub fn em(&self) -> f64 {
        f64::from(self.face.units_per_em())
    }

    /// The glyphs of a text along its baseline. A character that the font lacks is shown as its box for such
    /// characters.
    pub fn glyphs(&self, text: &str) -> Vec<Glyph> {
        let mut glyphs: Vec<Glyph> = Vec::new();
        for character in text.chars() {
            let id = self.face.glyph_index(character).unwrap_or_default();
            let start = glyphs.last().map_or(0, |previous| previous.end + self.kerning(previous.id, id));
            let end = start + i32::from(self.face.glyph_hor_advance(id).unwrap_or_default());
            glyphs.push(Glyph { id, character, start, end });
        }
        glyphs
    }

    /// The distance between two neighbours beyond the usual one.
    fn kerning(&self, left: GlyphId, right: GlyphId) -> i32 {
        let tables = self.face.tables().kern.into_iter().flat_map(|kern| kern.subtables);
        let mut pairs = tables.filter(|table| table.horizontal && !table.variable);
        pairs.find_map(|table| table.glyphs_kerning(left, right)).map_or(0, i32::from)
    }
}

/// The width of a text.
pub fn text_width(text: &str, size: f64, bold: bool) -> f64 {
    let font = Font::of(bold);
    font.glyphs(text).last().map_or(0.0, |last| f64::from(last.end) * size / font.em())
}

/// The text, or as much of its beginning as fits, with an ellipsis.
pub fn fitted(text: &str, room: f64, size: f64, bold: bool) -> String {
    let text = single_line(text);
    if text_width(&text, size, bold) <= room {
        return text;
    }
    let font = Font::of(bold);
    let room = (room - text_width(ELLIPSIS, size, bold)) * font.em() / size;
    let kept: String = font
        .glyphs(&text)
        .iter()
        .take_while(|glyph| f64::from(glyph.end) <= room)
        .map(|glyph| glyph.character)
        .collect();
    kept.trim_end().to_string() + ELLIPSIS
}

/// The text in lines that fit, broken between words; a word wider than the room is cut.
pub fn wrapped(text: &str, room: f64, size: f64, bold: bool) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in single_line(text).split_whitespace() {
        if let Some(line) = lines.last_mut() {
            let longer = format!("{line} {word}");
            if text_width(&longer, size, bold) <= room {
                *line = longer;
                continue;
            }
        }
        lines.push(fitted(word, room, size, bold));
    }
    lines
}

/// The same in so many lines at most; what is left is cut.
pub fn wrapped_within(text: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let mut lines = wrapped(text, room, size, false);
    if lines.len() > most {
        let rest = lines.split_off(most - 1).join(" ");
        lines.push(fitted(&rest, room, size, false));
    }
    lines
}
