//! Queues of requests before nodes that are not dedicated, against a plain implementation, by laws, and against the classical queue.

use gridloom::check::{Grant, check_windows};
use gridloom::model::{CostLimit, Interval, Node, NodeId, Request, Slot, SlotList, Window};
use gridloom::queueing::{QueueRule, RigidJob, plan};
use gridloom::search::{Amp, Finder, Offers, budget};
use gridloom::sim::{Instants, replay};
use gridloom::units::{Money, Performance, Power, Price, Span, Time};
use gridloom::workload::RuntimeRule;
use proptest::prelude::*;

const RULE: RuntimeRule = RuntimeRule::Reference;
const AMP: Finder = Finder::Amp(Amp::within(1.0));
const ANY: Time = Time::MAX;

fn at(units: i64) -> Time {
    Time::from_units(units)
}

fn depth(requests: u32) -> QueueRule {
    QueueRule::Depth(requests.try_into().unwrap())
}

#[derive(Debug, Clone)]
struct World {
    nodes: Vec<Node>,
    slots: SlotList,
    queue: Vec<Request>,
}

/// Up to five nodes with a few slots each, and up to eight requests.
fn worlds() -> impl Strategy<Value = World> {
    let node = (1i64..4, 0i64..5, prop::collection::vec((1i64..16, 0i64..5), 1..4));
    let request = (1usize..4, 1i64..14, 1i64..3, 0i64..6, prop::option::of(10i64..40));
    (prop::collection::vec(node, 1..6), prop::collection::vec(request, 1..9)).prop_map(|(nodes, requests)| {
        let mut slots = Vec::new();
        for (index, (_, _, lengths)) in nodes.iter().enumerate() {
            let mut clock = 0;
            for &(length, gap) in lengths {
                let interval = Interval::new(at(clock + gap), at(clock + gap + length));
                slots.push(Slot { node: NodeId(index as u32), interval });
                clock += gap + length;
            }
        }
        let node = |(index, (performance, price, _)): (usize, &(i64, i64, Vec<_>))| Node {
            name: format!("n{index}"),
            performance: Performance::from_units(*performance),
            price: Price::from_units(*price),
            power: Power::ZERO,
        };
        let request = |(index, (nodes, length, performance, price, deadline))| Request {
            name: format!("job {index}"),
            nodes,
            length: Span::from_units(length),
            min_performance: Performance::from_units(performance),
            max_price: Price::from_units(price),
            deadline: Option::map(deadline, at),
        };
        World {
            nodes: nodes.iter().enumerate().map(node).collect(),
            slots: SlotList::new(slots).unwrap(),
            queue: requests.into_iter().enumerate().map(request).collect(),
        }
    })
}

fn planned(world: &World, finder: Finder, policy: QueueRule) -> Vec<Option<Window>> {
    let offers = Offers { nodes: &world.nodes, slots: &world.slots, rule: RULE };
    let windows = plan(&offers, &world.queue.iter().collect::<Vec<_>>(), finder, policy);
    let limit = if finder == Finder::ALP { CostLimit::PerSlot } else { CostLimit::Total(1.0) };
    let grants: Vec<Grant<'_>> = world
        .queue
        .iter()
        .zip(&windows)
        .filter_map(|(request, window)| window.as_ref().map(|window| Grant { request, window, limit }))
        .collect();
    check_windows(&world.nodes, world.slots.as_slice(), RULE, &grants).unwrap();
    windows
}

/// The rules once more, as plainly as possible: free time is a list of slots, every question is asked of every slot anew.
struct Plain<'a> {
    world: &'a World,
    finder: Finder,
    /// The start that the first reservation of each request promised.
    promises: Vec<Option<Time>>,
}

