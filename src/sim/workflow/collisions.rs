//! Where a chain's first plan meets what is placed already, and the least costly way out.

use super::bounds::TimeBounds;
use super::calendar::Calendar;
use super::chain::{Around, plan_chain, shuffle};
use super::plan::value;
use super::{Collision, Obstacle, Placement, PlanProblem, PlanStep, Resolution, Strategy};
use crate::model::{Edge, Interval, NodeId, TaskId};
use crate::units::{Span, Time};
use rand::Rng;

/// A job while it is planned.
#[derive(Debug)]
pub(super) struct PartialPlan<'a> {
    problem: &'a PlanProblem<'a>,
    /// The time that neither owners nor earlier jobs nor this job's placed chains use.
    left: Calendar<'a>,
    /// By task.
    placed: Vec<Option<Placement>>,
    others: Others,
    /// The time left to tasks that are placed later, as a multiple of the time that they need.
    room: u32,
}

/// The regard of chains for each other, and for earlier jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Others {
    Respected,
    Ignored,
}

/// A way out of a collision: by how much it raises the criterion, and the chain from the given place on.
struct WayOut {
    increase: i64,
    resolution: Resolution,
    from: usize,
    tasks: Vec<Placement>,
}

impl<'a> PartialPlan<'a> {
    pub(super) fn new(problem: &'a PlanProblem<'a>, left: Calendar<'a>, others: Others, room: u32) -> Self {
        Self { problem, left, placed: vec![None; problem.dag.tasks().len()], others, room }
    }

    pub(super) fn is_placed(&self, task: TaskId) -> bool {
        self.placed[task.index()].is_some()
    }

    /// Places `chain`: as on empty nodes where nothing is in the way, otherwise with the least increase of the
    /// criterion. The collisions of a chain that can't be placed come back as the error.
    pub(super) fn place(&mut self, chain: &[TaskId], ties: &mut impl Rng) -> Result<PlanStep, Vec<Collision>> {
        let first = self.plan(chain, self.problem.free, ties).ok_or_else(Vec::new)?;
        let minds = self.others == Others::Respected;
        let meets = |at: &&Placement| minds && !self.left.is_free(at.node, at.interval);
        let mut collisions: Vec<Collision> = first
            .iter()
            .filter(meets)
            .map(|at| Collision { task: at.task, with: self.obstacle(at), resolution: None })
            .collect();
        let placed = match collisions.is_empty() {
            true => Some(first.clone()),
            false => self.resolve(&first, &mut collisions, ties),
        };
        let Some(placed) = placed else { return Err(collisions) };
        for at in &placed {
            if minds {
                self.left.take(at.node, at.interval);
            }
            self.placed[at.task.index()] = Some(*at);
        }
        Ok(PlanStep { first, collisions, placed })
    }

    /// The best plan of `chain` on `free`, between what is placed.
    fn plan(&self, chain: &[TaskId], free: &[Vec<Interval>], ties: &mut impl Rng) -> Option<Vec<Placement>> {
        let bounds = TimeBounds::around(self.problem, &self.placed, self.room);
        plan_chain(&Around { problem: self.problem, placed: &self.placed, bounds: &bounds, free }, chain, ties)
    }

    fn obstacle(&self, at: &Placement) -> Obstacle {
        let own = self.placed.iter().flatten();
        let meets = |other: &Placement| other.node == at.node && other.interval.overlaps(at.interval);
        if own.into_iter().any(meets) { Obstacle::OwnTask } else { Obstacle::EarlierJob }
    }

    /// The chain without collisions. Its tasks stand in `placed` while the later ones are looked at, but take no time
    /// in the calendar yet: tasks of one chain run one after another anyway.
    fn resolve(
        &mut self,
        first: &[Placement],
        collisions: &mut [Collision],
        ties: &mut impl Rng,
    ) -> Option<Vec<Placement>> {
        let mut current = first.to_vec();
        let mut settled = 0;
        while settled < current.len() {
            let at = current[settled];
            if !self.left.is_free(at.node, at.interval) {
                let Some(way) = self.way_out(&current, settled, ties) else {
                    current.iter().for_each(|at| self.placed[at.task.index()] = None);
                    return None;
                };
                let ends_here = matches!(way.resolution, Resolution::Rest | Resolution::Chain);
                let open = collisions.iter_mut().filter(|collision| collision.resolution.is_none());
                let solved = open.filter(|collision| ends_here || collision.task == at.task);
                solved.for_each(|collision| collision.resolution = Some(way.resolution));
                current.splice(way.from..way.from + way.tasks.len(), way.tasks);
                if ends_here {
                    return Some(current);
                }
            }
            self.placed[at.task.index()] = Some(current[settled]);
            settled += 1;
        }
        Some(current)
    }

