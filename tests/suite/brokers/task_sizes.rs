//! Jobs of tasks that differ in size: file 003, equations (1) and (7), worked out from the sizes themselves.

use super::{brokers, stream};
use gridloom::engine::Stop;
use gridloom::language::constant;
use gridloom::rng::Streams;
use gridloom::sim::run_rounds;
use gridloom::units::{Price, Span};
use gridloom::workload::{ResourcesSpec, UserJobsSpec, UtilityMarket, draw_utility_market};

const INTERVAL: Span = Span::from_units(50);
const SLACK: f64 = 250.0;

fn market(spread: f64, replication: u64) -> UtilityMarket {
    let resources: ResourcesSpec = constant(
        "(count: 8, pes: UniformInteger(low: 4, high: 12), speed: Uniform(low: 0.7, high: 1), price: 4.5, user_spread: 0.5,
        price_shape: Uniform(low: -1, high: 1))",
    );
    let jobs: UserJobsSpec = constant(&format!(
        "(count: 12, tasks: UniformInteger(low: 1, high: 7), runtime: Uniform(low: 320, high: 480),
        task_spread: {spread}, arrival: Uniform(low: 0, high: 20), budget_factor: 2)"
    ));
    let slack: gridloom::language::Within<gridloom::workload::bounds::Times> = constant(&SLACK.to_string());
    draw_utility_market(&resources, &jobs, &slack, &Streams::new(7, replication)).unwrap()
}

#[test]
fn every_pe_is_paid_until_the_largest_task_ends() {
    let (mut leases, mut unequal) = (0, 0);
    for replication in 0..5 {
        let market = market(0.4, replication);
        for broker in brokers() {
            let terms = (INTERVAL, Price::from_units(10));
            let session =
                run_rounds(&market.resources, &market.jobs, terms, broker.as_ref(), (&mut stream(), Stop::NEVER));
            for lease in session.unwrap().leases {
                let sizes: Vec<f64> = market.task_sizes[lease.job].iter().map(|size| size.as_f64()).collect();
                let resource = &market.resources[lease.resource];
                let runtimes = sizes.iter().map(|size| size / resource.speed.as_f64());
                let longest = runtimes.fold(0.0, f64::max);
                let price = resource.prices[market.jobs[lease.job].user].as_f64();
                // (1), and (7) for every task.
                let cost = f64::from(lease.tasks) * price * longest;
                assert!((lease.cost.as_f64() - cost).abs() < 1e-3, "{}: {} {cost}", broker.name(), lease.cost);
                assert!(lease.start.as_f64() + longest <= market.jobs[lease.job].deadline.as_f64() + 1e-5);
                leases += 1;
                unequal += usize::from(sizes.iter().any(|&size| size != sizes[0]));
            }
        }
    }
    assert!(leases > 100 && unequal > 50, "{leases} {unequal}");
}

#[test]
fn sizes_spread_as_far_as_they_may_and_change_nothing_else() {
    let (plain, spread) = (market(0.0, 3), market(0.4, 3));
    assert_eq!(plain.resources, spread.resources);
    for (index, (one, other)) in plain.jobs.iter().zip(&spread.jobs).enumerate() {
        assert_eq!(
            (one.tasks, one.arrival, one.budget, one.deadline),
            (other.tasks, other.arrival, other.budget, other.deadline)
        );
        assert!(plain.task_sizes[index].iter().all(|&size| size == one.size));
        let shares: Vec<f64> = spread.task_sizes[index].iter().map(|size| size.as_f64() / one.size.as_f64()).collect();
        assert_eq!(shares.len(), one.tasks as usize);
        assert!(shares.iter().all(|share| (0.6 - 1e-6..=1.4 + 1e-6).contains(share)), "{shares:?}");
        assert_eq!(spread.task_sizes[index].iter().max(), Some(&other.size));
    }
    let all: Vec<f64> = spread
        .task_sizes
        .iter()
        .zip(&plain.jobs)
        .flat_map(|(sizes, job)| sizes.iter().map(|size| size.as_f64() / job.size.as_f64()))
        .collect();
    assert!(all.iter().any(|&share| share < 0.8) && all.iter().any(|&share| share > 1.2));
}
