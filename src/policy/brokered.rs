//! Brokers as policies of a connected grid: each domain is a resource that sells the nodes which are idle at this
//! moment.

use super::idle::Idle;
use super::{Decision, Policy, PolicyError, PolicySpec, Setup, View};
use crate::broker::multicriteria::{
    Market, MarketProblem, SatisfactionRules, TotalForm, User, UserForm, Wish, improve,
};
use crate::broker::{self, Broker, BrokerSpec, CostTable, Round};
use crate::model::{CostLimit, Domain, Request, Resource, UserJob};
use crate::record;
use crate::rng::Stream;
use crate::search::budget;
use crate::units::{INPUT_LIMIT, Performance, Price, Span, Volume};
use crate::workload::RuntimeRule;
use crate::workload::market::{Criterion, CriterionMeasure, Direction, MarketJob, Offer, OfferLimit};

/// Declares the policies that leave the choice of domains to a broker.
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
                setup.two_tier(Brokered { broker, limit: setup.limit(), stream: setup.streams.stream("broker") })
            }
        }
    )*};
}

brokered! {
    /// A broker that gives jobs by quality of service the cheapest domain that can take them now.
    GreedyPolicy(GreedyByCost): "greedy",
    /// The broker by minimal marginal cost with its exchange step.
    MmcPolicy(Mmc): "MMC",
    /// The genetic broker that begins with the greedy plan.
    HgaPolicy(HgaSpec): "HGA",
    /// The genetic broker that begins with the plan of the linear program.
    LpgaPolicy(LpgaSpec): "LPGA",
    /// The broker that finds the cheapest plan there is.
    ExactPolicy(Exact): "exact broker",
}

record! {
    /// The broker that looks for the best compromise between what all jobs wish, by attributes of domains: price, speed
    /// and idle nodes.
    #[derive(Copy)]
    pub struct MulticriteriaPolicy;
}

impl PolicySpec for MulticriteriaPolicy {
    fn name(&self) -> String {
        "multicriteria".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        let (rich_from, stream) = (setup.metascheduler.rich_from, setup.streams.stream("broker"));
        setup.two_tier(Compromise { rich_from, limit: setup.limit(), stream })
    }
}

/// The goods of a domain now: its idle nodes, as slow as the slowest of them and at their mean price.
struct Shop {
    idle: Idle,
    nodes: u32,
    speed: Performance,
    price: Price,
}

fn shops(view: &View<'_>) -> Vec<Shop> {
    let shop = |domain: &Domain| {
        let last = domain.first.0 + domain.nodes as u32;
        let idle = Idle::within(view, |node| (domain.first.0..last).contains(&node.0));
        let nodes: Vec<_> = idle.nodes().map(|node| &view.nodes[node.index()]).collect();
        let total: i128 = nodes.iter().map(|node| i128::from(node.price.ticks())).sum();
        let price = Price::from_ticks((total / (nodes.len() as i128).max(1)) as i64);
        let speed = nodes.iter().map(|node| node.performance).min().unwrap_or(Performance::from_units(1));
        Shop { nodes: nodes.len() as u32, speed, price, idle }
    };
    view.domains.iter().map(shop).collect()
}

/// Gives each job the cheapest nodes that will do in the domain that a broker chose for it; a job for which they don't
/// last goes on waiting.
fn sell(view: &View<'_>, mut shops: Vec<Shop>, homes: &[Option<usize>], limit: CostLimit) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for (request, home) in homes.iter().enumerate() {
        if let Some(home) = home
            && let Some(window) = shops[*home].idle.take(view.queue[request].request, limit)
        {
            decisions.push(Decision::Reserve { request, window });
        }
    }
    decisions
}

/// A cost-minimising broker: greedy, MMC, genetic or exact.
pub struct Brokered {
    /// The broker that decides which domain serves which job.
    pub broker: Box<dyn Broker + Send + Sync>,
    /// The limit of a job's cost.
    pub limit: CostLimit,
    /// The random numbers of the broker.
    pub stream: Stream,
}

