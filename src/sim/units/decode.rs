//! Quantities, straight from the text of a scenario.

use super::{INPUT_LIMIT, Money, Performance, Power, Price, Span, Time, Volume};
use crate::language::decode::decode_f64;
use crate::language::{Context, Cursor, Decode, Form, NumberRange, Reading};
use serde::Serialize;

macro_rules! quantities {
    ($($name:ident: $wanted:literal, $least:expr, $is_time:literal, $unit:literal;)*) => {$(
        impl Decode for $name {
            fn wanted() -> String {
                format!(concat!($wanted, ", at most {:e}"), INPUT_LIMIT)
            }

            fn form() -> Form {
                Form::Number(NumberRange::new($least.as_f64(), INPUT_LIMIT))
            }

            fn unit() -> Option<&'static str> {
                Some($unit)
            }

            fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
                // The rounded quantity counts: a positive number may be too small for one tick.
                let is_allowed = |value| Self::from_f64(value).is_ok_and(|quantity| value >= 0.0 && quantity >= $least);
                let value = context.with_times($is_time, |context| {
                    decode_f64::<Self>(at, context, INPUT_LIMIT, is_allowed)
                })?;
                Self::from_f64(value).ok().filter(|quantity| *quantity > Self::ZERO || !vanishes(value, at, context))
            }
        }
    )*};
}

/// Reports a number above 0 that is less than half a tick, and would become 0; returns true if it is one.
fn vanishes(value: f64, at: &Cursor<'_>, context: &mut Context<'_>) -> bool {
    if value > 0.0 {
        let wrong = format!("{} would count as 0: numbers here have six decimals", context.given(at));
        context.add(at, wrong, "give 0, or at least 0.000001");
    }
    value > 0.0
}

quantities! {
    Time: "a time of at least 0", Time::ZERO, true, "units of time";
    Span: "a length of time of at least 0", Span::ZERO, true, "units of time";
    Money: "an amount of money of at least 0", Money::ZERO, false, "units of money";
    Price: "a price of at least 0", Price::ZERO, false, "money per unit of time and node";
    Power: "a power of at least 0", Power::ZERO, false, "energy per unit of time";
    Volume: "an amount of work of at least 0", Volume::ZERO, false, "work: time on a node of performance 1";
    Performance: "a performance of at least 0.000001", Performance::from_ticks(1), false, "relative to a node of performance 1";
}

/// A quantity without its zero, for fields that mean nothing at 0.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct AboveZero<T>(T);

impl<T> Reading for AboveZero<T> {
    type Field = T;

    fn value(self) -> T {
        self.0
    }
}

macro_rules! above_zero {
    ($($name:ident: $wanted:literal;)*) => {$(
        impl Decode for AboveZero<$name> {
            fn wanted() -> String {
                format!(concat!($wanted, ", at most {:e}"), INPUT_LIMIT)
            }

            fn form() -> Form {
                Form::Number(NumberRange { above: true, ..NumberRange::new(0.0, INPUT_LIMIT) })
            }

            fn unit() -> Option<&'static str> {
                $name::unit()
            }

            fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
                let is_allowed = |value| $name::from_f64(value).is_ok_and(|quantity| quantity > $name::ZERO);
                let value = context.with_times(true, |context| {
                    decode_f64::<Self>(at, context, INPUT_LIMIT, is_allowed)
                })?;
                $name::from_f64(value).ok().map(Self)
            }
        }
    )*};
}

above_zero! {
    Time: "a time above 0";
    Span: "a length of time above 0";
}
