//! Window searches against brute force and against the independent check, on small random worlds.

use gridloom::check::{Grant, check_windows};
use gridloom::engine::Stop;
use gridloom::language::constant;
use gridloom::model::{CostLimit, Interval, JobId, Node, NodeId, Request, Slot, SlotList, Window};
use gridloom::policy::{Decision, FirstWindow, Policy, View, Waiting, Why};
use gridloom::search::{
    Alp, Amp, ByCriterion, Finder, Offers, PrintedSearch, Search, Takes, WindowCriterion, WindowSearch, budget,
    collect_alternatives, find_alternatives,
};
use gridloom::units::{Money, Performance, Power, Price, Span, Time};
use gridloom::workload::RuntimeRule;
use proptest::prelude::*;

#[derive(Debug, Clone)]
struct World {
    nodes: Vec<Node>,
    slots: Vec<Slot>,
    rule: RuntimeRule,
}

fn interval(start: i64, end: i64) -> Interval {
    Interval::new(Time::from_units(start), Time::from_units(end))
}

/// Up to five nodes; each node's slots are what lies between cuts of [0, 40), some touching, some apart.
fn worlds() -> impl Strategy<Value = World> {
    let slots = prop::collection::vec((1i64..12, 0i64..4), 1..5);
    let node = (1i64..4, 0i64..5, 0i64..4, slots);
    (prop::collection::vec(node, 1..6), any::<bool>()).prop_map(|(described, volume)| {
        let mut nodes = Vec::new();
        let mut slots = Vec::new();
        for (index, (performance, price, power, lengths)) in described.into_iter().enumerate() {
            nodes.push(Node {
                name: format!("n{index}"),
                performance: Performance::from_units(performance),
                price: Price::from_units(price),
                power: Power::from_units(power),
            });
            let mut clock = 0;
            for (length, gap) in lengths {
                clock += gap;
                slots.push(Slot { node: NodeId(index as u32), interval: interval(clock, clock + length) });
                clock += length;
            }
        }
        let rule = if volume { RuntimeRule::Volume } else { RuntimeRule::Reference };
        World { nodes, slots, rule }
    })
}

fn requests() -> impl Strategy<Value = Request> {
    (1usize..5, 1i64..15, 1i64..3, 0i64..5, prop::option::of(5i64..40)).prop_map(
        |(nodes, length, performance, price, deadline)| Request {
            name: "job".into(),
            nodes,
            length: Span::from_units(length),
            min_performance: Performance::from_units(performance),
            max_price: Price::from_units(price),
            deadline: deadline.map(Time::from_units),
        },
    )
}

/// All windows there are: for every start of a slot, every choice of as many slots as asked for that are live then. A window that
/// starts between two of them could as well start at the earlier one.
fn all_windows(world: &World, request: &Request) -> Vec<Window> {
    let mut starts: Vec<Time> = world.slots.iter().map(|slot| slot.interval.start).collect();
    starts.sort_unstable();
    starts.dedup();
    let mut windows = Vec::new();
    for start in starts {
        let live: Vec<(NodeId, Span)> = world
            .slots
            .iter()
            .filter_map(|slot| {
                let performance = world.nodes[slot.node.index()].performance;
                let runtime = world.rule.runtime(request, performance).unwrap();
                let fits = performance >= request.min_performance
                    && slot.interval.covers(Interval::new(start, start + runtime))
                    && request.deadline.is_none_or(|deadline| start + runtime <= deadline);
                fits.then_some((slot.node, runtime))
            })
            .collect();
        let choices = (0u32..1 << live.len()).filter(|choice| choice.count_ones() as usize == request.nodes);
        windows.extend(choices.map(|choice| {
            let taken = (0..live.len()).filter(|bit| choice >> bit & 1 == 1).map(|bit| live[bit]).collect();
            Window::new(start, taken)
        }));
    }
    windows
}

fn cost(world: &World, window: &Window) -> Money {
    window.cost(&world.nodes).unwrap()
}

/// What a criterion makes least.
fn measure(world: &World, window: &Window, criterion: WindowCriterion) -> i64 {
    let spans = window.slots().iter().map(|slot| slot.interval.span());
    match criterion {
        WindowCriterion::EarliestStart => window.start().ticks(),
        WindowCriterion::EarliestFinish => window.finish().ticks(),
        WindowCriterion::MinCost => cost(world, window).ticks(),
        WindowCriterion::MinRuntime => window.time().ticks(),
        WindowCriterion::MinProcessorTime => spans.map(Span::ticks).sum(),
        WindowCriterion::MinPower => {
            let slots = window.slots().iter();
            slots.map(|slot| (world.nodes[slot.node.index()].power * slot.interval.span()).ticks()).sum()
        }
    }
}

