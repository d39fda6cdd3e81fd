//! The values of numbers, texts and characters.

use super::tree::Value;

/// The number that `run` spells, or nothing.
pub(super) fn number(run: &str) -> Option<Value> {
    let (negative, unsigned) = match run.as_bytes().first()? {
        b'-' => (true, &run[1..]),
        b'+' => (false, &run[1..]),
        _ => (false, run),
    };
    let sign = if negative { -1.0 } else { 1.0 };
    match unsigned.strip_suffix("f32").or(unsigned.strip_suffix("f64")).unwrap_or(unsigned) {
        "inf" => return Some(Value::Float(sign * f64::INFINITY)),
        "NaN" => return Some(Value::Float(f64::NAN)),
        _ => (),
    }
    integer(unsigned, negative).or_else(|| Some(Value::Float(sign * float(unsigned)?)))
}

fn integer(unsigned: &str, negative: bool) -> Option<Value> {
    let (radix, digits) = match unsigned.get(..2) {
        Some("0x") => (16, &unsigned[2..]),
        Some("0o") => (8, &unsigned[2..]),
        Some("0b") => (2, &unsigned[2..]),
        _ => (10, unsigned),
    };
    const SUFFIXES: [&str; 10] = ["i8", "i16", "i32", "i64", "i128", "u8", "u16", "u32", "u64", "u128"];
    let digits = SUFFIXES.iter().find_map(|suffix| digits.strip_suffix(suffix)).unwrap_or(digits);
    if !digits.starts_with(|c: char| c.is_digit(radix)) {
        return None;
    }
    let mut magnitude = Some(0i128);
    for digit in digits.chars().filter(|&c| c != '_') {
        let digit = i128::from(digit.to_digit(radix)?);
        magnitude = magnitude.and_then(|value| value.checked_mul(radix.into())?.checked_add(digit));
    }
    match magnitude {
        Some(value) => Some(Value::Integer(if negative { -value } else { value })),
        // Past 38 digits the nearest double has to do; only decimal digits can be read as one.
        None if radix == 10 => None,
        None => Some(Value::Float(f64::INFINITY)),
    }
}

/// The value of a decimal number with a point, an exponent or a suffix.
fn float(unsigned: &str) -> Option<f64> {
    let unsigned = unsigned.strip_suffix("f32").or(unsigned.strip_suffix("f64")).unwrap_or(unsigned);
    let starts_well = unsigned.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit());
    // The standard parser also knows words such as "infinity".
    let is_plain = unsigned.chars().all(|c| c.is_ascii_digit() || matches!(c, '_' | '.' | 'e' | 'E' | '+' | '-'));
    if !(starts_well && is_plain) {
        return None;
    }
    unsigned.replace('_', "").parse().ok()
}

/// Why a text can't be read: the bytes of the escape in it, and what is wrong.
pub(super) type BadEscape = (usize, usize, &'static str);

/// The text that `token`, quotes included, stands for.
pub(super) fn text(token: &str) -> Result<String, BadEscape> {
    if let Some(raw) = token.strip_prefix('r') {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        return Ok(raw[hashes + 1..raw.len() - hashes - 1].to_owned());
    }
    unescape(token)
}

/// The character that `token`, apostrophes included, stands for.
pub(super) fn character(token: &str) -> Result<char, BadEscape> {
    let text = unescape(token)?;
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => Ok(character),
        _ => Err((0, token.len(), "write text in double quotes")),
    }
}

