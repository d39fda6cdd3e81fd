//! Random markets in rounds, judged by `check`.

use super::{brokers, stream};
use gridloom::check::check_leases;
use gridloom::engine::Stop;
use gridloom::model::{Grain, Lease, Resource, UserJob};
use gridloom::sim::run_rounds;
use gridloom::units::{Money, Performance, Price, Span, Time, Volume};
use proptest::prelude::*;

const INTERVAL: Span = Span::from_units(50);
pub(super) const DUMMY: Price = Price::from_units(30);

prop_compose! {
    pub(super) fn market()(
        resources in prop::collection::vec((1u32..9, 60i64..130, prop::collection::vec(30i64..60, 12)), 0..7),
        jobs in prop::collection::vec((0i64..120, 1u32..6, 20i64..200, 1i64..500, 1i64..400), 0..12),
    ) -> (Vec<Resource>, Vec<UserJob>) {
        let resource = |(pes, speed, prices): (u32, i64, Vec<i64>)| Resource {
            pes,
            speed: Performance::from_ticks(speed * 10_000),
            prices: prices.into_iter().map(|price| Price::from_ticks(price * 100_000)).collect(),
        };
        let job = |(user, (arrival, tasks, size, budget, slack)): (usize, (i64, u32, i64, i64, i64))| UserJob {
            user,
            arrival: Time::from_units(arrival),
            tasks,
            size: Volume::from_units(size),
            // From a hundredth of what it would cost at 5 to five times that.
            budget: Money::from_ticks(budget * size * i64::from(tasks) * 50_000),
            deadline: Time::from_units(arrival + size + slack),
        };
        (resources.into_iter().map(resource).collect(), jobs.into_iter().enumerate().map(job).collect())
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_broker_keeps_every_law((resources, jobs) in market()) {
        for broker in brokers() {
            let session = run_rounds(&resources, &jobs, (INTERVAL, DUMMY), broker.as_ref(), (&mut stream(), Stop::NEVER)).unwrap();
            let judged = check_leases(&resources, &jobs, broker.grain(), INTERVAL, &session.leases);
            prop_assert!(judged.is_ok(), "{}: {}", broker.name(), judged.unwrap_err());
            for (index, job) in jobs.iter().enumerate() {
                let placed: u32 = session.leases.iter().filter(|lease| lease.job == index).map(|lease| lease.tasks).sum();
                prop_assert_eq!(placed + session.left[index], job.tasks);
            }
        }
    }

    #[test]
    fn the_first_round_is_in_the_order_that_theory_gives((resources, jobs) in market()) {
        let first = |name: &str| {
            let brokers = brokers();
            let broker = brokers.iter().find(|broker| broker.name() == name).unwrap();
            run_rounds(&resources, &jobs, (INTERVAL, DUMMY), broker.as_ref(), (&mut stream(), Stop::NEVER)).unwrap().first
        };
        if let Some(exact) = first("exact") {
            let (bound, best) = (exact.bound.unwrap(), exact.cost);
            prop_assert!(bound <= best);
            for name in ["greedy", "greedy by price", "mmc", "hga", "lpga", "hga, repaired", "lpga, repaired"] {
                prop_assert!(bound <= first(name).unwrap().cost, "{}", name);
            }
            for (seed, genetic) in [("mmc", "lpga"), ("greedy by price", "hga")] {
                for genetic in [genetic.to_string(), format!("{genetic}, repaired")] {
                    prop_assert!(first(&genetic).unwrap().cost <= first(seed).unwrap().cost, "{}", genetic);
                }
            }
        }
    }
}

#[test]
fn the_judge_sees_every_kind_of_fraud() {
    let resource = Resource { pes: 3, speed: Performance::from_units(2), prices: vec![Price::from_units(4)] };
    let job = UserJob {
        user: 0,
        arrival: Time::from_units(10),
        tasks: 2,
        size: Volume::from_units(100),
        budget: Money::from_units(400),
        deadline: Time::from_units(150),
    };
    let right = Lease {
        job: 0,
        resource: 0,
        tasks: 2,
        start: Time::from_units(50),
        runtime: Span::from_units(50),
        cost: Money::from_units(400),
    };
    let judge =
        |grain, leases: &[Lease]| check_leases(std::slice::from_ref(&resource), &[job, job], grain, INTERVAL, leases);
    assert!(judge(Grain::Whole, &[right]).is_ok());
    let one = Lease { tasks: 1, cost: Money::from_units(200), ..right };
    assert!(judge(Grain::Split, &[one, Lease { start: Time::from_units(100), ..one }]).is_ok());
    let wrongs: [(&str, Vec<Lease>); 10] = [
        ("starts between", vec![Lease { start: Time::from_units(60), ..right }]),
        ("after its deadline", vec![Lease { start: Time::from_units(150), ..right }]),
        ("too short", vec![Lease { runtime: Span::from_units(49), cost: Money::from_units(392), ..right }]),
        ("longer than", vec![Lease { runtime: Span::from_units(51), cost: Money::from_units(408), ..right }]),
        ("not charged", vec![Lease { cost: Money::from_units(399), ..right }]),
        ("above its budget", vec![right, Lease { start: Time::from_units(100), ..right }]),
        ("tasks placed", vec![Lease { tasks: 3, cost: Money::from_units(600), ..right }]),
        ("parts with", vec![one]),
        ("3 PEs", vec![right, Lease { job: 1, ..right }]),
        ("no such pair", vec![Lease { resource: 1, ..right }]),
    ];
    for (law, leases) in wrongs {
        let told = judge(Grain::Whole, &leases).unwrap_err().to_string();
        assert!(told.contains(law), "{law}: {told}");
    }
    let early = UserJob { arrival: Time::from_units(60), ..job };
    assert!(check_leases(std::slice::from_ref(&resource), &[early], Grain::Whole, INTERVAL, &[right]).is_err());
}

#[test]
fn what_does_not_fit_rolls_over_until_its_deadline_is_out_of_reach() {
    let resource = Resource { pes: 2, speed: Performance::from_units(1), prices: vec![Price::from_units(4); 3] };
    let job = |user, deadline| UserJob {
        user,
        arrival: Time::ZERO,
        tasks: 2,
        size: Volume::from_units(60),
        budget: Money::from_units(1000),
        deadline: Time::from_units(deadline),
    };
    // The first to fit runs from 50 to 110; the next round at which it is gone is at 150.
    let jobs = [job(0, 110), job(1, 210), job(2, 209)];
    for broker in brokers() {
        let session = run_rounds(
            std::slice::from_ref(&resource),
            &jobs,
            (INTERVAL, DUMMY),
            broker.as_ref(),
            (&mut stream(), Stop::NEVER),
        )
        .unwrap();
        let starts: Vec<_> = session.leases.iter().map(|lease| lease.start).collect();
        assert_eq!(starts[0], Time::from_units(50), "{}", broker.name());
        assert!(session.left.iter().sum::<u32>() <= 4 && starts.iter().all(|&start| start <= Time::from_units(150)));
        assert_eq!(session.dummy_cost, Money::from_units(60 * 30 * i64::from(session.left.iter().sum::<u32>())));
    }
}
