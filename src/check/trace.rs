//! The laws of traces.

use super::{Verdict, Violation, verdict};
use crate::model::NodeId;
use crate::sim::{Happening, Trace};
use crate::units::Time;
use crate::workload::LocalTask;

/// Judges a run of local tasks: time never runs back or past the end, and every node serves its tasks one at a time,
/// in order of arrival, without a pause while one waits, each for its whole length.
///
/// For one server these laws leave no freedom: a task starts when it has arrived and its predecessor has finished
/// (Lindley's recursion), so the trace is held against that, event by event; what would fall behind the end must be missing.
///
/// `tasks` are each node's local tasks in order of arrival.
pub fn check_trace(trace: &Trace, tasks: &[Vec<LocalTask>]) -> Verdict {
    let mut broken = Vec::new();
    let mut seen: Vec<[Vec<Time>; 3]> = vec![Default::default(); tasks.len()];
    let mut clock = trace.bounds.start;
    for entry in &trace.entries {
        if entry.time < clock {
            broken.push(Violation(format!("{} comes after {clock}", entry.time)));
        }
        clock = entry.time;
        let (kind, task) = match entry.what {
            Happening::Arrived(task) => (0, task),
            Happening::Started(task) => (1, task),
            Happening::Finished(task) => (2, task),
        };
        let Some(times) = seen.get_mut(entry.node.index()).map(|node| &mut node[kind]) else {
            broken.push(Violation(format!("{} does not exist", entry.node)));
            continue;
        };
        if times.len() != task as usize {
            broken.push(Violation(format!("{}: {:?} is out of order", entry.node, entry.what)));
        }
        times.push(entry.time);
    }
    if trace.nodes != tasks.len() {
        broken.push(Violation(format!("{} nodes in the trace, {} in the world", trace.nodes, tasks.len())));
    }
    for (node, (seen, tasks)) in seen.iter().zip(tasks).enumerate() {
        let expected = expected(tasks, trace.bounds.end);
        for ((what, seen), expected) in ["arrivals", "starts", "finishes"].iter().zip(seen).zip(&expected) {
            if seen != expected {
                let at = seen.iter().zip(expected).take_while(|(one, other)| one == other).count();
                let of = |times: &[Time]| times.get(at).map_or("never".to_string(), ToString::to_string);
                broken.push(Violation(format!(
                    "{}: {what}: task {at} at {} in the trace, at {} by law",
                    NodeId(node as u32),
                    of(seen),
                    of(expected)
                )));
            }
        }
    }
    verdict(broken)
}

/// When the tasks of one node must arrive, start and finish, as far as that is before `end`.
fn expected(tasks: &[LocalTask], end: Time) -> [Vec<Time>; 3] {
    let mut times: [Vec<Time>; 3] = Default::default();
    let mut free = Time::ZERO;
    for task in tasks {
        let start = task.arrival.max(free);
        let finish = start + task.length;
        for (times, time) in times.iter_mut().zip([task.arrival, start, finish]) {
            if time < end {
                times.push(time);
            }
        }
        free = finish;
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Interval;
    use crate::sim::Entry;
    use crate::units::Span;

    /// What is said about a run of three units of work at 1 and two at 2 on one node until 10.
    fn said(events: &[(i64, Happening)]) -> Vec<String> {
        let entries =
            events.iter().map(|&(time, what)| Entry { time: Time::from_units(time), node: NodeId(0), what }).collect();
        let bounds = Interval::new(Time::ZERO, Time::from_units(10));
        let task = |arrival, length| LocalTask { arrival: Time::from_units(arrival), length: Span::from_units(length) };
        match check_trace(&Trace { bounds, nodes: 1, entries }, &[vec![task(1, 3), task(2, 2), task(9, 5)]]) {
            Ok(()) => Vec::new(),
            Err(broken) => broken.0.iter().map(ToString::to_string).collect(),
        }
    }

    use Happening::{Arrived, Finished, Started};

    const RIGHT: [(i64, Happening); 8] = [
        (1, Arrived(0)),
        (1, Started(0)),
        (2, Arrived(1)),
        (4, Finished(0)),
        (4, Started(1)),
        (6, Finished(1)),
        (9, Arrived(2)),
        (9, Started(2)),
    ];

    #[test]
    fn a_right_run_passes() {
        assert_eq!(said(&RIGHT), [""; 0]);
    }

    #[test]
    fn each_law_is_seen() {
        let changed = |at: usize, event| {
            let mut events = RIGHT;
            events[at] = event;
            said(&events)
        };
        let law = |what: &str, seen: &str, expected: &str| {
            vec![format!("node 0: {what} at {seen} in the trace, at {expected} by law")]
        };
        assert_eq!(changed(3, (3, Finished(0))), law("finishes: task 0", "3", "4"), "too short a run");
        assert_eq!(changed(4, (5, Started(1))), law("starts: task 1", "5", "4"), "idle while a task waits");
        assert_eq!(said(&RIGHT[..7]), law("starts: task 2", "never", "9"), "a start is missing");
        assert!(changed(1, (0, Started(0))).contains(&"0 comes after 1".to_string()));
        assert!(changed(4, (4, Started(2))).contains(&"node 0: Started(2) is out of order".to_string()));
    }
}
