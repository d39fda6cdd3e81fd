//! The two readings of a job's length. Both are in use in the literature.

use crate::choice;
use crate::model::Request;
use crate::units::{Performance, Rounding, Span, TICKS_PER_UNIT, Volume, runtime_at};

choice! {
    /// The rule by which a job's length t becomes a runtime on a node of performance P.
    #[derive(Copy, Eq)]
    pub enum RuntimeRule {
        /// t / P: the length is the runtime on a node of performance 1. The condition as printed in the papers,
        /// t * P(s) / P, is inverted.
        Reference,
        /// t * P_min / P, rounded up to whole time units: the length is the runtime on the slowest node that will do.
        Volume,
    }
}

impl RuntimeRule {
    /// The time for which a task of `request` holds a node of this performance; `None` when that is beyond
    /// [`REACH`](crate::units::REACH).
    ///
    /// ```
    /// use gridloom::model::Request;
    /// use gridloom::workload::RuntimeRule;
    /// use gridloom::units::{Performance, Price, Span};
    ///
    /// let request = Request {
    ///     name: "job".into(),
    ///     nodes: 2,
    ///     length: Span::from_units(150),
    ///     min_performance: Performance::from_units(2),
    ///     max_price: Price::from_units(2),
    ///     deadline: None,
    /// };
    /// let fast = Performance::from_units(4);
    /// assert_eq!(RuntimeRule::Reference.runtime(&request, fast), Some(Span::from_ticks(37_500_000)));
    /// assert_eq!(RuntimeRule::Volume.runtime(&request, fast), Some(Span::from_units(75)));
    /// ```
    pub fn runtime(self, request: &Request, performance: Performance) -> Option<Span> {
        match self {
            Self::Reference => runtime_at(Volume::from_ticks(request.length.ticks()), performance, Rounding::Tick),
            Self::Volume => {
                // Exact until the one rounding at the end: ticks x ticks over ticks, then whole units.
                let work = i128::from(request.length.ticks()) * i128::from(request.min_performance.ticks());
                let per_unit = i128::from(performance.ticks()) * i128::from(TICKS_PER_UNIT);
                if per_unit <= 0 {
                    return None;
                }
                let units = work.div_euclid(per_unit) + i128::from(work.rem_euclid(per_unit) != 0);
                let span = i64::try_from(units).ok()?.checked_mul(TICKS_PER_UNIT).map(Span::from_ticks)?;
                Some(span).filter(|&span| span <= Span::REACH)
            }
        }
    }
}