const CRITERIA: [WindowCriterion; 6] = [
    WindowCriterion::EarliestStart,
    WindowCriterion::EarliestFinish,
    WindowCriterion::MinCost,
    WindowCriterion::MinRuntime,
    WindowCriterion::MinProcessorTime,
    WindowCriterion::MinPower,
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn alp_finds_the_earliest_window_there_is(world in worlds(), request in requests()) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let found = Alp::CHEAPEST.find_window(&offers, &request);
        let cheap = |window: &Window| window.slots().iter().all(|slot| world.nodes[slot.node.index()].price <= request.max_price);
        let rank = |window: &Window| (window.start(), cost(&world, window));
        let earliest = all_windows(&world, &request).iter().filter(|&window| cheap(window)).map(rank).min();
        prop_assert_eq!(found.as_ref().map(rank), earliest);
        if let Some(window) = found {
            let grants = [Grant { request: &request, window: &window, limit: CostLimit::PerSlot }];
            prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()));
        }
    }

    #[test]
    fn every_search_of_the_registry_keeps_its_promises(world in worlds(), request in requests()) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        for search in Search::NAMES.iter().map(|name| constant::<Search>(name)) {
            let (search, limit) = (search.get(), search.get().limit());
            if let Some(window) = search.find_window(&offers, &request) {
                let grants = [Grant { request: &request, window: &window, limit }];
                prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()), "{}", search.name());
            }
        }
    }

    #[test]
    fn criterion_windows_are_exact(world in worlds(), request in requests(), factor in 0.3f64..1.5) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let limit = budget(&request, factor);
        let mut windows = all_windows(&world, &request);
        windows.retain(|window| cost(&world, window) <= limit);
        for criterion in CRITERIA {
            let rank = |window: &Window| (measure(&world, window, criterion), window.start(), cost(&world, window));
            let found = ByCriterion { criterion, budget_factor: factor }.find_window(&offers, &request);
            prop_assert_eq!(found.as_ref().map(rank), windows.iter().map(rank).min(), "{:?}", criterion);
        }
    }

    /// Where the price is linear in performance, so is the cost in the runtime, and all choices of slots are about as good.
    #[test]
    fn criterion_windows_are_exact_where_prices_are_linear_in_performance(
        described in prop::collection::vec((1_000_000i64..4_000_000, 0i64..20, 10i64..40), 3..10),
        nodes in 1usize..6,
        factor in 1.0f64..2.0,
    ) {
        let node = |&(performance, _, _): &(i64, i64, i64)| Node {
            name: "n".into(),
            performance: Performance::from_ticks(performance),
            price: Price::from_ticks(2 * performance - 1_000_000),
            power: Power::from_ticks(4_000_000 - performance),
        };
        let slot = |(node, &(_, start, length)): (usize, &(i64, i64, i64))| {
            Slot { node: NodeId(node as u32), interval: interval(start, start + length) }
        };
        let slots = described.iter().enumerate().map(slot).collect();
        let world = World { nodes: described.iter().map(node).collect(), slots, rule: RuntimeRule::Reference };
        let request = asking(nodes, 9, 1);
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let mut windows = all_windows(&world, &request);
        windows.retain(|window| cost(&world, window) <= budget(&request, factor));
        for criterion in [WindowCriterion::MinProcessorTime, WindowCriterion::MinPower] {
            let rank = |window: &Window| (measure(&world, window, criterion), window.start(), cost(&world, window));
            let found = ByCriterion { criterion, budget_factor: factor }.find_window(&offers, &request);
            prop_assert_eq!(found.as_ref().map(rank), windows.iter().map(rank).min(), "{:?}", criterion);
        }
    }

    #[test]
    fn amp_never_starts_later_than_alp_where_no_node_is_slower_than_the_reference(world in worlds(), request in requests()) {
        let world = World { rule: RuntimeRule::Reference, ..world };
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        if let Some(alp) = Alp::CHEAPEST.find_window(&offers, &request) {
            let amp = Amp::within(1.0).find_window(&offers, &request).expect("ALP's window is within the budget");
            prop_assert!(amp.start() <= alp.start());
        }
    }

    #[test]
    fn first_met_is_amp_to_the_letter(world in worlds(), request in requests(), budget_factor in 0.3f64..1.5) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let found = Amp { takes: Takes::FirstMet, ..Amp::within(budget_factor) }.find_window(&offers, &request);
        prop_assert_eq!(&found, &amp_to_the_letter(&world, slots.as_slice(), &request, budget(&request, budget_factor)));
        let cheapest = Amp::within(budget_factor).find_window(&offers, &request);
        prop_assert_eq!(found.as_ref().map(Window::start), cheapest.as_ref().map(Window::start));
    }

    #[test]
    fn first_met_is_alp_to_the_letter(world in worlds(), request in requests()) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let found = Alp::FIRST_MET.find_window(&offers, &request);
        prop_assert_eq!(&found, &alp_to_the_letter(&world, slots.as_slice(), &request));
        let cheapest = Alp::CHEAPEST.find_window(&offers, &request);
        prop_assert_eq!(found.as_ref().map(Window::start), cheapest.as_ref().map(Window::start));
    }

    #[test]
    fn printed_searches_find_what_the_fast_ones_find(world in worlds(), request in requests()) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let printed = |search: PrintedSearch| search.count(&offers, &request);
        prop_assert_eq!(&printed(PrintedSearch::Alp).window, &Alp::FIRST_MET.find_window(&offers, &request));
        let amp = Amp { takes: Takes::FirstMet, ..Amp::within(1.0) };
        prop_assert_eq!(&printed(PrintedSearch::Amp).window, &amp.find_window(&offers, &request));
        // Backfilling knows no prices.
        let rich = Amp::within(1e9).find_window(&offers, &Request { max_price: Price::from_units(1000), ..request.clone() });
        let backfilled = printed(PrintedSearch::Backfilling);
        prop_assert_eq!(backfilled.window.as_ref().map(Window::start), rich.as_ref().map(Window::start));
        // In vain, every start is tried with every slot, and the list is walked through once.
        if backfilled.window.is_none() {
            let mut starts: Vec<Time> = world.slots.iter().map(|slot| slot.interval.start).collect();
            starts.sort_unstable();
            starts.dedup();
            let slots = world.slots.len() as u64;
            prop_assert_eq!(backfilled.steps, slots * starts.len() as u64);
            // A window that is never complete holds fewer slots than the request has nodes, and the one that is looked at.
            prop_assert!(printed(PrintedSearch::Alp).steps <= slots * (1 + request.nodes as u64));
        }
    }

    #[test]
    fn windows_of_one_batch_do_not_collide(world in worlds(), batch in prop::collection::vec(requests(), 1..5)) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let queue: Vec<&Request> = batch.iter().collect();
        let waiting: Vec<Waiting> = (0..).zip(&batch).map(|(id, request)| Waiting::new(JobId(id), request)).collect();
        let view = View { now: Time::ZERO, nodes: &world.nodes, domains: &[], slots: &slots.clone().into(), rule: world.rule, queue: &waiting, systems: &[], why: Why::Cycle, stop: Stop::NEVER };
        let decisions = FirstWindow(Alp::CHEAPEST).decide(&view).unwrap();
        let grants: Vec<Grant> = decisions
            .iter()
            .filter_map(|decision| match decision {
                Decision::Reserve { request, window } => Some(Grant { request: queue[*request], window, limit: CostLimit::PerSlot }),
                _ => None,
            })
            .collect();
        prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()));
    }

    #[test]
    fn alternatives_are_those_of_the_plain_round_robin(
        world in worlds(),
        batch in prop::collection::vec(requests(), 1..5),
        factor in prop::option::of(0.5f64..1.5),
        takes in prop::sample::select(vec![Takes::Cheapest, Takes::FirstMet]),
    ) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let queue: Vec<&Request> = batch.iter().collect();
        let (finder, limit) = match factor {
            Some(budget_factor) => (Finder::Amp(Amp { takes, ..Amp::within(budget_factor) }), CostLimit::Total(budget_factor)),
            None => (Finder::Alp(Alp { takes }), CostLimit::PerSlot),
        };
        let found = find_alternatives(&offers, &queue, finder, None);
        let search: &dyn WindowSearch = match &finder {
            Finder::Alp(alp) => alp,
            Finder::Amp(amp) => amp,
        };
        prop_assert_eq!(&found, &plain_round_robin(&world, &queue, search));
        prop_assert_eq!(&found, &collect_alternatives(&offers, &queue, search, None, Stop::NEVER).unwrap());
        let grants: Vec<Grant> = queue
            .iter()
            .zip(&found)
            .flat_map(|(&request, windows)| windows.iter().map(move |window| Grant { request, window, limit }))
            .collect();
        prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()));
        let first = find_alternatives(&offers, &queue, finder, Some(1));
        prop_assert!(first.iter().zip(&found).all(|(first, all)| first[..] == all[..all.len().min(1)]));
    }

    #[test]
    fn alternatives_by_any_criterion_are_those_of_the_plain_round_robin(
        world in worlds(),
        batch in prop::collection::vec(requests(), 1..5),
        budget_factor in 0.5f64..1.5,
        criterion in prop::sample::select(vec![
            WindowCriterion::EarliestFinish,
            WindowCriterion::MinCost,
            WindowCriterion::MinRuntime,
            WindowCriterion::MinProcessorTime,
            WindowCriterion::MinPower,
        ]),
        passes in 1usize..4,
    ) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let queue: Vec<&Request> = batch.iter().collect();
        let search = ByCriterion { criterion, budget_factor };
        let all = plain_round_robin(&world, &queue, &search);
        prop_assert_eq!(&collect_alternatives(&offers, &queue, &search, None, Stop::NEVER).unwrap(), &all);
        let limit = CostLimit::Total(budget_factor);
        let grants: Vec<Grant> = queue
            .iter()
            .zip(&all)
            .flat_map(|(&request, windows)| windows.iter().map(move |window| Grant { request, window, limit }))
            .collect();
        prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()));
        // Cut short, each job has the windows of the first passes.
        let few = collect_alternatives(&offers, &queue, &search, Some(passes), Stop::NEVER).unwrap();
        prop_assert!(few.iter().zip(&all).all(|(few, all)| few[..] == all[..all.len().min(passes)]));
    }
}

