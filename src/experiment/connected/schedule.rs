//! The schedule of one run, to look around in.

use super::Shown;
use crate::experiment::{Mark, Schedule, ScheduleBar, Usage};
use crate::model::NodeId;
use crate::scenario::schema::Connected;
use crate::sim::{Ending, Event, Piece};
use crate::units::Time;
use crate::workload::GridWorld;

/// What every node did under the policy: owners' tasks, reserved windows with the tasks in them, outages, collisions, cycles.
pub(super) fn schedule(spec: &Connected, world: &GridWorld, shown: &Shown) -> Schedule {
    let mut open: Vec<Option<ScheduleBar>> = vec![None; world.nodes.len()];
    let (mut bars, mut marks, mut cycles) = (Vec::new(), Vec::new(), Vec::new());
    for entry in &shown.trace.entries {
        let now = entry.time.as_f64();
        let bar = |node: NodeId, kind, job: &str, label: String| ScheduleBar {
            node: node.index(),
            start: now,
            end: now,
            kind,
            job: job.to_string(),
            label,
        };
        match entry.what {
            Event::OwnerStarted(node, _) => {
                open[node.index()] = Some(bar(node, Usage::Local, "", "owner's task".into()))
            }
            Event::Failed(node) => open[node.index()] = Some(bar(node, Usage::Down, "", String::new())),
            Event::Started(Piece { job, task, node }, until, _) => {
                let name = &world.jobs[job.index()].request.name;
                let window = bar(node, Usage::Window, name, "reserved".into());
                bars.push(ScheduleBar { end: until.min(shown.trace.end).as_f64(), ..window });
                open[node.index()] = Some(bar(node, Usage::Task, name, format!("task {}", task + 1)));
            }
            Event::OwnerEnded(node, _) | Event::Repaired(node) => close(&mut open, &mut bars, node, entry.time, ""),
            Event::Ended(Piece { node, .. }, ending) => {
                let how = if ending == Ending::Broken { ", broken off" } else { "" };
                close(&mut open, &mut bars, node, entry.time, how);
            }
            Event::Collided(Piece { job, node, .. }, cause, remedy) => {
                let name = &world.jobs[job.index()].request.name;
                let what = format!("{name} met {}: {}", cause.name(), remedy.name());
                marks.push(Mark { node: node.index(), time: now, what });
            }
            Event::Cycle(_) => cycles.push(now),
            _ => {}
        }
    }
    for node in 0..world.nodes.len() {
        close(&mut open, &mut bars, NodeId(node as u32), shown.trace.end, "");
    }
    bars.sort_by(|a, b| a.start.total_cmp(&b.start).then(a.node.cmp(&b.node)).then(a.kind.cmp(&b.kind)));
    let mut schedule = Schedule {
        title: format!("The first world under {}", shown.policy),
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

/// Ends what is on a node.
fn close(open: &mut [Option<ScheduleBar>], bars: &mut Vec<ScheduleBar>, node: NodeId, end: Time, how: &str) {
    if let Some(mut bar) = open[node.index()].take() {
        bar.end = end.as_f64();
        bar.label.push_str(how);
        bars.push(bar);
    }
}
