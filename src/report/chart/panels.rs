//! Small multiples: panels that share both axes.
//!
//! Past the number of colours, lines and bands lie in a heap and a legend is as high as its plot. Names at the ends of
//! the lines don't help where lines meet before they end, as those of many policies do. In a panel of its own each
//! series can be followed with its band even at the width of a column; all the others in grey behind it say where it
//! stands among them, since all panels share both axes.

use super::axis::{Horizontal, panel_title, widest};
use super::frame::{
    LegendEntry, Plot, VERTICAL_STEPS, Vertical, heading, horizontal_title, title_lines, vertical_axis, vertical_lines,
};
use super::marks;
use super::scale::{Range, Ticks};
use super::series::{DrawnSeries, LineLook};
use super::theme;
use crate::Figure;
use gridloom_files::text_width;
use gridloom_files::{Align, Label, Scene, ScenePoint, Shape, stroke, unbroken};

/// At most this many panels side by side.
const COLUMNS: usize = 4;
/// The same for so few panels that their number decides.
const FEW: [usize; 10] = [1, 1, 2, 3, 2, 3, 3, 4, 4, 3];
/// The height of panels by their number side by side.
const HEIGHTS: [f64; COLUMNS] = [theme::PLOT_HEIGHT, 900.0, 640.0, 460.0];
/// At most this many steps between the ticks of a low panel.
const STEPS: usize = 4;
/// Panels lower than this are low.
const LOW: f64 = 1000.0;
/// The least height of panels that stand in one row.
const LONE_ROW: f64 = 800.0;
/// A range may grow to this multiple of itself to end at ticks.
const MOST_ROUNDING: f64 = 1.4;

/// Panels in rows from the top down, each with a title of its own.
pub(crate) struct SmallMultiples<'a> {
    pub figure: &'a Figure,
    pub legend: Vec<LegendEntry>,
    /// The title of each panel; an empty one takes no room.
    pub titles: Vec<String>,
    /// The number of panels side by side, from 1 to [`most_columns`].
    pub columns: usize,
    pub x: Horizontal<'a>,
    pub y: Range,
    /// The vertical range is one of logarithms to base ten, if true.
    pub powers_up: bool,
}

/// The number of panels side by side that suits this many: rows as full as they can be, and no panel narrower than its
/// ticks.
pub(crate) fn most_columns(panels: usize) -> usize {
    FEW.get(panels).copied().unwrap_or(COLUMNS)
}

/// The height of each of some panels; a row that is alone has room to spare.
fn panel_height(panels: usize, columns: usize) -> f64 {
    let height = HEIGHTS[columns.clamp(1, COLUMNS) - 1];
    if panels <= columns { height.max(LONE_ROW) } else { height }
}

/// The range from one tick to another, unless that leaves too much of the panels empty.
fn tightly_rounded(y: Range, steps: usize) -> Range {
    let rounded = y.rounded(steps);
    if rounded.high - rounded.low <= MOST_ROUNDING * (y.high - y.low) { rounded } else { y.padded(0.04) }
}

impl SmallMultiples<'_> {
    /// Lays out the panels; `draw` gives the data of each.
    pub(crate) fn scene(self, draw: impl Fn(usize, &Plot) -> Vec<Shape>) -> Scene {
        let Self { figure, legend, titles, columns, x, y, powers_up } = self;
        let panel_height = panel_height(titles.len(), columns);
        let steps = if panel_height < LOW { STEPS } else { VERTICAL_STEPS };
        let mut shapes = Vec::new();
        let mut data = Vec::new();
        let mut top = heading(&mut shapes, &figure.title, legend);
        let y = if powers_up { Vertical::Powers(y) } else { Vertical::Values(tightly_rounded(y, steps)) };
        let mut ticks = y.ticks(steps);
        let y = y.range();
        let power = std::mem::take(&mut ticks.multiplier);
        let line = theme::LEADING * theme::TICK_SIZE;
        let start = top + line;

        let title = if power.is_empty() { figure.y_label.clone() } else { format!("{}, {power}", figure.y_label) };
        // Beside the panels, their titles in a line each, and the labels below the last.
        let rows = titles.len().div_ceil(columns) as f64;
        let between = line + 1.5 * theme::GAP;
        let upright = rows * panel_height + (rows - 1.0) * between + 0.5 * theme::GAP + theme::TICK_LENGTH + line;
        let title = title_lines(&title, upright);
        let beside = title.len() as f64 * theme::LEADING * theme::LABEL_SIZE;
        let left = theme::MARGIN + beside + widest(&ticks.labels) + theme::TICK_LENGTH + theme::GAP;
        let room = theme::WIDTH - theme::MARGIN - left;
        let overhang = x.within(room / columns as f64).overhang;
        let gap = theme::GAP + overhang[0] + overhang[1];
        let width = (room - overhang[1] + gap) / columns as f64 - gap;
        let horizontal = x.within(width);
        let x = horizontal.range;
        // Letters a little smaller are better than a second line, and a second line is better than letters that small.
        let fits = |size: f64| titles.iter().all(|title| text_width(title, size, false) <= width);
        let title_size =
            if !fits(theme::TICK_SIZE) && fits(theme::BAR_TEXT_SIZE) { theme::BAR_TEXT_SIZE } else { theme::TICK_SIZE };

        let mut end = top;
        for (row, chunk) in titles.chunks(columns).enumerate() {
            let names: Vec<_> = chunk.iter().map(|title| panel_title(title, width, title_size)).collect();
            // Half of the highest tick's label stands above its panel.
            let lines = names.iter().map(Vec::len).max().unwrap_or(0) as f64;
            top += (lines * line).max(0.5 * theme::TICK_SIZE) + 0.5 * theme::GAP;
            for (column, names) in names.iter().enumerate() {
                let index = row * columns + column;
                let left = left + column as f64 * (width + gap);
                let plot = Plot { left, right: left + width, top, bottom: top + panel_height, x, y };
                shapes.extend(horizontal.grid(&plot));
                let level = |&y: &f64| stroke(plot.at(x.low, y), plot.at(x.high, y), theme::GRID, theme::GRID_LINE);
                shapes.extend(ticks.values.iter().map(level));
                data.extend(draw(index, &plot));
                for (index, name) in names.iter().enumerate() {
                    let above = (names.len() - index) as f64 - 0.5;
                    let at = (left, top - 0.5 * theme::GAP - above * line);
                    shapes.push(Shape::Text(Label::new(name.clone(), at, Align::Left, title_size)));
                }
                let own = if column == 0 { ticks.clone() } else { Ticks::default() };
                vertical_axis(&mut shapes, &plot, &own, y.high);
                if index + columns >= titles.len() {
                    end = end.max(horizontal.place(&mut shapes, &plot, ""));
                } else {
                    shapes.push(stroke((left, plot.bottom), (plot.right, plot.bottom), theme::AXIS, theme::AXIS_LINE));
                }
            }
            top += panel_height + theme::GAP;
        }
        vertical_lines(&mut shapes, title, start, end);
        let height = horizontal_title(&mut shapes, &figure.x_label, (left, left + room), end) + theme::MARGIN;
        shapes.extend(data);
        Scene { title: figure.title.clone(), height, shapes }
    }
}

