//! `Batches`: OPT against NO OPT on generated environments (file 001, section 4.1).

use crate::combine::Problem;
use crate::combine::limits::BudgetLimit;
use crate::language::{Name, NameKind, NonEmpty};
use crate::record;
use crate::search::Search;
use crate::workload::{EnvironmentSpec, JobsSpec, RuntimeRule};

/// The names of cases.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseNames {}

impl NameKind for CaseNames {
    const WHAT: &'static str = "case";
}

record! {
    /// The best combination of alternatives for a batch (OPT) beside a random one (NO OPT), in independent scheduling
    /// cycles on generated environments. Each cycle collects the alternatives of a batch, drops the jobs that have none,
    /// and chooses one for each of the others: the best combination within the limit, and a random one within the same
    /// limit.
    pub struct Batches {
        /// The cases, each with an environment of its own.
        cases: NonEmpty<BatchCase>,
    }
    starter(include_str!("starter.ron"))
}

record! {
    /// One problem on one kind of environment.
    pub struct BatchCase {
        /// Its name, unique among the cases: the experiment of its rows.
        name: Name<CaseNames>,
        /// The quantity that is made best, and the one that is limited.
        problem: Problem,
        /// The nodes and their local load.
        environment: EnvironmentSpec,
        /// The jobs of a cycle.
        jobs: JobsSpec,
        /// The search that collects alternatives: `Alp` or `Amp`.
        search: Search,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
        /// The form of the limit B*, for the problems that limit cost.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
    }
    check(this, at, errors) {
        if this.search.get().finder().is_none() {
            errors.add(&at.field("search"), "only `Alp` and `Amp` collect alternatives", "give one of them");
        }
        this.jobs.require_rule(this.runtime, at, errors);
    }
}
