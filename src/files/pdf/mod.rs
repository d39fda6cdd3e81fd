//! Figures as PDF, for print: lines stay sharp at any size, and text can be searched and copied.

mod font;

use crate::DrawingError;
use crate::{Colour, Font, Label, Scene, ScenePoint, Shape, rounded, theme};
use crate::{THOROUGH, deflated};
use font::Subset;
use pdf_writer::types::LineJoinStyle;
use pdf_writer::writers::{ExtGraphicsState, Resources};
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};
use std::collections::BTreeSet;

/// Points of PDF in an inch.
pub const POINTS: f64 = 72.0;

/// The PDF file of a scene: one page of the scene's size. It holds no date, so that equal scenes give equal files.
pub fn document(scene: &Scene) -> Result<Vec<u8>, DrawingError> {
    let (width, height) = scene.size();
    let scale = POINTS / scene.resolution;
    let (width, height) = ((f64::from(width) * scale) as f32, (f64::from(height) * scale) as f32);
    let mut free = Ref::new(1);
    let [catalog, pages, page, content, info] = [(); 5].map(|()| free.bump());
    let fonts: Vec<Subset> =
        [false, true].into_iter().filter_map(|bold| Subset::of(scene, bold, &mut free)).collect::<Result<_, _>>()?;

    let mut pdf = Pdf::new();
    pdf.catalog(catalog).pages(pages);
    pdf.pages(pages).kids([page]).count(1);
    let mut sheet = pdf.page(page);
    sheet.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(content);
    // Colours that let others shine through are mixed as screens do.
    sheet.group().transparency().color_space().device_rgb();
    resources(&mut sheet.resources(), scene, &fonts);
    sheet.finish();
    let shapes = deflated(&shapes(scene, &fonts, height), THOROUGH);
    pdf.stream(content, &shapes).filter(Filter::FlateDecode);
    for font in &fonts {
        font.write(&mut pdf, &mut free);
    }
    pdf.document_info(info).title(TextStr(&scene.title));
    Ok(pdf.finish())
}

/// The fonts and opacities that shapes refer to by name.
fn resources(resources: &mut Resources, scene: &Scene, fonts: &[Subset]) {
    let mut named = resources.fonts();
    named.pairs(fonts.iter().map(|font| (font.name(), font.id)));
    named.finish();
    let opacities = scene.shapes.iter().filter_map(|shape| match shape {
        Shape::Line { colour, .. } | Shape::Area { colour, .. } => Some(colour.opacity),
        Shape::Text(_) | Shape::Spot(_) => None,
    });
    let mut states = resources.ext_g_states();
    for opacity in opacities.filter(|&opacity| opacity < u8::MAX).collect::<BTreeSet<u8>>() {
        let share = f32::from(opacity) / f32::from(u8::MAX);
        let mut state = states.insert(Name(opacity_name(opacity).as_bytes())).start::<ExtGraphicsState>();
        state.non_stroking_alpha(share).stroking_alpha(share);
    }
}

fn opacity_name(opacity: u8) -> String {
    format!("Opacity{opacity}")
}

/// All shapes as operators; lengths are units of the canvas, downwards from the top of the page.
fn shapes(scene: &Scene, fonts: &[Subset], height: f32) -> Vec<u8> {
    let mut content = Content::new();
    let scale = (POINTS / scene.resolution) as f32;
    content.transform([scale, 0.0, 0.0, -scale, 0.0, height]);
    content.set_line_join(LineJoinStyle::RoundJoin);
    for shape in &scene.shapes {
        match shape {
            Shape::Line { points, colour, width, dashes } => painted(&mut content, *colour, |content| {
                let [red, green, blue] = shares(*colour);
                content.set_stroke_rgb(red, green, blue).set_line_width(*width as f32);
                content.set_dash_pattern(dashes.iter().map(|&length| length as f32), 0.0);
                path(content, points).stroke();
            }),
            Shape::Area { points, colour } => painted(&mut content, *colour, |content| {
                let [red, green, blue] = shares(*colour);
                content.set_fill_rgb(red, green, blue);
                path(content, points).close_path().fill_nonzero();
            }),
            Shape::Text(label) => text(&mut content, label, fonts),
            Shape::Spot(_) => {}
        }
    }
    content.finish().into_vec()
}

/// Paints something of a colour, with its opacity.
fn painted(content: &mut Content, colour: Colour, paint: impl FnOnce(&mut Content)) {
    if colour.opacity == u8::MAX {
        return paint(content);
    }
    content.save_state().set_parameters(Name(opacity_name(colour.opacity).as_bytes()));
    paint(content);
    content.restore_state();
}

fn shares(colour: Colour) -> [f32; 3] {
    colour.rgb.map(|channel| f32::from(channel) / f32::from(u8::MAX))
}

fn path<'a>(content: &'a mut Content, points: &[ScenePoint]) -> &'a mut Content {
    for (index, &point) in points.iter().enumerate() {
        let (x, y) = place(point);
        if index == 0 {
            content.move_to(x, y)
        } else {
            content.line_to(x, y)
        };
    }
    content
}

/// A label, letter by letter where neighbours are kerned.
fn text(content: &mut Content, label: &Label, fonts: &[Subset]) {
    let Some(subset) = fonts.iter().find(|font| font.bold == label.bold) else { return };
    let [red, green, blue] = shares(theme::INK);
    let [across, down, up_across, up_down] = label.directions();
    let (x, y) = place(label.start());
    content.begin_text().set_font(subset.name(), label.size as f32).set_fill_rgb(red, green, blue);
    content.set_text_matrix([across, down, up_across, up_down, x, y]);
    let font = Font::of(label.bold);
    let mut positioned = content.show_positioned();
    let mut items = positioned.items();
    let (mut run, mut end) = (Vec::new(), 0);
    for glyph in font.glyphs(&label.text) {
        if glyph.start != end {
            items.show(Str(&run)).adjust((f64::from(end - glyph.start) * 1000.0 / font.em()) as f32);
            run.clear();
        }
        run.extend(subset.code(glyph.id).to_be_bytes());
        end = glyph.end;
    }
    items.show(Str(&run));
    items.finish();
    positioned.finish();
    content.end_text();
}

/// A point as PDF takes it.
fn place((x, y): ScenePoint) -> (f32, f32) {
    (rounded(x) as f32, rounded(y) as f32)
}
