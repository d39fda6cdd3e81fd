//! Schedules in the page: their data as compact JSON, and what stands there where no script runs.

use super::ReportError;
use super::gallery;
use crate::{Schedule, ScheduleBar, Usage};
use gridloom_files::escaped;
use serde::Serialize;
use serde::ser::Error as _;
use std::collections::BTreeMap;

/// The looks of the chart.
pub(super) const STYLE: &str = include_str!("page/schedule.css");

/// The chart: its files share one scope.
pub(super) const SCRIPT: [&str; 4] = [
    include_str!("page/rows.js"),
    include_str!("page/view.js"),
    include_str!("page/paint.js"),
    include_str!("page/chart.js"),
];

/// A bar takes about so many bytes of the data.
const BYTES_PER_BAR: usize = 56;

/// The chart's data by columns, which repeat no names; bars are in order of node, kind and start, as the script needs
/// them.
#[derive(Serialize)]
struct Columns<'a> {
    title: &'a str,
    time: &'a str,
    nodes: &'a [String],
    kinds: [&'static str; Usage::ALL.len()],
    words: Vec<&'a str>,
    /// The colours of words that are jobs, where they go by the jobs of several schedules.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hues: Vec<usize>,
    bars: Bars,
    marks: Marks,
    cycles: &'a [f64],
}

#[derive(Serialize)]
struct Bars {
    node: Vec<usize>,
    kind: Vec<u8>,
    start: Vec<f64>,
    end: Vec<f64>,
    /// Of the words; the first one is empty.
    job: Vec<usize>,
    label: Vec<usize>,
}

impl Bars {
    /// None yet, with room for so many.
    fn for_many(bars: usize) -> Self {
        Self {
            node: Vec::with_capacity(bars),
            kind: Vec::with_capacity(bars),
            start: Vec::with_capacity(bars),
            end: Vec::with_capacity(bars),
            job: Vec::with_capacity(bars),
            label: Vec::with_capacity(bars),
        }
    }
}

#[derive(Serialize, Default)]
struct Marks {
    node: Vec<usize>,
    time: Vec<f64>,
    what: Vec<usize>,
}

/// Schedules as figures of the page to switch among; a job has the same colour in all of them.
pub fn figures(schedules: &[Schedule]) -> Result<String, ReportError> {
    let mut jobs = Words::default();
    jobs.number("");
    // One schedule has the colours that its own jobs give it.
    for bar in schedules.iter().filter(|_| schedules.len() > 1).flat_map(|schedule| &schedule.bars) {
        jobs.number(&bar.job);
    }
    let shared = (schedules.len() > 1).then_some(&jobs);
    if schedules.is_empty() {
        return Ok(String::new());
    }
    let bars: usize = schedules.iter().map(|schedule| schedule.bars.len()).sum();
    // A long schedule is the most of a page, so that it is written in place.
    let mut text = Vec::with_capacity(BYTES_PER_BAR * bars);
    text.extend_from_slice(gallery::switch_begins("nodes").as_bytes());
    for (index, schedule) in schedules.iter().enumerate() {
        add_figure(&mut text, schedule, index, shared)?;
    }
    text.extend_from_slice(gallery::SWITCH_ENDS.as_bytes());
    Ok(String::from_utf8(text).map_err(serde_json::Error::custom)?)
}

/// Adds a schedule as a figure of the page.
fn add_figure(
    text: &mut Vec<u8>,
    schedule: &Schedule,
    index: usize,
    jobs: Option<&Words<'_>>,
) -> Result<(), ReportError> {
    refuse_bad(schedule)?;
    let name = if schedule.policy.is_empty() { &schedule.title } else { &schedule.policy };
    let begins = format!(
        "<figure class=\"schedule\" id=\"schedule-{index}\" data-name=\"{}\">\n<noscript><p>{}</p></noscript>\n\
         <script type=\"application/json\">",
        escaped(name),
        escaped(&summary(schedule)),
    );
    let ends = format!(
        "</script>\n<figcaption><b>{}.</b> {}</figcaption>\n</figure>\n",
        escaped(&schedule.title),
        escaped(&schedule.caption),
    );
    text.extend_from_slice(begins.as_bytes());
    add_data(text, schedule, jobs)?;
    text.extend_from_slice(ends.as_bytes());
    Ok(())
}

fn refuse_bad(schedule: &Schedule) -> Result<(), ReportError> {
    let figure = || schedule.title.clone();
    let places = schedule.bars.iter().map(|bar| bar.node).chain(schedule.marks.iter().map(|mark| mark.node));
    if let Some(node) = places.into_iter().find(|&node| node >= schedule.nodes.len()) {
        return Err(ReportError::NoNode { figure: figure(), node });
    }
    let drawable = |bar: &&ScheduleBar| bar.start.is_finite() && bar.end.is_finite() && bar.start <= bar.end;
    if let Some(bar) = schedule.bars.iter().find(|bar| !drawable(bar)) {
        return Err(ReportError::BadBar {
            figure: figure(),
            lane: schedule.nodes[bar.node].clone(),
            label: bar.label.to_string(),
            start: bar.start,
            end: bar.end,
        });
    }
    let instants = schedule.marks.iter().map(|mark| mark.time).chain(schedule.cycles.iter().copied());
    if instants.into_iter().any(|time| !time.is_finite()) {
        return Err(ReportError::TooWide { figure: figure() });
    }
    Ok(())
}

