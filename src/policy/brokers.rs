//! From a scenario's broker to the broker itself.

use crate::broker::{Broker, Exact, Genetic, Greedy, Hga, Lp, Lpga, Mmc, Preference};
use crate::scenario::schema::{BrokerSpec, ExactSpec, GeneticSpec};

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
        BrokerSpec::Exact => {
            Box::new(Exact { nodes: exact.nodes.get(), steps: exact.steps.get() as u32, gap: exact.gap.get() / 100.0 })
        }
        BrokerSpec::Lp => Box::new(Lp),
    }
}
