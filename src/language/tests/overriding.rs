//! `--set` on good and bad paths.

use super::*;

#[test]
fn overrides_replace_and_add() {
    let changes = [
        "nodes[0].price=7",
        "nodes.1.name=c",
        "outages[0].node=\"c\"",
        "experiment.horizon = 12.5",
        "experiment.weights=(0, 1)",
        "experiment.weights[1]=4",
        "title=None",
        "seed=1",
        "seed=2",
    ];
    let grid = grid(GOOD, &changes).unwrap();
    assert_eq!((grid.nodes[0].price, grid.nodes[1].name.as_str(), grid.seed), (Price::from_units(7), "c", 2));
    assert_eq!((grid.title, grid.outages[0].node.as_str()), (None, "c"));
    let Experiment::Batch(load) = grid.experiment else { panic!("{:?}", grid.experiment) };
    assert_eq!((load.horizon, load.weights.1), (Length::from_f64(12.5).unwrap(), Positive::of(4.0)));
}

#[test]
fn paths_go_through_words_options_and_parts_that_are_not_there() {
    let text = "(nodes: [], title: Some(\"x\"), experiment: Repeat)";
    let read = grid(text, &["experiment.times=3", "experiment.pause=Uniform(low: 1, high: 2)"]).unwrap();
    assert!(matches!(read.experiment, Experiment::Repeat { times, .. } if times == Count::of(3)));
    assert_eq!(grid(text, &["experiment=Idle", "title=new"]).unwrap().title.as_deref(), Some("new"));

    let options = |text: &str, changes: &[&str]| -> Option<Load> {
        let changes: Vec<String> = changes.iter().map(|text| text.to_string()).collect();
        load(Source::new("o.ron", text), &changes).unwrap()
    };
    assert_eq!(options("None", &["volume=2"]).unwrap().volume, Volume::from_units(2));
    assert_eq!(options("Some((volume: 1))", &["volume=2"]).unwrap().volume, Volume::from_units(2));
    assert_eq!(options("(volume: 1)", &["volume=2"]).unwrap().volume, Volume::from_units(2));
    assert_eq!(options("()", &["volume=2", "weights=(1, 1)", "weights.0=9"]).unwrap().weights.0, NonNegative::of(9.0));
    let list: Vec<u32> = load(Source::new("l.ron", "[1, 2]"), &["[1]=5".to_owned(), "0=4".to_owned()]).unwrap();
    assert_eq!(list, [4, 5]);
}

#[test]
fn a_star_stands_for_every_element() {
    let read = grid(GOOD, &["nodes[*].price=3"]).unwrap();
    assert!(read.nodes.len() > 1 && read.nodes.iter().all(|node| node.price == Price::from_units(3)));
    let report = grid(GOOD, &["seed[*]=3"]).unwrap_err();
    assert_eq!(report.diagnostics()[0].wrong, "`[*]` leads into a number");
    assert!(grid("(nodes: [])", &["nodes[*].price=3"]).is_err(), "there is no element");
}

