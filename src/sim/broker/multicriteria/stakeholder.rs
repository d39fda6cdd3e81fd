//! Stakeholders besides users: providers and the administrator of the virtual organisation.
//!
//! A user's wishes concern one job at a time; theirs concern all jobs together, or all on a provider's own offers.

use super::problem::{MarketProblem, Refusal};
use super::{ReferenceBounds, UserForm};
use crate::choice;
use crate::workload::market::{Direction, Offer};

/// Somebody with criteria of their own for the assignment as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Stakeholder {
    /// The stakeholder's name.
    pub name: String,
    /// The weight of the satisfaction beside that of the users.
    pub weight: f64,
    /// The provider that it is, who sees the jobs on its own offers; nothing for the administrator, who sees all jobs.
    pub provider: Option<String>,
    /// The objectives.
    pub aims: Vec<Objective>,
}

/// A criterion of an assignment as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Objective {
    /// The criterion of offers that it looks at; nothing for the number of jobs.
    pub of: Option<usize>,
    /// The way from the jobs' values to one.
    pub take: Take,
    /// Which way is better.
    pub direction: Direction,
    /// Its weight among the objectives.
    pub weight: f64,
    /// The reference bounds, if the stakeholder gives them.
    pub bounds: Option<ReferenceBounds>,
}

choice! {
    /// The way from the values of jobs to one.
    #[derive(Copy, Eq)]
    pub enum Take {
        /// Their sum: income from cost, mean start from start.
        Total,
        /// The highest: makespan from completion. It is 0 without jobs.
        Highest,
    }
}

impl Take {
    fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Total => values.sum(),
            Self::Highest => values.reduce(f64::max).unwrap_or(0.0),
        }
    }
}

/// A stakeholder with the bounds of all objectives known.
#[derive(Debug, Clone)]
pub(super) struct Outlook {
    /// Which offers are seen.
    sees: Vec<bool>,
    aims: Vec<(Objective, ReferenceBounds)>,
}

impl Outlook {
    /// The view of `stakeholder` on a problem, by its offers. Bounds that are not given are those that no assignment
    /// can leave.
    pub(super) fn new(stakeholder: &Stakeholder, offers: &[Offer], problem: &MarketProblem) -> Result<Self, Refusal> {
        let name = &stakeholder.name;
        let own = |offer: &Offer| stakeholder.provider.as_ref().is_none_or(|provider| *provider == offer.provider);
        let sees: Vec<bool> = offers.iter().map(own).collect();
        if !sees.contains(&true) {
            return Err(Refusal::NoOffers { stakeholder: name.clone() });
        }
        super::problem::check_weights(name, stakeholder.aims.iter().map(|aim| aim.weight))?;
        let aims = stakeholder.aims.iter().map(|aim| {
            let given = aim.bounds.map_or(Ok(None), |bounds| super::problem::check_bounds(name, bounds).map(Some))?;
            Ok((aim.clone(), given.unwrap_or_else(|| reach(aim, &sees, problem))))
        });
        Ok(Self { sees: sees.clone(), aims: aims.collect::<Result<_, Refusal>>()? })
    }

    /// The satisfaction of the stakeholder, from 0 to 1.
    pub(super) fn satisfaction(&self, problem: &MarketProblem, assignment: &[Option<usize>]) -> f64 {
        let scaled = |(aim, bounds): &(Objective, ReferenceBounds)| {
            let seen = assignment.iter().enumerate().filter_map(|(job, offer)| {
                let offer = offer.filter(|&offer| self.sees[offer])?;
                value(aim, problem, job, offer)
            });
            (aim.weight, bounds.scale(aim.direction, aim.take.of(seen)))
        };
        // A flat objective can't be changed by any assignment, so that it does not count.
        let parts: Vec<(f64, f64)> = self.aims.iter().filter(|(_, bounds)| !bounds.is_flat()).map(scaled).collect();
        UserForm::Distance.value(&parts).clamp(0.0, 1.0)
    }
}

/// The value of a job on an offer for an objective; nothing where it may not be.
fn value(aim: &Objective, problem: &MarketProblem, job: usize, offer: usize) -> Option<f64> {
    let values = problem.values(job, offer)?;
    aim.of.map_or(Some(1.0), |criterion| values.get(criterion).copied())
}