impl Plain<'_> {
    /// The window of a request that starts at `start`: the cheapest nodes there, lower ones first.
    fn window_at(&self, free: &SlotList, request: usize, start: Time) -> Option<Window> {
        let request = &self.world.queue[request];
        let mut live: Vec<(Money, NodeId, Span)> = Vec::new();
        for slot in free.as_slice() {
            let node = &self.world.nodes[slot.node.index()];
            let runtime = RULE.runtime(request, node.performance).unwrap();
            let task = Interval::new(start, start + runtime);
            if node.performance >= request.min_performance
                && slot.interval.covers(task)
                && request.deadline.is_none_or(|deadline| task.end <= deadline)
                && (self.finder != Finder::ALP || node.price <= request.max_price)
            {
                live.push((node.price * runtime, slot.node, runtime));
            }
        }
        live.sort();
        live.truncate(request.nodes);
        let cost: i64 = live.iter().map(|(cost, _, _)| cost.ticks()).sum();
        let affordable = self.finder == Finder::ALP || cost <= budget(request, 1.0).ticks();
        let parts = live.iter().map(|&(_, node, runtime)| (node, runtime)).collect();
        (live.len() == request.nodes && affordable).then(|| Window::new(start, parts))
    }

    /// Of all windows that start at `from`, or where a slot begins until `until`, the first.
    fn earliest(&self, free: &SlotList, request: usize, from: Time, until: Time) -> Option<Window> {
        let mut starts: Vec<Time> = free.as_slice().iter().map(|slot| slot.interval.start).chain([from]).collect();
        starts.sort();
        starts.retain(|&start| start >= from && start <= until);
        starts.into_iter().find_map(|start| self.window_at(free, request, start))
    }

    fn first_come_first_served(&self) -> Vec<Option<Window>> {
        let (mut free, mut last) = (self.world.slots.clone(), at(0));
        let mut windows = Vec::new();
        for request in 0..self.world.queue.len() {
            let window = self.earliest(&free, request, last, ANY);
            if let Some(window) = &window {
                free.subtract(window).unwrap();
                last = window.start();
            }
            windows.push(window);
        }
        windows
    }

    /// The reservations of these requests one after another, or nothing if one of them finds no place before its limits.
    fn reserve(&self, free: &SlotList, now: Time, requests: &[(usize, Time, Time)]) -> Option<Vec<Window>> {
        let mut free = free.clone();
        let mut windows = Vec::new();
        for &(request, start, finish) in requests {
            let window = self.earliest(&free, request, now, start).filter(|window| window.finish() <= finish)?;
            free.subtract(&window).unwrap();
            windows.push(window);
        }
        Some(windows)
    }

    /// Looks at every instant at which anything could change, and makes all reservations anew at each.
    fn backfilling(&mut self, depth: usize) -> Vec<Option<Window>> {
        let mut free = self.world.slots.clone();
        let mut queue: Vec<usize> = (0..self.world.queue.len()).collect();
        let mut windows = vec![None; queue.len()];
        let mut now = at(0);
        loop {
            let mut held: Vec<(usize, Time, Time)> = Vec::new();
            let mut reserved: Vec<Window> = Vec::new();
            let mut place = 0;
            // Those at the front, until one more would be too many or none is left.
            while held.len() < depth && place < queue.len() {
                let request = queue[place];
                held.push((request, ANY, ANY));
                match self.reserve(&free, now, &held) {
                    None => {
                        held.pop();
                        queue.remove(place);
                    }
                    Some(made) if made.last().unwrap().start() == now => {
                        let window = made.last().unwrap().clone();
                        free.subtract(&window).unwrap();
                        held.pop();
                        windows[queue.remove(place)] = Some(window);
                    }
                    Some(made) => {
                        self.promises[request].get_or_insert(made.last().unwrap().start());
                        reserved = made;
                        place += 1;
                    }
                }
            }
            let mut rest: Vec<usize> = queue.split_off(place);
            rest.retain(|&request| {
                let limits: Vec<(usize, Time, Time)> =
                    queue.iter().zip(&reserved).map(|(&other, old)| (other, old.start(), old.finish())).collect();
                let mut unreserved = free.clone();
                reserved.iter().for_each(|window| unreserved.subtract(window).unwrap());
                let beside = self.window_at(&unreserved, request, now);
                let Some(window) = beside.or_else(|| self.window_at(&free, request, now)) else { return true };
                let mut left = free.clone();
                left.subtract(&window).unwrap();
                let Some(made) = self.reserve(&left, now, &limits) else { return true };
                (free, reserved) = (left, made);
                windows[request] = Some(window);
                false
            });
            queue.extend(rest);
            let instants = free.as_slice().iter().map(|slot| slot.interval.start);
            let due = reserved.iter().map(Window::start);
            match instants.chain(due).filter(|&time| time > now).min() {
                Some(next) => now = next,
                None => return windows,
            }
        }
    }
}

