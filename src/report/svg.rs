//! Figures as SVG: text stays text, and the drawing scales to any width.

use super::ReportError;
use super::chart::{Scene, theme};
use super::text::escaped;
use plotters::prelude::SVGBackend;

/// Units of CSS in an inch.
const CSS_RESOLUTION: f64 = 96.0;

/// The SVG document of a scene.
pub(super) fn document(scene: &Scene) -> Result<String, ReportError> {
    let (width, height) = scene.size();
    let mut painted = String::new();
    scene.paint(&mut SVGBackend::with_string(&mut painted, (width, height)))?;
    // Plotters' first line asks for a window as large as the canvas; ours asks for the size in print.
    let shapes = painted.split_once('\n').map_or("", |(_, shapes)| shapes);
    let scale = CSS_RESOLUTION / theme::RESOLUTION;
    Ok(format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\" \
         role=\"img\" aria-label=\"{}\" stroke-linejoin=\"round\">\n{shapes}",
        f64::from(width) * scale,
        f64::from(height) * scale,
        escaped(&scene.title),
    ))
}
