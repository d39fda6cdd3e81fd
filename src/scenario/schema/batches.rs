//! `Batches`: OPT against NO OPT on generated environments (file 001, section 4.1).

use super::criteria::EnvironmentSpec;
use super::cycles::{BudgetLimit, JobsSpec};
use super::parts::{RuntimeSpec, SearchSpec};
use crate::scenario::{Name, NameKind, NonEmpty};
use crate::{choice, record};

/// The names of cases.
#[derive(Debug, Clone, PartialEq)]
pub enum CaseNames {}

impl NameKind for CaseNames {
    const WHAT: &'static str = "case";
}

record! {
    /// Independent scheduling cycles on generated environments. Each collects the alternatives of a batch, drops the jobs that
    /// have none, and chooses one for each of the others: the best combination within the limit (OPT) and a random one
    /// within the same limit (NO OPT).
    pub struct Batches {
        /// The cases, each with an environment of its own.
        cases: NonEmpty<BatchCase>,
    }
}

record! {
    /// One problem on one kind of environment.
    pub struct BatchCase {
        /// Its name, unique among the cases: the experiment of its rows.
        name: Name<CaseNames>,
        /// What is made best, and what is limited.
        problem: ProblemSpec,
        /// The nodes and their local load.
        environment: EnvironmentSpec,
        /// The jobs of a cycle.
        jobs: JobsSpec,
        /// How alternatives are collected: `Alp` or `Amp`.
        search: SearchSpec,
        /// How a job's length becomes a runtime.
        runtime: RuntimeSpec = RuntimeSpec::Reference,
        /// What B* is, for the problems that limit cost.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
    }
    check(this, at, errors) {
        if !matches!(this.search, SearchSpec::Alp | SearchSpec::Amp { .. }) {
            errors.add(&at.field("search"), "only `Alp` and `Amp` collect alternatives", "give one of them");
        }
        this.jobs.require_rule(this.runtime, at, errors);
    }
}

choice! {
    /// The four problems of the choice for a batch.
    #[derive(Copy)]
    pub enum ProblemSpec {
        /// Problem 1: the highest total cost within the time T*.
        MaxCost,
        /// Problem 2: the least total time within the cost B*.
        MinTime,
        /// Problem 3: the least total cost within the time T*.
        MinCost,
        /// Problem 4: the most total time within the cost B*.
        MaxTime,
    }
}
