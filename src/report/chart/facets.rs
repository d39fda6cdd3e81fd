//! Lines through a crossing: a panel for each value of one factor, and a line for each series and each value of the
//! factors that the axes and the panels leave over.

use super::axis::Scale;
use super::canvas::Canvas;
use super::cases::{most_columns, panel_height};
use super::cut::{cut_rows, repeated, settings, varied};
use super::lines::{self, LogScale, PANEL_STEPS, STEPS, points};
use super::series::{DrawnSeries, LineLook, Measured};
use super::sheet::{Panel, Sheet};
use super::theme;
use crate::ReportError;
use crate::rows::in_order;
use crate::rows::{levels, setting, value_text};
use crate::{Cut, Figure, Row, SweepValue};
use gridloom_files::Scene;

/// The rows of one line.
struct CrossedLine<'a> {
    name: String,
    look: LineLook,
    rows: Vec<&'a Row>,
}

/// Lays out the panels of a cut.
pub(super) fn scene(figure: &Figure, cut: &Cut, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let rows = cut_rows(figure, cut, rows)?;
    let places = levels(&rows, &cut.along);
    let is_numeric = places.iter().all(|value| value.number().is_some());
    let facets: Vec<(String, Option<&SweepValue>)> = match &cut.panels {
        Some(factor) => levels(&rows, factor).into_iter().map(|value| (setting(factor, value), Some(value))).collect(),
        None => vec![(String::new(), None)],
    };
    let place = |row: &Row| {
        let value = row.factor(&cut.along)?;
        let index = || places.iter().position(|place| *place == value).map(|index| index as f64 + 0.5);
        if is_numeric { value.number() } else { index() }
    };
    let lines = crossed_lines(cut, &rows);
    let mut drawn: Vec<Vec<DrawnSeries>> = Vec::new();
    for (title, panel) in &facets {
        let mut series = Vec::new();
        for line in &lines {
            let inside = |row: &&&Row| cut.panels.as_ref().and_then(|factor| row.factor(factor)) == *panel;
            let mut points: Vec<Measured> = Vec::new();
            for row in line.rows.iter().filter(inside) {
                let Some(x) = place(row) else { continue };
                if points.iter().any(|point| point.x == x) {
                    return Err(repeated(figure, row));
                }
                let value = row.factor(&cut.along).map(value_text).unwrap_or_default();
                let name = if title.is_empty() { value } else { format!("{value}, {title}") };
                points.push(Measured::new(row, x, name));
            }
            points.sort_by(|a, b| a.x.total_cmp(&b.x));
            if !points.is_empty() {
                series.push(DrawnSeries { name: line.name.clone(), look: line.look, points });
            }
        }
        drawn.push(series);
    }

    let log = cut.log.filter(|log| is_numeric || !log.has_x());
    let scale = LogScale::of(log, drawn.iter().flat_map(|own| points(own)));
    let mut drawn: Vec<Vec<DrawnSeries>> = drawn.into_iter().map(|series| scale.applied(series)).collect();
    let all: Vec<DrawnSeries> = drawn.iter().flatten().cloned().collect();
    let names = || places.iter().map(|value| value_text(value)).collect();
    let x = if is_numeric { scale.across(figure, &all)? } else { Scale::Names(names()) };
    let is_crowded = lines.iter().any(|line| line.look.colour >= theme::COLOURS);
    if is_crowded && is_numeric && cut.panels.is_none() {
        // The only panel is free to be divided by lines.
        return lines::crowded(figure, drawn.swap_remove(0), scale, x, canvas);
    }
    let is_alone = facets.len() == 1;
    let y = scale.up(figure, points(&all), if is_alone { STEPS } else { PANEL_STEPS })?;
    let height = panel_height(canvas, facets.len());
    let panel = |(title, _)| Panel { title, ..Panel::new(x.clone(), y.clone(), height) };
    let columns = most_columns(facets.len());
    let panels = facets.into_iter().map(panel).collect();
    let place = |one: &DrawnSeries| lines.iter().position(|line| line.name == one.name).unwrap_or(0);
    let legend = lines::shared_legend(&drawn, |one| (place(one), one.name.clone()));
    let sheet = Sheet { panels, columns, ..lines::single(figure, legend, Panel::new(x.clone(), y.clone(), 0)) };
    Ok(sheet.scene(canvas, |index, plot| {
        if !scale.y && y.range.low < 0.0 && y.range.high > 0.0 {
            plot.level(0.0);
        }
        lines::lines(plot, &drawn[index], theme::MARKER_RADIUS);
    }))
}

