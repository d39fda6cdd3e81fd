//! RON text to a tree of values that know their places.

mod brackets;
mod lexer;
mod literal;
mod parser;
mod quotes;
mod tree;

pub use tree::{Body, Field, Group, TextNode, Value, Word};

pub(super) use lexer::{is_word_part, is_word_start};
pub(super) use tree::{push_field, push_index};

use super::diagnose::Errors;
use super::source::{Source, Span};
use lexer::Token;
use std::collections::BTreeSet;

/// True if a text spells a number.
pub(super) fn is_number(text: &str) -> bool {
    literal::number(text.trim()).is_some()
}

/// Reads the value in `source`, the `index`-th of the sources, from byte `first` on.
///
/// Whatever is wrong is reported, and poison stands for it in the tree. `prefix` is where in the scenario the value is.
/// The texts inside what could not be read are added to `lost`: they may be names that others refer to.
pub fn read(
    source: &Source,
    index: u32,
    (first, prefix): (usize, &str),
    errors: &mut Errors,
    lost: &mut BTreeSet<String>,
) -> TextNode {
    let earlier = errors.len();
    let Parsed { node, tokens, mut is_sound } = parsed((source, index), first, errors, lost);
    if let Some(span) = quotes::unclosed((source, index), first, &tokens, errors.len() - earlier) {
        is_sound = false;
        errors.truncate(earlier);
        errors.add(span, "", "this text does not end on its line", "end it with `\"`");
    }
    errors.locate_since(earlier, |offset| match node.path_to(offset) {
        path if prefix.is_empty() || path.starts_with('[') || path.is_empty() => format!("{prefix}{path}"),
        path => format!("{prefix}.{path}"),
    });
    if is_sound { node } else { TextNode::poison(node.span) }
}

/// A text as it was read, before anything is made of its errors.
struct Parsed {
    node: TextNode,
    tokens: Vec<Token>,
    /// False if the tree is not what was meant.
    is_sound: bool,
}

fn parsed((source, index): (&Source, u32), first: usize, errors: &mut Errors, lost: &mut BTreeSet<String>) -> Parsed {
    let earlier = errors.len();
    let tokens = lexer::tokens(source.text(), index, first, errors);
    if tokens.is_empty() && errors.len() == earlier {
        let end = source.text().len() as u32;
        errors.add(Span { source: index, start: end, end }, "", "there is nothing here", "write a value in RON");
    }
    let balanced = brackets::balance(&tokens, index, errors);
    let lexical = errors.len();
    let node = parser::parse((source, index), first, &balanced, errors, lost);
    if !balanced.is_sound {
        // With a bracket out of place, fields seem to belong to other records: whatever else could be said would
        // mislead.
        errors.truncate(lexical);
    }
    Parsed { node, tokens, is_sound: balanced.is_sound }
}