/// Adds the data as JSON that no text in it can end: `<` stands only inside strings, where it may be written as a code.
///
/// `jobs` are those of all schedules, where there are several.
fn add_data(text: &mut Vec<u8>, schedule: &Schedule, jobs: Option<&Words<'_>>) -> Result<(), ReportError> {
    let mut words = Words::default();
    words.number("");
    // Jobs come first and in the order given: their colours go by these numbers, and neighbours should differ.
    let numbers: Vec<usize> = schedule.bars.iter().map(|bar| words.number(&bar.job)).collect();
    let hue = |job: &&str| jobs.and_then(|jobs| jobs.numbers.get(job)).copied();
    let hues: Vec<usize> = words.list.iter().filter_map(hue).collect();
    let mut bars = Bars::for_many(schedule.bars.len());
    // Neighbours in the order given often have one label, so that it is looked up but once.
    let runs = label_runs(&schedule.bars);
    let mut labels: Vec<Option<usize>> = vec![None; schedule.bars.len()];
    for index in by_row(&schedule.bars) {
        let bar = &schedule.bars[index];
        bars.node.push(bar.node);
        bars.kind.push(bar.kind as u8);
        bars.start.push(bar.start);
        bars.end.push(bar.end);
        bars.job.push(numbers[index]);
        bars.label.push(*labels[runs[index]].get_or_insert_with(|| words.number(&bar.label)));
    }
    let mut marks = Marks::default();
    for mark in &schedule.marks {
        marks.node.push(mark.node);
        marks.time.push(mark.time);
        marks.what.push(words.number(&mark.what));
    }
    let columns = Columns {
        title: &schedule.title,
        time: &schedule.x_label,
        nodes: &schedule.nodes,
        kinds: Usage::ALL.map(Usage::name),
        words: words.list,
        hues,
        bars,
        marks,
        cycles: &schedule.cycles,
    };
    let from = text.len();
    serde_json::to_writer(&mut *text, &columns)?;
    if text[from..].contains(&b'<') {
        let data = String::from_utf8(text.split_off(from)).map_err(serde_json::Error::custom)?;
        text.extend_from_slice(data.replace('<', "\\u003c").as_bytes());
    }
    Ok(())
}

/// The indices of bars in order of node, kind, start and end.
fn by_row(bars: &[ScheduleBar]) -> Vec<usize> {
    let mut order: Vec<_> = bars.iter().enumerate().map(|(index, bar)| (bar.node, bar.kind, index)).collect();
    order.sort_unstable();
    for row in order.chunk_by_mut(|one, other| (one.0, one.1) == (other.0, other.1)) {
        // Most of the time they are in this order already.
        row.sort_by(|one, other| {
            let (one, other) = (&bars[one.2], &bars[other.2]);
            one.start.total_cmp(&other.start).then(one.end.total_cmp(&other.end))
        });
    }
    order.into_iter().map(|(_, _, index)| index).collect()
}

/// For each bar the first of those right before it that have the same label.
fn label_runs(bars: &[ScheduleBar]) -> Vec<usize> {
    let mut first = 0;
    let run = |(index, bar): (usize, &ScheduleBar)| {
        if bars[first].label != bar.label {
            first = index;
        }
        first
    };
    bars.iter().enumerate().map(run).collect()
}

/// Texts by number, each held once.
#[derive(Default)]
struct Words<'a> {
    list: Vec<&'a str>,
    numbers: BTreeMap<&'a str, usize>,
    /// The number that was asked for last: neighbours are often of one job.
    last: usize,
}

impl<'a> Words<'a> {
    fn number(&mut self, word: &'a str) -> usize {
        if self.list.get(self.last) != Some(&word) {
            self.last = *self.numbers.entry(word).or_insert_with(|| {
                self.list.push(word);
                self.list.len() - 1
            });
        }
        self.last
    }
}

