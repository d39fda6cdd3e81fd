//! From a market to the input of a search: the offers that each job may take, and the satisfaction of its user.

use super::partial::PartialAssignment;
use super::stakeholder::{Outlook, Stakeholder};
use super::{ReferenceBounds, TotalForm, UserForm};
use crate::engine::Stop;
use crate::workload::market::{Criterion, Direction, MarketJob, Offer};

/// For each job the index of its offer, or none.
pub type Assignment = Vec<Option<usize>>;

/// Jobs and offers, and everybody's wishes.
#[derive(Debug, Clone, PartialEq)]
pub struct Market {
    /// By what offers are compared.
    pub criteria: Vec<Criterion>,
    /// Whose jobs they are.
    pub users: Vec<User>,
    /// The jobs to be placed.
    pub jobs: Vec<MarketJob>,
    /// The offers of all providers.
    pub offers: Vec<Offer>,
    /// Stakeholders besides the users.
    pub others: Vec<Stakeholder>,
}

/// Somebody with jobs.
#[derive(Debug, Clone, PartialEq)]
pub struct User {
    /// The user's name.
    pub name: String,
    /// The weight of the user's satisfaction beside that of others.
    pub weight: f64,
    /// One for each criterion.
    pub wishes: Vec<Wish>,
    /// Between which values of all criteria together the user goes from not satisfied at all to fully satisfied; from
    /// the worst to the best offer, unless given.
    pub satisfaction: Option<ReferenceBounds>,
}

/// A user's view of a criterion.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wish {
    /// Its weight among the criteria; 0 if it does not matter.
    pub weight: f64,
    /// The reference bounds; the lowest and highest value among the offers, unless given.
    pub bounds: Option<ReferenceBounds>,
}

impl Wish {
    /// A weight with the bounds of the offers.
    pub fn of(weight: f64) -> Self {
        Self { weight, bounds: None }
    }
}

/// The forms by which wishes become numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SatisfactionRules {
    /// For one user.
    pub user: UserForm,
    /// For all stakeholders.
    pub total: TotalForm,
}

/// Why a market is not a problem that can be solved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A weight is negative or not a number.
    #[error("{who}: weights must be numbers of at least 0")]
    BadWeight {
        /// Whose weight it is.
        who: String,
    },
    /// Nothing matters to somebody.
    #[error("{who}: all weights are 0; at least one must be above 0")]
    NoWeight {
        /// Whose weights they are.
        who: String,
    },
    /// There are more or fewer wishes than criteria.
    #[error("{who}: one wish for each criterion is needed")]
    Wishes {
        /// Whose wishes they are.
        who: String,
    },
    /// Given bounds that leave no room.
    #[error("{who}: the low bound must be below the high one")]
    BadBounds {
        /// Whose bounds they are.
        who: String,
    },
    /// A job of a user that does not exist.
    #[error("{job}: there is no such user")]
    NoUser {
        /// The job.
        job: String,
    },
    /// A provider without any offer.
    #[error("{stakeholder}: it has no offer here")]
    NoOffers {
        /// The stakeholder without offers.
        stakeholder: String,
    },
    /// A value of a criterion that can't be compared.
    #[error("{offer}: every value must be a finite number")]
    BadValue {
        /// The offer with that value.
        offer: String,
    },
}

/// The quality of an assignment: more jobs are better, and then a higher total.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Score {
    /// Jobs with an offer.
    pub placed: usize,
    /// The total satisfaction.
    pub total: f64,
}

/// Everything about an assignment.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// By user the value of the criteria as the rules make it, the mean over the user's jobs; 0 for a job without an
    /// offer.
    pub values: Vec<f64>,
    /// By user the satisfaction: that value between its bounds, from 0 to 1. Users without jobs are satisfied.
    pub users: Vec<f64>,
    /// The satisfaction of other stakeholders.
    pub others: Vec<f64>,
    /// The score.
    pub score: Score,
}

