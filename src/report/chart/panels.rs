//! Many lines as small multiples: a panel for each series, with all the others in grey behind it.
//!
//! Past the number of colours, lines and bands lie in a heap and a legend is as high as its plot. Names at the ends of
//! the lines don't help where lines meet before they end, as those of many policies do. In a panel of its own each
//! series can be followed with its band even at the width of a column; the grey lines say where it stands among the
//! others, since all panels share both axes.

use super::axis::{Horizontal, name_lines, widest};
use super::font::fitted;
use super::frame::{LegendEntry, Plot, heading, vertical_axis, vertical_title};
use super::marks;
use super::scale::{Range, Ticks};
use super::scene::{Align, Label, Scene, ScenePoint, Shape, stroke, unbroken};
use super::series::DrawnSeries;
use super::theme;
use crate::study::Figure;

const COLUMNS: usize = 4;
const PANEL_HEIGHT: f64 = 460.0;
/// At most this many steps between the ticks of a vertical axis.
const STEPS: usize = 4;

/// Lays out a panel for each series in rows from the top down; all share the ranges.
pub(crate) fn scene(figure: &Figure, series: &[DrawnSeries], x: Range, y: Range) -> Scene {
    let mut shapes = Vec::new();
    let mut data = Vec::new();
    let mut top = heading(&mut shapes, &figure.title, legend(series));
    let y = y.rounded(STEPS);
    let mut ticks = Ticks::within(y, STEPS);
    let power = std::mem::take(&mut ticks.multiplier);
    let line = theme::LEADING * theme::TICK_SIZE;
    let start = top + line;

    let left =
        theme::MARGIN + theme::LEADING * theme::LABEL_SIZE + widest(&ticks.labels) + theme::TICK_LENGTH + theme::GAP;
    let room = theme::WIDTH - theme::MARGIN - left;
    let overhang = Horizontal::Values(x).within(room / COLUMNS as f64).overhang;
    let gap = theme::GAP + overhang[0] + overhang[1];
    let width = (room - overhang[1] + gap) / COLUMNS as f64 - gap;
    let horizontal = Horizontal::Values(x).within(width);

    let mut end = top;
    for (row, chunk) in series.chunks(COLUMNS).enumerate() {
        let names: Vec<_> = chunk.iter().map(|one| name_lines(&one.name, width)).collect();
        top += names.iter().map(Vec::len).max().unwrap_or(0) as f64 * line + 0.5 * theme::GAP;
        for (column, (one, names)) in chunk.iter().zip(&names).enumerate() {
            let left = left + column as f64 * (width + gap);
            let plot = Plot { left, right: left + width, top, bottom: top + PANEL_HEIGHT, x, y };
            shapes.extend(horizontal.grid(&plot));
            let level = |&y: &f64| stroke(plot.at(x.low, y), plot.at(x.high, y), theme::GRID, theme::GRID_LINE);
            shapes.extend(ticks.values.iter().map(level));
            for other in series.iter().filter(|other| !std::ptr::eq(*other, one)) {
                data.push(grey(other.points.iter().map(|point| plot.at(point.x, point.mean)).collect()));
            }
            data.extend(marks::lines(std::slice::from_ref(one), &plot, marks::Markers::SMALL));
            for (index, name) in names.iter().enumerate() {
                let above = (names.len() - index) as f64 - 0.5;
                let at = (left, top - 0.5 * theme::GAP - above * line);
                shapes.push(Shape::Text(Label::new(name.clone(), at, Align::Left, theme::TICK_SIZE)));
            }
            let own = if column == 0 { ticks.clone() } else { Ticks::default() };
            vertical_axis(&mut shapes, &plot, &own, y.high);
            if row * COLUMNS + column + COLUMNS >= series.len() {
                end = horizontal.place(&mut shapes, &plot, "");
            } else {
                shapes.push(stroke((left, plot.bottom), (plot.right, plot.bottom), theme::AXIS, theme::AXIS_LINE));
            }
        }
        top += PANEL_HEIGHT + theme::GAP;
    }
    let title = if power.is_empty() { figure.y_label.clone() } else { format!("{}, {power}", figure.y_label) };
    vertical_title(&mut shapes, &fitted(&title, end - start, theme::LABEL_SIZE, false), start, end);
    let title = fitted(&figure.x_label, room, theme::LABEL_SIZE, false);
    let at = (left + 0.5 * room, end + 0.5 * theme::LEADING * theme::LABEL_SIZE);
    shapes.push(Shape::Text(Label::new(title, at, Align::Centre, theme::LABEL_SIZE)));
    let height = end + theme::LEADING * theme::LABEL_SIZE + theme::MARGIN;
    shapes.extend(data);
    Scene { title: figure.title.clone(), height, shapes }
}

/// The legend of the two kinds of lines, and of hollow markers where there are some.
fn legend(series: &[DrawnSeries]) -> Vec<LegendEntry> {
    let ends = [(-0.5 * theme::SAMPLE, 0.0), (0.5 * theme::SAMPLE, 0.0)];
    let entry = |sample, name: &str| LegendEntry { sample, name: name.to_string() };
    let named = entry(vec![marks::dashed(ends.to_vec(), 0)], "as named above the panel");
    let others = entry(vec![grey(ends.to_vec())], "all others");
    [named, others].into_iter().chain(marks::published_entry(series)).collect()
}

fn grey(points: Vec<ScenePoint>) -> Shape {
    unbroken(points, theme::PALE, theme::AXIS_LINE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::scene::Colour;
    use crate::report::chart::tidy::{assert_tidy, labels};
    use crate::report::{chart, samples};
    use crate::study::{FigureKind, Row};

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
