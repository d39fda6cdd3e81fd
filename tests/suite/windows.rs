//! Window searches against brute force and against the independent check, on small random worlds.

use gridloom::check::{Grant, check_windows};
use gridloom::model::{Interval, Node, NodeId, Request, RuntimeRule, Slot, SlotList, Window};
use gridloom::policy::{Decision, FirstWindow, Policy, View};
use gridloom::search::{Alp, Offers, WindowSearch};
use gridloom::units::{Performance, Price, Span, Time};
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
    let node = (1i64..4, 0i64..5, slots);
    (prop::collection::vec(node, 1..6), any::<bool>()).prop_map(|(described, volume)| {
        let mut nodes = Vec::new();
        let mut slots = Vec::new();
        for (index, (performance, price, lengths)) in described.into_iter().enumerate() {
            nodes.push(Node {
                name: format!("n{index}"),
                performance: Performance::from_units(performance),
                price: Price::from_units(price),
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

/// The earliest start at which enough nodes could take the job: every slot's start is tried, since a window that starts
/// between two of them could start at the earlier one as well.
fn earliest_start(world: &World, request: &Request) -> Option<Time> {
    let fits = |slot: &Slot, start: Time| {
        let node = &world.nodes[slot.node.index()];
        let runtime = world.rule.runtime(request, node.performance).unwrap();
        node.performance >= request.min_performance
            && node.price <= request.max_price
            && slot.interval.covers(Interval::new(start, start + runtime))
            && request.deadline.is_none_or(|deadline| start + runtime <= deadline)
    };
    let mut starts: Vec<Time> = world.slots.iter().map(|slot| slot.interval.start).collect();
    starts.sort_unstable();
    starts.into_iter().find(|&start| world.slots.iter().filter(|slot| fits(slot, start)).count() >= request.nodes)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn alp_finds_the_earliest_window_there_is(world in worlds(), request in requests()) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let offers = Offers { nodes: &world.nodes, slots: &slots, rule: world.rule };
        let found = Alp.find_window(&offers, &request);
        prop_assert_eq!(found.as_ref().map(Window::start), earliest_start(&world, &request));
        if let Some(window) = found {
            let grants = [Grant { request: &request, window: &window }];
            prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()));
        }
    }

    #[test]
    fn windows_of_one_batch_do_not_collide(world in worlds(), batch in prop::collection::vec(requests(), 1..5)) {
        let slots = SlotList::new(world.slots.iter().copied()).unwrap();
        let queue: Vec<&Request> = batch.iter().collect();
        let view = View { nodes: &world.nodes, slots: &slots, rule: world.rule, queue: &queue };
        let decisions = FirstWindow(Alp).decide(&view);
        let grants: Vec<Grant> = decisions
            .iter()
            .map(|Decision::Reserve { request, window }| Grant { request: queue[*request], window })
            .collect();
        prop_assert_eq!(check_windows(&world.nodes, &world.slots, world.rule, &grants), Ok(()));
        // The first request has the whole world before it.
        prop_assert_eq!(
            decisions.iter().any(|Decision::Reserve { request, .. }| *request == 0),
            earliest_start(&world, queue[0]).is_some()
        );
    }
}
