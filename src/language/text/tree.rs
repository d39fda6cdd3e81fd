//! The tree that scenario text is read into: values with their places.

use crate::source::Span;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A value and where it stands.
#[derive(Debug, Clone)]
pub struct TextNode {
    /// The value itself.
    pub value: Value,
    /// The text it was read from.
    pub span: Span,
}

/// The kinds of values that can be written.
#[derive(Debug, Clone)]
pub enum Value {
    /// Something that could not be read and has been reported; later stages pass over it.
    Poison,
    /// A number written without a point or an exponent, kept exactly.
    Integer(i128),
    /// Any other number, also infinite or not a number.
    Float(f64),
    /// Text in quotes.
    Text(String),
    /// A character in apostrophes.
    Character(char),
    /// `true` or `false`.
    Bool(bool),
    /// `[...]`
    List(Vec<TextNode>),
    /// `{...}`
    Map(Vec<(TextNode, TextNode)>),
    /// A word, round brackets, or a word followed by round brackets.
    Group(Box<Group>),
}

/// A word with what may follow it in round brackets, such as a record or a variant.
#[derive(Debug, Clone)]
pub struct Group {
    /// The word in front; only a body in brackets can do without.
    pub name: Option<Word>,
    /// The brackets that follow, if there are any.
    pub body: Body,
}

impl Group {
    /// True if this is a word on its own.
    pub fn is_bare(&self) -> bool {
        matches!(self.body, Body::Bare)
    }
}

/// The part that follows the name of a [`Group`].
#[derive(Debug, Clone)]
pub enum Body {
    /// No brackets at all.
    Bare,
    /// `(1, 2)`
    Items(Vec<TextNode>),
    /// `(a: 1, b: 2)`
    Fields(Vec<Field>),
}

/// A name and where it stands.
#[derive(Debug, Clone)]
pub struct Word {
    /// The name.
    pub text: String,
    /// Its place.
    pub span: Span,
}

/// A named value in round brackets.
#[derive(Debug, Clone)]
pub struct Field {
    /// Its name.
    pub name: Word,
    /// Its value.
    pub value: TextNode,
}

impl TextNode {
    /// The number of elements of a list, also of one that a variant holds; 0 for anything else.
    pub fn elements(&self) -> usize {
        match &self.value {
            Value::List(items) => items.len(),
            Value::Group(group) => match &group.body {
                Body::Items(items) if group.name.is_some() && items.len() == 1 => items[0].elements(),
                _ => 0,
            },
            _ => 0,
        }
    }

    /// A value that stands at `span`.
    pub fn new(value: Value, span: Span) -> Self {
        Self { value, span }
    }

    /// The node that stands for a value that could not be read.
    pub fn poison(span: Span) -> Self {
        Self::new(Value::Poison, span)
    }

    /// A description of what was found here, for messages.
    pub fn describe(&self) -> String {
        match &self.value {
            Value::Poison => "something unreadable".into(),
            Value::Integer(_) | Value::Float(_) => "a number".into(),
            Value::Text(_) => "text".into(),
            Value::Character(_) => "a character".into(),
            Value::Bool(value) => format!("`{value}`"),
            Value::List(_) => "a list".into(),
            Value::Map(_) => "a map".into(),
            Value::Group(group) => match (&group.name, &group.body) {
                (Some(name), Body::Bare) => format!("the word `{}`", name.text),
                (Some(name), _) => format!("`{}(...)`", name.text),
                (None, Body::Fields(_)) => "fields in brackets".into(),
                (None, _) => "values in brackets".into(),
            },
        }
    }

    /// Adds every text in this value to `texts`.
    pub(crate) fn collect_texts(&self, texts: &mut BTreeSet<String>) {
        match &self.value {
            Value::Text(text) => {
                texts.insert(text.clone());
            }
            Value::List(items) => items.iter().for_each(|item| item.collect_texts(texts)),
            Value::Map(entries) => entries.iter().for_each(|(key, value)| {
                key.collect_texts(texts);
                value.collect_texts(texts);
            }),
            Value::Group(group) => match &group.body {
                Body::Bare => (),
                Body::Items(items) => items.iter().for_each(|item| item.collect_texts(texts)),
                Body::Fields(fields) => fields.iter().for_each(|field| field.value.collect_texts(texts)),
            },
            Value::Poison | Value::Integer(_) | Value::Float(_) | Value::Character(_) | Value::Bool(_) => (),
        }
    }
}

/// Appends a field's name to a path.
pub(crate) fn push_field(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

/// Appends an index to a path.
pub(crate) fn push_index(path: &mut String, index: usize) {
    // Writing to a string can't fail.
    let _ = write!(path, "[{index}]");
}
