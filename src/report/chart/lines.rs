//! Lines with bands and markers, points, areas and staircases.

use super::axis::{Axis, Scale};
use super::canvas::Canvas;
use super::legend::Entry;
use super::limits::AxisLimits;
use super::pen::{Pen, Point, Rect};
use super::range::Range;
use super::series::{DrawnSeries, LineLook, Measured, collect, stack};
use super::sheet::{Panel, Plot, Sheet};
use super::{range, spots, theme};
use crate::{Figure, LogAxes, ReportError, Row};
use gridloom_files::{Colour, Scene};

/// Room between the outermost markers and the frame, as a share of the plot's width.
const MARKER_ROOM: f64 = 0.02;
/// At most this many steps between the ticks of the vertical axis of a chart that is alone, and of one among others.
pub(super) const STEPS: usize = 6;
pub(super) const PANEL_STEPS: usize = 4;
/// Series past the number of colours are drawn so many in a panel at most.
const MOST_IN_PANEL: usize = 5;

/// The axes that are logarithmic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LogScale {
    pub x: bool,
    pub y: bool,
}

impl LogScale {
    /// The axes that a figure asks for, as far as points have a place there: where none has, the axis is plain.
    pub(super) fn of<'a>(log: Option<LogAxes>, mut points: impl Iterator<Item = &'a Measured> + Clone) -> Self {
        let x = log.is_some_and(LogAxes::has_x) && points.clone().all(|point| point.x > 0.0);
        let y = log.is_some_and(LogAxes::has_y) && points.any(|point| point.mean > 0.0);
        Self { x, y }
    }

    /// The series without points that have no place on these axes.
    pub(super) fn applied(self, mut series: Vec<DrawnSeries>) -> Vec<DrawnSeries> {
        for one in &mut series {
            one.points.retain(|point| !(self.x && point.x <= 0.0 || self.y && point.mean <= 0.0));
            for point in one.points.iter_mut().filter(|_| self.y) {
                point.published = point.published.filter(|&value| value > 0.0);
                point.band = point.band.map(|[low, high]| [low.max(f64::MIN_POSITIVE), high]);
            }
        }
        series.retain(|one| !one.points.is_empty());
        series
    }

    /// The horizontal axis of series.
    pub(super) fn across(self, figure: &Figure, series: &[DrawnSeries]) -> Result<Scale, ReportError> {
        let x = range(figure, points(series).map(|point| point.x))?;
        let has_markers = series.iter().any(DrawnSeries::is_marked);
        let room = if has_markers { MARKER_ROOM } else { 0.0 };
        Ok(if self.x { Scale::Powers(x.to_powers()) } else { Scale::Values(x.padded(room)) })
    }

    /// The vertical axis of points with their intervals, as far as the limits of their axis let them reach.
    pub(super) fn up<'a>(
        self,
        figure: &Figure,
        points: impl Iterator<Item = &'a Measured> + Clone,
        steps: usize,
    ) -> Result<Axis, ReportError> {
        let values = points.clone().flat_map(|point| [Some(point.mean), point.published]).flatten();
        let bands = points.filter_map(|point| point.band).flatten();
        if self.y {
            // Intervals that reach far below all means are cut.
            let least = values.clone().fold(f64::INFINITY, f64::min) / 10.0;
            let range = range(figure, values.chain(bands.filter(|&end| end > least)))?;
            return Ok(Scale::Powers(range.to_powers()).with_steps(steps));
        }
        let limits = AxisLimits::of(&figure.y_label, values.clone());
        let range = range(figure, values.chain(bands.map(|end| limits.cut(end))))?;
        Ok(Scale::Values(range.with_near_zero().up_to(limits.high).rounded(steps)).with_steps(steps))
    }
}

/// All points of some series.
pub(super) fn points(series: &[DrawnSeries]) -> impl Iterator<Item = &Measured> + Clone {
    series.iter().flat_map(|one| &one.points)
}

/// One chart of a figure.
pub(super) fn single<'a>(figure: &'a Figure, legend: Vec<Entry<'a>>, panel: Panel<'a>) -> Sheet<'a> {
    let panels = vec![panel];
    Sheet {
        title: &figure.title,
        x_title: &figure.x_label,
        y_title: &figure.y_label,
        legend,
        panels,
        columns: 1,
        ..Sheet::default()
    }
}

/// Lines over plain or logarithmic axes; more of them than colours are divided into panels.
pub(super) fn scene(
    figure: &Figure,
    all: Vec<DrawnSeries>,
    log: Option<LogAxes>,
    canvas: &Canvas,
) -> Result<Scene, ReportError> {
    let scale = LogScale::of(log, points(&all));
    let series = scale.applied(all);
    let x = scale.across(figure, &series)?;
    if series.len() > theme::COLOURS {
        return crowded(figure, series, scale, x, canvas);
    }
    let panel = Panel::new(x, scale.up(figure, points(&series), STEPS)?, canvas.plot_height());
    let sheet = single(figure, line_legend(&series), panel);
    Ok(sheet.scene(canvas, |_, plot| lines(plot, &series, theme::MARKER_RADIUS)))
}

