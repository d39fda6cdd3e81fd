//! Values that sweeps set, as they stand on axes.

use gridloom_language::{Context, Cursor, Decode, Finite, Form};
use serde::Serialize;
use std::fmt;

/// One value of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SweepValue {
    /// A number.
    Number(Finite),
    /// Anything else, as it is written in a scenario.
    Text(String),
}

impl SweepValue {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.get()),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for SweepValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{}", number.get()),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Decode for SweepValue {
    fn wanted() -> String {
        "a number, or text in quotes that stands for a value of the field".into()
    }

    fn form() -> Form {
        Form::Either(vec![Finite::form(), String::form()])
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        if at.is_number() {
            Finite::decode(at, context).map(Self::Number)
        } else {
            String::decode(at, context).map(Self::Text)
        }
    }
}
