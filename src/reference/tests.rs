//! The reference covers what is declared, and what it says holds.

use super::*;
use crate::language::{FieldEntry, Source, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Every field and held value that is declared below a type, found through `declared` alone and each type once.
fn visit(declared: Description, seen: &mut BTreeSet<&'static str>, found: &mut Vec<(String, FieldEntry)>) {
    if !seen.insert(declared.name) {
        return;
    }
    match declared.parts {
        Parts::Fields(fields) => visit_fields(declared.name, fields, seen, found),
        Parts::Variants(variants) => {
            for variant in variants {
                visit_fields(&format!("{}.{}", declared.name, variant.name), variant.fields, seen, found);
                if let Some(inner) = variant.declared {
                    visit(inner(), seen, found);
                }
            }
        }
    }
}

fn visit_fields(
    owner: &str,
    fields: Vec<FieldEntry>,
    seen: &mut BTreeSet<&'static str>,
    found: &mut Vec<(String, FieldEntry)>,
) {
    for field in fields {
        let inner = field.declared;
        found.push((format!("{owner}.{}", field.name), field));
        if let Some(inner) = inner {
            visit(inner(), seen, found);
        }
    }
}

fn declared_fields() -> Vec<(String, FieldEntry)> {
    let mut found = Vec::new();
    visit(Scenario::describe(), &mut BTreeSet::new(), &mut found);
    assert!(found.len() > 300, "there are more fields than {}", found.len());
    found
}

#[test]
fn every_declared_field_of_every_kind_has_an_entry_with_its_facts() {
    let reference = Reference::gather();
    for (path, field) in declared_fields() {
        // Fields of several types may be called and documented alike.
        let alike = reference.entries().filter(|entry| entry.name == field.name && entry.doc == field.doc);
        let is_told = |entry: &ReferenceEntry| {
            let has = |name: &str| entry.facts.iter().any(|(fact, text)| *fact == name && !text.is_empty());
            let has_default = entry.facts.iter().any(|(fact, text)| {
                let default = field.default.as_ref().map_or(REQUIRED.to_string(), |default| format!("`{default}`"));
                *fact == "Default" && *text == default
            });
            let (unit, range) = (field.unit.is_some(), field.form.range().is_some());
            has("Form") && has_default && has("Unit") == unit && has("Range") == range
        };
        assert!(alike.into_iter().any(is_told), "{path} has no entry, or one that lacks a fact");
    }
}

#[test]
fn paths_are_unique_and_sections_are_of_one_type_each() {
    assert_eq!((Scenario::describe().name, Experiment::describe().name), (SCENARIO, EXPERIMENT));
    let reference = Reference::gather();
    let mut paths = BTreeSet::new();
    for entry in reference.entries() {
        assert!(paths.insert(entry.path.clone()), "{} is there twice", entry.path);
    }
    let names: BTreeSet<&str> = reference.sections.iter().map(|section| section.declared.name).collect();
    assert_eq!(names.len(), reference.sections.len());
    for kind in Experiment::NAMES {
        assert!(reference.sections.iter().any(|section| section.path == *kind), "{kind} has no section");
    }
}

#[test]
fn numbers_have_a_unit_and_nothing_else_has_one() {
    for (path, field) in declared_fields() {
        assert_eq!(field.form.has_numbers(), field.unit.is_some(), "{path}: {:?}; see `#[unit = ...]`", field.unit);
    }
    for section in Reference::gather().sections {
        let Parts::Variants(variants) = section.declared.parts else { continue };
        for variant in variants {
            let has_numbers = variant.form.as_ref().is_some_and(Form::has_numbers);
            assert_eq!(has_numbers, variant.unit.is_some(), "{}.{}", section.declared.name, variant.name);
        }
    }
}

#[test]
fn defaults_are_read_back_as_they_are_written() {
    for (path, field) in declared_fields() {
        if let Some(default) = &field.default {
            assert_eq!(field.rewrite(default).as_ref(), Some(default), "{path}");
        }
    }
}

#[test]
fn documentation_is_whole_sentences_and_says_what_a_missing_value_means() {
    const TOLD: [&str; 7] =
        ["nless given", " need", "Needed", "Left out if", "In place of", "Either this", "without it"];
    for (path, field) in declared_fields() {
        assert!(field.doc.len() > 8 && field.doc.ends_with('.'), "{path}: {:?}", field.doc);
        let begins_well = !["What ", "How ", "Whether ", "Which "].iter().any(|word| field.doc.starts_with(word));
        assert!(begins_well, "{path}: {:?}", field.doc);
        if field.default.as_deref() == Some("None") {
            let doc = field.doc.replace('\n', " ");
            assert!(TOLD.iter().any(|told| doc.contains(told)), "{path} does not say what `None` means");
        }
    }
    for section in Reference::gather().sections {
        assert!(!section.declared.doc.is_empty(), "{}", section.declared.name);
        assert!(section.entries.iter().all(|entry| entry.doc.ends_with('.')), "{}", section.declared.name);
    }
}

#[test]
fn the_page_needs_nothing_but_itself_and_its_links_lead_somewhere() {
    let page = page(&Reference::gather());
    for outside in ["http:", "https:", "src=", "url(", "@import", "<link", "<iframe"] {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'") && page.matches("<script").count() == 1);
    let after = |text: &'static str| -> Vec<String> {
        page.split(text).skip(1).map(|rest| rest.split('"').next().unwrap_or_default().to_string()).collect()
    };
    let ids = after(" id=\"");
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(unique.len(), ids.len(), "ids are unique");
    let links = after("href=\"#");
    assert!(links.len() > 200, "{}", links.len());
    for link in links {
        assert!(unique.contains(&link), "nothing is called {link}");
    }
}

#[test]
fn markdown_has_no_long_lines_and_its_links_lead_to_headings() {
    let text = super::text(&Reference::gather());
    let long = text.lines().find(|line| line.chars().count() > 120 && line.trim().contains(' '));
    assert_eq!(long, None);
    let headings: Vec<String> =
        text.lines().filter_map(|line| line.strip_prefix("### ")).map(markdown::anchor).collect();
    assert_eq!(headings.iter().collect::<BTreeSet<_>>().len(), headings.len(), "headings are unique");
    let links = text.split("](#").skip(1).map(|rest| rest.split(')').next().unwrap_or_default());
    for link in links {
        assert!(headings.iter().any(|heading| heading == link), "nothing is called {link}");
    }
}

#[test]
fn the_guide_has_the_reference_of_this_version() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("guide/reference.md");
    let kept = fs::read_to_string(&file).expect("the guide has a reference");
    assert!(
        kept == super::text(&Reference::gather()),
        "guide/reference.md is out of date: run `gridloom describe --markdown guide/reference.md --force`"
    );
}

