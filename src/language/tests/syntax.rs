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
        r#e: (), f: Unit, g: (1, -2.5e-3, +0x1F, 1_000), h: inf, i: \"a\\\nb\", ) // the end";
    let (node, errors) = tree(text);
    assert_eq!(errors, Vec::<String>::new());
    let Value::Group(group) = node.value else { panic!("{node:?}") };
    let Body::Fields(fields) = group.body else { panic!("{group:?}") };
    let names: String = fields.iter().map(|field| field.name.text.as_str()).collect();
    assert_eq!((group.name.unwrap().text.as_str(), names.as_str()), ("Name", "abcdefghi"));
    assert!(matches!(&fields[3].value.value, Value::Text(text) if text == "raw \"text\" "));
    assert!(matches!(fields[7].value.value, Value::Float(f64::INFINITY)));
}

/// The text of every value in the tree, whose places are those of the values without what is around them.
#[test]
fn every_value_knows_its_place() {
    let text = "/* a */ Name /* b */ (a /* c */ : /* d */ [ 1 /* e */ , (2) , Unit /* f */ ] , b: Some( x ) , ) // end";
    let source = Source::new("s", text);
    fn places(node: &TextNode, source: &Source, found: &mut Vec<String>) {
        found.push(source.slice(node.span.start, node.span.end).to_owned());
        match &node.value {
            Value::List(items) => items.iter().for_each(|item| places(item, source, found)),
            Value::Group(group) => match &group.body {
                Body::Bare => (),
                Body::Items(items) => items.iter().for_each(|item| places(item, source, found)),
                Body::Fields(fields) => fields.iter().for_each(|field| {
                    found.push(source.slice(field.name.span.start, field.name.span.end).to_owned());
                    places(&field.value, source, found);
                }),
            },
            _ => (),
        }
    }
    let mut found = Vec::new();
    places(&tree(text).0, &source, &mut found);
    let whole = &text[8..text.len() - 7];
    let list = "[ 1 /* e */ , (2) , Unit /* f */ ]";
    assert_eq!(found, [whole, "a", list, "1", "(2)", "2", "Unit", "b", "Some( x )", "x"]);
}

#[test]
fn whole_numbers_stay_exact_and_others_are_the_nearest_doubles() {
    let number = |text: &str| tree(text).0.value;
    for (text, expected) in [
        ("18446744073709551615", u64::MAX.into()),
        ("-9_223_372_036_854_775_808", i64::MIN.into()),
        ("123456789012345678901234567890", 123_456_789_012_345_678_901_234_567_890),
        ("+7", 7),
        ("0xFF_u8", 255),
        ("-0b101", -5),
        ("0o17i64", 15),
    ] {
        assert!(matches!(number(text), Value::Integer(value) if value == expected), "{text}: {:?}", number(text));
    }
    for (text, expected) in
        [("1.5", 1.5), ("-.5e1", -5.0), ("2.", 2.0), ("0.1", 0.1), ("3f64", 3.0), ("1e999", f64::INFINITY)]
    {
        assert!(matches!(number(text), Value::Float(value) if value == expected), "{text}: {:?}", number(text));
    }
    assert!(matches!(number(&"9".repeat(60)), Value::Float(value) if value == 1e60));
    assert!(matches!(number("+NaN"), Value::Float(value) if value.is_nan()));
}

#[test]
fn what_can_stand_nowhere_is_told_first() {
    let all = [
        ("(a: 1.2.3)", "1:5: a: `1.2.3` is not a number"),
        ("(b: $)", "1:5: b: `$` means nothing here"),
        ("(c: 'long text')", "1:5: c: `'long text'` can't be read"),
        ("(c: it's)", "1:7: c: this apostrophe opens no character"),
        ("(d: \"ab\\q\")", "1:8: d: `\\q` can't be read"),
        ("(d: \"ab\\x4\")", "1:8: d: `\\x` can't be read"),
        ("(d: \"\\u{110000}\")", "1:6: d: `\\u` can't be read"),
        ("(d: \"\\xA9\")", "1:6: d: `\\xA9` can't be read"),
        ("(e: --1)", "1:5: e: `--1` is not a number"),
        ("(e: 12abc)", "1:5: e: `12abc` is not a number"),
        ("(e: 1e)", "1:5: e: `1e` is not a number"),
        ("(f: “g”)", "1:5: f: `“` means nothing here"),
        ("(f = 6)", "1:4: `=` means nothing here"),
        ("(f: 6; g: 7)", "1:6: f: `;` means nothing here"),
        ("#[enable]\n5", "1:1: `#` begins no comment"),
        ("#![enable\n5", "1:1: this is not a header"),
        ("#![enable(all)]\n5", "1:1: there is no extension `all` of RON"),
        ("5 /* open /* twice */", "1:3: this comment has no end"),
    ];
    for (text, expected) in all {
        assert_eq!(said(text), expected, "{text}");
    }
}

