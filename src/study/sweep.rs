//! The same experiment for each of a list of values of one field.

use super::{Scenario, Slug};
use crate::language::{Context, Count, Cursor, Decode, Finite, NonEmpty, Report, Source, check_at};
use crate::record;
use serde::Serialize;
use std::fmt;

record! {
    /// Runs the experiment again for each value of a field.
    pub struct Sweep {
        /// The name of the sweep: the experiment of its rows and the beginning of its figures' names.
        name: Slug,
        /// The path of a field of the experiment, as after `--set`: `experiment.environment.nodes`.
        field: String,
        /// The values it takes: all numbers, which are drawn as lines, or all texts, which are drawn as bars. A text
        /// stands for what one would write for the field: `"Alp"`, `"[Easy, Fcfs]"`.
        values: NonEmpty<SweepValue>,
        /// The label of the field, for the axis of the figures, with its unit.
        label: String,
        /// The metrics to draw, a figure each; all of them, unless some are listed.
        metrics: Vec<String> = Vec::new(),
        /// The number of worlds that are drawn for each value, as a multiple of those that the scenario asks for.
        replication_factor: Count = Count::ONE,
    }
    check(this, at, errors) {
        let head = this.field.split(['.', '[']).next().unwrap_or_default().trim();
        let right = match head {
            "replications" => Some("give `replication_factor`, or `--replications` to a run"),
            "seed" => Some("give more `replications`: each draws a world of its own"),
            "limits" => Some("set them for the whole scenario: results do not depend on them"),
            "name" | "about" | "sweeps" | "source" | "published" => Some("give a field of the experiment: `experiment.…`"),
            _ => None,
        };
        if let Some(right) = right {
            errors.add(&at.field("field"), format!("a sweep can't vary `{head}`, which is the same for all its points"), right);
        }
        for (index, value) in this.values.iter().enumerate() {
            if value.number().is_some() != this.values[0].number().is_some() {
                let wrong = "numbers and texts can't stand on one axis";
                errors.add(&at.field("values").element(index), wrong, "give either numbers or texts");
            }
            if this.values[..index].contains(value) {
                errors.add(&at.field("values").element(index), "this value is in the list already", "leave it out");
            }
        }
    }
    check_all(items, errors) {
        for (index, (at, sweep)) in items.iter().enumerate() {
            if items[..index].iter().any(|(_, other)| other.name == sweep.name) {
                errors.add(&at.field("name"), "another sweep has this name", "give each sweep a name of its own");
            }
        }
    }
}

/// One value of a sweep.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub enum SweepValue {
    /// A number.
    Number(Finite),
    /// Anything else, as it is written in a scenario.
    Text(String),
}

impl SweepValue {
    /// The number, if it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(number.get()),
            Self::Text(_) => None,
        }
    }
}

impl fmt::Display for SweepValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{}", number.get()),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl Decode for SweepValue {
    fn wanted() -> String {
        "a number, or text in quotes that stands for a value of the field".into()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        if at.is_number() {
            Finite::decode(at, context).map(Self::Number)
        } else {
            String::decode(at, context).map(Self::Text)
        }
    }
}

/// A scenario, and for each of its sweeps the scenario of each value; `load` gets the overrides of each. What is wrong
/// with a point is reported at the value that makes it so.
pub(crate) fn load_points(
    source: &Source,
    overrides: &[String],
    mut load: impl FnMut(&[String]) -> Result<Scenario, Report>,
) -> Result<(Scenario, Vec<Vec<Scenario>>), Report> {
    let scenario = load(overrides)?;
    let mut wrong = Vec::new();
    let mut points = Vec::new();
    for (index, sweep) in scenario.sweeps.iter().enumerate() {
        let mut scenarios = Vec::new();
        for (place, value) in sweep.values.iter().enumerate() {
            let set = format!("{}={value}", sweep.field);
            let worlds = scenario.replications.get().saturating_mul(sweep.replication_factor.get());
            match load(&[overrides, &[set, format!("replications={worlds}")]].concat()) {
                Ok(point) => scenarios.push(point),
                Err(report) => {
                    let first = &report.diagnostics()[0];
                    let what = format!("with {} = {value}: {}: {}", sweep.field, first.path, first.wrong);
                    wrong.push((index, place, what, first.right.clone()));
                }
            }
        }
        points.push(scenarios);
    }
    check_at(source, overrides, |root, errors| {
        for (sweep, value, what, right) in wrong {
            let at = root.field("sweeps").element(sweep).field("values").element(value);
            errors.add(&at, what, right);
        }
    })?;
    Ok((scenario, points))
}
