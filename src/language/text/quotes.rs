//! A text that was to end on its line, and ends at the opening quote of another one instead.
//!
//! All that comes after it is then read inside out: texts as names, and what is between them as texts. The errors of
//! that are many, and none of them is at the quote that is missing. Whether one is missing is tried out: if the text is
//! whole once it is closed on its first line, the rest were consequences.

use super::lexer::{Token, TokenKind, is_blank};
use super::parsed;
use crate::diagnose::Errors;
use crate::source::{Source, Span};
use std::collections::BTreeSet;

/// So many texts of several lines are tried, in texts of at most so many bytes: each is read again three times.
const TRIED: usize = 8;
const LONGEST: usize = 1 << 20;

/// The first line of the text that was to end there, if that explains errors of which `found` were counted.
pub(super) fn unclosed((source, index): (&Source, u32), first: usize, tokens: &[Token], found: usize) -> Option<Span> {
    let text = source.text();
    if found == 0 || text.len() > LONGEST {
        return None;
    }
    let lacks_end = has_no_end(text, tokens);
    let of_lines = tokens.iter().filter(|token| {
        let own = &text[token.start as usize..token.end as usize];
        token.kind == TokenKind::Text && own.starts_with('"') && own.contains('\n')
    });
    let mut best: Option<(usize, Span)> = None;
    for token in of_lines.take(TRIED) {
        let start = token.start as usize;
        let line = text[start..].lines().next().unwrap_or_default();
        let runs_on = text[token.end as usize..].starts_with(|next: char| !is_blank(next) && !",:)]}/".contains(next));
        for length in ends(line) {
            let (head, tail) = text.split_at(start + length);
            let tried = Source::new(source.name(), format!("{head}\"{tail}"));
            let mut errors = Errors::default();
            let tokens = parsed((&tried, index), first, &mut errors, &mut BTreeSet::new()).tokens;
            // With other errors besides, it is a missing quote if the text ends right before a word, as it does at the
            // opening quote of the next one, and if the quotes come out even once it is there.
            let is_even = lacks_end && !has_no_end(tried.text(), &tokens);
            let is_better = errors.is_empty() || runs_on && is_even && errors.len() < found;
            if is_better && best.is_none_or(|(least, _)| errors.len() < least) {
                let end = token.start + line.trim_end().len() as u32;
                best = Some((errors.len(), Span { source: index, start: token.start, end }));
            }
        }
    }
    best.map(|(_, span)| span)
}

/// True if some text has no end at all.
fn has_no_end(text: &str, tokens: &[Token]) -> bool {
    tokens.iter().any(|token| token.kind == TokenKind::Bad && text[token.start as usize..].starts_with('"'))
}

/// The places in a line, which begins with a quote, at which its text may have been meant to end: before what closes or
/// goes on at its end, before the first comma, and at its end.
fn ends(line: &str) -> [usize; 3] {
    let last = line.trim_end_matches([',', ')', ']', '}', ' ', '\t', '\r']).len().max(1);
    [last, line.find(',').unwrap_or(last), line.trim_end().len()]
}
