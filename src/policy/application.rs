//! The application level: the tasks of workflows inside a reserved window (two tiers), or directly on a domain.

use super::{Acts, Decision, Fallback, Policy, PolicyError, PolicySpec, Setup, View, Waiting, WhyUnplanned};
use crate::model::{CostLimit, Dag, Interval, Node, NodeId, Slot, SlotList};
use crate::record;
use crate::rng::Stream;
use crate::search::{Offers, Search, budget};
use crate::units::{Money, Overflow, Performance, Price, Rounding, Span, Time};
use crate::workflow::{Estimates, Failure, Placement, PlanProblem, Strategy, Transfers, heft, is_impossible, plan};

/// The most times that a workflow is planned, each time with the chain that failed in front.
const ATTEMPTS: u32 = 4;

/// Plans workflows by the critical jobs method.
#[derive(Debug, Clone)]
pub struct Planner {
    /// Jobs without a strategy of their own that offer at least this much are planned for the earliest finish, others
    /// for the least cost.
    pub rich_from: Price,
    /// The plan where the method finds none.
    pub fallback: Fallback,
    /// The limit of a job's cost.
    pub limit: CostLimit,
    /// Decides between equal nodes.
    pub ties: Stream,
}

/// A place for each task of a workflow.
struct PlacedWorkflow {
    tasks: Vec<Slot>,
    cost: Money,
    start: Time,
    finish: Time,
    by_fallback: bool,
}

impl PlacedWorkflow {
    /// The decision to place the job at this position of the queue so.
    fn decided(self, request: usize) -> Decision {
        Decision::Plan { request, tasks: self.tasks, by_fallback: self.by_fallback }
    }
}

impl Planner {
    /// The criterion of a job's plan.
    fn strategy(&self, waiting: &Waiting<'_>) -> Strategy {
        let is_rich = waiting.request.max_price >= self.rich_from;
        waiting.strategy.unwrap_or(if is_rich { Strategy::EarliestFinish } else { Strategy::Cheapest })
    }

    /// Plans the workflow of a job on nodes with their free time, within budget and deadline.
    fn plan(
        &mut self,
        view: &View<'_>,
        waiting: &Waiting<'_>,
        dag: &Dag,
        free: &[(NodeId, Vec<Interval>)],
    ) -> Result<Result<PlacedWorkflow, WhyUnplanned>, PolicyError> {
        let request = waiting.request;
        let offered: Vec<&Node> = free.iter().map(|(node, _)| &view.nodes[node.index()]).collect();
        let performances: Vec<Performance> = offered.iter().map(|node| node.performance).collect();
        let volumes = Estimates::from_volumes(dag, &performances, Rounding::Tick).ok_or(Overflow)?;
        // A task that takes no time still has to be started and ended.
        let estimates = Estimates::new(dag, free.len(), |task, node| volumes.span(task, node).max(Span::from_ticks(1)));
        let intervals: Vec<Vec<Interval>> = free.iter().map(|(_, intervals)| intervals.clone()).collect();
        let Some(last) = intervals.iter().flatten().map(|interval| interval.end).max() else {
            return Ok(Err(WhyUnplanned::NoTime));
        };
        let problem = PlanProblem {
            dag,
            estimates: &estimates,
            free: &intervals,
            reserved: &[],
            release: waiting.ready.max(view.now),
            deadline: request.deadline.map_or(last, |deadline| deadline.min(last)),
            transfers: Transfers::BetweenNodes,
            strategy: self.strategy(waiting),
            attempts: ATTEMPTS,
            // Tasks that follow each other closely leave no slack for owners who come: the plan stays as chains have
            // it.
            refine: false,
            stop: view.stop,
        };
        let planned = self.by_method(&problem);
        view.stop.check()?;
        let (mut placements, by_fallback) = match planned? {
            Ok(planned) => planned,
            Err(why) => return Ok(Err(why)),
        };
        placements.sort_unstable_by_key(|placement| placement.task);
        let slot = |node: NodeId, interval| Slot { node: free[node.index()].0, interval };
        let tasks: Vec<Slot> = placements.iter().map(|placement| slot(placement.node, placement.interval)).collect();
        let cost = tasks.iter().try_fold(Money::ZERO, |total, slot| {
            total.checked_add(view.nodes[slot.node.index()].price.checked_mul(slot.interval.span())?)
        })?;
        let within = match self.limit {
            CostLimit::PerSlot => offered.iter().all(|node| node.price <= request.max_price),
            CostLimit::Total(factor) => cost <= waiting.budget.unwrap_or_else(|| budget(request, factor)),
        };
        if !within {
            return Ok(Err(WhyUnplanned::TooExpensive));
        }
        let start = tasks.iter().map(|slot| slot.interval.start).min();
        let finish = tasks.iter().map(|slot| slot.interval.end).max();
        let placed =
            start.zip(finish).map(|(start, finish)| PlacedWorkflow { tasks, cost, start, finish, by_fallback });
        Ok(placed.ok_or(WhyUnplanned::NotFound))
    }