impl Policy for Brokered {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let shops = shops(view);
        let resource = |shop: &Shop| Resource { pes: shop.nodes, speed: shop.speed, prices: vec![shop.price] };
        let resources: Vec<Resource> = shops.iter().map(resource).collect();
        let dearest = shops.iter().map(|shop| shop.price).max().unwrap_or(Price::ZERO);
        let round = Round {
            now: view.now,
            resources: &resources,
            free: shops.iter().map(|shop| shop.nodes).collect(),
            jobs: view.queue.iter().map(|waiting| self.user_job(view, waiting.request)).collect::<Result<_, _>>()?,
            dummy_price: Price::from_ticks(dearest.ticks().saturating_mul(2)).max(Price::from_units(1)),
        };
        let table = CostTable::new(&round)?.until(view.stop);
        let answer = self.broker.assign(&table, &mut self.stream)?;
        view.stop.check()?;
        let homes: Vec<Option<usize>> = (0..view.queue.len()).map(|job| answer.plan.home(&table, job)).collect();
        Ok(sell(view, shops, &homes, self.limit))
    }
}

impl Brokered {
    fn user_job(&self, view: &View<'_>, request: &Request) -> Result<UserJob, PolicyError> {
        let factor = if let CostLimit::Total(factor) = self.limit { factor } else { 1.0 };
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
}

/// The best compromise between what all jobs wish: jobs that offer much look for speed, others for a low price, and all
/// prefer domains with idle nodes.
#[derive(Debug, Clone)]
pub struct Compromise {
    /// Jobs that offer at least this much look for speed.
    pub rich_from: Price,
    /// The limit of a job's cost.
    pub limit: CostLimit,
    /// Where the search begins.
    pub stream: Stream,
}

/// From how many beginnings the search climbs.
const BEGINNINGS: u32 = 2;

impl Policy for Compromise {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let shops = shops(view);
        let criterion =
            |name: &str, direction| Criterion { name: name.into(), direction, measure: CriterionMeasure::Attribute };
        let market = Market {
            criteria: vec![
                criterion("price", Direction::Cost),
                criterion("speed", Direction::Gain),
                criterion("idle nodes", Direction::Gain),
            ],
            users: view.queue.iter().map(|waiting| self.user(waiting.request)).collect(),
            jobs: view.queue.iter().enumerate().map(|(user, waiting)| job(user, waiting.request)).collect(),
            offers: view.domains.iter().zip(&shops).map(|(domain, shop)| offer(domain, shop)).collect(),
            others: Vec::new(),
        };
        let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
        let problem = MarketProblem::new(&market, rules)?.until(view.stop);
        let homes = improve(&problem, BEGINNINGS, &mut self.stream);
        view.stop.check()?;
        Ok(sell(view, shops, &homes, self.limit))
    }
}

impl Compromise {
    fn user(&self, request: &Request) -> User {
        let weights = if request.max_price >= self.rich_from { [1.0, 3.0, 1.0] } else { [3.0, 1.0, 1.0] };
        User { name: request.name.clone(), weight: 1.0, wishes: weights.map(Wish::of).to_vec(), satisfaction: None }
    }
}

fn job(user: usize, request: &Request) -> MarketJob {
    let fast_enough = OfferLimit { criterion: 1, low: Some(request.min_performance.as_f64()), high: None };
    MarketJob { name: request.name.clone(), user, units: request.nodes as u64, limits: vec![fast_enough] }
}

fn offer(domain: &Domain, shop: &Shop) -> Offer {
    let attributes = [shop.price.as_f64(), shop.speed.as_f64(), f64::from(shop.nodes)];
    Offer::of_attributes(&domain.name, Some(u64::from(shop.nodes)), attributes.map(Some).to_vec())
}
