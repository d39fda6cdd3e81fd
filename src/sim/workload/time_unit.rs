//! The unit of time of an experiment, for files whose times are in seconds.

use crate::language::decode::nearest;
use crate::language::known_seconds;
use crate::language::{Context, Cursor, Positive};

/// The name of a unit of time that may be any.
pub const ANY_UNIT: &str = "time units";

/// The names of known units that others may be meant for. Short ones are left out: `ms` is not a misspelt `s`.
const LONG_NAMES: [&str; 10] =
    ["seconds", "minutes", "hours", "days", "weeks", "second", "minute", "hour", "day", "week"];

/// The number of seconds of a file in a unit of time: what the unit's name says, or else what is given.
pub fn seconds_per_unit(given: Option<Positive>, time_unit: &str) -> Option<f64> {
    known_seconds(time_unit).or(given.map(Positive::get))
}

/// Reports the name of a unit of time that is nearly that of a known one; `at` is its field. Other names are free.
pub fn report_time_unit(time_unit: &str, at: &Cursor<'_>, errors: &mut Context<'_>) {
    if known_seconds(time_unit).is_some() || time_unit == ANY_UNIT {
        return;
    }
    if let Some(meant) = nearest(time_unit.trim(), LONG_NAMES) {
        let right = format!(
            "did you mean {meant:?}? Known units are seconds, minutes, hours, days and weeks; others, such as \"ticks\", \
             may have any name that is not so close to one of them"
        );
        errors.add(at, format!("{time_unit:?} is no known unit of time"), right);
    }
}

/// Reports a unit of unknown length, or two lengths for one unit; `at` is the field `seconds`.
pub(super) fn report_seconds(given: Option<Positive>, time_unit: &str, at: &Cursor<'_>, errors: &mut Context<'_>) {
    match (given.map(Positive::get), known_seconds(time_unit)) {
        (None, None) => errors.add(
            at,
            format!("nothing says how many seconds of the file are a unit of time ({time_unit:?})"),
            "give `seconds`, or a `time_unit` of \"seconds\", \"minutes\", \"hours\", \"days\" or \"weeks\"",
        ),
        (Some(given), Some(known)) if given != known => errors.add(
            at,
            format!("{given} seconds are a unit of time, but `time_unit` is {time_unit:?}, which has {known}"),
            "leave `seconds` out, or name another `time_unit`",
        ),
        _ => {}
    }
}
