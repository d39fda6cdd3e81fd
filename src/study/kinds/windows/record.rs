//! `Windows`: where windows are sought, for whom and how.

use super::request::RequestSpec;
use crate::language::{AboveZero, Context, Count, Cursor, Name, NameKind, NonEmpty, Ref};
use crate::model::Interval;
use crate::search::Search;
use crate::study::parts::report_repeated;
use crate::units::{Performance, Power, Price, Span, Time};
use crate::workload::{EnvironmentSpec, RuntimeRule, SlotsSpec};
use crate::{choice, record};
use std::collections::BTreeMap;

/// The names of nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeNames {}

impl NameKind for NodeNames {
    const WHAT: &'static str = "node";
}

record! {
    /// Windows for requests, by every search: on listed nodes, each window shown; on many drawn environments, their
    /// means by each criterion; or the work of searches that find none.
    pub struct Windows {
        /// The nodes on which windows are sought, and the time in which they are free.
        world: WindowWorld,
        /// The requests for windows.
        requests: NonEmpty<RequestSpec>,
        /// The searches to run, each on the whole free time.
        searches: NonEmpty<Search>,
        /// The largest number of windows that each request may be given. Unless given, as many as are found; on drawn
        /// environments one by a search other than `Alp` and `Amp`.
        #[unit = "windows per request"]
        passes: Option<Count>,
        /// The rule by which a job's length becomes a runtime.
        runtime: RuntimeRule = RuntimeRule::Reference,
    }
    starter(include_str!("starter.ron"))
    moved("nodes", include_str!("moved/listed.ron"))
    check(this, at, errors) {
        report_repeated(&this.searches, &at.field("searches"), errors);
        match &this.world {
            WindowWorld::Listed { nodes, free } => {
                report_costs(this, nodes, at, errors);
                report_flood(this, (nodes, free), at, errors);
            }
            WindowWorld::Environment(_) => report_lengths(this, at, errors),
            WindowWorld::Slots { .. } => {
                report_lengths(this, at, errors);
                if this.searches.iter().any(|search| search.get().finder().is_none()) {
                    errors.add(&at.field("searches"), "only `Alp` and `Amp` are counted", "leave the others out");
                }
            }
        }
    }
}

choice! {
    /// Where windows are sought.
    pub enum WindowWorld {
        /// On these nodes; every window is shown.
        Listed {
            /// The nodes.
            nodes: NonEmpty<NodeSpec>,
            /// The time in which the nodes are free.
            free: FreeTime,
        },
        /// On many generated environments: for each search the first window of a request, beside the best of the
        /// windows that it collects when it is repeated.
        Environment(EnvironmentSpec),
        /// In drawn lists of slots, each beside one of twice as many, in vain: the work of the searches as they are
        /// printed, and of backfilling over the whole schedule. The first request asks for more nodes than there are;
        /// AMP is besides asked for each request as it is. One without money has the window sorted at each slot.
        Slots {
            /// The slots that are drawn; `count` is their number m in the shorter list.
            slots: SlotsSpec,
            /// The time over which the starts of either list are spread: a longer list is then a denser one. Unless
            /// given, gaps are as they are drawn, and a longer list takes longer.
            #[read = Option<AboveZero<Span>>]
            span: Option<Span>,
        },
    }
    check(this, at, errors) {
        let Self::Slots { slots, span } = this else { return };
        if span.is_some_and(|span| span.as_f64() > 1e6) {
            errors.add(&at.field("span"), "starts can't be spread over this", "give more than 0 and at most 1e6");
        }
        let count = at.field("slots").field("count");
        if slots.count.max() > MOST_SLOTS {
            let right = format!("give at most {MOST_SLOTS}: backfilling looks at all pairs of slots");
            errors.add(&count, "there could be too many slots", right);
        }
        if slots.count.min() < 1.0 {
            errors.add(&count, "a list may have no slots", "give at least 1");
        }
    }
}

/// The most slots of the shorter of two lists.
const MOST_SLOTS: f64 = 20_000.0;
/// The most that a window's slot may cost, in money or in energy: far from where totals stop being representable.
const COST_LIMIT: f64 = 1e10;
/// The most windows that a scenario may be able to find.
const WINDOWS_LIMIT: f64 = 200_000.0;

