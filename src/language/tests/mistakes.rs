//! Habits from other languages, and what is said about them.

use super::*;

record! {
    /// An experiment with a unit of time.
    struct Timed {
        /// The unit.
        time_unit: String = "time units".to_string(),
        /// A length of time.
        period: Length = Length::ZERO,
        /// An instant.
        start: Time = Time::ZERO,
        /// Times that are drawn.
        gap: Option<InTime<Distribution>>,
        /// An amount of work.
        volume: Volume = Volume::ZERO,
        /// A number.
        factor: Positive = Positive::ONE,
        /// More of them.
        parts: Vec<TimedPart> = Vec::new(),
    }
}

record! {
    /// A part, whose times have the unit of the whole.
    struct TimedPart {
        /// A length of time.
        length: Length,
    }
}

fn timed(text: &str, overrides: &[&str]) -> Result<Timed, Report> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    load(Source::new("t.ron", text), &overrides)
}

fn said<T: std::fmt::Debug>(read: Result<T, Report>) -> String {
    let lines = |report: Report| {
        let said = report.diagnostics().iter().map(|of| format!("{}: {}; {}", of.path, of.wrong, of.right));
        said.collect::<Vec<_>>().join("\n")
    };
    read.map_or_else(lines, |read| panic!("{read:?}"))
}

