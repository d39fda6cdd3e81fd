//! The kinds of experiment, a folder each: its record, its run, its starter.
//!
//! To add one: write a folder with a record that implements [`Kind`] and a `starter.ron`, and give it a line in the
//! [registry](Experiment). All that reads, lists, explains, starts, checks and runs experiments reads the registry.

mod batches;
mod brokers;
mod grid;
mod multicriteria;
mod replay;
mod windows;
mod workflows;

pub use batches::{Batches, Compared, WaySpec};
pub use brokers::{Brokers, DeadlineSpec};
pub use grid::Grid;
pub use replay::{QueueSpec, Replay, ReplayLog, ReplayLogSpec, ReplayQueue};
pub(crate) use replay::{has_job, log_name};

use super::expected::Judge;
use super::replicate::Trial;
use super::{Findings, RunError, SeriesPlace};
use crate::language::{Context, Cursor};
use crate::metrics::Metric;
use crate::workload::Files;
use std::path::Path;

/// A kind of experiment. The record that scenarios write implements it.
pub trait Kind {
    /// All metrics that its rows may have, each declared beside its computation.
    fn metrics(&self) -> Vec<Metric>;

    /// The same with metrics that a program adds; only grids take them.
    fn metrics_with(&self, _outside: &[Metric]) -> Vec<Metric> {
        self.metrics()
    }

    /// The same whatever its fields say, for lists.
    fn every_metric(&self) -> Vec<Metric> {
        self.metrics()
    }

    /// The names of the experiments in its rows, which sweeps can't have.
    fn own_rows(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Replaces the files of tasks and jobs that it names by their contents, so that results can be repeated without
    /// them; it stands at `at`. Returns true if it named any.
    fn read_files(&mut self, _files: &mut Files<'_>, _at: &Cursor<'_>, _errors: &mut Context<'_>) -> bool {
        false
    }

    /// Writes the paths of the files that it goes on naming as they are from a folder, in which the scenario will stand.
    fn refer_from(&mut self, _folder: &Path) {}

    /// Reports what is expected to take more than the limits of the scenario allow.
    fn expect(&self, _at: &Cursor<'_>, _judge: &mut Judge<'_, '_, '_>) {}

    /// The names of its policies that are programs of the user's own.
    fn foreign_policies(&self) -> Vec<String> {
        Vec::new()
    }

    /// What is in the files of those programs: results that were kept are of no use once these change.
    fn foreign_contents(&self) -> Vec<u128> {
        Vec::new()
    }

    /// The names of its policies, if it takes others from outside.
    fn policy_names(&self) -> Option<Vec<String>> {
        None
    }

    /// The names of all its series but comparisons, if they are known before a run.
    fn series_names(&self) -> Option<Vec<String>> {
        self.policy_names()
    }

    /// The metrics in which it compares its series by itself, pair by pair.
    fn compared(&self) -> Vec<&str> {
        Vec::new()
    }

    /// The places of its series in panels of figures; none where all share one.
    fn places(&self) -> Vec<SeriesPlace> {
        Vec::new()
    }

    /// True if its measured interval can be cut into batches, each an observation.
    fn has_batches(&self) -> bool {
        false
    }

    /// The rules of the model under which its results hold: name and choice.
    fn rules(&self) -> Vec<(String, String)> {
        Vec::new()
    }

    /// False if it has nothing random: one replication tells all.
    fn draws(&self) -> bool {
        true
    }

    /// About what a replication costs, in a unit that all experiments of the kind share: work is shared by it.
    fn cost(&self) -> f64 {
        1.0
    }

    /// Runs it at one point of a study.
    fn run(&self, trial: &Trial<'_>) -> Result<Findings, RunError>;
}

crate::registry! {
    /// The kinds of experiment.
    pub enum Experiment: Kind {
        Windows(windows::Windows),
        Batches(batches::Batches),
        Grid(grid::Grid),
        Workflows(workflows::Workflows),
        Multicriteria(multicriteria::Multicriteria),
        Brokers(brokers::Brokers),
        Replay(replay::Replay),
    }
    reads "Connected" as Grid
    moved "Cycles" to include_str!("batches/moved/cycles.ron");
    moved "Criteria" to include_str!("windows/moved/criteria.ron");
    moved "SearchCost" to include_str!("windows/moved/search_cost.ron");
    moved "Rivals" to include_str!("batches/moved/rivals.ron");
    moved "Workflow" to include_str!("workflows/moved/workflow.ron");
    moved "JobFlow" to include_str!("workflows/moved/job_flow.ron");
    moved "MulticriteriaStudy" to include_str!("multicriteria/moved/study.ron");
    moved "Preferences" to include_str!("multicriteria/moved/preferences.ron");
}

#[cfg(test)]
mod tests;
