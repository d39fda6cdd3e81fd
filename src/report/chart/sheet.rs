//! The one layout of all figures: title, legend, and panels in rows from the top down, each a chart of plotters.

use super::axis::{Axis, Scale};
use super::canvas::Canvas;
use super::legend::{self, Entry};
use super::pen::{Pen, Point, Rect, lettering, stroke};
use super::recorder::{Recorder, sure};
use super::theme;
use super::titles::{panel_title, title_lines, width};
use gridloom_files::{Colour, Scene, Shape, wrapped};
use plotters::chart::{ChartBuilder, LabelAreaPosition};
use plotters::coord::cartesian::Cartesian2d;
use plotters::drawing::DrawingArea;
use plotters::style::text_anchor::HPos;

/// Half the distance from an axis of names to its labels.
const NAME_TICK: i32 = theme::GAP / 2;

/// Panels with all that stands around them.
#[derive(Default)]
pub(super) struct Sheet<'a> {
    pub title: &'a str,
    pub x_title: &'a str,
    pub y_title: &'a str,
    pub legend: Vec<Entry<'a>>,
    pub panels: Vec<Panel<'a>>,
    /// The number of panels side by side; at least one.
    pub columns: usize,
    /// Panels of a column have horizontal axes of their own, and those of a row vertical ones.
    pub own_axes: [bool; 2],
    /// Room before the labels of the vertical axes, and to the right of the panels.
    pub beside: [i32; 2],
    /// Stands above the panels.
    pub key: Option<Key<'a>>,
}

/// A chart that explains others, such as a bar of their colours.
pub(super) struct Key<'a> {
    pub sheet: Box<Sheet<'a>>,
    pub draw: Box<dyn Fn(&Plot<'_>) + 'a>,
}

/// A chart among others.
pub(super) struct Panel<'a> {
    /// Empty for none.
    pub title: String,
    pub legend: Vec<Entry<'a>>,
    pub x: Scale,
    /// The horizontal axis ends there.
    pub limit: f64,
    pub y: Axis,
    pub height: i32,
}

impl Panel<'_> {
    pub(super) fn new(x: Scale, y: Axis, height: i32) -> Self {
        Self { title: String::new(), legend: Vec::new(), x, limit: f64::INFINITY, y, height }
    }
}

/// The chart of a panel, into which data are drawn.
pub(super) struct Plot<'a> {
    pub pen: &'a Pen,
    pub x: &'a Axis,
    pub y: &'a Axis,
    pub rect: Rect,
    chart: &'a DrawingArea<Recorder, Cartesian2d<Axis, Axis>>,
}

impl Plot<'_> {
    /// The place of values; those past the ends of an axis stand at its ends.
    pub(super) fn at(&self, x: f64, y: f64) -> Point {
        let within = |value: f64, axis: &Axis| {
            let (low, high) = (axis.range.low.min(axis.range.high), axis.range.low.max(axis.range.high));
            value.clamp(low, high)
        };
        self.chart.map_coordinate(&(within(x, self.x), within(y, self.y)))
    }

    /// A line across the plot where the vertical axis has this value.
    pub(super) fn level(&self, y: f64) {
        let at = self.at(self.x.range.low, y).1;
        self.pen.line([(self.rect.left, at), (self.rect.right, at)], theme::AXIS, theme::AXIS_LINE);
    }
}

