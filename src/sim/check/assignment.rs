//! The laws of a broker's assignment and of its reservations.

use super::{Verdict, Violation, verdict};
use crate::broker::multicriteria::PreliminaryReservation;
use crate::units::Time;
use crate::workload::market::{Criterion, CriterionMeasure, MarketJob, Offer};

/// Judges an assignment: every job is on an offer that exists, bids for it, meets its hard constraints and lasts for
/// its expected run; and no offer gives more units than it has.
///
/// ```
/// use gridloom::check::check_assignment;
/// use gridloom::workload::market::{MarketJob, Offer};
///
/// let job = |name: &str| MarketJob { name: name.into(), user: 0, units: 1, limits: Vec::new() };
/// let offers = [Offer::of_attributes("rp1", Some(1), Vec::new())];
/// assert!(check_assignment(&[], &[job("a"), job("b")], &offers, &[Some(0), None]).is_ok());
/// let both = check_assignment(&[], &[job("a"), job("b")], &offers, &[Some(0), Some(0)]);
/// assert_eq!(both.unwrap_err().0[0].to_string(), "rp1: 2 of 1 units are given");
/// ```
pub fn check_assignment(
    criteria: &[Criterion],
    jobs: &[MarketJob],
    offers: &[Offer],
    assignment: &[Option<usize>],
) -> Verdict {
    let mut broken = Vec::new();
    let mut given = vec![0_u64; offers.len()];
    if assignment.len() != jobs.len() {
        broken.push(format!("{} places for {} jobs", assignment.len(), jobs.len()));
    }
    for (index, (job, place)) in jobs.iter().zip(assignment).enumerate() {
        let Some(place) = *place else { continue };
        let Some(offer) = offers.get(place) else {
            broken.push(format!("{}: there is no offer {place}", job.name));
            continue;
        };
        given[place] += job.units;
        let bid = offer.bids.get(&index);
        if let Some(slot) = &offer.slot {
            let end = bid.map(|bid| slot.start + mean(bid.runs.runs()));
            if !end.is_some_and(|end| end <= slot.end) {
                let what = if bid.is_none() { "does not bid for it" } else { "ends before it" };
                broken.push(format!("{}: {} {what}", job.name, offer.name));
            }
        }
        for limit in &job.limits {
            let name = criteria.get(limit.criterion).map_or("an unknown criterion", |criterion| &criterion.name);
            let value = value(criteria, offer, index, limit.criterion);
            // Deviations and errors may be summed in another order: the last digits are not at issue.
            let slack = 1e-9 * (1.0 + value.abs());
            let low = limit.low.unwrap_or(f64::NEG_INFINITY);
            let keeps = low - slack <= value && value <= limit.high.unwrap_or(f64::INFINITY) + slack;
            if !keeps {
                broken.push(format!("{}: {name} is {value} on {}, beyond its limit", job.name, offer.name));
            }
        }
    }
    for (offer, given) in offers.iter().zip(given) {
        if let Some(units) = offer.units.filter(|&units| given > units) {
            broken.push(format!("{}: {given} of {units} units are given", offer.name));
        }
    }
    verdict(broken.into_iter().map(Violation).collect())
}

/// The value of a criterion by its definition; not a number where there is none.
fn value(criteria: &[Criterion], offer: &Offer, job: usize, criterion: usize) -> f64 {
    let Some(Criterion { measure, .. }) = criteria.get(criterion) else { return f64::NAN };
    let runs = offer.bids.get(&job).map_or(&[][..], |bid| bid.runs.runs());
    let start = offer.slot.as_ref().map_or(f64::NAN, |slot| slot.start);
    let middle = mean(runs);
    match measure {
        CriterionMeasure::Attribute => offer.attributes.get(criterion).copied().flatten().unwrap_or(f64::NAN),
        CriterionMeasure::Start => start,
        CriterionMeasure::EstimatedStart => {
            let early = offer.slot.as_ref().map_or(&[][..], |slot| slot.early.runs());
            if early.is_empty() { start } else { start - mean(early) }
        }
        CriterionMeasure::Completion => start + middle,
        CriterionMeasure::Cost => offer.bids.get(&job).map_or(f64::NAN, |bid| bid.cost),
        CriterionMeasure::Deviation if runs.len() == 1 => 0.0,
        CriterionMeasure::Deviation => {
            let squares = runs.iter().map(|run| libm::pow(run - middle, 2.0)).sum::<f64>();
            libm::sqrt(squares / (runs.len() as f64 - 1.0))
        }
        CriterionMeasure::Longest => runs.iter().copied().fold(f64::NAN, f64::max),
        CriterionMeasure::Error if runs.len() == 1 => 0.0,
        CriterionMeasure::Error => {
            let errors = (1..runs.len()).map(|at| (mean(&runs[..at]) - runs[at]).abs());
            errors.sum::<f64>() / (runs.len() as f64 - 1.0)
        }
    }
}

