//! The application level of a planning study as a policy of the connected grid.

use super::{GridJob, GridSetting};
use crate::model::{Dag, Interval, JobId, Node, NodeId, Slot, SlotList, Task, Window};
use crate::policy::{Decision, Policy, PolicyError, View, Waiting, WhyUnplanned};
use crate::study::RunError;
use crate::study::kinds::workflows::planning::{Attempt, attempt, problem};
use crate::units::{Overflow, Performance, Rounding, Span, Volume, runtime_at};
use crate::workflow::{Estimates, Plan, PlanProblem};
use crate::workload::{GridWorld, OwnerTask};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Plans each job by the method of the study, with all that is known when the job is submitted.
pub(super) struct ApplicationLevel<'a> {
    setting: &'a GridSetting<'a>,
    world: &'a GridWorld,
    jobs: &'a [GridJob<'a>],
    /// By job: what planning it came to when it was submitted.
    pub(super) first: Vec<Option<Attempt>>,
}

impl<'a> ApplicationLevel<'a> {
    pub(super) fn new(setting: &'a GridSetting<'a>, world: &'a GridWorld, jobs: &'a [GridJob<'a>]) -> Self {
        Self { setting, world, jobs, first: jobs.iter().map(|_| None).collect() }
    }
}

impl Policy for ApplicationLevel<'_> {
    fn decide(&mut self, view: &View<'_>) -> Result<Vec<Decision>, PolicyError> {
        let mut decisions = Vec::new();
        let mut slots: Option<SlotList> = None;
        for (request, waiting) in view.queue.iter().enumerate() {
            // As in the study, a job without a place when it was submitted has none.
            if !matches!(self.first[waiting.id.index()], None | Some(Attempt::Planned(_))) {
                continue;
            }
            let slots = slots.get_or_insert_with(|| view.slots.list().clone());
            let attempt = self.plan(view, waiting, slots)?;
            view.stop.check()?;
            let decision = match &attempt {
                Attempt::Planned(plan) => {
                    let tasks = take(plan, slots)?;
                    Decision::Plan { request, tasks, by_fallback: false }
                }
                Attempt::Failed(..) | Attempt::GaveUp => Decision::NoPlan { request, why: WhyUnplanned::NotFound },
            };
            decisions.push(decision);
            self.first[waiting.id.index()].get_or_insert(attempt);
        }
        Ok(decisions)
    }
}

impl ApplicationLevel<'_> {
    /// Plans a job, or what is left of it, around what is reserved.
    fn plan(&self, view: &View<'_>, waiting: &Waiting<'_>, slots: &SlotList) -> Result<Attempt, PolicyError> {
        let job = &self.jobs[waiting.id.index()];
        let Some(on_grid) = waiting.workflow else { return Err(PolicyError::Other("a job without tasks".into())) };
        let dag = in_units_of_the_study(job.dag, on_grid)?;
        let estimates = estimates(&dag, on_grid, view.nodes)?;
        let bounds = Interval::new(view.now, job.interval.end);
        let mut offered = vec![Vec::new(); view.nodes.len()];
        for slot in slots.as_slice() {
            offered[slot.node.index()].push(slot.interval);
        }
        let free_of = |owner: &Vec<OwnerTask>| {
            let over = owner.partition_point(|task| task.interval.end <= view.now);
            let known = owner[over..].iter().filter(|task| task.announced <= view.now);
            without(&[bounds], known.map(|task| task.interval))
        };
        let free: Vec<Vec<Interval>> = self.world.owners.iter().map(free_of).collect();
        let reserved: Vec<Vec<Interval>> =
            free.iter().zip(offered).map(|(free, offered)| without(free, offered)).collect();
        let whole = problem(self.setting.spec, (&dag, &estimates), &free, bounds, view.stop);
        let problem = PlanProblem { reserved: &reserved, release: waiting.ready.max(view.now), ..whole };
        attempt(self.setting.method, &problem, &mut job.ties.clone()).map_err(|error| match error {
            RunError::Overflow(overflow) => overflow.into(),
            other => PolicyError::Other(other.to_string()),
        })
    }

    /// The time that each task of a job was to take and the money that it was to cost, on each node.
    pub(super) fn estimates(&self, job: JobId) -> Result<Estimates, Overflow> {
        let on_grid = self.world.jobs[job.index()].workflow.as_deref();
        let whole = self.jobs[job.index()].dag;
        estimates(whole, on_grid.unwrap_or(whole), &self.world.nodes)
    }
}

