//! The forms of values: what a reference, a schema or a reader of starters needs to know of a type.

use super::{Description, NUMBER_LIMIT, Parts};

/// The names of a record's fields or of a choice's variants that are listed in words; more are only counted.
const LISTED_NAMES: usize = 8;

/// The form of a value.
#[derive(Debug, Clone)]
pub enum Form {
    /// `true` or `false`.
    Bool,
    /// Text in quotes, described in words.
    Text(String),
    /// A number.
    Number(NumberRange),
    /// `None`, or a value of this form.
    Optional(Box<Form>),
    /// A list of values of one form, at least so many.
    List(Box<Form>, usize),
    /// Two values in round brackets.
    Pair(Box<Form>, Box<Form>),
    /// A declared record or choice.
    Declared(fn() -> Description),
    /// A distribution whose draws lie within this range.
    Drawn(fn() -> Description, NumberRange),
    /// A value of one of these forms.
    Either(Vec<Form>),
    /// Anything else.
    Other,
}

/// The numbers that are allowed, both ends included unless `above`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NumberRange {
    /// The least.
    pub low: f64,
    /// The greatest.
    pub high: f64,
    /// True if numbers must be above `low`.
    pub above: bool,
    /// True if they must be whole.
    pub whole: bool,
}

impl NumberRange {
    /// The numbers from `low` to `high`.
    pub const fn new(low: f64, high: f64) -> Self {
        Self { low, high, above: false, whole: false }
    }

    /// The range in words, such as `above 0`; nothing if all numbers are allowed.
    pub fn words(&self) -> Option<String> {
        let (low, high) = (short(self.low), short(self.high));
        match (self.low <= -NUMBER_LIMIT, self.high >= NUMBER_LIMIT) {
            (true, true) => None,
            (true, false) => Some(format!("at most {high}")),
            (false, true) if self.above => Some(format!("above {low}")),
            (false, true) => Some(format!("at least {low}")),
            (false, false) if self.above => Some(format!("above {low}, at most {high}")),
            (false, false) => Some(format!("{low} to {high}")),
        }
    }
}

/// A bound as one would write it.
fn short(number: f64) -> String {
    let magnitude = number.abs();
    if magnitude >= 1e6 || (magnitude > 0.0 && magnitude < 1e-3) { format!("{number:e}") } else { number.to_string() }
}

impl Form {
    /// Whole numbers from `low` to `high`.
    pub const fn whole(low: f64, high: f64) -> Self {
        Self::Number(NumberRange { low, high, above: false, whole: true })
    }

    /// The form without `None`.
    pub fn required(&self) -> &Self {
        match self {
            Self::Optional(inner) => inner.required(),
            other => other,
        }
    }

    /// The declared types that may be written for it, right away or as elements.
    pub fn types(&self) -> Vec<fn() -> Description> {
        match self {
            Self::Optional(inner) | Self::List(inner, _) => inner.types(),
            Self::Pair(first, second) => [first.types(), second.types()].concat(),
            Self::Declared(declared) | Self::Drawn(declared, _) => vec![*declared],
            Self::Either(forms) => forms.iter().flat_map(Self::types).collect(),
            Self::Bool | Self::Text(_) | Self::Number(_) | Self::Other => Vec::new(),
        }
    }

    /// True if numbers may be written for it, which then have a unit or are none on purpose.
    pub fn has_numbers(&self) -> bool {
        match self {
            Self::Number(_) | Self::Drawn(..) => true,
            Self::Optional(inner) | Self::List(inner, _) => inner.has_numbers(),
            Self::Pair(first, second) => first.has_numbers() || second.has_numbers(),
            Self::Declared(declared) => declared().number.is_some(),
            Self::Either(forms) => forms.iter().any(Self::has_numbers),
            Self::Bool | Self::Text(_) | Self::Other => false,
        }
    }

    /// The range of its numbers in words, if there is one.
    pub fn range(&self) -> Option<String> {
        match self {
            Self::Number(range) => range.words(),
            Self::Drawn(_, range) => range.words(),
            Self::Optional(inner) => inner.range(),
            Self::List(inner, _) => inner.range().map(|range| format!("each {range}")),
            Self::Bool | Self::Text(_) | Self::Pair(..) | Self::Declared(_) | Self::Either(_) | Self::Other => None,
        }
    }

    /// The form in words. `named` gives the words for a declared type.
    pub fn words(&self, named: &dyn Fn(&Description) -> String) -> String {
        match self {
            Self::Bool => "true or false".into(),
            Self::Text(words) => words.clone(),
            Self::Number(range) if range.whole => "a whole number".into(),
            Self::Number(_) => "a number".into(),
            Self::Optional(inner) => format!("{}, or `None`", inner.words(named)),
            Self::List(inner, least) => {
                let not_empty = if *least > 0 { ", not empty," } else { "" };
                let words = plural(&inner.words(named));
                format!("a list `[...]`{not_empty} of {words}")
            }
            Self::Pair(first, second) => format!("a pair `({}, {})`", first.words(named), second.words(named)),
            Self::Declared(declared) => named(&declared()),
            Self::Drawn(declared, _) => named(&declared()),
            Self::Either(forms) => forms.iter().map(|form| form.words(named)).collect::<Vec<_>>().join(", or "),
            Self::Other => "a value".into(),
        }
    }
}

/// `a number` is `numbers` in a list.
fn plural(words: &str) -> String {
    match words {
        "a number" => "numbers".into(),
        "a whole number" => "whole numbers".into(),
        "text in quotes" => "texts in quotes".into(),
        _ if words.starts_with("one of ") => format!("values, each {words}"),
        _ => words.strip_prefix("a record ").map_or(words.into(), |record| format!("records {record}")),
    }
}

/// A declared type by what is written for it: the names of its fields or of its variants.
pub fn by_names(declared: &Description) -> String {
    let list =
        |names: &[&str], between: &str| names.iter().take(LISTED_NAMES).copied().collect::<Vec<_>>().join(between);
    let more = |names: &[&str]| names.len().saturating_sub(LISTED_NAMES);
    match &declared.parts {
        Parts::Fields(fields) if fields.is_empty() => format!("`{}`", declared.name),
        Parts::Fields(fields) => {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let rest = if more(&names) > 0 { ", ..." } else { "" };
            format!("a record `({}: ...{rest})`", list(&names, ": ..., "))
        }
        Parts::Variants(variants) => {
            let number = if declared.number.is_some() { "a number, or " } else { "" };
            let names: Vec<&str> = variants.iter().map(|variant| variant.name).collect();
            let rest = match more(&names) {
                0 => String::new(),
                more => format!(" or {more} more"),
            };
            format!("{number}one of `{}`{rest}", list(&names, "`, `"))
        }
    }
}
