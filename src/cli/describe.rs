//! `gridloom describe`: everything that can be written at a place of a scenario.

use super::{BAD_INPUT, print};
use crate::language::decode::suggest;
use crate::language::{Describe, Description, FieldEntry, Parts, VariantEntry};
use crate::study::{Experiment, Scenario};

/// No line is longer than this.
const COLUMNS: usize = 100;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A place in a scenario, such as `grid.flows.arrivals` or `sweeps`; the scenario itself, unless given
    path: Option<String>,
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    match find(args.path.as_deref().unwrap_or_default()) {
        Ok(place) => print::result(&place.text()),
        Err(wrong) => {
            print::error(&wrong);
            Err(BAD_INPUT)
        }
    }
}

/// A place in a scenario, with all that is declared for it.
struct DescribedPlace {
    /// The names on the way to it, as they are declared.
    path: Vec<&'static str>,
    doc: String,
    /// For a field: the value to write, and the default.
    lines: Vec<String>,
    /// The fields or variants that can be written inside, if they are declared.
    parts: Option<Parts>,
}

/// The place that a path leads to, from the scenario or from one of the kinds of experiment on; otherwise what is
/// wrong.
fn find(path: &str) -> Result<DescribedPlace, String> {
    let mut place = DescribedPlace::root(Scenario::describe());
    let kinds = DescribedPlace::root(Experiment::describe());
    // A path out of an error message has the places of elements in it, which are all alike.
    let elements = path.split('.').map(|element| element.split('[').next().unwrap_or_default().trim());
    for (index, element) in elements.filter(|element| !element.is_empty()).enumerate() {
        place = match index {
            0 if is_same(element, "scenario") => place,
            0 => match kinds.inside(element).or_else(|| place.inside(element)) {
                Some(found) => found,
                None => return Err(unknown(element, "", &[kinds.names(), place.names()].concat())),
            },
            _ => match place.inside(element) {
                Some(found) => found,
                None => return Err(unknown(element, &format!(" in `{}`", place.path.join(".")), &place.names())),
            },
        };
    }
    Ok(place)
}

fn unknown(element: &str, of: &str, names: &[&str]) -> String {
    format!("there is no `{element}`{of}; {}", suggest(element, names, "the names there are").1)
}

/// True if two names are the same but for case and hyphens: `job-flow` is `JobFlow`.
fn is_same(given: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace(['-', '_'], "").to_lowercase();
    plain(given) == plain(name)
}

impl DescribedPlace {
    fn root(declared: Description) -> Self {
        Self { path: Vec::new(), doc: declared.doc, lines: Vec::new(), parts: Some(declared.parts) }
    }

    /// The names of all places right inside.
    fn names(&self) -> Vec<&'static str> {
        match &self.parts {
            Some(Parts::Fields(fields)) => fields.iter().map(|field| field.name).collect(),
            Some(Parts::Variants(variants)) => variants.iter().map(|variant| variant.name).collect(),
            None => Vec::new(),
        }
    }

    /// The place of that name right inside.
    fn inside(&self, name: &str) -> Option<Self> {
        let path = |name: &'static str| self.path.iter().copied().chain([name]).collect();
        match self.parts.as_ref()? {
            Parts::Fields(fields) => {
                let field = fields.iter().find(|field| is_same(name, field.name))?;
                let parts = field.declared.map(|describe| describe().parts);
                let lines = vec![format!("Write {}.", field.wanted), default(field)];
                Some(Self { path: path(field.name), doc: field.doc.clone(), lines, parts })
            }
            Parts::Variants(variants) => {
                let variant = variants.iter().find(|variant| is_same(name, variant.name))?;
                let (lines, parts) = (vec![written(variant)], parts_of(variant));
                Some(Self { path: path(variant.name), doc: variant.doc.clone(), lines, parts })
            }
        }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        if !self.path.is_empty() {
            text.push_str(&format!("{}\n", self.path.join(".")));
        }
        add(&mut text, 2, &self.doc);
        self.lines.iter().for_each(|line| add(&mut text, 2, line));
        match &self.parts {
            Some(Parts::Fields(fields)) => fields.iter().for_each(|field| add_field(&mut text, 2, field)),
            Some(Parts::Variants(variants)) => {
                for variant in variants {
                    text.push_str(&format!("\n  {}\n", variant.name));
                    add(&mut text, 6, &variant.doc);
                    add(&mut text, 6, &written(variant));
                    variant.fields.iter().for_each(|field| add_field(&mut text, 6, field));
                }
            }
            None => (),
        }
        text
    }
}

