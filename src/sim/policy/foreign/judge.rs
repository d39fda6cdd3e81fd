//! Holds an answer to what every policy is held to, and says what would be right.

use super::super::{Decision, View, Waiting};
use super::{ForeignAnswer, PromiseAnswer, ReserveAnswer, SendAnswer};
use crate::model::{CostLimit, Interval, NodeId, Slot, SlotList, Window};
use crate::search::budget;
use crate::units::{Span, Time, counted};
use std::collections::{BTreeMap, BTreeSet};

/// The most jobs or slots that a message lists.
const LISTED: usize = 5;

/// The part of an answer that is wrong, why, and what would be right.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongDecision(pub String);

/// Why a part is wrong, and what would be right.
type Objection = (String, String);

/// The decisions of an answer, if all of them can be carried out one after the other.
pub(super) fn decisions(
    answer: &ForeignAnswer,
    view: &View<'_>,
    limit: CostLimit,
) -> Result<Vec<Decision>, WrongDecision> {
    let ForeignAnswer { reserve, promise, send, .. } = answer;
    if reserve.is_empty() && promise.is_empty() && send.is_empty() {
        return Ok(Vec::new());
    }
    let places = view.queue.iter().enumerate().map(|(place, waiting)| (waiting.id.0, place)).collect();
    let slots = view.slots.list().clone();
    let mut judge = AnswerJudge { view, limit, places, decided: BTreeSet::new(), slots };
    let mut decisions = Vec::with_capacity(reserve.len() + promise.len() + send.len());
    for (index, asked) in reserve.iter().enumerate() {
        decisions.push(judge.on("reserve", index, asked.job, |judge, place| judge.reserve(asked, place))?);
    }
    for (index, asked) in promise.iter().enumerate() {
        decisions.push(judge.on("promise", index, asked.job, |judge, place| judge.promise(asked, place))?);
    }
    for (index, asked) in send.iter().enumerate() {
        decisions.push(judge.on("send", index, asked.job, |judge, place| judge.send(asked, place))?);
    }
    Ok(decisions)
}

struct AnswerJudge<'j, 'v> {
    view: &'j View<'v>,
    limit: CostLimit,
    /// The places of jobs in the queue.
    places: BTreeMap<u32, usize>,
    /// The jobs that were decided on.
    decided: BTreeSet<u32>,
    /// The time that earlier reservations of the answer leave.
    slots: SlotList,
}

