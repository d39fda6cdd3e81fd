//! The multicriteria broker with reservations as a policy: every domain offers every job a window, and the broker picks
//! the best compromise.

use super::{Decision, Policy, PolicyError, PolicySpec, Setup, View};
use crate::broker::multicriteria::{
    Market, MarketProblem, SatisfactionRules, TotalForm, User, UserForm, Wish, improve,
};
use crate::model::{Request, Window};
use crate::record;
use crate::rng::Stream;
use crate::search::{Offers, Search};
use crate::units::Price;
use crate::workload::market::{Bid, Criterion, CriterionMeasure, Direction, History, MarketJob, Offer, TimeSlot};
use std::collections::BTreeMap;

/// From how many beginnings the search for a compromise climbs.
const BEGINNINGS: u32 = 2;

record! {
    /// The best compromise by windows that every domain reserves for every job until the broker has decided: start,
    /// completion and cost.
    #[derive(Copy)]
    pub struct Reservations;
}

impl PolicySpec for Reservations {
    fn name(&self) -> String {
        "multicriteria, reservations".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        let (rich_from, stream) = (setup.metascheduler.rich_from, setup.streams.stream("broker"));
        setup.two_tier(DomainOffers { search: setup.search().clone(), rich_from, stream })
    }
}

/// Each domain reserves for each job in turn the earliest window that its earlier offers leave. These preliminary
/// reservations can all be kept at once; those that the broker does not confirm expire. Jobs that offer much look for
/// an early completion, others for a low cost.
#[derive(Debug, Clone)]
pub struct DomainOffers {
    /// The search by which domains find windows.
    pub search: Search,
    /// Jobs that offer at least this much look for an early completion.
    pub rich_from: Price,
    /// Where the broker's search begins.
    pub stream: Stream,
}

impl Policy for DomainOffers {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let offered = self.offers(view)?;
        let criterion = |name: &str, measure| Criterion { name: name.into(), direction: Direction::Cost, measure };
        let offers = offered.iter().map(|(job, window)| offer(view, *job, window)).collect::<Result<_, _>>()?;
        let market = Market {
            criteria: vec![
                criterion("start", CriterionMeasure::Start),
                criterion("completion", CriterionMeasure::Completion),
                criterion("cost", CriterionMeasure::Cost),
            ],
            users: view.queue.iter().map(|waiting| self.user(waiting.request)).collect(),
            jobs: view.queue.iter().enumerate().map(|(user, waiting)| job(user, waiting.request)).collect(),
            offers,
            others: Vec::new(),
        };
        let rules = SatisfactionRules { user: UserForm::Distance, total: TotalForm::WorstFirst };
        let problem = MarketProblem::new(&market, rules)?.until(view.stop);
        let confirmed = improve(&problem, BEGINNINGS, &mut self.stream);
        view.stop.check()?;
        let reserve = |(request, offer): (usize, Option<usize>)| {
            let (_, window) = &offered[offer?];
            Some(Decision::Reserve { request, window: window.clone() })
        };
        Ok(confirmed.into_iter().enumerate().filter_map(reserve).collect())
    }
}

impl DomainOffers {
    /// All offers: the job and its window, domain by domain.
    fn offers(&self, view: &View<'_>) -> Result<Vec<(usize, Window)>, PolicyError> {
        let mut offered = Vec::new();
        for domain in view.domains {
            let mut slots = view.slots_of(domain);
            for (job, waiting) in view.queue.iter().enumerate() {
                view.stop.check()?;
                let offers = Offers { nodes: view.nodes, slots: &slots, rule: view.rule };
                if let Some(window) = self.search.get().find_window(&offers, waiting.request) {
                    slots.subtract(&window)?;
                    offered.push((job, window));
                }
            }
        }
        Ok(offered)
    }

    fn user(&self, request: &Request) -> User {
        let weights = if request.max_price >= self.rich_from { [1.0, 3.0, 1.0] } else { [1.0, 1.0, 3.0] };
        User { name: request.name.clone(), weight: 1.0, wishes: weights.map(Wish::of).to_vec(), satisfaction: None }
    }
}

fn job(user: usize, request: &Request) -> MarketJob {
    MarketJob { name: request.name.clone(), user, units: 1, limits: Vec::new() }
}

/// A window as an offer to one job.
fn offer(view: &View<'_>, job: usize, window: &Window) -> Result<Offer, PolicyError> {
    let cost = window.cost(view.nodes)?.as_f64();
    let (start, end) = (window.start().as_f64(), window.finish().as_f64());
    let slot = TimeSlot { start, end, early: History::default() };
    // The expected runtime is the estimate itself: there is no history of the job yet.
    let bids = BTreeMap::from([(job, Bid { cost, runs: History::new(vec![end - start]) })]);
    let base = Offer::of_attributes(format!("window for {}", view.queue[job].request.name), Some(1), Vec::new());
    Ok(Offer { slot: Some(slot), bids, ..base })
}
