//! On what terms each node would serve a request.

use crate::model::{Node, Request};
use crate::units::{Money, Performance, Price, Span, Time};
use crate::workload::RuntimeRule;

/// The terms of a task of one request on one node: all its slots share them, so they are worked out once.
#[derive(Debug, Clone, Copy)]
pub(super) struct NodeQuote {
    pub(super) runtime: Span,
    pub(super) cost: Money,
}

impl NodeQuote {
    /// The terms of `node`, if it is fast enough. A task that would cost more than any budget can hold has none.
    pub(super) fn of(node: &Node, rule: RuntimeRule, request: &Request) -> Option<Self> {
        Self::at(node.price, node.performance, rule, request)
    }

    /// The terms of a node of this price and performance.
    pub(super) fn at(price: Price, performance: Performance, rule: RuntimeRule, request: &Request) -> Option<Self> {
        if performance < request.min_performance {
            return None;
        }
        let runtime = rule.runtime(request, performance)?;
        let cost = price.checked_mul(runtime).ok()?;
        Some(Self { runtime, cost })
    }

    /// The last instant at which the task can start in `[start, end)`, if it fits at all.
    pub(super) fn latest_start(&self, start: Time, end: Time) -> Option<Time> {
        // Ticks are compared bare: a slot may end at the end of all time.
        let latest = end.ticks().checked_sub(self.runtime.ticks())?;
        (latest >= start.ticks()).then_some(Time::from_ticks(latest))
    }
}

/// The terms of every node that passes `suits`, by node id.
pub(super) fn terms(
    nodes: &[Node],
    rule: RuntimeRule,
    request: &Request,
    suits: impl Fn(&Node) -> bool,
) -> Vec<Option<NodeQuote>> {
    nodes.iter().map(|node| if suits(node) { NodeQuote::of(node, rule, request) } else { None }).collect()
}
