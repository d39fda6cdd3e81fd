//! The live slots of a job's walk, by the rank of their nodes.
//!
//! The cost of a task on a node is the same for all slots of the node, and since slots of one node are disjoint, a node
//! has at most one live slot at any instant. So nodes are sorted by cost once, and the live slots are a set of ranks:
//! to take one in or to find the next cheapest is a matter of a few bits.

use super::Offers;
use super::bits::BitSet;
use super::node_quote::NodeQuote;
use crate::model::{Node, NodeId, Request};
use crate::units::{Span, Time};

/// A node, what a task would mean for it, and its slot that was met last.
#[derive(Debug, Clone, Copy)]
pub(super) struct RankedPlace {
    pub(super) terms: NodeQuote,
    pub(super) node: NodeId,
    pub(super) slot: u32,
    latest_start: Time,
}

/// The nodes that suit a request, by rising cost, with the N cheapest live ones at hand.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    wanted: usize,
    /// By rank.
    places: Vec<RankedPlace>,
    /// By node; of those that do not suit nothing is long enough.
    by_node: Vec<(Span, u32)>,
    /// The ranks of nodes with a slot; some may have expired, but none of the chosen.
    live: BitSet,
    /// The N lowest ranks in `live`, or all there are.
    chosen: Vec<u32>,
    /// The sum of their costs.
    total: i128,
    first_expiry: Time,
}

impl Ranked {
    pub(super) fn new(offers: &Offers<'_>, request: &Request, suits: impl Fn(&Node) -> bool) -> Self {
        let mut places = Vec::with_capacity(offers.nodes.len());
        for (index, node) in offers.nodes.iter().enumerate().filter(|(_, node)| suits(node)) {
            if let Some(terms) = NodeQuote::of(node, offers.rule, request) {
                places.push(RankedPlace { terms, node: NodeId(index as u32), slot: 0, latest_start: Time::ZERO });
            }
        }
        // Stable: of nodes that cost the same, the lower comes first.
        places.sort_by_key(|place| place.terms.cost);
        let mut by_node = vec![(Span::MAX, 0); offers.nodes.len()];
        for (rank, place) in places.iter().enumerate() {
            by_node[place.node.index()] = (place.terms.runtime, rank as u32);
        }
        // A request may ask for absurdly many nodes; room is made as slots come.
        let chosen = Vec::with_capacity(request.nodes.min(64) + 1);
        let (live, first_expiry) = (BitSet::new(places.len()), Time::MAX);
        Self { wanted: request.nodes, places, by_node, live, chosen, total: 0, first_expiry }
    }

    /// The shortest runtime on any node that suits.
    pub(super) fn shortest(&self) -> Option<Span> {
        self.places.iter().map(|place| place.terms.runtime).min()
    }

    /// The last instant at which a task can start in `[start, end)` on a node, if it fits at all.
    pub(super) fn latest_start(&self, node: NodeId, start: Time, end: Time) -> Option<Time> {
        let (runtime, _) = self.by_node[node.index()];
        // Ticks are compared bare: a slot may end at the end of all time.
        let latest = end.ticks().saturating_sub(runtime.ticks());
        (latest >= start.ticks() && runtime < Span::MAX).then_some(Time::from_ticks(latest))
    }

    /// The cheapest live slots, N of them or all there are.
    pub(super) fn chosen(&self) -> impl Iterator<Item = RankedPlace> {
        self.chosen.iter().map(|&rank| self.places[rank as usize])
    }

    /// The cost of the N cheapest live slots, if there are N.
    pub(super) fn total(&self) -> Option<i128> {
        (self.chosen.len() == self.wanted && self.wanted > 0).then_some(self.total)
    }

    /// Takes in a slot of a node that has no live slot, and in which a task fits.
    pub(super) fn insert(&mut self, node: NodeId, slot: u32, latest_start: Time) {
        let (_, rank) = self.by_node[node.index()];
        let place = &mut self.places[rank as usize];
        (place.slot, place.latest_start) = (slot, latest_start);
        self.live.insert(rank);
        if self.chosen.len() == self.wanted {
            let Some(last) = self.chosen.pop_if(|last| rank < *last) else { return };
            self.total -= i128::from(self.places[last as usize].terms.cost.ticks());
        }
        self.choose(self.chosen.partition_point(|&other| other < rank), rank);
    }

    /// Moves on to a window that starts at `now`; `end` tells where a slot ends.
    pub(super) fn advance(&mut self, now: Time, end: impl Fn(u32) -> Time) {
        if self.first_expiry < now {
            self.renew(now, end);
        }
    }

    /// Looks again at the ends of the slots, which may have come nearer: those in which a task that starts at `now` no
    /// longer fits leave. Slots that are not among the cheapest are looked at when they come up.
    pub(super) fn renew(&mut self, now: Time, end: impl Fn(u32) -> Time) {
        self.chosen.clear();
        (self.total, self.first_expiry) = (0, Time::MAX);
        let mut from = 0;
        while self.chosen.len() < self.wanted
            && let Some(rank) = self.live.next(from)
        {
            from = rank + 1;
            let place = &mut self.places[rank as usize];
            match place.terms.latest_start(now, end(place.slot)) {
                Some(latest_start) => {
                    place.latest_start = latest_start;
                    self.choose(self.chosen.len(), rank);
                }
                None => self.live.remove(rank),
            }
        }
    }

    fn choose(&mut self, at: usize, rank: u32) {
        let place = &self.places[rank as usize];
        self.total += i128::from(place.terms.cost.ticks());
        self.first_expiry = self.first_expiry.min(place.latest_start);
        self.chosen.insert(at, rank);
    }
}
