//! What is said to a program: one line of JSON each.

use super::super::{ForeignAnswer, PolicyError, SystemView, View, Waiting, Why};
use crate::model::{CostLimit, Domain, Node, Slot};
use crate::search::budget;
use crate::units::{Money, Performance, Price, Span, Time};
use crate::workload::RuntimeRule;
use serde::Serialize;

/// The version of what is said; it changes when programs have to.
const PROTOCOL: u32 = 1;

/// The last message.
pub(super) const END: &str = "{\"message\":\"end\"}\n";

/// The first message: what stays the same for the whole run.
#[derive(Serialize)]
pub(super) struct StartMessage<'a> {
    message: &'static str,
    protocol: u32,
    time_unit: Option<&'a str>,
    runtime: RuntimeRule,
    seed: u64,
    domains: Vec<DomainMessage<'a>>,
    nodes: Vec<NodeMessage<'a>>,
    answers: Vec<&'static str>,
}

#[derive(Serialize)]
struct DomainMessage<'a> {
    id: usize,
    name: &'a str,
    first: u32,
    nodes: usize,
    batch_system: Option<String>,
}

#[derive(Serialize)]
struct NodeMessage<'a> {
    id: usize,
    name: &'a str,
    performance: Performance,
    price: Price,
}

impl<'a> StartMessage<'a> {
    pub(super) fn new(view: &View<'a>, time_unit: Option<&'a str>, seed: u64) -> Self {
        let system = |domain: usize| view.systems.iter().find(|system| system.domain == domain);
        let domains = view.domains.iter().enumerate().map(|(id, Domain { name, first, nodes })| DomainMessage {
            id,
            name,
            first: first.0,
            nodes: *nodes,
            batch_system: system(id).map(|system| system.rule.name()),
        });
        let nodes = view.nodes.iter().enumerate();
        let nodes = nodes.map(|(id, Node { name, performance, price, .. })| NodeMessage {
            id,
            name,
            performance: *performance,
            price: *price,
        });
        Self {
            message: "start",
            protocol: PROTOCOL,
            time_unit,
            runtime: view.rule,
            seed,
            domains: domains.collect(),
            nodes: nodes.collect(),
            answers: ["reserve", "promise"].into_iter().chain((!view.systems.is_empty()).then_some("send")).collect(),
        }
    }
}

/// A decision that is asked for.
#[derive(Serialize)]
pub(super) struct Question<'a> {
    message: &'static str,
    decision: u64,
    now: Time,
    why: &'static str,
    /// The prices that have changed since the program was last told.
    prices: Vec<PriceMessage>,
    queue: Vec<JobMessage<'a>>,
    slots: Vec<SlotMessage>,
    systems: Vec<SystemMessage>,
}

#[derive(Serialize)]
struct PriceMessage {
    node: usize,
    price: Price,
}

#[derive(Serialize)]
struct JobMessage<'a> {
    id: u32,
    name: &'a str,
    nodes: usize,
    length: Span,
    min_performance: Performance,
    max_price: Price,
    budget: Option<Money>,
    deadline: Option<Time>,
    submitted: Time,
    attempts: u32,
    user: u32,
    promise: Option<Time>,
    ready: Time,
    tasks: Option<usize>,
}

#[derive(Serialize)]
struct SlotMessage {
    node: u32,
    start: Time,
    end: Time,
}

#[derive(Serialize)]
struct SystemMessage {
    domain: usize,
    waiting: usize,
    nodes: usize,
}

impl<'a> Question<'a> {
    pub(super) fn new(view: &View<'a>, decision: u64, limit: CostLimit, known: &[Price]) -> Result<Self, PolicyError> {
        let changed = view.nodes.iter().zip(known).enumerate().filter(|(_, (node, known))| node.price != **known);
        let slot =
            |&Slot { node, interval }: &Slot| SlotMessage { node: node.0, start: interval.start, end: interval.end };
        let system = |SystemView { domain, queue, .. }: &SystemView<'_>| SystemMessage {
            domain: *domain,
            waiting: queue.len(),
            nodes: queue.iter().map(|waiting| waiting.request.nodes).fold(0, usize::saturating_add),
        };
        Ok(Self {
            message: "decide",
            decision,
            now: view.now,
            why: match view.why {
                Why::Cycle => "cycle",
                Why::Submission => "submission",
                Why::Event => "event",
            },
            prices: changed.map(|(id, (node, _))| PriceMessage { node: id, price: node.price }).collect(),
            queue: view.queue.iter().map(|waiting| JobMessage::new(waiting, limit)).collect(),
            slots: view.slots.list().as_slice().iter().map(slot).collect(),
            systems: view.systems.iter().map(system).collect(),
        })
    }
}

impl<'a> JobMessage<'a> {
    fn new(waiting: &Waiting<'a>, limit: CostLimit) -> Self {
        let Waiting { id, request, workflow, submitted, attempts, user, promise, ready, .. } = *waiting;
        Self {
            id: id.0,
            name: &request.name,
            nodes: request.nodes,
            length: request.length,
            min_performance: request.min_performance,
            max_price: request.max_price,
            budget: match limit {
                CostLimit::PerSlot => None,
                CostLimit::Total(factor) => Some(budget(request, factor)),
            },
            deadline: request.deadline,
            submitted,
            attempts,
            user,
            promise,
            ready,
            tasks: workflow.map(|dag| dag.tasks().len()),
        }
    }
}

/// A message as a line.
pub(super) fn line(message: &impl Serialize) -> Result<Vec<u8>, PolicyError> {
    let mut line = serde_json::to_vec(message).map_err(|error| PolicyError::Other(error.to_string()))?;
    line.push(b'\n');
    Ok(line)
}

/// The answer on a line, or why there is none.
pub(super) fn read(line: &[u8]) -> Result<ForeignAnswer, String> {
    // A list would be read as the fields of an answer, one after the other.
    match line.trim_ascii_start().first() {
        None => Err("the line is empty".into()),
        Some(b'{') => serde_json::from_slice(line).map_err(|error| error.to_string()),
        Some(_) => Err("an answer is a JSON object".into()),
    }
}
