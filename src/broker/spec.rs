//! The brokers as scenarios write them.

use super::{Broker, ExactBroker, Genetic, Greedy, Hga, Lp, Lpga, Mmc, Preference};
use crate::language::{Count, Fraction, NonNegative};
use crate::{choice, record};

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

/// The broker that a scenario asks for.
pub fn named_broker(spec: BrokerSpec, genetic: &GeneticSpec, exact: &ExactSpec) -> Box<dyn Broker + Send + Sync> {
    let genetic = Genetic {
        population: genetic.population.get() as usize,
        elite: genetic.elite.get() as usize,
        crossover: genetic.crossover.get(),
        mutation: genetic.mutation.get(),
        patience: genetic.patience.get(),
        cap: genetic.cap.get(),
    };
    match spec {
        BrokerSpec::Greedy => Box::new(Greedy { preference: Preference::Cost }),
        BrokerSpec::GreedyByPrice => Box::new(Greedy { preference: Preference::Price }),
        BrokerSpec::Mmc => Box::new(Mmc),
        BrokerSpec::Hga => Box::new(Hga { genetic }),
        BrokerSpec::Lpga => Box::new(Lpga { genetic }),
        BrokerSpec::Exact => Box::new(ExactBroker {
            nodes: exact.nodes.get(),
            steps: exact.steps.get() as u32,
            gap: exact.gap.get() / 100.0,
        }),
        BrokerSpec::Lp => Box::new(Lp),
    }
}
