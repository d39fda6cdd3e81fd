//! `Criteria`: the best window by each criterion on generated environments (file 001, section 3).

use super::bounds::{Speeds, Spreads, WholeLengths};
use super::parts::{RuntimeSpec, SearchSpec, report_repeated};
use crate::record;
use crate::scenario::{Count, NonEmpty, NonNegative, Positive, Within};
use crate::units::{Performance, Price, Span};

record! {
    /// One request on many generated environments: the window of each search, beside the best of the windows that
    /// repeated AMP collects.
    pub struct Criteria {
        /// The nodes and their local load.
        environment: EnvironmentSpec,
        /// How many nodes the request needs, N.
        nodes: Count,
        /// How long it is, t.
        length: Span,
        /// The slowest node that will do, P_min.
        min_performance: Performance,
        /// The highest price per unit of time and node, C.
        max_price: Price,
        /// The searches that are compared.
        searches: NonEmpty<SearchSpec>,
        /// How a job's length becomes a runtime.
        runtime: RuntimeSpec = RuntimeSpec::Volume,
    }
    check(this, at, errors) {
        if this.length == Span::ZERO {
            errors.add(&at.field("length"), "a job of no length needs no window", "give a length above 0");
        }
        report_repeated(&this.searches, &at.field("searches"), errors);
        if this.length.as_f64() > 1e5 {
            errors.add(&at.field("length"), "costs would grow beyond all bounds", "give a length of at most 1e5");
        }
    }
}

record! {
    /// Nodes with local schedules.
    pub struct EnvironmentSpec {
        /// How many nodes.
        nodes: Count,
        /// How long the scheduling interval is, in whole units.
        interval: Count,
        /// How fast a node is.
        performance: Within<Speeds>,
        /// The price of a node of performance P is `price_scale` * P * exp(`price_slope` * (P - 1)) * (1 + this).
        price_spread: Within<Spreads>,
        /// How much dearer than in proportion fast nodes are.
        price_slope: NonNegative = NonNegative::ZERO,
        /// The level of all prices.
        price_scale: Positive = Positive::ONE,
        /// The owners' tasks.
        load: LoadSpec,
    }
    check(this, at, errors) {
        if this.load.length.min() > this.interval.get() as f64 {
            let wrong = format!("no local task fits into an interval of {}", this.interval.get());
            errors.add(&at.field("load"), wrong, "give shorter tasks or a longer interval");
        }
        if this.nodes.get() > 1_000_000 {
            errors.add(&at.field("nodes"), "that is more than a million nodes", "give fewer");
        }
        if this.interval.get() > 1_000_000 {
            errors.add(&at.field("interval"), "that is more than a million units", "give a shorter interval");
        }
        if this.price_scale.get() > 1e3 {
            errors.add(&at.field("price_scale"), "prices would grow beyond all bounds", "give at most 1000");
        }
        if this.price_slope.get() > 0.1 {
            errors.add(&at.field("price_slope"), "prices would grow beyond all bounds", "give at most 0.1");
        }
    }
}

record! {
    /// Local tasks are put at random until a node's level of load is reached. The level is drawn for each node from a
    /// hypergeometric distribution and scaled to `low` .. `high` tenths.
    pub struct LoadSpec {
        /// The lightest load, in tenths of the interval.
        low: NonNegative,
        /// The heaviest load, in tenths of the interval.
        high: NonNegative,
        /// How long a local task is: from 1 to a million; what a distribution without an end has beyond that counts as the nearer of the two.
        length: Within<WholeLengths>,
    }
    check(this, at, errors) {
        if this.low > this.high || this.high.get() > 9.0 {
            errors.add(&at.field("high"), "loads must rise from low to high", "give low <= high <= 9 tenths");
        }
    }
}