/// `token` without its first and last byte and with its escapes resolved.
fn unescape(token: &str) -> Result<String, BadEscape> {
    let inside = &token[..token.len() - 1];
    // Escaped bytes may spell one character together, so the text is only checked when it is whole.
    let mut bytes = Vec::with_capacity(inside.len());
    let mut at = 1;
    let mut first_byte_escape = None;
    while let Some(length) = inside[at..].find('\\') {
        bytes.extend_from_slice(&inside.as_bytes()[at..at + length]);
        at += length;
        let escape = &inside[at..];
        let bad = |length: usize, why| (at, (at + length).min(token.len()), why);
        let letter = escape.chars().nth(1).ok_or(bad(1, "nothing follows the backslash"))?;
        let size = match letter {
            '\'' | '"' | '\\' => push(&mut bytes, letter),
            'n' => push(&mut bytes, '\n'),
            'r' => push(&mut bytes, '\r'),
            't' => push(&mut bytes, '\t'),
            '0' => push(&mut bytes, '\0'),
            'x' => {
                let digits = escape.get(2..4).filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()));
                let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                bytes.push(byte.ok_or(bad(2, "`\\x` needs two hexadecimal digits"))?);
                first_byte_escape.get_or_insert(at);
                4
            }
            'u' => {
                let why = bad(2, "`\\u` needs the code of a character, as in `\\u{e9}`");
                let (digits, _) =
                    escape.get(2..).and_then(|rest| rest.strip_prefix('{')?.split_once('}')).ok_or(why)?;
                let is_number = (1..=6).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
                let code = is_number.then(|| u32::from_str_radix(digits, 16).ok()).flatten();
                push(&mut bytes, code.and_then(char::from_u32).ok_or(why)?);
                digits.len() + 4
            }
            // A line that goes on: the end of the line and the blanks of the next one vanish.
            '\n' | '\r' if escape[1..].trim_start_matches('\r').starts_with('\n') => {
                escape.len() - escape[1..].trim_start_matches([' ', '\t', '\r', '\n']).len()
            }
            _ => return Err(bad(1 + letter.len_utf8(), "this escape is unknown; write `\\\\` for a backslash")),
        };
        at += size;
    }
    bytes.extend_from_slice(&inside.as_bytes()[at..]);
    String::from_utf8(bytes).map_err(|_| {
        let start = first_byte_escape.unwrap_or(0);
        (start, start + 4, "the escaped bytes are not UTF-8")
    })
}

/// Appends a character; the length of a short escape.
fn push(bytes: &mut Vec<u8>, character: char) -> usize {
    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_in_every_notation() {
        for (run, expected) in [
            ("18446744073709551615", u64::MAX.into()),
            ("-9_223_372_036_854_775_808", i64::MIN.into()),
            ("+7", 7),
            ("0xFF_u8", 255),
            ("-0b101", -5),
            ("0o17i64", 15),
            ("1_", 1),
        ] {
            assert!(matches!(number(run), Some(Value::Integer(value)) if value == expected), "{run}");
        }
    }

    #[test]
    fn other_numbers_are_the_nearest_doubles() {
        for (run, expected) in [("1.5", 1.5), ("-.5e1", -5.0), ("2.", 2.0), ("1_0e-1_0", 1e-9), ("3f64", 3.0)] {
            assert!(matches!(number(run), Some(Value::Float(value)) if value == expected), "{run}");
        }
        let many_digits = "9".repeat(60);
        assert!(matches!(number(&many_digits), Some(Value::Float(value)) if value == 1e60));
        assert!(matches!(number("1e999"), Some(Value::Float(f64::INFINITY))));
        assert!(matches!(number("-inf"), Some(Value::Float(f64::NEG_INFINITY))));
        assert!(matches!(number("+NaN"), Some(Value::Float(value)) if value.is_nan()));
    }

    #[test]
    fn what_only_resembles_a_number_is_none() {
        for run in [
            "-",
            "1.2.3",
            "12abc",
            "0x",
            "0x_f",
            "0b2",
            "1e",
            "--1",
            "1e+",
            "_1",
            "-infinity",
            "1__f",
            "e5",
            ".",
            "-.e1",
            "é1",
            "0é",
        ] {
            assert!(number(run).is_none(), "{run}");
        }
    }

    #[test]
    fn escapes_are_resolved() {
        assert_eq!(text(r#""a\tb\\\"\u{e9}\x41\xC3\xA9\0""#).unwrap(), "a\tb\\\"éAé\0");
        assert_eq!(text("\"one \\\r\n   two\"").unwrap(), "one two");
        assert_eq!(text(r##"r#"a"\n"#"##).unwrap(), r#"a"\n"#);
        assert_eq!((character(r"'\''").unwrap(), character("'é'").unwrap()), ('\'', 'é'));
    }

    #[test]
    fn bad_escapes_say_where_they_are() {
        assert_eq!(text(r#""ab\d""#).unwrap_err().0, 3);
        assert_eq!(text(r#""\xA9""#).unwrap_err(), (1, 5, "the escaped bytes are not UTF-8"));
        for bad in [
            r#""\x4""#,
            r#""\u{}""#,
            r#""\u{110000}""#,
            r#""\u{D800}""#,
            r#""\u41""#,
            "\"\\é\"",
            r#""\u{+41}""#,
            r#""\x+1""#,
        ] {
            assert!(text(bad).is_err(), "{bad}");
        }
        assert!(character("'ab'").is_err() && character("''").is_err());
    }
}