fn plainly(world: &World, finder: Finder, policy: QueueRule) -> (Vec<Option<Window>>, Vec<Option<Time>>) {
    let mut plain = Plain { world, finder, promises: vec![None; world.queue.len()] };
    let windows = match policy {
        QueueRule::Fcfs => plain.first_come_first_served(),
        QueueRule::Easy => plain.backfilling(1),
        QueueRule::Depth(depth) => plain.backfilling(depth.get() as usize),
        QueueRule::Conservative => plain.backfilling(usize::MAX),
    };
    (windows, plain.promises)
}

#[test]
fn the_three_disciplines_differ_where_they_should() {
    // Two equal nodes, free from 0 and from 10 on. A (2 nodes, 10) waits for both: 10-20. B (2 nodes, 10) is next: 20-30.
    // C (1 node, 25) and D (1 node, 8): D is done before A, C is not.
    let node = |name: &str| Node {
        name: name.into(),
        performance: Performance::from_units(1),
        price: Price::from_units(1),
        power: Power::ZERO,
    };
    let free = |node, start, end| Slot { node: NodeId(node), interval: Interval::new(at(start), at(end)) };
    let request = |nodes, length| Request {
        name: "job".into(),
        nodes,
        length: Span::from_units(length),
        min_performance: Performance::from_units(1),
        max_price: Price::from_units(1),
        deadline: None,
    };
    let starts = |third: Slot, nodes: Vec<Node>, policy| -> Vec<i64> {
        let slots = SlotList::new([free(0, 0, 100), free(1, 10, 100), third]).unwrap();
        let queue = vec![request(2, 10), request(2, 10), request(1, 25), request(1, 8)];
        let windows = planned(&World { nodes, slots, queue }, Finder::ALP, policy);
        windows.iter().map(|window| window.as_ref().unwrap().start().ticks() / 1_000_000).collect()
    };
    let two = |policy| starts(free(0, 200, 201), vec![node("a"), node("b")], policy);
    assert_eq!(two(QueueRule::Fcfs), [10, 20, 30, 30]);
    assert_eq!(two(QueueRule::Easy), [10, 20, 30, 0]);
    assert_eq!(two(QueueRule::Conservative), [10, 20, 30, 0]);
    // With a third node, free from 5 to 35, A takes a and c at 5. Conservative: B has a and b at 15, C a at 25, D c at 15. EASY: when
    // A starts, B reserves a and b for 15; at 10 C could have b if B took c instead, which delays nobody, so it does; D
    // finds room when B ends, at 25. With two reservations C holds a at 25; at 10 D is let in on b, B takes c, and C gets b
    // when D ends, at 18.
    let three = |policy| starts(free(2, 5, 35), vec![node("a"), node("b"), node("c")], policy);
    assert_eq!(three(QueueRule::Conservative), [5, 15, 25, 15]);
    assert_eq!(three(QueueRule::Easy), [5, 15, 10, 25]);
    assert_eq!(three(depth(2)), [5, 15, 18, 10]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 250, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_plain_implementation_agrees_window_by_window(world in worlds(), alp in any::<bool>()) {
        let finder = if alp { Finder::ALP } else { AMP };
        for policy in [QueueRule::Fcfs, QueueRule::Easy, QueueRule::Conservative] {
            prop_assert_eq!(planned(&world, finder, policy), plainly(&world, finder, policy).0, "{:?}", policy);
        }
    }

    #[test]
    fn first_come_first_served_starts_in_the_order_of_the_queue(world in worlds()) {
        let windows = planned(&world, AMP, QueueRule::Fcfs);
        let starts: Vec<Time> = windows.iter().flatten().map(Window::start).collect();
        prop_assert!(starts.is_sorted());
    }

    #[test]
    fn whoever_holds_a_reservation_starts_no_later(world in worlds(), few in 1u32..5) {
        for policy in [depth(few), QueueRule::Conservative] {
            let promises = plainly(&world, AMP, policy).1;
            for (window, promised) in planned(&world, AMP, policy).iter().zip(promises) {
                let start = window.as_ref().map(Window::start);
                prop_assert!(promised.is_none_or(|promised| start.is_some_and(|start| start <= promised)), "{:?}", policy);
            }
        }
    }

    #[test]
    fn conservative_gives_those_ahead_what_they_would_have_alone(world in worlds()) {
        let all = planned(&world, AMP, QueueRule::Conservative);
        for ahead in 1..world.queue.len() {
            let alone = World { queue: world.queue[..ahead].to_vec(), ..world.clone() };
            prop_assert_eq!(&planned(&alone, AMP, QueueRule::Conservative)[..], &all[..ahead]);
        }
        prop_assert_eq!(&planned(&world, AMP, depth(9)), &all);
        prop_assert_eq!(planned(&world, AMP, depth(1)), planned(&world, AMP, QueueRule::Easy));
    }

    #[test]
    fn the_head_of_the_queue_is_served_as_if_it_were_alone(world in worlds()) {
        let alone = World { queue: world.queue[..1].to_vec(), ..world.clone() };
        let alone = planned(&alone, AMP, QueueRule::Fcfs).remove(0);
        for policy in [QueueRule::Fcfs, QueueRule::Easy, depth(3), QueueRule::Conservative] {
            let first = planned(&world, AMP, policy).remove(0);
            prop_assert_eq!(first.map(|window| window.start()), alone.as_ref().map(Window::start));
        }
    }

    #[test]
    fn on_equal_dedicated_nodes_it_is_the_classical_queue(
        nodes in 1u32..7,
        jobs in prop::collection::vec((1u32..7, 1i64..20), 1..25),
    ) {
        let node = |index| Node {
            name: format!("n{index}"),
            performance: Performance::from_units(1),
            price: Price::from_units(1),
            power: Power::ZERO,
        };
        let free = |node| Slot { node: NodeId(node), interval: Interval::new(at(0), at(1000)) };
        let request = |&(width, length): &(u32, i64)| Request {
            name: "job".into(),
            nodes: width.min(nodes) as usize,
            length: Span::from_units(length),
            min_performance: Performance::from_units(1),
            max_price: Price::from_units(1),
            deadline: None,
        };
        let rigid = |&(width, length): &(u32, i64)| {
            let span = Span::from_units(length);
            RigidJob { submit: at(0), processors: width.min(nodes), estimate: span, runtime: span }
        };
        let world = World {
            nodes: (0..nodes).map(node).collect(),
            slots: SlotList::new((0..nodes).map(free)).unwrap(),
            queue: jobs.iter().map(request).collect(),
        };
        let rigid: Vec<RigidJob> = jobs.iter().map(rigid).collect();
        for policy in [QueueRule::Fcfs, QueueRule::Easy] {
            let classical = replay(&rigid, nodes, policy, Instants::Batch).unwrap();
            let starts = planned(&world, Finder::ALP, policy).into_iter().map(|window| window.map(|w| w.start()));
            let expected = classical.into_iter().map(|placement| placement.map(|p| p.start));
            prop_assert_eq!(starts.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{:?}", policy);
        }
    }
}
