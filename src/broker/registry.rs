//! The brokers that scenarios can name.

use super::{Broker, Exact, ExactBroker, Genetic, GreedyByCost, GreedyByPrice, HgaSpec, Lp, LpgaSpec, Mmc};

crate::registry! {
    /// The brokers. All but `Lp` place jobs whole, on one resource each.
    pub enum BrokerChoice: BrokerSpec {
        Greedy(GreedyByCost),
        GreedyByPrice(GreedyByPrice),
        Mmc(Mmc),
        Hga(HgaSpec),
        Lpga(LpgaSpec),
        Exact(Exact),
        Lp(Lp),
    }
}

/// A broker as scenarios write it, and the way to make it.
pub trait BrokerSpec {
    /// The broker.
    fn make(&self, setup: BrokerSetup) -> Box<dyn Broker + Send + Sync>;
}

/// The parameters that brokers share.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BrokerSetup {
    /// The rates of the genetic algorithm.
    pub genetic: Genetic,
    /// The limits of the exact search.
    pub exact: ExactBroker,
}
