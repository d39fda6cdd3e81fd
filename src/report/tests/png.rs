//! Images read back and held against their scenes.

use crate::FigureKind;
use crate::chart::theme;
use crate::tidy::extent;
use crate::{samples, tidy};
use gridloom_files::png::{IMAGE_RESOLUTION, image};
use gridloom_files::*;
use std::io::Cursor;

/// Pixels in a unit of usual paper.
const SCALE: f64 = IMAGE_RESOLUTION / theme::RESOLUTION;

/// A picture, read back.
struct Picture {
    info: ::png::Info<'static>,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    fn of(scene: &Scene) -> Self {
        let mut decoder = ::png::Decoder::new(Cursor::new(image(scene).unwrap()));
        decoder.set_transformations(::png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        Self { info: reader.info().clone(), pixels: bytes.as_chunks().0.to_vec() }
    }

    /// The place of a pixel's middle on the canvas.
    fn place(&self, index: usize) -> ScenePoint {
        let middle = |index: usize| (index as f64 + 0.5) / SCALE;
        let width = self.info.width as usize;
        (middle(index % width), middle(index / width))
    }

    /// The places of all pixels darker than grey.
    fn inked(&self) -> impl Iterator<Item = ScenePoint> {
        let dark = self.pixels.iter().enumerate().filter(|(_, pixel)| pixel[0] < 128);
        dark.map(|(index, _)| self.place(index))
    }
}

/// Shapes on usual paper.
fn blank(height: f64, shapes: Vec<Shape>) -> Scene {
    Scene { title: String::new(), width: f64::from(theme::WIDTH), height, resolution: theme::RESOLUTION, shapes }
}

fn lines() -> Scene {
    tidy::scene(&samples::figure(FigureKind::Lines), &samples::sweep(2, 5)).unwrap()
}

#[test]
fn images_are_five_inches_wide_at_300_dots_per_inch() {
    let info = Picture::of(&lines()).info;
    let size = info.pixel_dims.unwrap();
    assert_eq!((info.width, size.xppu, size.yppu), (1500, 11811, 11811));
    assert!(matches!(size.unit, ::png::Unit::Meter));
}

/// The distance from a point to a stretch.
fn distance(point: ScenePoint, from: ScenePoint, to: ScenePoint) -> f64 {
    let (along, off) = ((to.0 - from.0, to.1 - from.1), (point.0 - from.0, point.1 - from.1));
    let squared = along.0 * along.0 + along.1 * along.1;
    let share = if squared > 0.0 { ((off.0 * along.0 + off.1 * along.1) / squared).clamp(0.0, 1.0) } else { 0.0 };
    libm::hypot(off.0 - share * along.0, off.1 - share * along.1)
}

fn nearest(point: ScenePoint, path: &[ScenePoint]) -> f64 {
    path.windows(2).map(|ends| distance(point, ends[0], ends[1])).fold(f64::INFINITY, f64::min)
}

/// Points are inside where a ray to the right crosses an odd number of edges.
fn is_inside((x, y): ScenePoint, corners: &[ScenePoint]) -> bool {
    let next = corners.iter().cycle().skip(1);
    let crosses = |(&a, &b): (&ScenePoint, &ScenePoint)| {
        (a.1 > y) != (b.1 > y) && x < a.0 + (y - a.1) / (b.1 - a.1) * (b.0 - a.0)
    };
    corners.iter().zip(next).filter(|&ends| crosses(ends)).count() % 2 == 1
}

/// The colour that the uppermost shape gives a point; nothing near edges, below letters and where colours mix.
fn expected(point: ScenePoint, scene: &Scene) -> Option<[u8; 3]> {
    const EDGE: f64 = 1.5 / SCALE;
    for shape in scene.shapes.iter().rev() {
        match shape {
            Shape::Line { points, colour, width, dashes } => {
                let off = nearest(point, points) - 0.5 * width;
                if off < -EDGE && dashes.is_empty() {
                    return Some(colour.rgb);
                } else if off < EDGE {
                    return None;
                }
            }
            Shape::Area { points, colour } => {
                let outline = [&points[..], &points[..1]].concat();
                if nearest(point, &outline) < EDGE {
                    return None;
                } else if is_inside(point, points) {
                    return (colour.opacity == u8::MAX).then_some(colour.rgb);
                }
            }
            Shape::Spot(_) => {}
            Shape::Text(label) => {
                let [left, right, top, bottom] = extent(label);
                // Some letters hang below the box.
                let room = 0.2 * label.size;
                if point.0 > left - room && point.0 < right + room && point.1 > top - room && point.1 < bottom + room {
                    return None;
                }
            }
        }
    }
    Some(theme::PAPER.rgb)
}

