//! Offers, and what they are worth to a job by each criterion.

use super::{Criterion, CriterionMeasure, History, MarketJob};
use std::collections::BTreeMap;

/// A candidate reservation's place in time.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeSlot {
    /// When it begins, guaranteed.
    pub start: f64,
    /// When it ends: jobs must be expected to complete by then.
    pub end: f64,
    /// By how much jobs began before their guaranteed start in the past.
    pub early: History,
}

/// The terms of an offer for one job.
#[derive(Debug, Clone, PartialEq)]
pub struct Bid {
    /// The cost of the run.
    pub cost: f64,
    /// The earlier runtimes of such jobs there.
    pub runs: History,
}

/// Something that a provider offers.
#[derive(Debug, Clone, PartialEq)]
pub struct Offer {
    /// Its name.
    pub name: String,
    /// Whose it is.
    pub provider: String,
    /// The number of units for jobs to share; without a number there are always enough.
    pub units: Option<u64>,
    /// When it is there; nothing for a provider without time characteristics.
    pub slot: Option<TimeSlot>,
    /// Attributes by the index of their criterion.
    pub attributes: Vec<Option<f64>>,
    /// Bids by the index of the job. An offer with a time slot takes only jobs that it bids for.
    pub bids: BTreeMap<usize, Bid>,
}

impl Offer {
    /// A provider of which attributes alone are known.
    pub fn of_attributes(name: impl Into<String>, units: Option<u64>, attributes: Vec<Option<f64>>) -> Self {
        let name = name.into();
        Self { provider: name.clone(), name, units, slot: None, attributes, bids: BTreeMap::new() }
    }

    /// The value of criterion `index` to a job, if the offer has one.
    pub fn value(&self, criteria: &[Criterion], index: usize, job: usize) -> Option<f64> {
        let measure = criteria.get(index)?.measure;
        if measure == CriterionMeasure::Attribute {
            return self.attributes.get(index).copied().flatten();
        }
        let (slot, bid) = (self.slot.as_ref()?, self.bids.get(&job)?);
        match measure {
            CriterionMeasure::Attribute => None,
            CriterionMeasure::Start => Some(slot.start),
            CriterionMeasure::EstimatedStart => Some(slot.start - slot.early.mean().unwrap_or(0.0)),
            CriterionMeasure::Completion => Some(slot.start + bid.runs.mean()?),
            CriterionMeasure::Cost => Some(bid.cost),
            CriterionMeasure::Deviation => bid.runs.deviation(),
            CriterionMeasure::Longest => bid.runs.longest(),
            CriterionMeasure::Error => bid.runs.error(),
        }
    }

    /// The values of all criteria to the job of that index; nothing if a hard constraint is not met: the offer must
    /// have every value, bid for the job if it is a slot, hold its units and its expected run, and keep within all its
    /// limits.
    pub fn values(&self, criteria: &[Criterion], index: usize, job: &MarketJob) -> Option<Vec<f64>> {
        if self.units.is_some_and(|units| units < job.units) {
            return None;
        }
        if let Some(slot) = &self.slot {
            let run = self.bids.get(&index)?.runs.mean()?;
            if slot.start + run > slot.end {
                return None;
            }
        }
        let values: Option<Vec<f64>> = (0..criteria.len()).map(|at| self.value(criteria, at, index)).collect();
        values.filter(|values| {
            let keeps = |low: Option<f64>, high: Option<f64>, value: f64| {
                low.is_none_or(|low| value >= low) && high.is_none_or(|high| value <= high)
            };
            job.limits
                .iter()
                .all(|limit| values.get(limit.criterion).is_some_and(|&value| keeps(limit.low, limit.high, value)))
        })
    }
}
