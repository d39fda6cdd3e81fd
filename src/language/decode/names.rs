//! Names that are given in one place of a scenario and referred to in others.

use super::{Context, Cursor, Decode, Description, Form, suggest};
use crate::diagnose::{Errors, LISTED};
use crate::source::{Span, shorten};
use serde::{Serialize, Serializer};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::marker::PhantomData;

/// A kind of things that have names, such as nodes; names of different kinds never meet.
///
/// ```
/// use gridloom::language::NameKind;
///
/// #[derive(Debug, Clone, PartialEq)]
/// pub enum NodeNames {}
/// impl NameKind for NodeNames {
///     const WHAT: &'static str = "node";
/// }
/// ```
pub trait NameKind: fmt::Debug + Clone + PartialEq + 'static {
    /// The word for the named thing, in the singular; it tells kinds apart.
    const WHAT: &'static str;
}

/// The name of a thing, given by the thing itself; no other of its kind may have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Name<K: NameKind>(String, PhantomData<K>);

/// A mention of a thing by its [`Name`], which must be given somewhere in the scenario.
#[derive(Debug, Clone, PartialEq)]
pub struct Ref<K: NameKind>(String, PhantomData<K>);

macro_rules! named {
    ($($name:ident)*) => {$(
        impl<K: NameKind> $name<K> {
            /// The name as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl<K: NameKind> fmt::Display for $name<K> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl<K: NameKind> Serialize for $name<K> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }
    )*};
}

named!(Name Ref);

impl<K: NameKind> Decode for Name<K> {
    fn wanted() -> String {
        format!("a name for the {} in quotes", K::WHAT)
    }

    fn form() -> Form {
        Form::Text(Self::wanted())
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        new_name(at, K::WHAT, context).map(|name| Self(name, PhantomData))
    }
}

/// The name at `at` for a thing of the kind `what`, if no other has it.
fn new_name(at: &Cursor<'_>, what: &'static str, context: &mut Context<'_>) -> Option<String> {
    let name = String::decode(at, context)?;
    let wrong = match name.as_str() {
        "" => "the name is empty".to_owned(),
        _ if name.chars().any(char::is_control) => "the name has control characters".to_owned(),
        _ => match context.names.given.get(&(what, name.clone())) {
            Some(&first) => {
                let place = context.sources.refer(first);
                format!("the {what} `{}` is there already, {place}", shorten(&name, 40))
            }
            None => {
                context.names.given.insert((what, name.clone()), at.span());
                return Some(name);
            }
        },
    };
    context.add(at, wrong, format!("give each {what} a name of its own"));
    None
}

impl<K: NameKind> Decode for Ref<K> {
    fn wanted() -> String {
        format!("the name of a {} in quotes", K::WHAT)
    }

    fn form() -> Form {
        Form::Text(Self::wanted())
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let name = String::decode(at, context)?;
        let mention = Mention { kind: K::WHAT, name: name.clone(), span: at.span(), path: at.path().to_string() };
        context.names.mentioned.push(mention);
        Some(Self(name, PhantomData))
    }
}

/// A part of a scenario whose names are its own: those given in it and those given outside never meet.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Apart<T>(pub T);

impl<T: Decode> Decode for Apart<T> {
    fn wanted() -> String {
        T::wanted()
    }

    fn declared() -> Option<fn() -> Description> {
        T::declared()
    }

    fn form() -> Form {
        T::form()
    }

    fn unit() -> Option<&'static str> {
        T::unit()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let outside = std::mem::take(&mut context.names);
        let value = T::decode(at, context);
        let own = std::mem::replace(&mut context.names, outside);
        own.check(&mut context.errors, &context.lost);
        value.map(Self)
    }
}

/// All names and references of a scenario.
#[derive(Debug, Default)]
pub(super) struct Registry {
    /// By kind and name, where it was given.
    given: BTreeMap<(&'static str, String), Span>,
    mentioned: Vec<Mention>,
}

#[derive(Debug)]
struct Mention {
    kind: &'static str,
    name: String,
    span: Span,
    path: String,
}

impl Registry {
    /// Reports references to names that are not given, other than those that stand in parts that could not be decoded.
    pub(super) fn check(&self, errors: &mut Errors, lost: &BTreeSet<String>) {
        let is_given = |mention: &&Mention| self.given.contains_key(&(mention.kind, mention.name.clone()));
        let unknown = self.mentioned.iter().filter(|mention| !is_given(mention) && !lost.contains(&mention.name));
        for (index, Mention { kind, name, span, path }) in unknown.enumerate() {
            let from = (*kind, String::new());
            // Past those that are listed no one reads the advice, which takes time to find.
            let candidates: Vec<&str> = match index < LISTED {
                true => {
                    self.given.range(from..).map_while(|((k, name), _)| (k == kind).then_some(name.as_str())).collect()
                }
                false => Vec::new(),
            };
            let (_, right) = suggest(name, &candidates, "the names are");
            let wrong = format!("there is no {kind} `{}`", shorten(name, 40));
            errors.add(*span, path, wrong, right);
        }
    }
}
