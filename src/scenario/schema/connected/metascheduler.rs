//! When and how windows are sought.

use crate::scenario::schema::batches::ProblemSpec;
use crate::scenario::schema::brokers::{ExactSpec, GeneticSpec};
use crate::scenario::schema::parts::{SearchSpec, TakesSpec};
use crate::scenario::{Count, Fraction, NonNegative, Positive};
use crate::units::{Price, Span};
use crate::{choice, record};

record! {
    /// The cycles of the metascheduler.
    pub struct MetaschedulerSpec {
        /// The time from one cycle to the next.
        period: Span,
        /// How far ahead of a cycle windows may reach.
        interval: Span,
        /// How many jobs a cycle takes from the queue at most.
        batch: Count = Count::of(1_000_000),
        /// How windows are searched.
        search: SearchSpec = SearchSpec::Amp { budget_factor: Positive::ONE, takes: TakesSpec::Cheapest },
        /// How many alternatives a job is offered at most, where alternatives are collected.
        alternatives: Count = Count::of(20),
        /// Who comes first in the queue.
        rank: RankSpec = RankSpec::BY_ARRIVAL,
        /// Workflows whose jobs offer at least this price are planned for the earliest finish, others for the least cost.
        rich_from: Price = Price::ZERO,
        /// The rates of the genetic brokers.
        genetic: GeneticSpec = GeneticSpec::default(),
        /// How far the exact broker searches.
        exact: ExactSpec = ExactSpec::default(),
        /// How many cycles may postpone a job, and collisions send it back, before it fails.
        attempts: Count = Count::of(1_000_000),
    }
    check(this, at, errors) {
        if this.period == Span::ZERO {
            errors.add(&at.field("period"), "cycles of no length never end", "give a period above 0");
        }
        if this.interval == Span::ZERO {
            errors.add(&at.field("interval"), "no window fits into no time", "give an interval above 0");
        }
        if !matches!(this.search, SearchSpec::Alp | SearchSpec::Amp { .. }) {
            errors.add(&at.field("search"), "only `Alp` and `Amp` collect alternatives", "give one of them");
        }
    }
}

record! {
    /// The rank of a job is the sum of these weights times what they weigh; jobs of one rank come in the order of submission.
    #[derive(Copy)]
    pub struct RankSpec {
        /// The weight of the maximum price.
        price: NonNegative = NonNegative::ZERO,
        /// The weight of nearness to the deadline.
        deadline: NonNegative = NonNegative::ZERO,
        /// The weight of each attempt that failed.
        attempts: NonNegative = NonNegative::ZERO,
    }
}

impl RankSpec {
    /// All jobs have one rank.
    pub const BY_ARRIVAL: Self =
        Self { price: NonNegative::ZERO, deadline: NonNegative::ZERO, attempts: NonNegative::ZERO };
}

choice! {
    /// The schedulers of the connected grid.
    #[derive(Copy)]
    pub enum PolicySpec {
        /// First come, first served: the queue starts in its order, and nobody overtakes.
        Fcfs,
        /// The first of those that must wait holds a reservation; others may start if they don't delay it.
        Easy,
        /// All that must wait hold a reservation; others may start if they delay none.
        Conservative,
        /// The best combination of alternatives for the batch.
        Opt(ProblemSpec),
        /// A random combination within the limit of the problem.
        NoOpt(ProblemSpec),
        /// A broker that gives jobs by quality of service the cheapest domain that can take them now.
        Greedy,
        /// The broker by minimal marginal cost with its exchange step.
        Mmc,
        /// The genetic broker that begins with the greedy plan.
        Hga,
        /// The genetic broker that begins with the plan of the linear program.
        Lpga,
        /// The broker that finds the cheapest plan there is.
        Exact,
        /// The broker that looks for the best compromise between what all jobs wish, by attributes of domains: price, speed and idle nodes.
        Multicriteria,
        /// The same by windows that every domain reserves for every job until the broker has decided: start, completion and cost.
        Reservations,
        /// No metascheduler: each job is placed on the domain that serves it best as soon as it is submitted.
        ApplicationOnly,
    }
}

record! {
    /// The price of every node of a domain is changed at each cycle by a factor of 1 + `elasticity` * (u - `target`), where u is the share of
    /// the domain's nodes in use, and never leaves 1/`bound` to `bound` times what it was at first.
    pub struct PricingSpec {
        /// How strongly prices follow demand.
        elasticity: Fraction,
        /// The use at which prices stay as they are.
        target: Fraction,
        /// How far prices may go.
        bound: Positive = Positive::of(4.0),
    }
    check(this, at, errors) {
        if !(1.0..=100.0).contains(&this.bound.get()) {
            errors.add(&at.field("bound"), "prices need room on both sides", "give a number from 1 to 100");
        }
    }
}
