//! What records and choices tell about themselves: the one source of `describe`, of the reference and of the marks in
//! starters.

use super::table::{Content, FieldRow, Rows, Table, TypeRow, VariantRow};
use super::{Cursor, Form};
use crate::source::{Source, Sources};
use crate::{Context, Errors, text};
use std::any::Any;
use std::collections::BTreeSet;

/// A type that describes its own declaration, for reference pages and starter files.
pub trait Describe {
    /// Its documentation and its parts, in the order of declaration.
    fn describe() -> Description;
}

/// A declared record or choice.
#[derive(Debug, Clone)]
pub struct Description {
    /// The name of the type.
    pub name: &'static str,
    /// Its documentation.
    pub doc: String,
    /// Its fields or variants.
    pub parts: Parts,
    /// The variant that a bare number stands for, if one may be written in place of a variant.
    pub number: Option<&'static str>,
}

/// The fields or variants of a declared type.
#[derive(Debug, Clone)]
pub enum Parts {
    /// The fields of a record.
    Fields(Vec<FieldEntry>),
    /// The variants of a choice.
    Variants(Vec<VariantEntry>),
}

/// One field of a record or of a variant.
#[derive(Debug, Clone)]
pub struct FieldEntry {
    /// Its name.
    pub name: &'static str,
    /// Its documentation.
    pub doc: String,
    /// The value to write for it, in words.
    pub wanted: String,
    /// The form of that value.
    pub form: Form,
    /// The unit of a number: that of its type, unless the field declares one.
    pub unit: Option<&'static str>,
    /// Its default in RON; without one the field is required.
    pub default: Option<String>,
    /// The record or choice that is written for it, or that the elements of its list are, if it is declared.
    pub declared: Option<fn() -> Description>,
    of: TypeRow,
}

impl FieldRow {
    fn describe(&self) -> FieldEntry {
        let of = self.of;
        let default = self.default.map_or_else(of.absent, |default| Some(default()));
        FieldEntry {
            name: self.name,
            doc: doc_text(self.doc),
            wanted: (of.wanted)(),
            form: (of.form)(),
            unit: self.unit.or_else(of.unit),
            default: default.and_then(|value| of.written(&*value)),
            declared: (of.declared)(),
            of,
        }
    }
}

impl FieldEntry {
    /// A text read as a value of the field and written again in the way of `default`; nothing if it can't be read.
    /// References to names are taken as they are.
    pub fn rewrite(&self, text: &str) -> Option<String> {
        let (mut errors, mut lost) = (Errors::default(), BTreeSet::new());
        let sources = Sources::new(Source::new("a value", text), &[]);
        let tree = text::read(&sources.all()[0], 0, (0, ""), &mut errors, &mut lost);
        let mut context = Context::new(&sources, errors, lost);
        let value = (self.of.decode)(&Cursor::root(&tree), &mut context)?;
        context.is_empty().then(|| self.of.written(&*value)).flatten()
    }
}

impl TypeRow {
    /// A value as a user would write it: a bare number where one will do, and whole numbers without a point.
    fn written(&self, value: &dyn Any) -> Option<String> {
        let line = (self.line)(value)?;
        let number = (self.declared)().and_then(|declared| declared().number);
        let inside = number.and_then(|name| line.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')'));
        Some(without_points(inside.unwrap_or(&line)))
    }
}

impl Table {
    pub(super) fn describe(&self) -> Description {
        let (parts, number) = match &self.rows {
            Rows::Nothing | Rows::Value(_) => (Parts::Fields(Vec::new()), None),
            Rows::Record { fields, .. } => (Parts::Fields(fields.iter().map(FieldRow::describe).collect()), None),
            Rows::Choice { variants, number, .. } => {
                (Parts::Variants(variants.iter().map(VariantRow::describe).collect()), *number)
            }
        };
        Description { name: self.name, doc: doc_text(self.doc), parts, number }
    }
}

impl VariantRow {
    fn describe(&self) -> VariantEntry {
        let name = self.name;
        let without = |doc| VariantEntry {
            name,
            doc,
            holds: None,
            form: None,
            unit: None,
            declared: None,
            fields: Vec::new(),
            starter: None,
        };
        let holding = |of: &TypeRow, doc| VariantEntry {
            holds: Some((of.wanted)()),
            form: Some((of.form)()),
            unit: (of.unit)(),
            declared: (of.declared)(),
            ..without(doc)
        };
        match &self.content {
            Content::Nothing { doc } => without(doc_text(doc)),
            Content::Value { doc, unit, of } => {
                let entry = holding(of, doc_text(doc));
                VariantEntry { unit: unit.or(entry.unit), ..entry }
            }
            Content::Fields { doc, fields } => {
                VariantEntry { fields: fields.iter().map(FieldRow::describe).collect(), ..without(doc_text(doc)) }
            }
            Content::Parameters(of, describe) => {
                let Description { doc, parts, .. } = describe();
                let (declared, starter) = ((of.declared)(), (of.starter)());
                let entry = match parts {
                    Parts::Fields(fields) if !fields.is_empty() => VariantEntry { fields, ..without(doc) },
                    _ if (of.takes_nothing)() => without(doc),
                    _ => holding(of, doc),
                };
                VariantEntry { declared, starter, ..entry }
            }
        }
    }
}

/// One variant of a choice.
#[derive(Debug, Clone)]
pub struct VariantEntry {
    /// Its name.
    pub name: &'static str,
    /// Its documentation.
    pub doc: String,
    /// The value to write in its brackets, in words, if it is a value without a name.
    pub holds: Option<String>,
    /// The form of that value.
    pub form: Option<Form>,
    /// The unit of that value, if it is a number.
    pub unit: Option<&'static str>,
    /// The record or choice that it holds, if that is declared.
    pub declared: Option<fn() -> Description>,
    /// Its fields, if it has any.
    pub fields: Vec<FieldEntry>,
    /// A text to start from, if the record that it holds has one.
    pub starter: Option<&'static str>,
}

/// The text with `2.0` as `2`, but for what is in quotes.
fn without_points(text: &str) -> String {
    let mut plain = String::new();
    let mut in_quotes = false;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let after_digit = plain.ends_with(|last: char| last.is_ascii_digit());
        let is_point =
            rest.starts_with(".0") && !rest[2..].starts_with(|next: char| next.is_ascii_digit() || next == 'e');
        if !in_quotes && after_digit && is_point {
            rest = &rest[2..];
            continue;
        }
        in_quotes ^= letter == '"' && !plain.ends_with('\\');
        plain.push(letter);
        rest = &rest[letter.len_utf8()..];
    }
    plain
}

/// Documentation as it was written, line by line, without the blank that follows `///` and without examples of code.
fn doc_text(lines: &[&str]) -> String {
    let mut in_code = false;
    let mut kept = Vec::new();
    for line in lines.iter().map(|line| line.strip_prefix(' ').unwrap_or(line)) {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            kept.push(line);
        }
    }
    kept.join("\n").trim_end().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_lose_their_point_but_texts_stay() {
        for (text, plain) in [
            ("(a: 1.0, b: 20.0, c: 0.05)", "(a: 1, b: 20, c: 0.05)"),
            ("[1.0,-3.0]", "[1,-3]"),
            ("\"version 1.0\"", "\"version 1.0\""),
            ("1.0e9", "1.0e9"),
            ("v.0", "v.0"),
        ] {
            assert_eq!(without_points(text), plain);
        }
    }

    #[test]
    fn examples_of_code_are_no_part_of_the_reference() {
        assert_eq!(doc_text(&[" One.", "", " ```", " code();", " ```", " Two."]), "One.\n\nTwo.");
    }
}
