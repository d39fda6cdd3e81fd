//! Schedules in the page: their data as compact JSON, and what stands there where no script runs.

use super::ReportError;
use super::gallery;
use crate::{Schedule, ScheduleBar, Usage};
use gridloom_files::{BYTES_PER_BAR, Words, escaped};
use serde::ser::Error as _;

/// The looks of the chart.
pub(super) const STYLE: &str = include_str!("page/schedule.css");

/// The chart: its files share one scope.
pub(super) const SCRIPT: [&str; 4] = [
    include_str!("page/rows.js"),
    include_str!("page/view.js"),
    include_str!("page/paint.js"),
    include_str!("page/chart.js"),
];

/// Schedules as figures of the page to switch among; a job has the same colour in all of them.
pub fn figures(schedules: &[Schedule]) -> Result<String, ReportError> {
    let mut jobs = Words::new();
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
    schedule.add_data(text, jobs)?;
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
