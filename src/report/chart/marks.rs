//! The data themselves: lines with bands and markers, points, and stacked areas.

use super::frame::{LegendEntry, Plot};
use super::series::{DrawnSeries, Layer, LineLook, Measured};
use super::spots;
use super::theme;
use gridloom_files::{Colour, ScenePoint, Shape, rectangle, unbroken};

/// No hollow marker reaches further from its centre than this many radii.
pub(crate) const HOLLOW_REACH: f64 = 2.0;

/// The markers on the points of lines.
#[derive(Clone, Copy)]
pub(crate) struct Markers {
    pub radius: f64,
    /// Lines of more points have no markers.
    pub most: usize,
}

impl Markers {
    /// Those of a plot that fills the canvas.
    pub(super) const LARGE: Self = Self { radius: theme::MARKER_RADIUS, most: theme::MARKED_POINTS };
    /// Those of panels.
    pub(super) const SMALL: Self = Self { radius: 0.6 * theme::MARKER_RADIUS, most: theme::MARKED_POINTS / 2 };
}

/// All lines of a figure, each over its band and below its markers.
pub(crate) fn lines(series: &[DrawnSeries], plot: &Plot, markers: Markers) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for one in series {
        bands(&mut shapes, one, theme::colour(one.look.colour), plot);
    }
    for one in series {
        let published = one.points.iter().filter_map(|p| p.published.map(|value| plot.at(p.x, value)));
        let colour = theme::colour(one.look.colour);
        shapes.extend(published.flat_map(|at| hollow(one.look.pattern, at, markers.radius, colour)));
    }
    for one in series {
        let path = one.points.iter().map(|p| plot.at(p.x, p.mean)).collect();
        shapes.push(line(one, path));
    }
    for one in series.iter().filter(|one| one.points.len() <= markers.most) {
        shapes.extend(one.points.iter().map(|p| sized(one.look, plot.at(p.x, p.mean), markers.radius)));
    }
    shapes.extend(series.iter().flat_map(|one| spots::points(one, |x, y| plot.at(x, y))));
    shapes
}

/// The legend of [`lines`].
pub(crate) fn line_legend(series: &[DrawnSeries]) -> Vec<LegendEntry> {
    let half = 0.5 * theme::LINE_SAMPLE;
    let named = series.iter().map(|one| {
        let mut sample = vec![line(one, vec![(-half, 0.0), (half, 0.0)])];
        sample.extend(one.is_marked().then(|| filled(one.look, (0.0, 0.0))));
        LegendEntry { sample, name: one.name.clone() }
    });
    named.chain(band_entry(series)).chain(published_entry(series)).collect()
}

/// The entry of the legend for bands, where there are some to be seen.
pub(crate) fn band_entry(series: &[DrawnSeries]) -> Option<LegendEntry> {
    let has_band = |one: &DrawnSeries| {
        one.points.iter().any(|point| point.band.is_some_and(|[low, high]| high > low)) && one.points.len() > 1
    };
    series.iter().any(has_band).then(|| {
        let (half, height) = (0.5 * theme::LINE_SAMPLE, 0.35 * theme::TICK_SIZE);
        let colour = Colour { opacity: theme::BAND_OPACITY, ..theme::INK };
        LegendEntry { sample: vec![rectangle(-half, half, -height, height, colour)], name: "95 % interval".to_string() }
    })
}

/// The entry of the legend for hollow markers, where there are some.
pub(crate) fn published_entry(series: &[DrawnSeries]) -> Option<LegendEntry> {
    let mut points = series.iter().flat_map(|one| &one.points);
    points.any(|point| point.published.is_some()).then(|| LegendEntry {
        sample: hollow(0, (0.0, 0.0), theme::MARKER_RADIUS, theme::INK).to_vec(),
        name: "published".to_string(),
    })
}

/// All points of a scatter; later series lie on top, so that the few that matter are not hidden by the many. A point
/// that others cover is larger than they, so that it shows around them.
pub(crate) fn points(series: &[DrawnSeries], plot: &Plot) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (index, one) in series.iter().enumerate() {
        for p in &one.points {
            let covers = |other: &&DrawnSeries| other.points.iter().any(|q| (q.x, q.mean) == (p.x, p.mean));
            let covering = series[index + 1..].iter().filter(covers).count();
            shapes.push(sized(one.look, plot.at(p.x, p.mean), theme::MARKER_RADIUS * (1.0 + 0.5 * covering as f64)));
        }
        shapes.extend(spots::points(one, |x, y| plot.at(x, y)));
    }
    shapes
}

