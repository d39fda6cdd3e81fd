//! Bar charts: one bar per series, in groups by metric.

use super::axis::Horizontal;
use super::boxes::Rect;
use super::frame::{self, LegendEntry, Plot};
use super::limits::AxisLimits;
use super::marks::{HOLLOW_REACH, hollow};
use super::scale::Range;
use super::series::by_metric;
use super::spots;
use super::strips;
use super::theme;
use super::tips::{
    BAR_SHARE, DIAMOND, PUBLISHED_RADIUS, ValueText, beyond_tip, interval, marks_legend, value_start, whisker,
    with_room,
};
use crate::ReportError;
use crate::table::in_order;
use crate::{Figure, Row};
use gridloom_files::text_width;
use gridloom_files::{Align, Colour, Label, Scene, Shape, stroke};

/// No plot is narrower than this share of the canvas.
const NARROWEST: f64 = 0.75 * theme::WIDTH;
/// The share of a group's stretch that its bars take.
const GROUP_SHARE: f64 = 0.84;
/// The place of a bar is at most this wide.
const WIDEST_PLACE: f64 = 560.0;

/// Lays out a figure of bars.
pub(crate) fn scene(figure: &Figure, rows: &[Row]) -> Result<Scene, ReportError> {
    let metrics = by_metric(figure, rows.iter().filter(|row| row.x.is_none()))?;
    let drawn: Vec<&Row> = metrics.iter().flat_map(|(_, rows)| rows.iter().copied()).collect();
    let series = in_order(drawn.iter().copied(), |row| &row.series);
    if let Some(row) = metrics.iter().find_map(|(_, rows)| repeated(rows)) {
        let (series, metric) = (row.series.clone(), row.metric.clone());
        return Err(ReportError::Repeated { figure: figure.file.clone(), series, metric });
    }
    let limits =
        AxisLimits::of(&figure.y_label, drawn.iter().flat_map(|row| [Some(row.mean), row.published]).flatten());
    let chart = Chart::new(&metrics, series);
    // A legend would have to be read bar by bar where a name can stand at each, and colours that repeat would say
    // nothing.
    if !chart.named_below && (metrics.len() == 1 || chart.series.len() > theme::COLOURS) {
        return strips::scene(figure, &metrics, &chart.series, limits);
    }
    let values =
        BarValues { several_metrics: metrics.len() > 1, ..BarValues::new(&drawn, chart.room(), ValueText::of(&drawn)) };
    let too_wide = || ReportError::TooWide { figure: figure.file.clone() };
    let y = values.range(&drawn, limits).ok_or_else(too_wide)?;
    let frame = frame::frame(figure, Horizontal::Names(&chart.names()), y, limits.high, chart.legend());
    let data = chart.shapes(&frame.plot, &values, limits);
    Ok(Scene { title: figure.title.clone(), height: frame.height, shapes: [frame.grid, data, frame.axes].concat() })
}

/// A row whose series another row has already.
fn repeated<'a>(rows: &[&'a Row]) -> Option<&'a Row> {
    (1..rows.len()).find(|&k| rows[..k].iter().any(|row| row.series == rows[k].series)).map(|k| rows[k])
}

/// Which bars stand where.
struct Chart<'a> {
    series: Vec<&'a str>,
    groups: Vec<BarGroup<'a>>,
    /// If true, the groups are the series, named below the axis, so that no legend is needed for them.
    named_below: bool,
}

/// Bars side by side above one name.
struct BarGroup<'a> {
    name: &'a str,
    /// A place for each, with the index of its series; it stays empty where there is no row.
    bars: Vec<(usize, Option<&'a Row>)>,
}

impl<'a> Chart<'a> {
    fn new(metrics: &[(&'a str, Vec<&'a Row>)], series: Vec<&'a str>) -> Self {
        let bar =
            |rows: &[&'a Row], index: usize| (index, rows.iter().copied().find(|row| row.series == series[index]));
        if let [(_, rows)] = metrics {
            let room = NARROWEST / series.len() as f64 - theme::GAP;
            if series.iter().all(|name| text_width(name, theme::TICK_SIZE, false) <= room) {
                let group = |(index, &name)| BarGroup { name, bars: vec![bar(rows, index)] };
                let groups = series.iter().enumerate().map(group).collect();
                return Self { series, groups, named_below: true };
            }
        }
        let group = |(name, rows): &(&'a str, Vec<&'a Row>)| {
            // The vertical axis names a metric that is alone.
            let name = if metrics.len() > 1 { *name } else { "" };
            BarGroup { name, bars: (0..series.len()).map(|index| bar(rows, index)).collect() }
        };
        let groups = metrics.iter().map(group).collect();
        Self { series, groups, named_below: false }
    }

    fn names(&self) -> Vec<&'a str> {
        self.groups.iter().map(|group| group.name).collect()
    }

