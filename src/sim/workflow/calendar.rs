//! Free time of many nodes as sorted lists, which a sweep can walk along.

use crate::model::{Interval, NodeId};
use crate::units::{Span, Time};

/// The free intervals of each node: sorted, apart from each other.
///
/// A task of no length takes nothing of a node, so that it may lie wherever the node is `given`, even at an instant
/// that another task holds.
#[derive(Debug, Clone)]
pub(super) struct Calendar<'a> {
    given: &'a [Vec<Interval>],
    left: Vec<Vec<Interval>>,
}

impl<'a> Calendar<'a> {
    /// The time that `free` leaves beside `reserved`; both are by node, and `reserved` may be shorter.
    pub(super) fn new(free: &'a [Vec<Interval>], reserved: &[Vec<Interval>]) -> Self {
        let left = |(node, free): (usize, &Vec<Interval>)| match reserved.get(node) {
            Some(reserved) if !reserved.is_empty() => without(free, reserved),
            _ => free.clone(),
        };
        Self { given: free, left: free.iter().enumerate().map(left).collect() }
    }

    /// The free intervals by node.
    pub(super) fn as_slice(&self) -> &[Vec<Interval>] {
        &self.left
    }

    /// The intervals of `node` inside which a task of `span` may lie.
    fn offered(&self, node: NodeId, span: Span) -> &[Interval] {
        let lists = if span > Span::ZERO { &self.left } else { self.given };
        &lists[node.index()]
    }

    /// True if a task may lie at `interval` on `node`.
    pub(super) fn is_free(&self, node: NodeId, interval: Interval) -> bool {
        let free = self.offered(node, interval.span());
        let after = free.partition_point(|free| free.start <= interval.start);
        free[..after].last().is_some_and(|free| free.covers(interval))
    }

    /// The earliest start at `from` or later at which `span` fits on `node`.
    pub(super) fn first_fit(&self, node: NodeId, from: Time, span: Span) -> Option<Time> {
        first_fit(self.offered(node, span), from, span)
    }

    /// The latest start at which `span` fits on `node` and ends by `until`.
    pub(super) fn last_fit(&self, node: NodeId, until: Time, span: Span) -> Option<Time> {
        let free = self.offered(node, span);
        let mut earlier = free[..free.partition_point(|free| free.start + span <= until)].iter().rev();
        earlier.find(|free| free.start + span <= free.end).map(|free| free.end.min(until) - span)
    }

    /// Takes `interval`, which must be free, on `node`.
    pub(super) fn take(&mut self, node: NodeId, interval: Interval) {
        if interval.is_empty() {
            return;
        }
        let free = &mut self.left[node.index()];
        let at = free.partition_point(|free| free.end <= interval.start);
        let whole = free[at];
        let parts = [Interval::new(whole.start, interval.start), Interval::new(interval.end, whole.end)];
        free.splice(at..=at, parts.into_iter().filter(|part| !part.is_empty()));
    }

    /// Gives back `interval`, which was taken, on `node`.
    pub(super) fn give(&mut self, node: NodeId, interval: Interval) {
        if interval.is_empty() {
            return;
        }
        let given = &self.given[node.index()];
        // Touching intervals that were given apart stay apart.
        let whole = given[given.partition_point(|given| given.end <= interval.start)];
        let free = &mut self.left[node.index()];
        let after = free.partition_point(|free| free.start < interval.start);
        let (mut joined, mut first, mut last) = (interval, after, after);
        if after > 0 && free[after - 1].end == interval.start && whole.start < interval.start {
            (joined.start, first) = (free[after - 1].start, after - 1);
        }
        if after < free.len() && free[after].start == interval.end && interval.end < whole.end {
            (joined.end, last) = (free[after].end, after + 1);
        }
        free.splice(first..last, [joined]);
    }
}

/// The earliest start at `from` or later at which `span` fits into one of the intervals, which are sorted and disjoint.
pub(super) fn first_fit(free: &[Interval], from: Time, span: Span) -> Option<Time> {
    let mut later = free[free.partition_point(|free| free.end < from + span)..].iter();
    later.find(|free| free.start.max(from) + span <= free.end).map(|free| free.start.max(from))
}

/// The parts of `free` that no interval of `taken` covers.
fn without(free: &[Interval], taken: &[Interval]) -> Vec<Interval> {
    let mut left = Vec::with_capacity(free.len() + taken.len());
    // What has no length takes nothing.
    let mut taken = taken.iter().filter(|taken| !taken.is_empty()).peekable();
    for &whole in free {
        let mut start = whole.start;
        while let Some(&&next) = taken.peek() {
            if next.start >= whole.end {
                break;
            }
            if next.start > start {
                left.push(Interval::new(start, next.start));
            }
            start = start.max(next.end);
            // One that reaches beyond this interval may take from the next, too.
            if next.end > whole.end {
                break;
            }
            taken.next();
        }
        if start < whole.end {
            left.push(Interval::new(start, whole.end));
        }
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(start: i64, end: i64) -> Interval {
        Interval::new(Time::from_ticks(start), Time::from_ticks(end))
    }

    /// Intervals of length 1 to 6, 0 to 5 apart.
    fn intervals() -> impl Strategy<Value = Vec<Interval>> {
        prop::collection::vec((0i64..6, 1i64..7), 0..6).prop_map(|pairs| {
            let mut at = 0;
            let interval = |(gap, length)| {
                let start = at + gap;
                at = start + length;
                of(start, at)
            };
            pairs.into_iter().map(interval).collect()
        })
    }

    proptest! {
        #[test]
        fn instants_are_free_where_the_lists_say(free in intervals(), reserved in intervals(), span in 1i64..5, from in 0i64..60) {
            let calendar = Calendar::new(std::slice::from_ref(&free), std::slice::from_ref(&reserved));
            let inside = |list: &[Interval], tick| list.iter().any(|interval| interval.covers(of(tick, tick + 1)));
            let is_free = |tick| inside(&free, tick) && !inside(&reserved, tick);
            for tick in 0..80 {
                prop_assert_eq!(inside(&calendar.left[0], tick), is_free(tick));
            }
            // Touching intervals are not joined, so a fit lies within one of the list.
            let fits = |start: i64| calendar.left[0].iter().any(|free| free.covers(of(start, start + span)));
            let plain = (from..80).find(|&start| fits(start)).map(Time::from_ticks);
            let found = calendar.first_fit(NodeId(0), Time::from_ticks(from), Span::from_ticks(span));
            prop_assert_eq!(found, plain);
            let plain = (0..=from - span).rev().find(|&start| fits(start)).map(Time::from_ticks);
            prop_assert_eq!(calendar.last_fit(NodeId(0), Time::from_ticks(from), Span::from_ticks(span)), plain);
            if let Some(start) = found {
                let interval = Interval::new(start, start + Span::from_ticks(span));
                prop_assert!(calendar.is_free(NodeId(0), interval));
                let mut after = calendar.clone();
                after.take(NodeId(0), interval);
                for tick in 0..80 {
                    prop_assert_eq!(inside(&after.left[0], tick), is_free(tick) && !inside(&[interval], tick));
                }
                after.give(NodeId(0), interval);
                prop_assert_eq!(&after.left, &calendar.left);
            }
        }
    }
}
