//! Lengths of time and instants: plain numbers, or texts with units that the scenario's unit of time converts.

use super::{Context, Cursor, Decode, Description, Form, Wanted};
use crate::text::{self, Value};
use crate::time_unit::{LengthFault, known_seconds, length_in};
use serde::Serialize;
use std::ops::Deref;

/// The field of a record that names the unit of all times in it.
const TIME_UNIT: &str = "time_unit";
/// Parameters of distributions that are no times, whatever is drawn.
const PURE: [&str; 3] = ["shape", "log_mean", "log_sd"];

/// Numbers that are times: they may be written with a unit, `"10 min"`, where the unit of time is known.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(transparent)]
pub struct InTime<T>(pub T);

impl<T> Deref for InTime<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Decode> Decode for InTime<T> {
    fn wanted() -> String {
        T::wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        T::declared()
    }

    fn form() -> Form {
        T::form()
    }

    fn unit() -> Option<&'static str> {
        Some("units of time")
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        context.with_times(true, |context| T::decode(at, context)).map(Self)
    }
}

impl Context<'_> {
    /// Decodes while numbers are times, if `are_times`.
    pub fn with_times<T>(&mut self, are_times: bool, decode: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.are_times, are_times);
        let decoded = decode(self);
        self.are_times = before;
        decoded
    }

    /// True if a number stands at `at`, or a text that may be one.
    #[doc(hidden)]
    pub fn has_number(&self, at: &Cursor<'_>) -> bool {
        at.is_number() || self.are_times && matches!(at.node().value, Value::Text(_))
    }

    /// Reports a number in quotes.
    pub(super) fn quoted_number(&mut self, at: &Cursor<'_>) {
        let right = match self.are_times {
            true => "remove the quotes, or add a unit: \"10 min\"",
            false => "remove the quotes",
        };
        self.add(at, format!("{} is a number in quotes", self.given(at)), right);
    }

    /// The length of time that a text tells at `at`, in the unit of time that holds there.
    pub(super) fn length(&mut self, at: &Cursor<'_>, text: &str, wanted: Wanted) -> Option<f64> {
        if text::is_number(text) {
            self.quoted_number(at);
            return None;
        }
        let names = at.field_names();
        let is_pure = names.last().is_some_and(|name| PURE.contains(name));
        if !self.are_times || is_pure {
            self.not_what_is(wanted, at);
            return None;
        }
        let given = self.given(at);
        let unit = at.text_around(TIME_UNIT);
        let (wrong, right) = match (length_in(text, 1.0), unit.map(|unit| (unit, known_seconds(unit)))) {
            (Ok(_), Some((_, Some(seconds)))) => return length_in(text, seconds).ok(),
            (Ok(_), Some((unit, None))) => (
                format!("{given} can't be converted: {unit:?}, the `{TIME_UNIT}`, is no known unit"),
                format!("give `{TIME_UNIT}: \"minutes\"`, or seconds, hours, days or weeks; or a plain number"),
            ),
            (Ok(_), None) if self.declares_around(TIME_UNIT, &names) => (
                format!("{given} can't be converted: nothing says how long a unit of time is"),
                format!("give `{TIME_UNIT}: \"minutes\"`, or seconds, hours, days or weeks; or a plain number"),
            ),
            (Ok(_), None) => (
                format!("{given} can't be converted: this kind of experiment has no `{TIME_UNIT}`"),
                "give a plain number".to_string(),
            ),
            (Err(LengthFault::Unit(unit)), _) => (
                format!("{given} is no length of time: `{unit}` is no unit of time"),
                "the units are s, min, h, d and w, as in \"1 h 30 min\"".to_string(),
            ),
            (Err(LengthFault::NoUnit | LengthFault::Form), _) => (
                format!("{given} is no length of time"),
                format!("give {}, or numbers with their units: \"1 h 30 min\"", wanted()),
            ),
        };
        self.add(at, wrong, right);
        None
    }
}
