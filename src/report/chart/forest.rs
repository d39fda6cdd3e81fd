//! Forest plots: paired differences, a line of text each, as points with their intervals on either side of zero.

use super::axis::Scale;
use super::canvas::Canvas;
use super::cut::{repeated, settings, varied};
use super::legend::{Entry, whisker};
use super::pen::{Pen, Point, Rect};
use super::rows::NamedRows;
use super::series::by_metric;
use super::sheet::{Panel, Sheet};
use super::{range, spots, theme};
use crate::ReportError;
use crate::decimals::estimate;
use crate::rows::{SIGNIFICANT, is_significant};
use crate::{Figure, Row};
use gridloom_files::{Scene, text_width};
use plotters::style::text_anchor::HPos;

/// Names take at most this share of the canvas, in a few lines.
const WIDEST_NAME: f64 = 0.42;
/// Estimates are written to the right where they leave at least this share between the names and them.
const NARROWEST: f64 = 0.27;
/// The least distance between points.
const ROW_HEIGHT: i32 = 8 * theme::TICK_SIZE / 5;
/// The round one among the theme's markers.
const ROUND: usize = 0;

/// Lays out the differences of a figure from the top down.
pub(super) fn scene(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
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
    let ends = |row: &Row| [row.mean - row.ci95.unwrap_or(0.0), row.mean + row.ci95.unwrap_or(0.0)];
    let x = range(figure, drawn.iter().flat_map(|row| ends(row)).chain([0.0]))?.padded(0.04);
    let width = f64::from(canvas.width);
    let names = NamedRows::new(&names, WIDEST_NAME * width, ROW_HEIGHT);
    let estimates: Vec<String> = drawn.iter().map(|row| estimate(row).replace('-', "−")).collect();
    let longest = estimates.iter().map(|text| text_width(text, f64::from(theme::BAR_TEXT_SIZE), true));
    let longest = longest.fold(0.0, f64::max) + f64::from(theme::GAP);
    let is_written =
        width - f64::from(2 * theme::MARGIN + theme::GAP) - names.axis.widest() - longest >= NARROWEST * width;
    let panels = vec![Panel::new(Scale::Values(x), names.axis.clone(), names.height())];
    let x_title = if figure.y_label.is_empty() { figure.x_label.as_str() } else { figure.y_label.as_str() };
    let (title, legend, beside) =
        (figure.title.as_str(), legend(&drawn), [0, if is_written { longest as i32 } else { 0 }]);
    let sheet = Sheet { title, x_title, legend, panels, columns: 1, beside, ..Sheet::default() };
    Ok(sheet.scene(canvas, |_, plot| {
        let along = |value: f64| plot.at(value, 0.0).0;
        plot.pen.line(
            [(along(0.0), plot.rect.top), (along(0.0), plot.rect.bottom)],
            theme::AXIS,
            theme::AXIS_LINE * 3 / 2,
        );
        for (index, (row, estimate)) in drawn.iter().zip(&estimates).enumerate() {
            let y = names.middle(plot, index);
            if row.ci95.is_some() {
                let half = 3 * theme::GAP / 7;
                whisker(plot.pen, ends(row).map(along), [true, true], half, |along, across| (along, y + across));
            }
            point(plot.pen, is_significant(row), (along(row.mean), y));
            let Rect { left, right, .. } = plot.rect;
            let half = ROW_HEIGHT / 2;
            spots::area(plot, Rect { left, right, top: y - half, bottom: y + half }, row, several);
            let at = (canvas.width - theme::MARGIN, y);
            match is_significant(row) {
                _ if !is_written => {}
                true => plot.pen.bold(estimate, at, HPos::Right, theme::BAR_TEXT_SIZE),
                false => plot.pen.text(estimate, at, HPos::Right, theme::BAR_TEXT_SIZE),
            }
        }
    }))
}

/// The marker of a difference: filled if it is significant.
fn point(pen: &Pen, is_told: bool, at: Point) {
    match is_told {
        true => pen.marker(ROUND, at, 1.3 * theme::MARKER_RADIUS, theme::colour(0)),
        false => pen.hollow(ROUND, at, 0.75 * theme::MARKER_RADIUS, theme::colour(0)),
    }
}

fn legend<'a>(rows: &[&Row]) -> Vec<Entry<'a>> {
    let told = format!("significant: p < {SIGNIFICANT} after Holm's correction");
    let entries = [(true, told), (false, "not significant".to_string())].into_iter();
    let drawn = entries.filter(|(is_there, _)| rows.iter().any(|row| is_significant(row) == *is_there));
    let points = drawn.map(|(is_there, name)| Entry::new(name, move |pen, at| point(pen, is_there, at)));
    points.chain(rows.iter().any(|row| row.ci95.is_some()).then(|| Entry::whisker(false))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureKind;
    use crate::tidy::{assert_tidy, extent, labels};
    use crate::{samples, tidy};
    use gridloom_files::{Align, Label, ScenePoint, Shape};

    fn figure() -> Figure {
        samples::cut_figure(FigureKind::Differences)
    }

    fn drawn(rows: &[Row]) -> Scene {
        tidy::scene(&figure(), rows).unwrap()
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
                &tidy::scene(&Figure { y_label: long.clone(), title: long.clone(), ..figure() }, &rows).unwrap(),
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
            let beside =
                |label: &&Label| label.align == Align::Right && (label.at.1 - at.1).abs() < f64::from(theme::TICK_SIZE);
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
        let error = |rows: &[Row]| tidy::scene(&figure(), rows).err().unwrap();
        assert!(matches!(error(&[rows.clone(), rows.clone()].concat()), ReportError::Repeated { .. }));
        let swept: Vec<Row> = rows.into_iter().map(|row| row.at(1.0)).collect();
        assert!(matches!(error(&swept), ReportError::NoRows { .. }));
    }
}
