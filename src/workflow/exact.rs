//! The best plan of all, by trying everything that could be better.

use super::calendar::Calendar;
use super::mirror::in_mirror;
use super::{Failure, Placement, Plan, PlanProblem, Strategy};
use crate::model::{Interval, NodeId, TaskId};
use crate::units::{Money, Span, Time};

/// What a search that tries everything comes to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exact {
    /// The best plan.
    Best(Plan),
    /// There is no plan within the deadline.
    Impossible,
    /// The search was given up: too many partial plans.
    GaveUp,
}

/// A plan of the least cost, or the earliest finish or latest start, by branch and bound over at most `limit` partial plans; for jobs
/// of a few tasks.
///
/// Tasks are placed in order of their start, each as early as its node and its data allow. Some best plan is among these: moving
/// every task to the earliest instant changes no cost and no order on any node.
pub fn exact(problem: &PlanProblem<'_>, limit: u64) -> Result<Exact, Failure> {
    problem.check_range()?;
    if problem.strategy != Strategy::LatestStart {
        return Ok(search(problem, limit));
    }
    // The mirror only passes plans through.
    let mut outcome = Exact::Impossible;
    let mirrored = in_mirror(problem, |mirrored| {
        outcome = search(mirrored, limit);
        match &outcome {
            Exact::Best(plan) => Ok(plan.clone()),
            _ => Err(Failure::NoPlace { chain: Vec::new(), collisions: Vec::new() }),
        }
    });
    Ok(mirrored.map_or(outcome, Exact::Best))
}

fn search(problem: &PlanProblem<'_>, limit: u64) -> Exact {
    let mut search = Search {
        problem,
        left: Calendar::new(problem.free, problem.reserved),
        tails: tails(problem),
        cheapest: cheapest(problem),
        placed: vec![None; problem.dag.tasks().len()],
        node_ends: vec![problem.release; problem.free.len()],
        nodes: (0..problem.dag.tasks().len() as u32).map(|task| ranked(problem, TaskId(task))).collect(),
        best: None,
        budget: limit,
    };
    let least = search.cheapest.iter().fold(Money::ZERO, |sum, &cost| sum + cost);
    let is_complete = search.branch(0, (problem.release, 0), Money::ZERO, least, problem.release);
    match search.best {
        _ if !is_complete => Exact::GaveUp,
        Some((_, placements)) => Exact::Best(Plan::of(placements, problem.estimates)),
        None => Exact::Impossible,
    }
}

/// By task: how long the job takes at least from the start of that task on.
fn tails(problem: &PlanProblem<'_>) -> Vec<Span> {
    let mut tails = vec![Span::ZERO; problem.dag.tasks().len()];
    for &task in problem.dag.order().iter().rev() {
        let after = problem.dag.successors(task);
        let after = after.map(|edge| problem.transfers.least(edge.transfer) + tails[edge.to.index()]);
        tails[task.index()] = problem.estimates.best(task) + after.max().unwrap_or(Span::ZERO);
    }
    tails
}

/// By task: the least it costs on any node.
fn cheapest(problem: &PlanProblem<'_>) -> Vec<Money> {
    let nodes = (0..problem.free.len() as u32).map(NodeId);
    let least = |task| nodes.clone().map(|node| problem.estimates.cost(task, node)).min().unwrap_or(Money::ZERO);
    (0..problem.dag.tasks().len() as u32).map(|task| least(TaskId(task))).collect()
}

/// The nodes by what a task costs there, then by how long it takes; or the other way round.
fn ranked(problem: &PlanProblem<'_>, task: TaskId) -> Vec<NodeId> {
    let mut nodes: Vec<NodeId> = (0..problem.free.len() as u32).map(NodeId).collect();
    nodes.sort_by_key(|&node| {
        let (cost, span) = (problem.estimates.cost(task, node).ticks(), problem.estimates.span(task, node).ticks());
        if problem.strategy == Strategy::Cheapest { (cost, span) } else { (span, cost) }
    });
    nodes
}

struct Search<'a> {
    problem: &'a PlanProblem<'a>,
    left: Calendar,
    tails: Vec<Span>,
    cheapest: Vec<Money>,
    placed: Vec<Option<Placement>>,
    /// By node: when its last task ends.
    node_ends: Vec<Time>,
    /// By task: the nodes, those first that are likely to be best.
    nodes: Vec<Vec<NodeId>>,
    /// The best so far: what is made small, and the plan.
    best: Option<(i64, Vec<Placement>)>,
    budget: u64,
}

impl Search<'_> {
    /// Tries every task that can come next on every node. `last` is start and topological place of the task before, `spent` what
    /// the placed tasks cost, `ahead` what the others cost at least, `end` when the placed ones end. Whether the budget
    /// lasted.
    fn branch(&mut self, count: usize, last: (Time, usize), spent: Money, ahead: Money, end: Time) -> bool {
        if self.budget == 0 || self.problem.stop.is_set() {
            return false;
        }
        self.budget -= 1;
        let problem = self.problem;
        if count == self.placed.len() {
            let key = self.key(spent, end);
            if self.best.as_ref().is_none_or(|(best, _)| key < *best) {
                self.best = Some((key, self.placed.iter().flatten().copied().collect()));
            }
            return true;
        }
        for (place, &task) in problem.dag.order().iter().enumerate() {
            let waits = |from: TaskId| self.placed[from.index()].is_none();
            if !waits(task) || problem.dag.predecessors(task).any(|edge| waits(edge.from)) {
                continue;
            }
            for index in 0..problem.free.len() {
                let node = self.nodes[task.index()][index];
                let Some(at) = self.earliest(task, node) else { continue };
                let in_order = (at.interval.start, place) > last || count == 0;
                let spent = spent + problem.estimates.cost(task, node);
                let ahead = ahead - self.cheapest[task.index()];
                let end = end.max(at.interval.end);
                if !in_order || !self.is_promising(at, spent + ahead, end) {
                    continue;
                }
                let node_end = std::mem::replace(&mut self.node_ends[node.index()], at.interval.end);
                self.placed[task.index()] = Some(at);
                let lasted = self.branch(count + 1, (at.interval.start, place), spent, ahead, end);
                self.placed[task.index()] = None;
                self.node_ends[node.index()] = node_end;
                if !lasted {
                    return false;
                }
            }
        }
        true
    }

    /// `task` as early as possible on `node`, behind what is placed there.
    fn earliest(&self, task: TaskId, node: NodeId) -> Option<Placement> {
        let problem = self.problem;
        let arrivals = problem.dag.predecessors(task).filter_map(|edge| {
            let before = self.placed[edge.from.index()]?;
            Some(before.interval.end + problem.transfers.between(edge.transfer, before.node, node))
        });
        let ready = arrivals.fold(self.node_ends[node.index()], Time::max);
        let span = problem.estimates.span(task, node);
        let start = self.left.first_fit(node, ready, span)?;
        Some(Placement { task, node, interval: Interval::new(start, start + span) })
    }

    /// Whether a plan with this placement can meet the deadline and be better than the best so far.
    fn is_promising(&self, at: Placement, cost: Money, end: Time) -> bool {
        let rest = self.tails[at.task.index()] - self.problem.estimates.best(at.task);
        let end = end.max(at.interval.end + rest);
        let key = self.key(cost, end);
        end <= self.problem.deadline && self.best.as_ref().is_none_or(|(best, _)| key < *best)
    }

    fn key(&self, cost: Money, end: Time) -> i64 {
        match self.problem.strategy {
            Strategy::Cheapest => cost.ticks(),
            _ => end.ticks(),
        }
    }
}
