//! Tree to values. Every part is decoded even when others fail, so that all errors are found in one pass.

mod containers;
mod cursor;
mod declare;
mod description;
mod elsewhere;
mod form;
mod in_time;
mod interpret;
mod moved;
mod names;
mod number;
mod reading;
mod registry;
mod table;

pub use containers::NonEmpty;
pub use cursor::{Cursor, Path};
pub use description::{Describe, Description, FieldEntry, Parts, VariantEntry};
pub use form::{Form, NumberRange, by_names};
// Needed by the macros where they are used.
pub use in_time::InTime;
pub use names::{Apart, Name, NameKind, Ref};
#[doc(hidden)]
pub use table::{Content, Declared, FieldRow, Rows, Table, TypeRow, Values, VariantRow};
// Needed by numbers that others declare.
#[doc(hidden)]
pub use number::decode_f64;
pub use number::{Count, Finite, Fraction, NUMBER_LIMIT, NonNegative, Positive};
pub use reading::Reading;

use super::diagnose::{Errors, LISTED};
use super::source::{Sources, shorten};
use super::text::TextNode;
use elsewhere::Root;
use names::Registry;
use std::collections::BTreeSet;

/// A type that scenario text can be decoded into.
///
/// Records and choices get this from [`record!`](crate::record) and [`choice!`](crate::choice).
pub trait Decode: Sized {
    /// The value to write, in words that can follow "give": `a number above 0`.
    fn wanted() -> String;

    /// The value at `at`; nothing if it is wrong, which is then told to `context`.
    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self>;

    /// The declaration of the record or choice that is written, or that the elements of a list are; numbers and texts
    /// have none.
    fn declared() -> Option<fn() -> Description> {
        None
    }

    /// The form of the value, for reference pages and schemas.
    fn form() -> Form {
        Form::Other
    }

    /// The unit of the number that is written, or of the numbers of a list, if the type tells it.
    fn unit() -> Option<&'static str> {
        None
    }

    /// True if it is a record without fields, of which nothing but the name is written.
    fn takes_nothing() -> bool {
        false
    }

    /// A commented text to start from, if there is one.
    fn starter() -> Option<&'static str> {
        None
    }

    /// The value of a field that is left out, if it may be left out without a declared default.
    fn absent() -> Option<Self> {
        None
    }

    /// Checks of the value as a whole, whose parts are good; `at` is where it stands. Decoding runs them, and so does
    /// whoever replaces a part by what is in a file.
    fn check(&self, _at: &Cursor<'_>, _context: &mut Context<'_>) {}

    /// Checks across the elements of one list, such as overlaps; those that could not be decoded are not among them.
    fn check_all(_items: &[(Cursor<'_>, Self)], _context: &mut Context<'_>) {}
}

/// [`Decode::wanted`] of some type. What only has to say what was wanted takes this, and is compiled once for all types.
type Wanted = fn() -> String;

/// The state that decoding carries along: the texts, the errors found, and the names given.
#[derive(Debug)]
pub struct Context<'t> {
    sources: &'t Sources,
    errors: Errors,
    names: Registry,
    /// Texts in parts that are not decoded: they may be names.
    lost: BTreeSet<String>,
    /// The whole scenario, if what is decoded is declared.
    root: Option<Root<'t>>,
    /// True while numbers are times, which may have units.
    are_times: bool,
}

impl<'t> Context<'t> {
    pub(super) fn new(sources: &'t Sources, errors: Errors, lost: BTreeSet<String>) -> Self {
        Self { sources, errors, names: Registry::default(), lost, root: None, are_times: false }
    }

    /// The same for a scenario that is declared by `describe`, of which `tree` is what is written.
    pub(super) fn of(self, describe: Option<fn() -> Description>, tree: &'t TextNode) -> Self {
        Self { root: describe.map(|describe| (describe, tree)), ..self }
    }

    /// Advice where else in the scenario a field called `name` could stand, if some record there has one.
    fn elsewhere(&self, name: &str) -> Option<String> {
        // Past those that are listed no one reads the advice, which takes time to find.
        let root = self.root.filter(|_| self.errors.len() < LISTED)?;
        elsewhere::advise(name, root)
    }

    /// True if a record on the way along `names`, the fields from the scenario on, declares a field `wanted`.
    fn declares_around(&self, wanted: &str, names: &[&str]) -> bool {
        self.root.is_some_and(|root| elsewhere::is_declared_around(wanted, names, root))
    }

    /// Notes that `wrong` is so at `at`, and what would be `right`.
    pub fn add(&mut self, at: &Cursor<'_>, wrong: impl Into<String>, right: impl Into<String>) {
        self.errors.add(at.span(), at.path(), wrong, right);
    }

    /// The number of errors so far.
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// True if there are no errors so far.
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// True if there are no errors, references to names included.
    pub(super) fn has_none(&mut self) -> bool {
        self.names.check(&mut self.errors, &self.lost);
        self.names = Registry::default();
        self.errors.is_empty()
    }

    /// The text at `at`, cut to a length that a message can quote.
    pub fn given(&self, at: &Cursor<'_>) -> String {
        self.sources.quote(at.span())
    }

    /// Where `at` is, to be mentioned in a message about another place: `on line 3`.
    pub fn refer(&self, at: &Cursor<'_>) -> String {
        self.sources.refer(at.span())
    }

    /// Reports that a value of the wrong kind stands at `at`; nothing if not all of it could be read.
    pub fn wrong_kind<T: Decode>(&mut self, at: &Cursor<'_>) {
        self.not_what_is(T::wanted, at);
    }

    /// The same, for a value in the words of `wanted`.
    fn not_what_is(&mut self, wanted: Wanted, at: &Cursor<'_>) {
        if at.is_readable() && !self.errors.count_if_full() {
            match at.empty_variant() {
                Some(name) => {
                    let right = format!("write `{name}(...)` with {}", wanted());
                    self.add(at, format!("`{name}` needs a value in brackets"), right);
                }
                None => self.add(at, format!("found {}", at.describe()), format!("give {}", wanted())),
            }
        }
        self.pass_over(at);
    }

    /// Remembers that the value at `at` is not decoded.
    pub fn pass_over(&mut self, at: &Cursor<'_>) {
        at.node().collect_texts(&mut self.lost);
    }

    /// Compares references with names, now that all are known, and gives the errors back.
    pub(super) fn finish(mut self) -> Errors {
        self.names.check(&mut self.errors, &self.lost);
        self.errors
    }
}

/// The candidate that `given` most likely means, unless none is close.
pub fn nearest<'c>(given: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let length = given.chars().count();
    if length > 64 {
        return None;
    }
    let lower = given.to_lowercase();
    // Of a single letter only the case may be wrong.
    let allowed = (length / 3).max(1).min(length.saturating_sub(1));
    candidates
        .into_iter()
        .filter(|candidate| candidate.len() <= 4 * (length + allowed))
        .map(|candidate| (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Advice on what to write instead of a wrong name: the nearest right one, and a list of them all.
pub fn suggest<'c>(given: &str, candidates: &[&'c str], are: &str) -> (Option<&'c str>, String) {
    const SHOWN: usize = 20;
    let meant = nearest(given, candidates.iter().copied());
    let list =
        candidates.iter().take(SHOWN).map(|name| format!("`{}`", shorten(name, 40))).collect::<Vec<_>>().join(", ");
    let more = match candidates.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let right = match meant {
        Some(name) => format!("did you mean `{}`? {are} {list}{more}", shorten(name, 40)),
        None if candidates.is_empty() => "there are none".into(),
        None => format!("{are} {list}{more}"),
    };
    (meant, right)
}
