//! How owners' own tasks fared.

use crate::sim::{Happening, Trace};
use crate::units::{Span, Time};
use std::collections::VecDeque;

/// How long each local task that started had waited, node by node in order of start.
pub fn local_waits(trace: &Trace) -> Vec<Vec<Span>> {
    let mut waiting: Vec<VecDeque<Time>> = vec![VecDeque::new(); trace.nodes];
    let mut waits = vec![Vec::new(); trace.nodes];
    for entry in &trace.entries {
        let node = entry.node.index();
        match entry.what {
            Happening::Arrived(_) => waiting[node].push_back(entry.time),
            Happening::Started(_) => waits[node].extend(waiting[node].pop_front().map(|since| entry.time - since)),
            Happening::Finished(_) => {}
        }
    }
    waits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, NodeId};
    use crate::sim::Entry;

    #[test]
    fn a_wait_is_from_arrival_to_start() {
        let entry = |time, what| Entry { time: Time::from_units(time), node: NodeId(0), what };
        let entries = vec![
            entry(1, Happening::Arrived(0)),
            entry(1, Happening::Started(0)),
            entry(2, Happening::Arrived(1)),
            entry(5, Happening::Finished(0)),
            entry(5, Happening::Started(1)),
            entry(6, Happening::Arrived(2)),
        ];
        let bounds = Interval::new(Time::ZERO, Time::from_units(10));
        let waits = local_waits(&Trace { bounds, nodes: 1, entries });
        assert_eq!(waits, [[Span::ZERO, Span::from_units(3)]], "the third task never starts");
    }
}
