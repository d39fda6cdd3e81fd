//! Figures as SVG: text stays text, and the drawing scales to any width.

use crate::text::escaped;
use crate::{Align, Colour, Label, Scene, ScenePoint, Shape, rounded, theme};

/// Units of CSS in an inch.
const CSS_RESOLUTION: f64 = 96.0;

/// Fonts for text, the best one first: it is the one that layout measures with.
const FONTS: &str = "DejaVu Sans, Verdana, Arial, sans-serif";

/// The SVG document of a scene.
pub fn document(scene: &Scene) -> String {
    let (width, height) = scene.size();
    let scale = CSS_RESOLUTION / scene.resolution;
    let mut document = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{}\" height=\"{}\" \
         role=\"img\" aria-label=\"{}\" font-family=\"{FONTS}\" stroke-linejoin=\"round\">\n\
         <rect width=\"{width}\" height=\"{height}\"{}/>\n",
        f64::from(width) * scale,
        f64::from(height) * scale,
        escaped(&scene.title),
        painted("fill", theme::PAPER),
    );
    for shape in &scene.shapes {
        document += &match shape {
            Shape::Line { points, colour, width, dashes } => {
                let dashes: Vec<String> = dashes.iter().map(f64::to_string).collect();
                let dashes = attribute("stroke-dasharray", &dashes.join(" "));
                let colour = painted("stroke", *colour);
                format!(
                    "<polyline points=\"{}\" fill=\"none\"{colour} stroke-width=\"{width}\"{dashes}/>\n",
                    path(points)
                )
            }
            Shape::Area { points, colour } => {
                format!("<polygon points=\"{}\"{}/>\n", path(points), painted("fill", *colour))
            }
            Shape::Text(label) => text(label),
            Shape::Spot(_) => String::new(),
        };
    }
    document + "</svg>\n"
}

fn text(label: &Label) -> String {
    let (x, y) = label.on_baseline();
    let (x, y) = (rounded(x), rounded(y));
    let anchor = match label.align {
        Align::Left => "",
        Align::Centre => "middle",
        Align::Right => "end",
    };
    format!(
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{}\"{}{}{}{}>{}</text>\n",
        rounded(label.size),
        attribute("text-anchor", anchor),
        attribute("font-weight", if label.bold { "bold" } else { "" }),
        attribute("transform", &if label.upwards { format!("rotate(270 {x} {y})") } else { String::new() }),
        painted("fill", theme::INK),
        escaped(&label.text)
    )
}

/// An attribute that paints in a colour, and another where the colour lets something shine through.
fn painted(name: &str, colour: Colour) -> String {
    let [red, green, blue] = colour.rgb;
    let opacity = f64::from(colour.opacity) / f64::from(u8::MAX);
    let opacity = if opacity < 1.0 { opacity.to_string() } else { String::new() };
    attribute(name, &format!("#{red:02X}{green:02X}{blue:02X}")) + &attribute(&format!("{name}-opacity"), &opacity)
}

/// An attribute, left out if its value is empty.
fn attribute(name: &str, value: &str) -> String {
    if value.is_empty() { String::new() } else { format!(" {name}=\"{value}\"") }
}

fn path(points: &[ScenePoint]) -> String {
    let points: Vec<String> = points.iter().map(|&(x, y)| format!("{},{}", rounded(x), rounded(y))).collect();
    points.join(" ")
}