/// The places of a plan by task, which are taken out of the slots.
fn take(plan: &Plan, slots: &mut SlotList) -> Result<Vec<Slot>, PolicyError> {
    let mut placements = plan.placements.clone();
    placements.sort_unstable_by_key(|placement| placement.task);
    for at in &placements {
        slots.subtract(&Window::new(at.interval.start, vec![(at.node, at.interval.span())]))?;
    }
    Ok(placements.iter().map(|at| Slot { node: at.node, interval: at.interval }).collect())
}

/// The same tasks with the volumes of the study, by which they are charged: all of a job, or those that are left.
fn in_units_of_the_study<'d>(whole: &'d Dag, on_grid: &Dag) -> Result<Cow<'d, Dag>, PolicyError> {
    if on_grid.tasks().len() == whole.tasks().len() {
        return Ok(Cow::Borrowed(whole));
    }
    let volumes: BTreeMap<&str, Volume> = whole.tasks().iter().map(|task| (task.name.as_str(), task.volume)).collect();
    let charged = |task: &Task| {
        let volume = volumes.get(task.name.as_str()).copied().unwrap_or(task.volume);
        Task { name: task.name.clone(), volume }
    };
    let tasks = on_grid.tasks().iter().map(charged).collect();
    let dag = Dag::new(tasks, on_grid.edges().to_vec());
    dag.map(Cow::Owned).map_err(|error| PolicyError::Other(error.to_string()))
}

/// The estimates by which the grid goes, charged by the volumes of `dag`.
fn estimates(dag: &Dag, on_grid: &Dag, nodes: &[Node]) -> Result<Estimates, Overflow> {
    // Nodes of a type take the same time: once per task and type.
    let mut spans: BTreeMap<Performance, Vec<Span>> = BTreeMap::new();
    for node in nodes {
        let performance = node.performance;
        if spans.contains_key(&performance) {
            continue;
        }
        // A task that takes no time still has to be started and ended.
        let span = |task: &Task| Some(runtime_at(task.volume, performance, Rounding::Tick)?.max(Span::from_ticks(1)));
        spans.insert(performance, on_grid.tasks().iter().map(span).collect::<Option<_>>().ok_or(Overflow)?);
    }
    let by_node: Vec<&[Span]> = nodes.iter().map(|node| spans[&node.performance].as_slice()).collect();
    Ok(Estimates::new(dag, nodes.len(), |task, NodeId(node)| by_node[node as usize][task.index()]))
}

/// The parts of some intervals that others leave; all are sorted and without overlaps.
fn without(intervals: &[Interval], taken: impl IntoIterator<Item = Interval>) -> Vec<Interval> {
    let mut left = Vec::with_capacity(intervals.len());
    let mut taken = taken.into_iter().peekable();
    for &interval in intervals {
        let mut start = interval.start;
        while let Some(next) = taken.peek().filter(|next| next.start < interval.end) {
            left.push(Interval::new(start, next.start));
            start = start.max(next.end);
            // What reaches into the next interval is looked at again.
            if next.end > interval.end {
                break;
            }
            taken.next();
        }
        left.push(Interval::new(start, interval.end));
    }
    left.retain(|interval| !interval.is_empty());
    left
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Time;
    use proptest::prelude::*;

    /// Every other one of these instants begins an interval, and the next one ends it.
    fn intervals(instants: &std::collections::BTreeSet<i64>) -> Vec<Interval> {
        let instants: Vec<i64> = instants.iter().copied().collect();
        let of = |pair: &[i64]| Interval::new(Time::from_units(pair[0]), Time::from_units(pair[1]));
        instants.chunks_exact(2).map(of).collect()
    }

    proptest! {
        #[test]
        fn what_is_left_is_in_the_ones_and_not_in_the_others(
            whole in prop::collection::btree_set(0i64..30, 0..12),
            taken in prop::collection::btree_set(0i64..30, 0..12),
        ) {
            let (whole, taken) = (intervals(&whole), intervals(&taken));
            let left = without(&whole, taken.iter().copied());
            let inside = |list: &[Interval], at: i64| list.iter().any(|each| each.contains(Time::from_units(at)));
            for at in 0..30 {
                prop_assert_eq!(inside(&left, at), inside(&whole, at) && !inside(&taken, at), "{}", at);
            }
            prop_assert!(left.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
