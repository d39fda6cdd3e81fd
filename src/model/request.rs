//! What a parallel job asks for.

use crate::units::{Performance, Price, Rounding, Span, TICKS_PER_UNIT, Time, Volume, runtime_at};

/// A request for several nodes at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The name of the job that asks.
    pub name: String,
    /// How many nodes, N.
    pub nodes: usize,
    /// The length of the job, t; what it means for a node's runtime is the [`RuntimeRule`]'s to say.
    pub length: Span,
    /// The slowest node that is good enough, P_min.
    pub min_performance: Performance,
    /// The highest price per unit of time and node, C.
    pub max_price: Price,
    /// When the window must have ended, if ever.
    pub deadline: Option<Time>,
}

/// The two readings of a request's maximum price.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CostLimit {
    /// No slot may cost more per unit of time.
    PerSlot,
    /// All slots together may cost as much as this factor of price x length x nodes.
    Total(f64),
}

/// How a job's length becomes a runtime on a node. Both rules are in use in the literature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RuntimeRule {
    /// t / P(node): the length is the runtime on a node of performance 1. (The condition as printed in the papers,
    /// t * P(s) / P, is inverted.)
    #[default]
    Reference,
    /// t * P_min / P(node), rounded up to whole time units: the length is the runtime on the slowest admissible node.
    Volume,
}

impl RuntimeRule {
    /// How long a task of `request` holds a node of this performance; `None` when that is beyond [`REACH`](crate::units::REACH).
    ///
    /// ```
    /// use gridloom::model::{Request, RuntimeRule};
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
