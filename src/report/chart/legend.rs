//! Legends: samples with their names, in rows above the data.

use super::pen::{Pen, Point, Rect};
use super::series::LineLook;
use super::theme;
use super::titles::width;
use gridloom_files::{Colour, wrapped_within};
use plotters::style::text_anchor::HPos;

/// The reach of usual samples to both sides, and above and below.
const BOX: (i32, i32) = (theme::SAMPLE * 3 / 10, theme::TICK_SIZE * 9 / 25);

/// At most this many lines for a name.
const MOST_LINES: usize = 3;

/// Draws a sample around a point.
type Sample<'a> = Box<dyn Fn(&Pen, Point) + 'a>;

/// An entry of the legend.
pub(super) struct Entry<'a> {
    pub name: String,
    /// How far its sample reaches to either side.
    pub reach: i32,
    pub sample: Sample<'a>,
}

impl<'a> Entry<'a> {
    /// An entry whose sample is drawn around a point.
    pub(super) fn new(name: impl Into<String>, sample: impl Fn(&Pen, Point) + 'a) -> Self {
        Self { name: name.into(), reach: theme::SAMPLE / 2, sample: Box::new(sample) }
    }

    /// An entry whose sample fills a box.
    pub(super) fn boxed(name: impl Into<String>, sample: impl Fn(&Pen, Rect) + 'a) -> Self {
        Self::new(name, move |pen, at| sample(pen, Rect::around(at, BOX)))
    }

    /// An entry whose sample is a line, from one point to the other.
    pub(super) fn line(name: impl Into<String>, sample: impl Fn(&Pen, [Point; 2]) + 'a) -> Self {
        let half = theme::LINE_SAMPLE / 2;
        let sample = move |pen: &Pen, (x, y): Point| sample(pen, [(x - half, y), (x + half, y)]);
        Self { reach: half, ..Self::new(name, sample) }
    }

    /// The entry of intervals as whiskers, which stand upright or lie.
    pub(super) fn whisker(is_upright: bool) -> Self {
        Self::boxed("95 % interval", move |pen, rect| {
            let ((x, y), (beside, above)) = (rect.middle(), BOX);
            let (ends, half) =
                if is_upright { ([y - above, y + above], above) } else { ([x - beside, x + beside], above) };
            whisker(
                pen,
                ends,
                [true, true],
                half,
                |along, across| {
                    if is_upright { (x + across, along) } else { (along, y + across) }
                },
            );
        })
    }

    /// The entry of published values, whose marker has this pattern.
    pub(super) fn published(pattern: usize, radius: f64) -> Self {
        Self::new("published", move |pen, at| pen.hollow(pattern, at, radius, theme::INK))
    }

    /// The entry of bars of a colour.
    pub(super) fn bar(name: &str, colour: Colour) -> Self {
        Self::boxed(name, move |pen, rect| pen.outlined(rect, colour, theme::tint(colour)))
    }

    /// The entry of a line in the looks of a series.
    pub(super) fn look(name: &str, look: LineLook) -> Self {
        Self::line(name, move |pen, ends| pen.look(ends.to_vec(), look))
    }
}

/// An interval as a line with a short stroke across each end, except where it is cut. `place` puts a distance along the
/// line and one across it onto the canvas.
pub(super) fn whisker(pen: &Pen, ends: [i32; 2], whole: [bool; 2], half: i32, place: impl Fn(i32, i32) -> Point) {
    let line = |from, to| pen.line([from, to], theme::INK, theme::AXIS_LINE);
    line(place(ends[0], 0), place(ends[1], 0));
    for (end, _) in ends.into_iter().zip(whole).filter(|(_, whole)| *whole) {
        line(place(end, -half), place(end, half));
    }
}

/// Draws a legend between two sides; returns where free space begins below it.
pub(super) fn place(pen: &Pen, entries: &[Entry], [left, right]: [i32; 2], top: i32) -> i32 {
    let Layout { before_name, names, height } = layout(entries, right - left);
    for (entry, (name, x, middle)) in entries.iter().zip(names) {
        let (x, y) = (left + x, top + middle);
        (entry.sample)(pen, (x + (before_name - theme::GAP) / 2, y));
        pen.text(name, (x + before_name, y), HPos::Left, theme::TICK_SIZE);
    }
    top + height
}

/// The height of a legend that has so much room.
pub(super) fn height(entries: &[Entry], room: i32) -> i32 {
    layout(entries, room).height
}

struct Layout {
    /// The distance from the left of an entry to its name.
    before_name: i32,
    /// The name of each entry in lines, its distance from the left, and that of its middle from the top.
    names: Vec<(String, i32, i32)>,
    height: i32,
}

/// Entries in rows, in columns that line up where that takes no more rows.
fn layout(entries: &[Entry], room: i32) -> Layout {
    let before_name = entries.iter().map(|entry| 2 * entry.reach + theme::GAP).max().unwrap_or(0);
    let wrapped = |entry: &Entry| {
        let (room, size) = (f64::from(room - before_name), f64::from(theme::TICK_SIZE));
        wrapped_within(&entry.name, room, size, MOST_LINES).join("\n")
    };
    let names: Vec<String> = entries.iter().map(wrapped).collect();
    let name_width = |name: &String| name.lines().map(|line| width(line, theme::TICK_SIZE)).max().unwrap_or(0);
    let widths: Vec<i32> = names.iter().map(|name| before_name + name_width(name) + 2 * theme::GAP).collect();
    let placed = |widths: &[i32]| {
        let (mut x, mut row) = (0, 0);
        let mut places = Vec::new();
        for width in widths {
            if x > 0 && x + width > room + 2 * theme::GAP {
                (x, row) = (0, row + 1);
            }
            places.push((x, row));
            x += width;
        }
        places
    };
    let columns = vec![widths.iter().copied().max().unwrap_or(0); widths.len()];
    let (tight, even) = (placed(&widths), placed(&columns));
    let rows = |places: &[(i32, usize)]| places.last().map_or(0, |(_, row)| row + 1);
    let places = if rows(&tight) > 1 && rows(&even) <= rows(&tight) { even } else { tight };

    let mut heights = vec![theme::line(theme::TICK_SIZE); rows(&places)];
    for (name, &(_, row)) in names.iter().zip(&places) {
        let more = (name.lines().count() as i32 - 1) * theme::name_line(theme::TICK_SIZE);
        heights[row] = heights[row].max(theme::line(theme::TICK_SIZE) + more);
    }
    let top = |row: usize| heights[..row].iter().sum::<i32>();
    let names = names.into_iter().zip(&places).map(|(name, &(x, row))| (name, x, top(row) + heights[row] / 2));
    Layout { before_name, names: names.collect(), height: heights.iter().sum() }
}
