//! Schedules to look around in: what every node did, in the thousands of bars that a simulation makes.
//!
//! ```
//! use gridloom::study::{Schedule, ScheduleBar, Usage};
//!
//! let mut schedule = Schedule {
//!     title: "One desktop".into(),
//!     x_label: "Time (hours)".into(),
//!     nodes: vec!["desktop 1".into()],
//!     cycles: vec![0.0, 4.0],
//!     ..Schedule::default()
//! };
//! let bar = |start, end, kind, job: &str| ScheduleBar { node: 0, start, end, kind, job: job.into(), label: "".into() };
//! schedule.fill([bar(0.0, 1.5, Usage::Local, ""), bar(4.0, 6.0, Usage::Window, "17"), bar(4.0, 5.5, Usage::Task, "17")]);
//! assert_eq!(schedule.bars.len(), 3);
//! ```

mod columns;

pub use columns::{BYTES_PER_BAR, Words};

use std::sync::Arc;

/// So many bars can be looked at smoothly, in a page of a few megabytes.
pub const MOST_BARS: usize = 50_000;

/// The use of nodes over time: one row per node in an interactive chart.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Schedule {
    /// The policy that it shows, by which the reader chooses it where there are several; empty for none.
    pub policy: String,
    /// A short heading.
    pub title: String,
    /// The point that the reader should see in it.
    pub caption: String,
    /// The time axis, with its unit.
    pub x_label: String,
    /// The names of the nodes; the first is on top.
    pub nodes: Vec<String>,
    /// In any order.
    pub bars: Vec<ScheduleBar>,
    /// Instants at which something went wrong.
    pub marks: Vec<Mark>,
    /// When the metascheduler's cycles begin.
    pub cycles: Vec<f64>,
}

/// A stretch of a node's time.
#[derive(Debug, Clone, PartialEq)]
pub struct ScheduleBar {
    /// The index of the node.
    pub node: usize,
    /// When it begins.
    pub start: f64,
    /// When it ends; not before its start.
    pub end: f64,
    /// The use of the node.
    pub kind: Usage,
    /// The name of the job that it belongs to; empty for none. All bars of a job can share it.
    pub job: Arc<str>,
    /// A further note on the bar, such as the task's name; empty for none.
    pub label: Arc<str>,
}

/// The uses of a node's time. Later ones are painted over earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Usage {
    /// Reserved for a job.
    Window,
    /// A task of the node's owner.
    Local,
    /// Nothing: the node had failed.
    Down,
    /// A task of a job.
    Task,
}

impl Usage {
    /// All of them, in the order of painting.
    pub const ALL: [Self; 4] = [Self::Window, Self::Local, Self::Down, Self::Task];

    /// The name in a legend.
    pub fn name(self) -> &'static str {
        match self {
            Self::Window => "window of a job",
            Self::Local => "local task",
            Self::Down => "node down",
            Self::Task => "task of a job",
        }
    }
}

/// Something that happened on a node at one instant, such as a collision.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// The index of the node.
    pub node: usize,
    /// When.
    pub time: f64,
    /// The event, in words.
    pub what: String,
}

impl Schedule {
    /// Takes in bars given in order of their start, as far as there are not [too many](MOST_BARS).
    ///
    /// Where there are, nothing from the first bar that is left out on is shown, and the caption says so: what is shown
    /// is complete.
    pub fn fill(&mut self, bars: impl IntoIterator<Item = ScheduleBar>) {
        self.fill_up_to(MOST_BARS, bars);
    }

    /// The same for another number of bars.
    pub fn fill_up_to(&mut self, most: usize, bars: impl IntoIterator<Item = ScheduleBar>) {
        let mut bars = bars.into_iter();
        self.bars.extend(bars.by_ref().take(most.saturating_sub(self.bars.len())));
        let Some(cut) = bars.next().map(|bar| bar.start) else { return };
        self.bars.retain(|bar| bar.start < cut);
        self.marks.retain(|mark| mark.time < cut);
        self.cycles.retain(|&cycle| cycle < cut);
        let gap = if self.caption.is_empty() { "" } else { " " };
        self.caption.push_str(&format!("{gap}Only what begins before {cut:.2} is shown: there is too much of it."));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(start: usize) -> ScheduleBar {
        let start = start as f64;
        ScheduleBar { node: 0, start, end: start + 1.0, kind: Usage::Local, job: "".into(), label: "".into() }
    }

    #[test]
    fn a_schedule_that_is_too_long_ends_at_an_instant_and_says_so() {
        let mark = |time| Mark { node: 0, time, what: "collision".into() };
        let mut schedule =
            Schedule { marks: vec![mark(5.0), mark(30_000.0)], cycles: vec![0.0, 25_000.0], ..Schedule::default() };
        // Two bars begin at every instant, so the last instant would be shown by half.
        schedule.fill((0..2 * MOST_BARS).map(|k| bar(k.div_ceil(2))));
        assert_eq!(schedule.bars.len(), MOST_BARS - 1);
        assert!(schedule.bars.iter().all(|bar| bar.start < 25_000.0));
        assert_eq!((schedule.marks.len(), schedule.cycles.len()), (1, 1));
        assert_eq!(schedule.caption, "Only what begins before 25000.00 is shown: there is too much of it.");
    }

    #[test]
    fn a_schedule_that_just_fits_is_shown_whole() {
        let mut schedule = Schedule::default();
        schedule.fill((0..MOST_BARS).map(bar));
        assert_eq!((schedule.bars.len(), schedule.caption.as_str()), (MOST_BARS, ""));
    }
}
