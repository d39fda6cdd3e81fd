//! Replications that an interrupted run has finished.

use super::statistics::Sampling;
use super::{Key, Observations, Row};
use crate::language::to_line;
use crate::rng::fingerprint;
use crate::study::{Scenario, Study};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The inputs that decide the observations of a replication besides its number: the experiment, the seed and the
/// program.
///
/// The number of replications, the sweeps and the published values do not matter, so that finished replications serve
/// again when those change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point(u128);

impl Point {
    /// The point of a scenario without its sweeps.
    pub fn of(scenario: &Scenario) -> Self {
        Self::with(scenario, &[])
    }

    /// The point of a study without its sweeps.
    pub fn of_study(study: &Study) -> Self {
        Self::with(study.scenario(), &study.outside.key())
    }

    /// The same with policies and metrics from outside. The number after the version rises when a rule of the model
    /// changes, so that nothing that was kept before serves again.
    pub(super) fn with(scenario: &Scenario, outside: &[String]) -> Self {
        let (version, seed) = (concat!(env!("CARGO_PKG_VERSION"), ".3"), scenario.seed);
        let outside = if outside.is_empty() { String::new() } else { format!(" {outside:?}") };
        let programs = match &scenario.experiment.get().foreign_contents()[..] {
            [] => String::new(),
            contents => format!(" {contents:x?}"),
        };
        // Worlds that are enough under one rule are not under another.
        let until = scenario.statistics.until.as_ref().map_or(String::new(), |until| format!(" {}", to_line(until)));
        let sampling = match scenario.statistics.sampling {
            Sampling::Replications => String::new(),
            batches => format!(" {}", to_line(&batches)),
        };
        Self(fingerprint(&format!(
            "{version} {seed} {}{until}{sampling}{outside}{programs}",
            to_line(&scenario.experiment)
        )))
    }

    /// A name that no other point has.
    pub fn name(self) -> String {
        format!("{:032x}", self.0)
    }
}

/// The observations of a replication as they are kept: those of a point share their names.
#[derive(Debug, Clone, PartialEq)]
pub struct KeptObservations {
    names: Arc<[Key<'static>]>,
    values: Vec<Option<f64>>,
}

impl KeptObservations {
    /// The values under these names, in the same order; `None` if there are more of the ones than of the others.
    pub fn new(names: Arc<[Key<'static>]>, values: Vec<Option<f64>>) -> Option<Self> {
        (names.len() == values.len()).then_some(Self { names, values })
    }

    /// The observations themselves.
    pub fn observations(self) -> Observations<'static> {
        // They are as many: `new` has seen to it.
        Observations::from_parts(self.names.to_vec(), self.values).unwrap_or_default()
    }
}

/// A place where finished replications are kept, so that a run that was interrupted can go on.
pub trait Checkpoint: Sync {
    /// The replications of a point that are kept, by their number.
    fn recall(&self, point: Point) -> BTreeMap<u64, KeptObservations>;
    /// Keeps a replication that is finished, or says why it can't be kept.
    fn keep(&self, point: Point, replication: u64, observations: &Observations<'_>) -> Result<(), String>;
    /// True if a replication that is not kept is run; those that are not are left out.
    fn runs(&self, _: Point, _replication: u64) -> bool {
        true
    }
    /// False if nothing of a point is kept and nothing of it will be run: it is left out.
    fn has(&self, _: Point) -> bool {
        true
    }
    /// The rows that are kept of a point that draws nothing.
    fn recall_rows(&self, _: Point) -> Option<Vec<Row>> {
        None
    }
    /// Keeps the rows of a point that draws nothing.
    fn keep_rows(&self, _: Point, _: &[Row]) -> Result<(), String> {
        Ok(())
    }
}

/// Nothing is kept.
#[derive(Debug, Clone, Copy)]
pub struct NoCheckpoint;

impl Checkpoint for NoCheckpoint {
    fn recall(&self, _: Point) -> BTreeMap<u64, KeptObservations> {
        BTreeMap::new()
    }

    fn keep(&self, _: Point, _: u64, _: &Observations<'_>) -> Result<(), String> {
        Ok(())
    }
}
