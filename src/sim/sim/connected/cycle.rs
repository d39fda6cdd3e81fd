//! The metascheduler's cycle.

use super::batch_systems::waiting;
use super::execution::Planned;
use super::grid::{GridError, GridState};
use super::idle_nodes::OfferedTime;
use super::journal::Event;
use super::line::OfferedJobs;
use super::{CYCLES, GridStep};
use crate::model::{Interval, Job, JobId, Slot};
use crate::policy::{Acts, Decision, FreeSlots, LongQueue, Policy, PolicyError, View, Why};
use crate::units::Price;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

impl GridState<'_> {
    /// Offers the jobs that wait to the policy and reserves what it decides on. Who gets nothing goes on waiting.
    pub(super) fn cycle(&mut self, policy: &mut dyn Policy) -> Result<(), GridError> {
        self.kernel.schedule_after(self.rules.period, CYCLES, GridStep::Cycle)?;
        self.set_prices()?;
        self.note(Event::Cycle(self.queue.len() as u32));
        if self.queue.is_empty() {
            return Ok(());
        }
        self.offer(None, Why::Cycle, policy)
    }

    /// Lets a policy that acts on events be asked once all that happens at this instant has happened.
    pub(super) fn something_happened(&mut self) -> Result<(), GridError> {
        if self.rules.acts == Acts::Events && !self.is_asked && !self.queue.is_empty() {
            self.is_asked = true;
            self.kernel.schedule_at(self.now(), CYCLES, GridStep::Ask)?;
        }
        Ok(())
    }

    /// Asks a policy that acts on events.
    pub(super) fn ask(&mut self, policy: &mut dyn Policy) -> Result<(), GridError> {
        self.is_asked = false;
        if self.queue.is_empty() {
            return Ok(());
        }
        self.offer(None, Why::Event, policy)
    }

    /// Offers one job or the first of the queue to the policy. Who gets nothing waits for the next cycle.
    pub(super) fn offer(&mut self, only: Option<JobId>, why: Why, policy: &mut dyn Policy) -> Result<(), GridError> {
        let world = self.world;
        let workflows: Vec<JobId> = only.map_or_else(|| self.queue.workflows().collect(), |job| vec![job]);
        workflows.into_iter().for_each(|job| self.renew_rest(job));
        self.serve_now()?;
        // Jobs are postponed by cycles and by their own submission; events come as often as they do.
        let batch: Vec<JobId> = match (only, why) {
            (Some(job), _) => vec![job],
            (None, Why::Event) => Vec::new(),
            (None, _) => self.queue.batch(self.rules.batch),
        };
        let bounds = Interval::new(self.now(), self.now() + self.rules.interval);
        let systems = self.system_views();
        let offer = OfferedTime { grid: self, systems: &systems, bounds };
        let slots = FreeSlots::of(&offer);
        self.stop.check()?;
        let view = View {
            now: self.now(),
            nodes: &self.nodes,
            domains: &world.domains,
            slots: &slots,
            rule: self.rules.rule,
            queue: &[],
            systems: &systems,
            why,
            stop: self.stop,
        };
        let line = OfferedJobs { grid: self };
        let decided = if only.is_none() { policy.decide_from(&view, &line) } else { None };
        let decided = decided.unwrap_or_else(|| {
            let queue = only.map_or_else(|| line.list(), |job| vec![waiting(world, &self.jobs, job)]);
            policy.decide(&View { queue: &queue, ..view })
        });
        let decisions = decided.map_err(|reason| match reason {
            PolicyError::Stopped(stopped) => GridError::Stopped(stopped),
            reason => GridError::Policy { policy: self.rules.policy.clone(), time: view.now, reason },
        })?;
        if let Some(fault) = slots.into_fault() {
            return Err(fault.into());
        }
        let mut named = match only {
            Some(job) => NamedJobs::of(&decisions, 1, |position| Some(job).filter(|_| position == 0)),
            None => NamedJobs::of(&decisions, line.len(), |position| self.queue.at(position)),
        };
        for decision in decisions {
            self.apply(decision, &mut named)?;
        }
        let placed = named.placed();
        let before = self.queue.len();
        self.postpone_waiting(batch.into_iter().filter(|job| !placed.contains(job)))?;
        if self.queue.len() < before {
            // Who has given up no longer holds others up.
            self.something_happened()?;
        }
        self.set_alarm()
    }

    /// A policy that acts on events is asked when the next promise is due, even if nothing happens then.
    fn set_alarm(&mut self) -> Result<(), GridError> {
        if self.rules.acts != Acts::Events {
            return Ok(());
        }
        let next = self.queue.next_promise(self.now());
        if next == self.alarm.map(|(time, _)| time) {
            return Ok(());
        }
        if let Some((_, handle)) = self.alarm.take() {
            self.kernel.cancel(handle);
        }
        if let Some(next) = next {
            self.alarm = Some((next, self.kernel.schedule_at(next, CYCLES, GridStep::Alarm)?));
        }
        Ok(())
    }

    /// A promise is due.
    pub(super) fn alarm(&mut self, policy: &mut dyn Policy) -> Result<(), GridError> {
        self.alarm = None;
        // A policy that is asked at this instant anyway need not be asked twice.
        if self.is_asked { Ok(()) } else { self.ask(policy) }
    }

    /// Does what the policy wants done, if it can be.
    pub(super) fn apply(&mut self, decision: Decision, named: &mut NamedJobs) -> Result<(), GridError> {
        let (policy, time) = (self.rules.policy.as_str(), self.now());
        let refused = |what: String| GridError::Decision { policy: policy.to_string(), time, what };
        let job_at = |request: usize| {
            let among = || refused(format!("request {request} of {} in the queue", named.among));
            named.jobs.get(&request).copied().ok_or_else(among)
        };
        let (request, slots) = match decision {
            Decision::Reserve { request, window } => (request, window.slots().to_vec()),
            Decision::Plan { request, tasks, by_fallback } => {
                if by_fallback {
                    self.note(Event::PlannedByHeft(job_at(request)?));
                }
                (request, tasks)
            }
            Decision::Promise { request, start } => {
                let job = job_at(request)?;
                self.jobs[job].promise = Some(start);
                self.queue.promise(job, start);
                self.note(Event::Promised(job, start));
                return Ok(());
            }
            Decision::NoPlan { request, why } => {
                self.note(Event::Unplanned(job_at(request)?, why));
                return Ok(());
            }
            Decision::Send { request, domain } => {
                let job = job_at(request)?;
                if !named.placed.insert(request) {
                    return Err(refused(format!("two places for {}", self.world.jobs[job.index()].request.name)));
                }
                return self.send(job, domain)?.map_or(Ok(()), |wrong| Err(refused(wrong)));
            }
            Decision::LimitUnmet => {
                self.note(Event::LimitUnmet);
                return Ok(());
            }
        };
        let job = job_at(request)?;
        let name = &self.world.jobs[job.index()].request.name;
        if !named.placed.insert(request) {
            return Err(refused(format!("two places for {name}")));
        }
        let Job { request: asked, workflow, .. } = &self.world.jobs[job.index()];
        let wanted = match (&self.jobs[job].rest, workflow) {
            (Some(rest), Some(_)) => rest.tasks.len(),
            (None, Some(dag)) => dag.tasks().len(),
            (_, None) => asked.nodes,
        };
        if slots.len() != wanted {
            return Err(refused(format!("{} places for the {wanted} tasks of {name}", slots.len())));
        }
        let mut plan = Vec::with_capacity(slots.len());
        for Slot { node, interval } in slots {
            let Some(offered) = self.nodes.get(node.index()) else {
                return Err(refused(format!("{node}, which does not exist, for {name}")));
            };
            if interval.start < time || interval.is_empty() {
                return Err(refused(format!("{interval} on {} for {name}", offered.name)));
            }
            plan.push(Planned { node, interval, price: offered.price });
        }
        let _ = self.queue.remove(job) || self.systems.remove(job);
        self.jobs[job].promise = None;
        self.place(job, &plan).map_err(|error| match error {
            GridError::NotFree(taken) => refused(format!("time for {name} that is taken: {taken}")),
            other => other,
        })
    }

    /// Lets the prices of each domain follow its use.
    fn set_prices(&mut self) -> Result<(), GridError> {
        let Some([elasticity, target, bound]) = self.rules.pricing else { return Ok(()) };
        for (position, domain) in self.world.domains.iter().enumerate() {
            let in_use = domain.members().filter(|node| self.sites[node.index()].occupant.is_some()).count();
            let change = 1.0 + elasticity * (in_use as f64 / domain.nodes as f64 - target);
            let mut is_changed = false;
            for node in domain.members() {
                let base = self.world.nodes[node.index()].price.as_f64();
                let price = self.nodes[node.index()].price.as_f64() * change;
                let price = Price::from_f64(price.clamp(base / bound, base * bound))?;
                if price != self.nodes[node.index()].price {
                    is_changed = true;
                    self.nodes[node.index()].price = price;
                    self.note(Event::Priced(node, price));
                }
            }
            if is_changed {
                self.rates = OnceCell::new();
                self.idle.reprice(&self.nodes, position);
            }
        }
        Ok(())
    }
}

/// The jobs that decisions are about, by their positions in the queue, and those of them that have got a place.
///
/// They are looked up before any decision is carried out, since the queue changes then.
pub(super) struct NamedJobs {
    jobs: BTreeMap<usize, JobId>,
    placed: BTreeSet<usize>,
    /// The length of the queue.
    among: usize,
}

impl NamedJobs {
    /// The jobs of these decisions, where `job_at` has those of the first `among` positions.
    pub(super) fn of(decisions: &[Decision], among: usize, job_at: impl Fn(usize) -> Option<JobId>) -> Self {
        let positions = decisions.iter().filter_map(Decision::request).filter(|&position| position < among);
        let jobs = positions.filter_map(|position| Some((position, job_at(position)?))).collect();
        Self { jobs, placed: BTreeSet::new(), among }
    }

    /// The jobs that have got a place.
    fn placed(&self) -> BTreeSet<JobId> {
        self.placed.iter().filter_map(|position| self.jobs.get(position).copied()).collect()
    }
}
