//! The unit of time of an experiment, for files whose times are in seconds.

use crate::language::{Context, Cursor, Positive};

/// Units that everybody knows, in seconds, by the names that they go by.
const KNOWN: [(f64, &[&str]); 4] = [
    (1.0, &["s", "sec", "secs", "second", "seconds"]),
    (60.0, &["min", "mins", "minute", "minutes"]),
    (3600.0, &["h", "hr", "hrs", "hour", "hours"]),
    (86_400.0, &["d", "day", "days"]),
];

/// The name of a unit of time that may be any.
pub(crate) const ANY_UNIT: &str = "time units";

/// The number of seconds in a unit of this name, if it is a known one.
pub(crate) fn known_seconds(time_unit: &str) -> Option<f64> {
    let name = time_unit.trim().to_lowercase();
    KNOWN.iter().find(|(_, names)| names.contains(&name.as_str())).map(|&(seconds, _)| seconds)
}

/// The number of seconds of a file in a unit of time: what the unit's name says, or else what is given.
pub(crate) fn seconds_per_unit(given: Option<Positive>, time_unit: &str) -> Option<f64> {
    known_seconds(time_unit).or(given.map(Positive::get))
}

/// Reports a unit of unknown length, or two lengths for one unit; `at` is the field `seconds`.
pub(super) fn report_seconds(given: Option<Positive>, time_unit: &str, at: &Cursor<'_>, errors: &mut Context<'_>) {
    match (given.map(Positive::get), known_seconds(time_unit)) {
        (None, None) => errors.add(
            at,
            format!("nothing says how many seconds of the file are a unit of time ({time_unit:?})"),
            "give `seconds`, or a `time_unit` of \"seconds\", \"minutes\", \"hours\" or \"days\"",
        ),
        (Some(given), Some(known)) if given != known => errors.add(
            at,
            format!("{given} seconds are a unit of time, but `time_unit` is {time_unit:?}, which has {known}"),
            "leave `seconds` out, or name another `time_unit`",
        ),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_their_usual_names() {
        for (name, seconds) in
            [("seconds", 1.0), ("s", 1.0), ("Minutes", 60.0), (" min ", 60.0), ("h", 3600.0), ("DAY", 86_400.0)]
        {
            assert_eq!(known_seconds(name), Some(seconds), "{name}");
        }
        for name in ["", "time units", "ticks", "m", "minutes of CPU"] {
            assert_eq!(known_seconds(name), None, "{name}");
        }
    }
}