/// Lays out a panel for each series, with all the others in grey behind it.
pub(crate) fn scene(figure: &Figure, series: &[DrawnSeries], x: Horizontal<'_>, y: Range, powers_up: bool) -> Scene {
    let panels = SmallMultiples {
        figure,
        legend: legend(series),
        titles: series.iter().map(|one| one.name.clone()).collect(),
        columns: COLUMNS,
        x,
        y,
        powers_up,
    };
    panels.scene(|index, plot| {
        let others = series.iter().enumerate().filter(|(other, _)| *other != index);
        let path = |one: &DrawnSeries| one.points.iter().map(|point| plot.at(point.x, point.mean)).collect();
        let others = others.map(|(_, other)| grey(path(other)));
        let (name, points) = (series[index].name.clone(), series[index].points.clone());
        let own = DrawnSeries { look: LineLook::of(0), name, points };
        others.chain(marks::lines(&[own], plot, marks::Markers::SMALL)).collect()
    })
}

/// The legend of the two kinds of lines, and of hollow markers where there are some.
fn legend(series: &[DrawnSeries]) -> Vec<LegendEntry> {
    let ends = [(-0.5 * theme::LINE_SAMPLE, 0.0), (0.5 * theme::LINE_SAMPLE, 0.0)];
    let entry = |sample, name: &str| LegendEntry { sample, name: name.to_string() };
    let named = entry(vec![marks::dashed(ends.to_vec(), LineLook::of(0))], "as named above the panel");
    let others = entry(vec![grey(ends.to_vec())], "all others");
    [named, others].into_iter().chain(marks::band_entry(series)).chain(marks::published_entry(series)).collect()
}

fn grey(points: Vec<ScenePoint>) -> Shape {
    unbroken(points, theme::PALE, theme::AXIS_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tidy::{assert_tidy, labels};
    use crate::{FigureKind, Row};
    use crate::{chart, samples};
    use gridloom_files::Colour;

    fn drawn(rows: &[Row]) -> Scene {
        chart::scene(&samples::figure(FigureKind::Lines), rows).unwrap()
    }

    /// All lines of this colour and width.
    fn lines(scene: &Scene, colour: Colour, width: f64) -> usize {
        let own =
            |shape: &&Shape| matches!(shape, Shape::Line { colour: c, width: w, .. } if *c == colour && *w == width);
        scene.shapes.iter().filter(own).count()
    }

    #[test]
    fn past_the_number_of_colours_each_series_has_a_panel_with_its_name() {
        for count in [9, 16, 18] {
            let scene = drawn(&samples::sweep(count, 5));
            assert_tidy(&scene);
            let named =
                |index: usize| labels(&scene).iter().filter(|label| label.text == format!("series {index}")).count();
            assert!((0..count).all(|index| named(index) == 1));
            let in_legend = 1;
            assert_eq!(lines(&scene, theme::colour(0), theme::LINE), count + in_legend);
            assert_eq!(lines(&scene, theme::PALE, theme::AXIS_LINE), count * (count - 1) + in_legend);
        }
    }

    #[test]
    fn as_many_series_as_colours_share_a_plot() {
        let scene = drawn(&samples::sweep(theme::COLOURS, 5));
        assert_eq!(lines(&scene, theme::PALE, theme::AXIS_LINE), 0);
    }

    #[test]
    fn long_names_large_values_and_published_points_have_room() {
        let rows: Vec<Row> = samples::sweep(10, 24)
            .into_iter()
            .map(|row| Row {
                series: format!("a policy with a name too long for two lines, {}", row.series),
                mean: 1e8 * row.mean,
                published: Some(1.1e9),
                x: row.x.map(|x| 1e5 * x),
                ..row
            })
            .collect();
        let scene = drawn(&rows);
        assert_tidy(&scene);
        assert!(labels(&scene).iter().any(|label| label.text == "Waiting time (min), ×10⁹"));
        assert!(labels(&scene).iter().any(|label| label.text == "published"));
    }
}
