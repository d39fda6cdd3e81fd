//! One job's walk through the free time, which finds its windows one after another.
//!
//! Since slots of one node are disjoint, a node has at most one live slot at any instant. So the live slots are a set of
//! nodes, by their place in the order of [`NodesByRate`]; how long each of them is free is looked up when it comes up.
//! Nothing about a node is worked out that does not come up.
//!
//! Where costs are rounded so much that many nodes have to be looked at for the cheapest ones, a walk sorts the nodes by
//! what they cost for its job.

use super::bits::BitSet;
use super::by_rate::{NodesByRate, is_too_short, work};
use super::remaining::{RemainingTime, RestOfSlot};
use super::{Finder, NodeQuote, budget};
use crate::model::{CostLimit, NodeId, Request};
use crate::units::{Price, Span, Time};
use crate::workload::RuntimeRule;
use std::iter::Peekable;

/// A walk that has looked at so many times all nodes in vain sorts them.
const IN_VAIN: usize = 2;

/// A live node with what a task would mean for it.
#[derive(Debug, Clone, Copy)]
pub(super) struct LiveNode {
    pub(super) node: NodeId,
    pub(super) quote: NodeQuote,
    /// The last instant at which the task can start.
    latest_start: Time,
}

impl LiveNode {
    /// The order in which nodes are taken.
    fn rank(&self) -> (i64, NodeId) {
        (self.quote.cost.ticks(), self.node)
    }
}

/// The nodes by what a task of one job costs, and by number among equals.
struct OwnOrder {
    /// The places in the common order, by place in this one.
    places: Vec<u32>,
    /// The other way round.
    ranks: Vec<u32>,
}

/// One job's walk through the slots.
pub(super) struct JobWalk<'a> {
    request: &'a Request,
    limit: i128,
    /// The most that a node may cost per unit of time.
    max_price: Price,
    deadline: Time,
    work: f64,
    /// No task of it is shorter on any node.
    shortest: Span,
    /// It stops between slots of one start, if true; see [`Takes::FirstMet`](super::Takes::FirstMet).
    one_by_one: bool,
    /// The start at which the walk stands: all slots that begin before it have been met ...
    now: Time,
    /// ... and those that begin right then on nodes up to this one.
    last: NodeId,
    /// The first of the offered slots that has not been met.
    next: usize,
    /// The places of nodes with a slot; some may have expired, or never have been of use, but none of the chosen. They are
    /// places in the order of `own`, if there is one.
    live: BitSet,
    own: Option<OwnOrder>,
    /// A cost, and the first place from which on all nodes cost more.
    beyond: Option<(i64, u32)>,
    /// The number of nodes that were looked at and were not among the cheapest.
    in_vain: usize,
    /// The N cheapest live nodes in order, or all there are.
    chosen: Vec<LiveNode>,
    /// The sum of their costs.
    total: i128,
    first_expiry: Time,
}

impl<'a> JobWalk<'a> {
    pub(super) fn new(
        free: &RemainingTime,
        nodes: &NodesByRate,
        rule: RuntimeRule,
        request: &'a Request,
        finder: Finder,
    ) -> Self {
        let limit = match finder.limit() {
            CostLimit::PerSlot => i128::MAX,
            CostLimit::Total(factor) => budget(request, factor).ticks().into(),
        };
        let max_price = if finder.limit() == CostLimit::PerSlot { request.max_price } else { Price::MAX };
        let one_by_one = finder.one_by_one();
        // A request may ask for absurdly many nodes; room is made as slots come.
        let chosen = Vec::with_capacity(request.nodes.min(64) + 1);
        let mut walk = Self {
            request,
            limit,
            max_price,
            deadline: request.deadline.unwrap_or(Time::MAX),
            work: work(rule, request),
            shortest: nodes.shortest(request).unwrap_or(Span::MAX),
            one_by_one,
            now: Time::from_ticks(i64::MIN),
            last: NodeId(0),
            next: 0,
            live: BitSet::default(),
            own: None,
            beyond: None,
            in_vain: 0,
            chosen,
            total: 0,
            first_expiry: Time::MAX,
        };
        // Those that begin first of all are met at once; which of them are of use, turns out when they come up.
        match free.first_start() {
            Some(first) if !one_by_one => {
                (walk.now, walk.last) = (first, NodeId(u32::MAX));
                walk.next = free.met_first;
                walk.live = free.at_first(walk.work).clone();
            }
            _ => walk.live = BitSet::new(nodes.len()),
        }
        walk
    }