/// The lowest and highest value that an objective could have if every job were free to choose.
fn reach(aim: &Objective, sees: &[bool], problem: &MarketProblem) -> ReferenceBounds {
    let jobs: Vec<ReferenceBounds> = (0..problem.jobs())
        .filter_map(|job| {
            let seen = problem.options(job).iter().filter(|&&offer| sees[offer]);
            let own = ReferenceBounds::around(seen.filter_map(|&offer| value(aim, problem, job, offer)))?;
            // A job that may go elsewhere may add nothing.
            let elsewhere = problem.options(job).iter().any(|&offer| !sees[offer]);
            Some(if elsewhere { ReferenceBounds { low: own.low.min(0.0), high: own.high.max(0.0) } } else { own })
        })
        .collect();
    ReferenceBounds {
        low: aim.take.of(jobs.iter().map(|bounds| bounds.low)),
        high: aim.take.of(jobs.iter().map(|bounds| bounds.high)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Market, SatisfactionRules, TotalForm, User, Wish, exact};
    use super::*;
    use crate::workload::market::{Criterion, CriterionMeasure, MarketJob};

    /// Two users who both prefer the fast offer, and two providers; prices differ.
    fn market(others: Vec<Stakeholder>) -> Market {
        let criterion =
            |name: &str, direction| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute };
        let user = |name: &str| User {
            name: name.into(),
            weight: 1.0,
            wishes: vec![Wish::of(1.0), Wish::of(0.0)],
            satisfaction: None,
        };
        let offer = |name: &str, speed, price| Offer::of_attributes(name, Some(2), vec![Some(speed), Some(price)]);
        Market {
            criteria: vec![criterion("speed", Direction::Gain), criterion("price", Direction::Cost)],
            users: ["A", "B"].map(user).to_vec(),
            jobs: [0, 1]
                .map(|user| MarketJob { name: format!("job {user}"), user, units: 1, limits: Vec::new() })
                .to_vec(),
            offers: vec![offer("fast", 3.0, 10.0), offer("medium", 2.0, 7.0), offer("slow", 1.0, 1.0)],
            others,
        }
    }

    fn decided(others: Vec<Stakeholder>) -> (Vec<Option<usize>>, Vec<f64>) {
        let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
        let problem = MarketProblem::new(&market(others), rules).unwrap();
        let best = exact(&problem, 100_000).unwrap();
        let others = problem.evaluate(&best).others;
        (best, others)
    }

    fn aim(of: Option<usize>, take: Take, direction: Direction) -> Objective {
        Objective { of, take, direction, weight: 1.0, bounds: None }
    }

    #[test]
    fn a_provider_with_a_say_gets_a_job() {
        assert_eq!(decided(Vec::new()).0, [Some(0), Some(0)]);
        let aims = vec![aim(None, Take::Total, Direction::Gain)];
        let provider = Stakeholder { name: "m".into(), weight: 1.0, provider: Some("medium".into()), aims };
        let (best, others) = decided(vec![provider]);
        assert_eq!(best, [Some(1), Some(1)], "half way for both users, everything for the provider");
        assert_eq!(others, [1.0]);
    }

    #[test]
    fn an_administrator_looks_at_all_jobs() {
        let cheap = |take| Stakeholder {
            name: "vo".into(),
            weight: 5.0,
            provider: None,
            aims: vec![aim(Some(1), take, Direction::Cost)],
        };
        assert_eq!(decided(vec![cheap(Take::Total)]).0, [Some(2), Some(2)]);
        let (best, others) = decided(vec![cheap(Take::Highest)]);
        assert!(!best.contains(&Some(0)) && others[0] > 0.3, "{best:?} {others:?}");
    }

    #[test]
    fn mistakes_of_stakeholders_are_refused() {
        let stakeholder = |provider: Option<&str>, weight, bounds| Stakeholder {
            name: "vo".into(),
            weight: 1.0,
            provider: provider.map(Into::into),
            aims: vec![Objective { weight, bounds, ..aim(None, Take::Total, Direction::Gain) }],
        };
        let refused = |other: Stakeholder| {
            let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
            MarketProblem::new(&market(vec![other]), rules).unwrap_err()
        };
        let who = || "vo".to_string();
        assert_eq!(refused(stakeholder(Some("none"), 1.0, None)), Refusal::NoOffers { stakeholder: who() });
        assert_eq!(refused(stakeholder(None, 0.0, None)), Refusal::NoWeight { who: who() });
        let flat = Some(ReferenceBounds { low: 2.0, high: 2.0 });
        assert_eq!(refused(stakeholder(None, 1.0, flat)), Refusal::BadBounds { who: who() });
    }
}
