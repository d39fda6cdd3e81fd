//! Types that are narrower than the fields they are read for.

/// A way to read a field: a type that allows fewer values than the field's own.
pub trait Reading {
    /// The type of the field.
    type Field;

    /// The value for the field.
    fn value(self) -> Self::Field;
}

impl<T: Reading> Reading for Option<T> {
    type Field = Option<T::Field>;

    fn value(self) -> Self::Field {
        self.map(Reading::value)
    }
}
