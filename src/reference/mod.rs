//! The reference of scenarios: every record, choice and metric, gathered from the declarations.
//!
//! A type is described once, however many fields it is written for; [`Reference::gather`] finds them all from the
//! scenario on. The page, the Markdown file and the schema are three ways to write the same sections.
//!
//! ```
//! use gridloom::report::reference::Reference;
//!
//! let reference = Reference::gather();
//! let arrivals = reference.entries().find(|entry| entry.path == "Grid.flows.arrivals").unwrap();
//! assert_eq!(arrivals.name, "arrivals");
//! ```

mod entry;
mod html;
mod markdown;
mod metrics;
mod schema;
#[cfg(test)]
mod tests;

pub use entry::{FieldExamples, ReferenceEntry};
pub(crate) use entry::{REQUIRED, field_facts, variant_facts};
pub use html::page;
pub use markdown::text;
pub use metrics::{KindMetrics, metric_facts, metrics_of_kinds};
pub use schema::schema;

use crate::language::{Describe, Description, Form, Parts, VariantEntry};
use crate::study::{Experiment, Scenario};
use std::collections::{BTreeMap, VecDeque};

/// The names of the two types from which paths begin; descriptions are too costly to be made for each comparison.
const SCENARIO: &str = "Scenario";
const EXPERIMENT: &str = "Experiment";

/// The parts of the reference, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Chapter {
    /// The scenario and all that is not its experiment.
    Scenario,
    /// The kinds of experiment, each with the records and choices that it alone has.
    Kinds,
    /// The records and choices that several kinds have.
    Parts,
}

impl Chapter {
    /// All chapters.
    pub const ALL: [Self; 3] = [Self::Scenario, Self::Kinds, Self::Parts];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Scenario => "The scenario",
            Self::Kinds => "Kinds of experiment",
            Self::Parts => "Shared parts",
        }
    }
}

/// A record or choice in the reference.
#[derive(Debug, Clone)]
pub struct ReferenceSection {
    /// The chapter it stands in.
    pub chapter: Chapter,
    /// Its declaration.
    pub declared: Description,
    /// Where it is written: its path if that is in one place, otherwise its name.
    pub path: String,
    /// The entries that it is written for, by their paths.
    pub uses: Vec<String>,
    /// Its fields or variants.
    pub entries: Vec<ReferenceEntry>,
}

/// Everything that can be written in a scenario, and everything that can be measured.
#[derive(Debug)]
pub struct Reference {
    /// The records and choices.
    pub sections: Vec<ReferenceSection>,
    /// The metrics of each kind of experiment.
    pub metrics: Vec<KindMetrics>,
}

impl Reference {
    /// The reference of this version.
    pub fn gather() -> Self {
        let types = declared_types();
        let users = users(&types);
        let examples = FieldExamples::of_starters();
        let sections = types.iter().map(|(chapter, declared)| {
            let path = path_of(declared.name, &users);
            let uses = users.get(declared.name).into_iter().flatten();
            let uses = uses.map(|user| inner_path(&path_of(user.owner, &users), &user.part)).collect();
            let entries = entry::entries(declared, &path, &examples);
            // What only one kind has stands with it.
            let chapter = if kind_of(&path).is_some() { Chapter::Kinds } else { *chapter };
            ReferenceSection { chapter, declared: declared.clone(), path, uses, entries }
        });
        let mut sections: Vec<ReferenceSection> = sections.collect();
        sections.sort_by_cached_key(|section| (section.chapter, rank(section), section.path.clone()));
        Self { sections, metrics: metrics_of_kinds() }
    }

    /// All entries: fields, variants, and the fields of variants.
    pub fn entries(&self) -> impl Iterator<Item = &ReferenceEntry> {
        self.sections
            .iter()
            .flat_map(|section| &section.entries)
            .flat_map(|entry| [entry].into_iter().chain(&entry.fields))
    }
}

/// The kind of experiment that a path leads into, by its place in the list of kinds.
fn kind_of(path: &str) -> Option<usize> {
    let root = path.split('.').next().unwrap_or_default();
    Experiment::NAMES.iter().position(|kind| *kind == root)
}