    /// The width of a bar's place in a plot.
    fn place(&self, width: f64) -> f64 {
        let bars = self.groups.iter().map(|group| group.bars.len()).max().unwrap_or(1);
        (GROUP_SHARE * width / (self.groups.len() * bars) as f64).min(WIDEST_PLACE)
    }

    /// The width that every bar has for its value at least.
    fn room(&self) -> f64 {
        self.place(NARROWEST)
    }

    fn legend(&self) -> Vec<LegendEntry> {
        let entry = |(index, name): (usize, &&str)| {
            let colour = theme::colour(index);
            LegendEntry { sample: Rect::SAMPLE.outlined(colour, theme::tint(colour)), name: name.to_string() }
        };
        let named = self.series.iter().enumerate().filter(|_| !self.named_below);
        let mut legend: Vec<LegendEntry> = named.map(entry).collect();
        legend.extend(marks_legend(self.groups.iter().flat_map(|group| &group.bars).filter_map(|(_, row)| *row)));
        legend
    }

    fn shapes(&self, plot: &Plot, values: &BarValues, limits: AxisLimits) -> Vec<Shape> {
        let place = self.place(plot.right - plot.left);
        let mut shapes = Vec::new();
        for (index, group) in self.groups.iter().enumerate() {
            let middle = plot.at(index as f64 + 0.5, 0.0).0;
            let left = middle - 0.5 * place * group.bars.len() as f64;
            for (k, &(series, row)) in group.bars.iter().enumerate() {
                let x = left + (k as f64 + 0.5) * place;
                if let Some(row) = row {
                    shapes.extend(bar(row, theme::colour(series), x, place, plot, values, limits));
                }
            }
        }
        // Bars cover the grid; where some hang down, the line that they hang from is drawn again.
        let (from, to) = (plot.at(plot.x.low, 0.0), plot.at(plot.x.high, 0.0));
        shapes.push(stroke(from, to, theme::AXIS, theme::AXIS_LINE));
        shapes
    }
}

/// The way in which values are written at the tips of their bars.
pub(crate) struct BarValues {
    text: ValueText,
    /// They read upwards, if true; `None` where bars are too narrow for either.
    upwards: Option<bool>,
    /// The distance that the longest reaches away from its bar.
    extent: f64,
    /// If true, a bar has to say its metric.
    several_metrics: bool,
}

impl BarValues {
    /// The way of writing that fits bars with this much room each.
    pub(super) fn new(rows: &[&Row], room: f64, text: ValueText) -> Self {
        let widest = text.widest(rows);
        if widest + 0.5 * theme::GAP <= room {
            Self { several_metrics: false, text, upwards: Some(false), extent: theme::BAR_TEXT_SIZE }
        } else if theme::BAR_TEXT_SIZE <= room {
            Self { several_metrics: false, text, upwards: Some(true), extent: widest }
        } else {
            Self { several_metrics: false, text, upwards: None, extent: 0.0 }
        }
    }

    /// The vertical range: zero, all that is drawn, and room for the values beyond it.
    fn range(&self, rows: &[&Row], limits: AxisLimits) -> Option<Range> {
        self.range_of(rows, limits, theme::PLOT_HEIGHT)
    }

    /// The same in a plot of this height.
    pub(super) fn range_of(&self, rows: &[&Row], limits: AxisLimits, height: f64) -> Option<Range> {
        with_room(rows, limits, beyond_tip(self.extent), height)
    }

    /// The value of a bar beyond `end`, the end of its whisker, and clear of the published value: its height and reach.
    fn label(&self, value: f64, x: f64, end: f64, published: Option<(f64, f64)>) -> Vec<Shape> {
        let Some(upwards) = self.upwards else { return Vec::new() };
        let text = self.text.written(value);
        let (length, size) = (text_width(&text, theme::BAR_TEXT_SIZE, false), theme::BAR_TEXT_SIZE);
        let (width, height) = if upwards { (size, length) } else { (length, size) };
        // Away from zero is up on the canvas for positive bars and down for the others.
        let away = if value < 0.0 { 1.0 } else { -1.0 };
        let published = published.map(|(y, reach)| ((y - end) * away, reach));
        let start = value_start(height, published);
        let y = end + away * (start + 0.5 * height);
        // Lines of the grid would run through the digits.
        let plate =
            Rect { left: x - 0.5 * width, right: x + 0.5 * width, top: y - 0.5 * height, bottom: y + 0.5 * height };
        let label = Label { upwards, ..Label::new(text, (x, y), Align::Centre, size) };
        vec![plate.filled(theme::PAPER), Shape::Text(label)]
    }
}

