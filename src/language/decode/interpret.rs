//! The interpreter of tables: it reads the values of fields and variants, and reports what does not fit.

use super::table::{AnyValue, Content, FieldRow, Gone, Rows, Table, Values, VariantRow};
use super::{Context, Cursor, Wanted, moved, suggest};
use crate::text::{Body, Field, Group, Value};

impl Table {
    /// The value to write, in words that can follow "give".
    pub(super) fn wanted(&self) -> String {
        match &self.rows {
            Rows::Nothing => format!("`{}`", self.name),
            Rows::Value(of) => (of.wanted)(),
            Rows::Record { fields, .. } => format!("`{}`", pattern("", fields)),
            Rows::Choice { variants, number, .. } => {
                let names: Vec<_> = variants.iter().map(|variant| format!("`{}`", variant.name)).collect();
                format!("one of {}{}", names.join(", "), if number.is_some() { ", or a number" } else { "" })
            }
        }
    }

    pub(super) fn takes_nothing(&self) -> bool {
        match self.rows {
            Rows::Nothing => true,
            Rows::Record { fields, .. } => fields.is_empty(),
            Rows::Value(_) | Rows::Choice { .. } => false,
        }
    }

    pub(super) fn starter(&self) -> Option<&'static str> {
        match self.rows {
            Rows::Record { starter, .. } => starter,
            _ => None,
        }
    }

    /// The variant at `at`, with its values in the order of its fields; of a record, the values alone.
    pub(super) fn read(
        &self,
        wanted: Wanted,
        at: &Cursor<'_>,
        context: &mut Context<'_>,
    ) -> Option<(&'static str, Values)> {
        match &self.rows {
            Rows::Nothing => self.record(wanted, (&[], &[]), at, context),
            Rows::Value(of) => Some((self.name, Values::new(vec![(of.decode)(at, context)]))),
            Rows::Record { fields, gone, moved, .. } => {
                let written = fields_in(at).unwrap_or_default();
                let is_written = |old: &str| written.iter().any(|field| field.name.text == old);
                if let Some((old, template)) = moved.iter().find(|(old, _)| is_written(old)) {
                    moved::report(at, format!("`{old}` is of a form that is no longer read"), template, context);
                    return None;
                }
                self.record(wanted, (fields, gone), at, context)
            }
            Rows::Choice { variants, number, former, moved } => {
                if let Some((old, template)) = moved.iter().find(|(old, _)| at.name() == Some(old)) {
                    let now = template.split('(').next().unwrap_or_default();
                    moved::report(at, format!("`{old}` is now a form of `{now}`"), template, context);
                    return None;
                }
                let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
                let named = |name: &str| variants.iter().find(|variant| variant.name == name);
                if let Some(VariantRow { name, content: Content::Value { of, .. } }) = number.and_then(named)
                    && context.has_number(at)
                {
                    return Some((name, Values::new(vec![(of.decode)(at, context)])));
                }
                let now = former.iter().find(|&&(old, _)| at.name() == Some(old)).map(|&(_, now)| now);
                let chosen = now.or_else(|| chosen(wanted, at, &names, context))?;
                Some((chosen, named(chosen)?.read(at, context)?))
            }
        }
    }

    fn record(
        &self,
        wanted: Wanted,
        (rows, gone): (&[FieldRow], &[Gone]),
        at: &Cursor<'_>,
        context: &mut Context<'_>,
    ) -> Option<(&'static str, Values)> {
        let is_bare_word = at.name().is_some() && at.group().is_some_and(Group::is_bare);
        let Some(fields) = fields_in(at).filter(|_| !is_bare_word) else {
            context.not_what_is(wanted, at);
            return None;
        };
        if let Some(given) = at.name().filter(|&given| given != self.name) {
            let right = format!("write `{}(...)` or just `(...)`", self.name);
            context.add(at, format!("found `{given}`"), right);
        }
        Some((self.name, Fields::new(at, fields, (rows, gone), context).values(rows, context)))
    }
}

