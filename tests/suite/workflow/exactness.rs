//! The exact search against plain enumeration of every node and every start, which shares nothing with it.

use gridloom::check::check_plan;
use gridloom::engine::Stop;
use gridloom::model::{Dag, Edge, Interval, Task, TaskId};
use gridloom::rng::{Streams, below};
use gridloom::units::{Span, Time, Volume};
use gridloom::workflow::{
    Estimates, Plan, PlanOutcome, PlanProblem, Strategy, Transfers, exact, is_impossible, least_cost,
};

const NODES: usize = 2;
const STRATEGIES: [Strategy; 3] = [Strategy::Cheapest, Strategy::EarliestFinish, Strategy::LatestStart];

/// A problem in whole numbers.
struct Small {
    volumes: Vec<i64>,
    /// By task and node; tasks may take no time.
    times: Vec<[i64; NODES]>,
    /// From, to, transfer.
    edges: Vec<(usize, usize, i64)>,
    free: [Vec<(i64, i64)>; NODES],
    reserved: [Vec<(i64, i64)>; NODES],
    deadline: i64,
    always: bool,
}

impl Small {
    fn draw(seed: u64) -> Self {
        let mut stream = Streams::new(seed, 0).stream("small");
        let mut draw = |bound: i64| below(&mut stream, bound as u64) as i64;
        let tasks = 1 + draw(4) as usize;
        let times: Vec<[i64; NODES]> =
            (0..tasks).map(|_| if draw(4) == 0 { [0; 2] } else { [draw(4), draw(4)] }).collect();
        // Numbers in any order: tasks wait for those with lower and with higher ones.
        let mut names: Vec<usize> = (0..tasks).collect();
        (1..tasks).rev().for_each(|last| names.swap(last, draw(last as i64 + 1) as usize));
        let mut edges = Vec::new();
        for to in 0..tasks {
            for from in 0..to {
                if draw(2) == 0 {
                    edges.push((names[from], names[to], draw(3)));
                }
            }
        }
        let deadline = 1 + draw(7);
        let intervals = |draw: &mut dyn FnMut(i64) -> i64, gap: i64, length: i64| {
            let (mut at, mut list) = (0, Vec::new());
            for _ in 0..draw(3) {
                let start = at + draw(gap);
                at = start + 1 + draw(length);
                list.push((start, at));
            }
            list
        };
        let free = [(); NODES].map(|()| match draw(2) {
            0 => vec![(0, 9)],
            _ => intervals(&mut draw, 3, 5),
        });
        let reserved = [(); NODES].map(|()| intervals(&mut draw, 5, 2));
        let volumes = (0..tasks).map(|_| 1 + draw(9)).collect();
        Self { volumes, times, edges, free, reserved, deadline, always: draw(2) == 0 }
    }

    fn cost(&self, task: usize, node: usize) -> i64 {
        let time = self.times[task][node];
        if time == 0 { 0 } else { (self.volumes[task] + time - 1) / time }
    }

    /// Every plan there is, as (cost, start, finish).
    fn enumerate(&self, placed: &mut Vec<Option<(usize, i64)>>, seen: &mut dyn FnMut(i64, i64, i64)) {
        let waits = |task: usize| self.edges.iter().any(|&(from, to, _)| to == task && placed[from].is_none());
        let Some(task) = (0..placed.len()).find(|&task| placed[task].is_none() && !waits(task)) else {
            let all: Vec<(usize, (usize, i64))> = placed.iter().flatten().copied().enumerate().collect();
            let cost = all.iter().map(|&(task, (node, _))| self.cost(task, node)).sum();
            let start = all.iter().map(|&(_, (_, start))| start).min();
            let finish = all.iter().map(|&(task, (node, start))| start + self.times[task][node]).max();
            return seen(cost, start.unwrap_or(0), finish.unwrap_or(0));
        };
        for node in 0..NODES {
            let time = self.times[task][node];
            for start in 0..=self.deadline - time {
                if self.fits(placed, task, node, start) {
                    placed[task] = Some((node, start));
                    self.enumerate(placed, seen);
                    placed[task] = None;
                }
            }
        }
    }

    fn fits(&self, placed: &[Option<(usize, i64)>], task: usize, node: usize, start: i64) -> bool {
        let end = start + self.times[task][node];
        let apart = |(from, to): (i64, i64)| end <= from || to <= start || start == end || from == to;
        let own = placed.iter().enumerate().filter_map(|(other, at)| at.map(|(on, from)| (other, on, from)));
        let in_time = |&(from, to, transfer): &(usize, usize, i64)| {
            to != task
                || placed[from].is_some_and(|(on, begun)| {
                    let wait = if self.always || on != node { transfer } else { 0 };
                    begun + self.times[from][on] + wait <= start
                })
        };
        self.free[node].iter().any(|&(from, to)| from <= start && end <= to)
            && self.reserved[node].iter().all(|&held| apart(held))
            && own.into_iter().all(|(other, on, from)| on != node || apart((from, from + self.times[other][on])))
            && self.edges.iter().all(in_time)
    }