    /// The places of all tasks by the critical jobs method, or by the fallback, which is said then.
    ///
    /// Where chains are placed one after another, an early one may leave no room between its tasks for those of a later
    /// one, however long the window is. HEFT, which places task by task, finds a plan then if there is time.
    fn by_method(
        &mut self,
        problem: &PlanProblem<'_>,
    ) -> Result<Result<(Vec<Placement>, bool), WhyUnplanned>, PolicyError> {
        let failed = |failure: Failure| match failure {
            Failure::NoPlace { .. } => Ok(None),
            Failure::Overflow(overflow) => Err(overflow),
        };
        if let Some(plan) = plan(problem, &mut self.ties).map_or_else(failed, |plan| Ok(Some(plan)))? {
            return Ok(Ok((plan.placements, false)));
        }
        if is_impossible(problem).map_or_else(|failure| failed(failure).map(|_| true), Ok)? {
            return Ok(Err(WhyUnplanned::NoTime));
        }
        let instead = match self.fallback {
            Fallback::Postpone => None,
            Fallback::Heft => heft(problem).map_or_else(failed, |plan| Ok(Some(plan)))?,
        };
        Ok(instead.map(|plan| (plan.placements, true)).ok_or(WhyUnplanned::NotFound))
    }
}

/// Two tiers: another policy finds the windows, and the tasks of workflows are placed inside them. What the plan does
/// not need of a window is not reserved. Where no plan fits into a window, the job waits for the next cycle and the
/// windows are sought again without it.
#[derive(Debug, Clone)]
pub struct TwoTier<P> {
    /// The policy that finds the windows.
    pub windows: P,
    /// The planner that places the tasks.
    pub planner: Planner,
}

impl<P: Policy> Policy for TwoTier<P> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        // Positions in the view's queue of those who take part; who can't be planned makes room for the others.
        let mut present: Vec<usize> = (0..view.queue.len()).collect();
        let mut unplanned = Vec::new();
        loop {
            let decided = if present.len() == view.queue.len() {
                self.windows.decide(view)?
            } else {
                let queue: Vec<Waiting<'_>> = present.iter().map(|&place| view.queue[place]).collect();
                self.windows.decide(&View { queue: &queue, ..*view })?
            };
            let before = unplanned.len();
            let mut decisions = Vec::with_capacity(decided.len());
            for decision in decided {
                decisions.extend(self.plan_inside(view, &present, decision, &mut unplanned)?);
            }
            if unplanned.len() == before {
                let failed = unplanned.into_iter().map(|(request, why)| Decision::NoPlan { request, why });
                return Ok(decisions.into_iter().chain(failed).collect());
            }
            present.retain(|place| !unplanned.iter().any(|(request, _)| request == place));
        }
    }
}

impl<P> TwoTier<P> {
    /// Puts the tasks of a workflow into its window, and names the job by its place in the view's queue; nothing if
    /// there is no plan.
    fn plan_inside(
        &mut self,
        view: &View<'_>,
        present: &[usize],
        decision: Decision,
        unplanned: &mut Vec<(usize, WhyUnplanned)>,
    ) -> Result<Option<Decision>, PolicyError> {
        let (request, window) = match decision.renumbered(|request| present[request]) {
            Decision::Reserve { request, window } => (request, window),
            decided => return Ok(Some(decided)),
        };
        let waiting = &view.queue[request];
        let Some(dag) = waiting.workflow else { return Ok(Some(Decision::Reserve { request, window })) };
        let free: Vec<_> = window.slots().iter().map(|slot| (slot.node, vec![slot.interval])).collect();
        match self.planner.plan(view, waiting, dag, &free)? {
            Ok(placed) => Ok(Some(placed.decided(request))),
            Err(why) => {
                unplanned.push((request, why));
                Ok(None)
            }
        }
    }
}

record! {
    /// No metascheduler: each job is placed on the domain that serves it best as soon as it is submitted.
    #[derive(Copy)]
    pub struct ApplicationOnly;
}

