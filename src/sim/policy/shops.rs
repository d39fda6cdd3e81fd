//! The resources that brokers give to jobs, and how these are served.

use super::idle::Idle;
use super::{Decision, Forecast, MetaschedulerSpec, PolicyError, Setup, SystemView, View, Waiting};
use crate::choice;
use crate::model::{CostLimit, NodeId, Request, Slot, SlotList, Window, sort_by_node};
use crate::search::{Finder, Offers, WindowSearch};
use crate::units::{Performance, Price, Time};
use std::collections::{BTreeMap, BTreeSet};

choice! {
    /// The resources that a broker gives to jobs. Each job gets all its nodes from one resource. A job that no resource
    /// could serve now, because it asks for more nodes than there are in any, is served after the others, from the nodes
    /// that these have left idle: every domain is one resource then, as with `Domains`.
    #[derive(Copy, Eq)]
    pub enum BrokerResources {
        /// Each domain is one: as slow as the slowest of its idle nodes, at their mean price.
        Domains,
        /// The idle nodes of a domain that are as good as equal in performance and in price are one: as slow as the
        /// slowest of them and at the highest of their prices, so that no job pays more or waits longer than it was
        /// told. Nodes are as good as equal if both numbers are in the same class; classes begin at 1, 1.1, 1.21 and so
        /// on, each 10 % above the last, and likewise below 1.
        Groups,
        /// Each idle node is one, with its performance and its price.
        Nodes,
    }
}

/// Nodes that are sold together, as a resource of this speed and price.
pub(super) struct Shop<'a> {
    /// The domain, by its place.
    pub(super) domain: usize,
    stock: Stock<'a>,
    pub(super) nodes: u32,
    pub(super) speed: Performance,
    pub(super) price: Price,
}

/// The goods of a resource.
enum Stock<'a> {
    /// The nodes that are idle now.
    Idle(Idle),
    /// The free time of its nodes, now and ahead.
    Ahead(SlotList),
    /// Places in the queue of a batch system.
    Queue(Box<Forecast<'a>>),
}

impl<'a> Shop<'a> {
    fn new(view: &View<'_>, domain: usize, slots: &[&Slot], terms: &BrokerTerms) -> Result<Self, PolicyError> {
        let mut members: Vec<NodeId> = slots.iter().map(|slot| slot.node).collect();
        members.dedup();
        let nodes = || members.iter().map(|node| &view.nodes[node.index()]);
        let price = if terms.resources == BrokerResources::Domains {
            let total: i128 = nodes().map(|node| i128::from(node.price.ticks())).sum();
            Price::from_ticks((total / (members.len() as i128).max(1)) as i64)
        } else {
            nodes().map(|node| node.price).max().unwrap_or(Price::ZERO)
        };
        let speed = nodes().map(|node| node.performance).min().unwrap_or(Performance::from_units(1));
        let stock = if terms.ahead {
            Stock::Ahead(SlotList::new(slots.iter().map(|&&slot| slot))?)
        } else {
            Stock::Idle(Idle::of(view, slots.iter().copied()))
        };
        Ok(Self { domain, stock, nodes: members.len() as u32, speed, price })
    }

    /// A batch system: its nodes are sold as places in its queue, at their mean price.
    fn of_system(system: &'a SystemView<'a>) -> Self {
        let total: i128 = system.nodes.iter().map(|node| i128::from(node.price.ticks())).sum();
        let price = Price::from_ticks((total / (system.nodes.len() as i128).max(1)) as i64);
        let speed = system.nodes.iter().map(|node| node.performance).min().unwrap_or(Performance::from_units(1));
        let stock = Stock::Queue(Box::new(system.forecast()));
        Self { domain: system.domain, stock, nodes: system.nodes.len() as u32, speed, price }
    }

