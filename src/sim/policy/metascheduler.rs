//! When and how windows are sought.

use super::{BatchScope, BrokerResources};
use crate::broker::{BrokerSetup, ExactBroker, Genetic, RepairedGenetic};
use crate::language::{AboveZero, Count, NonNegative, constant};
use crate::search::{Amp, Search};
use crate::units::{Price, Span};
use crate::{choice, record};

record! {
    /// The cycles of the metascheduler.
    pub struct MetaschedulerSpec {
        /// The time from one cycle to the next.
        #[read = AboveZero<Span>]
        period: Span,
        /// The time ahead of a cycle up to which windows may reach.
        #[read = AboveZero<Span>]
        interval: Span,
        /// The most jobs that a cycle takes from the queue.
        #[unit = "jobs"]
        batch: Count = Count::of(1_000_000),
        /// The nodes among which the windows of one batch are sought, by `Opt`, `NoOpt` and `Weighted`. Others place
        /// jobs one by one: queues on all nodes, brokers and `ApplicationOnly` in one domain each.
        batches: BatchScope = BatchScope::Grid,
        /// The search for windows. `FirstWindow`, `Opt`, `NoOpt`, `Weighted`, `Reservations` and `ApplicationOnly` take
        /// the windows that it finds. Queues need the earliest windows and brokers sell idle nodes: of a search by another criterion they
        /// keep the limit on the cost. Searches other than `Alp` and `Amp` begin again for each alternative, which takes
        /// longer.
        search: Search = Search::Amp(Amp::within(1.0)),
        /// The most alternatives that a job is offered, where alternatives are collected.
        #[unit = "windows per job"]
        alternatives: Count = Count::of(20),
        /// The weights by which the queue is ordered: the job of the highest rank comes first. In the order of
        /// submission, unless given.
        rank: RankSpec = RankSpec::BY_ARRIVAL,
        /// Workflows whose jobs offer at least this price are planned for the earliest finish, others for the least
        /// cost, unless their flow has a `strategy`. With 0, all are planned for the earliest finish.
        rich_from: Price = Price::ZERO,
        /// The plan of a workflow for which the critical jobs method finds none.
        fallback: Fallback = Fallback::Heft,
        /// The resources of the brokers `Greedy`, `Mmc`, `HgaRepaired`, `LpgaRepaired`, `Exact` and `Multicriteria`.
        resources: BrokerResources = BrokerResources::Groups,
        /// The rates of the genetic brokers, which repair their plans here.
        genetic: RepairedGenetic = RepairedGenetic::default(),
        /// The limits of the exact broker's search.
        exact: ExactBroker = ExactBroker::default(),
        /// Brokers sell windows up to `interval` ahead, if true; or else no more than the nodes that are idle when they
        /// decide.
        ahead: bool = false,
        /// The number of attempts after which a job fails. An attempt is a cycle that postpones the job, or a collision
        /// that sends it back.
        #[unit = "attempts"]
        attempts: Count = Count::of(1_000_000),
    }
}

impl MetaschedulerSpec {
    /// The parameters of brokers.
    pub fn brokers(&self) -> BrokerSetup {
        BrokerSetup { genetic: Genetic::default(), repaired: self.genetic, exact: self.exact }
    }

    /// A metascheduler with these cycles and the usual parameters.
    pub fn new(period: Span, interval: Span) -> Self {
        Self { period, interval, ..constant("(period: 1, interval: 1)") }
    }
}

choice! {
    /// The plan of a workflow for which the critical jobs method finds none. Both are counted.
    #[derive(Copy, Eq)]
    pub enum Fallback {
        /// None: the job waits for another cycle, and its place goes to others.
        Postpone,
        /// The plan of HEFT, which places task by task and looks at neither cost nor strategy, if it finds one within
        /// the deadline.
        Heft,
    }
}

record! {
    /// The rank of a job is the sum of these weights times what they weigh; jobs of one rank come in the order of
    /// submission.
    #[derive(Copy)]
    pub struct RankSpec {
        /// The weight of the maximum price that the job offers.
        #[unit = "weight per unit of price"]
        price: NonNegative = NonNegative::ZERO,
        /// The weight of each unit of time by which the deadline is earlier. A job without a deadline counts as if it
        /// were at time 0.
        #[unit = "weight per unit of time"]
        deadline: NonNegative = NonNegative::ZERO,
        /// The weight of each attempt that failed.
        #[unit = "weight per attempt"]
        attempts: NonNegative = NonNegative::ZERO,
        /// The weight of each unit of time that the job has waited since its submission. All jobs wait equally fast, so
        /// that this is a weight of early submission, and ranks need not be renewed as time passes.
        #[unit = "weight per unit of time"]
        wait: NonNegative = NonNegative::ZERO,
    }
}

impl RankSpec {
    /// All jobs have one rank.
    pub const BY_ARRIVAL: Self = {
        let zero = NonNegative::ZERO;
        Self { price: zero, deadline: zero, attempts: zero, wait: zero }
    };

    /// The weights of maximum price, nearness to the deadline, failed attempts and time waited.
    pub fn weights(&self) -> [f64; 4] {
        [self.price, self.deadline, self.attempts, self.wait].map(NonNegative::get)
    }
}
