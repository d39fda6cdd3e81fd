//! Forest plots: paired differences, a line of text each, as points with their intervals on either side of zero.

use super::axis::{Horizontal, name_lines, widest};
use super::cut::{repeated, settings, varied};
use super::frame::{LegendEntry, Plot, heading};
use super::marks::hollow;
use super::rows::{name_before, rows_of_names};
use super::scale::Range;
use super::series::by_metric;
use super::spots;
use super::tips::whisker;
use super::{range, theme};
use crate::ReportError;
use crate::table::{TOLD, is_told, signed_estimate};
use crate::{Figure, Row};
use gridloom_files::{Align, Label, Scene, ScenePoint, Shape, stroke};
use gridloom_files::{fitted, text_width};

/// Names take at most this much, in a few lines.
const WIDEST_NAME: f64 = 0.42 * theme::WIDTH;
/// Estimates are written to the right where they leave at least this much between the names and them.
const NARROWEST: f64 = 0.27 * theme::WIDTH;
/// The least distance between points.
const ROW_HEIGHT: f64 = 1.6 * theme::TICK_SIZE;
/// The round one among the theme's markers.
const ROUND: usize = 0;

/// One line: a name, and the row that it names.
struct ForestLine<'a> {
    name: Vec<String>,
    estimate: String,
    row: &'a Row,
}

/// Lays out the differences of a figure from the top down.
pub(crate) fn scene(figure: &Figure, rows: &[Row]) -> Result<Scene, ReportError> {
    let metrics = by_metric(figure, rows.iter().filter(|row| row.x.is_none()))?;
    let several = metrics.len() > 1;
    let drawn: Vec<&Row> = metrics.into_iter().flat_map(|(_, rows)| rows).collect();
    let factors = varied(&drawn, &[]);
    let mut names: Vec<String> = Vec::new();
    for row in &drawn {
        let metric = several.then(|| row.metric.clone());
        let parts: Vec<String> =
            [row.series.clone()].into_iter().chain(metric).chain(settings(row, &factors)).collect();
        if names.contains(&parts.join(", ")) {
            return Err(repeated(figure, row));
        }
        names.push(parts.join(", "));
    }
    let mut lines: Vec<ForestLine> = Vec::new();
    for (name, &row) in names.iter().zip(&drawn) {
        let name = name_lines(name, WIDEST_NAME);
        lines.push(ForestLine { name, estimate: signed_estimate(row).replace('-', "−"), row });
    }
    let ends = |row: &&Row| [row.mean - row.ci95.unwrap_or(0.0), row.mean + row.ci95.unwrap_or(0.0)];
    let x = range(figure, drawn.iter().flat_map(ends).chain([0.0]))?.padded(0.04);

    let mut shapes = Vec::new();
    let top = heading(&mut shapes, &figure.title, legend(&drawn)) + theme::GAP;
    let names = lines.iter().map(|line| widest(&line.name)).fold(0.0, f64::max);
    let estimates = lines.iter().map(|line| text_width(&line.estimate, theme::BAR_TEXT_SIZE, true));
    let estimates = estimates.fold(0.0, f64::max) + theme::GAP;
    let left = theme::MARGIN + names + theme::GAP;
    let room = theme::WIDTH - theme::MARGIN - left;
    let is_written = room - estimates >= NARROWEST;
    let room = if is_written { room - estimates } else { room };
    let overhang = Horizontal::Values(x).within(room).overhang;
    let left = left + if is_written { overhang[0] } else { overhang[0].max(theme::GAP) };
    let right = theme::WIDTH - theme::MARGIN - if is_written { estimates.max(overhang[1]) } else { overhang[1] };
    let horizontal = Horizontal::Values(x).within(right - left);

    let (middles, bottom) = rows_of_names(lines.iter().map(|line| line.name.len()), ROW_HEIGHT, top);
    let bottom = bottom + 0.5 * theme::GAP;
    let plot = Plot { left, right, top, bottom, x, y: Range { low: 0.0, high: 1.0 } };
    shapes.extend(horizontal.grid(&plot));
    shapes.push(stroke(plot.at(0.0, 0.0), plot.at(0.0, 1.0), theme::AXIS, 1.5 * theme::AXIS_LINE));
    for (line, y) in lines.iter().zip(middles) {
        shapes.extend(name_before(&line.name, (left - theme::GAP - overhang[0], y)));
        let along = |value: f64| plot.at(value, 0.0).0;
        if line.row.ci95.is_some() {
            let drawn = ends(&line.row).map(along);
            shapes
                .extend(whisker(drawn, [true, true], 0.6 * theme::MARKER_RADIUS, |along, across| (along, y + across)));
        }
        shapes.extend(point(is_told(line.row), (along(line.row.mean), y)));
        let half = 0.5 * ROW_HEIGHT;
        shapes.push(spots::area(line.row, [left, y - half, right, y + half], several));
        if is_written {
            let at = (theme::WIDTH - theme::MARGIN, y);
            let label = Label::new(line.estimate.clone(), at, Align::Right, theme::BAR_TEXT_SIZE);
            shapes.push(Shape::Text(Label { bold: is_told(line.row), ..label }));
        }
    }
    let title = if figure.y_label.is_empty() { &figure.x_label } else { &figure.y_label };
    let below = horizontal.place(&mut shapes, &plot, "");
    let title = fitted(title, theme::WIDTH - 2.0 * theme::MARGIN, theme::LABEL_SIZE, false);
    let half = 0.5 * text_width(&title, theme::LABEL_SIZE, false);
    // In the middle of the axis, as far as the canvas allows.
    let centre = (0.5 * (left + right)).min(theme::WIDTH - theme::MARGIN - half);
    let at = (centre, below + 0.5 * theme::LEADING * theme::LABEL_SIZE);
    shapes.push(Shape::Text(Label::new(title, at, Align::Centre, theme::LABEL_SIZE)));
    let height = below + theme::LEADING * theme::LABEL_SIZE + theme::MARGIN;
    Ok(Scene { title: figure.title.clone(), height, shapes })
}

