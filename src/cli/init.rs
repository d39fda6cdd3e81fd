//! `gridloom init`: a scenario to start from.

use super::choice::WordParser;
use super::list::sentence;
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
    PossibleValue::new(command_name(kind.name)).help(sentence(&kind.doc))
}

/// A kind's name as one writes it on a command line: `TwoWords` is `two-words`.
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
    use crate::language::{Description, FieldEntry, Source, to_ron};
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

    /// The scenario as it is decoded, in the one way in which it is written; nothing if it is not a good one.
    fn loaded(text: &str) -> Option<String> {
        load_study(&Source::new("starter.ron", text), &[]).ok().map(|study| to_ron(study.scenario()))
    }

    /// The lines of a printed starter, but for one, which is replaced.
    fn replaced(lines: &[&str], index: usize, by: &str) -> String {
        lines.iter().enumerate().map(|(at, line)| format!("{}\n", if at == index { by } else { line })).collect()
    }

    /// What the marks say is tried: a line marked as default may go, one that is required may not, and with the
    /// default that is named for an example the scenario is another one or none.
    #[test]
    fn marks_of_starters_hold() {
        let (mut defaults, mut examples, mut required) = (0, 0, 0);
        for kind in kinds() {
            let starter = kind.starter.unwrap_or_default();
            let printed = mark_defaults::<Scenario>(starter);
            assert!(printed.lines().all(|line| line.chars().count() <= 120), "{printed}");
            let (whole, lines) = (loaded(&printed), printed.lines().collect::<Vec<_>>());
            assert!(whole.is_some() && whole == loaded(starter), "{} is the same with marks", kind.name);
            for (index, line) in lines.iter().enumerate() {
                let Some((field, mark)) = line.split_once(" // ") else { continue };
                let (name, value) = field.split_once(": ").unwrap_or_default();
                // Only what stands on a line of its own can be taken out.
                if value.ends_with(['(', '[']) || name.contains(['(', '[']) {
                    continue;
                }
                let place = format!("{}: {line}", kind.name);
                match mark.split_once("; default: ") {
                    _ if mark == "default" => {
                        assert_eq!(loaded(&replaced(&lines, index, "")), whole, "{place}");
                        defaults += 1;
                    }
                    _ if mark == "required" => {
                        assert_eq!(loaded(&replaced(&lines, index, "")), None, "{place}");
                        required += 1;
                    }
                    Some(("example", default)) if !default.starts_with("see ") => {
                        assert_ne!(loaded(&replaced(&lines, index, &format!("{name}: {default},"))), whole, "{place}");
                        examples += 1;
                    }
                    _ => (),
                }
            }
        }
        assert!(defaults > 20 && examples > 30 && required > 30, "{defaults}, {examples}, {required}");
    }

    /// Every line on which a field begins has a mark, at its end or above it.
    #[test]
    fn no_field_of_a_starter_is_without_a_mark() {
        for kind in kinds() {
            let printed = mark_defaults::<Scenario>(kind.starter.unwrap_or_default());
            let lines: Vec<&str> = printed.lines().collect();
            let is_mark = |text: &str| ["required", "default", "example"].iter().any(|word| text.starts_with(word));
            for (index, line) in lines.iter().enumerate().skip(1) {
                let begins = line.trim_start().split_once(": ").map(|(name, _)| name);
                let is_field = begins.is_some_and(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
                let above = lines[..index].iter().rev().map_while(|line| line.trim_start().strip_prefix("// "));
                let at_end = line.split_once(" // ").map(|(_, mark)| mark);
                assert!(!is_field || at_end.into_iter().chain(above).any(is_mark), "{}: {line}", kind.name);
            }
        }
    }

    #[test]
    fn names_are_those_of_the_command_line() {
        assert_eq!(["Windows", "TwoWords"].map(command_name), ["windows", "two-words"]);
    }
}
