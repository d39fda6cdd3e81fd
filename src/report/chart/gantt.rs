//! Gantt charts: nodes from the top down, time to the right, several panels over one axis.

use super::axis::{ACROSS, Axis, Scale};
use super::canvas::Canvas;
use super::lane;
use super::legend::Entry;
use super::pen::Rect;
use super::range::Range;
use super::sheet::{Panel, Sheet};
use super::{theme, titles};
use crate::ReportError;
use crate::{Bar, BarKind, Gantt, Lane};
use gridloom_files::{Scene, fitted};
use plotters::style::text_anchor::HPos;

/// At most this many lanes in one chart.
const MOST_LANES: usize = 60;
/// Many lanes are as low as this, few as high as this.
const LOWEST_LANE: i32 = 94;
const HIGHEST_LANE: i32 = 132;
/// Lanes share about this height, as far as their own heights allow.
const LANES_HEIGHT: i32 = 2400;
/// At most this share of the canvas for the lanes' labels, and for their notes.
const LABEL_ROOM: f64 = 0.2;
const NOTE_ROOM: f64 = 0.17;

/// The part of a panel that is drawn.
struct Shown<'a> {
    title: &'a str,
    lanes: &'a [Lane],
}

/// Lays out a Gantt chart.
pub(crate) fn scene(gantt: &Gantt, canvas: &Canvas) -> Result<Scene, ReportError> {
    let shown = shown(gantt);
    let lanes = || shown.iter().flat_map(|panel| panel.lanes);
    let x = time_range(gantt, lanes())?;
    if shown.is_empty() {
        return Err(ReportError::NoLanes { figure: gantt.file.clone() });
    }
    // The columns of text at the left.
    let width = f64::from(canvas.width);
    let label = |lane: &Lane| fitted(&lane.label, LABEL_ROOM * width, f64::from(theme::TICK_SIZE), false);
    let note = |lane: &Lane| fitted(&lane.note, NOTE_ROOM * width, f64::from(theme::BAR_TEXT_SIZE), false);
    let labels = lanes().map(|lane| titles::width(&label(lane), theme::TICK_SIZE)).max().unwrap_or(0);
    let notes = lanes().map(|lane| titles::width(&note(lane), theme::BAR_TEXT_SIZE)).max().unwrap_or(0);
    let columns = labels + if notes > 0 { theme::GAP + notes } else { 0 } + theme::GAP;
    let lane_height = (LANES_HEIGHT / lanes().count() as i32).clamp(LOWEST_LANE, HIGHEST_LANE);
    let panel = |panel: &Shown| {
        let y = Axis::named(panel.lanes.len() as f64, Vec::new()).downwards();
        let title = panel.title.to_string();
        Panel { title, ..Panel::new(Scale::Values(x), y, lane_height * panel.lanes.len() as i32) }
    };
    let (title, x_title) = (gantt.title.as_str(), gantt.x_label.as_str());
    let panels = shown.iter().map(panel).collect();
    let legend = legend(gantt, lanes().flat_map(|lane| &lane.bars));
    let sheet = Sheet { title, x_title, legend, panels, columns: 1, beside: [columns, 0], ..Sheet::default() };
    Ok(sheet.scene(canvas, |index, plot| {
        let Rect { left, right, top, bottom } = plot.rect;
        for (index, lane) in shown[index].lanes.iter().enumerate() {
            let height = |row: f64| plot.at(x.low, row).1;
            let (top, bottom) = (height(index as f64), height(index as f64 + 1.0));
            if index > 0 {
                plot.pen.line([(left, top), (right, top)], theme::GRID, theme::GRID_LINE);
            }
            let middle = (top + bottom) / 2;
            plot.pen.text(label(lane), (theme::MARGIN, middle), HPos::Left, theme::TICK_SIZE);
            plot.pen.text(note(lane), (left - theme::GAP, middle), HPos::Right, theme::BAR_TEXT_SIZE);
            lane::draw(&lane.bars, plot, top, bottom);
        }
        plot.pen.line([(left, top), (left, bottom)], theme::AXIS, theme::AXIS_LINE);
    }))
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
    Ok(range.rounded(ACROSS))
}

/// The legend of the boxes, for the kinds of bars that are drawn.
fn legend<'a>(gantt: &'a Gantt, bars: impl Iterator<Item = &'a Bar>) -> Vec<Entry<'a>> {
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
    let entry = |kind, name: String| Entry::boxed(name, move |pen, rect| lane::boxed(pen, rect, kind));
    let mut legend = Vec::new();
    legend.extend(local.then(|| entry(BarKind::Local, "local task".to_string())));
    legend.extend(free.then(|| entry(BarKind::Free, "free slot".to_string())));
    if requests.last().is_some_and(|&last| last >= theme::WINDOW_COLOURS) {
        // Colours repeat, so that only labels say whose a window is: some colours stand for all.
        legend.push(Entry::boxed("windows, by request", |pen, rect| {
            let third = (rect.right - rect.left) / 3;
            for index in 0..3 {
                let left = rect.left + index * third;
                lane::boxed(pen, Rect { left, right: left + third, ..rect }, BarKind::Window(index as usize));
            }
        }));
    } else {
        legend.extend(requests.into_iter().map(|request| {
            let name = gantt.requests.get(request).cloned();
            entry(BarKind::Window(request), name.unwrap_or_else(|| format!("request {}", request + 1)))
        }));
    }
    legend
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Panel;
    use crate::samples;
    use crate::tidy;
    use crate::tidy::{assert_tidy, labels};
    use gridloom_files::Label;

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
            assert_tidy(&tidy::gantt(&gantt).unwrap());
        }
    }

    #[test]
    fn the_first_lane_of_the_first_panel_is_on_top() {
        let scene = tidy::gantt(&samples::gantt()).unwrap();
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
            let scene = tidy::gantt(gantt).unwrap();
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
        let error = |gantt: Gantt| tidy::gantt(&gantt).err().unwrap();
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
