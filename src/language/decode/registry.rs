//! The macro by which algorithms of one sort are made known to scenarios.

/// Declares a registry: a choice each of whose variants holds the parameters of one algorithm, all of which implement
/// one trait.
///
/// A line `Name(path::Parameters)` is all that a registry needs to know of an algorithm. Its documentation and its
/// fields are those of the parameters, which are declared by [`record!`](crate::record) beside the algorithm. A name
/// without brackets stands for the defaults. `get` and `get_mut` give what was chosen as a trait object.
/// `reads "Old" as Name` accepts a former name. `moved "Old" to "Name(field: {old})";` refuses one and shows what to write
/// instead: `{old}` stands for the text of the field `old`, `{old|text}` for `text` if the field was left out, and a line
/// whose fields were all left out is dropped.
///
/// ```
/// use gridloom::language::{Count, Describe, Parts, Source, load, to_line};
///
/// trait Greeting {
///     fn text(&self) -> String;
/// }
///
/// gridloom::record! {
///     /// Says hello.
///     pub struct Hello {
///         /// How many times.
///         times: Count = Count::ONE,
///     }
/// }
/// impl Greeting for Hello {
///     fn text(&self) -> String {
///         "hello ".repeat(self.times.get() as usize)
///     }
/// }
///
/// gridloom::record! {
///     /// Says nothing.
///     pub struct Silence;
/// }
/// impl Greeting for Silence {
///     fn text(&self) -> String {
///         String::new()
///     }
/// }
///
/// gridloom::registry! {
///     /// All greetings.
///     pub enum Greetings: Greeting {
///         Hello(Hello),
///         Silence(Silence),
///     }
///     reads "Quiet" as Silence
///     moved "Hellos" to "Hello(times: {count|2})";
/// }
///
/// let said: Vec<Greetings> = load(Source::new("said.ron", "[Hello(times: 2), Hello, Silence, Quiet]"), &[])?;
/// assert_eq!(said[0].get().text(), "hello hello ");
/// assert_eq!(to_line(&said), "[Hello(times: 2), Hello(times: 1), Silence, Silence]");
/// let said = load::<Greetings>(Source::new("said.ron", "Hellos(count: 5)"), &[]).unwrap_err().to_string();
/// assert!(said.starts_with("said.ron:1:1: `Hellos` is now a form of `Hello`; write\nHello(times: 5)\n"), "{said}");
/// let Parts::Variants(listed) = Greetings::describe().parts else { panic!("it is a choice") };
/// assert_eq!(listed[1].doc, "Says nothing.");
/// # Ok::<(), gridloom::language::Report>(())
/// ```
#[macro_export]
macro_rules! registry {
    (
        $(#[doc = $doc:literal])*
        $visibility:vis enum $name:ident: $trait:path {
            $($variant:ident($parameters:ty)),* $(,)?
        }
        $(reads $former:literal as $now:ident)*
        $(moved $old:literal to $template:expr;)*
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant, reason = "a scenario holds few of them, and boxes would show in every use")]
        $visibility enum $name {
            $(
                #[doc = concat!("With the parameters `", stringify!($parameters), "`.")]
                $variant($parameters)
            ),*
        }

        impl $name {
            /// The names, in the order of the list.
            pub const NAMES: &'static [&'static str] = &[$(stringify!($variant)),*];

            /// The name of the one that was chosen.
            pub fn key(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => stringify!($variant)),*
                }
            }

            /// The one that was chosen.
            pub fn get(&self) -> &dyn $trait {
                match self {
                    $(Self::$variant(chosen) => chosen),*
                }
            }

            /// The one that was chosen, to be changed.
            pub fn get_mut(&mut self) -> &mut dyn $trait {
                match self {
                    $(Self::$variant(chosen) => chosen),*
                }
            }

            /// Runs the checks of the one that was chosen, which stands at `at`.
            pub fn check_chosen(
                &self,
                at: &$crate::Cursor<'_>,
                errors: &mut $crate::Context<'_>,
            ) {
                match self {
                    $(Self::$variant(chosen) => $crate::Decode::check(chosen, at, errors)),*
                }
            }
        }

        impl $crate::decode::Declared for $name {
            const TABLE: &'static $crate::decode::Table = &$crate::decode::Table {
                name: stringify!($name),
                doc: &[$($doc),*],
                rows: $crate::decode::Rows::Choice {
                    variants: &[$($crate::decode::VariantRow {
                        name: stringify!($variant),
                        content: $crate::decode::Content::Parameters(
                            $crate::decode::TypeRow::of::<$parameters>(),
                            <$parameters as $crate::Describe>::describe,
                        ),
                    }),*],
                    number: None,
                    former: &[$(($former, stringify!($now))),*],
                    moved: &[$(($old, $template)),*],
                },
            };

            fn build(variant: &str, values: &mut $crate::decode::Values) -> Option<Self> {
                match variant {
                    $(stringify!($variant) => values.next_as().map(Self::$variant),)*
                    _ => None,
                }
            }
        }

        impl ::serde::Serialize for $name {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(_) if <$parameters as $crate::Decode>::takes_nothing() => {
                        serializer.serialize_unit_variant(stringify!($name), 0, stringify!($variant))
                    }
                    Self::$variant(chosen) => {
                        serializer.serialize_newtype_variant(stringify!($name), 0, stringify!($variant), chosen)
                    })*
                }
            }
        }
    };
}
