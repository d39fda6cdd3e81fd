//! The two seeds of the genetic algorithm: HGA begins with the greedy plan, LPGA with the linear program made whole by
//! MMC.
//!
//! The greedy plan goes by prices, as the paper sorts its resources before jobs are placed (file 003, Algorithm 2, line
//! 8).

use super::greedy::Preference;
use super::{Answer, Broker, BrokerError, BrokerPlan, BrokerSetup, BrokerSpec, CostTable, Genetic, Greedy, mmc};
use crate::record;
use crate::rng::Stream;

record! {
    /// The genetic algorithm from the greedy plan.
    #[derive(Copy)]
    pub struct HgaSpec;
}

record! {
    /// The genetic algorithm from the plan of `Mmc`.
    #[derive(Copy)]
    pub struct LpgaSpec;
}

impl BrokerSpec for HgaSpec {
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(Hga { genetic: setup.genetic })
    }
}

impl BrokerSpec for LpgaSpec {
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(Lpga { genetic: setup.genetic })
    }
}

/// The genetic algorithm from a greedy plan.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Hga {
    /// Its rates.
    pub genetic: Genetic,
}

impl Broker for Hga {
    fn name(&self) -> &'static str {
        "hga"
    }

    fn assign(&self, table: &CostTable, stream: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(bred(table, self.genetic, Greedy { preference: Preference::Price }.homes(table), stream))
    }
}

/// The linear program, MMC, then the genetic algorithm (file 003, Algorithm 2).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Lpga {
    /// Its rates.
    pub genetic: Genetic,
}

impl Broker for Lpga {
    fn name(&self) -> &'static str {
        "lpga"
    }

    fn assign(&self, table: &CostTable, stream: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(bred(table, self.genetic, mmc::homes(table), stream))
    }
}

fn bred(table: &CostTable, genetic: Genetic, seed: Vec<Option<usize>>, stream: &mut Stream) -> Answer {
    let (homes, generations) = genetic.evolve(table, seed, stream);
    Answer { generations: Some(generations), ..Answer::of(BrokerPlan::whole(table, &homes)) }
}
