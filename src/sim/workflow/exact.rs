//! The best plan of all, by trying everything that could be better.

use super::calendar::Calendar;
use super::time_reversal::in_mirror;
use super::{Failure, Placement, Plan, PlanProblem, Shortcoming, Strategy};
use crate::model::{Interval, NodeId, TaskId};
use crate::units::{Money, Span, Time};

/// The result of a search that tries everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanOutcome {
    /// The best plan.
    Best(Plan),
    /// There is no plan within the deadline.
    Impossible,
    /// The search was given up: too many partial plans.
    GaveUp,
}

/// The best plan by all that the [strategy](Strategy) promises, the second criterion as well as the first: branch and
/// bound over at most
/// `limit` partial plans, for jobs of a few tasks.
///
/// Tasks are placed in order of their start, each as early as its node and its data allow. Some best plan is among
/// these: moving every task to the earliest instant changes no cost and no order on any node. Tasks of no length take
/// nothing of a node and start when their data is there.
pub fn exact(problem: &PlanProblem<'_>, limit: u64) -> Result<PlanOutcome, Failure> {
    problem.check_range()?;
    if problem.strategy != Strategy::LatestStart {
        return Ok(search(problem, SearchAim::Both, limit));
    }
    // The mirror only passes plans through.
    let mut outcome = PlanOutcome::Impossible;
    let mirrored = in_mirror(problem, |mirrored| {
        outcome = search(mirrored, SearchAim::Both, limit);
        match &outcome {
            PlanOutcome::Best(plan) => Ok(plan.clone()),
            _ => Err(Failure::NoPlace { chain: Vec::new(), collisions: Vec::new(), reason: Shortcoming::NoNode }),
        }
    });
    Ok(mirrored.map_or(outcome, PlanOutcome::Best))
}

/// The least cost of any plan within the deadline, whenever that ends, by the same search over at most `limit` partial
/// plans; nothing if there is no plan or the search was given up. It is much faster than to find the earliest of the
/// cheapest plans.
pub fn least_cost(problem: &PlanProblem<'_>, limit: u64) -> Result<Option<Money>, Failure> {
    problem.check_range()?;
    match search(&PlanProblem { strategy: Strategy::Cheapest, ..*problem }, SearchAim::First, limit) {
        PlanOutcome::Best(plan) => Ok(Some(plan.cost)),
        PlanOutcome::Impossible | PlanOutcome::GaveUp => Ok(None),
    }
}

/// The criteria of the strategy that count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SearchAim {
    First,
    Both,
}

