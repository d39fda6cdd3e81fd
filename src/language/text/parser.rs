//! Tokens to a tree. What can't be read is reported, becomes poison, and reading goes on with the next field or
//! element.

use super::brackets::{Balanced, shape};
use super::lexer::{Bracket, Token, TokenKind};
use super::literal;
use super::tree::{Body, Field, Group, TextNode, Value, Word};
use crate::diagnose::Errors;
use crate::source::{Source, Span, shorten};
use crate::time_unit::is_length;
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

/// Reads the one value that `text` holds from byte `first` on; the texts inside what is passed over are added to
/// `lost`.
pub(super) fn parse(
    (source, index): (&Source, u32),
    first: usize,
    balanced: &Balanced,
    errors: &mut Errors,
    lost: &mut BTreeSet<String>,
) -> TextNode {
    let whole = Span { source: index, start: first as u32, end: source.text().len() as u32 };
    let mut parser = Parser { source, index, balanced, at: 0, is_unclosed: false, errors, lost };
    let Some(token) = parser.peek() else {
        return TextNode::poison(whole);
    };
    if !parser.starts_value() {
        parser.unexpected("a value");
        return TextNode::poison(whole);
    }
    let node = parser.value(token);
    // After a wrong bracket it is unknown where the end was meant to be.
    if parser.peek().is_some() && balanced.is_sound {
        parser.unexpected("the end of the text");
    }
    parser.skip(balanced.tokens.len(), |_| false);
    node
}

