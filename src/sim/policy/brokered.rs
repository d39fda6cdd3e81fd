//! Brokers as policies of a connected grid: resources sell the nodes that are idle at this moment, or windows ahead, or
//! places in the queues of batch systems.

use super::shops::{BrokerTerms, Shop, serve};
use super::{Decision, PlacesBy, Policy, PolicyError, PolicySpec, Setup, View};
use crate::broker::multicriteria::{
    Market, MarketProblem, SatisfactionRules, TotalForm, User, UserForm, Wish, improve,
};
use crate::broker::{self, Broker, BrokerSpec, CostTable, Round};
use crate::model::{CostLimit, Request, Resource, UserJob};
use crate::record;
use crate::rng::Stream;
use crate::search::budget;
use crate::units::{INPUT_LIMIT, Price, Span, Volume};
use crate::workload::RuntimeRule;
use crate::workload::market::{Criterion, CriterionMeasure, Direction, MarketJob, Offer, OfferLimit};

/// Declares the policies that leave the choice of resources to a broker.
macro_rules! brokered {
    ($($(#[doc = $doc:literal])* $policy:ident($broker:ident): $name:literal,)*) => {$(
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
                let broker = broker::$broker.make(setup.metascheduler.brokers());
                let (terms, stream) = (BrokerTerms::of(setup), setup.streams.stream("broker"));
                setup.two_tier(Brokered { broker, terms, stream })
            }

            fn places(&self) -> PlacesBy {
                PlacesBy::Either
            }
        }
    )*};
}

brokered! {
    /// A broker that gives jobs by quality of service the cheapest resource that can take them now.
    GreedyPolicy(GreedyByCost): "greedy",
    /// The broker that makes the plan of the linear program whole job by job (Modified MinCost).
    MmcPolicy(Mmc): "MMC",
    /// The genetic broker with repair that begins with the greedy plan.
    HgaRepairedPolicy(HgaRepairedSpec): "HGA, repaired",
    /// The genetic broker with repair that begins with the plan of the linear program.
    LpgaRepairedPolicy(LpgaRepairedSpec): "LPGA, repaired",
    /// The broker that finds the cheapest plan there is.
    ExactPolicy(Exact): "exact broker",
}

record! {
    /// The broker that looks for the best compromise between what all jobs wish, by attributes of resources: price,
    /// speed and idle nodes.
    #[derive(Copy)]
    pub struct MulticriteriaPolicy;
}

impl PolicySpec for MulticriteriaPolicy {
    fn name(&self) -> String {
        "multicriteria".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        let (rich_from, stream) = (setup.metascheduler.rich_from, setup.streams.stream("broker"));
        setup.two_tier(Compromise { rich_from, terms: BrokerTerms::of(setup), stream })
    }

    fn places(&self) -> PlacesBy {
        PlacesBy::Either
    }
}

/// A cost-minimising broker: greedy, MMC, genetic or exact.
pub struct Brokered {
    /// The broker that decides which resource serves which job.
    pub broker: Box<dyn Broker + Send + Sync>,
    /// The terms on which it sells.
    pub terms: BrokerTerms,
    /// The random numbers of the broker.
    pub stream: Stream,
}

impl Policy for Brokered {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let Self { broker, terms, stream } = self;
        serve(view, terms, |jobs, shops| {
            // No node has a price of its own for a user: one price stands for all.
            let resource = |shop: &Shop<'_>| Resource { pes: shop.nodes, speed: shop.speed, prices: vec![shop.price] };
            let resources: Vec<Resource> = shops.iter().map(resource).collect();
            let dearest = shops.iter().map(|shop| shop.price).max().unwrap_or(Price::ZERO);
            let asked = |job: usize| view.queue[jobs[job]].request;
            let round = Round {
                now: view.now,
                resources: &resources,
                free: shops.iter().map(|shop| shop.nodes).collect(),
                jobs: (0..jobs.len()).map(|job| user_job(view, asked(job), terms.limit)).collect::<Result<_, _>>()?,
                dummy_price: Price::from_ticks(dearest.ticks().saturating_mul(2)).max(Price::from_units(1)),
            };
            // Nodes must be fast enough, free for long enough and within the limit of the cost.
            let may_go = |job: usize, shop: usize| shops[shop].could(view, jobs[job], terms.limit);
            let table = CostTable::where_allowed(&round, may_go)?.until(view.stop);
            let answer = broker.assign(&table, stream)?;
            view.stop.check()?;
            Ok((0..jobs.len()).map(|job| answer.plan.home(&table, job)).collect())
        })
    }
}

