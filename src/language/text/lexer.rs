//! Text to tokens. Every byte is looked at a bounded number of times, whatever the text.

use super::literal;
use crate::diagnose::Errors;
use crate::source::{Span, shorten};
use crate::time_unit::is_length;

/// A smallest piece of text that means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: u32,
    pub end: u32,
}

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Open(Bracket),
    Close(Bracket),
    Comma,
    Colon,
    Word,
    Number,
    Text,
    Character,
    /// Something that stands where a value would, but could not be read; it has been reported.
    Bad,
}

/// The three kinds of brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    Round,
    Square,
    Curly,
}

/// All tokens of `text` from byte `first` on; what can't be read is reported.
pub(super) fn tokens(text: &str, source: u32, first: usize, errors: &mut Errors) -> Vec<Token> {
    let mut lexer = Lexer { text, source, at: first, text_stays_on_line: false, errors };
    let mut tokens = Vec::new();
    lexer.blanks();
    lexer.headers();
    while lexer.blanks() {
        let start = lexer.at as u32;
        let kind = lexer.token();
        tokens.push(Token { kind, start, end: lexer.at as u32 });
    }
    tokens
}

struct Lexer<'a> {
    text: &'a str,
    source: u32,
    at: usize,
    /// After a text without an end, others end with their line: it is no longer known which quote is an opening one,
    /// and to look for the end of each would take quadratic time.
    text_stays_on_line: bool,
    errors: &'a mut Errors,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn peek_second(&self) -> Option<char> {
        self.rest().chars().nth(1)
    }

    fn skip_while(&mut self, mut wanted: impl FnMut(char) -> bool) {
        self.at += self.rest().find(|c| !wanted(c)).unwrap_or(self.rest().len());
    }

    fn error(&mut self, start: usize, end: usize, wrong: impl Into<String>, right: impl Into<String>) {
        let span = Span { source: self.source, start: start as u32, end: end as u32 };
        self.errors.add(span, "", wrong, right);
    }

    /// Passes over blanks and comments; whether anything follows.
    fn blanks(&mut self) -> bool {
        loop {
            self.skip_while(is_blank);
            if self.rest().starts_with("//") {
                self.skip_while(|c| c != '\n');
            } else if self.rest().starts_with("/*") {
                self.block_comment();
            } else if self.rest().starts_with('#') && !self.rest().starts_with("#!") {
                self.foreign_comment();
            } else {
                return self.at < self.text.len();
            }
        }
    }

    /// A comment as other languages write it, up to the end of its line.
    fn foreign_comment(&mut self) {
        let start = self.at;
        self.skip_while(|c| c != '\n');
        self.error(start, start + 1, "`#` begins no comment", "comments begin with `//`");
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0usize;
        loop {
            let step = match self.rest() {
                rest if rest.starts_with("/*") => {
                    depth += 1;
                    2
                }
                rest if rest.starts_with("*/") => {
                    depth -= 1;
                    2
                }
                rest => match rest.chars().next() {
                    Some(c) => c.len_utf8(),
                    None => return self.error(start, start + 2, "this comment has no end", "end it with `*/`"),
                },
            };
            self.at += step;
            if depth == 0 {
                return;
            }
        }
    }

    /// Passes over `#![enable(...)]`: what RON's extensions allow is always allowed here.
    fn headers(&mut self) {
        while self.rest().starts_with("#!") {
            let start = self.at;
            match self.rest().find(['\n', ']']) {
                Some(length) if self.rest()[length..].starts_with(']') => self.at += length + 1,
                _ => {
                    self.skip_while(|c| c != '\n');
                    let right = "comments begin with `//`; a header reads `#![enable(implicit_some)]`";
                    self.error(start, self.at, "this is not a header", right);
                }
            }
            self.blanks();
        }
    }

    /// The token at a character that is not blank.
    fn token(&mut self) -> TokenKind {
        let first = self.peek().unwrap_or(' ');
        let single = match first {
            '(' => TokenKind::Open(Bracket::Round),
            ')' => TokenKind::Close(Bracket::Round),
            '[' => TokenKind::Open(Bracket::Square),
            ']' => TokenKind::Close(Bracket::Square),
            '{' => TokenKind::Open(Bracket::Curly),
            '}' => TokenKind::Close(Bracket::Curly),
            ',' => TokenKind::Comma,
            ':' => TokenKind::Colon,
            '"' => return self.quoted_text(),
            '\'' => return self.character(),
            '0'..='9' | '+' | '-' => return self.number(),
            '.' if self.peek_second().is_some_and(|c| c.is_ascii_digit()) => return self.number(),
            'r' if matches!(self.peek_second(), Some('"' | '#')) => return self.raw(),
            _ if is_word_start(first) => return self.word(),
            _ => return self.unexpected(first),
        };
        self.at += 1;
        single
    }

    /// Reports characters that mean nothing; two that other languages use are taken for what they mean there.
    fn unexpected(&mut self, first: char) -> TokenKind {
        let start = self.at;
        self.at += first.len_utf8();
        match first {
            '=' => {
                self.error(start, self.at, "`=` means nothing here", "write `name: value`");
                TokenKind::Colon
            }
            ';' => {
                self.error(start, self.at, "`;` means nothing here", "write `,`");
                TokenKind::Comma
            }
            _ => {
                self.skip_while(|c| {
                    !(is_blank(c) || is_word_start(c) || c.is_ascii_digit() || "()[]{},:\"'=;+-/".contains(c))
                });
                let found = shorten(&self.text[start..self.at], 20);
                let right = match first {
                    '%' => "write a share as a number: 0.4 for 40 %",
                    _ => "remove it",
                };
                self.error(start, self.at, format!("`{found}` means nothing here"), right);
                TokenKind::Bad
            }
        }
    }

    fn word(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(is_word_part);
        if matches!(&self.text[start..self.at], "b" | "br") && matches!(self.peek(), Some('"' | '\'')) {
            self.error(start, self.at, "text takes no prefix", "remove it");
            let _ = self.token();
            return TokenKind::Bad;
        }
        TokenKind::Word
    }

    /// A maximal run of what numbers are made of: a malformed number is one error, not several.
    fn number(&mut self) -> TokenKind {
        let start = self.at;
        self.skip_while(|c| matches!(c, '+' | '-'));
        let is_hexadecimal = self.rest().starts_with("0x");
        let mut previous = ' ';
        self.skip_while(|c| {
            let is_sign_of_exponent = matches!(c, '+' | '-') && matches!(previous, 'e' | 'E') && !is_hexadecimal;
            previous = c;
            is_sign_of_exponent || is_word_part(c) || c == '.'
        });
        let mut run = &self.text[start..self.at];
        if literal::number(run).is_some() {
            return TokenKind::Number;
        }
        let is_range = run.contains("..");
        if is_range && run.ends_with("..") {
            // `0..=9`, and a sign of the last number.
            self.skip_while(|c| matches!(c, '=' | '+' | '-' | '.') || is_word_part(c));
            run = &self.text[start..self.at];
        }
        let right = match is_range {
            true => range_advice(run),
            false if is_length(run) => format!("put a length of time in quotes: `\"{}\"`", shorten(run, 40)),
            false => "write, for example, 12 or -0.5 or 1e3".into(),
        };
        self.error(start, self.at, format!("`{}` is not a number", shorten(run, 40)), right);
        TokenKind::Bad
    }

    fn quoted_text(&mut self) -> TokenKind {
        let start = self.at;
        let mut is_escaped = false;
        let end = self.closing(start + 1, |c| {
            let closes = c == '"' && !is_escaped;
            is_escaped = c == '\\' && !is_escaped;
            closes
        });
        self.end_text(start, end.map(|end| end + 1), "\"")
    }

    /// `r"..."`, `r#"..."#` with any number of `#`, or `r#word`.
    fn raw(&mut self) -> TokenKind {
        let start = self.at;
        self.at += 1;
        let hashes_start = self.at;
        self.skip_while(|c| c == '#');
        let hashes = self.at - hashes_start;
        match self.peek() {
            Some('"') => {
                let mut seen = None;
                let end = self.closing(self.at + 1, |c| {
                    seen = match (c, seen) {
                        ('"', _) => Some(0),
                        ('#', Some(count)) => Some(count + 1),
                        _ => None,
                    };
                    seen == Some(hashes)
                });
                self.end_text(start, end.map(|end| end + 1), &format!("\"{}", "#".repeat(hashes)))
            }
            Some(c) if hashes == 1 && is_raw_word_part(c) => {
                self.skip_while(is_raw_word_part);
                TokenKind::Word
            }
            _ => {
                self.error(start, self.at, "this is neither text nor a name", "write text in quotes");
                TokenKind::Bad
            }
        }
    }

    /// Where the first character from `from` on stands that `closes`, if it may be there.
    fn closing(&self, from: usize, mut closes: impl FnMut(char) -> bool) -> Option<usize> {
        let rest = &self.text[from..];
        let end = match self.text_stays_on_line {
            true => rest.find('\n').unwrap_or(rest.len()),
            false => rest.len(),
        };
        rest[..end].find(&mut closes).map(|length| from + length)
    }

    fn end_text(&mut self, start: usize, end: Option<usize>, mark: &str) -> TokenKind {
        match end {
            Some(end) => {
                self.at = end;
                TokenKind::Text
            }
            None => {
                self.at = start;
                self.skip_while(|c| c != '\n');
                if !self.text_stays_on_line {
                    let mark = shorten(mark, 20);
                    self.error(start, self.at, "this text has no end", format!("end it with `{mark}`"));
                }
                self.text_stays_on_line = true;
                TokenKind::Bad
            }
        }
    }

    /// `'a'` or an escape such as `'\n'`; the longest escape is `'\u{10FFFF}'`.
    fn character(&mut self) -> TokenKind {
        let start = self.at;
        let inside = &self.text[start + 1..];
        let (first, escape) = (inside.chars().next(), inside.starts_with('\\'));
        let from = first.map_or(0, char::len_utf8) + if escape { 1 } else { 0 };
        let end =
            inside.char_indices().skip_while(|&(at, _)| at < from).take(12).find(|&(_, c)| c == '\'' || c == '\n');
        match end {
            Some((length, '\'')) => {
                self.at = start + 1 + length + 1;
                TokenKind::Character
            }
            _ => {
                self.at = start + 1;
                self.skip_while(is_word_part);
                self.error(start, self.at, "this apostrophe opens no character", "write text in double quotes");
                TokenKind::Bad
            }
        }
    }
}

/// What to write for a range in the manner of other languages.
fn range_advice(run: &str) -> String {
    let (low, high) = run.split_once("..").unwrap_or((run, ""));
    let number = |text: &str, example: &str| match literal::number(text) {
        Some(_) => shorten(text, 20),
        None => example.to_string(),
    };
    let (low, high) = (number(low, "0"), number(high.trim_start_matches(['=', '.']), "1"));
    format!(
        "the values of a sweep are `(from: {low}, to: {high}, step: ...)` or a list, `[{low}, ..., {high}]`; a \
         distribution is `Uniform(low: {low}, high: {high})`"
    )
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

fn is_raw_word_part(c: char) -> bool {
    is_word_part(c) || matches!(c, '.' | '+' | '-')
}
