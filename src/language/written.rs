//! The fields that a text writes, each with its declaration: for marks in starters and examples in the reference.

use super::decode::{Description, FieldEntry, Form, Parts, VariantEntry};
use super::diagnose::Errors;
use super::source::Source;
use super::text::{self, Body, Field, TextNode, Value};
use std::collections::BTreeSet;

/// A field that stands in a text.
#[derive(Debug, Clone)]
pub struct WrittenField {
    /// The record or choice that declares it.
    pub owner: &'static str,
    /// The variant of the choice that declares it.
    pub variant: Option<&'static str>,
    /// Its declaration.
    pub entry: FieldEntry,
    /// The number of fields that it is inside of.
    pub depth: usize,
    /// Where its name begins, in bytes.
    pub start: usize,
    /// Where its value ends.
    pub end: usize,
    /// Its value as it is written.
    pub value: String,
}

impl WrittenField {
    /// True if its value is the default, however it is written.
    pub fn is_default(&self) -> bool {
        self.entry.default.is_some() && self.entry.rewrite(&self.value) == self.entry.default
    }
}

/// The declared fields in a text that is written for `form`, in the order of the text. Parts that are not declared, and
/// what can't be read, are passed over.
pub fn written_fields(text: &str, form: &Form) -> Vec<WrittenField> {
    let source = Source::new("a text", text);
    let tree = text::read(&source, 0, (0, ""), &mut Errors::default(), &mut BTreeSet::new());
    let mut walk = Walk { source: &source, found: Vec::new() };
    walk.value(&tree, form, 0);
    walk.found
}

struct Walk<'t> {
    source: &'t Source,
    found: Vec<WrittenField>,
}

impl Walk<'_> {
    fn value(&mut self, node: &TextNode, form: &Form, depth: usize) {
        match (form, &node.value) {
            (Form::Optional(inner), Value::Group(group)) => match (name(node), &group.body) {
                (Some("Some"), Body::Items(items)) if items.len() == 1 => self.value(&items[0], inner, depth),
                (Some("None"), Body::Bare) => (),
                _ => self.value(node, inner, depth),
            },
            (Form::Optional(inner), _) => self.value(node, inner, depth),
            (Form::List(inner, _), Value::List(items)) => {
                items.iter().for_each(|item| self.value(item, inner, depth));
            }
            (Form::Pair(first, second), Value::Group(group)) => {
                if let Body::Items(items) = &group.body {
                    items.iter().zip([first, second]).for_each(|(item, form)| self.value(item, form, depth));
                }
            }
            (Form::Declared(declared) | Form::Drawn(declared, _), Value::Group(_)) => {
                self.declared(node, &declared(), depth);
            }
            (Form::Either(forms), _) => {
                if let Some(form) = forms.iter().find(|form| fits(node, form)) {
                    self.value(node, form, depth);
                }
            }
            _ => (),
        }
    }

    fn declared(&mut self, node: &TextNode, declared: &Description, depth: usize) {
        match &declared.parts {
            Parts::Fields(entries) => self.fields(node, (declared.name, None), entries, depth),
            Parts::Variants(variants) => {
                let chosen = variants.iter().find(|variant| name(node) == Some(variant.name));
                if let Some(VariantEntry { name, form, fields, .. }) = chosen {
                    match (form, body(node)) {
                        (Some(form), Some(Body::Items(items))) if items.len() == 1 => {
                            self.value(&items[0], form, depth);
                        }
                        // A record in a variant is written with its fields in the variant's own brackets.
                        (Some(form), _) => self.value(node, form, depth),
                        (None, _) => self.fields(node, (declared.name, Some(name)), fields, depth),
                    }
                }
            }
        }
    }

    fn fields(
        &mut self,
        node: &TextNode,
        (owner, variant): (&'static str, Option<&'static str>),
        entries: &[FieldEntry],
        depth: usize,
    ) {
        let Some(Body::Fields(fields)) = body(node) else { return };
        for Field { name, value } in fields {
            let Some(entry) = entries.iter().find(|entry| entry.name == name.text) else { continue };
            let written = self.source.slice(value.span.start, value.span.end).to_string();
            let (start, end) = (name.span.start as usize, value.span.end as usize);
            self.found.push(WrittenField { owner, variant, entry: entry.clone(), depth, start, end, value: written });
            self.value(value, &entry.form, depth + 1);
        }
    }
}

fn name(node: &TextNode) -> Option<&str> {
    match &node.value {
        Value::Group(group) => group.name.as_ref().map(|name| name.text.as_str()),
        _ => None,
    }
}

fn body(node: &TextNode) -> Option<&Body> {
    match &node.value {
        Value::Group(group) => Some(&group.body),
        _ => None,
    }
}

/// True if a value looks as if it were of this form: enough to tell apart what stands in an [`Form::Either`].
fn fits(node: &TextNode, form: &Form) -> bool {
    let is_number = matches!(node.value, Value::Integer(_) | Value::Float(_));
    match form {
        Form::Bool => matches!(node.value, Value::Bool(_)),
        Form::Text(_) => matches!(node.value, Value::Text(_)),
        Form::Number(_) => is_number,
        Form::List(..) => matches!(node.value, Value::List(_)),
        Form::Pair(..) => matches!(body(node), Some(Body::Items(_))),
        Form::Declared(declared) | Form::Drawn(declared, _) => {
            let declared = declared();
            match &declared.parts {
                Parts::Fields(_) => name(node).is_none() && matches!(body(node), Some(Body::Fields(_))),
                Parts::Variants(_) => name(node).is_some() || (is_number && declared.number.is_some()),
            }
        }
        Form::Optional(_) | Form::Either(_) | Form::Other => true,
    }
}