/// A job as a broker sees it.
fn user_job(view: &View<'_>, request: &Request, limit: CostLimit) -> Result<UserJob, PolicyError> {
    let factor = if let CostLimit::Total(factor) = limit { factor } else { 1.0 };
    let work = match view.rule {
        RuntimeRule::Reference => request.length.as_f64(),
        RuntimeRule::Volume => request.length.as_f64() * request.min_performance.as_f64(),
    };
    let forever = Span::from_f64(INPUT_LIMIT).unwrap_or(Span::MAX);
    Ok(UserJob {
        user: 0,
        arrival: view.now,
        tasks: u32::try_from(request.nodes).unwrap_or(u32::MAX),
        size: Volume::from_f64(work)?,
        budget: budget(request, factor),
        deadline: request.deadline.map_or_else(|| view.now.checked_add(forever), Ok)?,
    })
}

/// The best compromise between what all jobs wish: jobs that offer much look for speed, others for a low price, and all
/// prefer resources with many idle nodes.
#[derive(Debug, Clone)]
pub struct Compromise {
    /// Jobs that offer at least this much look for speed.
    pub rich_from: Price,
    /// The terms on which it sells.
    pub terms: BrokerTerms,
    /// Where the search begins.
    pub stream: Stream,
}

/// From how many beginnings the search climbs.
const BEGINNINGS: u32 = 2;

impl Policy for Compromise {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let criterion =
            |name: &str, direction| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute };
        let Self { rich_from, terms, stream } = self;
        serve(view, terms, |jobs, shops| {
            let requests = || jobs.iter().map(|&job| view.queue[job].request);
            let market = Market {
                criteria: vec![
                    criterion("price", Direction::Cost),
                    criterion("speed", Direction::Gain),
                    criterion("idle nodes", Direction::Gain),
                ],
                users: requests().map(|request| wishes(request, *rich_from)).collect(),
                jobs: requests().enumerate().map(|(user, request)| job(user, request)).collect(),
                offers: shops.iter().enumerate().map(|(number, shop)| offer(view, number, shop)).collect(),
                others: Vec::new(),
            };
            let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
            let problem = MarketProblem::new(&market, rules)?.until(view.stop);
            let homes = improve(&problem, BEGINNINGS, stream);
            view.stop.check()?;
            Ok(homes)
        })
    }
}

/// The wishes of a job: speed if it offers much, a low price if not.
fn wishes(request: &Request, rich_from: Price) -> User {
    let weights = if request.max_price >= rich_from { [1.0, 3.0, 1.0] } else { [3.0, 1.0, 1.0] };
    User { name: request.name.clone(), weight: 1.0, wishes: weights.map(Wish::of).to_vec(), satisfaction: None }
}

fn job(user: usize, request: &Request) -> MarketJob {
    let fast_enough = OfferLimit { criterion: 1, low: Some(request.min_performance.as_f64()), high: None };
    MarketJob { name: request.name.clone(), user, units: request.nodes as u64, limits: vec![fast_enough] }
}

fn offer(view: &View<'_>, number: usize, shop: &Shop<'_>) -> Offer {
    let attributes = [shop.price.as_f64(), shop.speed.as_f64(), f64::from(shop.nodes)];
    let name = format!("{}, resource {}", view.domains[shop.domain].name, number + 1);
    Offer::of_attributes(name, Some(u64::from(shop.nodes)), attributes.map(Some).to_vec())
}