/// The legend of [`points`].
pub(crate) fn point_legend(series: &[DrawnSeries]) -> Vec<LegendEntry> {
    let entry = |one: &DrawnSeries| LegendEntry { sample: vec![filled(one.look, (0.0, 0.0))], name: one.name.clone() };
    series.iter().map(entry).collect()
}

/// All areas of a stack, with white lines between them that keep neighbours apart in print without colours.
pub(crate) fn areas(layers: &[Layer], plot: &Plot) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (index, layer) in layers.iter().enumerate() {
        // A single point has no width of its own: it fills the plot.
        let edges = match layer.edges[..] {
            [(_, low, high)] => vec![(plot.x.low, low, high), (plot.x.high, low, high)],
            _ => layer.edges.clone(),
        };
        let upper: Vec<ScenePoint> = edges.iter().map(|&(x, _, high)| plot.at(x, high)).collect();
        let lower = edges.iter().rev().map(|&(x, low, _)| plot.at(x, low));
        let points = upper.iter().copied().chain(lower).collect();
        shapes.push(Shape::Area { points, colour: theme::area_colour(index) });
        shapes.push(unbroken(upper, theme::PAPER, 2.0 * theme::AXIS_LINE));
    }
    shapes
}

/// The legend of [`areas`].
pub(crate) fn area_legend(series: &[DrawnSeries]) -> Vec<LegendEntry> {
    let (width, height) = (0.3 * theme::SAMPLE, 0.35 * theme::TICK_SIZE);
    let sample = |index| rectangle(-width, width, -height, height, theme::area_colour(index));
    let entry =
        |(index, one): (usize, &DrawnSeries)| LegendEntry { sample: vec![sample(index)], name: one.name.clone() };
    series.iter().enumerate().map(entry).collect()
}

/// The band of every stretch of points that have an interval.
fn bands(shapes: &mut Vec<Shape>, series: &DrawnSeries, colour: Colour, plot: &Plot) {
    let stretches = series.points.chunk_by(|a, b| a.band.is_some() && b.band.is_some());
    for stretch in stretches {
        let height = |end: f64| end.clamp(plot.y.low, plot.y.high);
        let edge = |side: usize| move |p: &Measured| p.band.map(|ends| plot.at(p.x, height(ends[side])));
        let upper: Vec<ScenePoint> = stretch.iter().filter_map(edge(1)).collect();
        let lower: Vec<ScenePoint> = stretch.iter().rev().filter_map(edge(0)).collect();
        let points: Vec<ScenePoint> = [upper, lower].concat();
        if let [high, low] = points[..] {
            // One point has no width for a band: its interval is a whisker.
            shapes.push(unbroken(vec![high, low], colour, theme::AXIS_LINE));
        } else if points.len() > 2 {
            shapes.push(Shape::Area { points, colour: Colour { opacity: theme::BAND_OPACITY, ..colour } });
        }
    }
}

fn filled(look: LineLook, at: ScenePoint) -> Shape {
    sized(look, at, theme::MARKER_RADIUS)
}

fn sized(look: LineLook, at: ScenePoint, radius: f64) -> Shape {
    Shape::Area { points: theme::marker(look.pattern, at, radius), colour: theme::colour(look.colour) }
}

/// A white marker with an outline, a little larger than a filled one, so that both show when they meet.
pub(crate) fn hollow(index: usize, at: ScenePoint, radius: f64, colour: Colour) -> [Shape; 2] {
    let mut outline = theme::marker(index, at, 1.45 * radius);
    let inside = Shape::Area { points: outline.clone(), colour: theme::PAPER };
    // Past the first corner, so that it is as round as the others.
    outline.extend_from_within(..2);
    [inside, unbroken(outline, colour, 0.7 * theme::LINE)]
}

/// A path in the looks of a series.
fn line(series: &DrawnSeries, path: Vec<ScenePoint>) -> Shape {
    if series.is_dense() {
        // Dashes of a line that jumps up and down at every step would leave nothing to follow.
        unbroken(path, theme::colour(series.look.colour), theme::AXIS_LINE)
    } else {
        dashed(path, series.look)
    }
}

/// A line of these looks, with the dashes of its pattern.
pub(crate) fn dashed(points: Vec<ScenePoint>, look: LineLook) -> Shape {
    let (colour, dashes) = (theme::colour(look.colour), theme::dashes(look.pattern));
    Shape::Line { points, colour, width: theme::LINE, dashes }
}
