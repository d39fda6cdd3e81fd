//! The application level: the tasks of workflows inside a reserved window (two tiers), or directly on a domain.

use super::domain_time::TimeOfDomain;
use super::{Acts, Decision, Fallback, LongQueue, Policy, PolicyError, PolicySpec, Setup, View, Waiting, WhyUnplanned};
use crate::model::{CostLimit, Dag, Interval, Node, NodeId, Slot, Window};
use crate::record;
use crate::rng::Stream;
use crate::search::{Search, budget};
use crate::units::{Money, Price, Rounding, Span, Time};
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
        nodes: &[NodeId],
        free: &[Vec<Interval>],
    ) -> Result<Result<PlacedWorkflow, WhyUnplanned>, PolicyError> {
        let request = waiting.request;
        let offered: Vec<&Node> = nodes.iter().map(|node| &view.nodes[node.index()]).collect();
        // A task that takes no time still has to be started and ended.
        let least = Span::from_ticks(1);
        let estimates = Estimates::at_prices(least, dag, &offered, Rounding::Tick)?;
        let Some(last) = free.iter().flatten().map(|interval| interval.end).max() else {
            return Ok(Err(WhyUnplanned::NoTime));
        };
        let problem = PlanProblem {
            dag,
            estimates: &estimates,
            free,
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
        let slot = |node: NodeId, interval| Slot { node: nodes[node.index()], interval };
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
        let decided = self.windows.decide(view)?;
        self.plan_all(view, &view.listed_queue(), decided)
    }

    fn decide_from(&mut self, view: &View<'_>, queue: &dyn LongQueue) -> Option<Result<Vec<Decision>, PolicyError>> {
        let decided = self.windows.decide_from(view, queue)?;
        Some(decided.and_then(|decided| self.plan_all(view, queue, decided)))
    }
}

impl<P: Policy> TwoTier<P> {
    /// Puts the tasks of workflows into the windows that were decided on. Who can't be planned makes room for the
    /// others.
    fn plan_all(
        &mut self,
        view: &View<'_>,
        queue: &dyn LongQueue,
        mut decided: Vec<Decision>,
    ) -> Result<Vec<Decision>, PolicyError> {
        let mut unplanned: Vec<(usize, WhyUnplanned)> = Vec::new();
        loop {
            let before = unplanned.len();
            let mut decisions = Vec::with_capacity(decided.len());
            for decision in decided {
                decisions.extend(self.plan_inside(view, queue, decision, &mut unplanned)?);
            }
            if unplanned.len() == before {
                let failed = unplanned.into_iter().map(|(request, why)| Decision::NoPlan { request, why });
                return Ok(decisions.into_iter().chain(failed).collect());
            }
            // Positions in the queue of those who still take part.
            let is_present = |place: &usize| !unplanned.iter().any(|(request, _)| request == place);
            let present: Vec<usize> = (0..queue.len()).filter(is_present).collect();
            let rest: Vec<Waiting<'_>> = present.iter().map(|&place| queue.at(place)).collect();
            decided = self.windows.decide(&View { queue: &rest, ..*view })?;
            decided = decided.into_iter().map(|decision| decision.renumbered(|request| present[request])).collect();
        }
    }
}

