//! What a scenario file can say: one file per kind of experiment.

mod batches;
mod brokers;
mod criteria;
mod cycles;
mod grid;
mod parts;
mod published;
mod sweep;
mod windows;

pub use batches::{BatchCase, Batches, ProblemSpec};
pub use brokers::{BrokerSpec, Brokers, DeadlineSpec, ExactSpec, GeneticSpec, ResourcesSpec, UserJobsSpec};
pub use criteria::{Criteria, EnvironmentSpec, LoadSpec};
pub use cycles::{BudgetLimit, Cycles, JobsSpec, SlotsSpec};
pub use grid::{DailySpec, Grid, LocalFlowSpec, NodeGroup};
pub use parts::{RequestSpec, RuntimeSpec, SearchSpec};
pub use published::{Published, Tolerance};
pub use sweep::{Study, Sweep, load_study};
pub use windows::{FreeTime, LocalTaskSpec, NodeSpec, SlotSpec, Windows};

use super::{Context, Count, Cursor, Decode};
use crate::{choice, record};
use serde::Serialize;

record! {
    /// A scenario: what is run, how often, and what others have published about it.
    pub struct Scenario {
        /// The name of the scenario and of the folder of its results: letters, digits, `-` and `_`.
        name: Slug,
        /// What is asked, what is set up and what to expect, in a few sentences; shown in the report.
        about: String = String::new(),
        /// The master seed of all random streams: scenario and seed decide every byte of the results.
        seed: u64 = 1,
        /// How many independent worlds are drawn; means and intervals are over them.
        replications: Count = Count::ONE,
        /// What is run.
        experiment: Experiment,
        /// Runs the experiment again for each of a list of values of a field.
        sweeps: Vec<Sweep> = Vec::new(),
        /// Published values to compare with.
        published: Vec<Published> = Vec::new(),
    }
    check(this, at, errors) {
        let cases: Vec<&str> = match &this.experiment {
            Experiment::Batches(batches) => batches.cases.iter().map(|case| case.name.as_str()).collect(),
            _ => Vec::new(),
        };
        for (index, sweep) in this.sweeps.iter().enumerate() {
            let name = sweep.name.as_str();
            if ["windows", "cycles", "criteria", "brokers"].contains(&name) || cases.contains(&name) {
                let place = at.field("sweeps").element(index).field("name");
                errors.add(&place, "the rows of the experiment itself have this name", "give the sweep another name");
            }
        }
    }
}

choice! {
    /// The kinds of experiment.
    pub enum Experiment {
        /// Windows for listed requests on listed nodes.
        Windows(Windows),
        /// Nodes with local task flows, run through the event engine.
        Grid(Grid),
        /// Independent scheduling cycles on generated slots: alternatives for a batch and the best combination.
        Cycles(Cycles),
        /// One request on generated environments: the best window by each criterion.
        Criteria(Criteria),
        /// Batches on generated environments: the best combination against a random one (OPT and NO OPT).
        Batches(Batches),
        /// Jobs of many users on priced resources, placed in rounds by several brokers.
        Brokers(Brokers),
    }
}

/// A name that is safe as the name of a folder on every system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Slug(String);

impl Slug {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Decode for Slug {
    fn wanted() -> String {
        "a name of letters, digits, `-` and `_` in quotes".into()
    }

    fn decode(at: &Cursor<'_>, context: &mut Context<'_>) -> Option<Self> {
        let name = String::decode(at, context)?;
        let safe = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 100 || !name.chars().all(safe) {
            context.add(at, "this can't name a folder", format!("give {}, at most 100 of them", Self::wanted()));
            return None;
        }
        Some(Self(name))
    }
}
