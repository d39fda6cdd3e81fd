//! `Rivals`: queues and optimised batches on the same worlds.

use super::batches::ProblemSpec;
use super::bounds::Ranks;
use super::criteria::EnvironmentSpec;
use super::cycles::{BudgetLimit, JobsSpec};
use super::parts::{RuntimeSpec, SearchSpec};
use crate::scenario::{Count, NonEmpty, Within};
use crate::{choice, record};

record! {
    /// Independent scheduling cycles on generated environments. In each, every policy serves the same batch on the same
    /// free slots; all differences are therefore those of the policies.
    pub struct Rivals {
        /// The nodes and their local load.
        environment: EnvironmentSpec,
        /// The jobs of a cycle, in the order of arrival; all wait when it begins.
        jobs: JobsSpec,
        /// The ranks of the jobs, for queues by rank; drawn numbers are rounded.
        ranks: Within<Ranks> = Within::of(0.0),
        /// How windows are found: `Alp` or `Amp`.
        search: SearchSpec,
        /// The policies.
        policies: NonEmpty<RivalSpec>,
        /// The policy that the others are compared with: one of the list.
        baseline: RivalSpec,
        /// How a job's length becomes a runtime.
        runtime: RuntimeSpec = RuntimeSpec::Reference,
        /// What B* is, for the problems that limit cost.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
    }
    check(this, at, errors) {
        if !matches!(this.search, SearchSpec::Alp | SearchSpec::Amp { .. }) {
            errors.add(&at.field("search"), "only `Alp` and `Amp` take the earliest window", "give one of them");
        }
        for (index, policy) in this.policies.iter().enumerate() {
            if this.policies[..index].contains(policy) {
                let place = at.field("policies").element(index);
                errors.add(&place, "this policy is in the list already", "leave it out, or change its order or depth");
            }
        }
        if !this.policies.contains(&this.baseline) {
            errors.add(&at.field("baseline"), "this policy is not in the list", "give one of `policies`, as it stands there");
        }
        this.jobs.require_rule(this.runtime, at, errors);
    }
}

choice! {
    /// Ways to serve a batch.
    pub enum RivalSpec {
        /// First come, first served: nobody starts before anyone ahead in the queue.
        Fcfs {
            /// The order of the queue.
            order: OrderSpec = OrderSpec::Arrival,
        },
        /// Backfilling that delays none of the first in the queue, which hold reservations: just the head, unless `depth` says otherwise.
        Easy {
            /// How many hold reservations.
            depth: Count = Count::ONE,
            /// The order of the queue.
            order: OrderSpec = OrderSpec::Arrival,
        },
        /// Backfilling that delays nobody: all hold reservations.
        Conservative {
            /// The order of the queue.
            order: OrderSpec = OrderSpec::Arrival,
        },
        /// One of each job's alternatives, at random within a limit: NO OPT.
        NoOpt(RivalLimitSpec),
        /// The best combination of alternatives: OPT.
        Opt(ProblemSpec),
    }
}

choice! {
    /// The orders of a queue; among equals, as they came.
    #[derive(Copy)]
    pub enum OrderSpec {
        /// As they came.
        Arrival,
        /// The shortest runtime first.
        Shortest,
        /// The most nodes first.
        Largest,
        /// The highest maximum price first.
        Price,
        /// The highest rank first.
        Rank,
    }
}

choice! {
    /// The limits of the choice for a batch.
    #[derive(Copy)]
    pub enum RivalLimitSpec {
        /// T*, the limit on the total time.
        Time,
        /// B*, the limit on the total cost.
        Cost,
    }
}
