//! `--set path=value`: parts of the tree replaced before it is decoded.

use super::diagnose::Errors;
use super::source::{Sources, Span, shorten};
use super::text::{
    self, Body, Field, Group, TextNode, Value, Word, is_word_part, is_word_start, push_field, push_index,
};
use crate::time_unit::is_length;
use std::collections::BTreeSet;

/// The most steps that a path may have: more than any scenario is deep.
const STEP_LIMIT: usize = 128;

/// One step of a path.
#[derive(Debug, Clone)]
enum OverrideStep {
    Field(Word),
    Index(usize, Span),
    /// Every element of a list.
    All(Span),
}

impl OverrideStep {
    fn span(&self) -> Span {
        match self {
            Self::Field(word) => word.span,
            Self::Index(_, span) | Self::All(span) => *span,
        }
    }
}

/// The reason for a refusal, and what would be right.
type OverrideRefusal = (String, String);

/// The refusal of an index into a field that the path itself has added.
pub(super) const NOTHING_TO_INDEX: &str = "there is nothing yet to index";

/// Applies all overrides in their order and reports those that can't be.
pub(super) fn apply(tree: &mut TextNode, sources: &Sources, errors: &mut Errors, lost: &mut BTreeSet<String>) {
    for (index, source) in sources.all().iter().enumerate().skip(1) {
        let text = source.text();
        let whole = Span { source: index as u32, start: 0, end: text.len() as u32 };
        let Some((path, _)) = text.split_once('=') else {
            let right = match text.split_once(':') {
                Some((path, value)) => format!("write `--set {}={}`", path.trim(), shorten(value.trim(), 40)),
                None => "write `--set path.to.field=value`".into(),
            };
            errors.add(whole, "", "there is no `=`", right);
            continue;
        };
        let steps = match steps(path, index as u32) {
            Ok(steps) => steps,
            Err((wrong, right)) => {
                errors.add(Span { end: path.len() as u32, ..whole }, "", wrong, right);
                continue;
            }
        };
        let shown = show(&steps);
        let first = path.len() + 1;
        if let Some(comma) = second_change(&text[first..]) {
            let (change, other) = text.split_at(first + comma);
            let span = Span { start: change.len() as u32, ..whole };
            let right = format!("give each a `--set` of its own: `--set {change} --set {}`", other[1..].trim());
            errors.add(span, &shown, "this is a second change", right);
            continue;
        }
        let value = match is_length(&text[first..]) {
            // A shell takes quotes away.
            true => TextNode::new(Value::Text(text[first..].trim().into()), Span { start: first as u32, ..whole }),
            false => text::read(source, index as u32, (first, &shown), errors, lost),
        };
        for steps in spread(tree, &steps) {
            put(tree, &steps, value.clone(), &shown, errors);
        }
    }
}

/// Where a comma stands, outside of quotes and brackets, that a path and `=` follow: two changes in one.
fn second_change(value: &str) -> Option<usize> {
    let (mut depth, mut is_quoted) = (0usize, false);
    for (at, c) in value.char_indices() {
        match c {
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                let path = value[at + 1..].split_once('=').map(|(path, _)| path.trim())?;
                let is_step = |c: char| is_word_part(c) || ".[]*".contains(c);
                return (path.starts_with(is_word_start) && path.chars().all(is_step)).then_some(at);
            }
            _ => {}
        }
    }
    None
}

/// The paths that `steps` stand for: one for each element where there is a `[*]`. Where there is no list the path is
/// left as it is, to be refused.
fn spread(tree: &TextNode, steps: &[OverrideStep]) -> Vec<Vec<OverrideStep>> {
    let Some(place) = steps.iter().position(|step| matches!(step, OverrideStep::All(_))) else {
        return vec![steps.to_vec()];
    };
    // Going down may add fields, so it is done on a copy.
    let mut copy = tree.clone();
    let mut node = &mut copy;
    for step in &steps[..place] {
        let Some(Ok(inner)) = descend(node, step) else { return vec![steps.to_vec()] };
        node = inner;
    }
    let count = node.elements();
    if count == 0 {
        return vec![steps.to_vec()];
    }
    let span = steps[place].span();
    let one = |index| [&steps[..place], &[OverrideStep::Index(index, span)], &steps[place + 1..]].concat();
    (0..count).flat_map(|index| spread(tree, &one(index))).collect()
}

/// Puts `value` where `steps` lead.
fn put(tree: &mut TextNode, steps: &[OverrideStep], value: TextNode, path: &str, errors: &mut Errors) {
    let mut node = tree;
    for step in steps {
        node = match descend(node, step) {
            Some(Ok(inner)) => inner,
            Some(Err((wrong, right))) => return errors.add(step.span(), path, wrong, right),
            None => return,
        };
    }
    *node = value;
}

