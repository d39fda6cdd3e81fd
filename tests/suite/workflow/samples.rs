//! Jobs for tests.

use gridloom::model::{Dag, Edge, Interval, Task, TaskId};
use gridloom::units::{Span, Time, Volume};
use gridloom::workflow::{Estimates, PlanProblem, Strategy, Transfers};
use proptest::prelude::{Strategy as _, prop};

/// A problem that owns its parts.
#[derive(Debug, Clone)]
pub(super) struct Sample {
    pub(super) dag: Dag,
    pub(super) estimates: Estimates,
    pub(super) free: Vec<Vec<Interval>>,
    pub(super) reserved: Vec<Vec<Interval>>,
    pub(super) deadline: Time,
    pub(super) transfers: Transfers,
    pub(super) strategy: Strategy,
    pub(super) refine: bool,
}

impl Sample {
    /// Nodes that are free from 0 to the deadline.
    pub(super) fn idle(dag: Dag, estimates: Estimates, deadline: i64) -> Self {
        let deadline = Time::from_units(deadline);
        let free = vec![vec![Interval::new(Time::ZERO, deadline)]; estimates.nodes()];
        let (transfers, strategy) = (Transfers::BetweenNodes, Strategy::Cheapest);
        Self { dag, estimates, free, reserved: Vec::new(), deadline, transfers, strategy, refine: true }
    }

    pub(super) fn problem(&self) -> PlanProblem<'_> {
        PlanProblem {
            stop: gridloom::engine::Stop::NEVER,
            dag: &self.dag,
            estimates: &self.estimates,
            free: &self.free,
            reserved: &self.reserved,
            release: Time::ZERO,
            deadline: self.deadline,
            transfers: self.transfers,
            strategy: self.strategy,
            attempts: 6,
            refine: self.refine,
        }
    }
}

/// Tasks of these volumes and edges (from, to, transfer), counted from 1.
fn dag(volumes: &[i64], edges: &[(u32, u32, i64)]) -> Dag {
    let task =
        |(index, &volume): (usize, &i64)| Task { name: format!("{}", index + 1), volume: Volume::from_units(volume) };
    let edge = |&(from, to, transfer): &(u32, u32, i64)| Edge {
        from: TaskId(from - 1),
        to: TaskId(to - 1),
        transfer: Span::from_units(transfer),
    };
    Dag::new(volumes.iter().enumerate().map(task).collect(), edges.iter().map(edge).collect()).unwrap()
}

/// The worked job of the critical jobs method: four node types, the k-th of which takes k times as long.
pub(super) fn six_tasks() -> (Dag, Estimates) {
    let pairs = [(1, 2), (1, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 6), (5, 6)];
    let dag = dag(&[20, 30, 10, 20, 10, 20], &pairs.map(|(from, to)| (from, to, 1)));
    let times = [2, 3, 1, 2, 1, 2];
    let estimates =
        Estimates::new(&dag, 4, |task, node| Span::from_units(times[task.index()] * (i64::from(node.0) + 1)));
    (dag, estimates)
}

/// Two tasks of length 2 and one of no length, of which the last waits for the others, on one node.
pub(super) fn two_with_an_empty_one() -> (Dag, Estimates) {
    let dag = dag(&[10, 10, 10], &[(1, 3, 0), (2, 3, 1)]);
    let estimates = Estimates::new(&dag, 1, |task, _| Span::from_units([2, 0, 2][task.index()]));
    (dag, estimates)
}

/// The example of the paper on HEFT: ten tasks on three processors.
pub(super) fn ten_tasks() -> (Dag, Estimates) {
    let times = [
        [14, 16, 9],
        [13, 19, 18],
        [11, 13, 19],
        [13, 8, 17],
        [12, 13, 10],
        [13, 16, 9],
        [7, 15, 11],
        [5, 11, 14],
        [18, 12, 20],
        [21, 7, 16],
    ];
    let edges = [
        (1, 2, 18),
        (1, 3, 12),
        (1, 4, 9),
        (1, 5, 11),
        (1, 6, 14),
        (2, 8, 19),
        (2, 9, 16),
        (3, 7, 23),
        (4, 8, 27),
        (4, 9, 23),
        (5, 9, 13),
        (6, 8, 15),
        (7, 10, 17),
        (8, 10, 11),
        (9, 10, 13),
    ];
    let dag = dag(&[10; 10], &edges);
    let estimates = Estimates::new(&dag, 3, |task, node| Span::from_units(times[task.index()][node.index()]));
    (dag, estimates)
}

/// Random jobs of up to `tasks` tasks with estimates on `nodes` nodes.
pub(super) fn job(tasks: u32, nodes: usize) -> impl proptest::strategy::Strategy<Value = (Dag, Estimates)> {
    (1..=tasks).prop_flat_map(move |tasks| {
        let pairs = (tasks * (tasks - 1) / 2) as usize;
        (
            prop::collection::vec((1i64..4, prop::collection::vec(1i64..4, nodes)), tasks as usize),
            prop::collection::vec(prop::option::weighted(0.4, 0i64..3), pairs),
        )
            .prop_map(move |(times, present)| {
                let all = (1..=tasks).flat_map(|from| (from + 1..=tasks).map(move |to| (from, to)));
                let edges: Vec<_> =
                    all.zip(present).filter_map(|((from, to), transfer)| Some((from, to, transfer?))).collect();
                let volumes: Vec<i64> = times.iter().map(|(time, _)| 10 * time).collect();
                let dag = dag(&volumes, &edges);
                let estimates = Estimates::new(&dag, nodes, |task, node| {
                    let (time, factors) = &times[task.index()];
                    Span::from_units(time * factors[node.index()])
                });
                (dag, estimates)
            })
    })
}
