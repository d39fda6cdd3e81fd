//! The scenario language: RON text to values that the rest of the program can trust, with every error at once.
//!
//! A scenario takes this way, and whatever is wrong at one stage does not keep the later ones from their work:
//!
//! 1. [`read_source`] reads a file; what is wrong with the file as such is told here.
//! 2. [`text`] turns the text into a tree of values that know their places, with the crate `ron`. A text that is not RON
//!    is reported up to its first error and becomes poison, over which all later stages pass in silence.
//! 3. Overrides, as given by `--set path=value`, replace parts of the tree. They are texts of their own, so errors in a
//!    value that came from an override point into the override.
//! 4. [`decode`] turns the tree into records and choices that are declared by [`record!`](crate::record) and
//!    [`choice!`](crate::choice): every field is visited even when others fail.
//! 5. Checks look at what was decoded: of a record as a whole, of the elements of a list among each other, and, at the
//!    very end, of every [`Ref`] against all [`Name`]s.
//!
//! [`load`] does all that and returns the value or a [`Report`]. The other way, a value to text, is [`to_ron`].
//!
//! ```
//! use gridloom::language::{Name, NameKind, Ref, Source, load, to_ron};
//! use gridloom::units::Price;
//!
//! #[derive(Debug, Clone, PartialEq)]
//! pub enum NodeNames {}
//! impl NameKind for NodeNames {
//!     const WHAT: &'static str = "node";
//! }
//!
//! gridloom::record! {
//!     /// One machine of the grid.
//!     pub struct NodeSpec {
//!         /// What it is called.
//!         name: Name<NodeNames>,
//!         /// What it costs.
//!         price: Price = Price::from_units(1),
//!     }
//! }
//!
//! gridloom::record! {
//!     /// A grid with one special machine.
//!     pub struct GridSpec {
//!         /// The machines.
//!         nodes: Vec<NodeSpec>,
//!         /// The special one.
//!         main: Ref<NodeNames>,
//!     }
//! }
//!
//! let good = Source::new("good.ron", r#"(nodes: [(name: "a"), (name: "b", price: 2.5)], main: "b")"#);
//! let grid: GridSpec = load(good, &["nodes[0].price=4".to_owned()])?;
//! assert_eq!(grid.nodes[0].price, Price::from_units(4));
//! assert!(to_ron(&grid).contains("main: \"b\","));
//!
//! let bad = Source::new("bad.ron", r#"(
//!     nodes: [(name: "alpha"), (nam: "beta", price: -1)],
//!     main: "alpa",
//! )"#);
//! let report = load::<GridSpec>(bad, &[]).unwrap_err();
//! assert_eq!(report.to_string(), r#"
//! bad.ron:2:31: nodes[1].nam: there is no such field; did you mean `name`? the fields are `name`, `price`
//!   2 |     nodes: [(name: "alpha"), (nam: "beta", price: -1)],
//!     |                               ^^^
//! bad.ron:2:51: nodes[1].price: -1 is out of range; give a price of at least 0, at most 1e9
//!   2 |     nodes: [(name: "alpha"), (nam: "beta", price: -1)],
//!     |                                                   ^^
//! bad.ron:3:11: main: there is no node `alpa`; did you mean `alpha`? the names are `alpha`
//!   3 |     main: "alpa",
//!     |           ^^^^^^"#.trim_start());
//! # Ok::<(), gridloom::language::Report>(())
//! ```

pub mod decode;
pub mod diagnose;
mod marks;
mod overrides;
mod source;
pub mod text;
mod time_unit;
mod write;
mod written;

pub use decode::{
    Apart, Context, Count, Cursor, Decode, Describe, Description, FieldEntry, Finite, Form, Fraction, InTime, Name,
    NameKind, NonEmpty, NonNegative, NumberRange, Parts, Positive, Reading, Ref, VariantEntry, by_names,
};
pub use diagnose::{Diagnostic, Errors, Report};
pub use marks::mark_defaults;
pub use source::{SIZE_LIMIT, Source, Sources, Span, read_source, read_standard_input};
pub use time_unit::known_seconds;
pub use write::{to_line, to_ron};
pub use written::{WrittenField, written_fields};

use text::ReadText;

/// Reads, overrides, decodes and checks a scenario; the report holds everything that is wrong with it.
///
/// Each override is `path=value`, as given after `--set`.
pub fn load<T: Decode>(scenario: Source, overrides: &[String]) -> Result<T, Report> {
    load_and(scenario, overrides, |_: &mut T, _, _| ())
}

/// The same for a value that is not complete before files were read that it names: `complete` gets the value, once it
/// is good so far, and the place of the whole.
pub fn load_and<T: Decode>(
    scenario: Source,
    overrides: &[String],
    complete: impl FnOnce(&mut T, &Cursor<'_>, &mut Context<'_>),
) -> Result<T, Report> {
    let sources = Sources::new(scenario, overrides);
    let nowhere = Span { source: 0, start: 0, end: 0 };
    if sources.all().iter().any(|source| source.text().len() > SIZE_LIMIT) {
        let mut errors = Errors::default();
        errors.add(nowhere, "", "the text is too long", "a scenario has at most 6 MB");
        return Err(Report::new(errors, sources));
    }
    let ReadText { mut tree, mut errors, mut lost } = sources.all()[0].read();
    overrides::apply(&mut tree, &sources, &mut errors, &mut lost);
    let mut context = Context::new(&sources, errors, lost).of(T::declared(), &tree);
    let mut decoded = T::decode(&Cursor::root(&tree), &mut context);
    if let Some(value) = &mut decoded
        && context.has_none()
    {
        complete(value, &Cursor::root(&tree), &mut context);
    }
    let mut errors = context.finish();
    errors.drop_consequences(overrides::NOTHING_TO_INDEX);
    match decoded {
        Some(value) if errors.is_empty() => Ok(value),
        _ => {
            if errors.is_empty() {
                errors.add(nowhere, "", "this can't be decoded", format!("give {}", T::wanted()));
            }
            Err(Report::new(errors, sources))
        }
    }
}

/// A value that the program itself writes, such as a record of nothing but defaults, `()`.
///
/// ```
/// use gridloom::language::constant;
/// use gridloom::workload::swf::LogLimits;
/// assert_eq!(constant::<LogLimits>("(records: 5)").header, LogLimits::default().header);
/// ```
///
/// # Panics
/// If the text is wrong: a defect of the program.
pub fn constant<T: Decode>(text: &str) -> T {
    load(Source::new("a constant", text), &[]).unwrap_or_else(|report| panic!("{report}"))
}

/// Checks after a scenario was decoded: `check` gets the scenario's root to find places. The report holds all that it
/// finds wrong.
pub fn check_at(
    scenario: &Source,
    overrides: &[String],
    check: impl FnOnce(&Cursor<'_>, &mut Context<'_>),
) -> Result<(), Report> {
    let sources = Sources::new(scenario.clone(), overrides);
    let ReadText { mut tree, mut errors, mut lost } = sources.all()[0].read();
    overrides::apply(&mut tree, &sources, &mut errors, &mut lost);
    let mut context = Context::new(&sources, errors, lost);
    check(&Cursor::root(&tree), &mut context);
    let errors = context.finish();
    if errors.is_empty() { Ok(()) } else { Err(Report::new(errors, sources)) }
}