/// The marker of a difference: filled if it is told from zero.
fn point(is_told: bool, at: ScenePoint) -> Vec<Shape> {
    let colour = theme::colour(0);
    if is_told {
        vec![Shape::Area { points: theme::marker(ROUND, at, 1.3 * theme::MARKER_RADIUS), colour }]
    } else {
        hollow(ROUND, at, 0.75 * theme::MARKER_RADIUS, colour).to_vec()
    }
}

fn legend(rows: &[&Row]) -> Vec<LegendEntry> {
    let mut legend = Vec::new();
    let told = format!("told from 0: p < {TOLD} after Holm's correction");
    for (is_there, name) in [(true, told), (false, "not told from 0".to_string())] {
        if rows.iter().any(|row| is_told(row) == is_there) {
            legend.push(LegendEntry { sample: point(is_there, (0.0, 0.0)), name });
        }
    }
    if rows.iter().any(|row| row.ci95.is_some()) {
        let (half, across) = (0.3 * theme::SAMPLE, 0.6 * theme::MARKER_RADIUS);
        let sample = whisker([-half, half], [true, true], across, |along, across| (along, across));
        legend.push(LegendEntry { sample, name: "95 % interval".to_string() });
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureKind;
    use crate::chart::tidy::{assert_tidy, extent, labels};
    use crate::{chart, samples};

    fn figure() -> Figure {
        samples::cut_figure(FigureKind::Differences)
    }

    fn drawn(rows: &[Row]) -> Scene {
        chart::scene(&figure(), rows).unwrap()
    }

    #[test]
    fn any_number_of_differences_is_tidy() {
        for count in [1, 2, 5, 40] {
            assert_tidy(&drawn(&samples::differences(count)));
        }
    }

    #[test]
    fn degenerate_values_and_long_names_are_tidy() {
        let long = "a name without end ".repeat(20);
        for (mean, ci95) in [(0.0, None), (0.0, Some(0.0)), (-5.0, Some(9.0)), (3e250, Some(1e249)), (1e-290, None)] {
            let rows: Vec<Row> =
                samples::differences(3).into_iter().map(|row| Row { mean, ci95, p_holm: None, ..row }).collect();
            assert_tidy(&drawn(&rows));
            let rows: Vec<Row> =
                rows.into_iter().map(|row| Row { series: long.clone() + &row.series, ..row }).collect();
            // Names that differ past their end are still different rows.
            assert_tidy(
                &chart::scene(&Figure { y_label: long.clone(), title: long.clone(), ..figure() }, &rows).unwrap(),
            );
        }
    }

    #[test]
    fn points_stand_beside_their_names_and_are_filled_if_told_from_zero() {
        let rows = samples::differences(6);
        let scene = drawn(&rows);
        let middle = |points: &[ScenePoint]| {
            let (sum, n) = (points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1)), points.len() as f64);
            (sum.0 / n, sum.1 / n)
        };
        let marker = |shape: &Shape| match shape {
            Shape::Area { points, colour } if points.len() == 24 => Some((middle(points), *colour)),
            _ => None,
        };
        // Those of the legend come first.
        let markers: Vec<_> = scene.shapes.iter().filter_map(marker).skip(2).collect();
        assert_eq!(markers.len(), rows.len());
        for (row, (at, colour)) in rows.iter().zip(&markers) {
            assert_eq!(*colour == theme::colour(0), row.p_holm.unwrap() < 0.05, "{}", row.series);
            let beside = |label: &&Label| label.align == Align::Right && (label.at.1 - at.1).abs() < theme::TICK_SIZE;
            let names: Vec<&Label> = labels(&scene).into_iter().filter(beside).collect();
            let words: Vec<&str> = names.iter().flat_map(|label| label.text.split(' ')).collect();
            assert!(row.series.split(' ').all(|word| words.contains(&word)), "{words:?}");
            assert!(names.iter().all(|label| extent(label)[1] < at.0 || extent(label)[0] > at.0));
        }
        let in_order = markers.windows(2).zip(rows.windows(2));
        assert!(in_order.clone().all(|(at, rows)| (at[1].0.0 > at[0].0.0) == (rows[1].mean > rows[0].mean)));
        assert!(in_order.clone().all(|(at, _)| at[1].0.1 > at[0].0.1));
    }

    #[test]
    fn two_rows_of_one_name_and_rows_with_x_are_errors() {
        let rows = samples::differences(2);
        let error = |rows: &[Row]| chart::scene(&figure(), rows).err().unwrap();
        assert!(matches!(error(&[rows.clone(), rows.clone()].concat()), ReportError::Repeated { .. }));
        let swept: Vec<Row> = rows.into_iter().map(|row| row.at(1.0)).collect();
        assert!(matches!(error(&swept), ReportError::NoRows { .. }));
    }
}