/// The place of a section in its chapter: first the whole, then the parts in the order of their declaration, then what
/// several of them share.
fn rank(section: &ReferenceSection) -> usize {
    let Parts::Fields(fields) = Scenario::describe().parts else { return 0 };
    let root = section.path.split('.').next().unwrap_or_default();
    let is_whole = [SCENARIO, EXPERIMENT].contains(&root);
    let place = match section.chapter {
        Chapter::Scenario => fields.iter().position(|field| field.name == root),
        Chapter::Kinds => kind_of(root),
        Chapter::Parts => None,
    };
    if is_whole { 0 } else { place.map_or(usize::MAX, |place| place + 1) }
}

/// All types, each once, from the scenario on.
fn declared_types() -> Vec<(Chapter, Description)> {
    let mut found: Vec<(Chapter, Description)> = Vec::new();
    let kinds = Experiment::describe();
    let mut gather = |chapter: Chapter, roots: Vec<Description>| {
        let mut waiting = VecDeque::from(roots);
        while let Some(declared) = waiting.pop_front() {
            let is_known = found.iter().any(|(_, known)| known.name == declared.name);
            // Kinds come after all that stands beside them.
            let comes_later = chapter == Chapter::Scenario && declared.name == kinds.name;
            if !is_known && !comes_later {
                waiting.extend(inner_types(&declared).into_iter().map(|(_, inner)| inner));
                found.push((chapter, declared));
            }
        }
    };
    gather(Chapter::Scenario, vec![Scenario::describe()]);
    gather(Chapter::Parts, vec![kinds.clone()]);
    for (chapter, _) in found.iter_mut().filter(|(_, declared)| declared.name == kinds.name) {
        *chapter = Chapter::Kinds;
    }
    found
}

/// The types that the parts of a type are of, each with the part's name. The parameters of an algorithm stand with it,
/// those of a kind of experiment by themselves.
fn inner_types(declared: &Description) -> Vec<(String, Description)> {
    let of_form = |part: String, form: &Form| -> Vec<(String, Description)> {
        form.types().into_iter().map(|describe| (part.clone(), describe())).collect()
    };
    let of_variant = |variant: &VariantEntry| {
        let held = match variant.starter {
            Some(_) => variant.declared.map(|describe| (variant.name.to_string(), describe())).into_iter().collect(),
            None => variant.form.as_ref().map(|form| of_form(variant.name.into(), form)).unwrap_or_default(),
        };
        let fields = variant.fields.iter().filter(|_| variant.starter.is_none());
        let inner = fields.flat_map(|field| of_form(format!("{}.{}", variant.name, field.name), &field.form));
        [held, inner.collect()].concat()
    };
    match &declared.parts {
        Parts::Fields(fields) => fields.iter().flat_map(|field| of_form(field.name.into(), &field.form)).collect(),
        Parts::Variants(variants) => variants.iter().flat_map(of_variant).collect(),
    }
}

/// A part of a type for which another type is written.
struct TypeUser {
    owner: &'static str,
    part: String,
}

/// The parts for which each type is written.
fn users(types: &[(Chapter, Description)]) -> BTreeMap<&'static str, Vec<TypeUser>> {
    let mut users: BTreeMap<&str, Vec<TypeUser>> = BTreeMap::new();
    for (_, declared) in types {
        for (part, inner) in inner_types(declared) {
            users.entry(inner.name).or_default().push(TypeUser { owner: declared.name, part });
        }
    }
    users
}

/// The path of a type that is written in one place, and the name of one that is written in several. Kinds of experiment
/// begin a path, and so do the fields of the scenario.
fn path_of(name: &'static str, users: &BTreeMap<&'static str, Vec<TypeUser>>) -> String {
    match users.get(name).map(Vec::as_slice) {
        Some([only]) if only.owner == EXPERIMENT => only.part.clone(),
        Some([only]) => inner_path(&path_of(only.owner, users), &only.part),
        _ => name.to_string(),
    }
}

/// The path of a part of what stands at `path`.
fn inner_path(path: &str, part: &str) -> String {
    if path == SCENARIO { part.to_string() } else { format!("{path}.{part}") }
}
