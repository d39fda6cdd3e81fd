//! A schedule as compact JSON for a page.

use super::{Schedule, ScheduleBar, Usage};
use serde::Serialize;
use serde::ser::Error as _;
use std::collections::BTreeMap;

/// A bar takes about so many bytes of the data.
pub const BYTES_PER_BAR: usize = 56;

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

impl Schedule {
    /// Adds the data as JSON that no text in it can end: `<` stands only inside strings, where it may be written as a code.
    ///
    /// `jobs` are those of all schedules, where there are several.
    pub fn add_data(&self, text: &mut Vec<u8>, jobs: Option<&Words<'_>>) -> serde_json::Result<()> {
        let mut words = Words::new();
        // Jobs come first and in the order given: their colours go by these numbers, and neighbours should differ.
        let numbers: Vec<usize> = self.bars.iter().map(|bar| words.number(&bar.job)).collect();
        let hue = |job: &&str| jobs.and_then(|jobs| jobs.numbers.get(job)).copied();
        let hues: Vec<usize> = words.list.iter().filter_map(hue).collect();
        let mut bars = Bars::for_many(self.bars.len());
        // Neighbours in the order given often have one label, so that it is looked up but once.
        let runs = label_runs(&self.bars);
        let mut labels: Vec<Option<usize>> = vec![None; self.bars.len()];
        for index in by_row(&self.bars) {
            let bar = &self.bars[index];
            bars.node.push(bar.node);
            bars.kind.push(bar.kind as u8);
            bars.start.push(bar.start);
            bars.end.push(bar.end);
            bars.job.push(numbers[index]);
            bars.label.push(*labels[runs[index]].get_or_insert_with(|| words.number(&bar.label)));
        }
        let mut marks = Marks::default();
        for mark in &self.marks {
            marks.node.push(mark.node);
            marks.time.push(mark.time);
            marks.what.push(words.number(&mark.what));
        }
        let columns = Columns {
            title: &self.title,
            time: &self.x_label,
            nodes: &self.nodes,
            kinds: Usage::ALL.map(Usage::name),
            words: words.list,
            hues,
            bars,
            marks,
            cycles: &self.cycles,
        };
        let from = text.len();
        serde_json::to_writer(&mut *text, &columns)?;
        if text[from..].contains(&b'<') {
            let data = String::from_utf8(text.split_off(from)).map_err(serde_json::Error::custom)?;
            text.extend_from_slice(data.replace('<', "\\u003c").as_bytes());
        }
        Ok(())
    }
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

/// Texts by number, each held once; the first one is empty.
#[derive(Debug)]
pub struct Words<'a> {
    list: Vec<&'a str>,
    numbers: BTreeMap<&'a str, usize>,
    /// The number that was asked for last: neighbours are often of one job.
    last: usize,
}

impl<'a> Words<'a> {
    /// The empty text alone.
    #[expect(clippy::new_without_default, reason = "it is not empty")]
    pub fn new() -> Self {
        Self { list: vec![""], numbers: BTreeMap::from([("", 0)]), last: 0 }
    }

    /// The number of a text.
    pub fn number(&mut self, word: &'a str) -> usize {
        if self.list.get(self.last) != Some(&word) {
            self.last = *self.numbers.entry(word).or_insert_with(|| {
                self.list.push(word);
                self.list.len() - 1
            });
        }
        self.last
    }
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
        sample().add_data(&mut text, None).unwrap();
        let read: serde_json::Value = serde_json::from_slice(&text).unwrap();
        assert_eq!(read["bars"]["node"], serde_json::json!([0, 1, 1, 1]));
        assert_eq!(read["bars"]["kind"], serde_json::json!([1, 0, 3, 3]));
        assert_eq!(read["bars"]["start"], serde_json::json!([3.0, 5.0, 1.5, 5.0]));
        assert_eq!(read["words"], serde_json::json!(["", "j1", "j2", "t", "<!--"]));
        assert_eq!(read["bars"]["job"], serde_json::json!([0, 1, 2, 1]));
        assert_eq!(read["marks"]["what"], serde_json::json!([1]));
        assert_eq!(read["nodes"][1], "</script><script>alert(1)");
    }
}
