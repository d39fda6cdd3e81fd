//! Values to RON on one line, by a writer whose work is not done anew for every type.

use serde::Serialize;
use serde::ser::{self, Serializer};
use std::fmt::{self, Write};

/// Words that mean something else in RON, and therefore not a variant.
const RESERVED: [&str; 10] = ["true", "false", "Some", "None", "inf", "inff32", "inff64", "NaN", "NaNf32", "NaNf64"];

/// A line that values are written to, in the two shorthands that the reader always takes: `x` for `Some(x)`, and
/// `Name(a: 1)` for a variant that holds a record.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    /// True right inside the brackets of a variant, where the value needs none of its own.
    is_inside: bool,
    /// How many `Some` were left out right before.
    some: usize,
}

impl Line {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    fn name(&mut self, name: &str) {
        if RESERVED.contains(&name) {
            self.text.push_str("r#");
        }
        self.text.push_str(name);
    }

    fn display(&mut self, value: &dyn fmt::Display) -> fmt::Result {
        write!(self.text, "{value}")
    }

    /// Begins a value of several parts, which ends with `close`.
    fn open(&mut self, open: &str, close: &'static str) -> Items<'_> {
        (self.is_inside, self.some) = (false, 0);
        self.text.push_str(open);
        Items { line: self, close, are_more: false }
    }

    /// The same for what has no brackets if it is right inside those of a variant.
    fn open_in_brackets(&mut self) -> Items<'_> {
        if self.is_inside { self.open("", "") } else { self.open("(", ")") }
    }

    fn open_variant(&mut self, variant: &str) -> Items<'_> {
        self.name(variant);
        self.open("(", ")")
    }
}

/// The parts of a value in brackets, while they are written.
#[derive(Debug)]
pub(super) struct Items<'l> {
    line: &'l mut Line,
    close: &'static str,
    are_more: bool,
}

impl Items<'_> {
    fn next(&mut self) -> &mut Line {
        if std::mem::replace(&mut self.are_more, true) {
            self.line.text.push_str(", ");
        }
        self.line
    }

    fn field(&mut self, name: &str) -> &mut Line {
        let line = self.next();
        line.name(name);
        line.text.push_str(": ");
        line
    }

    fn close(self) -> fmt::Result {
        self.line.text.push_str(self.close);
        Ok(())
    }
}

macro_rules! displayed {
    ($($serialize:ident($type:ty))*) => {$(
        fn $serialize(self, value: $type) -> fmt::Result {
            self.display(&value)
        }
    )*};
}

impl<'l> Serializer for &'l mut Line {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Items<'l>;
    type SerializeTuple = Items<'l>;
    type SerializeTupleStruct = Items<'l>;
    type SerializeTupleVariant = Items<'l>;
    type SerializeMap = Items<'l>;
    type SerializeStruct = Items<'l>;
    type SerializeStructVariant = Items<'l>;

    displayed! {
        serialize_bool(bool)
        serialize_i8(i8) serialize_i16(i16) serialize_i32(i32) serialize_i64(i64) serialize_i128(i128)
        serialize_u8(u8) serialize_u16(u16) serialize_u32(u32) serialize_u64(u64) serialize_u128(u128)
    }

    fn serialize_f32(self, value: f32) -> fmt::Result {
        write!(self.text, "{value:?}")
    }

    fn serialize_f64(self, value: f64) -> fmt::Result {
        write!(self.text, "{value:?}")
    }

    fn serialize_char(self, value: char) -> fmt::Result {
        let escape = if matches!(value, '\\' | '\'') { "\\" } else { "" };
        write!(self.text, "'{escape}{value}'")
    }

    fn serialize_str(self, value: &str) -> fmt::Result {
        self.text.push('"');
        self.text.extend(value.chars().flat_map(char::escape_debug));
        self.text.push('"');
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> fmt::Result {
        write!(self.text, "b\"{}\"", value.escape_ascii())
    }

    fn serialize_none(self) -> fmt::Result {
        let around = std::mem::take(&mut self.some);
        write!(self.text, "{}None{}", "Some(".repeat(around), ")".repeat(around))
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        self.some += 1;
        value.serialize(&mut *self)?;
        self.some = 0;
        Ok(())
    }

    fn serialize_unit(self) -> fmt::Result {
        self.text.push_str(if self.is_inside { "" } else { "()" });
        Ok(())
    }

    fn serialize_unit_struct(self, _name: &'static str) -> fmt::Result {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> fmt::Result {
        self.name(variant);
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> fmt::Result {
        let mut items = self.open_in_brackets();
        value.serialize(items.next())?;
        items.close()
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> fmt::Result {
        let mut items = self.open_variant(variant);
        let line = items.next();
        line.is_inside = true;
        value.serialize(&mut *line)?;
        line.is_inside = false;
        items.close()
    }

    fn serialize_seq(self, _length: Option<usize>) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open("[", "]"))
    }

    fn serialize_tuple(self, _length: usize) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open_in_brackets())
    }

    fn serialize_tuple_struct(self, _name: &'static str, _length: usize) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open_in_brackets())
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open_variant(variant))
    }

    fn serialize_map(self, _length: Option<usize>) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open("{", "}"))
    }

    fn serialize_struct(self, _name: &'static str, _length: usize) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open_in_brackets())
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        _length: usize,
    ) -> Result<Items<'l>, fmt::Error> {
        Ok(self.open_variant(variant))
    }
}

macro_rules! in_a_row {
    ($($trait:ident::$serialize:ident)*) => {$(
        impl ser::$trait for Items<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn $serialize<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
                value.serialize(self.next())
            }

            fn end(self) -> fmt::Result {
                self.close()
            }
        }
    )*};
}

in_a_row! {
    SerializeSeq::serialize_element
    SerializeTuple::serialize_element
    SerializeTupleStruct::serialize_field
    SerializeTupleVariant::serialize_field
}

macro_rules! by_names {
    ($($trait:ident)*) => {$(
        impl ser::$trait for Items<'_> {
            type Ok = ();
            type Error = fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> fmt::Result {
                value.serialize(self.field(name))
            }

            fn end(self) -> fmt::Result {
                self.close()
            }
        }
    )*};
}

by_names!(SerializeStruct SerializeStructVariant);

impl ser::SerializeMap for Items<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        key.serialize(self.next())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        self.line.text.push_str(": ");
        value.serialize(&mut *self.line)
    }

    fn end(self) -> fmt::Result {
        self.close()
    }
}