impl<'v> AnswerJudge<'_, 'v> {
    /// Judges one part of an answer, which is about a job.
    fn on(
        &mut self,
        list: &str,
        index: usize,
        job: u32,
        judge: impl FnOnce(&mut Self, usize) -> Result<Decision, Objection>,
    ) -> Result<Decision, WrongDecision> {
        let judged = match self.places.get(&job) {
            None => Err(("no such job waits".to_string(), self.jobs_that_wait())),
            Some(_) if !self.decided.insert(job) => {
                let wrong = "the answer has decided on this job already".to_string();
                Err((wrong, "name each job once".to_string()))
            }
            Some(&place) => judge(self, place),
        };
        judged.map_err(|(wrong, right)| {
            let name = self.places.get(&job).map(|&place| format!(" ({})", self.view.queue[place].request.name));
            let name = name.unwrap_or_default();
            WrongDecision(format!("{list}[{index}], job {job}{name}: {wrong}; {right}"))
        })
    }

    fn jobs_that_wait(&self) -> String {
        let ids = listed(self.view.queue.iter().map(|waiting| waiting.id.0.to_string()));
        format!("give the `id` of a job in `queue`: {ids}")
    }

    fn waiting(&self, place: usize) -> &'v Waiting<'v> {
        &self.view.queue[place]
    }

    /// A time that an answer gives, which is not in the past.
    fn time(&self, given: f64) -> Result<Time, Objection> {
        let now = self.view.now;
        let right = || format!("give a time from {now} on");
        let time = Time::from_f64(given).ok().filter(|time| *time <= Time::REACH);
        let time = time.ok_or_else(|| (format!("its start {given} is beyond all times"), right()))?;
        if time < now { Err((format!("its start {time} is in the past: it is {now}"), right())) } else { Ok(time) }
    }

    fn reserve(&mut self, asked: &ReserveAnswer, place: usize) -> Result<Decision, Objection> {
        let request = self.waiting(place).request;
        let start = self.time(asked.start)?;
        let wanted = request.nodes;
        if asked.nodes.len() != wanted {
            let wrong = format!("it gets {} and asks for {wanted}", counted(asked.nodes.len() as u64, "node"));
            return Err((wrong, format!("give {}", counted(wanted as u64, "node"))));
        }
        let mut parts: Vec<(NodeId, Span)> = Vec::with_capacity(wanted);
        for &id in &asked.nodes {
            if parts.iter().any(|(node, _)| node.0 == id) {
                return Err((format!("{} is there twice", self.node(id)), "give each node once".to_string()));
            }
            parts.push((NodeId(id), self.runtime(place, id)?));
        }
        let window = Window::new(start, parts);
        if let Some(deadline) = request.deadline
            && let Some(late) = window.slots().iter().find(|slot| slot.interval.end > deadline)
        {
            let wrong = format!(
                "on {} it would end at {}, after its deadline {deadline}",
                self.node(late.node.0),
                late.interval.end
            );
            let right = "start it earlier or on faster nodes, or let it wait".to_string();
            return Err((wrong, right));
        }
        if let CostLimit::Total(factor) = self.limit {
            let most = budget(request, factor);
            let cost = window.cost(self.view.nodes).ok();
            if cost.is_none_or(|cost| cost > most) {
                let cost = cost.map_or("too much for any number".to_string(), |cost| cost.to_string());
                let right = format!("give nodes whose price x runtime is {most} or less in all");
                return Err((format!("its window costs {cost}, and its budget is {most}"), right));
            }
        }
        if let Some(taken) = window.slots().iter().find(|slot| !self.is_free(slot)) {
            return Err((
                format!("{} is not free in {}", self.node(taken.node.0), taken.interval),
                self.free_time(taken),
            ));
        }
        self.slots.subtract(&window).map_err(|taken| (taken.to_string(), "give free slots".to_string()))?;
        Ok(Decision::Reserve { request: place, window })
    }

    /// The time for which a job holds a node, if the node will do.
    fn runtime(&self, place: usize, id: u32) -> Result<Span, Objection> {
        let request = self.waiting(place).request;
        let Some(node) = self.view.nodes.get(id as usize) else {
            let right = format!("give nodes from 0 to {}", self.view.nodes.len().saturating_sub(1));
            return Err((format!("there is no node {id}"), right));
        };
        if node.performance < request.min_performance {
            let (has, least) = (node.performance, request.min_performance);
            let wrong = format!("{} has a performance of {has}, and the job needs {least}", self.node(id));
            return Err((wrong, format!("give nodes of `performance` {least} or more")));
        }
        if self.limit == CostLimit::PerSlot && node.price > request.max_price {
            let (has, most) = (node.price, request.max_price);
            let wrong = format!("{} has a price of {has}, and the job pays {most}", self.node(id));
            return Err((wrong, format!("give nodes of `price` {most} or less")));
        }
        self.view
            .rule
            .runtime(request, node.performance)
            .ok_or_else(|| (format!("it would never end on {}", self.node(id)), "give faster nodes".to_string()))
    }

    fn is_free(&self, wanted: &Slot) -> bool {
        let mut slots = self.slots.as_slice().iter().filter(|slot| slot.node == wanted.node);
        slots.any(|slot| slot.interval.covers(wanted.interval))
    }

    /// Says when a node is free.
    fn free_time(&self, taken: &Slot) -> String {
        let of = |slots: &SlotList| -> Vec<Interval> {
            slots.as_slice().iter().filter(|slot| slot.node == taken.node).map(|slot| slot.interval).collect()
        };
        let (offered, left) = (of(self.view.slots.list()), of(&self.slots));
        let after = if offered == left { "" } else { " after the reservations before it in the answer" };
        match left.is_empty() {
            true => format!("it has no free slot{after}"),
            false => format!("it is free in {}{after}", listed(left.iter().map(Interval::to_string))),
        }
    }

    fn promise(&mut self, asked: &PromiseAnswer, place: usize) -> Result<Decision, Objection> {
        Ok(Decision::Promise { request: place, start: self.time(asked.start)? })
    }

    fn send(&mut self, asked: &SendAnswer, place: usize) -> Result<Decision, Objection> {
        let Waiting { request, workflow, .. } = self.waiting(place);
        let systems = || {
            let ids = listed(self.view.systems.iter().map(|system| system.domain.to_string()));
            match self.view.systems.is_empty() {
                true => "no domain has a batch system: reserve nodes".to_string(),
                false => format!("give the `id` of a domain with a batch system: {ids}"),
            }
        };
        let Some(domain) = self.view.domains.get(asked.domain) else {
            return Err((format!("there is no domain {}", asked.domain), systems()));
        };
        if !self.view.systems.iter().any(|system| system.domain == asked.domain) {
            return Err((format!("domain {} ({}) has no batch system", asked.domain, domain.name), systems()));
        }
        if workflow.is_some() {
            return Err(("a workflow can't be sent to a batch system".to_string(), "reserve nodes for it".to_string()));
        }
        if request.nodes > domain.nodes {
            let wrong = format!("domain {} ({}) has {} nodes", asked.domain, domain.name, domain.nodes);
            return Err((wrong, format!("give a domain of {} nodes or more", request.nodes)));
        }
        Ok(Decision::Send { request: place, domain: asked.domain })
    }

    fn node(&self, id: u32) -> String {
        let name = self.view.nodes.get(id as usize).map(|node| format!(" ({})", node.name));
        format!("node {id}{}", name.unwrap_or_default())
    }
}

/// The first of many, with commas.
fn listed(all: impl Iterator<Item = String>) -> String {
    let mut all = all.peekable();
    let first: Vec<String> = all.by_ref().take(LISTED).collect();
    format!("{}{}", first.join(", "), if all.peek().is_some() { ", ..." } else { "" })
}
