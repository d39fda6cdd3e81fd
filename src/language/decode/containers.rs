//! Lists, pairs, options, texts and truth values.

use super::{Context, Cursor, Decode, Description, Form, Wanted};
use crate::text::{Body, TextNode, Value};
use serde::Serialize;

impl Decode for bool {
    fn wanted() -> String {
        "true or false".into()
    }

    fn form() -> Form {
        Form::Bool
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        match at.node().value {
            Value::Bool(value) => Some(value),
            _ => {
                context.wrong_kind::<Self>(at);
                None
            }
        }
    }
}

impl Decode for String {
    fn wanted() -> String {
        "text in quotes".into()
    }

    fn form() -> Form {
        Form::Text(Self::wanted())
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        match (&at.node().value, at.name()) {
            (Value::Text(text), _) => Some(text.clone()),
            // A shell takes quotes away, so an override does without them where a word is enough.
            (Value::Group(group), Some(word)) if group.is_bare() && context.sources.of(at.span()).is_override() => {
                Some(word.to_owned())
            }
            _ => {
                context.wrong_kind::<Self>(at);
                None
            }
        }
    }
}

/// The place of a value that may be left out, whether `Some` is written or not; nothing for `None`.
fn some<'t>(at: &Cursor<'t>) -> Option<Cursor<'t>> {
    match (at.name(), at.group().map(|group| &group.body)) {
        (Some("None"), Some(Body::Bare)) => None,
        (Some("Some"), Some(Body::Items(_) | Body::Fields(_))) => Some(at.inside()),
        _ => Some(at.clone()),
    }
}

impl<T: Decode> Decode for Option<T> {
    fn wanted() -> String {
        format!("{}, or `None`", T::wanted())
    }

    fn declared() -> Option<fn() -> Description> {
        T::declared()
    }

    fn form() -> Form {
        Form::Optional(Box::new(T::form()))
    }

    fn unit() -> Option<&'static str> {
        T::unit()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        match some(at) {
            Some(inside) => T::decode(&inside, context).map(Some),
            None => Some(None),
        }
    }

    fn absent() -> Option<Self> {
        Some(None)
    }
}

/// The elements of the list at `at`, which is `wanted` there.
fn elements<'t>(at: &Cursor<'t>, wanted: Wanted, context: &mut Context<'_>) -> Option<&'t [TextNode]> {
    if let Value::List(nodes) = &at.node().value {
        return Some(nodes);
    }
    let given = context.given(at);
    match at.group() {
        // Most likely the one element of the list.
        Some(_) if at.is_readable() && given.len() < 40 => {
            let right = format!("put it in square brackets: `[{given}]`");
            context.add(at, format!("found {}, not a list", at.describe()), right);
            context.pass_over(at);
        }
        _ => context.not_what_is(wanted, at),
    }
    None
}

impl<T: Decode> Decode for Vec<T> {
    fn wanted() -> String {
        format!("a list `[...]` with, for each element, {}", T::wanted())
    }

    fn declared() -> Option<fn() -> Description> {
        T::declared()
    }

    fn form() -> Form {
        Form::List(Box::new(T::form()), 0)
    }

    fn unit() -> Option<&'static str> {
        T::unit()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let nodes = elements(at, Self::wanted, context)?;
        let mut items = Vec::with_capacity(nodes.len());
        for (index, node) in nodes.iter().enumerate() {
            let place = at.item(index, node);
            if let Some(item) = T::decode(&place, context) {
                items.push((place, item));
            }
        }
        T::check_all(&items, context);
        (items.len() == nodes.len()).then(|| items.into_iter().map(|(_, item)| item).collect())
    }
}

/// A list of at least one element.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct NonEmpty<T>(Vec<T>);

impl<T> NonEmpty<T> {
    /// The list, unless it is empty.
    pub fn new(items: Vec<T>) -> Option<Self> {
        if items.is_empty() { None } else { Some(Self(items)) }
    }
}

impl<T> std::ops::Deref for NonEmpty<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> std::ops::DerefMut for NonEmpty<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.0
    }
}

impl<T: Decode> Decode for NonEmpty<T> {
    fn wanted() -> String {
        Vec::<T>::wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        T::declared()
    }

    fn form() -> Form {
        Form::List(Box::new(T::form()), 1)
    }

    fn unit() -> Option<&'static str> {
        T::unit()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let items = Vec::decode(at, context)?;
        let list = Self::new(items);
        if list.is_none() {
            context.add(at, "the list is empty", "give at least one element");
        }
        list
    }
}

impl<A: Decode, B: Decode> Decode for (A, B) {
    fn wanted() -> String {
        format!("a pair `(..., ...)` of {} and {}", A::wanted(), B::wanted())
    }

    fn form() -> Form {
        Form::Pair(Box::new(A::form()), Box::new(B::form()))
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        match at.group().map(|group| &group.body) {
            Some(Body::Items(items)) if at.name().is_none() && items.len() == 2 => {
                let first = A::decode(&at.item(0, &items[0]), context);
                let second = B::decode(&at.item(1, &items[1]), context);
                Some((first?, second?))
            }
            _ => {
                context.wrong_kind::<Self>(at);
                None
            }
        }
    }
}
