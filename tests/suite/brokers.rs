//! Brokers on whole markets: every law by the independent judge, and the cases at the edge.

#[cfg(feature = "highs")]
mod highs;
mod laws;
mod optima;
mod shared_pes;
mod task_sizes;

use gridloom::broker::{Broker, BrokerChoice, BrokerSetup, CostTable, Round};
use gridloom::language::constant;
use gridloom::model::{Resource, UserJob};
use gridloom::rng::{Stream, Streams};
use gridloom::units::{Money, Performance, Price, Time, Volume};

/// All brokers of the registry, with searches that are short enough for tests.
pub(crate) fn brokers() -> Vec<Box<dyn Broker + Send + Sync>> {
    let setup = BrokerSetup {
        genetic: constant("(population: 10, patience: 10, cap: 30)"),
        repaired: constant("(population: 10, patience: 10, cap: 30)"),
        exact: constant("(nodes: 20, steps: 30)"),
    };
    BrokerChoice::NAMES.iter().map(|name| constant::<BrokerChoice>(name).get().make(setup)).collect()
}

pub(crate) fn stream() -> Stream {
    Streams::new(1, 0).stream("brokers")
}

fn resource(pes: u32, price: i64) -> Resource {
    Resource { pes, speed: Performance::from_units(1), prices: vec![Price::from_units(price); 4] }
}

fn job(user: usize, tasks: u32) -> UserJob {
    UserJob {
        user,
        arrival: Time::ZERO,
        tasks,
        size: Volume::from_units(10),
        budget: Money::from_units(1000),
        deadline: Time::from_units(60),
    }
}

/// What every broker makes of a round at 50: name, cost, tasks placed by job.
fn outcomes(resources: &[Resource], jobs: Vec<UserJob>) -> Vec<(&'static str, i64, Vec<u32>)> {
    let count = jobs.len();
    let free = resources.iter().map(|resource| resource.pes).collect();
    let round = Round { now: Time::from_units(50), resources, free, jobs, dummy_price: Price::from_units(9) };
    let table = CostTable::new(&round).expect("numbers are small");
    let outcome = |broker: &dyn Broker| {
        let plan = broker.assign(&table, &mut stream()).expect("an answer").plan;
        let cost = plan.cost(&table).ticks() / 1_000_000;
        (broker.name(), cost, (0..count).map(|job| plan.placed(job)).collect())
    };
    brokers().iter().map(|broker| outcome(broker.as_ref())).collect()
}

#[test]
fn nobody_places_anything_without_resources_or_jobs() {
    for (name, cost, placed) in outcomes(&[], vec![job(0, 2), job(1, 3)]) {
        assert_eq!((cost, placed), (450, vec![0, 0]), "{name}");
    }
    for (name, cost, placed) in outcomes(&[resource(4, 4)], Vec::new()) {
        assert_eq!((cost, placed), (0, vec![]), "{name}");
    }
}

#[test]
fn a_single_job_goes_to_its_cheapest_resource() {
    for (name, cost, placed) in outcomes(&[resource(4, 5), resource(4, 4), resource(2, 3)], vec![job(0, 4)]) {
        // Only the linear program may split it: two tasks at 3, two at 4.
        assert_eq!((cost, placed), (if name == "lp" { 140 } else { 160 }, vec![4]), "{name}");
    }
}

#[test]
fn a_job_that_no_resource_can_serve_stays_on_the_dummy() {
    let too_wide = job(0, 5);
    let too_late = UserJob { deadline: Time::from_units(59), ..job(1, 1) };
    let too_poor = UserJob { budget: Money::from_units(39), ..job(2, 1) };
    for (name, cost, placed) in outcomes(&[resource(4, 4)], vec![too_wide, too_late, too_poor]) {
        match name {
            "lp" => assert_eq!((cost, placed), (160 + 90 + 90 + 90, vec![4, 0, 0]), "its four tasks may run apart"),
            _ => assert_eq!((cost, placed), (450 + 90 + 90, vec![0, 0, 0]), "{name}"),
        }
    }
}

#[test]
fn an_oversubscribed_round_fills_what_there_is() {
    for (name, cost, placed) in outcomes(&[resource(3, 4), resource(3, 4)], vec![job(0, 3), job(1, 3), job(2, 3)]) {
        assert_eq!((cost, placed.iter().sum::<u32>()), (240 + 270, 6), "{name}");
    }
}

#[test]
fn with_equal_costs_everybody_pays_the_same() {
    let jobs = vec![job(0, 2), job(1, 2), job(2, 2), job(3, 2)];
    for (name, cost, placed) in outcomes(&[resource(4, 4), resource(4, 4), resource(4, 4)], jobs) {
        assert_eq!((cost, placed), (320, vec![2, 2, 2, 2]), "{name}");
    }
}

#[test]
fn a_greedy_broker_by_price_takes_a_slow_resource_that_costs_more() {
    let slow = Resource { speed: Performance::from_ticks(500_000), ..resource(4, 3) };
    let patient = UserJob { deadline: Time::from_units(90), ..job(0, 2) };
    for (name, cost, _) in outcomes(&[slow, resource(4, 5)], vec![patient]) {
        assert_eq!(cost, if name == "greedy by price" { 120 } else { 100 }, "{name}");
    }
}

#[test]
fn a_wide_job_leaves_the_cheap_resource_to_a_narrow_one() {
    for (name, cost, placed) in outcomes(&[resource(3, 4), resource(4, 5)], vec![job(0, 4), job(1, 2)]) {
        let expected = match name {
            "lp" => (270, vec![4, 2]),
            // It begins with a split that fills the cheap resource with three tasks of the wide job, keeps the narrow
            // one where it is, and finds no whole place for the wide one.
            "mmc" => (460, vec![0, 2]),
            _ => (280, vec![4, 2]),
        };
        assert_eq!((cost, placed), expected, "{name}");
    }
}