fn middle(points: &[ScenePoint]) -> ScenePoint {
    let sum = points.iter().fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
    (sum.0 / points.len() as f64, sum.1 / points.len() as f64)
}

#[test]
fn marks_are_in_the_image_where_they_are_in_the_scene() {
    let scene = |kind| tidy::scene(&samples::figure(kind), &samples::sweep(3, 5)).unwrap();
    let bars = tidy::scene(&samples::bars(), &samples::comparison()).unwrap();
    let gantt = tidy::gantt(&samples::gantt()).unwrap();
    for scene in [scene(FigureKind::Lines), scene(FigureKind::Scatter), scene(FigureKind::Stacked), bars, gantt] {
        let picture = Picture::of(&scene);
        let at = |(x, y): ScenePoint| (y * SCALE) as usize * picture.info.width as usize + (x * SCALE) as usize;
        let marks = scene.shapes.iter().filter_map(|shape| match shape {
            Shape::Line { points, .. } => Some(middle(&points[..2])),
            Shape::Area { points, .. } => Some(middle(points)),
            Shape::Text(_) | Shape::Spot(_) => None,
        });
        let marks = marks.step_by(scene.shapes.len().div_ceil(300)).map(at);
        let paper = (0..picture.pixels.len()).step_by(5003);
        let (mut painted, mut left_white) = (0, 0);
        for index in marks.chain(paper) {
            let point = picture.place(index);
            if let Some(colour) = expected(point, &scene) {
                assert_eq!(picture.pixels[index], colour, "{point:?} of {:?}", scene.title);
                *if colour == theme::PAPER.rgb { &mut left_white } else { &mut painted } += 1;
            }
        }
        assert!(painted >= 15 && left_white > 100, "{painted} and {left_white} of {:?}", scene.title);
    }
}

#[test]
fn letters_fill_the_room_that_layout_gave_them() {
    let aligned = [Align::Left, Align::Centre, Align::Right].map(|align| [(align, false), (align, true)]);
    for &(align, upwards) in aligned.as_flattened() {
        let label =
            Label { upwards, ..Label::new("HIMNH".into(), (1500.0, 600.0), align, f64::from(theme::TICK_SIZE)) };
        let shapes = vec![Shape::Text(label.clone())];
        let picture = Picture::of(&blank(1200.0, shapes));
        let drawn = picture.inked().fold([f64::MAX, f64::MIN, f64::MAX, f64::MIN], |[l, r, t, b], (x, y)| {
            [l.min(x), r.max(x), t.min(y), b.max(y)]
        });
        let [left, right, top, bottom] = extent(&label);
        // Capitals are 0.73 em high, and have a little room beside them.
        let (beside, above) = (0.1 * label.size, 0.5 * (1.0 - 0.73) * label.size);
        let (across, down) = if upwards { (above, beside) } else { (beside, above) };
        let expected = [left + across, right - across, top + down, bottom - down];
        for (drawn, expected) in drawn.into_iter().zip(expected) {
            assert!((drawn - expected).abs() < 3.0, "{align:?}, {upwards}: {drawn} for {expected}");
        }
    }
}

#[test]
fn dashes_cover_the_share_of_a_line_that_their_pattern_says() {
    let pattern = theme::dashes(1);
    let points = vec![(0.0, 100.0), (3000.0, 100.0)];
    let line = Shape::Line { points, colour: theme::INK, width: f64::from(theme::LINE), dashes: pattern.clone() };
    let picture = Picture::of(&blank(200.0, vec![line]));
    let inked = picture.inked().filter(|(_, y)| (y - 100.0).abs() < 2.0).count();
    let share = inked as f64 / (2.0 * 1500.0);
    assert!((share - pattern[0] / (pattern[0] + pattern[1])).abs() < 0.01, "{share}");
}

#[test]
fn straight_strokes_and_boxes_have_sharp_edges() {
    let shapes = vec![
        unbroken(vec![(400.3, 100.7), (2500.9, 100.7)], theme::INK, f64::from(theme::GRID_LINE)),
        unbroken(vec![(99.1, 150.2), (99.1, 700.6)], theme::INK, f64::from(theme::AXIS_LINE)),
        Shape::Area {
            points: vec![(400.7, 300.9), (900.1, 300.9), (900.1, 500.3), (400.7, 500.3)],
            colour: theme::INK,
        },
    ];
    let picture = Picture::of(&blank(800.0, shapes));
    assert!(picture.pixels.iter().all(|&pixel| pixel == theme::INK.rgb || pixel == theme::PAPER.rgb));
}