#[test]
fn comments_begin_with_two_strokes() {
    insta::assert_snapshot!(grid("# a grid\n(nodes: [], seed: 1)", &[]).unwrap_err(), @"
    grid.ron:1:1: `#` begins no comment; comments begin with `//`
      1 | # a grid
        | ^
    ");
    assert!(grid("#![enable(implicit_some)]\n(nodes: [])", &[]).is_ok());
}

#[test]
fn ranges_are_not_written_with_dots() {
    for range in ["0.1..1.0", "0.1..=1.0", "[0.1..1.0]"] {
        let said = said(load::<Vec<Finite>>(Source::new("r.ron", range), &[]));
        let advice = "(from: 0.1, to: 1.0, step: ...)` or a list, `[0.1, ..., 1.0]`; a distribution is \
            `Uniform(low: 0.1, high: 1.0)`";
        assert!(said.contains("is not a number; the values of a sweep are `") && said.contains(advice), "{said}");
    }
    insta::assert_snapshot!(said(grid("(nodes: [], seed: 1..)", &[])), @"seed: `1..` is not a number; the values of a sweep are `(from: 1, to: 1, step: ...)` or a list, `[1, ..., 1]`; a distribution is `Uniform(low: 1, high: 1)`");
}

#[test]
fn null_says_what_to_write() {
    let text = "(nodes: null, title: null, seed: null, outages: nil, experiment: Batch(volume: none))";
    insta::assert_snapshot!(said(grid(text, &[])), @"
    nodes: `null` means nothing here; give a list `[...]` with, for each element, `(name: ..., performance: ..., price: ..., risk: ..., cores: ...)`
    title: `null` means nothing here; write `None`, or leave the field out
    seed: `null` means nothing here; leave the field out, or give a whole number of at least 0
    outages: `nil` means nothing here; leave the field out, or give a list `[...]` with, for each element, `(node: ..., start: ..., end: ...)`
    experiment.volume: `none` means nothing here; give an amount of work of at least 0, at most 1e9
    ");
    // In an override, a word may be text.
    assert_eq!(grid("(nodes: [])", &["title=none"]).unwrap().title.as_deref(), Some("none"));
    assert!(grid("(nodes: [])", &["title=null"]).is_err());
}

#[test]
fn numbers_that_are_whole_may_be_written_with_point_or_exponent() {
    let seed = |text: &str| grid(&format!("(nodes: [], seed: {text})"), &[]).map(|grid| grid.seed);
    assert_eq!([seed("1e3").unwrap(), seed("1000.0").unwrap(), seed("1.5e1").unwrap()], [1000, 1000, 15]);
    insta::assert_snapshot!(said(seed("1.5")), @"seed: 1.5 is not a whole number; give a whole number of at least 0");
    insta::assert_snapshot!(said(seed("-1e3")), @"seed: -1e3 is out of range; give a whole number of at least 0");
    insta::assert_snapshot!(said(seed("1e300")), @"seed: 1e300 is too large; give a whole number of at least 0");
}

#[test]
fn a_field_in_the_wrong_place_is_found_where_it_belongs() {
    let text = r#"(nodes: [(name: "a")], experiment: Batch(volume: 1))"#;
    insta::assert_snapshot!(said(grid(text, &["horizon=48"])), @"horizon: there is no such field; did you mean `experiment.horizon`? the fields are `title`, `seed`, `nodes`, `experiment`, `outages`");
    insta::assert_snapshot!(said(grid(text, &["experiment.seed=4"])), @"experiment.seed: there is no such field; did you mean `seed`? the fields are `volume`, `budget`, `horizon`, `weights`");
    insta::assert_snapshot!(said(grid(text, &["pric=4"])), @"pric: there is no such field; did you mean `nodes[0].price`? the fields are `title`, `seed`, `nodes`, `experiment`, `outages`");
    let nowhere = said(grid(text, &["zzz=4"]));
    assert!(!nowhere.contains("did you mean"), "{nowhere}");
}

#[test]
fn two_changes_in_one_override_are_told_apart() {
    let report = grid("(nodes: [])", &["seed=1,title=x"]).unwrap_err();
    insta::assert_snapshot!(report, @"
    --set seed=1,title=x: seed: this is a second change; give each a `--set` of its own: `--set seed=1 --set title=x`
      1 | seed=1,title=x
        |       ^^^^^^^^
    ");
    let nodes = r#"nodes=[(name: "a, b=2", price: 1), (name: "b")]"#;
    assert_eq!(grid("(nodes: [])", &[nodes]).unwrap().nodes.len(), 2, "commas in quotes and brackets are no changes");
}

#[test]
fn times_may_have_units() {
    let plain = timed(
        "(time_unit: \"minutes\", period: 90, start: 1440, gap: Exponential(mean: 0.5), parts: [(length: 0.25)])",
        &[],
    );
    let text = "(time_unit: \"minutes\", period: \"1 h 30 min\", start: \"1 day\", gap: Exponential(mean: \"30 s\"), \
        parts: [(length: \"15s\")])";
    assert_eq!(timed(text, &[]).unwrap(), plain.unwrap());
    let gap = |text: &str| timed(&format!("(gap: {text}, time_unit: \"hours\")"), &[]).unwrap().gap.unwrap().mean();
    assert_eq!([gap("\"30 min\""), gap("Uniform(low: \"1 h\", high: \"2 h\")")], [0.5, 1.5]);
    // A shell takes quotes away.
    let read = timed("(time_unit: \"seconds\")", &["period=2 min", "parts=[]"]).unwrap();
    assert_eq!(read.period, Length::from_units(120));
    assert!(to_ron(&read).contains("period: 120.0"), "{}", to_ron(&read));
}

#[test]
fn units_without_a_unit_of_time_are_refused() {
    insta::assert_snapshot!(said(timed("(period: \"10 min\")", &[])), @r#"period: "10 min" can't be converted: nothing says how long a unit of time is; give `time_unit: "minutes"`, or seconds, hours, days or weeks; or a plain number"#);
    insta::assert_snapshot!(said(timed("(period: \"10 min\", time_unit: \"ticks\")", &[])), @r#"period: "10 min" can't be converted: "ticks", the `time_unit`, is no known unit; give `time_unit: "minutes"`, or seconds, hours, days or weeks; or a plain number"#);
    insta::assert_snapshot!(said(grid("(nodes: [], experiment: Batch(volume: 1, horizon: \"10 min\"))", &[])), @r#"experiment.horizon: "10 min" can't be converted: this kind of experiment has no `time_unit`; give a plain number"#);
    let all = "(time_unit: \"s\", period: \"10\", start: \"10 m\", gap: \"soon\", volume: \"10 min\", factor: \"2 h\")";
    insta::assert_snapshot!(said(timed(all, &[])), @r#"
    period: "10" is a number in quotes; remove the quotes, or add a unit: "10 min"
    start: "10 m" is no length of time: `m` is no unit of time; the units are s, min, h, d and w, as in "1 h 30 min"
    gap: "soon" is no length of time; give a number, or numbers with their units: "1 h 30 min"
    volume: found text; give an amount of work of at least 0, at most 1e9
    factor: found text; give a number above 0
    "#);
    let weibull = said(timed("(time_unit: \"s\", gap: Weibull(shape: \"1 s\", scale: \"1 min\"))", &[]));
    assert_eq!(weibull, "gap.shape: found text; give a number above 0");
}

#[test]
fn quotes_brackets_and_commas_in_the_wrong_place_say_what_to_write() {
    let text = r#"(nodes: (name: "a"), seed: "5", experiment: "Idle")"#;
    insta::assert_snapshot!(said(grid(text, &[])), @r#"
    nodes: found fields in brackets, not a list; put it in square brackets: `[(name: "a")]`
    seed: "5" is a number in quotes; remove the quotes
    experiment: found text; write `Idle` without quotes
    "#);
    let node = |field: &str| said(grid(&format!("(nodes: [(name: \"a\", {field})])"), &[]));
    assert_eq!(
        node("risk: 0,4"),
        "nodes[0]: a value has no field name; write 0.4, not 0,4, and 1000 or 1_000, not 1,000"
    );
    let share = "nodes[0].price: `%` means nothing here; write a share as a number: 0.4 for 40 %";
    assert_eq!(node("price: 40%"), share);
    assert_eq!(node("risk: 0, 6"), "nodes[0]: a value has no field name; write `name: value`");
    let node = |text: &str| said(timed(&format!("(period: {text})"), &[]));
    assert_eq!(node("10min"), "period: `10min` is not a number; put a length of time in quotes: `\"10min\"`");
    assert_eq!(node("10 min"), "period: `min` is unexpected here; put a length of time in quotes: `\"10 min\"`");
    let name = said(grid("(nodes: [], title: 'Small')", &[]));
    assert_eq!(name, "title: `'Small'` can't be read; write text in double quotes");
    let text = r#"(nodes: [(name: "a")])"#;
    let list = said(grid(text, &["nodes.price=3", "seed:3"]));
    assert!(list.contains("give an index: `[0].price`, or `[*].price` for every element"), "{list}");
    assert!(list.contains("there is no `=`; write `--set seed=3`"), "{list}");
}

record! {
    /// A stay, as it is written now.
    struct Stay {
        /// Where.
        at: Place,
        /// How long.
        #[unit = "nights"]
        nights: u64,
        /// With whom.
        with: Vec<String> = Vec::new(),
    }
    moved("city", "(\n    at: (town: {city}, street: {street|\"any\"}),\n    with: {with},\n    nights: {nights},\n)")
}

record! {
    /// A place.
    struct Place {
        /// Its town.
        town: String,
        /// Its street.
        street: String,
    }
}

#[test]
fn a_form_that_is_no_longer_read_is_shown_as_it_is_written_now() {
    let text = "[\n  (\n    nights: 2,\n    city: \"Rome\",\n    with: [\n      \"Ann\",\n    ],\n  ),\n  (city: \"Bonn\", nights: \"x\")]";
    let report = load::<Vec<Stay>>(Source::new("s.ron", text), &[]).unwrap_err();
    insta::assert_snapshot!(report, @r#"
    s.ron:2:3: [0]: `city` is of a form that is no longer read; write
      (
          at: (town: "Rome", street: "any"),
          with: [
            "Ann",
          ],
          nights: 2,
      )
      2 |   (
        |   ^
    s.ron:9:3: [1]: `city` is of a form that is no longer read; write
      (
          at: (town: "Bonn", street: "any"),
          nights: "x",
      )
      9 |   (city: "Bonn", nights: "x")]
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#);
}