/// A job on an offer that it may take.
#[derive(Debug, Clone)]
struct Cell {
    values: Vec<f64>,
    value: f64,
    satisfaction: f64,
}

/// A market under rules, with everything computed that a search needs.
#[derive(Debug, Clone)]
pub struct MarketProblem {
    cells: Vec<Vec<Option<Cell>>>,
    /// By job the offers it may take, the most satisfying first.
    options: Vec<Vec<usize>>,
    demands: Vec<u64>,
    units: Vec<Option<u64>>,
    owners: Vec<usize>,
    /// By user: the jobs.
    jobs_of: Vec<Vec<usize>>,
    /// Of users, then of other stakeholders, with mean 1; 0 for users without jobs.
    weights: Vec<f64>,
    others: Vec<Outlook>,
    indifferent: Vec<(usize, usize)>,
    total: TotalForm,
    stop: Stop,
}

impl MarketProblem {
    /// The same, but searches give up once `stop` is set; what they find then does not count.
    pub fn until(self, stop: &Stop) -> Self {
        Self { stop: stop.clone(), ..self }
    }

    /// True if searches should give up.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// The problem of `market` under `rules`. A job that may take no offer stays without one: see
    /// [`options`](Self::options).
    pub fn new(market: &Market, rules: SatisfactionRules) -> Result<Self, Refusal> {
        let Market { criteria, users, jobs, offers, others } = market;
        for user in users {
            check_user(user, criteria.len())?;
        }
        let mut jobs_of = vec![Vec::new(); users.len()];
        for (index, job) in jobs.iter().enumerate() {
            jobs_of.get_mut(job.user).ok_or_else(|| Refusal::NoUser { job: job.name.clone() })?.push(index);
        }
        let mut problem = Self {
            cells: Vec::with_capacity(jobs.len()),
            options: Vec::with_capacity(jobs.len()),
            demands: jobs.iter().map(|job| job.units).collect(),
            units: offers.iter().map(|offer| offer.units).collect(),
            owners: jobs.iter().map(|job| job.user).collect(),
            weights: weights(users, &jobs_of, others)?,
            jobs_of,
            others: Vec::new(),
            indifferent: Vec::new(),
            stop: Stop::never(),
            total: rules.total,
        };
        for (index, job) in jobs.iter().enumerate() {
            problem.add_job(index, &users[job.user], market, rules.user)?;
        }
        for stakeholder in others {
            let outlook = Outlook::new(stakeholder, offers, &problem)?;
            problem.others.push(outlook);
        }
        Ok(problem)
    }

    fn add_job(&mut self, index: usize, user: &User, market: &Market, form: UserForm) -> Result<(), Refusal> {
        let (criteria, offers) = (&market.criteria, &market.offers);
        let values: Vec<_> = offers.iter().map(|offer| offer.values(criteria, index, &market.jobs[index])).collect();
        for (offer, values) in offers.iter().zip(&values) {
            if values.iter().flatten().any(|value| !value.is_finite()) {
                return Err(Refusal::BadValue { offer: offer.name.clone() });
            }
        }
        // A criterion in which all offers are alike has no scale: it is left out of the user's value.
        let mut scales = Vec::new();
        for (at, wish) in user.wishes.iter().enumerate().filter(|(_, wish)| wish.weight > 0.0) {
            let offered = || ReferenceBounds::around(values.iter().flatten().map(|values| values[at]));
            match wish.bounds.or_else(offered).filter(|bounds| !bounds.is_flat()) {
                Some(bounds) => scales.push((at, wish.weight, bounds)),
                None => self.indifferent.push((index, at)),
            }
        }
        let value = |values: &[f64]| {
            let scale = |&(at, weight, bounds): &(usize, f64, ReferenceBounds)| {
                (weight, bounds.scale(criteria[at].direction, values[at]))
            };
            form.value(&scales.iter().map(scale).collect::<Vec<_>>())
        };
        let worth: Vec<Option<f64>> = values.iter().map(|values| values.as_deref().map(value)).collect();
        let range = user.satisfaction.or_else(|| ReferenceBounds::around(worth.iter().flatten().copied()));
        let cell = |(values, value): (Option<Vec<f64>>, Option<f64>)| {
            let (values, value) = (values?, value?);
            Some(Cell { values, value, satisfaction: range?.scale(Direction::Gain, value) })
        };
        let cells: Vec<Option<Cell>> = values.into_iter().zip(worth).map(cell).collect();
        let satisfaction = |offer: usize| cells[offer].as_ref().map_or(0.0, |cell| cell.satisfaction);
        let mut options: Vec<usize> = (0..cells.len()).filter(|&offer| cells[offer].is_some()).collect();
        options.sort_by(|&one, &other| satisfaction(other).total_cmp(&satisfaction(one)));
        self.options.push(options);
        self.cells.push(cells);
        Ok(())
    }

