//! The macros by which records and choices are declared.

/// Declares a record: a struct whose fields are written `(name: value, ...)` in a scenario.
///
/// A field with `= default` may be left out, and so may one of type `Option`. `#[unit = "..."]` after the documentation
/// gives the unit of its numbers, where its type has none or another; a pure number says so: `factor`, `share`.
/// `#[read = AboveZero<Span>]` after it reads the field as a narrower type than it has. `Debug`, `Clone`, `PartialEq` and
/// `Serialize` are derived; others may be asked for by `#[derive(...)]` after the documentation. After the struct may
/// follow `starter(text)`, a scenario to start from, `gone("old", "new", remedy)`, a field that was once there and what
/// to write now, `moved("old", template)`, a field of a form that the record once had and what to write for the whole
/// record now (`{field}` in the template stands for what the user wrote), `check(this, at, errors) { ... }`, run when
/// all fields are good, and `check_all(items, errors) { ... }`, run over the good elements of every list of these
/// records.
/// `struct Name(pub Type);` is written as the one value that it holds, and `struct Name;` has nothing but its name.
/// Errors that such a check adds to `errors` are reported with the rest; `at.field("name")` is the place of a field.
///
/// ```
/// use gridloom::language::{Count, Source, load};
/// use gridloom::units::{Span, Time};
///
/// gridloom::record! {
///     /// A stretch of time in which an owner keeps nodes.
///     pub struct Outage {
///         /// When it begins.
///         start: Time,
///         /// How long it lasts.
///         length: Span = Span::from_units(60),
///         /// How many nodes it takes.
///         #[unit = "nodes"]
///         nodes: Count = Count::ONE,
///     }
///     check(this, at, errors) {
///         if this.start < Time::from_units(10) {
///             errors.add(&at.field("start"), "this is during the warm-up", "start at 10 or later");
///         }
///     }
///     check_all(items, errors) {
///         for pair in items.windows(2) {
///             if pair[1].1.start < pair[0].1.start {
///                 let earlier = errors.refer(&pair[0].0);
///                 errors.add(&pair[1].0, format!("this begins before the outage {earlier}"), "put outages in order");
///             }
///         }
///     }
/// }
///
/// let outages: Vec<Outage> = load(Source::new("good.ron", "[(start: 20), (start: 30, nodes: 2)]"), &[])?;
/// assert_eq!(outages[1].length, Span::from_units(60));
///
/// let report = load::<Vec<Outage>>(Source::new("bad.ron", "[(start: 20), (start: 15), (start: 5)]"), &[]).unwrap_err();
/// assert_eq!(report.len(), 2);
/// # Ok::<(), gridloom::language::Report>(())
/// ```
#[macro_export]
macro_rules! record {
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derived:ident),*)])?
        $visibility:vis struct $name:ident(pub $inner:ty);
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize $(, $($derived),*)?)]
        #[serde(transparent)]
        $visibility struct $name(pub $inner);

        impl $crate::decode::Declared for $name {
            const TABLE: &'static $crate::decode::Table = &$crate::decode::Table {
                name: stringify!($name),
                doc: &[$($doc),*],
                rows: $crate::decode::Rows::Value($crate::decode::TypeRow::of::<$inner>()),
            };

            fn build(_: &str, values: &mut $crate::decode::Values) -> Option<Self> {
                values.next_as().map(Self)
            }
        }
    };
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derived:ident),*)])?
        $visibility:vis struct $name:ident;
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize $(, $($derived),*)?)]
        $visibility struct $name;

        impl $crate::decode::Declared for $name {
            const TABLE: &'static $crate::decode::Table = &$crate::decode::Table {
                name: stringify!($name),
                doc: &[$($doc),*],
                rows: $crate::decode::Rows::Nothing,
            };

            fn build(_: &str, _: &mut $crate::decode::Values) -> Option<Self> {
                Some(Self)
            }
        }
    };
    (@perhaps) => { None };
    (@perhaps $value:expr) => { Some($value) };
    (@type $type:ty, []) => { $crate::decode::TypeRow::of::<$type>() };
    (@type $type:ty, [$read:ty]) => { $crate::decode::TypeRow::read_as::<$read>() };
    (@default $type:ty) => { None };
    (@default $type:ty = $default:expr) => {
        Some(|| {
            let default: $type = $default;
            Box::new(default)
        })
    };
    (@rows $(
        $(#[doc = $doc:literal])* $(#[unit = $unit:literal])? $(#[read = $read:ty])?
        $field:ident: $type:ty $(= $default:expr)?
    ),* $(,)?) => {
        &[$($crate::decode::FieldRow {
            name: stringify!($field),
            doc: &[$($doc),*],
            unit: $crate::record!(@perhaps $($unit)?),
            of: $crate::record!(@type $type, [$($read)?]),
            default: $crate::record!(@default $type $(= $default)?),
        }),*]
    };
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derived:ident),*)])?
        $visibility:vis struct $name:ident {
            $(
                $(#[doc = $field_doc:literal])* $(#[unit = $unit:literal])? $(#[read = $read:ty])?
                $field:ident: $type:ty $(= $default:expr)?
            ),* $(,)?
        }
        $(starter($starter:expr))?
        $(gone($gone:literal, $now:literal, $right:literal))*
        $(moved($old:literal, $template:expr))*
        $(check($this:ident, $at:ident, $errors:ident) $check:block)?
        $(check_all($items:ident, $all_errors:ident) $check_all:block)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize $(, $($derived),*)?)]
        $visibility struct $name {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }

        impl $crate::decode::Declared for $name {
            const TABLE: &'static $crate::decode::Table = &$crate::decode::Table {
                name: stringify!($name),
                doc: &[$($doc),*],
                rows: $crate::decode::Rows::Record {
                    fields: $crate::record!(@rows $(
                        $(#[doc = $field_doc])* $(#[unit = $unit])? $(#[read = $read])? $field: $type $(= $default)?
                    ),*),
                    gone: &[$(($gone, $now, $right)),*],
                    moved: &[$(($old, $template)),*],
                    starter: $crate::record!(@perhaps $($starter)?),
                },
            };

            fn build(_: &str, values: &mut $crate::decode::Values) -> Option<Self> {
                Some(Self { $($field: values.next_as()?),* })
            }

            $(
                fn check(&self, $at: &$crate::Cursor<'_>, $errors: &mut $crate::Context<'_>) {
                    let $this = self;
                    $check
                }
            )?

            $(
                fn check_all(
                    $items: &[($crate::Cursor<'_>, Self)],
                    $all_errors: &mut $crate::Context<'_>,
                ) $check_all
            )?
        }
    };
}

