//! RON text to a tree of values that know their places, read by the crate `ron`.

mod explain;
mod pieces;
mod scan;
mod tree;
mod walk;

pub use tree::{Body, Field, Group, TextNode, Value, Word};

pub(super) use pieces::{is_word_part, is_word_start};
pub(super) use tree::{push_field, push_index};

use super::diagnose::Errors;
use super::source::{Source, Span};
use pieces::{Kind, pieces};
use std::collections::BTreeSet;
use std::ops::Range;

/// True if a text spells a number.
pub(super) fn is_number(text: &str) -> bool {
    // `ron` also takes the byte of a character, `b'a'`.
    !text.contains('\'') && matches!(ron::from_str(text.trim()), Ok(ron::Value::Number(_)))
}

/// The text that is read: a part of a source, from some byte on to its end.
struct Ground<'t> {
    text: &'t str,
    source: &'t Source,
    index: u32,
    first: usize,
}

impl Ground<'_> {
    fn span(&self, place: Range<usize>) -> Span {
        let [start, end] = [place.start, place.end].map(|at| (self.first + at) as u32);
        Span { source: self.index, start, end }
    }

    fn line(&self, at: usize) -> usize {
        self.source.line((self.first + at) as u32)
    }
}

/// Something wrong with a text, and where in it.
#[derive(Debug)]
struct Fault {
    place: Range<usize>,
    wrong: String,
    right: String,
}

impl Fault {
    fn new(place: Range<usize>, wrong: impl Into<String>, right: impl Into<String>) -> Self {
        Self { place, wrong: wrong.into(), right: right.into() }
    }
}

/// The value of a scenario, what is wrong with its text, and the texts inside what could not be read.
#[derive(Debug, Clone)]
pub(crate) struct ReadText {
    pub(crate) tree: TextNode,
    pub(crate) errors: Errors,
    pub(crate) lost: BTreeSet<String>,
}

impl ReadText {
    pub(crate) fn of(scenario: &Source) -> Self {
        let (mut errors, mut lost) = (Errors::default(), BTreeSet::new());
        let tree = read(scenario, 0, (0, ""), &mut errors, &mut lost);
        Self { tree, errors, lost }
    }
}

/// Reads the value in `source`, the `index`-th of the sources, from byte `first` on.
///
/// Whatever is wrong is reported, and poison stands for it in the tree: for the whole of a text that is not RON, of
/// which only the first error is told. `prefix` is where in the scenario the value is. The texts inside what could not
/// be read are added to `lost`: they may be names that others refer to.
pub fn read(
    source: &Source,
    index: u32,
    (first, prefix): (usize, &str),
    errors: &mut Errors,
    lost: &mut BTreeSet<String>,
) -> TextNode {
    let text = &source.text()[first..];
    let ground = Ground { text, source, index, first };
    let mut faults = Vec::new();
    let node = match scan::check(text).and_then(|()| explain::check(text)) {
        Ok(()) => walk::tree(&ground, &mut faults, lost),
        Err(fault) => {
            faults.push(fault);
            let texts = pieces(text).filter(|piece| piece.kind == Kind::Text);
            lost.extend(texts.map(|piece| piece.text.trim_matches('"').to_owned()));
            TextNode::poison(ground.span(0..text.len()))
        }
    };
    faults.sort_by_key(|fault| fault.place.start);
    let (mut around, mut pieces) = (scan::Around::default(), pieces(text).peekable());
    for fault in faults {
        while let Some(piece) = pieces.next_if(|piece| piece.start < fault.place.start) {
            around.follow(piece);
        }
        errors.add(ground.span(fault.place), around.path(prefix), fault.wrong, fault.right);
    }
    node
}
