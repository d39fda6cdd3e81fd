//! The first place at which a text is not RON, in words of what is most likely meant there.
//!
//! `ron` says where it stopped; the pieces around that place tell more than its error.

use super::pieces::{Kind, Piece, Pieces, pieces};
use super::scan::{Around, closing};
use super::{Fault, is_number};
use crate::source::shorten;
use crate::time_unit::is_length;
use ron::error::{Error, SpannedError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::ops::Range;

/// Refuses a text that is not one value in RON.
pub(super) fn check(text: &str) -> Result<(), Fault> {
    if pieces(text).next().is_none() {
        return Err(Fault::new(text.len()..text.len(), "there is nothing here", "write a value in RON"));
    }
    let mut deserializer = ron::Deserializer::from_str(text).map_err(|error| header(text, &error))?;
    let read = IgnoredAny::deserialize(&mut deserializer).and_then(|_| deserializer.end());
    read.map_err(|error| explain(text, &error, text.len() - deserializer.remainder().len()))
}

/// Nothing but headers is read before the value.
fn header(text: &str, error: &SpannedError) -> Fault {
    let line: usize = text.split_inclusive('\n').take(error.span.end.line - 1).map(str::len).sum();
    let end = line + text[line..].lines().next().map_or(0, str::len);
    let wrong = match &error.code {
        Error::NoSuchExtension(name) => format!("there is no extension `{}` of RON", shorten(name, 40)),
        _ => "this is not a header".into(),
    };
    Fault::new(line..end, wrong, "comments begin with `//`; a header reads `#![enable(implicit_some)]`")
}

fn explain(text: &str, error: &Error, at: usize) -> Fault {
    let at = match error {
        Error::UnexpectedChar(c) if text[..at].ends_with(*c) && !text[at..].starts_with(*c) => at - c.len_utf8(),
        _ => at,
    };
    let (mut around, mut rest) = (Around::default(), pieces(text));
    let found = loop {
        match rest.next() {
            Some(piece) if piece.end() <= at => around.follow(piece),
            found => break found,
        }
    };
    let place = Place { text, error, around, found };
    let literal = place.around.before.iter().chain(&place.found).find_map(|&piece| bad_literal(piece));
    literal.or_else(|| place.some()).or_else(|| place.punctuation(rest)).unwrap_or_else(|| place.unexpected())
}

/// What is wrong with a piece wherever it stands.
fn bad_literal(piece: Piece<'_>) -> Option<Fault> {
    let all = piece.start..piece.end();
    match piece.kind {
        Kind::Number if !is_number(piece.text) => {
            let right = match piece.text {
                range if range.contains("..") => range_advice(range),
                run if is_length(run) => format!("put a length of time in quotes: `\"{}\"`", shorten(run, 40)),
                _ => "write, for example, 12 or -0.5 or 1e3".into(),
            };
            Some(Fault::new(all, format!("`{}` is not a number", shorten(piece.text, 40)), right))
        }
        Kind::Text | Kind::Character => bad_text(piece),
        Kind::Other => {
            let right = match piece.text.chars().next()? {
                '\'' => {
                    return Some(Fault::new(all, "this apostrophe opens no character", "write text in double quotes"));
                }
                '=' => "write `name: value`",
                ';' => "write `,`",
                '%' => "write a share as a number: 0.4 for 40 %",
                '“' | '”' | '„' | '‘' | '’' | '«' | '»' => "write text in straight quotes: \"...\"",
                _ => "remove it",
            };
            Some(Fault::new(all, format!("`{}` means nothing here", piece.text), right))
        }
        _ => None,
    }
}

/// Why a text or a character in its quotes can't be read, if so.
fn bad_text(piece: Piece<'_>) -> Option<Fault> {
    let mut deserializer = ron::Deserializer::from_str(piece.text).ok()?;
    IgnoredAny::deserialize(&mut deserializer).and_then(|_| deserializer.end()).err()?;
    let read = piece.text.len() - deserializer.remainder().len();
    let escape = piece.text[..read].rfind('\\').or_else(|| piece.text.find('\\'));
    let fault = |start: usize, length: usize, right: &str| {
        let found: String = piece.text[start..].chars().take(length).collect();
        let place = piece.start + start..piece.start + start + found.len();
        Some(Fault::new(place, format!("`{}` can't be read", shorten(&found, 20)), right))
    };
    match escape {
        Some(start) => match piece.text[start + 1..].chars().next() {
            Some('x') if piece.text[start + 2..].chars().take_while(char::is_ascii_hexdigit).nth(1).is_some() => {
                fault(start, 4, "the escaped bytes are not UTF-8")
            }
            Some('x') => fault(start, 2, "`\\x` needs two hexadecimal digits"),
            Some('u') => fault(start, 2, "`\\u` needs the code of a character, as in `\\u{e9}`"),
            _ => fault(start, 2, "this escape is unknown; write `\\\\` for a backslash"),
        },
        None => fault(0, piece.text.len(), "write text in double quotes"),
    }
}

/// Where a text stops being RON.
struct Place<'t> {
    text: &'t str,
    error: &'t Error,
    around: Around<'t>,
    /// The piece that can't be here, unless the text ends.
    found: Option<Piece<'t>>,
}

