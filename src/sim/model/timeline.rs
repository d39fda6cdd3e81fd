//! When a node is free.

use super::{Interval, TimeMap};
use crate::units::{Span, Time};

/// The free time of one node, of which a grid keeps some dozens of intervals at a time.
///
/// Free intervals are maximal: releasing time next to free time joins the two.
///
/// ```
/// use gridloom::model::{Interval, Timeline};
/// use gridloom::units::{Span, Time};
///
/// let at = Time::from_units;
/// let mut timeline = Timeline::new(Interval::new(at(0), at(100)));
/// timeline.reserve(Interval::new(at(10), at(40)))?;
/// assert_eq!(timeline.first_fit(at(0), Span::from_units(20)), Some(at(40)));
/// timeline.release(Interval::new(at(10), at(20)))?;
/// assert_eq!(timeline.first_fit(at(0), Span::from_units(20)), Some(at(0)));
/// # Ok::<(), gridloom::model::TimelineError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Timeline {
    bounds: Interval,
    /// The ends of the free intervals by their starts.
    free: TimeMap<Time>,
}

/// Why a timeline could not be changed; it is left as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TimelineError {
    /// A reservation of time that is not all free.
    #[error("{0} is not free")]
    NotFree(Interval),
    /// A release of time that is not all reserved.
    #[error("{0} is not reserved")]
    NotReserved(Interval),
    /// An interval without any time in it.
    #[error("{0} holds no time")]
    Empty(Interval),
}

impl Timeline {
    /// A node that exists during `bounds` and is free all the while.
    pub fn new(bounds: Interval) -> Self {
        let mut free = TimeMap::default();
        if !bounds.is_empty() {
            free.insert(bounds.start, bounds.end);
        }
        Self { bounds, free }
    }

    /// The number of free intervals.
    pub fn len(&self) -> usize {
        self.free.entries().len()
    }

    /// True if no time is free.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The free interval around `instant`, if the node is free then.
    pub fn free_at(&self, instant: Time) -> Option<Interval> {
        self.free.last_until(instant).map(interval).filter(|free| instant < free.end)
    }

    /// True if all of `interval` is free.
    pub fn is_free(&self, interval: Interval) -> bool {
        self.free_at(interval.start).is_some_and(|free| free.covers(interval))
    }

    /// The earliest instant from `from` on at which `span` fits.
    pub fn first_fit(&self, from: Time, span: Span) -> Option<Time> {
        match self.free_at(from) {
            Some(free) if free.end - from >= span => Some(from),
            _ => self.free.after(from).iter().map(interval).find(|free| free.span() >= span).map(|free| free.start),
        }
    }

    /// The free intervals within `bounds`, clipped to it, in order of start.
    pub fn free_within(&self, bounds: Interval) -> impl Iterator<Item = Interval> + '_ {
        let first = self.free.last_until(bounds.start);
        let free = first.into_iter().chain(self.free.after(bounds.start)).map(interval);
        let within = free.take_while(move |free| free.start < bounds.end).map(move |free| free.clip(bounds));
        within.filter(|free| !free.is_empty())
    }

    /// Takes `interval` out of the free time.
    pub fn reserve(&mut self, interval: Interval) -> Result<(), TimelineError> {
        if interval.is_empty() {
            return Err(TimelineError::Empty(interval));
        }
        let around = self.free_at(interval.start).filter(|free| free.covers(interval));
        let free = around.ok_or(TimelineError::NotFree(interval))?;
        self.free.remove(free.start);
        self.add(Interval::new(free.start, interval.start));
        self.add(Interval::new(interval.end, free.end));
        Ok(())
    }

    /// Gives `interval`, all of it reserved, back to the free time.
    pub fn release(&mut self, interval: Interval) -> Result<(), TimelineError> {
        if interval.is_empty() {
            return Err(TimelineError::Empty(interval));
        }
        let before = self.free.last_until(interval.start).map(self::interval);
        let after = self.free.after(interval.start).first().map(self::interval);
        let free =
            before.is_some_and(|free| interval.start < free.end) || after.is_some_and(|free| free.start < interval.end);
        if free || !self.bounds.covers(interval) {
            return Err(TimelineError::NotReserved(interval));
        }
        let mut whole = interval;
        if let Some(before) = before.filter(|free| free.end == interval.start) {
            whole.start = before.start;
        }
        if let Some(after) = after.filter(|free| free.start == interval.end) {
            self.free.remove(after.start);
            whole.end = after.end;
        }
        self.add(whole);
        Ok(())
    }

    fn add(&mut self, free: Interval) {
        if !free.is_empty() {
            self.free.insert(free.start, free.end);
        }
    }
}