    /// The best by both criteria of each strategy.
    fn best(&self) -> [Option<(i64, i64)>; 3] {
        let mut best = [None; 3];
        self.enumerate(&mut vec![None; self.times.len()], &mut |cost, start, finish| {
            for (best, found) in best.iter_mut().zip([(cost, finish), (finish, cost), (-start, cost)]) {
                *best = Some(best.map_or(found, |best: (i64, i64)| best.min(found)));
            }
        });
        best
    }

    /// The same problem, to be solved by `solve`.
    fn with<T>(&self, strategy: Strategy, solve: impl FnOnce(&PlanProblem<'_>) -> T) -> T {
        let task =
            |(index, &volume): (usize, &i64)| Task { name: index.to_string(), volume: Volume::from_units(volume) };
        let edge = |&(from, to, transfer): &(usize, usize, i64)| Edge {
            from: TaskId(from as u32),
            to: TaskId(to as u32),
            transfer: Span::from_units(transfer),
        };
        let dag = Dag::new(self.volumes.iter().enumerate().map(task).collect(), self.edges.iter().map(edge).collect());
        let dag = dag.unwrap();
        let time = |task: TaskId, node: gridloom::model::NodeId| self.times[task.index()][node.index()];
        let estimates = Estimates::new(&dag, NODES, |task, node| Span::from_units(time(task, node)));
        let list = |list: &Vec<(i64, i64)>| -> Vec<Interval> {
            list.iter().map(|&(start, end)| Interval::new(Time::from_units(start), Time::from_units(end))).collect()
        };
        let (free, reserved) = (self.free.each_ref().map(list), self.reserved.each_ref().map(list));
        solve(&PlanProblem {
            dag: &dag,
            estimates: &estimates,
            free: &free,
            reserved: &reserved,
            release: Time::ZERO,
            deadline: Time::from_units(self.deadline),
            transfers: if self.always { Transfers::Always } else { Transfers::BetweenNodes },
            strategy,
            attempts: 6,
            refine: true,
            stop: Stop::NEVER,
        })
    }
}

/// Both criteria of a plan in whole numbers.
fn criteria(strategy: Strategy, plan: &Plan) -> (i64, i64) {
    let units = |ticks: i64| ticks / 1_000_000;
    let (cost, finish) = (units(plan.cost.ticks()), units(plan.finish().unwrap().ticks()));
    match strategy {
        Strategy::Cheapest => (cost, finish),
        Strategy::EarliestFinish => (finish, cost),
        Strategy::LatestStart => (-units(plan.start().unwrap().ticks()), cost),
    }
}

#[test]
fn the_exact_search_finds_what_plain_enumeration_finds() {
    let (mut feasible, mut with_empty_tasks, mut impossible) = (0, 0, 0);
    for seed in 0..3000 {
        let small = Small::draw(seed);
        let best = small.best();
        feasible += usize::from(best[0].is_some());
        with_empty_tasks += usize::from(best[0].is_some() && small.times.contains(&[0; NODES]));
        for (strategy, best) in STRATEGIES.into_iter().zip(best) {
            small.with(strategy, |problem| {
                let found = match exact(problem, u64::MAX).unwrap() {
                    PlanOutcome::Best(plan) => {
                        check_plan(problem, &plan.placements).unwrap();
                        Some(criteria(strategy, &plan))
                    }
                    PlanOutcome::Impossible => None,
                    PlanOutcome::GaveUp => panic!("there is no limit"),
                };
                assert_eq!(found, best, "seed {seed}, {strategy:?}");
            });
        }
        let is_impossible = small.with(Strategy::Cheapest, |problem| is_impossible(problem).unwrap());
        assert!(!is_impossible || best[0].is_none(), "seed {seed}");
        impossible += usize::from(is_impossible);
        let least = small.with(Strategy::Cheapest, |problem| least_cost(problem, u64::MAX).unwrap());
        assert_eq!(least.map(|cost| cost.ticks() / 1_000_000), best[0].map(|(cost, _)| cost), "seed {seed}");
    }
    // The quick proof that there is no plan finds most of those without one.
    assert!(impossible > (3000 - feasible) / 2, "{impossible} of {}", 3000 - feasible);
    assert!(feasible > 1000 && with_empty_tasks > 300, "{feasible} and {with_empty_tasks} of them count");
}

#[test]
fn a_search_stops_at_its_limit_and_when_it_is_told_to() {
    let small = Small { reserved: [vec![], vec![]], free: [vec![(0, 9)], vec![(0, 9)]], deadline: 9, ..Small::draw(1) };
    small.with(Strategy::Cheapest, |problem| {
        assert_eq!(exact(problem, 1).unwrap(), PlanOutcome::GaveUp);
        let stop = Stop::new();
        stop.set();
        assert_eq!(exact(&PlanProblem { stop: &stop, ..*problem }, u64::MAX).unwrap(), PlanOutcome::GaveUp);
    });
}