    /// The start at which it stands.
    pub(super) fn now(&self) -> Time {
        self.now
    }

    /// The cheapest live nodes, N of them or all there are.
    pub(super) fn chosen(&self) -> &[LiveNode] {
        &self.chosen
    }

    /// Walks on to the first start at which the cheapest live slots are a window; whether there is one.
    ///
    /// One by one, no window is passed over by going on where the last one was complete: before that slot nothing was,
    /// and less is free now; and the slot itself is taken.
    pub(super) fn find(&mut self, free: &RemainingTime, nodes: &NodesByRate) -> bool {
        // Others have cut windows since.
        self.renew(free, nodes, true);
        let mut rests = free.rests_after(self.now, self.last).peekable();
        while !self.is_complete() {
            if self.chosen.len() == self.request.nodes && self.own.is_none() && !self.one_by_one {
                self.pass_over(free, nodes, &mut rests, |start, node| free.rests_after(start, node).peekable());
            }
            // What is too short even on the fastest node completes no window.
            let is_short = |start: Time, end: Time| end.ticks().saturating_sub(start.ticks()) < self.shortest.ticks();
            self.next = free.next_long(self.next, self.shortest);
            while rests.next_if(|rest| is_short(rest.start, rest.end)).is_some() {}
            let fresh = free.offered(self.next).map(|(start, node, _)| (start, node));
            let cut = rests.peek().map(|rest| (rest.start, rest.node));
            let Some((now, node)) = fresh.into_iter().chain(cut).min() else { return false };
            (self.now, self.last) = (now, if self.one_by_one { node } else { NodeId(u32::MAX) });
            if self.first_expiry < now {
                // What begins right now is yet to be met.
                self.renew(free, nodes, false);
            }
            let last = self.last;
            while let Some((start, node, end)) = free.offered(self.next)
                && start == now
                && node <= last
            {
                self.meet(nodes, node, end);
                self.next += 1;
            }
            while let Some(rest) = rests.next_if(|rest| rest.start == now && rest.node <= last) {
                self.meet(nodes, rest.node, rest.end);
            }
        }
        true
    }

    /// Passes over the starts at which nothing begins that is cheaper than the last of the N cheapest, which are too
    /// expensive together: no N are within the limit either of which all that are new cost as much as that one or more,
    /// whichever of the old ones expire. What begins there is live from then on. `rests` is left where the next start
    /// begins.
    fn pass_over<I: Iterator<Item = RestOfSlot>>(
        &mut self,
        free: &RemainingTime,
        nodes: &NodesByRate,
        rests: &mut Peekable<I>,
        rests_after: impl Fn(Time, NodeId) -> Peekable<I>,
    ) {
        let Some(last) = self.chosen.last().map(|last| last.quote.cost.ticks()) else { return };
        if self.beyond.is_none_or(|(cost, _)| cost != last) {
            self.beyond = Some((last, nodes.beyond(self.work, last)));
        }
        let Some((_, beyond)) = self.beyond else { return };
        let places = free.offered_places(self.next);
        let fresh = self.next + places.iter().position(|&place| place < beyond).unwrap_or(places.len());
        let mut start = free.offered(fresh).map_or(Time::MAX, |(start, ..)| start);
        let mut passed = None;
        while let Some(rest) = rests.peek().filter(|rest| rest.start < start) {
            if rest.place < beyond {
                start = rest.start;
                break;
            }
            self.live.insert(rest.place);
            passed = Some(rest.start);
            rests.next();
        }
        // Those of one start are met together.
        if passed == Some(start) {
            *rests = rests_after(Time::from_ticks(start.ticks() - 1), NodeId(u32::MAX));
        }
        for &place in places {
            if free.offered(self.next).is_none_or(|(begins, ..)| begins >= start) {
                break;
            }
            self.live.insert(place);
            self.next += 1;
        }
    }

    fn is_complete(&self) -> bool {
        self.chosen.len() == self.request.nodes && self.request.nodes > 0 && self.total <= self.limit
    }

