//! Records and choices as tables: what a declaration says, as values. One interpreter reads, checks and describes
//! all of them, so that little is compiled for each.

use super::{Context, Cursor, Decode, Describe, Description, Form, Reading};
use crate::write::to_line;
use serde::Serialize;
use std::any::Any;

/// A value of some type that the interpreter passes on.
pub type AnyValue = Box<dyn Any>;

/// A field that a record once had: its name, the field that took its place, and what to write now.
pub type Gone = (&'static str, &'static str, &'static str);

/// A form that was once written: the name or the field by which it is known, and a template of what to write now.
pub type Moved = (&'static str, &'static str);

/// What a declaration says of a record or a choice.
#[derive(Debug)]
pub struct Table {
    /// The name of the type.
    pub name: &'static str,
    /// The lines of its documentation.
    pub doc: &'static [&'static str],
    /// Its fields or variants.
    pub rows: Rows,
}

/// The fields or variants of a table.
#[derive(Debug)]
pub enum Rows {
    /// Nothing: the name is all that is written.
    Nothing,
    /// The one value that is written.
    Value(TypeRow),
    /// A record.
    Record {
        /// Its fields.
        fields: &'static [FieldRow],
        /// Fields that it once had.
        gone: &'static [Gone],
        /// Fields of a form that it once had.
        moved: &'static [Moved],
        /// A commented text to start from.
        starter: Option<&'static str>,
    },
    /// A choice.
    Choice {
        /// Its variants.
        variants: &'static [VariantRow],
        /// The variant that a bare number stands for.
        number: Option<&'static str>,
        /// Former names of variants, each with the present one.
        former: &'static [(&'static str, &'static str)],
        /// Variants that it once had.
        moved: &'static [Moved],
    },
}

/// One field of a record or of a variant.
#[derive(Debug)]
pub struct FieldRow {
    /// Its name.
    pub name: &'static str,
    /// The lines of its documentation.
    pub doc: &'static [&'static str],
    /// The unit of its numbers, if the field declares one.
    pub unit: Option<&'static str>,
    /// Its type.
    pub of: TypeRow,
    /// Its value when it is left out.
    pub default: Option<fn() -> AnyValue>,
}

/// One variant of a choice.
#[derive(Debug)]
pub struct VariantRow {
    /// Its name.
    pub name: &'static str,
    /// What is written in its brackets.
    pub content: Content,
}

/// What is written in the brackets of a variant.
#[derive(Debug)]
pub enum Content {
    /// Nothing, so that there are no brackets.
    Nothing {
        /// The lines of the variant's documentation.
        doc: &'static [&'static str],
    },
    /// A value without a name.
    Value {
        /// The lines of the variant's documentation.
        doc: &'static [&'static str],
        /// The unit of the value, if the variant declares one.
        unit: Option<&'static str>,
        /// Its type.
        of: TypeRow,
    },
    /// Fields.
    Fields {
        /// The lines of the variant's documentation.
        doc: &'static [&'static str],
        /// The fields.
        fields: &'static [FieldRow],
    },
    /// The parameters of an algorithm, whose documentation is the variant's.
    Parameters(TypeRow, fn() -> Description),
}

/// The description of a declared type.
type Describes = fn() -> Description;

/// What decoding needs to know of a type, as values.
#[derive(Debug, Clone, Copy)]
pub struct TypeRow {
    pub(super) wanted: fn() -> String,
    pub(super) form: fn() -> Form,
    pub(super) unit: fn() -> Option<&'static str>,
    pub(super) declared: fn() -> Option<Describes>,
    pub(super) takes_nothing: fn() -> bool,
    pub(super) starter: fn() -> Option<&'static str>,
    pub(super) decode: fn(&Cursor<'_>, &mut Context<'_>) -> Option<AnyValue>,
    pub(super) absent: fn() -> Option<AnyValue>,
    /// A value of the type as RON.
    pub(super) line: fn(&dyn Any) -> Option<String>,
}

