//! Nodes of one domain, their owners and their failures.

use super::bounds::{Speeds, Spreads, Times};
use super::{BatchSystemSpec, DailySpec};
use crate::language::{Count, Distribution, Fraction, InTime, Name, NameKind, NonNegative, Positive, Within};
use crate::record;

/// The names of domains.
#[derive(Debug, Clone, PartialEq)]
pub enum DomainNames {}

impl NameKind for DomainNames {
    const WHAT: &'static str = "domain";
}

record! {
    /// Nodes under one administration.
    pub struct GridDomainSpec {
        /// Its name, unique among the domains.
        name: Name<DomainNames>,
        /// The number of nodes.
        #[unit = "nodes"]
        nodes: Count,
        /// The performance of a node.
        #[unit = "relative to a node of performance 1"]
        performance: Within<Speeds> = Within::of(1.0),
        /// The random part of prices: a node of performance P costs `price_scale` * P * exp(`price_slope` * (P - 1)) *
        /// (1 + this).
        #[unit = "share of the price"]
        price_spread: Within<Spreads> = Within::of(0.0),
        /// The exponential rate by which fast nodes are more expensive than in proportion to their performance.
        #[unit = "per unit of performance"]
        price_slope: NonNegative = NonNegative::ZERO,
        /// The level of all prices: the price of a node of performance 1, without the random part.
        #[unit = "money per unit of time, node and performance"]
        price_scale: Positive = Positive::ONE,
        /// The flows of the owner's tasks on each node; none, unless given.
        owners: Vec<OwnerSpec> = Vec::new(),
        /// The failures of nodes: how often they come and how long they last; none, unless given.
        failures: Option<FailureSpec>,
        /// A batch system with a queue of its own; unless given, the metascheduler has all time that owners leave.
        batch_system: Option<BatchSystemSpec>,
    }
    check(this, at, errors) {
        if this.price_scale.get() > 1e3 {
            errors.add(&at.field("price_scale"), "prices would grow beyond all bounds", "give at most 1000");
        }
        if this.price_slope.get() > 0.1 {
            errors.add(&at.field("price_slope"), "prices would grow beyond all bounds", "give at most 0.1");
        }
        let load: f64 = this.owners.iter().map(OwnerSpec::load).sum();
        if load > 0.95 {
            let wrong = format!("the owners alone would load each node by {load:.2}");
            errors.add(&at.field("owners"), wrong, "keep it to 0.95, or their tasks pile up without end");
        }
    }
}

record! {
    /// Tasks that the owner of a node runs on it, one at a time. Owners come first: a task that was announced is
    /// planned around, one that was not displaces whoever is there.
    pub struct OwnerSpec {
        /// The share of a node's time that these tasks take, in the long run; they then arrive independently of each
        /// other. Either this or `gap` is given.
        #[unit = "share of a node's time"]
        load: Option<Fraction>,
        /// In place of a load: the time from one arrival to the next, when the owner is busiest.
        #[unit = "units of time"]
        gap: Option<InTime<Distribution>>,
        /// The runtime of a task, up to a million; draws of an unbounded distribution beyond that count as a million.
        #[unit = "units of time"]
        length: Within<Times>,
        /// The time from the announcement of a task to its arrival; with 0, tasks come without notice.
        #[unit = "units of time"]
        notice: Within<Times> = Within::of(0.0),
        /// The activity of the owner over the day; constant, unless given.
        daily: Option<DailySpec>,
    }
    check(this, at, errors) {
        match (&this.load, &this.gap) {
            (None, None) => errors.add(at, "this needs either `load` or `gap`", "give one of them"),
            (Some(_), Some(_)) => errors.add(at, "both `load` and `gap` are given", "leave one of them out"),
            _ => {}
        }
        if let Some(gap) = &this.gap {
            gap.require_support(&at.field("gap"), errors, 0.0..=f64::INFINITY);
            if gap.mean() < 1e-6 {
                errors.add(&at.field("gap"), "all tasks would arrive at once", "give gaps above 0");
            }
        }
        if this.length.mean() < 1e-6 {
            errors.add(&at.field("length"), "tasks of no length need no node", "give lengths above 0");
        }
    }
}

impl OwnerSpec {
    /// The mean time from one arrival to the next when the owner is busiest; infinite if nothing ever arrives.
    pub fn mean_gap(&self) -> f64 {
        match (&self.load, &self.gap) {
            (_, Some(gap)) => gap.mean(),
            (Some(load), None) if load.get() > 0.0 => self.length.mean() * self.activity() / load.get(),
            _ => f64::INFINITY,
        }
    }

    /// The mean of the day's rates as a share of the highest.
    fn activity(&self) -> f64 {
        self.daily.as_ref().map_or(1.0, DailySpec::mean_share)
    }

    /// The share of a node's time that the tasks take in the long run.
    fn load(&self) -> f64 {
        self.length.mean() * self.activity() / self.mean_gap()
    }
}

record! {
    /// Nodes go down and come back. What runs on them then is lost.
    pub struct FailureSpec {
        /// The time that a node is up, from one failure to the next.
        #[unit = "units of time"]
        up: InTime<Distribution>,
        /// The time that a node is down.
        #[unit = "units of time"]
        down: InTime<Distribution>,
    }
    check(this, at, errors) {
        for (field, of) in [("up", &this.up), ("down", &this.down)] {
            of.require_support(&at.field(field), errors, 0.0..=f64::INFINITY);
            if of.mean() < 1e-6 {
                errors.add(&at.field(field), "this leaves no time", "give times above 0");
            }
        }
    }
}