impl<'t> Place<'t> {
    /// What is wrong with the brackets after `Some`.
    fn some(&self) -> Option<Fault> {
        let is_some = matches!(self.error, Error::ExpectedOption | Error::ExpectedOptionEnd);
        let piece = self.found.or(self.around.before).filter(|_| is_some)?;
        let right = "write `Some(5)` or `Some((name: value))`, or the value without `Some`";
        Some(Fault::new(piece.start..piece.end(), "`Some` holds one value in brackets", right))
    }

    /// What is wrong between the pieces, of which `rest` comes after the one that was found.
    fn punctuation(&self, rest: Pieces<'t>) -> Option<Fault> {
        let (before, found) = (self.around.before?, self.found?);
        let fault = |place: Range<usize>, wrong: &str, right: &str| Some(Fault::new(place, wrong, right));
        let behind = |piece: Piece<'_>| piece.end()..piece.end();
        let frame = self.around.frames.last();
        let bracket = frame.map_or("", |frame| frame.open.text);
        let second = self.around.second.map(|piece| piece.kind);
        let next = rest.clone().next().map(|piece| piece.kind);
        let has_names = frame.is_some_and(|frame| bracket == "(" && (frame.has_names || has_colon(found, rest)));
        match (before.kind, found.kind) {
            (Kind::Word, Kind::Open) if found.text == "{" => {
                let wrong = format!("`{}` can't be followed by a curly bracket", shorten(before.text, 40));
                let right = format!("write `{}(...)`", shorten(before.text, 40));
                fault(found.start..found.end(), &wrong, &right)
            }
            (Kind::Number, Kind::Word) if is_length(&self.text[before.start..found.end()]) => {
                let length = shorten(&self.text[before.start..found.end()], 40);
                let wrong = format!("`{}` is unexpected here", shorten(found.text, 40));
                fault(found.start..found.end(), &wrong, &format!("put a length of time in quotes: `\"{length}\"`"))
            }
            (Kind::Colon, Kind::Comma | Kind::Close) => {
                fault(behind(before), "a value is missing here", "write `name: value`")
            }
            // The next field was taken for the value.
            (Kind::Word, Kind::Colon) if second == Some(Kind::Colon) => {
                fault(behind(self.around.second?), "a value is missing here", "write `name: value`")
            }
            (Kind::Text, Kind::Colon) if bracket == "(" => quoted_name(before),
            (Kind::Open | Kind::Comma, Kind::Text) if bracket == "(" && next == Some(Kind::Colon) => quoted_name(found),
            (Kind::Word, Kind::Colon) if bracket == "(" => {
                let first = frame.and_then(|frame| frame.first).filter(|first| first.starts_value())?;
                fault(first.start..first.end(), "a value has no field name", "write `name: value`")
            }
            (Kind::Open | Kind::Comma, kind) if has_names && kind != Kind::Word && found.starts_value() => {
                let right = match self.is_after_decimal_comma(found) {
                    true => "write 0.4, not 0,4, and 1000 or 1_000, not 1,000",
                    false => "write `name: value`",
                };
                fault(found.start..found.end(), "a value has no field name", right)
            }
            (Kind::Open | Kind::Comma, Kind::Word) if matches!(self.error, Error::SuggestRawIdentifier(_)) => {
                let length = self.text[found.start..].find(|c: char| !(c.is_alphanumeric() || "_.+-".contains(c)));
                let name = &self.text[found.start..][..length.unwrap_or(found.text.len())];
                let wrong = format!("`{}` is not a name", shorten(name, 40));
                let place = found.start..found.start + name.len();
                fault(place, &wrong, "a name has letters, digits and `_`")
            }
            (Kind::Word, _) if has_names && matches!(second, Some(Kind::Open | Kind::Comma)) => {
                let wrong = format!("a colon is missing after `{}`", shorten(before.text, 40));
                fault(behind(before), &wrong, "write `name: value`")
            }
            _ if bracket == "{" && matches!(self.error, Error::ExpectedMapColon) => {
                fault(before.start..before.end(), "a colon is missing after this", "write `key: value`")
            }
            _ if frame.is_some() && before.ends_value() && found.starts_value() => {
                fault(behind(before), "a comma is missing here", "write `,` between values")
            }
            _ => None,
        }
    }

