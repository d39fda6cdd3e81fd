//! Figures as PNG, for documents that take no SVG.

use super::ReportError;
use super::chart::{Point, Scene, Shape, paint_label, theme};
use plotters::prelude::BitMapBackend;
use png::{BitDepth, ColorType, Compression, Encoder, Filter, PixelDimensions, Unit};

/// Each square of two by two fine pixels becomes one of the image, which smooths all edges.
const IMAGE_RESOLUTION: f64 = theme::RESOLUTION / 2.0;
const INCHES_PER_METRE: f64 = 1.0 / 0.0254;
const CHANNELS: usize = 3;

/// The PNG file of a scene.
pub(super) fn image(scene: &Scene) -> Result<Vec<u8>, ReportError> {
    let (width, height) = scene.size();
    let mut fine = vec![0; width as usize * height as usize * CHANNELS];
    let shapes = scene.shapes.iter().flat_map(for_bitmap).collect();
    let areas = Scene { title: String::new(), height: scene.height, shapes };
    areas.paint(&mut BitMapBackend::with_buffer(&mut fine, (width, height)))?;
    for shape in &scene.shapes {
        if let Shape::Text(label) = shape {
            paint_label(label, &mut fine, width as usize)?;
        }
    }

    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, width / 2, height / 2);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::Balanced);
    // Line art has runs of equal pixels, which filters would only break up.
    encoder.set_filter(Filter::NoFilter);
    let density = (IMAGE_RESOLUTION * INCHES_PER_METRE).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&smoothed(&fine, width as usize))?;
    writer.finish()?;
    Ok(file)
}

/// The mean of each square of four fine pixels.
fn smoothed(fine: &[u8], width: usize) -> Vec<u8> {
    let mut pixels = Vec::with_capacity(fine.len() / 4);
    for rows in fine.chunks_exact(2 * width * CHANNELS) {
        let (upper, lower) = rows.split_at(width * CHANNELS);
        for (above, below) in upper.chunks_exact(2 * CHANNELS).zip(lower.chunks_exact(2 * CHANNELS)) {
            for channel in 0..CHANNELS {
                let square = [above[channel], above[channel + CHANNELS], below[channel], below[channel + CHANNELS]];
                pixels.push((square.iter().map(|&value| u16::from(value)).sum::<u16>() / 4) as u8);
            }
        }
    }
    pixels
}

/// A shape in the form that plotters' bitmaps paint well: as filled areas.
fn for_bitmap(shape: &Shape) -> Vec<Shape> {
    match shape {
        // A wide path would become one polygon that tears where it turns sharply: paint it limb by limb.
        Shape::Line { points, colour, width } => {
            limbs(points, *width).into_iter().map(|points| Shape::Area { points, colour: *colour }).collect()
        }
        Shape::Area { .. } => vec![shape.clone()],
        Shape::Text(_) => Vec::new(),
    }
}

/// A rectangle for each stretch of a path, and a disc for each turn.
fn limbs(path: &[Point], width: f64) -> Vec<Vec<Point>> {
    let mut limbs = Vec::new();
    for ends in path.windows(2) {
        let (from, to) = (ends[0], ends[1]);
        let length = libm::hypot(to.0 - from.0, to.1 - from.1);
        if length > 0.0 {
            let (across, down) = (0.5 * width * (to.1 - from.1) / length, 0.5 * width * (from.0 - to.0) / length);
            limbs.push(vec![
                (from.0 + across, from.1 + down),
                (to.0 + across, to.1 + down),
                (to.0 - across, to.1 - down),
                (from.0 - across, from.1 - down),
            ]);
        }
    }
    let turns = path.get(1..path.len().saturating_sub(1)).unwrap_or_default();
    limbs.extend(turns.iter().map(|&turn| theme::marker(0, turn, 0.5 * width)));
    limbs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{chart, samples};
    use crate::study::FigureKind;
    use plotters::prelude::{DrawingBackend, WHITE};
    use std::io::Cursor;

    fn decoded(kind: FigureKind) -> (png::Info<'static>, Vec<u8>) {
        let scene = chart::scene(&samples::figure(kind), &samples::sweep(2, 5)).unwrap();
        let mut reader = png::Decoder::new(Cursor::new(image(&scene).unwrap())).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        (reader.info().clone(), pixels)
    }

    #[test]
    fn images_are_five_inches_wide_at_300_dots_per_inch() {
        let (info, _) = decoded(FigureKind::Lines);
        let size = info.pixel_dims.unwrap();
        assert_eq!((info.width, size.xppu, size.yppu), (1500, 11811, 11811));
        assert!(matches!(size.unit, Unit::Meter));
    }

    #[test]
    fn images_show_paper_ink_and_the_colours_of_their_series() {
        for (kind, second) in [(FigureKind::Lines, theme::colour(1)), (FigureKind::Stacked, theme::area_colour(1))] {
            let (_, pixels) = decoded(kind);
            let count = |colour: [u8; 3]| pixels.chunks_exact(CHANNELS).filter(|&pixel| pixel == colour).count();
            assert_eq!(pixels[..CHANNELS], [255; CHANNELS]);
            assert!(count([theme::INK.0, theme::INK.1, theme::INK.2]) > 1_000);
            for colour in [theme::colour(0), second] {
                assert!(count([colour.0, colour.1, colour.2]) > 1_000, "{colour:?}");
            }
        }
    }

    #[test]
    fn a_wide_line_with_sharp_turns_has_no_holes() {
        let height = |k: i32| f64::from(if k % 2 == 0 { 20 } else { 180 });
        let path: Vec<Point> = (0..40).map(|k| (f64::from(10 + 5 * k), height(k))).collect();
        let mut pixels = vec![0; 220 * 200 * CHANNELS];
        let mut backend = BitMapBackend::with_buffer(&mut pixels, (220, 200));
        for limb in limbs(&path, 12.0) {
            let corners: Vec<(i32, i32)> = limb.iter().map(|p| (p.0.round() as i32, p.1.round() as i32)).collect();
            backend.fill_polygon(corners, &WHITE).unwrap();
        }
        drop(backend);
        // The strokes are so close that together they fill the whole field between the turns.
        for (x, y) in (20..190).flat_map(|x| (30..170).map(move |y| (x, y))) {
            assert_eq!(pixels[(y * 220 + x) * CHANNELS], 255, "a hole at {x}, {y}");
        }
    }
}