    /// The number of jobs.
    pub fn jobs(&self) -> usize {
        self.cells.len()
    }

    /// The number of units that a job takes.
    pub fn demand(&self, job: usize) -> u64 {
        self.demands[job]
    }

    /// The units of each offer; without a number there are always enough.
    pub fn units(&self) -> &[Option<u64>] {
        &self.units
    }

    /// The offers that a job may take, the most satisfying first; none if no provider meets its hard constraints.
    pub fn options(&self, job: usize) -> &[usize] {
        &self.options[job]
    }

    /// The values of all criteria for a job on an offer; nothing where it may not be.
    pub fn values(&self, job: usize, offer: usize) -> Option<&[f64]> {
        self.cells[job].get(offer)?.as_ref().map(|cell| cell.values.as_slice())
    }

    /// The satisfaction of a job's user with an offer, from 0 to 1.
    pub fn satisfaction(&self, job: usize, offer: usize) -> f64 {
        self.cells[job].get(offer).and_then(Option::as_ref).map_or(0.0, |cell| cell.satisfaction)
    }

    /// Jobs and criteria that matter to them, but in which all their offers are alike: they make no difference.
    pub fn indifferent(&self) -> &[(usize, usize)] {
        &self.indifferent
    }

    /// Everything about an assignment, which must be of as many jobs.
    pub fn evaluate(&self, assignment: &[Option<usize>]) -> Evaluation {
        let state = PartialAssignment::of(self, assignment);
        let value = |job: &usize| {
            assignment[*job].and_then(|offer| self.cells[*job][offer].as_ref()).map_or(0.0, |cell| cell.value)
        };
        let mean = |jobs: &Vec<usize>| jobs.iter().map(value).sum::<f64>() / jobs.len().max(1) as f64;
        Evaluation {
            values: self.jobs_of.iter().map(mean).collect(),
            users: state.users().to_vec(),
            others: self.others.iter().map(|other| other.satisfaction(self, assignment)).collect(),
            score: state.score(),
        }
    }

    /// The user of a job.
    pub(super) fn owner(&self, job: usize) -> usize {
        self.owners[job]
    }

    /// The jobs of each user.
    pub(super) fn jobs_of(&self) -> &[Vec<usize>] {
        &self.jobs_of
    }

    /// The total of users' satisfactions and those of other stakeholders.
    pub(super) fn total(&self, users: &[f64], others: impl Iterator<Item = f64>) -> f64 {
        let all = self.weights.iter().copied().zip(users.iter().copied().chain(others));
        self.total.total(all.filter(|(weight, _)| *weight > 0.0))
    }

    /// The weight of a user.
    pub(super) fn weight(&self, user: usize) -> f64 {
        self.weights[user]
    }

    /// The number of stakeholders that count.
    pub(super) fn counted(&self) -> usize {
        self.weights.iter().filter(|&&weight| weight > 0.0).count()
    }

    /// The form of the total.
    pub(super) fn form(&self) -> TotalForm {
        self.total
    }

