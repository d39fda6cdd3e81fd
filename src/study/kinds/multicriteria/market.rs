//! From the scenario's lists to the market that brokers see.

use super::{BoundsSpec, ListedMarket, ReferenceSpec, StakeholderSpec, UserSpec};
use crate::broker::multicriteria::{
    Market, MarketProblem, Objective, ReferenceBounds, SatisfactionRules, Stakeholder, User, Wish,
};
use crate::study::RunError;

/// The market that the scenario lists.
pub(super) fn market(spec: &ListedMarket, rules: SatisfactionRules) -> Result<Market, RunError> {
    let mut market = Market {
        criteria: spec.criteria(),
        users: spec.users.iter().map(|one| user(spec, one)).collect(),
        jobs: spec.jobs(),
        offers: spec.offers(),
        others: spec.stakeholders.iter().map(|one| stakeholder(spec, one)).collect(),
    };
    if spec.reference == ReferenceSpec::Solutions {
        let problem = MarketProblem::new(&market, rules)?;
        let values: Vec<Vec<f64>> =
            spec.solutions.iter().map(|solution| problem.evaluate(&spec.places(solution)).values).collect();
        for (index, user) in market.users.iter_mut().enumerate() {
            let range = ReferenceBounds::around(values.iter().map(|values| values[index]));
            user.satisfaction = user.satisfaction.or(range.filter(|range| !range.is_flat()));
        }
    }
    Ok(market)
}

fn bounds(spec: BoundsSpec) -> ReferenceBounds {
    ReferenceBounds { low: spec.low.get(), high: spec.high.get() }
}

fn user(spec: &ListedMarket, user: &UserSpec) -> User {
    let mut wishes = vec![Wish::of(0.0); spec.criteria.len()];
    for wish in user.wishes.iter() {
        wishes[spec.criterion(&wish.criterion)] = Wish { weight: wish.weight.get(), bounds: wish.bounds.map(bounds) };
    }
    let satisfaction = user.satisfaction.map(bounds);
    User { name: user.name.as_str().into(), weight: user.weight.get(), wishes, satisfaction }
}

fn stakeholder(spec: &ListedMarket, stakeholder: &StakeholderSpec) -> Stakeholder {
    let aims = stakeholder.aims.iter().map(|aim| Objective {
        of: aim.of.as_ref().map(|of| spec.criterion(of)),
        take: aim.take,
        direction: aim.direction,
        weight: aim.weight.get(),
        bounds: aim.bounds.map(bounds),
    });
    Stakeholder {
        name: stakeholder.name.as_str().into(),
        weight: stakeholder.weight.get(),
        provider: stakeholder.provider.clone(),
        aims: aims.collect(),
    }
}
