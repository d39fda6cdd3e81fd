//! Half-open intervals of time.

use crate::units::{Span, Time};
use std::fmt;

/// `[start, end)`: the start belongs to it, the end does not, so two intervals that touch do not overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval {
    /// The first instant inside.
    pub start: Time,
    /// The first instant after it.
    pub end: Time,
}

impl Interval {
    /// `[start, end)`; an end before the start makes it empty.
    pub fn new(start: Time, end: Time) -> Self {
        Self { start, end }
    }

    /// Its length; zero when empty.
    pub fn span(self) -> Span {
        if self.is_empty() { Span::ZERO } else { self.end - self.start }
    }

    /// True if no instant is inside.
    pub fn is_empty(self) -> bool {
        self.end <= self.start
    }

    /// True if `instant` is inside.
    pub fn contains(self, instant: Time) -> bool {
        self.start <= instant && instant < self.end
    }

    /// True if all of `other` is inside.
    pub fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// True if some instant is inside both.
    pub fn overlaps(self, other: Self) -> bool {
        self.start.max(other.start) < self.end.min(other.end)
    }

    /// The part inside `bounds`; empty when there is none.
    pub fn clip(self, bounds: Self) -> Self {
        Self::new(self.start.max(bounds.start), self.end.min(bounds.end))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}, {})", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(start: i64, end: i64) -> Interval {
        Interval::new(Time::from_units(start), Time::from_units(end))
    }

    #[test]
    fn touching_is_not_overlapping() {
        assert!(!of(0, 5).overlaps(of(5, 9)));
        assert!(of(0, 6).overlaps(of(5, 9)));
        assert!(!of(3, 3).overlaps(of(0, 9)), "an empty interval overlaps nothing");
    }

    #[test]
    fn clipping_outside_leaves_nothing() {
        assert!(of(0, 5).clip(of(7, 9)).is_empty());
        assert_eq!(of(0, 5).clip(of(7, 9)).span(), Span::ZERO);
        assert_eq!(of(0, 8).clip(of(7, 9)), of(7, 8));
    }
}
