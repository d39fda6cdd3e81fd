//! Replications in parallel, in a fixed order.

use super::RunError;
use crate::engine::Stop;
use crate::metrics::{Estimate, Tally};
use crate::rng::Streams;
use crate::scenario::schema::Scenario;
use rayon::prelude::*;

/// How many replications are under way before their results are taken in: memory stays flat however many there are.
const CHUNK: u64 = 512;

/// Who looks on while a run is under way.
pub trait Watch: Sync {
    /// This many replications are to come in all.
    fn expect(&self, replications: u64);
    /// One of them is done.
    fn advance(&self);
    /// The token that ends the run early, without results, once it is set: event loops and solvers poll it.
    fn stop(&self) -> &Stop;
    /// Whether the run should end now.
    fn is_stopped(&self) -> bool {
        self.stop().is_set()
    }
}

/// Nobody looks on.
#[derive(Debug, Clone, Copy)]
pub struct Silent;

impl Watch for Silent {
    fn expect(&self, _: u64) {}
    fn advance(&self) {}
    fn stop(&self) -> &Stop {
        Stop::NEVER
    }
}

/// Runs every replication of `scenario`, as many at once as there are threads, and takes their results in by order of
/// replication: the outcome is the same for any number of threads.
pub(super) fn replicate<T: Send>(
    scenario: &Scenario,
    watch: &impl Watch,
    one: impl Fn(Streams) -> Result<T, RunError> + Sync,
    mut take_in: impl FnMut(T) -> Result<(), RunError>,
) -> Result<(), RunError> {
    let all = scenario.replications.get();
    for first in (0..all).step_by(CHUNK as usize) {
        let done: Vec<Result<T, RunError>> = (first..all.min(first + CHUNK))
            .into_par_iter()
            .map(|replication| {
                if watch.is_stopped() {
                    return Err(RunError::Interrupted);
                }
                let result = one(Streams::new(scenario.seed, replication));
                // What a solver returns when it is interrupted is no result, and an error is but a consequence.
                if watch.is_stopped() {
                    return Err(RunError::Interrupted);
                }
                watch.advance();
                result
            })
            .collect();
        for result in done {
            take_in(result?)?;
        }
    }
    Ok(())
}

/// A tally that knows what it counts.
#[derive(Debug, Clone)]
pub(super) struct Named {
    pub(super) name: String,
    tally: Tally,
}

impl Named {
    pub(super) fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), tally: Tally::default() }
    }

    pub(super) fn add(&mut self, value: f64) -> Result<(), RunError> {
        self.tally.add(value).map_err(|error| RunError::Stats { what: self.name.clone(), error })
    }

    /// The estimate, unless nothing was observed.
    pub(super) fn estimate(&self) -> Option<Estimate> {
        self.tally.estimate().ok()
    }
}