impl PolicySpec for ApplicationOnly {
    fn name(&self) -> String {
        "application only".into()
    }

    fn make(&self, setup: &Setup<'_>) -> Box<dyn Policy> {
        Box::new(Direct { search: setup.search().clone(), planner: setup.planner() })
    }

    fn acts(&self) -> Acts {
        Acts::Submission
    }
}

/// The application level alone: each job in turn is placed on the domain that serves it best, without windows and
/// without regard to the others that wait. A workflow that no domain has a plan for is reported as one without a plan,
/// with the reason that is nearest to one.
#[derive(Debug, Clone)]
pub struct Direct {
    /// The search of windows for rigid jobs, domain by domain.
    pub search: Search,
    /// The planner of the tasks of workflows.
    pub planner: Planner,
}

impl Policy for Direct {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let mut domains: Vec<SlotList> =
            view.domains.iter().map(|domain| view.slots_of(domain)).collect::<Result<_, _>>()?;
        let mut decisions = Vec::new();
        for request in 0..view.queue.len() {
            decisions.extend(self.place(view, request, &mut domains)?);
        }
        Ok(decisions)
    }
}

impl Direct {
    /// The best place for a job in any domain, which is taken out of the domain's slots.
    fn place(
        &mut self,
        view: &View<'_>,
        request: usize,
        domains: &mut [SlotList],
    ) -> Result<Option<Decision>, PolicyError> {
        let waiting = &view.queue[request];
        let asked = waiting.request;
        let Some(dag) = waiting.workflow else {
            let windows = domains.iter_mut().filter_map(|slots| {
                let offers = Offers { nodes: view.nodes, slots, rule: view.rule };
                self.search.get().find_window(&offers, asked).map(|window| (window, slots))
            });
            let Some((window, slots)) = windows.min_by_key(|(window, _)| window.finish()) else { return Ok(None) };
            slots.subtract(&window)?;
            return Ok(Some(Decision::Reserve { request, window }));
        };
        let strategy = self.planner.strategy(waiting);
        let mut best: Option<(usize, PlacedWorkflow)> = None;
        let mut failed = WhyUnplanned::NoTime;
        for (domain, slots) in domains.iter().enumerate() {
            let is_fast = |node: NodeId| view.nodes[node.index()].performance >= asked.min_performance;
            let is_affordable = |node: NodeId| {
                self.planner.limit != CostLimit::PerSlot || view.nodes[node.index()].price <= asked.max_price
            };
            let free = by_node(slots, |node| is_fast(node) && is_affordable(node));
            if free.is_empty() && slots.as_slice().iter().any(|slot| is_fast(slot.node)) {
                failed = failed.max(WhyUnplanned::TooExpensive);
                continue;
            }
            let placed = match self.planner.plan(view, waiting, dag, &free)? {
                Ok(placed) => placed,
                Err(why) => {
                    failed = failed.max(why);
                    continue;
                }
            };
            let rank = |placed: &PlacedWorkflow| {
                let (finish, cost) = (placed.finish.ticks(), placed.cost.ticks());
                match strategy {
                    Strategy::EarliestFinish => (finish, cost),
                    Strategy::Cheapest => (cost, finish),
                    Strategy::LatestStart => (-placed.start.ticks(), cost),
                }
            };
            if best.as_ref().is_none_or(|(_, other)| rank(&placed) < rank(other)) {
                best = Some((domain, placed));
            }
        }
        let Some((domain, placed)) = best else { return Ok(Some(Decision::NoPlan { request, why: failed })) };
        for slot in &placed.tasks {
            let part = crate::model::Window::new(slot.interval.start, vec![(slot.node, slot.interval.span())]);
            domains[domain].subtract(&part)?;
        }
        Ok(Some(placed.decided(request)))
    }
}

/// The free intervals of each node that will do.
fn by_node(slots: &SlotList, will_do: impl Fn(NodeId) -> bool) -> Vec<(NodeId, Vec<Interval>)> {
    let mut slots: Vec<Slot> = slots.as_slice().iter().filter(|slot| will_do(slot.node)).copied().collect();
    slots.sort_unstable_by_key(|slot| (slot.node, slot.interval.start));
    let mut free: Vec<(NodeId, Vec<Interval>)> = Vec::new();
    for slot in slots {
        match free.last_mut() {
            Some((node, intervals)) if *node == slot.node => intervals.push(slot.interval),
            _ => free.push((slot.node, vec![slot.interval])),
        }
    }
    free
}
