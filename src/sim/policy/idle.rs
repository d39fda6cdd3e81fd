//! The nodes that are idle at this moment, for jobs that could start at once.

use super::{LongQueue, View};
use crate::model::{CostLimit, Node, NodeId, Request, Slot, Window};
use crate::search::{RoomBySize, budget, is_too_short, least_work};
use crate::units::{Performance, Price, Span, Time};
use crate::workload::RuntimeRule;

/// Idle nodes, the cheapest per unit of work first: a job that can start now takes the first nodes that will do.
#[derive(Debug)]
pub(super) struct Idle {
    now: Time,
    rule: RuntimeRule,
    nodes: Vec<IdleNode>,
    /// How many tasks could start at once on all nodes that were idle when that was first asked.
    room: RoomBySize,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct IdleNode {
    pub(super) node: NodeId,
    /// No job has reserved it until then.
    pub(super) until: Time,
    /// It is free until then.
    pub(super) end: Time,
    price: Price,
    performance: Performance,
}

impl IdleNode {
    /// True if it is certain that no task of so much work can run on it from `now` until `end`.
    pub(super) fn is_too_short(&self, work: f64, now: Time, end: Time) -> bool {
        is_too_short(work, self.performance, now, end)
    }
}

/// A node with its price and performance, free until the instant.
type OfferedNode = (NodeId, Price, Performance, Time);

/// The windows from now on that the jobs of a queue get if all of them can start at once on the nodes that are idle; nothing
/// if one of them can't, or if those nodes are not known without a list of all slots.
pub(super) fn all_at_once(view: &View<'_>, queue: &dyn LongQueue, limit: CostLimit) -> Option<Vec<Window>> {
    let mut more = view.slots.idle(0..view.domains.len())?.map(|(node, until)| {
        let Node { price, performance, .. } = view.nodes[node.index()];
        (node, price, performance, until)
    });
    // Those that did not do for an earlier job, in their order.
    let mut passed: Vec<OfferedNode> = Vec::new();
    let mut windows = Vec::new();
    for position in 0..queue.len() {
        let mut first = std::mem::take(&mut passed).into_iter();
        let offered = first.by_ref().chain(more.by_ref()).inspect(|&offered| passed.push(offered));
        let window = first_that_do(view.now, view.rule, queue.at(position).request, limit, offered)?;
        passed.retain(|(node, ..)| window.slots().binary_search_by_key(node, |slot| slot.node).is_err());
        passed.extend(first);
        windows.push(window);
    }
    Some(windows)
}

/// The window from now on over the first nodes that will do, if they are enough and within the limit.
fn first_that_do(
    now: Time,
    rule: RuntimeRule,
    request: &Request,
    limit: CostLimit,
    offered: impl Iterator<Item = OfferedNode>,
) -> Option<Window> {
    let will_do = |(node, price, performance, until): OfferedNode| {
        let fits =
            performance >= request.min_performance && (limit != CostLimit::PerSlot || price <= request.max_price);
        let until = request.deadline.map_or(until, |deadline| deadline.min(until));
        let runtime = rule.runtime(request, performance).filter(|&runtime| fits && now + runtime <= until)?;
        Some((node, price, runtime))
    };
    let chosen: Vec<(NodeId, Price, Span)> = offered.filter_map(will_do).take(request.nodes).collect();
    if chosen.len() < request.nodes || chosen.is_empty() {
        return None;
    }
    if let CostLimit::Total(factor) = limit {
        let cost = chosen
            .iter()
            .try_fold(0i64, |total, &(_, price, runtime)| total.checked_add(price.checked_mul(runtime).ok()?.ticks()));
        cost.filter(|&cost| cost <= budget(request, factor).ticks())?;
    }
    Some(Window::new(now, chosen.into_iter().map(|(node, _, runtime)| (node, runtime)).collect()))
}

/// The price of a unit of work as a fraction, for comparison without rounding.
fn dearer(a: &IdleNode, b: &IdleNode) -> std::cmp::Ordering {
    let left = i128::from(a.price.ticks()) * i128::from(b.performance.ticks());
    let right = i128::from(b.price.ticks()) * i128::from(a.performance.ticks());
    left.cmp(&right).then(a.node.cmp(&b.node))
}

impl Idle {
    /// All nodes that are idle now.
    pub(super) fn new(view: &View<'_>) -> Self {
        Self::of(view, Self::slots(view))
    }

    /// The slots of the nodes that are idle now.
    pub(super) fn slots<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Slot> + use<'a> {
        let now = view.now;
        view.slots.list().as_slice().iter().take_while(move |slot| slot.interval.start <= now)
    }

    /// The nodes of these slots, all of which have begun.
    pub(super) fn of<'a>(view: &View<'_>, slots: impl Iterator<Item = &'a Slot>) -> Self {
        let mut nodes: Vec<IdleNode> = slots
            .map(|slot| {
                let Node { price, performance, .. } = view.nodes[slot.node.index()];
                IdleNode { node: slot.node, until: slot.interval.end, end: slot.interval.end, price, performance }
            })
            .collect();
        nodes.sort_unstable_by(dearer);
        Self { now: view.now, rule: view.rule, nodes, room: RoomBySize::default() }
    }

    /// True if it is certain that there are not enough nodes for `request`, reserved or not.
    pub(super) fn is_too_small(&mut self, request: &Request) -> bool {
        let idle = || self.nodes.iter().map(|idle| (idle.performance, idle.end));
        self.room.is_too_small_now(self.now, self.rule, request, idle)
    }

    /// The most nodes on which tasks of a grade of work could run from now until the instant that `until`
    /// has for each; those for which it has none do not count.
    pub(super) fn most(&self, grade: usize, until: impl Fn(&IdleNode) -> Option<Time>) -> usize {
        let work = least_work(grade);
        let fits = |idle: &&IdleNode| until(idle).is_some_and(|until| !idle.is_too_short(work, self.now, until));
        self.nodes.iter().filter(fits).count()
    }

    /// The window from now on that `request` gets, which is taken out of the list, if there is one within its limits.
    pub(super) fn take(&mut self, request: &Request, limit: CostLimit) -> Option<Window> {
        let window = self.find(request, limit)?;
        self.keep_free(&window);
        Some(window)
    }

    /// The window from now on that `request` gets in time that no job has reserved, if there is one within its
    /// limits.
    pub(super) fn find(&self, request: &Request, limit: CostLimit) -> Option<Window> {
        self.choose(request, limit, |idle| idle.until)
    }

    /// The same in all time that is free, reserved or not.
    pub(super) fn find_anywhere(&self, request: &Request, limit: CostLimit) -> Option<Window> {
        self.choose(request, limit, |idle| idle.end)
    }

    fn choose(&self, request: &Request, limit: CostLimit, until: impl Fn(&IdleNode) -> Time) -> Option<Window> {
        let offered = self.nodes.iter().map(|idle| (idle.node, idle.price, idle.performance, until(idle)));
        first_that_do(self.now, self.rule, request, limit, offered)
    }

    /// Makes all nodes free for as long as they are; those that were taken stay taken.
    pub(super) fn forget_reservations(&mut self) {
        self.nodes.iter_mut().for_each(|idle| idle.until = idle.end);
    }

    /// Keeps idle nodes free for a window that was given or promised to somebody.
    pub(super) fn keep_free(&mut self, window: &Window) {
        let (slots, now) = (window.slots(), self.now);
        self.nodes.retain_mut(|idle| {
            if let Ok(at) = slots.binary_search_by_key(&idle.node, |slot| slot.node) {
                idle.until = idle.until.min(slots[at].interval.start);
            }
            idle.until > now
        });
    }
}
