//! Errors with their places, collected and shown together.

use super::source::{Source, Sources, Span, visible};
use std::fmt;

/// The number of errors that a report shows; further ones are only counted.
pub const LISTED: usize = 100;

/// The most errors that are kept: a hostile file can hold a hundred thousand.
const KEPT: usize = 1000;

/// The number of characters of a line that an excerpt shows.
const EXCERPT_WIDTH: usize = 100;

/// One thing that is wrong in a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where, in which source.
    pub span: Span,
    /// The path of the field, for example `nodes[3].price`; empty for the whole scenario.
    pub path: String,
    /// The description of the error.
    pub wrong: String,
    /// The advice: what would be right.
    pub right: String,
}

/// The sink in which all stages leave what they find wrong.
#[derive(Debug, Clone, Default)]
pub struct Errors {
    kept: Vec<Diagnostic>,
    dropped: usize,
}

impl Errors {
    /// Notes an error at `span`.
    pub fn add(&mut self, span: Span, path: impl ToString, wrong: impl Into<String>, right: impl Into<String>) {
        if self.kept.len() < KEPT {
            let (wrong, right) = (wrong.into(), right.into());
            self.kept.push(Diagnostic { span, path: path.to_string(), wrong, right });
        } else {
            self.dropped += 1;
        }
    }

    /// Takes back errors of this wording in overrides of which an earlier step is wrong: they are but a consequence.
    pub(super) fn drop_consequences(&mut self, wording: &str) {
        let is_cause = |cause: &Diagnostic, of: Span| {
            cause.wrong != wording && cause.span.source == of.source && cause.span.start <= of.start
        };
        let is_consequence = |found: &Diagnostic| {
            let is_override = found.span.source > 0 && found.wrong == wording;
            is_override && self.kept.iter().any(|other| is_cause(other, found.span))
        };
        let is_left: Vec<bool> = self.kept.iter().map(|found| !is_consequence(found)).collect();
        let mut is_left = is_left.into_iter();
        self.kept.retain(|_| is_left.next().unwrap_or(true));
    }

    /// Counts one more error if no further ones are kept, so that the effort to word it can be saved.
    pub(crate) fn count_if_full(&mut self) -> bool {
        let is_full = self.kept.len() == KEPT;
        self.dropped += usize::from(is_full);
        is_full
    }

    /// The number of errors.
    pub fn len(&self) -> usize {
        self.kept.len() + self.dropped
    }

    /// True if nothing is wrong so far.
    pub fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }
}

/// Everything that is wrong with a scenario, in the order of the text. Never empty.
pub struct Report {
    diagnostics: Vec<Diagnostic>,
    count: usize,
    sources: Sources,
}

impl Report {
    pub fn new(errors: Errors, sources: Sources) -> Self {
        let count = errors.len();
        let mut diagnostics = errors.kept;
        diagnostics.sort_by_key(|diagnostic| diagnostic.span);
        Self { diagnostics, count, sources }
    }

    /// The number of errors, those past the listed ones included.
    #[expect(clippy::len_without_is_empty, reason = "a report is never empty")]
    pub fn len(&self) -> usize {
        self.count
    }

    /// The errors themselves; at most a thousand are kept.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The texts that the errors point into.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }
}

impl std::error::Error for Report {}

impl Report {
    /// The same text as that of the report itself, with colours for a terminal.
    pub fn coloured(&self) -> impl fmt::Display + '_ {
        Coloured(self)
    }

    fn write(&self, style: &Style, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.diagnostics.iter().take(LISTED).enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            show(diagnostic, self.sources.of(diagnostic.span), style, f)?;
        }
        match self.count.saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "\nand {more} more"),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(&Style::PLAIN, f)
    }
}

/// The same text: a program whose `main` returns its errors shows them in this way.
impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Coloured<'r>(&'r Report);

impl fmt::Display for Coloured<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write(&Style::COLOURS, f)
    }
}

/// The marks around the parts of a message that make a terminal colour them.
struct Style {
    place: &'static str,
    wrong: &'static str,
    right: &'static str,
    end: &'static str,
}

impl Style {
    const PLAIN: Self = Self { place: "", wrong: "", right: "", end: "" };
    /// The place bold, what is wrong red, the remedy green.
    const COLOURS: Self = Self { place: "\x1b[1m", wrong: "\x1b[31m", right: "\x1b[32m", end: "\x1b[0m" };
}

