//! The schedule of one run, to look around in.

use super::Grid;
use crate::model::NodeId;
use crate::sim::{Ending, Event, GridEntry, Piece};
use crate::study::{MOST_BARS, Mark, Schedule, ScheduleBar, Usage};
use crate::units::Time;
use crate::workload::GridWorld;

/// The activity of every node under a policy, drawn as it happens: owners' tasks, reserved windows with the tasks in
/// them, outages, collisions, cycles.
pub(super) struct ScheduleDrawing<'w> {
    world: &'w GridWorld,
    open: Vec<Option<ScheduleBar>>,
    bars: Vec<ScheduleBar>,
    marks: Vec<Mark>,
    cycles: Vec<f64>,
    begun: usize,
}

impl<'w> ScheduleDrawing<'w> {
    pub(super) fn new(world: &'w GridWorld) -> Self {
        let open = vec![None; world.nodes.len()];
        Self { world, open, bars: Vec::new(), marks: Vec::new(), cycles: Vec::new(), begun: 0 }
    }

    pub(super) fn note(&mut self, entry: &GridEntry) {
        let world = self.world;
        // What comes after the measured interval is not shown.
        if entry.time >= world.measured.end {
            return;
        }
        let now = entry.time.as_f64();
        match entry.what {
            Event::OwnerStarted(node, _) => self.begin(node, entry.time, Usage::Local, "", "owner's task".into()),
            Event::Failed(node) => self.begin(node, entry.time, Usage::Down, "", String::new()),
            Event::Started(Piece { job, task, node }, until, _) => {
                let name = &world.jobs[job.index()].request.name;
                self.begin(node, entry.time, Usage::Window, name, "reserved".into());
                self.close(node, until.min(world.measured.end), "");
                self.begin(node, entry.time, Usage::Task, name, format!("task {}", task + 1));
            }
            Event::OwnerEnded(node, _) | Event::Repaired(node) => self.close(node, entry.time, ""),
            Event::Ended(Piece { node, .. }, ending) => {
                let how = if matches!(ending, Ending::Broken(..)) { ", broken off" } else { "" };
                self.close(node, entry.time, how);
            }
            // The first bar that is one too many sets the instant from which on nothing is shown.
            Event::Collided(..) | Event::Cycle(_) if self.begun > MOST_BARS => {}
            Event::Collided(Piece { job, node, .. }, cause, remedy) => {
                let name = &world.jobs[job.index()].request.name;
                let what = format!("{name} met {}: {}", cause.name(), remedy.name());
                self.marks.push(Mark { node: node.index(), time: now, what });
            }
            Event::Cycle(_) => self.cycles.push(now),
            _ => {}
        }
    }

    /// Something begins on a node.
    fn begin(&mut self, node: NodeId, start: Time, kind: Usage, job: &str, label: String) {
        let (at, start) = (node.index(), start.as_f64());
        // One bar too many says that there are more.
        self.open[at] = (self.begun <= MOST_BARS).then(|| {
            self.begun += 1;
            ScheduleBar { node: at, start, end: start, kind, job: job.to_string(), label }
        });
    }

    /// Ends what is on a node.
    fn close(&mut self, node: NodeId, end: Time, how: &str) {
        if let Some(mut bar) = self.open[node.index()].take() {
            bar.end = end.as_f64();
            bar.label.push_str(how);
            self.bars.push(bar);
        }
    }

    /// The schedule of a grid without jobs.
    pub(super) fn of_owners(mut self, spec: &Grid) -> Schedule {
        // Cycles in which no job is placed would be lines without a meaning.
        self.cycles.clear();
        Schedule {
            title: "What owners do with their nodes".into(),
            caption: "Local tasks in the first replication; a task that still runs at the end is cut there.".into(),
            ..self.finish(spec, "")
        }
    }

    pub(super) fn finish(mut self, spec: &Grid, policy: &str) -> Schedule {
        let world = self.world;
        for node in 0..world.nodes.len() {
            self.close(NodeId(node as u32), world.measured.end, "");
        }
        let Self { mut bars, marks, cycles, .. } = self;
        bars.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)).then(a.kind.cmp(&b.kind)));
        let mut schedule = Schedule {
            title: format!("The first world under {policy}"),
            caption: "Marks are collisions; thin lines are cycles of the metascheduler.".into(),
            x_label: format!("Time ({})", spec.time_unit),
            nodes: world.nodes.iter().map(|node| node.name.clone()).collect(),
            marks,
            cycles,
            ..Schedule::default()
        };
        schedule.fill(bars);
        schedule
    }
}
