//! Brackets are matched before anything else is read, so that one wrong bracket is one error.

use super::lexer::{Bracket, Token, TokenKind};
use crate::diagnose::Errors;
use crate::source::Span;

/// The depth to which brackets may nest; no scenario comes near it, and reading can then be recursive.
const DEPTH_LIMIT: usize = 128;

/// Tokens whose brackets match and nest at most [`DEPTH_LIMIT`] deep.
#[derive(Debug, Default)]
pub(super) struct Balanced {
    /// The tokens, some of the closing brackets put in, changed or taken out.
    pub tokens: Vec<Token>,
    /// For each opening bracket the index of its closing one; 0 for other tokens.
    pub partner: Vec<u32>,
    /// The opening brackets, by ascending index, whose closing ones had to be put in.
    pub unclosed: Vec<usize>,
    /// All brackets matched by themselves, if true.
    pub is_sound: bool,
}

/// Matches brackets and reports those that can't be; nothing is left when they nest too deeply.
pub(super) fn balance(tokens: &[Token], source: u32, errors: &mut Errors) -> Balanced {
    let opening = tokens.iter().filter(|token| matches!(token.kind, TokenKind::Open(_))).count();
    let closing = tokens.iter().filter(|token| matches!(token.kind, TokenKind::Close(_))).count();
    let mut work =
        BracketWork { out: Balanced { is_sound: true, ..Balanced::default() }, open: Vec::new(), source, errors };
    for &token in tokens {
        match token.kind {
            TokenKind::Open(bracket) => {
                work.open.push((work.out.tokens.len(), bracket));
                work.out.push(token);
                if work.open.len() > DEPTH_LIMIT {
                    let limit = format!("at most {DEPTH_LIMIT} brackets may be inside each other");
                    work.errors.add(work.span(token), "", "brackets are nested too deeply here", limit);
                    return Balanced::default();
                }
            }
            TokenKind::Close(bracket) => match work.open.last() {
                Some(&(_, open)) if open == bracket => work.close(token),
                // As many closing brackets as opening ones: none is missing, this one is of the wrong kind.
                Some(&(index, open)) if opening == closing => {
                    let wrong = format!("`{}` is closed by `{}`", shape(open).0, shape(bracket).1);
                    work.report(index, wrong, format!("close it with `{}`", shape(open).1));
                    work.close(Token { kind: TokenKind::Close(open), ..token });
                }
                _ => match work.open.iter().rposition(|&(_, open)| open == bracket) {
                    Some(depth) => {
                        work.close_all_above(depth + 1, token.start);
                        work.close(token);
                    }
                    None => {
                        work.out.is_sound = false;
                        let wrong = format!("nothing is open that `{}` could close", shape(bracket).1);
                        work.errors.add(work.span(token), "", wrong, "remove it");
                    }
                },
            },
            _ => work.out.push(token),
        }
    }
    work.close_all_above(0, tokens.last().map_or(0, |token| token.end));
    work.out.unclosed.sort_unstable();
    work.out
}

impl Balanced {
    fn push(&mut self, token: Token) {
        self.tokens.push(token);
        self.partner.push(0);
    }
}

struct BracketWork<'a> {
    out: Balanced,
    /// The opening brackets that still wait: their index and kind.
    open: Vec<(usize, Bracket)>,
    source: u32,
    errors: &'a mut Errors,
}

impl BracketWork<'_> {
    fn span(&self, token: Token) -> Span {
        Span { source: self.source, start: token.start, end: token.end }
    }

    fn report(&mut self, index: usize, wrong: String, right: String) {
        self.out.is_sound = false;
        self.errors.add(self.span(self.out.tokens[index]), "", wrong, right);
    }

    fn close(&mut self, token: Token) {
        if let Some((index, _)) = self.open.pop() {
            self.out.partner[index] = self.out.tokens.len() as u32;
            self.out.push(token);
        }
    }

    /// Closes every open bracket from `depth` up at byte `at`; they are one error, told of the innermost.
    fn close_all_above(&mut self, depth: usize, at: u32) {
        let count = self.open.len() - depth;
        if let Some(&(index, bracket)) = self.open[depth..].last() {
            let others = match count {
                1 => String::new(),
                2 => ", and neither is the one around it".into(),
                _ => format!(", and neither are {} around it", count - 1),
            };
            let wrong = format!("`{}` is never closed{others}", shape(bracket).0);
            self.report(index, wrong, format!("close it with `{}`", shape(bracket).1));
        }
        while let Some(&(index, bracket)) = self.open[depth..].last() {
            self.out.unclosed.push(index);
            self.close(Token { kind: TokenKind::Close(bracket), start: at, end: at });
        }
    }
}

/// The opening and the closing character of a bracket.
pub(super) fn shape(bracket: Bracket) -> (char, char) {
    match bracket {
        Bracket::Round => ('(', ')'),
        Bracket::Square => ('[', ']'),
        Bracket::Curly => ('{', '}'),
    }
}
