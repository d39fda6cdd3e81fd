//! From the scenario's lists to the market that brokers see, and what is wrong with it.

use super::offers::{BidSpec, CriterionNames, CriterionSpec, LimitSpec, OfferNames, OfferSpec, SlotTimeSpec};
use super::record::UserNames;
use super::{BoundsSpec, BrokeredJobSpec, ListedMarket, ReferenceSpec, SolutionSpec, StakeholderSpec, UserSpec};
use crate::broker::multicriteria::{
    Market, MarketProblem, Objective, ReferenceBounds, SatisfactionRules, Stakeholder, User, Wish,
};
use crate::language::{Context, Count, Cursor, Finite, NonNegative, Ref};
use crate::study::RunError;
use crate::units::counted;
use crate::workload::market::{Bid, History, MarketJob, Offer, OfferLimit, TimeSlot};

impl ListedMarket {
    /// The market as it is listed.
    pub(super) fn market(&self) -> Market {
        Market {
            criteria: self.criteria.iter().map(CriterionSpec::criterion).collect(),
            users: self.users.iter().map(|one| user(self, one)).collect(),
            jobs: self.jobs.iter().map(|one| job(self, one)).collect(),
            offers: self.offers.iter().map(|one| offer(self, one)).collect(),
            others: self.stakeholders.iter().map(|one| stakeholder(self, one)).collect(),
        }
    }

    /// The same with satisfaction scaled as the scenario says.
    pub(super) fn scaled_market(&self, rules: SatisfactionRules) -> Result<Market, RunError> {
        let mut market = self.market();
        if self.reference == ReferenceSpec::Solutions {
            let problem = MarketProblem::new(&market, rules)?;
            let values: Vec<Vec<f64>> =
                self.solutions.iter().map(|solution| problem.evaluate(&self.places(solution)).values).collect();
            for (index, user) in market.users.iter_mut().enumerate() {
                let range = ReferenceBounds::around(values.iter().map(|values| values[index]));
                user.satisfaction = user.satisfaction.or(range.filter(|range| !range.is_flat()));
            }
        }
        Ok(market)
    }

    /// The index of a criterion.
    pub(super) fn criterion(&self, name: &Ref<CriterionNames>) -> usize {
        self.criteria.iter().position(|spec| spec.name.as_str() == name.as_str()).unwrap_or(0)
    }

    /// The index of a user.
    pub(super) fn user(&self, name: &Ref<UserNames>) -> usize {
        self.users.iter().position(|user| user.name.as_str() == name.as_str()).unwrap_or(0)
    }

    /// The offers of a listed solution, by job.
    pub(super) fn places(&self, solution: &SolutionSpec) -> Vec<Option<usize>> {
        let place = |name: &Ref<OfferNames>| self.offers.iter().position(|offer| offer.name.as_str() == name.as_str());
        solution.offers.iter().map(place).collect()
    }
}

fn job(spec: &ListedMarket, job: &BrokeredJobSpec) -> MarketJob {
    let number = |bound: Option<Finite>| bound.map(Finite::get);
    let limit = |limit: &LimitSpec| OfferLimit {
        criterion: spec.criterion(&limit.criterion),
        low: number(limit.low),
        high: number(limit.high),
    };
    MarketJob {
        name: job.name.as_str().into(),
        user: spec.user(&job.user),
        units: job.units.get(),
        limits: job.limits.iter().map(limit).collect(),
    }
}

