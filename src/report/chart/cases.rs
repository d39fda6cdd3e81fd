//! Panels by case: each series has a place in one of them, and those of one name look alike in all.
//!
//! All panels of a figure have one vertical scale, so that they can be compared. Where cases differ so much that the
//! low ones could not be read on it, every panel has a scale of its own, and its title says so. A case without values
//! keeps its panel, with words in place of them.

use super::axis::Axis;
use super::canvas::Canvas;
use super::legend::Entry;
use super::limits::AxisLimits;
use super::lines::{self, LogScale, PANEL_STEPS, points};
use super::pen::Rect;
use super::series::{DrawnSeries, LineLook, Measured, collect};
use super::sheet::{Panel, Plot, Sheet};
use super::{theme, titles};
use crate::{Figure, LogAxes, ReportError, Row, SeriesPlace};
use gridloom_files::Scene;
use plotters::style::text_anchor::HPos;

/// Panels whose highest values differ by more than this factor have scales of their own.
const WIDEST_SHARED: f64 = 30.0;
/// At most this many panels stand side by side.
const COLUMNS: usize = 3;
/// The number of panels side by side where there are so few that their number decides.
const FEW: [usize; 5] = [1, 1, 2, 3, 2];

/// The number of panels side by side that suits this many: rows as full as they can be, and no panel so narrow that it
/// shows nothing.
pub(super) fn most_columns(panels: usize) -> usize {
    FEW.get(panels).copied().unwrap_or(COLUMNS)
}

/// The height of each of some panels; a row that is alone has room to spare.
pub(super) fn panel_height(canvas: &Canvas, panels: usize) -> i32 {
    let full = canvas.plot_height();
    match most_columns(panels) {
        1 => full,
        2 => full * 3 / 5,
        _ => full * 8 / 15,
    }
}

/// The panels and the names of a figure, in the order of their places.
pub(super) struct Cases<'a> {
    pub panels: Vec<&'a str>,
    pub names: Vec<&'a str>,
    places: Vec<&'a SeriesPlace>,
    /// The number of places that have a series.
    pub placed: usize,
}

impl<'a> Cases<'a> {
    /// The cases of these places, of which some have a series.
    pub(super) fn new(places: &'a [SeriesPlace], has: impl Fn(&str) -> bool) -> Self {
        let panels = each_once(places.iter().map(|place| place.panel.as_str()));
        let places: Vec<&SeriesPlace> = places.iter().filter(|place| has(&place.series)).collect();
        let names = each_once(places.iter().map(|place| place.name.as_str()));
        Self { panels, names, placed: places.len(), places }
    }

    /// The numbers of the panel and of the name of a series.
    pub(super) fn place(&self, series: &str) -> Option<[usize; 2]> {
        let place = self.places.iter().find(|place| place.series == series)?;
        let number = |list: &[&str], text: &str| list.iter().position(|one| *one == text);
        Some([number(&self.panels, &place.panel)?, number(&self.names, &place.name)?])
    }

    pub(super) fn columns(&self) -> usize {
        most_columns(self.panels.len()).max(1)
    }

    pub(super) fn height(&self, canvas: &Canvas) -> i32 {
        panel_height(canvas, self.panels.len())
    }

    /// True if panels whose values have these highest magnitudes, nothing for a panel without values, can share a scale.
    pub(super) fn can_share(highest: &[Option<f64>]) -> bool {
        let positive = highest.iter().flatten().copied().filter(|&value| value > 0.0);
        let (least, most) =
            positive.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)));
        most <= WIDEST_SHARED * least
    }

    /// The title of a panel; one with a scale of its own, where `is_shared` is not so, says so.
    pub(super) fn title(&self, panel: usize, highest: &[Option<f64>], is_shared: bool) -> String {
        let own = if is_shared || highest[panel].is_none() { "" } else { " (own scale)" };
        format!("{}{own}", self.panels[panel])
    }

    pub(super) fn sheet(
        &self,
        figure: &'a Figure,
        legend: Vec<Entry<'a>>,
        panels: Vec<Panel<'a>>,
        own_axes: [bool; 2],
    ) -> Sheet<'a> {
        let (title, x_title, y_title) = (figure.title.as_str(), figure.x_label.as_str(), figure.y_label.as_str());
        Sheet { title, x_title, y_title, legend, panels, columns: self.columns(), own_axes, ..Sheet::default() }
    }

    /// Words in the middle of a panel without values.
    pub(super) fn nothing(figure: &Figure, plot: &Plot) {
        let text = if figure.y_label.contains("with a plan") { "no plan" } else { "no values" };
        let middle = plot.rect.middle();
        // Lines of the grid would run through the letters.
        let plate = (titles::width(text, theme::TICK_SIZE) / 2, theme::TICK_SIZE / 2);
        plot.pen.rect(Rect::around(middle, plate), theme::PAPER);
        plot.pen.text(text, middle, HPos::Center, theme::TICK_SIZE);
    }
}

