//! The laws of plans of jobs made of tasks, and of their execution.

use super::{Verdict, Violation, verdict};
use crate::model::{Dag, Interval, NodeId, TaskId};
use crate::units::{Span, Time};
use crate::workflow::{Placement, PlanProblem, Transfers};

/// Judges the placements of one job: every task once and in its place, on its node for as long as estimated, inside the
/// free time and outside the reservations of others, within release and deadline, no two at once on a node, and data in
/// time.
pub fn check_plan(problem: &PlanProblem<'_>, placements: &[Placement]) -> Verdict {
    let mut broken = Vec::new();
    let mut law = |holds: bool, what: &dyn Fn() -> String| {
        if !holds {
            broken.push(Violation(what()));
        }
    };
    let tasks = problem.dag.tasks();
    law(placements.len() == tasks.len(), &|| format!("{} of {} tasks are placed", placements.len(), tasks.len()));
    for (index, (at, task)) in placements.iter().zip(tasks).enumerate() {
        let Placement { node, interval, .. } = *at;
        let said = || format!("{} {interval} on {node}", task.name);
        law(at.task == TaskId(index as u32), &|| format!("{} is not in the place of its number", said()));
        let Some(free) = problem.free.get(node.index()) else {
            law(false, &|| format!("{}: there is no such node", said()));
            continue;
        };
        let length = interval.end - interval.start;
        law(length == problem.estimates.span(TaskId(index as u32), node), &|| {
            format!("{} does not take its time", said())
        });
        law(problem.release <= interval.start, &|| format!("{} starts before {}", said(), problem.release));
        law(interval.end <= problem.deadline, &|| format!("{} ends after {}", said(), problem.deadline));
        let inside = |free: &Interval| free.start <= interval.start && interval.end <= free.end;
        law(free.iter().any(inside), &|| format!("{} is not in free time", said()));
        let reserved = problem.reserved.get(node.index()).into_iter().flatten();
        for other in reserved.filter(|other| meet(**other, interval)) {
            law(false, &|| format!("{} meets the reservation {other}", said()));
        }
    }
    if broken.is_empty() {
        let whole: Vec<(NodeId, Interval)> = placements.iter().map(|at| (at.node, at.interval)).collect();
        broken.extend(data_in_time(problem.dag, problem.transfers, &whole));
        broken.extend(apart(problem.dag, &whole));
    }
    verdict(broken)
}

/// The facts about a job: where each task ran, from when to when, and how long it had to.
#[derive(Debug, Clone, Copy)]
pub struct Facts<'a> {
    /// The job.
    pub dag: &'a Dag,
    /// The planned placements, by task.
    pub planned: &'a [Placement],
    /// When each task really ran, by task.
    pub ran: &'a [Interval],
    /// The actual runtime of each task, by task.
    pub runtimes: &'a [Span],
}

/// Judges the execution of several jobs on shared nodes: every task on its planned node for its actual runtime, never
/// before its planned start, data in time, and no two tasks of any jobs at once on a node.
pub fn check_execution(jobs: &[Facts<'_>], transfers: Transfers) -> Verdict {
    let mut broken = Vec::new();
    let mut held: Vec<(NodeId, Time, Time)> = Vec::new();
    for job in jobs {
        let tasks = job.dag.tasks().iter();
        let counts = [job.planned.len(), job.ran.len(), job.runtimes.len()];
        if counts != [job.dag.tasks().len(); 3] {
            broken.push(Violation(format!("a job of {} tasks is reported as {counts:?}", job.dag.tasks().len())));
            continue;
        }
        for (((task, at), ran), &runtime) in tasks.zip(job.planned).zip(job.ran).zip(job.runtimes) {
            if ran.start < at.interval.start {
                broken.push(Violation(format!("{} ran {ran}, before its start at {}", task.name, at.interval.start)));
            }
            if ran.end - ran.start != runtime {
                broken.push(Violation(format!("{} ran {ran}, but takes {runtime}", task.name)));
            }
            held.push((at.node, ran.start, ran.end));
        }
        let whole: Vec<(NodeId, Interval)> =
            job.planned.iter().map(|at| at.node).zip(job.ran.iter().copied()).collect();
        broken.extend(data_in_time(job.dag, transfers, &whole));
    }
    // Tasks of no length may lie inside others.
    held.retain(|(_, start, end)| start < end);
    held.sort_unstable();
    for pair in held.windows(2) {
        let [(node, start, end), (other, next, _)] = [pair[0], pair[1]];
        if node == other && next < end {
            broken
                .push(Violation(format!("a task that runs from {start} to {end} on {node} meets one from {next} on")));
        }
    }
    verdict(broken)
}

fn meet(one: Interval, other: Interval) -> bool {
    one.start < other.end && other.start < one.end && one.start < one.end && other.start < other.end
}

/// Every edge whose data comes too late.
fn data_in_time<'a>(
    dag: &'a Dag,
    transfers: Transfers,
    whole: &'a [(NodeId, Interval)],
) -> impl Iterator<Item = Violation> + 'a {
    dag.edges().iter().filter_map(move |edge| {
        let [(from, before), (to, after)] = [edge.from, edge.to].map(|task| whole[task.index()]);
        let is_free = transfers == Transfers::BetweenNodes && from == to;
        let wait = if is_free { Span::ZERO } else { edge.transfer };
        let [giver, taker] = [edge.from, edge.to].map(|task| &dag.tasks()[task.index()].name);
        (after.start - before.end < wait).then(|| {
            Violation(format!("{taker} {after} on {to} starts before the data of {giver} {before} on {from} is there"))
        })
    })
}

/// Every two tasks that share a node and an instant.
fn apart<'a>(dag: &'a Dag, whole: &'a [(NodeId, Interval)]) -> impl Iterator<Item = Violation> + 'a {
    let mut held: Vec<(NodeId, Interval, usize)> =
        whole.iter().enumerate().map(|(index, &(node, interval))| (node, interval, index)).collect();
    // Tasks of no length may lie inside others.
    held.retain(|(_, interval, _)| interval.start < interval.end);
    held.sort_unstable();
    let pairs: Vec<_> = held.windows(2).map(|pair| (pair[0], pair[1])).collect();
    pairs.into_iter().filter(|(one, other)| one.0 == other.0 && meet(one.1, other.1)).map(|(one, other)| {
        let [first, second] =
            [one, other].map(|(_, interval, index)| format!("{} {interval}", dag.tasks()[index].name));
        Violation(format!("{first} and {second} overlap on {}", one.0))
    })
}
