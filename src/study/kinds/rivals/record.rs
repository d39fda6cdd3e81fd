//! `Rivals`: queues and optimised batches on the same worlds.

use crate::combine::Problem;
use crate::combine::limits::BudgetLimit;
use crate::language::{Count, NonEmpty, Within};
use crate::queueing::Order;
use crate::search::Search;
use crate::workload::bounds::Ranks;
use crate::workload::{EnvironmentSpec, JobsSpec, RuntimeRule};
use crate::{choice, record};

record! {
    /// Queues and choices for a batch side by side, in independent scheduling cycles on generated environments. In each
    /// cycle every policy serves the same batch on the same free slots; all differences are therefore those of the
    /// policies.
    pub struct Rivals {
        /// The nodes and their local load.
        environment: EnvironmentSpec,
        /// The jobs of a cycle, in the order of arrival; all wait when it begins.
        jobs: JobsSpec,
        /// The ranks of the jobs, for queues by rank; drawn numbers are rounded.
        #[unit = "rank"]
        ranks: Within<Ranks> = Within::of(0.0),
        /// The search that finds windows: `Alp` or `Amp`.
        search: Search,
        /// The policies that are compared.
        policies: NonEmpty<RivalSpec>,
        /// The policy that the others are compared with: one of the list.
        baseline: RivalSpec,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
        /// The form of the limit B*, for the problems that limit cost.
        budget: BudgetLimit = BudgetLimit::HighestIncome,
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        if this.search.get().finder().is_none() {
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
        /// First come, first served: no job starts before one ahead of it in the queue.
        Fcfs {
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// Backfilling that delays none of the first in the queue, which hold reservations: just the head, unless
        /// `depth` says otherwise.
        Easy {
            /// The number of jobs that hold reservations.
            #[unit = "jobs"]
            depth: Count = Count::ONE,
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// Backfilling that delays no job: all hold reservations.
        Conservative {
            /// The order of the queue.
            order: Order = Order::Arrival,
        },
        /// One of each job's alternatives, at random within a limit: NO OPT.
        NoOpt(RivalLimitSpec),
        /// The best combination of alternatives: OPT.
        Opt(Problem),
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