impl Sheet<'_> {
    /// Lays the panels out; `draw` draws the data of each.
    pub(super) fn scene(&self, canvas: &Canvas, draw: impl Fn(usize, &Plot<'_>)) -> Scene {
        let (mut shapes, mut height) = self.drawn(canvas, 0, &draw);
        if let Some(wanted) = canvas.height {
            let rows = self.panels.len().div_ceil(self.columns).max(1) as i32;
            (shapes, height) = self.drawn(canvas, (wanted - height) / rows, &draw);
        }
        Scene {
            title: self.title.into(),
            width: f64::from(canvas.width),
            height: f64::from(height),
            resolution: canvas.resolution,
            shapes,
        }
    }

    /// The shapes and the height of a sheet whose panels are this much higher than they ask for.
    fn drawn(&self, canvas: &Canvas, higher: i32, draw: &impl Fn(usize, &Plot<'_>)) -> (Vec<Shape>, i32) {
        let pen = Pen::new(canvas.width);
        let edge = canvas.width - theme::MARGIN;
        let mut top = theme::MARGIN;
        if canvas.has_titles {
            for text in wrapped(self.title, f64::from(edge - theme::MARGIN), f64::from(theme::TITLE_SIZE), true) {
                pen.bold(text, (theme::MARGIN, top + theme::TITLE_SIZE / 2), HPos::Left, theme::TITLE_SIZE);
                top += theme::line(theme::TITLE_SIZE);
            }
        }
        top = legend::place(&pen, &self.legend, [theme::MARGIN, edge], top);
        if let Some(key) = &self.key {
            top = key.sheet.panels(&pen, canvas, 0, top, &|_, plot| (key.draw)(plot));
        }
        let bottom = self.panels(&pen, canvas, higher, top, draw);
        (pen.into_shapes(), bottom + theme::MARGIN)
    }

    /// Draws the panels with their axes and titles; returns where free space begins below them.
    fn panels(&self, pen: &Pen, canvas: &Canvas, higher: i32, start: i32, draw: &impl Fn(usize, &Plot<'_>)) -> i32 {
        let (edge, line) = (canvas.width - theme::MARGIN, theme::line(theme::TICK_SIZE));
        let mut top = start;
        let [own_x, own_y] = self.own_axes;

        // Across: the vertical title, then columns of labels and plots.
        let height_of = |panel: &Panel| (panel.height + higher).max(theme::line(theme::TICK_SIZE));
        let rows: Vec<&[Panel]> = self.panels.chunks(self.columns).collect();
        let heights = rows.iter().map(|row| row.iter().map(height_of).max().unwrap_or(0));
        let powers: Vec<&str> = self.panels.iter().map(|panel| panel.y.multiplier.as_str()).collect();
        let has_one_power = powers.windows(2).all(|pair| pair[0] == pair[1]);
        let y_title = titled(self.y_title, powers.first().filter(|_| has_one_power).unwrap_or(&""));
        let y_title = title_lines(&y_title, heights.sum::<i32>() + rows.len() as i32 * line);
        let left = theme::MARGIN + y_title.len() as i32 * theme::line(theme::LABEL_SIZE);
        let labels = self.panels.iter().map(|panel| panel.y.widest().ceil() as i32).max().unwrap_or(0);
        let labels = labels + 2 * self.panels.first().map_or(0, |panel| tick(&panel.y)) + self.beside[0];
        let (first, each) = if own_y { (0, labels) } else { (labels, 0) };
        let columns = self.columns as i32;
        let room = edge - self.beside[1] - left - first;
        let rough = (room / columns - each).max(1);
        let overhang = self.panels.iter().map(|panel| panel.x.within(rough).up_to(panel.limit).overhang(rough));
        let overhang = overhang.fold([0, 0], |most, own| [most[0].max(own[0]), most[1].max(own[1])]);
        let past = (overhang[1] - self.beside[1]).max(0);
        let left = left.max(theme::MARGIN + overhang[0] - labels);
        let room = edge - self.beside[1] - left - first;
        let gap = theme::GAP * 3 / 2 + if own_y { past.max(overhang[0] - each) } else { overhang[0] + past };
        let plot_width = ((room - past + gap) / columns - gap - each).max(1);
        let [from, to] = [left + first, left + first + columns * (each + plot_width + gap) - gap];

        let size = title_size(&self.panels, plot_width);
        let (mut below, mut x_power) = (top, String::new());
        for (row, panels) in rows.iter().enumerate() {
            let titles: Vec<String> = panels.iter().map(|panel| panel_title(&panel.title, plot_width, size)).collect();
            let lines = titles.iter().map(|title| title.lines().count()).max().unwrap_or(0) as i32;
            let legends = panels.iter().map(|panel| legend::height(&panel.legend, plot_width)).max().unwrap_or(0);
            let power = if has_one_power { 0 } else { line };
            // Half of the highest tick's label stands above its panel.
            let titled = lines * line + legends + power;
            let above = if titled > 0 { titled + theme::GAP } else { theme::TICK_SIZE / 2 + theme::GAP / 2 };
            top += above;
            let height = panels.iter().map(height_of).max().unwrap_or(0);
            for (column, (panel, title)) in panels.iter().zip(titles).enumerate() {
                let index = row * self.columns + column;
                let left = left + first + each + column as i32 * (each + plot_width + gap);
                let mut at = top - titled - theme::GAP / 2;
                pen.text(&title, (left, at + lines * line / 2), HPos::Left, size);
                at += lines * line;
                at = legend::place(pen, &panel.legend, [left, left + plot_width], at);
                if !has_one_power {
                    pen.text(&panel.y.multiplier, (left, at + line / 2), HPos::Left, theme::TICK_SIZE);
                }
                let mut x = panel.x.within(plot_width).up_to(panel.limit);
                x_power.clone_from(&x.multiplier);
                let is_last = own_x || index + self.columns >= self.panels.len();
                let y = panel.y.clone().thinned(height_of(panel));
                let y = if own_y || column == 0 { y } else { y.unlabelled() };
                if !is_last {
                    x = x.unlabelled();
                }
                let rect = Rect { left, right: left + plot_width, top, bottom: top + height_of(panel) };
                chart(pen, rect, [&x, &y], |plot| draw(index, plot));
                let labels = x.lines() as i32 * theme::name_line(theme::TICK_SIZE);
                below = below.max(rect.bottom + (2 * tick(&x) + labels).max(theme::TICK_SIZE / 2));
            }
            top = if own_x { below } else { top + height } + theme::GAP;
        }
        let mut across = left - y_title.len() as i32 * theme::line(theme::LABEL_SIZE);
        for text in y_title {
            pen.upwards(text, (across + theme::LABEL_SIZE / 2, (start + below) / 2), theme::LABEL_SIZE);
            across += theme::line(theme::LABEL_SIZE);
        }
        // In the middle of the axes, as far as the canvas allows.
        for text in title_lines(&titled(self.x_title, &x_power), edge - theme::MARGIN) {
            let half = width(&text, theme::LABEL_SIZE) / 2;
            let middle = ((from + to) / 2).min(edge - half).max(theme::MARGIN + half);
            pen.text(text, (middle, below + theme::line(theme::LABEL_SIZE) / 2), HPos::Center, theme::LABEL_SIZE);
            below += theme::line(theme::LABEL_SIZE);
        }
        below
    }
}

/// The size of all panels' titles: a little smaller is better than a second line.
fn title_size(panels: &[Panel], room: i32) -> i32 {
    let fits = |size: i32| panels.iter().all(|panel| width(&panel.title, size) <= room);
    if !fits(theme::TICK_SIZE) && fits(theme::BAR_TEXT_SIZE) { theme::BAR_TEXT_SIZE } else { theme::TICK_SIZE }
}

/// The title of an axis with the power of ten that its labels leave out.
fn titled(title: &str, power: &str) -> String {
    [title, power].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// One chart: the grid, the data, and the axes over them.
fn chart(pen: &Pen, rect: Rect, [x, y]: [&Axis; 2], draw: impl FnOnce(&Plot<'_>)) {
    // Labels have no room of their own here: the layout has left it.
    let (before, below) = (theme::TICK_LENGTH.max(NAME_TICK) + 1, theme::TICK_LENGTH + 1);
    let corner = (rect.left - before, rect.top);
    let area = pen.area.clone().shrink(corner, (rect.right - corner.0 + 1, rect.bottom - rect.top + below + 1));
    let mut chart = ChartBuilder::on(&area);
    chart.y_label_area_size(before).x_label_area_size(below);
    let mut chart = sure(chart.build_cartesian_2d(x.clone(), y.clone()));
    let mut grid = chart.configure_mesh();
    grid.disable_axes().max_light_lines(0).bold_line_style(stroke(theme::GRID, theme::GRID_LINE));
    if !x.is_ruled {
        grid.disable_x_mesh();
    }
    if !y.is_ruled {
        grid.disable_y_mesh();
    }
    sure(grid.draw());
    drop(grid);
    let plot = Plot { pen, x, y, rect, chart: chart.plotting_area() };
    draw(&plot);

    if y.is_ruled && !x.is_ruled {
        plot.level(y.range.low);
    }
    for (axis, position) in [(x, LabelAreaPosition::Bottom), (y, LabelAreaPosition::Left)] {
        let mut mesh = chart.configure_mesh();
        // Names have no ticks, only a distance from the axis.
        let colour = if axis.is_ruled { theme::AXIS } else { Colour { opacity: 0, ..theme::AXIS } };
        mesh.disable_mesh().label_style(lettering(theme::TICK_SIZE)).axis_style(stroke(colour, theme::AXIS_LINE));
        mesh.set_tick_mark_size(position, tick(axis));
        match position {
            LabelAreaPosition::Bottom => mesh.disable_y_axis(),
            _ => mesh.disable_x_axis(),
        };
        sure(mesh.draw());
    }
}

/// Labels stand twice as far from their axis.
fn tick(axis: &Axis) -> i32 {
    match axis.lines() {
        0 => 0,
        _ if axis.is_ruled => theme::TICK_LENGTH,
        _ => NAME_TICK,
    }
}
