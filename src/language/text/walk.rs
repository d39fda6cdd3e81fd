//! A text to a tree, one level at a time: `ron` reads a value and hands over each of its parts as the text it was, whose
//! place in the whole is that of the part.
//!
//! Names and the kind of brackets do not pass through a visitor; they come from the text.

use super::explain::range_advice;
use super::pieces::{is_raw_word_part, is_word_part, is_word_start};
use super::tree::{Body, Field, Group, TextNode, Value, Word};
use super::{Fault, Ground};
use crate::source::shorten;
use ron::value::RawValue;
use serde::Deserialize;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};
use std::fmt;
use std::ops::Range;

/// One value, its parts not read yet.
enum Level<'t> {
    Leaf(Value),
    /// Text with a prefix that makes bytes of it.
    Bytes,
    Range,
    /// A word on its own, or `()`.
    Unit,
    Some(&'t RawValue),
    Items(Vec<&'t RawValue>),
    Entries(Vec<(&'t RawValue, &'t RawValue)>),
    Fields(Vec<(&'t str, &'t RawValue)>),
}

/// The brackets that hold a value's parts, as far as the visitor of its level must know them.
#[derive(Clone, Copy)]
enum Held {
    Entries,
    Fields,
    /// No brackets: what comes as a map is a range.
    Nothing,
}

impl<'t> Visitor<'t> for Held {
    type Value = Level<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Bool(value)))
    }

    fn visit_char<E>(self, value: char) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Character(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Text(value.to_owned())))
    }

    fn visit_string<E>(self, value: String) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Text(value)))
    }

    fn visit_bytes<E>(self, _value: &[u8]) -> Result<Level<'t>, E> {
        Ok(Level::Bytes)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Float(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Integer(value.into())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Integer(value.into())))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(Value::Integer(value)))
    }

    fn visit_u128<E>(self, value: u128) -> Result<Level<'t>, E> {
        Ok(Level::Leaf(i128::try_from(value).map_or(Value::Float(value as f64), Value::Integer)))
    }

    fn visit_unit<E>(self) -> Result<Level<'t>, E> {
        Ok(Level::Unit)
    }

    fn visit_none<E>(self) -> Result<Level<'t>, E> {
        Ok(Level::Unit)
    }

    fn visit_some<D: Deserializer<'t>>(self, deserializer: D) -> Result<Level<'t>, D::Error> {
        <&RawValue>::deserialize(deserializer).map(Level::Some)
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut items: A) -> Result<Level<'t>, A::Error> {
        std::iter::from_fn(|| items.next_element().transpose()).collect::<Result<_, _>>().map(Level::Items)
    }

    fn visit_map<A: MapAccess<'t>>(self, mut entries: A) -> Result<Level<'t>, A::Error> {
        match self {
            Self::Entries => {
                std::iter::from_fn(|| entries.next_entry().transpose()).collect::<Result<_, _>>().map(Level::Entries)
            }
            Self::Fields => {
                std::iter::from_fn(|| entries.next_entry().transpose()).collect::<Result<_, _>>().map(Level::Fields)
            }
            Self::Nothing => {
                while entries.next_entry::<de::IgnoredAny, de::IgnoredAny>()?.is_some() {}
                Ok(Level::Range)
            }
        }
    }
}

/// The tree of a text that is RON. What RON allows and a scenario does not is added to `faults`.
pub(super) fn tree(ground: &Ground<'_>, faults: &mut Vec<Fault>, lost: &mut BTreeSet<String>) -> TextNode {
    Walk { ground, faults, lost }.value(ground.text)
}

struct Walk<'a> {
    ground: &'a Ground<'a>,
    faults: &'a mut Vec<Fault>,
    lost: &'a mut BTreeSet<String>,
}

impl<'a> Walk<'a> {
    /// The bytes of `part` in the whole text.
    fn place(&self, part: &str) -> Range<usize> {
        let start = part.as_ptr() as usize - self.ground.text.as_ptr() as usize;
        start..start + part.len()
    }