    /// True if it could serve a job, were that the only one.
    pub(super) fn could(&self, view: &View<'a>, job: usize, limit: CostLimit) -> bool {
        let Waiting { request, workflow, .. } = view.queue[job];
        match &self.stock {
            Stock::Idle(idle) => idle.find(request, limit).is_some(),
            Stock::Ahead(slots) => find_earliest(view, slots, request, limit).is_some(),
            Stock::Queue(forecast) => {
                let end = || Some(forecast.predict(request)? + view.rule.runtime(request, self.speed)?);
                let in_time = |end: Time| request.deadline.is_none_or(|deadline| end <= deadline);
                workflow.is_none() && end().is_some_and(in_time)
            }
        }
    }

    /// Serves a job, if the goods last.
    fn sell(&mut self, view: &View<'a>, job: usize, limit: CostLimit) -> Result<Option<Decision>, PolicyError> {
        let Waiting { request, workflow, .. } = view.queue[job];
        let window = match &mut self.stock {
            Stock::Idle(idle) => idle.take(request, limit),
            Stock::Ahead(slots) => {
                let window = find_earliest(view, slots, request, limit);
                window.iter().try_for_each(|window| slots.subtract(window))?;
                window
            }
            // A compromise may be to everybody's taste and not be had.
            Stock::Queue(_) if workflow.is_some() => None,
            Stock::Queue(forecast) => {
                let domain = self.domain;
                return Ok(forecast.send(request).map(|_| Decision::Send { request: job, domain }));
            }
        };
        Ok(window.map(|window| Decision::Reserve { request: job, window }))
    }
}

/// The earliest window within a limit.
fn find_earliest(view: &View<'_>, slots: &SlotList, request: &Request, limit: CostLimit) -> Option<Window> {
    let offers = Offers { nodes: view.nodes, slots, rule: view.rule };
    match Finder::within(limit) {
        Finder::Alp(alp) => alp.find_window(&offers, request),
        Finder::Amp(amp) => amp.find_window(&offers, request),
    }
}

/// The terms on which brokers sell.
#[derive(Debug, Clone, Copy)]
pub struct BrokerTerms {
    /// The limit of a job's cost.
    pub limit: CostLimit,
    /// What resources are made of.
    pub resources: BrokerResources,
    /// True if windows ahead are sold, not only nodes that are idle now.
    pub ahead: bool,
}

impl BrokerTerms {
    pub(super) fn of(setup: &Setup<'_>) -> Self {
        let MetaschedulerSpec { resources, ahead, .. } = *setup.metascheduler;
        Self { limit: setup.limit(), resources, ahead }
    }
}

/// The class of a number among those that are as good as equal: each is 10 % above the last.
fn class(number: f64) -> i64 {
    // A number at the bottom of a class does not fall below it by rounding; 0 has a class of its own.
    libm::floor(libm::log(number) / libm::log(1.1) + 1e-9) as i64
}

/// The resources that are made of the free time of nodes, without what is sold already.
pub(super) fn shops<'a>(view: &View<'_>, terms: &BrokerTerms, sold: &[Window]) -> Result<Vec<Shop<'a>>, PolicyError> {
    let mut left: Vec<Slot> = if terms.ahead {
        let mut slots = view.slots.list().clone();
        sold.iter().try_for_each(|window| slots.subtract(window))?;
        slots.as_slice().to_vec()
    } else {
        let taken: BTreeSet<NodeId> = sold.iter().flat_map(|window| window.slots()).map(|slot| slot.node).collect();
        Idle::slots(view).filter(|slot| !taken.contains(&slot.node)).copied().collect()
    };
    sort_by_node(&mut left);
    let mut shops = Vec::new();
    for (place, domain) in view.domains.iter().enumerate() {
        let last = domain.first.0 + domain.nodes as u32;
        let [from, to] = [domain.first.0, last].map(|first| left.partition_point(|slot| slot.node.0 < first));
        let mut parts: BTreeMap<(i64, i64), Vec<&Slot>> = BTreeMap::new();
        for slot in &left[from..to] {
            let node = &view.nodes[slot.node.index()];
            let part = match terms.resources {
                BrokerResources::Domains => (0, 0),
                BrokerResources::Groups => (class(node.performance.as_f64()), class(node.price.as_f64())),
                BrokerResources::Nodes => (i64::from(slot.node.0), 0),
            };
            parts.entry(part).or_default().push(slot);
        }
        for slots in parts.values() {
            shops.push(Shop::new(view, place, slots, terms)?);
        }
    }
    Ok(shops)
}

