//! The queues of a grid that lives, cycle by cycle, against a plain implementation and their promises.

use gridloom::check::{Grant, check_windows};
use gridloom::engine::Stop;
use gridloom::model::{CostLimit, Interval, JobId, Node, NodeId, Request, Slot, SlotList, Window};
use gridloom::policy::{Backfilling, Decision, Policy, View, Waiting, Why};
use gridloom::queueing::QueueRule;
use gridloom::search::{Amp, Finder, Offers, WindowSearch};
use gridloom::units::{Performance, Power, Price, Span, Time};
use gridloom::workload::RuntimeRule;
use proptest::prelude::*;

const SEARCH: Amp = Amp::within(1.0);
const LIMIT: CostLimit = CostLimit::Total(1.0);

#[derive(Debug, Clone)]
struct World {
    nodes: Vec<Node>,
    slots: SlotList,
    queue: Vec<Request>,
}

/// Nodes of one speed, so that the cheapest node is the cheapest for everybody; each is free from some instant on, perhaps twice.
fn worlds() -> impl Strategy<Value = World> {
    let node = (1i64..6, 0i64..30, 1i64..40, 0i64..20, 1i64..60);
    let job = (1usize..5, 1i64..40, 1i64..8, prop::option::of(20i64..90));
    (prop::collection::vec(node, 1..9), prop::collection::vec(job, 0..10)).prop_map(|(nodes, jobs)| {
        let slots = nodes.iter().enumerate().flat_map(|(index, &(_, start, length, gap, rest))| {
            let slot = |start: i64, end: i64| Slot {
                node: NodeId(index as u32),
                interval: Interval::new(Time::from_units(start), Time::from_units(end)),
            };
            // Half of the nodes are idle now.
            let start = (start - 15).max(0);
            [slot(start, start + length), slot(start + length + gap + 1, start + length + gap + 1 + rest)]
        });
        let slots = SlotList::new(slots).unwrap();
        let nodes = nodes.iter().enumerate().map(|(index, &(price, ..))| Node {
            name: format!("n{index}"),
            performance: Performance::from_units(1),
            price: Price::from_units(price),
            power: Power::ZERO,
        });
        let queue = jobs.iter().map(|&(nodes, length, price, deadline)| Request {
            name: "job".into(),
            nodes,
            length: Span::from_units(length),
            min_performance: Performance::from_units(1),
            max_price: Price::from_units(price),
            deadline: deadline.map(Time::from_units),
        });
        World { nodes: nodes.collect(), slots, queue: queue.collect() }
    })
}

fn rules() -> impl Strategy<Value = QueueRule> {
    let depth = |depth: u32| QueueRule::Depth(depth.try_into().unwrap());
    prop::sample::select(vec![QueueRule::Fcfs, QueueRule::Easy, depth(2), depth(3), QueueRule::Conservative])
}

impl World {
    /// The windows of those who start.
    fn decide(&self, rule: QueueRule) -> Vec<Option<Window>> {
        let mut started = vec![None; self.queue.len()];
        for decision in self.decisions(rule) {
            if let Decision::Reserve { request, window } = decision {
                started[request] = Some(window);
            }
        }
        started
    }

    /// When each starts or is promised to.
    fn starts(&self, rule: QueueRule) -> Vec<Option<Time>> {
        let mut starts = vec![None; self.queue.len()];
        for decision in self.decisions(rule) {
            match decision {
                Decision::Reserve { request, window } => starts[request] = Some(window.start()),
                Decision::Promise { request, start } => starts[request] = Some(start),
                _ => unreachable!("a queue decides on nothing else"),
            }
        }
        starts
    }

    fn decisions(&self, rule: QueueRule) -> Vec<Decision> {
        let waiting = |(id, request)| Waiting::new(JobId(id), request);
        let queue: Vec<Waiting<'_>> = (0..).zip(&self.queue).map(waiting).collect();
        let view = View {
            now: Time::ZERO,
            nodes: &self.nodes,
            domains: &[],
            slots: &self.slots.clone().into(),
            rule: RuntimeRule::Reference,
            queue: &queue,
            systems: &[],
            why: Why::Cycle,
            stop: Stop::NEVER,
        };
        Backfilling::new(rule, Finder::Amp(SEARCH)).decide(&view).unwrap()
    }

    fn earliest(&self, slots: &SlotList, request: &Request) -> Option<Window> {
        SEARCH.find_window(&Offers { nodes: &self.nodes, slots, rule: RuntimeRule::Reference }, request)
    }

    fn without<'w>(&self, windows: impl IntoIterator<Item = &'w Window>) -> SlotList {
        let mut slots = self.slots.clone();
        windows.into_iter().for_each(|window| slots.subtract(window).unwrap());
        slots
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn whoever_starts_does_so_now_and_by_the_laws_of_windows(world in worlds(), rule in rules()) {
        let started = world.decide(rule);
        let pairs = world.queue.iter().zip(&started);
        let grants: Vec<Grant> =
            pairs.filter_map(|(request, window)| Some(Grant { request, window: window.as_ref()?, limit: LIMIT })).collect();
        prop_assert!(grants.iter().all(|grant| grant.window.start() == Time::ZERO));
        let free = world.slots.as_slice();
        if let Err(broken) = check_windows(&world.nodes, free, RuntimeRule::Reference, &grants) {
            panic!("{broken}");
        }
    }

    #[test]
    fn without_reservations_nobody_overtakes_a_job_that_could_be_served_later(world in worlds()) {
        let started = world.decide(QueueRule::Fcfs);
        for (place, request) in world.queue.iter().enumerate() {
            let left = world.without(started[..place].iter().flatten());
            if started[place].is_none() && world.earliest(&left, request).is_some() {
                prop_assert!(started[place..].iter().all(Option::is_none));
                break;
            }
        }
    }

    #[test]
    fn with_reservations_for_all_those_ahead_start_as_if_they_were_alone(world in worlds()) {
        let all = world.starts(QueueRule::Conservative);
        for ahead in 1..world.queue.len() {
            let alone = World { queue: world.queue[..ahead].to_vec(), ..world.clone() };
            prop_assert_eq!(&alone.starts(QueueRule::Conservative)[..], &all[..ahead]);
        }
        // The first gets the earliest window that there is.
        let first = world.queue.first().map(|request| world.earliest(&world.slots, request).map(|window| window.start()));
        prop_assert_eq!(first, all.first().copied());
    }

    #[test]
    fn the_first_who_must_wait_is_not_delayed_by_anyone_behind(world in worlds()) {
        let started = world.decide(QueueRule::Easy);
        let mut ahead = Vec::new();
        for (request, window) in world.queue.iter().zip(&started) {
            if let Some(window) = window {
                ahead.push(window);
                continue;
            }
            let Some(promised) = world.earliest(&world.without(ahead.iter().copied()), request) else { continue };
            let after = world.earliest(&world.without(started.iter().flatten()), request);
            prop_assert!(after.is_some_and(|after| after.start() <= promised.start()));
            break;
        }
    }
}