/// AMP as it is printed (file 000, section 3): slots are added one by one, those that have expired leave, and as soon as there are N, all are
/// sorted by cost.
fn amp_to_the_letter(world: &World, slots: &[Slot], request: &Request, limit: Money) -> Option<Window> {
    let mut live: Vec<(Money, NodeId, Span, Time)> = Vec::new();
    for slot in slots {
        let node = &world.nodes[slot.node.index()];
        let runtime = world.rule.runtime(request, node.performance).unwrap();
        let start = slot.interval.start;
        let end = slot.interval.end.min(request.deadline.unwrap_or(Time::MAX));
        if node.performance < request.min_performance || start + runtime > end {
            continue;
        }
        live.push((node.price * runtime, slot.node, runtime, end));
        live.retain(|&(_, _, runtime, end)| start + runtime <= end);
        live.sort_unstable();
        if let Some(first) = live.get(..request.nodes)
            && first.iter().map(|part| part.0.ticks()).sum::<i64>() <= limit.ticks()
        {
            return Some(Window::new(start, first.iter().map(|&(_, node, runtime, _)| (node, runtime)).collect()));
        }
    }
    None
}

/// ALP as it is printed (file 000, section 3): slots that suit are added one by one, those that have expired leave, and as soon as
/// there are N, they are the window.
fn alp_to_the_letter(world: &World, slots: &[Slot], request: &Request) -> Option<Window> {
    let mut window: Vec<(NodeId, Span, Time)> = Vec::new();
    for slot in slots {
        let node = &world.nodes[slot.node.index()];
        let runtime = world.rule.runtime(request, node.performance).unwrap();
        let start = slot.interval.start;
        let end = slot.interval.end.min(request.deadline.unwrap_or(Time::MAX));
        let is_fast = node.performance >= request.min_performance;
        if !is_fast || node.price > request.max_price || start + runtime > end {
            continue;
        }
        window.push((slot.node, runtime, end));
        window.retain(|&(_, runtime, end)| start + runtime <= end);
        if window.len() == request.nodes {
            return Some(Window::new(start, window.iter().map(|&(node, runtime, _)| (node, runtime)).collect()));
        }
    }
    None
}

