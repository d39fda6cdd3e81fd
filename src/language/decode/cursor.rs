//! A place in the tree that knows its path.

use crate::source::Span;
use crate::text::{Body, Field, Group, TextNode, Value, push_field, push_index};
use std::fmt;
use std::rc::Rc;

/// A value in the tree, with the path that leads to it.
#[derive(Debug, Clone)]
pub struct Cursor<'t> {
    node: &'t TextNode,
    path: Path<'t>,
    /// The word in front has been used up as the name of a variant that holds the rest, if true.
    is_inside: bool,
}

impl<'t> Cursor<'t> {
    /// The whole scenario.
    pub fn root(node: &'t TextNode) -> Self {
        Self { node, path: Path(None), is_inside: false }
    }

    /// The value itself.
    pub fn node(&self) -> &'t TextNode {
        self.node
    }

    /// Where it stands.
    pub fn span(&self) -> Span {
        self.node.span
    }

    /// The path from the scenario to here.
    pub fn path(&self) -> &Path<'t> {
        &self.path
    }

    /// True if all of this could be read.
    pub(super) fn is_readable(&self) -> bool {
        !matches!(self.node.value, Value::Poison)
    }

    /// The field called `name`; when it was left out, the place is that of the record.
    pub fn field(&self, name: &'t str) -> Self {
        let fields = match self.group() {
            Some(Group { body: Body::Fields(fields), .. }) => fields.as_slice(),
            _ => &[],
        };
        let node = fields.iter().find(|field| field.name.text == name).map_or(self.node, |field| &field.value);
        self.step(node, PathStep::Field(name))
    }

    /// One of the fields here.
    pub(super) fn entry(&self, field: &'t Field) -> Self {
        self.step(&field.value, PathStep::Field(&field.name.text))
    }

    /// The element `index` of the list here; when there is none, the place is that of the list.
    pub fn element(&self, index: usize) -> Self {
        let node = match &self.node.value {
            Value::List(nodes) => nodes.get(index).unwrap_or(self.node),
            _ => self.node,
        };
        self.item(index, node)
    }

    /// The element `index` of a list, `node`.
    pub(super) fn item(&self, index: usize, node: &'t TextNode) -> Self {
        self.step(node, PathStep::Index(index))
    }

    fn step(&self, node: &'t TextNode, step: PathStep<'t>) -> Self {
        let path = Path(Some(Rc::new(Link { parent: self.path.clone(), around: self.node, step })));
        Self { node, path, is_inside: false }
    }

    /// The name of the variant whose content this is, if there is none: `Name` or `Name()`.
    pub(super) fn empty_variant(&self) -> Option<&'t str> {
        let group = self.group().filter(|_| self.is_inside)?;
        let is_empty = match &group.body {
            Body::Fields(fields) => fields.is_empty(),
            Body::Items(items) => items.is_empty(),
            _ => true,
        };
        group.name.as_ref().filter(|_| is_empty).map(|name| name.text.as_str())
    }

    /// A description of what was found here, for messages.
    pub(super) fn describe(&self) -> String {
        match (self.is_inside, self.group().map(|group| &group.body)) {
            (true, Some(Body::Fields(_))) => "fields in brackets".into(),
            (true, Some(Body::Items(items))) if !items.is_empty() => "several values in brackets".into(),
            _ => self.node.describe(),
        }
    }

    /// The text of the nearest field called `name` of a record around this value.
    pub(super) fn text_around(&self, name: &str) -> Option<&'t str> {
        let links = std::iter::successors(self.path.0.as_deref(), |link| link.parent.0.as_deref());
        let field = |node: &'t TextNode| match &node.value {
            Value::Group(group) => match &group.body {
                Body::Fields(fields) => fields.iter().find(|field| field.name.text == name),
                _ => None,
            },
            _ => None,
        };
        links.filter_map(|link| field(link.around)).find_map(|field| match &field.value.value {
            Value::Text(text) => Some(text.as_str()),
            Value::Group(group) if group.is_bare() => group.name.as_ref().map(|word| word.text.as_str()),
            _ => None,
        })
    }

    /// The names of the fields on the way here, from the scenario on.
    pub(super) fn field_names(&self) -> Vec<&'t str> {
        let links = std::iter::successors(self.path.0.as_deref(), |link| link.parent.0.as_deref());
        let mut names: Vec<&str> = links
            .filter_map(|link| match link.step {
                PathStep::Field(name) => Some(name),
                PathStep::Index(_) => None,
            })
            .collect();
        names.reverse();
        names
    }

    /// A word on its own by which other languages say that there is nothing: `null`.
    pub(super) fn foreign_nothing(&self) -> Option<&'t str> {
        let word = self.name().filter(|_| self.group().is_some_and(Group::is_bare))?;
        ["null", "nil", "none", "Null", "NULL", "undefined", "nothing"].contains(&word).then_some(word)
    }

    /// True if a number is written here.
    pub fn is_number(&self) -> bool {
        matches!(self.node.value, Value::Integer(_) | Value::Float(_))
    }

    /// The word or brackets here.
    pub fn group(&self) -> Option<&'t Group> {
        match &self.node.value {
            Value::Group(group) => Some(group),
            _ => None,
        }
    }

    /// The word in front of brackets, or on its own.
    pub fn name(&self) -> Option<&'t str> {
        let name = self.group().and_then(|group| group.name.as_ref())?;
        (!self.is_inside).then_some(name.text.as_str())
    }

    /// The content of the variant here: `x` in `Name(x)`, and `(a: 1)` in `Name(a: 1)`.
    pub(super) fn inside(&self) -> Self {
        match self.group().map(|group| &group.body) {
            Some(Body::Items(items)) if items.len() == 1 => {
                Self { node: &items[0], path: self.path.clone(), is_inside: false }
            }
            _ => Self { is_inside: true, ..self.clone() },
        }
    }
}

/// The way from the scenario to one of its parts, such as `nodes[3].price`.
#[derive(Debug, Clone)]
pub struct Path<'t>(Option<Rc<Link<'t>>>);

#[derive(Debug)]
struct Link<'t> {
    parent: Path<'t>,
    /// The value that holds the one at the end of the path.
    around: &'t TextNode,
    step: PathStep<'t>,
}

#[derive(Debug)]
enum PathStep<'t> {
    Field(&'t str),
    Index(usize),
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let links: Vec<_> = std::iter::successors(self.0.as_deref(), |link| link.parent.0.as_deref()).collect();
        let mut path = String::new();
        for link in links.iter().rev() {
            match link.step {
                PathStep::Field(name) => push_field(&mut path, name),
                PathStep::Index(index) => push_index(&mut path, index),
            }
        }
        f.write_str(&path)
    }
}
