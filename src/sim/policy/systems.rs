//! Batch systems beneath domains, as a metascheduler sees them: their queues, and when a job would start.

use super::Waiting;
use crate::model::{JobId, Node, NotFree, Request, SlotList, Window};
use crate::queueing::{Availability, FreeWindows, HeldPlace, QueueRule};
use crate::search::{Finder, Offers};
use crate::units::Time;
use crate::workload::RuntimeRule;
use std::collections::BTreeMap;

/// A batch system at the moment of a decision. It tells its queue and [forecasts](Forecast) starts.
#[derive(Debug)]
pub struct SystemView<'a> {
    /// The position of its domain.
    pub domain: usize,
    /// The rule of its queue.
    pub rule: QueueRule,
    /// True if it grants reservations beside the queue.
    pub grants: bool,
    /// The jobs in its queue, the first in line first.
    pub queue: Vec<Waiting<'a>>,
    /// The nodes of its domain.
    pub nodes: &'a [Node],
    pub(crate) now: Time,
    /// Free time, with nodes numbered from the first of the domain.
    pub(crate) slots: SlotList,
    pub(crate) runtime: RuntimeRule,
    pub(crate) finder: Finder,
    /// The windows of jobs that were promised a start.
    pub(crate) arranged: &'a BTreeMap<JobId, Window>,
}

impl<'a> SystemView<'a> {
    /// The starts of all jobs in the queue, if runtimes are as estimated and no other job comes.
    pub fn forecast(&'a self) -> Forecast<'a> {
        let requests: Vec<&Request> = self.queue.iter().map(|waiting| waiting.request).collect();
        let offers = Offers { nodes: self.nodes, slots: &self.slots, rule: self.runtime };
        let windows = FreeWindows::new(&offers, self.slots.clone(), &requests, self.finder, self.now);
        let idle = self.slots.as_slice().iter().take_while(|slot| slot.interval.start <= self.now).count();
        let taken = self.nodes.len().saturating_sub(idle);
        let mut forecast = Forecast { rule: self.rule, windows, held: Vec::new(), nodes: self.nodes.len(), taken };
        // Promises come first: they were made in the order of the queue, and are kept.
        let promised = self.queue.iter().enumerate().filter_map(|(at, waiting)| {
            let window = self.arranged.get(&waiting.id)?;
            (Some(window.start()) == waiting.promise).then(|| (at, Some(window.clone())))
        });
        let mut kept: Vec<(usize, Option<Window>)> = promised.collect();
        forecast.windows.reserve_all_again(&mut kept);
        forecast.held = kept.into_iter().filter_map(|(at, window)| Some((at, window?))).collect();
        let mut is_kept = vec![false; self.queue.len()];
        forecast.held.iter().for_each(|&(at, _)| is_kept[at] = true);
        for (at, request) in requests.iter().enumerate() {
            forecast.taken = forecast.taken.saturating_add(request.nodes);
            if !is_kept[at] {
                forecast.reserve(at);
            }
        }
        forecast
    }

    /// The free time of the domain that is not promised to jobs of the queue: under EASY the head alone has a promise,
    /// under the other rules all jobs have.
    pub(crate) fn unpromised(&self) -> Result<SlotList, NotFree> {
        let mut slots = self.slots.clone();
        let forecast = self.forecast();
        let promised = if self.rule.depth() == 0 { usize::MAX } else { self.rule.depth() };
        let mut held: Vec<&HeldPlace<FreeWindows<'_>>> = forecast.held.iter().collect();
        held.sort_by_key(|(at, _)| *at);
        for (_, window) in held.into_iter().take(promised) {
            slots.subtract(window)?;
        }
        Ok(slots)
    }
}

/// The queue of a batch system as it would be served if every runtime were as estimated and no other job came.
///
/// Every job gets the earliest window that those before it in the queue leave; first come, first served, no job starts
/// before one that is ahead of it. Conservative backfilling promises these very starts. Under EASY they are an
/// estimate, as real systems give it: jobs may start earlier, or later if others overtake. Jobs that a decision sends
/// are to be [added](Self::send), so that later predictions reckon with them.
#[derive(Debug, Clone)]
pub struct Forecast<'a> {
    rule: QueueRule,
    windows: FreeWindows<'a>,
    held: Vec<HeldPlace<FreeWindows<'a>>>,
    nodes: usize,
    /// Nodes that are in use, and those that jobs in the queue ask for.
    taken: usize,
}

impl<'a> Forecast<'a> {
    /// The start of a request that would be sent now; nothing if no nodes of the domain will ever do.
    pub fn predict(&self, request: &'a Request) -> Option<Time> {
        self.clone().send(request)
    }

    /// The request is sent to the queue: its start.
    pub fn send(&mut self, request: &'a Request) -> Option<Time> {
        self.taken = self.taken.saturating_add(request.nodes);
        let at = self.windows.push(request);
        self.reserve(at)
    }

    /// The nodes that are in use and those that jobs in the queue ask for, as a multiple of the nodes that are there.
    pub fn load(&self) -> f64 {
        self.taken as f64 / self.nodes.max(1) as f64
    }

    /// Reserves the earliest window that the rule allows.
    fn reserve(&mut self, at: usize) -> Option<Time> {
        let window = if self.rule.depth() == 0 {
            let window = self.windows.reserve_earliest(at, &mut [])?;
            // No one starts before a job that is ahead of it.
            self.windows.set_now(window.start());
            window
        } else {
            self.windows.reserve_earliest_moving(at, &mut self.held)?.0
        };
        let start = window.start();
        self.held.push((at, window));
        Some(start)
    }
}
