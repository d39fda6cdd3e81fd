//! Values to RON text that [`load`](super::load) reads back.

use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde::Serialize;

/// So many brackets have their parts on lines of their own; what is further inside is on one line.
const LEVELS: usize = 3;

/// The value as RON that is pleasant to read: one field on each line, down to the elements of the lists in an experiment.
///
/// ```
/// use gridloom::language::{Distribution, Positive, to_ron};
/// let text = to_ron(&Some(Distribution::Exponential { mean: Positive::of(2.5) }));
/// assert_eq!(text, "Exponential(\n    mean: 2.5,\n)\n");
/// ```
pub fn to_ron<T: Serialize>(value: &T) -> String {
    written(value, LEVELS) + "\n"
}

/// The value as RON on one line.
///
/// # Panics
/// If the type's `Serialize` fails, which none of those that the scenario language offers does.
pub fn to_line<T: Serialize>(value: &T) -> String {
    written(value, 0)
}

/// The value with the two shorthands that the reader always takes: `x` for `Some(x)`, and `Name(a: 1)` for a variant
/// that holds a record.
fn written<T: Serialize>(value: &T, levels: usize) -> String {
    // Erased, so that not every type of every field is compiled by itself for the writer.
    written_erased(value, levels)
}

fn written_erased(value: &dyn erased_serde::Serialize, levels: usize) -> String {
    let shorthands = Extensions::IMPLICIT_SOME | Extensions::UNWRAP_VARIANT_NEWTYPES;
    let options = ron::Options::default().with_default_extension(shorthands);
    let config = PrettyConfig::new().depth_limit(levels).new_line("\n");
    options.to_string_pretty(value, config).expect("plain values can be written as RON")
}
