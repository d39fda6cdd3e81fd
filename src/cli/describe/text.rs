//! Places as text for a terminal.

use super::place::{DescribedPlace, Insides};
use crate::language::{FieldEntry, VariantEntry};
use crate::metrics::Metric;
use crate::report::reference::{FieldExamples, REQUIRED, field_facts, metric_facts, variant_facts};
use std::io::IsTerminal;

/// No line is longer than this, however wide the terminal is.
pub(super) const MOST_COLUMNS: usize = 100;
/// The width of what is no terminal.
const USUAL_COLUMNS: usize = 80;
const LEAST_COLUMNS: usize = 40;
/// More variants than this are listed before they are described.
const MANY_VARIANTS: usize = 5;

/// The width of the terminal that standard output is.
pub(super) fn columns() -> usize {
    let terminal = std::io::stdout().is_terminal().then(terminal_size::terminal_size).flatten();
    let columns = terminal.map_or(USUAL_COLUMNS, |(width, _)| usize::from(width.0));
    columns.clamp(LEAST_COLUMNS, MOST_COLUMNS)
}

/// Text that is broken into lines of at most so many columns.
pub(super) struct Lines<'e> {
    text: String,
    columns: usize,
    examples: &'e FieldExamples,
}

impl<'e> Lines<'e> {
    pub(super) fn new(columns: usize, examples: &'e FieldExamples) -> Self {
        Self { text: String::new(), columns, examples }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Adds a place with all that can be written inside.
    pub(super) fn place(&mut self, place: &DescribedPlace) {
        if !place.steps.is_empty() {
            self.add(0, &place.path());
            if let Some(path) = place.scenario_path().filter(|path| *path != place.path()) {
                self.add(2, &format!("In a scenario: {path}"));
            }
            self.blank();
        }
        self.paragraphs(2, &place.doc);
        self.facts(2, &place.facts);
        for inside in &place.inside {
            match inside {
                Insides::Fields { owner, variant, fields } => {
                    fields.iter().for_each(|field| self.field(2, field, (owner, *variant)));
                }
                Insides::Variants { choice, variants } => self.variants(place, choice, variants),
            }
        }
    }

    fn variants(&mut self, place: &DescribedPlace, choice: &'static str, variants: &[VariantEntry]) {
        let are_kinds = variants.iter().any(|variant| variant.starter.is_some());
        if variants.len() > MANY_VARIANTS || are_kinds {
            self.blank();
            self.table(variants.iter().map(|variant| (variant.name.to_string(), variant.doc.clone())).collect());
        }
        if are_kinds {
            let example = variants.first().map_or("", |variant| variant.name);
            self.blank();
            return self.add(2, &format!("`gridloom describe {example}` describes one of them."));
        }
        for variant in variants {
            self.blank();
            self.add(2, variant.name);
            self.paragraphs(6, &variant.doc);
            self.facts(6, &variant_facts(variant, self.examples.variant(choice, variant.name)));
            variant.fields.iter().for_each(|field| self.field(6, field, (choice, Some(variant.name))));
        }
        let deeper = variants.iter().find(|variant| variant.declared.is_some() && variant.fields.is_empty());
        if let Some(variant) = deeper.filter(|_| !place.steps.is_empty()) {
            self.blank();
            self.add(2, &format!("`gridloom describe {}.{}` goes on from there.", place.path(), variant.name));
        }
    }

    fn field(&mut self, indent: usize, field: &FieldEntry, (owner, variant): (&'static str, Option<&'static str>)) {
        self.blank();
        self.add(indent, field.name);
        self.paragraphs(indent + 4, &field.doc);
        self.facts(indent + 4, &field_facts(field, self.examples.field(owner, variant, field)));
    }

    /// Facts that are short stand on one line.
    fn facts(&mut self, indent: usize, facts: &[(&'static str, String)]) {
        let is_short = |name: &str| ["Range", "Unit", "Default"].contains(&name);
        let words = |(name, fact): &(&str, String)| match fact.as_str() {
            REQUIRED => "Required".to_string(),
            _ => format!("{name}: {fact}"),
        };
        let short: Vec<String> = facts.iter().filter(|(name, _)| is_short(name)).map(words).collect();
        let form = facts.iter().filter(|(name, _)| *name == "Form").map(words);
        let others = facts.iter().filter(|(name, _)| *name != "Form" && !is_short(name)).map(words);
        for line in form.chain([short.join("; ")]).chain(others) {
            self.add(indent, &line);
        }
    }

    /// Names, with the first sentence about each beside it.
    pub(super) fn table(&mut self, lines: Vec<(String, String)>) {
        let width = lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, doc) in lines {
            let sentence = crate::cli::list::sentence(&doc);
            // Where there is no room beside the name, the sentence stands below.
            if self.columns < width + 4 + LEAST_COLUMNS / 2 {
                self.add(2, &name);
                self.add(6, &sentence);
            } else {
                let begin = self.text.len();
                self.add(width + 4, &sentence);
                self.text.replace_range(begin..begin + width + 2, &format!("  {name:width$}"));
            }
        }
    }

    /// Adds a metric of these kinds of experiment.
    pub(super) fn metric(&mut self, metric: &Metric, kinds: &[&str]) {
        self.add(0, metric.name());
        self.add(2, &format!("A metric of {}", kinds.join(", ")));
        self.blank();
        self.add(2, metric.meaning());
        self.add(2, &metric_facts(metric).join("; "));
    }

    fn paragraphs(&mut self, indent: usize, text: &str) {
        for (index, paragraph) in text.split("\n\n").enumerate() {
            if index > 0 {
                self.blank();
            }
            self.add(indent, paragraph);
        }
    }

    pub(super) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds a paragraph, broken between words.
    pub(super) fn add(&mut self, indent: usize, paragraph: &str) {
        let mut column = 0;
        for word in paragraph.split_whitespace() {
            let length = word.chars().count();
            if column > 0 && column + 1 + length > self.columns {
                self.text.push('\n');
                column = 0;
            }
            let before = if column == 0 { indent } else { 1 };
            self.text.push_str(&format!("{:before$}{word}", ""));
            column += before + length;
        }
        if column > 0 {
            self.text.push('\n');
        }
    }
}