/// A few of many lines in each panel, in colours, over all others in grey. Each panel has a legend of its own.
pub(super) fn crowded(
    figure: &Figure,
    mut series: Vec<DrawnSeries>,
    scale: LogScale,
    x: Scale,
    canvas: &Canvas,
) -> Result<Scene, ReportError> {
    let rows = series.len().div_ceil(2 * MOST_IN_PANEL);
    let in_panel = series.len().div_ceil(2 * rows);
    for (index, one) in series.iter_mut().enumerate() {
        one.look = LineLook::of(index % in_panel);
    }
    let y = scale.up(figure, points(&series), PANEL_STEPS)?;
    let height = canvas.plot_height() * 2 / 3;
    let mut panels = Vec::new();
    for own in series.chunks(in_panel) {
        let legend = own.iter().map(line_entry).collect();
        panels.push(Panel { legend, ..Panel::new(x.clone(), y.clone(), height) });
    }
    let grey = Entry::line("all others", |pen, ends| pen.line(ends, theme::PALE, theme::AXIS_LINE));
    let legend = [grey].into_iter().chain(band_entry(&series)).chain(published_entry(&series)).collect();
    let sheet = Sheet { panels, columns: 2, legend, ..single(figure, Vec::new(), Panel::new(x.clone(), y.clone(), 0)) };
    Ok(sheet.scene(canvas, |panel, plot| {
        for (_, one) in series.iter().enumerate().filter(|(index, _)| index / in_panel != panel) {
            plot.pen.line(path(plot, one), theme::PALE, theme::AXIS_LINE);
        }
        let own = &series[panel * in_panel..series.len().min((panel + 1) * in_panel)];
        lines(plot, own, 0.8 * theme::MARKER_RADIUS);
    }))
}

/// Both axes are logarithmic and there are no bands. Points that are not above zero both ways are left out; nothing
/// above zero, or more lines than colours, is drawn over plain axes.
pub(super) fn log_lines(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let mut series = LogScale { x: true, y: true }.applied(collect(figure, rows)?);
    if series.is_empty() || series.len() > theme::COLOURS {
        return scene(figure, collect(figure, rows)?, None, canvas);
    }
    for (index, one) in series.iter_mut().enumerate() {
        one.look = LineLook::of(index);
        one.points.iter_mut().for_each(|point| point.band = None);
    }
    scene(figure, series, Some(LogAxes::Both), canvas)
}

/// All points of a scatter; later series lie on top, so that the few that matter are not hidden by the many. A point
/// that others cover is larger than they, so that it shows around them.
pub(super) fn scatter(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let series = collect(figure, rows)?;
    let y = range(figure, points(&series).map(|point| point.mean))?.padded(MARKER_ROOM).rounded(STEPS);
    let x = range(figure, points(&series).map(|point| point.x))?.padded(MARKER_ROOM);
    let entry = |one: &DrawnSeries| {
        let look = one.look;
        Entry::new(&one.name, move |pen, at| marker(pen, look, at, theme::MARKER_RADIUS))
    };
    let panel = Panel::new(Scale::Values(x), Scale::Values(y).with_steps(STEPS), canvas.plot_height());
    let sheet = single(figure, series.iter().map(entry).collect(), panel);
    Ok(sheet.scene(canvas, |_, plot| {
        for (index, one) in series.iter().enumerate() {
            for p in &one.points {
                let covers = |other: &&DrawnSeries| other.points.iter().any(|q| (q.x, q.mean) == (p.x, p.mean));
                let covering = series[index + 1..].iter().filter(covers).count();
                marker(plot.pen, one.look, plot.at(p.x, p.mean), theme::MARKER_RADIUS * (1.0 + 0.5 * covering as f64));
            }
            spots::points(plot, one);
        }
    }))
}