/// The steps of a path such as `nodes[0].price` or `nodes.0.price`.
fn steps(path: &str, source: u32) -> Result<Vec<OverrideStep>, OverrideRefusal> {
    const RIGHT: &str = "write names and indices, as in `nodes.0.price=5`";
    if path.trim().is_empty() {
        return Err(("the path before `=` is empty".into(), RIGHT.into()));
    }
    let mut steps = Vec::new();
    let mut start = 0;
    for part in path.split('.') {
        let (name, indices) = part.split_at(part.find('[').unwrap_or(part.len()));
        let refusal = || (format!("`{}` is not a step of a path", part.trim()), RIGHT.to_owned());
        let span = Span { source, start: start as u32, end: (start + part.len()) as u32 };
        let name = name.trim();
        if name.starts_with(is_word_start) && name.chars().all(is_word_part) {
            steps.push(OverrideStep::Field(Word { text: name.to_owned(), span }));
        } else if let Ok(index) = name.parse() {
            steps.push(OverrideStep::Index(index, span));
        } else if start > 0 || !name.is_empty() || indices.is_empty() {
            return Err(refusal());
        }
        let mut rest = indices.trim();
        while !rest.is_empty() {
            let (index, after) = rest.strip_prefix('[').and_then(|rest| rest.split_once(']')).ok_or_else(refusal)?;
            match index.trim() {
                "*" => steps.push(OverrideStep::All(span)),
                index => steps.push(OverrideStep::Index(index.parse().map_err(|_| refusal())?, span)),
            }
            rest = after;
        }
        start += part.len() + 1;
    }
    if steps.len() > STEP_LIMIT {
        return Err(("the path is too long".into(), format!("it may have at most {STEP_LIMIT} steps")));
    }
    Ok(steps)
}

fn show(steps: &[OverrideStep]) -> String {
    let mut path = String::new();
    for step in steps {
        match step {
            OverrideStep::Field(word) => push_field(&mut path, &word.text),
            OverrideStep::Index(index, _) => push_index(&mut path, *index),
            OverrideStep::All(_) => path.push_str("[*]"),
        }
    }
    path
}

/// The value that `step` leads to from `node`; nothing if what is there could not be read, which has been reported.
fn descend<'n>(node: &'n mut TextNode, step: &OverrideStep) -> Option<Result<&'n mut TextNode, OverrideRefusal>> {
    // A field that the path itself has added holds nothing yet.
    if matches!(node.value, Value::Poison) && node.span.source == step.span().source {
        match step {
            OverrideStep::Field(_) => {
                node.value = Value::Group(Box::new(Group { name: None, body: Body::Fields(Vec::new()) }))
            }
            OverrideStep::Index(..) | OverrideStep::All(_) => {
                return Some(Err((NOTHING_TO_INDEX.into(), "set the field as a whole".into())));
            }
        }
    }
    let found = node.describe();
    match (&mut node.value, step) {
        (Value::Poison, _) => None,
        (Value::List(items), OverrideStep::Index(index, _)) => Some(item(items, *index)),
        (Value::Group(group), _) => descend_group(group, step, &found),
        _ => Some(Err(dead_end(step, &found))),
    }
}

/// Variants are transparent: a step goes into what `Some(...)` or a variant holds.
fn descend_group<'n>(
    group: &'n mut Group,
    step: &OverrideStep,
    found: &str,
) -> Option<Result<&'n mut TextNode, OverrideRefusal>> {
    let is_empty = group.is_bare() || matches!(&group.body, Body::Items(items) if items.is_empty());
    if is_empty && matches!(step, OverrideStep::Field(_)) {
        group.name.take_if(|name| name.text == "None");
        group.body = Body::Fields(Vec::new());
    }
    let is_transparent = leads_inside(group, step);
    match (&mut group.body, step) {
        (Body::Fields(fields), OverrideStep::Field(name)) => Some(Ok(field(fields, name))),
        (Body::Items(items), _) => match step {
            _ if is_transparent => descend(items.first_mut()?, step),
            OverrideStep::Index(index, _) => Some(item(items, *index)),
            OverrideStep::Field(_) | OverrideStep::All(_) => Some(Err(dead_end(step, found))),
        },
        _ => Some(Err(dead_end(step, found))),
    }
}

/// True if `step` is meant for the one value that a variant holds.
fn leads_inside(group: &Group, step: &OverrideStep) -> bool {
    match &group.body {
        Body::Items(items) if group.name.is_some() && items.len() == 1 => {
            matches!(step, OverrideStep::Field(_)) || matches!(items[0].value, Value::List(_) | Value::Group(_))
        }
        _ => false,
    }
}

fn dead_end(step: &OverrideStep, found: &str) -> OverrideRefusal {
    match step {
        OverrideStep::Field(name) => {
            let right = match found {
                "a list" => format!("give an index: `[0].{0}`, or `[*].{0}` for every element", name.text),
                _ => "name fields only where there are some".into(),
            };
            (format!("`{}` leads into {found}", name.text), right)
        }
        OverrideStep::Index(index, _) => {
            (format!("index {index} leads into {found}"), "give an index only where there is a list".into())
        }
        OverrideStep::All(_) => {
            (format!("`[*]` leads into {found}"), "give it only where there is a list with elements".into())
        }
    }
}

fn item(items: &mut [TextNode], index: usize) -> Result<&mut TextNode, OverrideRefusal> {
    let right = match items.len() {
        0 => "the list is empty".to_owned(),
        length => format!("the indices are 0 to {}", length - 1),
    };
    items.get_mut(index).ok_or((format!("there is no element {index}"), right))
}

/// The field called `name`, which is added when it is not there.
fn field<'f>(fields: &'f mut Vec<Field>, name: &Word) -> &'f mut TextNode {
    let index = fields.iter().position(|field| field.name.text == name.text).unwrap_or_else(|| {
        fields.push(Field { name: name.clone(), value: TextNode::poison(name.span) });
        fields.len() - 1
    });
    &mut fields[index].value
}
