//! Tasks of no length on the grid: they take neither time nor a node.
//!
//! On the grid every task is started and ended by events, and takes a tick at least. Dummy tasks at the entry and at the
//! exit of a job, or between tiers, would make the job longer than its plan. They are therefore left out: the tasks after
//! them wait for the tasks before them.

use super::{GridFacts, GridJob};
use crate::model::{Dag, Edge, Interval, NodeId, Task, TaskId};
use crate::study::kinds::workflows::planning::Attempt;
use crate::units::{Money, Span, Volume};
use crate::workflow::{Placement, Plan, PlanOrigin, Transfers};
use std::collections::BTreeMap;

/// The most edges that come in the place of those tasks, in a job. With n tasks before and m after it, one becomes n
/// times m edges.
const EDGES_LIMIT: usize = 1_000_000;

/// A job as it is sent to the grid.
pub(super) enum Sent {
    /// All of its tasks.
    Whole,
    /// Some of its tasks, and the place of each in the whole.
    Part(Dag, Vec<usize>),
    /// No task has a length.
    Nothing,
}

impl Sent {
    /// The job without the tasks of no length that can be left out.
    ///
    /// Data that comes over such a task takes the time of both transfers. Where it takes none within a node, that would
    /// depend on the node of the task, and before the first task or after the last there is nothing to wait: tasks with
    /// such transfers stay.
    pub(super) fn of(dag: &Dag, transfers: Transfers) -> Self {
        let has_no_length = |task: &TaskId| dag.tasks()[task.index()].volume == Volume::ZERO;
        let mut before: Vec<BTreeMap<usize, Span>> = vec![BTreeMap::new(); dag.tasks().len()];
        let mut after = before.clone();
        for edge in dag.edges() {
            before[edge.to.index()].insert(edge.from.index(), edge.transfer);
            after[edge.from.index()].insert(edge.to.index(), edge.transfer);
        }
        let mut is_left_out = vec![false; dag.tasks().len()];
        let mut added = 0;
        for task in dag.order().iter().filter(|task| has_no_length(task)).map(|task| task.index()) {
            let at_once = |waits: &BTreeMap<usize, Span>| waits.values().all(|transfer| *transfer == Span::ZERO);
            let is_inner = !before[task].is_empty() && !after[task].is_empty();
            let adds_up = is_inner && transfers == Transfers::Always;
            let edges = before[task].len() * after[task].len();
            if !(adds_up || at_once(&before[task]) && at_once(&after[task])) || added + edges > EDGES_LIMIT {
                continue;
            }
            added += edges;
            is_left_out[task] = true;
            let (from, to) = (std::mem::take(&mut before[task]), std::mem::take(&mut after[task]));
            for giver in from.keys() {
                after[*giver].remove(&task);
            }
            for taker in to.keys() {
                before[*taker].remove(&task);
            }
            for (&giver, &first) in &from {
                for (&taker, &second) in &to {
                    let transfer = before[taker].get(&giver).copied().unwrap_or(Span::ZERO).max(first + second);
                    before[taker].insert(giver, transfer);
                    after[giver].insert(taker, transfer);
                }
            }
        }
        let kept: Vec<usize> = (0..dag.tasks().len()).filter(|&task| !is_left_out[task]).collect();
        if kept.is_empty() {
            return Self::Nothing;
        }
        if kept.len() == dag.tasks().len() {
            return Self::Whole;
        }
        let places: BTreeMap<usize, u32> = kept.iter().copied().zip(0..).collect();
        let id = |task: usize| places.get(&task).copied().map(TaskId);
        let tasks: Vec<Task> = kept.iter().map(|&task| dag.tasks()[task].clone()).collect();
        let edges = before.iter().enumerate().flat_map(|(to, before)| {
            before.iter().filter_map(move |(&from, &transfer)| Some(Edge { from: id(from)?, to: id(to)?, transfer }))
        });
        // What leads on without a circle still does.
        Dag::new(tasks, edges.collect()).map_or(Self::Whole, |dag| Self::Part(dag, kept))
    }

    /// The job to be sent; nothing if nothing is left of it.
    pub(super) fn job<'a>(&'a self, whole: &GridJob<'a>) -> Option<GridJob<'a>> {
        let (dag, actual) = match self {
            Self::Whole => (whole.dag, whole.actual.clone()),
            Self::Part(dag, kept) => (dag, kept.iter().map(|&task| whole.actual[task]).collect()),
            Self::Nothing => return None,
        };
        Some(GridJob { dag, interval: whole.interval, actual, ties: whole.ties.clone() })
    }
}

/// The story of a job of which nothing is left: it is done as soon as it is submitted.
pub(super) fn done_at_once(job: &GridJob<'_>) -> GridFacts {
    let at = Interval::new(job.interval.start, job.interval.start);
    let place = |task: u32| Placement { task: TaskId(task), node: NodeId(0), interval: at };
    let plan = Plan {
        placements: (0..job.dag.tasks().len() as u32).map(place).collect(),
        cost: Money::ZERO,
        steps: Vec::new(),
        collisions: Vec::new(),
        attempts: 1,
        origin: PlanOrigin::WithoutChains,
    };
    let (finish, first) = (Some(job.interval.start), Some(Attempt::Planned(plan)));
    GridFacts { first, finish, cost: Money::ZERO, busy: Span::ZERO, collisions: 0 }
}