struct Parser<'a> {
    source: &'a Source,
    /// Which of the sources it is.
    index: u32,
    balanced: &'a Balanced,
    /// The index of the next token.
    at: usize,
    /// The brackets around were never closed, if true, so that what follows them may stand inside.
    is_unclosed: bool,
    errors: &'a mut Errors,
    lost: &'a mut BTreeSet<String>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<Token> {
        self.balanced.tokens.get(self.at).copied()
    }

    fn kind(&self, ahead: usize) -> Option<TokenKind> {
        self.balanced.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    fn slice(&self, token: Token) -> &'a str {
        self.source.slice(token.start, token.end)
    }

    fn span(&self, start: u32, end: u32) -> Span {
        Span { source: self.index, start, end }
    }

    /// Reports the next token as none that could stand here, unless it has been reported already.
    fn unexpected(&mut self, wanted: &str) {
        if let Some(token) = self.peek().filter(|token| token.kind != TokenKind::Bad) {
            let found = shorten(self.slice(token), 40);
            let span = self.span(token.start, token.end);
            let before = self.at.checked_sub(1).map(|at| self.balanced.tokens[at]);
            if let Some(number) = before.filter(|before| before.kind == TokenKind::Number) {
                let length = self.source.slice(number.start, token.end);
                if is_length(length) {
                    let right = format!("put a length of time in quotes: `\"{}\"`", shorten(length, 40));
                    return self.errors.add(span, "", format!("`{found}` is unexpected here"), right);
                }
            }
            self.errors.add(span, "", format!("`{found}` is unexpected here"), format!("there should be {wanted}"));
        }
    }

    fn starts_value(&self) -> bool {
        !matches!(self.kind(0), None | Some(TokenKind::Comma | TokenKind::Colon | TokenKind::Close(_)))
    }

    fn starts_field(&self) -> bool {
        matches!((self.kind(0), self.kind(1)), (Some(TokenKind::Word | TokenKind::Text), Some(TokenKind::Colon)))
    }

    /// Passes over tokens before index `end`, whole brackets at a time, until one where reading can go on.
    fn skip(&mut self, end: usize, can_go_on: impl Fn(&Self) -> bool) {
        while self.at < end && !can_go_on(self) {
            let last = (self.balanced.partner[self.at] as usize).max(self.at);
            while self.at <= last {
                if let Some(token) = self.peek().filter(|token| token.kind == TokenKind::Text) {
                    self.lost.extend(literal::text(self.slice(token)).ok());
                }
                self.at += 1;
            }
        }
    }

    /// The value that begins with `token`, the next one; [`Self::starts_value`] holds.
    fn value(&mut self, token: Token) -> TextNode {
        if let TokenKind::Open(bracket) = token.kind {
            return self.brackets(token, bracket);
        }
        let slice = self.slice(token);
        let span = self.span(token.start, token.end);
        self.at += 1;
        let value = match token.kind {
            TokenKind::Number => literal::number(slice).unwrap_or(Value::Poison),
            TokenKind::Text => literal::text(slice).map(Value::Text).unwrap_or_else(|bad| self.bad_escape(token, bad)),
            TokenKind::Character => {
                literal::character(slice).map(Value::Character).unwrap_or_else(|bad| self.bad_escape(token, bad))
            }
            TokenKind::Word => return self.word(token),
            _ => Value::Poison,
        };
        TextNode::new(value, span)
    }

    fn bad_escape(&mut self, token: Token, (start, end, why): literal::BadEscape) -> Value {
        let span = self.span(token.start + start as u32, token.start + end as u32);
        let found = shorten(self.source.slice(span.start, span.end), 20);
        self.errors.add(span, "", format!("`{found}` can't be read"), why);
        Value::Poison
    }

    /// A word on its own or with a body in round brackets; its token is behind us.
    fn word(&mut self, token: Token) -> TextNode {
        let slice = self.slice(token);
        let span = self.span(token.start, token.end);
        let constant = match slice {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => slice.starts_with(['i', 'N']).then(|| literal::number(slice)).flatten(),
        };
        if let Some(value) = constant {
            return TextNode::new(value, span);
        }
        let name = Some(self.name(token));
        match self.peek() {
            Some(open) if open.kind == TokenKind::Open(Bracket::Round) => self.group(name, token.start),
            Some(open) if open.kind == TokenKind::Open(Bracket::Curly) => {
                let (place, right) = (self.span(open.start, open.end), format!("write `{slice}(...)`"));
                self.errors.add(place, "", format!("`{slice}` can't be followed by a curly bracket"), right);
                let end = self.at + 1;
                self.skip(end, |_| false);
                TextNode::poison(self.span(token.start, self.balanced.tokens[self.at - 1].end))
            }
            _ => TextNode::new(Value::Group(Box::new(Group { name, body: Body::Bare })), span),
        }
    }

    fn name(&self, token: Token) -> Word {
        let slice = self.slice(token);
        Word { text: slice.strip_prefix("r#").unwrap_or(slice).to_owned(), span: self.span(token.start, token.end) }
    }

    fn brackets(&mut self, open: Token, bracket: Bracket) -> TextNode {
        match bracket {
            Bracket::Round => self.group(None, open.start),
            Bracket::Square => self.enclosed(open.start, bracket, |parser, close| {
                let (items, is_complete) = parser.items(close, bracket);
                (Value::List(items), is_complete)
            }),
            Bracket::Curly => self.enclosed(open.start, bracket, |parser, close| {
                let (entries, is_complete) = parser.entries(close, bracket, Self::starts_value, Self::map_entry);
                (Value::Map(entries), is_complete)
            }),
        }
    }

    /// Round brackets and what is in them; the name before them is behind us.
    fn group(&mut self, name: Option<Word>, start: u32) -> TextNode {
        self.enclosed(start, Bracket::Round, |parser, close| {
            let (body, is_complete) = if parser.has_colon_before(close) {
                let (fields, is_complete) = parser.fields(close);
                (Body::Fields(fields), is_complete)
            } else {
                let (items, is_complete) = parser.items(close, Bracket::Round);
                (Body::Items(items), is_complete)
            };
            (Value::Group(Box::new(Group { name, body })), is_complete)
        })
    }

    /// The node of a pair of brackets, of which the opening one is next, with what `read` makes of the inside.
    fn enclosed(
        &mut self,
        start: u32,
        bracket: Bracket,
        read: impl FnOnce(&mut Self, usize) -> (Value, bool),
    ) -> TextNode {
        debug_assert_eq!(self.kind(0), Some(TokenKind::Open(bracket)));
        let (open, close) = (self.at, self.balanced.partner[self.at] as usize);
        self.at += 1;
        let is_unclosed = self.balanced.unclosed.binary_search(&open).is_ok();
        let around = std::mem::replace(&mut self.is_unclosed, is_unclosed);
        let (value, is_complete) = read(self, close);
        self.is_unclosed = around;
        self.at = close + 1;
        let span = self.span(start, self.balanced.tokens[close].end);
        TextNode { is_complete: is_complete && !is_unclosed, ..TextNode::new(value, span) }
    }

    /// True if a colon stands between here and token `close`, not counting brackets further inside.
    fn has_colon_before(&self, close: usize) -> bool {
        let mut at = self.at;
        while at < close {
            if self.balanced.tokens[at].kind == TokenKind::Colon {
                return true;
            }
            at = (self.balanced.partner[at] as usize).max(at) + 1;
        }
        false
    }

    /// The entries between here and token `close`, separated by commas, and true if all of them could be read.
    fn entries<T>(
        &mut self,
        close: usize,
        bracket: Bracket,
        starts_entry: impl Fn(&Self) -> bool,
        mut entry: impl FnMut(&mut Self, usize) -> Option<T>,
    ) -> (Vec<T>, bool) {
        let mut entries = Vec::new();
        let mut is_complete = true;
        while self.at < close {
            let before = self.at;
            if self.kind(0) != Some(TokenKind::Comma) {
                let read = entry(self, close);
                is_complete &= read.is_some();
                entries.extend(read);
            } else {
                self.unexpected("a value");
            }
            match self.kind(0) {
                _ if self.at >= close => (),
                Some(TokenKind::Comma) => self.at += 1,
                Some(kind) if self.at > before && kind != TokenKind::Bad && starts_entry(self) => {
                    let Token { kind, end, .. } = self.balanced.tokens[self.at - 1];
                    // A missing value has been told of, and a text without an end may have taken the comma.
                    if matches!(kind, TokenKind::Colon | TokenKind::Bad) {
                        continue;
                    }
                    self.errors.add(self.span(end, end), "", "a comma is missing here", "write `,` between values");
                }
                _ => {
                    if !self.is_unclosed {
                        self.unexpected(&format!("`,` or `{}`", shape(bracket).1));
                    }
                    is_complete = false;
                    self.at += usize::from(self.at == before);
                    self.skip(close, |parser| parser.kind(0) == Some(TokenKind::Comma) || parser.starts_field());
                    self.at += usize::from(self.kind(0) == Some(TokenKind::Comma) && self.at < close);
                }
            }
        }
        (entries, is_complete)
    }

    fn items(&mut self, close: usize, bracket: Bracket) -> (Vec<TextNode>, bool) {
        self.entries(close, bracket, Self::starts_value, |parser, _| {
            let token = parser.peek().filter(|_| parser.starts_value())?;
            Some(parser.value(token))
        })
    }

    fn map_entry(&mut self, close: usize) -> Option<(TextNode, TextNode)> {
        let token = self.peek().filter(|_| self.starts_value())?;
        let key = self.value(token);
        if self.at >= close || self.kind(0) != Some(TokenKind::Colon) {
            self.errors.add(key.span, "", "a colon is missing after this", "write `key: value`");
            return None;
        }
        self.at += 1;
        let value = self.value_or_poison(close);
        Some((key, value))
    }

    /// The fields up to token `close`; of two with one name the first is kept.
    fn fields(&mut self, close: usize) -> (Vec<Field>, bool) {
        let (mut fields, is_complete) = self.entries(close, Bracket::Round, Self::starts_field, Self::field);
        let mut seen = BTreeMap::new();
        fields.retain(|Field { name, value }| match seen.entry(name.text.clone()) {
            Entry::Vacant(entry) => {
                entry.insert(name.span);
                true
            }
            Entry::Occupied(first) => {
                let line = self.source.line(first.get().start);
                let wrong = format!("the field `{}` is given twice, first on line {line}", shorten(&name.text, 40));
                self.errors.add(name.span, "", wrong, "remove one of them");
                value.collect_texts(self.lost);
                false
            }
        });
        (fields, is_complete)
    }

    fn field(&mut self, close: usize) -> Option<Field> {
        let token = self.peek()?;
        let name = match token.kind {
            TokenKind::Word => self.name(token),
            TokenKind::Text if self.starts_field() => {
                let span = self.span(token.start, token.end);
                let text = literal::text(self.slice(token)).ok()?;
                self.errors.add(
                    span,
                    "",
                    "the name of a field is in quotes",
                    format!("write `{}:`", shorten(&text, 40)),
                );
                Word { text, span }
            }
            _ if self.starts_value() => {
                let span = self.span(token.start, token.end);
                if token.kind != TokenKind::Bad {
                    let right = match self.is_after_decimal_comma(token) {
                        true => "write 0.4, not 0,4, and 1000 or 1_000, not 1,000",
                        false => "write `name: value`",
                    };
                    self.errors.add(span, "", "a value has no field name", right);
                }
                self.skip(close, |parser| parser.kind(0) == Some(TokenKind::Comma) || parser.starts_field());
                return None;
            }
            _ => return None,
        };
        self.at += 1;
        if self.kind(0) == Some(TokenKind::Colon) {
            self.at += 1;
        } else {
            let wrong = format!("a colon is missing after `{}`", shorten(&name.text, 40));
            self.errors.add(self.span(token.end, token.end), "", wrong, "write `name: value`");
            if self.at >= close || !self.starts_value() {
                return Some(Field { value: TextNode::poison(name.span), name });
            }
        }
        let value = self.value_or_poison(close);
        Some(Field { name, value })
    }

    /// True for the digits behind the comma of `0,4` or `1,000`.
    fn is_after_decimal_comma(&self, token: Token) -> bool {
        let Some([number, comma]) = self.at.checked_sub(2).and_then(|from| self.balanced.tokens.get(from..self.at))
        else {
            return false;
        };
        let kinds = [number.kind, comma.kind, token.kind];
        kinds == [TokenKind::Number, TokenKind::Comma, TokenKind::Number]
            && number.end == comma.start
            && comma.end == token.start
    }

    /// The value after a colon; without one, poison.
    fn value_or_poison(&mut self, close: usize) -> TextNode {
        match self.peek().filter(|_| self.at < close && self.starts_value()) {
            Some(token) if !self.starts_field() => self.value(token),
            _ => {
                let end = self.balanced.tokens[self.at - 1].end;
                self.errors.add(self.span(end, end), "", "a value is missing here", "write `name: value`");
                TextNode::poison(self.span(end, end))
            }
        }
    }
}
