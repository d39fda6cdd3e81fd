//! The keys to maps: the legend of their marks, and the bar of their colours.

use super::layout::MapLayout;
use super::{BAR_STEPS, MapPanel, border, told_mark};
use crate::chart::boxes::Rect;
use crate::chart::frame::LegendEntry;
use crate::chart::scale::Ticks;
use crate::chart::shades::Shades;
use crate::chart::{axis, theme};
use crate::table::TOLD;
use gridloom_files::{Align, Label, Shape, stroke};
use gridloom_files::{fitted, text_width};

const BAR_HEIGHT: f64 = 56.0;
/// The colour bar is made of this many stripes.
const STRIPES: usize = 120;

/// The legend of what some map shows: marks, lines, and cells without a value.
pub(super) fn legend(panels: &[MapPanel], shades: Shades) -> Vec<LegendEntry> {
    let all = || panels.iter().flat_map(|panel| panel.cells.iter().flatten());
    let entry = |sample, name: &str| LegendEntry { sample, name: name.into() };
    let sample = Rect::SAMPLE;
    let mut legend = Vec::new();
    if all().flatten().any(|row| row.p_holm.is_some()) {
        let cell = vec![sample.filled(theme::SHADE), told_mark(Rect { top: 3.0 * sample.top, ..sample })];
        let cell = cell.into_iter().zip([0.0, -2.0 * sample.top]).map(|(shape, down)| shape.moved((0.0, down)));
        legend.push(entry(cell.collect(), &format!("bold: told from 0, p < {TOLD} after Holm")));
    }
    let means = || all().flatten().map(|row| row.mean);
    if shades.is_diverging && means().any(|mean| mean < 0.0) && means().any(|mean| mean > 0.0) {
        let half = 0.5 * theme::SAMPLE;
        legend.push(entry(vec![border((-half, 0.0), (half, 0.0))], "the sign changes"));
    }
    if all().any(Option::is_none) {
        legend.push(entry(sample.hatched(theme::HATCH, theme::HATCH, theme::PAPER), "not measured"));
    }
    legend
}

/// The colours with their values and their title; returns where free space begins below.
pub(super) fn colour_bar(
    shapes: &mut Vec<Shape>,
    title: &str,
    shades: Shades,
    power: i32,
    layout: &MapLayout,
    top: f64,
) -> f64 {
    let range = shades.range;
    let ticks = Ticks::within(range, BAR_STEPS);
    let overhang = 0.5 * axis::widest(&ticks.labels);
    let (left, right) = (layout.left + overhang, theme::WIDTH - theme::MARGIN - overhang);
    let title = if power == 0 { title.to_string() } else { format!("{title}, {}", ticks.multiplier) };
    let title = fitted(&title, theme::WIDTH - 2.0 * theme::MARGIN, theme::LABEL_SIZE, false);
    let middle = top + 0.5 * theme::LEADING * theme::LABEL_SIZE;
    let centre = 0.5 * (left + right);
    let half = 0.5 * text_width(&title, theme::LABEL_SIZE, false);
    let at = centre.min(theme::WIDTH - theme::MARGIN - half).max(theme::MARGIN + half);
    shapes.push(Shape::Text(Label::new(title, (at, middle), Align::Centre, theme::LABEL_SIZE)));
    let top = top + theme::LEADING * theme::LABEL_SIZE;
    let bottom = top + BAR_HEIGHT;
    for stripe in 0..STRIPES {
        let share = |at: f64| at / STRIPES as f64;
        // Each stripe reaches to the end, below those that follow: no seams show between them.
        let from = left + share(stripe as f64) * (right - left);
        let value = range.low + share(stripe as f64 + 0.5) * (range.high - range.low);
        shapes.push(Rect { left: from, right, top, bottom }.filled(shades.colour(value)));
    }
    let line = theme::LEADING * theme::TICK_SIZE;
    for (&value, name) in ticks.values.iter().zip(&ticks.labels) {
        let x = left + range.share(value) * (right - left);
        shapes.push(stroke((x, bottom), (x, bottom + theme::TICK_LENGTH), theme::AXIS, theme::AXIS_LINE));
        let at = (x, bottom + theme::TICK_LENGTH + 0.5 * line);
        shapes.push(Shape::Text(Label::new(name.clone(), at, Align::Centre, theme::TICK_SIZE)));
    }
    bottom + theme::TICK_LENGTH + line
}
