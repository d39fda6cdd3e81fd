//! Batch systems beneath domains.
//!
//! A batch system has a queue in which local jobs and those that the metascheduler sent wait together, in the order in
//! which they came. It is asked, over its own nodes alone, after all that happened at an instant, if any of that
//! concerned it; and before every decision of the metascheduler, which so sees settled queues. What it starts is placed
//! as anything else is. A job that loses its place returns to where it stood in the queue.

use super::cycle::NamedJobs;
use super::grid::{GridError, GridState};
use super::job_states::JobStates;
use super::journal::Event;
use super::rules::GridRules;
use super::site::free_slots;
use super::{GridStep, QUEUES};
use crate::engine::{Handle, Phase};
use crate::model::{CostLimit, Domain, Interval, Job, JobId, NodeId, NotFree, Slot, SlotList, Window};
use crate::policy::{Backfilling, Decision, Policy, PolicyError, SystemView, View, Waiting, Why};
use crate::queueing::QueueRule;
use crate::search::{Amp, Finder};
use crate::units::Time;
use crate::workload::GridWorld;
use std::collections::BTreeMap;

/// The batch systems of all domains.
#[derive(Debug)]
pub(super) struct BatchSystems {
    /// By domain.
    systems: Vec<Option<BatchSystem>>,
    /// The domain of the system that each job belongs to, and its place in the order of coming.
    places: Vec<Option<(u32, u32)>>,
    /// The number of jobs that have come to any system.
    came: u32,
    /// True if systems are to be asked at the end of this instant.
    is_asked: bool,
    finder: Finder,
}

#[derive(Debug)]
struct BatchSystem {
    rule: QueueRule,
    grants: bool,
    policy: Backfilling,
    /// The jobs that wait, by their places in the order of coming.
    queue: BTreeMap<u32, JobId>,
    /// True if something has happened since it was last asked.
    is_stirred: bool,
    /// The next promise that is due: the system is asked then, even if nothing happens.
    alarm: Option<(Time, Handle)>,
}

impl BatchSystems {
    pub(super) fn new(world: &GridWorld, rules: &GridRules) -> Self {
        let finder = match rules.limit {
            CostLimit::PerSlot => Finder::ALP,
            CostLimit::Total(factor) => Finder::Amp(Amp::within(factor)),
        };
        let system = |rule: QueueRule, grants| BatchSystem {
            rule,
            grants,
            policy: Backfilling::new(rule, finder),
            queue: BTreeMap::new(),
            is_stirred: false,
            alarm: None,
        };
        let systems = world.systems.iter().map(|spec| spec.map(|spec| system(spec.queue.into(), spec.reservations)));
        Self { systems: systems.collect(), places: vec![None; world.jobs.len()], came: 0, is_asked: false, finder }
    }

    fn get(&mut self, domain: u32) -> Option<&mut BatchSystem> {
        self.systems.get_mut(domain as usize)?.as_mut()
    }

    /// A job comes to the system of a domain, behind all others.
    fn admit(&mut self, job: JobId, domain: u32) {
        self.came += 1;
        self.places[job.index()] = Some((domain, self.came));
    }

    /// The domain whose system a job belongs to, if it does.
    pub(super) fn domain_of(&self, job: JobId) -> Option<u32> {
        self.places[job.index()].map(|(domain, _)| domain)
    }

    /// Lets a job wait where it stands in the queue of its system, if it belongs to one.
    pub(super) fn wait(&mut self, job: JobId) -> bool {
        let Some((domain, place)) = self.places[job.index()] else { return false };
        let Some(system) = self.get(domain) else { return false };
        system.queue.insert(place, job);
        system.is_stirred = true;
        true
    }

    /// Takes a job out of the queue of its system; whether it waited there. Those behind it may be able to start.
    pub(super) fn remove(&mut self, job: JobId) -> bool {
        let Some((domain, place)) = self.places[job.index()] else { return false };
        self.get(domain).is_some_and(|system| {
            system.is_stirred = true;
            system.queue.remove(&place).is_some()
        })
    }

    /// Takes notice of what may let a job of a system start, or break a promise.
    pub(super) fn heed(&mut self, what: &Event, domains: &[u32]) {
        let node = match *what {
            Event::Ended(piece, _) | Event::Freed(piece, _) => piece.node,
            Event::Announced(node, _) | Event::OwnerEnded(node, _) => node,
            Event::Failed(node) | Event::Repaired(node) | Event::Priced(node, _) => node,
            _ => return,
        };
        if let Some(system) = self.get(domains[node.index()]) {
            system.is_stirred = true;
        }
    }

