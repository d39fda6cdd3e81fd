//! Fields by their declarations: where else in a scenario one of that name could stand.

use super::{Description, FieldEntry, Parts, nearest};
use crate::text::{Body, Field, TextNode, Value, push_field};

/// The depth to which fields are looked for.
const DEEPEST: usize = 6;
/// The most places that are named.
const NAMED: usize = 3;

/// The whole scenario: its declaration, and what is written.
pub(super) type Root<'t> = (fn() -> Description, &'t TextNode);

/// Advice that names the paths of declared fields called `name`, or nearly so, in what is written.
pub(super) fn advise(name: &str, (describe, tree): Root<'_>) -> Option<String> {
    let mut found = Vec::new();
    collect(describe(), tree, "", DEEPEST, &mut found);
    found.sort_by_key(|(_, path)| path.matches('.').count());
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    let meant = if names.contains(&name) { Some(name) } else { nearest(name, names) }?;
    let mut paths: Vec<String> =
        found.iter().filter(|(name, _)| *name == meant).map(|(_, path)| format!("`{path}`")).collect();
    paths.truncate(NAMED);
    let last = paths.pop()?;
    let others = if paths.is_empty() { String::new() } else { format!("{} or ", paths.join(", ")) };
    Some(format!("did you mean {others}{last}?"))
}

/// True if a record on the way along `names`, the fields from the scenario on, declares the field `wanted`.
pub(super) fn is_declared_around(wanted: &str, names: &[&str], (describe, tree): Root<'_>) -> bool {
    let (mut describe, mut node) = (Some(describe), Some(tree));
    for name in names {
        let (Some(description), Some(here)) = (describe, node) else { return false };
        let fields = fields_of(description(), here);
        if fields.iter().any(|field| field.name == wanted) {
            return true;
        }
        describe = fields.iter().find(|field| field.name == *name).and_then(|field| field.declared);
        node = written(here).iter().find(|field| field.name.text == *name).map(|field| first(&field.value).0);
    }
    false
}

/// The names and paths of all fields that are declared for what is written here.
fn collect(
    description: Description,
    node: &TextNode,
    path: &str,
    depth: usize,
    found: &mut Vec<(&'static str, String)>,
) {
    let fields = fields_of(description, node);
    for FieldEntry { name, declared, .. } in fields {
        let mut own = path.to_string();
        push_field(&mut own, name);
        found.push((name, own.clone()));
        let inside = written(node).iter().find(|field| field.name.text == name);
        if let (Some(describe), Some(field)) = (declared.filter(|_| depth > 0), inside) {
            let (value, index) = first(&field.value);
            collect(describe(), value, &(own + index), depth - 1, found);
        }
    }
}

/// The declared fields of a record, or of the variant that is written.
fn fields_of(description: Description, node: &TextNode) -> Vec<FieldEntry> {
    let variants = match description.parts {
        Parts::Fields(fields) => return fields,
        Parts::Variants(variants) => variants,
    };
    let name = match &node.value {
        Value::Group(group) => group.name.as_ref().map(|word| word.text.as_str()),
        _ => None,
    };
    let Some(variant) = variants.into_iter().find(|variant| Some(variant.name) == name) else { return Vec::new() };
    // A variant that holds a record is written with the record's fields.
    match variant.declared.map(|describe| describe().parts) {
        Some(Parts::Fields(fields)) if variant.fields.is_empty() => fields,
        _ => variant.fields,
    }
}

/// The first element of a list and its index; anything else as it is.
fn first(node: &TextNode) -> (&TextNode, &'static str) {
    match &node.value {
        Value::List(items) => items.first().map_or((node, ""), |item| (item, "[0]")),
        _ => (node, ""),
    }
}

/// The fields that are written in brackets here, also in those of the one value that a variant holds.
fn written(node: &TextNode) -> &[Field] {
    match &node.value {
        Value::Group(group) => match &group.body {
            Body::Fields(fields) => fields,
            Body::Items(items) if items.len() == 1 && group.name.is_some() => written(&items[0]),
            _ => &[],
        },
        _ => &[],
    }
}
