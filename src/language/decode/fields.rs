//! The helpers by which declared records and choices are decoded.

use super::{Context, Cursor, Decode, Wanted, suggest};
use crate::text::{Body, Field, Group, Value};

/// A field that a record once had: its name, the field that took its place, and what to write now.
pub(super) type Gone = (&'static str, &'static str, &'static str);

/// Whether a field has to be there.
enum Need {
    HasDefault,
    MayBeNone,
    Required,
}

impl Need {
    /// The need of a field without a default, of which `absent` is the value when it is left out.
    fn of<T>(absent: Option<&T>) -> Self {
        if absent.is_some() { Self::MayBeNone } else { Self::Required }
    }
}

/// Where a field was looked for.
enum FieldPlace<'t> {
    Here(Cursor<'t>),
    /// A word that means nothing, which was told.
    Nothing,
    LeftOut,
}

/// The fields of one record, while they are decoded.
#[derive(Debug)]
pub struct Fields<'t> {
    at: Cursor<'t>,
    fields: &'t [Field],
    /// Declared names that a misspelt field was likely meant to be.
    misspelt: Vec<&'static str>,
    /// Errors that were there before this record.
    errors_before: usize,
}

impl<'t> Fields<'t> {
    /// The fields of the record `T`, called `name`, at `at`; only those in `known` may be there. For those in `gone`
    /// the error says what took their place.
    pub fn of_record<T: Decode>(
        at: &Cursor<'t>,
        name: &str,
        known: &[&'static str],
        gone: &[Gone],
        context: &mut Context<'_>,
    ) -> Option<Self> {
        Self::of(T::wanted, at, name, (known, gone), context)
    }

    fn of(
        wanted: Wanted,
        at: &Cursor<'t>,
        name: &str,
        names: (&[&'static str], &[Gone]),
        context: &mut Context<'_>,
    ) -> Option<Self> {
        let errors_before = context.len();
        let is_bare_word = at.name().is_some() && at.group().is_some_and(Group::is_bare);
        let Some(fields) = fields_in(at).filter(|_| !is_bare_word) else {
            context.not_what_is(wanted, at);
            return None;
        };
        if let Some(given) = at.name().filter(|&given| given != name) {
            context.add(at, format!("found `{given}`"), format!("write `{name}(...)` or just `(...)`"));
        }
        Some(Self::known(at, fields, names, errors_before, context))
    }

    fn known(
        at: &Cursor<'t>,
        fields: &'t [Field],
        (known, gone): (&[&'static str], &[Gone]),
        errors_before: usize,
        context: &mut Context<'_>,
    ) -> Self {
        let mut misspelt = Vec::new();
        for field in fields.iter().filter(|field| !known.contains(&field.name.text.as_str())) {
            let (meant, right) = match gone.iter().find(|(old, ..)| *old == field.name.text) {
                Some(&(_, now, right)) => (Some(now), right.to_string()),
                None => match (suggest(&field.name.text, known, "the fields are"), context.elsewhere(&field.name.text))
                {
                    ((None, fields), Some(advice)) => (None, format!("{advice} {fields}")),
                    (suggested, _) => suggested,
                },
            };
            let place = at.entry(field);
            context.errors.add(field.name.span, place.path(), "there is no such field", right);
            context.pass_over(&place);
            misspelt.extend(meant);
        }
        Self { at: at.clone(), fields, misspelt, errors_before }
    }

    /// The field called `name`, which has to be there unless its type says otherwise.
    pub fn required<T: Decode>(&self, name: &'static str, context: &mut Context<'_>) -> Option<T> {
        match self.find(name, || Need::of(T::absent().as_ref()), T::wanted, context) {
            FieldPlace::Here(at) => T::decode(&at, context),
            FieldPlace::Nothing => None,
            FieldPlace::LeftOut => {
                let value = T::absent();
                if value.is_none() {
                    self.miss(name, T::wanted, context);
                }
                value
            }
        }
    }

    /// Reports that the field called `name` is not there.
    fn miss(&self, name: &'static str, wanted: Wanted, context: &mut Context<'_>) {
        // A part that could not be read may have held the field.
        if !self.misspelt.contains(&name) {
            context.add(&self.at, format!("the field `{name}` is missing"), format!("give {}", wanted()));
        }
    }

    /// The field called `name`, or its default.
    pub fn optional<T: Decode>(
        &self,
        name: &'static str,
        default: impl FnOnce() -> T,
        context: &mut Context<'_>,
    ) -> Option<T> {
        match self.find(name, || Need::HasDefault, T::wanted, context) {
            FieldPlace::Here(at) => T::decode(&at, context),
            FieldPlace::Nothing => None,
            FieldPlace::LeftOut => Some(default()),
        }
    }

    /// The place of the field called `name`. If a word of another language for nothing stands there, the error says
    /// what would be right.
    fn find(
        &self,
        name: &'static str,
        need: fn() -> Need,
        wanted: Wanted,
        context: &mut Context<'_>,
    ) -> FieldPlace<'t> {
        if !self.fields.iter().any(|field| field.name.text == name) {
            return FieldPlace::LeftOut;
        }
        let at = self.at.field(name);
        // In an override a word may be text.
        let is_nothing = |word: &str| word == "null" || !context.sources.of(at.span()).is_override();
        match at.foreign_nothing().filter(|word| is_nothing(word)) {
            Some(word) => {
                let right = match need() {
                    Need::HasDefault => format!("leave the field out, or give {}", wanted()),
                    Need::MayBeNone => "write `None`, or leave the field out".to_string(),
                    Need::Required => format!("give {}", wanted()),
                };
                context.add(&at, format!("`{word}` means nothing here"), right);
                FieldPlace::Nothing
            }
            None => FieldPlace::Here(at),
        }
    }

    /// True if nothing was wrong with the record so far, so that a check of it as a whole makes sense.
    pub fn are_sound(&self, context: &Context<'_>) -> bool {
        context.len() == self.errors_before
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

/// The variant that was chosen, while it is decoded.
#[derive(Debug)]
pub struct Variant<'t> {
    at: Cursor<'t>,
    /// Which variant it is.
    pub name: &'t str,
}

impl<'t> Variant<'t> {
    /// The variant named at `at`, one of `known`; `T` is the choice it belongs to.
    pub fn open<T: Decode>(at: &Cursor<'t>, known: &[&'static str], context: &mut Context<'_>) -> Option<Self> {
        Self::of(T::wanted, at, known, context)
    }

    fn of(wanted: Wanted, at: &Cursor<'t>, known: &[&'static str], context: &mut Context<'_>) -> Option<Self> {
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
        if !known.contains(&name) {
            let (_, right) = suggest(name, known, "the choices are");
            let span = at.group().and_then(|group| group.name.as_ref()).map_or(at.span(), |word| word.span);
            context.errors.add(span, at.path(), format!("there is no choice `{name}`"), right);
            context.pass_over(at);
            return None;
        }
        Some(Self { at: at.clone(), name })
    }

    /// The same where some variants have former names, each with the present one.
    pub fn open_as<T: Decode>(
        at: &Cursor<'t>,
        known: &[&'static str],
        former: &[(&str, &'static str)],
        context: &mut Context<'_>,
    ) -> Option<Self> {
        match former.iter().find(|&&(old, _)| at.name() == Some(old)) {
            Some(&(_, name)) => Some(Self { at: at.clone(), name }),
            None => Self::open::<T>(at, known, context),
        }
    }

    /// The variant as one that holds nothing.
    pub fn unit<T>(&self, value: T, context: &mut Context<'_>) -> Option<T> {
        self.is_bare(context).then_some(value)
    }

    /// True if the variant has no brackets; it is an error if it has.
    fn is_bare(&self, context: &mut Context<'_>) -> bool {
        let is_bare = self.at.group().is_some_and(Group::is_bare);
        if !is_bare {
            let wrong = format!("`{}` takes nothing in brackets", self.name);
            context.add(&self.at, wrong, format!("write `{}`", self.name));
            context.pass_over(&self.at);
        }
        is_bare
    }

    /// The variant as one with fields, of which only those in `known` may be there.
    pub fn fields(&self, known: &[&'static str], context: &mut Context<'_>) -> Option<Fields<'t>> {
        let errors_before = context.len();
        let Some(fields) = fields_in(&self.at) else {
            let right = format!("write `{}`", pattern(self.name, known));
            context.add(&self.at, format!("`{}` takes named fields", self.name), right);
            context.pass_over(&self.at);
            return None;
        };
        Some(Fields::known(&self.at, fields, (known, &[]), errors_before, context))
    }

    /// The value that the variant holds.
    pub fn inside(&self) -> Cursor<'t> {
        self.at.inside()
    }
}

/// The form of a record or variant with these fields: `Name(a: ..., b: ...)`.
pub(super) fn pattern(name: &str, fields: &[&str]) -> String {
    let fields: Vec<_> = fields.iter().map(|field| format!("{field}: ...")).collect();
    format!("{name}({})", fields.join(", "))
}
