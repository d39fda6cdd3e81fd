//! Jobs without a window are left out until time becomes free that they could use.

use super::gains::is_of_no_use;
use super::{Decision, Policy, PolicyError, View, Waiting};
use crate::model::{Interval, JobId, NodeId, Request};
use crate::search::{Offers, Search};
use std::collections::BTreeMap;

/// Asks a policy that gives windows about the jobs that can have one.
///
/// Most jobs of a queue wait because all free time has no window for them, and they are offered at every event. Such a
/// job gets nothing, and takes nothing from the others: leaving it out changes no decision about them. It goes on
/// having no window while no time becomes free before its deadline. The policy must be one that decides about each job
/// by the windows that its search finds, and so that those without one make no difference.
#[derive(Debug, Clone)]
pub struct WindowsOnly<P> {
    /// The policy.
    policy: P,
    /// Its search.
    search: Search,
    /// The jobs that had no window in all free time when they were last looked at.
    windowless: BTreeMap<JobId, Windowless>,
}

/// A job without a window.
#[derive(Debug, Clone)]
struct Windowless {
    request: Request,
    /// The time that had become free by then.
    mark: u64,
}

impl<P> WindowsOnly<P> {
    /// This policy, which finds windows by this search.
    pub fn new(policy: P, search: Search) -> Self {
        Self { policy, search, windowless: BTreeMap::new() }
    }

    /// True if the job is known to have no window, or none is found where it is known that it had none.
    fn is_windowless(&mut self, view: &View<'_>, waiting: &Waiting<'_>) -> bool {
        let Some(time) = view.slots.by_node() else { return false };
        let Some(known) = self.windowless.get_mut(&waiting.id) else { return false };
        let request = waiting.request;
        // What is left of a job changes with time.
        let Some(end) = request.deadline.filter(|_| known.request == *request) else {
            self.windowless.remove(&waiting.id);
            return false;
        };
        let runtime = |node: NodeId| {
            let performance = view.nodes[node.index()].performance;
            view.rule.runtime(request, performance).filter(|_| performance >= request.min_performance)
        };
        let nodes = 0..view.nodes.len() as u32;
        if is_of_no_use(time, known.mark, nodes, Interval::new(view.now, end), runtime) {
            known.mark = time.freed().mark();
            return true;
        }
        self.windowless.remove(&waiting.id);
        self.look(view, waiting)
    }

    /// Looks for a window in all free time, and remembers if there is none; whether that is so.
    fn look(&mut self, view: &View<'_>, waiting: &Waiting<'_>) -> bool {
        let Some(time) = view.slots.by_node() else { return false };
        // Only of the searches for the earliest window is it known that they find one wherever there is one.
        let search = self.search.get();
        if search.finder().is_none() || waiting.request.deadline.is_none_or(|end| end > time.bounds().end) {
            return false;
        }
        let offers = Offers { nodes: view.nodes, slots: view.slots, rule: view.rule };
        let is_windowless = search.find_window(&offers, waiting.request).is_none();
        if is_windowless {
            let known = Windowless { request: waiting.request.clone(), mark: time.freed().mark() };
            self.windowless.insert(waiting.id, known);
        }
        is_windowless
    }
}

impl<P: Policy> Policy for WindowsOnly<P> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let places = 0..view.queue.len();
        let present: Vec<usize> = places.filter(|&place| !self.is_windowless(view, &view.queue[place])).collect();
        if present.is_empty() {
            return Ok(Vec::new());
        }
        let decided = if present.len() == view.queue.len() {
            self.policy.decide(view)?
        } else {
            let queue: Vec<Waiting<'_>> = present.iter().map(|&place| view.queue[place]).collect();
            self.policy.decide(&View { queue: &queue, ..*view })?
        };
        let decisions: Vec<Decision> =
            decided.into_iter().map(|decision| decision.renumbered(|request| present[request])).collect();
        let mut is_served = vec![false; view.queue.len()];
        for decision in &decisions {
            if let Decision::Reserve { request, .. } = decision {
                is_served[*request] = true;
            }
        }
        for place in present.into_iter().filter(|&place| !is_served[place]) {
            self.look(view, &view.queue[place]);
        }
        Ok(decisions)
    }
}