/// The parts of a variant: its fields, or those of the record that it holds.
fn parts_of(variant: &VariantEntry) -> Option<Parts> {
    match variant.fields.is_empty() {
        true => variant.declared.map(|describe| describe().parts),
        false => Some(Parts::Fields(variant.fields.clone())),
    }
}

/// Says what to write for a variant.
fn written(variant: &VariantEntry) -> String {
    match &variant.holds {
        Some(wanted) => format!("Write `{}(...)` around {wanted}.", variant.name),
        None if variant.fields.is_empty() => format!("Write `{}`.", variant.name),
        None => format!("Write `{}(...)` around these fields.", variant.name),
    }
}

fn default(field: &FieldEntry) -> String {
    field.default.as_ref().map_or("Required.".into(), |default| format!("Default: {default}"))
}

fn add_field(text: &mut String, indent: usize, field: &FieldEntry) {
    text.push_str(&format!("\n{:indent$}{}\n", "", field.name));
    for line in [field.doc.clone(), format!("Write {}.", field.wanted), default(field)] {
        add(text, indent + 4, &line);
    }
}

/// Adds a paragraph, broken between words.
fn add(text: &mut String, indent: usize, paragraph: &str) {
    let mut column = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > COLUMNS {
            text.push('\n');
            column = 0;
        }
        let before = if column == 0 { indent } else { 1 };
        text.push_str(&format!("{:before$}{word}", ""));
        column += before + length;
    }
    if column > 0 {
        text.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks at every place that is declared, but not twice into a type.
    fn visit(path: &str, seen: &mut Vec<String>) {
        let place = find(path).unwrap_or_else(|wrong| panic!("{path}: {wrong}"));
        let text = place.text();
        assert!(text.lines().all(|line| line.chars().count() <= COLUMNS), "{text}");
        assert!(!place.doc.is_empty(), "{path} says nothing");
        let inside = format!("{:?}", place.names());
        if place.parts.is_none() || seen.contains(&inside) {
            return;
        }
        seen.push(inside);
        for name in place.names() {
            let inner = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
            visit(&inner, seen);
        }
    }

    #[test]
    fn every_place_says_what_it_is_within_the_columns() {
        let mut seen = Vec::new();
        visit("", &mut seen);
        assert!(seen.len() > 40, "there are more records and choices than {}", seen.len());
    }

    #[test]
    fn paths_go_through_fields_variants_and_elements_in_any_case() {
        for path in ["grid.flows.arrivals", "GRID.Flows[0].arrivals", "experiment.grid.flows.arrivals"] {
            let text = find(path).unwrap_or_else(|wrong| panic!("{wrong}")).text();
            assert!(text.contains("\n  Poisson\n"), "{text}");
        }
        let layered = find("grid.flows.work.workflow.tasks.layered").unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(layered.names().contains(&"width"), "{:?}", layered.names());
        assert!(find("job-flow").is_ok() && find("sweeps.values").is_ok() && find("scenario.seed").is_ok());
    }

    #[test]
    fn unknown_names_are_answered_with_those_that_are_there() {
        let wrong = |path: &str| find(path).err().unwrap_or_default();
        let first = wrong("gird.flows");
        assert!(first.starts_with("there is no `gird`; did you mean") && first.contains("`limits`"), "{first}");
        let inner = wrong("grid.flow");
        assert!(
            inner.starts_with("there is no `flow` in `Grid`; did you mean `flows`? the names there are"),
            "{inner}"
        );
        assert!(wrong("scenario.seed.low").ends_with("there are none"), "{}", wrong("scenario.seed.low"));
    }
}