/// Areas on top of each other, with white lines between them that keep neighbours apart in print without colours.
pub(super) fn stacked(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let series = collect(figure, rows)?;
    let layers = stack(figure, &series)?;
    let edges = layers.iter().flatten().flat_map(|&(_, low, high)| [low, high]);
    let limits = AxisLimits::of(&figure.y_label, edges.clone());
    let y = range(figure, edges)?.up_to(limits.high).rounded(STEPS);
    let x = range(figure, points(&series).map(|point| point.x))?;
    let entry = |(index, one): (usize, &DrawnSeries)| {
        Entry::boxed(&one.name, move |pen, rect| pen.rect(rect, theme::area_colour(index)))
    };
    let panel = Panel::new(Scale::Values(x), Scale::Values(y).with_steps(STEPS), canvas.plot_height());
    // A layer of no height shows no colour.
    let is_seen = |(_, one): &(usize, &DrawnSeries)| one.points.iter().any(|point| point.mean != 0.0);
    let sheet = single(figure, series.iter().enumerate().filter(is_seen).map(entry).collect(), panel);
    Ok(sheet.scene(canvas, |_, plot| {
        for (index, layer) in layers.iter().enumerate() {
            // A single point has no width of its own: it fills the plot.
            let edges = match layer[..] {
                [(_, low, high)] => vec![(x.low, low, high), (x.high, low, high)],
                _ => layer.clone(),
            };
            let upper: Vec<Point> = edges.iter().map(|&(x, _, high)| plot.at(x, high)).collect();
            let lower = edges.iter().rev().map(|&(x, low, _)| plot.at(x, low));
            plot.pen.fill(upper.iter().copied().chain(lower).collect(), theme::area_colour(index));
            plot.pen.line(upper, theme::PAPER, 2 * theme::AXIS_LINE);
        }
        for (one, layer) in series.iter().zip(&layers) {
            for (point, &(x, low, high)) in one.points.iter().zip(layer) {
                let ((x, bottom), (_, top)) = (plot.at(x, low), plot.at(x, high));
                spots::place(plot, Rect { left: x, right: x, top, bottom }, &one.name, point.value.clone());
            }
        }
    }))
}

/// The steps of a series: a level at the left, where it has a row at 0, and the rows above 0.
struct Staircase {
    level: Option<f64>,
    /// Where it steps, and the height after it; none at the bottom.
    steps: Vec<(f64, Option<f64>)>,
}

impl Staircase {
    fn of(series: &DrawnSeries) -> Self {
        let above = |value: f64| (value > 0.0).then_some(value);
        let level = series.points.iter().rfind(|point| point.x <= 0.0).and_then(|point| above(point.mean));
        let steps = series.points.iter().filter(|point| point.x > 0.0);
        Self { level, steps: steps.map(|point| (point.x, above(point.mean))).collect() }
    }

    fn heights(&self) -> impl Iterator<Item = f64> {
        self.level.into_iter().chain(self.steps.iter().filter_map(|&(_, height)| height))
    }

    /// Its corners from left to right; a step to 0 goes down to the bottom.
    fn path(&self, plot: &Plot) -> Vec<Point> {
        let mut level = self.level;
        let mut path: Vec<Point> = level.iter().map(|&height| plot.at(plot.x.range.low, height)).collect();
        for &(x, height) in &self.steps {
            path.extend(level.map(|level| plot.at(x, level)));
            if level.is_some() || height.is_some() {
                path.push(plot.at(x, height.unwrap_or(plot.y.range.low)));
            }
            level = height;
        }
        // Without a step to 0 it goes on to the right.
        path.extend(level.map(|level| plot.at(plot.x.range.high, level)));
        path
    }
}

/// Staircases over two logarithmic axes; nothing above zero, or more of them than colours, is drawn as lines over plain
/// axes.
pub(super) fn log_steps(figure: &Figure, rows: &[Row], canvas: &Canvas) -> Result<Scene, ReportError> {
    let series = collect(figure, rows)?;
    let stairs: Vec<Staircase> = series.iter().map(Staircase::of).collect();
    let places = || stairs.iter().flat_map(|one| &one.steps).map(|&(x, _)| x);
    let heights = || stairs.iter().flat_map(Staircase::heights);
    if places().next().is_none() || heights().next().is_none() || series.len() > theme::COLOURS {
        return scene(figure, series, None, canvas);
    }
    let powers = |range: Range| Scale::Powers(range.to_powers());
    let (x, y) = (powers(range(figure, places())?), powers(range(figure, heights())?).with_steps(STEPS));
    let drawn = series.iter().zip(&stairs).filter(|(_, stairs)| stairs.heights().next().is_some());
    let legend = drawn.clone().map(|(one, _)| Entry::look(&one.name, one.look)).collect();
    let sheet = single(figure, legend, Panel::new(x, y, canvas.plot_height()));
    Ok(sheet.scene(canvas, |_, plot| {
        drawn.clone().for_each(|(one, stairs)| plot.pen.look(stairs.path(plot), one.look));
        series.iter().for_each(|one| spots::points(plot, one));
    }))
}

