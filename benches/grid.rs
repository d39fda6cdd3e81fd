//! How the connected grid grows: nodes and jobs together under EASY, from the drawn world to the checked trace.
//!
//! `cargo bench --bench grid` prints a table; `cargo bench --bench grid -- large` adds ten thousand nodes and a million jobs.
//!
//! One run on an otherwise idle 2-core machine:
//!
//! | nodes | jobs | draw (s) | run (s) | check (s) | microseconds per job |
//! | --- | --- | --- | --- | --- | --- |
//! | 100 | 1,031 | 0.001 | 0.011 | 0.001 | 12.7 |
//! | 100 | 10,223 | 0.006 | 0.119 | 0.010 | 13.1 |
//! | 1,000 | 10,223 | 0.004 | 0.123 | 0.011 | 13.5 |
//! | 1,000 | 99,933 | 0.058 | 1.635 | 0.108 | 18.0 |
//! | 10,000 | 99,933 | 0.061 | 2.428 | 0.183 | 26.7 |
//! | 10,000 | 1,000,828 | 0.537 | 32.28 | 1.791 | 34.6 |
//!
//! A job costs little more on a grid a hundred times as large; what grows is the time to gather the free slots of all nodes at each cycle, and misses
//! of the processor's caches.

use gridloom::check::check_grid;
use gridloom::engine::Stop;
use gridloom::language::{Source, load};
use gridloom::policy::{PolicySpec, Setup};
use gridloom::rng::Streams;
use gridloom::sim::simulate_grid;
use gridloom::study::Grid;
use gridloom::workload::draw_grid;
use std::time::Instant;

/// A grid of `nodes` nodes at a load of 0.6 for so long that about `jobs` jobs arrive.
fn scenario(nodes: u64, jobs: u64) -> Grid {
    // A job is 4.5 nodes for 65 minutes on average, and a node does 1.5 minutes of work in a minute.
    let horizon = jobs as f64 * 4.5 * 65.0 / (0.6 * 1.5 * nodes as f64);
    let text = format!(
        "(horizon: {horizon:.0}, step: {horizon:.0}, domains: [(name: \"a\", nodes: {nodes}, performance: Uniform(low: 1, high: 2),
            price_spread: Uniform(low: -0.2, high: 0.2), owners: [(load: 0.1, length: Uniform(low: 20, high: 90), notice: 60)])],
        flows: [(name: \"f\", arrivals: Load(load: 0.6), users: 100, max_price: 1.5, patience: Uniform(low: 5, high: 50),
            work: Rigid(nodes: UniformInteger(low: 1, high: 8), length: Uniform(low: 10, high: 120)))],
        metascheduler: (period: 5, interval: 480), policies: [Easy], actual: Uniform(low: 0.6, high: 1.0))"
    );
    load(Source::new("grid", text), &[]).unwrap_or_else(|report| panic!("{report}"))
}

#[allow(clippy::disallowed_methods, reason = "a bench is about time")]
fn main() {
    let mut sizes = vec![(100, 1_000), (100, 10_000), (1_000, 10_000), (1_000, 100_000), (10_000, 100_000)];
    if std::env::args().any(|argument| argument == "large") {
        sizes.push((10_000, 1_000_000));
    }
    println!(
        "{:>7} {:>9} {:>9} {:>9} {:>9} {:>9} {:>11}",
        "nodes", "jobs", "draw s", "run s", "check s", "us/job", "events/s"
    );
    for (nodes, jobs) in sizes {
        let spec = scenario(nodes, jobs);
        let streams = Streams::new(1, 0);
        let begun = Instant::now();
        let world = draw_grid(&spec.grid(), &streams, Stop::NEVER).expect("the world can be drawn");
        let drawn = begun.elapsed().as_secs_f64();
        let entry = &spec.policies[0];
        let mut policy = entry.make(&Setup { metascheduler: &spec.metascheduler(), streams: &streams });
        let rules = spec.rules(entry);
        let begun = Instant::now();
        let trace = simulate_grid(&world, &rules, &mut *policy, Stop::NEVER).expect("the grid runs");
        let ran = begun.elapsed().as_secs_f64();
        let begun = Instant::now();
        check_grid(&world, &rules, &trace).expect("the laws hold");
        let checked = begun.elapsed().as_secs_f64();
        let submitted = world.jobs.len();
        println!(
            "{nodes:>7} {submitted:>9} {drawn:>9.3} {ran:>9.3} {checked:>9.3} {:>9.1} {:>11.0}",
            1e6 * (drawn + ran + checked) / submitted as f64,
            trace.entries.len() as f64 / ran
        );
    }
}