    /// What was found where something else should be.
    fn unexpected(&self) -> Fault {
        let is_behind_value = self.around.before.is_some_and(|before| before.ends_value());
        let wanted = match self.around.frames.last() {
            _ if !is_behind_value => "a value".to_string(),
            Some(frame) => format!("`,` or `{}`", closing(&frame.open)),
            None => "the end of the text".into(),
        };
        let right = format!("there should be {wanted}");
        match self.found {
            Some(found) => {
                let wrong = format!("`{}` is unexpected here", shorten(found.text, 40));
                Fault::new(found.start..found.end(), wrong, right)
            }
            None => Fault::new(self.text.len()..self.text.len(), "the text ends here", right),
        }
    }

    /// True for the digits behind the comma of `0,4` or `1,000`.
    fn is_after_decimal_comma(&self, found: Piece<'_>) -> bool {
        let (Some(number), Some(comma)) = (self.around.second, self.around.before) else { return false };
        [number.kind, comma.kind, found.kind] == [Kind::Number, Kind::Comma, Kind::Number]
            && number.end() == comma.start
            && comma.end() == found.start
    }
}

fn quoted_name(piece: Piece<'_>) -> Option<Fault> {
    let right = format!("write `{}:`", shorten(piece.text.trim_matches('"'), 40));
    Some(Fault::new(piece.start..piece.end(), "the name of a field is in quotes", right))
}

/// True if a colon comes before the present bracket closes, not counting those further inside.
fn has_colon(found: Piece<'_>, rest: Pieces<'_>) -> bool {
    let mut depth = 0usize;
    for piece in std::iter::once(found).chain(rest) {
        match piece.kind {
            Kind::Open => depth += 1,
            Kind::Close if depth == 0 => return false,
            Kind::Close => depth -= 1,
            Kind::Colon if depth == 0 => return true,
            _ => (),
        }
    }
    false
}

/// What to write for a range in the manner of other languages.
pub(super) fn range_advice(run: &str) -> String {
    let (low, high) = run.split_once("..").unwrap_or((run, ""));
    let number = |text: &str, example: &str| if is_number(text) { shorten(text, 20) } else { example.to_string() };
    let (low, high) = (number(low, "0"), number(high.trim_start_matches(['=', '.']), "1"));
    format!(
        "the values of a sweep are `(from: {low}, to: {high}, step: ...)` or a list, `[{low}, ..., {high}]`; a \
         distribution is `Uniform(low: {low}, high: {high})`"
    )
}
