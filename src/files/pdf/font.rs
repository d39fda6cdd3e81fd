//! Fonts inside a PDF: only the glyphs that it shows, and what characters they stand for.

use crate::DrawingError;
use crate::{Font, Scene, Shape};
use crate::{THOROUGH, deflated};
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str};
use std::collections::BTreeMap;
use subsetter::GlyphRemapper;
use ttf_parser::GlyphId;

/// Codes of text are numbers of glyphs.
const IDENTITY: SystemInfo = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The part of a font that a scene needs.
pub(super) struct Subset {
    pub bold: bool,
    pub id: Ref,
    /// From the numbers of glyphs in the whole font to those in the part.
    numbers: GlyphRemapper,
    characters: BTreeMap<u16, char>,
    file: Vec<u8>,
}

impl Subset {
    /// The part of one font, if the scene has text in it.
    pub(super) fn of(scene: &Scene, bold: bool, free: &mut Ref) -> Option<Result<Self, DrawingError>> {
        let font = Font::of(bold);
        let mut characters = BTreeMap::new();
        for shape in &scene.shapes {
            if let Shape::Text(label) = shape
                && label.bold == bold
            {
                characters.extend(font.glyphs(&label.text).into_iter().map(|glyph| (glyph.id.0, glyph.character)));
            }
        }
        if characters.is_empty() {
            return None;
        }
        let numbers = GlyphRemapper::new_from_glyphs(&characters.keys().copied().collect::<Vec<u16>>());
        let file = subsetter::subset(font.bytes, 0, &numbers);
        Some(file.map(|file| Self { bold, id: free.bump(), numbers, characters, file }).map_err(DrawingError::from))
    }

    /// The name in the page's resources.
    pub(super) fn name(&self) -> Name<'static> {
        Name(if self.bold { b"Bold" } else { b"Regular" })
    }

    /// The code of a glyph.
    pub(super) fn code(&self, glyph: GlyphId) -> u16 {
        self.numbers.get(glyph.0).unwrap_or_default()
    }

    /// Writes the font with all that readers must know of it.
    pub(super) fn write(&self, pdf: &mut Pdf, free: &mut Ref) {
        let font = Font::of(self.bold);
        let [descendant, descriptor, to_unicode, file] = [(); 4].map(|()| free.bump());
        let name = self.tag() + "+" + font.name;
        let name = Name(name.as_bytes());
        // PDF counts in thousandths of an em.
        let per_mille = |length: i32| (f64::from(length) * 1000.0 / font.em()) as f32;

        let mut whole = pdf.type0_font(self.id);
        whole.base_font(name).encoding_predefined(Name(b"Identity-H"));
        whole.descendant_font(descendant).to_unicode(to_unicode);
        whole.finish();

        let mut glyphs = pdf.cid_font(descendant);
        glyphs.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY).font_descriptor(descriptor);
        glyphs.cid_to_gid_map_predefined(Name(b"Identity"));
        let advance = |glyph| i32::from(font.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or_default());
        glyphs.widths().consecutive(0, self.numbers.remapped_gids().map(|glyph| per_mille(advance(glyph))));
        glyphs.finish();

        let corners = font.face.global_bounding_box();
        let [left, bottom, right, top] =
            [corners.x_min, corners.y_min, corners.x_max, corners.y_max].map(|length| per_mille(length.into()));
        let capitals = font.face.capital_height().unwrap_or(font.face.ascender());
        let mut description = pdf.font_descriptor(descriptor);
        description.name(name).flags(FontFlags::SYMBOLIC).bbox(Rect::new(left, bottom, right, top)).italic_angle(0.0);
        description.ascent(per_mille(font.face.ascender().into())).descent(per_mille(font.face.descender().into()));
        // Readers take the width of stems to choose another font where they can't show this one.
        description.cap_height(per_mille(capitals.into())).stem_v(if self.bold { 160.0 } else { 80.0 });
        description.font_file2(file);
        description.finish();

        let mut map = UnicodeCmap::new(Name(b"Characters"), IDENTITY);
        // The first glyph is the box for what the font lacks: any character may be meant.
        for (&glyph, &character) in self.characters.iter().filter(|(glyph, _)| **glyph != 0) {
            map.pair(self.code(GlyphId(glyph)), character);
        }
        let map = deflated(&map.finish(), THOROUGH);
        pdf.cmap(to_unicode, &map).filter(Filter::FlateDecode);
        pdf.stream(file, &deflated(&self.file, THOROUGH)).filter(Filter::FlateDecode);
    }

    /// Six letters that tell parts of the same font apart in a document made of several.
    fn tag(&self) -> String {
        // The hash of Fowler, Noll and Vo.
        let mix = |hash: u64, glyph: &u16| (hash ^ u64::from(*glyph)).wrapping_mul(0x0100_0000_01B3);
        let mut hash = self.characters.keys().fold(0xCBF2_9CE4_8422_2325, mix);
        let letter = |_| {
            let letter = char::from(b'A' + (hash % 26) as u8);
            hash /= 26;
            letter
        };
        (0..6).map(letter).collect()
    }
}
