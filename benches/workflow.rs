//! Planning of jobs made of tasks: how time grows with tasks, nodes and reservations.
//!
//! Run with `cargo bench --bench workflow`. Jobs are layered, about ten tasks side by side; nodes are of four types with reservations on each;
//! the deadline is four times the longest chain on the fastest nodes. Short jobs are the harder ones here: with 20 reservations in a short interval,
//! slow nodes have few gaps that hold a task, and most of the time goes into collisions.
//!
//! The fastest of ten runs in milliseconds, on a 2-core machine that others used at the same time; the first row after nodes that are alike to a task
//! came to be looked at together (before: 1.8, 1.4, 6.9, 11, 14, 3.7, 7.3 and 47 on a quieter machine):
//!
//! | tasks, nodes, reservations per node | 50, 50, 20 | 100, 50, 5 | 100, 50, 20 | 100, 100, 20 | 100, 200, 20 | 200, 50, 20 | 400, 50, 20 | 1000, 200, 20 |
//! | --- | --- | --- | --- | --- | --- | --- | --- | --- |
//! | cheapest, transfers always charged | 1.1 | 0.7 | 3.8 | 5.6 | 8.5 | 2.6 | 9.3 | 21 |
//! | cheapest, no transfers on one node | | | 10 | | | | | 273 |
//! | earliest finish | | | 1.9 | | | | | 37 |
//! | latest start | | | 1.0 | | | | | 31 |
//! | HEFT | | | 0.2 | | | | | 7.1 |

use gridloom::language::{Source, load};
use gridloom::model::{Dag, Interval};
use gridloom::rng::{Streams, below};
use gridloom::units::{Performance, Span, Time};
use gridloom::workflow::chains::critical_length;
use gridloom::workflow::{Estimates, PlanProblem, Strategy, Transfers, exact, heft, plan};
use gridloom::workload::TasksSpec;
use gridloom::workload::draw_tasks;
use std::hint::black_box;
use std::time::Instant;

/// A layered job on nodes of four types, each with reservations that leave most of its time.
struct World {
    dag: Dag,
    estimates: Estimates,
    free: Vec<Vec<Interval>>,
    reserved: Vec<Vec<Interval>>,
    deadline: Time,
}

impl World {
    fn new(tasks: usize, nodes: usize, reservations: usize) -> Self {
        // Rows of about ten tasks side by side.
        let tiers = (tasks / 10).max(2);
        let text = format!(
            "Layered(tiers: {tiers}, width: {}, density: 0.3, time: UniformInteger(low: 2, high: 10), transfer: UniformInteger(low: 1, high: 3))",
            tasks / tiers
        );
        let spec: TasksSpec = load(Source::new("bench", text), &[]).unwrap_or_else(|report| panic!("{report}"));
        let streams = Streams::new(1, 0);
        let dag = draw_tasks(&spec, Performance::from_units(10), streams.stream("tasks")).unwrap();
        let times: Vec<i64> = dag.tasks().iter().map(|task| task.volume.ticks() / 10).collect();
        let span = |time: i64, node: u32| Span::from_ticks(time * (1 + i64::from(node % 4)));
        let estimates = Estimates::new(&dag, nodes, |task, node| span(times[task.index()], node.0));
        let deadline = Time::ZERO + Span::from_ticks(critical_length(&dag, &estimates).ticks() * 4);
        let bounds = Interval::new(Time::ZERO, deadline);
        let mut stream = streams.stream("reserved");
        let step = deadline.ticks() / reservations.max(1) as i64;
        let reserved = |_| {
            let hold = |index: usize| {
                let start = index as i64 * step + below(&mut stream, (step / 2) as u64) as i64;
                Interval::new(Time::from_ticks(start), Time::from_ticks(start + step / 20))
            };
            (0..reservations).map(hold).collect()
        };
        let reserved = (0..nodes).map(reserved).collect();
        Self { dag, estimates, free: vec![vec![bounds]; nodes], reserved, deadline }
    }

    fn problem(&self, strategy: Strategy, transfers: Transfers) -> PlanProblem<'_> {
        PlanProblem {
            stop: gridloom::engine::Stop::NEVER,
            dag: &self.dag,
            estimates: &self.estimates,
            free: &self.free,
            reserved: &self.reserved,
            release: Time::ZERO,
            deadline: self.deadline,
            transfers,
            strategy,
            attempts: 6,
            refine: true,
        }
    }
}

/// Milliseconds of the fastest of ten runs.
#[allow(clippy::disallowed_methods, reason = "a bench measures time")]
fn fastest<T>(mut run: impl FnMut() -> T) -> f64 {
    let mut timed = || {
        let begun = Instant::now();
        black_box(run());
        begun.elapsed().as_secs_f64() * 1e3
    };
    (0..10).map(|_| timed()).fold(f64::INFINITY, f64::min)
}

fn main() {
    let methods = [
        ("cheapest, transfers always charged", Strategy::Cheapest, Transfers::Always),
        ("cheapest, no transfers on one node", Strategy::Cheapest, Transfers::BetweenNodes),
        ("earliest finish", Strategy::EarliestFinish, Transfers::Always),
        ("latest start", Strategy::LatestStart, Transfers::Always),
    ];
    let sizes = [
        (50, 50, 20),
        (100, 50, 5),
        (100, 50, 20),
        (100, 100, 20),
        (100, 200, 20),
        (200, 50, 20),
        (400, 50, 20),
        (1000, 200, 20),
    ];
    for (tasks, nodes, reservations) in sizes {
        println!("{tasks} tasks, {nodes} nodes, {reservations} reservations per node, in milliseconds");
        let world = World::new(tasks, nodes, reservations);
        for (name, strategy, transfers) in methods {
            let problem = world.problem(strategy, transfers);
            let ties = || Streams::new(1, 0).stream("ties");
            assert!(plan(&problem, &mut ties()).is_ok(), "what is measured is a plan");
            println!("{name:>40} {:8.2}", fastest(|| plan(&problem, &mut ties())));
        }
        let problem = world.problem(Strategy::EarliestFinish, Transfers::Always);
        assert!(heft(&problem).is_ok(), "what is measured is a plan");
        println!("{:>40} {:8.2}", "HEFT", fastest(|| heft(&problem)));
    }
    for tasks in [4, 5, 6] {
        let world = World::new(tasks, 4, 0);
        let problem = world.problem(Strategy::Cheapest, Transfers::Always);
        println!("exact, {tasks} tasks on 4 nodes: {:.2} ms", fastest(|| exact(&problem, u64::MAX)));
    }
}
