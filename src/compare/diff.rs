//! The fields in which scenarios differ, by the tree that their text is read into.

use crate::language::text::{self, Body, TextNode, Value};
use crate::language::{Errors, Source};
use crate::report::rows::distinct;
use gridloom_files::single_line;
use std::collections::{BTreeMap, BTreeSet};

/// A value that is longer is shortened.
const LONGEST_VALUE: usize = 48;
/// Fields that say nothing about what was run.
const WORDS: [&str; 2] = ["name", "about"];

/// The beginning of a long value.
fn shorten(value: &str) -> String {
    let letters: Vec<char> = single_line(value).chars().collect();
    match letters.len() > LONGEST_VALUE {
        true => letters[..LONGEST_VALUE - 1].iter().chain(&['…']).collect(),
        false => letters.into_iter().collect(),
    }
}

/// The fields in which the scenarios differ. An error if one of them can't be read.
pub(super) fn differing(scenarios: &[&Source]) -> Result<Vec<String>, String> {
    let mut trees: Vec<Vec<Part>> = Vec::new();
    for source in scenarios {
        let mut errors = Errors::default();
        let tree = text::read(source, 0, (0, ""), &mut errors, &mut BTreeSet::new());
        if !errors.is_empty() {
            return Err(format!("{} is no scenario", source.name()));
        }
        let mut parts = Vec::new();
        flatten(&tree, source, String::new(), &mut parts);
        trees.push(parts);
    }
    let by_path: Vec<BTreeMap<&str, &Part>> =
        trees.iter().map(|parts| parts.iter().map(|part| (part.path.as_str(), part)).collect()).collect();
    let mut whole: Vec<&str> = WORDS.to_vec();
    let mut found = Vec::new();
    for path in distinct(trees.iter().flatten().map(|part| part.path.as_str())) {
        let parts: Vec<Option<&Part>> = by_path.iter().map(|parts| parts.get(path).copied()).collect();
        let is_inside = |outer: &&str| {
            path.strip_prefix(*outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[', '(']))
        };
        let is_same = parts.windows(2).all(|pair| pair[0].map(|part| &part.form) == pair[1].map(|part| &part.form));
        if is_same || whole.iter().any(is_inside) {
            continue;
        }
        // Its parts would say the same once more.
        whole.push(path);
        let values = parts.iter().map(|part| part.map_or("not given".into(), |part| shorten(&part.text)));
        let values: Vec<String> = values.collect();
        found.push(format!("{}: {}", path.replace("()", ""), values.join(" | ")));
    }
    Ok(found)
}

/// A value of a scenario.
struct Part {
    /// Its path as after `--set`; `()` stands for the only value of a variant.
    path: String,
    /// What it has apart from its parts: the value itself, the length of a list, the name of a variant.
    form: String,
    text: String,
}

/// A value with all of its parts. Elements that were put in or left out move all others: lists of different lengths
/// differ as a whole.
fn flatten(node: &TextNode, source: &Source, path: String, parts: &mut Vec<Part>) {
    let text = single_line(source.slice(node.span.start, node.span.end));
    let numbered = |items: &[TextNode]| -> Vec<String> { (0..items.len()).map(|at| format!("[{at}]")).collect() };
    let (form, inner): (String, Vec<(String, &TextNode)>) = match &node.value {
        Value::List(items) => (format!("[{}]", items.len()), numbered(items).into_iter().zip(items).collect()),
        Value::Group(group) => {
            let name = group.name.as_ref().map_or("", |name| &name.text);
            match &group.body {
                // The value in a variant goes by the variant's own path.
                Body::Items(items) if items.len() == 1 && !name.is_empty() => {
                    (format!("{name}(1)"), vec![("()".into(), &items[0])])
                }
                Body::Items(items) => {
                    (format!("{name}({})", items.len()), numbered(items).into_iter().zip(items).collect())
                }
                Body::Fields(fields) => {
                    let dot = if path.is_empty() { "" } else { "." };
                    let inner = fields.iter().map(|field| (format!("{dot}{}", field.name.text), &field.value));
                    (name.to_string(), inner.collect())
                }
                Body::Bare => (name.to_string(), Vec::new()),
            }
        }
        _ => (text.clone(), Vec::new()),
    };
    parts.push(Part { path: path.clone(), form, text });
    for (own, node) in inner {
        flatten(node, source, format!("{path}{own}"), parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, second: &str) -> Vec<String> {
        let sources = [Source::new("a", first), Source::new("b", second)];
        differing(&[&sources[0], &sources[1]]).unwrap()
    }

    #[test]
    fn differences_have_the_paths_that_overrides_have() {
        let first = r#"(name: "a", seed: 1, experiment: Grid(metascheduler: (attempts: 6, period: 10), flows: [(name: "f", load: 0.5), (name: "g", load: 1)]))"#;
        let second = r#"(name: "b", seed: 1, experiment: Grid(metascheduler: (attempts: 1, period: 10, interval: 4), flows: [(name: "f", load: 0.5), (name: "g", load: 2)]))"#;
        let expected = [
            "experiment.metascheduler.attempts: 6 | 1",
            "experiment.flows[1].load: 1 | 2",
            "experiment.metascheduler.interval: not given | 4",
        ];
        assert_eq!(told(first, second), expected);
        assert!(told(first, first).is_empty());
    }

    #[test]
    fn what_has_another_form_is_shown_as_a_whole() {
        assert_eq!(told("(a: Alp, b: [1, 2])", "(a: Amp(k: 1), b: [1])"), ["a: Alp | Amp(k: 1)", "b: [1, 2] | [1]"]);
        assert_eq!(told("(a: Opt(MinCost))", "(a: Opt(MinTime))"), ["a: MinCost | MinTime"]);
        assert_eq!(told("(a: (1, 2))", "(a: (1, 3))"), ["a[1]: 2 | 3"]);
    }

    #[test]
    fn layout_and_comments_are_no_difference_and_long_values_are_shortened() {
        assert!(told("(a: 1, b: [1, 2])", "( // why\n  a: 1,\n  b: [1, 2],\n)").is_empty());
        let long = format!("(a: \"{}\")", "x".repeat(200));
        assert!(told(&long, "(a: \"y\")")[0].chars().count() < 70);
        let empty = Source::new("empty", "// nothing\n");
        assert!(differing(&[&empty, &empty]).is_err());
    }
}