    /// The domains whose systems are to be asked.
    fn stirred(&self) -> Vec<u32> {
        let is_stirred = |system: &BatchSystem| system.is_stirred && !system.queue.is_empty();
        let systems = self.systems.iter().enumerate();
        systems.filter(|(_, system)| system.as_ref().is_some_and(is_stirred)).map(|(at, _)| at as u32).collect()
    }
}

/// A job as policies see it while it waits.
pub(super) fn waiting<'s>(world: &'s GridWorld, jobs: &'s JobStates, id: JobId) -> Waiting<'s> {
    let (job, state) = (&world.jobs[id.index()], &jobs[id]);
    let rest = state.rest.as_deref();
    Waiting {
        id,
        request: rest.map_or(&job.request, |rest| &rest.request),
        workflow: rest.and_then(|rest| rest.workflow.as_ref()).or(job.workflow.as_deref()),
        strategy: job.strategy,
        submitted: job.arrival,
        attempts: state.attempts,
        user: job.user,
        promise: state.promise,
        ready: rest.map_or(job.arrival, |rest| rest.ready),
        budget: rest.and_then(|rest| rest.budget),
    }
}

impl GridState<'_> {
    /// Admits a job that is submitted to the batch system of its home; whether it was.
    pub(super) fn goes_home(&mut self, job: JobId) -> bool {
        let home = self.world.jobs[job.index()].home.filter(|&home| self.systems.get(home).is_some());
        home.inspect(|&home| self.systems.admit(job, home)).is_some()
    }

    /// Lets the systems that something has happened to be asked once all that happens at this instant has happened.
    pub(super) fn serve_later(&mut self, phase: Phase) -> Result<(), GridError> {
        if !self.systems.is_asked && !self.systems.stirred().is_empty() {
            self.systems.is_asked = true;
            self.kernel.schedule_at(self.now(), phase, GridStep::Serve)?;
        }
        Ok(())
    }

    /// The scheduled question.
    pub(super) fn serve(&mut self) -> Result<(), GridError> {
        self.systems.is_asked = false;
        self.serve_now()
    }

    /// A promise of a system is due.
    pub(super) fn promise_due(&mut self, domain: u32) {
        if let Some(system) = self.systems.get(domain) {
            (system.alarm, system.is_stirred) = (None, true);
        }
    }

    /// Asks the systems that something has happened to.
    pub(super) fn serve_now(&mut self) -> Result<(), GridError> {
        for domain in self.systems.stirred() {
            self.serve_queue(domain)?;
        }
        Ok(())
    }

    /// Starts the jobs of a queue that may start now.
    fn serve_queue(&mut self, domain: u32) -> Result<(), GridError> {
        self.stop.check()?;
        let now = self.now();
        let own = &self.world.domains[domain as usize];
        let slots = self.own_slots(own).into();
        let (world, jobs) = (self.world, &self.jobs);
        let Some(system) = self.systems.get(domain) else { return Ok(()) };
        let batch: Vec<JobId> = system.queue.values().copied().collect();
        let queue: Vec<Waiting<'_>> = batch.iter().map(|&job| waiting(world, jobs, job)).collect();
        let view = View {
            now,
            nodes: &self.nodes[own.first.index()..own.first.index() + own.nodes],
            domains: &[],
            slots: &slots,
            rule: self.rules.rule,
            queue: &queue,
            systems: &[],
            why: Why::Event,
            stop: self.stop,
        };
        let name = || format!("of the batch system of {}", own.name);
        let decisions = system.policy.decide(&view).map_err(|reason| match reason {
            PolicyError::Stopped(stopped) => GridError::Stopped(stopped),
            reason => GridError::Policy { policy: name(), time: now, reason },
        })?;
        let mut named = NamedJobs::of(&decisions, batch.len(), |position| batch.get(position).copied());
        for decision in decisions {
            let decision = match decision {
                Decision::Reserve { request, window } => {
                    Decision::Reserve { request, window: renumbered(&window, own.first) }
                }
                other => other,
            };
            self.apply(decision, &mut named).map_err(|error| match error {
                GridError::Decision { time, what, .. } => GridError::Decision { policy: name(), time, what },
                other => other,
            })?;
        }
        self.set_system_alarm(domain, &batch)
    }

    /// Sees to it that the system is asked when its next promise is due.
    fn set_system_alarm(&mut self, domain: u32, batch: &[JobId]) -> Result<(), GridError> {
        let promises = batch.iter().filter_map(|&job| self.jobs[job].promise);
        let next = promises.filter(|&start| start > self.now()).min();
        let Some(system) = self.systems.get(domain) else { return Ok(()) };
        system.is_stirred = false;
        if next == system.alarm.map(|(time, _)| time) {
            return Ok(());
        }
        if let Some((_, handle)) = system.alarm.take() {
            self.kernel.cancel(handle);
        }
        if let Some(next) = next {
            system.alarm = Some((next, self.kernel.schedule_at(next, QUEUES, GridStep::PromiseDue(domain))?));
        }
        Ok(())
    }

    /// The free time of a domain from now on, its nodes numbered from 0.
    fn own_slots(&self, own: &Domain) -> SlotList {
        let nodes = own.first.index()..own.first.index() + own.nodes;
        free_slots(&self.sites[nodes], Interval::new(self.now(), Time::REACH.max(self.now())))
    }

    /// All systems as the metascheduler sees them.
    pub(super) fn system_views(&self) -> Vec<SystemView<'_>> {
        (0..self.systems.systems.len()).filter_map(|domain| self.system_view(domain)).collect()
    }

    /// The system of a domain as the metascheduler sees it, if there is one.
    fn system_view(&self, domain: usize) -> Option<SystemView<'_>> {
        let system = self.systems.systems.get(domain)?.as_ref()?;
        let own = &self.world.domains[domain];
        Some(SystemView {
            domain,
            rule: system.rule,
            grants: system.grants,
            queue: system.queue.values().map(|&job| waiting(self.world, &self.jobs, job)).collect(),
            nodes: &self.nodes[own.first.index()..own.first.index() + own.nodes],
            now: self.now(),
            slots: self.own_slots(own),
            runtime: self.rules.rule,
            finder: self.systems.finder,
            arranged: system.policy.arranged(),
        })
    }

    /// The free time that the metascheduler may reserve: that of domains without a batch system, and what those that
    /// grant reservations have not promised to their queues.
    pub(super) fn offered_slots(&self, systems: &[SystemView<'_>], bounds: Interval) -> Result<SlotList, NotFree> {
        let all = free_slots(&self.sites, bounds);
        if systems.is_empty() {
            return Ok(all);
        }
        let has_system = |slot: &Slot| self.world.systems[self.domain[slot.node.index()] as usize].is_some();
        let mut slots: Vec<Slot> = all.as_slice().iter().filter(|slot| !has_system(slot)).copied().collect();
        for system in systems.iter().filter(|system| system.grants) {
            let first = self.world.domains[system.domain].first;
            let unpromised = system.unpromised()?;
            let within = unpromised.as_slice().iter().map(|slot| Slot {
                node: NodeId(first.0 + slot.node.0),
                interval: Interval::new(slot.interval.start, slot.interval.end.min(bounds.end)),
            });
            slots.extend(within.filter(|slot| slot.interval.start < slot.interval.end));
        }
        SlotList::new(slots)
    }

    /// The metascheduler sends a job to the system of a domain; what is wrong with that, if it can't be.
    pub(super) fn send(&mut self, job: JobId, domain: usize) -> Result<Option<String>, GridError> {
        let world = self.world;
        let Job { request, workflow, .. } = &world.jobs[job.index()];
        let name = &request.name;
        let Some(own) = world.domains.get(domain) else {
            return Ok(Some(format!("domain {domain}, which does not exist, for {name}")));
        };
        if workflow.is_some() {
            return Ok(Some(format!("the workflow {name} for the batch system of {}", own.name)));
        }
        if request.nodes > own.nodes {
            return Ok(Some(format!(
                "{}, which has {} nodes, for the {} of {name}",
                own.name, own.nodes, request.nodes
            )));
        }
        let Some(system) = self.system_view(domain) else {
            return Ok(Some(format!("{}, which has no batch system, for {name}", own.name)));
        };
        let predicted = system.forecast().predict(request);
        self.queue.remove(job);
        self.jobs[job].promise = None;
        self.systems.admit(job, domain as u32);
        self.systems.wait(job);
        self.note(Event::Sent(job, domain as u32, predicted));
        Ok(None)
    }
}

/// A window of a domain whose nodes were numbered from 0.
fn renumbered(window: &Window, first: NodeId) -> Window {
    let part = |slot: &Slot| (NodeId(first.0 + slot.node.0), slot.interval.span());
    Window::new(window.start(), window.slots().iter().map(part).collect())
}
