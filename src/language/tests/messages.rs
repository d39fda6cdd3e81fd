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
    insta::assert_snapshot!(grid(text, &[]).unwrap_err(), @r##"
    grid.ron:2:5: titel: there is no such field; did you mean `title`? the fields are `title`, `seed`, `nodes`, `experiment`, `outages`
      2 |     titel: "misspelt field",
        |     ^^^^^
    grid.ron:3:11: seed: -1 is out of range; give a whole number of at least 0
      3 |     seed: -1,
        |           ^^
    grid.ron:5:34: nodes[0].performance: NaN is not a finite number; give a performance of at least 0.000001, at most 1e9
      5 |         (name: "a", performance: NaN),
        |                                  ^^^
    grid.ron:6:28: nodes[1].price: -2 is out of range; give a price of at least 0, at most 1e9
      6 |         (name: "b", price: -2, cores: 0),
        |                            ^^
    grid.ron:6:39: nodes[1].cores: 0 is out of range; give a whole number of at least 1
      6 |         (name: "b", price: -2, cores: 0),
        |                                       ^
    grid.ron:7:16: nodes[2].name: the node `b` is there already, on line 6; give each node a name of its own
      7 |         (name: "b"),
        |                ^^^
    grid.ron:8:9: nodes[3]: the field `name` is missing; give a name for the node in quotes
      8 |         (performance: 1),
        |         ^^^^^^^^^^^^^^^^
    grid.ron:9:16: nodes[4].name: the name is empty; give each node a name of its own
      9 |         (name: "", risk: "high"),
        |                ^^
    grid.ron:9:26: nodes[4].risk: found text; give a number from 0 to 1
      9 |         (name: "", risk: "high"),
        |                          ^^^^^^
    grid.ron:10:27: nodes[5].risk: 1.5 is out of range; give a number from 0 to 1
      10 |         (name: "c", risk: 1.5, cores: 2.5,),
         |                           ^^^
    grid.ron:10:39: nodes[5].cores: 2.5 is not a whole number; give a whole number of at least 1
      10 |         (name: "c", risk: 1.5, cores: 2.5,),
         |                                       ^^^
    grid.ron:11:28: nodes[6].price: 5e9 is beyond ±1e9; give a price of at least 0, at most 1e9
      11 |         (name: "d", price: 5e9, performance: 1e-9),
         |                            ^^^
    grid.ron:11:46: nodes[6].performance: 1e-9 is out of range; give a performance of at least 0.000001, at most 1e9
      11 |         (name: "d", price: 5e9, performance: 1e-9),
         |                                              ^^^^
    grid.ron:12:34: nodes[7].performance: `1..3` is not a number; the values of a sweep are `(from: 1, to: 3, step: ...)` or a list, `[1, ..., 3]`; a distribution is `Uniform(low: 1, high: 3)`
      12 |         (name: "e", performance: 1..3),
         |                                  ^^^^
    grid.ron:14:17: experiment: there is no choice `Repat`; did you mean `Repeat`? the choices are `Idle`, `Batch`, `Repeat`, `Single`
      14 |     experiment: Repat(times: 3),
         |                 ^^^^^
    grid.ron:16:37: outages[0].end: the end, 10, is before the start, 20; end after the start
      16 |         (node: "a", start: 20, end: 10),
         |                                     ^^
    grid.ron:18:16: outages[2].node: there is no node `dd`; did you mean `d`? the names are `a`, `b`, `c`, `d`, `e`
      18 |         (node: "dd", start: 0, end: 1, end: 2),
         |                ^^^^
    grid.ron:18:40: outages[2]: the field `end` is given twice, first on line 18; remove one of them
      18 |         (node: "dd", start: 0, end: 1, end: 2),
         |                                        ^^^
    grid.ron:19:9: outages[3]: this overlaps the outage on line 17; keep outages of one node apart
      19 |         (node: "c", start: 5, end: 15),
         |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "##);
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
    insta::assert_snapshot!(shapes(text), @r##"
    e.ron:2:5: [0]: found a number; give one of `Idle`, `Batch`, `Repeat`, `Single`
      2 |     5,
        |     ^
    e.ron:3:5: [1]: found text; write `Idle` without quotes
      3 |     "Idle",
        |     ^^^^^^
    e.ron:4:5: [2]: `Idle` takes nothing in brackets; write `Idle`
      4 |     Idle(),
        |     ^^^^^^
    e.ron:5:5: [3]: `Idle` takes nothing in brackets; write `Idle`
      5 |     Idle(times: 3),
        |     ^^^^^^^^^^^^^^
    e.ron:6:5: [4]: the field `volume` is missing; give an amount of work of at least 0, at most 1e9
      6 |     Batch,
        |     ^^^^^
    e.ron:7:11: [5]: found a number; give `(volume: ..., budget: ..., horizon: ..., weights: ...)`
      7 |     Batch(5),
        |           ^
    e.ron:8:5: [6]: found several values in brackets; give `(volume: ..., budget: ..., horizon: ..., weights: ...)`
      8 |     Batch(1, 2),
        |     ^^^^^^^^^^^
    e.ron:9:31: [7].weights: found values in brackets; give a pair `(..., ...)` of a number of at least 0 and a number above 0
      9 |     Batch(volume: 1, weights: (1, 2, 3)),
        |                               ^^^^^^^^^
    e.ron:10:19: [8].volume: found a list; give an amount of work of at least 0, at most 1e9
      10 |     Batch(volume: [1], budget: {1: 2}),
         |                   ^^^
    e.ron:10:32: [8].budget: found a map; give an amount of money of at least 0, at most 1e9
      10 |     Batch(volume: [1], budget: {1: 2}),
         |                                ^^^^^^
    e.ron:11:11: [9]: found `Lod`; write `Load(...)` or just `(...)`
      11 |     Batch(Lod(volume: 1)),
         |           ^^^^^^^^^^^^^^
    e.ron:12:5: [10]: the field `times` is missing; give a whole number of at least 1
      12 |     Repeat,
         |     ^^^^^^
    e.ron:13:5: [11]: `Repeat` takes named fields; write `Repeat(times: ..., pause: ..., strict: ...)`
      13 |     Repeat(3),
         |     ^^^^^^^^^
    e.ron:14:19: [12].times: found `true`; give a whole number of at least 1
      14 |     Repeat(times: true, pause: 'c', strict: Yes),
         |                   ^^^^
    e.ron:14:32: [12].pause: found a character; give one of `Constant`, `Uniform`, `UniformInteger`, `Normal`, `Exponential`, `LogNormal`, `Weibull`, `Discrete`, `Empirical`, or a number
      14 |     Repeat(times: true, pause: 'c', strict: Yes),
         |                                ^^^
    e.ron:14:45: [12].strict: found the word `Yes`; give true or false
      14 |     Repeat(times: true, pause: 'c', strict: Yes),
         |                                             ^^^
    e.ron:15:12: [13]: found fields in brackets; give text in quotes
      15 |     Single((node: "a")),
         |            ^^^^^^^^^^^
    e.ron:16:5: [14]: found fields in brackets; give one of `Idle`, `Batch`, `Repeat`, `Single`
      16 |     (times: 3),
         |     ^^^^^^^^^^
    "##);
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