impl TypeRow {
    /// A type that is written as itself.
    pub const fn of<T: Decode + Serialize + 'static>() -> Self {
        Self {
            decode: |at, context| T::decode(at, context).map(boxed),
            absent: || T::absent().map(boxed),
            line: |value| value.downcast_ref::<T>().map(to_line),
            ..Self::words_of::<T>()
        }
    }

    /// A type that is read as the narrower type `R`.
    pub const fn read_as<R: Decode + Reading<Field: Serialize + 'static>>() -> Self {
        Self {
            decode: |at, context| R::decode(at, context).map(|read| boxed(read.value())),
            absent: || R::absent().map(|read| boxed(read.value())),
            line: |value| value.downcast_ref::<R::Field>().map(to_line),
            ..Self::words_of::<R>()
        }
    }

    const fn words_of<T: Decode>() -> Self {
        Self {
            wanted: T::wanted,
            form: T::form,
            unit: T::unit,
            declared: T::declared,
            takes_nothing: T::takes_nothing,
            starter: T::starter,
            decode: |_, _| None,
            absent: || None,
            line: |_| None,
        }
    }
}

fn boxed<T: 'static>(value: T) -> AnyValue {
    Box::new(value)
}

/// The values of the fields that were read, in the order of the table.
#[derive(Debug)]
pub struct Values(std::vec::IntoIter<Option<AnyValue>>);

impl Values {
    pub(super) fn new(values: Vec<Option<AnyValue>>) -> Self {
        Self(values.into_iter())
    }

    /// The next value, which is a `T`; nothing if it could not be read.
    pub fn next_as<T: 'static>(&mut self) -> Option<T> {
        // Plain, since it is compiled for every type.
        match self.0.next()??.downcast() {
            Ok(value) => Some(*value),
            Err(_) => None,
        }
    }
}

/// A declared record or choice: its table, and how a value is made of what was read.
pub trait Declared: Sized + 'static {
    /// What was declared.
    const TABLE: &'static Table;

    /// The value of the variant called `variant`, or of a record, with these values in its fields.
    fn build(variant: &str, values: &mut Values) -> Option<Self>;

    /// Checks of a value whose parts are good.
    fn check(&self, _at: &Cursor<'_>, _context: &mut Context<'_>) {}

    /// Checks across the elements of one list.
    fn check_all(_items: &[(Cursor<'_>, Self)], _context: &mut Context<'_>) {}
}

impl<T: Declared> Decode for T {
    fn wanted() -> String {
        T::TABLE.wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        match &T::TABLE.rows {
            Rows::Nothing => None,
            Rows::Value(of) => (of.declared)(),
            Rows::Record { .. } | Rows::Choice { .. } => Some(T::describe),
        }
    }

    fn form() -> Form {
        match &T::TABLE.rows {
            Rows::Value(of) => (of.form)(),
            _ => Form::Declared(T::describe),
        }
    }

    fn unit() -> Option<&'static str> {
        match &T::TABLE.rows {
            Rows::Value(of) => (of.unit)(),
            _ => None,
        }
    }

    fn takes_nothing() -> bool {
        T::TABLE.takes_nothing()
    }

    fn starter() -> Option<&'static str> {
        T::TABLE.starter()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let errors_before = context.len();
        let (variant, mut values) = T::TABLE.read(T::wanted, at, context)?;
        let decoded = T::build(variant, &mut values)?;
        if context.len() == errors_before {
            Declared::check(&decoded, at, context);
        }
        (context.len() == errors_before).then_some(decoded)
    }

    fn check(&self, at: &Cursor<'_>, context: &mut Context<'_>) {
        Declared::check(self, at, context);
    }

    fn check_all(items: &[(Cursor<'_>, Self)], context: &mut Context<'_>) {
        Declared::check_all(items, context);
    }
}

impl<T: Declared> Describe for T {
    fn describe() -> Description {
        T::TABLE.describe()
    }
}
