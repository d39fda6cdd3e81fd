//! The same experiment for each of a list of values of one field.

use super::{Scenario, Slug};
use crate::record;
use crate::scenario::{Finite, Report, Source, load};

record! {
    /// Runs the experiment again for each value of a field.
    pub struct Sweep {
        /// The name of the sweep: the experiment of its rows and the beginning of its figures' names.
        name: Slug,
        /// The path of the field, as after `--set`: `experiment.environment.nodes`.
        field: String,
        /// The values it takes.
        values: Vec<Finite>,
        /// What the field is, for the axis of the figures, with its unit.
        label: String,
        /// The metrics to draw, a figure each; all of them, unless some are listed.
        metrics: Vec<String> = Vec::new(),
    }
    check(this, at, errors) {
        if this.values.is_empty() {
            errors.add(&at.field("values"), "the list is empty", "give at least one value");
        }
    }
}

/// A scenario with the scenarios of all points of its sweeps, all validated.
#[derive(Debug, Clone)]
pub struct Study {
    /// The scenario itself.
    pub scenario: Scenario,
    /// For each of its sweeps, the scenario of each value.
    pub points: Vec<Vec<Scenario>>,
}

/// Reads a scenario file with its overrides (`path=value`), and every point of its sweeps.
pub fn load_study(source: &Source, overrides: &[String]) -> Result<Study, Report> {
    let scenario: Scenario = load(source.clone(), overrides)?;
    let point = |sweep: &Sweep, value: &Finite| {
        let mut overrides = overrides.to_vec();
        overrides.push(format!("{}={}", sweep.field, value.get()));
        load(source.clone(), &overrides)
    };
    let points: Result<Vec<Vec<Scenario>>, Report> =
        scenario.sweeps.iter().map(|sweep| sweep.values.iter().map(|value| point(sweep, value)).collect()).collect();
    Ok(Study { points: points?, scenario })
}