/// All lines of a plot, each over its band and below its markers.
pub(super) fn lines(plot: &Plot, series: &[DrawnSeries], radius: f64) {
    series.iter().for_each(|one| bands(plot, one, theme::colour(one.look.colour)));
    for one in series {
        for (x, value) in one.points.iter().filter_map(|point| Some((point.x, point.published?))) {
            plot.pen.hollow(one.look.pattern, plot.at(x, value), radius, theme::colour(one.look.colour));
        }
    }
    for one in series {
        match one.is_dense() {
            // Dashes of a line that jumps up and down at every step would leave nothing to follow.
            true => plot.pen.line(path(plot, one), theme::colour(one.look.colour), theme::AXIS_LINE),
            false => plot.pen.look(path(plot, one), one.look),
        }
    }
    for one in series.iter().filter(|one| one.is_marked()) {
        one.points.iter().for_each(|point| marker(plot.pen, one.look, plot.at(point.x, point.mean), radius));
    }
    series.iter().for_each(|one| spots::points(plot, one));
}

fn path(plot: &Plot, series: &DrawnSeries) -> Vec<Point> {
    series.points.iter().map(|point| plot.at(point.x, point.mean)).collect()
}

/// The band of every stretch of points that have an interval.
fn bands(plot: &Plot, series: &DrawnSeries, colour: Colour) {
    for stretch in series.points.chunk_by(|a, b| a.band.is_some() && b.band.is_some()) {
        let edge = |side: usize| move |point: &Measured| point.band.map(|ends| plot.at(point.x, ends[side]));
        let upper = stretch.iter().filter_map(edge(1));
        let points: Vec<Point> = upper.chain(stretch.iter().rev().filter_map(edge(0))).collect();
        match points.len() {
            0 | 1 => {}
            // One point has no width for a band: its interval is a whisker.
            2 => plot.pen.line(points, colour, theme::AXIS_LINE),
            _ => plot.pen.fill(points, Colour { opacity: theme::BAND_OPACITY, ..colour }),
        }
    }
}

fn marker(pen: &Pen, look: LineLook, at: Point, radius: f64) {
    pen.marker(look.pattern, at, radius, theme::colour(look.colour));
}

/// The legend of [`lines`].
pub(super) fn line_legend(series: &[DrawnSeries]) -> Vec<Entry<'_>> {
    series.iter().map(line_entry).chain(band_entry(series)).chain(published_entry(series)).collect()
}

/// The legend of lines in panels: each name once, wherever it is first drawn. `named` gives its place and the name.
pub(super) fn shared_legend<'a>(
    panels: &'a [Vec<DrawnSeries>],
    named: impl Fn(&DrawnSeries) -> (usize, String),
) -> Vec<Entry<'a>> {
    let mut legend: Vec<(usize, Entry)> = Vec::new();
    for one in panels.iter().flatten() {
        let (place, name) = named(one);
        if legend.iter().all(|(_, known)| known.name != name) {
            legend.push((place, Entry { name, ..line_entry(one) }));
        }
    }
    legend.sort_by_key(|(place, _)| *place);
    let named = legend.into_iter().map(|(_, entry)| entry);
    let has_bands = panels.iter().find_map(|own| band_entry(own));
    named.chain(has_bands).chain(panels.iter().find_map(|own| published_entry(own))).collect()
}

fn line_entry(one: &DrawnSeries) -> Entry<'_> {
    let (look, is_marked, is_dense) = (one.look, one.is_marked(), one.is_dense());
    Entry::line(&one.name, move |pen, ends| {
        match is_dense {
            true => pen.line(ends, theme::colour(look.colour), theme::AXIS_LINE),
            false => pen.look(ends.to_vec(), look),
        }
        if is_marked {
            marker(pen, look, ((ends[0].0 + ends[1].0) / 2, ends[0].1), theme::MARKER_RADIUS);
        }
    })
}

/// The entry of the legend for bands, where there are some to be seen.
fn band_entry<'a>(series: &[DrawnSeries]) -> Option<Entry<'a>> {
    let has_band = |one: &DrawnSeries| {
        one.points.iter().any(|point| point.band.is_some_and(|[low, high]| high > low)) && one.points.len() > 1
    };
    let colour = Colour { opacity: theme::BAND_OPACITY, ..theme::INK };
    series.iter().any(has_band).then(|| {
        Entry::line("95 % interval", move |pen, [(left, y), (right, _)]| {
            let (top, bottom) = (y - theme::TICK_SIZE / 3, y + theme::TICK_SIZE / 3);
            pen.rect(Rect { left, right, top, bottom }, colour);
        })
    })
}

/// The entry of the legend for hollow markers, where there are some.
fn published_entry<'a>(series: &[DrawnSeries]) -> Option<Entry<'a>> {
    let is_published = points(series).any(|point| point.published.is_some());
    is_published.then(|| Entry::published(0, theme::MARKER_RADIUS))
}