/// Declares a choice: an enum whose variants are written `Name`, `Name(value)` or `Name(field: value, ...)`.
///
/// A variant that holds a record is written with the record's fields in its own brackets. After the enum may follow
/// `number => Variant`, by which a bare number stands for that variant, and `check(this, at, errors) { ... }` as for
/// [`record!`](crate::record).
///
/// ```
/// use gridloom::language::{Count, Positive, Source, load};
///
/// gridloom::choice! {
///     /// How many machines there are.
///     #[derive(Copy)]
///     pub enum Size {
///         /// As many as the hardware has.
///         All,
///         /// This many.
///         Fixed(Count),
///         /// Growing with the load.
///         Elastic {
///             /// At least this many.
///             least: Count = Count::ONE,
///             /// Machines per unit of load.
///             slope: Positive,
///         },
///     }
///     number => Fixed
/// }
///
/// let sizes: Vec<Size> = load(Source::new("good.ron", "[All, 3, Fixed(3), Elastic(slope: 0.5)]"), &[])?;
/// assert_eq!(sizes[1], sizes[2]);
/// assert_eq!(sizes[3], Size::Elastic { least: Count::ONE, slope: Positive::of(0.5) });
/// # Ok::<(), gridloom::language::Report>(())
/// ```
#[macro_export]
macro_rules! choice {
    (@content $doc:expr, $unit:expr) => { $crate::decode::Content::Nothing { doc: $doc } };
    (@content $doc:expr, $unit:expr, ($inner:ty)) => {
        $crate::decode::Content::Value { doc: $doc, unit: $unit, of: $crate::decode::TypeRow::of::<$inner>() }
    };
    (@content $doc:expr, $unit:expr, {$($fields:tt)*}) => {
        $crate::decode::Content::Fields { doc: $doc, fields: $crate::record!(@rows $($fields)*) }
    };
    (@next $values:ident, $type:ty) => { $values.next_as::<$type>()? };
    (
        $(#[doc = $doc:literal])*
        $(#[derive($($derived:ident),*)])?
        $visibility:vis enum $name:ident {
            $(
                $(#[doc = $variant_doc:literal])*
                $(#[unit = $variant_unit:literal])?
                $variant:ident
                $(($inner:ty))?
                $({ $(
                    $(#[doc = $field_doc:literal])* $(#[unit = $unit:literal])? $(#[read = $read:ty])?
                    $field:ident: $type:ty $(= $default:expr)?
                ),* $(,)? })?
            ),* $(,)?
        }
        $(number => $number:ident)?
        $(check($this:ident, $at:ident, $errors:ident) $check:block)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize $(, $($derived),*)?)]
        #[allow(clippy::large_enum_variant, reason = "a scenario holds few choices, and boxes would show in every use")]
        $visibility enum $name {
            $($(#[doc = $variant_doc])* $variant $(($inner))? $({ $($(#[doc = $field_doc])* $field: $type),* })?),*
        }

        impl $crate::decode::Declared for $name {
            const TABLE: &'static $crate::decode::Table = &$crate::decode::Table {
                name: stringify!($name),
                doc: &[$($doc),*],
                rows: $crate::decode::Rows::Choice {
                    variants: &[$($crate::decode::VariantRow {
                        name: stringify!($variant),
                        content: $crate::choice!(
                            @content &[$($variant_doc),*], $crate::record!(@perhaps $($variant_unit)?)
                            $(, ($inner))?
                            $(, { $(
                                $(#[doc = $field_doc])* $(#[unit = $unit])? $(#[read = $read])?
                                $field: $type $(= $default)?
                            ),* })?
                        ),
                    }),*],
                    number: $crate::record!(@perhaps $(stringify!($number))?),
                    former: &[],
                    moved: &[],
                },
            };

            fn build(variant: &str, values: &mut $crate::decode::Values) -> Option<Self> {
                let _ = &values;
                match variant {
                    $(stringify!($variant) => Some(Self::$variant
                        $(($crate::choice!(@next values, $inner)))?
                        $({ $($field: values.next_as()?),* })?
                    ),)*
                    _ => None,
                }
            }

            $(
                fn check(&self, $at: &$crate::Cursor<'_>, $errors: &mut $crate::Context<'_>) {
                    let $this = self;
                    $check
                }
            )?
        }
    };
}
