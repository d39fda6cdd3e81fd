//! The quantities themselves: one macro, a newtype each.

use super::{Overflow, Quantity, TICKS_PER_UNIT, UnitsError};
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::{Add, AddAssign, Sub, SubAssign};

macro_rules! quantity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        pub struct $name(i64);

        impl $name {
            /// Nothing.
            pub const ZERO: Self = Self(0);
            /// The largest value that can be held.
            pub const MAX: Self = Self(i64::MAX);

            /// The largest value that runs work with: see [`REACH`](crate::units::REACH).
            pub const REACH: Self = Self(1_000_000_000_000 * TICKS_PER_UNIT);

            /// This many whole units; at most about 9e12 of them.
            pub const fn from_units(units: i64) -> Self {
                match units.checked_mul(TICKS_PER_UNIT) {
                    Some(ticks) => Self(ticks),
                    None => panic!("a quantity left the range of an i64 of ticks"),
                }
            }

            /// This many ticks (millionths of a unit).
            pub const fn from_ticks(ticks: i64) -> Self {
                Self(ticks)
            }

            /// The value in ticks (millionths of a unit).
            pub const fn ticks(self) -> i64 {
                self.0
            }

            /// The nearest value to a floating-point number of units.
            pub fn from_f64(units: f64) -> Result<Self, UnitsError> {
                if !units.is_finite() {
                    return Err(UnitsError::NotFinite(units));
                }
                let ticks = libm::round(units * TICKS_PER_UNIT as f64);
                // 2^63 is exact as f64, so the comparison admits exactly what the cast can hold.
                if ticks.abs() >= 9_223_372_036_854_775_808.0 {
                    return Err(Overflow.into());
                }
                Ok(Self(ticks as i64))
            }

            /// The value in units, for statistics and charts.
            pub fn as_f64(self) -> f64 {
                self.0 as f64 / TICKS_PER_UNIT as f64
            }
        }

        impl Quantity for $name {
            fn from_ticks(ticks: i64) -> Self {
                Self(ticks)
            }
            fn ticks(self) -> i64 {
                self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let magnitude = self.0.unsigned_abs();
                let (whole, part) = (magnitude / TICKS_PER_UNIT as u64, magnitude % TICKS_PER_UNIT as u64);
                let digits = format!("{part:06}");
                let digits = digits.trim_end_matches('0');
                let point = if digits.is_empty() { "" } else { "." };
                f.pad_integral(self.0 >= 0, "", &format!("{whole}{point}{digits}"))
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_f64(self.as_f64())
            }
        }
    };
}

/// `$left ± $right = $output`, checked and as operators.
macro_rules! additive {
    ($left:ident + $right:ident = $output:ident) => {
        impl $left {
            /// The sum, or an [`Overflow`].
            pub fn checked_add(self, other: $right) -> Result<$output, Overflow> {
                self.0.checked_add(other.0).map($output).ok_or(Overflow)
            }
        }

        impl Add<$right> for $left {
            type Output = $output;
            fn add(self, other: $right) -> $output {
                self.checked_add(other).unwrap_or_else(|error| panic!("{self:?} + {other:?}: {error}"))
            }
        }
    };
    ($left:ident - $right:ident = $output:ident) => {
        impl $left {
            /// The difference, or an [`Overflow`].
            pub fn checked_sub(self, other: $right) -> Result<$output, Overflow> {
                self.0.checked_sub(other.0).map($output).ok_or(Overflow)
            }
        }

        impl Sub<$right> for $left {
            type Output = $output;
            fn sub(self, other: $right) -> $output {
                self.checked_sub(other).unwrap_or_else(|error| panic!("{self:?} - {other:?}: {error}"))
            }
        }
    };
    ($left:ident += $right:ident) => {
        additive!($left + $right = $left);
        impl AddAssign<$right> for $left {
            fn add_assign(&mut self, other: $right) {
                *self = *self + other;
            }
        }
    };
    ($left:ident -= $right:ident) => {
        additive!($left - $right = $left);
        impl SubAssign<$right> for $left {
            fn sub_assign(&mut self, other: $right) {
                *self = *self - other;
            }
        }
    };
}

quantity!(
    /// An instant, counted from the start of the simulation.
    Time
);
quantity!(
    /// A length of time.
    Span
);
quantity!(
    /// An amount of money.
    Money
);
quantity!(
    /// Money per unit of time for one node.
    Price
);
quantity!(
    /// The speed of a node, relative to a reference node of performance 1.
    Performance
);
quantity!(
    /// An amount of work: what a node of performance 1 does in one unit of time is 1.
    Volume
);

quantity!(
    /// Energy per unit of time that a busy node draws.
    Power
);
quantity!(
    /// An amount of energy.
    Energy
);

additive!(Time += Span);
additive!(Time -= Span);
additive!(Span += Span);
additive!(Span -= Span);
additive!(Money += Money);
additive!(Money -= Money);

impl Sub for Time {
    type Output = Span;
    fn sub(self, other: Self) -> Span {
        let difference = self.0.checked_sub(other.0).map(Span);
        difference.unwrap_or_else(|| panic!("{self:?} - {other:?}: {Overflow}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::sum;
    use proptest::prelude::*;

    #[test]
    fn display_is_the_shortest_decimal() {
        assert_eq!(Time::from_ticks(1).to_string(), "0.000001");
        assert_eq!(Time::from_ticks(-1_500_000).to_string(), "-1.5");
        assert_eq!(format!("{:>6}", Money::from_units(12)), "    12");
        assert_eq!(Time::from_ticks(i64::MIN).to_string(), "-9223372036854.775808");
    }

    #[test]
    fn numbers_that_do_not_fit_are_errors() {
        assert!(matches!(Time::from_f64(f64::NAN), Err(UnitsError::NotFinite(_))));
        assert!(matches!(Time::from_f64(f64::INFINITY), Err(UnitsError::NotFinite(_))));
        assert_eq!(Time::from_f64(1e13), Err(UnitsError::Overflow(Overflow)));
        assert_eq!(Time::MAX.checked_add(Span::from_ticks(1)), Err(Overflow));
        assert_eq!(sum([Money::MAX, Money::MAX]), Err(Overflow));
    }

    #[test]
    #[should_panic(expected = "left the range")]
    fn operators_never_wrap() {
        let _ = Time::MAX + Span::from_ticks(1);
    }

    proptest! {
        #[test]
        fn decimals_survive_text_and_back(ticks in -1_000_000_000_000_000i64..1_000_000_000_000_000) {
            let time = Time::from_ticks(ticks);
            let read: f64 = time.to_string().parse().unwrap();
            prop_assert_eq!(Time::from_f64(read).unwrap(), time);
            prop_assert_eq!(Time::from_f64(time.as_f64()).unwrap(), time);
        }

        #[test]
        fn the_order_of_summation_does_not_matter(mut parts in prop::collection::vec(-1_000_000_000_000i64..1_000_000_000_000, 0..50)) {
            let forward = sum(parts.iter().map(|&ticks| Money::from_ticks(ticks)));
            parts.reverse();
            prop_assert_eq!(forward, sum(parts.into_iter().map(Money::from_ticks)));
        }
    }
}
