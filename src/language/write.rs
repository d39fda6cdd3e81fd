//! Values to RON text that [`load`](super::load) reads back.

use super::diagnose::Errors;
use super::line::Line;
use super::source::Source;
use super::text::{self, Body, TextNode, Value};
use serde::Serialize;
use std::collections::BTreeSet;

/// The greatest length of a line; what is on a longer one is spread over several.
const WIDTH: usize = 100;

/// The value as RON that is pleasant to read: one field on each line, and so on inside as long as lines are too long.
///
/// ```
/// use gridloom::language::{Distribution, Positive, to_ron};
/// let text = to_ron(&Some(Distribution::Exponential { mean: Positive::of(2.5) }));
/// assert_eq!(text, "Exponential(\n    mean: 2.5,\n)\n");
/// ```
pub fn to_ron<T: Serialize>(value: &T) -> String {
    over_lines(to_line(value))
}

fn over_lines(line: String) -> String {
    let line = Source::new("", line);
    let tree = text::read(&line, 0, (0, ""), &mut Errors::default(), &mut BTreeSet::new());
    let mut out = String::new();
    spread(&tree, &line, 0, &mut out);
    out + "\n"
}

/// The value as RON on one line.
///
/// # Panics
/// If the type's `Serialize` fails, which none of those that the scenario language offers does.
pub fn to_line<T: Serialize>(value: &T) -> String {
    let mut line = Line::default();
    value.serialize(&mut line).expect("plain values can be written as RON");
    line.into_text()
}

/// Writes `node`, which is part of `line`, its parts on lines of their own if it is too long or the whole.
fn spread(node: &TextNode, line: &Source, indent: usize, out: &mut String) {
    let text = line.slice(node.span.start, node.span.end);
    let parts = if indent > 0 && indent + text.len() <= WIDTH { Vec::new() } else { parts(node) };
    let (Some((first, _)), Some((_, last))) = (parts.first(), parts.last()) else { return out.push_str(text) };
    out.push_str(line.slice(node.span.start, *first).trim_end());
    for (start, value) in &parts {
        out.push('\n');
        out.push_str(&" ".repeat(indent + 4));
        out.push_str(line.slice(*start, value.span.start));
        spread(value, line, indent + 4, out);
        out.push(',');
    }
    out.push('\n');
    out.push_str(&" ".repeat(indent));
    out.push_str(line.slice(last.span.end, node.span.end).trim_start());
}

/// The parts of a value in brackets, and where each begins, its name included.
fn parts(node: &TextNode) -> Vec<(u32, &TextNode)> {
    fn plain(items: &[TextNode]) -> Vec<(u32, &TextNode)> {
        items.iter().map(|item| (item.span.start, item)).collect()
    }
    match &node.value {
        Value::List(items) => plain(items),
        Value::Group(group) => match &group.body {
            Body::Bare => Vec::new(),
            Body::Items(items) => plain(items),
            Body::Fields(fields) => fields.iter().map(|field| (field.name.span.start, &field.value)).collect(),
        },
        _ => Vec::new(),
    }
}