fn interval(&(start, end): &(Time, Time)) -> Interval {
    Interval::new(start, end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(start: i64, end: i64) -> Interval {
        Interval::new(Time::from_units(start), Time::from_units(end))
    }

    /// The plain version: one flag per unit of time.
    struct Flags(Vec<bool>);

    impl Flags {
        fn all(&self, interval: (usize, usize), free: bool) -> bool {
            interval.1 <= self.0.len() && self.0[interval.0..interval.1].iter().all(|&flag| flag == free)
        }

        fn runs(&self, from: usize, until: usize) -> Vec<Interval> {
            let mut runs: Vec<(usize, usize)> = Vec::new();
            for instant in (from..until.min(self.0.len())).filter(|&instant| self.0[instant]) {
                match runs.last_mut() {
                    Some(run) if run.1 == instant => run.1 += 1,
                    _ => runs.push((instant, instant + 1)),
                }
            }
            runs.into_iter().map(|(start, end)| of(start as i64, end as i64)).collect()
        }

        fn first_fit(&self, from: usize, span: usize) -> Option<usize> {
            (from..self.0.len()).find(|&start| self.all((start, start + span), true))
        }
    }

    #[test]
    fn mistakes_are_errors_and_change_nothing() {
        let mut timeline = Timeline::new(of(0, 10));
        timeline.reserve(of(2, 4)).unwrap();
        for (result, expected) in [
            (timeline.reserve(of(3, 5)), TimelineError::NotFree(of(3, 5))),
            (timeline.reserve(of(9, 11)), TimelineError::NotFree(of(9, 11))),
            (timeline.reserve(of(5, 5)), TimelineError::Empty(of(5, 5))),
            (timeline.release(of(1, 3)), TimelineError::NotReserved(of(1, 3))),
            (timeline.release(of(10, 12)), TimelineError::NotReserved(of(10, 12))),
            (timeline.release(of(-2, 0)), TimelineError::NotReserved(of(-2, 0))),
        ] {
            assert_eq!(result, Err(expected));
        }
        assert_eq!(timeline.free_within(of(0, 10)).collect::<Vec<_>>(), [of(0, 2), of(4, 10)]);
    }

    #[test]
    fn a_node_without_time_is_never_free() {
        let timeline = Timeline::new(of(5, 5));
        assert!(timeline.is_empty());
        assert_eq!(timeline.first_fit(Time::ZERO, Span::from_units(1)), None);
    }

    proptest! {
        #[test]
        fn it_agrees_with_one_flag_per_unit_of_time(
            steps in prop::collection::vec((any::<bool>(), 0usize..60, 1usize..12, 1usize..12), 1..200),
        ) {
            let mut flags = Flags(vec![true; 60]);
            let mut timeline = Timeline::new(of(0, 60));
            for (reserve, start, length, span) in steps {
                let end = start + length;
                let interval = of(start as i64, end as i64);
                let possible = flags.all((start, end), reserve);
                let done = if reserve { timeline.reserve(interval) } else { timeline.release(interval) };
                prop_assert_eq!(done.is_ok(), possible);
                if possible {
                    flags.0[start..end].fill(!reserve);
                }
                prop_assert_eq!(timeline.free_within(interval).collect::<Vec<_>>(), flags.runs(start, end));
                let fit = timeline.first_fit(Time::from_units(start as i64), Span::from_units(span as i64));
                prop_assert_eq!(fit, flags.first_fit(start, span).map(|at| Time::from_units(at as i64)));
                prop_assert_eq!(timeline.is_free(interval), flags.all((start, end), true));
            }
            let runs = flags.runs(0, 60);
            prop_assert_eq!(timeline.len(), runs.len());
            prop_assert_eq!(timeline.free_within(of(0, 60)).collect::<Vec<_>>(), runs);
        }
    }
}
