//! Entries of the reference: fields and variants, with all facts about them in words.

use super::inner_path;
use crate::language::{Describe, Description, FieldEntry, Form, Parts, VariantEntry, by_names, written_fields};
use crate::study::{Experiment, Scenario};
use std::collections::BTreeMap;

/// The default of a field that has none.
pub(crate) const REQUIRED: &str = "none, it is required";
/// Examples of more letters are not shown.
const LONG_EXAMPLE: usize = 70;

/// A field or a variant.
#[derive(Debug, Clone)]
pub struct ReferenceEntry {
    /// Its path, as `gridloom describe` takes it.
    pub path: String,
    /// Its name.
    pub name: &'static str,
    /// Its documentation.
    pub doc: String,
    /// What to write: its form, range, unit, default and an example, those that there are, each with its name.
    pub facts: Vec<(&'static str, String)>,
    /// The types that are written for it.
    pub types: Vec<&'static str>,
    /// The fields of a variant.
    pub fields: Vec<ReferenceEntry>,
}

/// The entries of a type that stands at `path`.
pub(super) fn entries(declared: &Description, path: &str, examples: &FieldExamples) -> Vec<ReferenceEntry> {
    let inner = |name: &str| inner_path(path, name);
    match &declared.parts {
        Parts::Fields(fields) => {
            let entry = |field| of_field(field, inner, examples.field(declared.name, None, field));
            fields.iter().map(entry).collect()
        }
        Parts::Variants(variants) => {
            variants.iter().map(|variant| of_variant(declared, variant, inner, examples)).collect()
        }
    }
}

fn of_field(field: &FieldEntry, path: impl Fn(&str) -> String, example: Option<&str>) -> ReferenceEntry {
    ReferenceEntry {
        path: path(field.name),
        name: field.name,
        doc: field.doc.clone(),
        facts: field_facts(field, example),
        types: field.form.types().into_iter().map(|describe| describe().name).collect(),
        fields: Vec::new(),
    }
}

/// The facts about a field, in words.
pub(crate) fn field_facts(field: &FieldEntry, example: Option<&str>) -> Vec<(&'static str, String)> {
    let default = field.default.as_ref().map_or(REQUIRED.to_string(), |default| format!("`{default}`"));
    // How to write a number or a text needs no example.
    let is_plain = matches!(field.form.required(), Form::Bool | Form::Text(_) | Form::Number(_));
    let example = example.filter(|_| !is_plain).map(|example| format!("`{}: {example}`", field.name));
    let facts = [
        ("Form", Some(field.form.words(&by_names))),
        ("Range", field.form.range()),
        ("Unit", field.unit.map(str::to_string)),
        ("Default", Some(default)),
        ("Example", example),
    ];
    facts.into_iter().filter_map(|(name, fact)| fact.map(|fact| (name, fact))).collect()
}

fn of_variant(
    declared: &Description,
    variant: &VariantEntry,
    path: impl Fn(&str) -> String,
    examples: &FieldExamples,
) -> ReferenceEntry {
    let is_kind = variant.starter.is_some();
    // The parameters of a kind have a section of their own.
    let own = match is_kind {
        true => variant.name.to_string(),
        false => path(variant.name),
    };
    let fields = variant.fields.iter().filter(|_| !is_kind).map(|field| {
        let example = examples.field(declared.name, Some(variant.name), field);
        of_field(field, |name| format!("{own}.{name}"), example)
    });
    let types = match is_kind {
        true => variant.declared.iter().map(|describe| describe().name).collect(),
        false => variant.form.iter().flat_map(Form::types).map(|describe| describe().name).collect(),
    };
    let facts = variant_facts(variant, examples.variant(declared.name, variant.name));
    let fields = fields.collect();
    ReferenceEntry { path: own, name: variant.name, doc: variant.doc.clone(), facts, types, fields }
}

/// The facts about a variant, in words.
pub(crate) fn variant_facts(variant: &VariantEntry, example: Option<&str>) -> Vec<(&'static str, String)> {
    let name = variant.name;
    let names: Vec<&str> = variant.fields.iter().map(|field| field.name).collect();
    let may_be_bare = variant.fields.iter().all(|field| field.default.is_some());
    let form = match &variant.form {
        _ if variant.starter.is_some() => format!("`{name}(...)`"),
        Some(form) => format!("`{name}(...)` around {}", form.words(&by_names)),
        None if names.is_empty() => format!("`{name}`"),
        None if may_be_bare => format!("`{name}`, or `{name}({}: ...)`", names.join(": ..., ")),
        None => format!("`{name}({}: ...)`", names.join(": ..., ")),
    };
    let facts = [
        ("Form", Some(form)),
        ("Range", variant.form.as_ref().and_then(Form::range)),
        ("Unit", variant.unit.map(str::to_string)),
        ("Example", example.map(|example| format!("`{example}`"))),
    ];
    facts.into_iter().filter_map(|(name, fact)| fact.map(|fact| (name, fact))).collect()
}

/// Short values out of the starters, to show how a field or a variant is written.
#[derive(Debug, Default)]
pub struct FieldExamples {
    fields: BTreeMap<(&'static str, Option<&'static str>, &'static str), String>,
    /// By the choice and the variant.
    variants: BTreeMap<(&'static str, &'static str), String>,
}

impl FieldExamples {
    /// The examples of all starters.
    pub fn of_starters() -> Self {
        let Parts::Variants(kinds) = Experiment::describe().parts else { return Self::default() };
        let mut examples = Self::default();
        for starter in kinds.iter().filter_map(|kind| kind.starter) {
            examples.add(starter);
        }
        examples
    }

    fn add(&mut self, starter: &str) {
        let scenario = Form::Declared(Scenario::describe);
        for written in written_fields(starter, &scenario) {
            let value = written.value.split_whitespace().collect::<Vec<_>>().join(" ");
            // A long value may still be an example of a variant in a list.
            for describe in written.entry.form.types() {
                self.add_variants(&describe(), &value);
            }
            if value.chars().count() <= LONG_EXAMPLE && !value.contains("//") && !written.is_default() {
                self.fields.entry((written.owner, written.variant, written.entry.name)).or_insert(value);
            }
        }
    }

    /// Notes a value that is one variant and nothing else.
    fn add_variants(&mut self, declared: &Description, value: &str) {
        let Parts::Variants(variants) = &declared.parts else { return };
        for variant in variants.iter().filter(|variant| variant.starter.is_none()) {
            let inside = value.strip_prefix(variant.name).and_then(|rest| rest.strip_prefix('('));
            if inside.is_some() && value.ends_with(')') && value.chars().count() <= LONG_EXAMPLE {
                self.variants.entry((declared.name, variant.name)).or_insert(value.to_string());
            }
        }
    }

    /// An example of a field that is not its default.
    pub(crate) fn field(&self, owner: &'static str, variant: Option<&'static str>, field: &FieldEntry) -> Option<&str> {
        self.fields.get(&(owner, variant, field.name)).map(String::as_str)
    }

    /// An example of a variant.
    pub(crate) fn variant(&self, choice: &'static str, variant: &'static str) -> Option<&str> {
        self.variants.get(&(choice, variant)).map(String::as_str)
    }
}