    /// True if there are stakeholders besides the users.
    pub(super) fn has_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// The satisfaction of other stakeholders with an assignment.
    pub(super) fn others<'a>(&'a self, assignment: &'a [Option<usize>]) -> impl Iterator<Item = f64> + 'a {
        self.others.iter().map(|other| other.satisfaction(self, assignment))
    }

    /// The most that other stakeholders could be satisfied.
    pub(super) fn others_at_best(&self) -> impl Iterator<Item = f64> {
        self.others.iter().map(|_| 1.0)
    }
}

fn check_user(user: &User, criteria: usize) -> Result<(), Refusal> {
    let who = || user.name.clone();
    if user.wishes.len() != criteria {
        return Err(Refusal::Wishes { who: who() });
    }
    check_weights(&user.name, user.wishes.iter().map(|wish| wish.weight))?;
    for bounds in user.wishes.iter().filter_map(|wish| wish.bounds).chain(user.satisfaction) {
        check_bounds(&user.name, bounds)?;
    }
    Ok(())
}

/// The bounds, if something can be told apart between them.
pub(super) fn check_bounds(who: &str, bounds: ReferenceBounds) -> Result<ReferenceBounds, Refusal> {
    let right = bounds.low.is_finite() && bounds.high.is_finite() && !bounds.is_flat();
    if right { Ok(bounds) } else { Err(Refusal::BadBounds { who: who.into() }) }
}

/// Refuses weights below 0, and weights of which none is above 0.
pub(super) fn check_weights(who: &str, weights: impl Iterator<Item = f64>) -> Result<(), Refusal> {
    let mut any = false;
    for weight in weights {
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Refusal::BadWeight { who: who.into() });
        }
        any |= weight > 0.0;
    }
    if any { Ok(()) } else { Err(Refusal::NoWeight { who: who.into() }) }
}