/// A value of RON as JSON, in the way that the schema says.
fn json(node: &text::TextNode) -> Value {
    use text::{Body, Value as Ron};
    match &node.value {
        Ron::Integer(number) => Value::from(i64::try_from(*number).expect("scenarios have no larger ones")),
        Ron::Float(number) => Value::from(*number),
        Ron::Text(text) => Value::from(text.as_str()),
        Ron::Bool(value) => Value::from(*value),
        Ron::List(items) => items.iter().map(json).collect(),
        Ron::Group(group) => {
            let inside = match &group.body {
                Body::Bare => None,
                Body::Items(items) if group.name.is_none() => Some(items.iter().map(json).collect()),
                Body::Items(items) => items.first().map(json),
                Body::Fields(fields) => {
                    Some(fields.iter().map(|field| (field.name.text.clone(), json(&field.value))).collect())
                }
            };
            match (group.name.as_ref().map(|name| name.text.as_str()), inside) {
                (Some("None"), None) => Value::Null,
                (Some("Some" | "Scenario") | None, inside) => inside.unwrap_or_default(),
                (Some(name), None) => Value::from(name),
                (Some(name), Some(inside)) => [(name.to_string(), inside)].into_iter().collect(),
            }
        }
        other => panic!("scenarios have no {other:?}"),
    }
}

/// What keeps a value from being valid; the keywords are those that the schema uses.
fn fault(value: &Value, schema: &Value, whole: &Value) -> Option<String> {
    let all = |schemas: &Value| -> Vec<Option<String>> {
        schemas.as_array().into_iter().flatten().map(|schema| fault(value, schema, whole)).collect()
    };
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/$defs/")) {
        return fault(value, &whole["$defs"][name], whole);
    }
    if let Some(only) = schema.get("const") {
        return (value != only).then(|| format!("{value} is not {only}"));
    }
    for (keyword, most) in [("anyOf", usize::MAX), ("oneOf", 1)] {
        if let Some(schemas) = schema.get(keyword) {
            let faults = all(schemas);
            let fitting = faults.iter().filter(|fault| fault.is_none()).count();
            return (fitting == 0 || fitting > most)
                .then(|| format!("{value} fits {fitting} of {keyword}: {faults:?}"));
        }
    }
    let is_right = match schema["type"].as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("null") => value.is_null(),
        Some("integer") => value.is_i64(),
        Some("number") => value.is_number(),
        _ => true,
    };
    let number = value.as_f64().unwrap_or_default();
    let bound = |keyword: &str| schema[keyword].as_f64();
    let is_within = bound("minimum").is_none_or(|low| number >= low)
        && bound("exclusiveMinimum").is_none_or(|low| number > low)
        && bound("maximum").is_none_or(|high| number <= high);
    if !is_right || !is_within {
        return Some(format!("{value} is not {schema}"));
    }
    let members = value.as_object().into_iter().flatten();
    let missing = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing = missing.filter(|name| value.get(name).is_none()).map(|name| format!("{name} is missing")).next();
    let of_members = members.filter_map(|(name, member)| match schema["properties"].get(name) {
        Some(property) => fault(member, property, whole).map(|wrong| format!("{name}: {wrong}")),
        None => Some(format!("there is no {name}")),
    });
    let elements = value.as_array().into_iter().flatten().enumerate();
    let of_elements = elements.filter_map(|(index, element)| {
        let schema = schema["prefixItems"].get(index).unwrap_or(&schema["items"]);
        fault(element, schema, whole)
    });
    missing.into_iter().chain(of_members).chain(of_elements).next()
}

#[test]
fn every_scenario_is_valid_by_the_schema_and_a_misspelt_field_is_not() {
    let schema = schema(&Reference::gather());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut seen = 0;
    for entry in fs::read_dir(folder).expect("there are scenarios") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|extension| extension != "ron") {
            continue;
        }
        let source = Source::new("scenario.ron", fs::read_to_string(&path).expect("it is text"));
        let tree = text::read(&source, 0, (0, ""), &mut Default::default(), &mut BTreeSet::new());
        let mut scenario = json(&tree);
        assert_eq!(fault(&scenario, &schema, &schema), None, "{}", path.display());
        scenario["sed"] = Value::from(1);
        assert_eq!(fault(&scenario, &schema, &schema), Some("there is no sed".into()));
        seen += 1;
    }
    assert!(seen > 30);
}
