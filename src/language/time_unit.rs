//! Units of time by their names, and lengths of time in words: `1 h 30 min`.

/// Units that everybody knows, in seconds, by the names that they go by.
const KNOWN: [(f64, &[&str]); 5] = [
    (1.0, &["s", "sec", "secs", "second", "seconds"]),
    (60.0, &["min", "mins", "minute", "minutes"]),
    (3600.0, &["h", "hr", "hrs", "hour", "hours"]),
    (86_400.0, &["d", "day", "days"]),
    (604_800.0, &["w", "week", "weeks"]),
];

/// The number of seconds in a unit of this name, if it is a known one.
pub fn known_seconds(time_unit: &str) -> Option<f64> {
    let name = time_unit.trim().to_lowercase();
    KNOWN.iter().find(|(_, names)| names.contains(&name.as_str())).map(|&(seconds, _)| seconds)
}

/// Why a text is no length of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LengthFault {
    /// It is not made of numbers, each with a unit.
    Form,
    /// A number has a unit that is not known.
    Unit(String),
    /// It is a number without a unit.
    NoUnit,
}

/// The lengths in a text such as `1 h 30 min`: a number and the seconds of its unit each.
fn parts(text: &str) -> Result<Vec<(f64, f64)>, LengthFault> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(rest.len());
        let (number, after) = rest.split_at(digits);
        let number: f64 = number.replace('_', "").parse().map_err(|_| LengthFault::Form)?;
        let after = after.trim_start();
        let letters = after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len());
        let (unit, after) = after.split_at(letters);
        match known_seconds(unit) {
            Some(seconds) => parts.push((number, seconds)),
            None if unit.is_empty() && after.is_empty() && parts.is_empty() => return Err(LengthFault::NoUnit),
            None if unit.is_empty() => return Err(LengthFault::Form),
            None => return Err(LengthFault::Unit(unit.to_string())),
        }
        rest = after.trim_start();
    }
    if parts.is_empty() { Err(LengthFault::Form) } else { Ok(parts) }
}

/// True if a text is a length of time with its unit, or several to be added up: `10 min`, `1 h 30 min`.
pub(crate) fn is_length(text: &str) -> bool {
    parts(text).is_ok()
}

/// The length of time that a text tells, in a unit of so many seconds.
///
/// Each part is rounded once, as the number that one would write instead.
pub(crate) fn length_in(text: &str, unit: f64) -> Result<f64, LengthFault> {
    let parts = parts(text)?;
    Ok(parts.iter().map(|&(number, of)| if of >= unit { number * (of / unit) } else { number / (unit / of) }).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_their_usual_names() {
        for (name, seconds) in [
            ("seconds", 1.0),
            ("s", 1.0),
            ("Minutes", 60.0),
            (" min ", 60.0),
            ("h", 3600.0),
            ("DAY", 86_400.0),
            ("weeks", 604_800.0),
        ] {
            assert_eq!(known_seconds(name), Some(seconds), "{name}");
        }
        for name in ["", "time units", "ticks", "m", "minutes of CPU"] {
            assert_eq!(known_seconds(name), None, "{name}");
        }
    }

    #[test]
    fn lengths_are_told_in_other_units() {
        for (text, unit, length) in [
            ("10 min", 60.0, 10.0),
            ("10min", 1.0, 600.0),
            ("1 h 30 min", 60.0, 90.0),
            ("1h30min15s", 1.0, 5415.0),
            ("36 hours", 86_400.0, 1.5),
            ("2 weeks", 86_400.0, 14.0),
            ("0.1 h", 3600.0, 0.1),
            (" 1_000 s ", 1.0, 1000.0),
            ("0 d", 1.0, 0.0),
        ] {
            assert_eq!(length_in(text, unit), Ok(length), "{text}");
        }
    }

    #[test]
    fn what_is_no_length_is_told_apart() {
        assert_eq!(length_in("10", 1.0), Err(LengthFault::NoUnit));
        assert_eq!(length_in("10 m", 1.0), Err(LengthFault::Unit("m".into())));
        for text in ["", "min", "10 min ago", "-5 min", "1.2.3 s", "10 min 5", "10 min, 5 s", "10 % min"] {
            assert!(matches!(length_in(text, 1.0), Err(LengthFault::Form | LengthFault::Unit(_))), "{text}");
        }
    }
}
