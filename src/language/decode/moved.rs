//! Forms that scenarios no longer have: the error shows what was written in the form that took their place.

use super::{Context, Cursor};
use crate::source::Sources;
use crate::text::{Body, TextNode, Value};

/// Reports that what stands at `at` has another form now: that of `template`.
///
/// In a template `{name}` stands for the text of the field `name`, `{name|text}` for `text` where the field was left
/// out. Lines all of whose fields were left out are dropped.
pub(super) fn report(at: &Cursor<'_>, wrong: String, template: &str, context: &mut Context<'_>) {
    let right = format!("write\n{}", rewritten(at.node(), template, context.sources));
    context.add(at, wrong, right);
    context.pass_over(at);
}

/// The template with the texts of the fields of `node` in it, indented as `node` is.
fn rewritten(node: &TextNode, template: &str, sources: &Sources) -> String {
    let own = indent(node, sources);
    let lines = template.lines().filter_map(|line| {
        let depth = own + line.len() - line.trim_start().len();
        let (mut text, mut places, mut filled) = (String::new(), 0, 0);
        let mut parts = line.trim_start().split(['{', '}']);
        text += parts.next().unwrap_or_default();
        while let (Some(place), Some(after)) = (parts.next(), parts.next()) {
            let (name, otherwise) = place.split_once('|').map_or((place, None), |(name, text)| (name, Some(text)));
            let value = field(node, name).map(|field| shifted(field, depth, sources)).or(otherwise.map(String::from));
            places += 1;
            filled += usize::from(value.is_some());
            text += &(value.unwrap_or_default() + after);
        }
        (places == 0 || filled > 0).then(|| " ".repeat(depth) + &text)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The value of a field of a record or variant.
fn field<'t>(node: &'t TextNode, name: &str) -> Option<&'t TextNode> {
    let Value::Group(group) = &node.value else { return None };
    match &group.body {
        Body::Fields(fields) => fields.iter().find(|field| field.name.text == name).map(|field| &field.value),
        Body::Items(items) if items.len() == 1 => field(&items[0], name),
        Body::Items(_) | Body::Bare => None,
    }
}

/// The text of a value, with its further lines indented for a first line of this depth.
fn shifted(node: &TextNode, depth: usize, sources: &Sources) -> String {
    let own = indent(node, sources);
    let mut lines = sources.of(node.span).slice(node.span.start, node.span.end).lines();
    let mut text = lines.next().unwrap_or_default().to_string();
    for line in lines {
        let inner = line.trim_start();
        let further = (line.len() - inner.len()).saturating_sub(own);
        text += &format!("\n{}{inner}", " ".repeat(depth + further));
    }
    text
}

/// The number of blanks before the line on which a value begins.
fn indent(node: &TextNode, sources: &Sources) -> usize {
    let source = sources.of(node.span);
    let (line, _) = source.line_text(source.line(node.span.start));
    line.len() - line.trim_start().len()
}