/// The schedule in a sentence.
fn summary(schedule: &Schedule) -> String {
    let counted = |count: usize, what: &str| (count > 0).then(|| format!("{count} × {what}"));
    let of = |kind: Usage| schedule.bars.iter().filter(|bar| bar.kind == kind).count();
    let mut parts: Vec<String> = Usage::ALL.into_iter().filter_map(|kind| counted(of(kind), kind.name())).collect();
    parts.extend(counted(schedule.marks.len(), "collision"));
    parts.extend(counted(schedule.cycles.len(), "cycle"));
    let start = schedule.bars.iter().map(|bar| bar.start).fold(f64::INFINITY, f64::min);
    let end = schedule.bars.iter().map(|bar| bar.end).fold(f64::NEG_INFINITY, f64::max);
    let time = if start <= end { format!("; {}: {start:.2} to {end:.2}", schedule.x_label) } else { String::new() };
    format!(
        "Here a browser that runs scripts shows a chart to zoom, move and search in. It holds {}{time}; {}.",
        gridloom_sim::units::counted(schedule.nodes.len() as u64, "node"),
        if parts.is_empty() { "nothing happens".to_string() } else { parts.join(", ") },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mark;

    fn bar(node: usize, start: f64, kind: Usage, job: &str, label: &str) -> ScheduleBar {
        ScheduleBar { node, start, end: start + 2.0, kind, job: job.into(), label: label.into() }
    }

    fn sample() -> Schedule {
        Schedule {
            policy: "EASY <\"script>".into(),
            title: "Two <nodes>".into(),
            caption: "A \"caption\".".into(),
            x_label: "Time (h)".into(),
            nodes: vec!["a".into(), "</script><script>alert(1)".into()],
            bars: vec![
                bar(1, 5.0, Usage::Task, "j1", "<!--"),
                bar(1, 1.5, Usage::Task, "j2", ""),
                bar(1, 5.0, Usage::Window, "j1", ""),
                bar(0, 3.0, Usage::Local, "", "t"),
            ],
            marks: vec![Mark { node: 0, time: 4.0, what: "j1".into() }],
            cycles: vec![0.0, 4.0],
        }
    }

    #[test]
    fn columns_are_sorted_share_their_words_and_read_back_as_they_were() {
        let mut text = Vec::new();
        add_data(&mut text, &sample(), None).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(read["bars"]["node"], serde_json::json!([0, 1, 1, 1]));
        assert_eq!(read["bars"]["kind"], serde_json::json!([1, 0, 3, 3]));
        assert_eq!(read["bars"]["start"], serde_json::json!([3.0, 5.0, 1.5, 5.0]));
        assert_eq!(read["words"], serde_json::json!(["", "j1", "j2", "t", "<!--"]));
        assert_eq!(read["bars"]["job"], serde_json::json!([0, 1, 2, 1]));
        assert_eq!(read["marks"]["what"], serde_json::json!([1]));
        assert_eq!(read["nodes"][1], "</script><script>alert(1)");
    }

    #[test]
    fn no_name_can_end_the_script_or_open_another() {
        let figure = figures(&[sample()]).unwrap();
        assert_eq!(figure.matches("<script").count(), 1);
        assert_eq!(figure.matches("</script").count(), 1);
        assert!(!figure.contains("<!--") && figure.contains("Two &lt;nodes&gt;"));
    }

    #[test]
    fn a_job_has_the_same_colour_in_all_schedules() {
        let schedules = [sample(), Schedule { bars: sample().bars[..1].to_vec(), ..sample() }];
        let mut second = schedules[1].clone();
        second.bars.insert(0, bar(0, 0.0, Usage::Task, "j9", ""));
        let page = figures(&[schedules[0].clone(), second]).unwrap();
        let read: Vec<serde_json::Value> = page
            .split("<script type=\"application/json\">")
            .skip(1)
            .map(|rest| serde_json::from_str(rest.split("</script>").next().unwrap()).unwrap())
            .collect();
        let hue = |schedule: usize, job: &str| {
            let at = read[schedule]["words"].as_array().unwrap().iter().position(|word| word == job).unwrap();
            read[schedule]["hues"][at].clone()
        };
        assert_eq!(hue(0, "j1"), hue(1, "j1"));
        assert_eq!(hue(1, "j9"), 3);
        assert!((0..2).all(|k| read[k]["hues"][0] == 0), "the word of bars without a job");
        // A schedule that is alone needs none.
        assert!(!figures(&schedules[..1]).unwrap().contains("hues"));
    }

    #[test]
    fn without_scripts_the_page_still_sums_the_schedule_up() {
        let said = summary(&sample());
        assert!(said.ends_with(
            "It holds 2 nodes; Time (h): 1.50 to 7.00; 1 × window of a job, 1 × local task, 2 × task of a job, \
             1 × collision, 2 × cycle."
        ));
        assert!(summary(&Schedule::default()).ends_with("It holds 0 nodes; nothing happens."));
    }

    #[test]
    fn what_can_not_be_drawn_is_an_error() {
        let error = |spoil: fn(&mut Schedule)| {
            let mut schedule = sample();
            spoil(&mut schedule);
            figures(&[schedule]).err().unwrap()
        };
        assert!(matches!(error(|schedule| schedule.bars[0].node = 2), ReportError::NoNode { node: 2, .. }));
        assert!(matches!(error(|schedule| schedule.marks[0].node = 9), ReportError::NoNode { node: 9, .. }));
        assert!(matches!(error(|schedule| schedule.bars[0].end = 4.0), ReportError::BadBar { .. }));
        assert!(matches!(error(|schedule| schedule.bars[0].end = f64::NAN), ReportError::BadBar { .. }));
        assert!(matches!(error(|schedule| schedule.cycles[0] = f64::NAN), ReportError::TooWide { .. }));
    }
}
