//! Figures as PNG, for documents that take no SVG.

use super::ReportError;
use super::chart::{Point, Scene, Shape, paint_label, theme};
use plotters::prelude::BitMapBackend;
use png::{BitDepth, ColorType, Compression, Encoder, PixelDimensions, Unit};

/// The scene is painted finely and each square of this side becomes one pixel, which smooths all edges.
const FINENESS: usize = 2;
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
    let (columns, rows) = (width as usize / FINENESS, height as usize / FINENESS);

    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, columns as u32, rows as u32);
    encoder.set_color(ColorType::Rgb);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_compression(Compression::High);
    let density = (theme::RESOLUTION / FINENESS as f64 * INCHES_PER_METRE).round() as u32;
    encoder.set_pixel_dims(Some(PixelDimensions { xppu: density, yppu: density, unit: Unit::Meter }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&smoothed(&fine, columns, rows))?;
    writer.finish()?;
    Ok(file)
}

/// The mean of each square of fine pixels.
fn smoothed(fine: &[u8], columns: usize, rows: usize) -> Vec<u8> {
    let stride = columns * FINENESS * CHANNELS;
    let mut pixels = Vec::with_capacity(columns * rows * CHANNELS);
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let corner = row * FINENESS * stride + column * FINENESS * CHANNELS;
        for channel in 0..CHANNELS {
            let square = (0..FINENESS * FINENESS)
                .map(|k| u32::from(fine[corner + k / FINENESS * stride + k % FINENESS * CHANNELS + channel]));
            pixels.push((square.sum::<u32>() / (FINENESS * FINENESS) as u32) as u8);
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
