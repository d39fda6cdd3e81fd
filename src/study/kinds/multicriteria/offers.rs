//! Criteria and offers, as a broker compares them.

use crate::language::{Count, Finite, Name, NameKind, NonEmpty, NonNegative, Ref};
use crate::record;
use crate::study::parts::report_twice;
use crate::units::Time;
use crate::workload::market::{Criterion, CriterionMeasure, Direction};

/// The names of criteria.
#[derive(Debug, Clone, PartialEq)]
pub enum CriterionNames {}

impl NameKind for CriterionNames {
    const WHAT: &'static str = "criterion";
}

/// The names of jobs.
#[derive(Debug, Clone, PartialEq)]
pub enum JobNames {}

impl NameKind for JobNames {
    const WHAT: &'static str = "job";
}

/// The names of offers.
#[derive(Debug, Clone, PartialEq)]
pub enum OfferNames {}

impl NameKind for OfferNames {
    const WHAT: &'static str = "offer";
}

record! {
    /// Something by which offers are compared.
    pub struct CriterionSpec {
        /// Its name, unique among the criteria.
        name: Name<CriterionNames>,
        /// The direction in which it gets better.
        direction: Direction,
        /// The source of its values.
        of: CriterionMeasure = CriterionMeasure::Attribute,
    }
}

impl CriterionSpec {
    /// The criterion itself.
    pub fn criterion(&self) -> Criterion {
        let direction = self.direction;
        Criterion { name: self.name.as_str().into(), direction, measure: self.of }
    }
}

record! {
    /// A hard constraint.
    pub struct LimitSpec {
        /// The criterion that is limited.
        criterion: Ref<CriterionNames>,
        /// The lowest value that is allowed; there is none, unless given.
        #[unit = "the unit of the criterion"]
        low: Option<Finite>,
        /// The highest value that is allowed; there is none, unless given.
        #[unit = "the unit of the criterion"]
        high: Option<Finite>,
    }
    check(this, at, errors) {
        if this.low.is_none() && this.high.is_none() {
            errors.add(at, "this limits nothing", "give `low` or `high`");
        }
    }
}

record! {
    /// The offer of a provider.
    pub struct OfferSpec {
        /// Its name, unique among the offers.
        name: Name<OfferNames>,
        /// The provider whose offer it is; called as the offer, unless given.
        provider: Option<String>,
        /// The number of units that jobs can share; always enough, unless given.
        #[unit = "units of the offer"]
        units: Option<Count>,
        /// The values of the criteria that are attributes of offers.
        attributes: Vec<AttributeSpec> = Vec::new(),
        /// The time slot. Unless given, the offer has no times, and there is nothing to bid for.
        slot: Option<SlotTimeSpec>,
        /// The terms for each job that may have the slot. A slot needs some; there are none without.
        bids: Vec<BidSpec> = Vec::new(),
    }
    check(this, at, errors) {
        match (&this.slot, this.bids.is_empty()) {
            (None, false) => errors.add(&at.field("bids"), "bids are for a time slot", "give `slot`, or no bids"),
            (Some(_), true) => errors.add(&at.field("slot"), "nobody may have this slot", "give `bids` for some jobs"),
            _ => (),
        }
        let is_same = |one: &AttributeSpec, other: &AttributeSpec| one.criterion == other.criterion;
        report_twice(&this.attributes, is_same, (&at.field("attributes"), "this attribute is there already"), errors);
        let is_same = |one: &BidSpec, other: &BidSpec| one.job == other.job;
        report_twice(&this.bids, is_same, (&at.field("bids"), "this job has a bid already"), errors);
    }
}

record! {
    /// An attribute of an offer.
    pub struct AttributeSpec {
        /// The criterion, one that is an attribute.
        criterion: Ref<CriterionNames>,
        /// The value that the offer has in it.
        #[unit = "the unit of the criterion"]
        value: Finite,
    }
}

record! {
    /// A slot's place in time.
    pub struct SlotTimeSpec {
        /// The time at which it begins, guaranteed.
        start: Time,
        /// The time at which it ends.
        end: Time,
        /// The time by which each of the past jobs began before its guaranteed start. Unless given, jobs are expected
        /// to begin just then.
        #[unit = "units of time"]
        early: Vec<NonNegative> = Vec::new(),
    }
    check(this, at, errors) {
        if this.end <= this.start {
            errors.add(&at.field("end"), "the slot ends before it begins", "give an end after the start");
        }
    }
}

record! {
    /// The terms of a slot for one job.
    pub struct BidSpec {
        /// The job that may have the slot.
        job: Ref<JobNames>,
        /// The cost of its run in the slot.
        #[unit = "units of money"]
        cost: NonNegative = NonNegative::ZERO,
        /// The past runtimes of such jobs there, oldest first: predictions are made from them.
        #[unit = "units of time"]
        runs: NonEmpty<NonNegative>,
    }
}