impl VariantRow {
    fn read(&self, at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Values> {
        match &self.content {
            Content::Nothing { .. } => self.is_bare(at, context).then(|| Values::new(Vec::new())),
            Content::Value { of, .. } | Content::Parameters(of, _) => {
                Some(Values::new(vec![(of.decode)(&at.inside(), context)]))
            }
            Content::Fields { fields: rows, .. } => {
                let Some(fields) = fields_in(at) else {
                    let right = format!("write `{}`", pattern(self.name, rows));
                    context.add(at, format!("`{}` takes named fields", self.name), right);
                    context.pass_over(at);
                    return None;
                };
                Some(Fields::new(at, fields, (rows, &[]), context).values(rows, context))
            }
        }
    }

    /// True if the variant has no brackets; it is an error if it has.
    fn is_bare(&self, at: &Cursor<'_>, context: &mut Context<'_>) -> bool {
        let is_bare = at.group().is_some_and(Group::is_bare);
        if !is_bare {
            let wrong = format!("`{}` takes nothing in brackets", self.name);
            context.add(at, wrong, format!("write `{}`", self.name));
            context.pass_over(at);
        }
        is_bare
    }
}

/// The name of the variant at `at`, one of `known`.
fn chosen(wanted: Wanted, at: &Cursor<'_>, known: &[&'static str], context: &mut Context<'_>) -> Option<&'static str> {
    let Some(name) = at.name() else {
        match &at.node().value {
            Value::Text(text) if known.contains(&text.as_str()) => {
                let right = format!("write `{text}` without quotes");
                context.add(at, "found text", right);
            }
            _ => context.not_what_is(wanted, at),
        }
        return None;
    };
    let chosen = known.iter().find(|&&known| known == name).copied();
    if chosen.is_none() {
        let (_, right) = suggest(name, known, "the choices are");
        let span = at.group().and_then(|group| group.name.as_ref()).map_or(at.span(), |word| word.span);
        context.errors.add(span, at.path(), format!("there is no choice `{name}`"), right);
        context.pass_over(at);
    }
    chosen
}

/// Where a field was looked for.
enum FieldPlace<'t> {
    Here(Cursor<'t>),
    /// A word that means nothing, which was told.
    Nothing,
    LeftOut,
}

/// The fields of one record, while they are decoded.
struct Fields<'t> {
    at: Cursor<'t>,
    fields: &'t [Field],
    /// Declared names that a misspelt field was likely meant to be.
    misspelt: Vec<&'static str>,
}

impl<'t> Fields<'t> {
    /// The fields at `at`; only those of `rows` may be there. For those in `gone` the error says what took their place.
    fn new(
        at: &Cursor<'t>,
        fields: &'t [Field],
        (rows, gone): (&[FieldRow], &[Gone]),
        context: &mut Context<'_>,
    ) -> Self {
        let known: Vec<&'static str> = rows.iter().map(|row| row.name).collect();
        let mut misspelt = Vec::new();
        for field in fields.iter().filter(|field| !known.contains(&field.name.text.as_str())) {
            let (meant, right) = match gone.iter().find(|(old, ..)| *old == field.name.text) {
                Some(&(_, now, right)) => (Some(now), right.to_string()),
                None => {
                    match (suggest(&field.name.text, &known, "the fields are"), context.elsewhere(&field.name.text)) {
                        ((None, fields), Some(advice)) => (None, format!("{advice} {fields}")),
                        (suggested, _) => suggested,
                    }
                }
            };
            let place = at.entry(field);
            context.errors.add(field.name.span, place.path(), "there is no such field", right);
            context.pass_over(&place);
            misspelt.extend(meant);
        }
        Self { at: at.clone(), fields, misspelt }
    }

    fn values(&self, rows: &[FieldRow], context: &mut Context<'_>) -> Values {
        Values::new(rows.iter().map(|row| self.value(row, context)).collect())
    }

    /// The value of a field, or its default.
    fn value(&self, row: &FieldRow, context: &mut Context<'_>) -> Option<AnyValue> {
        match self.find(row, context) {
            FieldPlace::Here(at) => (row.of.decode)(&at, context),
            FieldPlace::Nothing => None,
            FieldPlace::LeftOut => {
                let value = row.default.map_or_else(row.of.absent, |default| Some(default()));
                // A misspelt field has been reported already.
                if value.is_none() && !self.misspelt.contains(&row.name) {
                    let right = format!("give {}", (row.of.wanted)());
                    context.add(&self.at, format!("the field `{}` is missing", row.name), right);
                }
                value
            }
        }
    }

    /// The place of a field. If a word of another language for nothing stands there, the error says what would be right.
    fn find(&self, row: &FieldRow, context: &mut Context<'_>) -> FieldPlace<'t> {
        if !self.fields.iter().any(|field| field.name.text == row.name) {
            return FieldPlace::LeftOut;
        }
        let at = self.at.field(row.name);
        // In an override a word may be text.
        let is_nothing = |word: &str| word == "null" || !context.sources.of(at.span()).is_override();
        match at.foreign_nothing().filter(|word| is_nothing(word)) {
            Some(word) => {
                let right = match row.default {
                    Some(_) => format!("leave the field out, or give {}", (row.of.wanted)()),
                    None if (row.of.absent)().is_some() => "write `None`, or leave the field out".to_string(),
                    None => format!("give {}", (row.of.wanted)()),
                };
                context.add(&at, format!("`{word}` means nothing here"), right);
                FieldPlace::Nothing
            }
            None => FieldPlace::Here(at),
        }
    }
}

/// The fields in the brackets at `at`; a record all of whose fields have defaults may be left empty.
fn fields_in<'t>(at: &Cursor<'t>) -> Option<&'t [Field]> {
    match &at.group()?.body {
        Body::Fields(fields) => Some(fields),
        Body::Items(items) if items.is_empty() => Some(&[]),
        Body::Bare => Some(&[]),
        Body::Items(_) => None,
    }
}

/// The form of a record or variant with these fields: `Name(a: ..., b: ...)`.
fn pattern(name: &str, fields: &[FieldRow]) -> String {
    let fields: Vec<_> = fields.iter().map(|field| format!("{}: ...", field.name)).collect();
    format!("{name}({})", fields.join(", "))
}
