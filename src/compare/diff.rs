//! The fields in which scenarios differ, by the tree that their text is read into.

use crate::language::text::{self, Body, TextNode, Value};
use crate::language::{Errors, Source};
use gridloom_files::single_line;
use std::collections::BTreeSet;

/// A value that is longer is shortened.
const LONGEST_VALUE: usize = 48;
/// Fields that say nothing about what was run.
const WORDS: [&str; 2] = ["name", "about"];

/// A field in which scenarios differ, and the value of each; nothing where one does not have it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldDifference {
    /// The path of the field, as after `--set`.
    pub path: String,
    /// The value of each scenario, as it is written.
    pub values: Vec<Option<String>>,
}

impl std::fmt::Display for FieldDifference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let values = self.values.iter().map(|value| value.as_deref().map_or("not given".into(), shorten));
        write!(f, "{}: {}", self.path, values.collect::<Vec<String>>().join(" | "))
    }
}

/// The beginning of a long value.
fn shorten(value: &str) -> String {
    let letters: Vec<char> = single_line(value).chars().collect();
    match letters.len() > LONGEST_VALUE {
        true => letters[..LONGEST_VALUE - 1].iter().chain(&['…']).collect(),
        false => letters.into_iter().collect(),
    }
}

/// The fields in which the scenarios differ. An error if one of them can't be read.
pub(super) fn differing(scenarios: &[&Source]) -> Result<Vec<FieldDifference>, String> {
    let mut trees = Vec::new();
    for source in scenarios {
        let mut errors = Errors::default();
        let tree = text::read(source, 0, (0, ""), &mut errors, &mut BTreeSet::new());
        if !errors.is_empty() {
            return Err(format!("{} is no scenario", source.name()));
        }
        trees.push(tree);
    }
    let mut found = Vec::new();
    let nodes: Vec<Option<(&TextNode, &Source)>> =
        trees.iter().zip(scenarios).map(|(tree, source)| Some((tree, *source))).collect();
    descend(&nodes, "", &mut found);
    Ok(found)
}

/// A value and the text that it stands in.
type PlacedNode<'a> = Option<(&'a TextNode, &'a Source)>;

fn written(placed: &PlacedNode<'_>) -> Option<String> {
    placed.map(|(node, source)| single_line(source.slice(node.span.start, node.span.end)))
}

fn descend(nodes: &[PlacedNode<'_>], path: &str, found: &mut Vec<FieldDifference>) {
    let texts: Vec<Option<String>> = nodes.iter().map(written).collect();
    if texts.windows(2).all(|pair| pair[0] == pair[1]) || WORDS.contains(&path) {
        return;
    }
    match parts(nodes) {
        Some(parts) => {
            for (part, inner) in parts {
                let path = match part.starts_with('[') || path.is_empty() || part.is_empty() {
                    true => format!("{path}{part}"),
                    false => format!("{path}.{part}"),
                };
                descend(&inner, &path, found);
            }
        }
        None => found.push(FieldDifference { path: path.to_string(), values: texts }),
    }
}

/// The parts of values of one form by their names; nothing if their forms differ, or if they have no parts.
fn parts<'a>(nodes: &[PlacedNode<'a>]) -> Option<Vec<(String, Vec<PlacedNode<'a>>)>> {
    let all: Vec<(&'a TextNode, &'a Source)> = nodes.iter().copied().collect::<Option<_>>()?;
    let placed = |items: Vec<Option<&'a TextNode>>| -> Vec<PlacedNode<'a>> {
        items.into_iter().zip(&all).map(|(item, (_, source))| item.map(|item| (item, *source))).collect()
    };
    let lists: Option<Vec<&Vec<TextNode>>> = all
        .iter()
        .map(|(node, _)| match &node.value {
            Value::List(items) => Some(items),
            _ => None,
        })
        .collect();
    if let Some(lists) = lists {
        // Elements that were put in or left out move all others: such lists are shown as a whole.
        let same = lists.windows(2).all(|pair| pair[0].len() == pair[1].len());
        let part = |at: usize| (format!("[{at}]"), placed(lists.iter().map(|items| items.get(at)).collect()));
        return same.then(|| (0..lists[0].len()).map(part).collect());
    }
    let groups: Vec<_> = all
        .iter()
        .map(|(node, _)| match &node.value {
            Value::Group(group) => Some(group.as_ref()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let name = |at: usize| groups[at].name.as_ref().map(|name| name.text.as_str());
    if (1..groups.len()).any(|at| name(at) != name(0)) {
        return None;
    }
    let items: Option<Vec<&Vec<TextNode>>> = groups
        .iter()
        .map(|group| match &group.body {
            Body::Items(items) => Some(items),
            _ => None,
        })
        .collect();
    if let Some(items) = items {
        let same = items.windows(2).all(|pair| pair[0].len() == pair[1].len());
        // The value in a variant goes by the variant's own path.
        let alone = name(0).is_some() && items[0].len() == 1;
        let own = |at: usize| if alone { String::new() } else { format!("[{at}]") };
        let part = |at: usize| (own(at), placed(items.iter().map(|items| items.get(at)).collect()));
        return same.then(|| (0..items[0].len()).map(part).collect());
    }
    let mut names: Vec<&str> = Vec::new();
    for group in &groups {
        match &group.body {
            Body::Fields(fields) => {
                for field in fields {
                    if !names.contains(&field.name.text.as_str()) {
                        names.push(&field.name.text);
                    }
                }
            }
            Body::Bare => {}
            Body::Items(_) => return None,
        }
    }
    let value = |at: usize, name: &str| match &groups[at].body {
        Body::Fields(fields) => fields.iter().find(|field| field.name.text == name).map(|field| &field.value),
        _ => None,
    };
    let part = |name: &&str| (name.to_string(), placed((0..groups.len()).map(|at| value(at, name)).collect()));
    (!names.is_empty()).then(|| names.iter().map(part).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(first: &str, second: &str) -> Vec<String> {
        let sources = [Source::new("a", first), Source::new("b", second)];
        let found = differing(&[&sources[0], &sources[1]]).unwrap();
        found.iter().map(FieldDifference::to_string).collect()
    }

    #[test]
    fn differences_have_the_paths_that_overrides_have() {
        let first = r#"(name: "a", seed: 1, experiment: Grid(metascheduler: (attempts: 6, period: 10), flows: [(name: "f", load: 0.5), (name: "g", load: 1)]))"#;
        let second = r#"(name: "b", seed: 1, experiment: Grid(metascheduler: (attempts: 1, period: 10, interval: 4), flows: [(name: "f", load: 0.5), (name: "g", load: 2)]))"#;
        let expected = [
            "experiment.metascheduler.attempts: 6 | 1",
            "experiment.metascheduler.interval: not given | 4",
            "experiment.flows[1].load: 1 | 2",
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
