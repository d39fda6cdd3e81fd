//! Runs in worlds that are drawn as far as a run can go.

use super::Grid;
use crate::engine::{Limits, Stop};
use crate::language::{Source, load};
use crate::model::{Interval, Job};
use crate::policy::{PolicyEntry, PolicySpec, Setup};
use crate::rng::Streams;
use crate::sim::{Event, GridEntry, GridTrace, simulate_grid};
use crate::units::{Span, Time};
use crate::workload::{GridWorld, draw_grid, draw_until, last_decision};

/// What happened, with owners' tasks by when they run.
fn story(world: &GridWorld, trace: &GridTrace) -> Vec<String> {
    let line = |entry: &GridEntry| match entry.what {
        Event::Announced(node, task) => {
            format!("{} announced {node:?} {:?}", entry.time, world.owners[node.index()][task as usize].interval)
        }
        what => format!("{} {what:?}", entry.time),
    };
    trace.entries.iter().map(line).collect()
}

#[test]
fn what_comes_after_the_last_decision_makes_no_difference() {
    let text = "(horizon: 300, step: 100, drain: UpTo(900),
        domains: [(name: \"a\", nodes: 12, performance: Uniform(low: 1, high: 2), failures: (up: Exponential(mean: 300), down: Constant(9)),
            owners: [(load: 0.2, length: Uniform(low: 5, high: 40), notice: Uniform(low: 0, high: 200))])],
        flows: [(name: \"f\", arrivals: Load(load: 0.9), users: 3, max_price: 2, patience: Uniform(low: 1.5, high: 9),
                work: Rigid(nodes: UniformInteger(low: 1, high: 5), length: Uniform(low: 5, high: 40))),
            (name: \"b\", arrivals: Batches(every: 50, size: 3), max_price: 2, patience: Constant(4), work: Rigid(nodes: 2, length: 20))],
        metascheduler: (period: 5, interval: 120), policies: [Easy], actual: Uniform(low: 0.5, high: 1.2))";
    let spec: Grid = load(Source::new("grid.ron", text), &[]).unwrap_or_else(|report| panic!("{report}"));
    for (seed, policy) in (0..9).zip(["Easy", "Conservative", "Opt(MinCost)"].into_iter().cycle()) {
        let policy: PolicyEntry = load(Source::new("policy.ron", policy), &[]).unwrap();
        let streams = Streams::new(seed, 0);
        let draw = |last: fn(&[Job], Interval, Time) -> Time| {
            draw_until(&spec.grid(), &streams, Stop::NEVER, Limits::DEFAULT, last).unwrap()
        };
        let run = |world: &GridWorld| {
            let mut made = policy.make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
            simulate_grid(world, &spec.rules(&policy), &mut *made, Stop::NEVER).unwrap()
        };
        let (world, whole) = (draw(last_decision), draw(|_, _, end| end));
        assert!(world.jobs.len() < whole.jobs.len() && world.jobs.iter().any(|job| job.arrival > world.measured.end));
        let tasks = |world: &GridWorld| world.owners.iter().map(Vec::len).sum::<usize>();
        assert!(tasks(&world) < tasks(&whole));
        let (trace, other) = (run(&world), run(&whole));
        assert_eq!((trace.end, story(&world, &trace)), (other.end, story(&whole, &other)));
    }
    // Whoever waits for ever may wait until the end.
    let patient: Grid = load(Source::new("grid.ron", text.replace("patience: Constant(4), ", "")), &[]).unwrap();
    let world = draw_grid(&patient.grid(), &Streams::new(0, 0), Stop::NEVER).unwrap();
    assert!(world.jobs.iter().any(|job| job.arrival == world.end - Span::from_units(50)));
}
