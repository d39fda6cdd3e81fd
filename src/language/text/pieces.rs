//! Text to pieces: words, texts, brackets and what stands between. They say what surrounds a place in a text that is
//! not RON; what a piece means is left to the reader.

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Open,
    Close,
    Comma,
    Colon,
    Word,
    /// A maximal run of what numbers are made of.
    Number,
    Text,
    Character,
    /// A text that never ends; no piece follows.
    OpenText,
    /// A comment that never ends; no piece follows.
    OpenComment,
    /// A line that begins as a comment does in other languages, or a header that is none.
    Hash,
    /// Anything else.
    Other,
}

/// A smallest part of a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Piece<'t> {
    pub kind: Kind,
    pub start: usize,
    pub text: &'t str,
}

impl Piece<'_> {
    /// The byte after it.
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    /// True if a value may begin with it.
    pub(super) fn starts_value(&self) -> bool {
        !matches!(self.kind, Kind::Close | Kind::Comma | Kind::Colon | Kind::Other)
    }

    /// True if a value may end with it.
    pub(super) fn ends_value(&self) -> bool {
        !matches!(self.kind, Kind::Open | Kind::Comma | Kind::Colon | Kind::Other)
    }
}

/// The pieces of a text, one after the other.
#[derive(Debug, Clone)]
pub(super) struct Pieces<'t> {
    text: &'t str,
    at: usize,
    /// No piece has come yet, so that headers may.
    is_at_front: bool,
}

/// The pieces of `text`, comments and headers left out.
pub(super) fn pieces(text: &str) -> Pieces<'_> {
    Pieces { text, at: 0, is_at_front: true }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = Piece<'t>;

    fn next(&mut self) -> Option<Piece<'t>> {
        let unfinished = self.skip_blanks();
        let rest = &self.text[self.at..];
        let first = rest.chars().next()?;
        self.is_at_front = false;
        let (kind, length) = unfinished.unwrap_or_else(|| piece(rest, first));
        let piece = Piece { kind, start: self.at, text: &rest[..length] };
        // What never ends leaves no place where the next piece could begin.
        self.at = if matches!(kind, Kind::OpenText | Kind::OpenComment) { self.text.len() } else { piece.end() };
        Some(piece)
    }
}

impl Pieces<'_> {
    /// Passes over blanks, comments and headers; the kind and length of one that never ends.
    fn skip_blanks(&mut self) -> Option<(Kind, usize)> {
        loop {
            let rest = &self.text[self.at..];
            self.at += match rest.trim_start_matches(is_blank) {
                inside if inside.len() < rest.len() => rest.len() - inside.len(),
                _ if rest.starts_with("//") => line_length(rest),
                _ if rest.starts_with("/*") => match comment_length(rest) {
                    Some(length) => length,
                    None => return Some((Kind::OpenComment, 2)),
                },
                _ if rest.starts_with("#!") && self.is_at_front => match rest[..line_length(rest)].find(']') {
                    Some(end) => end + 1,
                    None => return Some((Kind::Hash, line_length(rest))),
                },
                _ => return None,
            };
        }
    }
}

/// The kind and length of the piece that `rest` begins with.
fn piece(rest: &str, first: char) -> (Kind, usize) {
    match first {
        '(' | '[' | '{' => (Kind::Open, 1),
        ')' | ']' | '}' => (Kind::Close, 1),
        ',' => (Kind::Comma, 1),
        ':' => (Kind::Colon, 1),
        '#' => (Kind::Hash, line_length(rest)),
        '"' => text(rest, 0, 0),
        '\'' => character(rest),
        '0'..='9' | '+' | '-' => (Kind::Number, number_length(rest)),
        '.' if rest[1..].starts_with(|c: char| c == '.' || c.is_ascii_digit()) => (Kind::Number, number_length(rest)),
        'r' if rest[1..].starts_with(['"', '#']) => raw(rest),
        _ if is_word_start(first) => (Kind::Word, run_length(rest, is_word_part)),
        _ => (Kind::Other, first.len_utf8()),
    }
}