fn search(problem: &PlanProblem<'_>, aim: SearchAim, limit: u64) -> PlanOutcome {
    let cheapest = cheapest(problem);
    let least = cheapest.iter().fold(Money::ZERO, |sum, &cost| sum + cost);
    let mut search = PlanSearch {
        problem,
        aim,
        left: Calendar::new(problem.free, problem.reserved),
        tails: tails(problem),
        cheapest,
        placed: vec![None; problem.dag.tasks().len()],
        node_ends: vec![problem.release; problem.free.len()],
        nodes: (0..problem.dag.tasks().len() as u32).map(|task| ranked(problem, TaskId(task))).collect(),
        best: None,
        steps: 0,
    };
    let is_complete = search.run(least, limit);
    match search.best {
        _ if !is_complete => PlanOutcome::GaveUp,
        Some((_, placements)) => PlanOutcome::Best(Plan::of(placements, problem.estimates)),
        None => PlanOutcome::Impossible,
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

struct PlanSearch<'a> {
    problem: &'a PlanProblem<'a>,
    aim: SearchAim,
    left: Calendar<'a>,
    tails: Vec<Span>,
    cheapest: Vec<Money>,
    placed: Vec<Option<Placement>>,
    /// By node: when its last task ends that has a length.
    node_ends: Vec<Time>,
    /// By task: the nodes, those first that are likely to be best.
    nodes: Vec<Vec<NodeId>>,
    /// The best so far: what is made small, and the plan.
    best: Option<((i64, i64), Vec<Placement>)>,
    /// The number of partial plans that were looked at.
    steps: u64,
}

/// A partial plan, and which of its continuations comes next. Frames lie on the heap: jobs may have more tasks than a
/// stack of calls holds.
#[derive(Debug, Clone, Copy)]
struct SearchBranch {
    /// Start and topological place of the task that was placed last; nothing at the root.
    last: Option<(Time, usize)>,
    /// The cost of the placed tasks, and the least cost of the others.
    spent: Money,
    ahead: Money,
    /// When all placed tasks have ended, and the job at the earliest.
    end: Time,
    bound: Time,
    /// The change by the task that was placed last: its node's end before.
    undo: Option<(TaskId, NodeId, Time)>,
    /// The next continuation to try: topological place of the task, and its node's rank.
    place: usize,
    rank: usize,
}

impl PlanSearch<'_> {
    /// Depth-first search over partial plans; whether all were looked at before `limit`.
    fn run(&mut self, least: Money, limit: u64) -> bool {
        let release = self.problem.release;
        let mut frames = vec![SearchBranch {
            last: None,
            spent: Money::ZERO,
            ahead: least,
            end: release,
            bound: release,
            undo: None,
            place: 0,
            rank: 0,
        }];
        self.steps = 1;
        while let Some(mut frame) = frames.pop() {
            if self.steps > limit || self.problem.stop.is_set() {
                return false;
            }
            if frames.len() == self.placed.len() {
                self.record(&frame);
            } else if let Some(next) = self.next(&mut frame) {
                self.steps += 1;
                frames.extend([frame, next]);
                continue;
            }
            if let Some((task, node, node_end)) = frame.undo {
                self.placed[task.index()] = None;
                self.node_ends[node.index()] = node_end;
            }
        }
        true
    }

    /// Keeps a complete plan if it is the best so far.
    fn record(&mut self, frame: &SearchBranch) {
        let key = self.key(frame.spent, frame.end);
        if self.best.as_ref().is_none_or(|(best, _)| key < *best) {
            self.best = Some((key, self.placed.iter().flatten().copied().collect()));
        }
    }

    /// Places the next task of the partial plan `frame` that can come next and lead to something better.
    fn next(&mut self, frame: &mut SearchBranch) -> Option<SearchBranch> {
        let problem = self.problem;
        let order = problem.dag.order();
        let open = self.longest_open();
        while let Some(&task) = order.get(frame.place).filter(|_| !problem.stop.is_set()) {
            let waits = |from: TaskId| self.placed[from.index()].is_none();
            let is_open = waits(task) && !problem.dag.predecessors(task).any(|edge| waits(edge.from));
            while is_open && frame.rank < problem.free.len() {
                let node = self.nodes[task.index()][frame.rank];
                frame.rank += 1;
                let Some(at) = self.earliest(task, node) else { continue };
                let key = (at.interval.start, frame.place);
                if frame.last.is_some_and(|last| key <= last) {
                    continue;
                }
                let next = SearchBranch {
                    last: Some(key),
                    spent: frame.spent + problem.estimates.cost(task, node),
                    ahead: frame.ahead - self.cheapest[task.index()],
                    end: frame.end.max(at.interval.end),
                    bound: frame.bound.max(self.bound(at, open)),
                    undo: Some((task, node, self.node_ends[node.index()])),
                    place: 0,
                    rank: 0,
                };
                if !self.is_promising(&next) {
                    continue;
                }
                if !at.interval.is_empty() {
                    self.node_ends[node.index()] = at.interval.end;
                }
                self.placed[task.index()] = Some(at);
                return Some(next);
            }
            (frame.place, frame.rank) = (frame.place + 1, 0);
        }
        None
    }

    /// `task` as early as possible on `node`, behind what is placed there.
    fn earliest(&self, task: TaskId, node: NodeId) -> Option<Placement> {
        let problem = self.problem;
        let span = problem.estimates.span(task, node);
        let arrivals = problem.dag.predecessors(task).filter_map(|edge| {
            let before = self.placed[edge.from.index()]?;
            Some(before.interval.end + problem.transfers.between(edge.transfer, before.node, node))
        });
        let node_free = if span > Span::ZERO { self.node_ends[node.index()] } else { problem.release };
        let start = self.left.first_fit(node, arrivals.fold(node_free, Time::max), span)?;
        Some(Placement { task, node, interval: Interval::new(start, start + span) })
    }

    /// The task with the longest tail of those that are not placed, and the tails of the longest and of the second.
    fn longest_open(&self) -> (usize, Span, Span) {
        let open = self.tails.iter().enumerate().filter(|(task, _)| self.placed[*task].is_none());
        open.fold((usize::MAX, Span::ZERO, Span::ZERO), |(longest, first, second), (task, &tail)| {
            if tail > first || longest == usize::MAX { (task, tail, first) } else { (longest, first, second.max(tail)) }
        })
    }

    /// When the job ends at the earliest with this placement: what follows the task takes its time, and the tasks that
    /// are not placed yet start no earlier.
    fn bound(&self, at: Placement, (longest, first, second): (usize, Span, Span)) -> Time {
        let rest = self.tails[at.task.index()] - self.problem.estimates.best(at.task);
        let open = if at.task.index() == longest { second } else { first };
        (at.interval.end + rest).max(at.interval.start + open)
    }

    /// True if a plan after `frame` can meet the deadline and be better than the best so far.
    fn is_promising(&self, frame: &SearchBranch) -> bool {
        let end = frame.end.max(frame.bound);
        let key = self.key(frame.spent + frame.ahead, end);
        end <= self.problem.deadline && self.best.as_ref().is_none_or(|(best, _)| key < *best)
    }

    fn key(&self, cost: Money, end: Time) -> (i64, i64) {
        let (first, second) = match self.problem.strategy {
            Strategy::Cheapest => (cost.ticks(), end.ticks()),
            Strategy::EarliestFinish | Strategy::LatestStart => (end.ticks(), cost.ticks()),
        };
        if self.aim == SearchAim::Both { (first, second) } else { (first, 0) }
    }
}
