//! A run in steps.

use crate::model::Interval;
use crate::units::Span;

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
