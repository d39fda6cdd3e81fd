//! Prices that follow demand.

use crate::language::{Fraction, Positive};
use crate::record;

record! {
    /// The price of every node of a domain is changed at each cycle by a factor of 1 + `elasticity` * (u - `target`),
    /// where u is the share of the domain's nodes in use, and never leaves 1/`bound` to `bound` times what it was at
    /// first.
    pub struct PricingSpec {
        /// The strength with which prices follow demand; with 0 they stay as they are.
        #[unit = "relative change of price per unit of use"]
        elasticity: Fraction,
        /// The share of nodes in use at which prices stay as they are: above it they rise, below it they fall.
        #[unit = "share of the nodes"]
        target: Fraction,
        /// The largest factor by which prices may rise or fall from what they were at first, from 1 to 100.
        #[unit = "factor of the first price"]
        bound: Positive = Positive::of(4.0),
    }
    check(this, at, errors) {
        if !(1.0..=100.0).contains(&this.bound.get()) {
            errors.add(&at.field("bound"), "prices need room on both sides", "give a number from 1 to 100");
        }
    }
}