/// Every search from the head of the list, every window subtracted from it, until nobody finds any.
fn plain_round_robin(world: &World, queue: &[&Request], search: &dyn WindowSearch) -> Vec<Vec<Window>> {
    let mut slots = SlotList::new(world.slots.iter().copied()).unwrap();
    let mut windows = vec![Vec::new(); queue.len()];
    loop {
        let mut found_any = false;
        for (request, windows) in queue.iter().zip(&mut windows) {
            let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
            if let Some(window) = search.find_window(&offers, request) {
                slots.subtract(&window).unwrap();
                windows.push(window);
                found_any = true;
            }
        }
        if !found_any {
            return windows;
        }
    }
}

/// A world of nodes of performance 1 and these prices, with these slots (node, start, end).
fn small(prices: &[i64], slots: &[(u32, i64, i64)]) -> World {
    let node = |(index, &price): (usize, &i64)| Node {
        name: format!("n{index}"),
        performance: Performance::from_units(1),
        price: Price::from_units(price),
        power: Power::from_units(1),
    };
    let slot = |&(node, start, end): &(u32, i64, i64)| Slot { node: NodeId(node), interval: interval(start, end) };
    World {
        nodes: prices.iter().enumerate().map(node).collect(),
        slots: slots.iter().map(slot).collect(),
        rule: RuntimeRule::Reference,
    }
}

