//! `Windows`: everything is listed.

use super::parts::{RequestSpec, RuntimeSpec, SearchSpec};
use crate::model::Interval;
use crate::scenario::{Context, Count, Cursor, Name, NameKind, Ref};
use crate::units::{Performance, Power, Price, Time};
use crate::{choice, record};
use std::collections::BTreeMap;

/// The names of nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeNames {}

impl NameKind for NodeNames {
    const WHAT: &'static str = "node";
}

record! {
    /// Windows for listed requests on listed nodes.
    pub struct Windows {
        /// The nodes.
        nodes: Vec<NodeSpec>,
        /// When the nodes are free.
        free: FreeTime,
        /// The requests.
        requests: Vec<RequestSpec>,
        /// The searches to run, each on the whole free time.
        searches: Vec<SearchSpec>,
        /// How often each request may be given a window; as often as one is found, unless a number is given.
        passes: Option<Count>,
        /// How a job's length becomes a runtime.
        runtime: RuntimeSpec = RuntimeSpec::Reference,
    }
    check(this, at, errors) {
        for (field, is_empty) in [
            ("nodes", this.nodes.is_empty()),
            ("requests", this.requests.is_empty()),
            ("searches", this.searches.is_empty()),
        ] {
            if is_empty {
                errors.add(&at.field(field), "the list is empty", "give at least one");
            }
        }
    }
}

record! {
    /// A machine.
    pub struct NodeSpec {
        /// Its name, unique among the nodes.
        name: Name<NodeNames>,
        /// How fast it is, relative to a node of performance 1.
        performance: Performance = Performance::from_units(1),
        /// What it costs per unit of time.
        price: Price = Price::from_units(1),
        /// What it draws per unit of time while it works.
        power: Power = Power::from_units(1),
    }
}

choice! {
    /// When nodes are free.
    pub enum FreeTime {
        /// In these slots. Slots that touch are not joined.
        Slots(Vec<SlotSpec>),
        /// From `start` to `end`, but for the local tasks of the nodes' owners.
        AroundTasks {
            /// When the time that is planned begins.
            start: Time = Time::ZERO,
            /// When it ends.
            end: Time,
            /// The local tasks.
            tasks: Vec<LocalTaskSpec>,
        },
    }
    check(this, at, errors) {
        if let FreeTime::AroundTasks { start, end, tasks } = this {
            if end <= start {
                errors.add(&at.field("end"), format!("{end} is not after the start, {start}"), "end after the start");
            } else if let Some(task) = tasks.iter().find(|task| task.start < *start || task.end > *end) {
                let wrong = format!("a task at [{}, {}) is not within [{start}, {end})", task.start, task.end);
                errors.add(&at.field("tasks"), wrong, "keep local tasks within the time that is planned");
            }
        }
    }
}

macro_rules! interval_on_a_node {
    ($(#[doc = $doc:literal])* $name:ident, $what:literal) => {
        record! {
            $(#[doc = $doc])*
            pub struct $name {
                /// The name of the node.
                node: Ref<NodeNames>,
                /// When it begins.
                start: Time,
                /// When it ends: the first instant that does not belong to it.
                end: Time,
            }
            check(this, at, errors) {
                if this.end <= this.start {
                    let wrong = format!("{} is not after the start, {}", this.end, this.start);
                    errors.add(&at.field("end"), wrong, "end after the start");
                }
            }
            check_all(items, errors) {
                let intervals = items.iter().map(|(at, item)| {
                    (at.clone(), item.node.as_str(), Interval::new(item.start, item.end))
                });
                report_overlaps(intervals.collect(), $what, errors);
            }
        }
    };
}

interval_on_a_node!(
    /// A free interval on one node.
    SlotSpec, "slot"
);
interval_on_a_node!(
    /// A task of a node's owner.
    LocalTaskSpec, "local task"
);

/// Reports every interval that begins before an earlier one on its node has ended.
fn report_overlaps(mut items: Vec<(Cursor<'_>, &str, Interval)>, what: &str, errors: &mut Context<'_>) {
    items.sort_by_key(|(_, _, interval)| *interval);
    let mut last: BTreeMap<&str, (Cursor<'_>, Interval)> = BTreeMap::new();
    for (at, node, interval) in items {
        if let Some((other_at, other)) = last.get(node)
            && other.overlaps(interval)
        {
            let place = errors.refer(other_at);
            let wrong = format!("this {what} overlaps the one at {other} on `{node}`, {place}");
            errors.add(&at, wrong, format!("one node can't have two at once; start at {} or later", other.end));
        }
        let ends_later = last.get(node).is_none_or(|(_, other)| other.end < interval.end);
        if ends_later {
            last.insert(node, (at, interval));
        }
    }
}
