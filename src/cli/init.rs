//! `gridloom init`: a scenario to start from.

use super::choice::WordParser;
use super::print;
use crate::language::{Describe, Parts, VariantEntry, mark_defaults};
use crate::study::{Experiment, Scenario};
use clap::builder::PossibleValue;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The kind of experiment
    #[arg(value_parser = WordParser::new(kinds().iter().map(possible_value)))]
    kind: String,
}

/// The kinds of experiment, as they are declared.
fn kinds() -> Vec<VariantEntry> {
    match Experiment::describe().parts {
        Parts::Variants(kinds) => kinds,
        Parts::Fields(_) => Vec::new(),
    }
}

fn possible_value(kind: &VariantEntry) -> PossibleValue {
    let about = kind.doc.lines().next().unwrap_or_default().trim_end_matches('.').to_string();
    PossibleValue::new(command_name(kind.name)).help(about)
}

/// A kind's name as one writes it on a command line: `JobFlow` is `job-flow`.
fn command_name(kind: &str) -> String {
    let mut name = String::new();
    for letter in kind.chars() {
        if letter.is_ascii_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

pub(super) fn main(args: &Args) -> Result<(), u8> {
    let kind = kinds().into_iter().find(|kind| command_name(kind.name) == args.kind);
    print::result(&mark_defaults::<Scenario>(kind.and_then(|kind| kind.starter).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::{Description, FieldEntry, Source};
    use crate::study::load_study;

    #[test]
    fn every_starter_is_a_good_scenario() {
        for kind in kinds() {
            let starter = kind.starter.unwrap_or_else(|| panic!("{} has no starter", kind.name));
            let study = load_study(&Source::new("starter.ron", starter), &[]);
            let study = study.unwrap_or_else(|report| panic!("{}: {report}", kind.name));
            assert_eq!(study.scenario().experiment.key(), kind.name);
        }
    }

    /// The fields of a record and of all records in it; of choices, those that the text makes.
    fn fields(fields: &[FieldEntry], text: &str, found: &mut Vec<&'static str>) {
        for field in fields {
            if !found.contains(&field.name) {
                found.push(field.name);
                inside(field.declared, text, found);
            }
        }
    }

    fn inside(declared: Option<fn() -> Description>, text: &str, found: &mut Vec<&'static str>) {
        match declared.map(|describe| describe().parts) {
            Some(Parts::Fields(inner)) => fields(&inner, text, found),
            Some(Parts::Variants(variants)) => {
                let made = variants.iter().filter(|variant| text.contains(&format!("{}(", variant.name)));
                for variant in made.filter(|variant| !variant.fields.is_empty()) {
                    fields(&variant.fields, text, found);
                }
            }
            None => (),
        }
    }

    #[test]
    fn every_starter_shows_every_field() {
        for kind in kinds() {
            let (starter, mut found) = (kind.starter.unwrap_or_default(), Vec::new());
            fields(&kind.fields, starter, &mut found);
            assert!(!found.is_empty(), "{} has fields", kind.name);
            let missing: Vec<&str> =
                found.into_iter().filter(|field| !starter.contains(&format!("{field}:"))).collect();
            assert!(missing.is_empty(), "{} does not show {missing:?}", kind.name);
        }
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        assert_eq!(["Windows", "JobFlow"].map(command_name), ["windows", "job-flow"]);
    }
}
