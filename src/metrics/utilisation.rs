//! How busy nodes were.

use crate::model::{Interval, NodeId};
use crate::sim::{Happening, Trace};
use crate::units::{Span, Time};

/// The intervals during which each node ran a task, cut at the end of the run.
pub fn busy_intervals(trace: &Trace) -> Vec<Vec<Interval>> {
    let mut busy = vec![Vec::new(); trace.nodes];
    let mut since: Vec<Option<Time>> = vec![None; trace.nodes];
    for entry in &trace.entries {
        let node = entry.node.index();
        match entry.what {
            Happening::Arrived(_) => {}
            Happening::Started(_) => since[node] = Some(entry.time),
            Happening::Finished(_) => {
                busy[node].extend(since[node].take().map(|start| Interval::new(start, entry.time)));
            }
        }
    }
    for (busy, since) in busy.iter_mut().zip(since) {
        busy.extend(since.map(|start| Interval::new(start, trace.bounds.end)));
    }
    busy
}

/// The busy share of `nodes` in each step of the run: 1 when all were busy all the time.
///
/// The last step may be shorter than the others; its share is of its own length.
pub fn utilisation(trace: &Trace, busy: &[Vec<Interval>], nodes: &[NodeId], step: Span) -> Vec<f64> {
    let steps = steps(trace.bounds, step);
    let mut ticks = vec![0i64; steps.len()];
    for interval in nodes.iter().flat_map(|node| &busy[node.index()]) {
        let into = |time: Time| ((time - trace.bounds.start).ticks() / step.ticks()) as usize;
        for (index, part) in steps.iter().enumerate().take(into(interval.end) + 1).skip(into(interval.start)) {
            ticks[index] += interval.clip(*part).span().ticks();
        }
    }
    let capacity = |part: &Interval| part.span().ticks() as f64 * nodes.len() as f64;
    ticks.iter().zip(&steps).map(|(&ticks, part)| ticks as f64 / capacity(part)).collect()
}

/// The run cut into steps.
pub fn steps(bounds: Interval, step: Span) -> Vec<Interval> {
    let mut steps = Vec::new();
    let mut start = bounds.start;
    while start < bounds.end && step > Span::ZERO {
        let end = (start + step).min(bounds.end);
        steps.push(Interval::new(start, end));
        start = end;
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::Entry;

    fn at(units: i64) -> Time {
        Time::from_units(units)
    }

    #[test]
    fn busy_time_is_shared_out_to_the_steps_it_falls_in() {
        let entry = |time, node, what| Entry { time: at(time), node: NodeId(node), what };
        let entries = vec![
            entry(2, 0, Happening::Started(0)),
            entry(7, 0, Happening::Finished(0)),
            entry(9, 1, Happening::Started(0)),
        ];
        let trace = Trace { bounds: Interval::new(at(0), at(10)), nodes: 2, entries };
        let busy = busy_intervals(&trace);
        let of = |nodes: &[NodeId], step| utilisation(&trace, &busy, nodes, Span::from_units(step));
        assert_eq!(of(&[NodeId(0)], 5), [0.6, 0.4]);
        assert_eq!(of(&[NodeId(0), NodeId(1)], 5), [0.3, 0.3]);
        assert_eq!(of(&[NodeId(1)], 4), [0.0, 0.0, 0.5], "the last step is two units long");
        assert_eq!(of(&[NodeId(0)], 10), [0.5]);
    }
}
