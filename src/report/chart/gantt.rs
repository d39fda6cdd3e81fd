//! Gantt charts: nodes from the top down, time to the right, several panels over one axis.

use super::axis::{Axis, HORIZONTAL_STEPS, Horizontal};
use super::boxes::Rect;
use super::frame::{LegendEntry, Plot, heading};
use super::lane;
use super::scale::Range;
use super::theme;
use crate::ReportError;
use crate::{Bar, BarKind, Gantt, Lane};
use gridloom_files::{Align, Label, Scene, Shape, stroke};
use gridloom_files::{fitted, text_width};

/// At most this many lanes in one chart.
const MOST_LANES: usize = 60;
/// Many lanes are as low as this, few as high as this.
const LOWEST_LANE: f64 = 80.0;
const HIGHEST_LANE: f64 = 132.0;
/// Lanes share about this height, as far as their own heights allow.
const LANES_HEIGHT: f64 = 2400.0;
/// Above each panel.
const PANEL_GAP: f64 = 1.5 * theme::GAP;
/// At most this much width for the lanes' labels, and for their notes.
const LABEL_ROOM: f64 = 0.2 * theme::WIDTH;
const NOTE_ROOM: f64 = 0.17 * theme::WIDTH;

/// The part of a panel that is drawn.
struct Shown<'a> {
    title: &'a str,
    lanes: &'a [Lane],
}

/// Lays out a Gantt chart.
pub(crate) fn scene(gantt: &Gantt) -> Result<Scene, ReportError> {
    let panels = shown(gantt);
    let lanes = || panels.iter().flat_map(|panel| panel.lanes);
    let x = time_range(gantt, lanes())?;
    let mut shapes = Vec::new();
    let mut below = heading(&mut shapes, &gantt.title, legend(gantt, lanes().flat_map(|lane| &lane.bars)));
    let columns = GanttColumns::around(lanes());
    let left = columns.right;
    let axis = Horizontal::Values(x).within(theme::WIDTH - theme::MARGIN - left);
    let right = theme::WIDTH - theme::MARGIN - axis.overhang[1];
    let lane_height = (LANES_HEIGHT / lanes().count() as f64).clamp(LOWEST_LANE, HIGHEST_LANE);
    let mut last = None;
    for panel in &panels {
        let mut top = below + PANEL_GAP;
        let title = fitted(panel.title, right - left, theme::TICK_SIZE, true);
        if !title.is_empty() {
            let at = (left, top + 0.5 * theme::TICK_SIZE);
            shapes.push(Shape::Text(Label { bold: true, ..Label::new(title, at, Align::Left, theme::TICK_SIZE) }));
            top += theme::LEADING * theme::TICK_SIZE;
        }
        let rows = panel.lanes.len() as f64;
        below = top + lane_height * rows;
        let plot = Plot { left, right, top, bottom: below, x, y: Range { low: 0.0, high: rows } };
        shapes.extend(panel_shapes(panel, &plot, &axis, &columns));
        last = Some(plot);
    }
    let last = last.ok_or_else(|| ReportError::NoLanes { figure: gantt.file.clone() })?;
    let height = axis.place(&mut shapes, &last, &gantt.x_label) + theme::MARGIN;
    Ok(Scene { title: gantt.title.clone(), height, shapes })
}

/// The caption, with a note where lanes are left out.
pub(crate) fn caption(gantt: &Gantt) -> String {
    let all: usize = gantt.panels.iter().map(|panel| panel.lanes.len()).sum();
    let drawn: usize = shown(gantt).iter().map(|panel| panel.lanes.len()).sum();
    if drawn == all {
        return gantt.caption.clone();
    }
    format!("{} {drawn} of {all} lanes are drawn.", gantt.caption).trim_start().to_string()
}

/// The panels that have lanes, cut to the same number of lanes where all would be too many.
fn shown(gantt: &Gantt) -> Vec<Shown<'_>> {
    let filled = || gantt.panels.iter().filter(|panel| !panel.lanes.is_empty()).take(MOST_LANES);
    let total = |most: usize| filled().map(|panel| panel.lanes.len().min(most)).sum::<usize>();
    let most = (1..=MOST_LANES).rev().find(|&most| total(most) <= MOST_LANES).unwrap_or(1);
    filled().map(|panel| Shown { title: &panel.title, lanes: &panel.lanes[..panel.lanes.len().min(most)] }).collect()
}

/// The range of the time axis, from one tick to another.
fn time_range<'a>(gantt: &Gantt, lanes: impl Iterator<Item = &'a Lane>) -> Result<Range, ReportError> {
    let figure = || gantt.file.clone();
    let mut times = Vec::new();
    for lane in lanes {
        for &Bar { start, end, ref label, .. } in &lane.bars {
            if !(start.is_finite() && end.is_finite() && start <= end) {
                let (lane, label) = (lane.label.clone(), label.clone());
                return Err(ReportError::BadBar { figure: figure(), lane, label, start, end });
            }
            times.extend([start, end]);
        }
    }
    if times.is_empty() {
        return Ok(Range { low: 0.0, high: 1.0 });
    }
    let range = Range::around(times).ok_or_else(|| ReportError::TooWide { figure: figure() })?;
    Ok(range.rounded(HORIZONTAL_STEPS))
}

