//! `Brokers`: many users' jobs on priced resources, placed in rounds (file 003).

use super::bounds::{Runtimes, Shapes, Speeds, Thousands, Times};
use crate::scenario::{Count, Fraction, Name, NameKind, NonEmpty, NonNegative, Positive, Within};
use crate::units::{Price, Span};
use crate::{choice, record};

/// The most resources and jobs of a market.
const SIZE_LIMIT: u64 = 2_000;
/// The most rounds that a run may have.
const ROUNDS_LIMIT: f64 = 10_000.0;

/// The names of kinds of deadline.
#[derive(Debug, Clone, PartialEq)]
pub enum DeadlineNames {}

impl NameKind for DeadlineNames {
    const WHAT: &'static str = "deadline";
}

record! {
    /// Jobs of many users on priced resources. At every round each broker places the jobs that wait; what it does not place stays on
    /// a dummy resource and waits for the next round, as long as its deadline can be met. Every broker has a world of its own, alike
    /// at the first round.
    pub struct Brokers {
        /// The resources.
        resources: ResourcesSpec,
        /// The jobs.
        jobs: UserJobsSpec,
        /// How much time users leave; each kind is run with the same jobs.
        deadlines: NonEmpty<DeadlineSpec>,
        /// The time from one round to the next; the first is one interval after the start.
        interval: Span,
        /// What the dummy resource costs per task and unit of time: more than any other.
        dummy_price: Price,
        /// Who is compared.
        brokers: NonEmpty<BrokerSpec>,
        /// The rates of the genetic algorithm.
        genetic: GeneticSpec = GeneticSpec::default(),
        /// The limits of the exact search.
        exact: ExactSpec = ExactSpec::default(),
    }
    check(this, at, errors) {
        for (index, broker) in this.brokers.iter().enumerate() {
            if this.brokers[..index].contains(broker) {
                errors.add(&at.field("brokers").element(index), "this broker is in the list already", "leave it out");
            }
        }
        if this.interval == Span::ZERO {
            errors.add(&at.field("interval"), "rounds would follow at once", "give an interval above 0");
            return;
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
    }
}

record! {
    /// Resources of equal processing elements (PEs).
    pub struct ResourcesSpec {
        /// How many resources.
        count: Count,
        /// How many PEs each has.
        pes: Within<Thousands>,
        /// How fast they are, relative to the speed that users estimate runtimes for.
        speed: Within<Speeds>,
        /// The mean price per PE and unit of time.
        price: Positive,
        /// How far up and down a resource's price for all its users goes at most.
        price_spread: NonNegative = NonNegative::ZERO,
        /// How far up and down the price for one user on one resource goes at most, besides.
        user_spread: NonNegative = NonNegative::ZERO,
        /// How both lie between the lowest, -1, and the highest, 1.
        price_shape: Within<Shapes>,
    }
    check(this, at, errors) {
        if this.price_spread.get() + this.user_spread.get() >= this.price.get() {
            let wrong = "with `user_spread`, some prices could be 0 or below";
            errors.add(&at.field("price_spread"), wrong, "keep the sum of both below the price");
        }
        if this.price.get() > 1e4 {
            errors.add(&at.field("price"), "costs would grow beyond all bounds", "give at most 10000");
        }
        if this.count.get() > SIZE_LIMIT {
            errors.add(&at.field("count"), "that is too many to compare all pairs", format!("give at most {SIZE_LIMIT}"));
        }
    }
}

impl ResourcesSpec {
    /// The most that a unit of work can cost.
    fn dearest(&self) -> f64 {
        let price = self.price.get() + (self.price_spread.get() + self.user_spread.get()) * self.price_shape.max();
        price / self.speed.min()
    }
}

record! {
    /// Jobs of equal tasks, one job per user. A task takes one PE.
    pub struct UserJobsSpec {
        /// How many jobs.
        count: Count,
        /// How many tasks each has.
        tasks: Within<Thousands>,
        /// How long a task runs at speed 1, as its user estimates it.
        runtime: Within<Runtimes>,
        /// When a job is submitted.
        arrival: Within<Times>,
        /// Its budget is this many times what it costs at speed 1 and the mean price.
        budget_factor: Positive,
    }
    check(this, at, errors) {
        if this.budget_factor.get() > 1e3 {
            errors.add(&at.field("budget_factor"), "budgets would grow beyond all bounds", "give at most 1000");
        }
        if this.count.get() > SIZE_LIMIT {
            errors.add(&at.field("count"), "that is too many to compare all pairs", format!("give at most {SIZE_LIMIT}"));
        }
    }
}

record! {
    /// A kind of deadline.
    pub struct DeadlineSpec {
        /// Its name; part of the series if there are several.
        name: Name<DeadlineNames>,
        /// The time from submission to the deadline beyond the estimated runtime.
        slack: Within<Times>,
    }
}

choice! {
    /// The brokers. All but `Lp` place jobs whole, on one resource each.
    #[derive(Copy)]
    pub enum BrokerSpec {
        /// Jobs by QoS index, each to the resource with room on which it costs least.
        Greedy,
        /// Jobs by QoS index, each to the resource with room that has the lowest price, however slow it is.
        GreedyByPrice,
        /// The linear program made whole job by job (Modified MinCost).
        Mmc,
        /// The genetic algorithm from the greedy plan.
        Hga,
        /// The genetic algorithm from the plan of `Mmc`.
        Lpga,
        /// The best plan of whole jobs, by branch and bound on Lagrangian bounds.
        Exact,
        /// The linear program for jobs that may be split.
        Lp,
    }
}

record! {
    /// The rates of the genetic algorithm.
    #[derive(Copy)]
    pub struct GeneticSpec {
        /// How many chromosomes there are.
        population: Count = Count::of(50),
        /// How many of the best pass into the next generation unchanged.
        elite: Count = Count::of(5),
        /// Which share of a generation are children; whoever is then missing is drawn at random.
        crossover: Fraction = Fraction::ONE,
        /// How likely a gene of a child changes.
        mutation: Fraction = Fraction::of(0.02),
        /// After how many generations without change it has converged.
        patience: Count = Count::of(150),
        /// After how many generations it ends in any case.
        cap: Count = Count::of(2000),
    }
    check(this, at, errors) {
        if this.population.get() > 10_000 {
            errors.add(&at.field("population"), "that would take very long", "give at most 10000");
        }
        if this.elite > this.population {
            errors.add(&at.field("elite"), "that is more than the population", "give at most the population");
        }
    }
}

impl Default for GeneticSpec {
    fn default() -> Self {
        Self {
            population: Count::of(50),
            elite: Count::of(5),
            crossover: Fraction::ONE,
            mutation: Fraction::of(0.02),
            patience: Count::of(150),
            cap: Count::of(2000),
        }
    }
}

record! {
    /// The limits of the exact search, none of which is a time, so that results repeat.
    #[derive(Copy)]
    pub struct ExactSpec {
        /// How many nodes of the search tree are looked at.
        nodes: Count = Count::of(200),
        /// How many steps along the subgradient the prices take at the root of the tree, before a linear program sets them.
        steps: Count = Count::of(120),
        /// It ends once the plan is proved to be within this many per cent of the optimum.
        gap: NonNegative = NonNegative::ZERO,
    }
    check(this, at, errors) {
        if this.steps.get() > 100_000 {
            errors.add(&at.field("steps"), "that would take very long", "give at most 100000");
        }
    }
}

impl Default for ExactSpec {
    fn default() -> Self {
        Self { nodes: Count::of(200), steps: Count::of(120), gap: NonNegative::ZERO }
    }
}