impl Windows {
    /// The time for which a request would hold a node.
    fn runtime(&self, request: &RequestSpec, node: &NodeSpec) -> f64 {
        let slowest = match self.runtime {
            RuntimeRule::Reference => 1.0,
            RuntimeRule::Volume => request.min_performance.as_f64(),
        };
        request.length.as_f64() * slowest / node.performance.as_f64()
    }
}

/// Reports requests that drawn nodes would serve at a cost beyond all bounds.
fn report_lengths(this: &Windows, at: &Cursor<'_>, errors: &mut Context<'_>) {
    for (index, _) in this.requests.iter().enumerate().filter(|(_, request)| request.length.as_f64() > 1e5) {
        let place = at.field("requests").element(index).field("length");
        errors.add(&place, "costs would grow beyond all bounds", "give a length of at most 1e5");
    }
}

/// Reports the first request that a node would serve at a cost beyond all bounds.
fn report_costs(this: &Windows, nodes: &[NodeSpec], at: &Cursor<'_>, errors: &mut Context<'_>) {
    for (index, request) in this.requests.iter().enumerate() {
        let usable = |node: &&NodeSpec| node.performance >= request.min_performance;
        let cost = |node: &NodeSpec| this.runtime(request, node) * node.price.as_f64().max(node.power.as_f64());
        if let Some(node) = nodes.iter().filter(usable).find(|node| cost(node) > COST_LIMIT) {
            let wrong = format!("a task on `{}` would cost {:.1e} in money or energy", node.name, cost(node));
            let right = format!("keep length x price and length x power below {COST_LIMIT:e}");
            errors.add(&at.field("requests").element(index), wrong, right);
            return;
        }
    }
}

/// Reports a scenario that could find more windows than anybody would read.
fn report_flood(this: &Windows, (nodes, free): (&[NodeSpec], &FreeTime), at: &Cursor<'_>, errors: &mut Context<'_>) {
    let free = |node: &NodeSpec| match free {
        FreeTime::Slots(slots) => {
            let own = slots.iter().filter(|slot| slot.node.as_str() == node.name.as_str());
            own.map(|slot| slot.end.as_f64() - slot.start.as_f64()).sum()
        }
        FreeTime::AroundTasks { start, end, .. } => end.as_f64() - start.as_f64(),
    };
    let free: Vec<f64> = nodes.iter().map(free).collect();
    let most = |request: &RequestSpec| {
        let usable = nodes.iter().zip(&free).filter(|(node, _)| node.performance >= request.min_performance);
        let fits: f64 = usable.map(|(node, free)| free / this.runtime(request, node).max(1e-6)).sum();
        let passes = this.passes.map_or(f64::INFINITY, |passes| passes.get() as f64);
        (fits / request.nodes.get() as f64).min(passes)
    };
    let windows: f64 = this.requests.iter().map(most).sum::<f64>() * this.searches.len() as f64;
    if windows > WINDOWS_LIMIT {
        let wrong = format!("up to {windows:.0e} windows could be found");
        errors.add(&at.field("passes"), wrong, format!("give a number of passes that keeps it below {WINDOWS_LIMIT}"));
    }
}

record! {
    /// A machine.
    pub struct NodeSpec {
        /// Its name, unique among the nodes.
        name: Name<NodeNames>,
        /// The speed of the node, relative to a node of performance 1.
        performance: Performance = Performance::from_units(1),
        /// The price of the node per unit of time.
        price: Price = Price::from_units(1),
        /// The energy that the node draws per unit of time while it works.
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
            /// The time at which planning begins.
            start: Time = Time::ZERO,
            /// The time at which it ends.
            end: Time,
            /// The local tasks, in which their nodes are not free.
            tasks: Vec<LocalTaskSpec>,
        },
    }
    check(this, at, errors) {
        if let FreeTime::AroundTasks { start, end, tasks } = this {
            if end <= start {
                errors.add(&at.field("end"), format!("{end} is not after the start, {start}"), "end after the start");
                return;
            }
            for (index, task) in tasks.iter().enumerate().filter(|(_, task)| task.start < *start || task.end > *end) {
                let wrong = format!("this task at [{}, {}) is not within [{start}, {end})", task.start, task.end);
                errors.add(&at.field("tasks").element(index), wrong, "keep local tasks within the time that is planned");
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
                /// The time at which it begins.
                start: Time,
                /// The time at which it ends: the first instant that does not belong to it.
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