/// Texts without repetitions, in the order in which they come up.
fn each_once<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut known = Vec::new();
    for text in texts {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known
}

/// Lays out lines by case.
pub(super) fn lines_by_case(
    figure: &Figure,
    places: &[SeriesPlace],
    log: Option<LogAxes>,
    rows: &[Row],
    canvas: &Canvas,
) -> Result<Scene, ReportError> {
    let mut all = collect(figure, rows)?;
    let cases = Cases::new(places, |series| all.iter().any(|one| one.name == series));
    if figure.metrics.len() != 1 || cases.placed != all.len() {
        return lines::scene(figure, all, log, canvas);
    }
    let mut panel_of = Vec::new();
    for one in &mut all {
        let [panel, name] = cases.place(&one.name).unwrap_or_default();
        one.look = LineLook::of(name);
        panel_of.push((one.name.clone(), panel));
    }
    let scale = LogScale::of(log, points(&all));
    let mut panelled: Vec<Vec<DrawnSeries>> = cases.panels.iter().map(|_| Vec::new()).collect();
    let series = scale.applied(all);
    let x = scale.across(figure, &series)?;
    for one in series {
        let panel = panel_of.iter().find(|(name, _)| *name == one.name).map_or(0, |(_, panel)| *panel);
        panelled[panel].push(one);
    }
    let every = || panelled.iter().flatten().flat_map(|one| &one.points);
    let limits = AxisLimits::of(&figure.y_label, every().map(|point| point.mean));
    let highest = |own: &Vec<DrawnSeries>| points(own).map(|point| point.mean.abs()).reduce(f64::max);
    let highest: Vec<Option<f64>> = panelled.iter().map(highest).collect();
    // Powers of ten are legible on one scale however far apart they are.
    let is_shared = scale.y || limits.high.is_finite() || Cases::can_share(&highest);
    let height = cases.height(canvas);
    let panel = |(index, own): (usize, &Vec<DrawnSeries>)| -> Result<Panel, ReportError> {
        let of = |points: &mut dyn Iterator<Item = &Measured>| -> Result<Axis, ReportError> {
            let points: Vec<&Measured> = points.collect();
            scale.up(figure, points.iter().copied(), PANEL_STEPS)
        };
        let y = if is_shared || own.is_empty() { of(&mut every())? } else { of(&mut points(own))? };
        Ok(Panel { title: cases.title(index, &highest, is_shared), ..Panel::new(x.clone(), y, height) })
    };
    let panels = panelled.iter().enumerate().map(panel).collect::<Result<Vec<_>, ReportError>>()?;
    let legend = lines::shared_legend(&panelled, |one| {
        let [_, name] = cases.place(&one.name).unwrap_or_default();
        (name, cases.names[name].to_string())
    });
    let sheet = cases.sheet(figure, legend, panels, [false, !is_shared]);
    Ok(sheet.scene(canvas, |index, plot| match panelled[index].is_empty() {
        true => Cases::nothing(figure, plot),
        false => lines::lines(plot, &panelled[index], theme::MARKER_RADIUS),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FigureKind;
    use crate::tidy::{assert_tidy, labels};
    use crate::{samples, tidy};
    use gridloom_files::Shape;
    use gridloom_sim::metrics::Estimate;

    /// So many cases by so many methods, each case `factor` times the one before.
    fn placed(cases: usize, methods: usize, factor: f64) -> (Vec<SeriesPlace>, Vec<(String, f64)>) {
        let pairs = (0..cases).flat_map(|case| (0..methods).map(move |method| (case, method)));
        let place = |(case, method): (usize, usize)| {
            let series = format!("case {case}, method {method}");
            let place =
                SeriesPlace { series: series.clone(), panel: format!("case {case}"), name: format!("method {method}") };
            (place, (series, factor.powi(case as i32) * (1.5 + method as f64)))
        };
        pairs.map(place).unzip()
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        labels(scene).into_iter().map(|label| label.text.as_str()).collect()
    }

    fn bars(cases: usize, methods: usize, n: impl Fn(usize) -> u64) -> Scene {
        bars_by(10.0, cases, methods, n)
    }

    /// The heights of the bars of the first method.
    fn heights(scene: &Scene) -> Vec<f64> {
        let height = |shape: &Shape| match shape {
            Shape::Area { points, colour } if *colour == theme::colour(0) => {
                let down = points.iter().map(|point| point.1);
                Some(down.clone().fold(f64::MIN, f64::max) - down.fold(f64::MAX, f64::min))
            }
            _ => None,
        };
        // The first is the sample in the legend.
        scene.shapes.iter().filter_map(height).skip(1).collect()
    }

    fn bars_by(factor: f64, cases: usize, methods: usize, n: impl Fn(usize) -> u64) -> Scene {
        let (places, values) = placed(cases, methods, factor);
        let row = |(index, (series, mean)): (usize, &(String, f64))| {
            Row::new("sweep", series, "waiting", Estimate { mean: *mean, ci95: Some(0.1 * mean), n: n(index) })
        };
        let rows: Vec<Row> = values.iter().enumerate().map(row).collect();
        tidy::scene(&samples::figure(FigureKind::BarPanels(places)), &rows).unwrap()
    }

    #[test]
    fn any_number_of_cases_and_methods_is_drawn_tidily() {
        for (cases, methods) in [(2, 2), (3, 2), (3, 8), (4, 3), (7, 2), (12, 4), (2, 12)] {
            assert_tidy(&bars(cases, methods, |_| 50));
            assert_tidy(&bars(cases, methods, |index| index as u64));
            for log in [None, Some(LogAxes::X), Some(LogAxes::Y), Some(LogAxes::Both)] {
                let (places, values) = placed(cases, methods, 10.0);
                let at = |x: i32, (series, mean): &(String, f64)| {
                    let estimate = Estimate { mean: mean * f64::from(x), ci95: Some(0.2 * mean), n: 9 };
                    Row::new("sweep", series, "waiting", estimate).at(f64::from(x))
                };
                let rows: Vec<Row> = values.iter().flat_map(|value| (1..9).map(move |x| at(x, value))).collect();
                let figure = samples::figure(FigureKind::LinePanels(places, log));
                assert_tidy(&tidy::scene(&figure, &rows).unwrap());
            }
        }
    }

    #[test]
    fn cases_are_titles_and_methods_are_in_the_legend_once() {
        let scene = bars(3, 2, |_| 50);
        for text in ["case 0 (own scale)", "case 1 (own scale)", "method 0", "method 1", "95 % interval"] {
            assert_eq!(texts(&scene).iter().filter(|found| **found == text).count(), 1, "{text}");
        }
        assert!(!texts(&scene).iter().any(|text| text.starts_with("n = ")));
        // Cases that differ by a factor of 100 have axes of their own: bars of one method are equally high in all.
        let heights = heights(&scene);
        assert_eq!(heights.len(), 3);
        assert!(heights.iter().all(|height| (height - heights[0]).abs() < 0.01 * heights[0]), "{heights:?}");
    }

    #[test]
    fn cases_that_are_close_have_one_scale() {
        let scene = bars_by(3.0, 3, 2, |_| 50);
        assert!(texts(&scene).contains(&"case 0") && !texts(&scene).iter().any(|text| text.contains("own scale")));
        let heights = heights(&scene);
        assert_eq!(heights.len(), 3);
        for pair in heights.windows(2) {
            assert!((pair[1] / pair[0] - 3.0).abs() < 0.1, "{heights:?}");
        }
        // The numbers of the first axis are those of all.
        let zeros = texts(&scene).iter().filter(|text| **text == "0").count();
        let last = texts(&scene).iter().filter(|text| **text == "30").count();
        assert_eq!((zeros, last), (1, 1), "{:?}", texts(&scene));
    }

    #[test]
    fn a_case_without_values_keeps_its_panel_and_says_so() {
        for (label, says) in [("Makespan of jobs with a plan (s)", "no plan"), ("Waiting (s)", "no values")] {
            let (places, values) = placed(3, 2, 2.0);
            let row = |(series, mean): &(String, f64), x: f64| {
                Row::new("sweep", series, "waiting", Estimate { mean: mean * x, ci95: None, n: 5 })
            };
            let with_values = || values.iter().filter(|(series, _)| !series.starts_with("case 1"));
            let bars: Vec<Row> = with_values().map(|value| row(value, 1.0)).collect();
            let lines: Vec<Row> = with_values().flat_map(|value| [1.0, 2.0].map(|x| row(value, x).at(x))).collect();
            let kinds =
                [(FigureKind::BarPanels(places.clone()), bars), (FigureKind::LinePanels(places.clone(), None), lines)];
            for (kind, rows) in kinds {
                let figure = Figure { y_label: label.into(), ..samples::figure(kind) };
                let scene = tidy::scene(&figure, &rows).unwrap();
                assert_tidy(&scene);
                for text in ["case 1", says] {
                    assert_eq!(texts(&scene).iter().filter(|found| **found == text).count(), 1, "{text}");
                }
            }
        }
    }

    #[test]
    fn means_over_different_numbers_of_jobs_have_them_below() {
        let scene = bars(2, 2, |index| 10 + index as u64);
        for n in 10..14 {
            assert_eq!(texts(&scene).iter().filter(|text| **text == format!("n = {n}")).count(), 1);
        }
    }
}
