//! The horizontal axis: numbers at round values, or names side by side.

use super::frame::{Plot, horizontal_title};
use super::scale::{Range, Ticks};
use super::theme;
use gridloom_files::{Align, Label, Shape, stroke};
use gridloom_files::{text_width, wrapped_within};

/// At most this many steps between ticks.
pub(crate) const HORIZONTAL_STEPS: usize = 12;
const FEWEST_STEPS: usize = 3;
/// The same between powers of ten.
pub(crate) const POWER_STEPS: usize = 6;
/// At most this many lines for a name.
const NAME_LINES: usize = 3;
/// At most this many lines for the title of a panel.
const PANEL_LINES: usize = 6;

/// The content of the horizontal axis.
pub(crate) enum Horizontal<'a> {
    /// Numbers, with ticks and grid lines.
    Values(Range),
    /// Logarithms to base ten of numbers, which the ticks show.
    Powers(Range),
    /// Names, each below a stretch of the same width; the `k`-th stretch spans `k` to `k + 1`. An empty name is left
    /// out.
    Names(&'a [&'a str]),
}

/// A horizontal axis with its labels chosen.
pub(crate) struct Axis {
    pub range: Range,
    /// The lengths by which labels stand out to the left and to the right.
    pub overhang: [f64; 2],
    /// Where the line ends.
    end: f64,
    values: Vec<f64>,
    /// In lines of text, one label per value.
    labels: Vec<Vec<String>>,
    multiplier: String,
    /// Ticks and grid lines mark the values, if true.
    ruled: bool,
}

impl Horizontal<'_> {
    /// Chooses labels that fit into the room.
    pub(super) fn within(&self, room: f64) -> Axis {
        match *self {
            Self::Values(range) => values(range, room),
            Self::Powers(range) => powers(range, room),
            Self::Names(names) => {
                let room = room / names.len() as f64 - theme::GAP;
                Axis {
                    range: Range { low: 0.0, high: names.len() as f64 },
                    overhang: [0.0; 2],
                    end: names.len() as f64,
                    values: (0..names.len()).map(|index| index as f64 + 0.5).collect(),
                    labels: names.iter().map(|name| name_lines(name, room)).collect(),
                    multiplier: String::new(),
                    ruled: false,
                }
            }
        }
    }
}

impl Axis {
    /// The axis with nothing past a limit.
    pub(crate) fn up_to(mut self, limit: f64) -> Self {
        self.end = self.end.min(limit);
        self.values.retain(|&value| value <= limit);
        self.labels.truncate(self.values.len());
        self
    }

    /// An upright line through the plot at each tick.
    pub(super) fn grid(&self, plot: &Plot) -> Vec<Shape> {
        let line = |&x: &f64| stroke(plot.at(x, plot.y.low), plot.at(x, plot.y.high), theme::GRID, theme::GRID_LINE);
        self.values.iter().filter(|_| self.ruled).map(line).collect()
    }

    /// The axis below a plot, with its title; returns where free space begins below.
    pub(super) fn place(&self, shapes: &mut Vec<Shape>, plot: &Plot, title: &str) -> f64 {
        let (left, right, bottom) = (plot.left, plot.right, plot.bottom);
        let end = plot.at(self.end, plot.y.low).0;
        let line = theme::LEADING * theme::TICK_SIZE;
        let text = |text: &str, at, align| Shape::Text(Label::new(text.to_string(), at, align, theme::TICK_SIZE));
        shapes.push(stroke((left, bottom), (end, bottom), theme::AXIS, theme::AXIS_LINE));
        for (&value, lines) in self.values.iter().zip(&self.labels) {
            let x = plot.at(value, plot.y.low).0;
            if self.ruled {
                shapes.push(stroke((x, bottom), (x, bottom + theme::TICK_LENGTH), theme::AXIS, theme::AXIS_LINE));
            }
            let tops = (0..lines.len()).map(|index| bottom + theme::TICK_LENGTH + index as f64 * line);
            shapes.extend(lines.iter().zip(tops).map(|(name, top)| text(name, (x, top + 0.5 * line), Align::Centre)));
        }
        let lines = self.labels.iter().map(Vec::len).max().unwrap_or(0);
        let mut below = bottom + theme::TICK_LENGTH + lines as f64 * line;
        if !self.multiplier.is_empty() {
            shapes.push(text(&self.multiplier, (right, below + 0.5 * theme::TICK_SIZE), Align::Right));
            below += line;
        }
        horizontal_title(shapes, title, (left, right), below)
    }
}

