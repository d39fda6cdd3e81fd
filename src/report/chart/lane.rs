//! One lane of a Gantt chart: boxes for its bars, and labels where they fit.

use super::pen::{Pen, Rect};
use super::sheet::Plot;
use super::{theme, titles};
use crate::{Bar, BarKind};
use gridloom_files::single_line;
use plotters::style::text_anchor::HPos;

/// Between a label and the edges of its box.
const LABEL_EDGE: i32 = 2 * theme::GAP / 5;

/// Draws the bars of a lane that lies between two heights.
pub(super) fn draw(bars: &[Bar], plot: &Plot, top: i32, bottom: i32) {
    let edge = (bottom - top) * 13 / 100;
    let rect = |bar: &Bar| {
        let (left, right) = (plot.at(bar.start, 0.0).0, plot.at(bar.end, 0.0).0);
        // An instant is as wide as a line.
        Rect { left, right: right.max(left + theme::AXIS_LINE), top: top + edge, bottom: bottom - edge }
    };
    let mut placed: Vec<(&Bar, Rect)> = bars.iter().map(|bar| (bar, rect(bar))).collect();
    placed.sort_by_key(|(bar, _)| layer(bar.kind));
    placed.iter().for_each(|(bar, rect)| boxed(plot.pen, *rect, bar.kind));
    let size = theme::BAR_TEXT_SIZE.min(17 * (bottom - top - 2 * edge) / 20);
    for (index, &(bar, rect)) in placed.iter().enumerate() {
        let text = single_line(&bar.label);
        let needed = titles::width(&text, size) + 2 * LABEL_EDGE;
        let (from, to) = visible(rect, &placed[index + 1..]);
        if text.is_empty() || needed > to - from {
            continue;
        }
        let middle = ((from + to) / 2, (top + bottom) / 2);
        if bar.kind == BarKind::Local {
            // Strokes would run through the letters.
            plot.pen.rect(Rect::around(middle, (needed / 2, (rect.bottom - rect.top) / 2 - edge)), theme::SHADE);
        }
        plot.pen.text(text, middle, HPos::Center, size);
    }
}

/// A box as its kind looks.
pub(super) fn boxed(pen: &Pen, rect: Rect, kind: BarKind) {
    match kind {
        BarKind::Free => pen.outlined(rect, theme::PALE, theme::PAPER),
        BarKind::Local => pen.hatched(rect, theme::AXIS, theme::SHADE),
        BarKind::Window(request) => {
            let colour = theme::window_colour(request);
            pen.outlined(rect, colour, theme::tint(colour));
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

/// The widest stretch of a box that those painted over it leave.
fn visible(rect: Rect, over: &[(&Bar, Rect)]) -> (i32, i32) {
    let mut covers: Vec<(i32, i32)> = over.iter().map(|(_, cover)| (cover.left, cover.right)).collect();
    covers.sort_unstable();
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
    use crate::chart::Canvas;
    use crate::chart::axis::{Axis, Scale};
    use crate::chart::range::Range;
    use crate::chart::sheet::{Panel, Sheet};
    use crate::tidy::{self, extent};
    use gridloom_files::{Label, Scene, Shape};
    use proptest::prelude::*;

    fn bar(start: i32, end: i32, label: &str, kind: BarKind) -> Bar {
        Bar { start: start.into(), end: end.into(), label: label.into(), kind }
    }

    /// A lane from 0 to 100 alone on a sheet, and where 0 and 100 are.
    fn drawn(bars: &[Bar]) -> (Scene, [f64; 2]) {
        let x = Scale::Values(Range { low: 0.0, high: 100.0 });
        let panels = vec![Panel::new(x, Axis::named(1.0, Vec::new()), 120)];
        let ends = std::cell::Cell::new([0.0; 2]);
        let scene = Sheet { panels, columns: 1, ..Sheet::default() }.scene(&Canvas::default(), |_, plot| {
            ends.set([plot.at(0.0, 0.0).0, plot.at(100.0, 0.0).0].map(f64::from));
            draw(bars, plot, plot.rect.top, plot.rect.bottom);
        });
        (scene, ends.get())
    }

    /// The labels in bars.
    fn labels(bars: &[Bar]) -> Vec<Label> {
        let is_in_bar = |label: &&Label| label.size == f64::from(theme::BAR_TEXT_SIZE);
        tidy::labels(&drawn(bars).0).into_iter().filter(is_in_bar).cloned().collect()
    }

    #[test]
    fn a_label_moves_to_the_part_of_its_box_that_is_seen() {
        let bars = [bar(20, 50, "W1", BarKind::Window(0)), bar(0, 100, "3", BarKind::Free)];
        let [left, right] = drawn(&bars).1;
        let place = |label: Label| (label.text, (100.0 * (label.at.0 - left) / (right - left)).round());
        let places: Vec<(String, f64)> = labels(&bars).into_iter().map(place).collect();
        assert_eq!(places, [("3".to_string(), 75.0), ("W1".to_string(), 35.0)]);
    }

    #[test]
    fn labels_that_do_not_fit_are_left_out() {
        assert!(labels(&[bar(0, 3, "W2.3", BarKind::Window(1)), bar(5, 5, "x", BarKind::Local)]).is_empty());
        assert!(labels(&[bar(0, 9, "0", BarKind::Free), bar(0, 9, "", BarKind::Window(0))]).is_empty());
    }

    #[test]
    fn even_an_instant_leaves_a_mark() {
        for kind in [BarKind::Free, BarKind::Local, BarKind::Window(0)] {
            let (scene, [left, right]) = drawn(&[bar(7, 7, "", kind)]);
            let at = left + 0.07 * (right - left);
            let is_there = |shape: &Shape| match shape {
                Shape::Area { points, .. } => {
                    (points[0].0 - at).abs() <= 1.0 && points[1].0 - points[0].0 >= f64::from(theme::AXIS_LINE)
                }
                _ => false,
            };
            assert!(scene.shapes.iter().any(is_there), "{kind:?}");
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
            let [left, right] = drawn(&bars).1;
            let place = |time: f64| left + 0.01 * time * (right - left);
            for label in labels(&bars) {
                let own: usize = label.text.parse().unwrap();
                let [left, right, ..] = extent(&label);
                let ends = |bar: &Bar| (place(bar.start), place(bar.end));
                let (from, to) = ends(&bars[own]);
                prop_assert!(from <= left + 1.0 && right <= to + 1.0);
                for (index, other) in bars.iter().enumerate() {
                    let over = (layer(other.kind), index) > (layer(bars[own].kind), own);
                    let (from, to) = ends(other);
                    prop_assert!(!over || right <= from + 1.0 || to <= left + 1.0, "{index} hides the label of {own}");
                }
            }
        }
    }
}
