//! The results of planning.

use super::reason::{four_digits, in_unit};
use super::{Estimates, Strategy};
use crate::model::{Dag, Interval, NodeId, TaskId};
use crate::units::{Money, Overflow, Span, Time, counted};

/// Where and when a task runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    /// Which task.
    pub task: TaskId,
    /// On which node.
    pub node: NodeId,
    /// When.
    pub interval: Interval,
}

/// A node and an interval for every task of a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// By task.
    pub placements: Vec<Placement>,
    /// The cost of all tasks together.
    pub cost: Money,
    /// The steps of the method, chain by chain; empty for methods without chains.
    pub steps: Vec<PlanStep>,
    /// Where first plans met others, in all attempts.
    pub collisions: Vec<Collision>,
    /// The number of attempts it took.
    pub attempts: u32,
    /// Which part of a method made it.
    pub origin: PlanOrigin,
}

/// Which part of a method made a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanOrigin {
    /// Tasks are where their chains were placed.
    Chains,
    /// The same, but tasks were moved afterwards: to the left, or to other nodes.
    MovedChains,
    /// No chains: task by task, or by a search for the optimum.
    WithoutChains,
}

/// One chain of tasks: how it would have been placed on empty nodes, and how it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanStep {
    /// The first plan, as if nothing else used the nodes.
    pub first: Vec<Placement>,
    /// Where the first plan met others.
    pub collisions: Vec<Collision>,
    /// The final placements.
    pub placed: Vec<Placement>,
}

/// A task of a chain's first plan that overlaps what is placed already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Collision {
    /// The task that was to be placed.
    pub task: TaskId,
    /// The obstacle in its way.
    pub with: Obstacle,
    /// The way in which the collision was resolved; nothing if the attempt failed there.
    pub resolution: Option<Resolution>,
}

/// The obstacle that a task collides with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Obstacle {
    /// A task of the same job.
    OwnTask,
    /// A reservation of an earlier job.
    EarlierJob,
}

/// The ways to resolve a collision. Of options with the same increase of the criterion, the first listed is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Resolution {
    /// The task moves to another node that takes the same time.
    SameType,
    /// The task moves to a node that takes another time.
    OtherType,
    /// The task stays on its node and moves in time, within the slack.
    Shift,
    /// The rest of the chain, from this task on, is planned around what is placed.
    Rest,
    /// The whole chain is planned around what is placed.
    Chain,
}

/// Why there is no plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The tasks of a chain find no place before the deadline.
    #[error("{} task(s) find no place before the deadline", .chain.len())]
    NoPlace {
        /// The chain that could not be placed in the last attempt.
        chain: Vec<TaskId>,
        /// The collisions of all attempts.
        collisions: Vec<Collision>,
        /// The reason why it has no place.
        reason: Shortcoming,
    },
    /// Times or costs may leave their range.
    #[error(transparent)]
    Overflow(#[from] Overflow),
}

/// The reason why a job has no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shortcoming {
    /// There are no nodes.
    NoNode,
    /// No plan exists: with the nodes to itself, this task ends at `earliest` and no earlier, which is after the
    /// deadline.
    Impossible {
        /// The task that ends too late.
        task: TaskId,
        /// When it ends at the earliest.
        earliest: Time,
        /// When it had to end.
        deadline: Time,
    },
    /// The earliest plan that was found ends with this task, after the deadline.
    Late {
        /// The task that ends last.
        task: TaskId,
        /// When it ends.
        finish: Time,
        /// When it had to end.
        deadline: Time,
    },
    /// A chain that starts with this task found no place in so many attempts, and nothing else was tried.
    Chain {
        /// The first task of the chain.
        task: TaskId,
        /// The number of attempts that were made.
        attempts: u32,
    },
}

impl Shortcoming {
    /// The reason in a sentence, with the names of the job's tasks and times in the scenario's unit.
    pub fn describe(&self, dag: &Dag, unit: &str) -> String {
        let told = |span: Span| in_unit(span.as_f64(), unit);
        let at = |time: Time| four_digits(time.as_f64());
        let name = |task: TaskId| dag.tasks().get(task.index()).map_or("?", |task| task.name.as_str());
        match *self {
            Self::NoNode => "there are no nodes".into(),
            Self::Impossible { task, earliest, deadline } => format!(
                "no plan exists: with the nodes to itself, task \"{}\" ends at {} at the earliest, {} after the deadline of {}",
                name(task),
                at(earliest),
                told(earliest - deadline),
                at(deadline),
            ),
            Self::Late { task, finish, deadline } => format!(
                "the earliest plan found ends with task \"{}\" at {}, {} after the deadline of {}",
                name(task),
                at(finish),
                told(finish - deadline),
                at(deadline),
            ),
            Self::Chain { task, attempts } => format!(
                "the chain that starts with task \"{}\" found no place among the others in {}",
                name(task),
                counted(attempts.into(), "attempt"),
            ),
        }
    }
}

impl Plan {
    /// The plan of these placements, one for each task, without steps.
    pub(super) fn of(mut placements: Vec<Placement>, estimates: &Estimates) -> Self {
        placements.sort_unstable_by_key(|placement| placement.task);
        let cost = total(placements.iter().map(|placement| estimates.cost(placement.task, placement.node)));
        Self {
            placements,
            cost,
            steps: Vec::new(),
            collisions: Vec::new(),
            attempts: 1,
            origin: PlanOrigin::WithoutChains,
        }
    }

    /// When the first task starts; nothing without tasks.
    pub fn start(&self) -> Option<Time> {
        self.placements.iter().map(|placement| placement.interval.start).min()
    }

    /// When the last task ends; nothing without tasks.
    pub fn finish(&self) -> Option<Time> {
        self.placements.iter().map(|placement| placement.interval.end).max()
    }

    /// The time for which all tasks together hold nodes.
    pub fn busy(&self) -> Span {
        self.placements.iter().fold(Span::ZERO, |busy, placement| busy + placement.interval.span())
    }
}

/// The sum of costs that are known to stay within their range.
pub(super) fn total(costs: impl Iterator<Item = Money>) -> Money {
    costs.fold(Money::ZERO, |total, cost| total + cost)
}

/// The criterion of a chain as a number to be made small: its cost, or its finish.
pub(super) fn value(strategy: Strategy, chain: &[Placement], estimates: &Estimates) -> i64 {
    match strategy {
        Strategy::Cheapest => total(chain.iter().map(|at| estimates.cost(at.task, at.node))).ticks(),
        Strategy::EarliestFinish | Strategy::LatestStart => chain.last().map_or(0, |last| last.interval.end.ticks()),
    }
}
