//! Jobs that could have no window even if nothing else ran.
//!
//! They stay in the queue, and each question to the policy would cost a search for each of them. A job that asks for more
//! nodes than there are, for faster or cheaper ones, or for more time than a window may reach ahead, waits in vain until its
//! deadline or the end of the run: it is told apart when it comes.

use super::grid::GridState;
use super::rules::GridRules;
use crate::model::{JobId, Node, NodeId, Request};
use crate::search::{Finder, NodesByRate};
use crate::units::{Price, Time};
use crate::workload::GridWorld;

/// All nodes as if they were idle, at the lowest prices that they can come to.
#[derive(Debug)]
pub(super) struct EmptyGrid {
    nodes: Vec<Node>,
    rates: NodesByRate,
}

impl EmptyGrid {
    fn new(world: &GridWorld, rules: &GridRules) -> Self {
        let mut nodes = world.nodes.clone();
        if let Some([.., bound]) = rules.pricing {
            for node in &mut nodes {
                // A part of a price is a price.
                node.price = Price::from_f64(node.price.as_f64() / bound).unwrap_or(Price::ZERO);
            }
        }
        let rates = NodesByRate::new(NodeId(0), &nodes, rules.rule);
        Self { nodes, rates }
    }

    /// True if a request that comes now has a window within the limit on its cost.
    fn has_window(&self, rules: &GridRules, request: &Request, now: Time) -> bool {
        let end = now + rules.interval;
        let idle = self.rates.nodes().map(|node| (node, &self.nodes[node.index()], end));
        Finder::within(rules.limit).has_window_at_once(now, rules.rule, request, idle)
    }
}

impl GridState<'_> {
    /// False if it is certain that the policy will never find a place for a job, which has to wait: for a rigid one that
    /// has no window on idle nodes. Later it has none either, since the time up to its deadline only grows shorter.
    pub(super) fn has_hope(&self, job: JobId) -> bool {
        let is_rigid = self.world.jobs[job.index()].workflow.is_none();
        let empty = || self.empty.get_or_init(|| EmptyGrid::new(self.world, self.rules));
        !is_rigid || !self.rules.seeks_windows || empty().has_window(self.rules, self.request(job), self.now())
    }
}