/// The weights of all stakeholders with something at stake, scaled to a mean of 1.
fn weights(users: &[User], jobs_of: &[Vec<usize>], others: &[Stakeholder]) -> Result<Vec<f64>, Refusal> {
    let users = users.iter().zip(jobs_of).map(|(user, jobs)| if jobs.is_empty() { 0.0 } else { user.weight });
    let weights: Vec<f64> = users.chain(others.iter().map(|other| other.weight)).collect();
    if jobs_of.iter().any(|jobs| !jobs.is_empty()) {
        check_weights("stakeholders", weights.iter().copied())?;
    }
    let counted = weights.iter().filter(|&&weight| weight > 0.0).count() as f64;
    let sum: f64 = weights.iter().sum();
    Ok(weights.iter().map(|weight| if sum > 0.0 { weight * counted / sum } else { 0.0 }).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::market::CriterionMeasure;

    /// One user with two jobs and two wishes, two providers; the second job needs 5 of the second attribute.
    fn market(weights: [f64; 2], attributes: [[f64; 2]; 2]) -> Market {
        let criterion =
            |name: &str, direction| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute };
        let limit = crate::workload::market::OfferLimit { criterion: 1, low: Some(5.0), high: None };
        let job = |name: &str, limits| MarketJob { name: name.into(), user: 0, units: 1, limits };
        let offer = |(index, values): (usize, [f64; 2])| {
            Offer::of_attributes(format!("rp{index}"), None, values.map(Some).to_vec())
        };
        Market {
            criteria: vec![criterion("wait", Direction::Cost), criterion("memory", Direction::Gain)],
            users: vec![User {
                name: "A".into(),
                weight: 1.0,
                wishes: weights.map(Wish::of).to_vec(),
                satisfaction: None,
            }],
            jobs: vec![job("small", Vec::new()), job("large", vec![limit])],
            offers: attributes.into_iter().enumerate().map(offer).collect(),
            others: Vec::new(),
        }
    }

    const RULES: SatisfactionRules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };

    #[test]
    fn hard_constraints_leave_the_offers_that_meet_them() {
        let problem = MarketProblem::new(&market([1.0, 1.0], [[0.0, 2.0], [9.0, 5.0]]), RULES).unwrap();
        assert_eq!((problem.options(0).len(), problem.options(1)), (2, &[1][..]));
        let none = MarketProblem::new(&market([1.0, 1.0], [[0.0, 2.0], [9.0, 4.0]]), RULES).unwrap();
        assert!(none.options(1).is_empty(), "no provider is feasible");
        let left_out = none.evaluate(&[Some(0), None]);
        assert_eq!((left_out.score.placed, left_out.users[0]), (1, 0.5), "one of the user's two jobs is satisfied");
    }

    #[test]
    fn a_criterion_in_which_all_offers_are_alike_makes_no_difference() {
        let problem = MarketProblem::new(&market([9.0, 1.0], [[7.0, 5.0], [7.0, 8.0]]), RULES).unwrap();
        assert_eq!(problem.indifferent(), [(0, 0), (1, 0)]);
        assert_eq!((problem.satisfaction(0, 0), problem.satisfaction(0, 1)), (0.0, 1.0), "the other one decides");
        let alike = MarketProblem::new(&market([9.0, 1.0], [[7.0, 5.0], [7.0, 5.0]]), RULES).unwrap();
        assert_eq!((alike.satisfaction(0, 0), alike.satisfaction(0, 1)), (1.0, 1.0));
    }

    #[test]
    fn given_bounds_replace_those_of_the_offers() {
        let mut market = market([1.0, 0.0], [[10.0, 5.0], [20.0, 5.0]]);
        market.users[0].wishes[0].bounds = Some(ReferenceBounds { low: 0.0, high: 40.0 });
        let values =
            |market: &Market| MarketProblem::new(market, RULES).unwrap().evaluate(&[Some(0), Some(1)]).values[0];
        assert!(
            (values(&market) - (1.0 - 1.01 * 0.375)).abs() < 1e-12,
            "a quarter and a half of the way: three eighths"
        );
        market.users[0].satisfaction = Some(ReferenceBounds { low: 0.0, high: 1.0 });
        let satisfaction = MarketProblem::new(&market, RULES).unwrap().satisfaction(0, 0);
        assert!((satisfaction - (1.0 - 1.01 * 0.25)).abs() < 1e-12);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let good = market([1.0, 1.0], [[0.0, 5.0], [9.0, 6.0]]);
        let refused = |spoil: &dyn Fn(&mut Market)| {
            let mut market = good.clone();
            spoil(&mut market);
            MarketProblem::new(&market, RULES).err().map(|refusal| refusal.to_string()).unwrap_or_default()
        };
        assert_eq!(refused(&|_| ()), "");
        let weight = |weights: [f64; 2]| refused(&|market| market.users[0].wishes = weights.map(Wish::of).to_vec());
        assert_eq!(weight([0.0, 0.0]), "A: all weights are 0; at least one must be above 0");
        assert_eq!(weight([-1.0, 2.0]), "A: weights must be numbers of at least 0");
        assert_eq!(weight([f64::NAN, 2.0]), "A: weights must be numbers of at least 0");
        let all = "stakeholders: all weights are 0; at least one must be above 0";
        assert_eq!(refused(&|market| market.users[0].weight = 0.0), all);
        assert_eq!(refused(&|market| market.users[0].wishes.truncate(1)), "A: one wish for each criterion is needed");
        assert_eq!(refused(&|market| market.jobs[0].user = 7), "small: there is no such user");
        let flat = Some(ReferenceBounds { low: 1.0, high: 1.0 });
        let bounds = "A: the low bound must be below the high one";
        assert_eq!(refused(&|market| market.users[0].satisfaction = flat), bounds);
        let value = "rp1: every value must be a finite number";
        assert_eq!(refused(&|market| market.offers[1].attributes[0] = Some(f64::INFINITY)), value);
    }
}
