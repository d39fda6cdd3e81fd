//! Schedules as pictures: who uses which node when.
//!
//! ```
//! use gridloom::study::{Bar, BarKind, Gantt, Lane, Panel};
//!
//! let bars = vec![
//!     Bar { start: 0.0, end: 150.0, label: "p1".into(), kind: BarKind::Local },
//!     Bar { start: 150.0, end: 230.0, label: "W1".into(), kind: BarKind::Window(0) },
//! ];
//! let gantt = Gantt {
//!     file: "first-window".into(),
//!     title: "The first window".into(),
//!     caption: "It starts as soon as the owner's task is done.".into(),
//!     x_label: "Time".into(),
//!     requests: vec!["job 1".into()],
//!     panels: vec![Panel { title: String::new(), lanes: vec![Lane { label: "cpu1".into(), note: "5".into(), bars }] }],
//! };
//! assert_eq!(gantt.panels[0].lanes[0].bars.len(), 2);
//! ```

/// A Gantt chart: panels on top of each other over one time axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Gantt {
    /// The name of its files, without extension.
    pub file: String,
    /// A short heading.
    pub title: String,
    /// The point that the reader should see in it.
    pub caption: String,
    /// The time axis, with its unit.
    pub x_label: String,
    /// The names of the requests whose windows are drawn, for the legend.
    pub requests: Vec<String>,
    /// The first is on top. One is enough; several show a schedule step by step.
    pub panels: Vec<Panel>,
}

/// One state of the schedule.
#[derive(Debug, Clone, PartialEq)]
pub struct Panel {
    /// A short heading; empty for none.
    pub title: String,
    /// The first is on top.
    pub lanes: Vec<Lane>,
}

/// The time of one node.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane {
    /// The node's name.
    pub label: String,
    /// A further note on the node, such as its price; empty for none.
    pub note: String,
    /// In any order: windows are painted over local tasks, and those over free slots.
    pub bars: Vec<Bar>,
}

/// A stretch of a node's time.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// When it begins.
    pub start: f64,
    /// When it ends; not before its start.
    pub end: f64,
    /// The text inside; it is left out where it does not fit.
    pub label: String,
    /// The user of the time.
    pub kind: BarKind,
}

/// The user of a stretch of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarKind {
    /// No one: a free slot.
    Free,
    /// The node's owner: a local task.
    Local,
    /// The request of this index: its granted window.
    Window(usize),
}
