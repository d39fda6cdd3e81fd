//! One lane of a Gantt chart: boxes for its bars, and labels where they fit.

use super::boxes::Rect;
use super::frame::Plot;
use super::theme;
use crate::{Bar, BarKind};
use gridloom_files::single_line;
use gridloom_files::text_width;
use gridloom_files::{Align, Label, Shape};

/// Between a lane's boxes and its edges, as a share of its height.
const EDGE: f64 = 0.13;
/// Between a label and the edges of its box.
const LABEL_EDGE: f64 = 0.4 * theme::GAP;

/// The bars of a lane that lies between two heights.
pub(crate) fn shapes(bars: &[Bar], plot: &Plot, top: f64, bottom: f64) -> Vec<Shape> {
    let edge = EDGE * (bottom - top);
    let mut placed: Vec<(&Bar, Rect)> =
        bars.iter().map(|bar| (bar, rect(bar, plot, top + edge, bottom - edge))).collect();
    placed.sort_by_key(|(bar, _)| layer(bar.kind));

    let mut shapes: Vec<Shape> = placed.iter().flat_map(|(bar, rect)| boxed(*rect, bar.kind)).collect();
    let size = theme::BAR_TEXT_SIZE.min(0.85 * (bottom - top - 2.0 * edge));
    for (index, &(bar, rect)) in placed.iter().enumerate() {
        let text = single_line(&bar.label);
        let needed = text_width(&text, size, false) + 2.0 * LABEL_EDGE;
        if text.is_empty() || needed > rect.right - rect.left {
            continue;
        }
        let (from, to) = visible(rect, &placed[index + 1..]);
        if needed <= to - from {
            let (middle, half) = (0.5 * (from + to), 0.5 * needed);
            if bar.kind == BarKind::Local {
                // Strokes would run through the letters.
                let plate = Rect {
                    left: middle - half,
                    right: middle + half,
                    top: rect.top + edge,
                    bottom: rect.bottom - edge,
                };
                shapes.push(plate.filled(theme::SHADE));
            }
            let at = (middle, 0.5 * (top + bottom));
            shapes.push(Shape::Text(Label::new(text, at, Align::Centre, size)));
        }
    }
    shapes
}

/// A box as its kind looks.
pub(crate) fn boxed(rect: Rect, kind: BarKind) -> Vec<Shape> {
    match kind {
        BarKind::Free => rect.outlined(theme::PALE, theme::PAPER),
        BarKind::Local => rect.hatched(theme::AXIS, theme::HATCH, theme::SHADE),
        BarKind::Window(request) => {
            let colour = theme::window_colour(request);
            rect.outlined(colour, theme::tint(colour))
        }
    }
}

/// Later layers are painted over earlier ones.
fn layer(kind: BarKind) -> u8 {
    match kind {
        BarKind::Free => 0,
        BarKind::Local => 1,
        BarKind::Window(_) => 2,
    }
}

/// The box of a bar; an instant is as wide as a line.
fn rect(bar: &Bar, plot: &Plot, top: f64, bottom: f64) -> Rect {
    let across = |time| plot.at(time, plot.y.low).0;
    let (left, right) = (across(bar.start), across(bar.end));
    Rect { left, right: right.max(left + theme::AXIS_LINE), top, bottom }
}

/// The widest stretch of a box that those painted over it leave.
fn visible(rect: Rect, over: &[(&Bar, Rect)]) -> (f64, f64) {
    let mut covers: Vec<(f64, f64)> = over.iter().map(|(_, cover)| (cover.left, cover.right)).collect();
    covers.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut widest = (rect.left, rect.left);
    let mut from = rect.left;
    for (left, right) in covers.into_iter().chain([(rect.right, rect.right)]) {
        let to = left.min(rect.right);
        if to - from > widest.1 - widest.0 {
            widest = (from, to);
        }
        from = from.max(right);
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::scale::Range;
    use crate::chart::tidy::extent;
    use proptest::prelude::*;

    const PLOT: Plot = Plot {
        left: 100.0,
        right: 1300.0,
        top: 0.0,
        bottom: 120.0,
        x: Range { low: 0.0, high: 100.0 },
        y: Range { low: 0.0, high: 1.0 },
    };

    fn bar(start: i32, end: i32, label: &str, kind: BarKind) -> Bar {
        Bar { start: start.into(), end: end.into(), label: label.into(), kind }
    }

    fn labels(bars: &[Bar]) -> Vec<Label> {
        let text = |shape| if let Shape::Text(label) = shape { Some(label) } else { None };
        shapes(bars, &PLOT, 0.0, 120.0).into_iter().filter_map(text).collect()
    }

    #[test]
    fn a_label_moves_to_the_part_of_its_box_that_is_seen() {
        let bars = [bar(20, 50, "W1", BarKind::Window(0)), bar(0, 100, "3", BarKind::Free)];
        let places: Vec<(String, f64)> = labels(&bars).into_iter().map(|label| (label.text, label.at.0)).collect();
        assert_eq!(places, [("3".to_string(), 1000.0), ("W1".to_string(), 520.0)]);
    }

    #[test]
    fn labels_that_do_not_fit_are_left_out() {
        assert!(labels(&[bar(0, 3, "W2.3", BarKind::Window(1)), bar(5, 5, "x", BarKind::Local)]).is_empty());
        assert!(labels(&[bar(0, 9, "0", BarKind::Free), bar(0, 9, "", BarKind::Window(0))]).is_empty());
    }

    #[test]
    fn even_an_instant_leaves_a_mark() {
        for kind in [BarKind::Free, BarKind::Local, BarKind::Window(0)] {
            let shapes = shapes(&[bar(7, 7, "", kind)], &PLOT, 0.0, 120.0);
            let Shape::Area { points, .. } = &shapes[0] else { panic!("{shapes:?}") };
            assert!(points[1].0 - points[0].0 >= theme::AXIS_LINE);
        }
    }

    proptest! {
        #[test]
        fn every_label_lies_within_its_box_and_below_no_other(
            stretches in prop::collection::vec((0_i32..100, 0_i32..60, 0_usize..5), 0..12),
        ) {
            let kinds = [BarKind::Free, BarKind::Local, BarKind::Window(0), BarKind::Window(1), BarKind::Window(2)];
            let bars: Vec<Bar> = stretches
                .iter()
                .enumerate()
                .map(|(index, &(start, length, kind))| bar(start, (start + length).min(100), &index.to_string(), kinds[kind]))
                .collect();
            for label in labels(&bars) {
                let own: usize = label.text.parse().unwrap();
                let [left, right, ..] = extent(&label);
                let ends = |bar: &Bar| (PLOT.at(bar.start, 0.0).0, PLOT.at(bar.end, 0.0).0);
                let (from, to) = ends(&bars[own]);
                prop_assert!(from <= left && right <= to);
                for (index, other) in bars.iter().enumerate() {
                    let over = (layer(other.kind), index) > (layer(bars[own].kind), own);
                    let (from, to) = ends(other);
                    prop_assert!(!over || right <= from || to <= left, "{index} hides the label of {own}");
                }
            }
        }
    }
}