    /// The value in `slice`, which is RON, with what blanks and comments are around it.
    fn value(&mut self, slice: &'a str) -> TextNode {
        let read = || {
            let mut deserializer = ron::Deserializer::from_str(slice)?;
            // The deserializer has passed over blanks, comments and headers.
            let from = deserializer.remainder();
            let held = match from.chars().next() {
                Some('{') => Held::Entries,
                Some(first) if first == '(' || is_word_start(first) && !is_range(from) => Held::Fields,
                _ => Held::Nothing,
            };
            let level = deserializer.deserialize_any(held).map_err(|error| deserializer.span_error(error))?;
            Ok((level, from, from.len() - deserializer.remainder().len()))
        };
        let (level, from, length) = match read() {
            Ok(read) => read,
            Err(error) => return self.unread(slice, &error),
        };
        let word = &from[..word_length(from)];
        let whole = self.place(&from[..length]);
        let name = |walk: &Self| {
            let text = word.strip_prefix("r#").unwrap_or(word).to_owned();
            (!word.is_empty()).then(|| Word { text, span: walk.ground.span(walk.place(word)) })
        };
        let value = match level {
            Level::Leaf(_) | Level::Bytes if from.starts_with('b') && !matches!(word, "true" | "false") => {
                let prefix = whole.start..whole.start + word.len();
                self.faults.push(Fault::new(prefix, "text takes no prefix", "remove it"));
                Value::Poison
            }
            Level::Unit | Level::Range if from.starts_with(is_number_start) || is_range(from) => {
                let wrong = format!("`{}` is not a number", shorten(&from[..length], 40));
                self.faults.push(Fault::new(whole.clone(), wrong, range_advice(&from[..length])));
                Value::Poison
            }
            Level::Leaf(value) => value,
            Level::Unit if !word.is_empty() => {
                let group = Group { name: name(self), body: Body::Bare };
                let span = self.ground.span(self.place(word));
                return TextNode::new(Value::Group(Box::new(group)), span);
            }
            Level::Items(items) if from.starts_with('[') => Value::List(self.items(items)),
            Level::Entries(entries) => {
                let both = |(key, value): (&'a RawValue, &'a RawValue)| (self.part(key), self.part(value));
                Value::Map(entries.into_iter().map(both).collect())
            }
            Level::Unit | Level::Bytes | Level::Range => group(name(self), Body::Items(Vec::new())),
            Level::Some(inner) => group(name(self), Body::Items(vec![self.part(inner)])),
            Level::Items(items) => group(name(self), Body::Items(self.items(items))),
            Level::Fields(fields) => group(name(self), Body::Fields(self.fields(fields))),
        };
        TextNode::new(value, self.ground.span(whole))
    }

    /// What `ron` took as a part, and then does not read alone.
    fn unread(&mut self, slice: &str, error: &ron::error::SpannedError) -> TextNode {
        let place = self.place(slice);
        let wrong = format!("this can't be read: {}", error.code);
        self.faults.push(Fault::new(place.clone(), wrong, "write a value in RON"));
        TextNode::poison(self.ground.span(place))
    }

    fn part(&mut self, part: &'a RawValue) -> TextNode {
        self.value(part.get_ron())
    }

    fn items(&mut self, items: Vec<&'a RawValue>) -> Vec<TextNode> {
        items.into_iter().map(|item| self.part(item)).collect()
    }

    /// The fields of a record; of two with one name the first is kept.
    fn fields(&mut self, fields: Vec<(&'a str, &'a RawValue)>) -> Vec<Field> {
        let mut seen = BTreeMap::new();
        let mut kept = Vec::with_capacity(fields.len());
        for (name, value) in fields {
            let (place, value) = (self.place(name), self.part(value));
            match seen.entry(name) {
                Entry::Vacant(entry) => {
                    entry.insert(place.start);
                    let name = Word { text: name.to_owned(), span: self.ground.span(place) };
                    kept.push(Field { name, value });
                }
                Entry::Occupied(first) => {
                    let line = self.ground.line(*first.get());
                    let wrong = format!("the field `{}` is given twice, first on line {line}", shorten(name, 40));
                    self.faults.push(Fault::new(place, wrong, "remove one of them"));
                    value.collect_texts(self.lost);
                }
            }
        }
        kept
    }
}

fn group(name: Option<Word>, body: Body) -> Value {
    Value::Group(Box::new(Group { name, body }))
}

/// The length of the name that a value begins with.
fn word_length(from: &str) -> usize {
    let run = |name: &str, part: fn(char) -> bool| name.find(|c| !part(c)).unwrap_or(name.len());
    match from.strip_prefix("r#") {
        Some(raw) if raw.starts_with(is_word_start) => 2 + run(raw, is_raw_word_part),
        None if from.starts_with(is_word_start) => run(from, is_word_part),
        _ => 0,
    }
}

/// True for a range that begins with a word: `inf..`.
fn is_range(from: &str) -> bool {
    from[word_length(from)..].starts_with("..")
}

fn is_number_start(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '.' | '+' | '-')
}
