//! The messages that users get.

use super::*;

#[test]
fn a_good_scenario_is_read() {
    let grid = grid(GOOD, &[]).unwrap();
    assert_eq!((grid.title.as_deref(), grid.seed, grid.nodes.len()), (Some("Two nodes"), 255, 2));
    assert_eq!(grid.nodes[1].price, Price::from_units(3));
    assert!(matches!(&grid.experiment, Experiment::Batch(load) if load.budget == Some(Money::from_units(50))));
    assert_eq!(grid.outages[0].node.as_str(), grid.nodes[1].name.to_string());
}

#[test]
fn errors_of_all_kinds_are_reported_together() {
    let text = r#"(
    titel: "misspelt field",
    seed: -1,
    nodes: [
        (name: "a", performance: NaN),
        (name: "b", price: -2, cores: 0),
        (name: "b"),
        (performance: 1),
        (name: "", risk: "high"),
        (name: "c", risk: 1.5, cores: 2.5,),
        (name: "d", price: 5e9, performance: 1e-9),
        (name: "e", performance: 1..3),
    ],
    experiment: Repat(times: 3),
    outages: [
        (node: "a", start: 20, end: 10),
        (node: "c", start: 0, end: 10),
        (node: "dd", start: 0, end: 1, end: 2),
        (node: "c", start: 5, end: 15),
    ],
)"#;
    insta::assert_snapshot!(grid(text, &[]).unwrap_err());
}

#[test]
fn wrong_shapes_say_what_was_found_and_what_is_wanted() {
    let shapes = |text: &str| load::<Vec<Experiment>>(Source::new("e.ron", text), &[]).unwrap_err();
    let text = r#"[
    5,
    "Idle",
    Idle(),
    Idle(times: 3),
    Batch,
    Batch(5),
    Batch(1, 2),
    Batch(volume: 1, weights: (1, 2, 3)),
    Batch(volume: [1], budget: {1: 2}),
    Batch(Lod(volume: 1)),
    Repeat,
    Repeat(3),
    Repeat(times: true, pause: 'c', strict: Yes),
    Single((node: "a")),
    (times: 3),
]"#;
    insta::assert_snapshot!(shapes(text));
    insta::assert_snapshot!(shapes("Idle"), @"
    e.ron:1:1: found the word `Idle`, not a list; put it in square brackets: `[Idle]`
      1 | Idle
        | ^^^^
    ");
}

#[test]
fn shorthands_of_variants_and_options_are_read() {
    let text = r#"[Batch((volume: 1)), Batch(volume: 1), Batch(Load(volume: 1)), Batch(volume: 1, budget: None)]"#;
    let loads: Vec<Experiment> = load(Source::new("e.ron", text), &[]).unwrap();
    assert!(loads.windows(2).all(|pair| pair[0] == pair[1]));
    let text = "[Batch(volume: 1, budget: Some(5)), Batch(volume: 1, budget: 5)]";
    let loads: Vec<Experiment> = load(Source::new("e.ron", text), &[]).unwrap();
    assert_eq!(loads[0], loads[1]);
    let options: Vec<Option<Load>> = load(Source::new("o.ron", "[(volume: 1), Some((volume: 1))]"), &[]).unwrap();
    assert_eq!(options[0], options[1]);
}

#[test]
fn an_empty_file_is_named_without_a_place() {
    insta::assert_snapshot!(grid("", &[]).unwrap_err(), @"grid.ron: there is nothing here; write a value in RON");
    insta::assert_snapshot!(grid("// nothing\n", &[]).unwrap_err(), @"
    grid.ron:2:1: there is nothing here; write a value in RON
      2 | 
        | ^
    ");
}

#[test]
fn a_program_that_returns_a_report_from_main_shows_the_same_text() {
    let report = grid("(nodes: 3)", &[]).unwrap_err();
    assert_eq!(format!("{report:?}"), report.to_string());
    let boxed: Box<dyn std::error::Error> = report.into();
    assert!(format!("{boxed:?}").starts_with("grid.ron:1:9: nodes: "), "{boxed:?}");
}

#[test]
fn a_misspelt_required_field_is_one_error() {
    let report = grid(r#"(nodse: [(name: "a")], outages: [(node: "a", start: 0, end: 1)])"#, &[]).unwrap_err();
    insta::assert_snapshot!(report, @"
    grid.ron:1:2: nodse: there is no such field; did you mean `nodes`? the fields are `title`, `seed`, `nodes`, `experiment`, `outages`
      1 | (nodse: [(name: \"a\")], outages: [(node: \"a\", start: 0, end: 1)])
        |  ^^^^^
    ");
}

#[test]
fn names_in_unreadable_parts_are_not_missed() {
    for nodes in
        [r#"[(name: "a") ! (name: "b")]"#, r#"[(name: "a"), (name "b", price: @)]"#, r#"Nodes { name: "b", c: "a" }"#]
    {
        let report = grid(&format!(r#"(nodes: {nodes}, outages: [(node: "b", start: 0, end: 1)])"#), &[]).unwrap_err();
        assert!(!report.to_string().contains("there is no node"), "{report}");
    }
}

#[test]
fn the_nearest_name_is_suggested_and_no_distant_one() {
    let nodes = r#"nodes: [(name: "alpha"), (name: "beta")]"#;
    let report = |node: &str| {
        grid(&format!(r#"({nodes}, experiment: Single("{node}"))"#), &[]).unwrap_err().diagnostics()[0].right.clone()
    };
    assert_eq!(report("Alpa"), "did you mean `alpha`? the names are `alpha`, `beta`");
    assert_eq!(report("omega"), "the names are `alpha`, `beta`");
    assert_eq!(report(&"x".repeat(1_000_000)), "the names are `alpha`, `beta`");
    assert_eq!(
        grid(r#"(nodes: [], experiment: Single("a"))"#, &[]).unwrap_err().diagnostics()[0].right,
        "there are none"
    );
}

#[test]
fn declared_types_describe_themselves() {
    let Parts::Fields(fields) = Machine::describe().parts else { panic!("a record has fields") };
    assert_eq!(Machine::describe().doc, "One machine.\n\nIt has an owner.");
    let listing: Vec<_> =
        fields.iter().map(|field| (field.name, field.doc.as_str(), field.default.as_deref())).collect();
    let expected = [
        ("name", "Its name.", None),
        ("performance", "How fast it is.", Some("1")),
        ("price", "What it costs.", Some("0")),
        ("risk", "How likely it fails.", Some("0")),
        ("cores", "How many tasks it takes at once.", Some("1")),
    ];
    assert_eq!(listing, expected);
    let Parts::Variants(variants) = Experiment::describe().parts else { panic!("a choice has variants") };
    assert_eq!(variants.iter().map(|variant| variant.name).collect::<Vec<_>>(), ["Idle", "Batch", "Repeat", "Single"]);
    assert_eq!(variants[3].holds.as_deref(), Some("the name of a node in quotes"));
    assert_eq!(variants[2].fields[1].default.as_deref(), Some("0"));
    assert_eq!(variants[2].fields[1].wanted, Distribution::wanted());
    let Parts::Fields(load) = Load::describe().parts else { panic!("a record has fields") };
    assert_eq!((load[1].default.as_deref(), load[3].default.as_deref()), (Some("None"), Some("(0, 1)")));
}