fn run_length(rest: &str, belongs: impl Fn(char) -> bool) -> usize {
    rest.find(|c| !belongs(c)).unwrap_or(rest.len())
}

/// The length of the line that `rest` begins with, without its end.
fn line_length(rest: &str) -> usize {
    rest.lines().next().map_or(0, str::len)
}

/// The length of a comment in which others may lie; nothing if it never ends.
fn comment_length(rest: &str) -> Option<usize> {
    let bytes = rest.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    loop {
        match bytes.get(at..at + 2)? {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

/// The text that begins with `prefix` bytes and a quote, and ends with a quote and as many `#`. Only one that began
/// without a prefix has escapes.
fn text(rest: &str, prefix: usize, hashes: usize) -> (Kind, usize) {
    let inside = &rest[prefix + 1..];
    let end = if prefix > 0 {
        let mark = format!("\"{}", "#".repeat(hashes));
        inside.find(&mark).map(|end| end + mark.len())
    } else {
        let mut is_escaped = false;
        let quote = inside.find(|c| {
            let closes = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            closes
        });
        quote.map(|end| end + 1)
    };
    match end {
        Some(end) => (Kind::Text, prefix + 1 + end),
        None => (Kind::OpenText, line_length(rest)),
    }
}

/// `r"..."` with any number of `#` around its quotes, or `r#word`.
fn raw(rest: &str) -> (Kind, usize) {
    let hashes = run_length(&rest[1..], |c| c == '#');
    match rest[1 + hashes..].chars().next() {
        Some('"') => text(rest, 1 + hashes, hashes),
        _ => (Kind::Word, 1 + hashes + run_length(&rest[1 + hashes..], is_raw_word_part)),
    }
}

/// A character in apostrophes, escapes included; the longest is `'\u{10FFFF}'`. Otherwise an apostrophe and a word.
fn character(rest: &str) -> (Kind, usize) {
    let first = if rest[1..].starts_with('\\') { 2 } else { 1 };
    let from = first + rest[first..].chars().next().map_or(0, char::len_utf8);
    let end = rest[from..].char_indices().take(12).find(|&(_, c)| matches!(c, '\'' | '\n'));
    match end {
        Some((length, '\'')) => (Kind::Character, from + length + 1),
        _ => (Kind::Other, 1 + run_length(&rest[1..], is_word_part)),
    }
}

/// The length of all that could belong to one number: a malformed one is one error, not several.
fn number_length(rest: &str) -> usize {
    let signs = run_length(rest, |c| matches!(c, '+' | '-'));
    let is_hexadecimal = rest[signs..].starts_with("0x");
    let mut previous = ' ';
    let body = rest[signs..].find(|c| {
        let is_sign = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !is_hexadecimal;
        previous = c;
        !(is_sign || is_word_part(c) || c == '.')
    });
    let length = body.map_or(rest.len(), |body| signs + body);
    match rest[..length].ends_with("..") {
        // `0..=9`, and a sign of the last number.
        true => length + run_length(&rest[length..], |c| matches!(c, '=' | '+' | '-' | '.') || is_word_part(c)),
        false => length,
    }
}

/// The blanks of the RON specification.
pub(super) fn is_blank(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t' | '\n' | '\r' | '\x0B' | '\x0C' | '\u{85}' | '\u{200E}' | '\u{200F}' | '\u{2028}' | '\u{2029}'
    )
}

/// True for a character with which a name may begin.
pub(crate) fn is_word_start(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

/// True for a character with which a name may go on.
pub(crate) fn is_word_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The same for a name after `r#`.
pub(super) fn is_raw_word_part(c: char) -> bool {
    is_word_part(c) || matches!(c, '.' | '+' | '-')
}
