//! Stakeholders besides users: providers and the administrator of the virtual organisation.
//!
//! A user's wishes concern one job at a time; theirs concern all jobs together, or all on a provider's own offers.

use super::problem::{Problem, Refusal};
use super::{Bounds, UserForm};
use crate::model::market::{Direction, Offer};

/// Somebody with criteria of their own for the assignment as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Stakeholder {
    /// Who it is.
    pub name: String,
    /// How much the satisfaction counts beside that of the users.
    pub weight: f64,
    /// The provider that it is, who sees the jobs on its own offers; nothing for the administrator, who sees all jobs.
    pub provider: Option<String>,
    /// What is aimed at.
    pub aims: Vec<Aim>,
}

/// A criterion of an assignment as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Aim {
    /// The criterion of offers that it looks at; nothing for the number of jobs.
    pub of: Option<usize>,
    /// What becomes of the jobs' values.
    pub take: Take,
    /// Which way is better.
    pub direction: Direction,
    /// How much it counts among the aims.
    pub weight: f64,
    /// The reference bounds, if the stakeholder gives them.
    pub bounds: Option<Bounds>,
}

/// How the values of jobs become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Take {
    /// Their sum: income from cost, mean start from start.
    Total,
    /// The highest: makespan from completion. It is 0 without jobs.
    Highest,
}

impl Take {
    fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        match self {
            Self::Total => values.sum(),
            Self::Highest => values.reduce(f64::max).unwrap_or(0.0),
        }
    }
}

/// A stakeholder with the bounds of all aims known.
#[derive(Debug, Clone)]
pub(super) struct Outlook {
    /// Which offers are seen.
    sees: Vec<bool>,
    aims: Vec<(Aim, Bounds)>,
}

impl Outlook {
    /// What `stakeholder` sees in a problem, by its offers. Bounds that are not given are those that no assignment can leave.
    pub fn new(stakeholder: &Stakeholder, offers: &[Offer], problem: &Problem) -> Result<Self, Refusal> {
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

    /// How satisfied the stakeholder is, from 0 to 1.
    pub fn satisfaction(&self, problem: &Problem, assignment: &[Option<usize>]) -> f64 {
        let scaled = |(aim, bounds): &(Aim, Bounds)| {
            let seen = assignment.iter().enumerate().filter_map(|(job, offer)| {
                let offer = offer.filter(|&offer| self.sees[offer])?;
                value(aim, problem, job, offer)
            });
            (aim.weight, bounds.scale(aim.direction, aim.take.of(seen)))
        };
        // A flat aim can't be changed by any assignment, so that it does not count.
        let parts: Vec<(f64, f64)> = self.aims.iter().filter(|(_, bounds)| !bounds.is_flat()).map(scaled).collect();
        UserForm::Distance.value(&parts).clamp(0.0, 1.0)
    }
}

/// What a job on an offer adds to an aim; nothing where it may not be.
fn value(aim: &Aim, problem: &Problem, job: usize, offer: usize) -> Option<f64> {
    let values = problem.values(job, offer)?;
    aim.of.map_or(Some(1.0), |criterion| values.get(criterion).copied())
}

/// The lowest and highest value that an aim could have if every job were free to choose.
fn reach(aim: &Aim, sees: &[bool], problem: &Problem) -> Bounds {
    let jobs: Vec<Bounds> = (0..problem.jobs())
        .filter_map(|job| {
            let seen = problem.options(job).iter().filter(|&&offer| sees[offer]);
            let own = Bounds::around(seen.filter_map(|&offer| value(aim, problem, job, offer)))?;
            // A job that may go elsewhere may add nothing.
            let elsewhere = problem.options(job).iter().any(|&offer| !sees[offer]);
            Some(if elsewhere { Bounds { low: own.low.min(0.0), high: own.high.max(0.0) } } else { own })
        })
        .collect();
    Bounds {
        low: aim.take.of(jobs.iter().map(|bounds| bounds.low)),
        high: aim.take.of(jobs.iter().map(|bounds| bounds.high)),
    }
}
