//! The words and signs of a Graphviz file, one by one: a file of many words takes no more memory than its text.

use crate::workload::task_file::{TaskFileError, TextPlace};
use std::iter::Peekable;
use std::str::Chars;

/// A word or a sign, and its place.
pub(super) struct DotWord {
    pub(super) text: String,
    pub(super) kind: WordKind,
    pub(super) place: TextPlace,
}

/// The kind of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WordKind {
    /// A name, a number or a keyword.
    Plain,
    /// A name in quotes, which is never a keyword.
    Quoted,
    /// `{`, `->` and the like.
    Sign,
}

/// The letters of a text, with the place of the last that was taken.
struct Letters<'a> {
    rest: Peekable<Chars<'a>>,
    place: TextPlace,
    /// True if the last one ended its line.
    is_line_over: bool,
}

impl Letters<'_> {
    fn take(&mut self) -> Option<char> {
        let letter = self.rest.next()?;
        if std::mem::replace(&mut self.is_line_over, letter == '\n') {
            self.place = TextPlace { line: self.place.line + 1, column: 0 };
        }
        self.place.column += 1;
        Some(letter)
    }

    fn take_if(&mut self, is_wanted: impl FnOnce(char) -> bool) -> Option<char> {
        if self.rest.peek().is_some_and(|&letter| is_wanted(letter)) { self.take() } else { None }
    }
}

/// Names, numbers and signs, without comments (`//`, `#` at the start of a line, `/* */`) and without a byte-order
/// mark.
pub(super) struct DotWords<'a> {
    letters: Letters<'a>,
    /// True if only blanks came before on this line.
    is_fresh: bool,
    /// True if a name, number or text ended right before.
    is_behind_word: bool,
}

impl<'a> DotWords<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        let place = TextPlace { line: 1, column: 0 };
        Self {
            letters: Letters { rest: text.chars().peekable(), place, is_line_over: false },
            is_fresh: true,
            is_behind_word: false,
        }
    }

    fn skip_line(&mut self) {
        while self.letters.take_if(|letter| letter != '\n').is_some() {}
    }

    /// Passes over the rest of a comment that goes on to `*/`, or to the end of the text.
    fn skip_block(&mut self) {
        while let Some(letter) = self.letters.take() {
            if letter == '*' && self.letters.take_if(|next| next == '/').is_some() {
                return;
            }
        }
    }

    /// A text in quotes, which ends on its line.
    fn quoted(&mut self, place: TextPlace) -> Result<String, TaskFileError> {
        let mut text = String::new();
        while let Some(letter) = self.letters.take_if(|letter| letter != '\n') {
            match letter {
                '"' => return Ok(text),
                '\\' if self.letters.rest.peek() == Some(&'"') => text.extend(self.letters.take()),
                // As in Graphviz, a pair of backslashes stays one, and its second protects no quote.
                '\\' => {
                    text.push(letter);
                    text.extend(self.letters.take_if(|next| next == '\\'));
                }
                _ => text.push(letter),
            }
        }
        Err(TaskFileError::at(place, "a quote is not closed", "end it with `\"` on the same line"))
    }

    /// A name or number.
    fn plain(&mut self, first: char) -> (String, WordKind) {
        let mut word = String::from(first);
        while let Some(letter) = self.letters.take_if(is_part) {
            word.push(letter);
        }
        (word, WordKind::Plain)
    }

    /// `->` or a negative number, and nothing else: `task-1` is no name without quotes, and `a -- b` no edge.
    fn dash(&mut self, place: TextPlace, is_behind_word: bool) -> Result<(String, WordKind), TaskFileError> {
        if self.letters.take_if(|next| next == '>').is_some() {
            return Ok(("->".into(), WordKind::Sign));
        }
        let is_number = self.letters.rest.peek().is_some_and(|next| next.is_ascii_digit() || *next == '.');
        if is_number && !is_behind_word {
            return Ok(self.plain('-'));
        }
        let right = "write `->` for an edge, and put names with `-` in quotes";
        Err(TaskFileError::at(place, "`-` is neither part of `->` nor in front of a number", right))
    }
}

impl Iterator for DotWords<'_> {
    type Item = Result<DotWord, TaskFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let letter = self.letters.take()?;
            let was_fresh = std::mem::replace(&mut self.is_fresh, letter == '\n');
            let place = self.letters.place;
            let is_behind_word = std::mem::take(&mut self.is_behind_word);
            let (text, kind) = match letter {
                _ if letter.is_whitespace() => {
                    self.is_fresh |= was_fresh;
                    continue;
                }
                '#' if was_fresh => {
                    self.skip_line();
                    continue;
                }
                '/' if self.letters.take_if(|next| next == '/').is_some() => {
                    self.skip_line();
                    continue;
                }
                '/' if self.letters.take_if(|next| next == '*').is_some() => {
                    self.skip_block();
                    continue;
                }
                '"' => match self.quoted(place) {
                    Ok(text) => (text, WordKind::Quoted),
                    Err(error) => return Some(Err(error)),
                },
                '-' => match self.dash(place, is_behind_word) {
                    Ok(word) => word,
                    Err(error) => return Some(Err(error)),
                },
                _ if is_part(letter) => self.plain(letter),
                '{' | '}' | '[' | ']' | '=' | ';' | ',' => (letter.to_string(), WordKind::Sign),
                _ => {
                    let right = "put names with other signs than letters, digits, `_` and `.` in quotes";
                    return Some(Err(TaskFileError::at(place, format!("{letter:?} is not read here"), right)));
                }
            };
            self.is_behind_word = kind != WordKind::Sign;
            return Some(Ok(DotWord { text, kind, place }));
        }
    }
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}
