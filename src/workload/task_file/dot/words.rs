//! The words and signs of a Graphviz file, one by one: a file of many words takes no more memory than its text.

use crate::workload::task_file::TaskFileError;
use std::iter::Peekable;
use std::str::Chars;

/// A word or a sign, and its line.
pub(super) struct DotWord {
    pub(super) text: String,
    pub(super) kind: WordKind,
    pub(super) line: usize,
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

/// Names, numbers and signs, without comments (`//`, `#` at the start of a line, `/* */`) and without a byte-order
/// mark.
pub(super) struct DotWords<'a> {
    letters: Peekable<Chars<'a>>,
    line: usize,
    /// True if only blanks came before on this line.
    is_fresh: bool,
}

impl<'a> DotWords<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        Self { letters: text.chars().peekable(), line: 1, is_fresh: true }
    }

    fn skip_line(&mut self) {
        while self.letters.next_if(|&letter| letter != '\n').is_some() {}
    }

    /// Passes over the rest of a comment that goes on to `*/`, or to the end of the text.
    fn skip_block(&mut self) {
        while let Some(letter) = self.letters.next() {
            self.line += usize::from(letter == '\n');
            if letter == '*' && self.letters.next_if_eq(&'/').is_some() {
                return;
            }
        }
    }

    /// A text in quotes, which ends on its line.
    fn quoted(&mut self) -> Result<String, TaskFileError> {
        let mut text = String::new();
        while let Some(letter) = self.letters.next_if(|&letter| letter != '\n') {
            match letter {
                '"' => return Ok(text),
                '\\' if self.letters.peek() == Some(&'"') => text.extend(self.letters.next()),
                _ => text.push(letter),
            }
        }
        Err(TaskFileError::Syntax { line: self.line, what: "a quote is not closed".into() })
    }

    /// A name or number, `->`, or a negative number.
    fn plain(&mut self, first: char) -> (String, WordKind) {
        if first == '-' && self.letters.next_if_eq(&'>').is_some() {
            return ("->".into(), WordKind::Sign);
        }
        let mut word = String::from(first);
        while let Some(letter) = self.letters.next_if(|&letter| is_part(letter)) {
            word.push(letter);
        }
        (word, WordKind::Plain)
    }
}

impl Iterator for DotWords<'_> {
    type Item = Result<DotWord, TaskFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let letter = self.letters.next()?;
            let was_fresh = std::mem::replace(&mut self.is_fresh, letter == '\n');
            let line = self.line;
            let (text, kind) = match letter {
                '\n' => {
                    self.line += 1;
                    continue;
                }
                _ if letter.is_whitespace() => {
                    self.is_fresh = was_fresh;
                    continue;
                }
                '#' if was_fresh => {
                    self.skip_line();
                    continue;
                }
                '/' if self.letters.next_if_eq(&'/').is_some() => {
                    self.skip_line();
                    continue;
                }
                '/' if self.letters.next_if_eq(&'*').is_some() => {
                    self.skip_block();
                    continue;
                }
                '"' => match self.quoted() {
                    Ok(text) => (text, WordKind::Quoted),
                    Err(error) => return Some(Err(error)),
                },
                _ if is_part(letter) || letter == '-' => self.plain(letter),
                '{' | '}' | '[' | ']' | '=' | ';' | ',' => (letter.to_string(), WordKind::Sign),
                _ => {
                    let what = format!("{letter:?} is not read here");
                    return Some(Err(TaskFileError::Syntax { line, what }));
                }
            };
            return Some(Ok(DotWord { text, kind, line }));
        }
    }
}

fn is_part(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_' || letter == '.'
}
