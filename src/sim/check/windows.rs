//! The laws of windows.

use super::{Verdict, Violation, verdict};
use crate::model::{CostLimit, Node, Request, Slot, Window, sort_by_node};
use crate::units::{Performance, Span, TICKS_PER_UNIT};
use crate::workload::RuntimeRule;

/// A window that was granted to a request.
#[derive(Debug, Clone, Copy)]
pub struct Grant<'a> {
    /// The request that was made.
    pub request: &'a Request,
    /// The window that was granted.
    pub window: &'a Window,
    /// The limit of the window's cost.
    pub limit: CostLimit,
}

/// Judges windows that were all cut out of `free`: each against its request, and all against each other.
///
/// ```
/// use gridloom::check::{Grant, check_windows};
/// use gridloom::model::{CostLimit, Interval, Node, NodeId, Request, Slot, Window};
/// use gridloom::workload::RuntimeRule;
/// use gridloom::units::{Performance, Power, Price, Span, Time};
///
/// let node = Node { name: "a".into(), performance: Performance::from_units(2), price: Price::from_units(1), power: Power::ZERO };
/// let free = Slot { node: NodeId(0), interval: Interval::new(Time::ZERO, Time::from_units(30)) };
/// let request = Request {
///     name: "job".into(),
///     nodes: 1,
///     length: Span::from_units(50),
///     min_performance: Performance::from_units(1),
///     max_price: Price::from_units(1),
///     deadline: None,
/// };
/// let judge = |start| {
///     let window = Window::new(Time::from_units(start), vec![(NodeId(0), Span::from_units(25))]);
///     let grant = Grant { request: &request, window: &window, limit: CostLimit::PerSlot };
///     check_windows(&[node.clone()], &[free], RuntimeRule::Reference, &[grant])
/// };
/// assert!(judge(5).is_ok());
/// assert_eq!(judge(6).unwrap_err().0[0].to_string(), "job: [6, 31) on a is not inside a free slot");
/// ```
pub fn check_windows(nodes: &[Node], free: &[Slot], rule: RuntimeRule, grants: &[Grant<'_>]) -> Verdict {
    let mut broken = Vec::new();
    let mut free = free.to_vec();
    sort_by_node(&mut free);
    for grant in grants {
        check_grant(nodes, &free, rule, grant, &mut broken);
    }
    check_overlaps(nodes, grants, &mut broken);
    verdict(broken)
}

/// The same for the windows of each request, which all have one kind of limit.
pub fn check_alternatives(
    nodes: &[Node],
    free: &[Slot],
    rule: RuntimeRule,
    (requests, windows, limit): (&[Request], &[Vec<Window>], CostLimit),
) -> Verdict {
    let of_each = requests.iter().zip(windows);
    let grants: Vec<Grant<'_>> = of_each
        .flat_map(|(request, windows)| windows.iter().map(move |window| Grant { request, window, limit }))
        .collect();
    check_windows(nodes, free, rule, &grants)
}

/// Judges windows that were given first come, first served: no request starts before anyone ahead in the queue.
pub fn check_turns(queue: &[(&Request, Option<&Window>)]) -> Verdict {
    let mut broken = Vec::new();
    let placed: Vec<(&str, &Window)> =
        queue.iter().filter_map(|(request, window)| window.map(|window| (request.name.as_str(), window))).collect();
    for pair in placed.windows(2) {
        let [(first, ahead), (second, behind)] = [pair[0], pair[1]];
        if behind.start() < ahead.start() {
            broken.push(Violation(format!(
                "{second} starts at {}, before {first} at {}",
                behind.start(),
                ahead.start()
            )));
        }
    }
    verdict(broken)
}

fn check_grant(nodes: &[Node], free: &[Slot], rule: RuntimeRule, grant: &Grant<'_>, broken: &mut Vec<Violation>) {
    let Grant { request, window, limit } = grant;
    let mut law = |holds: bool, what: &dyn Fn() -> String| {
        if !holds {
            broken.push(Violation(format!("{}: {}", request.name, what())));
        }
    };
    let slots = window.slots();
    law(slots.len() == request.nodes, &|| format!("{} nodes granted, {} asked for", slots.len(), request.nodes));
    law(slots.windows(2).all(|pair| pair[0].interval.start == pair[1].interval.start), &|| {
        "not one common start".into()
    });
    law(are_distinct(slots), &|| "a node is granted twice".into());
    if let CostLimit::Total(factor) = limit {
        let rate = |slot: &Slot| nodes.get(slot.node.index()).map_or(0.0, |node| node.price.as_f64());
        let cost: f64 = slots.iter().map(|slot| rate(slot) * slot.interval.span().as_f64()).sum();
        let budget = factor * request.max_price.as_f64() * request.length.as_f64() * request.nodes as f64;
        // Floating point here, exact sums of rounded costs there: half a tick for each slot lies between them.
        let slack = 1e-6 * (slots.len() as f64 + 1.0) + 1e-12 * budget;
        law(cost <= budget + slack, &|| format!("costs {cost:.6}, above its budget of {budget:.6}"));
    }
    for slot in slots {
        let Some(node) = nodes.get(slot.node.index()) else {
            law(false, &|| format!("{} does not exist", slot.node));
            continue;
        };
        let place = || format!("{} on {}", slot.interval, node.name);
        law(node.performance >= request.min_performance, &|| format!("{} is too slow", node.name));
        law(*limit != CostLimit::PerSlot || node.price <= request.max_price, &|| format!("{} is too dear", node.name));
        // Free slots are disjoint, so only the last one that starts in time can hold it.
        let after =
            free.partition_point(|whole| (whole.node, whole.interval.start) <= (slot.node, slot.interval.start));
        let inside = free[..after]
            .last()
            .is_some_and(|whole| whole.node == slot.node && slot.interval.end <= whole.interval.end);
        law(inside, &|| format!("{} is not inside a free slot", place()));
        let runtime = slot.interval.end - slot.interval.start;
        law(is_runtime(rule, request, node.performance, runtime), &|| format!("{} is not the task's runtime", place()));
        if let Some(deadline) = request.deadline {
            law(slot.interval.end <= deadline, &|| format!("{} ends after the deadline {deadline}", place()));
        }
    }
}

/// True if all slots are on nodes of their own.
fn are_distinct(slots: &[Slot]) -> bool {
    // Slots in node order, as they usually come, need no sorting.
    let rise = |slots: &[Slot]| slots.windows(2).all(|pair| pair[0].node < pair[1].node);
    rise(slots) || {
        let mut sorted = slots.to_vec();
        sort_by_node(&mut sorted);
        rise(&sorted)
    }
}

/// True if `runtime` is the shortest time (in ticks, or in whole units) that does the work.
fn is_runtime(rule: RuntimeRule, request: &Request, performance: Performance, runtime: Span) -> bool {
    let one = i128::from(TICKS_PER_UNIT);
    let (minimum, grain) = match rule {
        RuntimeRule::Reference => (one, 1),
        RuntimeRule::Volume => (i128::from(request.min_performance.ticks()), TICKS_PER_UNIT),
    };
    let work = i128::from(request.length.ticks()) * minimum;
    let done = |ticks: i64| i128::from(ticks) * i128::from(performance.ticks());
    runtime.ticks() % grain == 0 && done(runtime.ticks()) >= work && done(runtime.ticks() - grain) < work
}

/// No node holds two tasks at once: neighbours in order of start must not overlap.
fn check_overlaps(nodes: &[Node], grants: &[Grant<'_>], broken: &mut Vec<Violation>) {
    let mut held = Vec::with_capacity(grants.iter().map(|grant| grant.window.slots().len()).sum());
    for (index, grant) in grants.iter().enumerate() {
        held.extend(grant.window.slots().iter().map(|slot| (slot.node, slot.interval, index)));
    }
    held.sort_unstable();
    for pair in held.windows(2) {
        let [(node, first, one), (other_node, second, other)] = [pair[0], pair[1]];
        if node == other_node && second.start < first.end {
            let name = nodes.get(node.index()).map_or("an unknown node", |node| node.name.as_str());
            let [one, other] = [one, other].map(|index| &grants[index].request.name);
            broken.push(Violation(format!("{one} {first} and {other} {second} overlap on {name}")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Interval, NodeId};
    use crate::units::{Power, Price, Time};

    fn node(name: &str, performance: i64, price: i64) -> Node {
        let (performance, price) = (Performance::from_units(performance), Price::from_units(price));
        Node { name: name.into(), performance, price, power: Power::ZERO }
    }

    fn request(nodes: usize) -> Request {
        Request {
            name: "job".into(),
            nodes,
            length: Span::from_units(30),
            min_performance: Performance::from_units(2),
            max_price: Price::from_units(5),
            deadline: Some(Time::from_units(50)),
        }
    }

    /// The violations found in one window for `request(2)` on three nodes that are free during [0, 60).
    fn said(start: i64, parts: &[(u32, i64)]) -> Vec<String> {
        said_within(CostLimit::PerSlot, start, parts)
    }

    fn said_within(limit: CostLimit, start: i64, parts: &[(u32, i64)]) -> Vec<String> {
        let nodes = [node("a", 2, 1), node("slow", 1, 1), node("dear", 3, 9)];
        let free: Vec<Slot> = (0..3)
            .map(|id| Slot { node: NodeId(id), interval: Interval::new(Time::ZERO, Time::from_units(60)) })
            .collect();
        let parts = parts.iter().map(|&(node, span)| (NodeId(node), Span::from_units(span))).collect();
        let window = Window::new(Time::from_units(start), parts);
        let grants = [Grant { request: &request(2), window: &window, limit }];
        match check_windows(&nodes, &free, RuntimeRule::Reference, &grants) {
            Ok(()) => Vec::new(),
            Err(broken) => broken.0.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn each_law_is_seen() {
        assert_eq!(said(0, &[(0, 15)]), ["job: 1 nodes granted, 2 asked for"]);
        assert_eq!(said(0, &[(0, 15), (1, 30)]), ["job: slow is too slow"]);
        assert_eq!(said(0, &[(0, 15), (2, 10)]), ["job: dear is too dear"]);
        assert_eq!(
            said(0, &[(0, 15), (0, 15)]),
            ["job: a node is granted twice", "job [0, 15) and job [0, 15) overlap on a"]
        );
        assert!(said(0, &[(0, 16), (2, 10)]).contains(&"job: [0, 16) on a is not the task's runtime".to_string()));
        assert!(said(0, &[(0, 14), (2, 10)]).contains(&"job: [0, 14) on a is not the task's runtime".to_string()));
        assert!(said(40, &[(0, 15), (2, 10)]).contains(&"job: [40, 55) on a ends after the deadline 50".to_string()));
        assert!(said(50, &[(0, 15), (2, 10)]).contains(&"job: [50, 65) on a is not inside a free slot".to_string()));
        assert!(said(0, &[(0, 15), (7, 10)]).contains(&"job: node 7 does not exist".to_string()));
    }

    #[test]
    fn overtaking_is_seen_past_those_without_a_window() {
        let window = |start: i64| Window::new(Time::from_units(start), vec![(NodeId(0), Span::from_units(1))]);
        let (early, late, request) = (window(3), window(7), request(1));
        assert!(check_turns(&[(&request, Some(&early)), (&request, None), (&request, Some(&late))]).is_ok());
        let broken = check_turns(&[(&request, Some(&late)), (&request, None), (&request, Some(&early))]);
        assert_eq!(broken.unwrap_err().0[0].to_string(), "job starts at 3, before job at 7");
    }

    #[test]
    fn a_budget_lets_a_dear_node_in_as_long_as_the_total_is_within_it() {
        // 15 x 1 + 10 x 9 = 105; the budget is a factor of 5 x 30 x 2 = 300.
        assert_eq!(said_within(CostLimit::Total(0.35), 0, &[(0, 15), (2, 10)]), [""; 0]);
        let over = said_within(CostLimit::Total(0.34), 0, &[(0, 15), (2, 10)]);
        assert_eq!(over, ["job: costs 105.000000, above its budget of 102.000000"]);
    }

    #[test]
    fn the_volume_rule_is_whole_units_of_work_at_the_slowest_admissible_speed() {
        let runtime = |span: i64| {
            is_runtime(RuntimeRule::Volume, &request(1), Performance::from_units(7), Span::from_ticks(span))
        };
        assert!(runtime(9_000_000), "30 x 2 / 7 is 8.57, and 9 whole units cover it");
        assert!(!runtime(8_571_429));
        assert!(!runtime(10_000_000));
    }
}
