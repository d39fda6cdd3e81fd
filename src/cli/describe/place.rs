//! Places of a scenario: the way to them, and all that is declared there.

use crate::language::{Describe, Description, FieldEntry, Form, Parts, VariantEntry};
use crate::report::reference::{FieldExamples, Reference, field_facts, variant_facts};
use crate::study::{Experiment, Scenario};

/// A place in a scenario, with all that is declared for it.
pub(super) struct DescribedPlace {
    /// The names on the way to it, as they are declared.
    pub steps: Vec<DescribedStep>,
    pub doc: String,
    /// For a field or a variant: what to write, in words.
    pub facts: Vec<(&'static str, String)>,
    /// What can be written inside.
    pub inside: Vec<Insides>,
}

/// A name on the way to a place.
#[derive(Debug, Clone, Copy)]
pub(super) struct DescribedStep {
    pub name: &'static str,
    kind: StepKind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum StepKind {
    Field {
        is_list: bool,
    },
    Variant {
        is_experiment: bool,
    },
    /// A type that is written in several places.
    Type,
}

/// The fields or the variants that can be written at a place.
#[derive(Debug, Clone)]
pub(super) enum Insides {
    Fields { owner: &'static str, variant: Option<&'static str>, fields: Vec<FieldEntry> },
    Variants { choice: &'static str, variants: Vec<VariantEntry> },
}

impl Insides {
    fn of(declared: Description) -> Self {
        match declared.parts {
            Parts::Fields(fields) => Self::Fields { owner: declared.name, variant: None, fields },
            Parts::Variants(variants) => Self::Variants { choice: declared.name, variants },
        }
    }

    fn of_form(form: &Form) -> Vec<Self> {
        form.types().into_iter().map(|describe| Self::of(describe())).collect()
    }
}

/// True if two names are the same but for case, hyphens and blanks: `two-words` is `TwoWords`.
pub(super) fn is_same(given: &str, name: &str) -> bool {
    let plain = |text: &str| text.replace(['-', '_', ' '], "").to_lowercase();
    plain(given) == plain(name)
}

impl DescribedPlace {
    /// The scenario itself.
    pub(super) fn scenario() -> Self {
        let declared = Scenario::describe();
        Self { steps: Vec::new(), doc: declared.doc.clone(), facts: Vec::new(), inside: vec![Insides::of(declared)] }
    }

    /// The kinds of experiment, from which paths may begin.
    pub(super) fn kinds() -> Self {
        let declared = Experiment::describe();
        Self { steps: Vec::new(), doc: declared.doc.clone(), facts: Vec::new(), inside: vec![Insides::of(declared)] }
    }

    /// A type by its name.
    pub(super) fn of_type(name: &str, reference: &Reference) -> Option<Self> {
        let section = reference.sections.iter().find(|section| is_same(name, section.declared.name))?;
        let declared = section.declared.clone();
        let step = DescribedStep { name: declared.name, kind: StepKind::Type };
        Some(Self {
            steps: vec![step],
            doc: declared.doc.clone(),
            facts: Vec::new(),
            inside: vec![Insides::of(declared)],
        })
    }

    /// The names of all places right inside.
    pub(super) fn names(&self) -> Vec<&'static str> {
        let of = |inside: &Insides| -> Vec<&'static str> {
            match inside {
                Insides::Fields { fields, .. } => fields.iter().map(|field| field.name).collect(),
                Insides::Variants { variants, .. } => variants.iter().map(|variant| variant.name).collect(),
            }
        };
        self.inside.iter().flat_map(of).collect()
    }

    /// The place of that name right inside.
    pub(super) fn inner(&self, name: &str, examples: &FieldExamples) -> Option<Self> {
        let steps = |name, kind| [self.steps.clone(), vec![DescribedStep { name, kind }]].concat();
        self.inside.iter().find_map(|inside| match inside {
            Insides::Fields { owner, variant, fields } => {
                let field = fields.iter().find(|field| is_same(name, field.name))?;
                let is_list = matches!(field.form.required(), Form::List(..));
                Some(Self {
                    steps: steps(field.name, StepKind::Field { is_list }),
                    doc: field.doc.clone(),
                    facts: field_facts(field, examples.field(owner, *variant, field)),
                    inside: Insides::of_form(&field.form),
                })
            }
            Insides::Variants { choice, variants } => {
                let found = variants.iter().find(|variant| is_same(name, variant.name))?;
                let is_experiment = found.starter.is_some();
                let fields =
                    || Insides::Fields { owner: choice, variant: Some(found.name), fields: found.fields.clone() };
                let inside = match (&found.form, found.declared) {
                    (Some(form), _) => Insides::of_form(form),
                    (None, Some(declared)) if is_experiment => vec![Insides::of(declared())],
                    (None, _) if found.fields.is_empty() => Vec::new(),
                    (None, _) => vec![fields()],
                };
                Some(Self {
                    steps: steps(found.name, StepKind::Variant { is_experiment }),
                    doc: found.doc.clone(),
                    facts: variant_facts(found, examples.variant(choice, found.name)),
                    inside,
                })
            }
        })
    }

    /// The path, as it is declared.
    pub(super) fn path(&self) -> String {
        self.steps.iter().map(|step| step.name).collect::<Vec<_>>().join(".")
    }

    /// The path as one writes it after `--set` and in sweeps; nothing for what is not in one place.
    pub(super) fn scenario_path(&self) -> Option<String> {
        let mut path = match self.steps.first()?.kind {
            StepKind::Variant { is_experiment: true } => vec!["experiment".to_string()],
            StepKind::Type => return None,
            _ => Vec::new(),
        };
        for (index, step) in self.steps.iter().enumerate() {
            if let StepKind::Field { is_list } = step.kind {
                // An element of a list is meant wherever the way goes on.
                let element = if is_list && index + 1 < self.steps.len() { "[0]" } else { "" };
                path.push(format!("{}{element}", step.name));
            }
        }
        Some(path.join("."))
    }
}