fn offer(spec: &ListedMarket, offer: &OfferSpec) -> Offer {
    let history = |runs: &[NonNegative]| History::new(runs.iter().map(|run| run.get()).collect());
    let attribute = |criterion: &CriterionSpec| {
        let own = offer.attributes.iter().find(|one| one.criterion.as_str() == criterion.name.as_str());
        own.map(|one| one.value.get())
    };
    let bid = |bid: &BidSpec| {
        let job = spec.jobs.iter().position(|job| job.name.as_str() == bid.job.as_str())?;
        Some((job, Bid { cost: bid.cost.get(), runs: history(&bid.runs) }))
    };
    let slot = |slot: &SlotTimeSpec| TimeSlot {
        start: slot.start.as_f64(),
        end: slot.end.as_f64(),
        early: history(&slot.early),
    };
    Offer {
        name: offer.name.as_str().into(),
        provider: offer.provider.clone().unwrap_or_else(|| offer.name.as_str().into()),
        units: offer.units.map(Count::get),
        slot: offer.slot.as_ref().map(slot),
        attributes: spec.criteria.iter().map(attribute).collect(),
        bids: offer.bids.iter().filter_map(bid).collect(),
    }
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

/// Reports offers without a value for some criterion.
pub(super) fn report_attributes(this: &ListedMarket, at: &Cursor<'_>, errors: &mut Context<'_>) {
    for (index, offer) in this.offers.iter().enumerate() {
        let place = at.field("offers").element(index);
        for criterion in this.criteria.iter() {
            if criterion.of.needs_time() {
                if offer.slot.is_none() {
                    let wrong = format!("the criterion `{}` needs a time slot", criterion.name);
                    errors.add(&place, wrong, "give `slot` and `bids`");
                    break;
                }
            } else if !offer.attributes.iter().any(|one| one.criterion.as_str() == criterion.name.as_str()) {
                errors.add(&place, format!("the attribute `{}` is missing", criterion.name), "give it in `attributes`");
            }
        }
    }
}

/// Reports jobs that no offer can take.
pub(super) fn report_hopeless(market: &Market, at: &Cursor<'_>, errors: &mut Context<'_>) {
    for (index, job) in market.jobs.iter().enumerate() {
        if !market.offers.iter().any(|offer| offer.values(&market.criteria, index, job).is_some()) {
            let wrong = format!("no offer meets the hard constraints of `{}`", job.name);
            let right = "loosen its limits, or give an offer with enough units and time that keeps them";
            errors.add(&at.field("jobs").element(index), wrong, right);
        }
    }
}

/// Reports listed solutions that break a hard constraint.
pub(super) fn report_solutions(this: &ListedMarket, market: &Market, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let Market { criteria, jobs, offers, .. } = market;
    for (index, solution) in this.solutions.iter().enumerate() {
        let place = at.field("solutions").element(index).field("offers");
        let places = this.places(solution);
        if places.len() != jobs.len() {
            let count = |length: usize, noun| counted(length as u64, noun);
            let wrong = format!("{} for {}", count(places.len(), "offer"), count(jobs.len(), "job"));
            errors.add(&place, wrong, "give one offer for each job");
            continue;
        }
        let mut used = vec![0; offers.len()];
        for (number, (job, offer)) in jobs.iter().zip(places).enumerate() {
            // A name that no offer has is reported elsewhere.
            let Some(offer) = offer else { continue };
            used[offer] += job.units;
            if offers[offer].values(criteria, number, job).is_none() {
                let wrong = format!("`{}` does not meet the hard constraints of `{}`", offers[offer].name, job.name);
                errors.add(&place.element(number), wrong, "give another offer");
            }
        }
        for (offer, used) in offers.iter().zip(used) {
            if let Some(units) = offer.units.filter(|&units| used > units) {
                let wrong = format!("{used} units of `{}` are taken, but it has {units}", offer.name);
                errors.add(&place, wrong, "give some job another offer");
            }
        }
    }
}

/// Reports stakeholders that stand for a provider without offers.
pub(super) fn report_providers(this: &ListedMarket, market: &Market, at: &Cursor<'_>, errors: &mut Context<'_>) {
    let providers: Vec<&str> = market.offers.iter().map(|offer| offer.provider.as_str()).collect();
    for (index, stakeholder) in this.stakeholders.iter().enumerate() {
        if let Some(provider) = stakeholder.provider.as_ref().filter(|provider| !providers.contains(&provider.as_str()))
        {
            let place = at.field("stakeholders").element(index).field("provider");
            let right = format!("the providers are {}", providers.join(", "));
            errors.add(&place, format!("there is no offer of a provider `{provider}`"), right);
        }
    }
}
