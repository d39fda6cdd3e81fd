//! The reference as a JSON Schema, for tools.
//!
//! RON is read as JSON in this way: a record is an object; a variant is its name as a string, or an object whose one
//! member is its name with what is in its brackets; `Some(x)` is `x` and `None` is null; a pair is an array of two.

use super::Reference;
use crate::language::{Description, FieldEntry, Form, NumberRange, Parts, VariantEntry};
use serde_json::{Map, Value, json};

/// Bounds beyond this are those of the numbers themselves.
const NO_BOUND: f64 = 1e15;

/// The schema (draft 2020-12) with one definition for each record and choice.
pub fn schema(reference: &Reference) -> Value {
    let definition = |declared: &Description| (declared.name.to_string(), of_type(declared));
    let definitions: Map<String, Value> =
        reference.sections.iter().map(|section| definition(&section.declared)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$comment": "RON as JSON: a record is an object; a variant is its name, or an object with its name as the one \
                     member; None is null; a pair is an array of two.",
        "title": "gridloom scenario",
        "$ref": "#/$defs/Scenario",
        "$defs": definitions,
    })
}

fn of_type(declared: &Description) -> Value {
    let mut schema = match &declared.parts {
        Parts::Fields(fields) => object(fields),
        Parts::Variants(variants) => {
            let number = declared.number.map(|_| json!({ "type": "number" }));
            json!({ "oneOf": variants.iter().flat_map(of_variant).chain(number).collect::<Vec<_>>() })
        }
    };
    schema["description"] = json!(declared.doc);
    schema
}

fn object(fields: &[FieldEntry]) -> Value {
    let properties: Map<String, Value> = fields.iter().map(|field| (field.name.to_string(), of_field(field))).collect();
    let required: Vec<&str> = fields.iter().filter(|field| field.default.is_none()).map(|field| field.name).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

fn of_field(field: &FieldEntry) -> Value {
    let mut schema = of_form(&field.form);
    schema["description"] = json!(field.doc);
    if let Some(unit) = field.unit {
        schema["x-unit"] = json!(unit);
    }
    if let Some(default) = &field.default {
        // As it is written in a scenario: editors show it, and nothing fills it in.
        schema["x-default"] = json!(default);
    }
    schema
}

/// The ways to write a variant: its name, where nothing has to be in its brackets, and its name with them.
fn of_variant(variant: &VariantEntry) -> Vec<Value> {
    let bare = json!({ "const": variant.name, "description": variant.doc });
    let inside = match &variant.form {
        Some(form) => Some(of_form(form)),
        // The kinds of experiment are described by themselves.
        None if variant.starter.is_some() => variant.declared.map(|describe| reference_to(&describe())),
        None if variant.fields.is_empty() => None,
        None => Some(object(&variant.fields)),
    };
    let Some(inside) = inside else { return vec![bare] };
    let mut member = Map::new();
    member.insert(variant.name.into(), inside);
    let whole = json!({
        "type": "object", "properties": member, "required": [variant.name], "additionalProperties": false,
        "description": variant.doc,
    });
    let may_be_bare = variant.form.is_none() && variant.fields.iter().all(|field| field.default.is_some());
    if may_be_bare { vec![bare, whole] } else { vec![whole] }
}

fn reference_to(declared: &Description) -> Value {
    json!({ "$ref": format!("#/$defs/{}", declared.name) })
}

fn of_form(form: &Form) -> Value {
    match form {
        Form::Bool => json!({ "type": "boolean" }),
        Form::Text(_) => json!({ "type": "string" }),
        Form::Number(range) => of_range(range),
        Form::Optional(inner) => json!({ "anyOf": [{ "type": "null" }, of_form(inner)] }),
        Form::List(inner, least) => json!({ "type": "array", "items": of_form(inner), "minItems": least }),
        Form::Pair(first, second) => {
            json!({ "type": "array", "prefixItems": [of_form(first), of_form(second)], "minItems": 2, "maxItems": 2 })
        }
        Form::Declared(declared) | Form::Drawn(declared, _) => reference_to(&declared()),
        Form::Either(forms) => json!({ "anyOf": forms.iter().map(of_form).collect::<Vec<_>>() }),
        Form::Other => json!({}),
    }
}

fn of_range(range: &NumberRange) -> Value {
    let mut schema = json!({ "type": if range.whole { "integer" } else { "number" } });
    if range.low > -NO_BOUND {
        schema[if range.above { "exclusiveMinimum" } else { "minimum" }] = json!(range.low);
    }
    if range.high < NO_BOUND {
        schema["maximum"] = json!(range.high);
    }
    schema
}
