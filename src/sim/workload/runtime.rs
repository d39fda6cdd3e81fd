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
                if performance <= Performance::ZERO {
                    return None;
                }
                // Exact until the one rounding at the end: ticks x ticks over ticks, then whole units.
                let (length, least) = (request.length.ticks(), request.min_performance.ticks());
                let units = match (length.checked_mul(least), performance.ticks().checked_mul(TICKS_PER_UNIT)) {
                    // The common case stays within 64 bits, where division is several times cheaper.
                    (Some(work), Some(per_unit)) => {
                        work.div_euclid(per_unit) + i64::from(work.rem_euclid(per_unit) != 0)
                    }
                    _ => {
                        let work = i128::from(length) * i128::from(least);
                        let per_unit = i128::from(performance.ticks()) * i128::from(TICKS_PER_UNIT);
                        let units = work.div_euclid(per_unit) + i128::from(work.rem_euclid(per_unit) != 0);
                        i64::try_from(units).ok()?
                    }
                };
                let span = units.checked_mul(TICKS_PER_UNIT).map(Span::from_ticks)?;
                Some(span).filter(|&span| span <= Span::REACH)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Price;
    use proptest::prelude::*;

    proptest! {
        /// Both ways to divide give the least number of whole units in which the work is done.
        #[test]
        fn a_volume_takes_the_least_whole_units(
            length in prop_oneof![0i64..1 << 30, 0i64..1 << 60],
            least in prop_oneof![1i64..1 << 24, 1i64..1 << 50],
            performance in prop_oneof![1i64..1 << 24, 1i64..1 << 50],
        ) {
            let request = Request {
                name: "job".into(),
                nodes: 1,
                length: Span::from_ticks(length),
                min_performance: Performance::from_ticks(least),
                max_price: Price::ZERO,
                deadline: None,
            };
            let work = i128::from(length) * i128::from(least);
            let done = |units: i128| units * i128::from(TICKS_PER_UNIT) * i128::from(performance);
            match RuntimeRule::Volume.runtime(&request, Performance::from_ticks(performance)) {
                Some(span) => {
                    let units = i128::from(span.ticks() / TICKS_PER_UNIT);
                    prop_assert!(span.ticks() % TICKS_PER_UNIT == 0 && done(units) >= work);
                    prop_assert!(units == 0 || done(units - 1) < work);
                }
                None => prop_assert!(done(i128::from(Span::REACH.ticks() / TICKS_PER_UNIT)) < work),
            }
        }
    }
}
