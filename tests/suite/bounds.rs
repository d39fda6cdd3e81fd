//! What a message says of a bound is what is accepted: `at least 0` takes 0, `above 0` does not.

use gridloom::language::{Describe, Parts, Source};
use gridloom::study::{Experiment, load_study};
use serde_json::Value;

/// The paths of all numbers in a scenario, as overrides write them.
fn numbers(value: &Value, path: &str, found: &mut Vec<String>) {
    let field = |name: &str| if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
    match value {
        Value::Number(_) => found.push(path.to_string()),
        Value::Array(elements) => {
            elements.iter().enumerate().for_each(|(at, element)| numbers(element, &format!("{path}[{at}]"), found));
        }
        Value::Object(fields) => {
            for (name, value) in fields {
                // The name of a variant is no part of a path.
                let is_variant = name.starts_with(|first: char| first.is_ascii_uppercase());
                numbers(value, &if is_variant { path.to_string() } else { field(name) }, found);
            }
        }
        _ => (),
    }
}

/// The number behind some words of a text.
fn number_behind(text: &str, words: &str) -> Option<f64> {
    let rest = &text[text.find(words)? + words.len()..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || ".-e".contains(c))).unwrap_or(rest.len());
    rest[..end].trim_end_matches('.').parse().ok()
}

/// What is said at a path when a number is set there.
fn said(starter: &str, path: &str, number: f64) -> Option<String> {
    let number =
        if number.abs() < 1e15 && number == number.trunc() { format!("{number:.0}") } else { format!("{number:e}") };
    let report = load_study(&Source::new("s.ron", starter), &[format!("{path}={number}")]).err()?.to_string();
    // `--set path=number: path: what is wrong; what would be right`
    let own = format!(": {path}: ");
    report.lines().find_map(|line| line.split_once(&own).map(|(_, said)| said.to_string()))
}

#[test]
fn the_bound_itself_is_accepted_exactly_if_the_message_says_so() {
    let Parts::Variants(kinds) = Experiment::describe().parts else { panic!("experiments are a choice") };
    let (mut closed, mut open, mut high) = (0, 0, 0);
    let mut contradictions = Vec::new();
    for kind in kinds {
        let starter = kind.starter.unwrap();
        let study = load_study(&Source::new("s.ron", starter), &[]).unwrap();
        let mut paths = Vec::new();
        numbers(&serde_json::to_value(study.scenario()).unwrap(), "", &mut paths);
        paths.dedup();
        for path in paths {
            let is_refused_as_low = |number| {
                said(starter, &path, number)
                    .is_some_and(|said| ["above 0", "more than 0"].iter().any(|word| said.contains(word)))
            };
            let Some(low) = said(starter, &path, -987_654_321.0) else { continue };
            let place = format!("{}: {path}: {low}", kind.name);
            if let Some(bound) = number_behind(&low, "above ") {
                assert!(said(starter, &path, bound).is_some(), "{place}");
                open += 1;
            } else if low.contains("distribution") {
                // Draws may come down to the bound, but not all of them may be there: a length of 0 throughout is none.
            } else if let Some(bound) = number_behind(&low, "at least ").or_else(|| number_behind(&low, "from ")) {
                if is_refused_as_low(bound) {
                    contradictions.push(format!("{place}, but {:?}", said(starter, &path, bound)));
                }
                closed += 1;
            }
            if let Some(bound) = number_behind(&low, "at most ") {
                let refused = said(starter, &path, bound).filter(|said| said.contains("out of range"));
                assert_eq!(refused, None, "{place}");
                high += 1;
            }
        }
    }
    assert!(contradictions.is_empty(), "{contradictions:#?}");
    assert!(closed > 20 && open > 10 && high > 10, "{closed} {open} {high}");
}

#[test]
fn a_horizon_below_0_is_told_that_0_is_too_little_as_well() {
    let Parts::Variants(kinds) = Experiment::describe().parts else { panic!("experiments are a choice") };
    let grid = kinds.into_iter().find(|kind| kind.name == "Grid").and_then(|kind| kind.starter).unwrap();
    for given in [-5.0, 0.0] {
        let wrong = format!("{given} is out of range; give a length of time above 0, at most 1e9");
        assert_eq!(said(grid, "experiment.horizon", given), Some(wrong));
    }
}