fn asking(nodes: usize, length: i64, price: i64) -> Request {
    Request {
        name: "job".into(),
        nodes,
        length: Span::from_units(length),
        min_performance: Performance::from_units(1),
        max_price: Price::from_units(price),
        deadline: None,
    }
}

/// What every search finds: ALP, AMP, then by each criterion.
fn found(world: &World, request: &Request) -> Vec<Option<Window>> {
    let slots = SlotList::new(world.slots.iter().copied()).unwrap();
    let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
    let by = |criterion| ByCriterion { criterion, budget_factor: 1.0 }.find_window(&offers, request);
    let first = [Alp::CHEAPEST.find_window(&offers, request), Amp::within(1.0).find_window(&offers, request)];
    first.into_iter().chain(CRITERIA.map(by)).collect()
}

#[test]
fn a_task_does_not_run_across_the_seam_of_two_touching_slots() {
    let world = small(&[1], &[(0, 0, 10), (0, 10, 20)]);
    assert!(found(&world, &asking(1, 15, 1)).iter().all(Option::is_none));
    assert!(found(&world, &asking(1, 10, 1)).iter().all(Option::is_some));
    // Nor does one node count twice where its slots touch.
    assert!(found(&world, &asking(2, 5, 1)).iter().all(Option::is_none));
}

#[test]
fn what_can_not_be_served_is_not_found() {
    let world = small(&[1, 1], &[(0, 0, 10), (1, 0, 10)]);
    for (request, why) in [
        (asking(3, 5, 1), "more nodes than there are"),
        (asking(1_000_000_000, 5, 1), "absurdly many nodes"),
        (asking(2, 5, 0), "no budget"),
        (asking(1, 11, 1), "longer than any slot"),
        (Request { deadline: Some(Time::from_units(4)), ..asking(1, 5, 1) }, "a deadline before any end"),
        (Request { min_performance: Performance::from_units(2), ..asking(1, 5, 1) }, "too slow nodes"),
    ] {
        assert!(found(&world, &request).iter().all(Option::is_none), "{why}");
    }
    assert!(found(&small(&[1], &[]), &asking(1, 5, 1)).iter().all(Option::is_none), "no slots");
}

#[test]
fn free_nodes_cost_nothing_and_need_no_budget() {
    let world = small(&[0, 0, 7], &[(0, 0, 10), (1, 0, 10), (2, 0, 10)]);
    for window in found(&world, &asking(2, 5, 0)) {
        assert_eq!(cost(&world, &window.expect("two nodes are free of charge")), Money::ZERO);
    }
}

#[test]
fn ties_go_to_the_earlier_start_then_to_the_cheaper_then_to_the_lower_node() {
    // All runtimes are equal, so every window has the same runtime and processor time.
    let world = small(&[3, 2, 2, 2], &[(0, 0, 10), (1, 4, 14), (2, 0, 10), (3, 0, 10)]);
    let nodes = |window: &Window| window.slots().iter().map(|slot| slot.node.0).collect::<Vec<_>>();
    for window in found(&world, &asking(1, 5, 3)).into_iter().flatten() {
        assert_eq!((window.start(), nodes(&window)), (Time::ZERO, vec![2]));
    }
    for window in found(&world, &asking(2, 5, 3)).into_iter().flatten() {
        assert_eq!((window.start(), nodes(&window)), (Time::ZERO, vec![2, 3]));
    }
}

#[test]
fn among_windows_alike_lower_nodes_win_even_if_their_slots_begin_later() {
    let mut world = small(&[2, 2, 1], &[(0, 3, 20), (1, 0, 20), (2, 5, 20)]);
    world.nodes[2].performance = Performance::from_units(2);
    for (window, criterion) in found(&world, &asking(2, 4, 9)).into_iter().skip(2).zip(CRITERIA) {
        let window = window.expect("two nodes are free");
        let nodes: Vec<u32> = window.slots().iter().map(|slot| slot.node.0).collect();
        if matches!(criterion, WindowCriterion::MinCost | WindowCriterion::MinProcessorTime | WindowCriterion::MinPower)
        {
            assert_eq!((window.start(), nodes), (Time::from_units(5), vec![0, 2]), "{criterion:?}");
        }
    }
}
