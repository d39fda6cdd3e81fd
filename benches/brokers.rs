//! How long a broker takes for one round of the paper's size: 50 jobs on 25 to 200 resources, at the three deadlines of
//! `scenarios/lpga-*.ron`, and what the exact search proves.
//!
//! Run with `cargo bench --bench brokers`; it ends with PASS or FAIL for each target. One run on 2 cores that others used as well (load
//! average 3), the longest of 30 rounds in ms:
//!
//! | resources | greedy | lp | MMC | HGA | LPGA | exact | widest certified gap (%) |
//! | --- | --- | --- | --- | --- | --- | --- | --- |
//! | 25 | 0.01 | 5 | 5 | 144 | 128 | 431 | 0 |
//! | 50 | 0.02 | 5 | 5 | 106 | 72 | 550 | 0 |
//! | 100 | 0.01 | 5 | 5 | 115 | 39 | 72 | 0 |
//! | 200 | 0.01 | 4 | 4 | 115 | 41 | 26 | 0 |
//!
//! The exact search proves all 3000 first rounds of `lpga-tight.ron`, `lpga-medium.ron` and `lpga-relaxed.ron` (25 to 200 resources, 200
//! markets each), in 20 ms of one core in the mean and 0.8 s at most.

use gridloom::broker::{Broker, CostTable, ExactBroker, Genetic, Greedy, Hga, Lp, Lpga, Mmc, Round};
use gridloom::language::{Source, load};
use gridloom::rng::Streams;
use gridloom::study::DeadlineSpec;
use gridloom::units::{Price, Time};
use gridloom::workload::draw_utility_market;
use gridloom::workload::{ResourcesSpec, UserJobsSpec};
use std::time::{Duration, Instant};

const INSTANCES: u64 = 10;
const SLACKS: [(&str, &str); 3] = [
    ("tight", "(name: \"tight\", slack: Normal(mean: 50, sd: 5, low: 40, high: 60))"),
    ("medium", "(name: \"medium\", slack: Normal(mean: 250, sd: 25, low: 200, high: 300))"),
    ("relaxed", "(name: \"relaxed\", slack: Normal(mean: 500, sd: 50, low: 400, high: 600))"),
];

fn read<T: gridloom::language::Decode>(text: &str) -> T {
    load(Source::new("bench", text), &[]).unwrap_or_else(|report| panic!("{report}"))
}

fn with_cost_table(resources: u64, slack: &str, instance: u64, test: impl FnOnce(&CostTable)) {
    let resources: ResourcesSpec = read(&format!(
        "(count: {resources}, pes: UniformInteger(low: 4, high: 12), speed: Discrete([(0.985, 1), (0.9, 1), (0.8, 1), (0.7, 1)]),
          price: 4.5, user_spread: 0.5, price_shape: Normal(mean: 0, sd: 0.5, low: -1, high: 1))"
    ));
    let jobs: UserJobsSpec = read(
        "(count: 50, tasks: Normal(mean: 5, sd: 1.25, low: 2.5, high: 7.5), runtime: Normal(mean: 400, sd: 40, low: 320, high: 480),
          arrival: Uniform(low: 0, high: 20), budget_factor: 2)",
    );
    let deadline: DeadlineSpec = read(slack);
    let market =
        draw_utility_market(&resources, &jobs, &deadline.slack, &Streams::new(1, instance)).expect("numbers are small");
    let round = Round {
        now: Time::from_units(50),
        resources: &market.resources,
        free: market.resources.iter().map(|resource| resource.pes).collect(),
        jobs: market.jobs,
        dummy_price: Price::from_units(10),
    };
    test(&CostTable::new(&round).expect("numbers are small"));
}

/// The longest time over all instances, and the largest proved gap in per cent.
#[allow(clippy::disallowed_methods, reason = "a benchmark measures time")]
fn measure(broker: &dyn Broker, resources: u64, slack: &str) -> (Duration, f64) {
    let (mut longest, mut widest) = (Duration::ZERO, 0.0_f64);
    for instance in 0..INSTANCES {
        with_cost_table(resources, slack, instance, |table| {
            let begun = Instant::now();
            let answer = broker.assign(table, &mut Streams::new(1, instance).stream("broker")).expect("an answer");
            longest = longest.max(begun.elapsed());
            let cost = answer.plan.cost(table).as_f64();
            widest = widest.max(answer.bound.map_or(0.0, |bound| 100.0 * (cost - bound.as_f64()) / cost));
        });
    }
    (longest, widest)
}

fn main() {
    let genetic = Genetic::default();
    let brokers: [Box<dyn Broker>; 6] = [
        Box::new(Greedy::default()),
        Box::new(Lp),
        Box::new(Mmc),
        Box::new(Hga { genetic }),
        Box::new(Lpga { genetic }),
        Box::new(ExactBroker::default()),
    ];
    println!("longest of {INSTANCES} rounds of 50 jobs, in ms");
    println!(
        "{:>8} {:>10} {:>9} {:>9} {:>9} {:>9} {:>14}",
        "broker", "resources", "tight", "medium", "relaxed", "longest", "widest gap (%)"
    );
    let mut longest = [0.0_f64; 6];
    let mut widest = 0.0_f64;
    for (index, broker) in brokers.iter().enumerate() {
        for resources in [25, 50, 100, 200] {
            let found = SLACKS.map(|(_, slack)| measure(broker.as_ref(), resources, slack));
            let [tight, medium, relaxed] = found.map(|(taken, _)| taken.as_secs_f64() * 1e3);
            let most = tight.max(medium).max(relaxed);
            let gap = found.iter().map(|(_, gap)| *gap).fold(0.0, f64::max);
            println!(
                "{:>8} {resources:>10} {tight:>9.2} {medium:>9.2} {relaxed:>9.2} {most:>9.2} {gap:>14.3}",
                broker.name()
            );
            longest[index] = longest[index].max(most);
            widest = widest.max(gap);
        }
    }
    let target = |what: &str, is_met: bool| println!("{} {what}", if is_met { "PASS" } else { "FAIL" });
    target("linear program in less than 100 ms", longest[1] < 100.0);
    target("LPGA in less than 1 s", longest[4] < 1000.0);
    target("exact in less than 5 s", longest[5] < 5000.0);
    target("exact proved to 0.5 %", widest <= 0.5);
}