/// The lines in order of series, and for each of them in order of the other factors' values.
fn crossed_lines<'a>(cut: &Cut, rows: &[&'a Row]) -> Vec<CrossedLine<'a>> {
    let (metrics, series) = (in_order(rows.iter().copied(), |row| &row.metric), series_of(rows));
    let others = varied(rows, &[&cut.along, cut.panels.as_deref().unwrap_or_default()]);
    let mut variants: Vec<Vec<String>> = Vec::new();
    for row in rows {
        let variant = settings(row, &others);
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    variants.sort_by_key(|variant| order(rows, &others, variant));
    let mut lines: Vec<CrossedLine> = Vec::new();
    let named = metrics.iter().flat_map(|metric| series.iter().map(move |name| (*metric, *name)));
    // Lines of one series share its colour, and those of one variant its dashes, as long as both are told apart.
    let both = metrics.len() * series.len() > 1
        && variants.len() > 1
        && metrics.len() * series.len() <= theme::COLOURS
        && variants.len() <= theme::PATTERNS;
    for (group, (metric, name)) in named.enumerate() {
        for (pattern, variant) in variants.iter().enumerate() {
            let own = |row: &&&Row| row.metric == metric && row.series == name && settings(row, &others) == *variant;
            let rows: Vec<&Row> = rows.iter().filter(own).copied().collect();
            if rows.is_empty() {
                continue;
            }
            let first = (series.len() > 1 || (variant.is_empty() && metrics.len() == 1)).then_some(name.to_string());
            let second = (metrics.len() > 1).then_some(metric.to_string());
            let parts: Vec<String> = first.into_iter().chain(second).chain(variant.iter().cloned()).collect();
            let look = if both { LineLook { colour: group, pattern } } else { LineLook::of(lines.len()) };
            lines.push(CrossedLine { name: parts.join(", "), look, rows });
        }
    }
    lines
}

fn series_of<'a>(rows: &[&'a Row]) -> Vec<&'a str> {
    in_order(rows.iter().copied(), |row| &row.series)
}