/// As many ticks as there is room for their labels; where a narrow axis has room for one alone, every second of more
/// ticks has a label.
fn values(range: Range, room: f64) -> Axis {
    for (labelled, fewest) in [(1, 2), (2, 3)] {
        for steps in (FEWEST_STEPS..=HORIZONTAL_STEPS).rev() {
            let ticks = Ticks::within(range, steps);
            let [first, second, ..] = ticks.values[..] else { continue };
            let apart = labelled as f64 * (range.share(second) - range.share(first)) * room;
            if ticks.values.len() >= fewest && widest(&ticks.labels) + 2.0 * theme::GAP <= apart {
                return with_labels(range, room, ticks, labelled);
            }
        }
    }
    with_labels(range, room, Ticks::within(range, FEWEST_STEPS), FEWEST_STEPS)
}

/// As many powers of ten, or parts of them, as there is room for their labels.
fn powers(range: Range, room: f64) -> Axis {
    for every in 1..=POWER_STEPS {
        for steps in (2..=POWER_STEPS).rev() {
            let ticks = Ticks::powers(range, steps);
            let places: Vec<f64> = ticks.values.iter().step_by(every).map(|&value| room * range.share(value)).collect();
            let apart = places.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
            if places.len() > 1 && widest(&ticks.labels) + theme::GAP <= apart {
                return with_labels(range, room, ticks, every);
            }
        }
    }
    let ticks = Ticks::powers(range, POWER_STEPS);
    let all = ticks.values.len().max(1);
    with_labels(range, room, ticks, all)
}

/// The axis of these ticks, with a label at every so many of them.
fn with_labels(range: Range, room: f64, ticks: Ticks, every: usize) -> Axis {
    let Ticks { values, labels, multiplier, .. } = ticks;
    let label = widest(&labels);
    let beyond = |value: Option<&f64>, end: f64| {
        value.map_or(0.0, |&value| (0.5 * label - (range.share(value) - end).abs() * room).max(0.0))
    };
    let overhang = [beyond(values.first(), 0.0), beyond(values.iter().step_by(every).next_back(), 1.0)];
    let labels = labels.into_iter().enumerate();
    let labels = labels.map(|(index, label)| if index % every == 0 { vec![label] } else { Vec::new() }).collect();
    Axis { range, overhang, end: range.high, values, labels, multiplier, ruled: true }
}

/// A name in a few lines; none where not even its beginning fits.
pub(crate) fn name_lines(name: &str, room: f64) -> Vec<String> {
    few_lines(name, room, theme::TICK_SIZE, NAME_LINES)
}

/// The title of a panel among others, which is all that tells them apart: in more lines than other names.
pub(crate) fn panel_title(title: &str, room: f64, size: f64) -> Vec<String> {
    few_lines(title, room, size, PANEL_LINES)
}

/// A text in so many lines at most; none where not even its beginning fits.
fn few_lines(text: &str, room: f64, size: f64, most: usize) -> Vec<String> {
    let lines = wrapped_within(text, room, size, most);
    if lines.iter().all(|line| text_width(line, size, false) <= room) { lines } else { Vec::new() }
}

/// The width of the widest label.
pub(crate) fn widest(labels: &[String]) -> f64 {
    labels.iter().map(|text| text_width(text, theme::TICK_SIZE, false)).fold(0.0, f64::max)
}
