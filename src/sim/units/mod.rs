//! Quantities: instants, spans, money, prices, performance, volumes of work, power and energy.
//!
//! Every quantity is a whole number of millionths of its unit in an `i64`. Sums are therefore exact, the order is
//! total, and results do not depend on the platform or on the order of summation. A value that does not fit is an
//! [`Overflow`] and never a wrapped number: the `checked_*` methods return it, the operators panic with it. Scenario
//! files bound their numbers at [`INPUT_LIMIT`], nine thousand times below the largest representable value, so that
//! operators on single quantities can't be made to overflow by input; totals over many of them use [`sum`]. What is
//! made of inputs by division and multiplication, such as runtimes and deadlines, is held to [`REACH`] before a run
//! works with it.
//!
//! ```
//! use gridloom::units::{Price, Span, Time};
//!
//! let start = Time::from_units(150);
//! let runtime = Span::from_f64(80.5)?;
//! assert_eq!((start + runtime).to_string(), "230.5");
//! assert_eq!((Price::from_units(5) * runtime).to_string(), "402.5");
//! assert!(Time::MAX.checked_add(runtime).is_err());
//! # Ok::<(), gridloom::units::UnitsError>(())
//! ```

mod decode;
mod products;
mod quantity;

pub use decode::AboveZero;
pub use products::{Rounding, runtime_at};
pub use quantity::{Energy, Money, Performance, Power, Price, Span, Time, Volume};

/// Ticks in one unit: quantities are resolved to a millionth.
pub const TICKS_PER_UNIT: i64 = 1_000_000;

/// The largest magnitude that a scenario may give for any quantity, in units.
pub const INPUT_LIMIT: f64 = 1e9;

/// The farthest that instants, spans and amounts may be from zero in a run, in units.
///
/// This is what makes the operators safe on what users give. An instant of a run is a horizon, a submission or a
/// deadline, none of them beyond this, plus spans: an interval ([`INPUT_LIMIT`] at most), a runtime ([`runtime_at`]
/// gives none beyond this), a transfer, a wait. No expression adds more than five of those before it compares the sum
/// with something within reach, and nine still fit. Whatever adds up more, such as the tasks of a workflow, a log or
/// the lengths of a queue, is bounded beforehand or uses [`sum`] and `checked_add`.
pub const REACH: f64 = 1e12;

/// A result that no quantity can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a quantity left the range of ±{} units", i64::MAX / TICKS_PER_UNIT)]
pub struct Overflow;

/// Why a number can't be made a quantity.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum UnitsError {
    /// NaN or an infinity.
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// A finite number outside the representable range, or the result of arithmetic that left it.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// A number of things in words: `1 line`, `2 lines`.
pub fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The total of many quantities, or [`Overflow`].
///
/// ```
/// use gridloom::units::{Money, sum};
/// assert_eq!(sum([Money::from_units(2), Money::from_units(3)]), Ok(Money::from_units(5)));
/// assert!(sum([Money::MAX, Money::from_units(1)]).is_err());
/// ```
pub fn sum<Q>(parts: impl IntoIterator<Item = Q>) -> Result<Q, Overflow>
where
    Q: Quantity,
{
    // An i128 holds 2^64 of the largest parts, so only the total needs the test.
    let total: i128 = parts.into_iter().map(|part| i128::from(part.ticks())).sum();
    i64::try_from(total).map(Q::from_ticks).map_err(|_| Overflow)
}

/// The common trait of all quantities: a count of ticks.
pub trait Quantity: Copy + Ord {
    /// The quantity with this many ticks.
    fn from_ticks(ticks: i64) -> Self;
    /// The number of ticks in this quantity.
    fn ticks(self) -> i64;
}