    /// Takes in a node, a slot of which begins now and lasts until `end`, if a task fits.
    fn meet(&mut self, nodes: &NodesByRate, node: NodeId, end: Time) {
        // Many slots are too short even on the fastest node.
        if end.ticks().saturating_sub(self.now.ticks()) < self.shortest.ticks() {
            return;
        }
        let place = nodes.place_of(node);
        if let Some(found) = self.look_at(nodes, place, end) {
            self.live.insert(self.own.as_ref().map_or(place, |own| own.ranks[place as usize]));
            self.choose(found);
        }
    }

    /// The node at a place, if a task that starts now fits into its time until `end`.
    fn look_at(&self, nodes: &NodesByRate, place: u32, end: Time) -> Option<LiveNode> {
        let (end, rated) = (end.min(self.deadline), nodes.at(place));
        if is_too_short(self.work, rated.performance(), self.now, end) {
            return None;
        }
        let quote = nodes.quote(place, self.request).filter(|_| rated.price() <= self.max_price)?;
        Some(LiveNode { node: rated.node, quote, latest_start: quote.latest_start(self.now, end)? })
    }

    /// Looks again at the ends of the slots, which may have come nearer: those in which a task that starts now no longer
    /// fits leave. Slots that are not among the cheapest are looked at when they come up. `has_met` tells whether those
    /// that begin now have been met, up to the last node.
    fn renew(&mut self, free: &RemainingTime, nodes: &NodesByRate, has_met: bool) {
        self.chosen.clear();
        (self.total, self.first_expiry) = (0, Time::MAX);
        if self.own.is_none() && self.in_vain > IN_VAIN * nodes.len() {
            self.sort(nodes);
        }
        if self.own.is_none() && free.first_start() == Some(self.now) && !self.one_by_one {
            self.live.keep(free.at_first(self.work));
        }
        let mut from = 0;
        while let Some(at) = self.live.next(from) {
            from = at + 1;
            let place = self.own.as_ref().map_or(at, |own| own.places[at as usize]);
            let is_full = self.chosen.len() == self.request.nodes;
            if is_full {
                // Of the own order, all that follow cost no less.
                let Some(last) = self.chosen.last().filter(|_| self.own.is_none()) else { break };
                match nodes.better(place, self.work, last.rank()) {
                    None => break,
                    Some(better) if better != place => {
                        from = better;
                        continue;
                    }
                    Some(_) => self.in_vain += 1,
                }
            }
            let node = nodes.at(place).node;
            let end = free.end_at(place, self.now, has_met && node <= self.last);
            match end.and_then(|end| self.look_at(nodes, place, end)) {
                // What is behind it of the same kind costs as much, and has a higher number.
                Some(found) if is_full && !self.is_better(&found) => from = nodes.at(place).next_kind,
                Some(found) => self.choose(found),
                None => self.live.remove(at),
            }
        }
    }

    /// Goes on in an order of its own.
    fn sort(&mut self, nodes: &NodesByRate) {
        let cost = |place: u32| {
            let cost = nodes.quote(place, self.request).map_or(i64::MAX, |quote| quote.cost.ticks());
            (cost, nodes.at(place).node, place)
        };
        let mut sorted: Vec<(i64, NodeId, u32)> = (0..nodes.len() as u32).map(cost).collect();
        sorted.sort_unstable();
        let places: Vec<u32> = sorted.into_iter().map(|(.., place)| place).collect();
        let mut ranks = vec![0; places.len()];
        let mut live = BitSet::new(places.len());
        for (rank, &place) in places.iter().enumerate() {
            ranks[place as usize] = rank as u32;
            if self.live.next(place) == Some(place) {
                live.insert(rank as u32);
            }
        }
        (self.live, self.own) = (live, Some(OwnOrder { places, ranks }));
    }

    /// True if the node is cheaper than the last of those that were chosen.
    fn is_better(&self, found: &LiveNode) -> bool {
        self.chosen.last().is_some_and(|last| found.rank() < last.rank())
    }

    /// Puts a node among the chosen, if it is one of the N cheapest so far.
    fn choose(&mut self, found: LiveNode) {
        if self.chosen.len() == self.request.nodes {
            if !self.is_better(&found) {
                return;
            }
            if let Some(last) = self.chosen.pop() {
                self.total -= i128::from(last.quote.cost.ticks());
            }
        }
        let at = self.chosen.partition_point(|other| other.rank() < found.rank());
        self.total += i128::from(found.quote.cost.ticks());
        self.first_expiry = self.first_expiry.min(found.latest_start);
        self.chosen.insert(at, found);
    }
}
