//! The two seeds of the genetic algorithms: HGA begins with the greedy plan, LPGA with the linear program made whole by
//! MMC. Each comes with the algorithm as printed, and with ours that repairs.
//!
//! The greedy plan goes by prices, as the paper sorts its resources before jobs are placed (file 003, Algorithm 2, line
//! 8).

use super::greedy::Preference;
use super::{
    Answer, Broker, BrokerError, BrokerPlan, BrokerSetup, BrokerSpec, CostTable, Genetic, Greedy, RepairedGenetic, mmc,
};
use crate::record;
use crate::rng::Stream;

record! {
    /// The genetic algorithm from the greedy plan, as printed.
    #[derive(Copy)]
    pub struct HgaSpec;
}

record! {
    /// The genetic algorithm from the plan of `Mmc`, as printed.
    #[derive(Copy)]
    pub struct LpgaSpec;
}

record! {
    /// The genetic algorithm from the greedy plan, with a step of our own that repairs every child.
    #[derive(Copy)]
    pub struct HgaRepairedSpec;
}

record! {
    /// The genetic algorithm from the plan of `Mmc`, with a step of our own that repairs every child.
    #[derive(Copy)]
    pub struct LpgaRepairedSpec;
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

impl BrokerSpec for HgaRepairedSpec {
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(HgaRepaired { genetic: setup.repaired })
    }
}

impl BrokerSpec for LpgaRepairedSpec {
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
        Box::new(LpgaRepaired { genetic: setup.repaired })
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
        Ok(answer(table, self.genetic.evolve(table, &greedy(table), stream)))
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
        Ok(answer(table, self.genetic.evolve(table, &mmc::homes(table)?, stream)))
    }
}

/// The genetic algorithm with repair from a greedy plan.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HgaRepaired {
    /// Its rates.
    pub genetic: RepairedGenetic,
}

impl Broker for HgaRepaired {
    fn name(&self) -> &'static str {
        "hga, repaired"
    }

    fn assign(&self, table: &CostTable, stream: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(answer(table, self.genetic.evolve(table, &greedy(table), stream)))
    }
}

/// The linear program, MMC, then the genetic algorithm with repair.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LpgaRepaired {
    /// Its rates.
    pub genetic: RepairedGenetic,
}

impl Broker for LpgaRepaired {
    fn name(&self) -> &'static str {
        "lpga, repaired"
    }

    fn assign(&self, table: &CostTable, stream: &mut Stream) -> Result<Answer, BrokerError> {
        Ok(answer(table, self.genetic.evolve(table, &mmc::homes(table)?, stream)))
    }
}

fn greedy(table: &CostTable) -> Vec<Option<usize>> {
    Greedy { preference: Preference::Price }.homes(table)
}

fn answer(table: &CostTable, (homes, generations): (Vec<Option<usize>>, u64)) -> Answer {
    Answer { generations: Some(generations), ..Answer::of(BrokerPlan::whole(table, &homes)) }
}