#[test]
fn what_ron_allows_and_a_scenario_does_not_costs_only_its_field() {
    insta::assert_snapshot!(said("(a: b\"x\", b: b'a', c: [0..5, ..], d: 1, d: 2, e: (f: .., f: 1), g: inf..)"), @"
    1:5: a: text takes no prefix
    1:14: b: text takes no prefix
    1:24: c[0]: `0..5` is not a number
    1:30: c[1]: `..` is not a number
    1:41: the field `d` is given twice, first on line 1
    1:54: e.f: `..` is not a number
    1:58: e: the field `f` is given twice, first on line 1
    1:68: g: `inf..` is not a number
    ");
}

/// What the guide says of RON here.
#[test]
fn notations_of_ron_are_taken_as_ron_takes_them() {
    let value = |text: &str| tree(text).0.value;
    assert!(
        matches!(value("1_000.5_0"), Value::Float(1000.5)) && matches!(value("0.1f32"), Value::Float(v) if v != 0.1)
    );
    assert!(matches!(value("300u16"), Value::Integer(300)));
    assert_eq!(said("[300u8]"), "1:2: [0]: `300u8` is not a number");
    assert_eq!(said("[1._5]"), "1:2: [0]: `1._5` is not a number");
    assert_eq!(said("(r#a: 1, r#b.c: r#d-e)"), "");
    assert_eq!(said("#![schema = \"s\"]\n5"), "");
    assert_eq!(said("/* a /* b */ c */ Some(()) // d"), "");
    assert_eq!(said("r##\"a\"#b\"##"), "");
}

#[test]
fn punctuation_is_told_where_it_is_missing_or_too_much() {
    let all = [
        ("(a: 1 b: 2)", "1:6: a: a comma is missing here"),
        ("(b: [1 2])", "1:7: b[0]: a comma is missing here"),
        ("(b: [1, , 3])", "1:9: b[1]: `,` is unexpected here"),
        ("(c 5, d: 1)", "1:3: a colon is missing after `c`"),
        ("(a: 1, c 5)", "1:9: c: a colon is missing after `c`"),
        ("(a: 1, d, e: 2)", "1:9: d: a colon is missing after `d`"),
        ("(a: 1, d)", "1:9: d: a colon is missing after `d`"),
        ("(e: , f: 1)", "1:4: e: a value is missing here"),
        ("(e: )", "1:4: e: a value is missing here"),
        ("(i:\n j: 1)", "1:4: i: a value is missing here"),
        ("(\"g\": 7)", "1:2: the name of a field is in quotes"),
        ("(a: 1, \"g\": 7)", "1:8: the name of a field is in quotes"),
        ("(a: 1, 8)", "1:8: a value has no field name"),
        ("(8, a: 1)", "1:2: a value has no field name"),
        ("(a: 0,4)", "1:7: a value has no field name"),
        ("(a: 1, {1: 2})", "1:8: a value has no field name"),
        ("(a: 1, b-c: 2)", "1:8: `b-c` is not a name"),
        ("5 6", "1:3: `6` is unexpected here"),
        (", 5", "1:1: `,` is unexpected here"),
        ("{1: 2, 3, 4: 5}", "1:8: a colon is missing after this"),
        ("{4: }", "1:4: a value is missing here"),
        ("(a: Name { b: 1 })", "1:10: a: `Name` can't be followed by a curly bracket"),
        ("(a: Some)", "1:9: a: `Some` holds one value in brackets"),
        ("Some", "1:1: `Some` holds one value in brackets"),
        ("(a: Some(b: 1))", "1:11: a: `Some` holds one value in brackets"),
        ("(a: [b: 1])", "1:7: a[0]: `:` is unexpected here"),
        ("(a:: 1)", "1:4: a: `:` is unexpected here"),
    ];
    for (text, expected) in all {
        assert_eq!(said(text), expected, "{text}");
    }
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
    assert_eq!(said(&("[".repeat(16) + &"]".repeat(16))), "");
    assert!(said(&("[".repeat(17) + &"]".repeat(17))).starts_with("1:17: "));
}
