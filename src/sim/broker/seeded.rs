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

/// Declares the genetic brokers: as scenarios write them and with their rates, and the plan that they begin with.
macro_rules! seeded {
    ($($(#[doc = $written:literal])* $spec:ident => $(#[doc = $made:literal])* $broker:ident($rates:ident: $genetic:ident, $seed:expr): $name:literal,)*) => {$(
        record! {
            $(#[doc = $written])*
            #[derive(Copy)]
            pub struct $spec;
        }

        impl BrokerSpec for $spec {
            fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync> {
                Box::new($broker { genetic: setup.$rates })
            }
        }

        $(#[doc = $made])*
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct $broker {
            /// Its rates.
            pub genetic: $genetic,
        }

        impl Broker for $broker {
            fn name(&self) -> &'static str {
                $name
            }

            fn assign(&self, table: &CostTable, stream: &mut Stream) -> Result<Answer, BrokerError> {
                let (homes, generations) = self.genetic.evolve(table, &$seed(table)?, stream);
                Ok(Answer { generations: Some(generations), ..Answer::of(BrokerPlan::whole(table, &homes)) })
            }
        }
    )*};
}

seeded! {
    /// The genetic algorithm from the greedy plan, as printed.
    HgaSpec =>
    /// The genetic algorithm from a greedy plan.
    Hga(genetic: Genetic, greedy): "hga",
    /// The genetic algorithm from the plan of `Mmc`, as printed.
    LpgaSpec =>
    /// The linear program, MMC, then the genetic algorithm (file 003, Algorithm 2).
    Lpga(genetic: Genetic, mmc::homes): "lpga",
    /// The genetic algorithm from the greedy plan, with a step of our own that repairs every child.
    HgaRepairedSpec =>
    /// The genetic algorithm with repair from a greedy plan.
    HgaRepaired(repaired: RepairedGenetic, greedy): "hga, repaired",
    /// The genetic algorithm from the plan of `Mmc`, with a step of our own that repairs every child.
    LpgaRepairedSpec =>
    /// The linear program, MMC, then the genetic algorithm with repair.
    LpgaRepaired(repaired: RepairedGenetic, mmc::homes): "lpga, repaired",
}

fn greedy(table: &CostTable) -> Result<Vec<Option<usize>>, BrokerError> {
    Ok(Greedy { preference: Preference::Price }.homes(table))
}