/// The place of a variant among the values of its factors: numbers in ascending order.
fn order(rows: &[&Row], factors: &[&str], variant: &[String]) -> Vec<Option<usize>> {
    let place = |factor: &&str| {
        let values = levels(rows, factor);
        values.iter().position(|value| variant.contains(&setting(factor, value)))
    };
    factors.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureKind;
    use crate::tidy::{assert_tidy, labels};
    use crate::{samples, tidy};
    use gridloom_files::{Colour, Shape};

    fn drawn(cut: Cut, rows: &[Row]) -> Scene {
        tidy::scene(&samples::cut_figure(FigureKind::Panels(cut)), rows).unwrap()
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        labels(scene).into_iter().map(|label| label.text.as_str()).collect()
    }

    /// The number of lines as thick as those of series, in one colour.
    fn thick(scene: &Scene, colour: Colour) -> usize {
        let own = |shape: &&Shape| matches!(shape, Shape::Line { width, colour: c, .. } if *width == f64::from(theme::LINE) && *c == colour);
        scene.shapes.iter().filter(own).count()
    }

    #[test]
    fn any_number_of_panels_lines_and_points_is_tidy() {
        for panels in 1..=14 {
            assert_tidy(&drawn(samples::cut(), &samples::crossing(2, 5, 2, panels)));
        }
        for (series, loads, notices) in [(1, 1, 1), (1, 2, 1), (9, 3, 1), (1, 40, 3), (6, 4, 4), (12, 3, 7)] {
            assert_tidy(&drawn(samples::cut(), &samples::crossing(series, loads, notices, 3)));
            let whole = Cut { panels: None, ..samples::cut() };
            assert_tidy(&drawn(whole, &samples::crossing(series, loads, notices, 3)));
        }
    }

    #[test]
    fn each_value_of_a_factor_has_a_panel_and_each_of_the_others_a_line() {
        let scene = drawn(samples::cut(), &samples::crossing(1, 5, 2, 3));
        for title in ["displacement = Job", "displacement = Task", "displacement = Never"] {
            assert_eq!(texts(&scene).iter().filter(|text| **text == title).count(), 1, "{title}");
        }
        // The only series needs no name.
        assert!(texts(&scene).contains(&"notice = 60") && texts(&scene).contains(&"notice = 120"));
        let in_legend = 1;
        assert_eq!(thick(&scene, theme::colour(0)), 3 + in_legend);
        assert_eq!(thick(&scene, theme::colour(1)), 3 + in_legend);
    }

    #[test]
    fn lines_of_one_series_share_a_colour() {
        let scene = drawn(samples::cut(), &samples::crossing(2, 5, 3, 1));
        assert!(texts(&scene).contains(&"OPT min time 1, notice = 240"));
        let in_legend = 3;
        assert_eq!(thick(&scene, theme::colour(0)), 3 + in_legend);
        assert_eq!(thick(&scene, theme::colour(2)), 0);
    }

    #[test]
    fn past_the_number_of_colours_the_only_panel_is_divided_by_lines() {
        let whole = Cut { panels: None, ..samples::cut() };
        let grey = |scene: &Scene| {
            let pale = |shape: &&Shape| matches!(shape, Shape::Line { colour, .. } if *colour == theme::PALE);
            scene.shapes.iter().filter(pale).count()
        };
        let in_legend = 1;
        // Two panels, in each of which the lines of the other are grey.
        assert_eq!(grey(&drawn(whole.clone(), &samples::crossing(9, 3, 1, 1))), 9 + in_legend);
        // Colours for series and dashes for the others tell more lines apart.
        assert_eq!(grey(&drawn(whole, &samples::crossing(6, 3, 4, 1))), 0);
        assert_eq!(grey(&drawn(samples::cut(), &samples::crossing(9, 3, 1, 2))), 0);
    }

    #[test]
    fn only_listed_series_are_drawn() {
        let cut = Cut { series: vec!["OPT min time 2".into()], ..samples::cut() };
        let scene = drawn(cut, &samples::crossing(3, 4, 1, 2));
        assert_eq!(
            texts(&scene).iter().filter(|text| text.starts_with("OPT min")).collect::<Vec<_>>(),
            [&"OPT min time 2"]
        );
    }

    #[test]
    fn values_that_are_texts_stand_side_by_side_in_their_order() {
        let cut = Cut { along: "displacement".into(), panels: Some("load".into()), ..Cut::default() };
        let scene = drawn(cut, &samples::crossing(1, 2, 1, 3));
        assert_tidy(&scene);
        let place = |name: &str| labels(&scene).into_iter().find(|label| label.text == name).map(|label| label.at.0);
        assert!(place("Job") < place("Task") && place("Task") < place("Never"));
        assert!(texts(&scene).contains(&"load = 0.3") && texts(&scene).contains(&"load = 0.45"));
    }

    #[test]
    fn zero_is_marked_where_values_lie_on_both_sides() {
        let zero = |rows: &[Row]| {
            let level = |shape: &&Shape| {
                matches!(shape, Shape::Line { points, colour, .. }
                    if *colour == theme::AXIS && points[0].1 == points[1].1 && points[1].0 - points[0].0 > 200.0)
            };
            let axes = 1;
            drawn(Cut { panels: None, ..samples::cut() }, rows).shapes.iter().filter(level).count() - axes
        };
        let rows = samples::crossing(1, 5, 1, 1);
        assert_eq!(zero(&rows), 1);
        let above: Vec<Row> = rows.into_iter().map(|row| Row { mean: row.mean + 1.0, ..row }).collect();
        assert_eq!(zero(&above), 0);
    }

    #[test]
    fn long_names_and_large_values_have_room() {
        let long = "a name without end ".repeat(12);
        let mut rows = samples::crossing(3, 4, 3, 5);
        for row in &mut rows {
            row.series = long.clone() + &row.series;
            row.mean *= 1e9;
            row.factors[2].value = SweepValue::Text(format!("{long} {}", value_text(&row.factors[2].value)));
        }
        assert_tidy(&drawn(samples::cut(), &rows));
        assert_tidy(&drawn(Cut { along: "displacement".into(), panels: None, ..Cut::default() }, &rows));
    }

    #[test]
    fn what_can_not_be_placed_is_an_error() {
        let error =
            |cut: Cut, rows: &[Row]| tidy::scene(&samples::cut_figure(FigureKind::Panels(cut)), rows).err().unwrap();
        let rows = samples::crossing(1, 3, 1, 2);
        let twice = [rows.clone(), rows[..1].to_vec()].concat();
        assert!(matches!(error(samples::cut(), &twice), ReportError::Repeated { .. }));
        let unknown = Cut { along: "loda".into(), ..samples::cut() };
        assert!(matches!(error(unknown, &rows), ReportError::NoFactor { factor, .. } if factor == "loda"));
        let nobody = Cut { series: vec!["nobody".into()], ..samples::cut() };
        assert!(matches!(error(nobody, &rows), ReportError::NoRows { .. }));
    }
}