/// One bar around `x` with all that belongs to it.
pub(super) fn bar(
    row: &Row,
    colour: Colour,
    x: f64,
    place: f64,
    plot: &Plot,
    values: &BarValues,
    limits: AxisLimits,
) -> Vec<Shape> {
    let half = 0.5 * BAR_SHARE * place;
    let height = |value| plot.at(plot.x.low, value).1;
    let (zero, tip) = (height(0.0), height(row.mean));
    let rect = Rect { left: x - half, right: x + half, top: zero.min(tip), bottom: zero.max(tip) };
    let mut shapes = rect.outlined(colour, theme::tint(colour));

    let (ends, end) = interval(row, limits);
    if row.ci95.is_some() {
        let whole = ends.map(|end| limits.cut(end) == end);
        let drawn = ends.map(|end| height(limits.cut(end)));
        shapes.extend(whisker(drawn, whole, (0.3 * half).min(theme::GAP), |along, across| (x + across, along)));
    }
    let end = height(end);
    let radius = PUBLISHED_RADIUS.min(0.4 * half);
    let reach = HOLLOW_REACH * radius;
    let published = row.published.map(|value| (height(value), reach));
    if let Some((y, _)) = published {
        // To the right of the whisker, but not over the next bar.
        let at = (x + (0.5 * half).min(half - reach), y);
        shapes.extend(hollow(DIAMOND, at, radius, theme::INK));
    }
    shapes.extend(values.label(row.mean, x, end, published));
    // Low bars answer where their values stand.
    let (top, bottom) = (rect.top.min(end), rect.bottom.max(end));
    shapes.push(spots::area(row, [rect.left, top, rect.right, bottom], values.several_metrics));
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::tidy::{assert_tidy, extent, labels};
    use crate::samples;
    use gridloom_sim::metrics::Estimate;
    use proptest::prelude::*;

    fn row(series: &str, metric: &str, mean: f64, ci95: Option<f64>, published: Option<f64>) -> Row {
        Row { published, ..Row::new("comparison", series, metric, Estimate { mean, ci95, n: 5 }) }
    }

    fn figure(metrics: &[&str]) -> Figure {
        Figure { metrics: metrics.iter().map(|name| name.to_string()).collect(), ..samples::bars() }
    }

    /// The figure of a metric called "m".
    fn drawn(rows: &[Row]) -> Scene {
        scene(&figure(&["m"]), rows).unwrap()
    }

    fn texts(scene: &Scene) -> Vec<&str> {
        labels(scene).into_iter().map(|label| label.text.as_str()).collect()
    }

    /// Left, right, top and bottom of points.
    fn bounds(points: &[(f64, f64)]) -> [f64; 4] {
        points.iter().fold([f64::MAX, f64::MIN, f64::MAX, f64::MIN], |[l, r, t, b], &(x, y)| {
            [l.min(x), r.max(x), t.min(y), b.max(y)]
        })
    }

    #[test]
    fn degenerate_data_are_drawn_tidily() {
        let cases = [
            vec![row("a", "m", 3.5, None, None)],
            vec![row("a", "m", 0.0, Some(0.0), Some(0.0)), row("b", "m", -0.0, None, None)],
            vec![row("a", "m", -3.0, Some(9.0), Some(7.0)), row("b", "m", -5e-7, Some(1e-9), Some(-1.0))],
            vec![row("a", "m", -3e250, Some(1e249), None), row("b", "m", 1e-290, None, Some(2e250))],
            vec![row("a", "m", 4e-290, Some(1e-290), Some(3e-290))],
            vec![row(&"a name without end ".repeat(20), "m", 1.0, None, None), row("b", "m", 2.0, None, Some(9.0))],
            vec![row("", "m", 1.0, None, None)],
        ];
        for rows in cases {
            assert_tidy(&drawn(&rows));
        }
    }

    #[test]
    fn any_number_of_bars_and_groups_is_drawn_tidily() {
        for (series, metrics) in [(1, 1), (2, 1), (9, 1), (30, 1), (300, 1), (1, 5), (4, 3), (7, 12), (2, 200)] {
            let metrics: Vec<String> = (0..metrics).map(|m| format!("{m}th of many long metrics' names")).collect();
            let value = |s: usize, m: &String| (s * m.len()) as f64 * 1234.5 - 40_000.0;
            let rows: Vec<Row> = (0..series)
                .flat_map(|s| metrics.iter().map(move |m| (s, m)))
                .map(|(s, m)| row(&format!("series {s}"), m, value(s, m), Some(99.0), Some(value(s, m) + 200.0)))
                .collect();
            assert_tidy(&scene(&Figure { metrics, ..samples::bars() }, &rows).unwrap());
        }
    }

    #[test]
    fn bars_are_as_high_as_their_values_from_zero() {
        let scene = drawn(&[row("a", "m", 100.0, None, None), row("b", "m", 104.0, None, None)]);
        let height = |colour: Colour| {
            let outline = scene.shapes.iter().find_map(|shape| match shape {
                Shape::Area { points, colour: found } if *found == colour => Some(bounds(points)),
                _ => None,
            });
            outline.map(|[_, _, top, bottom]| bottom - top).unwrap()
        };
        let ratio = height(theme::colour(1)) / height(theme::colour(0));
        assert!((ratio - 1.04).abs() < 1e-9, "{ratio}");
    }

    #[test]
    fn series_are_named_below_their_bars_or_in_a_legend() {
        let rows = samples::comparison();
        let alone = scene(&figure(&["cost"]), &rows).unwrap();
        let grouped = scene(&samples::bars(), &rows).unwrap();
        let place = |scene: &Scene, name: &str| {
            labels(scene).into_iter().find(|label| label.text == name).map(|label| label.at.1)
        };
        for name in ["ALP", "AMP"] {
            assert!(place(&alone, name) > place(&alone, "0"), "{name} stands below the axis");
            assert!(place(&grouped, name) < place(&grouped, "0"), "{name} stands in the legend");
        }
        assert!(texts(&grouped).contains(&"execution time") && !texts(&alone).contains(&"cost"));
        // All values of a figure have the same decimals.
        for (scene, value) in [(alone, "372"), (grouped, "371.5")] {
            assert_eq!(texts(&scene).iter().filter(|&&text| text == "published" || text == value).count(), 2);
        }
    }

    #[test]
    fn a_zero_among_negative_bars_is_written_inside_the_plot() {
        let scene = drawn(&[row("a", "m", -3.0, None, None), row("b", "m", 0.0, None, None)]);
        let zero = labels(&scene).into_iter().find(|label| label.text == "0" && label.size == theme::BAR_TEXT_SIZE);
        let axis = scene.shapes.iter().find_map(|shape| match shape {
            Shape::Line { points, .. } if points[0].0 == points[1].0 && points[0].1 != points[1].1 => {
                Some(bounds(points))
            }
            _ => None,
        });
        assert!(extent(zero.unwrap())[2] > axis.unwrap()[2], "below the top of the vertical axis");
    }

    #[test]
    fn what_can_not_be_drawn_is_an_error() {
        let error = |rows: &[Row]| scene(&figure(&["m"]), rows).err().unwrap();
        let one = row("a", "m", 1.0, None, None);
        assert!(matches!(error(&[one.clone().at(3.0)]), ReportError::NoRows { .. }));
        assert!(matches!(error(&[one.clone(), one]), ReportError::Repeated { .. }));
        assert!(matches!(error(&[row("a", "m", 1e301, None, None)]), ReportError::TooWide { .. }));
    }

    proptest! {
        #[test]
        fn a_value_covers_neither_its_whisker_nor_the_published_value(
            mean in -100.0_f64..100.0, ci95 in 0.0_f64..30.0, published in -100.0_f64..100.0, series in 1_usize..30,
        ) {
            let mut rows = vec![row("first", "m", mean, Some(ci95), Some(published))];
            rows.extend((1..series).map(|s| row(&s.to_string(), "m", 150.0, None, None)));
            let scene = drawn(&rows);
            assert_tidy(&scene);
            let value = ValueText::of(&rows.iter().collect::<Vec<_>>()).written(mean);
            let own = |label: &&Label| label.text == value && label.size == theme::BAR_TEXT_SIZE;
            let Some([left, right, top, bottom]) = labels(&scene).into_iter().find(own).map(extent) else {
                prop_assert!(series > 20, "a value is missing though there is room");
                return Ok(());
            };
            // The legend's own whisker and diamond are far above.
            for shape in &scene.shapes {
                if let Shape::Line { points, colour, .. } = shape && *colour == theme::INK {
                    let [l, r, t, b] = bounds(points);
                    prop_assert!(right <= l || r <= left || bottom <= t || b <= top, "{value} covers {points:?}");
                }
            }
        }
    }
}
