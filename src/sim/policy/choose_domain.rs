//! Policies that choose a domain for each job and leave its start to the batch system there.

use super::systems::{Forecast, SystemView};
use super::{Acts, Decision, PlacesBy, Policy, PolicyError, PolicySpec, Setup, View};
use crate::broker::multicriteria::{
    Market, MarketProblem, SatisfactionRules, TotalForm, User, UserForm, Wish, improve,
};
use crate::model::{Node, Request};
use crate::record;
use crate::rng::{Stream, below};
use crate::units::{Price, Time};
use crate::workload::market::{Criterion, CriterionMeasure, Direction, MarketJob, Offer};

/// Declares the policies that choose by a rule of their own.
macro_rules! choosing {
    ($($(#[doc = $doc:literal])* $policy:ident: $name:literal, $rule:expr;)*) => {$(
        record! {
            $(#[doc = $doc])*
            #[derive(Copy)]
            pub struct $policy;
        }

        impl PolicySpec for $policy {
            fn name(&self) -> String {
                $name.into()
            }

            fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
                Box::new(DomainChoice { rule: $rule(setup) })
            }

            fn acts(&self) -> Acts {
                Acts::Submission
            }

            fn places(&self) -> PlacesBy {
                PlacesBy::Sending
            }
        }
    )*};
}

choosing! {
    /// A domain by chance, of those whose batch system could serve the job: the control.
    RandomDomain: "random domain", |setup: &Setup<'_>| ByChance { stream: setup.streams.stream("domains") };
    /// The domain whose batch system has the fewest nodes in use and asked for, relative to all its nodes.
    LeastLoaded: "least loaded", |_: &Setup<'_>| ByLoad;
    /// The domain whose batch system predicts the earliest start.
    ShortestWait: "shortest wait", |_: &Setup<'_>| ByWait;
    /// The domain that is the best compromise of price, predicted wait and speed. Jobs that offer `rich_from` or more
    /// weigh the wait three times, others the price.
    MulticriteriaWait: "multicriteria, predicted waits", |setup: &Setup<'_>| ByCompromise {
        rich_from: setup.metascheduler.rich_from,
        stream: setup.streams.stream("broker"),
    };
}

/// A domain that could serve a job.
#[derive(Debug)]
struct DomainCandidate<'v, 'a> {
    system: &'v SystemView<'a>,
    /// The predicted start.
    start: Time,
    /// See [`Forecast::load`].
    load: f64,
}

/// A rule by which one of the domains is chosen.
trait DomainRule {
    /// The place of the domain in a list that is not empty.
    fn choose(
        &mut self,
        view: &View<'_>,
        request: &Request,
        domains: &[DomainCandidate<'_, '_>],
    ) -> Result<Option<usize>, PolicyError>;
}

/// Sends each rigid job in turn to the queue of one of the domains that could serve it. Jobs that none could serve, and
/// workflows, go on waiting.
#[derive(Debug, Clone)]
struct DomainChoice<R> {
    rule: R,
}

impl<R: DomainRule> Policy for DomainChoice<R> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let mut forecasts: Vec<Forecast<'_>> = view.systems.iter().map(SystemView::forecast).collect();
        let mut decisions = Vec::new();
        for (request, waiting) in view.queue.iter().enumerate().filter(|(_, waiting)| waiting.workflow.is_none()) {
            view.stop.check()?;
            let systems = view.systems.iter().zip(&forecasts).enumerate();
            let (places, candidates): (Vec<usize>, Vec<DomainCandidate<'_, '_>>) = systems
                .filter_map(|(place, (system, forecast))| {
                    let start = forecast.predict(waiting.request)?;
                    Some((place, DomainCandidate { system, start, load: forecast.load() }))
                })
                .unzip();
            if candidates.is_empty() {
                continue;
            }
            if let Some(chosen) = self.rule.choose(view, waiting.request, &candidates)? {
                let domain = candidates[chosen].system.domain;
                forecasts[places[chosen]].send(waiting.request);
                decisions.push(Decision::Send { request, domain });
            }
        }
        Ok(decisions)
    }
}

#[derive(Debug, Clone)]
struct ByChance {
    stream: Stream,
}

impl DomainRule for ByChance {
    fn choose(
        &mut self,
        _: &View<'_>,
        _: &Request,
        domains: &[DomainCandidate<'_, '_>],
    ) -> Result<Option<usize>, PolicyError> {
        Ok(Some(below(&mut self.stream, domains.len() as u64) as usize))
    }
}

#[derive(Debug, Clone, Copy)]
struct ByLoad;

impl DomainRule for ByLoad {
    fn choose(
        &mut self,
        _: &View<'_>,
        _: &Request,
        domains: &[DomainCandidate<'_, '_>],
    ) -> Result<Option<usize>, PolicyError> {
        Ok((0..domains.len()).min_by(|&one, &other| domains[one].load.total_cmp(&domains[other].load)))
    }
}

#[derive(Debug, Clone, Copy)]
struct ByWait;

impl DomainRule for ByWait {
    fn choose(
        &mut self,
        _: &View<'_>,
        _: &Request,
        domains: &[DomainCandidate<'_, '_>],
    ) -> Result<Option<usize>, PolicyError> {
        Ok((0..domains.len()).min_by_key(|&domain| domains[domain].start))
    }
}

/// Model (i) of the multicriteria broker, whose offers have attributes alone. A queue takes any number of jobs, so that
/// jobs compete through its predicted waits, one after another.
#[derive(Debug, Clone)]
struct ByCompromise {
    rich_from: Price,
    stream: Stream,
}

impl DomainRule for ByCompromise {
    fn choose(
        &mut self,
        view: &View<'_>,
        request: &Request,
        domains: &[DomainCandidate<'_, '_>],
    ) -> Result<Option<usize>, PolicyError> {
        let criterion =
            |name: &str, direction| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute };
        let weights = if request.max_price >= self.rich_from { [1.0, 3.0, 1.0] } else { [3.0, 1.0, 1.0] };
        let name = request.name.clone();
        let market = Market {
            criteria: vec![
                criterion("price", Direction::Cost),
                criterion("predicted wait", Direction::Cost),
                criterion("speed", Direction::Gain),
            ],
            users: vec![User {
                name: name.clone(),
                weight: 1.0,
                wishes: weights.map(Wish::of).to_vec(),
                satisfaction: None,
            }],
            jobs: vec![MarketJob { name, user: 0, units: request.nodes as u64, limits: Vec::new() }],
            offers: domains.iter().map(|candidate| offer(view, candidate)).collect(),
            others: Vec::new(),
        };
        let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
        let problem = MarketProblem::new(&market, rules)?.until(view.stop);
        let chosen = improve(&problem, 1, &mut self.stream);
        view.stop.check()?;
        Ok(chosen.first().copied().flatten())
    }
}

/// A domain as an offer: the mean price and speed of its nodes, and the predicted wait.
fn offer(view: &View<'_>, candidate: &DomainCandidate<'_, '_>) -> Offer {
    let nodes = candidate.system.nodes;
    let mean = |of: fn(&Node) -> f64| nodes.iter().map(of).sum::<f64>() / nodes.len().max(1) as f64;
    let wait = (candidate.start - view.now).as_f64();
    let attributes = [mean(|node| node.price.as_f64()), wait, mean(|node| node.performance.as_f64())];
    let name = view.domains.get(candidate.system.domain).map_or("", |domain| &domain.name);
    Offer::of_attributes(name, None, attributes.map(Some).to_vec())
}