impl<P> TwoTier<P> {
    /// Puts the tasks of a workflow into its window; nothing if there is no plan.
    fn plan_inside(
        &mut self,
        view: &View<'_>,
        queue: &dyn LongQueue,
        decision: Decision,
        unplanned: &mut Vec<(usize, WhyUnplanned)>,
    ) -> Result<Option<Decision>, PolicyError> {
        let (request, window) = match decision {
            Decision::Reserve { request, window } => (request, window),
            decided => return Ok(Some(decided)),
        };
        let waiting = queue.at(request);
        let Some(dag) = waiting.workflow else { return Ok(Some(Decision::Reserve { request, window })) };
        let nodes: Vec<NodeId> = window.slots().iter().map(|slot| slot.node).collect();
        let free: Vec<Vec<Interval>> = window.slots().iter().map(|slot| vec![slot.interval]).collect();
        match self.planner.plan(view, &waiting, dag, &nodes, &free)? {
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
        Box::new(Direct::new(setup.search().clone(), setup.planner()))
    }

    fn acts(&self) -> Acts {
        Acts::Submission
    }

    fn seeks_windows(&self) -> bool {
        true
    }
}

/// The application level alone: each job in turn is placed on the domain that serves it best, without windows and
/// without regard to the others that wait. A workflow that no domain has a plan for is reported as one without a plan,
/// with the reason that is nearest to one.
#[derive(Debug, Clone)]
pub struct Direct {
    /// The search of windows for rigid jobs, domain by domain.
    search: Search,
    /// The planner of the tasks of workflows.
    planner: Planner,
}

impl Policy for Direct {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let mut domains: Vec<TimeOfDomain<'_>> =
            (0..view.domains.len()).map(|domain| TimeOfDomain::of(view, domain)).collect();
        let mut decisions = Vec::new();
        for request in 0..view.queue.len() {
            decisions.extend(match view.queue[request].workflow {
                Some(dag) => Some(self.place_workflow(view, request, dag, &mut domains)?),
                None => self.place_rigid(view, request, &mut domains)?,
            });
        }
        Ok(decisions)
    }
}

impl Direct {
    /// The application level with this search of windows for rigid jobs and this planner of workflows.
    pub fn new(search: Search, planner: Planner) -> Self {
        Self { search, planner }
    }

    /// The earliest end of a rigid job in any domain, the time for which is taken.
    fn place_rigid(
        &mut self,
        view: &View<'_>,
        request: usize,
        domains: &mut [TimeOfDomain<'_>],
    ) -> Result<Option<Decision>, PolicyError> {
        let mut best: Option<(usize, Window)> = None;
        for (domain, time) in domains.iter().enumerate() {
            let Some(window) = time.window(&self.search, view.queue[request].request)? else { continue };
            if best.as_ref().is_none_or(|(_, other)| window.finish() < other.finish()) {
                best = Some((domain, window));
            }
        }
        let Some((domain, window)) = best else { return Ok(None) };
        domains[domain].take(window.clone())?;
        Ok(Some(Decision::Reserve { request, window }))
    }

    /// The best place for a workflow in any domain, the time for which is taken.
    fn place_workflow(
        &mut self,
        view: &View<'_>,
        request: usize,
        dag: &Dag,
        domains: &mut [TimeOfDomain<'_>],
    ) -> Result<Decision, PolicyError> {
        let waiting = &view.queue[request];
        let asked = waiting.request;
        let limit = self.planner.limit;
        let is_fast = |node: NodeId| view.nodes[node.index()].performance >= asked.min_performance;
        let is_affordable =
            |node: NodeId| limit != CostLimit::PerSlot || view.nodes[node.index()].price <= asked.max_price;
        let suits = |node: NodeId| is_fast(node) && is_affordable(node);
        let strategy = self.planner.strategy(waiting);
        let mut best: Option<(usize, PlacedWorkflow)> = None;
        let mut failed = WhyUnplanned::NoTime;
        for (domain, time) in domains.iter().enumerate() {
            let all = time.nodes()?;
            let suited = all.iter().zip(time.free()?).filter(|(node, _)| suits(**node));
            let (nodes, free): (Vec<NodeId>, Vec<Vec<Interval>>) =
                suited.map(|(node, free)| (*node, free.clone())).unzip();
            if nodes.is_empty() && all.iter().any(|&node| is_fast(node)) {
                failed = failed.max(WhyUnplanned::TooExpensive);
                continue;
            }
            let placed = match self.planner.plan(view, waiting, dag, &nodes, &free)? {
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
        let Some((domain, placed)) = best else { return Ok(Decision::NoPlan { request, why: failed }) };
        for slot in &placed.tasks {
            let window = Window::new(slot.interval.start, vec![(slot.node, slot.interval.span())]);
            domains[domain].take(window)?;
        }
        Ok(placed.decided(request))
    }
}
