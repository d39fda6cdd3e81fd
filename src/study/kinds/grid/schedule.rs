//! The schedules of the first world, one for each policy, to look around in.

use super::Grid;
use crate::model::NodeId;
use crate::sim::{Ending, Event, GridEntry, Piece};
use crate::study::{MOST_BARS, Mark, Schedule, ScheduleBar, Usage};
use crate::units::Time;
use crate::workload::GridWorld;

/// All schedules of a page have at most this many bars together, so that it stays below a few megabytes.
const BARS_OF_ALL: usize = 80_000;

/// A schedule is not cut to fewer bars than this for others' sake.
const LEAST_BARS: usize = 4_000;

/// The bars that the schedules of a page share. The first policy may have as many as one schedule can; those that
/// follow it have equal parts of what is left.
pub(super) struct BarBudget {
    policies: usize,
    made: usize,
    left: usize,
    left_out: Vec<String>,
}

impl BarBudget {
    /// The budget of this many policies on a grid of so many nodes; none is drawn where there are more nodes than bars.
    pub(super) fn new(policies: usize, nodes: usize) -> Self {
        let left = if nodes <= MOST_BARS { BARS_OF_ALL } else { 0 };
        Self { policies, made: 0, left, left_out: Vec::new() }
    }

    /// The most bars of the next schedule, if there are enough for one.
    pub(super) fn next(&self) -> Option<usize> {
        let most = match self.made {
            0 => self.left.min(MOST_BARS),
            made => (self.left / (self.policies - made).max(1)).max(LEAST_BARS).min(self.left),
        };
        (most > 0).then_some(most)
    }

    /// Takes in the schedule of the next policy, or nothing if it was not drawn.
    pub(super) fn take(&mut self, policy: &str, schedule: Option<&Schedule>) {
        self.made += 1;
        match schedule {
            Some(schedule) => self.left = self.left.saturating_sub(schedule.bars.len()),
            None => self.left_out.push(policy.to_string()),
        }
    }

    /// Names policies that are not drawn in the captions of the schedules.
    pub(super) fn explain(&self, schedules: &mut [Schedule]) {
        if self.left_out.is_empty() {
            return;
        }
        let names = self.left_out.join(", ");
        for schedule in schedules {
            schedule.caption.push_str(&format!(
                " Not drawn, as there would be too much of it: {names}; a run with --set 'experiment.policies=[...]' \
                 draws those that it lists."
            ));
        }
    }
}

/// The activity of every node under a policy, drawn as it happens: owners' tasks, reserved windows with the tasks in
/// them, outages, collisions, cycles.
pub(super) struct ScheduleDrawing<'w> {
    world: &'w GridWorld,
    open: Vec<Option<ScheduleBar>>,
    bars: Vec<ScheduleBar>,
    marks: Vec<Mark>,
    cycles: Vec<f64>,
    begun: usize,
    most: usize,
}

impl<'w> ScheduleDrawing<'w> {
    /// A drawing of at most this many bars.
    pub(super) fn new(world: &'w GridWorld, most: usize) -> Self {
        let open = vec![None; world.nodes.len()];
        Self { world, open, bars: Vec::new(), marks: Vec::new(), cycles: Vec::new(), begun: 0, most }
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
            Event::Collided(..) | Event::Cycle(_) if self.begun > self.most => {}
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
        self.open[at] = (self.begun <= self.most).then(|| {
            self.begun += 1;
            ScheduleBar { node: at, start, end: start, kind, job: job.into(), label: label.into() }
        });
    }

    /// Ends what is on a node.
    fn close(&mut self, node: NodeId, end: Time, how: &str) {
        if let Some(mut bar) = self.open[node.index()].take() {
            bar.end = end.as_f64();
            if !how.is_empty() {
                bar.label = format!("{}{how}", bar.label).into();
            }
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
        let Self { mut bars, marks, cycles, most, .. } = self;
        bars.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)).then(a.kind.cmp(&b.kind)));
        let mut schedule = Schedule {
            policy: policy.into(),
            title: format!("The first world under {policy}"),
            caption: "Marks are collisions; thin lines are cycles of the metascheduler.".into(),
            x_label: format!("Time ({})", spec.time_unit),
            nodes: world.nodes.iter().map(|node| node.name.clone()).collect(),
            marks,
            cycles,
            ..Schedule::default()
        };
        schedule.fill_up_to(most, bars);
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(bars: usize) -> Schedule {
        let bar = ScheduleBar { node: 0, start: 0.0, end: 1.0, kind: Usage::Local, job: "".into(), label: "".into() };
        Schedule { bars: vec![bar; bars], ..Schedule::default() }
    }

    #[test]
    fn the_first_policy_has_all_it_needs_and_the_others_share_what_is_left() {
        let mut budget = BarBudget::new(4, 100);
        assert_eq!(budget.next(), Some(MOST_BARS));
        budget.take("first", Some(&drawn(50_000)));
        assert_eq!(budget.next(), Some(10_000));
        budget.take("second", Some(&drawn(2_000)));
        // What one does not need is the others'.
        assert_eq!(budget.next(), Some(14_000));
        budget.take("third", Some(&drawn(14_000)));
        assert_eq!(budget.next(), Some(14_000));
        let mut schedules = vec![drawn(1)];
        budget.explain(&mut schedules);
        assert_eq!(schedules[0].caption, "");
    }

    #[test]
    fn policies_past_the_budget_are_named() {
        let mut budget = BarBudget::new(30, 100);
        let mut total = 0;
        for policy in 0..30 {
            let schedule = budget.next().map(|most| drawn(most.min(20_000)));
            total += schedule.as_ref().map_or(0, |schedule| schedule.bars.len());
            budget.take(&format!("policy {policy}"), schedule.as_ref());
        }
        assert_eq!(total, BARS_OF_ALL);
        let mut schedules = vec![drawn(1)];
        budget.explain(&mut schedules);
        let caption = &schedules[0].caption;
        assert!(caption.contains("Not drawn") && caption.contains("policy 29; a run with --set"), "{caption}");
        assert!(!caption.contains("policy 3,"), "{caption}");
        assert_eq!(BarBudget::new(3, MOST_BARS + 1).next(), None);
    }
}