    /// The way out for the task at `index` that raises the criterion least: moving that task alone, or, where that has
    /// a price, planning the rest or the whole of the chain around what is placed.
    fn way_out(&mut self, current: &[Placement], index: usize, ties: &mut impl Rng) -> Option<WayOut> {
        let local = self.local_fix(current, index, ties);
        if let Some(free) = local.as_ref().filter(|way| way.increase <= 0) {
            return Some(WayOut { tasks: free.tasks.clone(), ..*free });
        }
        let tasks: Vec<TaskId> = current.iter().map(|at| at.task).collect();
        let before = self.value(current);
        let rest = self.plan(&tasks[index..], self.left.as_slice(), ties).map(|rest| {
            let increase = self.value(&[&current[..index], &rest].concat()) - before;
            WayOut { increase, resolution: Resolution::Rest, from: index, tasks: rest }
        });
        // No plan beats the first one, so that a rest without a price is the best there is; and at its start the rest
        // is the whole.
        let whole = match index > 0 && rest.as_ref().is_none_or(|rest| rest.increase > 0) {
            true => self.plan_anew(current, index, ties),
            false => None,
        };
        [local, rest, whole].into_iter().flatten().min_by_key(|way| (way.increase, way.resolution))
    }

    /// The whole chain around what is placed, without its own tasks up to `index`.
    fn plan_anew(&mut self, current: &[Placement], index: usize, ties: &mut impl Rng) -> Option<WayOut> {
        let tasks: Vec<TaskId> = current.iter().map(|at| at.task).collect();
        tasks[..index].iter().for_each(|task| self.placed[task.index()] = None);
        let whole = self.plan(&tasks, self.left.as_slice(), ties);
        current[..index].iter().for_each(|at| self.placed[at.task.index()] = Some(*at));
        let whole = whole?;
        let increase = self.value(&whole) - self.value(current);
        Some(WayOut { increase, resolution: Resolution::Chain, from: 0, tasks: whole })
    }

    fn value(&self, chain: &[Placement]) -> i64 {
        value(self.problem.strategy, chain, self.problem.estimates)
    }

    /// Another node or another time for one task, between its neighbours in the chain as they are.
    fn local_fix(&self, current: &[Placement], index: usize, ties: &mut impl Rng) -> Option<WayOut> {
        let problem = self.problem;
        let (old, rest) = (current[index], &current[index + 1..]);
        let later = |edge: &Edge| rest.iter().find(|at| at.task == edge.to).map(|at| (edge.transfer, *at));
        // Whoever of the chain waits for its data, which is not the next task alone.
        let waiting: Vec<(Span, Placement)> = problem.dag.successors(old.task).filter_map(later).collect();
        let bounds = TimeBounds::around(problem, &self.placed, self.room);
        let mut nodes: Vec<u32> = (0..problem.free.len() as u32).collect();
        shuffle(&mut nodes, ties);
        let option = |node: NodeId| {
            let span = problem.estimates.span(old.task, node);
            let start = self.left.first_fit(node, bounds.start(problem, &self.placed, old.task, node), span)?;
            let new = Placement { node, interval: Interval::new(start, start + span), ..old };
            let latest = bounds.finish(problem, &self.placed, old.task, node);
            let wanted = waiting
                .iter()
                .map(|(transfer, at)| at.interval.start - problem.transfers.between(*transfer, node, at.node));
            (new.interval.end <= wanted.fold(latest, Time::min)).then_some(new)
        };
        let resolution = |new: &Placement| {
            if new.node == old.node {
                Resolution::Shift
            } else if new.interval.span() == old.interval.span() {
                Resolution::SameType
            } else {
                Resolution::OtherType
            }
        };
        // The end of a chain changes only with its last task.
        let increase = |new: &Placement| match problem.strategy {
            Strategy::Cheapest => self.value(&[*new]) - self.value(&[old]),
            _ if rest.is_empty() => self.value(&[*new]) - self.value(&[old]),
            _ => 0,
        };
        let options = nodes.into_iter().filter_map(|node| option(NodeId(node)));
        let best = options.min_by_key(|new| (increase(new), resolution(new), new.interval.end))?;
        Some(WayOut { increase: increase(&best), resolution: resolution(&best), from: index, tasks: vec![best] })
    }
}
