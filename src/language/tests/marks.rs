//! Marks that say what is a default.

use super::*;
use gridloom::language::Distribution;

record! {
    /// The inside of a thing.
    struct MarkedInside {
        /// A number.
        #[unit = "none"]
        first: Positive = Positive::ONE,
        /// Another.
        #[unit = "none"]
        second: Finite,
    }
}

record! {
    /// A thing.
    struct MarkedThing {
        /// A text.
        text: String = String::new(),
        /// A list.
        list: Vec<MarkedInside> = Vec::new(),
        /// A distribution.
        #[unit = "none"]
        draws: Distribution = Distribution::Constant(Finite::ZERO),
    }
}

#[test]
fn several_fields_of_a_line_are_told_apart_by_name() {
    let text = "// A thing.\n(\n    list: [\n        (first: 1, second: 2), (first: 3, second: 4),\n    ],\n    draws: Normal(mean: 1, sd: 2, low: 0),\n)";
    insta::assert_snapshot!(mark_defaults::<MarkedThing>(text), @r"
    // A thing.
    // Marks: `required` has no default; `default` may be left out; `example` differs from the default, which is named.
    (
        list: [ // example; default: []
            (first: 1, second: 2), (first: 3, second: 4), // required: second; example: first (default: 1); default: first
        ],
        draws: Normal(mean: 1, sd: 2, low: 0), // example: draws (default: 0), low (default: None)
    )
    ");
}

#[test]
fn a_default_written_in_another_way_is_one_and_its_parts_are_not_marked() {
    let marked = mark_defaults::<MarkedThing>("(\n    draws: 0,\n    list: [],\n)");
    assert!(marked.contains("draws: 0, // default\n") && marked.contains("list: [], // default\n"), "{marked}");
}

#[test]
fn long_lines_comments_and_text_over_lines_have_their_mark_above() {
    let long = format!("(\n    text: \"{}\",\n)", "x".repeat(110));
    assert!(mark_defaults::<MarkedThing>(&long).contains("\n    // example; default: \"\"\n    text: \"xxx"));
    let marked = mark_defaults::<MarkedThing>("(\n    text: \"one\ntwo\",\n    list: [], // none\n)");
    assert!(marked.contains("    // example; default: \"\"\n    text: \"one\ntwo\",\n"), "{marked}");
    assert!(marked.contains("    // default\n    list: [], // none\n"), "{marked}");
}
