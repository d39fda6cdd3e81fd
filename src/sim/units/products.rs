//! Where two quantities meet: price x span, volume / performance.

use super::{Energy, Money, Overflow, Performance, Power, Price, Span, TICKS_PER_UNIT, Volume};
use std::ops::Mul;

/// To what a runtime is rounded up; never down, so that a task always gets the work it needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rounding {
    /// To the next tick: the finest resolution there is.
    Tick,
    /// To the next whole time unit.
    Unit,
}

/// The time that `volume` takes at `performance`, rounded up; `None` for a performance of zero or below, or a span
/// beyond [`REACH`](super::REACH), within which every run has long ended.
///
/// ```
/// use gridloom::units::{Performance, Rounding, Span, Volume, runtime_at};
/// let volume = Volume::from_units(100);
/// let fast = Performance::from_units(3);
/// assert_eq!(runtime_at(volume, fast, Rounding::Tick), Some(Span::from_ticks(33_333_334)));
/// assert_eq!(runtime_at(volume, fast, Rounding::Unit), Some(Span::from_units(34)));
/// ```
pub fn runtime_at(volume: Volume, performance: Performance, rounding: Rounding) -> Option<Span> {
    if performance <= Performance::ZERO {
        return None;
    }
    let work = match volume.ticks().checked_mul(TICKS_PER_UNIT) {
        // The common case stays within 64 bits, where division is several times cheaper.
        Some(work) => i128::from(ceil_div(work, performance.ticks())),
        None => {
            let work = i128::from(volume.ticks()) * i128::from(TICKS_PER_UNIT);
            let divisor = i128::from(performance.ticks());
            work.div_euclid(divisor) + i128::from(work.rem_euclid(divisor) != 0)
        }
    };
    let ticks = i64::try_from(work).ok()?;
    let ticks = match rounding {
        Rounding::Tick => ticks,
        Rounding::Unit => ceil_div(ticks, TICKS_PER_UNIT).checked_mul(TICKS_PER_UNIT)?,
    };
    Some(Span::from_ticks(ticks)).filter(|&span| span <= Span::REACH)
}

fn ceil_div(dividend: i64, divisor: i64) -> i64 {
    dividend.div_euclid(divisor) + i64::from(dividend.rem_euclid(divisor) != 0)
}

/// A rate times a span, rounded to the nearest tick (halves away from zero).
fn over(rate: i64, span: Span) -> Result<i64, Overflow> {
    const HALF: i64 = TICKS_PER_UNIT / 2;
    if let Some(product) = rate.checked_mul(span.ticks())
        && let Some(rounded) = product.checked_add(HALF * product.signum())
    {
        return Ok(rounded / TICKS_PER_UNIT);
    }
    let product = i128::from(rate) * i128::from(span.ticks());
    let rounded = (product + i128::from(HALF) * product.signum()) / i128::from(TICKS_PER_UNIT);
    i64::try_from(rounded).map_err(|_| Overflow)
}

macro_rules! rate {
    ($rate:ident * Span = $total:ident) => {
        impl $rate {
            /// The total over a span, rounded to the nearest tick (halves away from zero), or an [`Overflow`].
            pub fn checked_mul(self, span: Span) -> Result<$total, Overflow> {
                over(self.ticks(), span).map($total::from_ticks)
            }
        }

        impl Mul<Span> for $rate {
            type Output = $total;
            fn mul(self, span: Span) -> $total {
                self.checked_mul(span).unwrap_or_else(|error| panic!("{self:?} * {span:?}: {error}"))
            }
        }
    };
}

rate!(Price * Span = Money);
rate!(Power * Span = Energy);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_node_without_performance_never_finishes() {
        assert_eq!(runtime_at(Volume::from_units(1), Performance::ZERO, Rounding::Tick), None);
        assert_eq!(runtime_at(Volume::MAX, Performance::from_ticks(1), Rounding::Tick), None);
    }

    #[test]
    fn whole_runtimes_are_not_rounded_up() {
        let runtime = runtime_at(Volume::from_units(90), Performance::from_units(3), Rounding::Unit);
        assert_eq!(runtime, Some(Span::from_units(30)));
    }

    proptest! {
        #[test]
        fn a_runtime_is_the_shortest_span_that_does_the_work(volume in 0i64..=i64::MAX / 4, performance in 1i64..=i64::MAX) {
            if let Some(span) = runtime_at(Volume::from_ticks(volume), Performance::from_ticks(performance), Rounding::Tick) {
                prop_assert!(span <= Span::REACH);
                let done = |ticks: i64| i128::from(ticks) * i128::from(performance);
                let needed = i128::from(volume) * i128::from(TICKS_PER_UNIT);
                prop_assert!(done(span.ticks()) >= needed);
                prop_assert!(span.ticks() == 0 || done(span.ticks() - 1) < needed);
            }
        }

        #[test]
        fn cost_is_the_nearest_tick_on_both_paths(price in any::<i64>(), span in any::<i64>()) {
            let exact = i128::from(price) * i128::from(span);
            match Price::from_ticks(price).checked_mul(Span::from_ticks(span)) {
                Ok(money) => {
                    let error = (i128::from(money.ticks()) * i128::from(TICKS_PER_UNIT) - exact).abs();
                    prop_assert!(2 * error <= i128::from(TICKS_PER_UNIT));
                }
                Err(Overflow) => prop_assert!(exact.abs() / i128::from(TICKS_PER_UNIT) >= i128::from(i64::MAX)),
            }
        }
    }
}
