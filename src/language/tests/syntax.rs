//! Messages about text that is not RON.

use super::*;
use gridloom_language::text::{Body, TextNode, Value, read};

/// The tree and all messages, one line each.
fn tree(text: &str) -> (TextNode, Vec<String>) {
    let (mut errors, mut lost) = (Errors::default(), BTreeSet::new());
    let source = Source::new("s", text);
    let node = read(&source, 0, (0, ""), &mut errors, &mut lost);
    let report = Report::new(errors, Sources::new(source, &[])).to_string();
    let places = report.lines().filter(|line| line.starts_with("s:"));
    (node, places.map(|line| line[2..].split("; ").next().unwrap().to_owned()).collect())
}

fn said(text: &str) -> String {
    tree(text).1.join("\n")
}

#[test]
fn everything_that_ron_allows_is_read() {
    let text = "\u{FEFF}#![enable(implicit_some)]\n#![enable(unwrap_newtypes)]\n/* a /* nested */ comment */
        Name(a: 1, b: [true, 'c', '\\'', '\\u{e9}',], c: {\"k\": None, 2: Some(3)}, d: r#\"raw \"text\" \"#, // comment
        r#e: (), f: Unit, g: (1, -2.5e-3, +0x1F, 1_000), h: inf, i: \"a\\\nb\", )";
    let (node, errors) = tree(text);
    assert_eq!(errors, Vec::<String>::new());
    let Value::Group(group) = node.value else { panic!("{node:?}") };
    let Body::Fields(fields) = group.body else { panic!("{group:?}") };
    let names: String = fields.iter().map(|field| field.name.text.as_str()).collect();
    assert_eq!((group.name.unwrap().text.as_str(), names.as_str()), ("Name", "abcdefghi"));
    assert!(matches!(&fields[3].value.value, Value::Text(text) if text == "raw \"text\" "));
    assert!(matches!(fields[7].value.value, Value::Float(f64::INFINITY)));
}

#[test]
fn a_bad_value_costs_only_its_field() {
    insta::assert_snapshot!(said("(a: 1.2.3, b: $, c: 'long text', d: \"\\q\", e: --1, f: b\"x\", g: 5)"), @r"
    1:5: a: `1.2.3` is not a number
    1:15: b: `$` means nothing here
    1:21: c: `'long text'` can't be read
    1:38: d: `\q` can't be read
    1:46: e: `--1` is not a number
    1:54: f: text takes no prefix
    ");
}

#[test]
fn punctuation_is_told_where_it_is_missing_or_too_much() {
    insta::assert_snapshot!(said("(a: 1 b: [1 2, , 3], c 5, d, e: , f = 6; \"g\": 7, h: 1 2, 8, i:\n j: 1, {1})"), @"
    1:6: a: a comma is missing here
    1:12: b[0]: a comma is missing here
    1:16: b: `,` is unexpected here
    1:23: c: a colon is missing after `c`
    1:28: d: a colon is missing after `d`
    1:32: e: a value is missing here
    1:37: f: `=` means nothing here
    1:40: f: `;` means nothing here
    1:42: g: the name of a field is in quotes
    1:55: `2` is unexpected here
    1:58: a value has no field name
    1:63: i: a value is missing here
    2:8: a value has no field name
    ");
    insta::assert_snapshot!(said("5 6"), @"1:3: `6` is unexpected here");
    insta::assert_snapshot!(said(", 5"), @"1:1: `,` is unexpected here");
    insta::assert_snapshot!(said("{1: 2, 3, 4: }"), @"
    1:8: a colon is missing after this
    1:13: a value is missing here
    ");
    insta::assert_snapshot!(said("#[enable]\n5"), @"1:1: `#` begins no comment");
    insta::assert_snapshot!(said("5 /* open /* twice */"), @"1:3: this comment has no end");
}

#[test]
fn a_wrong_bracket_is_one_error_at_the_opening_one() {
    insta::assert_snapshot!(said("(a: [1, 2, b: 3)"), @"1:5: a: `[` is never closed");
    insta::assert_snapshot!(said("(a: [1, 2), b: 3)"), @"1:5: a: `[` is closed by `)`");
    insta::assert_snapshot!(said("(a: (b: [(c: 1"), @"1:10: a.b[0]: `(` is never closed, and neither are 3 around it");
    insta::assert_snapshot!(said("(a: 1]"), @"1:1: `(` is closed by `]`");
    insta::assert_snapshot!(said("(a: 1])"), @"1:6: a: nothing is open that `]` could close");
    insta::assert_snapshot!(said("(a: 1))"), @"1:7: nothing is open that `)` could close");
}

#[test]
fn a_text_without_an_end_ends_with_its_line() {
    insta::assert_snapshot!(said("(\n  a: \"open,\n  b: 1,\n)"), @r#"2:6: a: this text has no end"#);
    insta::assert_snapshot!(said("(\n  a: r##\"open\"#,\n  b: \"closed\",\n)"), @r#"2:6: a: this text has no end"#);
}

#[test]
fn a_missing_quote_is_one_error_at_the_opening_one() {
    for line in ["name: \"thesis,", "name: \"thesis, // a comment", "name: \"thesis", "list: [(a: \"b)], c: [],"] {
        let text = format!(
            "(\n  about: \"two\n  lines\",\n  {line}\n  nodes: [(name: \"a. b\", price: 2)],\n  last: (node: \"it's\"),\n)"
        );
        let column = 3 + line.find('"').unwrap();
        let place = format!("4:{column}: ");
        let found = said(&text);
        assert!(
            found.starts_with(&place) && found.ends_with(": this text does not end on its line"),
            "{text}\n{found}"
        );
        assert_eq!(found.lines().count(), 1, "{found}");
    }
    // An error besides is told once the quote is there; without a missing quote, texts of several lines stay as they are.
    let found = said("(\n  a: \"x,\n  b: \"y\",\n  c: 5%,\n  d: \"z\",\n)");
    insta::assert_snapshot!(found, @"2:6: a: this text does not end on its line");
    let found = said("(\n  a: \"x,\n  y\",\n  c: 5%,\n  d: \"z\",\n)");
    insta::assert_snapshot!(found, @"4:7: c: `%` means nothing here");
    let found = said("(\n  a: \"x,\n  y\",\n  c: [1, 2,\n  d: \"z\",\n)");
    insta::assert_snapshot!(found, @"4:6: c: `[` is never closed");
}

#[test]
fn beside_a_bracket_out_of_place_nothing_else_is_said() {
    let report = grid("(\n    seed: -1,\n    outages: [\n", &[]).unwrap_err();
    insta::assert_snapshot!(report, @"
    grid.ron:3:14: outages: `[` is never closed, and neither is the one around it; close it with `]`
      3 |     outages: [
        |              ^
    ");
}

#[test]
fn deep_nesting_is_one_error() {
    for text in ["[".repeat(1_000_000), "[".repeat(1_000_000) + &"]".repeat(1_000_000), "(a: ".repeat(1_000_000)] {
        let said = said(&text);
        assert!(said.ends_with("brackets are nested too deeply here") && said.lines().count() == 1, "{said}");
    }
    assert_eq!(said(&("[".repeat(128) + &"]".repeat(128))), "");
}