/// The legend of the boxes, for the kinds of bars that are drawn.
fn legend<'a>(gantt: &Gantt, bars: impl Iterator<Item = &'a Bar>) -> Vec<LegendEntry> {
    let (mut free, mut local, mut requests) = (false, false, Vec::new());
    for bar in bars {
        match bar.kind {
            BarKind::Free => free = true,
            BarKind::Local => local = true,
            BarKind::Window(request) => requests.push(request),
        }
    }
    requests.sort_unstable();
    requests.dedup();
    let entry = |kind, name: String| LegendEntry { sample: lane::boxed(Rect::SAMPLE, kind), name };
    let mut legend = Vec::new();
    legend.extend(local.then(|| entry(BarKind::Local, "local task".to_string())));
    legend.extend(free.then(|| entry(BarKind::Free, "free slot".to_string())));
    if requests.last().is_some_and(|&last| last >= theme::WINDOW_COLOURS) {
        // Colours repeat, so that only labels say whose a window is: some colours stand for all.
        let third = (Rect::SAMPLE.right - Rect::SAMPLE.left) / 3.0;
        let sample = |index: usize| {
            let left = Rect::SAMPLE.left + index as f64 * third;
            lane::boxed(Rect { left, right: left + third, ..Rect::SAMPLE }, BarKind::Window(index))
        };
        legend.push(LegendEntry { sample: (0..3).flat_map(sample).collect(), name: "windows, by request".to_string() });
    } else {
        legend.extend(requests.into_iter().map(|request| {
            let name = gantt.requests.get(request).cloned();
            entry(BarKind::Window(request), name.unwrap_or_else(|| format!("request {}", request + 1)))
        }));
    }
    legend
}

/// The columns of text at the left: labels, then notes.
struct GanttColumns {
    /// Where notes end.
    notes: f64,
    /// Where lanes begin.
    right: f64,
}

impl GanttColumns {
    fn around<'a>(lanes: impl Iterator<Item = &'a Lane>) -> Self {
        let (mut labels, mut notes) = (0.0_f64, 0.0_f64);
        for lane in lanes {
            let [label, note] = Self::texts(lane);
            labels = labels.max(text_width(&label, theme::TICK_SIZE, false));
            notes = notes.max(text_width(&note, theme::BAR_TEXT_SIZE, false));
        }
        let notes = theme::MARGIN + labels + if notes > 0.0 { theme::GAP + notes } else { 0.0 };
        Self { notes, right: notes + theme::GAP }
    }

    fn texts(lane: &Lane) -> [String; 2] {
        let label = fitted(&lane.label, LABEL_ROOM, theme::TICK_SIZE, false);
        [label, fitted(&lane.note, NOTE_ROOM, theme::BAR_TEXT_SIZE, false)]
    }
}

