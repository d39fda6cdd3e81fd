//! The macros by which records and choices are declared.

use super::fields::pattern;

/// The form in which a record is written, with the names of its fields.
pub fn wanted_record(fields: &[&str]) -> String {
    format!("`{}`", pattern("", fields))
}

/// The form in which a choice is written: one of its variants, or a number if that is allowed.
pub fn wanted_choice(variants: &[&str], allows_number: bool) -> String {
    let variants: Vec<_> = variants.iter().map(|variant| format!("`{variant}`")).collect();
    format!("one of {}{}", variants.join(", "), if allows_number { ", or a number" } else { "" })
}

/// Declares a record: a struct whose fields are written `(name: value, ...)` in a scenario.
///
/// A field with `= default` may be left out, and so may one of type `Option`. `#[unit = "..."]` after the documentation
/// gives the unit of its numbers, where its type has none or another; a pure number says so: `factor`, `share`.
/// `#[read = AboveZero<Span>]` after it reads the field as a narrower type than it has. `Debug`, `Clone`, `PartialEq` and
/// `Serialize` are derived; others may be asked for by `#[derive(...)]` after the documentation. After the struct may
/// follow `starter(text)`, a scenario to start from, `gone("old", "new", remedy)`, a field that was once there and what
/// to write now, `check(this, at, errors) { ... }`, run when all fields are good, and
/// `check_all(items, errors) { ... }`, run over the good elements of every list of these records.
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

        impl $crate::Decode for $name {
            fn wanted() -> String {
                <$inner as $crate::Decode>::wanted()
            }

            fn declared() -> Option<fn() -> $crate::Description> {
                <$inner as $crate::Decode>::declared()
            }

            fn form() -> $crate::Form {
                <$inner as $crate::Decode>::form()
            }

            fn unit() -> Option<&'static str> {
                <$inner as $crate::Decode>::unit()
            }

            fn decode(
                at: &$crate::Cursor<'_>,
                context: &mut $crate::Context<'_>,
            ) -> Option<Self> {
                <$inner as $crate::Decode>::decode(at, context).map(Self)
            }
        }

        impl $crate::Describe for $name {
            fn describe() -> $crate::Description {
                use $crate::decode::{Description, Parts, doc_text};
                Description { name: stringify!($name), doc: doc_text(&[$($doc),*]), parts: Parts::Fields(Vec::new()), number: None }
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

        impl $crate::Decode for $name {
            fn wanted() -> String {
                format!("`{}`", stringify!($name))
            }

            fn takes_nothing() -> bool {
                true
            }

            fn form() -> $crate::Form {
                $crate::Form::Declared(<Self as $crate::Describe>::describe)
            }

            fn decode(
                at: &$crate::Cursor<'_>,
                context: &mut $crate::Context<'_>,
            ) -> Option<Self> {
                $crate::decode::Fields::of_record::<Self>(at, stringify!($name), &[], &[], context).map(|_| Self)
            }
        }

        impl $crate::Describe for $name {
            fn describe() -> $crate::Description {
                use $crate::decode::{Description, Parts, doc_text};
                Description { name: stringify!($name), doc: doc_text(&[$($doc),*]), parts: Parts::Fields(Vec::new()), number: None }
            }
        }
    };
    (@perhaps) => { None };
    (@perhaps $value:expr) => { Some($value) };
    (@flat) => { None };
    (@flat $value:expr) => { $value };
    (@field $fields:ident, $context:ident, $field:ident: $type:ty, []) => {
        $fields.required::<$type>(stringify!($field), $context)
    };
    (@field $fields:ident, $context:ident, $field:ident: $type:ty, [$read:ty]) => {
        $fields.required::<$read>(stringify!($field), $context).map($crate::Reading::value)
    };
    (@field $fields:ident, $context:ident, $field:ident: $type:ty = $default:expr, []) => {
        $fields.optional::<$type>(stringify!($field), || $default, $context)
    };
    (@entry $field:ident: $type:ty, [], $doc:expr, $unit:expr, $default:expr) => {
        $crate::decode::FieldEntry::new::<$type>(stringify!($field), $doc, $unit, $default)
    };
    (@entry $field:ident: $type:ty, [$read:ty], $doc:expr, $unit:expr, $default:expr) => {
        $crate::decode::FieldEntry::new::<$read>(stringify!($field), $doc, $unit, None)
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
        $(check($this:ident, $at:ident, $errors:ident) $check:block)?
        $(check_all($items:ident, $all_errors:ident) $check_all:block)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq, ::serde::Serialize $(, $($derived),*)?)]
        $visibility struct $name {
            $($(#[doc = $field_doc])* pub $field: $type,)*
        }

        impl $crate::Decode for $name {
            fn wanted() -> String {
                $crate::decode::wanted_record(&[$(stringify!($field)),*])
            }

            fn declared() -> Option<fn() -> $crate::Description> {
                Some(<Self as $crate::Describe>::describe)
            }

            fn form() -> $crate::Form {
                $crate::Form::Declared(<Self as $crate::Describe>::describe)
            }

            fn takes_nothing() -> bool {
                <[&str]>::is_empty(&[$(stringify!($field)),*])
            }

            $(
                fn starter() -> Option<&'static str> {
                    Some($starter)
                }
            )?

            fn decode(
                at: &$crate::Cursor<'_>,
                context: &mut $crate::Context<'_>,
            ) -> Option<Self> {
                let known = [$(stringify!($field)),*];
                let gone = [$(($gone, $now, $right)),*];
                let fields =
                    $crate::decode::Fields::of_record::<Self>(at, stringify!($name), &known, &gone, context)?;
                $(let $field = $crate::record!(@field fields, context, $field: $type $(= $default)?, [$($read)?]);)*
                let decoded = Self { $($field: $field?),* };
                if fields.are_sound(context) {
                    $crate::Decode::check(&decoded, at, context);
                }
                fields.are_sound(context).then_some(decoded)
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

        impl $crate::Describe for $name {
            fn describe() -> $crate::Description {
                use $crate::decode::{Description, Parts, doc_text};
                let fields = vec![$($crate::record!(
                    @entry $field: $type,
                    [$($read)?],
                    &[$($field_doc),*],
                    $crate::record!(@perhaps $($unit)?),
                    $crate::record!(@perhaps $($default)?)
                )),*];
                Description { name: stringify!($name), doc: doc_text(&[$($doc),*]), parts: Parts::Fields(fields), number: None }
            }
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
    (@decode $variant:ident, $context:ident, $name:ident::$made:ident) => {
        $variant.unit($name::$made, $context)
    };
    (@decode $variant:ident, $context:ident, $name:ident::$made:ident, ($inner:ty)) => {
        <$inner as $crate::Decode>::decode(&$variant.inside(), $context).map($name::$made)
    };
    (
        @decode $variant:ident, $context:ident, $name:ident::$made:ident,
        { $($field:ident: $type:ty $(= $default:expr)?, [$($read:ty)?]);* }
    ) => {{
        let fields = $variant.fields(&[$(stringify!($field)),*], $context)?;
        $(let $field = $crate::record!(@field fields, $context, $field: $type $(= $default)?, [$($read)?]);)*
        Some($name::$made { $($field: $field?),* })
    }};
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

        impl $crate::Decode for $name {
            fn wanted() -> String {
                let for_number: &[&str] = &[$(stringify!($number))?];
                $crate::decode::wanted_choice(&[$(stringify!($variant)),*], !for_number.is_empty())
            }

            fn declared() -> Option<fn() -> $crate::Description> {
                Some(<Self as $crate::Describe>::describe)
            }

            fn form() -> $crate::Form {
                $crate::Form::Declared(<Self as $crate::Describe>::describe)
            }

            fn decode(
                at: &$crate::Cursor<'_>,
                context: &mut $crate::Context<'_>,
            ) -> Option<Self> {
                let errors_before = context.len();
                let decoded = match at {
                    $(_ if context.has_number(at) => $crate::Decode::decode(at, context).map(Self::$number)?,)?
                    _ => {
                        let known = [$(stringify!($variant)),*];
                        let variant = $crate::decode::Variant::open::<Self>(at, &known, context)?;
                        match variant.name {
                            $(stringify!($variant) => {
                                $crate::choice!(
                                    @decode variant, context, $name::$variant
                                    $(, ($inner))? $(, { $($field: $type $(= $default)?, [$($read)?]);* })?
                                )
                            })*
                            _ => None,
                        }?
                    }
                };
                if context.len() == errors_before {
                    $crate::Decode::check(&decoded, at, context);
                }
                (context.len() == errors_before).then_some(decoded)
            }

            $(
                fn check(&self, $at: &$crate::Cursor<'_>, $errors: &mut $crate::Context<'_>) {
                    let $this = self;
                    $check
                }
            )?
        }

        impl $crate::Describe for $name {
            fn describe() -> $crate::Description {
                use $crate::decode::{Description, Parts, VariantEntry, doc_text};
                let variants = vec![$(VariantEntry {
                    name: stringify!($variant),
                    doc: doc_text(&[$($variant_doc),*]),
                    holds: $crate::record!(@perhaps $(<$inner as $crate::Decode>::wanted())?),
                    form: $crate::record!(@perhaps $(<$inner as $crate::Decode>::form())?),
                    unit: Option::<&'static str>::or(
                        $crate::record!(@perhaps $($variant_unit)?),
                        $crate::record!(@flat $(<$inner as $crate::Decode>::unit())?),
                    ),
                    declared: $crate::record!(@flat $(<$inner as $crate::Decode>::declared())?),
                    fields: vec![$($($crate::record!(
                        @entry $field: $type,
                        [$($read)?],
                        &[$($field_doc),*],
                        $crate::record!(@perhaps $($unit)?),
                        $crate::record!(@perhaps $($default)?)
                    )),*)?],
                    starter: None,
                }),*];
                let number = $crate::record!(@perhaps $(stringify!($number))?);
                Description { name: stringify!($name), doc: doc_text(&[$($doc),*]), parts: Parts::Variants(variants), number }
            }
        }
    };
}