/// Serves the jobs of the view by a choice of resources: `choose` is told which jobs take part and which resources there
/// are, and says which job gets which resource. The job then gets the cheapest nodes there that will do, or the earliest
/// window, or a place in the queue; one for which the goods don't last goes on waiting.
///
/// Those that no resource could serve even alone are served in a second round, from what is left of each domain.
pub(super) fn serve<'a>(
    view: &View<'a>,
    terms: &BrokerTerms,
    mut choose: impl FnMut(&[usize], &[Shop<'a>]) -> Result<Vec<Option<usize>>, PolicyError>,
) -> Result<Vec<Decision>, PolicyError> {
    let (mut sold, mut decisions) = (Vec::new(), Vec::new());
    let mut waiting: Vec<usize> = (0..view.queue.len()).collect();
    let last = BrokerResources::Domains;
    let rounds: &[BrokerResources] = if terms.resources == last { &[last] } else { &[terms.resources, last] };
    for (round, &resources) in rounds.iter().enumerate() {
        let mut shops = shops(view, &BrokerTerms { resources, ..*terms }, &sold)?;
        if round == 0 {
            shops.extend(view.systems.iter().map(Shop::of_system));
        }
        let has_place = |&job: &usize| shops.iter().any(|shop| shop.could(view, job, terms.limit));
        let (jobs, others): (Vec<usize>, Vec<usize>) = waiting.into_iter().partition(has_place);
        waiting = others;
        if jobs.is_empty() {
            continue;
        }
        for (&job, home) in jobs.iter().zip(choose(&jobs, &shops)?) {
            let Some(home) = home else { continue };
            let decided = shops[home].sell(view, job, terms.limit)?;
            if let Some(Decision::Reserve { window, .. }) = &decided {
                sold.push(window.clone());
            }
            decisions.extend(decided);
        }
    }
    Ok(decisions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broker::Greedy;
    use crate::engine::Stop;
    use crate::model::{Domain, Interval, JobId, Node, SlotList};
    use crate::policy::{Brokered, Policy, Waiting, Why};
    use crate::rng::Streams;
    use crate::units::{Power, Span, Time};
    use crate::workload::RuntimeRule;

    /// Nodes as (performance, price) in hundredths, domain by domain.
    type Nodes<'a> = &'a [&'a [(i64, i64)]];

    /// Shows `test` a view of nodes that are idle until 100 and of jobs as (nodes, minimum performance in hundredths).
    fn with_view<T>(nodes: Nodes<'_>, jobs: &[(usize, i64)], test: impl FnOnce(&View<'_>) -> T) -> T {
        let hundredths = |value: i64| value * 10_000;
        let (mut all, mut domains) = (Vec::new(), Vec::new());
        for (place, domain) in nodes.iter().enumerate() {
            let first = NodeId(all.len() as u32);
            domains.push(Domain { name: format!("d{place}"), first, nodes: domain.len() });
            all.extend(domain.iter().map(|&(performance, price)| Node {
                name: "n".into(),
                performance: Performance::from_ticks(hundredths(performance)),
                price: Price::from_ticks(hundredths(price)),
                power: Power::from_units(1),
            }));
        }
        let free = Interval::new(Time::ZERO, Time::from_units(100));
        let slots = (0..all.len() as u32).map(|node| Slot { node: NodeId(node), interval: free });
        let slots = SlotList::new(slots).unwrap();
        let request = |&(nodes, performance): &(usize, i64)| Request {
            name: "job".into(),
            nodes,
            length: Span::from_units(20),
            min_performance: Performance::from_ticks(hundredths(performance)),
            max_price: Price::from_units(9),
            deadline: None,
        };
        let requests: Vec<Request> = jobs.iter().map(request).collect();
        let waiting = |(id, request)| Waiting::new(JobId(id as u32), request);
        let queue: Vec<Waiting<'_>> = requests.iter().enumerate().map(waiting).collect();
        test(&View {
            now: Time::ZERO,
            nodes: &all,
            domains: &domains,
            slots: &slots.into(),
            rule: RuntimeRule::Reference,
            queue: &queue,
            systems: &[],
            why: Why::Cycle,
            stop: Stop::NEVER,
        })
    }

    fn terms(resources: BrokerResources) -> BrokerTerms {
        BrokerTerms { limit: CostLimit::Total(1.0), resources, ahead: false }
    }

    #[test]
    fn groups_are_nodes_of_one_domain_that_are_nearly_equal_and_promise_what_the_worst_of_them_keeps() {
        let nodes: Nodes<'_> = &[&[(100, 100), (109, 105), (110, 100), (100, 140), (100, 101)], &[(100, 100)]];
        let seen = |resources| {
            with_view(nodes, &[], |view| {
                let shop = |shop: &Shop| (shop.domain, shop.nodes, shop.speed.to_string(), shop.price.to_string());
                shops(view, &terms(resources), &[]).unwrap().iter().map(shop).collect::<Vec<_>>()
            })
        };
        let of = |domain: usize, nodes: u32, speed: &str, price: &str| (domain, nodes, speed.into(), price.into());
        let groups = [of(0, 3, "1", "1.05"), of(0, 1, "1", "1.4"), of(0, 1, "1.1", "1"), of(1, 1, "1", "1")];
        assert_eq!(seen(BrokerResources::Groups), groups);
        assert_eq!(seen(BrokerResources::Domains), [of(0, 5, "1", "1.092"), of(1, 1, "1", "1")]);
        assert_eq!(seen(BrokerResources::Nodes).len(), 6);
    }

    fn served(nodes: Nodes<'_>, jobs: &[(usize, i64)], resources: BrokerResources) -> Vec<(usize, Vec<u32>)> {
        with_view(nodes, jobs, |view| {
            let (broker, stream) = (Box::new(Greedy::default()), Streams::new(1, 0).stream("broker"));
            let mut policy = Brokered { broker, terms: terms(resources), stream };
            let decided = policy.decide(view).unwrap().into_iter();
            let nodes = decided.filter_map(|decision| match decision {
                Decision::Reserve { request, window } => {
                    Some((request, window.slots().iter().map(|slot| slot.node.0).collect()))
                }
                _ => None,
            });
            nodes.collect()
        })
    }

    #[test]
    fn jobs_that_no_resource_could_serve_get_what_is_left_of_a_domain() {
        // Three groups: the second is too slow for the first job, and the last job is wider than any.
        let nodes: Nodes<'_> = &[&[(200, 300), (100, 100), (100, 100), (150, 200)]];
        let jobs = [(1, 180), (1, 50), (2, 50)];
        let groups = served(nodes, &jobs, BrokerResources::Groups);
        // Greedy serves the jobs in their order: the cheapest node that is fast enough, and the cheapest of all; then no
        // group has two nodes left.
        assert_eq!(groups, [(0, vec![0]), (1, vec![1])]);
        assert_eq!(served(nodes, &[(3, 50)], BrokerResources::Groups), [(0, vec![1, 2, 3])], "of two groups");
        for resources in [BrokerResources::Nodes, BrokerResources::Domains] {
            let all = served(nodes, &jobs, resources);
            assert_eq!(all.iter().map(|(job, _)| *job).collect::<Vec<_>>(), [0, 1, 2], "{resources:?}");
            assert_eq!(all[0].1, [0], "the only one that is fast enough");
        }
        // Of what the others left, nobody gets a node twice.
        let nodes_served: Vec<u32> =
            served(nodes, &jobs, BrokerResources::Nodes).into_iter().flat_map(|(_, nodes)| nodes).collect();
        assert_eq!(BTreeSet::from_iter(&nodes_served).len(), 4);
    }
}
