//! `Brokers`: many users' jobs on priced resources, placed in rounds (file 003).

use crate::broker::{BrokerChoice, ExactBroker, Genetic, RepairedGenetic};
use crate::language::{AboveZero, Name, NameKind, NonEmpty, Within};
use crate::units::{Price, Span};
use crate::workload::bounds::Times;
use crate::workload::{ResourcesSpec, UserJobsSpec};
use crate::{choice, record};

/// The most rounds that a run may have.
const ROUNDS_LIMIT: f64 = 10_000.0;

/// The most that jobs may cost on average, so that sums of costs fit.
const COST_LIMIT: f64 = 1e12;

/// The names of kinds of deadline.
#[derive(Debug, Clone, PartialEq)]
pub enum DeadlineNames {}

impl NameKind for DeadlineNames {
    const WHAT: &'static str = "deadline";
}

record! {
    /// Jobs of many users on priced resources. At every round each broker places the jobs that wait; what it does not
    /// place stays on a dummy resource and waits for the next round, as long as its deadline can be met. Every broker
    /// has a world of its own, alike at the first round.
    pub struct Brokers {
        /// The resources that brokers assign to jobs.
        resources: ResourcesSpec,
        /// The jobs, one for each user.
        jobs: UserJobsSpec,
        /// The kinds of deadlines, by the time that users leave; each kind is run with the same jobs.
        deadlines: NonEmpty<DeadlineSpec>,
        /// The time from one round to the next; the first is one interval after the start.
        #[read = AboveZero<Span>]
        interval: Span,
        /// The price of the dummy resource per task and unit of time: higher than any other.
        #[unit = "money per unit of time and task"]
        dummy_price: Price,
        /// The brokers that are compared.
        brokers: NonEmpty<BrokerChoice>,
        /// Models of which only the cost of the first round is worked out. They make no plan, and nothing runs.
        cost_models: Vec<CostModel> = Vec::new(),
        /// The rates of the genetic algorithm as printed, for `Hga` and `Lpga`.
        genetic: Genetic = Genetic::default(),
        /// The rates of the genetic algorithm with repair, for `HgaRepaired` and `LpgaRepaired`.
        repaired: RepairedGenetic = RepairedGenetic::default(),
        /// The limits of the exact search.
        exact: ExactBroker = ExactBroker::default(),
    }
    starter(include_str!("starter.ron"))
    check(this, at, errors) {
        for (index, broker) in this.brokers.iter().enumerate() {
            if this.brokers[..index].contains(broker) {
                errors.add(&at.field("brokers").element(index), "this broker is in the list already", "leave it out");
            }
        }
        for (index, model) in this.cost_models.iter().enumerate() {
            if this.cost_models[..index].contains(model) {
                errors.add(&at.field("cost_models").element(index), "this model is in the list already", "leave it out");
            }
        }
        let slack = this.deadlines.iter().map(|deadline| deadline.slack.max()).fold(0.0, f64::max);
        let rounds = (this.jobs.arrival.max() + this.jobs.runtime.max() + slack) / this.interval.as_f64();
        if rounds > ROUNDS_LIMIT {
            let wrong = format!("that is up to {rounds:.0e} rounds");
            errors.add(&at.field("interval"), wrong, format!("keep it to {ROUNDS_LIMIT}: a longer interval or earlier deadlines"));
        }
        let dearest = this.resources.dearest();
        if this.dummy_price.as_f64() <= dearest {
            let wrong = format!("a real resource can cost {dearest} for the same work");
            errors.add(&at.field("dummy_price"), wrong, "give a price above that");
        }
        let UserJobsSpec { count, tasks, runtime, budget_factor, .. } = &this.jobs;
        let work = tasks.mean() * runtime.mean();
        let dummy = this.dummy_price.as_f64() * work * count.get() as f64;
        if dummy > COST_LIMIT {
            let wrong = format!("all jobs together would cost {dummy:.1e} there on average");
            errors.add(&at.field("dummy_price"), wrong, format!("keep that below {COST_LIMIT:e}"));
        }
        let budget = budget_factor.get() * this.resources.price.get() * work;
        if budget > COST_LIMIT {
            let wrong = format!("a budget would be {budget:.1e} on average");
            errors.add(&at.field("jobs").field("budget_factor"), wrong, format!("keep it below {COST_LIMIT:e}"));
        }
    }
}

choice! {
    /// A model that gives a cost, and no plan that could be carried out.
    #[derive(Copy, Eq)]
    pub enum CostModel {
        /// The linear program of split jobs in which x is the share of a PE that a task gets, just enough to end by its
        /// deadline, and costs are charged by that share. Series `lp, shared PEs`.
        SharedPes,
    }
}

record! {
    /// A kind of deadline.
    pub struct DeadlineSpec {
        /// Its name; part of the series if there are several.
        name: Name<DeadlineNames>,
        /// The time from submission to the deadline beyond the estimated runtime.
        #[unit = "units of time"]
        slack: Within<Times>,
    }
}