fn mean(runs: &[f64]) -> f64 {
    runs.iter().sum::<f64>() / runs.len() as f64
}

/// Judges reservations: none is confirmed after it expired, and at no instant are more units kept than an offer has.
pub fn check_reservations(units: &[Option<u64>], holds: &[PreliminaryReservation]) -> Verdict {
    let mut broken = Vec::new();
    for hold in holds {
        let PreliminaryReservation { offer, job, made, until, .. } = *hold;
        if hold.confirmed.is_some_and(|when| when < made || when > until) {
            broken.push(format!("job {job}: its reservation on offer {offer} was confirmed outside [{made}, {until}]"));
        }
        // The number of kept units changes for the worse only when a reservation is made.
        let at_that_time = |other: &&PreliminaryReservation| {
            let ends = if other.confirmed.is_some() { Time::MAX } else { other.until };
            other.offer == offer && other.made <= made && made <= ends
        };
        let kept: u64 = holds.iter().filter(at_that_time).map(|other| other.units).sum();
        if let Some(Some(units)) = units.get(offer).filter(|units| units.is_some_and(|units| kept > units)) {
            broken.push(format!("offer {offer}: {kept} of {units} units are kept at {made}"));
        }
    }
    verdict(broken.into_iter().map(Violation).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::market::{Bid, Direction, History, OfferLimit, TimeSlot};
    use std::collections::BTreeMap;

    fn said(verdict: Verdict) -> Vec<String> {
        verdict.err().map_or(Vec::new(), |broken| broken.0.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn each_law_of_an_assignment_is_seen() {
        let criterion = |name: &str, measure| Criterion { name: name.into(), direction: Direction::Cost, measure };
        let criteria =
            [criterion("completion", CriterionMeasure::Completion), criterion("error", CriterionMeasure::Error)];
        let slot = |name: &str, start: f64, end: f64, runs: &[f64]| Offer {
            slot: Some(TimeSlot { start, end, early: History::default() }),
            bids: BTreeMap::from([(0, Bid { cost: 1.0, runs: History::new(runs.to_vec()) })]),
            ..Offer::of_attributes(name, Some(1), Vec::new())
        };
        let offers = [
            slot("good", 10.0, 30.0, &[10.0, 12.0]),
            slot("short", 10.0, 20.0, &[10.0, 12.0]),
            slot("late", 20.0, 90.0, &[10.0, 17.0]),
        ];
        let limit = |criterion, high| OfferLimit { criterion, low: None, high: Some(high) };
        let job = MarketJob { name: "job".into(), user: 0, units: 1, limits: vec![limit(0, 30.0), limit(1, 5.0)] };
        let judge = |places: &[Option<usize>]| {
            let jobs = vec![job.clone(); places.len().min(2)];
            said(check_assignment(&criteria, &jobs, &offers, places))
        };
        assert_eq!(judge(&[Some(0)]), [""; 0]);
        assert_eq!(judge(&[Some(1)]), ["job: short ends before it"]);
        let late = ["job: completion is 33.5 on late, beyond its limit", "job: error is 7 on late, beyond its limit"];
        assert_eq!(judge(&[Some(2)]), late);
        assert_eq!(judge(&[Some(3)]), ["job: there is no offer 3"]);
        assert_eq!(judge(&[None, None, None]), ["3 places for 2 jobs"]);
        let both = judge(&[Some(0), Some(0)]);
        assert!(both.contains(&"job: good does not bid for it".to_string()), "{both:?}");
        assert!(both.contains(&"good: 2 of 1 units are given".to_string()), "{both:?}");
    }

    #[test]
    fn each_law_of_reservations_is_seen() {
        let at = Time::from_units;
        let hold = |made, until, confirmed: Option<i64>| PreliminaryReservation {
            offer: 0,
            job: 7,
            units: 1,
            made: at(made),
            until: at(until),
            confirmed: confirmed.map(at),
        };
        let judge = |holds: &[PreliminaryReservation]| said(check_reservations(&[Some(1)], holds));
        assert_eq!(judge(&[hold(0, 5, None), hold(6, 11, Some(11))]), [""; 0]);
        assert_eq!(judge(&[hold(0, 5, None), hold(5, 10, None)]), ["offer 0: 2 of 1 units are kept at 5"]);
        assert_eq!(judge(&[hold(0, 5, Some(3)), hold(8, 13, None)]), ["offer 0: 2 of 1 units are kept at 8"]);
        assert_eq!(judge(&[hold(0, 5, Some(6))]), ["job 7: its reservation on offer 0 was confirmed outside [0, 5]"]);
    }
}
