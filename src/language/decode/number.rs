//! Numbers with their ranges.

use super::{Context, Cursor, Decode, Form, NumberRange, Wanted};
use crate::text::{self, Value};
use serde::Serialize;

/// The largest magnitude of a number in a scenario: far from where doubles lose whole units or overflow.
pub const NUMBER_LIMIT: f64 = 1e15;

/// The largest magnitude up to which doubles hold every whole number.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The number at `at` if `is_allowed`, told apart from everything else that may stand there.
#[doc(hidden)]
pub fn decode_f64<T: Decode>(
    at: &Cursor<'_>,
    context: &mut Context<'_>,
    limit: f64,
    is_allowed: impl Fn(f64) -> bool,
) -> Option<f64> {
    number_at(at, T::wanted, context, limit, &is_allowed)
}

fn number_at(
    at: &Cursor<'_>,
    wanted: Wanted,
    context: &mut Context<'_>,
    limit: f64,
    is_allowed: &dyn Fn(f64) -> bool,
) -> Option<f64> {
    let value = match &at.node().value {
        Value::Integer(value) => *value as f64,
        Value::Float(value) => *value,
        Value::Text(text) => context.length(at, text, wanted)?,
        _ => {
            context.not_what_is(wanted, at);
            return None;
        }
    };
    let given = context.given(at);
    let wrong = match value {
        _ if !value.is_finite() => format!("{given} is not a finite number"),
        _ if value.abs() > limit => format!("{given} is beyond ±{limit:e}"),
        _ if !is_allowed(value) => format!("{given} is out of range"),
        _ => return Some(value),
    };
    context.add(at, wrong, format!("give {}", wanted()));
    None
}

macro_rules! real {
    ($(#[doc = $doc:literal])* $name:ident, $wanted:literal, $range:expr, $unit:expr, |$value:ident| $allowed:expr $(, $constant:ident = $number:literal)*) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Serialize)]
        #[serde(transparent)]
        pub struct $name(f64);

        impl $name {
            $(
                #[doc = concat!("The number ", stringify!($number), ".")]
                pub const $constant: Self = Self::of($number);
            )*

            /// A number known to be allowed, such as a declared default.
            ///
            /// # Panics
            /// If it is not allowed after all.
            pub const fn of(value: f64) -> Self {
                match Self::new(value) {
                    Some(number) => number,
                    None => panic!(concat!("not ", $wanted)),
                }
            }

            /// The number, if it is allowed.
            pub const fn new($value: f64) -> Option<Self> {
                // A comparison with NaN is false.
                if $value >= -NUMBER_LIMIT && $value <= NUMBER_LIMIT && $allowed { Some(Self($value)) } else { None }
            }

            /// The number itself.
            pub const fn get(self) -> f64 {
                self.0
            }
        }

        impl Decode for $name {
            fn wanted() -> String {
                $wanted.into()
            }

            fn form() -> Form {
                Form::Number($range)
            }

            fn unit() -> Option<&'static str> {
                $unit
            }

            fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
                decode_f64::<Self>(at, context, NUMBER_LIMIT, |$value| $allowed).map(Self)
            }
        }
    };
}

real!(
    /// Any finite number up to [`NUMBER_LIMIT`].
    Finite, "a number", NumberRange::new(-NUMBER_LIMIT, NUMBER_LIMIT), None, |_value| true, ZERO = 0.0
);
real!(
    /// A number above 0.
    Positive, "a number above 0", NumberRange { above: true, ..NumberRange::new(0.0, NUMBER_LIMIT) }, None, |value| value > 0.0, ONE = 1.0
);
real!(
    /// A number of at least 0.
    NonNegative, "a number of at least 0", NumberRange::new(0.0, NUMBER_LIMIT), None, |value| value >= 0.0, ZERO = 0.0
);
real!(
    /// A share or a probability.
    Fraction, "a number from 0 to 1", NumberRange::new(0.0, 1.0), Some("share"), |value| value.clamp(0.0, 1.0) == value, ZERO = 0.0, ONE = 1.0
);

/// The whole number at `at`, if it is from `low` to `high`.
fn decode_integer<T: Decode>(at: &Cursor<'_>, context: &mut Context<'_>, low: i128, high: i128) -> Option<i128> {
    integer_at(at, T::wanted, context, low, high)
}

fn integer_at(at: &Cursor<'_>, wanted: Wanted, context: &mut Context<'_>, low: i128, high: i128) -> Option<i128> {
    let wrong = match at.node().value {
        Value::Integer(value) if (low..=high).contains(&value) => return Some(value),
        // `1e3` and `1000.0` are whole, and exact up to here.
        Value::Float(value) if value.abs() <= EXACT && value == value.trunc() => {
            let whole = value as i128;
            if (low..=high).contains(&whole) {
                return Some(whole);
            }
            format!("{} is out of range", context.given(at))
        }
        Value::Integer(_) => format!("{} is out of range", context.given(at)),
        Value::Float(value) if value > EXACT => format!("{} is too large", context.given(at)),
        Value::Float(_) => format!("{} is not a whole number", context.given(at)),
        Value::Text(ref text) if text::is_number(text) => {
            context.quoted_number(at);
            return None;
        }
        _ => {
            context.not_what_is(wanted, at);
            return None;
        }
    };
    context.add(at, wrong, format!("give {}", wanted()));
    None
}

macro_rules! integer {
    ($($name:ident: $low:expr),*) => {$(
        impl Decode for $name {
            fn wanted() -> String {
                let low: i128 = $low;
                match low {
                    0 if $name::BITS == 64 => "a whole number of at least 0".into(),
                    _ => format!("a whole number from {low} to {}", $name::MAX),
                }
            }

            fn form() -> Form {
                let low: i128 = $low;
                Form::whole(low as f64, $name::MAX as f64)
            }

            fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
                let value = decode_integer::<Self>(at, context, $low, $name::MAX as i128)?;
                value.try_into().ok()
            }
        }
    )*};
}

integer!(u32: 0, u64: 0, usize: 0, i64: i64::MIN.into());

/// A number of things: a whole number of at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Count(u64);

impl Count {
    /// One.
    pub const ONE: Self = Self(1);

    /// A count known to be at least 1, such as a declared default.
    ///
    /// # Panics
    /// If it is 0 after all.
    pub const fn of(count: u64) -> Self {
        assert!(count > 0, "not a whole number of at least 1");
        Self(count)
    }

    /// The count itself.
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl Decode for Count {
    fn wanted() -> String {
        "a whole number of at least 1".into()
    }

    fn form() -> Form {
        Form::whole(1.0, u64::MAX as f64)
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        decode_integer::<Self>(at, context, 1, u64::MAX.into()).and_then(|count| count.try_into().ok()).map(Self)
    }
}