/// One panel: grid, lanes with their texts, and a frame around them.
fn panel_shapes(panel: &Shown, plot: &Plot, axis: &Axis, columns: &GanttColumns) -> Vec<Shape> {
    let mut shapes = axis.grid(plot);
    let rows = plot.y.high;
    for (index, lane) in panel.lanes.iter().enumerate() {
        let row = rows - index as f64;
        let (top, middle) = (plot.at(plot.x.low, row).1, plot.at(plot.x.low, row - 0.5).1);
        if index > 0 {
            shapes.push(stroke((plot.left, top), (plot.right, top), theme::GRID, theme::GRID_LINE));
        }
        let [label, note] = GanttColumns::texts(lane);
        shapes.push(Shape::Text(Label::new(label, (theme::MARGIN, middle), Align::Left, theme::TICK_SIZE)));
        if !note.is_empty() {
            shapes.push(Shape::Text(Label::new(note, (columns.notes, middle), Align::Right, theme::BAR_TEXT_SIZE)));
        }
        shapes.extend(lane::shapes(&lane.bars, plot, top, 2.0 * middle - top));
    }
    let axis = |from, to| stroke(from, to, theme::AXIS, theme::AXIS_LINE);
    let (left, right, top, bottom) = (plot.left, plot.right, plot.top, plot.bottom);
    shapes.push(axis((left, top), (left, bottom)));
    shapes.push(axis((left, bottom), (right, bottom)));
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Panel;
    use crate::chart::tidy::{assert_tidy, labels};
    use crate::samples;

    fn bar(start: f64, end: f64, kind: BarKind) -> Bar {
        Bar { start, end, label: "bar".into(), kind }
    }

    fn lane(label: &str, bars: Vec<Bar>) -> Lane {
        Lane { label: label.into(), note: "3".into(), bars }
    }

    fn one_panel(lanes: Vec<Lane>) -> Gantt {
        Gantt { panels: vec![Panel { title: String::new(), lanes }], ..samples::gantt() }
    }

    fn nodes(count: usize) -> Vec<Lane> {
        (0..count).map(|k| lane(&format!("node {k}"), vec![bar(k as f64, 300.0, BarKind::Window(k))])).collect()
    }

    #[test]
    fn degenerate_schedules_are_drawn_tidily() {
        let long = "a name without end ".repeat(20);
        let many = |k: usize| bar(k as f64, k as f64 + 0.9, [BarKind::Free, BarKind::Local, BarKind::Window(k)][k % 3]);
        let cases = [
            samples::gantt(),
            one_panel(vec![lane("idle", Vec::new())]),
            one_panel(vec![lane("", vec![bar(5.0, 5.0, BarKind::Local), bar(5.0, 5.0, BarKind::Free)])]),
            one_panel(vec![lane("instants", vec![bar(0.0, 0.0, BarKind::Free), bar(9.0, 9.0, BarKind::Window(0))])]),
            one_panel(nodes(200)),
            one_panel(vec![lane("busy", (0..1000).map(many).collect()), lane("idle", Vec::new())]),
            one_panel(vec![lane("late", vec![bar(1e250, 3e250, BarKind::Local), bar(-1e3, 1e9, BarKind::Free)])]),
            one_panel(vec![lane("brief", vec![bar(1e-290, 3e-290, BarKind::Local)])]),
            Gantt {
                title: long.clone(),
                x_label: long.clone(),
                requests: vec![long.clone(), long.clone()],
                panels: (0..3)
                    .map(|_| Panel { title: long.clone(), lanes: samples::gantt().panels.remove(1).lanes })
                    .collect(),
                ..samples::gantt()
            },
            one_panel(vec![Lane { note: long.clone(), ..lane(&long, vec![bar(0.0, 9.0, BarKind::Window(1))]) }]),
            Gantt {
                panels: (0..70).map(|_| Panel { title: "again".into(), lanes: nodes(2) }).collect(),
                ..samples::gantt()
            },
        ];
        for gantt in cases {
            assert_tidy(&scene(&gantt).unwrap());
        }
    }

    #[test]
    fn the_first_lane_of_the_first_panel_is_on_top() {
        let scene = scene(&samples::gantt()).unwrap();
        let lanes: Vec<&Label> = labels(&scene).into_iter().filter(|label| label.text.starts_with("cpu")).collect();
        let names: Vec<&str> = lanes.iter().map(|label| label.text.as_str()).collect();
        let panel = ["cpu1", "cpu2", "cpu3", "cpu4", "cpu5", "cpu6"];
        assert_eq!(names, [panel, panel].concat());
        assert!(lanes.windows(2).all(|pair| pair[0].at.1 < pair[1].at.1));
    }

    #[test]
    fn the_legend_explains_what_is_drawn_and_nothing_else() {
        let words = ["local task", "free slot", "job 1", "job 2", "job 3", "request 5", "windows, by request"];
        let explained = |gantt: &Gantt| -> Vec<&str> {
            let scene = scene(gantt).unwrap();
            let texts: Vec<&str> = labels(&scene).into_iter().map(|label| label.text.as_str()).collect();
            words.into_iter().filter(|word| texts.contains(word)).collect()
        };
        assert_eq!(explained(&samples::gantt()), words[..5]);
        let windows = |requests: &[usize]| {
            one_panel(vec![lane("cpu", requests.iter().map(|&r| bar(0.0, 1.0, BarKind::Window(r))).collect())])
        };
        assert_eq!(explained(&windows(&[4, 1])), ["job 2", "request 5"]);
        assert_eq!(explained(&windows(&[6, 0])), ["windows, by request"]);
    }

    #[test]
    fn too_many_lanes_are_cut_alike_in_all_panels_and_the_caption_says_so() {
        let panel = |count| Panel { title: String::new(), lanes: nodes(count) };
        let gantt = Gantt { panels: vec![panel(4), panel(0), panel(100), panel(50)], ..samples::gantt() };
        let drawn: Vec<usize> = shown(&gantt).iter().map(|panel| panel.lanes.len()).collect();
        assert_eq!(drawn, [4, 28, 28]);
        assert_eq!(caption(&gantt), "Each job gets the first window that it can pay. 60 of 154 lanes are drawn.");
        assert_eq!(caption(&Gantt { caption: String::new(), ..gantt }), "60 of 154 lanes are drawn.");
        assert_eq!(caption(&samples::gantt()), samples::gantt().caption);
    }

    #[test]
    fn what_can_not_be_drawn_is_an_error() {
        let error = |gantt: Gantt| scene(&gantt).err().unwrap();
        assert!(matches!(error(one_panel(Vec::new())), ReportError::NoLanes { .. }));
        assert!(matches!(error(Gantt { panels: Vec::new(), ..samples::gantt() }), ReportError::NoLanes { .. }));
        for (start, end) in [(2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::NAN), (0.0, f64::INFINITY)] {
            let gantt = one_panel(vec![lane("cpu", vec![bar(start, end, BarKind::Local)])]);
            assert!(matches!(error(gantt), ReportError::BadBar { lane, .. } if lane == "cpu"));
        }
        let far = one_panel(vec![lane("cpu", vec![bar(0.0, 1e301, BarKind::Local)])]);
        assert!(matches!(error(far), ReportError::TooWide { .. }));
    }
}