#[test]
fn bad_overrides_are_all_reported_in_their_own_text() {
    let changes = [
        "seed",
        "=5",
        " =5",
        "nodes[7].price=1",
        "nodes[x].price=1",
        "nodes..price=1",
        "seed.deeper=1",
        "nodes.price=1",
        "title[0]=1",
        "experiment.volume=-1",
        "experiment.horizont=1",
        "experiment.weights[1]=4",
        "seed=[1, @",
        "nodes[0].risk=",
        "seed=word",
        "weights=1 2",
        "outages[0].node=\"z\"",
    ];
    insta::assert_snapshot!(grid(GOOD, &changes).unwrap_err(), @r##"
    --set seed: there is no `=`; write `--set path.to.field=value`
      1 | seed
        | ^^^^
    --set =5: the path before `=` is empty; write names and indices, as in `nodes.0.price=5`
      1 | =5
        | ^
    --set  =5: the path before `=` is empty; write names and indices, as in `nodes.0.price=5`
      1 |  =5
        | ^
    --set nodes[7].price=1: nodes[7].price: there is no element 7; the indices are 0 to 1
      1 | nodes[7].price=1
        | ^^^^^^^^
    --set nodes[x].price=1: `nodes[x]` is not a step of a path; write names and indices, as in `nodes.0.price=5`
      1 | nodes[x].price=1
        | ^^^^^^^^^^^^^^
    --set nodes..price=1: `` is not a step of a path; write names and indices, as in `nodes.0.price=5`
      1 | nodes..price=1
        | ^^^^^^^^^^^^
    --set seed.deeper=1: seed.deeper: `deeper` leads into a number; name fields only where there are some
      1 | seed.deeper=1
        |      ^^^^^^
    --set nodes.price=1: nodes.price: `price` leads into a list; give an index: `[0].price`, or `[*].price` for every element
      1 | nodes.price=1
        |       ^^^^^
    --set title[0]=1: title[0]: index 0 leads into text; give an index only where there is a list
      1 | title[0]=1
        | ^^^^^^^^
    --set experiment.volume=-1: experiment.volume: -1 is out of range; give an amount of work of at least 0, at most 1e9
      1 | experiment.volume=-1
        |                   ^^
    --set experiment.horizont=1: experiment.horizont: there is no such field; did you mean `horizon`? the fields are `volume`, `budget`, `horizon`, `weights`
      1 | experiment.horizont=1
        |            ^^^^^^^^
    --set experiment.weights[1]=4: experiment.weights[1]: there is nothing yet to index; set the field as a whole
      1 | experiment.weights[1]=4
        |            ^^^^^^^^^^
    --set seed=[1, @: seed: `[` is never closed; close it with `]`
      1 | seed=[1, @
        |      ^
    --set nodes[0].risk=: nodes[0].risk: there is nothing here; write a value in RON
      1 | nodes[0].risk=
        |               ^
    --set seed=word: seed: found the word `word`; give a whole number of at least 0
      1 | seed=word
        |      ^^^^
    --set weights=1 2: weights: there is no such field; did you mean `experiment.weights`? the fields are `title`, `seed`, `nodes`, `experiment`, `outages`
      1 | weights=1 2
        | ^^^^^^^
    --set weights=1 2: weights: `2` is unexpected here; there should be the end of the text
      1 | weights=1 2
        |           ^
    --set outages[0].node="z": outages[0].node: there is no node `z`; the names are `a`, `b`
      1 | outages[0].node="z"
        |                 ^^^
    "##);
}

#[test]
fn an_index_into_a_field_that_does_not_exist_is_told_by_the_field_alone() {
    for path in ["weights[1]", "weights.1", "weights[*].x"] {
        let report = grid(GOOD, &[&format!("{path}=4")]).unwrap_err();
        let [found] = report.diagnostics() else { panic!("{report}") };
        assert_eq!(found.wrong, "there is no such field");
        assert!(found.right.starts_with("did you mean `experiment.weights`?"), "{report}");
    }
}

#[test]
fn errors_in_file_and_overrides_come_together() {
    let report = grid("(nodes: [], seed: x, title: 7)", &["title=5", "seed=[", "experiment.times=1"]).unwrap_err();
    insta::assert_snapshot!(report, @r##"
    --set title=5: title: found a number; give text in quotes
      1 | title=5
        |       ^
    --set seed=[: seed: `[` is never closed; close it with `]`
      1 | seed=[
        |      ^
    --set experiment.times=1: experiment: found fields in brackets; give one of `Idle`, `Batch`, `Repeat`, `Single`
      1 | experiment.times=1
        | ^^^^^^^^^^
    "##);
}

#[test]
fn an_endless_path_is_one_error() {
    let path = format!("{}=1", "a.".repeat(100_000) + "a");
    let report = grid(GOOD, &[&path]).unwrap_err();
    assert_eq!((report.len(), report.diagnostics()[0].wrong.as_str()), (1, "the path is too long"));
}

#[test]
fn words_do_for_text_in_overrides_only() {
    assert_eq!(grid("(nodes: [])", &["title=abc"]).unwrap().title.as_deref(), Some("abc"));
    let report = grid("(nodes: [], title: abc)", &[]).unwrap_err();
    assert_eq!(report.diagnostics()[0].wrong, "found the word `abc`");
}
