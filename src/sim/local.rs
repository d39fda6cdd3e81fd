//! Nodes that only serve their owners.

use super::{Entry, Happening, Trace};
use crate::engine::{Kernel, Phase, ScheduleError, Stop};
use crate::model::{Interval, NodeId};
use crate::units::{Span, Time};
use crate::workload::LocalTask;

/// At one instant, tasks end before others arrive, so that a node that has just become free takes the newcomer at once.
const FINISHES: Phase = Phase(0);
const ARRIVALS: Phase = Phase(1);

#[derive(Debug, Clone, Copy)]
enum Event {
    Arrival(NodeId),
    Finish(NodeId),
}

/// A node and its owner's tasks, which are served one at a time in order of arrival.
#[derive(Debug)]
struct LocalNode<'a> {
    tasks: &'a [LocalTask],
    arrived: usize,
    finished: usize,
}

/// Runs every node's local tasks, given in order of arrival, until `end`. Once `stop` is set the trace ends where it is.
///
/// ```
/// use gridloom::engine::Stop;
/// use gridloom::sim::{Happening, simulate_local};
/// use gridloom::units::{Span, Time};
/// use gridloom::workload::LocalTask;
///
/// let task = |arrival, length| LocalTask { arrival: Time::from_units(arrival), length: Span::from_units(length) };
/// let trace = simulate_local(&[vec![task(1, 3), task(2, 5)]], Time::from_units(6), Stop::NEVER)?;
/// let second = trace.entries.iter().find(|entry| entry.what == Happening::Started(1)).unwrap();
/// assert_eq!(second.time, Time::from_units(4), "it waits for the first to finish");
/// # Ok::<(), gridloom::engine::ScheduleError>(())
/// ```
pub fn simulate_local(tasks: &[Vec<LocalTask>], end: Time, stop: &Stop) -> Result<Trace, ScheduleError> {
    let mut kernel = Kernel::obeying(stop);
    let mut nodes: Vec<LocalNode<'_>> =
        tasks.iter().map(|tasks| LocalNode { tasks, arrived: 0, finished: 0 }).collect();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(first) = node.tasks.first() {
            kernel.schedule_at(first.arrival, ARRIVALS, Event::Arrival(NodeId(index as u32)))?;
        }
    }
    let mut entries = Vec::new();
    // The run is half-open, as all intervals are: what happens at its end is outside.
    let last = end - Span::from_ticks(1);
    kernel.run_until(last, |kernel, event| match event {
        Event::Arrival(id) => nodes[id.index()].arrive(id, kernel, &mut entries),
        Event::Finish(id) => nodes[id.index()].finish(id, kernel, &mut entries),
    })?;
    Ok(Trace { bounds: Interval::new(Time::ZERO, end), nodes: tasks.len(), entries })
}

impl LocalNode<'_> {
    fn arrive(
        &mut self,
        id: NodeId,
        kernel: &mut Kernel<Event>,
        entries: &mut Vec<Entry>,
    ) -> Result<(), ScheduleError> {
        entries.push(Entry { time: kernel.now(), node: id, what: Happening::Arrived(self.arrived as u32) });
        self.arrived += 1;
        if let Some(next) = self.tasks.get(self.arrived) {
            kernel.schedule_at(next.arrival, ARRIVALS, Event::Arrival(id))?;
        }
        // The node was idle if all earlier tasks have finished.
        if self.arrived == self.finished + 1 { self.start(id, kernel, entries) } else { Ok(()) }
    }

    fn finish(
        &mut self,
        id: NodeId,
        kernel: &mut Kernel<Event>,
        entries: &mut Vec<Entry>,
    ) -> Result<(), ScheduleError> {
        entries.push(Entry { time: kernel.now(), node: id, what: Happening::Finished(self.finished as u32) });
        self.finished += 1;
        if self.finished < self.arrived { self.start(id, kernel, entries) } else { Ok(()) }
    }

    /// Starts the first task that has not finished.
    fn start(&mut self, id: NodeId, kernel: &mut Kernel<Event>, entries: &mut Vec<Entry>) -> Result<(), ScheduleError> {
        entries.push(Entry { time: kernel.now(), node: id, what: Happening::Started(self.finished as u32) });
        kernel.schedule_after(self.tasks[self.finished].length, FINISHES, Event::Finish(id))?;
        Ok(())
    }
}