/// `file:line:column: path: wrong; right`, then the line with carets below what is wrong.
fn show(diagnostic: &Diagnostic, source: &Source, style: &Style, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let Style { place, wrong: red, right: green, end } = style;
    let Diagnostic { span, path, wrong, right } = diagnostic;
    let (line, column) = (source.line(span.start), source.column(span.start));
    write!(f, "{place}{}", source.name())?;
    // An empty file, or one that can't be read, has no places; an override is shown whole.
    let has_places = !source.text().is_empty();
    if has_places && !source.is_override() {
        write!(f, ":{line}:{column}")?;
    }
    write!(f, "{end}")?;
    if !path.is_empty() {
        write!(f, ": {path}")?;
    }
    write!(f, ": {red}{wrong}{end}; {green}{right}{end}")?;
    if has_places {
        let (text, start) = source.line_text(line);
        let marked = source.slice(span.start, span.end.min(start + text.len() as u32).max(span.start)).chars().count();
        let (excerpt, caret) = window(text, column - 1);
        let room = excerpt.chars().count().saturating_sub(caret).max(1);
        let number = line.to_string();
        let margin = " ".repeat(number.len());
        write!(f, "\n  {number} | {excerpt}\n  {margin} | ")?;
        write!(f, "{}{red}{}{end}", " ".repeat(caret), "^".repeat(marked.clamp(1, room)))?;
    }
    Ok(())
}

/// The part of a line around its character `at`, and where that character is in the part.
fn window(text: &str, at: usize) -> (String, usize) {
    let length = text.chars().count();
    if length <= EXCERPT_WIDTH {
        return (text.chars().map(visible).collect(), at);
    }
    let first = at.saturating_sub(EXCERPT_WIDTH / 2).min(length - EXCERPT_WIDTH);
    let (before, after) = (if first > 0 { "..." } else { "" }, if first + EXCERPT_WIDTH < length { "..." } else { "" });
    let part: String = text.chars().skip(first).take(EXCERPT_WIDTH).map(visible).collect();
    (format!("{before}{part}{after}"), at - first + before.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(text: &str, spans: &[(u32, u32)]) -> Report {
        let mut errors = Errors::default();
        for &(start, end) in spans {
            errors.add(Span { source: 0, start, end }, "a.b", "wrong", "right");
        }
        Report::new(errors, Sources::new(Source::new("f.ron", text), &[]))
    }

    #[test]
    fn errors_are_sorted_and_shown_with_carets() {
        insta::assert_snapshot!(report("one\n\ttwo é three", &[(9, 11), (0, 3), (12, 40)]), @r"
        f.ron:1:1: a.b: wrong; right
          1 | one
            | ^^^
        f.ron:2:6: a.b: wrong; right
          2 |  two é three
            |      ^
        f.ron:2:8: a.b: wrong; right
          2 |  two é three
            |        ^^^^^
        ");
    }

    #[test]
    fn a_place_at_the_end_of_the_text_or_of_a_line_has_its_caret() {
        insta::assert_snapshot!(report("ab\ncd", &[(2, 2), (2, 5), (5, 5)]), @r"
        f.ron:1:3: a.b: wrong; right
          1 | ab
            |   ^
        f.ron:1:3: a.b: wrong; right
          1 | ab
            |   ^
        f.ron:2:3: a.b: wrong; right
          2 | cd
            |   ^
        ");
    }

    #[test]
    fn long_lines_are_cut_around_the_caret() {
        let text: String = (0..100).map(|number| format!("{number:03} ")).collect();
        insta::assert_snapshot!(report(&text, &[(0, 3), (200, 203), (396, 399)]), @"
        f.ron:1:1: a.b: wrong; right
          1 | 000 001 002 003 004 005 006 007 008 009 010 011 012 013 014 015 016 017 018 019 020 021 022 023 024 ...
            | ^^^
        f.ron:1:201: a.b: wrong; right
          1 | ...7 038 039 040 041 042 043 044 045 046 047 048 049 050 051 052 053 054 055 056 057 058 059 060 061 06...
            |                                                      ^^^
        f.ron:1:397: a.b: wrong; right
          1 | ...075 076 077 078 079 080 081 082 083 084 085 086 087 088 089 090 091 092 093 094 095 096 097 098 099 
            |                                                                                                    ^^^
        ");
    }

    #[test]
    fn colours_change_nothing_but_the_colour() {
        let report = report("one\ntwo", &[(0, 3), (5, 6)]);
        let coloured = report.coloured().to_string();
        assert!(coloured.starts_with("\x1b[1mf.ron:1:1\x1b[0m: a.b: \x1b[31mwrong\x1b[0m; \x1b[32mright\x1b[0m\n"));
        let plain =
            ["\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[0m"].iter().fold(coloured, |text, mark| text.replace(mark, ""));
        assert_eq!(plain, report.to_string());
        assert!(!plain.contains('\x1b'));
    }

    #[test]
    fn a_hundred_errors_are_listed_and_the_rest_counted() {
        let many = report("x", &[(0, 1); 1500]);
        assert_eq!((many.len(), many.diagnostics().len()), (1500, 1000));
        let shown = many.to_string();
        assert_eq!(shown.matches("f.ron:1:1").count(), 100);
        assert!(shown.ends_with("\nand 1400 more"));
    }
}
